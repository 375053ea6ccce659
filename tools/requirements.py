"""Prints what pyproject.toml wants installed for development, one requirement a line; used by the Makefile."""

import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())["project"]
print("\n".join(project["dependencies"] + project["optional-dependencies"]["dev"]))
