"""The window of pgmcc, its receivers' loss rate and the choice of the acker in plain Python, written from
draft-ietf-rmt-bb-pgmcc-03 and independent of the Rust code.

`python3 reference/pgmcc_window.py` writes `tests/golden/pgmcc_window.json`: what happens to a source, and its window
and tokens after each; loss rates; and which of two receivers is slower. `crates/proto/src/pgmcc/golden_tests.rs` must
reproduce it. `--check` only compares.

Where the draft leaves something open this is what `docs/pgmcc.md` chooses: every packet that is closed, acknowledged or
declared lost, gives its token back once; a loss halves the window only if its packet named the sender of the ACK, and
no loss of a packet that was sent before the last halving does; a window that was not used does not grow. The filter of
section 2.6 weighs the newest packet with c, as the formula there cannot be meant as it is printed.

Only the standard library is used.
"""

import math
import random

import golden_file

SSTHRESH = 4
HIGHER = 3
HALF = 0.5
LEAST = 1
C = 500 / 65536
BIAS = 0.75


class Source:
    """Section 2.2."""

    def __init__(self):
        self.w = self.t = 1.0
        self.next = 0
        self.open = {}  # the acker that each outstanding packet names
        self.acked = []  # numbers, rising
        self.ignore_until = 0

    def send(self, acker):
        assert self.t >= 1
        self.t -= 1
        self.open[self.next] = acker
        self.next += 1

    def ack(self, who, highest, bitmap):
        in_use = self.t < 1
        new = [n for n in range(highest - 31, highest + 1) if n in self.open and bitmap >> (highest - n) & 1]
        for n in new:
            del self.open[n]
        self.acked = sorted([*self.acked, *new])[-HIGHER:]
        lost = [n for n in self.open if sum(other > n for other in self.acked) >= HIGHER]
        of_acker = [n for n in lost if self.open.pop(n) == who]
        self.t += len(new) + len(lost)
        if any(n >= self.ignore_until for n in of_acker):
            d = self.w - max(self.w * HALF, LEAST)
            self.w -= d
            self.t -= d
            self.ignore_until = self.next
        elif not lost and highest >= self.ignore_until and in_use:
            n = len(new)
            if self.w < SSTHRESH:
                d = min(n, SSTHRESH - self.w)
                n, self.t, self.w = n - d, self.t + d, self.w + d
            self.t, self.w = self.t + n / self.w, self.w + n / self.w

    def restart(self):
        """A time-out."""
        self.w = self.t = 1.0
        self.open = {}
        self.ignore_until = self.next

    def elected(self):
        nameless = [n for n, acker in self.open.items() if acker == 0]
        for n in nameless:
            del self.open[n]
        self.t += len(nameless)


def loss_rates(fates):
    """p after each packet, in the order of numbers: section 2.6."""
    p = 0.0
    for lost in fates:
        p = (1 - C) * p + C * lost
        yield p


def slowness(rtt, p):
    """Proportional to 1/T: section 2.3."""
    return rtt * math.sqrt(p) * (1 + 9 * p * (1 + 32 * p * p))


def replaces(rtt, p, acker_rtt, acker_p):
    """Section 2.4: the throughput is below C times that of the acker."""
    return slowness(rtt, p) > slowness(acker_rtt, acker_p) / BIAS


def script(source, sender):
    """A path of a round trip, and receivers 1 and 2 behind it."""
    acker, got, flying = 0, {1: set(), 2: set()}, []
    for step in range(600):
        if step in (200, 420):
            acker = 3 - acker
        if step in (300, 500, 501):  # a time-out, the second of which elects
            yield ["restart"]
            flying, acker = [], 0 if step == 501 else acker
        while sender.t >= 1 and source.random() < (0.5 if 340 < step < 360 else 0.95):
            flying.append((sender.next, acker))
            yield ["send", acker]
        if not flying:  # stalled: a time-out
            yield ["restart"]
            continue
        number, named = flying.pop(source.choice([0, 0, 0, 0, min(1, len(flying) - 1)]))
        for who in got:
            if source.random() >= (0.35 if step % 250 < 60 else 0.02):
                got[who].add(number)
        if named == 0:  # the first NAK
            acker = acker or 1
            yield ["elected"]
        elif number in got[named] and source.random() < 0.95:
            highest = max(got[named])
            yield ["ack", named, highest, sum(1 << b for b in range(32) if highest - b in got[named])]
    yield ["restart"]
    for window in (1, 2, *range(4, 22)):  # an ACK for each, the last of which speaks of a loss
        for _ in range(window):
            yield ["send", 1]
        yield ["ack", 1, sender.next - 1, (1 << window) - 1 - (1 << 18 if window == 21 else 0)]
    for between in (30, 31):  # the last bit, and one beyond: the packets between ask for an acker, one at a time
        yield ["restart"]
        yield ["send", 1]
        yield ["ack", 1, sender.next - 1, 1]
        yield ["send", 1]
        for _ in range(between):
            yield ["send", 0]
            yield ["elected"]
        yield ["send", 1]
        yield ["ack", 1, sender.next - 1, 1 | 1 << 31]
    # A time-out, late ACKs of what was sent before it, and a loss at a small window.
    while sender.t >= 1:
        yield ["send", 1]
    yield ["restart"]
    yield ["ack", 1, sender.next - 1, 0b11]
    yield ["send", 1]
    yield ["ack", 1, sender.next - 2, 0b111]
    yield ["ack", 1, sender.next - 1, 0b1]
    yield ["send", 1]
    for got in (0b1, 0b11, 0b111):
        yield ["send", 1]
        yield ["ack", 1, sender.next - 1, got]
    while sender.t >= 1:
        yield ["send", 1]
    yield ["ack", 1, sender.next - 1, 0b1]


def golden():
    sender, steps, states = Source(), [], []
    for step in script(random.Random(2004), sender):
        getattr(sender, step[0])(*step[1:])
        steps.append(step)
        states.append([sender.w, sender.t, len(sender.open)])
    source = random.Random(3208)
    fates = [int(source.random() < 0.05) for _ in range(300)]
    pairs = []
    for bias in (0.995, 1.005):  # about the bias, and a pair without losses
        for acker_rtt, acker_p in ((0.1, 0.01), (0.6, 0.2), (0.05, 1.0)):
            pairs.append([acker_rtt * bias / 0.75, acker_p, acker_rtt, acker_p])
    pairs += [[0.3, 0.0, 0.1, 0.0], [0.3, 0.0, 0.1, 0.1], [0.1, 0.001, 0.2, 0.0]]
    return {
        "steps": steps,
        "states": states,
        "fates": [fates],
        "loss rates": list(loss_rates(fates)),
        "pairs": [[*pair, slowness(*pair[:2]), replaces(*pair)] for pair in pairs],
    }


if __name__ == "__main__":
    golden_file.write("pgmcc_window.json", golden_file.text(golden()))
