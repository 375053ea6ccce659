"""Ctrl-C and SIGTERM: what is done is kept and readable, the same command continues."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path

import pytest
from conftest import Cli, edit_manifest, start

from faircast.manifest import read_manifest
from faircast.results import RunResult

LONG = ("--set", "duration='100000 s'", "--set", "probes.interval='1000 s'")


def wait_for(path: Path, seconds: float = 120) -> None:
    for _ in range(int(seconds / 0.01)):
        if path.exists():
            return
        time.sleep(0.01)
    pytest.fail(f"{path} did not appear")


def test_an_interrupted_run_keeps_what_is_done(cli: Cli, small: Path) -> None:
    here = Path.cwd()
    assert cli("run", small, "--reps", 2, "--out", "mine").code == 0
    process = start("run", small, *LONG, "--out", "long", cwd=here)
    wait_for(here / "long" / "manifest.json")
    time.sleep(0.3)  # into the run; nothing depends on how far
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "interrupted" in err
    manifest = json.loads(Path("long/manifest.json").read_text())
    assert manifest["status"] == "interrupted"
    assert list(manifest["interrupted"]) == ["1"]
    assert 0 < manifest["interrupted"]["1"]["simulated_s"] < 100000
    partial = RunResult.read("long/seed-1-interrupted")
    assert partial.summary.num_rows > 0
    assert not Path("long/seed-1").exists()
    assert not list(Path("long").glob(".*")), "nothing half-written lies about"


def test_an_interrupted_folder_is_continued(cli: Cli, small: Path) -> None:
    """What an interrupted seed left is replaced by the whole."""
    assert cli("run", small, "--reps", 2, "--out", "mine").code == 0
    manifest = read_manifest(Path("mine"))
    manifest["interrupted"]["2"] = manifest["runs"].pop("2")
    manifest["status"] = "interrupted"
    edit_manifest("mine", **manifest)
    Path("mine/seed-2").rename("mine/seed-2-interrupted")
    assert cli("run", "mine").code == 0
    assert sorted(path.name for path in Path("mine").glob("seed*")) == ["seed-1", "seed-2"]
    manifest = json.loads(Path("mine/manifest.json").read_text())
    assert (list(manifest["runs"]), manifest["interrupted"], manifest["status"]) == (["1", "2"], {}, "finished")


@pytest.mark.parametrize("verb", ["run", "reproduce"])
def test_sigterm_ends_like_ctrl_c(cli: Cli, small: Path, verb: str) -> None:
    what = ("run", small, *LONG) if verb == "run" else ("reproduce", "x-tfmcc-feedback")
    process = start(*what, "--out", "mine", cwd=Path.cwd())
    wait_for(Path("mine/manifest.json"))
    process.send_signal(signal.SIGTERM)
    process.send_signal(signal.SIGTERM)  # more of them mean the same
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert "interrupted" in err
    assert json.loads(Path("mine/manifest.json").read_text())["status"] == "interrupted"
    assert not list(Path("mine").glob(".*"))
