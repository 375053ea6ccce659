"""``faircast --guest MODULE:CLASS``: guests that are Python classes, on the command line."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Cli, Ran
from test_engine import same_files

import faircast
from faircast import guest_modules
from faircast.guest_modules import register
from faircast.guests import registered

EXAMPLE = Path(__file__).parents[2] / "examples" / "worst-loss"
SHORT = ("--set", "duration=5 s", "--set", "warmup=1 s")


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What one test has imported is not there in another one."""
    monkeypatch.setattr(guest_modules, "_asked", {})
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def here(cli: Cli) -> Cli:
    """The command line in a folder with a guest and a scenario that names it `heard`."""
    shutil.copy(EXAMPLE / "in_python.py", "of_mine.py")
    text = (EXAMPLE / "beside-tcp.toml").read_text()
    Path("mine.toml").write_text(text.replace('scheme = "worst-loss"', 'scheme = "heard"'))
    return cli


def alone(*words: object) -> Ran:
    """The command in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "faircast", *map(str, words)], check=False, capture_output=True, text=True
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def test_a_scenario_that_names_it_runs(here: Cli) -> None:
    refused = here("run", "mine.toml", *SHORT)
    assert refused.code == 2
    assert "heard" in refused.err
    done = alone("--guest", "heard=of_mine:WorstLoss", "run", "mine.toml", "--seed", 1, *SHORT, "--out", "there")
    assert done.code == 0, done.err
    assert json.loads(Path("there/manifest.json").read_text())["calls"][-1]["command"][1:3] == [
        "--guest",
        "heard=of_mine:WorstLoss",
    ]
    register("heard=of_mine:WorstLoss")
    from_python = faircast.run("mine.toml", seed=1, sets=["duration=5 s", "warmup=1 s"])
    written = faircast.read("there").summary.to_pydict()["mean"]
    assert repr(written) == repr(from_python.summary.to_pydict()["value"])


def test_campaigns_archives_and_other_processes_have_it(here: Cli) -> None:
    vary = ("--vary", "sessions.film.tolerance=0.01,0.1", "--reps", 2, *SHORT)
    done = here("--guest", "heard=of_mine:WorstLoss", "sweep", "mine.toml", *vary, "--out", "a")
    assert done.code == 0, done.err
    with_processes = ("sweep", "mine.toml", *vary, "--processes", 2, "--out", "b")
    done = alone("--guest", "heard=of_mine:WorstLoss", *with_processes)
    assert done.code == 0, done.err
    same_files(Path("a"), Path("b"))
    assert here("archive", "a", "--out", "a.zip").code == 0
    Path("of_mine.py").unlink()
    assert alone("verify", "a.zip").code == 2
    assert alone("verify", "a.zip", "--allow-code").code == 0


def test_it_is_called_as_its_class_is() -> None:
    text = "from faircast.guests import Scheme\n\nclass Of{}(Scheme):\n    pass\n"
    for ending, name in (("MyOwnTFMCC", "of-my-own-tfmcc"), ("APart2B", "of-a-part2-b"), ("_Two", "of-two")):
        Path("called.py").write_text(text.format(ending))
        sys.modules.pop("called", None)
        assert register(f"called:Of{ending}") == name
        assert registered(name) is sys.modules["called"].__dict__[f"Of{ending}"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("of_mine", "is not legal; legal is MODULE:CLASS, or NAME=MODULE:CLASS, as in in_python:WorstLoss"),
        ("=of_mine:WorstLoss", "is not legal"),
        ("of mine:WorstLoss", "is not legal"),
        ("of_mine:", "is not legal"),
        ("of_mine.py:WorstLoss", "of_mine.py is a file; say its module, as in of_mine:CLASS"),
        ("sub/of_mine.py:WorstLoss", "as in sub.of_mine:CLASS"),
        ("../of_mine.py:WorstLoss", "say its module, as in MODULE:CLASS, or NAME=MODULE:CLASS"),
        ("of_min:WorstLoss", "there is no module of_min in "),
        ("of_mine.deeper:WorstLoss", "there is no module of_mine.deeper in "),
        ("of_mine:WorstLos", "of_mine has no WorstLos (did you mean WorstLoss?); its schemes are WorstLoss"),
        ("json:Nothing", "json has no Nothing; there is no scheme in it"),
        ("of_mine:PERIOD", "of_mine:PERIOD is no subclass of faircast.guests.Scheme"),
        ("json:JSONDecoder", "json:JSONDecoder is no subclass of faircast.guests.Scheme"),
        ("tfmcc=of_mine:WorstLoss", 'the scheme "tfmcc": there is a built-in one of that name'),
        ("Bad Name=of_mine:WorstLoss", "Bad Name"),
        ("breaks:WorstLoss", "breaks does not work: ZeroDivisionError: division by zero"),
        ("wants:WorstLoss", "wants imports nowhere_at_all, which is not installed"),
        ("leaves:WorstLoss", "leaves ends the program (7) when it is imported"),
        ("mistyped:WorstLoss", "mistyped does not work: SyntaxError"),
    ],
)
def test_what_is_wrong_is_said(here: Cli, text: str, told: str) -> None:
    Path("breaks.py").write_text("1 / 0\n")
    Path("wants.py").write_text("import nowhere_at_all\n")
    Path("leaves.py").write_text("raise SystemExit(7)\n")
    Path("mistyped.py").write_text("def f(:\n")
    before = set(Path().iterdir())
    done = here("--guest", text, "run", "mine.toml", *SHORT)
    assert done.code == 2
    assert done.err.startswith(f"faircast: --guest {text}")
    assert told in done.err
    assert {path for path in set(Path().iterdir()) - before if path.name != "__pycache__"} == set()


def test_two_are_not_called_the_same(here: Cli) -> None:
    Path("other.py").write_text("from faircast.guests import Scheme\n\nclass Other(Scheme):\n    pass\n")
    twice = here("--guest", "heard=of_mine:WorstLoss", "--guest", "heard=other:Other", "list", "schemes")
    assert "--guest heard=of_mine:WorstLoss is called heard, too; say another NAME=" in twice.err
    assert here("--guest", "a=of_mine:WorstLoss", "--guest", "a=of_mine:WorstLoss", "list", "schemes").code == 0


def test_it_stands_before_the_verb(here: Cli) -> None:
    done = here("run", "mine.toml", "--guest", "heard=of_mine:WorstLoss")
    assert done.code == 2
    assert "--guest stands before the verb" in done.err
    assert "requires an argument" in here("--guest").err
    assert "MODULE:CLASS" in here("--help").out


def test_modules_of_the_folder_come_first(here: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pyclbr", raising=False)  # a module of Python
    shutil.copy("of_mine.py", "pyclbr.py")
    assert here("--guest", "found-first=pyclbr:WorstLoss", "list", "schemes").code == 0


def test_modules_of_the_folder_hide_none_that_others_import(here: Cli) -> None:
    Path("of_mine_too.py").write_text("import of_mine\nWorstLoss = of_mine.WorstLoss\n")
    assert here("--guest", "heard=of_mine_too:WorstLoss", "list", "schemes").code == 0
    assert sys.path[0] != str(Path.cwd())
    assert sys.path.count(str(Path.cwd())) == 1
    assert sys.path[-1] == str(Path.cwd())


def test_commands_that_are_printed_have_it(here: Cli) -> None:
    done = here("--guest", "heard=of_mine:WorstLoss", "list", "schemes")
    assert done.code == 0
    from test_side_by_side_views import ALL, GEO, data

    command = ALL.command("x-all", data({"tfmcc": [(1e5, 2e5)] * 10}), ("heard", GEO))
    assert command.startswith("faircast --guest heard=of_mine:WorstLoss reproduce x-all --only scheme=heard ")
