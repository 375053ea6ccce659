"""The scheme of this crate once more, as a Python class: slow, but there is nothing to build.

    python in_python.py

runs the scenario `beside-tcp.toml` with it; where the crate's own scheme is installed as well, with both, and says
whether they give the same rates.
"""

from __future__ import annotations

import dataclasses
import struct
import sys
from pathlib import Path

import faircast
from faircast._native import Outbox, Packet, Seat
from faircast.guests import SECOND, Bytes, Endpoint, EventKind, Gauge, Input, Rate, Scheme, nanoseconds

PERIOD = SECOND
"""From report to report, and from change to change of the rate."""
REPORT_BYTES = 54
"""Headers of IP and UDP, what all headers begin with, the owner, and the fields of `LOSS`."""
DATA = struct.Struct("<Qf")
"""A data packet: its number, and the source's rate in bit/s."""
LOSS = struct.Struct("<If")
"""A report: its number among the member's, and the part of the packets that was missed."""


@dataclasses.dataclass
class WorstLoss(Scheme):
    """The rate follows the member that loses most."""

    source_gauges = (Gauge("cuts", "1", "count", "Cuts of the rate."),)
    member_gauges = (
        Gauge("missed", "1", "level", "Part of the packets missed, by the last report."),
        Gauge("announced", "bit/s", "level", "The source's rate, by the last packet."),
    )
    events = (EventKind("rate", "bit/s", "The source has another rate."),)

    least: Rate = Rate(50_000)
    step: Rate = Rate(50_000)
    tolerance: float = 0.02
    packet_size: Bytes = Bytes(1000)

    def check(self) -> list[tuple[str, str]]:
        """What is illegal."""
        if 0 <= self.tolerance < 1:
            return []
        return [("tolerance", f"{self.tolerance} given; legal is from 0 up to, not including, 1")]

    def packet_bytes(self) -> int:
        """Size of a data packet on the wire."""
        return self.packet_size

    def source(self, seat: Seat) -> Endpoint:
        """The endpoint that sends."""
        return Source(self, seat)

    def member(self, seat: Seat) -> Endpoint:
        """The endpoint that receives."""
        return Member(seat)


class Source(Endpoint):
    """The endpoint that sends."""

    def __init__(self, config: WorstLoss, seat: Seat) -> None:
        self.config = config
        self.group = seat.group
        self.rate_bps: float = float(config.least)
        self.worst: tuple[float, tuple[int, int]] | None = None
        self.cuts = 0
        self.next: int | None = None
        self.change_at = 0
        self.sent = 0

    def handle(self, now: int, given: Input, out: Outbox) -> None:
        """Take one input."""
        match given:
            case "start":
                self.change_at = now + PERIOD
                self.send(now, now, out)
            case "stop":
                self.next = None
            case "timeout":
                due = self.next
                if due is None:
                    return
                if self.change_at <= now:
                    self.change_rate(now, out)
                if due <= now:
                    self.send(now, due, out)
            case Packet(fields=bytes(fields), source=receiver):
                number, missed = LOSS.unpack(fields)
                if self.worst is None or missed > self.worst[0]:
                    self.worst = missed, (receiver, number)

    def deadline(self) -> int | None:
        """When the next packet goes, or the rate changes."""
        return None if self.next is None else min(self.next, self.change_at)

    def measure(self) -> list[float]:
        """What it shows."""
        return [self.cuts]

    def change_rate(self, now: int, out: Outbox) -> None:
        """Cut the rate if anyone missed too much, else add a step."""
        before = self.rate_bps
        cause = self.worst[1] if self.worst is not None and self.worst[0] > self.config.tolerance else None
        self.worst = None
        if cause is None:
            self.rate_bps = before + self.config.step
        else:
            self.rate_bps = max(0.7 * before, float(self.config.least))
            self.cuts += 1
        self.change_at = now + PERIOD
        out.event("rate", before, self.rate_bps, report=cause)

    def send(self, now: int, due: int, out: Outbox) -> None:
        """Send the next packet."""
        size = self.config.packet_size
        out.send(self.group, size, DATA.pack(self.sent, self.rate_bps))
        self.sent += 1
        self.next = max(due + nanoseconds(8.0 * size / self.rate_bps), now)


class Member(Endpoint):
    """The endpoint that receives."""

    def __init__(self, seat: Seat) -> None:
        self.group = seat.group
        self.sender: int | None = None
        self.first: int | None = None
        self.expected = 0
        self.got = 0
        self.report_at: int | None = None
        self.reports = 0
        self.missed: float | None = None
        self.announced: float | None = None

    def handle(self, now: int, given: Input, out: Outbox) -> None:
        """Take one input."""
        match given:
            case "start":
                out.join(self.group)
            case "stop":
                self.report_at = None
                out.leave(self.group)
            case "timeout":
                if self.report_at is not None and self.report_at <= now:
                    self.report(now, out)
            case Packet(fields=bytes(fields), source=sender):
                number, self.announced = DATA.unpack(fields)
                self.sender = sender
                self.report_at = self.report_at or now + PERIOD
                if number >= self.expected:
                    # Who joins late has missed nothing before its first packet.
                    self.first = number if self.first is None else self.first
                    self.expected = number + 1
                    self.got += 1

    def deadline(self) -> int | None:
        """When the next report goes."""
        return self.report_at

    def measure(self) -> list[float | None]:
        """What it shows."""
        return [self.missed, self.announced]

    def report(self, now: int, out: Outbox) -> None:
        """Say what was missed since the last report."""
        sent = 0 if self.first is None else self.expected - self.first
        self.missed = (sent - self.got) / sent if sent else 0.0
        assert self.sender is not None
        out.send(self.sender, REPORT_BYTES, LOSS.pack(self.reports, self.missed), is_data=False)
        self.first, self.got = self.expected, 0
        self.report_at = now + PERIOD
        self.reports += 1


def main() -> None:
    """Run the scenario, and compare."""
    faircast.register_scheme("worst-loss-in-python", WorstLoss)
    scenario = Path(__file__).with_name("beside-tcp.toml").read_text(encoding="utf-8")
    here = faircast.run(scenario.replace('"worst-loss"', '"worst-loss-in-python"'))
    if faircast.problems(scenario):
        print("the crate's own worst-loss is not installed: nothing to compare with")
        return
    there = faircast.run(scenario)
    tables = ("flows", "receivers", "events", "links")
    different = [name for name in tables if not same(here.table(name), there.table(name))]
    if different:
        sys.exit(f"the schemes in Python and in Rust differ in {', '.join(different)}")
    rows = there.table("flows").num_rows
    print(f"the schemes in Python and in Rust give the same {', '.join(tables)}, {rows} rows of rates among them")


def same(one: object, other: object) -> bool:
    """Whether two tables have the same columns and values; NaN equals itself."""
    return repr(one.to_pydict()) == repr(other.to_pydict())  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
