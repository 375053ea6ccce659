"""What a notebook shows of results: the viewer, and a table with a picture where no script runs."""

from __future__ import annotations

import base64
import gzip
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import SMALL
from ipywidgets.widgets.widget import _remove_buffers
from test_display import Cells
from test_report import DRAWN, PLAIN

import faircast
from faircast.display import viewer
from faircast.errors import InputError
from faircast.laboratory import BUILT
from faircast.reading import Runs
from faircast.reporting import of_run, page, report
from faircast.reproduction import carry_out

WIDGET, HTML, PNG = "application/vnd.jupyter.widget-view+json", "text/html", "image/png"
MODULE = "export default {}"
SHORT = SMALL.replace("20 s", "5 s")
needs_web = pytest.mark.skipif(not (BUILT / "notebook.js").exists(), reason="make web builds it")


@pytest.fixture(scope="module")
def runs() -> Runs:
    return faircast.run(SHORT, seeds=[1, 2])


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel that asks, and a viewer that shows nothing: these tests need no Node."""
    monkeypatch.setattr(viewer, "in_kernel", lambda: True)
    monkeypatch.setattr(page, "built", lambda name: f"{MODULE} // {name}")


def picture_in(html: str) -> bytes:
    """The picture of a text that a notebook shows; the table must be there as well."""
    before, _, after = html.partition('src="data:image/png;base64,')
    assert "<table>" in before
    return base64.b64decode(after.partition('"')[0])


def test_a_kernel_gets_the_viewer_and_what_stands_for_it(runs: Runs, kernel: None) -> None:
    bundle = runs._repr_mimebundle_()
    assert set(bundle) == {"text/plain", HTML, PNG, WIDGET}
    assert bundle["text/plain"] == repr(runs)
    assert bundle[HTML].startswith(runs._repr_html_())
    assert picture_in(bundle[HTML]) == base64.b64decode(bundle[PNG]) == runs.plot()._repr_png_()
    assert Cells(runs._repr_html_()).rows[1][0] == "web-0"
    assert bundle[WIDGET]["model_id"] != runs._repr_mimebundle_()[WIDGET]["model_id"], "each has its own state"


def test_the_widget_holds_what_a_page_holds(runs: Runs, kernel: None) -> None:
    view = runs.view()
    made = of_run.document_of(runs.subject(), report.VALUES)
    assert json.loads(view.document) == json.loads(page.text_of(made.document))
    assert json.loads(view.document)["form"] == page.FORM
    assert {name: gzip.decompress(data) for name, data in view.chunks.items()} == {
        chunk.name: bytes(chunk.data) for chunk in made.chunks
    }
    assert view._esm == f"{MODULE} // notebook.js"
    assert repr(view) == f"View of {runs!r}"
    _, paths, buffers = _remove_buffers(view.get_state())
    assert sorted(paths) == sorted(["chunks", chunk.name] for chunk in made.chunks), "they go as bytes"
    assert len(buffers) == len(made.chunks) > 1


def test_every_kind_of_result_is_shown(runs: Runs, kernel: None, tmp_path: Path) -> None:
    sweep = faircast.sweep(SHORT, vary={"flows.web.count": [1, 2]}, reps=1, out=tmp_path / "sweep")
    both = carry_out([DRAWN, PLAIN], name="two", out=tmp_path / "two")
    one = carry_out([DRAWN], name="one", out=tmp_path / "one")
    for result, part in [(runs.of(2), "run"), (runs, "run"), (sweep, "sweep"), (both, "reproduction")]:
        assert part in json.loads(result.view().document)
        assert WIDGET in result._repr_mimebundle_()
    assert picture_in(sweep._repr_mimebundle_()[HTML]) == sweep.plot()._repr_png_()
    assert picture_in(one._repr_mimebundle_()[HTML]) == (tmp_path / "one" / "x-drawn" / "x-drawn.png").read_bytes()
    assert PNG not in both._repr_mimebundle_(), "no figure stands for all"


def test_outside_a_kernel_nothing_is_drawn(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(viewer, "static_of", lambda result: pytest.fail("a terminal asks in vain"))
    assert runs._repr_mimebundle_() == {}


def test_without_anywidget_table_and_picture_are_shown(
    runs: Runs, kernel: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer, "find_spec", lambda name: None)
    assert set(runs._repr_mimebundle_()) == {"text/plain", HTML, PNG}
    with pytest.raises(InputError, match=r"needs anywidget: pip install 'faircast\[notebook\]' brings it"):
        runs.view()


def test_without_the_web_part_table_and_picture_are_shown(
    runs: Runs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(viewer, "in_kernel", lambda: True)
    monkeypatch.setattr("importlib.resources.files", lambda package: tmp_path)
    assert set(runs._repr_mimebundle_()) == {"text/plain", HTML, PNG}
    with pytest.raises(InputError, match="make web builds it"):
        runs.view()


def test_what_cannot_be_drawn_has_its_table(runs: Runs, kernel: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def undrawn(self: Runs) -> None:
        raise InputError("there is nothing to draw")

    monkeypatch.setattr(Runs, "plot", undrawn)
    assert set(runs._repr_mimebundle_()) == {"text/plain", HTML, WIDGET}


def test_large_results_are_shown_when_asked(runs: Runs, kernel: None, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = viewer.rows_of(runs.of(1))
    monkeypatch.setattr(viewer, "MOST_ROWS", 2 * rows)
    assert WIDGET in runs._repr_mimebundle_()
    monkeypatch.setattr(viewer, "MOST_ROWS", 2 * rows - 1)
    bundle = runs._repr_mimebundle_()
    assert set(bundle) == {"text/plain", HTML}
    assert ".view()" in bundle[HTML]
    assert WIDGET in runs.of(1)._repr_mimebundle_()
    assert WIDGET in runs.view().bundle()


def test_long_series_are_thinned() -> None:
    runs = faircast.run(SMALL.replace("20 s", "200 s"), seeds=[1, 2])

    def make(values: int) -> of_run.Made:
        return of_run.document_of(runs.subject(), values)

    whole = report.output(make)
    size = len(whole.document) + sum(map(len, whole.chunks.values()))
    smaller = report.output(make, most=size * 3 // 4)
    assert sum(map(len, smaller.chunks.values())) < sum(map(len, whole.chunks.values()))
    notes = json.loads(smaller.document)["head"]["notes"]
    assert any("is thinned" in note and "; the result has all." in note for note in notes), "there is no folder"


def test_importing_faircast_imports_nothing_of_notebooks() -> None:
    code = (
        "import faircast, sys\n"
        f"runs = faircast.run({SHORT!r}, seeds=[1])\n"
        "assert runs._repr_mimebundle_() == {}\n"
        "print([name for name in ('anywidget', 'ipywidgets', 'traitlets', 'IPython') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


@needs_web
def test_a_real_kernel_shows_the_viewer_and_an_exported_page_the_picture(tmp_path: Path) -> None:
    import nbformat
    from nbclient import NotebookClient

    cells = [f"import faircast\nruns = faircast.run({SHORT!r}, seeds=[1, 2])\nruns", "runs.of(1).view()"]
    book: Any = nbformat.v4.new_notebook()  # type: ignore[no-untyped-call]
    book.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]  # type: ignore[no-untyped-call]
    where = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(book, timeout=300, store_widget_state=False, resources=where).execute()
    shown = [cell.outputs[-1].data for cell in book.cells]
    assert all(set(data) == {"text/plain", HTML, PNG, WIDGET} for data in shown)
    if importlib.util.find_spec("nbconvert") is None:
        pytest.skip("make test-web brings nbconvert")
    from nbconvert import HTMLExporter

    text, _ = HTMLExporter().from_notebook_node(book)
    for data in shown:
        assert f'src="data:image/png;base64,{data[PNG]}"' in text.replace("\n", "")
    assert "widget-view" not in text
