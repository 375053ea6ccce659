"""What an operator may expect of the beam, with why, and how the runs answer: seed by seed.

Two of the four seeds had been looked at when it was written down, and all four of RLM and constant layers in the class
at 60 %: constant layers beside RLM and what proxies save of 95 % there were no predictions. Where nothing could be
said beforehand, as of pages beside RLM in CoDel and in the class, there is no criterion. A criterion is decided by the
95 % interval of the differences of pairs (`measures.apart`), and undecided

* if zero, or a bound of what nobody minds, lies in it;
* if there are fewer than two pairs, which have no interval;
* if in one of the runs it is not defined, or a percentile of pages is known only as at least so much, as so many were
  unfinished.

With a criterion in twenty decided wrongly by luck, one or two of these may be.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from faircast.experiment import Criterion, Measured
from faircast.experiments.judging import judged
from faircast.experiments.operator.beam import FILMS, LOADS, QUEUES, Case
from faircast.experiments.operator.measures import MEASURES, Apart, apart

if TYPE_CHECKING:
    from faircast.experiment import Data

SHOWN, MEDIAN, SLOW = "shown_mbps", "page_p50_s", "page_p95_s"
NAMED = {
    SHOWN: "what is shown of the film",
    MEDIAN: "the time of the median page",
    SLOW: "the time in which 95 % of the pages come",
}
UNITS = {SHOWN: "Mbit/s", MEDIAN: "s", SLOW: "s"}
SAME = {SHOWN: 0.1, MEDIAN: 0.2, SLOW: 0.2}
"""What nobody minds: a fortieth of the film, a third of a round trip."""
PROXIES = {False: "without proxies", True: "with proxies"}
STEADY_PERCENT = 0.1
"""A picture that stands still for a smaller part of the time stands still for no time that anybody minds."""
FILLED = 0.9
"""The load at which more than one page in twenty is unfinished, so that 95 % of them take at least so long: there the
median page is held."""


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two cases, of which the first should have more."""

    more: Case
    less: Case

    def changed(self, *, pep: bool) -> Pair:
        """Both cases with proxies, or without."""
        return Pair(more=self.more.changed(pep=pep), less=self.less.changed(pep=pep))


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What is expected of one scheme, or one queue, beside another one at a load."""

    more: bool | None
    """Whether it has more than the other one; None if nobody minds the difference."""
    why: str


# By loads of 30, 60 and 90 %. At 30 % film and pages do not fill the carrier, not even under the shower: a film that
# takes three times the symbols is 12 of 36 Mbit/s, and pages are 11.
FULL = "the carrier is not full"
ALWAYS = Expected(more=True, why="more, as RLM's receivers leave layers under the shower")
ROOM = Expected(more=None, why=f"the same, as {FULL}")
BY_RAIN = Expected(more=False, why="less, as its equation takes losses by rain for congestion")
WORST = Expected(more=False, why="less, as the worst of 300 receivers sets the rate for all")
HELD = Expected(more=False, why="less, as the router holds the film to what a TCP gets")
SPARED = Expected(more=True, why="later, as layers that RLM's receivers left are sent for the dry ones alone")
SENT = Expected(more=False, why="sooner, as less of the film is sent")
BESIDE_RLM: dict[str, dict[str, tuple[Expected, Expected, Expected]]] = {
    "constant": {SHOWN: (ALWAYS, ALWAYS, ALWAYS), "pages": (ROOM, SPARED, SPARED)},
    "blocking": {SHOWN: (ROOM, HELD, HELD), "pages": (ROOM, SENT, SENT)},
    "smcc": {SHOWN: (BY_RAIN, BY_RAIN, BY_RAIN), "pages": (ROOM, SENT, SENT)},
    "tfmcc": {SHOWN: (WORST, WORST, WORST), "pages": (ROOM, SENT, SENT)},
}
"""By scheme what it has beside RLM, in the class: of what is shown, and of the time that pages take."""
LOST = Expected(more=False, why="less, as pages fill the queue and receivers leave layers that lose packets")
SHARE = Expected(more=False, why="less, as the film is one flow among those of all pages")
BESIDE_CLASS: dict[str, Expected] = {"quarter": LOST, "one": LOST, "codel": LOST, "fair": SHARE}
"""By queue what it shows of RLM's film at 90 %, beside the class."""
PAGES_BESIDE_CLASS: dict[str, Expected] = {
    "one": Expected(more=True, why="later, as a full queue is a round trip"),
    "fair": Expected(more=False, why="sooner, as the film has no more than its share"),
}
"""By queue how long pages take there beside RLM at 60 %; of the other two nothing could be said beforehand."""


def pages_at(load: float) -> str:
    """How long pages take at this load."""
    return MEDIAN if load >= FILLED else SLOW


def of_schemes() -> list[Criterion]:
    """Each scheme beside RLM, in the class, at each load."""
    return [
        in_pairs(
            f"load {100 * load:.0f} %, the film first: {NAMED[measure]}, {FILMS[film].title} beside RLM",
            measure,
            expected,
            of_case("class", film, load),
            of_case("class", "rlm", load),
        )
        for film, things in BESIDE_RLM.items()
        for what, by_load in things.items()
        for load, expected in zip(LOADS, by_load, strict=True)
        for measure in [SHOWN if what == SHOWN else pages_at(load)]
    ]


def of_queues() -> list[Criterion]:
    """Each other queue beside the class, with RLM."""
    return [
        in_pairs(
            f"load {100 * load:.0f} %, RLM: {NAMED[measure]}, {QUEUES[queue].title} beside the film first",
            measure,
            expected,
            of_case(queue, "rlm", load),
            of_case("class", "rlm", load),
        )
        for measure, load, queues in ((SHOWN, 0.9, BESIDE_CLASS), (SLOW, 0.6, PAGES_BESIDE_CLASS))
        for queue, expected in queues.items()
    ]


def of_proxies() -> list[Criterion]:
    """What proxies save of the median page in all cases, and of 95 % of the pages beside RLM in the class."""
    why = "something, as they begin with 40 segments"
    return [
        *(
            Criterion(
                name=f"load {100 * load:.0f} %: what proxies save of {NAMED[MEDIAN]}, the least certain case (s)",
                published=why,
                evaluate=partial(saved_everywhere, load),
                rule="pages come sooner with proxies in every case",
            )
            for load in LOADS
        ),
        *(
            Criterion(
                name=f"load {100 * load:.0f} %, the film first, RLM: what proxies save of {NAMED[SLOW]} (s)",
                published=why,
                evaluate=partial(saved, load),
                rule="pages come sooner with proxies",
            )
            for load in LOADS
            if load < FILLED
        ),
    ]


def of_case(queue: str, film: str, load: float) -> Case:
    """A case without proxies."""
    return Case(film=film, queue=queue, load=load, pep=False)


def in_pairs(name: str, measure: str, expected: Expected, one: Case, other: Case) -> Criterion:
    """What the first case has more than the second, without proxies; the same with them stands beside."""
    pair = Pair(more=one, less=other)
    same = SAME[measure]
    low, high = (None, None) if expected.more is not None else (-same, same)
    rules = {True: "it is greater than zero", False: "it is less than zero", None: ""}
    return judged(
        f"{name} ({UNITS[measure]})",
        expected.why,
        partial(held, measure, expected),
        {words: pair.changed(pep=pep) for pep, words in PROXIES.items()},
        low=low,
        high=high,
        rule=rules[expected.more],
        ran=lambda data, case: both(data, case) is not None,
    )


def both(data: Data, pair: Pair) -> Pair | None:
    """The pair with the duration of what was run, as ``--quick`` has shorter runs; None if one of both was not."""
    cases = {replace(case, duration_s=0): case for case in data.points if isinstance(case, Case)}
    more, less = (cases.get(replace(case, duration_s=0)) for case in (pair.more, pair.less))
    return None if more is None or less is None else Pair(more=more, less=less)


def held(measure: str, expected: Expected, data: Data, pair: Pair) -> Measured:
    """What the first case of a pair has more than the second, and whether that is as expected."""
    ran = both(data, pair)
    found = None if ran is None else apart(data, measure, ran.more, ran.less)
    if found is None:
        return Measured(value=None, judged=False)
    holds = None if expected.more is None else (found.difference.mean > 0) == expected.more
    return in_words(found, measure, holds)


def in_words(found: Apart, measure: str, holds: bool | None, note: str = "") -> Measured:
    """A difference in pairs as a criterion has it: an ordering turns round at zero, and what is unsure is undecided.

    A pair in which something is undefined is not left out at random, as so little was finished there.
    """
    of = found.difference
    reasons = []
    if found.unsure:
        reasons.append(
            f"in {found.unsure} of {found.seeds} pairs {NAMED[measure]} is at least so long, which bounds nothing"
        )
    if of.n < found.seeds:
        reasons.append(f"undefined in {found.seeds - of.n} of {found.seeds} pairs")
    if of.ci95 is None:
        reasons.append(f"{of.n or 'no'} pair{'s' if of.n > 1 else ''} and no interval")
    return Measured(
        value=of.mean if of.n else None,
        ci95=of.ci95,
        holds=holds,
        turns_at=0.0 if holds is not None else None,
        undecided=bool(reasons),
        note="; ".join(part for part in (*reasons, note) if part),
    )


def saved(load: float, data: Data) -> Measured:
    """By how much proxies shorten the time of 95 % of the pages, beside RLM in the class."""
    case = of_case("class", "rlm", load)
    return held(SLOW, Expected(more=True, why=""), data, Pair(more=case, less=case.changed(pep=True)))


def saved_everywhere(load: float, data: Data) -> Measured:
    """By how much proxies shorten the time of the median page in the case that is least certain.

    That is one in which they lengthen it, if there is one whose interval says so, or else the one whose interval
    reaches lowest; if that is above zero so are all.
    """
    cases = [case for case in data.points if isinstance(case, Case) and case.load == load and not case.pep]
    there = {case: apart(data, MEDIAN, case, case.changed(pep=True)) for case in cases}
    found = {case: one for case, one in there.items() if one is not None}
    if not found:
        return Measured(value=None, judged=False)

    def reaches(case: Case) -> tuple[int, float]:
        of = found[case].difference
        if of.ci95 is None or found[case].unsure:
            return 1, 0.0
        return (0, of.mean + of.ci95) if of.mean + of.ci95 < 0 else (2, of.mean - of.ci95)

    worst = min(found, key=reaches)
    note = f"{FILMS[worst.film].title} in {QUEUES[worst.queue].title}; least certain of {len(found)} cases"
    return in_words(found[worst], MEDIAN, found[worst].difference.mean > 0, note)


def film_first(data: Data) -> Measured:
    """How long pictures of dry viewers stand still at most where a film that does not adapt goes before all else."""
    cases = [case for case in data.points if isinstance(case, Case)]
    own = [case for case in cases if case.film == "constant" and case.queue == "class"]
    if not own:
        return Measured(value=None, judged=False)
    found = {case: MEASURES["still_dry_percent"].over_seeds(data, case) for case in own}
    worst = max(found, key=lambda case: found[case].mean)
    return Measured.of(found[worst], note=f"at a load of {100 * worst.load:.0f} %, {PROXIES[worst.pep]}")


def same_pages(data: Data) -> Measured:
    """By how many pages cases of one load differ at most with the same seed, so many as arrived after the warm-up."""
    arrived: dict[tuple[float, int], list[float]] = {}
    for case, point in data.points.items():
        if isinstance(case, Case):
            for seed, run in point.summaries.items():
                arrived.setdefault((case.load, seed), []).append(run["pages", "transfers"])
    most = max((max(counts) - min(counts) for counts in arrived.values()), default=None)
    return Measured(value=most, judged=most is not None)


CRITERIA = [
    Criterion(
        name="same load, same seed: by how many pages that arrived cases differ at most",
        published="none, so that cases are pairs",
        evaluate=same_pages,
        low=0,
        high=0,
        identity="arrivals are drawn from a stream of their own",
    ),
    Criterion(
        name="the film first, constant layers, dry terminals: part of the time without a moving picture (%)",
        published="none, as nothing goes before it",
        evaluate=film_first,
        high=STEADY_PERCENT,
    ),
    *of_schemes(),
    *of_queues(),
    *of_proxies(),
]
"""All of them: what pairs rest on, the class, schemes, queues, proxies."""
