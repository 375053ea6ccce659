"""What the views of the comparison show: squares, tables, rows for machines and the command of every cell."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from conftest import Cli

import faircast
from faircast.errors import InputError
from faircast.experiment import Brought, Data, PointData
from faircast.experiments import load
from faircast.experiments.side_by_side import cost, course, harm, heat_map, rates, receivers, runs, views
from faircast.experiments.side_by_side.cells import (
    ALONE,
    QUICK,
    REFERENCE,
    RUNS,
    SCHEMES,
    SITUATIONS,
    Cell,
    Situation,
)
from faircast.experiments.side_by_side.comparison import ALL
from faircast.experiments.side_by_side.heat_map import RATIO, Grid, Square, draw
from faircast.figures import style
from faircast.guests import Bytes, Endpoint, Scheme
from faircast.narrowing import narrow
from faircast.scenario import resolve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NONE: Any = None
GEO = Situation(path="geo", loss=0.01, tcp="cubic")


def entry(rate: float) -> dict[str, Any]:
    return {"rate": rate, "cov": [None, 0.5, 0.25], "settled_s": 30.0}


def kept(receivers: tuple[float, ...], tcp: float) -> dict[str, Any]:
    """What is kept of a run over GEO."""
    return {
        "tcps": {"tcp-0": entry(tcp), "instead-film-0": entry(tcp), "instead-film-1": entry(tcp)},
        "receivers": {f"film-{i}": entry(rate) for i, rate in enumerate(receivers)},
        "bottlenecks": {
            f"sat-down-{i}": {"queue_pkts": 4.0, "wait_ms": 50.0 + i, "utilisation": 0.5} for i in range(2)
        },
        "messages": {kind: [540.0, 54000.0] for kind in ("feedback", "source", "hosts", "routers", "acknowledgements")},
    }


def data(
    rows: dict[str, list[tuple[float, float]]], *, situations: tuple[Situation, ...] = (GEO,), quick: bool = False
) -> Data:
    """By scheme what the first receiver and TCP got with each seed."""
    seeds = range(1, len(next(iter(rows.values()))) + 1)
    points: dict[Any, PointData] = {}
    for situation in situations:
        for run in (ALONE, REFERENCE):
            of_run = {seed: kept((), 2e5 if run == ALONE else 1.8e5) for seed in seeds}
            points[Cell(situation=situation, run=run)] = PointData(scenario=NONE, reduced=of_run)
        for scheme, given in rows.items():
            of_run = {seed: kept((given[seed - 1][0], 3e5), given[seed - 1][1]) for seed in seeds}
            key = Cell(situation=situation, run="beside", scheme=scheme)
            known = resolve(runs.scenario(dataclasses.replace(key, scheme="tfmcc")))
            points[key] = PointData(scenario=known, reduced=of_run)
    return Data(points, list(seeds), quick=quick)


def texts(figure: Figure) -> list[str]:
    found = [text.get_text() for axes in figure.axes for text in axes.texts]
    return [text for text in [*found, *(text.get_text() for text in figure.texts)] if text]


FOUR = data(
    {
        "tfmcc": [(1e5, 2e5), (1.2e5, 2e5), (1.1e5, 2e5)],
        "rlm": [(1e5, 2e5), (4e5, 2e5), (1e5, 2e5)],
        "mlda": [(1e5, 0.0), (1e5, 0.0), (1e5, 0.0)],
        "pgmcc": [(0.0, 0.0), (0.0, 0.0), (0.0, 0.0)],
    }
)


def test_squares_by_hand() -> None:
    found = {scheme: square for (scheme, _), square in views.squares(rates.MEDIAN, FOUR).items()}
    assert list(found) == ["tfmcc", "rlm", "mlda", "pgmcc"]
    assert found["tfmcc"] == Square(value=pytest.approx(0.55), decided=True)  # 0.5, 0.6, 0.55: ± 0.12
    assert found["rlm"] == Square(value=pytest.approx(1.0), decided=False)
    assert found["mlda"] == Square(value=math.inf, decided=True, reason="TCP got nothing")
    assert math.isnan(found["pgmcc"].value)
    assert found["pgmcc"].reason == "neither the session nor TCP got anything"


def test_one_seed_decides_nothing() -> None:
    (square,) = views.squares(rates.MEDIAN, data({"tfmcc": [(1e4, 2e5)]})).values()
    assert not square.decided


def test_what_is_said_and_counted() -> None:
    said = load("x-all").says(FOUR)
    assert "more than a TCP beside it in 1 of 4 cells and less in 1, and 1 are undecided" in said
    assert "that TCP ranges from 0.55 with TFMCC (GEO, 1 %, CUBIC) to infinite with MLDA (GEO, 1 %, CUBIC)" in said
    assert [criterion.evaluate(FOUR).value for criterion in load("x-all").criteria] == [1, 1, 1, 1]
    assert load("x-all").criteria[0].evaluate(FOUR).note == "GEO 1 of 4"


VIEWS = ("x-all", "x-all-harm", "x-all-receivers", "x-all-course", "x-all-cost")


def test_other_views_by_hand() -> None:
    """TCP gets 200 kbit/s alone, 180 in the reference; fair are 150 kbit/s to the first receiver, 300 to the other."""
    halved = data({"tfmcc": [(1.1e5, 1e5), (1.1e5, 1e5)], "rlm": [(1.5e5, 2.2e5), (1.5e5, 2.2e5)]})

    def of(quantity: views.Quantity) -> list[float]:
        return [one.value for one in views.squares(quantity, halved).values()]

    assert of(harm.RATE) == pytest.approx([0.5 - 0.1, -0.1 - 0.1]), "of which TCP in its place does 0.1"
    assert of(harm.DELAY) == pytest.approx([0.0, 0.0])
    assert [of(one) for one in harm.WAITS] == [[50.0, 50.0]] * 9, "no TCP is at the other bottleneck, which has 51"
    assert harm.DELAY.reason(-1.2) == harm.DELAY.reason(3.0) == harm.DELAY.beyond != harm.DELAY.reason(-math.inf) != ""
    assert harm.DELAY.reason(-1.0) == harm.DELAY.reason(0.3) == harm.RATE.reason(-1.2) == ""
    assert [harm.SCALE.text(value) for value in (-6.83, -0.994, 0.254, 12.34)] == ["-6.8", "-0.99", "+0.25", "+12.3"]
    assert harm.SCALE.place(-6.83) == -1.0
    assert of(receivers.LEAST) == pytest.approx([1.1 / 1.5, 1.0])
    assert of(receivers.MEDIAN) == pytest.approx([(1.1 / 1.5 + 1) / 2, 1.0])
    assert of(receivers.SHARE[0]) == of(receivers.MEDIAN)
    assert of(course.UNEVEN) == [1.0, 1.0]
    assert of(course.SETTLED) == [30.0, 30.0]
    assert of(course.USED[0]) == [0.5, 0.5]
    assert of(cost.FEEDBACK) == [0.5, 0.5], "540 messages to two receivers in 540 s"
    assert of(cost.MEMBERS) == [1.5, 1.5], "of hosts, of routers, acknowledgements"
    assert math.isnan(views.squares(course.VARIATIONS[0], halved)["tfmcc", GEO].value), "too few packets in 0.1 s"
    assert "more of TCP's rate than TCP in its place does in 1 of 2 cells and less in 1" in load("x-all-harm").says(
        halved
    )


@pytest.mark.parametrize("name", VIEWS)
def test_views_have_the_same_runs_and_show_them(name: str) -> None:
    experiment = load(name)
    assert all(
        point is other for point, other in zip(experiment.points(False), load("x-all").points(False), strict=True)
    )
    assert experiment.axes == ALL.axes
    assert experiment.says(FOUR).endswith(".")
    assert experiment.figure is not None
    assert experiment.numbers is not None
    assert experiment.cells is not None
    with style():
        assert len(texts(experiment.figure(FOUR))) > 4
    assert len(experiment.numbers(FOUR).rows) == 4
    rows = experiment.cells(FOUR)
    assert len({(row["scheme"], row["measure"], row["over"], row["unit"]) for row in rows}) == len(rows)
    assert {row["command"].split()[2] for row in rows} == {name}
    assert all(criterion.evaluate(FOUR) for criterion in experiment.criteria)


def test_rows_for_machines_and_people() -> None:
    found = ALL.rows("x-all", rates.RATIOS, FOUR)
    assert [(row["scheme"], row["over"]) for row in found[:4]] == [
        ("tfmcc", "median"),
        ("tfmcc", "least"),
        ("tfmcc", "greatest"),
        ("rlm", "median"),
    ]
    first, infinite, none = found[0], found[6], found[9]
    assert (first["path"], first["loss"], first["tcp"], first["n"], first["neutral"]) == ("geo", "1%", "cubic", 3, 1.0)
    assert first["value"] == pytest.approx(0.55)
    # (a - b)/(a + b) is -9/31, without one seed -17/63, -19/61 and -9/31: ± 4.303·sqrt(2/3·0.000867) = 0.1035.
    assert first["ci95"] is None
    assert (first["low"], first["high"]) == (pytest.approx(0.4350, abs=1e-4), pytest.approx(0.6851, abs=1e-4))
    assert (infinite["low"], infinite["high"]) == ("inf", "inf")
    assert (first["decided"], found[3]["decided"], infinite["decided"], none["decided"]) == (True, False, True, None)
    assert infinite["value"] == "inf"
    assert (infinite["reason"], none["reason"]) == ("TCP got nothing", "neither the session nor TCP got anything")
    numbers = load("x-all").numbers
    assert numbers is not None
    table = numbers(FOUR)
    assert [row[:3] for row in table.rows] == [
        ["tfmcc", "geo 1% cubic", "0.550 (0.435 to 0.685)"],
        ["rlm", "geo 1% cubic", "1.00 (0.00 to inf)"],
        ["mlda", "geo 1% cubic", "infinite"],
        ["pgmcc", "geo 1% cubic", "-"],
    ]


@dataclasses.dataclass
class Silent(Scheme):
    """A source that sends nothing, to members that want nothing."""

    packet_size: Bytes = Bytes(100)

    def packet_bytes(self) -> int:
        return self.packet_size

    def source(self, seat: Any) -> Endpoint:
        return Nothing()

    def member(self, seat: Any) -> Endpoint:
        return Nothing()


@dataclasses.dataclass
class Bold(Silent):
    """A scheme whose default is illegal."""

    pace: int = 0

    def check(self) -> list[tuple[str, str]]:
        return [] if self.pace else [("pace", "0 given; legal is more")]


class Nothing(Endpoint):
    def handle(self, now: int, given: Any, out: Any) -> None:
        pass

    def deadline(self) -> int | None:
        return None


def test_commands_repeat_their_cell() -> None:
    ten = data({"tfmcc": [(1e5, 2e5)] * 10})
    whole = "faircast reproduce x-all --only scheme=tfmcc --only path=geo --only loss=1% --only tcp=cubic"
    assert ALL.command("x-all", ten, ("tfmcc", GEO)) == whole
    assert ALL.command("x-all", FOUR, ("tfmcc", GEO)) == f"{whole} --reps 3"
    quick = data({"tfmcc": [(1e5, 2e5)] * 3}, quick=True)
    assert ALL.command("x-all", quick, ("tfmcc", GEO)) == f"{whole} --quick"
    file = ALL.command("x-all", ten, (Brought.of("my files/a, b.toml", {"scheme": "tfmcc"}), GEO))
    assert "scheme='my files/a, b.toml'" in shlex.split(file)
    faircast.register_scheme("silent-for-a-command", Silent)
    assert ALL.command("x-all", FOUR, ("silent-for-a-command", GEO)) == (
        "faircast.reproduce(\"x-all\", only={'scheme': 'silent-for-a-command', 'path': 'geo', 'loss': '1%', "
        "'tcp': 'cubic'}, reps=3)"
    )
    of_class = ALL.command("x-all", FOUR, (Brought.of("mine.toml", {"scheme": "silent-for-a-command"}), GEO))
    assert of_class.startswith("faircast.reproduce(\"x-all\", only={'scheme': 'mine.toml', ")


@pytest.mark.parametrize(
    ("seeds", "quick", "more"),
    [(10, False, ""), (3, False, " --reps 3"), (3, True, " --quick"), (2, True, " --reps 2 --quick")],
)
def test_the_command_below_the_table_has_as_many_seeds(seeds: int, quick: bool, more: str) -> None:
    numbers = load("x-all").numbers
    assert numbers is not None
    note = numbers(data({"tfmcc": [(1e5, 2e5)] * seeds}, quick=quick)).note
    assert f"--only tcp=TCP{more}; cells.csv" in note


def test_rows_that_are_called_the_same_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody could tell them apart in the figure."""
    monkeypatch.chdir(tmp_path)
    for folder in (Path("a"), Path("b")):
        folder.mkdir()
        (folder / "mine.toml").write_text('scheme = "pgmcc"\n')
    with pytest.raises(InputError, match=r"schemes a/mine.toml and b/mine.toml: both rows would be called mine; "):
        cells_of({"scheme": ["tfmcc", "a/mine.toml", "b/mine.toml"]})
    Path("pgmcc.toml").write_text('scheme = "pgmcc"\n')
    with pytest.raises(InputError, match="both rows would be called pgmcc"):
        cells_of({"scheme": ["pgmcc", "pgmcc.toml"]})
    assert len(cells_of({"scheme": ["a/mine.toml", "a/mine.toml"], "path": "geo", "loss": "0%", "tcp": "cubic"})) == 3


def cells_of(only: dict[str, Any], *, quick: bool = False) -> list[Cell]:
    return [point.key for point in narrow(load("x-all"), only).points(quick)]  # type: ignore[misc]


def test_points_of_a_part() -> None:
    whole = load("x-all").points(False)
    assert len(whole) == 12 * (2 + 10)
    assert {point.kept_as for point in whole} == {f"side-by-side {point.key}" for point in whole}
    part = cells_of({"scheme": ["rlm", "tfmcc"], "path": "geo", "loss": "0%"})
    assert len(part) == 2 * (2 + 2)
    assert {cell.run for cell in part} == set(RUNS)
    assert [cell.scheme for cell in part if cell.run == "beside"] == ["tfmcc", "tfmcc", "rlm", "rlm"]
    assert {point.key: point.scenario for point in whole}[part[0]] == narrow(
        load("x-all"), {"path": "geo", "loss": "0%"}
    ).points(False)[0].scenario


def test_quick_has_the_situations_of_a_quick_run() -> None:
    assert {cell.situation for cell in cells_of({"scheme": "tfmcc"}, quick=True)} == set(QUICK)
    assert {cell.situation.path for cell in cells_of({"path": "geo"}, quick=True)} == {"geo"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tfmc", "there is no scheme tfmc (did you mean tfmcc?); there are: tfmcc, omcc-log"),
        ("missing.toml", "scheme missing.toml: there is no such file"),
        ("broken.toml", "broken.toml is not legal TOML"),
        ("nameless.toml", "it names no scheme"),
        ("taken.toml", "source given; the comparison itself says this"),
        ("wrong.toml", "scheme wrong.toml has 1 problem\n  smoothing: "),
        ("number.toml", 'number.toml: scheme is 3; legal is the name of a scheme, such as scheme = "tfmcc"'),
        ("unknown.toml", "unknown.toml: there is no scheme nothing"),
        ("folder.toml", "scheme folder.toml: this is no file"),
        ("bold", "scheme bold has 1 problem; a TOML file of a session's parameters can say more\n  pace: "),
    ],
)
def test_schemes_from_elsewhere_with_faults(cli: Cli, text: str, said: str) -> None:
    faircast.register_scheme("bold", Bold)
    for name, content in {
        "broken": "scheme = ",
        "nameless": "layers = 3",
        "taken": 'scheme = "tfmcc"\nsource = "a"',
        "wrong": 'scheme = "tfmcc"\nsmoothing = 3',
        "unknown": 'scheme = "nothing"',
        "number": "scheme = 3",
    }.items():
        Path(f"{name}.toml").write_text(content)
    Path("folder.toml").mkdir()
    done = cli("reproduce", "x-all", "--only", f"scheme={text}", "--out", "here")
    assert (done.code, done.out) == (2, "")
    assert said.split("\n")[0] in " ".join(done.err.split())
    assert all(line.strip() in done.err for line in said.split("\n"))
    assert not Path("here").exists()


def test_a_cell_alone_gives_the_numbers_of_the_whole(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when its row comes from a file; its command is the one that is printed."""
    Path("mine.toml").write_text('scheme = "tfmcc"\npacket_size = "256 B"\n')
    done = cli("reproduce", "x-all", "--only", "scheme=tfmcc,mine.toml", "--only", "path=geo", "--only", "loss=1%",
               "--reps", 2, "--out", "whole")  # fmt: skip
    assert done.code == 0, done.err
    rows = list(csv.DictReader(Path("whole/x-all/cells.csv").read_text().splitlines()))
    assert len(rows) == 2 * 2 * 3
    row = next(row for row in rows if (row["scheme"], row["tcp"]) == ("mine.toml", "cubic"))
    other = next(row for row in rows if (row["scheme"], row["tcp"]) == ("tfmcc", "cubic"))
    assert row["value"] != other["value"]
    again = cli(*shlex.split(row["command"])[1:], "--json")
    assert again.code == 0, again.err
    found = json.loads(again.out)
    assert re.fullmatch(r"x-all-mine-geo-1-cubic-[0-9a-f]{12}", Path(found["folder"]).name)
    alone = found["experiments"][0]["cells"][0]
    given = {key: "" if value is None else str(value) for key, value in alone.items()}
    assert given == row


def test_an_archive_has_the_files_of_schemes_in_it(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it has the networks: it comes out again in another folder, and without the file, or with another one."""
    Path("mine.toml").write_text('scheme = "tfmcc"\npacket_size = "256 B"\n')
    only = ("--only", "scheme=mine.toml", "--only", "path=tree", "--only", "loss=0%", "--only", "tcp=sack", "--reps", 1)
    assert cli("reproduce", "x-all", *only, "--out", "here").code == 0
    brought = json.loads(Path("here/manifest.json").read_text())["brought"]
    assert brought == {"mine.toml": {"scheme": "tfmcc", "packet_size": "256 B"}}
    assert cli("archive", "here", "--out", "here.zip").code == 0
    for text in (None, 'scheme = "pgmcc"\n'):
        elsewhere = Path("elsewhere" if text is None else "changed")
        elsewhere.mkdir()
        with monkeypatch.context() as there:
            there.chdir(elsewhere)
            if text:
                Path("mine.toml").write_text(text)
            done = cli("verify", "../here.zip")
            assert done.code == 0, done.err
            assert "repeated byte by byte" in done.out
    # The folder goes on after the file has gone, and not after it has become another.
    Path("mine.toml").unlink()
    assert cli("reproduce", "x-all", *only, "--out", "here").code == 0
    as_path = cli("reproduce", "x-all", "--only", "path=mine.toml", "--reps", 1, "--out", "here")
    assert as_path.code == 2
    assert "path mine.toml: there is no such file" in as_path.err
    Path("mine.toml").write_text('scheme = "pgmcc"\n')
    changed = cli("reproduce", "x-all", *only, "--out", "here")
    assert (changed.code, changed.out) == (2, "")
    assert "here holds a reproduction with what mine.toml said then, and it says something else now" in changed.err


def test_a_python_class_gets_its_row(tmp_path: Path) -> None:
    faircast.register_scheme("silent-in-a-row", Silent)
    only = {"scheme": "silent-in-a-row", "path": "geo", "loss": "1%", "tcp": "sack"}
    done = faircast.reproduce("x-all", only=only, reps=1, out=tmp_path / "here")
    cells = done["x-all"].cells
    assert cells is not None
    assert cells[0]["value"] == 0.0, "it sends nothing"
    assert cells[0]["command"] == f'faircast.reproduce("x-all", only={only}, reps=1)'
    with pytest.raises(InputError, match="there is no scheme silent"):
        faircast.reproduce("x-all", only={"scheme": "silent-in-another-row"}, out=tmp_path / "none")


def grid(schemes: tuple[str, ...], situations: tuple[Situation, ...], **changes: Any) -> Grid:
    squares = {
        (scheme, situation): Square(value=2.0 ** (i - j), decided=i != j)
        for i, scheme in enumerate(schemes)
        for j, situation in enumerate(situations)
    }
    return Grid(squares=squares, scale=RATIO, **changes)


@pytest.mark.parametrize(
    ("schemes", "situations"),
    [(SCHEMES, SITUATIONS), (SCHEMES[:2], SITUATIONS[4:8]), (("a-scheme-from-elsewhere-with-a-long-name",), (GEO,))],
)
def test_nothing_of_a_heat_map_is_cut_off(schemes: tuple[str, ...], situations: tuple[Situation, ...]) -> None:
    with style():
        figure = draw([grid(schemes, situations, title="What a receiver gets, divided by what a TCP beside it gets")])
        figure.draw_without_rendering()
        whole = figure.bbox
        boxes = [text.get_window_extent() for axes in figure.axes for text in axes.texts]
        boxes += [text.get_window_extent() for text in figure.axes[1].get_xticklabels()]
        boxes += [text.get_window_extent() for text in figure.texts]
    assert len(boxes) > len(schemes) * len(situations)
    for box in boxes:
        assert min(box.x0, box.y0, whole.x1 - box.x1, whole.y1 - box.y1) >= 0, box


def test_undecided_squares_are_striped_and_empty_ones_say_why() -> None:
    with style():
        figure = draw([Grid(squares=views.squares(rates.MEDIAN, FOUR), scale=RATIO)])
    shown = texts(figure)
    assert [text for text in shown if text in ("0.55", "1.0", "∞", "–")] == ["0.55", "1.0", "∞", "–"]
    assert "a: TCP got nothing" in shown
    assert "b: neither the session nor TCP got anything" in shown
    patches = figure.axes[0].patches
    assert [bool(patch.get_hatch()) for patch in patches] == [False, True, False, False]
    blue, grey, orange, white = (patch.get_facecolor() for patch in patches)
    assert blue[2] > blue[0]
    assert orange[0] > orange[2]
    assert grey[0] == grey[1] == grey[2] < white[0] == 1.0


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.004, "<.01"), (0.031, "0.03"), (0.994, "0.99"), (0.996, "1.0"), (9.94, "9.9"), (9.96, "10"),
     (123.4, "123"), (999.6, "≥1k"), (math.inf, "∞")],
)  # fmt: skip
def test_numbers_have_two_digits(value: float, text: str) -> None:
    assert heat_map.short(value) == text


def test_places_on_the_scale() -> None:
    assert [heat_map.octaves(value) for value in (0, 1 / 16, 0.125, 0.5, 1, 8, math.inf)] == [
        -1, -1, -1, pytest.approx(-1 / 3), 0, 1, 1,
    ]  # fmt: skip
