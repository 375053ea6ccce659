"""Which files a function of an experiment rests on: what it made of a run counts as long as these stay as they are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from faircast import sources
from faircast.engine.taken import Taken
from faircast.experiments.peng.course import course
from faircast.experiments.side_by_side import measures
from faircast.experiments.side_by_side.cells import SITUATIONS, Cell
from faircast.reproduction import KeepingRun

FILES = {
    "__init__.py": "from faircast.everything import nothing\n",
    "made.py": "from faircast import lone, _native\nimport faircast.packed.inner\ndef make(raw):\n    import json\n"
    "    from faircast.late import word\n",
    "lone.py": "class Kind:\n    def __repr__(self):\n        from faircast.shown import text\n        return text\n",
    "late.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from faircast.typed import Kind\nelse:\n"
    "    from faircast.packed import name\n",
    "packed/__init__.py": "name = 1\n",
    "packed/inner.py": "from faircast.made import make\n",
    "shown.py": "",
    "typed.py": "",
    "everything.py": "",
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package of that name with these files in place of the real one."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    forget()
    monkeypatch.setattr(sources, "HOME", tmp_path)
    yield tmp_path
    monkeypatch.undo()
    forget()


def forget() -> None:
    """Nothing is known of any file."""
    for known in (sources._digest, sources._files, sources._imports):
        known.cache_clear()


def function_of(module: str) -> Any:
    """A function that stands in a module."""

    def function(*_: object) -> None: ...

    function.__module__ = module
    return function


def test_what_is_imported_counts_wherever_it_is_but_not_what_types_and_shows(package: Path) -> None:
    found = [str(path.relative_to(package)) for path in sources.files(function_of("faircast.made"))]
    assert found == ["late.py", "lone.py", "made.py", "packed/__init__.py", "packed/inner.py"]


def test_a_change_counts_where_the_function_rests_on_the_file(package: Path) -> None:
    function = function_of("faircast.made")
    before = sources.fingerprint(function)
    for name in FILES:
        path = package / name
        path.write_text(path.read_text() + "\n")
        forget()
        now = sources.fingerprint(function)
        assert (now != before) == (name not in {"__init__.py", "shown.py", "typed.py", "everything.py"}), name
        before = now


def test_a_name_of_the_package_itself_brings_all_that_it_imports(package: Path) -> None:
    (package / "lone.py").write_text("from faircast import run\n")
    found = [path.name for path in sources.files(function_of("faircast.lone"))]
    assert found == ["__init__.py", "everything.py", "lone.py"]


def test_arguments_of_partial_functions_count(package: Path) -> None:
    function = partial(function_of("faircast.shown"), function_of("faircast.typed"), number=1)
    assert [path.name for path in sources.files(function)] == ["shown.py", "typed.py"]


def test_where_no_file_is_known_all_count(package: Path) -> None:
    assert len(sources.files(function_of("nowhere"))) == len(FILES)


def test_functions_from_elsewhere_count_with_their_file() -> None:
    assert Path(__file__) in sources.files(function_of(__name__))


def test_figures_and_estimates_are_none_of_what_is_kept_of_a_run() -> None:
    kept = sources.files(partial(measures.reduce, Cell(situation=SITUATIONS[0], run="alone")))
    found = {path.name for path in kept}
    assert {"measures.py", "cells.py", "summary.py", "arrow.py", "leo.py"} <= found
    assert not found & {"estimates.py", "results.py", "figures.py", "reproduction.py", "__init__.py"}
    assert "display" not in {path.parent.name for path in kept}, "how something is shown is none of it"
    assert [path.name for path in sources.files(function_of("faircast.viewable"))] == ["viewable.py"]
    assert "experiment.py" not in {path.name for path in sources.files(course)}, "it needs it for types only"


def test_what_a_folder_holds_counts_function_by_function() -> None:
    def run() -> KeepingRun:
        made = KeepingRun("0", 1, None)  # type: ignore[arg-type]
        made.reducers = {"here": function_of(__name__), "core": function_of("faircast.arrow")}
        return made

    def kept_by(run: KeepingRun) -> dict[str, Any]:
        made = {name: reduce(None) for name, reduce in run.asked().reducers.items()}  # type: ignore[arg-type]
        return run.keep(Taken({}, None, reduced=made))  # type: ignore[arg-type]

    noted = kept_by(run())
    assert run().recall(noted)
    other = noted | {"sources": noted["sources"] | {"core": "0"}}
    assert not run().recall(other)
    alone = run()
    del alone.reducers["core"]
    assert alone.recall(other), "what the other one was made by is not asked"
    assert set(kept_by(alone)["reduced"]) == {"here", "core"}
    assert not run().recall(noted | {"sources": "0123456789ab"}), "as it was before"
