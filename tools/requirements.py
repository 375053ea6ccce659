"""Prints what pyproject.toml wants installed, one requirement a line: for development, or of an extra that is named.

The Makefile uses it.
"""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())["project"]
extras = project["optional-dependencies"]
print("\n".join(extras[sys.argv[1]] if sys.argv[1:] else project["dependencies"] + extras["dev"]))
