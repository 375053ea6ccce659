"""Pictures of runs: what is drawn, not how it looks."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from conftest import Cli

import faircast
from faircast import InputError, RunResult, estimate
from faircast.plot import PICTURES
from faircast.plot.draw import fitting, picture
from faircast.plot.events import changes_in, thinned
from faircast.plot.frame import rate_unit, time_text, time_unit
from faircast.plot.lines import Group, chosen, flow_groups, lines_of, over_seeds
from faircast.plot.recording import Cut, Grid, Recording, round_up
from faircast.plot.stored import recording_of

DATA: dict[str, Any] = {
    "format": 1,
    "name": "drawn",
    "duration": "20 s",
    "warmup": "4 s",
    "topology": {"kind": "dumbbell", "left": 4, "right": 4},
    "links": {
        "bottleneck": {
            "rate": "2 Mbit/s",
            "delay": "20 ms",
            "queue": {"kind": "red", "limit": "60 packets", "min_th": "5 packets", "max_th": "15 packets", "ecn": True},
            "changes": [{"at": "12 s", "rate": "1 Mbit/s"}, {"at": "15 s", "rate": "2 Mbit/s"}],
            "back": {"changes": []},
        }
    },
    "flows": {
        "web": {"kind": "tcp", "count": 2, "ecn": "ecn"},
        "voice": {"kind": "cbr", "from": "left-3", "to": "right-3", "rate": "64 kbit/s", "packet_size": "200 B"},
    },
    "sessions": {
        "video": {
            "scheme": "tfmcc",
            "source": "left-2",
            "receivers": {"nodes": ["right-1", "right-2"], "leave": ["20 s", "10 s"]},
        }
    },
    "probes": {"queues": ["bottleneck"], "interval": "500 ms"},
}


@pytest.fixture(scope="module")
def result() -> RunResult:
    return faircast.run(DATA)


@pytest.fixture(scope="module")
def several() -> Recording:
    runs = {seed: faircast.run(DATA, seed=seed) for seed in (1, 2, 3, 4)}
    return Recording(runs[1].scenario, (1, 2, 3, 4), lambda seed, name: runs[seed].table(name))


def drawn(axes: Any) -> dict[str, Any]:
    """The lines of a panel by their names in the legend."""
    return {line.get_label(): line for line in axes.get_lines() if not str(line.get_label()).startswith("_")}


def column(table: pa.Table, of: str, name: str, value: str) -> Any:
    return table.filter(pa.compute.equal(table[of].cast(pa.string()), name))[value].to_numpy()


def test_rates_of_one_run(result: RunResult) -> None:
    figure = result.plot.rates(every="500 ms").figure
    axes, strip = figure.axes
    lines = drawn(axes)
    assert list(lines) == ["video", "voice", "web-0", "web-1"]
    assert axes.get_ylabel() == "rate (Mbit/s)"
    for name, line in lines.items():
        np.testing.assert_allclose(line.get_ydata(), column(result.flows, "flow", name, "rate_bps") / 1e6)
        np.testing.assert_allclose(line.get_xdata(), np.arange(0.25, 20, 0.5))  # the middle of what it is a mean of
    assert lines["video"].get_linestyle() == "-"
    assert lines["web-0"].get_linestyle() != "-"
    assert len({line.get_color() for line in lines.values()}) == 4
    assert strip.get_xlabel() == "time (s)"
    labels = [label.get_text() for label in strip.get_yticklabels()]
    assert "losses" in labels
    assert labels[-1] == "network changes"
    assert figure.get_suptitle() == "drawn, seed 1"
    assert figure.get_supxlabel() == "shaded: warm-up"


def test_means_over_longer_times(result: RunResult) -> None:
    line = drawn(result.plot.rates(every="2 s", start="4 s", stop="13 s", flows=["web-1"]).figure.axes[0])["web-1"]
    rates = column(result.flows, "flow", "web-1", "rate_bps")  # ends at 0.5 s, 1 s, ..
    wanted = [rates[8 + 4 * i : 12 + 4 * i].mean() / 1e6 for i in range(4)] + [rates[24:26].mean() / 1e6]
    np.testing.assert_allclose(line.get_ydata(), wanted)
    np.testing.assert_allclose(line.get_xdata(), [5, 7, 9, 11, 13])


def test_ticks_stand_where_events_were(result: RunResult) -> None:
    strip = result.plot.rates(flows=["web"]).figure.axes[-1]
    labels = [label.get_text() for label in strip.get_yticklabels()]
    at = {}
    for collection in strip.collections:
        for path in collection.get_paths():
            x, y = path.vertices.mean(axis=0)
            at.setdefault(labels[round(-y)], []).append(x)
    assert at["network changes"] == [12.0, 15.0]
    events = result.events.to_pylist()
    losses = [e["t_s"] for e in events if e["event"] == "loss-reduction" and e["flow"] in ("web-0", "web-1")]
    assert losses
    assert set(at["losses"]) <= set(losses)
    assert {int(t / 20 * 400) for t in losses} == {int(t / 20 * 400) for t in at["losses"]}


def test_seeds_are_a_band(several: Recording) -> None:
    axes, *_ = picture(several, "rates", every=0.5).figure.axes
    by_seed = [column(several.read(seed, "flows"), "flow", "video", "rate_bps") / 1e6 for seed in several.seeds]
    wanted = [estimate(values) for values in zip(*by_seed, strict=True)]
    np.testing.assert_allclose(drawn(axes)["video"].get_ydata(), [item.mean for item in wanted])
    vertices = axes.collections[0].get_paths()[0].vertices
    for t_s, item in zip(np.arange(0.25, 20, 0.5), wanted, strict=True):
        at = vertices[np.isclose(vertices[:, 0], t_s), 1]
        np.testing.assert_allclose([at.min(), at.max()], [item.mean - item.ci95, item.mean + item.ci95], atol=1e-12)
    figure = axes.figure
    assert figure.get_suptitle() == "drawn, 4 seeds"
    assert "bands: 95 % interval over 4 seeds" in figure.get_supxlabel()
    assert [label.get_text() for label in figure.axes[-1].get_yticklabels()] == ["network changes"]


def test_few_bands_are_told_apart(several: Recording) -> None:
    four = [Group("a", ("a-0", "a-1", "a-2")), Group("b", ("b-0", "b-1"))]
    assert [line.label for line in lines_of(four, seeds=1)] == ["a-0", "a-1", "a-2", "b-0", "b-1"]
    assert [line.label for line in lines_of(four, seeds=4)] == ["a (mean of 3)", "b-0", "b-1"]
    named = chosen(four, ["a-0", "a-1", "a-2", "b-0", "b-1"])
    assert len(lines_of(named, seeds=4)) == 5, "what is asked for by name is drawn"


def test_few_seeds_are_thin_lines(several: Recording) -> None:
    two = replace(several, seeds=(2, 4))
    axes, *_ = picture(two, "rates", every=0.5, flows=["voice"]).figure.axes
    first, second, mean = (line.get_ydata() for line in axes.get_lines())
    for seed, values in zip(two.seeds, (first, second), strict=True):
        np.testing.assert_allclose(values, column(two.read(seed, "flows"), "flow", "voice", "rate_bps") / 1e3)
    np.testing.assert_allclose(mean, (first + second) / 2)
    assert not axes.collections
    assert "thin lines: single seeds" in axes.figure.get_supxlabel()
    assert picture(several, "rates", seed=3).figure.get_suptitle() == "drawn, seed 3"


def test_many_flows_are_one_line() -> None:
    web, voice, video = (
        Group("web", tuple(f"web-{i}" for i in range(10))),
        Group("voice", ("voice",)),
        Group("v", ("v",)),
    )
    assert [line.label for line in lines_of([video, web, voice])] == ["v", "web (mean of 10)", "voice"]
    pair = Group("ftp", ("ftp-0", "ftp-1"))
    assert [line.label for line in lines_of([web, pair])] == ["web (mean of 10)", "ftp-0", "ftp-1"]
    five = Group("five", tuple(f"five-{i}" for i in range(5)))
    assert len(lines_of([five, pair])) == 7  # as many as there are colours
    singles = [Group(f"f{i}", (f"f{i}",)) for i in range(9)]
    assert [line.label for line in lines_of(singles)] == [*(f"f{i}" for i in range(6)), "the others (mean of 3)"]


def test_the_mean_of_many_flows(result: RunResult) -> None:
    data = DATA | {
        "duration": "5 s",
        "warmup": "0 s",
        "sessions": {},
        "flows": {"web": DATA["flows"]["web"] | {"count": 9}},
    }
    data["topology"] = DATA["topology"] | {"left": 9, "right": 9}
    crowd = faircast.run(data)
    axes, *_ = crowd.plot.rates(every=0.5).figure.axes
    each = np.array([column(crowd.flows, "flow", f"web-{i}", "rate_bps") for i in range(9)]) / 1e3
    (line,) = axes.get_lines()
    assert line.get_label() == "web (mean of 9)"
    np.testing.assert_allclose(line.get_ydata(), each.mean(axis=0))
    vertices = axes.collections[0].get_paths()[0].vertices
    at = vertices[np.isclose(vertices[:, 0], 2.75), 1]
    np.testing.assert_allclose([at.min(), at.max()], [each[:, 5].min(), each[:, 5].max()])
    assert "bands of groups: lowest to highest member" in axes.figure.get_supxlabel()


def test_receivers_that_have_left_measure_nothing(result: RunResult) -> None:
    figure = result.plot.receivers(every=0.5).figure
    rate, loss, rtt, _ = figure.axes
    assert [axes.get_ylabel() for axes in (rate, loss, rtt)] == [
        "rate (kbit/s)",
        "loss event\nrate",
        "round-trip\ntime (ms)",
    ]
    gone = drawn(rtt)["video-1"]
    measured = column(result.receivers, "receiver", "video-1", "rtt_s") * 1e3
    here = np.arange(0.5, 20.25, 0.5) <= 10
    np.testing.assert_allclose(gone.get_ydata()[here], measured[here])
    assert np.isnan(gone.get_ydata()[-15:]).all()
    assert not np.isnan(measured[-15:]).any(), "the table keeps what it measured last"
    assert [axes.get_legend() is not None for axes in (rate, loss, rtt)] == [True, False, False]


def test_window(result: RunResult) -> None:
    """What is sampled, and what each reduction made of the window in between."""
    figure = result.plot.window(every=0.5).figure
    first, second, _ = figure.axes
    x, y = (np.asarray(values) for values in drawn(second)["web-1"].get_data())
    sampled = column(result.flows, "flow", "web-1", "cwnd_pkts")
    for t_s, value in zip(np.arange(0.5, 20.25, 0.5), sampled, strict=True):
        np.testing.assert_allclose(y[np.isclose(x, t_s)][:2], [value, value])
    kinds = ("loss-reduction", "moderate-reduction")
    reductions = [e for e in result.events.to_pylist() if e["flow"] == "web-1" and e["event"] in kinds]
    assert len(x) == 2 * (len(sampled) + len(reductions))
    for event in reductions[:20]:
        place = np.flatnonzero(x == event["t_s"])
        assert [event["before"], event["after"]] in y[place].reshape(-1, 2).tolist()
    assert (np.diff(x) >= 0).all()
    assert list(drawn(first)) == ["web-0", "ssthresh"], "voice has no window and no panel"
    together = drawn(result.plot.window(every=2).figure.axes[1])["web-1"]
    np.testing.assert_allclose(together.get_ydata(), sampled.reshape(-1, 4).mean(axis=1))


def test_queue(result: RunResult) -> None:
    figure = result.plot.queue(every="100 ms").figure
    queue, waits, counts = figure.axes
    assert queue.get_ylabel() == "bottleneck\n(packets)"
    lines = drawn(queue)
    sampled = column(result.queues, "link", "bottleneck", "queue_pkts")
    np.testing.assert_allclose(lines["packets waiting"].get_ydata(), sampled[1:])  # but for the one at 0 s
    assert lines["min_th (5)"].get_ydata()[0] == 5
    assert lines["max_th (15)"].get_ydata()[0] == 15
    waited = column(result.queues, "link", "bottleneck", "sojourn_s")
    assert (waited[1:] > 0).any()
    np.testing.assert_allclose(drawn(waits)["mean wait"].get_ydata(), 1e3 * waited[1:])
    dropped = column(result.links, "link", "bottleneck", "dropped_overflow_pkts")
    dropped = dropped + column(result.links, "link", "bottleneck", "dropped_active_pkts")
    marked = column(result.links, "link", "bottleneck", "marked_moderate_pkts")
    assert dropped.sum()
    assert marked.sum()
    np.testing.assert_allclose(drawn(counts)["dropped"].get_ydata(), dropped / 0.5)
    np.testing.assert_allclose(drawn(counts)["marked"].get_ydata(), marked / 0.5)


def test_links(result: RunResult) -> None:
    figure = result.plot.links(every=0.5).figure
    lines = drawn(figure.axes[0])
    np.testing.assert_allclose(
        lines["bottleneck"].get_ydata(), column(result.links, "link", "bottleneck", "utilisation") * 100
    )
    there = set(result.links["link"].to_pylist())
    assert f"{len(lines)} of {len(there)} links shown, the busiest" in figure.get_supxlabel()
    named = result.plot.links(links=["bottleneck.back", "access-left-3"]).figure
    assert list(drawn(named.axes[0])) == ["bottleneck.back", "access-left-3"]


def test_levels_and_round_trip_times() -> None:
    data = {
        "format": 1,
        "name": "small",
        "duration": "8 s",
        "warmup": "0 s",
        "topology": {"kind": "dumbbell", "left": 2, "right": 2},
        "flows": {"web": {"kind": "tcp", "segments": 40}},
        "sessions": {
            "film": {
                "scheme": "layered-cbr",
                "source": "left-1",
                "rates": ["100 kbit/s", "100 kbit/s", "200 kbit/s"],
                "receivers": {"nodes": ["right-1"]},
                "level": 2,
            }
        },
    }
    result = faircast.run(data)
    axes = result.plot.levels().figure.axes[0]
    line = drawn(axes)["film-0"]
    np.testing.assert_allclose(line.get_ydata(), result.receivers["mean_level"].to_numpy())
    assert line.get_drawstyle() == "steps-mid"
    assert list(drawn(result.plot.rtt().figure.axes[0])) == ["web"], "layers of constant rate measure none"
    with pytest.raises(InputError, match=r"probes.queues is empty in this scenario; faircast run FILE --set 'probes"):
        result.plot.queue()


def test_paths_and_the_best_picture() -> None:
    data = {
        "format": 1,
        "name": "small",
        "duration": "300 s",
        "topology": {"kind": "constellation", "shell": "iridium"},
        "stations": {
            "berkeley": {"latitude": 37.9, "longitude": -122.3},
            "boston": {"latitude": 42.3, "longitude": -71.1},
        },
        "probes": {"paths": [{"from": "berkeley", "to": "boston"}], "links": False},
    }
    result = faircast.run(data)
    picture = result.plot()
    assert picture.name == "paths"
    delay, hops, *_ = picture.figure.axes
    np.testing.assert_allclose(drawn(delay)["berkeley to boston"].get_ydata(), result.paths["delay_s"].to_numpy() * 1e3)
    assert hops.get_lines()[0].get_ydata().max() == result.paths["hops"].to_numpy().max()
    with pytest.raises(InputError, match=r"nothing to draw for rates: the scenario has no flows"):
        result.plot.rates()
    with pytest.raises(InputError, match=r"probes.links is off in this scenario; .* --set 'probes.links=true' records"):
        result.plot.links()


def test_what_a_slow_start_does_does_not_hide_the_rest() -> None:
    result = faircast.run(
        {
            "format": 1,
            "name": "small",
            "duration": "30 s",
            "warmup": "15 s",
            "topology": {"kind": "dumbbell", "bottleneck": {"rate": "1 Mbit/s", "delay": "10 ms"}},
            "flows": {
                "bulk": {"kind": "cbr", "rate": "900 kbit/s", "packet_size": "1000 B", "stop": "10 s"},
                "thin": {"kind": "cbr", "rate": "50 kbit/s", "packet_size": "1000 B"},
            },
        }
    )
    figure = result.plot.rates().figure
    assert figure.axes[0].get_ylim()[1] < 150
    assert "what is far higher in the warm-up is cut off" in figure.get_supxlabel()
    late = result.plot.rates(start="16 s").figure
    assert "warm-up" not in late.get_supxlabel()


def test_files_are_equal_byte_for_byte(result: RunResult, tmp_path: Path) -> None:
    again = faircast.run(DATA)
    for end in ("png", "pdf", "svg"):
        one, other = tmp_path / f"a.{end}", tmp_path / "deeper" / f"b.{end}"
        result.plot.rates(width="column").save(one)
        again.plot.rates(width="column").save(other)
        assert one.read_bytes() == other.read_bytes()
        assert len(one.read_bytes()) > 5000
    shown = result.plot.queue()._repr_png_()
    assert shown.startswith(b"\x89PNG")
    assert shown == again.plot.queue()._repr_png_()


def test_the_sizes_of_a_paper(result: RunResult) -> None:
    assert result.plot.rates().figure.get_size_inches()[0] == 7.16
    assert result.plot.rates(width="column").figure.get_size_inches()[0] == 3.5


def test_every_picture_has_a_module_and_a_place_in_the_docs() -> None:
    listed = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
    for name, what in PICTURES.items():
        assert callable(import_module(f"faircast.plot.{name}").figure)
        assert f"| `{name}` | {what}" in listed


def test_every_picture_is_a_method(result: RunResult) -> None:
    assert set(PICTURES) <= set(dir(result.plot))
    assert "Names of flows" in (result.plot.window.__doc__ or "")
    assert result.plot().name == "rates"
    with pytest.raises(AttributeError, match=r"no picture rate \(did you mean rates\?\)"):
        _ = result.plot.rate


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"start": "30 s"}, "--from is 30 s, beyond the end of the run at 20 s"),
        ({"stop": 20.5}, "--to is 20.5 s, beyond the end"),
        ({"start": "10 s", "stop": "5 s"}, "--from is 10 s, not before --to, 5 s"),
        ({"start": "soon"}, "--from is soon; legal is a time, such as '37 s'"),
        ({"start": -1}, "--from is -1; legal are times from 0 s on"),
        ({"start": "3 packets"}, "legal is a time"),
        ({"every": 0}, "--every is 0 s; legal is more than 0 s and at most the 20 s shown"),
        ({"every": "1 min"}, "--every is 60 s"),
        (
            {"flows": ["vidoe"]},
            r"no flow or session vidoe \(did you mean video\?\); there are: video, voice, web, web-0",
        ),
        ({"seed": 7}, "there is no seed 7; there is 1"),
        ({"width": "huge"}, "the width is huge; legal are page and column"),
    ],
)
def test_what_cannot_be_drawn(result: RunResult, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        result.plot.rates(**options)


def test_files_that_cannot_be_written(result: RunResult, tmp_path: Path) -> None:
    picture = result.plot.rates()
    for name, message in (
        ("rates.gif", r"ends in .gif; pictures are written as .png, .pdf, .svg"),
        ("rates", "has no suffix"),
        ("file/rates.png", "choose another file with --out"),
    ):
        (tmp_path / "file").write_text("no folder")
        with pytest.raises(InputError, match=message):
            picture.save(tmp_path / name)
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(InputError, match=r"folder.png is a folder; name a file in it"):
        picture.save(tmp_path / "folder.png")


def test_grids() -> None:
    assert [round_up(x) for x in (0.3, 1, 1.2, 2, 2.01, 5, 7, 11, 49, 500, 501)] == [
        1,
        1,
        2,
        2,
        5,
        5,
        10,
        20,
        50,
        500,
        1000,
    ]
    grid = Grid(Cut(0, 10), step_s=1, points=4, is_mean=True)
    assert grid.bin_s == 5  # 2.5 s would do, were it not for round numbers
    t_s, values = np.arange(1, 11.0), np.array([1, 2, np.nan, 4, 5, 6, 7, 8, 9, 100.0])
    series = grid.series([t_s], [values])
    np.testing.assert_allclose(series.mean, [[3, 26]])
    np.testing.assert_allclose(series.low, [[1, 6]])
    np.testing.assert_allclose(series.high, [[5, 100]])
    np.testing.assert_allclose(series.t_s, [2.5, 7.5])
    moments = Grid(Cut(2, 6), step_s=1, points=100, is_mean=False).series([t_s], [values])
    np.testing.assert_allclose(moments.t_s, [3, 4, 5, 6])
    np.testing.assert_allclose(moments.mean, [[np.nan, 4, 5, 6]])


def test_statistics_are_those_of_summaries() -> None:
    values = np.array([[1.0, 2, np.nan, np.nan], [4.0, np.nan, np.nan, 7], [5.0, 9, np.nan, np.nan]])
    mean, half = over_seeds(values)
    for i in range(4):
        item = estimate(list(values[:, i]))
        np.testing.assert_allclose(mean[i], item.mean)
        np.testing.assert_allclose(half[i], item.ci95 or 0)


def test_units_and_small_things() -> None:
    assert rate_unit(2.5e9) == (1e9, "Gbit/s")
    assert rate_unit(1e6) == (1e6, "Mbit/s")
    assert rate_unit(999_999) == (1e3, "kbit/s")
    assert rate_unit(0) == (1.0, "bit/s")
    assert time_unit(0.25) == (1e-3, "ms")
    assert (time_text(0.2), time_text(5)) == ("200 ms", "5 s")
    nested = {"a": {"changes": [{"at": "1 s"}]}, "b": [1], "changes": "x", "c": {"back": {"changes": [{"at": "2 s"}]}}}
    assert list(changes_in(nested)) == ["1 s", "2 s"]
    np.testing.assert_allclose(thinned(np.array([1.0, 1.0001, 1.5, 9.9]), Cut(0, 10)), [1.0, 1.5, 9.9])


def test_names_of_groups() -> None:
    groups = flow_groups({"sessions": {"video": {}}, "flows": {"web": {"count": 2}, "one": {"count": 1}}})
    assert [(group.name, group.members) for group in groups] == [
        ("video", ("video",)),
        ("web", ("web-0", "web-1")),
        ("one", ("one",)),
    ]
    assert [group.name for group in chosen(groups, ["web-1", "web"])] == ["web-1", "web"]
    assert [group.name for group in chosen(groups, ["video", "video"])] == ["video"]


def test_the_command(cli: Cli, small: Path) -> None:
    assert cli("run", small, "--reps", 2, "--out", "out").code == 0
    done = cli("plot", "out")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == ["out/plots/rates.pdf", "out/plots/rates.png"]
    assert Path("out/plots/rates.png").read_bytes().startswith(b"\x89PNG")
    assert cli("plot", "out/seed-2", "queue", "--from", "5 s").out.splitlines() == [
        "out/plots/queue-seed-2-from-5-s.pdf",
        "out/plots/queue-seed-2-from-5-s.png",
    ]
    assert cli("plot", "out", "--out", "x.svg").out == "x.svg\n"
    assert b"<svg" in Path("x.svg").read_bytes()
    assert cli("run", "out", "--reps", 3).code == 0, "the pictures are not in the way"
    assert recording_of(Path("out")).seeds == (1, 2, 3)
    assert fitting(recording_of(Path("out"))) == "rates"
    listed = cli("plot", "out", "rates", "window", "--seed", 1, "--json")
    assert '"picture": "window"' in listed.out
    assert "out/plots/window-seed-1.pdf" in listed.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("out", "rates", "--from", "5"), "--from is 5; write it with its unit, such as '5 s'"),
        (("out", "quue"), "there is no picture quue (did you mean queue?); there are: rates, receivers"),
        (("out", "receivers"), "nothing to draw for receivers: the scenario has no sessions"),
        (("out", "web-0/goodput"), "web-0/goodput is a metric: those are drawn of a sweep, and out holds a run; of"),
        (("otu",), "there is no folder otu (did you mean out?)"),
        (("small.toml",), "small.toml is a file; give the folder of a result"),
        (("out", "--seed", "4"), "there is no seed 4; there is 1"),
        (("out", "rates", "window", "--out", "x.png"), "--out names one file, and there are 2 pictures"),
        (("out", "--out", "x.jpg"), "x.jpg ends in .jpg; pictures are written as .png, .pdf, .svg"),
        (("empty",), "empty is not a result folder: it has no manifest.json"),
        (("out", "--link", "bttleneck", "queue"), "there is no probed queue bttleneck (did you mean bottleneck?)"),
    ],
)
def test_bad_input_of_the_command(cli: Cli, small: Path, arguments: tuple[str, ...], message: str) -> None:
    Path("empty").mkdir()
    Path("small.toml").write_text(small.read_text())
    assert cli("run", small, "--out", "out", "--set", "duration=5s").code == 0
    done = cli("plot", *arguments)
    assert done.code == 2
    assert message in done.err
    assert not Path("out/plots").exists()


def test_the_command_that_records_what_is_missing(cli: Cli, small: Path) -> None:
    cli("run", small, "--out", "out", "--set", "probes.queues=[]", "--set", "duration=5s")
    done = cli("plot", "out", "queue")
    command = "faircast run out --set 'probes.queues=[\"bottleneck\"]'"
    assert done.code == 2
    assert done.err.rstrip().endswith(f"probes.queues is empty in this scenario; {command} records it")
    assert cli("run", "out", "--set", 'probes.queues=["bottleneck"]', "--out", "again").code == 0
    assert cli("plot", "again", "queue").code == 0


def test_tables_of_a_sweep(cli: Cli, small: Path) -> None:
    """Those of a point lie in a folder without a manifest, and only those that were asked for."""
    vary = ("--vary", "links.bottleneck.delay=20 ms", "--set", "duration=4s", "--tables", "flows,queues")
    assert cli("sweep", small, *vary, "--out", "swept").code == 0
    (seed,) = Path("swept/tables").glob("*/seed-1")
    for what in ("rates", "window", "queue"):
        done = cli("plot", seed, what)
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(str(seed / "plots"))
    missing = cli("plot", seed, "links")
    assert missing.code == 2
    assert f"nothing to draw for links: {seed} has no table links" in missing.err
