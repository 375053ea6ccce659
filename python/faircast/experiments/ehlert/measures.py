"""What is measured in the tables of the paper: rates, TCP over MLDA, and how losses were told apart."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from faircast.experiment import Criterion, Data, Measured, Point, plain
from faircast.experiments.ehlert.network import (
    DURATION_S,
    INTERVAL_S,
    LINK_KBPS,
    MAIN,
    READINGS,
    SATELLITE,
    Case,
    Reading,
)
from faircast.experiments.ehlert.published import Printed
from faircast.experiments.judging import Statement
from faircast.statistics import Estimate, jackknife, scaled

Measure = Callable[[Data, Reading], Measured]
CELL = 0.25
"""How far a cell of a table may be from what is printed, as a part of that, up and down."""
LINK_LOSSES = ("link_losses_recognised", "link_losses_missed")
CONGESTION_LOSSES = ("congestion_losses_mistaken", "congestion_losses_recognised")


def point(case: Case) -> Point:
    """The point of a case; without jitter it only stands beside."""
    return Point(key=case, scenario=case.scenario(), beside=not case.jitter)


def readings(quick: bool) -> list[Reading]:
    """What is run: with ``--quick`` what is judged alone."""
    return [MAIN] if quick else list(READINGS.values())


def ran(data: Data, reading: Reading) -> bool:
    """Whether a reading was run."""
    return not data.quick or reading == MAIN


def judged(statement: Statement[Reading], tcps: Iterable[str]) -> Criterion:
    """The criterion of a statement on these TCPs, with what the other readings give that differ for them."""
    about = tuple(tcps)
    cases = {
        label: reading
        for label, reading in READINGS.items()
        if reading == MAIN or any(reading.case(tcp) != MAIN.case(tcp) for tcp in about)
    }
    return statement.judged(cases, ran=ran)


def rate(data: Data, case: Case, name: str, seed: int) -> float:
    """What a flow or a receiver got over the whole run, kbit/s, headers included."""
    return data.run(case, seed)[name, "rate_all"] / 1e3


def mean_rate(data: Data, case: Case, name: str) -> Estimate:
    """The mean over the seeds of what a flow or a receiver got, kbit/s, headers included."""
    return data.over_seeds(lambda seed: rate(data, case, name, seed))


def alone(data: Data, case: Case, branch: str = SATELLITE) -> Estimate:
    """MLDA where it is alone, kbit/s."""
    return mean_rate(data, case, case.branches[branch].alone)


def shared(data: Data, case: Case, branch: str = SATELLITE) -> Estimate:
    """MLDA beside TCP, kbit/s."""
    return mean_rate(data, case, case.branches[branch].shared)


def tcp(data: Data, case: Case, branch: str = SATELLITE) -> Estimate:
    """TCP beside MLDA, kbit/s."""
    return mean_rate(data, case, case.branches[branch].tcp)


def fairness(data: Data, case: Case, branch: str = SATELLITE) -> Estimate:
    """F, what TCP gets over what MLDA gets beside it: the ratio of the means, with the interval of pairs."""
    place = case.branches[branch]
    return ratio(data, (case, place.tcp), (case, place.shared))


def printed_cell(name: str, published: float, measure: Measure) -> Statement[Reading]:
    """A printed cell of a table: it agrees within a quarter of it, up and down."""
    low, high = ((1 + sign * CELL) * published for sign in (-1, 1))
    return Statement(name=name, published=published, measure=measure, low=low, high=high, cell=True)


def cells(
    words: str, printed: Printed, case: Callable[[Reading], Case], branch: str = SATELLITE
) -> list[Statement[Reading]]:
    """The cells of a column: the three rates, and f."""
    rows = (
        ("MLDA where it is alone, kbit/s", printed.alone, alone),
        ("MLDA beside TCP, kbit/s", printed.shared, shared),
        ("TCP beside MLDA, kbit/s", printed.tcp, tcp),
        ("TCP divided by MLDA, f", printed.fairness, fairness),
    )
    return [
        printed_cell(f"{words}: {name}", published, partial(_of_column, what, case, branch))
        for name, published, what in rows
    ]


def _of_column(
    what: Callable[[Data, Case, str], Estimate],
    case: Callable[[Reading], Case],
    branch: str,
    data: Data,
    reading: Reading,
) -> Measured:
    return Measured.of(what(data, case(reading), branch))


def over_subsets(data: Data, of: Callable[[Data], float]) -> Estimate:
    """What is made of all seeds together, with the interval of leaving out one at a time."""
    return jackknife(lambda seeds: of(Data(data.points, seeds, quick=data.quick)), data.seeds)


def ratio(data: Data, above: tuple[Case, str], below: tuple[Case, str]) -> Estimate:
    """The rate of one over that of another, each a case and a name: the ratio of the means over the seeds."""

    def of(seeds: Sequence[int]) -> float:
        sums = [math.fsum(rate(data, case, name, seed) for seed in seeds) for case, name in (above, below)]
        return sums[0] / sums[1] if sums[1] > 0 else math.inf

    return jackknife(of, data.seeds)


def part(found: Estimate, branch: str = SATELLITE) -> Estimate:
    """A rate as a part of the link's, in per cent."""
    return scaled(found, 100 / LINK_KBPS[branch])


def full(data: Data, case: Case, branch: str = SATELLITE) -> Estimate:
    """MLDA and TCP together at the shared receiver, per cent of the link."""
    place = case.branches[branch]
    together = data.over_seeds(
        lambda seed: math.fsum(rate(data, case, name, seed) for name in (place.shared, place.tcp))
    )
    return part(together, branch)


def recognised(data: Data, case: Case, receiver: str) -> Estimate:
    """Which part of the losses by link errors loss differentiation recognised; NaN if there were none."""
    return _confusion(data, case, receiver, *LINK_LOSSES)


def mistaken(data: Data, case: Case, receiver: str) -> Estimate:
    """Which part of the losses by congestion it took for link errors; NaN if there were none."""
    return _confusion(data, case, receiver, *CONGESTION_LOSSES)


def _confusion(data: Data, case: Case, receiver: str, counted: str, other: str) -> Estimate:
    def of(seeds: Sequence[int]) -> float:
        sums = [math.fsum(data.run(case, seed)[receiver, f"{name}_all"] for seed in seeds) for name in (counted, other)]
        return sums[0] / sum(sums) if sum(sums) else math.nan

    return jackknife(of, data.seeds)


def told(data: Data, case: Case, receiver: str, of: Callable[[Data, Case, str], Estimate]) -> str:
    """``33 ± 19 % of 2.4``: `recognised` or `mistaken`, and of how many losses per run; ``none lost`` without any."""
    counted = LINK_LOSSES if of is recognised else CONGESTION_LOSSES
    losses = data.over_seeds(lambda seed: math.fsum(data.run(case, seed)[receiver, f"{name}_all"] for name in counted))
    return f"{scaled(of(data, case, receiver), 100)} % of {plain(losses.mean, 2)}" if losses.mean else "none lost"


def of_case(what: Callable[[Data, Case], Estimate], tcp_name: str, ber: float, *, terrestrial: bool = False) -> Measure:
    """A measure of statements: an estimate of one case."""
    return partial(_of_case, what, tcp_name, ber, terrestrial)


def _of_case(
    what: Callable[[Data, Case], Estimate], tcp_name: str, ber: float, terrestrial: bool, data: Data, reading: Reading
) -> Measured:
    return Measured.of(what(data, reading.case(tcp_name, ber, terrestrial=terrestrial)))


def with_part(found: Estimate, branch: str = SATELLITE) -> str:
    """``244.7 ± 3.1 (82)``: a rate, and in brackets per cent of the link."""
    return f"{found} ({plain(part(found, branch).mean, 2)})"


def intervals() -> int:
    """Rows of a run."""
    return round(DURATION_S / INTERVAL_S)
