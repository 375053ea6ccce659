"""RED and MECN in plain Python, written from their pseudo code and independent of the Rust code.

`python3 reference/red.py` writes `tests/golden/red_trace.json`: arrivals, uniform draws, and for several settings the
verdict on every arrival. `crates/sim/src/queue/golden_tests.rs` must reproduce it. `--check` only compares.

Only the standard library is used; the arrivals come from Python's own generator and are stored in the file, so that
no other program has to repeat them.
"""

import json
import math
import random

import golden_file

RATE = 1_500_000  # bit/s
DELAY = 0.065  # s
NOT_CAPABLE, CAPABLE, INCIPIENT, MODERATE = range(4)

DROP_OVERFLOW, DROP_ACTIVE, ACCEPT, MARK_INCIPIENT, MARK_MODERATE = "O", "A", ".", "i", "m"


def f(pb, count, wait):
    """The spacing function: probability for the count-th arrival since the last action."""
    if wait:
        if count * pb < 1:
            return 0.0
        return pb / (2 - count * pb) if count * pb < 2 else 1.0
    return pb / (1 - count * pb) if count * pb < 1 else 1.0


class Average:
    def __init__(self, w_q, mean_pktsize, rate=RATE):
        ptc = rate / (8 * mean_pktsize)
        if w_q == "auto":
            rtt = max(0.1, 3 * (DELAY + 1 / ptc))
            w_q = 1 - math.exp(-1 / (10 * rtt * ptc))
        self.w_q, self.mean_pktsize, self.rate, self.avg = w_q, mean_pktsize, rate, 0.0

    def update(self, arrival, q):
        m = 0
        if not arrival["busy"] and arrival["pkts"] == 0:
            m = (arrival["t"] - arrival["idle"]) * self.rate // (8 * self.mean_pktsize * 10**9)
        self.avg *= (1 - self.w_q) ** m
        self.avg = (1 - self.w_q) * self.avg + self.w_q * q
        return self.avg


def full(limit, arrival):
    """Whether one more packet has no room. An idle interface transmits it at once."""
    number, unit = limit.split()
    if not arrival["busy"] and arrival["pkts"] == 0:
        return False
    if unit == "packets":
        return arrival["pkts"] >= int(number)
    return arrival["bytes"] + arrival["size"] > int(number)


class Red:
    def __init__(
        self, limit, min_th=5, max_th=15, max_p=0.1, w_q=0.002, gentle=False, ecn=False, wait=True, mean_pktsize=1000,
        bytes=False, adaptive=False, interval=500, rate=RATE,
    ):  # fmt: skip
        self.__dict__.update(locals())
        self.average = Average(w_q, mean_pktsize, rate)
        self.count = self.count_bytes = self.old = 0
        self.last_change = 0
        self.changes = []  # of max_p

    def arrive(self, a, draw):
        q = a["bytes"] / self.mean_pktsize if self.bytes else a["pkts"]
        avg = self.average.update(a, q)
        if self.adaptive and a["t"] - self.last_change > self.interval * 1_000_000:
            self.adapt(avg, a["t"])
        self.count += 1
        self.count_bytes += a["size"]
        action = ACCEPT
        forced = None
        if avg >= self.min_th and a["pkts"] > 1:
            if avg >= (2 * self.max_th if self.gentle else self.max_th):
                forced = DROP_ACTIVE
            elif not self.old:
                self.old, self.count, self.count_bytes = 1, 1, a["size"]
            else:
                if avg < self.max_th:
                    pb = self.max_p * (avg - self.min_th) / (self.max_th - self.min_th)
                else:
                    pb = self.max_p + (1 - self.max_p) * (avg - self.max_th) / self.max_th
                if self.bytes:
                    pa = f(pb, self.count_bytes / self.mean_pktsize, self.wait) * a["size"] / self.mean_pktsize
                else:
                    pa = f(pb, self.count, self.wait)
                if pa > 0 and draw() < pa:
                    self.count = self.count_bytes = 0
                    if self.ecn and a["ecn"] != NOT_CAPABLE and avg < self.max_th:
                        action = MARK_MODERATE if a["ecn"] < MODERATE else ACCEPT
                    else:
                        action = DROP_ACTIVE
        else:
            self.old = 0
        if full(self.limit, a):
            forced = DROP_OVERFLOW
        if forced:
            self.count = self.count_bytes = 0
            action = forced
        return action

    def adapt(self, avg, now):
        part = 0.4 * (self.max_th - self.min_th)
        if avg < self.min_th + part and self.max_p > min(0.01, 80000 / self.rate):
            self.max_p *= 0.9
        elif avg > self.max_th - part and self.max_p < 0.5:
            self.max_p += min(0.01, self.max_p / 4)
        else:
            return
        self.last_change = now
        self.changes.append(self.max_p)


class Mecn:
    def __init__(self, limit, min_th=5, mid_th=10, max_th=20, p1_max=0.1, p2_max=0.1, w_q=0.002, wait=True,
                 mean_pktsize=1000, profile="mecn-overlap"):  # fmt: skip
        self.__dict__.update(locals())
        self.average = Average(w_q, mean_pktsize)
        self.count = {INCIPIENT: 0, MODERATE: 0}
        self.inside = {INCIPIENT: False, MODERATE: False}

    def arrive(self, a, draw):
        avg = self.average.update(a, a["pkts"])
        guard = a["pkts"] > 1
        forced = None
        action = ACCEPT
        if guard and avg >= self.max_th:
            forced = DROP_ACTIVE
        else:
            may = {}
            for level, threshold in ((INCIPIENT, self.min_th), (MODERATE, self.mid_th)):
                applies = guard and avg >= threshold
                self.count[level] = 1 if applies and not self.inside[level] else self.count[level] + 1
                may[level] = applies and self.inside[level]
                self.inside[level] = applies
            p = {
                INCIPIENT: self.p1(avg) if may[INCIPIENT] else 0,
                MODERATE: self.p2_max * (avg - self.mid_th) / (self.max_th - self.mid_th) if may[MODERATE] else 0,
            }
            if a["ecn"] == NOT_CAPABLE:
                level = MODERATE if may[MODERATE] and p[MODERATE] >= p[INCIPIENT] else INCIPIENT
                if self.fires(level, p, draw):
                    action = DROP_ACTIVE
            elif self.fires(MODERATE, p, draw):
                action = MARK_MODERATE if a["ecn"] < MODERATE else ACCEPT
            elif self.fires(INCIPIENT, p, draw):
                action = MARK_INCIPIENT if a["ecn"] < INCIPIENT else ACCEPT
        if full(self.limit, a):
            forced = DROP_OVERFLOW
        if forced:
            self.count = {INCIPIENT: 0, MODERATE: 0}
            action = forced
        return action

    def p1(self, avg):
        if self.profile == "mecn-longramp":
            return self.p1_max * (avg - self.min_th) / (self.max_th - self.min_th)
        if avg < self.mid_th:
            return self.p1_max * (avg - self.min_th) / (self.mid_th - self.min_th)
        return 0 if self.profile == "mecn-literal" else self.p1_max

    def fires(self, level, p, draw):
        probability = f(p[level], self.count[level], self.wait)
        if probability > 0 and draw() < probability:
            self.count[level] = 0
            return True
        return False


def arrivals(n, source):
    """A queue that swells, drains and stands idle, as it would at an interface that takes no notice of verdicts."""
    trace, t, sizes, idle, busy = [], 0, [], 0, False
    departures = [0, 1, 2]
    for i in range(n):
        if i % 35 == 0:
            swelling, draining = [[0, 1, 1], [0, 1, 2]], [[0, 1, 2], [1, 1, 2], [0, 2, 3]]
            departures = source.choice(draining if len(sizes) > 12 else swelling)
        t += int(source.expovariate(1) * 5_000_000)
        # How many depart is all the same to the twin and to Rust, which see only the outcome.
        for _ in range(source.choice(departures)):
            if sizes:
                sizes.pop(0)
            elif busy:
                busy, idle = False, max(idle, t - source.randint(0, 30_000_000))
        size = source.choice([40, 1000, 1000, 1000, 1500])
        ecn = source.choices([NOT_CAPABLE, CAPABLE, INCIPIENT, MODERATE], [2, 8, 1, 1])[0]
        trace.append(dict(t=t, pkts=len(sizes), bytes=sum(sizes), busy=busy, idle=idle, size=size, ecn=ecn))
        if not busy:
            busy = True
        elif len(sizes) < 30:
            sizes.append(size)
    return trace


FAST = 0.05
SHORT = {"w_q": FAST, "adaptive": True, "interval": 5}  # time for many changes of max_p
CASES = [
    {"kind": "red", "limit": "25 packets", "w_q": FAST},
    {"kind": "red", "limit": "25 packets", "w_q": "auto", "wait": False, "max_p": 0.3, "min_th": 1, "max_th": 6},
    {"kind": "red", "limit": "30000 B", "w_q": FAST, "gentle": True, "ecn": True, "min_th": 3.5, "max_th": 9},
    {"kind": "red", "limit": "40 packets", "w_q": FAST, "bytes": True, "ecn": True, "mean_pktsize": 500, "max_p": 0.2},
    {"kind": "red", "limit": "40 packets", "w_q": FAST, "adaptive": True, "ecn": True, "max_th": 25, "max_p": 0.4},
    {"kind": "mecn", "limit": "25 packets", "w_q": FAST, "profile": "mecn-literal", "p1_max": 0.3, "p2_max": 0.4},
    {"kind": "mecn", "limit": "25 packets", "w_q": FAST, "profile": "mecn-overlap", "p1_max": 0.3, "p2_max": 0.2},
    {"kind": "mecn", "limit": "25000 B", "w_q": FAST, "profile": "mecn-longramp", "wait": False, "p2_max": 0.3},
    # Steps of a quarter and then of 0.01, the top, both floors, and there and back.
    {"kind": "red", "limit": "40 packets", "min_th": 1, "max_th": 6, "max_p": 0.0025, "gentle": True, **SHORT},
    {"kind": "red", "limit": "40 packets", "min_th": 4, "max_th": 60, "max_p": 0.03, **SHORT},
    {"kind": "red", "limit": "40 packets", "min_th": 4, "max_th": 60, "max_p": 0.03, "rate": 50_000_000, **SHORT},
    {"kind": "red", "limit": "40 packets", "min_th": 2, "max_th": 20, "max_p": 0.02, "ecn": True, **SHORT},
    # Arrivals that fill the limit to the byte.
    {"kind": "red", "limit": "15080 B"},
    {"kind": "mecn", "limit": "15080 B"},
]


def config(case):
    """The case as the simulator's configuration writes it."""
    units = {"min_th": "packets", "mid_th": "packets", "max_th": "packets", "mean_pktsize": "B"}
    table = {key: f"{value} {units[key]}" if key in units else value for key, value in case.items() if key != "rate"}
    if "interval" in table:
        table["adapt"] = {"interval": f"{table.pop('interval')} ms"}
    return table


def golden():
    source = random.Random(20240229)
    trace = arrivals(700, source)
    draws = [source.randrange(1 << 20) for _ in range(700)]
    cases = []
    for case in CASES:
        queue = {"red": Red, "mecn": Mecn}[case["kind"]](**{k: v for k, v in case.items() if k != "kind"})
        rest = iter(draws)
        verdicts = "".join(queue.arrive(arrival, lambda: next(rest) / (1 << 20)) for arrival in trace)
        left = sum(1 for _ in rest)
        row = {"config": config(case), "verdicts": verdicts, "average_pkts": queue.average.avg, "draws_left": left}
        if "rate" in case:
            row["rate_bps"] = case["rate"]
        if case.get("adaptive"):
            row["max_p"] = queue.changes
        cases.append(row)
    columns = {key: [int(arrival[key]) for arrival in trace] for key in trace[0]}
    return {"rate_bps": RATE, "delay_ms": 65, "arrivals": columns, "draws_per_2_20": draws, "cases": cases}


def text(table):
    """One line per column and case, so that a change can be read."""
    lines = [f'"rate_bps": {table["rate_bps"]}', f'"delay_ms": {table["delay_ms"]}']
    columns = ",\n".join(f'  "{key}": {json.dumps(v, separators=(",", ":"))}' for key, v in table["arrivals"].items())
    lines.append(f'"arrivals": {{\n{columns}\n}}')
    lines.append(f'"draws_per_2_20": {json.dumps(table["draws_per_2_20"], separators=(",", ":"))}')
    cases = ",\n".join(f"  {json.dumps(case)}" for case in table["cases"])
    lines.append(f'"cases": [\n{cases}\n]')
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    golden_file.write("red_trace.json", text(golden()))
