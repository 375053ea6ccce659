"""``faircast show`` prints what the verbs printed, read from the folder."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Cli, edit_manifest
from terminal import assert_whole_at_all_widths
from test_report import DRAWN, PLAIN

COMPUTING = re.compile(r"^(\d+ runs? computed, \d+ reused|nothing left to do).*\n", re.MULTILINE)
"""The lines about what a call did."""


def shown(text: str) -> str:
    return COMPUTING.sub("", text)


def test_a_run(cli: Cli, small: Path) -> None:
    made = cli("run", small, "--reps", 3, "--out", "out", "--set", "flows.web.wnd=4 packets")
    assert made.code == 0
    again = cli("show", "out")
    assert (again.code, again.out, again.err) == (0, made.out, made.err)
    assert "faircast: warning:" in again.err
    assert "small with flows.web.wnd=4 packets, 3 seeds; after" in again.out
    machine = json.loads(cli("run", "out", "--json").out)
    assert json.loads(cli("show", "out", "--json").out) == machine
    assert machine["warnings"]
    assert shown(cli("run", "out").out) == again.out


def test_a_seed(cli: Cli, small: Path) -> None:
    alone = cli("run", small, "--seed", 2, "--out", "alone")
    cli("run", small, "--reps", 2, "--out", "out")
    seed = cli("show", "out/seed-2")
    assert seed.out == alone.out.replace("results in alone", "results in out/seed-2")
    assert json.loads(cli("show", "out/seed-2", "--json").out)["seeds"] == [2]


def test_what_is_missing_is_said(cli: Cli, small: Path) -> None:
    cli("run", small, "--out", "out", "--set", "duration=3s")
    edit_manifest("out", status="interrupted")
    assert json.loads(cli("show", "out", "--json").out)["interrupted"] is True


def test_a_sweep(cli: Cli, small: Path) -> None:
    vary = ("--vary", "links.bottleneck.queue.limit=5 packets,30 packets", "--set", "duration=6s", "--reps", 2)
    made = cli("sweep", small, *vary, "--out", "swept")
    assert made.code == 0, made.err
    again = cli("show", "swept")
    assert (again.code, again.err) == (0, made.err)
    assert again.out == shown(made.out)
    chosen = cli("sweep", "swept", "--metric", "run/jain_index")
    assert cli("show", "swept", "--metric", "run/jain_index").out == shown(chosen.out)
    machine = json.loads(cli("sweep", "swept", "--json").out)
    assert json.loads(cli("show", "swept", "--json").out) == machine | {"computed": 0, "found": 0}


def test_a_reproduction(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    experiments = {"x-drawn": DRAWN, "a-plain": replace(PLAIN, numbers=DRAWN.numbers)}
    monkeypatch.setattr("faircast.reproduction.select", lambda ids, **_: [experiments[name] for name in ids])
    made = cli("reproduce", "x-drawn", "a-plain", "--out", "here", "--reps", 2)
    assert made.code == 0, made.err
    again = cli("show", "here")
    assert again.code == 0
    assert again.out.splitlines()[:-1] == made.out.splitlines()[:-1]
    assert again.out.endswith("\nresults in here\n")
    assert json.loads(cli("show", "here", "--json").out) == json.loads(
        cli("reproduce", "x-drawn", "a-plain", "--out", "here", "--reps", 2, "--json").out
    )
    told = cli("plot", "here")
    assert told.out.splitlines() == [
        "here holds a reproduction; it has drawn its figures itself:",
        "  here/x-drawn/x-drawn.pdf",
        "  here/x-drawn/x-drawn.png",
        "  a-plain: no figure",
    ]
    assert json.loads(cli("plot", "here", "--json").out)["pictures"][1] == {"picture": "a-plain", "files": []}


def test_all_widths(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("run", small, "--out", "out", "--reps", 2, "--set", "duration=5s")
    assert_whole_at_all_widths(cli, monkeypatch, "show", "out")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("otu",), "there is no folder otu (did you mean out?)"),
        (("small.toml",), "small.toml is a file; give the folder of a result"),
        (("empty",), "empty is not a result folder: it has no manifest.json"),
        (("out", "--metric", "web/rate"), "--metric means nothing here: out holds a run, not a sweep"),
        (("cut",), "cut holds no finished seed of small"),
    ],
)
def test_bad_input(cli: Cli, small: Path, arguments: tuple[str, ...], message: str) -> None:
    Path("empty").mkdir()
    Path("small.toml").write_text(small.read_text())
    for name in ("out", "cut"):
        assert cli("run", small, "--out", name, "--set", "duration=3s").code == 0
    Path("cut/seed-1").rename("cut/seed-1-interrupted")
    done = cli("show", *arguments)
    assert done.code == 2
    assert message in done.err
