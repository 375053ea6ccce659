"""Reports of experiments, read back from the folder of a reproduction."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from conftest import SMALL, edit_manifest, make_earlier

from faircast.errors import InputError
from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point
from faircast.report import Report, read_reports
from faircast.reproduction import carry_out

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHORT = SMALL.replace("20 s", "3 s").replace('warmup = "2 s"', 'warmup = "1 s"')


def drawn(_: Data) -> Figure:
    from faircast import figures

    figure, axes = figures.panels()
    axes.plot([0, 1], [0, 1])
    return figure


DRAWN = Experiment(
    id="x-drawn",
    paper="checks",
    place="Figure 1",
    title="A drawn one",
    published="All is well.",
    why="Since it is far.",
    points=lambda quick: [Point(key="only", scenario=SHORT)],
    criteria=[
        Criterion(name="a", published="so", evaluate=lambda data: Measured(value=None, holds=True), rule="it is so"),
        Criterion(name="b", published=1.5, low=0, evaluate=lambda data: Measured(value=-2.0, ci95=0.5, note="far")),
    ],
    figure=drawn,
    says=lambda data: f"It shows {len(data.seeds)} seeds.",
    numbers=lambda data: Numbers(columns=["case", "ratio"], rows=[["one", "1.25"]]),
    reps=2,
)
PLAIN = replace(DRAWN, id="a-plain", figure=None, numbers=None, criteria=[], says=lambda data: "Nothing.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    carry_out([DRAWN, PLAIN], name="two", out=tmp_path / "two")
    return tmp_path / "two"


def test_reports_come_back_as_they_were_made(tmp_path: Path) -> None:
    made = carry_out([DRAWN, PLAIN], name="two", out=tmp_path / "two")
    back = read_reports(tmp_path / "two")
    assert back.reports == [replace(report, wall_s=None) for report in made.reports]
    assert [report.id for report in back.reports] == ["x-drawn", "a-plain"]  # as they came, not by name
    assert [(report.verdict, report.why) for report in made.reports] == [
        ("disagrees", "Since it is far."),
        ("reported", ""),
    ]
    assert (back.folder, back.interrupted, back.runs, back.found) == (tmp_path / "two", False, 0, 0)
    drawn, plain = back.reports
    assert drawn.says == "It shows 2 seeds."
    assert drawn.verdict == "disagrees"
    assert not drawn.holds
    assert [path.name for path in drawn.figures] == ["x-drawn.pdf", "x-drawn.png"]
    assert (drawn.criteria[1].measured, drawn.criteria[1].note) == (-2.0, "-2 is below 0; far")
    assert drawn.numbers is not None
    assert drawn.numbers.rows == [["one", "1.25"]]
    assert (plain.figures, plain.numbers, plain.criteria) == ([], None, [])
    assert back["a-plain"] is plain
    with pytest.raises(KeyError, match=r"no report of x-drwn \(did you mean x-drawn\?\); there are x-drawn, a-plain"):
        back["x-drwn"]


def test_what_a_killed_call_concluded_is_read(folder: Path) -> None:
    edit_manifest(folder, experiments=None, status="interrupted")
    back = read_reports(folder)
    assert [report.id for report in back.reports] == ["a-plain", "x-drawn"]
    assert back.interrupted


def test_a_summary_without_its_sentence_is_an_earlier_one(folder: Path) -> None:
    path = folder / "x-drawn" / "summary.json"
    summary = json.loads(path.read_text())
    del summary["says"]
    make_earlier(folder)
    path.write_text(json.dumps(summary))
    assert read_reports(folder)["x-drawn"].says == ""


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"id": 1}', '{"criteria": [{"name": "x"}]}', "\udcff", "[" * 100_000], ids=range(7)
)
def test_damaged_reports_are_named(folder: Path, content: str) -> None:
    path = folder / "x-drawn" / "summary.json"
    make_earlier(folder)
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(InputError, match=r"x-drawn/summary\.json is damaged; reproduce the experiment again"):
        read_reports(folder)
    whole = json.loads((folder / "a-plain" / "summary.json").read_text())
    for key, wrong in [("title", 3), ("seeds", None), ("criteria", [{"nam": 1}]), ("numbers", {"rows": []})]:
        path.write_text(json.dumps(whole | {key: wrong}))
        with pytest.raises(InputError, match="is damaged"):
            Report.read(folder / "x-drawn")


def test_folders_of_something_else_are_refused(folder: Path, tmp_path: Path) -> None:
    (folder / "x-drawn" / "summary.json").unlink()
    with pytest.raises(InputError, match=r"x-drawn/summary\.json is missing; reproduce the experiment again"):
        read_reports(folder)
    (folder / "manifest.json").write_text('{"kind": "run"}')
    with pytest.raises(InputError, match="two holds a run, not a reproduction"):
        read_reports(folder)
    with pytest.raises(InputError, match="is not a result folder: it has no manifest"):
        read_reports(tmp_path)
