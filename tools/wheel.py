"""Look at a wheel, and try it where there is nothing but pip.

    python tools/wheel.py sizes target/dist                 # one wheel, for all Pythons from 3.11 on, not too large
    python tools/wheel.py tutorial target/dist python3.12   # installs it, carries out the tutorial digit for digit

Sizes are those of what is downloaded, compressed, in millions of bytes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = (
    *("report.js", "report.css", "notebook.js"),
    *("lab.html", "lab.js", "lab.css", "worker.js", "core.wasm"),
    "licences.txt",
)
CORE_MB, WHEEL_MB = 8.0, 20.0
TAG = "-cp311-abi3-"


def the_wheel(folder: Path) -> Path:
    """The only wheel of a folder."""
    found = sorted(folder.glob("*.whl"))
    if len(found) != 1:
        sys.exit(f"{folder} has {len(found)} wheels: {', '.join(path.name for path in found)}; there is to be one")
    return found[0]


def sizes(wheel: Path) -> None:
    """Say how large a wheel is; exit code 1 if that is too much, or if it is for one Python only."""
    with zipfile.ZipFile(wheel) as opened:
        cores = [info for info in opened.infolist() if Path(info.filename).match("_native.*")]
        cores = [info for info in cores if not info.filename.endswith(".pyi")]
        names = opened.namelist()
    if not {f"faircast/web/{name}" for name in WEB} <= set(names):
        sys.exit(f"{wheel.name}: the web part is to be there; make web builds it")
    if len(cores) != 1 or TAG not in wheel.name:
        sys.exit(f"{wheel.name}: one core, and {TAG} in the name, are to be there")
    core, whole = cores[0].compress_size / 1e6, wheel.stat().st_size / 1e6
    print(f"{wheel.name}: {whole:.2f} MB, of which {core:.2f} MB are the core")
    if core > CORE_MB or whole > WHEEL_MB:
        sys.exit(f"legal are {CORE_MB:g} MB of the core and {WHEEL_MB:g} MB in all")


def tutorial(wheel: Path, python: str) -> None:
    """Install a wheel into a new environment of a Python and carry out the tutorial there."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "environment"
        subprocess.run([python, "-m", "venv", fresh], check=True)
        own = fresh / "bin" / "python"
        pip = [own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", wheel]
        subprocess.run(pip, check=True)
        where = "import faircast, sys; print(sys.version.split()[0], faircast.__version__, faircast.__file__)"
        told = subprocess.run([own, "-c", where], check=True, capture_output=True, text=True, cwd=folder).stdout.split()
        if not told[2].startswith(str(fresh)):
            sys.exit(f"another faircast was imported: {told[2]}")
        page = ROOT / "docs" / "tutorial.md"
        subprocess.run([own, ROOT / "tools" / "doc_commands.py", page], check=True, cwd=folder)
        print(f"Python {told[0]}: faircast {told[1]} does what the tutorial shows")


def main() -> None:
    """Look at the wheel of a folder, or try it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["sizes", "tutorial"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("pythons", nargs="*", default=[sys.executable])
    asked = parser.parse_args()
    wheel = the_wheel(asked.folder).resolve()
    if asked.what == "sizes":
        sizes(wheel)
        return
    for python in asked.pythons:
        tutorial(wheel, python)


if __name__ == "__main__":
    main()
