"""What the tests share: a small scenario and the command line, in this process or in one of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

# Workers of pytest-xdist have it. How wide output is, each test says itself.
os.environ.pop("COLUMNS", None)

SMALL = """
format = 1
name = "small"
duration = "20 s"
warmup = "2 s"

[topology]
kind = "dumbbell"
left = 2
right = 2

[links.bottleneck]
rate = "1.5 Mbit/s"
delay = "50 ms"
queue = { kind = "red", limit = "50 packets", ecn = true }
loss = { kind = "bernoulli", p = 0.001 }

[flows.web]
kind = "tcp"
wnd = "20 packets"
variant = "newreno"
count = 2

[probes]
interval = "1 s"
queues = ["bottleneck"]
"""


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str


Cli = Callable[..., Ran]


def edit_manifest(folder: str | Path, **changes: Any) -> None:
    """Change entries of a manifest as if it had been written so; with None they go."""
    from faircast.manifest import read_manifest, write_manifest

    manifest = read_manifest(Path(folder)) | changes
    write_manifest(Path(folder), {key: value for key, value in manifest.items() if value is not None})


def make_earlier(folder: str | Path) -> None:
    """Take from a manifest what earlier versions did not write."""
    from faircast.manifest import MANIFEST, read_manifest

    manifest = read_manifest(Path(folder))
    apart = ("format", "files") if manifest["kind"] != "seed" else ("format",)
    text = json.dumps({key: value for key, value in manifest.items() if key not in apart})
    Path(folder, MANIFEST).write_text(text)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs a verb in this process, in an empty working folder."""
    from faircast.cli import carry_out

    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)

    def call(*args: object) -> Ran:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = carry_out([str(arg) for arg in args])
        return Ran(code, out.getvalue(), err.getvalue())

    return call


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds of all runs that are computed."""
    from faircast import _native

    seeds: list[int] = []
    real = _native.run

    def counted(scenario: str, seed: int, *more: Any) -> Any:
        seeds.append(seed)
        return real(scenario, seed, *more)

    monkeypatch.setattr(_native, "run", counted)
    return seeds


def start(*args: object, cwd: Path, **options: object) -> subprocess.Popen[str]:
    """Starts a verb in a process of its own."""
    command = [sys.executable, "-m", "faircast", *map(str, args)]
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def parquet_bytes(folder: Path) -> dict[str, bytes]:
    """All Parquet files below a folder, by relative path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))}
