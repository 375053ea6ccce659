"""The idea of this crate as a Python class, of the parts that TFMCC is made of: slow, but there is nothing to build.

    python in_python.py

runs the scenario `one-slow.toml` with nobody passed over, and with one receiver of ten. So does, as the scenario says,

    faircast --guest tfmcc-percentile=in_python:Percentile run one-slow.toml

Reports go by plain timers: this is TFMCC without its finer rules.
"""

from __future__ import annotations

import dataclasses
import math
import struct
from pathlib import Path

import faircast
from faircast._native import Outbox, Packet, Seat
from faircast.guest_parts import LossHistory, Pacer, RateControl, ReceiveRate, Rtt, stamp_us, throughput_bps
from faircast.guests import Bytes, Endpoint, EventKind, Gauge, Input, Scheme, nanoseconds

REPORT_BYTES = 60
"""Headers of IP and UDP, what all headers begin with, the owner, and the fields of `REPORT`."""
NOBODY = 0xFFFF_FFFF
DATA = struct.Struct("<IBffIIII")
"""Number, feedback round, X_supp in bit/s, R_max in s, own stamp, whom it echoes, with what stamp, and who limits."""
REPORT = struct.Struct("<BfIIf?")
"""The round, the wanted rate in bit/s, the source's stamp and the own one, R_max if it stood for R, and losses seen."""
PACKET_BYTES = 73, 65_535
"""The least and the most that `RateControl` takes."""
MOST_RECEIVERS = 10_000
ROUND_RTTS = 6
"""RFC 4654, sections 4.5 and 3.4."""


@dataclasses.dataclass
class Percentile(Scheme):
    """TFMCC that passes over so many of a hundred receivers, the slowest."""

    source_gauges = (Gauge("passed_over", "1", "count", "Reports of receivers that were passed over."),)
    member_gauges = (Gauge("wanted", "bit/s", "level", "What it would report now."),)
    events = (EventKind("limits", "1", "Another receiver limits the rate: its address."),)

    percentile: float = 10.0
    packet_size: Bytes = Bytes(1000)

    def check(self) -> list[tuple[str, str]]:
        """What is illegal."""
        wrong = []
        if not 0 <= self.percentile < 100:
            wrong.append(("percentile", f"{self.percentile} given; legal is from 0 up to, not including, 100"))
        if not PACKET_BYTES[0] <= self.packet_size <= PACKET_BYTES[1]:
            least, most = PACKET_BYTES
            wrong.append(("packet_size", f"{self.packet_size} B given; legal is {least} B to {most} B"))
        return wrong

    def packet_bytes(self) -> int:
        """Size of a data packet on the wire."""
        return self.packet_size

    def source(self, seat: Seat) -> Endpoint:
        """The endpoint that sends."""
        return Source(self, seat)

    def member(self, seat: Seat) -> Endpoint:
        """The endpoint that receives."""
        return Member(self, seat)


class Source(Endpoint):
    """The endpoint that sends."""

    def __init__(self, config: Percentile, seat: Seat) -> None:
        self.config = config
        self.group = seat.group
        self.most_passed_over = int(seat.members * config.percentile / 100)
        self.rate = RateControl(config.packet_size, max_rate_bps=seat.line_rate_bps)
        self.pacer = Pacer()
        self.wanted_bps: dict[int, float] = {}
        self.echo: tuple[int, int, int] | None = None
        self.passed_over = 0
        self.sent = 0

    def handle(self, now: int, given: Input, out: Outbox) -> None:
        """Take one input."""
        match given:
            case "start":
                self.rate.begin(now)
                self.pacer.begin(now)
            case "stop":
                self.pacer.stop()
            case "timeout":
                if (self.rate.deadline or now) <= now:
                    self.rate.expire(now)
                if self.pacer.due is not None and self.pacer.due <= now:
                    self.send(now, out)
            case Packet(fields=bytes(fields), source=receiver):
                self.hear(now, receiver, fields, out)
        if self.pacer.due is not None:
            self.pacer.follow(now, self.gap_s(now))

    def deadline(self) -> int | None:
        """When the next packet goes, or the rate control is due."""
        due = self.pacer.due
        return None if due is None else min(due, self.rate.deadline or due)

    def measure(self) -> list[float]:
        """What it shows."""
        return [self.passed_over]

    def gap_s(self, now: int) -> float:
        """From packet to packet."""
        return 8 * self.config.packet_size / self.rate.rate_bps(now)

    def send(self, now: int, out: Outbox) -> None:
        """Send the next packet, with an echo for whoever reported last."""
        whom, stamp, came = self.echo or (NOBODY, 0, now)
        held = stamp + (now - came) // 1000 & 0xFFFF_FFFF
        clr = NOBODY if self.rate.clr is None else self.rate.clr
        said = (self.sent, self.rate.feedback_round, self.rate.suppression_bps, self.rate.max_rtt_s)
        out.send(self.group, self.config.packet_size, DATA.pack(*said, stamp_us(now), whom, held, clr))
        self.sent += 1
        self.echo = None
        self.pacer.sent(now, self.gap_s(now))

    def hear(self, now: int, receiver: int, fields: bytes, out: Outbox) -> None:
        """Take a report, unless its receiver is passed over."""
        feedback_round, wanted_bps, echoed, stamp, max_rtt_s, have_loss = REPORT.unpack(fields)
        self.echo = receiver, stamp, now
        if have_loss:  # before, what it wants follows what it is sent
            self.wanted_bps[receiver] = wanted_bps
            slower = sum((bps, other) < (wanted_bps, receiver) for other, bps in self.wanted_bps.items())
            if slower < self.most_passed_over:
                self.passed_over += 1
                self.rate.dismiss(now, receiver)
                return
        limited = self.rate.clr
        rtt_s = max((stamp_us(now) - echoed & 0xFFFF_FFFF) / 1e6, 1e-3)
        used_max_rtt_s = max_rtt_s if max_rtt_s > 0 else None
        self.rate.hear(
            now,
            receiver,
            wanted_bps,
            rtt_s,
            feedback_round=feedback_round,
            have_loss=have_loss,
            used_max_rtt_s=used_max_rtt_s,
        )
        if self.rate.clr not in (limited, None):
            out.event("limits", after=self.rate.clr)


class Member(Endpoint):
    """The endpoint that receives."""

    def __init__(self, config: Percentile, seat: Seat) -> None:
        self.config = config
        self.seat = seat
        self.history = LossHistory()
        self.rtt = Rtt()
        self.received = ReceiveRate()
        self.latest: tuple[int, int, int, float] | None = None
        self.feedback_round: int | None = None
        self.report_at: int | None = None
        self.limits = False
        self.now = 0

    def handle(self, now: int, given: Input, out: Outbox) -> None:
        """Take one input."""
        self.now = now
        match given:
            case "start":
                out.join(self.seat.group)
            case "stop":
                self.report_at = None
                out.leave(self.seat.group)
            case "timeout":
                if self.report_at is not None and self.report_at <= now:
                    self.report(now, out)
            case Packet(fields=bytes(fields), source=sender):
                self.take(now, sender, fields, out)

    def deadline(self) -> int | None:
        """When the feedback timer expires."""
        return self.report_at

    def measure(self) -> list[float | None]:
        """What it shows."""
        return [None if self.latest is None else self.wanted_bps(self.now)]

    def take(self, now: int, sender: int, fields: bytes, out: Outbox) -> None:
        """A data packet has come."""
        number, feedback_round, suppression_bps, max_rtt_s, stamp, whom, echoed, clr = DATA.unpack(fields)
        self.latest = sender, stamp, now, max_rtt_s
        self.limits = clr == self.seat.own
        if whom == self.seat.own:
            if self.rtt.measure(now, echoed, stamp, weight=0.9 if self.limits else 0.5):
                self.history.measured(self.rtt_s())
        elif not self.limits:
            self.rtt.adjust(now, stamp)
        self.received.arrive(now, 4 * self.rtt_s())
        packets_per_rtt = self.received.packets_per_s(now, self.rtt_s()) * self.rtt_s()
        meant = self.history.arrive(now, number, self.rtt_s(), first_interval=max(packets_per_rtt**2 / 1.5, 1))
        if feedback_round != self.feedback_round:
            self.feedback_round = feedback_round
            self.set_timer(now, max_rtt_s)
        elif self.report_at is not None and not self.limits and suppression_bps < self.wanted_bps(now):
            self.report_at = None
        if self.limits and meant == "loss event":
            self.report(now, out)

    def set_timer(self, now: int, max_rtt_s: float) -> None:
        """Who limits reports each round-trip time, all others in the round at a time by chance (RFC 4654, 4.5)."""
        if self.limits:
            self.report_at = self.report_at or now
        else:
            part = max(1 + math.log(1 - self.seat.random()) / math.log(MOST_RECEIVERS), 0)
            self.report_at = now + nanoseconds(ROUND_RTTS * max_rtt_s * part)

    def report(self, now: int, out: Outbox) -> None:
        """Say what rate is wanted."""
        assert self.latest is not None
        sender, stamp, came, max_rtt_s = self.latest
        held = stamp + (now - came) // 1000 & 0xFFFF_FFFF
        unmeasured = 0.0 if self.rtt.value_s is not None else max_rtt_s
        wanted_bps, have_loss = self.wanted_bps(now), self.history.events > 0
        said = (self.feedback_round, wanted_bps, held, stamp_us(now), unmeasured, have_loss)
        out.send(sender, REPORT_BYTES, REPORT.pack(*said), is_data=False)
        self.report_at = now + nanoseconds(self.rtt_s()) if self.limits else None

    def rtt_s(self) -> float:
        """R, or R_max as long as there is none."""
        assert self.latest is not None
        return self.rtt.value_s or self.latest[3]

    def wanted_bps(self, now: int) -> float:
        """By the equation; before the first loss twice what comes (RFC 4654, section 3.6)."""
        if self.history.events:
            return throughput_bps(self.config.packet_size, self.rtt_s(), self.history.loss_event_rate)
        return 16 * self.config.packet_size * self.received.packets_per_s(now, 4 * self.rtt_s())


def main() -> None:
    """Run the scenario with nobody passed over, and with one receiver of ten."""
    faircast.register_scheme("percentile-in-python", Percentile)
    scenario = Path(__file__).with_name("one-slow.toml").read_text(encoding="utf-8")
    scenario = scenario.replace('"tfmcc-percentile"', '"percentile-in-python"')
    print("passed over  nine receivers get  the slow one gets")
    for percentile in (0, 10):
        done = faircast.run(scenario.replace("percentile = 10", f"percentile = {percentile}"), seed=1)
        rates = {name: done[name, "goodput"] / 1000 for name in (f"film-{number}" for number in range(10))}
        slow = rates.pop("film-4")
        print(f"{percentile:>9} %  {sum(rates.values()) / 9:>12.0f} kbit/s  {slow:>10.0f} kbit/s")


if __name__ == "__main__":
    main()
