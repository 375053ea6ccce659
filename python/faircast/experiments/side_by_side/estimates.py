"""What the runs of the comparison give together: ratios of means over the seeds, with intervals of pairs.

A mean is over the seeds, and over the TCPs where several are behind one bottleneck. What is held against another run -
TCP alone, the reference - is so seed by seed: the interval is the jackknife's, which leaves out one seed of all of them
together. What is said of several receivers or bottlenecks is a `Spread`: each of them, and of all the median, the least
and the greatest, which have intervals of their own.

A ratio to TCP varies above and below. Its interval is that of (session - TCP) / (session + TCP), brought back, and so
reaches further up than down; if session and TCP change places it is the inverse.

**Harm** to TCP is what it lost against being alone: in rate (alone - beside) / alone, in delay (beside - alone) /
beside, with how long its own packets wait at the bottleneck in the mean as the delay. It is 0 where nothing has
changed, 1 where TCP gets nothing any more or waits only for the session, below 0 where TCP is better off. In delay it
has no bound there: TCP that waits 8 ms alone and 1 ms beside a session has -7. What counts is the *excess* over the
harm of the reference, in which TCPs are in place of the sessions: that says what this scheme does, and not that anyone
is there.

**Share** is a receiver's rate over its rate in the multirate max-min optimum of the network, whether the scheme is
multirate or not; **satisfaction** the same with the session cut down to this receiver. The optimum is that of the
routes of time zero, of the first seed; over the LEO constellation routes change, yet the uplink is the narrowest link
on all of them. It takes nothing off for what links lose, but it does for their headers, which are in no rate that
is measured: over LEO 16 B of 1016. On the paths of this comparison both are the same, as nobody has less in a multirate
session because of its other receivers; above 1 are those who take from TCP.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from statistics import median
from typing import TYPE_CHECKING, Any

from faircast.experiments.side_by_side.cells import ALONE, BESIDE, REFERENCE, Cell, Situation
from faircast.experiments.side_by_side.measures import BINS_S, KINDS
from faircast.experiments.side_by_side.schemes import Row
from faircast.statistics import Estimate, jackknife, jackknife_of_ratio, median_interval

if TYPE_CHECKING:
    from faircast.experiment import Data
    from faircast.experiments.side_by_side.path import Bottleneck
    from faircast.scenario import Resolved
    from faircast.utility.problem import Problem

"""What the links of a path add to every packet; elsewhere nothing."""
Seeds = Sequence[int]
Kept = Mapping[int, Mapping[str, Any]]
"""What is kept of the runs of a cell, by seed; see `measures.of_tables`."""
Of = Callable[[str, Seeds], float]
"""What is to be estimated of a receiver, flow or link, by its name, from some seeds together."""
Estimator = Callable[[Callable[[Seeds], float], Seeds], Estimate]
"""What makes an estimate of that, with its interval."""


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
    """The loss beside the scheme, minus that beside the reference."""
    beside: Spread
    reference: Spread


@dataclass(frozen=True, kw_only=True)
class Settling:
    """How long it took until rates had settled, from the beginning of the run."""

    median_s: float
    """The median of the runs; infinite if half of them or more never settled."""
    low_s: float
    high_s: float
    """Between these the median lies with 95 % (order statistics); infinite where runs never settled."""
    unsettled: float
    """Which part never settled, of all receivers or flows in all runs."""
    n: int
    """How many runs there are."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Messages of one kind, for each receiver and second, all sessions together."""

    packets: Estimate
    bytes: Estimate


def ratio_to_tcp(data: Data, situation: Situation, scheme: Row) -> Spread:
    """The rate of each receiver behind a bottleneck with TCPs over the mean of theirs; infinite where they got nothing.

    1 is what TCP gets; NaN where nobody got anything.
    """
    return ratio(data, beside(situation, scheme))


def ratio(data: Data, cell: Cell) -> Spread:
    """The ratio to TCP in a run beside it; of the reference that of each flow in place of a session."""
    place: dict[str, Bottleneck] = {}
    for one in cell.situation.on.bottlenecks:
        if one.tcps:
            place |= dict.fromkeys(one.instead if cell.run == REFERENCE else one.receivers, one)

    kept = _kept(data, cell)

    def of(name: str, seeds: Seeds) -> float:
        above, below = _rate(kept, [name], seeds), _rate(kept, place[name].tcps, seeds)
        return above / below if below > 0 else math.inf if above > 0 else math.nan

    return _spread(data, place, of, jackknife_of_ratio)


def harm_in_rate(data: Data, situation: Situation, scheme: Row) -> Harm:
    """What the TCPs behind each bottleneck lose of their rate: (alone - beside) / alone."""
    behind = {one.link: one.tcps for one in situation.on.bottlenecks if one.tcps}

    def of(alone: Kept, kept: Kept, link: str, seeds: Seeds) -> float:
        before, now = (_rate(runs, behind[link], seeds) for runs in (alone, kept))
        return (before - now) / before if before > 0 else math.nan

    return _harm(data, situation, scheme, behind, of)


def harm_in_delay(data: Data, situation: Situation, scheme: Row) -> Harm:
    """By which part TCP's packets wait longer at each bottleneck: (beside - alone) / beside; NaN if none waited."""
    links = [one.link for one in situation.on.bottlenecks if one.tcps]

    def of(alone: Kept, kept: Kept, link: str, seeds: Seeds) -> float:
        before, now = (_wait_ms(runs, link, seeds) for runs in (alone, kept))
        if now == 0:
            return math.nan if math.isnan(before) else 0.0 if before == 0 else -math.inf
        return (now - before) / now

    return _harm(data, situation, scheme, links, of)


def share(data: Data, situation: Situation, scheme: Row) -> Spread:
    """The rate of each receiver over its rate in the multirate max-min optimum."""
    return _held_against(data, beside(situation, scheme), fair_rates(data, beside(situation, scheme)))


def satisfaction(data: Data, situation: Situation, scheme: Row) -> Spread:
    """The rate of each receiver over its max-min fair rate as the only one of its session."""
    return _held_against(data, beside(situation, scheme), rates_as_the_only_one(data, beside(situation, scheme)))


def fair_rates(data: Data, cell: Cell) -> dict[str, float]:
    """By receiver its rate in the multirate max-min optimum, bit/s; empty if constant rates leave nothing."""
    return _without_headers(cell, _fair(_problem(data.scenario(cell)))[0])


def rates_as_the_only_one(data: Data, cell: Cell) -> dict[str, float]:
    """By receiver its max-min rate as the only one of its session, bit/s; empty if constant rates leave nothing."""
    return _without_headers(cell, _fair(_problem(data.scenario(cell)))[1])


def _without_headers(cell: Cell, rates: Mapping[str, float]) -> dict[str, float]:
    """What is left of rates for packets when bottlenecks have added their headers."""
    path = cell.situation.on

    def part(name: str) -> float:
        return path.packet_bytes / (path.packet_bytes + path.bottleneck(name).header_bytes)

    return {name: part(name) * rate for name, rate in rates.items()}


def rates(data: Data, cell: Cell, names: Iterable[str]) -> dict[str, Estimate]:
    """Of flows and receivers, bit/s."""
    return {name: jackknife(partial(_rate, _kept(data, cell), [name]), data.seeds) for name in names}


def variation(data: Data, cell: Cell, names: Sequence[str], bin_s: float) -> Spread:
    """The coefficient of variation of flows or receivers in bins of `BINS_S`, the mean over the seeds that have one."""
    place, kept = BINS_S.index(bin_s), _kept(data, cell)

    def of(name: str, seeds: Seeds) -> float:
        found = [one for seed in seeds if (one := _entry(kept, name, seed)["cov"][place]) is not None]
        return math.fsum(found) / len(found) if found else math.nan

    return _spread(data, names, of)


def settling(data: Data, cell: Cell, names: Sequence[str]) -> Settling:
    """Until flows or receivers have settled: in each run the median over them, of the runs the median."""
    kept = _kept(data, cell)
    found = [[_settled_s(_entry(kept, name, seed)) for name in names] for seed in data.seeds]
    runs = [median(times) for times in found]
    low_s, high_s = median_interval(runs)
    never = sum(math.isinf(time) for times in found for time in times)
    part = never / (len(names) * len(runs))
    return Settling(median_s=median(runs), low_s=low_s, high_s=high_s, unsettled=part, n=len(runs))


def utilisation(data: Data, cell: Cell) -> Spread:
    """Of each bottleneck what left it, as a part of what could have."""
    return _of_links(data, cell, "utilisation", [one.link for one in cell.situation.on.bottlenecks])


def wait_ms(data: Data, cell: Cell) -> Spread:
    """Of each bottleneck with TCPs how long their packets wait there in the mean, ms."""
    links = [one.link for one in cell.situation.on.bottlenecks if one.tcps]
    return _spread(data, links, partial(_wait_ms, _kept(data, cell)))


def cost(data: Data, situation: Situation, scheme: Row) -> dict[str, Cost]:
    """Feedback and messages about membership, by kind (`measures.KINDS`), for each receiver and second."""
    kept, path = _kept(data, beside(situation, scheme)), situation.on
    receivers = len(path.receivers)
    seconds = path.duration_s - path.warmup_s

    def of(kind: str, place: int) -> Estimate:
        def mean(seeds: Seeds) -> float:
            sent = math.fsum(kept[seed]["messages"][kind][place] for seed in seeds)
            return sent / len(seeds) / receivers / seconds

        return jackknife(mean, data.seeds)

    return {kind: Cost(packets=of(kind, 0), bytes=of(kind, 1)) for kind in KINDS}


def decided(found: Estimate, value: float) -> bool:
    """Whether an estimate differs from a value beyond its interval.

    An estimate without an interval decides nothing, unless it is infinite over several seeds: TCP got nothing in any.
    """
    if math.isinf(found.mean):
        return found.n > 1
    ends = found.interval
    return ends is not None and not ends[0] <= value <= ends[1]


def beside(situation: Situation, scheme: Row) -> Cell:
    """The cell of a scheme beside TCP."""
    return Cell(situation=situation, run=BESIDE, scheme=scheme)


def _kept(data: Data, cell: Cell) -> Kept:
    return {seed: data.reduced(cell, seed) for seed in data.seeds}


def _entry(kept: Kept, name: str, seed: int) -> dict[str, Any]:
    """What was kept of a flow or receiver."""
    found = kept[seed]
    entry: dict[str, Any] = found["tcps"][name] if name in found["tcps"] else found["receivers"][name]
    return entry


def _rate(kept: Kept, names: Sequence[str], seeds: Seeds) -> float:
    """The mean over flows or receivers and seeds, bit/s."""
    each = [_entry(kept, name, seed)["rate"] for seed in seeds for name in names]
    return math.fsum(each) / len(each)


def _of_link(kept: Kept, link: str, what: str, seeds: Seeds) -> float:
    return math.fsum(kept[seed]["bottlenecks"][link][what] for seed in seeds) / len(seeds)


def _wait_ms(kept: Kept, link: str, seeds: Seeds) -> float:
    """The mean over the seeds in which packets of TCP left the link; NaN if there is none."""
    found = [wait for seed in seeds if (wait := kept[seed]["bottlenecks"][link]["wait_ms"]) is not None]
    return math.fsum(found) / len(found) if found else math.nan


def _of_links(data: Data, cell: Cell, what: str, links: Iterable[str]) -> Spread:
    kept = _kept(data, cell)
    return _spread(data, links, lambda link, seeds: _of_link(kept, link, what, seeds))


def _settled_s(entry: Mapping[str, Any]) -> float:
    return math.inf if entry["settled_s"] is None else float(entry["settled_s"])


def _harm(
    data: Data, situation: Situation, scheme: Row, links: Iterable[str], of: Callable[[Kept, Kept, str, Seeds], float]
) -> Harm:
    links = list(links)
    alone, there = (_kept(data, Cell(situation=situation, run=run)) for run in (ALONE, REFERENCE))
    here = _kept(data, beside(situation, scheme))
    return Harm(
        excess=_spread(data, links, lambda link, seeds: of(alone, here, link, seeds) - of(alone, there, link, seeds)),
        beside=_spread(data, links, lambda link, seeds: of(alone, here, link, seeds)),
        reference=_spread(data, links, lambda link, seeds: of(alone, there, link, seeds)),
    )


def _held_against(data: Data, cell: Cell, best: Mapping[str, float]) -> Spread:
    kept, receivers = _kept(data, cell), cell.situation.on.receivers
    return _spread(data, receivers, lambda name, seeds: _rate(kept, [name], seeds) / best.get(name, math.nan))


def _spread(data: Data, names: Iterable[str], of: Of, estimate: Estimator = jackknife) -> Spread:
    """Each by itself, and of all those that are defined the median, the least and the greatest."""
    names, known = list(names), dict[tuple[int, ...], dict[str, float]]()

    def every(seeds: Seeds) -> dict[str, float]:
        chosen = tuple(seeds)
        if chosen not in known:
            known[chosen] = {name: of(name, seeds) for name in names}
        return known[chosen]

    def one(name: str, seeds: Seeds) -> float:
        return every(seeds)[name]

    def over(pick: Callable[[list[float]], float]) -> Estimate:
        def all_of(seeds: Seeds) -> float:
            found = [value for value in every(seeds).values() if not math.isnan(value)]
            return pick(found) if found else math.nan

        return estimate(all_of, data.seeds)

    each = {name: estimate(partial(one, name), data.seeds) for name in names}
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
