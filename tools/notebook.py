"""Carry out a notebook and put what it shows into it: python tools/notebook.py examples/first-steps.ipynb."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient


def read(path: Path) -> Any:
    """A notebook as it is."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def executed(path: Path, folder: Path) -> Any:
    """The notebook with what its cells give when they run in `folder`. Raises what a cell raises."""
    found = read(path)
    where = {"metadata": {"path": str(folder)}}
    NotebookClient(found, timeout=300, store_widget_state=False, resources=where).execute()
    for number, cell in enumerate(found.cells):
        cell.id = f"cell-{number}"
        cell.metadata = {}  # times of execution, which differ from call to call
        cell.get("outputs", [])[:] = [out for out in cell.get("outputs", []) if out.get("name") != "stderr"]
        for out in cell.get("outputs", []):
            lasting(out.get("data", {}))
    found.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return found


def lasting(data: dict[str, Any]) -> None:
    """Take out of an output what nobody finds later, the state of a widget, and a picture that its HTML has as well."""
    data.pop("application/vnd.jupyter.widget-view+json", None)
    if "<img" in data.get("text/html", ""):
        data.pop("image/png", None)


def texts(found: Any) -> list[str]:
    """What the cells show as text, in order; pictures are left out."""
    outputs = [out for cell in found.cells for out in cell.get("outputs", [])]
    plain = [out["text"] if "text" in out else out["data"].get("text/plain", "") for out in outputs]
    return [text for text in plain if " at 0x" not in text]


def main() -> None:
    """Carry out each of those named, in an empty folder."""
    for path in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as folder:
            nbformat.write(executed(path, Path(folder)), path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
