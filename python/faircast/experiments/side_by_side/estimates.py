"""What the runs of the comparison give together: ratios of means over the seeds, with intervals of pairs.

A mean is over the seeds, and over the TCPs where several are behind one bottleneck. What is held against another run -
TCP alone, the reference - is so seed by seed: the interval is the jackknife's, which leaves out one seed of all of them
together. What is said of several receivers or bottlenecks is a `Spread`: each of them, and of all the median, the least
and the greatest, which have intervals of their own.

**Harm** to TCP is what it lost against being alone: in rate (alone - beside) / alone, in delay (beside - alone) /
beside, with the mean queue of its bottleneck as the delay. It is 0 where nothing has changed, 1 where TCP gets nothing
any more or the queue is all the session's, below 0 where TCP is better off. What counts is the *excess* over the harm
of the reference, in which TCPs are in place of the sessions: that says what this scheme does, and not that anyone is
there.

**Share** is a receiver's rate over its rate in the multirate max-min optimum of the network, whether the scheme is
multirate or not; **satisfaction** the same with the session cut down to this receiver. The optimum is that of the
routes of time zero, of the first seed; over the LEO constellation routes change, yet the uplink is the narrowest link
on all of them. It takes capacities as they are, and nothing off for what links lose.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from statistics import median
from typing import TYPE_CHECKING, Any

from faircast.experiments.side_by_side.cells import ALONE, BESIDE, PATHS, REFERENCE, Cell, Situation
from faircast.experiments.side_by_side.measures import BINS_S, KINDS
from faircast.statistics import Estimate, jackknife, median_interval

if TYPE_CHECKING:
    from faircast.experiment import Data
    from faircast.experiments.side_by_side.path import Bottleneck
    from faircast.scenario import Resolved
    from faircast.utility.problem import Problem

Seeds = Sequence[int]
Of = Callable[[str, Seeds], float]
"""What is to be estimated of a receiver, flow or link, by its name, from some seeds together."""


@dataclass(frozen=True, kw_only=True)
class Spread:
    """An estimate of each receiver, flow or bottleneck, and of all of them; those that are undefined are left out."""

    each: dict[str, Estimate]
    median: Estimate
    least: Estimate
    greatest: Estimate


@dataclass(frozen=True, kw_only=True)
class Harm:
    """What TCP loses, by bottleneck."""

    excess: Spread
    """That beside the scheme, minus that of the reference."""
    beside: Spread
    reference: Spread


@dataclass(frozen=True, kw_only=True)
class Settling:
    """How long it took until rates had settled, from the beginning of the run."""

    median_s: float
    """Of the runs; infinite if half of them or more never settled."""
    low_s: float
    high_s: float
    """Between these the median lies with 95 % (order statistics); infinite where runs never settled."""
    unsettled: float
    """Which part never settled, of all receivers or flows in all runs."""
    n: int
    """Runs."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Messages of one kind, for each receiver and second, all sessions together."""

    packets: Estimate
    bytes: Estimate


def ratio_to_tcp(data: Data, situation: Situation, scheme: str) -> Spread:
    """The rate of each receiver behind a bottleneck with TCPs over the mean of theirs; infinite where they got nothing.

    1 is what TCP gets; NaN where nobody got anything.
    """
    return ratio(data, beside(situation, scheme))


def ratio(data: Data, cell: Cell) -> Spread:
    """The same of a run beside TCP; of the reference that of each flow in place of a session."""
    place: dict[str, Bottleneck] = {}
    for one in PATHS[cell.situation.path].bottlenecks:
        if one.tcps:
            place |= dict.fromkeys(one.instead if cell.run == REFERENCE else one.receivers, one)

    def of(name: str, seeds: Seeds) -> float:
        above, below = _rate(data, cell, [name], seeds), _rate(data, cell, place[name].tcps, seeds)
        return above / below if below > 0 else math.inf if above > 0 else math.nan

    return _spread(data, place, of)


def harm_in_rate(data: Data, situation: Situation, scheme: str) -> Harm:
    """What the TCPs behind each bottleneck lose of their rate: (alone - beside) / alone."""
    behind = {one.link: one.tcps for one in PATHS[situation.path].bottlenecks if one.tcps}

    def of(cell: Cell, link: str, seeds: Seeds) -> float:
        before, now = (_rate(data, run, behind[link], seeds) for run in (_alone(situation), cell))
        return (before - now) / before if before > 0 else math.nan

    return _harm(data, situation, scheme, behind, of)


def harm_in_delay(data: Data, situation: Situation, scheme: str) -> Harm:
    """By which part the queue of each bottleneck with TCPs has grown: (beside - alone) / beside."""
    links = [one.link for one in PATHS[situation.path].bottlenecks if one.tcps]

    def of(cell: Cell, link: str, seeds: Seeds) -> float:
        before, now = (_of_link(data, run, link, "queue_ms", seeds) for run in (_alone(situation), cell))
        if now == 0:
            return 0.0 if before == 0 else -math.inf
        return (now - before) / now

    return _harm(data, situation, scheme, links, of)


def share(data: Data, situation: Situation, scheme: str) -> Spread:
    """The rate of each receiver over its rate in the multirate max-min optimum."""
    return _held_against(data, beside(situation, scheme), fair_rates(data, beside(situation, scheme)))


def satisfaction(data: Data, situation: Situation, scheme: str) -> Spread:
    """The rate of each receiver over its max-min fair rate as the only one of its session."""
    return _held_against(data, beside(situation, scheme), rates_as_the_only_one(data, beside(situation, scheme)))


def fair_rates(data: Data, cell: Cell) -> dict[str, float]:
    """By receiver its rate in the multirate max-min optimum, bit/s; empty if constant rates leave nothing."""
    return _fair(_problem(data.scenario(cell)))[0]


def rates_as_the_only_one(data: Data, cell: Cell) -> dict[str, float]:
    """By receiver its max-min rate as the only one of its session, bit/s; empty if constant rates leave nothing."""
    return _fair(_problem(data.scenario(cell)))[1]


def rates(data: Data, cell: Cell, names: Iterable[str]) -> dict[str, Estimate]:
    """Of flows and receivers, bit/s."""
    return {name: jackknife(partial(_rate, data, cell, [name]), data.seeds) for name in names}


def variation(data: Data, cell: Cell, names: Sequence[str], bin_s: float) -> Spread:
    """The coefficient of variation of flows or receivers in bins of `BINS_S`, the mean over the seeds that have one."""
    place = BINS_S.index(bin_s)

    def of(name: str, seeds: Seeds) -> float:
        found = [one for seed in seeds if (one := _entry(data, cell, name, seed)["cov"][place]) is not None]
        return math.fsum(found) / len(found) if found else math.nan

    return _spread(data, names, of)


def settling(data: Data, cell: Cell, names: Sequence[str]) -> Settling:
    """Until flows or receivers have settled: in each run the median over them, of the runs the median."""
    found = [[_settled_s(_entry(data, cell, name, seed)) for name in names] for seed in data.seeds]
    runs = [median(times) for times in found]
    low_s, high_s = median_interval(runs)
    never = sum(math.isinf(time) for times in found for time in times)
    part = never / (len(names) * len(runs))
    return Settling(median_s=median(runs), low_s=low_s, high_s=high_s, unsettled=part, n=len(runs))


def utilisation(data: Data, cell: Cell) -> Spread:
    """Of each bottleneck what left it, as a part of what could have."""
    return _of_links(data, cell, "utilisation")


def queue_ms(data: Data, cell: Cell) -> Spread:
    """Of each bottleneck the delay that its mean queue makes, ms."""
    return _of_links(data, cell, "queue_ms")


def cost(data: Data, situation: Situation, scheme: str) -> dict[str, Cost]:
    """Feedback and messages about membership, by kind (`measures.KINDS`), for each receiver and second."""
    cell, path = beside(situation, scheme), PATHS[situation.path]
    receivers = len(path.receivers)
    seconds = path.duration_s - path.warmup_s

    def of(kind: str, place: int) -> Estimate:
        def mean(seeds: Seeds) -> float:
            sent = math.fsum(data.reduced(cell, seed)["messages"][kind][place] for seed in seeds)
            return sent / len(seeds) / receivers / seconds

        return jackknife(mean, data.seeds)

    return {kind: Cost(packets=of(kind, 0), bytes=of(kind, 1)) for kind in KINDS}


def decided(found: Estimate, value: float) -> bool:
    """Whether an estimate differs from a value beyond its interval.

    An estimate without an interval decides nothing, unless it is infinite whichever seed is left out.
    """
    if found.n > 1 and math.isinf(found.mean):
        return found.low == found.high == found.mean
    return found.ci95 is not None and abs(found.mean - value) > found.ci95


def beside(situation: Situation, scheme: str) -> Cell:
    """The cell of a scheme beside TCP."""
    return Cell(situation=situation, run=BESIDE, scheme=scheme)


def _alone(situation: Situation) -> Cell:
    return Cell(situation=situation, run=ALONE)


def _entry(data: Data, cell: Cell, name: str, seed: int) -> dict[str, Any]:
    """What was kept of a flow or receiver."""
    found = data.reduced(cell, seed)
    entry: dict[str, Any] = found["tcps"][name] if name in found["tcps"] else found["receivers"][name]
    return entry


def _rate(data: Data, cell: Cell, names: Sequence[str], seeds: Seeds) -> float:
    """The mean over flows or receivers and seeds, bit/s."""
    each = [_entry(data, cell, name, seed)["rate"] for seed in seeds for name in names]
    return math.fsum(each) / len(each)


def _of_link(data: Data, cell: Cell, link: str, what: str, seeds: Seeds) -> float:
    return math.fsum(data.reduced(cell, seed)["bottlenecks"][link][what] for seed in seeds) / len(seeds)


def _of_links(data: Data, cell: Cell, what: str) -> Spread:
    links = [one.link for one in PATHS[cell.situation.path].bottlenecks]
    return _spread(data, links, lambda link, seeds: _of_link(data, cell, link, what, seeds))


def _settled_s(entry: Mapping[str, Any]) -> float:
    return math.inf if entry["settled_s"] is None else float(entry["settled_s"])


def _harm(
    data: Data, situation: Situation, scheme: str, links: Iterable[str], of: Callable[[Cell, str, Seeds], float]
) -> Harm:
    here, there, links = beside(situation, scheme), Cell(situation=situation, run=REFERENCE), list(links)
    return Harm(
        excess=_spread(data, links, lambda link, seeds: of(here, link, seeds) - of(there, link, seeds)),
        beside=_spread(data, links, lambda link, seeds: of(here, link, seeds)),
        reference=_spread(data, links, lambda link, seeds: of(there, link, seeds)),
    )


def _held_against(data: Data, cell: Cell, best: Mapping[str, float]) -> Spread:
    return _spread(
        data,
        PATHS[cell.situation.path].receivers,
        lambda name, seeds: _rate(data, cell, [name], seeds) / best.get(name, math.nan),
    )


def _spread(data: Data, names: Iterable[str], of: Of) -> Spread:
    """Each by itself, and of all those that are defined the median, the least and the greatest."""
    names = list(names)

    def over(pick: Callable[[list[float]], float]) -> Estimate:
        def all_of(seeds: Seeds) -> float:
            found = [one for one in (of(name, seeds) for name in names) if not math.isnan(one)]
            return pick(found) if found else math.nan

        return jackknife(all_of, data.seeds)

    each = {name: jackknife(partial(of, name), data.seeds) for name in names}
    return Spread(each=each, median=over(median), least=over(min), greatest=over(max))


def _problem(scenario: Resolved) -> Problem:
    """The max-min problem of a scenario in which every session that answers congestion is multirate."""
    from faircast.utility.network import problem_of

    problem = problem_of(scenario, utility="max-min")
    return replace(
        problem,
        demands=tuple(
            replace(demand, multirate=bool(demand.receivers) and demand.fixed_rate is None)
            for demand in problem.demands
        ),
    )


@lru_cache(maxsize=256)
def _fair(problem: Problem) -> tuple[dict[str, float], dict[str, float]]:
    """By receiver its fair rate, and that as the only one."""
    from faircast.utility.optimum import solve
    from faircast.utility.problem import InfeasibleError
    from faircast.utility.satisfaction import alone

    try:
        best = solve(problem).receivers
        return {name: rate for each in best.values() for name, rate in each.items()}, alone(problem)
    except InfeasibleError:
        return {}, {}
