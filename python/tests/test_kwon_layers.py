"""The figures of Kwon and Byers that have layers: criteria, and what is drawn, on runs made by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from kwon_runs import data_of, kept, of_layers, rows, told

from faircast import _native
from faircast.experiment import Data, Experiment, judge
from faircast.experiments.kwon import counting_layers, drawing, late_receiver, measures, more_traffic, two_receivers
from faircast.experiments.kwon import worst_dilation as worst
from faircast.experiments.kwon.course import Course, course
from faircast.experiments.kwon.network import LETTER, OURS
from faircast.scenario import resolve
from faircast.summary import from_columns


@pytest.fixture(autouse=True)
def only_tfmcc(monkeypatch: pytest.MonkeyPatch) -> None:
    """What else controls layers is left out, but where a test asks for it."""
    monkeypatch.setattr(measures, "REPORTED_CONTROLS", ())


def failing(experiment: Experiment, data: Data) -> list[int]:
    """The numbers of the criteria that are judged and do not hold."""
    verdicts = [judge(criterion, data).verdict for criterion in experiment.criteria]
    return [number for number, found in enumerate(verdicts) if found not in ("agrees", "by construction", "reported")]


def fig4(
    *, at: float = 48.2, length: float = 0.6, first: float = 2, second: float = 6, tcp: float = 7
) -> dict[str, Any]:
    """A run of Figure 4 in which S2 is on L_1 at that time, by an attempt of that length."""
    start = at - length
    return of_layers(
        two_receivers.MAIN,
        got={"session-0": first, "session-1": second, "tcp-1-0": 2, "tcp-1-1": 2, "tcp-2-0": tcp, "tcp-2-1": tcp},
        levels=[rows((0, 0)), rows((30, 0), (at, 1), (100, 0), (102, 1))],
        leads=[rows((0, 0)), rows((at + 0.1, 1))],
        attempts=[
            told(40, "join-begun", 1, 1),
            told(41, "join-failed", 1, 1, 5, 3),
            told(start - 0.4, "join-waiting", 1, 1),
            told(start, "join-begun", 1, 1),
            told(at, "join-succeeded", 1, 1, 9, 4),
        ],
    )


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({}, []),
        ({"at": 95.0}, [0]),
        ({"length": 5.5}, [1]),
        ({"first": 1.3}, [2]),
        ({"second": 4.4}, [3]),
        ({"first": 1.45, "second": 4.6, "tcp": 8.0}, [5]),
    ],
)
def test_criteria_of_figure_4(changes: dict[str, float], wrong: list[int]) -> None:
    data = data_of({two_receivers.MAIN: [fig4(**changes)] * 3})
    assert failing(two_receivers.EXPERIMENTS[0], data) == wrong


def test_what_is_said_of_figure_4() -> None:
    (experiment,) = two_receivers.EXPERIMENTS
    data = data_of({two_receivers.MAIN: [fig4(at=at) for at in (40.0, 60.0, 48.2)]})
    first, second, *_, last = (judge(criterion, data) for criterion in experiment.criteria)
    assert (first.measured, second.measured) == (pytest.approx(18.2), pytest.approx(0.6))
    assert "waits for 0.4 s before and adds 9 packets" in first.note
    assert "per run 1 attempts succeed, 1 fail and 0 are given up" in first.note
    # Two changes in 120 s.
    assert last.measured == pytest.approx(100 * 2 / 120)
    assert "S2 is on layer 1 after 18.2 s (median)" in experiment.says(data)
    # A run in which it never gets there counts as one that takes forever.
    nothing = fig4() | {"told": kept()["told"]}
    never = data_of({two_receivers.MAIN: [fig4(), nothing, nothing]})
    assert judge(experiment.criteria[0], never).measured == math.inf
    assert "does not get to layer 1" in experiment.says(never)


def test_the_figure_shows_the_run_in_the_middle() -> None:
    (experiment,) = two_receivers.EXPERIMENTS
    data = data_of({two_receivers.MAIN: [fig4(at=at) for at in (40.0, 60.0, 48.2)]})
    assert experiment.figure is not None
    drawn = experiment.figure(data)
    assert drawn.get_suptitle().startswith("seed 3: the median run")
    first, second, layers, strip = drawn.axes
    assert [axes.get_title(loc="left") for axes in (first, second)] == [
        "S1 and two TCP flows behind 6 Mbit/s",
        "S2 and two TCP flows behind 21 Mbit/s",
    ]
    ends = [line for line in second.lines if line.get_linestyle() == "None"]
    assert [(line.get_marker(), line.get_xdata()[0]) for line in ends] == [("x", 41), ("^", 48.2)]
    assert [line.get_label() for line in layers.lines][:4] == ["$R_0$", "$T_0$", "$R_1$", "$T_1$"]
    assert [label.get_text() for label in strip.get_yticklabels()] == ["$L_0$ led by", "$L_1$ led by"]
    legend = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert {"S1", "S2", "TCP flows", "joined", "join failed", "join given up", "$R_1$"} <= set(legend)


def test_what_else_controls_the_layers_stands_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "REPORTED_CONTROLS", (("tfmcc", OURS), ("pgmcc", LETTER)))
    ours, other = replace(two_receivers.MAIN, profile=OURS), replace(two_receivers.MAIN, control="pgmcc")
    assert [point.key for point in two_receivers.points(False)] == [two_receivers.MAIN, ours, other]
    assert len({point.scenario_of(1)["name"] for point in two_receivers.points(False)}) == 3
    data = data_of({two_receivers.MAIN: [fig4()], ours: [fig4(at=49.2)], other: [fig4(at=50.2)]})
    (experiment,) = two_receivers.EXPERIMENTS
    times = [judge(item, data) for item in experiment.criteria if item.name.startswith("time from the start")]
    assert [(item.measured, item.verdict) for item in times] == [(pytest.approx(18.2), "agrees")]
    drawn = two_receivers.figure(data)
    assert len(drawn.axes) == 8
    assert drawn.axes[1].get_title(loc="left").startswith("SMCC on pgmcc, seed 1\n")
    assert drawn.get_suptitle().startswith("the median runs by")
    assert list(measures.reported(two_receivers.MAIN).values()) == [ours, other]
    assert list(measures.reported(two_receivers.MAIN)) == ["SMCC on TFMCC, our default profile", "SMCC on pgmcc"]


def fig5(
    *, base: float = 4, after: float = 2, lead: float = 70.3, kept_mbps: float = 6.5, jump: float = 0, on_it: int = 1
) -> dict[str, Any]:
    """A run of Figure 5: what L_0 carries before and after S1 comes at 70 s, when that leads, what S2 keeps."""
    parts = 200 * [0.0]
    zero = [base if second < 70 else after for second in range(200)]
    one = [7.0 if second < 70 else 7.0 + jump for second in range(200)]
    return of_layers(
        late_receiver.MAIN,
        got={
            "session-0": [value + (2.0 if second >= 70 else math.nan) for second, value in enumerate(parts)],
            "session-1": [7.0 if second < 70 else kept_mbps for second in range(200)],
        },
        levels=[rows((70, 0)), rows((0, 0), (20, on_it))],
        leads=[rows((0, 1), (lead, 0)), rows((21, 1))],
        targets=[zero, one, one],
    )


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({}, []),
        ({"base": 3.7}, [0]),
        ({"lead": 72.1}, [1]),
        ({"after": 3.1}, [2]),
        ({"kept_mbps": 5.2}, [3]),
        ({"lead": 69.8, "jump": -1.1}, [4]),
        ({"lead": 69.8, "jump": -0.9}, []),
    ],
)
def test_criteria_of_figure_5(changes: dict[str, float], wrong: list[int]) -> None:
    found = fig5(**changes)  # type: ignore[arg-type]
    if changes.get("lead", 70.3) < 70:  # begins to lead at 70 s, when the targets change
        found["leads"][0] = rows((0, 1), (70.0, 0))
    data = data_of({late_receiver.MAIN: [found] * 20})
    assert failing(late_receiver.EXPERIMENTS[0], data) == wrong


def test_runs_in_which_s2_is_elsewhere_say_nothing_of_compensation() -> None:
    assert math.isnan(late_receiver.compensated(Course(**fig5(on_it=2))))
    data = data_of({late_receiver.MAIN: [fig5(), fig5(on_it=0)]})
    assert "in 1 of 2 runs" in judge(late_receiver.EXPERIMENTS[0].criteria[4], data).note
    assert "goes from 4 to 2 Mbit/s" in late_receiver.EXPERIMENTS[0].says(data)
    assert late_receiver.EXPERIMENTS[0].figure is not None
    assert late_receiver.EXPERIMENTS[0].figure(data) is not None


def fig9(
    *,
    there: bool = True,
    leads_s: float = 70.3,
    leaves_s: float = 75.7,
    elected_s: float = 76.2,
    back_s: float = 103.9,
    s3_mbps: float = 5,
    s2_late_mbps: float = 13,
    failed: int = 2,
    visits: tuple[tuple[float, float], ...] = (),
    dragged_mbps: float = 13,
) -> dict[str, Any]:
    """A run of Figure 9; `visits` are the times in which S3 is on L_1 again and leads it, T_1 being that low."""
    case = more_traffic.MAIN
    levels = [(0.0, 0.0), (20.0, 1.0 if there else 0.0), (leaves_s, 0.0)]
    leads: list[tuple[float, float]] = [(21.0, 1), (leads_s, 2), (elected_s, 1)]
    one = np.full(1500, 13.0)
    for begin, end in visits:
        levels += [(begin, 1), (end, 0)]
        leads += [(begin, 2), (end, 1)]
        one[round(10 * begin) : round(10 * end)] = dragged_mbps
    levels.append((back_s, 1))
    attempts = [told(80 + n, "join-failed", 2, 1, 5, 3) for n in range(failed)]
    s2 = [s2_late_mbps if 85 <= second < 100 else 13.0 for second in range(150)]
    s3 = [s3_mbps if 76 <= second < 104 else 13.0 for second in range(150)]
    return of_layers(
        case,
        got={"session-0": 4, "session-1": s2, "session-2": s3},
        levels=[rows((0, 0)), rows((0, 0), (15, 1)), rows(*levels)],
        leads=[rows((0, 0)), rows(*sorted(leads))],
        targets=[5, one.tolist(), 13],
        attempts=attempts,
    )


def of_fig9(additive: list[dict[str, Any]], direct: list[dict[str, Any]]) -> Data:
    return data_of({more_traffic.MAIN: additive, more_traffic.direct(more_traffic.MAIN): direct})


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [
        ({}, []),
        ({"leads_s": 75.5}, [1]),
        ({"leaves_s": 90.5, "elected_s": 91.0}, [2, 5]),
        ({"elected_s": 78.0}, [3]),
        ({"s3_mbps": 6.7}, [4]),
        ({"back_s": 121.0}, [6]),
        ({"s2_late_mbps": 10.0}, [7]),
        ({"failed": 7}, [8]),
        ({"visits": ((85.0, 86.0), (90.0, 91.5))}, [5]),
    ],
)
def test_criteria_of_figure_9a(changes: dict[str, Any], wrong: list[int]) -> None:
    # Of 21 runs 14 have to do: their interval begins at 0.43.
    data = of_fig9([fig9(**changes)] * 14 + [fig9(there=False)] * 7, [fig9()] * 21)
    assert failing(more_traffic.EXPERIMENTS[0], data) == wrong


def test_parts_and_medians_of_few_runs_are_undecided() -> None:
    found = of_fig9([fig9(), fig9(), fig9(there=False)], [fig9()] * 3)
    verdict = judge(more_traffic.EXPERIMENTS[0].criteria[0], found)
    assert (verdict.verdict, verdict.straddles) == ("undecided", 0.4)
    assert verdict.note.endswith("2 of 3 runs; its interval is 0.0943 to 0.992")
    # The median of three runs lies anywhere between their extremes.
    late = of_fig9([fig9(), fig9(), fig9(back_s=121.0)], [fig9()] * 3)
    verdict = judge(more_traffic.EXPERIMENTS[0].criteria[6], late)
    assert (verdict.verdict, verdict.straddles) == ("undecided", 120)


def test_runs_that_do_not_qualify_are_left_out() -> None:
    data = of_fig9([fig9(), fig9(there=False), fig9(leads_s=71.3)], [fig9()] * 3)
    verdicts = [judge(criterion, data) for criterion in more_traffic.EXPERIMENTS[0].criteria]
    assert verdicts[0].measured == pytest.approx(2 / 3)
    assert verdicts[1].measured == pytest.approx(0.8)
    # It is the run with additive joins that must qualify.
    elsewhere = of_fig9([fig9(), fig9(there=False)], [fig9(there=False), fig9()])
    assert more_traffic.qualifying(elsewhere, more_traffic.direct(more_traffic.MAIN)) == [1]
    few = of_fig9([fig9(), fig9(there=False), fig9(there=False)], [fig9()] * 3)
    assert failing(more_traffic.EXPERIMENTS[0], few) == [0]
    none = of_fig9([fig9(there=False)], [fig9()])
    assert failing(more_traffic.EXPERIMENTS[0], none) == list(range(9))


@pytest.mark.parametrize(
    ("visits", "dragged_mbps", "wrong"),
    [
        (((86.8, 88.8), (96.1, 99.3)), 9, []),
        (((86.8, 88.8),), 12, [2]),
        ((), 9, [0, 1, 2]),
    ],
)
def test_criteria_of_figure_9b(visits: Any, dragged_mbps: float, wrong: list[int]) -> None:
    direct = fig9(visits=visits, dragged_mbps=dragged_mbps)
    data = of_fig9([fig9()] * 20, [direct] * 20)
    assert failing(more_traffic.EXPERIMENTS[1], data) == wrong
    said = more_traffic.EXPERIMENTS[1].says(data)
    assert f"joins layer 1 {len(visits)} times" in said


def test_how_much_s2_is_lowered_by_hand() -> None:
    # T_1 is 9 instead of 13 for 2 of 24 s.
    run = Course(**fig9(visits=((80.0, 82.0),), dragged_mbps=9))
    assert more_traffic.lowered(run) == pytest.approx(1 - 9 / 13)
    assert math.isnan(more_traffic.lowered(Course(**fig9())))
    assert more_traffic.joins(run) == 1
    # From L_2 to L_1 is neither a join of L_1 nor a leave of it.
    wandering = replace(
        run, levels=run.levels | {"session-2": rows((0, 1), (72, 2), (74, 1), (80, 0), (90, 1), (91, 2))}
    )
    assert (more_traffic.leaves_at(wandering), more_traffic.joins(wandering)) == (80, 1)
    # Both figures show the same seed, the median by how soon S3 reacts.
    data = of_fig9([fig9(leads_s=at) for at in (70.9, 70.3, 70.5)], [fig9()] * 3)
    for experiment in more_traffic.EXPERIMENTS:
        assert experiment.figure is not None
        assert experiment.figure(data).get_suptitle().startswith("seed 3: the median run")


def of_schedule(*, sent_off: int = 0, got_off: int = 0, joined: float = 4) -> dict[str, Any]:
    """A run of Figure 2 in which the receiver begins in slot 48."""
    sent = counting_layers.as_defined()
    sent[1][2] += sent_off
    got = np.zeros_like(sent)
    for slot in range(48, 59):
        got[:, slot] = counting_layers.as_defined()[:, slot]
    got[0][51] += got_off
    attempts = [told(48.7, "join-begun", 1, 1), told(59.6, "join-succeeded", 1, 1, 10, joined)]
    found = kept(levels={"session-0": rows(), "session-1": rows()}, told=np.array(attempts))
    return {"sent": sent, "got": got, "course": found}


@pytest.mark.parametrize(
    ("changes", "wrong"),
    [({}, []), ({"sent_off": 1}, [0]), ({"got_off": 1}, [1]), ({"joined": 10}, [2])],
)
def test_criteria_of_figure_2(changes: dict[str, int], wrong: list[int]) -> None:
    (experiment,) = counting_layers.EXPERIMENTS
    data = data_of({counting_layers.KEY: [of_schedule(**changes)]})
    assert failing(experiment, data) == wrong
    assert experiment.figure is not None
    assert "begins in slot 48" in experiment.figure(data).get_suptitle()


def test_the_rule_gives_the_slots_of_the_paper() -> None:
    rule = counting_layers.as_defined()
    assert {rank: tuple(rule[rank][:10].tolist()) for rank in range(4)} == counting_layers.PAPERS_SLOTS
    assert rule.sum(axis=0)[:18].tolist() == [*range(16), 0, 1]
    data = data_of({counting_layers.KEY: [of_schedule()]})
    (experiment,) = counting_layers.EXPERIMENTS
    assert experiment.numbers is not None
    last = experiment.numbers(data).rows[-1]
    assert last[:12] == ["what a receiver gets that begins in slot 48", *map(str, range(11))]
    assert "joins 4 of them for 10 packets per round trip" in experiment.says(data)


def climbing(packets: float, *, layer: int = 2, has: float = 4.04, wants: float = 16) -> dict[str, Any]:
    """A run in which the second receiver comes to a layer by so many packets per 64 ms."""
    attempt = told(130, "join-succeeded", worst.R2, layer, packets, 7, has_mbps=has, wants_mbps=wants)
    return kept(levels={f"session-{n}": rows() for n in range(3)}, told=np.array([attempt]))


def of_links(constructed: float, random: float, low: float = 1.9) -> dict[Any, dict[tuple[str, str], float]]:
    """Summaries with the dilation of the link of the constructed case, and of one link of the random ones."""
    found: dict[Any, dict[tuple[str, str], float]] = {}
    for which, largest in ((worst.RANDOM, random), (worst.LOW, low)):
        links = {f"bottleneck-{number}": largest if number == 2 else 1.0 for number in range(1, worst.LINKS + 1)}
        found[which] = {(link, "dilation"): value for link, value in links.items()}
        found[which] |= {(link, "dilation_mean"): 1 + (value - 1) / 10 for link, value in links.items()}
    return {worst.CONSTRUCTED: {("bottleneck-1", "dilation"): constructed}} | found


def test_criteria_of_lemma_1() -> None:
    (experiment,) = worst.EXPERIMENTS
    # 96 packets of 8000 bits in 64 ms are 12 Mbit/s, three quarters of 16.
    runs = {worst.CONSTRUCTED: [climbing(96)], worst.RANDOM: [climbing(60)], worst.LOW: [climbing(50)]}
    links = of_links(1.743, 1.6)
    whole = data_of(runs, links)
    assert failing(experiment, whole) == []
    verdicts = [judge(criterion, whole) for criterion in experiment.criteria]
    assert [found.measured for found in verdicts[:5]] == pytest.approx([1.75, 1.743, 1.6, 1.9, 1 + 0.06 / 4])
    assert failing(experiment, data_of(runs | {worst.CONSTRUCTED: [climbing(94)]}, links)) == [0]
    assert failing(experiment, data_of(runs, of_links(1.73, 1.5))) == [1]
    assert failing(experiment, data_of(runs, of_links(1.75, 1.76))) == [2]
    assert failing(experiment, data_of(runs | {worst.LOW: [climbing(98)]}, links)) == [5]
    # One packet more than the proof has is no matter; from layer 0 more is possible, and only reported.
    both = climbing(97)
    both["told"] = np.concatenate([both["told"], climbing(90, layer=1)["told"]])
    mixed = data_of(runs | {worst.RANDOM: [both]}, links)
    assert failing(experiment, mixed) == []
    assert judge(experiment.criteria[6], mixed).measured == pytest.approx(1 + 90 * 0.125 / 16)
    assert experiment.figure is not None
    assert experiment.figure(mixed) is not None
    assert "more than 1.6 if fair rates are above B_0, but up to 1.9" in experiment.says(mixed)


def test_the_pace_of_losses_gives_the_rate_wanted() -> None:
    p = 8000 / (1.01 * 4e6) / worst.pace_s()
    assert worst.throughput_bps(1000, 0.064, p) == pytest.approx(1.01 * 4e6)
    first, again, other = (worst.at_random(worst.RANDOM, seed) for seed in (3, 3, 4))
    assert first == again
    assert first["links"]["bottleneck-1"]["rate"] != other["links"]["bottleneck-1"]["rate"]
    assert worst.constructed()["links"]["receiver-2"]["loss"]["length"] == "4 ms"


def test_layers_that_nobody_held_are_not_drawn() -> None:
    run = Course(**fig4())
    assert drawing.top_layer(run) == 1
    brief = replace(run, levels={"session-0": rows((0, 0), (10, 2), (10.5, 0))})
    assert drawing.top_layer(brief) == 0


def test_a_run_counts_as_figure_2_has_it() -> None:
    (experiment,) = counting_layers.EXPERIMENTS
    found = counting_layers.schedule(_native.run(resolve(counting_layers.scenario()).json, 1))
    data = data_of({counting_layers.KEY: [found]})
    assert failing(experiment, data) == []
    assert "of 11 slots in 1 runs" in judge(experiment.criteria[1], data).note


def test_a_run_climbs_as_in_the_proof_of_lemma_1() -> None:
    (experiment,) = worst.EXPERIMENTS
    raw = _native.run(resolve(worst.constructed()).json, 1)
    dilation = from_columns(raw.tables()["summary"])["bottleneck-1", "dilation"]
    runs = {worst.CONSTRUCTED: [course(raw)], worst.RANDOM: [climbing(60)], worst.LOW: [climbing(60)]}
    data = data_of(runs, of_links(dilation, 1.5))
    assert failing(experiment, data) == []
    assert "from 4.04 to 16 Mbit/s by 96 packets" in judge(experiment.criteria[0], data).note


def test_what_is_kept_of_layers_is_what_the_tables_hold() -> None:
    case = replace(two_receivers.MAIN, duration_s=60)
    run = Course(**course(_native.run(resolve(case.scenario()).json, 1)))
    first, second = run.levels["session-0"], run.levels["session-1"]
    assert (first[0].tolist(), second[0].tolist()) == ([0, 0], [30, 0])
    assert run.level("session-1", 29.9) == -1
    assert {1.0} <= set(second[:, 1].tolist()) <= {0.0, 1.0, 2.0, 3.0}
    climb = two_receivers.first_climb(run)
    assert climb is not None
    # It is on L_1 from the end of the attempt on, leads it soon after, and the attempt has added what was lacking.
    assert run.level("session-1", climb.ended_s + 0.01) == 1
    assert run.leading(1, two_receivers.S2, climb.ended_s, climb.ended_s + 1)
    assert climb.has_mbps + 8e-3 * climb.packets_added / 0.064 >= climb.wants_mbps == 4
    assert climb.packets_added <= 2**climb.counting_joins - 1
    # T_i never fall from layer to layer, and the layers carry their differences.
    until = round(10 * climb.ended_s)
    assert np.all(np.diff(np.nan_to_num(run.targets[:2, 1:until]), axis=0) >= 0)
    for begin in range(10, int(climb.ended_s) - 1):
        both = run.layers[0][begin] + run.layers[1][begin]
        assert both == pytest.approx(run.mean_target(1, begin, begin + 1), abs=0.1)
