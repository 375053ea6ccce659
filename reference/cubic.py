"""The window of CUBIC in plain Python, written from RFC 9438 section 4 and independent of the Rust code.

`python3 reference/cubic.py` writes `tests/golden/cubic.json`: what happens to a sender, and its window after each.
`crates/proto/src/tcp/rule/golden_tests.rs` must reproduce it. `--check` only compares.

Where the RFC leaves something open this is what `docs/tcp.md` chooses: time in which the flow has less than half of its
window outstanding does not count (section 5.8), and what the look-ahead of section 4.2 has gained is not taken back in
the region in which Reno's window is larger.

Only the standard library is used. Windows are in segments, times in seconds.
"""

import math
import random

import golden_file

BETA = 0.7
C = 0.4
MOST = 1.5
USED = 0.5
LEAST = 2


class Cubic:
    def __init__(self, fast_convergence=True):
        self.fast_convergence = fast_convergence
        self.cwnd, self.ssthresh = 1000.0, math.inf
        self.w_max = self.cwnd_prior = self.epoch = None

    def ack(self, t, acked, rtt, outstanding):
        if self.cwnd < self.ssthresh:
            # RFC 5681; what is beyond the threshold counts as in Reno's congestion avoidance.
            self.epoch = None
            while acked and self.cwnd < self.ssthresh:
                self.cwnd, acked = self.cwnd + 1, acked - 1
            self.cwnd += acked / self.cwnd
            return
        if self.epoch is None:
            if self.w_max is None:  # section 4.10, and 4.8 after a time-out
                self.w_max = self.cwnd
                self.cwnd_prior = max(self.cwnd_prior or 0, self.cwnd)
            self.w_max = max(self.w_max, self.cwnd)
            self.epoch = self.last = t
            self.k = math.cbrt((self.w_max - self.cwnd) / C)
            self.w_est = self.cwnd
        if outstanding < USED * self.cwnd:
            self.epoch += t - self.last
            self.last = t
            return
        self.last = t
        # Section 4.3.
        alpha = 1 if self.w_est >= self.cwnd_prior else 3 * (1 - BETA) / (1 + BETA)
        self.w_est += alpha * acked / self.cwnd
        t -= self.epoch
        if self.w_cubic(t) < self.w_est:
            self.cwnd = max(self.cwnd, self.w_est)
        else:  # sections 4.2, 4.4 and 4.5
            target = min(max(self.w_cubic(t + rtt), self.cwnd), MOST * self.cwnd)
            self.cwnd += (target - self.cwnd) / self.cwnd

    def w_cubic(self, t):
        return C * (t - self.k) ** 3 + self.w_max

    def loss(self):
        """Sections 4.6 and 4.7."""
        lowered = self.fast_convergence and self.w_max is not None and self.cwnd < self.w_max
        self.w_max = self.cwnd * (1 + BETA) / 2 if lowered else self.cwnd
        self.cwnd_prior = self.cwnd
        self.ssthresh = max(self.cwnd * BETA, LEAST)
        self.cwnd = self.ssthresh
        self.epoch = None

    def timeout(self):
        """Section 4.8."""
        self.ssthresh = max(self.cwnd * BETA, LEAST)
        self.cwnd_prior, self.w_max, self.epoch = self.cwnd, None, None
        self.cwnd = 1.0


def script(source, cubic):
    """A path with a round-trip time of 40 to 200 ms; losses at windows that rise and fall, and time-outs."""
    t, rtt = 0.0, 0.1
    for epoch in range(24):
        if epoch:
            yield ["timeout"] if epoch in (7, 13) else ["loss"]
        rtt = source.choice([0.04, 0.1, 0.2])
        for step in range(source.choice([12, 25, 25, 60])):
            t = round(t + source.choice([0.2, 1, 1, 3]) * rtt, 6)
            idle = step in (5, 6, 7) and epoch % 4 == 3
            # A part of a window is as good as an ACK of so many segments.
            used = source.choice([0.498, 0.502]) if epoch < 8 else 0 if idle else 1
            yield ["ack", t, source.choice([1, 2, 2]), rtt, max(round(used * cubic.cwnd), 2)]
    for _ in range(8):  # down to the least threshold
        yield ["loss"]
    for _ in range(100):  # Reno's region, up to the window before the loss and beyond
        t = round(t + 0.003, 6)
        yield ["ack", t, 1, 0.01, max(round(cubic.cwnd), 2)]

    def ack(gap, rtt, acked=1):
        nonlocal t
        t = round(t + gap, 6)
        return ["ack", t, acked, rtt, max(round(cubic.cwnd), 2)]

    def grow_to(cwnd):
        while cubic.cwnd < cwnd:
            yield ack(0.5, 0.1)

    # Time-outs at windows below those of the losses before. Reno's growth changes at the window of the time-out, and
    # the cubic function starts on its plateau, at the threshold.
    for high, low, rtt, gap, n in ((30, 6, 0.01, 0.003, 60), (30, 12, 0.1, 0.1, 60), (12, 20, 0.01, 0.003, 120)):
        yield from grow_to(high)
        yield ["loss"]
        while cubic.cwnd > low:
            yield ["loss"]
        yield from grow_to(low)
        yield ["timeout"]
        for _ in range(n):
            yield ack(gap, rtt)
    yield from grow_to(30)  # a loss in the slow start after a time-out: W_max is its window, fast convergence or not
    yield ["timeout"]
    for _ in range(10):
        yield ack(0.01, 0.1)
    yield ["loss"]
    for _ in range(30):
        yield ack(0.1, 0.1)
    # The look-ahead of a long round-trip time, then that of a short one: a target below the window.
    yield from grow_to(30)
    yield ["loss"]
    for rtt, n in ((0.4, 80), (0.01, 10)):
        for _ in range(n):
            yield ack(0.005, rtt)
    # The same, and Reno's window comes to be above the cubic function while the look-ahead has gained more.
    yield from grow_to(30)
    yield ["loss"]
    for gap, acked, n in ((0.005, 1, 40), (0.0001, 2, 60)):
        for _ in range(n):
            yield ack(gap, 0.4, acked)


def run(fast_convergence):
    cubic, steps, windows = Cubic(fast_convergence), [], []
    for step in script(random.Random(9438), cubic):
        {"ack": cubic.ack, "loss": cubic.loss, "timeout": cubic.timeout}[step[0]](*step[1:])
        steps.append(step)
        windows.append([cubic.cwnd, None if cubic.ssthresh == math.inf else cubic.ssthresh])
    return steps, windows


def golden():
    names = ("steps", "cwnd and ssthresh")
    return [{"fast_convergence": fast, **dict(zip(names, run(fast)))} for fast in (True, False)]


def text(runs):
    """Both runs, each by its entries."""
    blocks = ("{" + ",\n".join(golden_file.entry(name, value) for name, value in run.items()) + "}" for run in runs)
    return "[" + ",\n".join(blocks) + "]\n"


if __name__ == "__main__":
    golden_file.write("cubic.json", text(golden()))
