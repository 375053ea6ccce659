"""What happened in a run, as rows of small ticks below a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from faircast.plot.lines import Line
from faircast.plot.recording import ENDS, Cut, Recording, columns
from faircast.quantity import seconds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KINDS = {
    "losses": ("loss-reduction", "loss-event"),
    "marks": ("incipient-reduction", "moderate-reduction"),
    "time-outs": ("timeout",),
    "limiting receiver": ("limiting-receiver",),
    "slow start ended": ("slow-start-ended",),
    "attempts begun": ("join-begun",),
    "attempts failed": ("join-failed", "join-abandoned"),
    "layers added": ("layer-added",),
    "layers dropped": ("layer-dropped",),
}
"""Rows of ticks by label, with the events that stand in them."""
NETWORK = "#444444"
MOST_TICKS = 400
"""Ticks of a row that can be told apart; of more, those nearer to each other than that are one."""


@dataclass(frozen=True)
class Row:
    """One row of ticks."""

    label: str
    marks: list[tuple[NDArray[np.float64], str]]
    """Moments and their colour."""

    @property
    def moments(self) -> int:
        """How many ticks it has."""
        return sum(len(t_s) for t_s, _ in self.marks)


def rows_of(recording: Recording, cut: Cut, lines: Sequence[Line], kinds: Sequence[str]) -> list[Row]:
    """The rows of ticks below a picture, those in which something happened.

    What happens to flows and receivers differs from seed to seed and is drawn of a single one only; changes of the
    network are the same in all.
    """
    rows = []
    if len(recording.seeds) == 1 and recording.holds("events"):
        rows = [Row(kind, marks_of(recording, cut, lines, KINDS[kind])) for kind in kinds]
    if len(recording.seeds) == 1 and recording.holds("handoffs"):
        rows.append(Row("hand-offs", [(thinned(handoffs(recording, cut), cut), NETWORK)]))
    rows.append(Row("network changes", [(thinned(changes(recording, cut), cut), NETWORK)]))
    return [row for row in rows if row.moments]


def marks_of(
    recording: Recording, cut: Cut, lines: Sequence[Line], events: Sequence[str]
) -> list[tuple[NDArray[np.float64], str]]:
    """The moments of some events, by the lines that they belong to."""
    import numpy as np

    (table,) = columns(recording, "events", ("t_s", "flow", "receiver", "event"))
    if not len(table["t_s"]):
        return []
    within = (table["t_s"] > cut.start_s + ENDS) & (table["t_s"] <= cut.stop_s + ENDS)
    wanted = within & np.logical_or.reduce([table["event"] == event for event in events])
    found = []
    for line in lines:
        its = np.logical_or.reduce([(table["flow"] == one) | (table["receiver"] == one) for one in line.members])
        t_s = table["t_s"][wanted & its]
        if len(t_s):
            found.append((thinned(t_s, cut), line.colour))
    return found


def handoffs(recording: Recording, cut: Cut) -> NDArray[np.float64]:
    """When stations turned to another satellite."""
    (table,) = columns(recording, "handoffs", ("t_s",))
    t_s: NDArray[np.float64] = table["t_s"]
    return t_s[(t_s > cut.start_s + ENDS) & (t_s <= cut.stop_s + ENDS)]


def changes(recording: Recording, cut: Cut) -> NDArray[np.float64]:
    """When links of the scenario change by its own plan."""
    import numpy as np

    found = {seconds(at, "at") for at in changes_in(recording.scenario.data)}
    return np.array(sorted(at for at in found if cut.start_s < at <= cut.stop_s))


def changes_in(value: Any) -> Iterator[str]:
    """The moments of all lists ``changes`` in a scenario."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "changes" and isinstance(item, list):
                yield from (change["at"] for change in item if isinstance(change, Mapping) and "at" in change)
            else:
                yield from changes_in(item)


def thinned(t_s: NDArray[np.float64], cut: Cut) -> NDArray[np.float64]:
    """Of ticks that would lie on each other one."""
    import numpy as np

    if not len(t_s):
        return t_s
    place = np.floor((t_s - cut.start_s) / (cut.stop_s - cut.start_s) * MOST_TICKS)
    _, first = np.unique(place, return_index=True)
    return t_s[first]
