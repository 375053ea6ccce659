"""Encodings and streams: whatever the outputs of a command are like, its work is done and its exit code is right."""

from __future__ import annotations

import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from conftest import SMALL

from faircast.cli.common import table
from faircast.cli.streams import Outlet, legible, spell

pytestmark = pytest.mark.skipif(os.name != "posix", reason="descriptors and shells the POSIX way")

TEXT = SMALL.replace("20 s", "4 s")
FAIRCAST = f"{sys.executable} -m faircast"


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """A scenario whose file has a name that few encodings can say."""
    path = tmp_path / "λ≤.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def shell(command: str, cwd: Path, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """A line of bash; `faircast` is the command."""
    script = f'set -o pipefail; faircast() {{ {FAIRCAST} "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-c", script], cwd=cwd, env=os.environ | (env or {}), capture_output=True, timeout=120, check=False
    )


VERBS = {
    "list": ("list", 0),
    "schema": ("schema", 0),
    "run": ("run λ≤.toml --reps 2 --out r", 0),
    "run for machines": ("run λ≤.toml --out r --json", 0),
    "validate": ("validate λ≤.toml", 0),
    "bad input": ("validate λ≤.toml --set name='\"≤\"' --set links.≤=1", 2),
    "bad input for machines": ("run λ≤.toml --set links.≤=1 --json", 2),
    "bad option": ("run λ≤.toml --≤", 2),
    "reproduce": ("reproduce x-conservation --quick --reps 1 --out r", 0),
}
ENCODINGS: dict[str, dict[str, str]] = {
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "cp1252": {"PYTHONIOENCODING": "cp1252:strict"},
    "C": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.mark.parametrize(
    ("verb", "encoding"),
    [*((verb, "C") for verb in VERBS), ("run", "ascii"), ("run", "cp1252"), ("validate", "cp1252")],
)
def test_any_encoding(named: Path, verb: str, encoding: str) -> None:
    (arguments, code), env = VERBS[verb], ENCODINGS[encoding]
    done = shell(f"faircast {arguments}", named.parent, env)
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False), done.stderr
    done.stdout.decode("cp1252" if encoding == "cp1252" else "ascii")
    if "--json" in arguments:
        json.loads(done.stdout)
    if code == 2:
        assert b"faircast: " in done.stderr


# What is done to the streams, and what the exit code is then, unless it is worse already.
STREAMS = {
    "output closed": ("{} >&-", 0),
    "errors closed": ("{} 2>&-", 0),
    "all closed": ("{} <&- >&- 2>&-", 0),
    "nobody reads": ("{} | true", 0),
    "nobody reads either": ("{} 2>&1 | true", 0),
    "output full": ("{} > /dev/full", 3),
    "errors full": ("{} 2> /dev/full", 0),
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is full")
@pytest.mark.parametrize(("streams", "code"), STREAMS.values(), ids=STREAMS)
@pytest.mark.parametrize("verb", ["run", "bad input for machines"])
def test_any_stream(named: Path, verb: str, streams: str, code: int) -> None:
    arguments, own = VERBS[verb]
    done = shell(streams.format(f"faircast {arguments}"), named.parent)
    assert (done.returncode, b"Traceback" in done.stderr) == (own or code, False), done.stderr
    assert b"Exception ignored" not in done.stderr
    if code == 3 and own == 0:
        assert b"faircast: standard output: No space left on device" in done.stderr
    if verb == "run":
        for seed in (1, 2):
            assert (named.parent / "r" / f"seed-{seed}" / "flows.parquet").read_bytes().startswith(b"PAR1")


def test_paths_that_are_no_text(tmp_path: Path) -> None:
    """A file, a folder and the manifest in it, all named in bytes that are no UTF-8."""
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff.toml")).write_text(TEXT)
    done = shell("faircast run $'\\xff.toml' --out $'r\\xfe' --json", tmp_path)
    assert done.returncode == 0, done.stderr
    folder = os.fsencode(json.loads(done.stdout)["folder"])
    assert folder == b"r\xfe"
    manifest = json.loads(Path(os.fsdecode(bytes(tmp_path) + b"/r\xfe/manifest.json")).read_text(encoding="utf-8"))
    assert os.fsencode(manifest["calls"][0]["command"][2]) == b"\xff.toml"
    done = shell(
        "faircast run $'\\xff.toml' --out $'r\\xfe'; faircast run $'absent\\xff'; faircast list $'\\xff'", tmp_path
    )
    assert b"results in r\\xfe" in done.stdout
    assert b"cannot read the scenario absent\\xff: No such file" in done.stderr
    assert b"there is no list of \\xff; there are" in done.stderr


def test_signs_in_plain_letters() -> None:
    assert "".join(map(spell, "1 ± 2 ≤ 5²")) == "1 +- 2 <= 5^2"
    assert spell("\udcff") == "\\xff", "a byte of a path"
    assert spell("\ud800") == "\\ud800"
    assert spell("λ") == "\\u03bb"


def test_tables_are_as_wide_as_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, "ascii"))
    assert legible("3 ± 1") == "3 +- 1"
    table(["a", "b"], [["3 ± 1", "x"], ["3", "y"]])
    sys.stdout.flush()
    lines = written.getvalue().decode("ascii").splitlines()
    places = [line.index(sign) for line, sign in itertools.product(lines, "xy") if sign in line]
    assert (len(places), len(set(places))) == (2, 1)


def test_a_failure_to_write_is_told_once() -> None:
    """A full disk: the first write raises, the rest is dropped; on standard error nothing raises."""
    for tells in (True, False):
        descriptor = os.open("/dev/full", os.O_WRONLY)
        outlet = Outlet(descriptor, tells=tells)
        if tells:
            with pytest.raises(OSError, match="No space left on device: 'standard output'"):
                outlet.write(b"one")
        assert [outlet.write(b"two"), outlet.write(b"three")] == [3, 5]
        os.close(descriptor)
