"""The sender of TFMCC in plain Python, written from RFC 4654 section 3 and independent of the Rust code.

`python3 reference/tfmcc_sender.py` writes `tests/golden/tfmcc_sender.json`: reports, and what the sender makes of each.
`crates/proto/src/tfmcc/golden_tests.rs` must reproduce it. `--check` only compares.

Where the RFC leaves something open this is what `docs/tfmcc.md` chooses: the increase of section 3.3 is a packet per
R_max each R_max, however many reports there are; silence is counted in gaps between packets as well, 2 and 5 of them,
as at a low rate a receiver has nothing to report on.

Only the standard library is used. Times are in seconds, rates in bit/s.
"""

import math
import random

import golden_file

BITS = 8 * 1000  # a packet
INITIAL_R_MAX = 0.5
LEAST_RTT = 0.001
LEAST_RATE = BITS / 8  # a packet in 8 s
G = 0.1
ROUND = 6  # T in R_max, for feedback that is sent to the sender alone
UNANSWERED = 2
DECAY = 0.9
HALVE_RTTS, HALVE_GAPS = 4, 2
GRACE_RTTS = 10
SILENT_RTTS, SILENT_GAPS = 10, 5
HALF = 0.5


class Clr:
    def __init__(self, now, who, rate, rtt):
        self.who, self.rate, self.rtt = who, rate, rtt
        self.selected = self.reported = self.halved = now
        self.leaving, self.gap = False, None


class Sender:
    def __init__(self):
        self.r_max, self.r_peak = INITIAL_R_MAX, 0.0
        self.x = BITS / self.r_max
        self.round, self.round_start, self.x_supp, self.answered = 0, 0.0, math.inf, False
        self.clr, self.left = None, False  # left: there was one, and it is gone
        self.heard = 0.0
        self.slow_start, self.ramp = True, None
        self.grown = self.hold_until = 0.0

    # ---- time

    def gap(self):
        return BITS / self.x

    def round_end(self):
        return self.round_start + ROUND * self.r_max * (1 if self.answered else UNANSWERED)

    def silence_at(self):
        if self.clr is None:
            return self.heard + max(SILENT_RTTS * self.r_max, SILENT_GAPS * self.gap())
        return min(self.halve_at(), self.give_up_at())

    def halve_at(self):
        c = self.clr
        return max(c.halved + max(HALVE_RTTS * c.rtt, HALVE_GAPS * self.gap()), c.selected + GRACE_RTTS * c.rtt)

    def give_up_at(self):
        c = self.clr
        gap = self.gap() if c.gap is None else c.gap  # the gap with which it fell silent
        return c.reported + max(SILENT_RTTS * c.rtt, SILENT_GAPS * gap)

    def run_to(self, t):
        """What is due up to and including t."""
        while (due := min(self.round_end(), self.silence_at())) <= t:
            self.advance(due)
            self.due(due)
        self.advance(t)

    def due(self, now):
        if self.silence_at() <= now:
            self.silence(now)
        if self.round_end() <= now:
            # Section 3.4; section 3.2 for R_max.
            self.r_max = max(DECAY * self.r_max, self.r_peak, self.gap())
            self.r_peak = 0.0
            self.round, self.round_start, self.x_supp, self.answered = self.round + 1, now, math.inf, False

    def silence(self, now):
        """Section 3.3, the end of it."""
        c = self.clr
        if c and self.give_up_at() <= now:
            self.clr, self.left, self.heard = None, True, now
            return
        if c:
            c.halved = now
            c.gap = self.gap() if c.gap is None else c.gap
        else:
            self.heard = now
        self.ramp = None
        self.x = max(HALF * self.x, LEAST_RATE)

    def advance(self, now):
        if self.ramp:
            start, length, low, high = self.ramp
            part = min((now - start) / length, 1)
            self.x = max(low + (high - low) * part, LEAST_RATE)
            if part == 1:
                self.ramp = None

    # ---- reports

    def report(self, now, r):
        self.run_to(now)
        rtt = max(r["rtt"], LEAST_RTT)
        x_r = r["rate"]
        adjusted = x_r
        if r["have_loss"] and not r["have_rtt"]:
            adjusted = x_r * self.r_max / rtt
        self.heard = now
        # Section 3.2.
        self.r_peak = max(self.r_peak, rtt)
        self.r_max = max(self.r_max, rtt)
        # Section 3.4.
        if not (self.clr and self.clr.who == r["who"]) and r["round"] == self.round:
            self.answered = True
            if self.x_supp > x_r:
                self.x_supp = (1 - G) * x_r
        if self.slow_start and r["have_loss"]:
            self.slow_start, self.ramp, self.grown = False, None, now
        if self.slow_start:
            self.slow(now, r["who"], x_r, rtt, r["leave"])
        else:
            self.steady(now, r["who"], x_r, adjusted, rtt, r["leave"])
        self.due(now)

    def slow(self, now, who, x_r, rtt, leave):
        """Section 3.6."""
        c = self.clr
        if c and c.who == who:
            self.follows(now, x_r, rtt, leave)
        elif leave or (c and not c.leaving and x_r >= c.rate):
            return
        else:
            self.clr = Clr(now, who, x_r, rtt)
        target, length = max(min(x_r, 2 * self.x), LEAST_RATE), rtt
        step = BITS / self.r_max
        if 0 <= target - self.x < step:
            target, length = self.x + step, self.r_max
        self.ramp = (now, length, self.x, target)

    def steady(self, now, who, x_r, adjusted, rtt, leave):
        """The four cases of section 3.3."""
        c = self.clr
        if c and c.who == who:  # case 4
            self.follows(now, x_r, rtt, leave)
        elif leave:
            return
        else:
            if c is None:  # case 1
                hold = self.left
            elif adjusted < self.x:  # case 2
                hold = False
            elif c.leaving:  # case 3
                hold = True
            else:
                return
            self.clr = Clr(now, who, x_r, rtt)
            if hold and adjusted > self.x:
                self.hold_until = now + ROUND * self.r_max
        increase = BITS / self.r_max * min((now - self.grown) / self.r_max, 1)
        self.grown = now
        if now < self.hold_until:
            increase = 0
        self.x = max(min(adjusted, self.x + increase), LEAST_RATE)

    def follows(self, now, x_r, rtt, leave):
        c = self.clr
        c.rate, c.rtt, c.leaving, c.gap = x_r, rtt, leave, None
        c.reported = c.halved = now


def said(who, rate, rtt, have_rtt=True, have_loss=True, leave=False, late=0):
    return dict(
        who=who,
        rate=round(rate, 1),
        rtt=round(rtt, 6),
        have_rtt=have_rtt,
        have_loss=have_loss,
        leave=leave,
        late=late,
    )


def script(source, sender):
    """Times and reports, without the round, which is the sender's."""
    t = 0.0

    def wait(low, high):
        nonlocal t
        t = round(t + source.uniform(low, high), 6)
        return t

    def near(part, until):
        """A time shortly before or after something is due that long after the last report."""
        nonlocal t
        t = round(t + part * (until() - t), 6)
        return t

    for _ in range(40):  # slow start: the lowest of three
        who = source.choice([1, 1, 1, 2, 3])
        yield wait(0.02, 0.2), said(who, 16000 * 1.3 ** (t / 0.5) * source.uniform(0.9, 1.1) + 4000 * who,
                                    source.uniform(0.05, 0.3), have_loss=False)  # fmt: skip
    yield wait(0.1, 0.2), said(1, 1e9, 0.1, have_loss=False)  # more than can have been received
    yield wait(0.02, 0.03), said(1, 1e9, 0.1, have_loss=False)
    yield wait(3, 4), said(2, 90000, 0.2, have_loss=False)  # a silence in slow start
    yield wait(0.1, 0.2), said(2, 60000, 0.2)  # the first loss
    for _ in range(250):  # one limits, others ask for more or, at times, less
        who = source.choice([2, 2, 2, 3, 4, 5])
        low = source.random() < 0.06
        rate = source.uniform(20000, 60000) if low else source.uniform(150000, 900000)
        yield wait(0.02, 0.25), said(who, rate, source.lognormvariate(-2, 0.4), have_rtt=source.random() < 0.9,
                                     late=source.choice([0, 0, 0, 1]))  # fmt: skip
    for who in (4, 5, 3):  # the one that limits leaves, another takes its place and is held for a round
        yield wait(0.1, 0.2), said(who, 30000, 0.15)
        yield wait(0.1, 0.2), said(who, 30000, 0.15, leave=True)
        for _ in range(20):
            yield wait(0.1, 0.4), said(who + 10, 400000, source.uniform(0.1, 0.2))
    for rate, rtt in ((500000, 0.12), (12000, 0.12)):
        for until in (sender.halve_at, sender.give_up_at):  # the moments at which silence has lasted too long
            for part in (0.995, 1.005):
                yield wait(0.01, 0.02), said(7, rate, rtt)
                for _ in range(20):
                    yield wait(0.1, 0.15), said(7, rate, rtt)
                yield near(part, until), said(7, rate, rtt)
    for part in (0.995, 1.005):  # silence soon after it was selected, and of all
        while sender.x < 60000:
            yield wait(0.1, 0.15), said(7, 500000, 0.12)
        yield wait(0.1, 0.15), said(9, sender.x / 2, 0.12)
        yield near(part, lambda: sender.clr.selected + GRACE_RTTS * sender.clr.rtt), said(9, 400000, 0.12)
        yield wait(30, 40), said(9, 400000, 0.12)
        yield wait(0.1, 0.15), said(9, 400000, 0.12)
    for silence in (0.5, 1.2, 1.7, 2.3, 4, 7, 20, 60, 100):  # silence, down to a packet in 8 s
        yield wait(silence, 1.02 * silence), said(7, 500000, 0.12)
        for _ in range(4):
            yield wait(0.1, 0.15), said(7, 500000, 0.12)
    yield wait(5, 6), said(8, 100, 0.4, have_rtt=False)  # less than the least rate
    for _ in range(20):
        yield wait(4, 9), said(8, 10000, 0.3)
    yield wait(0.1, 0.15), said(6, 0.2, 0.0005, have_rtt=False)  # a round trip shorter than the least


def leaving(source, sender):
    """Another session: reports of receivers that leave, in slow start and after it."""
    t = 0.0

    def says(who, rate, leave=False, have_loss=True, after=(0.1, 0.2)):
        nonlocal t
        t = round(t + source.uniform(*after), 6)
        return t, said(who, rate * sender.x, 0.1, have_loss=have_loss, leave=leave)  # the rate as a part of X

    for slow in (True, False):
        if slow:
            yield says(1, 2, have_loss=False, leave=True)  # nobody limits, nor does this one
        else:
            yield says(99, 0.5, leave=True)  # the first loss, of one that leaves
            yield says(33, 1.5, have_loss=False)
        for who in (10, 20, 30):
            yield says(who, 0.8, have_loss=not slow)
            for _ in range(5):
                yield says(who, 1.5, have_loss=not slow)
            for part in (0.5, 1.5):  # another one leaves, and asks for less or more
                yield says(99, part, leave=True, have_loss=not slow)
            yield says(who, 1.3, leave=True, have_loss=not slow)
            yield says(99, 0.5, leave=True, have_loss=not slow)
            if who == 10:  # it stays after all: who asks for more does not take its place
                yield says(who, 1.3, have_loss=not slow)
                yield says(who + 1, 3, have_loss=not slow)
                yield says(who, 1.3, leave=True, have_loss=not slow)
            if who == 30:  # it leaves and falls silent: nobody limits, and nobody who leaves
                for part, after in ((0.5, (1.5, 1.6)), (0.5, (0.1, 0.2)), (1.5, (0.1, 0.2))):
                    yield says(99, part, leave=True, have_loss=not slow, after=after)
            for part in (2, *[1.5] * (3 if slow else 12)):  # another one, after a round if it asks for more
                yield says(who + 2, part, have_loss=not slow, after=(0.2, 0.3))
            yield says(who + 2, 1.3, leave=True, have_loss=not slow)
            yield says(who + 3, 0.6, have_loss=not slow)  # at once if it asks for less
            for _ in range(3):
                yield says(who + 3, 1.5, have_loss=not slow)


def session(script, seed):
    """Reports, and the states of a sender that gets them."""
    sender, reports, states = Sender(), [], []
    for t, report in script(random.Random(seed), sender):
        sender.run_to(t)
        before = sender.x
        report["round"] = max(sender.round - report.pop("late"), 0)
        sender.report(t, report)
        clr = sender.clr.who if sender.clr else 0
        reports.append([t, *report.values()])
        supp = None if sender.x_supp == math.inf else sender.x_supp
        states.append([before, sender.x, sender.r_max, supp, clr, sender.round])
    return reports, states


def golden():
    reports, states = session(script, 4654)
    reports_of_leaving, states_of_leaving = session(leaving, 33)
    return {
        "config": {"profile": "rfc4654"},
        "reports are": "t who rate rtt have_rtt have_loss leave round",
        "reports": reports,
        "states are": "x_before x r_max x_supp clr round",
        "states": states,
        "reports of leaving": reports_of_leaving,
        "states of leaving": states_of_leaving,
    }


if __name__ == "__main__":
    golden_file.write("tfmcc_sender.json", golden_file.text(golden()))
