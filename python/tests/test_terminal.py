"""The command line as a person meets it: helps, completion, tables on a terminal of any width."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli
from terminal import WIDTHS, assert_whole, words

from faircast.cli.app import VERBS, summary
from faircast.errors import InputError
from faircast.manifest import default_path, read_manifest, sets_of


def test_the_list_of_verbs_is_whole(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    for width in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(width))
        done = cli("--help")
        assert done.code == 0
        assert cli("-h").out == done.out
        assert_whole(done.out, width)
        shown = " ".join(words([done.out]))
        for verb in VERBS:
            assert f" {verb} {summary(verb)}" in shown


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb(cli: Cli, monkeypatch: pytest.MonkeyPatch, verb: str) -> None:
    """In one line beside the verb, and as the first sentence of the verb's own help; examples are not wrapped."""
    assert 10 < len(summary(verb)) <= 65, "one line of 80 columns, after the longest verb"
    assert summary(verb)[-1] == "."
    monkeypatch.setenv("COLUMNS", "80")
    done = cli(verb, "--help")
    assert done.code == 0
    assert cli(verb, "-h").out == done.out
    assert_whole(done.out, 80)
    assert f"\n  {summary(verb)}\n" in done.out
    examples = re.findall(rf"^  Examples?: (faircast {verb}\b.*)$", done.out, re.M)
    assert examples
    assert "-h, --help" in done.out


def asked(shell: str, line: str, folder: Path) -> list[str]:
    """What a shell is told could stand at the end of a line, and that the core is not imported for it."""
    if shell == "bash":
        given = line.split(" ")
        env = {"COMP_WORDS": line, "COMP_CWORD": str(len(given) - 1)}
    else:
        env = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    code = (
        "import atexit, sys\n"
        "heavy = ('faircast._native', 'pyarrow', 'numpy', 'matplotlib', 'scipy')\n"
        "atexit.register(lambda: sys.stderr.write(str([name for name in heavy if name in sys.modules])))\n"
        "from faircast.cli import main\nmain()"
    )
    env = os.environ | env | {"_FAIRCAST_COMPLETE": f"complete_{shell}", "COLUMNS": "40"}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True, check=True)
    assert done.stderr == "[]", line
    return done.stdout.splitlines()


@pytest.mark.parametrize("verb", VERBS)
def test_options_are_completed_without_the_core(tmp_path: Path, verb: str) -> None:
    assert {"--json", "--help"} <= set(asked("bash", f"faircast {verb} --", tmp_path))


def test_verbs_and_values_are_completed(tmp_path: Path) -> None:
    assert asked("bash", "faircast ", tmp_path) == list(VERBS)
    assert asked("bash", "faircast va", tmp_path) == ["validate"]
    assert "--version" in asked("bash", "faircast --", tmp_path)
    assert asked("fish", "faircast val", tmp_path) == [f"validate\t{summary('validate')}"]
    assert asked("bash", "faircast list top", tmp_path) == ["topologies"]
    assert asked("bash", "faircast reproduce mecn-fig8", tmp_path) == ["mecn-fig8a", "mecn-fig8b", "mecn-fig8-w64"]
    assert asked("bash", "faircast reproduce --paper d", tmp_path) == ["durresi"]
    assert asked("bash", "faircast bench --load L1", tmp_path) == ["L1"]
    # Nothing of ours: bash, whose function is registered with `-o default`, puts in names of files.
    assert [line for line in asked("bash", "faircast run ", tmp_path) if line] == []


def test_the_script_for_a_shell(tmp_path: Path) -> None:
    env = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", "HOME": str(tmp_path)}

    def called(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "faircast", *arguments]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=False)

    shown = called("--show-completion", "bash")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "complete -o default -F _faircast_completion faircast" in shown.stdout
    installed = called("--install-completion", "bash")
    assert installed.returncode == 0
    assert (tmp_path / ".bash_completions" / "faircast.sh").read_text().strip() == shown.stdout.strip()
    assert called("--show-completion", "nonsense").returncode == 2


def test_a_verb_that_there_is_not(cli: Cli) -> None:
    done = cli("rnu", "--json")
    assert done.code == 2
    assert "there is no verb rnu (did you mean run?); there are: list, run," in done.err


def test_the_folder_of_a_label() -> None:
    assert str(default_path("geo loss", "12ab")) == "results/geo-loss-12ab"
    assert str(default_path("geo", "12ab", "50 packets")) == "results/geo-50-packets-12ab"
    assert str(default_path("geo", "12ab", "../x")) == "results/geo-x-12ab"
    with pytest.raises(InputError, match=r"--label \.\.\.: nothing of it can stand"):
        default_path("geo", "12ab", "...")


def test_what_was_set_is_in_the_title_and_the_manifest(cli: Cli, small: Path) -> None:
    first = "links.bottleneck.delay=60 ms"
    done = cli("run", small, "--set", first, "--label", "far away")
    (folder,) = Path("results").iterdir()
    assert re.fullmatch(r"small-far-away-[0-9a-f]{12}", folder.name)
    assert done.out.startswith(f"small with {first}, 1 seed; ")
    assert [call["sets"] for call in read_manifest(folder)["calls"]] == [[first]]

    continued = cli("run", folder, "--reps", 2)
    assert continued.out.startswith(f"small with {first}, 2 seeds; ")
    changed = cli("run", folder, "--set", "duration=10s", "--label", "short")
    assert changed.out.startswith(f"small with {first}, duration=10s, ")
    (short,) = Path("results").glob("small-short-*")
    assert sets_of(read_manifest(short)) == [first, "duration=10s"]
    assert json.loads(cli("run", folder, "--label", "again", "--json").out)["sets"] == [first]
    assert len(list(Path("results").glob("small-again-*"))) == 1, "repeated elsewhere, as with --out"

    assert cli("run", small, "--out", "plain").out.startswith("small, 1 seed; ")
    assert sets_of(read_manifest(Path("plain"))) == []
    both = cli("run", small, "--out", "plain", "--label", "x")
    assert both.code == 2
    assert "--label is a part of the folder's name, --out gives all of it" in both.err
