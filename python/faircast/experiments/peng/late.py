"""Fig. 7 to 10, scenarios 2 and 3: TCPs that join multicast sessions, and multicast sessions that join TCPs.

In scenario 2 a second TCP begins after 500 s and a third after 1000 s, in scenario 3 the multicast sessions do. What
the paper says of both: 60, 45 and 35 KBytes/s per session in the three periods, so the late ones get a fair share, and
those in scenario 3 no more. The paper does not say when the observation time of blocking returns to its first value;
scenario 3 is judged with our rule; without any (`reset = "never"`) stands beside.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.judging import judged, of
from faircast.experiments.peng.drawing import layers_and_rates, tcp_rates
from faircast.experiments.peng.measures import changes, either, mean_rate, rate_ratio, reaches, started
from faircast.experiments.peng.network import (
    DEPENDS,
    DURATION_S,
    LATE_S,
    MULTICAST,
    NAMES,
    PERIODS_S,
    SESSIONS,
    TCPS,
    UPLINK_KBYTES_S,
    WARMUP_S,
    Case,
    others,
    points_of,
    readings,
)
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PUBLISHED_KBYTES_S = (60, 45, 35)
NEAR = 0.2
REACHED = 0.7
"""The part of its share that a late session must have got to have arrived."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """One figure of one scenario: some of its sessions."""

    figure: int
    scenario: int
    sessions: tuple[str, ...]
    kind: str
    """What one of its sessions is called."""

    @property
    def cases(self) -> dict[str, Case]:
        """What stands beside, by label."""
        found = others(self.main)
        if self.scenario == 3:
            found["observation time never reset"] = replace(self.main, reset="never")
        return found

    @property
    def readings(self) -> dict[str, Case]:
        """The cases that are judged."""
        return readings(self.main)

    @property
    def main(self) -> Case:
        """The first of them, which is drawn."""
        return Case(scenario=self.scenario)


def late(period: int) -> tuple[int, int]:
    """The last 400 s of a period."""
    end = PERIODS_S[period][1]
    return end - LATE_S, end


def share_kbytes_s(scenario: int, period: int) -> float:
    """An equal share of the uplink."""
    return UPLINK_KBYTES_S / len(started(Case(scenario=scenario), SESSIONS, PERIODS_S[period][0]))


def points(scenario: int, _quick: bool) -> list[Point]:
    """Both windows, and what stands beside; in scenario 3 without a reset as well."""
    main = Case(scenario=scenario)
    return points_of(main) + ([replace(main, reset="never").point(beside=True)] if scenario == 3 else [])


def held(part: Part, name: str, published: str, measure: Callable[[Data, Case], Measured], **limits: Any) -> Criterion:
    """A criterion that is judged with both windows."""
    return judged(name, published, measure, part.cases, readings=part.readings, depends=DEPENDS, **limits)


def off_share(part: Part, period: int, data: Data, case: Case) -> Measured:
    """By what part of the share that session is off it whose mean over the seeds is so most."""
    share = share_kbytes_s(part.scenario, period)
    there = started(case, part.sessions, PERIODS_S[period][0])
    found = {name: mean_rate(data, case, [name], late(period)) for name in there}
    worst = max(found, key=lambda name: abs(found[name].mean - share))
    ci95 = found[worst].ci95
    note = ", ".join(f"{NAMES[name]} {rate}" for name, rate in found.items()) + f" KBytes/s of {share:.1f}"
    return Measured(
        value=abs(found[worst].mean - share) / share, ci95=None if ci95 is None else ci95 / share, note=note
    )


def arrival(name: str, period: int, data: Data, case: Case) -> Measured:
    """How long a late session needs until it has got 70 % of its share over 10 s."""
    least = REACHED * share_kbytes_s(case.scenario, period)
    found = reaches(data, case, name, least)
    return Measured.of(found, note=f"until it gets {least:.1f} KBytes/s; the slowest run takes {found.high:.0f} s")


def shares(part: Part) -> list[Criterion]:
    """Every session's mean in each period."""
    return [
        held(
            part,
            f"distance from the equal share, {late(period)[0]}-{late(period)[1]} s, of the {part.kind} that is "
            "farthest from it, as a part of the share",
            f"close to {PUBLISHED_KBYTES_S[period]} KBytes/s",
            partial(off_share, part, period),
            high=NEAR,
        )
        for period, (begin, _) in enumerate(PERIODS_S)
        if started(part.main, part.sessions, begin)
    ]


def arrivals(part: Part, within_s: int) -> list[Criterion]:
    """The late sessions."""
    return [
        held(
            part,
            f"{NAMES[name]}, which begins after {begin} s: time until it gets 70 % of its share, s",
            "gets a right share",
            partial(arrival, name, period),
            high=within_s,
        )
        for period, (begin, _) in enumerate(PERIODS_S)
        for name in part.sessions
        if begin and part.main.start_s(name) == begin
    ]


def ratios(part: Part, low: float | None) -> list[Criterion]:
    """Multicast over TCP in each period that has both."""
    return [
        held(
            part,
            f"mean rate of a multicast session divided by that of a TCP flow, {late(period)[0]}-{late(period)[1]} s",
            "fairness is kept" if low else "a fair share and no more",
            of(partial(late_ratio, period=period)),
            low=low,
            high=1.4,
        )
        for period, (begin, _) in enumerate(PERIODS_S)
        if started(part.main, MULTICAST, begin)
    ]


def late_ratio(data: Data, case: Case, period: int) -> Estimate:
    """The ratio of the means in the last 400 s of a period."""
    return rate_ratio(data, case, late(period), started(case, MULTICAST, PERIODS_S[period][0]))


def stability(part: Part) -> Criterion:
    """How often layers change; the paper says a little more often than in scenario 1."""
    return held(
        part,
        f"changes of the number of layers, per session and 100 s, {WARMUP_S}-{DURATION_S} s",
        "fairly stable, with a few more small adjustments than in Figure 5" if part.scenario == 2 else "fairly stable",
        of(changes),
    )


def numbers(part: Part, data: Data) -> Numbers:
    """The mean rates of all sessions of the scenario in every period and case."""
    rows = []
    for label, case in {**part.readings, **part.cases}.items():
        for name in SESSIONS:
            cells = [
                str(mean_rate(data, case, [name], late(period))) if case.start_s(name) <= begin else ""
                for period, (begin, _) in enumerate(PERIODS_S)
            ]
            rows.append([f"{NAMES[name]}, {label}", *cells])
    heads = [
        f"{late(period)[0]}-{late(period)[1]} s (share {share_kbytes_s(part.scenario, period):.1f})"
        for period in range(len(PERIODS_S))
    ]
    return Numbers(columns=["KBytes/s", *heads], rows=rows)


def figure(part: Part, data: Data) -> Figure:
    """As in the paper, of the first seed."""
    draw = layers_and_rates if part.sessions == MULTICAST else tcp_rates
    return draw(data, part.main)


def says(part: Part, data: Data) -> str:
    """What the figure shows."""
    found = [
        [
            plain(mean_rate(data, case, started(case, part.sessions, begin), late(period)).mean)
            for period, (begin, _) in enumerate(PERIODS_S)
            if started(case, part.sessions, begin)
        ]
        for case in part.readings.values()
    ]
    wanted = [
        f"{share_kbytes_s(part.scenario, period):.1f}"
        for period, (begin, _) in enumerate(PERIODS_S)
        if started(part.main, part.sessions, begin)
    ]
    who = "As two TCP flows begin at 500 and 1000 s" if part.scenario == 2 else "As multicast begins at 500 and 1000 s"
    return (
        f"{who}, the {part.kind}s get {either([listed(each) for each in found])} KBytes/s each, one period after the "
        f"other; equal shares are {listed(wanted)}."
    )


PARTS = {
    7: Part(figure=7, scenario=2, sessions=MULTICAST, kind="multicast session"),
    8: Part(figure=8, scenario=2, sessions=TCPS, kind="TCP flow"),
    9: Part(figure=9, scenario=3, sessions=MULTICAST, kind="multicast session"),
    10: Part(figure=10, scenario=3, sessions=TCPS, kind="TCP flow"),
}
CRITERIA: Mapping[int, Sequence[Criterion]] = {
    7: [*shares(PARTS[7]), stability(PARTS[7])],
    8: [*shares(PARTS[8]), *ratios(PARTS[8], 0.9), *arrivals(PARTS[8], 100)],
    9: [*shares(PARTS[9]), *arrivals(PARTS[9], 150), stability(PARTS[9])],
    10: [*shares(PARTS[10]), *ratios(PARTS[10], None)],
}
TITLES = {
    7: "TCP flows that begin later: layers and throughput of multicast",
    8: "TCP flows that begin later: throughput of TCP",
    9: "Multicast sessions that begin later: their layers and throughput",
    10: "Multicast sessions that begin later: throughput of TCP",
}
SAID = {
    7: "As TCP flows join, the multicast sessions give way: from 60 to 45 to 35 KBytes/s each.",
    8: "The TCP flows that begin later get their fair share, 45 and then 35 KBytes/s.",
    9: "Multicast sessions that begin later get their fair share, 45 and then 35 KBytes/s.",
    10: "The TCP flows give way to the later multicast sessions, which take a fair share and no more.",
}

EXPERIMENTS = [
    Experiment(
        id=f"peng-fig{number}",
        paper="peng",
        place=f"Figure {number}",
        title=TITLES[number],
        published=SAID[number],
        points=partial(points, part.scenario),
        criteria=CRITERIA[number],
        figure=partial(figure, part),
        says=partial(says, part),
        numbers=partial(numbers, part) if number % 2 else None,
    )
    for number, part in PARTS.items()
]
