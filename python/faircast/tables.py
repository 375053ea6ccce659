"""The tables of a result by name: what one run and several have in common. See the chapter ``docs/results.md``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


class Tables(ABC):
    """Tables in long form: one row per subject and probe interval, the unit in the column's name."""

    @property
    @abstractmethod
    def names(self) -> list[str]:
        """The tables there are."""

    @abstractmethod
    def table(self, name: str) -> pa.Table:
        """One table by name. A `KeyError` says which there are."""

    @property
    def flows(self) -> pa.Table:
        """Flows and sessions per probe interval: rates, window, round-trip time, losses."""
        return self.table("flows")

    @property
    def receivers(self) -> pa.Table:
        """Receivers of sessions per probe interval: rates, loss event rate, round-trip time, reports."""
        return self.table("receivers")

    @property
    def layers(self) -> pa.Table:
        """Groups of sessions per probe interval: the layer, what was sent to it, how many were in it."""
        return self.table("layers")

    @property
    def queues(self) -> pa.Table:
        """Probed queues per probe interval: occupancy, average, drops, marks."""
        return self.table("queues")

    @property
    def sojourn(self) -> pa.Table:
        """How long packets waited at probed queues after the warm-up: of each queue, class, flow and session."""
        return self.table("sojourn")

    @property
    def links(self) -> pa.Table:
        """Links per probe interval: rate, packets, losses."""
        return self.table("links")

    @property
    def acm(self) -> pa.Table:
        """Links that send symbols, and their legs, per probe interval: symbols, bits in each, what is not decoded."""
        return self.table("acm")

    @property
    def slots(self) -> pa.Table:
        """Terminals of return channels per probe interval: slots asked for, assigned and used, padding."""
        return self.table("slots")

    @property
    def dilation(self) -> pa.Table:
        """Dilation of sessions of several groups, per probe interval and link behind which several receivers are."""
        return self.table("dilation")

    @property
    def events(self) -> pa.Table:
        """Events of flows, sessions and receivers: what happened, to whom and why."""
        return self.table("events")

    @property
    def routers(self) -> pa.Table:
        """Numbers that router agents tell, per probe interval: about interfaces, flows, groups, pairs of hosts."""
        return self.table("routers")

    @property
    def router_events(self) -> pa.Table:
        """Events of router agents: groups blocked and released."""
        return self.table("router_events")

    @property
    def paths(self) -> pa.Table:
        """The ways between the pairs of nodes that the scenario names: delay and hops, at intervals and at changes."""
        return self.table("paths")

    @property
    def handoffs(self) -> pa.Table:
        """Hand-offs: when ground stations turned to which satellites."""
        return self.table("handoffs")

    @property
    def transfers(self) -> pa.Table:
        """Transfers of web traffic, one row each: when they arrived, how large they are, how long they took."""
        return self.table("transfers")

    @property
    def playback(self) -> pa.Table:
        """Segments that were due at receivers which play their session: what was shown, how long the picture stood."""
        return self.table("playback")

    @property
    def proxies(self) -> pa.Table:
        """Proxies that split TCP, per probe interval: what lies in their buffers, how long they held others back."""
        return self.table("proxies")

    @property
    def packets(self) -> pa.Table:
        """Packet events, one row each, where the scenario asks for them."""
        return self.table("packets")

    @property
    def summary(self) -> pa.Table:
        """The summary: a row per subject and metric, after the warm-up unless its name says otherwise."""
        return self.table("summary")

    @property
    def warnings(self) -> pa.Table:
        """Warnings about the other tables: kind, subject, value, message."""
        return self.table("warnings")
