"""What the ends of a TCP connection do about multilevel marks, in plain Python, written from [Durresi] sections IV and
V and Tables II and III, and independent of the Rust code. The router's part is in `red.py`.

`python3 reference/mecn_tcp.py` writes `tests/golden/mecn_tcp.json`: what a receiver gets and echoes, and what a sender
hears and makes of its window. `crates/proto/src/tcp/golden_tests.rs` must reproduce it. `--check` only compares.

Where the paper leaves something open this is what `docs/mecn.md` chooses: the threshold follows the window after a
mark; a higher level, or a loss, in a window of data that was reduced already brings the reduction to that of the higher
one.

Only the standard library is used. Windows are in segments.
"""

import random

import golden_file

NONE, CAPABLE, INCIPIENT, MODERATE = range(4)
ALPHA = {INCIPIENT: 0.2, MODERATE: 0.4, "loss": 0.5}
LEAST_CWND, LEAST_SSTHRESH = 1, 2


class Receiver:
    """Section V: what was marked first is echoed until the sender has reduced its window."""

    def __init__(self):
        self.echo = self.pending = NONE

    def segment(self, level, cwr):
        if cwr:
            self.echo, self.pending = self.pending, NONE
        if level >= INCIPIENT and self.echo == NONE:
            self.echo = level
        elif level >= INCIPIENT and level > self.echo:
            self.pending = max(self.pending, level)
        return self.echo


class Sender:
    """Table III."""

    def __init__(self):
        self.cwnd, self.ssthresh = 100.0, 1e9
        self.reduced_to = 1.0  # in the present window of data

    def hears(self, what, new_window):
        """An echo or a loss, the first in a window of data or a further one."""
        before = 1.0 if new_window else self.reduced_to
        after = min(before, 1 - ALPHA[what])
        self.reduced_to = after
        if after < before:
            scaled = self.cwnd * after / before
            self.cwnd, self.ssthresh = max(scaled, LEAST_CWND), max(scaled, LEAST_SSTHRESH)

    def grows(self, segments):
        self.cwnd += segments


def golden():
    source = random.Random(2001)
    receiver, sender = Receiver(), Sender()
    segments, steps = [], []
    for _ in range(300):
        level, cwr = source.choice([CAPABLE, CAPABLE, INCIPIENT, MODERATE]), source.random() < 0.3
        segments.append([level, cwr, receiver.segment(level, cwr)])
    for _ in range(60):
        if sender.cwnd < 3 and source.random() < 0.4:
            sender.grows(40)
            steps.append(["grow", 40, sender.cwnd, sender.ssthresh])
        for n, what in enumerate(source.choice([[2], [3], [2, 3], [2, 3, "loss"], [2, "loss"], [3, 2], [3, "loss"]])):
            sender.hears(what, n == 0)
            name = "first" if n == 0 else "loss" if what == "loss" else "further"
            steps.append([name, 0 if what == "loss" else what, sender.cwnd, sender.ssthresh])
    return {"segments": segments, "steps": steps}


if __name__ == "__main__":
    golden_file.write("mecn_tcp.json", golden_file.text(golden()))
