"""Pages of results: what their documents say, what is kept of long series, and that nothing is carried out."""

from __future__ import annotations

import base64
import copy
import errno
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from conftest import Cli

import faircast
from faircast import InputError, _native
from faircast.manifest import read_manifest, write_manifest
from faircast.reporting import bands, network, of_sweep, page, report, sentences
from faircast.reporting.of_run import MOST_SEEDS, Subject, document_of
from faircast.reporting.packing import Chunk, shares
from faircast.reporting.tables import NOT_DELIVERED, Table, tables_of
from faircast.reporting.thinning import Codes, Kept, extremes, kept, read
from faircast.reporting.toml import toml_of
from faircast.rows import Rows
from faircast.summary import over_seeds

NO_ROWS = Rows.of(over_seeds({}))
HOSTILE = "</script><img src=x onerror=alert(1)><!--"
EXAMPLES = Path(__file__).parents[2] / "examples" / "scenarios"
DATA: dict[str, Any] = {
    "format": 1,
    "name": "shown",
    "description": HOSTILE,
    "duration": "20 s",
    "warmup": "4 s",
    "topology": {"kind": "dumbbell", "left": 3, "right": 4},
    "links": {
        "bottleneck": {
            "rate": "2 Mbit/s",
            "delay": "20 ms",
            "queue": {"kind": "red", "limit": "60 packets", "min_th": "5 packets", "max_th": "15 packets"},
            "changes": [{"at": "12 s", "rate": "1 Mbit/s"}, {"at": "15 s", "up": False}, {"at": "16 s", "up": True}],
        }
    },
    "flows": {"web": {"kind": "tcp", "count": 2}},
    "sessions": {"video": {"scheme": "tfmcc", "source": "left-2", "receivers": {"nodes": ["right-2", "right-3"]}}},
    "probes": {"queues": ["bottleneck"], "interval": "500 ms"},
}


@pytest.fixture(autouse=True)
def viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A viewer that shows nothing: these tests need no Node."""
    monkeypatch.setattr(page, "viewer", lambda: ("'the viewer'", "body { margin: 0 }", "licences -- of all"))
    monkeypatch.setattr(report, "viewer", page.viewer)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from faircast.cli import carry_out

    place = tmp_path_factory.mktemp("run")
    (place / "shown.json").write_text(json.dumps(DATA), encoding="utf-8")
    options = ["--reps", "2", "--out", str(place / "result"), "--json"]
    assert carry_out(["run", str(place / "shown.json"), *options]) == 0
    return place / "result"


def document(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="document">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    made: dict[str, Any] = json.loads(found.group(1))
    return made


def unpacked(text: str, chunk: str) -> bytes:
    found = re.search(rf'<script type="application/octet-stream" id="{chunk}">(.*?)</script>', text)
    assert found is not None
    return gzip.decompress(base64.b64decode(found.group(1)))


def column(text: str, run: dict[str, Any], table: str, name: str) -> np.ndarray[Any, Any]:
    planned = run["tables"][table]
    (own,) = [one for one in planned["columns"] if one["name"] == name]
    form = "<u4" if "words" in own else "<f8"
    return np.frombuffer(unpacked(text, run["chunk"]), form, planned["rows"], own["at"])


def test_a_page_holds_the_tables_as_they_are(folder: Path, tmp_path: Path) -> None:
    runs = faircast.read(folder)
    assert isinstance(runs, faircast.Runs)
    text = runs.report(tmp_path / "page.html").read_text(encoding="utf-8")
    made = document(text)["run"]
    assert [run["seed"] for run in made["runs"]] == [1, 2]
    for run in made["runs"]:
        table = runs.of(run["seed"]).flows
        for name in ("t_s", "rate_bps", "cwnd_pkts"):
            np.testing.assert_array_equal(column(text, run, "flows", name), table.column(name).to_numpy())
        (flow,) = [one for one in run["tables"]["flows"]["columns"] if one["name"] == "flow"]
        codes = column(text, run, "flows", "flow")
        assert [flow["words"][code] for code in codes] == table.column("flow").to_pylist()


def test_what_was_run_and_what_came_out_stands_on_top(folder: Path, tmp_path: Path) -> None:
    runs = faircast.read(folder)
    assert isinstance(runs, faircast.Runs)
    made = document(runs.report(tmp_path / "page.html").read_text(encoding="utf-8"))
    head = made["head"]
    assert head["ran"] == [
        "Simulated: 20 s of the topology dumbbell, with seeds 1 to 2; the first 4 s are the warm-up.",
        "Sessions: video (tfmcc, 2 receivers).",
        "Beside them: 2 flows of tcp (web-0, web-1).",
    ]
    got = runs["video", "rate"]
    assert head["came"][0].startswith(f"video got {got.mean / 1e3:.4g} ")
    best = next(row.optimum for row in runs.rows if (row.subject, row.metric) == ("video", "rate"))
    assert f"{got.mean / best:.0%} of its optimum" in head["came"][0]
    assert made["run"]["optimum"]["video"] == best
    assert head["hash"] == runs.scenario.hash
    assert head["seeds"] == "1 to 2"
    assert json.loads(_native.toml_to_json(head["scenario"])) == runs.scenario.data
    assert {one["command"] for one in head["commands"]} == {
        f"faircast run {folder} --out again",
        f"faircast lab {folder}",
        "faircast run shown.toml --seed 1 --reps 2",
    }
    assert made["run"]["changes"][1] == {"t_s": 15.0, "text": "links.bottleneck: down"}
    assert made["run"]["drawing"]["map"]["flows"][0]["name"] == "web-0"


def test_nothing_of_a_scenario_is_markup(folder: Path, tmp_path: Path) -> None:
    runs = faircast.read(folder)
    assert isinstance(runs, faircast.Runs)
    text = runs.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert document(text)["head"]["description"] == HOSTILE
    assert "<img" not in text
    assert text.count("<script") == text.count("</script>") == 5  # document, two seeds, bands, the viewer


def test_a_page_is_written_whole_or_not_at_all(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = faircast.Runs.read(folder)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link.html").symlink_to(tmp_path / "elsewhere" / "page.html")
    runs.report(tmp_path / "link.html")
    whole = (tmp_path / "elsewhere" / "page.html").read_bytes()
    assert (tmp_path / "link.html").is_symlink()

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match=r"cannot write .*link\.html: No space left on device"):
        runs.report(tmp_path / "link.html")
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["page.html"]
    assert (tmp_path / "elsewhere" / "page.html").read_bytes() == whole


def test_hand_offs_to_nothing_are_not_said_to_be_to_a_satellite() -> None:
    assert sentences.came(NO_ROWS, [], ["b", "", "c"]) == [
        "Ground stations turned to a satellite 2 times, and were left without one 1 time."
    ]
    assert sentences.came(NO_ROWS, [], ["b"]) == ["Ground stations turned to a satellite 1 time."]


def test_the_page_is_closed_to_the_network(folder: Path, tmp_path: Path) -> None:
    runs = faircast.read(folder)
    assert isinstance(runs, faircast.Runs)
    text = runs.report(tmp_path / "page.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; ")
    assert f"script-src '{page.digest(chr(39) + 'the viewer' + chr(39))}'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"https?://", text.replace(json.dumps(HOSTILE), ""))
    assert "licences - - of all" in text  # a comment ends at two dashes


def test_equal_results_give_equal_pages(folder: Path, tmp_path: Path) -> None:
    runs = faircast.read(folder)
    assert isinstance(runs, faircast.Runs)
    assert runs.report(tmp_path / "a.html").read_bytes() == runs.report(tmp_path / "b.html").read_bytes()


def test_a_result_in_memory_has_a_page_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = faircast.run(DATA)
    path = result.report()
    assert path == Path("shown-report.html")
    made = document(path.read_text(encoding="utf-8"))
    assert [run["seed"] for run in made["run"]["runs"]] == [1]
    assert "bands" not in made["run"]
    assert [one["command"] for one in made["head"]["commands"]] == ["faircast run shown.toml --seed 1"]


def test_the_verb_says_where_the_page_is(folder: Path, cli: Cli) -> None:
    done = cli("report", folder)
    assert done.out.strip() == str(folder / "report.html")
    assert (folder / "report.html").stat().st_size < 25_000_000
    told = json.loads(cli("report", folder, "--json").out)
    assert told["kind"] == "run"
    assert told["bytes"] == (folder / "report.html").stat().st_size


def test_folders_that_hold_no_result_are_refused(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "empty").mkdir()
    for name, said in (("empty", "is not a result folder"), ("nothing", "there is no folder")):
        done = cli("report", tmp_path / name)
        assert done.code == 2
        assert said in done.err
    assert not list(tmp_path.rglob("*.html"))


def test_a_seed_that_is_missing_is_said(folder: Path, tmp_path: Path, cli: Cli) -> None:
    import shutil

    partial = tmp_path / "partial"
    shutil.copytree(folder, partial)
    shutil.rmtree(partial / "seed-2")
    runs = faircast.Runs.read(partial)
    made = document(runs.report(tmp_path / "page.html").read_text(encoding="utf-8"))
    assert made["head"]["notes"] == [f"Not finished: seed 2; faircast run {partial} goes on."]
    assert [run["seed"] for run in made["run"]["runs"]] == [1]


def test_without_a_viewer_one_sentence_says_what_builds_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(page.resources, "files", lambda _: tmp_path)
    with pytest.raises(InputError, match="make web builds it"):
        page.viewer()


def test_falls_are_explained_from_the_tables_or_have_a_command(folder: Path, cli: Cli) -> None:
    cli("report", folder)
    why = document((folder / "report.html").read_text(encoding="utf-8"))["run"]["why"]
    assert {"web-0", "web-1"} <= {one["flow"] for one in why} <= {"video", "web-0", "web-1"}
    flows = faircast.read(folder).of(1).flows  # type: ignore[union-attr]
    for one in why:
        assert one["steps"] or one["command"].startswith(f"faircast why {folder} --at '{one['t_s']:g} s'")
        own = flows.filter(pa.compute.equal(flows.column("flow"), one["flow"]))
        t_s, rates = own.column("t_s").to_numpy(), own.column("rate_bps").to_numpy()
        fall = np.where(t_s[:-1] > 4.0, rates[:-1] - rates[1:], -np.inf)
        assert t_s[1:][np.argmax(fall)] == one["t_s"]


def made_table(rows: int = 10_000, subjects: int = 3) -> tuple[Table, pa.Table]:
    random = np.random.default_rng(7)
    t_s = np.repeat(np.arange(1, rows // subjects + 1) * 0.1, subjects)
    size = len(t_s)
    words = [f"flow-{at % subjects}" for at in range(size)]
    rate = random.normal(size=size)
    rate[::17] = np.nan
    whole = pa.table(
        {"t_s": t_s, "flow": pa.array(words).dictionary_encode(), "rate_bps": rate, "cwnd_pkts": random.random(size)}
    )
    parts = lambda columns: whole.select(list(columns)).to_batches(max_chunksize=777)  # noqa: E731
    return Table("flows", size, ("t_s", "flow", "rate_bps", "cwnd_pkts"), lambda columns: iter(parts(columns))), whole


def test_thinning_keeps_the_extremes_of_every_series_and_window() -> None:
    table, whole = made_table()
    stop_s, windows = float(whole.column("t_s").to_numpy().max()), 50
    drawn = ["rate_bps", "cwnd_pkts"]
    rows = extremes(table, codes_of(table), drawn, windows, stop_s)
    t_s = whole.column("t_s").to_numpy()
    window = np.clip((t_s / stop_s * windows - 1e-9).astype(int), 0, windows - 1)
    flow = np.array(whole.column("flow").to_pylist())
    keeps = np.zeros(len(t_s), bool)
    keeps[rows] = True
    for name in drawn:
        value = whole.column(name).to_numpy()
        for one in np.unique(flow):
            for at in range(windows):
                own = (flow == one) & (window == at)
                assert np.nanmin(value[own]) == np.nanmin(value[own & keeps])
                assert np.nanmax(value[own]) == np.nanmax(value[own & keeps])
    assert len(rows) <= 3 * windows * 2 * len(drawn)
    assert len(rows) == len(set(rows.tolist()))


def codes_of(table: Table) -> Codes:
    codes = Codes(("flow",))
    for part in table.parts(("flow",)):
        codes.of(part)
    return codes


def test_what_is_kept_is_whole_rows_in_their_order() -> None:
    table, whole = made_table()
    keep = kept(table, 1000, 333.3)
    assert keep.rows is not None
    assert np.all(np.diff(keep.rows) > 0)
    found = read(table, keep, table.columns)
    for name in ("t_s", "rate_bps", "cwnd_pkts"):
        np.testing.assert_array_equal(found[name], whole.column(name).to_numpy()[keep.rows])
    flow = np.array(whole.column("flow").to_pylist())
    np.testing.assert_array_equal(np.array(found["flow"].words)[found["flow"].codes], flow[keep.rows])
    assert len(keep.rows) < 1400


def test_columns_of_nothing_take_no_windows_from_others() -> None:
    _, whole = made_table()
    size = whole.num_rows
    drops = np.zeros(size)
    drops[5000] = 7.0
    links = pa.table(
        {"t_s": whole.column("t_s"), "link": whole.column("flow"), "utilisation": whole.column("cwnd_pkts")}
        | {name: np.zeros(size) for name in NOT_DELIVERED}
        | {"dropped_down_pkts": drops}
    )
    table = Table("links", size, tuple(links.column_names), lambda columns: iter(links.select(columns).to_batches()))
    keep = kept(table, 1200, 333.3)
    assert keep.rows is not None
    assert 5000 in keep.rows
    # Two of eight columns tell something, of three links each, thus 1200 / (2 * 2 * 3) windows.
    assert keep.window_s == pytest.approx(333.3 / 100)


def test_short_tables_stay_whole() -> None:
    table, _ = made_table()
    assert kept(table, table.rows, 333.3) == Kept(None)


def test_a_page_that_becomes_too_large_is_thinned_and_says_so(folder: Path) -> None:
    runs = faircast.Runs.read(folder)
    whole, text = report.within(lambda values: document_of(runs.subject(), values))
    assert not any("thinned" in note for note in whole.document["head"]["notes"])
    made, smaller = report.within(
        lambda values: document_of(runs.subject(), values), most=len(text) - 20_000, values=60_000
    )
    assert len(smaller) < len(text)
    notes = made.document["head"]["notes"]
    assert any(note.startswith("The table links is thinned: of every ") for note in notes)


def test_room_is_shared_and_small_wishes_are_met() -> None:
    assert shares([10, 500, 1000], 710) == [10, 350, 350]
    assert shares([10, 20], 100) == [10, 20]
    assert shares([], 5) == []


def test_bands_are_mean_and_extremes_of_few_seeds(folder: Path) -> None:
    runs = faircast.Runs.read(folder)
    by_seed = [tables_of(result) for result in runs]
    found = bands.bands_of(by_seed, 20.0, dict.fromkeys(bands.TABLES, 0.5) | {"queues": 0.1})["flows"]
    names = np.array(found["flow"].words)[found["flow"].codes]
    rates = []
    for result in runs:
        table = result.flows.filter(pa.compute.equal(result.flows.column("flow"), "video"))
        rates.append(table.column("rate_bps").to_numpy())
    own = names == "video"
    np.testing.assert_allclose(found["t_s"][own], np.arange(1, 41) * 0.5)
    np.testing.assert_allclose(found["rate_bps.mean"][own], np.mean(rates, axis=0))
    np.testing.assert_array_equal(found["rate_bps.low"][own], np.min(rates, axis=0))
    np.testing.assert_array_equal(found["rate_bps.high"][own], np.max(rates, axis=0))


def test_bands_of_more_seeds_are_intervals() -> None:
    runs = faircast.run(DATA, seeds=range(1, 5))
    found = bands.bands_of([tables_of(one) for one in runs], 20.0, dict.fromkeys(bands.TABLES, 0.5))["flows"]
    names = np.array(found["flow"].words)[found["flow"].codes]
    at = int(np.flatnonzero((names == "video") & (found["t_s"] == 10.0))[0])
    values = []
    for one in runs:
        flows = one.flows.to_pylist()
        values.append(next(row["rate_bps"] for row in flows if row["flow"] == "video" and row["t_s"] == 10.0))
    expected = faircast.estimate(values)
    assert expected.ci95 is not None
    assert found["rate_bps.mean"][at] == pytest.approx(expected.mean)
    assert found["rate_bps.high"][at] - found["rate_bps.mean"][at] == pytest.approx(expected.ci95)
    assert found["rate_bps.mean"][at] - found["rate_bps.low"][at] == pytest.approx(expected.ci95)


def test_of_many_seeds_the_first_are_in_the_page() -> None:
    data = copy.deepcopy(DATA) | {"duration": "5 s"}
    data["links"]["bottleneck"]["changes"] = []
    runs = faircast.run(data, seeds=range(1, MOST_SEEDS + 2))
    made = document_of(runs.subject(), 1_000_000).document
    assert len(made["run"]["runs"]) == MOST_SEEDS
    assert f"Of {MOST_SEEDS + 1} seeds the first {MOST_SEEDS} can be looked at one by one." in made["head"]["notes"]


def test_a_scenario_becomes_toml_and_comes_back() -> None:
    data = {
        "name": 'a "quoted" \\ name\n\x7f',
        "empty": {},
        "links": {"a.b c": {"rate": "1 Mbit/s", "loss": [{"p": 0.5, "q": 1e-9}], "on": True, "none": None}},
    }
    back = json.loads(_native.toml_to_json(toml_of(data)))
    assert back == {
        "name": 'a "quoted" \\ name\n\x7f',
        "empty": {},
        "links": {"a.b c": {"rate": "1 Mbit/s", "loss": [{"p": 0.5, "q": 1e-9}], "on": True}},
    }


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_becomes_toml_and_comes_back(path: Path) -> None:
    scenario = faircast.resolve(path)
    back = faircast.resolve(toml_of(scenario.data))
    assert back.hash == scenario.hash


def test_json_in_a_page_ends_no_element_and_has_no_numbers_that_are_none() -> None:
    text = page.json_of({"a": [HOSTILE, float("nan"), float("inf"), 1.5], "\u2028": "&amp; \ud800"})
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == {"a": [HOSTILE, None, None, 1.5], "\u2028": "&amp; ?"}


def test_columns_begin_where_a_browser_can_take_them() -> None:
    chunk = Chunk("c")
    assert chunk.put(np.array([1, 2, 3]), "<u4") == 0
    assert chunk.put(np.array([1.0]), "<f8") == 16
    assert base64.b64decode(chunk.text())[4:8] == bytes(4), "gzip has a place for the time, which is left empty"


def test_changes_of_a_network_are_said_in_words() -> None:
    loss = {"kind": "bernoulli", "p": 0.01}
    data = {"links": {"a": {"changes": [{"at": "2 s", "loss": loss}, {"at": "1 s", "up": True}]}}}
    assert network.changes(data) == [
        {"t_s": 1.0, "text": "links.a: up again"},
        {"t_s": 2.0, "text": "links.a: loss bernoulli p 0.01"},
    ]


def test_a_subject_of_one_seed_has_its_warnings() -> None:
    data = copy.deepcopy(DATA)
    data["flows"]["web"]["wnd"] = "2 packets"
    subject = Subject.of_seed(faircast.run(data))
    kinds = {one["kind"] for one in subject.warnings}
    assert "window-limited" in kinds


def test_a_sweep_has_means_and_intervals_of_all_points(tmp_path: Path) -> None:
    data = copy.deepcopy(DATA) | {"duration": "6 s"}
    data["links"]["bottleneck"]["changes"] = []
    result = faircast.sweep(
        data,
        vary={"links.bottleneck.delay": ["50 ms", "10 ms"], "flows.web.variant": ["reno", "sack"]},
        reps=3,
        out=tmp_path / "sweep",
    )
    text = result.report(tmp_path / "page.html").read_text(encoding="utf-8")
    made = document(text)["sweep"]
    assert [one["path"] for one in made["paths"]] == ["links.bottleneck.delay", "flows.web.variant"]
    assert made["paths"][0]["values"] == ["10 ms", "50 ms"]
    assert made["paths"][1]["isNumber"] is False
    (metric,) = [one for one in made["metrics"] if (one["subject"], one["metric"]) == ("video", "rate")]
    points = len(result.points)
    block = np.frombuffer(unpacked(text, made["chunk"]), "<f8", 5 * points, metric["at"]).reshape(5, points)
    for at, point in enumerate(result.points):
        expected = result.estimate(point, "video", "rate")
        assert expected.ci95 is not None
        assert block[0, at] == pytest.approx(expected.mean)
        assert block[2, at] - block[1, at] == pytest.approx(2 * expected.ci95)
        assert block[3, at] == 3
        shown = made["points"][at]
        assert shown["hash"] == point.scenario.hash
        assert f"links.bottleneck.delay={point.values['links.bottleneck.delay']}" in shown["command"]
    scenarios = json.loads(unpacked(text, made["scenarios"]))
    assert [faircast.resolve(one).hash for one in scenarios] == [point.scenario.hash for point in result.points]
    assert made["usual"]


def test_of_one_seed_a_sweep_has_no_interval(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [f"{packets} packets" for packets in range(20, 26)]
    data = copy.deepcopy(DATA) | {"duration": "6 s"}
    data["links"]["bottleneck"] = {"rate": "2 Mbit/s"}
    vary = {"links.bottleneck.queue.limit": limits}
    result = faircast.sweep(data, vary=vary, reps=1, out=tmp_path / "sweep")
    looks = []
    known = of_sweep.distinct
    monkeypatch.setattr(of_sweep, "distinct", lambda *given: looks.append(1) or known(*given))
    text = result.report(tmp_path / "page.html").read_text(encoding="utf-8")
    made = document(text)["sweep"]
    (metric,) = [one for one in made["metrics"] if (one["subject"], one["metric"]) == ("video", "rate")]
    block = np.frombuffer(unpacked(text, made["chunk"]), "<f8", 5 * 6, metric["at"]).reshape(5, 6)
    assert np.isfinite(block[0]).all()
    assert np.isnan(block[1:3]).all()
    assert (block[3] == 1).all()
    # Points do not look through all points again: a thousand of them would take a minute.
    assert len(looks) < len(limits)


def test_a_reproduction_has_verdicts_and_figures(tmp_path: Path) -> None:
    done = faircast.reproduce("mecn-fig6", quick=True, reps=1, out=tmp_path / "again")
    text = done.report().read_text(encoding="utf-8")
    (shown,) = document(text)["reproduction"]
    (report_,) = done.reports
    assert shown["verdict"] == report_.verdict
    assert [one["name"] for one in shown["criteria"]] == [one.name for one in report_.criteria]
    assert shown["command"] == "faircast reproduce mecn-fig6 --reps 1 --quick"
    if report_.figures:
        png = next(path for path in report_.figures if path.suffix == ".png")
        assert shown["figure"] == f"data:image/png;base64,{base64.b64encode(png.read_bytes()).decode()}"


def test_a_network_that_this_version_cannot_make_is_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> str:
        raise _native.ScenarioError("links.a.colour: no such key")

    monkeypatch.setattr(_native, "network_map", refused)
    made = document_of(faircast.Runs.read(folder).subject(), 1_000_000).document
    assert "drawing" not in made["run"]
    assert "The network is not drawn: links.a.colour: no such key." in made["head"]["notes"]


def test_a_constellation_has_positions_of_its_satellites(tmp_path: Path) -> None:
    data = {
        "format": 1,
        "name": "sky",
        "duration": "60 s",
        "topology": {"kind": "constellation", "shell": "iridium"},
        "stations": {"a": {"latitude": 50.0, "longitude": 8.0}, "b": {"latitude": 40.0, "longitude": -70.0}},
        "probes": {"paths": [{"from": "a", "to": "b"}], "links": False},
    }
    text = faircast.run(data).report(tmp_path / "page.html").read_text(encoding="utf-8")
    sky = document(text)["run"]["drawing"]["sky"]
    assert [(one["name"], one["latitude"], one["longitude"]) for one in sky["stations"]] == [
        ("a", 50.0, 8.0),
        ("b", 40.0, -70.0),
    ]
    assert len(sky["satellites"]) == 66
    data_ = unpacked(text, "sky")
    times = np.frombuffer(data_, "<f8", sky["times"])
    latitude, longitude, altitude = np.frombuffer(data_, "<f4", offset=8 * sky["times"]).reshape(3, sky["times"], 66)
    assert times[0] == 0.0
    assert times[-1] == 60.0
    assert np.all(np.abs(latitude) <= 86.5)
    assert np.all(np.abs(altitude - 780e3) < 30e3)
    # Over a second a satellite of Iridium moves by 360 degrees in 6000 s, the earth turns by 0.004 degrees below it.
    step = np.hypot(np.diff(latitude[:, 0]), np.cos(np.radians(latitude[:-1, 0])) * np.diff(longitude[:, 0]))
    np.testing.assert_allclose(step / np.diff(times), 360.0 / 6000.0, rtol=0.1)


def test_a_file_is_read_in_parts_in_its_order(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from faircast.parquet import read_columns, read_parts

    _, whole = made_table(rows=3000)
    path = tmp_path / "flows.parquet"
    pq.write_table(whole, path, row_group_size=700)
    parts = list(read_parts(path, ["rate_bps", "flow"], 300))
    assert max(part.num_rows for part in parts) == 300
    together = pa.Table.from_batches(parts)
    assert together.column("flow").to_pylist() == whole.column("flow").to_pylist()
    np.testing.assert_array_equal(together.column("rate_bps").to_numpy(), whole.column("rate_bps").to_numpy())
    assert read_columns(path) == whole.column_names
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match="not a whole Parquet file"):
        list(read_parts(path, ["flow"], 300))


def test_what_rose_or_was_long_before_does_not_explain_a_fall() -> None:
    from faircast.causes.explanation import Explanation, Step
    from faircast.reporting.reasons import is_fall

    def said(moment_s: float | None, **facts: float) -> Explanation:
        return Explanation("f", "", "tfmcc", 1, 20.0, moment_s, "", (Step("change", "", facts=facts),))

    assert is_fall(said(19.0, before_bps=2.0, after_bps=1.0), 17.0)
    assert is_fall(said(17.0), 17.0)
    assert not is_fall(said(19.0, before_bps=1.0, after_bps=2.0), 17.0)
    assert not is_fall(said(16.9), 17.0)
    assert not is_fall(said(None), 17.0)


def test_what_a_receiver_that_has_left_measured_is_in_no_band() -> None:
    data = copy.deepcopy(DATA)
    data["sessions"]["video"]["receivers"]["leave"] = ["20 s", "10 s"]
    runs = faircast.run(data, seeds=[1, 2])
    found = bands.bands_of([tables_of(one) for one in runs], 20.0, dict.fromkeys(bands.TABLES, 0.5))["receivers"]
    names = np.array(found["receiver"].words)[found["receiver"].codes]
    own, late = names == "video-1", found["t_s"] > 16.0
    assert np.all(np.isnan(found["rtt_s.mean"][own & late]))
    assert np.all(found["rtt_s.mean"][own & (found["t_s"] > 6.0) & (found["t_s"] < 9.0)] > 0)
    (rtts,) = [one.receivers.column("rtt_s").to_numpy()[-1] for one in runs if one.seed == 1]
    assert rtts > 0, "the table has the last value that it measured"


def test_a_result_of_another_version_says_both_versions(folder: Path) -> None:
    subject = faircast.Runs.read(folder).subject()
    subject.version = "0.0.9"
    notes = document_of(subject, 1_000_000).document["head"]["notes"]
    assert notes[0] == f"These results are of faircast 0.0.9; the page was made by {faircast.__version__}."


def test_what_interrupted_seeds_have_is_shown_if_nothing_is_finished(folder: Path, tmp_path: Path, cli: Cli) -> None:
    import shutil

    partial = tmp_path / "partial"
    shutil.copytree(folder, partial)
    shutil.rmtree(partial / "seed-2")
    cut = (partial / "seed-1").rename(partial / "seed-1-interrupted")
    write_manifest(cut, {key: 7.25 if key == "simulated_s" else value for key, value in read_manifest(cut).items()})
    done = cli("report", partial)
    assert done.code == 0, done.err
    made = document((partial / "report.html").read_text(encoding="utf-8"))
    assert [run["seed"] for run in made["run"]["runs"]] == [1]
    assert made["head"]["notes"][0] == "Interrupted before the end: seed 1; the page has what is there."
    # Nothing after that moment was run, so no picture goes on to the end that was asked for.
    assert made["run"]["time"]["stop_s"] == 7.25
    assert made["run"]["changes"] == []
    assert made["head"]["ran"][0].startswith("Simulated: 7.25 s out of 20 s of the topology dumbbell, with seed 1; ")
    assert "Interrupted before the end: seed 1" in done.err


def test_a_run_without_its_manifest_is_no_seed(folder: Path, tmp_path: Path, cli: Cli) -> None:
    import shutil

    bare = tmp_path / "bare"
    shutil.copytree(folder, bare)
    (bare / "manifest.json").unlink()
    for verb in ("report", "show"):
        done = cli(verb, bare)
        assert (done.code, done.err) == (2, f"faircast: {bare} is not a result folder: it has no manifest.json\n")


def test_a_damaged_table_is_refused_and_nothing_is_written(folder: Path, tmp_path: Path, cli: Cli) -> None:
    import shutil

    damaged = tmp_path / "damaged"
    shutil.copytree(folder, damaged, ignore=shutil.ignore_patterns("*.html"))
    table = damaged / "seed-1" / "flows.parquet"
    data = bytearray(table.read_bytes())
    data[len(data) // 2] ^= 1
    table.write_bytes(data)
    done = cli("report", damaged)
    assert done.code == 2
    assert "is not as it was written" in done.err
    assert not (damaged / "report.html").exists()


def test_of_many_subjects_the_first_stand_in_the_table() -> None:
    from faircast.reporting.sentences import MOST_ROWS, tables

    data = copy.deepcopy(DATA) | {"duration": "5 s"}
    data["links"]["bottleneck"]["changes"] = []
    data["topology"] |= {"left": MOST_ROWS + 3, "right": MOST_ROWS + 3}
    data["flows"]["web"]["count"] = MOST_ROWS
    (rates, *_) = tables(Subject.of_seed(faircast.run(data)).rows)
    assert rates["title"] == f"Rates of flows, sessions and receivers, {MOST_ROWS} of {MOST_ROWS + 3}"
    assert len(rates["rows"]) == MOST_ROWS
