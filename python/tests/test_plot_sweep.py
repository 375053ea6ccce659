"""Pictures of sweeps: means, intervals, axes, what is told apart how."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli

import faircast
from faircast import InputError, SweepResult
from faircast.plot.sweep import shown_as
from faircast.quantity import Quantity, on_one_scale, read, seconds

LIMIT, SCHEME, RATE = "links.bottleneck.queue.limit", "sessions.video.scheme", "links.bottleneck.rate"
DATA: dict[str, Any] = {
    "format": 1,
    "name": "small",
    "duration": "16 s",
    "warmup": "6 s",
    "topology": {"kind": "dumbbell", "left": 2, "right": 2},
    "links": {
        "bottleneck": {"rate": "1 Mbit/s", "delay": "20 ms", "queue": {"kind": "drop-tail", "limit": "9 packets"}}
    },
    "flows": {"web": {"kind": "tcp", "start_jitter": "1 s"}},
    "sessions": {"video": {"scheme": "tfmcc", "source": "left-1", "receivers": {"nodes": ["right-1"]}}},
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> SweepResult:
    vary = {SCHEME: ["tfmcc", "omcc"], LIMIT: ["50 packets", "5 packets", "20 packets"]}
    return faircast.sweep(DATA, vary=vary, reps=3, out=tmp_path_factory.mktemp("sweep") / "out")


def curves(axes: Any) -> dict[str, Any]:
    """By name the points and half widths of what is in the legend."""
    found = {}
    for container, label in zip(*axes.get_legend_handles_labels(), strict=True):
        line, _, (bars,) = container.lines
        line.set_data(np.array(line.get_xdata(), float), np.array(line.get_ydata(), float))
        halves = [abs(path.vertices[1, 1] - path.vertices[0, 1]) / 2 for path in bars.get_paths()]
        found[label] = (line, np.array(halves))
    return found


def test_means_and_intervals_along_the_numbers(result: SweepResult) -> None:
    picture = result.plot("video/rate")
    (axes,) = picture.figure.axes
    lines = curves(axes)
    assert list(lines) == ["tfmcc", "omcc"]
    assert axes.get_legend().get_title().get_text() == SCHEME
    assert axes.get_xlabel() == f"{LIMIT} (packets)"
    assert axes.get_ylabel() == "video rate\n(kbit/s)"
    for scheme, (line, halves) in lines.items():
        np.testing.assert_allclose(line.get_xdata(), [5, 20, 50])
        points = [result.select(scheme=scheme, limit=f"{limit} packets")[0] for limit in (5, 20, 50)]
        wanted = [result.estimate(point, "video", "rate") for point in points]
        np.testing.assert_allclose(line.get_ydata(), [item.mean / 1e3 for item in wanted])
        np.testing.assert_allclose(halves, [(item.ci95 or 0) / 1e3 for item in wanted])
    assert picture.figure.get_suptitle() == "small, 3 seeds"
    assert picture.figure.get_supxlabel() == "bars: 95 % interval over the seeds; thin: the optimum"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["5", "20", "50"]


def test_the_optimum_is_a_thin_line(result: SweepResult) -> None:
    (axes,) = result.plot("video/rate").figure.axes
    thin = [line for line in axes.get_lines() if line.get_linewidth() == 0.7]
    (best,) = {
        row["optimum"] for row in result.summary.to_pylist() if (row["subject"], row["metric"]) == ("video", "rate")
    }
    assert len(thin) == 1, "it is the same for both schemes"
    np.testing.assert_allclose(thin[0].get_ydata(), best / 1e3)
    figure = result.plot("bottleneck/drops_all").figure
    assert "optimum" not in figure.get_supxlabel()
    assert figure.axes[0].get_ylabel() == "bottleneck drops all\n(packets)"


def test_the_other_way_round(result: SweepResult) -> None:
    (axes,) = result.plot("video/rate", x="scheme").figure.axes
    lines = curves(axes)
    assert list(lines) == ["5 packets", "20 packets", "50 packets"]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["tfmcc", "omcc"]
    assert axes.get_xlabel() == SCHEME
    line, _ = lines["20 packets"]
    assert line.get_linestyle() == "None", "between names there is nothing"
    wanted = [
        result.estimate(result.select(scheme=s, limit="20 packets")[0], "video", "rate").mean for s in ("tfmcc", "omcc")
    ]
    np.testing.assert_allclose(line.get_ydata(), np.array(wanted) / 1e3)


def test_several_metrics_are_panels(result: SweepResult) -> None:
    figure = result.plot("video/rate", "run/jain_index").figure
    above, below = figure.axes
    assert (above.get_ylabel(), below.get_ylabel()) == ("video rate\n(kbit/s)", "run jain index")
    assert above.get_legend() is not None
    assert below.get_legend() is None
    rates = result.plot()
    assert rates.name == "rates"
    assert [axes.get_ylabel() for axes in rates.figure.axes] == ["video rate\n(kbit/s)", "web rate\n(Mbit/s)"]


def test_one_path_puts_metrics_of_a_unit_together(tmp_path: Path) -> None:
    result = faircast.sweep(DATA, vary={RATE: ["500 kbit/s", "1 Mbit/s", "2 Mbit/s"]}, out=tmp_path / "out")
    figure = result.plot("video/rate", "web/rate", "run/jain_index").figure
    above, below = figure.axes
    assert list(curves(above)) == ["video rate", "web rate"]
    assert above.get_ylabel().startswith("rate\n")
    assert below.get_xlabel() == f"{RATE} (kbit/s)"
    np.testing.assert_allclose(curves(above)["web rate"][0].get_xdata(), [500, 1000, 2000])
    assert figure.get_suptitle() == "small, 1 seed"
    assert figure.get_supxlabel() == "one seed, thus no interval; thin: the optimum"


def test_what_cannot_be_drawn_is_counted(small: Path, tmp_path: Path) -> None:
    """A line over a gap looks as if there were none: the second flow is not there at the first of two counts."""
    vary = {"flows.web.count": [1, 2], LIMIT: ["5 packets", "20 packets"]}
    result = faircast.sweep(small, vary=vary, sets=["duration=3s"], out=tmp_path / "out")
    note = "one seed, thus no interval; thin: the optimum"
    assert result.plot("web-0/rate").figure.get_supxlabel() == note
    said = " ".join(result.plot("web-1/rate").figure.get_supxlabel().split())
    assert said == f"{note}; 2 values are absent or not finite"


def test_further_paths_are_panels(tmp_path: Path) -> None:
    vary = {
        LIMIT: ["5 packets", "10 packets", "20 packets"],
        SCHEME: ["tfmcc", "omcc"],
        "links.bottleneck.delay": ["5 ms", "50 ms"],
        "flows.web.variant": ["sack"],
    }
    result = faircast.sweep(DATA | {"duration": "10 s"}, vary=vary, out=tmp_path / "out")
    figure = result.plot("video/rate").figure
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        "links.bottleneck.delay = 5 ms",
        "links.bottleneck.delay = 50 ms",
    ]
    line, _ = curves(figure.axes[1])["omcc"]
    points = [result.select({LIMIT: f"{n} packets", SCHEME: "omcc", "delay": "50 ms"})[0] for n in (5, 10, 20)]
    np.testing.assert_allclose(line.get_ydata(), [result.estimate(p, "video", "rate").mean / 1e3 for p in points])
    assert figure.get_suptitle() == "small with flows.web.variant=sack, 1 seed"
    with pytest.raises(InputError, match=r"that would be 8 panels, and 6 have room: links.bottleneck.delay"):
        result.plot("video/rate", "web/rate", "run/jain_index", "bottleneck/drops_all")
    assert len(result.plot("video/rate", x="delay", series="limit").figure.axes) == 2


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (
            ["video"],
            {},
            r"video is no metric of a sweep: write SUBJECT/METRIC, such as video/rate; metrics of video are",
        ),
        (["vidoe/rate"], {}, r"there is no subject vidoe \(did you mean video\?\)"),
        (["video/rte"], {}, r"no metric of video rte \(did you mean rate\?\)"),
        (["video/rate"], {"x": "limt"}, r"there is no varied path limt"),
        (["video/rate"], {"x": "limit", "series": "limit"}, "--x and --series are both links.bottleneck.queue.limit"),
        (["video/rate"], {"width": "tall"}, "the width is tall"),
    ],
)
def test_what_cannot_be_drawn(result: SweepResult, arguments: list[str], options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        result.plot(*arguments, **options)


def test_the_command(cli: Cli, result: SweepResult, tmp_path: Path) -> None:
    done = cli("plot", result.folder, "video/rate", "--series", "scheme", "--out", tmp_path / "a.pdf")
    assert (done.code, done.err) == (0, "")
    again = cli("plot", result.folder, "video/rate")
    first, second = again.out.splitlines()
    assert first == str(result.folder / "plots" / "video-rate.pdf")
    assert Path(first).read_bytes() == (tmp_path / "a.pdf").read_bytes()
    assert Path(second).name == "video-rate.png"
    other = cli("plot", result.folder, "video/rate", "--x", SCHEME, "--json")
    assert json.loads(other.out)["pictures"][0]["files"][0].endswith("video-rate-x-sessions.video.scheme.pdf")
    refused = cli("plot", result.folder, "video/rate", "--from", "3 s")
    assert refused.code == 2
    assert "--from means nothing here" in refused.err
    assert cli("plot", result.folder, "rates").code == 2
    assert SweepResult.read(result.folder).plot("video/rate").name == "video-rate"


def test_values_that_are_tables() -> None:
    assert shown_as({"limit": "20 packets", "kind": "red", "ecn": True}) == "red, limit 20 packets, ecn true"
    assert shown_as("sack") == "sack"
    assert shown_as([1, "a"]) == '[1, "a"]'


def test_quantities() -> None:
    assert read("50 packets") == Quantity(50, "packets")
    assert read("1 packet") == Quantity(1, "packets")
    assert read(" 0.5 BDP ") == Quantity(0.5, "BDP")
    assert read("1e-7") == Quantity(1e-7, "")
    assert read(3) == Quantity(3, "")
    for value in ("tfmcc", True, None, [1], "1 2", "", "sack2"):
        assert read(value) is None
    assert on_one_scale(["50 packets", "100 packets"]) == ([50, 100], "packets")
    assert on_one_scale(["500 us", "20 ms"]) == ([500, 20000], "us")
    assert on_one_scale(["20 ms", "1 s", "0 s"]) == ([20, 1000, 0], "ms")
    assert on_one_scale(["900 kbit/s", "1.5 Mbit/s"]) == ([900, 1500], "kbit/s")
    assert on_one_scale(["50 packets", "20 ms"]) is None
    assert on_one_scale([1, "2 s"]) is None
    assert on_one_scale(["tfmcc", 1]) is None
    assert on_one_scale([0.1, 2]) == ([0.1, 2], "")
    assert seconds("250 ms", "x") == 0.25
    assert seconds(3, "x") == 3
    assert seconds("2 min", "x") == 120
    for wrong in ("now", "3 packets", -1, "-2 s", float("inf")):
        with pytest.raises(InputError, match="x is"):
            seconds(wrong, "x")
