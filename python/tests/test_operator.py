"""x-operator: what is put into the beam, what is counted, and how it is judged."""

from __future__ import annotations

import math
import tomllib
from array import array
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from faircast.errors import InputError
from faircast.experiment import (
    AGREES,
    DISAGREES,
    IDENTITY,
    REPORTED,
    UNDECIDED,
    Criterion,
    Data,
    PointData,
    Verdict,
    judge,
    overall,
)
from faircast.experiments import load
from faircast.experiments.operator import film
from faircast.experiments.operator.beam import DURATION_S, FILMS, LOADS, QUEUES, TERMINALS, WARMUP_S, WET, Case
from faircast.experiments.operator.beam import scenario as of_case
from faircast.experiments.operator.measures import DRY, MEASURES, SHOWERED, apart, still
from faircast.figures import style
from faircast.narrowing import narrow
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

EXPERIMENT = load("x-operator")
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "scenarios" / "operator.toml"
NONE: Any = None


Of = Callable[[Case, int], float]
"""What is made up for a case and a seed."""


def run(stalled_s: Callable[[int], float], shown_mbps: float, page_s: float, slow_s: float, lost: float) -> RunSummary:
    """Of viewers that stood still for so long each, and pages that took so long; so many of 200 came to no end."""
    values = {(f"film-{viewer}", "stalled"): stalled_s(viewer) for viewer in range(TERMINALS)}
    values |= {
        ("film", "startup_delay_p50_all"): 8.0,
        ("film", "quality_mean"): 2.5,
        ("film", "media_rate_mean"): 1e6 * shown_mbps,
        ("pages", "completion_p50"): page_s,
        ("pages", "completion_p95"): slow_s,
        ("pages", "transfers"): 200.0,
        ("pages", "unfinished"): lost,
    }
    return RunSummary(Layout(tuple((*key, "") for key in values)), array("d", values.values()))


def of_seed(seed: int) -> float:
    """What a seed has more than others in all cases, as its pages are larger: 0, 8 and so on."""
    return 8.0 * (seed - 1)


def noise(case: Case, seed: int) -> float:
    """What differs from case to case as well, by up to 0.04."""
    return 0.01 * ((len(case.film) + 2 * len(case.queue) + 3 * seed * len(case.film)) % 5)


# As it is expected: what each scheme shows in the class at each load; what it shows elsewhere; how long pages take.
IN_CLASS = {
    "constant": (3.8, 3.8, 3.8),
    "rlm": (3.7, 3.7, 3.7),
    "blocking": (3.68, 2.0, 1.5),
    "smcc": (3.0, 2.5, 2.0),
    "tfmcc": (2.5, 2.0, 1.0),
}
SLOW_S = {"constant": 7.0, "rlm": 6.0, "blocking": 4.0, "smcc": 4.5, "tfmcc": 4.2}
QUEUED_S = {"quarter": -1.0, "one": 3.0, "codel": -0.5, "fair": -2.0, "class": 0.0}


def shown(case: Case, seed: int) -> float:
    """As expected; seeds differ by much more than schemes."""
    elsewhere = 0.0 if case.queue == "class" else -0.3
    return IN_CLASS[case.film][LOADS.index(case.load)] + elsewhere + of_seed(seed) + noise(case, seed)


def page(case: Case, seed: int) -> float:
    """As expected: the median one, shorter by half a second with proxies."""
    full = 0.0 if case.load == 0.3 else SLOW_S[case.film] / 10
    return 2.0 + full + of_seed(seed) + noise(case, seed) - 0.5 * case.pep


def slow(case: Case, seed: int) -> float:
    """As expected, that within which 95 % are there."""
    full = 0.0 if case.load == 0.3 else SLOW_S[case.film] + QUEUED_S[case.queue]
    return 3.0 + full + of_seed(seed) + noise(case, seed) - 0.7 * case.pep


def data(
    stalled_s: Callable[[int], float] = lambda _viewer: 0.0,
    *,
    shown: Of = shown,
    page: Of = page,
    slow: Of = slow,
    lost: Of = lambda _case, _seed: 3.0,
    seeds: Callable[[Case], Sequence[int]] = lambda _case: (1, 2, 3, 4),
    quick: bool = False,
) -> Data:
    """All cases, each with its seeds."""
    points = {
        case: PointData(
            NONE,
            {
                seed: run(stalled_s, shown(case, seed), page(case, seed), slow(case, seed), lost(case, seed))
                for seed in seeds(case)
            },
        )
        for case in film.cases(quick)
    }
    return Data(points, sorted(set.union(*(set(seeds(case)) for case in film.cases(quick)))), quick=quick)


def without(found: Data, *gone: Case) -> Data:
    """The same with some cases not run."""
    return Data({key: of for key, of in found.points.items() if key not in gone}, found.seeds, quick=found.quick)


def named(*words: str) -> Criterion:
    """The criterion in whose name all of this stands."""
    (found,) = [one for one in EXPERIMENT.criteria if all(word in one.name for word in words)]
    return found


def in_class(name: str, load: float = 0.6) -> Case:
    """A scheme in the class, without proxies."""
    return Case(film=name, queue="class", load=load, pep=False)


TFMCC_SHOWN = ("load 60 %", "what is shown", "TFMCC beside RLM")
CONSTANT_PAGES = ("load 60 %", "95 % of the pages", "constant beside RLM")


def test_every_case_is_run_and_they_are_few_enough() -> None:
    points = EXPERIMENT.points(False)
    assert len(points) == len(FILMS) * len(QUEUES) * len(LOADS) * 2 == 150
    assert len({point.key for point in points}) == 150
    assert len(points) * EXPERIMENT.reps <= 600
    assert not EXPERIMENT.goes_on, "or undecided ones would make it 6000"
    for point in points:
        resolve(point.scenario)
    quick = EXPERIMENT.points(True)
    assert len(quick) == 12
    assert {point.key.load for point in quick} == {film.SHOWN_LOAD}


def test_it_can_be_narrowed_to_some_cases() -> None:
    def of(only: Mapping[str, Any], *, quick: bool = False) -> list[Any]:
        return [point.key for point in narrow(EXPERIMENT, only).points(quick)]

    whole = {point.key: point.scenario for point in EXPERIMENT.points(False)}
    (one,) = narrow(EXPERIMENT, {"film": "rlm", "queue": "class", "load": "60 %", "proxy": "yes"}).points(False)
    assert one.key == Case(film="rlm", queue="class", load=0.6, pep=True)
    assert one.scenario == whole[one.key]
    assert len(of({"queue": "class"})) == len(FILMS) * len(LOADS) * 2 == 30
    assert {case.pep for case in of({"proxy": "no"})} == {False}
    # What is named is meant with --quick, too; of the rest there are few.
    assert {(case.film, case.queue, case.load) for case in of({"load": "90%", "film": "smcc"}, quick=True)} == {
        ("smcc", "one", 0.9),
        ("smcc", "class", 0.9),
    }
    with pytest.raises(InputError, match="load has no value 50%"):
        of({"load": "50%"})


def test_few_cases_can_be_shown() -> None:
    """Those with proxies at one load that is not the usual one; what is held against others is only reported."""
    found = data()
    few = without(found, *(case for case in film.cases(False) if not (case.load == 0.9 and case.pep)))
    assert EXPERIMENT.numbers is not None
    assert EXPERIMENT.figure is not None
    table = EXPERIMENT.numbers(few)
    assert len(table.rows) == 25
    assert "90 %" in table.note
    with style():
        drawn = EXPERIMENT.figure(few)
    (axes,) = drawn.axes
    assert axes.get_title(loc="left") + axes.get_title() == "load of pages 90 %, with proxies"
    verdicts = [judge(one, few).verdict for one in EXPERIMENT.criteria]
    assert {one for one in verdicts if one != REPORTED} == {IDENTITY, AGREES}, "of pages, and of the class"
    assert len([one for one in verdicts if one != REPORTED]) == 2


def test_the_example_is_one_of_the_cases() -> None:
    case = of_case(Case(film="rlm", queue="one", load=0.6, pep=False))
    example = tomllib.loads(EXAMPLE.read_text())
    for one in (case, example):
        for key in ("name", "description", "probes"):
            one.pop(key, None)
    assert resolve(example | {"name": "x"}).json == resolve(case | {"name": "x"}).json


@pytest.mark.parametrize("queue", QUEUES)
def test_layer_blocking_is_told_of_the_queue_and_nobody_else(queue: str) -> None:
    for name in FILMS:
        down = of_case(Case(film=name, queue=queue, load=0.3, pep=False))["topology"]["branches"]["beam"]["down"]
        assert ("agent" in down) == (name == "blocking")
        assert name != "blocking" or ("reads" in down["agent"]) == (down["queue"]["kind"] != "drop-tail")


def test_pictures_that_never_come_stand_still_all_the_time() -> None:
    counted_s = DURATION_S - WARMUP_S
    found = data(lambda viewer: math.nan if viewer == 0 else 20.0 if viewer in SHOWERED else 0.0)
    case = Case(film="rlm", queue="one", load=0.6, pep=False)
    one = found.run(case, 1)
    assert still(DRY, one, case) == pytest.approx(100 / (TERMINALS - WET))
    assert still(SHOWERED, one, case) == pytest.approx(100 * 20 / counted_s)
    assert MEASURES["unfinished_percent"].over_seeds(found, case).mean == pytest.approx(1.5)


def test_what_nobody_minds_agrees_and_more_does_not() -> None:
    first = named("constant layers, dry terminals")
    assert judge(first, data()).verdict == AGREES
    # 0.15 % of the time of all dry viewers; of those under the shower nothing is asked.
    assert judge(first, data(lambda viewer: 0.3 if viewer in DRY else 0.0)).verdict == DISAGREES
    assert judge(first, data(lambda viewer: 90.0 if viewer in SHOWERED else 0.0)).verdict == AGREES
    # Nor is it of other queues.
    still_elsewhere = {key: of for key, of in data(lambda _viewer: 9.0).points.items() if "class" not in repr(key)}
    found = data()
    found.points = {**found.points, **still_elsewhere}
    assert judge(first, found).verdict == AGREES


def test_a_case_is_apart_from_another_by_the_interval_of_its_pairs() -> None:
    """Differences of 1, 2, 3 and 4 s: 2.5 s, and 3.182 times 1.291 / 2 to each side, however seeds differ."""
    more, less = in_class("constant"), in_class("rlm")
    found = apart(data(slow=lambda case, seed: of_seed(seed) + seed * (case == more)), "page_p95_s", more, less)
    assert found is not None
    assert (found.difference.n, found.seeds, found.unsure) == (4, 4, 0)
    assert found.difference.mean == pytest.approx(2.5)
    assert found.difference.ci95 == pytest.approx(3.18245 * 1.29099 / 2, rel=1e-4)


def test_all_criteria_hold_of_what_is_expected_although_seeds_differ_more_than_cases() -> None:
    verdicts = [judge(one, data()) for one in EXPERIMENT.criteria]
    assert {one.name: one.verdict for one in verdicts if one.verdict != AGREES} == {verdicts[0].name: IDENTITY}
    assert overall(verdicts) == AGREES
    assert 20 <= len(verdicts) <= 40


def test_no_criterion_holds_of_the_opposite() -> None:
    """Signs turned round, and what should be the same is not."""
    found = data(
        lambda viewer: 50.0,
        shown=lambda case, seed: -2 * shown(case, seed) + 3 * (case.film == "blocking") + 3 * of_seed(seed),
        page=lambda case, seed: 3 * of_seed(seed) - 2 * page(case, seed),
        slow=lambda case, seed: (
            3 * of_seed(seed) - 2 * slow(case, seed) - 2 * (case.film == "rlm") * (case.load == 0.3)
        ),
    )
    assert {judge(one, found).verdict for one in EXPERIMENT.criteria[1:]} == {DISAGREES}


def test_a_difference_about_zero_is_undecided() -> None:
    turned = data(slow=lambda case, seed: of_seed(seed) + (-1) ** seed * (case.film == "constant") + 0.1)
    found = judge(named(*CONSTANT_PAGES), turned)
    assert found.verdict == UNDECIDED
    assert found.straddles == 0


def test_what_should_be_the_same_is_judged_by_what_nobody_minds() -> None:
    criterion = named("load 30 %", "95 % of the pages", "layer blocking")

    def by(*differences_s: float) -> str:
        chosen = dict(zip((1, 2, 3, 4), differences_s, strict=True))
        more = in_class("blocking", 0.3)
        return judge(criterion, data(slow=lambda case, seed: of_seed(seed) + chosen[seed] * (case == more))).verdict

    assert by(0.1, 0.12, 0.08, 0.1) == AGREES
    assert by(-0.1, -0.12, -0.08, -0.1) == AGREES
    assert by(0.3, 0.31, 0.29, 0.3) == DISAGREES
    assert by(0.0, 0.3, 0.0, 0.3) == UNDECIDED


def test_only_seeds_that_both_have_are_pairs() -> None:
    more, less = in_class("tfmcc"), in_class("rlm")
    found = data(seeds=lambda case: (1, 2, 3) if case == more else (2, 3, 4))
    pairs = apart(found, "shown_mbps", more, less)
    assert pairs is not None
    assert (pairs.seeds, pairs.difference.n) == (2, 2)
    expected = [shown(more, seed) - shown(less, seed) for seed in (2, 3)]
    assert pairs.difference.mean == pytest.approx(sum(expected) / 2)
    assert judge(named(*TFMCC_SHOWN), found).verdict == AGREES
    assert MEASURES["shown_mbps"].over_seeds(found, more).n == 3
    alone = judge(named(*TFMCC_SHOWN), data(seeds=lambda case: (1,) if case == more else (2,)))
    assert (alone.verdict, alone.measured) == (UNDECIDED, None)
    assert "no pair" in alone.note


def test_one_pair_decides_nothing() -> None:
    found = data(seeds=lambda _case: (1,))
    verdict = judge(named(*TFMCC_SHOWN), found)
    assert verdict.verdict == UNDECIDED
    assert verdict.note == "1 pair and no interval"
    assert verdict.measured == pytest.approx(-1.7, abs=0.05)
    assert judge(named("load 60 %", "save of the time of the median page"), found).verdict == UNDECIDED


def test_a_case_that_was_not_run_is_held_against_nothing() -> None:
    criterion = named(*TFMCC_SHOWN)
    assert judge(criterion, without(data(), in_class("tfmcc"))).verdict == REPORTED
    assert judge(criterion, without(data(), in_class("rlm"))).verdict == REPORTED
    split = without(data(), in_class("tfmcc").changed(pep=True))
    assert (judge(criterion, split).verdict, judge(criterion, split).beside) == (AGREES, "")
    beside = judge(criterion, data()).beside
    assert beside.startswith("with proxies: -1.7")
    assert beside.endswith(", holds")
    assert {judge(one, Data({}, [1], quick=False)).verdict for one in EXPERIMENT.criteria} == {REPORTED}


def test_what_is_not_defined_with_a_seed_decides_nothing() -> None:
    more = in_class("constant")
    found = data(slow=lambda case, seed: math.nan if (case, seed) == (more, 3) else slow(case, seed))
    verdict = judge(named(*CONSTANT_PAGES), found)
    assert verdict.verdict == UNDECIDED
    assert verdict.note == "undefined in 1 of 4 pairs"
    assert verdict.measured == pytest.approx(1.0, abs=0.1)
    none = judge(named(*CONSTANT_PAGES), data(slow=lambda case, seed: math.nan))
    assert (none.verdict, none.measured) == (UNDECIDED, None)


@pytest.mark.parametrize("scheme", ["constant", "rlm"])
def test_a_percentile_among_unfinished_pages_decides_nothing(scheme: str) -> None:
    """Of 200 pages the 190th is that of 95 %: it is known with 10 unfinished ones and not with 11."""
    case = in_class(scheme)
    criterion = named(*CONSTANT_PAGES)
    assert judge(criterion, data(lost=lambda one, seed: 10.0)).verdict == AGREES
    found = judge(criterion, data(lost=lambda one, seed: 11.0 if (one, seed) == (case, 2) else 3.0))
    assert found.verdict == UNDECIDED
    assert "in 1 of 4 pairs the time in which 95 % of the pages come is at least so long" in found.note
    # The median one is known, and what is shown has nothing to do with pages.
    most = data(lost=lambda one, seed: 90.0)
    assert judge(named("load 90 %", "median page", "constant beside RLM"), most).verdict == AGREES
    assert judge(named(*TFMCC_SHOWN), most).verdict == AGREES


def test_proxies_must_save_time_in_every_case() -> None:
    criteria = [named(f"load {percent} %", "save of the time of the median page") for percent in (30, 60, 90)]
    worse = Case(film="tfmcc", queue="fair", load=0.6, pep=True)

    def judged(added: Of) -> list[Verdict]:
        return [judge(one, data(page=lambda case, seed: page(case, seed) + added(case, seed))) for one in criteria]

    assert [one.verdict for one in judged(lambda case, seed: 0.0)] == [AGREES] * len(LOADS)
    slower = judged(lambda case, seed: 1.0 * (case == worse))
    assert [one.verdict for one in slower] == [AGREES, DISAGREES, AGREES]
    assert "TFMCC in FQ-CoDel" in slower[1].note
    # In the mean it saves more than others there, but nobody knows.
    unsure = judged(lambda case, seed: -2.0 * (seed % 2) * (case == worse))
    assert [one.verdict for one in unsure] == [AGREES, UNDECIDED, AGREES]
    assert "TFMCC in FQ-CoDel" in unsure[1].note
    # Where there are no runs with proxies nothing is said of them.
    found = without(data(page=lambda case, seed: page(case, seed) + 1.0 * (case == worse)), worse)
    assert [judge(one, found).verdict for one in criteria] == [AGREES] * len(LOADS)
    assert judge(criteria[1], found).note.endswith("least certain of 24 cases")
    # What says that they lengthen pages outweighs what says nothing, whose interval reaches lower.
    wide = Case(film="rlm", queue="one", load=0.6, pep=True)
    both = judged(lambda case, seed: 1.0 * (case == worse) + 90.0 * (-1) ** seed * (case == wide))
    assert [one.verdict for one in both] == [AGREES, DISAGREES, AGREES]


def test_proxies_that_do_nothing_to_the_slowest_pages_are_told() -> None:
    criterion = named("load 60 %", "save of the time in which 95 %")
    found = judge(criterion, data(slow=lambda case, seed: slow(case, seed) + 1.4 * case.pep))
    assert found.verdict == DISAGREES
    assert found.measured == pytest.approx(-0.7)


def test_cases_are_pairs_as_they_have_the_same_pages() -> None:
    found = data()
    assert judge(EXPERIMENT.criteria[0], found).verdict == IDENTITY
    (case, *_) = found.points
    summary = found.points[case].summaries[2]
    summary.values[summary.layout.rows.index(("pages", "transfers", ""))] += 1
    assert judge(EXPERIMENT.criteria[0], found).verdict == DISAGREES


@pytest.mark.parametrize("quick", [False, True])
def test_it_can_be_shown(quick: bool) -> None:
    found = data(quick=quick)
    assert EXPERIMENT.numbers is not None
    assert EXPERIMENT.cells is not None
    assert EXPERIMENT.figure is not None
    table = EXPERIMENT.numbers(found)
    assert len(table.rows) == (12 if quick else 50)
    assert all(len(row) == len(table.columns) for row in table.rows)
    cells = EXPERIMENT.cells(found)
    assert len(cells) == len(found.points)
    first = film.cases(quick)[0]
    assert cells[0]["page_p95_s"] == pytest.approx(sum(slow(first, seed) for seed in (1, 2, 3, 4)) / 4)
    assert set(MEASURES) <= set(cells[0])
    assert "constant, film first" in EXPERIMENT.says(found)
    with style():
        drawn = EXPERIMENT.figure(found)
    assert len(drawn.axes) == (2 if quick else 6)
    verdicts = [judge(criterion, found) for criterion in EXPERIMENT.criteria]
    assert sum(one.verdict == AGREES for one in verdicts) == (8 if quick else len(verdicts) - 1)
