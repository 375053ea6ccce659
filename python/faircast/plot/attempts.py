"""What attempts to join a layer cost: joins and leaves of groups, over the packets that an attempt has added.

Binary counting layers double, so an attempt that adds n packets per period joins about log2 n of them [Kwon, section
IV]. Each is left again, and a successful attempt joins the layer besides.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from faircast import figures
from faircast.errors import InputError
from faircast.plot.frame import Frame
from faircast.plot.lines import chosen
from faircast.plot.missing import needed
from faircast.plot.receivers import receiver_groups
from faircast.plot.recording import ENDS, columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OUTCOMES = {
    "join-succeeded": ("succeeded", "o", figures.COLOURS[0]),
    "join-failed": ("failed: a packet was lost", "X", figures.COLOURS[1]),
    "join-abandoned": ("given up", "^", "#888888"),
}
"""By event: what it is called, and how it looks."""
AREA = 14.0
"""Of the mark of a single attempt, in square points; of n at one place the area grows with the root of n."""


def figure(frame: Frame) -> Figure:
    """A mark for all attempts of an outcome that added as many packets by as many joins and leaves."""
    recording, cut = frame.recording, frame.cut
    needed(
        recording,
        "events",
        "attempts",
        probe="events=true",
        without="no receiver of the scenario tries layers by counting layers",
        column="packets_added_pkts",
    )
    groups = chosen(receiver_groups(recording), cut.flows, "session or receiver")
    members = {member for group in groups for member in group.members}
    (axes,) = frame.open([2.4])
    highest = 0.0
    for event, (label, marker, colour) in OUTCOMES.items():
        found = attempts(frame, event, members)
        number = sum(found.values())
        if not number:
            continue
        highest = max(highest, *(added for added, _ in found))
        axes.scatter(
            [added for added, _ in found],
            [cost for _, cost in found],
            s=[AREA * math.sqrt(times) for times in found.values()],
            marker=marker,
            color=colour,
            alpha=0.6,
            linewidths=0,
            clip_on=False,
            label=f"{label} ({number})",
        )
    if not axes.collections:
        raise InputError("there is nothing to draw for attempts: in this part of the run nobody tried a layer")
    bound(axes, highest)
    axes.set_xlabel("packets per period that the attempt added")
    axes.set_ylabel("joins and leaves")
    axes.set_ylim(bottom=-0.7)  # attempts that were given up while they waited cost nothing
    frame.said.add("larger marks: more attempts at one place")
    return frame.close(has_warmup=False, over_time=False)


def attempts(frame: Frame, event: str, members: set[str]) -> dict[tuple[float, float], int]:
    """How often an attempt of these members ended so, by the packets that it added and by what it cost."""
    cut = frame.cut
    found: dict[tuple[float, float], int] = {}
    wanted = ("t_s", "receiver", "event", "packets_added_pkts", "counting_joins")
    for table in columns(frame.recording, "events", wanted):
        if "packets_added_pkts" not in table:
            continue
        within = (table["t_s"] > cut.start_s + ENDS) & (table["t_s"] <= cut.stop_s + ENDS) & (table["event"] == event)
        for row in within.nonzero()[0]:
            if table["receiver"][row] in members:
                added, joined = float(table["packets_added_pkts"][row]), float(table["counting_joins"][row])
                place = added, 2 * joined + (event == "join-succeeded")
                found[place] = found.get(place, 0) + 1
    return found


def bound(axes: Axes, highest: float) -> None:
    """The joins and leaves that a successful attempt takes, and an axis on which they are a line.

    The next counting layer may have been joined in time for its slot, which the attempt did not need any more.
    """
    added = [
        0.0,
        *(2.0**power * step for power in range(max(1, math.ceil(math.log2(highest + 1)))) for step in (1, 1.999)),
    ]
    cost = [2 * math.ceil(math.log2(math.floor(n) + 1)) + 1 for n in added]
    axes.set_xscale("symlog", base=2, linthresh=1)
    axes.plot(
        added,
        cost,
        color="#000000",
        linewidth=0.8,
        drawstyle="steps-post",
        label="n packets: 2 ⌈log₂(n + 1)⌉ + 1",
        zorder=0,
    )
    ahead = [one + 2 for one in cost]
    label = "and a counting layer joined ahead"
    axes.fill_between(added, cost, ahead, step="post", color="#000000", alpha=0.08, linewidth=0, zorder=0, label=label)
    axes.set_xlim(left=-0.1)
    ticks = [0.0, *(2.0**power for power in range(math.ceil(math.log2(highest + 1)) + 1))]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
