"""Carry out what the documentation shows: the commands and the Python of a page, in order, in an empty folder.

A page is Markdown. Its blocks are distinguished by the language of their fence:

* ``sh``: commands, run by bash, with `faircast` on the path and ``examples`` beside;
* ``python``: run after the Python blocks before it on the page, in one module;
* ``text`` right after one of these: what it prints on standard output, at 80 columns. A line ``...`` stands for any
  number of lines;
* any other after ``<!-- file: NAME -->``: the content of a file of that name.

``<!-- slow -->`` before a block keeps it for those who ask for slow ones, ``<!-- not run -->`` from being run at all.

    python tools/doc_commands.py docs/tutorial.md            # stops at the first that fails or prints something else
    python tools/doc_commands.py --write docs/tutorial.md    # puts what is printed into the page
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.DOTALL | re.MULTILINE)
REMARK = re.compile(r"<!-- (slow|not run|file: (\S+)) -->\n\Z")
END = "\nimport os, sys\nsys.stdout.flush()\nos._exit(0)\n"
"""As the command line ends: Arrow's threads may end a process with SIGABRT while the interpreter goes down."""
COLUMNS = 80


@dataclass
class Block:
    """One fenced block of a page."""

    language: str
    text: str
    start: int
    """Where its text begins in the page."""
    line: int
    file: str = ""
    slow: bool = False
    run: bool = True
    expected: Block | None = None
    """What it prints, if the page says so."""


class PageError(Exception):
    """What a page shows is not what happens."""


def blocks(page: str) -> list[Block]:
    """All fenced blocks of a page, in order; those of expected output hang on what prints it."""
    found: list[Block] = []
    end = 0
    for match in FENCE.finditer(page):
        block = Block(match[1], match[2], match.start(2), page.count("\n", 0, match.start()) + 1)
        before = page[end : match.start()]
        remark = REMARK.search(before)
        if remark is not None:
            block.file = remark[2] or ""
            block.slow = remark[1] == "slow"
            block.run = remark[1] != "not run"
        follows = found and found[-1].expected is None and found[-1].language in ("sh", "python")
        if block.language == "text" and follows and not before.strip():
            found[-1].expected = block
        else:
            found.append(block)
        end = match.end()
    return found


def carry_out(path: Path, folder: Path, *, slow: bool = False) -> Iterator[tuple[Block, str]]:
    """Run a page in `folder`; gives each block that ran with what it printed. Raises `PageError` if one fails."""
    for name in ("examples", ".venv"):
        if (ROOT / name).exists() and not (folder / name).exists():
            (folder / name).symlink_to(ROOT / name)
    python = ""
    for block in blocks(path.read_text(encoding="utf-8")):
        if block.file:
            place = folder / block.file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(block.text, encoding="utf-8")
        elif block.run and (slow or not block.slow) and block.language in ("sh", "python"):
            if block.language == "sh":
                yield block, run(["bash", "-eu", "-o", "pipefail", "-c", block.text], folder, path, block)
            else:
                # What came before runs again, silently: each block shows its own output only.
                again = (
                    f"import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()):\n    exec({python!r})\n"
                )
                yield block, run([sys.executable, "-c", again + block.text + END], folder, path, block)
                python += block.text


def run(command: list[str], folder: Path, path: Path, block: Block) -> str:
    """Standard output of a command."""
    scripts = str(Path(sys.executable).parent)
    place = {"PATH": f"{scripts}:{os.environ['PATH']}", "COLUMNS": str(COLUMNS), "TERM": "dumb", "NO_COLOR": "1"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | place,
        capture_output=True,
        text=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode != 0:
        raise PageError(f"{path}:{block.line}: exit code {done.returncode}\n{block.text}\n{done.stdout}{done.stderr}")
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines()).strip("\n") + "\n"


def is_as_shown(printed: str, expected: str) -> bool:
    """Whether what was printed is what a page shows, where a line ``...`` stands for any lines."""
    lines = "".join(
        r"(?:.*\n)*" if line.strip() == "..." else re.escape(line) + r"\n" for line in expected.splitlines()
    )
    return re.fullmatch(lines, printed) is not None


def hold(path: Path, folder: Path, *, slow: bool = False) -> None:
    """Run a page. Raises `PageError` where something fails or prints something else than the page shows."""
    for block, printed in carry_out(path, folder, slow=slow):
        if block.expected is not None and not is_as_shown(printed, block.expected.text):
            lines = difflib.ndiff(block.expected.text.splitlines(), printed.splitlines())
            raise PageError(
                f"{path}:{block.expected.line}: the page shows (-) what is not printed (+)\n"
                + "\n".join(line for line in lines if line[:1] != " ")
                + "\ntools/doc_commands.py --write puts it into the page"
            )


def write(path: Path, folder: Path, *, slow: bool = False) -> None:
    """Put what is printed into the page; where lines are left out by ``...`` it must fit as it is."""
    page = path.read_text(encoding="utf-8")
    for block, printed in reversed(list(carry_out(path, folder, slow=slow))):
        shown = block.expected
        if shown is None or is_as_shown(printed, shown.text):
            continue
        if re.search(r"^ *\.\.\.$", shown.text, re.MULTILINE):
            raise PageError(f"{path}:{shown.line}: lines are left out here; put in by hand what fits\n{printed}")
        page = page[: shown.start] + printed + page[shown.start + len(shown.text) :]
    path.write_text(page, encoding="utf-8")


def main() -> None:
    """Hold pages against what happens, or write into them what happens."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("pages", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true", help="put what is printed into the pages")
    parser.add_argument("--slow", action="store_true", help="run those that take minutes, too")
    asked = parser.parse_args()
    for page in asked.pages:
        with tempfile.TemporaryDirectory() as folder:
            try:
                (write if asked.write else hold)(page.resolve(), Path(folder), slow=asked.slow)
            except PageError as error:
                sys.exit(str(error))
        print(f"{page}: as shown")


if __name__ == "__main__":
    main()
