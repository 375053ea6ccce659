"""Seeds that are added until intervals are narrow or differences apart: where points stop, whatever else happens."""

from __future__ import annotations

import json
import math
from array import array
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from terminal import assert_whole_at_all_widths

import faircast
from faircast import SweepResult, UntilApart
from faircast.errors import InputError
from faircast.outline import check_before, units_of
from faircast.scenario import resolve
from faircast.stopping import Stop, UntilNarrow, from_json, look_at, rule_of
from faircast.summary import Layout, RunSummary
from faircast.sweep_folder import SweepPoint
from faircast.widths import width_of

LIMIT = "links.bottleneck.queue.limit"
QUICK = ("--set", "duration=3s", "--set", "warmup=1s")
VARY = ("--vary", f"{LIMIT}=5 packets,20 packets")
RATE = ("web", "rate_mean")
LAYOUT = Layout((("web", "rate_mean", "bit/s"), ("web", "share", "1")))


def content(folder: Path | str) -> dict[str, bytes]:
    """All files but the manifest."""
    files = [path for path in Path(folder).rglob("*") if path.is_file() and path.name != "manifest.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def runs_of(values: list[float], start: int = 1) -> dict[int, RunSummary]:
    """A run for each value of the rate."""
    return {start + i: RunSummary(LAYOUT, array("d", [value, math.nan])) for i, value in enumerate(values)}


def narrow(width: str = "10 %", first: int = 4, last: int = 9) -> UntilNarrow:
    return UntilNarrow({RATE: width_of(width)}, first, last, 1)


def stop_of(rule: UntilNarrow, values: list[float]) -> Stop:
    (stop,) = rule.stops([], [runs_of(values)], {RATE: "bit/s", ("web", "share"): "1"})
    return stop


WIDE, CLOSE = [1.0, 2.0, 3.0, 4.0], [10.0, 10.1, 10.2, 10.3]


def test_a_point_stops_at_the_first_look_that_is_narrow() -> None:
    """However many seeds it has already."""
    rule = narrow()
    assert stop_of(rule, CLOSE).seeds == 4
    assert stop_of(rule, [*CLOSE, 99.0, -99.0, 0.0]).seeds == 4
    assert stop_of(rule, [*CLOSE, 99.0, -99.0, 0.0]).found[RATE].n == 4
    assert stop_of(rule, CLOSE).reached


def test_a_point_goes_on_and_says_how_far() -> None:
    rule = narrow()
    stop = stop_of(rule, WIDE)
    assert (stop.seeds, stop.open, stop.reached) == (4, True, False)
    assert stop.expected == 9
    assert stop_of(rule, WIDE[:3]).seeds == 0
    assert stop_of(rule, [*WIDE, 2.5]).seeds == 4  # the next look, at 6, is not complete
    last = stop_of(rule, [*WIDE, *WIDE, 1.0])
    assert (last.seeds, last.open, last.reached) == (9, False, False)
    one_more = UntilNarrow({RATE: width_of("200 %")}, 4, 9, 1)
    assert stop_of(one_more, WIDE).reached


def test_seeds_are_taken_in_their_order() -> None:
    """A gap ends what can be told, and seeds before the first one do not count."""
    rule = narrow()
    runs = runs_of([*CLOSE, 10.0])
    del runs[2]
    (stop,) = rule.stops([], [runs], {RATE: "bit/s"})
    assert stop.seeds == 0
    (stop,) = rule.stops([], [runs_of([99.0, *CLOSE], start=0)], {RATE: "bit/s"})
    assert (stop.seeds, stop.found[RATE].mean) == (4, pytest.approx(10.15))


def test_what_is_undefined_in_some_runs_needs_as_many_values() -> None:
    assert not stop_of(narrow(), [10.0, 10.1, 10.2, math.nan]).reached
    late = stop_of(narrow(), [10.0, 10.1, 10.2, math.nan, 10.1, 10.2])
    assert (late.seeds, late.reached, late.found[RATE].n) == (6, True, 5)


def test_a_point_without_the_metric_takes_no_more_seeds() -> None:
    rule = UntilNarrow({("web-9", "rate"): width_of("5 %")}, 4, 9, 1)
    (stop,) = rule.stops([], [runs_of(WIDE)], {("web-9", "rate"): "bit/s"})
    assert (stop.seeds, stop.open, stop.reached) == (4, False, False)


def test_widths() -> None:
    assert width_of("5%").half(-40.0, "bit/s") == 2.0
    assert width_of("0.05 Mbit/s").half(7.0, "bit/s") == pytest.approx(50_000)
    assert width_of("2 ms").half(7.0, "s") == 0.002
    assert width_of(0.1).half(7.0, "1") == 0.1
    assert width_of("1 packet").half(7.0, "packets") == 1
    for text, unit in (("1 s", "bit/s"), ("0.1", "bit/s"), ("1 Mbit/s", "1"), ("1 packet", "layers")):
        with pytest.raises(InputError, match=r"video/rate (has the unit|is a plain number)"):
            width_of(text).check("video/rate", unit)
    for text in ("0%", "0 Mbit/s", "-1 s", 0):
        with pytest.raises(InputError, match="no number of seeds gives that"):
            width_of(text)
    for text in ("narrow", "", "nan", True):
        with pytest.raises(InputError, match=r"--until-ci .*legal is a part of the mean"):
            width_of(text)


def test_rules_come_back_from_the_manifest() -> None:
    kept: list[Any] = [
        rule_of({"a/b": "5 %", "c/d": "1 ms"}, varied=("x",), reps=12, max_reps=40, start=3),
        rule_of(UntilApart("x", ("a/b",), (1, 2)), varied=("x",), reps=None, max_reps=None, start=1),
    ]
    for rule in kept:
        assert from_json(json.loads(json.dumps(rule.to_json()))) == rule
    assert (kept[1].first, kept[1].last) == (10, 200)


def test_bad_rules() -> None:
    def refused(until: Any, match: str, **more: Any) -> None:
        with pytest.raises(InputError, match=match):
            rule_of(until, varied=("x",), **({"reps": None, "max_reps": None, "start": 1} | more))

    refused({"a/b": "5 %"}, r"--max-reps is 9, and the first look takes 10 seeds", max_reps=9)
    refused({"a/b": "5 %"}, r"--reps is 2; the first look needs 3", reps=2)
    refused({}, "needs a metric")
    refused(5, "a mapping from metrics to widths")
    refused({"rate": "5 %"}, "write subject/metric")
    refused(UntilApart("y", ("a/b",)), "that is not varied; x is")
    refused(UntilApart("x", ()), "needs a metric")


def test_what_a_look_tells() -> None:
    rule = narrow()
    stops = [stop_of(rule, CLOSE), stop_of(rule, WIDE), stop_of(rule, [*WIDE, *WIDE, 1.0])]
    look = look_at(stops, rule)
    assert (look.points, look.stopped, look.not_reached, look.runs, look.expected, look.next_seeds) == (
        3, 2, 1, 4 + 4 + 9, 5, 6
    )  # fmt: skip


def points(*values: dict[str, Any]) -> list[SweepPoint]:
    flow = {"flows": {"w": {"kind": "tcp"}}}
    queue = {"kind": "drop-tail", "limit": "5 packets"}
    link = {"links": {"bottleneck": {"rate": "1 Mbit/s", "delay": "1 ms", "queue": queue}}}
    tree = {"format": 1, "name": "n", "duration": "1 s", "topology": {"kind": "dumbbell", "left": 1, "right": 1}}
    scenario = resolve(tree | flow | link)
    return [SweepPoint(each, scenario, ()) for each in values]


def test_pairs_stop_when_they_are_apart() -> None:
    """A point that others are held against goes on as long as one of them does."""
    rule = rule_of(UntilApart("x", (RATE,)), varied=("x", "y"), reps=4, max_reps=9, start=1)
    near = [value + 0.01 * (-1) ** i for i, value in enumerate(WIDE)]
    far = [value + 50 + 0.01 * i for i, value in enumerate(WIDE)]
    own = points({"x": 1, "y": 1}, {"x": 2, "y": 1}, {"x": 3, "y": 1}, {"x": 1, "y": 2})
    stops = rule.stops(own, [runs_of(values) for values in (WIDE, near, far, WIDE)], {})
    assert [stop.open for stop in stops] == [True, True, False, False]
    assert [stop.reached for stop in stops] == [False, False, True, False]
    assert stops[2].found[RATE].mean == pytest.approx(50.015)
    assert stops[2].found[RATE].n == 4


def test_the_level_is_that_of_all_looks() -> None:
    rule = rule_of(UntilApart("x", (RATE,)), varied=("x",), reps=4, max_reps=9, start=1)
    own = points({"x": 1}, {"x": 2})
    stops = rule.stops(own, [runs_of(WIDE), runs_of([1.5, 3.0, 4.3, 4.9])], {})
    apart = [0.5, 1.0, 1.3, 0.9]
    plain = faircast.estimate(apart)
    assert plain.ci95 is not None
    assert stops[1].found[RATE].ci95 is not None
    assert stops[1].found[RATE].ci95 > 1.2 * plain.ci95


def test_what_a_sweep_until_narrow_computes(cli: Cli, small: Path, runs: list[int]) -> None:
    """The folder is that of a sweep that was interrupted, continued, or had more seeds before."""
    until = ("--until-ci", "30%", "--metric", "web/rate_mean", "--reps", 4, "--max-reps", 13)
    done = cli("sweep", small, *VARY, *QUICK, *until, "--out", "a")
    assert done.code == 0, done.err
    result = SweepResult.read("a")
    seeds = [len(point.seeds) for point in result.points]
    assert [stop.seeds for stop in result.stops] == seeds
    assert sum(seeds) == len(runs)
    assert f"{sum(seeds)} runs computed, 0 reused" in done.out
    assert set(seeds) <= {4, 6, 9, 13}
    assert cli("sweep", "a").out.endswith(f"0 runs computed, {sum(seeds)} reused\n")
    assert cli("sweep", small, *VARY, *QUICK, *until, "--out", "b", "--jobs", 1).code == 0
    assert content("a") == content("b")
    assert cli("sweep", small, *VARY, *QUICK, *until[:-1], 4, "--out", "c").code == 0  # a smaller limit first
    assert cli("sweep", small, *VARY, *QUICK, *until, "--out", "c").code == 0
    assert content("a") == content("c")
    shown = cli("show", "a").out
    assert "half width of the interval at the stop" in " ".join(shown.split())
    assert "have web/rate_mean within ± 30%" in shown
    assert cli("sweep", "a", "--reps", 15).code == 0
    assert SweepResult.read("a").until is None  # the latest call had no rule
    told = json.loads(cli("sweep", small, *VARY, *QUICK, *until, "--out", "a", "--json").out)
    assert [point["seeds"] for point in told["until"]["points"]] == seeds
    assert [len(point["seeds"]) for point in told["points"]] == [15, 15]


def test_an_interrupted_one_goes_on(small: Path, tmp_path: Path) -> None:
    more: Any = {"vary": {LIMIT: ["5 packets", "20 packets"]}, "sets": ["duration=3s", "warmup=1s"], "reps": 4,
                 "max_reps": 9, "until": {"web/rate_mean": "1 %"}}  # fmt: skip

    class Ended:
        calls = 0

        def __call__(self, look: Any) -> None:
            self.calls += 1
            if self.calls == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        faircast.sweep(small, **more, out=tmp_path / "a", told=Ended())
    assert faircast.sweep(small, **more, out=tmp_path / "a").found == 12
    whole = faircast.sweep(small, **more, out=tmp_path / "b")
    assert (whole.computed, whole.found) == (18, 0)
    assert content(tmp_path / "a") == content(tmp_path / "b")
    assert [(stop.seeds, stop.reached) for stop in whole.stops] == [(9, False)] * 2


def test_the_interval_that_is_shown_is_that_of_the_stop(small: Path, tmp_path: Path, cli: Cli) -> None:
    from faircast.sequential import at_stop

    done = cli("sweep", small, *VARY, *QUICK, "--until-ci", "1 %", "--metric", "web/rate_mean", "--reps", 4,
               "--max-reps", 6, "--out", "a", "--json")  # fmt: skip
    told = json.loads(done.out)["until"]
    result = SweepResult.read("a")
    for point, stop in zip(result.points, told["points"], strict=True):
        values = [result.values(point, *RATE)[seed] for seed in range(1, 7)]
        (metric,) = stop["metrics"]
        assert (metric["mean"], metric["half_width"]) == (at_stop(values).mean, at_stop(values).ci95)
        assert (stop["reached"], stop["open"], stop["seeds"]) == (False, False, 6)
    assert (told["looks"], told["not_reached"], told["widths"]) == ([4, 6], 2, {"web/rate_mean": "1 %"})


def test_what_stays_out_of_reach_is_named(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    until = ("--until-ci", "1%", "--metric", "web/rate_mean", "--reps", 4, "--max-reps", 6, "--out", "a")
    done = assert_whole_at_all_widths(cli, monkeypatch, "sweep", small, *VARY, *QUICK, *until)
    said = " ".join(done.out.split())
    assert "0 of 2 points have web/rate_mean within ± 1%" in said
    assert "not at limit = 5 packets with 6 seeds, the limit: web/rate_mean ±" in said
    assert "known to hold with 10 on" in " ".join(done.err.split())


def test_a_metric_of_few_values_is_named(cli: Cli, small: Path) -> None:
    done = cli("sweep", small, *VARY, *QUICK, "--until-ci", "5%", "--metric", "run/simulated", "--out", "a")
    assert "run/simulated takes 1 value in 10 seeds at limit = 5 packets and 1 more points" in done.err
    assert "2 of 2 points have run/simulated within" in done.out


def test_until_apart(cli: Cli, small: Path) -> None:
    apart = ("--until-apart", "limit", "--metric", "bottleneck/queue_mean", "--reps", 4, "--max-reps", 9, "--out", "a")
    done = cli("sweep", small, *VARY, *QUICK, *apart)
    assert done.code == 0, done.err
    result = SweepResult.read("a")
    assert [len(point.seeds) for point in result.points] == [result.stops[0].seeds] * 2
    assert "2 of 2 points are apart in bottleneck/queue_mean" in done.out
    found = faircast.compare("a", between="limit", metrics=["bottleneck/queue_mean"]).rows[0]
    assert found.difference == result.stops[1].found["bottleneck", "queue_mean"]
    assert found.told_apart
    compared = cli("compare", "a", "--between", "limit", "--metric", "bottleneck/queue_mean")
    assert "corrected for" in compared.err


def test_compare_adds_seeds(cli: Cli, small: Path, runs: list[int]) -> None:
    for name, limit in (("x", "5 packets"), ("y", "20 packets")):
        assert cli("run", small, *QUICK, "--set", f"{LIMIT}={limit}", "--out", name).code == 0
    more = ("--metric", "bottleneck/queue_mean", "--until-apart", "--reps", 4, "--max-reps", 9)
    done = cli("compare", "x", "y", *more)
    assert done.code == 0, done.err
    taken = len(runs)
    assert taken >= 8
    assert "yes" in done.out
    assert cli("compare", "x", "y", *more).out == done.out
    assert len(runs) == taken
    assert cli("sweep", small, *VARY, *QUICK, "--out", "s").code == 0
    done = cli("compare", "s", "--between", "limit", *more)
    assert done.code == 0, done.err
    assert [len(point.seeds) for point in SweepResult.read("s").points] == [taken // 2] * 2
    assert "needs --metric" in cli("compare", "x", "y", "--until-apart").err
    assert "--max-reps is the limit of --until-apart" in cli("compare", "x", "y", "--max-reps", 5).err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--until-ci", "0%", "--metric", "web/rate_mean"), "--until-ci 0%: no number of seeds gives that"),
        (("--until-ci", "5%"), "--until-ci needs a metric"),
        (("--until-ci", "5%", "--metric", "web/rte"), "there is no metric of web rte"),
        (("--until-ci", "5%", "--metric", "wbe/rate"), "there is no subject wbe (did you mean web?)"),
        (("--until-ci", "1 s", "--metric", "web-0/rate"), "web-0/rate has the unit bit/s"),
        (("--until-ci", "5%", "--metric", "web-0/rate", "--max-reps", 5), "--max-reps is 5, and the first look"),
        (("--until-ci", "5%", "--until-ci", "6%", "--metric", "web-0/rate"), "given 2 times and --metric 1 times"),
        (("--until-apart", "nowhere", "--metric", "web-0/rate"), "there is no varied path nowhere"),
        (("--until-apart", "limit"), "--until-apart needs a metric"),
        (("--until-apart", "limit", "--until-ci", "5%", "--metric", "web-0/rate"), "are both given"),
        (("--max-reps", 5), "--max-reps is the limit of"),
        (("--metric", "web/rte"), "there is no metric of web rte"),
    ],
)
def test_bad_input_runs_nothing(cli: Cli, small: Path, runs: list[int], arguments: tuple[Any, ...], said: str) -> None:
    done = cli("sweep", small, *VARY, *QUICK, *arguments, "--out", "a")
    assert (done.code, runs, Path("a").exists()) == (2, [], False)
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_which_metrics_there_will_be(small: Path) -> None:
    """Those of the run itself, but for what has to happen first."""
    result = faircast.run(small, sets=["duration=3s", "warmup=1s"], seed=1)
    after = {(subject, metric): unit for subject, metric, unit in result.metrics().layout.rows}
    before = units_of(result.scenario, 1)
    assert {key: unit for key, unit in before.items() if key in after} == {
        key: unit for key, unit in after.items() if key in before
    }
    assert {metric for key in after.keys() - before.keys() for metric in key[1:]} <= {"jain_index", "jain_index_all"}
    assert ("access-left-1", "efficiency") in before
    assert check_before([result.scenario], 1, [("run", "jain_index"), ("web-0", "rate")]) == {
        ("web-0", "rate"): "bit/s"
    }
