"""Which lines a picture has, and how each looks: flows, sessions and receivers, one by one or as the mean of many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from faircast import figures
from faircast.errors import InputError, brief, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from faircast.plot.recording import Series

MOST = len(figures.COLOURS)
"""Lines that can be told apart."""
MOST_BANDS = 4
"""Of lines with a band around them."""
FEW_SEEDS = 3
"""Up to so many seeds are drawn one by one: an interval over three is wider than the picture."""


@dataclass(frozen=True)
class Line:
    """One line of a picture."""

    label: str
    members: tuple[str, ...]
    """The subjects of which it is the mean."""
    look: int
    """Chooses colour and line style."""
    is_session: bool = False

    @property
    def colour(self) -> str:
        """Its colour."""
        return figures.COLOURS[self.look % MOST]

    @property
    def style(self) -> dict[str, Any]:
        """Sessions are drawn through and strong, flows broken and thinner."""
        dash = "-" if self.is_session else figures.LINES[self.look % MOST]
        return {"color": self.colour, "linestyle": dash, "linewidth": 1.4 if self.is_session else 1.0}


@dataclass(frozen=True)
class Group:
    """Subjects that belong together: the flows of one entry of the scenario, the receivers of one session."""

    name: str
    members: tuple[str, ...]
    is_session: bool = False


def flow_groups(scenario: Mapping[str, Any]) -> list[Group]:
    """The sessions and groups of flows of a scenario, sessions first."""
    groups = [Group(name, (name,), is_session=True) for name in scenario.get("sessions", {})]
    for name, flow in scenario.get("flows", {}).items():
        count = int(flow.get("count", 1))
        groups.append(Group(name, tuple(f"{name}-{i}" for i in range(count)) if count > 1 else (name,)))
    return groups


def chosen(groups: Sequence[Group], wanted: Iterable[str], kind: str = "flow, session or receiver") -> list[Group]:
    """The groups that are named, or that hold what is named; all if nothing is.

    Raises `InputError` for a name that is none, with the names there are.
    """
    names = list(wanted)
    if not names:
        return list(groups)
    legal = list(dict.fromkeys([group.name for group in groups] + [one for group in groups for one in group.members]))
    found = []
    for name in names:
        if name not in legal:
            listed = ", ".join(legal[:12]) + (f" and {len(legal) - 12} more" if len(legal) > 12 else "")
            raise InputError(f"there is no {kind} {brief(name)}{nearest(name, legal)}; there are: {listed or 'none'}")
        for group in groups:
            if name == group.name and group not in found:
                found.append(group)
            elif name in group.members and name != group.name:
                found.append(Group(name, (name,), group.is_session))
    return found


def lines_of(groups: Sequence[Group], *, seeds: int = 1, most: int = MOST) -> list[Line]:
    """One line for each subject while there are at most so many; otherwise the largest groups become one line each.

    What even then cannot be told apart is put together as well: the last line stands for the rest.
    """
    if seeds > FEW_SEEDS:
        most = min(most, MOST_BANDS)
    total = sum(len(group.members) for group in groups)
    folded: set[int] = set()
    for place in sorted(range(len(groups)), key=lambda i: (-len(groups[i].members), i)):
        if total <= most or len(groups[place].members) == 1:
            break
        folded.add(place)
        total -= len(groups[place].members) - 1
    drawn: list[tuple[str, tuple[str, ...], bool]] = []
    for place, group in enumerate(groups):
        if place in folded:
            drawn.append((f"{group.name} (mean of {len(group.members)})", group.members, group.is_session))
        else:
            drawn += [(member, (member,), group.is_session) for member in group.members]
    if len(drawn) > MOST:
        rest = tuple(member for _, members, _ in drawn[MOST - 1 :] for member in members)
        drawn = [*drawn[: MOST - 1], (f"the others (mean of {len(rest)})", rest, False)]
    return [Line(label, members, look, is_session) for look, (label, members, is_session) in enumerate(drawn)]


def draw(
    axes: Axes, line: Line, series: Mapping[str, Series], scale: float, *, extremes: bool = False, steps: bool = False
) -> set[str]:
    """Draw a line with what surrounds it; says what bands and thin lines mean.

    Around the mean of several subjects there is a band from the lowest to the highest of them. Otherwise over more than
    `FEW_SEEDS` seeds it is the 95 % interval, and over fewer every seed is a thin line. Of one seed there is a band
    only with `extremes`: from the lowest to the highest of the values of which each point is the mean.
    """
    from faircast.plot.recording import Series as Made

    several = [series[member] for member in line.members]
    shown = several[0] if len(several) == 1 else Made.averaged(several)
    seeds = shown.mean.shape[0]
    middle, half = over_seeds(shown.mean)
    said: set[str] = set()
    if len(several) > 1 or (seeds == 1 and extremes and shown.bin_s):
        band(axes, line, shown.t_s, over_seeds(shown.low)[0] / scale, over_seeds(shown.high)[0] / scale)
        what = "bands of groups: lowest to highest member" if len(several) > 1 else "bands: lowest to highest sample"
        said.add(what + (f", mean over {seeds} seeds" if seeds > 1 else ""))
    elif seeds > FEW_SEEDS:
        band(axes, line, shown.t_s, (middle - half) / scale, (middle + half) / scale)
        said.add(f"bands: 95 % interval over {seeds} seeds")
    elif seeds > 1:
        for row in shown.mean:
            axes.plot(shown.t_s, row / scale, color=line.colour, linewidth=0.4, alpha=0.6)
        said.add("thin lines: single seeds")
    axes.plot(shown.t_s, middle / scale, label=line.label, drawstyle="steps-mid" if steps else "default", **line.style)
    return said


def band(axes: Axes, line: Line, t_s: Any, low: Any, high: Any) -> None:
    """What surrounds a line."""
    axes.fill_between(t_s, low, high, color=line.colour, alpha=0.18, linewidth=0)


def over_seeds(values: Any) -> tuple[Any, Any]:
    """Mean and half width of the 95 % interval of each column of an array of seeds, as `statistics.estimate` has them.

    NaN is left out; where fewer than two values are, the half width is 0.
    """
    import numpy as np

    from faircast.statistics import t_quantile

    n = (~np.isnan(values)).sum(axis=0)
    total = np.nansum(values, axis=0)
    mean = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    squares = np.nansum((values - mean) ** 2, axis=0)
    quantiles = np.array([0.0, 0.0, *(t_quantile(k - 1) for k in range(2, values.shape[0] + 1))])
    half = np.zeros(n.shape)
    enough = n > 1
    half[enough] = quantiles[n[enough]] * np.sqrt(squares[enough] / (n[enough] - 1) / n[enough])
    return mean, half
