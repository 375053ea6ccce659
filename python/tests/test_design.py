"""Designs: what is drawn from ranges, and indices of a function that are known."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli
from terminal import assert_whole_at_all_widths

import faircast
from faircast import SweepResult
from faircast.design import Design, axis_of, design_of, from_json, is_range
from faircast.errors import InputError
from faircast.sobol import indices, noise_of

DELAY, LIMIT = "links.bottleneck.delay", "links.bottleneck.queue.limit"
QUICK = ("--set", "duration=3s", "--set", "warmup=1s")
RANGES = ("--vary", f"{DELAY}=10..100 ms", "--vary", f"{LIMIT}=3..6 packets")


def values(text: Any, *places: float) -> list[Any]:
    return [axis_of("p", text).at(place) for place in places]


def test_values_of_ranges() -> None:
    assert values("1..101 Mbit/s", 0.0, 0.5, 0.25) == ["1 Mbit/s", "51 Mbit/s", "26 Mbit/s"]
    assert values("1..100 Mbit/s:log", 0.0, 0.5, 0.999999999) == ["1 Mbit/s", "10 Mbit/s", "100 Mbit/s"]
    assert values("10 ms..20 ms", 0.123456789) == ["11.2346 ms"]
    assert values("0..1", 0.0, 0.49, 0.51, 0.99) == [0, 0, 1, 1]
    assert values("0.0..1", 0.49) == [0.49]
    assert values("1..1000000 bit/s", 0.999999999) == ["1000000 bit/s"]
    assert values("3..6 packets", 0.0, 0.26, 0.51, 0.76, 0.99) == [f"{n} packets" for n in (3, 4, 5, 6, 6)]
    assert values("1..3:log", 0.0, 0.49, 0.51, 0.99) == [1, 1, 2, 3]
    assert values("-2..2:linear", 0.1, 0.9) == [-2, 2]
    assert values(["a", "b"], 0.49, 0.5) == ["a", "b"]
    assert values("0.25..2 BDP:log", 0.5) == ["0.707107 BDP"]


def test_what_looks_like_a_range() -> None:
    assert all(map(is_range, ("1..2", "1 ms..2 ms", "1..2 s:log", ".5..1e3", "5..1")))
    assert not any(map(is_range, ("1.2", "a..b", "1....2", "1,2", 5, "10 ms", "../x.toml", "1..")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 Mbit/s..5 s", "the ends have the units Mbit/s and s; write both in one unit"),
        ("500 kbit/s..2 Mbit/s", "the ends have the units kbit/s and Mbit/s"),
        ("5..1 s", "goes from the smaller number to the larger"),
        ("1..1 s", "goes from the smaller number to the larger"),
        ("0..1 s:log", "0 has no logarithm; begin above 0, or leave out :log"),
        ("1..2 s:cubic", "the scale is cubic; legal are log and linear"),
        ("7", "a design takes ranges"),
        (["1..2", "3"], "is a range; it stands alone"),
    ],
)
def test_bad_ranges(text: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        axis_of("p", text)


@pytest.mark.parametrize("kind", ["latin", "sobol"])
def test_every_part_of_a_range_has_its_sample(kind: str) -> None:
    places = design_of(kind, {"a": "0..1 s", "b": "0..1 s"}, 16, 3).places()
    assert places.shape == (16, 2)
    for column in places.T:
        assert sorted(np.floor(16 * column)) == list(range(16))


def test_designs_are_those_of_their_seed() -> None:
    ranges = {"a": "0..1 s", "b": "1..9"}
    assert design_of("latin", ranges, 8, 3).rows() == design_of("latin", ranges, 8, 3).rows()
    assert design_of("latin", ranges, 8, 3).rows() != design_of("latin", ranges, 8, 4).rows()
    longer = design_of("sobol", ranges, 16, 3).values()
    assert longer[:8] == design_of("sobol", ranges, 8, 3).values()
    design = design_of("sobol-indices", ranges | {"c": ["x", "y"]}, 8, 3)
    assert from_json(json.loads(json.dumps(design.to_json()))) == design


def test_the_matrices_of_saltelli() -> None:
    design = design_of("sobol-indices", {"a": "0..1 s", "b": "0..1 s", "c": "0..1 s"}, 8, 1)
    a, b, *mixed = design.places().reshape(5, 8, 3)
    assert not np.any(a == b)
    for place, matrix in enumerate(mixed):
        others = [column for column in range(3) if column != place]
        assert np.array_equal(matrix[:, place], b[:, place])
        assert np.array_equal(matrix[:, others], a[:, others])
    assert len(design.rows()) == 40


def test_points_that_come_several_times_are_taken_once() -> None:
    design = design_of("sobol-indices", {"a": "1..2", "b": ["x", "y"]}, 16, 1)
    assert len(design.values()) == 64
    assert sorted((row["a"], row["b"]) for row in design.rows()) == list(itertools.product((1, 2), ("x", "y")))


def test_bad_designs() -> None:
    ranges = {"a": "0..1 s"}
    with pytest.raises(InputError, match="there is no design cube"):
        design_of("cube", ranges, 8, 1)
    with pytest.raises(InputError, match="even at powers of two only, such as 128"):
        design_of("sobol", ranges, 100, 1)
    with pytest.raises(InputError, match="needs ranges"):
        design_of("latin", {}, 8, 1)
    with pytest.raises(InputError, match="makes 16384 points of 2 paths"):
        design_of("sobol-indices", ranges | {"b": "0..1 s"}, 4096, 1)
    with pytest.raises(InputError, match=r"one path, a, which all variance is then due to; legal are 2 on"):
        design_of("sobol-indices", ranges, 8, 1)
    with pytest.raises(InputError, match="legal is 2 on"):
        design_of("latin", ranges, 1, 1)


def ishigami(design: Design) -> np.ndarray[Any, Any]:
    """Ishigami's function with a = 7 and b = 0.1 at the points of a design."""
    x = np.array([[float(str(value)) for value in row] for row in design.values()])
    return np.sin(x[:, 0]) + 7 * np.sin(x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4 * np.sin(x[:, 0])


def test_indices_of_ishigamis_function() -> None:
    """They follow from its variances: V1 = (1 + bπ⁴/5)²/2, V2 = a²/8, V13 = 8b²π⁸/225."""
    half = f"-{math.pi}..{math.pi}"
    design = design_of("sobol-indices", {"x1": half, "x2": half, "x3": half}, 1024, 5)
    first, second, both = (1 + 0.1 * math.pi**4 / 5) ** 2 / 2, 49 / 8, 8 * 0.01 * math.pi**8 / 225
    variance = first + second + both
    found = indices(ishigami(design)[None, :], design)
    wanted = {"first": (first, second, 0.0), "total": (first + both, second, both)}
    for name, parts in wanted.items():
        for index, part in zip(found[name].values(), parts, strict=True):
            assert index.value == pytest.approx(part / variance, abs=0.03)
            assert index.low - 0.02 <= part / variance <= index.high + 0.02
            assert index.low < index.high
            assert index.seeds is None
    assert found["deviation"] == pytest.approx(math.sqrt(variance), rel=0.02)
    assert found["noise"] is None


def test_the_noise_of_seeds() -> None:
    """What a seed does to all points alike is none; the rest makes total indices larger, as it says."""
    half = f"-{math.pi}..{math.pi}"
    design = design_of("sobol-indices", {"x1": half, "x2": half, "x3": half}, 512, 5)
    plain, random = ishigami(design), np.random.default_rng(1)
    shifts = np.array([[1.0], [-2.0], [5.0]])
    found, shifted = indices(plain[None, :], design), indices(plain[None, :] + shifts, design)
    assert shifted["noise"] == pytest.approx(0, abs=1e-12)
    for name in ("first", "total"):
        for path, index in shifted[name].items():
            assert index.value == pytest.approx(found[name][path].value)
            assert index.seeds == pytest.approx(0, abs=1e-9)
    noisy = plain[None, :] + 3 * random.standard_normal((4, len(plain)))
    result = indices(noisy, design)
    assert result["noise"] == pytest.approx(9 / 4 / (13.84 + 9 / 4), rel=0.1)
    assert result["total"]["x3"].value > found["total"]["x3"].value + 0.05
    assert result["total"]["x3"].seeds > 0.01
    assert noise_of(noisy[:, :1024]) == pytest.approx(9 / 4, rel=0.1)


def test_what_has_no_variance() -> None:
    design = design_of("sobol-indices", {"a": "0..1 s", "b": "0..1 s"}, 8, 1)
    with pytest.raises(InputError, match="the same at all points"):
        indices(np.full((2, 32), 0.1), design)


def test_a_design_makes_a_sweep(cli: Cli, small: Path, runs: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ("sweep", small, *RANGES, *QUICK, "--design", "sobol-indices", "--samples", 4, "--reps", 2, "--out", "s")
    done = cli(*whole)
    assert done.code == 0, done.err
    result = SweepResult.read("s")
    assert result.design is not None
    assert len(result.points) == len(result.design.rows()) <= 16
    assert len(runs) == 2 * len(result.points)
    shown = assert_whole_at_all_widths(cli, monkeypatch, "sensitivity", "s", "--metric", "web/rate_mean")
    assert "of the variance between the points comes from the seeds" in " ".join(shown.out.split())
    assert all(Path(f"s/plots/sensitivity-web-rate_mean.{form}").exists() for form in ("pdf", "png"))
    told = json.loads(cli("sensitivity", "s", "--metric", "web/rate_mean", "--figure", "x.svg", "--json").out)
    assert (told["samples"], told["seeds"], told["files"]) == (4, [1, 2], ["x.svg"])
    assert [row["path"] for row in told["indices"]] == [DELAY, LIMIT]
    found = faircast.sensitivity("s", "web/rate_mean")
    assert found.table.to_pylist() == told["indices"]
    assert cli("plot", "s", "web/rate_mean").out.splitlines()[0].endswith("sensitivity-web-rate_mean.pdf")
    taken = len(runs)
    assert cli("sweep", "s").out.endswith(f"0 runs computed, {taken} reused\n")
    assert cli(*whole[:-5], 8, "--reps", 2, "--out", "s").code == 0  # twice as many samples
    assert len(runs) == 2 * len(SweepResult.read("s").points) > taken
    assert faircast.sensitivity("s", "web/rate_mean").samples == 8


def test_designs_and_folders_that_do_not_fit(cli: Cli, small: Path) -> None:
    latin = ("sweep", small, *RANGES, *QUICK, "--design", "latin", "--samples", 3)
    assert cli(*latin, "--out", "l").code == 0
    assert "is a sweep with the design latin; indices need" in cli("sensitivity", "l", "--metric", "web-0/rate").err
    assert "l holds the design latin of ranges" in cli(*latin[:-1], 4, "--out", "l").err
    plain = ("sweep", small, *QUICK, "--vary", f"{DELAY}=10 ms", "--vary", f"{LIMIT}=5 packets")
    assert "l holds the design latin of ranges" in cli(*plain, "--out", "l").err
    assert cli(*plain, "--out", "p").code == 0
    assert "is a sweep with no design" in cli("sensitivity", "p", "--metric", "web-0/rate").err
    assert "p holds points that no design drew" in cli(*latin, "--out", "p").err
    first, again = (json.loads(cli(*latin, *more, "--json").out)["folder"] for more in ((), ("--reps", 2)))
    assert first == again != json.loads(cli(*plain, "--json").out)["folder"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--vary", f"{DELAY}=1..2 s"), "is a range, and no design says which of its points"),
        (("--vary", f"{DELAY}=1 s,2 s", "--samples", 5), "--samples says how many points --design draws"),
        (("--vary", f"{DELAY}=1..2 s", "--design", "cube"), "there is no design cube"),
        (("--vary", f"{DELAY}=2..1 s", "--design", "latin"), "goes from the smaller number"),
        (("--vary", f"{DELAY}=1 ms..1 s", "--design", "latin"), "write both in one unit"),
        (("--vary", f"{DELAY}=0..1 s:log", "--design", "sobol"), "has no logarithm"),
        (("--design", "sobol"), "--design sobol needs ranges"),
        (("--vary", f"{DELAY}=1..2 s", "--design", "sobol-indices", "--until-ci", "5%", "--metric", "web-0/rate"),
         "needs the same seeds at all points"),
        (("--vary", f"{DELAY}=1..2 s", "--design", "latin", "--set", f"{DELAY}=1 s"), "is set by --set"),
        (("--vary", "links.bottleneck.dely=1..2 s", "--design", "latin"), "has 1 problem when it is varied"),
    ],
)  # fmt: skip
def test_bad_input_runs_nothing(cli: Cli, small: Path, runs: list[int], arguments: tuple[Any, ...], said: str) -> None:
    done = cli("sweep", small, *QUICK, *arguments, "--out", "a")
    assert (done.code, runs, Path("a").exists()) == (2, [], False)
    assert said in done.err
