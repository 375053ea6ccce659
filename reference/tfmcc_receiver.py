"""What a receiver of TFMCC measures, in plain Python, written from RFC 4654 sections 4 and 5 and independent of the
Rust code.

`python3 reference/tfmcc_receiver.py` writes `tests/golden/tfmcc_receiver.json`: packets, and what the receiver makes of
each; and delays of feedback timers. `crates/proto/src/tfmcc/golden_tests.rs` must reproduce it. `--check` only
compares.

Everything is computed anew from all packets at each arrival. Where the RFC leaves something open this is what
`docs/tfmcc.md` chooses: I_0 ends before the first packet whose fate is open; silence is counted in gaps between packets
as well; with fewer than eight intervals each sum has weights of its own; the window of the receive rate begins at an
arrival. The sign of section 4.3.3 is the other way round, as with the RFC's the clocks do not cancel out.

Only the standard library is used. Times are in microseconds of the receiver's clock; the sender's is 5 s ahead.
"""

import math
import random

import golden_file

SIZE = 1000  # bytes
CLOCKS = 5_000_000
HIGHER = 3
WEIGHTS = [1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2]
THRESHOLD = 0.5
Q, Q_CLR = 0.5, 0.9
K = 4
LEAST_RTT = 0.001
LONG_SILENCE, LONG_GAPS = 10, 5
X = 160_000  # what the sender says its rate is
LEAST_RATE = 8 * SIZE / 8
N = 10000


def equation(p, rtt):
    return 8 * SIZE / (rtt * (math.sqrt(2 * p / 3) + 12 * math.sqrt(3 * p / 8) * p * (1 + 32 * p**2)))


class Receiver:
    def __init__(self):
        self.came = {}  # time by number
        self.order = []  # times in the order of arrival
        self.losses = {}  # by number: nominal time, round-trip time then; of marked packets their arrival
        self.smoothed = self.adjusted = self.offset = None
        self.seed = self.seed_rtt = None
        self.have_loss = False

    def rtt(self):
        return self.adjusted or self.smoothed or self.r_max

    def packet(self, now, sent, number, r_max, marked, echo, stamp):
        self.r_max = r_max
        if self.order:
            # Section 4.3.1. What is missing was sent, and at a low rate there are gaps.
            silence = (now - self.order[-1]) / 1e6 / max(number - max(self.came), 1)
            if silence > max(LONG_SILENCE * self.rtt(), LONG_GAPS * 8 * SIZE / X):
                self.have_loss = False
        self.measure(now, sent, echo, stamp)
        self.record(now, number, marked)

    def measure(self, now, sent, echo, stamp):
        """Sections 4.3.2 and 4.3.3. `echo`: nothing, of its stamp, of its stamp as that of the CLR."""
        if not echo:
            if self.smoothed:
                self.adjusted = max((self.offset + now - sent) / 1e6, LEAST_RTT)
            return
        sample = max((now - stamp) / 1e6, LEAST_RTT)
        if self.smoothed is None:
            self.smoothed = sample
            # Section 5.6: R_max has stood for the round-trip time.
            if self.seed:
                self.seed = max(self.seed * (sample / self.seed_rtt) ** 2, 1)
            self.losses = {number: (at, sample) for number, (at, _) in self.losses.items()}
        else:
            q = Q_CLR if echo == 2 else Q
            self.smoothed = q * self.smoothed + (1 - q) * sample
        self.offset, self.adjusted = sent - stamp, None

    def record(self, now, number, marked):
        """Section 5.1."""
        if number in self.came:
            return
        if self.came and number > (before := max(self.came)):
            missing = number - before - 1
            since = self.came[before]
            for n in range(before + 1, number):  # section 5.2
                at = since + (now - since) * (n - before) / (missing + 1)
                self.losses[n] = at, self.rtt()
        self.losses.pop(number, None)
        if marked:
            self.losses[number] = now, self.rtt()
        self.came[number] = now
        starts = self.starts()
        if starts and not self.had:
            self.first_interval()
        if len(starts) > self.had:
            self.have_loss = True
        if not starts:
            self.have_loss = False
        self.had = len(starts)
        self.order.append(now)

    had = 0

    def is_lost(self, number):
        return number in self.came or sum(other > number for other in self.came) >= HIGHER

    def starts(self):
        """Numbers with which loss events begin (section 5.2)."""
        starts, start = [], None
        for number in sorted(self.losses):
            at, rtt = self.losses[number]
            if self.is_lost(number) and (start is None or at > start + rtt * 1e6):
                starts.append(number)
                start = at
        return starts

    def first_interval(self):
        """Section 5.6."""
        rate = self.received(self.rtt())
        self.seed = max((rate * self.rtt() / (math.sqrt(3 / 2) * 8 * SIZE)) ** 2, 1)
        self.seed_rtt = self.rtt()

    def received(self, window):
        """Section 4.3.4, as of the last packet."""
        last = self.order[-1]
        inside = [at for at in self.order if at >= last - window * 1e6]
        if len(inside) < 2:
            inside = self.order[-2:]
        return 8 * SIZE * (len(inside) - 1) / ((last - inside[0]) / 1e6)

    def p(self):
        """Sections 5.3 to 5.5."""
        starts = self.starts()
        if not starts:
            return 0
        closed, factors = [self.seed], [1]  # I_1 to I_n and DF_1 to DF_n
        for before, start in zip(starts, starts[1:]):
            interval = start - before
            discount = self.discount(interval, closed, factors)
            closed = [interval, *closed][:8]
            factors = [1, *(factor * discount for factor in factors)][:8]
        undecided = [n for n in self.losses if not self.is_lost(n)]
        last = min(undecided) - 1 if undecided else max(self.came)
        intervals = [last - starts[-1] + 1, *closed]
        discount = self.discount(intervals[0], closed, factors)
        weights = [w * f for w, f in zip(WEIGHTS, [1, *(factor * discount for factor in factors)])]
        with_open = sum(weights) / sum(w * i for w, i in zip(weights, intervals))
        weights = [w * f for w, f in zip(WEIGHTS, factors)]
        without = sum(weights) / sum(w * i for w, i in zip(weights, closed))
        return min(with_open, without, 1)

    def discount(self, interval, closed, factors):
        """DF: section 5.5."""
        weights = [w * f for w, f in zip(WEIGHTS, factors)]
        mean = sum(w * i for w, i in zip(weights, closed)) / sum(weights)
        return max(2 * mean / interval, THRESHOLD) if interval > 2 * mean else 1

    def desired(self):
        """X_r: section 4.4."""
        if self.have_loss:
            return max(equation(self.p(), self.rtt()), LEAST_RATE)
        if len(self.order) < 2:
            return LEAST_RATE
        return max(2 * self.received(K * self.rtt()), LEAST_RATE)


def delay(x):
    """From the beginning of a round to the report, in rounds: section 4.5."""
    return max(1 + math.log(x) / math.log(N), 0)


def script(source, receiver):
    """Packets: 20 in a second, which do not take long to come."""
    number, now, way = 100, 1_000_000, 40_000

    def packet(gap=50_000, marked=False, echo=0, rtt=0.1, skip=0, late=0):
        nonlocal number, now
        now += gap
        number += 1 + skip
        way_now = way if late or not receiver.smoothed else way + source.randint(-8000, 8000)
        stamp = now - round(rtt * 1e6) if echo else 0
        return [now, now - way_now + CLOCKS, number - late, 0.5, marked, echo, stamp]

    for gap in (
        300_000,
        260_000,
        *[250_000] * 7,
    ):  # the first but two came a little more than four R_max before the last
        yield packet(gap)
    for _ in range(60):
        yield packet()
    yield packet(marked=True)
    for _ in range(30):
        yield packet()
    yield packet(skip=1)
    for _ in range(4):
        yield packet()
    yield packet(echo=1, rtt=0.11)  # the first interval follows
    turn = 0
    for _ in range(420):
        turn += 1
        echo = {3: 1, 9: 2}.get(turn % 12, 0)
        skip = source.choice([1, 1, 2, 5]) if source.random() < 0.04 else 0
        yield packet(source.randint(48_500, 60_000), source.random() < 0.01, echo, source.uniform(0.09, 0.12), skip)
        if skip and source.random() < 0.4:  # one of them is late
            for _ in range(source.choice([0, 1, 2, 4])):
                yield packet(source.randint(48_500, 60_000))
            missing = sorted(n for n in receiver.losses if n not in receiver.came)
            if missing:
                number -= 1
                yield packet(10_000, late=number + 1 - missing[-1])
    for part in (0.995, 1.005):  # a loss a round-trip time after the last loss event, by its nominal time
        for _ in range(12):
            yield packet(echo=1)
        yield packet(marked=True, echo=1)
        yield packet(20_000, echo=1)
        yield packet(2 * (round(part * receiver.rtt() * 1e6) - 20_000), echo=1, skip=1)
        for _ in range(4):
            yield packet(echo=1)
    for clean in (150, 400):
        for _ in range(clean):  # none is lost
            yield packet(source.randint(48_500, 60_000))
        for _ in range(6):
            yield packet(50_000, skip=2)
            for _ in range(5):
                yield packet(50_000)
    for silence in (0.995, 1.005):  # ten round-trip times
        yield packet(echo=1, rtt=0.1)
        yield packet(round(silence * LONG_SILENCE * receiver.rtt() * 1e6))
        for _ in range(3):
            yield packet()
    yield packet(echo=1, rtt=0.0005)  # shorter than the least
    for _ in range(3):
        yield packet(echo=1, rtt=0.0005)
    yield packet(skip=1)
    for _ in range(5):
        yield packet(echo=1, rtt=0.0005)
    for silence in (0.995, 1.005):  # five gaps
        yield packet(round(silence * LONG_GAPS * 8e6 * SIZE / X))
        for _ in range(3):
            yield packet()


def first_loss(gap, rtt, marked):
    """A receiver that gets a packet per `gap`, has its first loss before it knows its round-trip time, and a second."""
    number, now = 100, 1_000_000

    def packet(marked=False, echo=0, skip=0):
        nonlocal number, now
        number += 1 + skip
        now += gap
        return [now, now - 40_000 + CLOCKS, number, 0.5, marked, echo, now - round(rtt * 1e6) if echo else 0]

    for _ in range(6):
        yield packet()
    for echo in (1, 0):
        yield packet(marked=marked, skip=0 if marked else 1)
        for _ in range(4):
            yield packet()
        for _ in range(8):
            yield packet(echo=echo)


def measured(script, receiver):
    """The packets of a script, and what the receiver makes of each."""
    packets, states = [], []
    for packet in script:
        receiver.packet(*packet)
        packets.append(packet)
        states.append([receiver.rtt() if receiver.smoothed else None, receiver.p(), receiver.desired()])
    return packets, states


def golden():
    receiver = Receiver()
    packets, states = measured(script(random.Random(4654), receiver), receiver)
    firsts = []
    for gap, rtt in ((600_000, 0.1), (390_000, 0.6), (100_000, 0.05), (100_000, 0.13)):  # about a packet as I_1
        for marked in (True, False):
            firsts.append(dict(zip(("packets", "states"), measured(first_loss(gap, rtt, marked), Receiver()))))
    timers = [[x, delay(x)] for x in (1, 0.9, 0.5, 0.1, 0.01, 0.001, 1.02e-4, 0.98e-4, 1e-6)]
    return {
        "config": {"profile": "rfc4654", "packet_size": f"{SIZE} B"},
        "x": X,
        "packets are": "t sent number r_max marked echo stamp",
        "packets": packets,
        "states are": "rtt p x_r",
        "states": states,
        "timers are": "x delay",
        "timers": timers,
        "first losses": firsts,
    }


if __name__ == "__main__":
    golden_file.write("tfmcc_receiver.json", golden_file.text(golden()))
