"""How commands end: one message, the right exit code, never a traceback that nobody asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli

from faircast.cli.endings import LISTED, TRACEBACK, ending
from faircast.errors import LONGEST, InputError, NotFinishedError, shortened


class Panic(BaseException):
    """As a panic of the core: no ordinary exception."""


UNEXPECTED = [
    AssertionError(),
    RecursionError("too deep"),
    Panic("index out of bounds"),
    SystemExit(1),
    EOFError(),
    UnicodeEncodeError("ascii", "x", 0, 1, "no"),
    BlockingIOError(11, "Resource temporarily unavailable"),
    OSError("no number"),
    ModuleNotFoundError("No module named 'matplotlib'"),
    MemoryError(),
]


@pytest.mark.parametrize("error", UNEXPECTED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("broken", ["faircast.runs.run_into", "typer.main.get_command"])
def test_whatever_is_raised(
    cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, broken: str
) -> None:
    """In a verb and before it."""

    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(broken, fails)
    done = cli("run", small, "--json")
    assert done.code == 3
    assert done.err.startswith("faircast: ")
    assert "Traceback" not in done.err
    found = json.loads(done.out)
    assert found["exit_code"] == 3
    assert found["problems"] == []
    assert found["error"] == done.err.splitlines()[0].removeprefix("faircast: ")
    assert cli("run", small).out == ""


def test_an_unexpected_error_says_where_it_came_up(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("faircast.runs.run_into", fails)
    err = cli("run", small).err
    assert "internal error, please report it: ZeroDivisionError: division by zero (test_endings.py:" in err
    assert "FAIRCAST_TRACEBACK=1 faircast ... shows more" in err
    monkeypatch.setenv(TRACEBACK, "1")
    done = cli("run", small)
    assert (done.code, "Traceback (most recent call last)" in done.err, "in fails" in done.err) == (3, True, True)
    assert "Traceback" in cli("run", "absent").err, "of an expected error as well"


def test_nothing_of_the_rest_can_be_loaded(tmp_path: Path) -> None:
    code = "import sys; sys.modules['faircast._native'] = None; from faircast.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "list", "--json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "cannot load all of faircast" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(done.stdout)["exit_code"] == 3


def test_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    assert ending(InputError("x"), as_json=False) == 2
    assert ending(NotFinishedError("x"), as_json=False) == 3
    assert ending(KeyboardInterrupt(), as_json=False) == 130
    assert ending(FileNotFoundError(2, "No such file or directory", "there"), as_json=False) == 3
    assert capsys.readouterr().err.splitlines() == [
        "faircast: x",
        "faircast: x",
        "faircast: interrupted",
        "faircast: there: No such file or directory",
    ]


def test_wrong_words_on_the_command_line(cli: Cli) -> None:
    for arguments in (["run", "--json"], ["run", "x", "--sed", "1", "--json"], ["rnu", "--json"], ["--json"]):
        done = cli(*arguments)
        assert done.code == 2
        assert json.loads(done.out)["exit_code"] == 2
        assert done.err.startswith("faircast: ")
        assert "--help'" in done.err
    done = cli()
    assert (done.code, "Verbs:" in done.out) == (2, True)


def test_long_values_are_cut(cli: Cli, small: Path) -> None:
    assert shortened("x" * LONGEST) == "x" * LONGEST
    cut = shortened("a" * 5000 + "legal is z")
    assert cut.startswith("aaa")
    assert cut.endswith("legal is z")
    assert f"... {5010 - LONGEST} characters left out ..." in cut
    assert len(cut) < LONGEST + 60
    long = "x" * 100_000
    for arguments in (
        ["run", small, "--set", f"name='{long}'"],
        ["run", small, "--set", f"{long}=1"],
        ["run", small, "--set", f"duration.{long}=1"],
        ["run", small, "--set", long],
        ["run", long],
        ["run", small, "--out", long],
        ["run", small, "--seed", long],
        ["run", small, f"--{long}"],
        ["list", long],
        ["reproduce", long],
        [long],
    ):
        done = cli(*arguments, "--json")
        assert done.code == 2
        assert len(done.err) < 3 * LONGEST, done.err[:300]
        assert len(done.out) < 4 * LONGEST


def test_control_characters_do_not_reach_the_terminal(cli: Cli, small: Path) -> None:
    done = cli("run", small, "--set", "\x1b[2J=1")
    assert "\x1b" not in done.err
    assert "\\x1b[2J" in done.err
    done = cli("run", small, "--set", "\ufeffseed=1")
    assert done.code == 2
    assert "\\ufeffseed: unknown key" in done.err


def test_many_problems_are_not_all_shown(cli: Cli, small: Path) -> None:
    wrong = [part for number in range(LISTED + 5) for part in ("--set", f"x{number}=1")]
    done = cli("run", small, *wrong, "--json")
    assert len(json.loads(done.out)["problems"]) == LISTED + 5
    assert done.err.count("\n") == LISTED + 2
    assert "... and 5 more; --json lists them all" in done.err
