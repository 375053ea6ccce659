"""The tables of a result by name: what one run and several have in common. See the chapter ``docs/results.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa


class Tables:
    """Tables in long form: one row per subject and probe interval, the unit in the column's name."""

    @property
    def names(self) -> list[str]:
        """The tables there are."""
        raise NotImplementedError

    def table(self, name: str) -> pa.Table:
        """One table by name. A `KeyError` says which there are."""
        raise NotImplementedError

    @property
    def flows(self) -> pa.Table:
        """Per flow or session and probe interval: rates, window, round-trip time, losses."""
        return self.table("flows")

    @property
    def receivers(self) -> pa.Table:
        """Per receiver of a session and probe interval: rates, loss event rate, round-trip time, reports."""
        return self.table("receivers")

    @property
    def layers(self) -> pa.Table:
        """Per group of a session and probe interval: its layer, what was sent to it, how many were in it."""
        return self.table("layers")

    @property
    def queues(self) -> pa.Table:
        """Per probed queue and probe interval: occupancy, average, drops, marks."""
        return self.table("queues")

    @property
    def links(self) -> pa.Table:
        """Per link and probe interval: rate, packets, losses."""
        return self.table("links")

    @property
    def events(self) -> pa.Table:
        """What happened, to whom and why."""
        return self.table("events")

    @property
    def routers(self) -> pa.Table:
        """What router agents tell, per probe interval: numbers about interfaces, flows, groups, pairs of hosts."""
        return self.table("routers")

    @property
    def router_events(self) -> pa.Table:
        """What router agents did: groups blocked and released."""
        return self.table("router_events")

    @property
    def paths(self) -> pa.Table:
        """The ways between the pairs of nodes that the scenario names: delay and hops, at intervals and at changes."""
        return self.table("paths")

    @property
    def handoffs(self) -> pa.Table:
        """When ground stations turned to which satellites."""
        return self.table("handoffs")

    @property
    def packets(self) -> pa.Table:
        """One row per packet event, where the scenario asks for a trace."""
        return self.table("packets")

    @property
    def summary(self) -> pa.Table:
        """One row per subject and metric, after the warm-up unless its name says otherwise, with the optimum."""
        return self.table("summary")

    @property
    def warnings(self) -> pa.Table:
        """What should be known about the other tables: kind, subject, value, message."""
        return self.table("warnings")
