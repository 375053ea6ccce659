"""The command line as a person meets it: helps, completion, tables on a terminal of any width."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import SMALL, Cli
from terminal import UNBOUNDED, WIDTHS, assert_whole, assert_whole_at_all_widths, words

import faircast
from faircast.cli import bench, reproduce
from faircast.cli.app import VERBS, summary
from faircast.cli.common import table
from faircast.cli.endings import warn
from faircast.cli.families import Column, lines
from faircast.cli.terminal import definitions, wrapped
from faircast.cli.view import show_rows
from faircast.errors import InputError
from faircast.experiment import Numbers, Verdict
from faircast.manifest import read_manifest, sets_of
from faircast.report import Report
from faircast.statistics import estimate
from faircast.summary import Row
from faircast.workplace import default_path

VIEWER = Path(faircast.__file__).parent / "web" / "report.js"
"""What `make web` builds."""


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


def test_the_examples_of_all_helps_run(cli: Cli, tmp_path: Path) -> None:
    """One after the other, as some are about the results of others."""
    (tmp_path / "examples").symlink_to(Path(__file__).parents[2] / "examples")
    of = "examples/scenarios/geo-loss.toml", "--vary", "links.bottleneck.delay=50 ms,250 ms", "--set", "duration=60 s"
    for number in (1, 2):
        done = cli("sweep", tmp_path / of[0], *of[1:], "--shard", f"{number}/2", "--out", tmp_path / f"part-{number}")
        assert done.code == 0, done.err
    ranges = "--vary", "links.bottleneck.delay=50..250 ms", "--vary", "links.bottleneck.rate=1..4 Mbit/s"
    ranges += "--set", "duration=20 s", "--set", "warmup=5 s"
    drawn = "--design", "sobol-indices", "--samples", "4", "--out", tmp_path / "results" / "space"
    done = cli("sweep", tmp_path / of[0], *ranges, *drawn)
    assert done.code == 0, done.err
    for verb in VERBS:
        text = cli(verb, "--help").out.partition(" Example: ")[2]
        command = text.partition("\n\n")[0].replace("\\\n", " ")
        # A port of this process, as others may run the same tests.
        command = re.sub(r":500\d\b", f":{60_000 + os.getpid() % 5_000}", command)
        script = f'faircast() {{ {sys.executable} -m faircast "$@"; }}; {command}'
        done = subprocess.run(["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
        if verb in ("send", "receive", "probe", "stream", "keys") and sys.platform != "linux":
            assert (done.returncode, "as Linux has them" in done.stderr) == (2, True)
            continue
        if verb in ("report", "lab") and not VIEWER.exists():
            assert (done.returncode, "make web builds it" in done.stderr) == (2, True)
            continue
        assert done.returncode == 0, f"{command}: {done.stderr}"


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
    assert asked("bash", "faircast plot results re", tmp_path) == ["receivers"]
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


NODES = ", ".join(f'"right-{i}"' for i in range(24))
MANY = f"""
{SMALL.replace("left = 2", "left = 30").replace("right = 2", "right = 30").replace("count = 2", "count = 25")}
[links."access-right-7"]
loss = {{ kind = "bernoulli", p = 0.05 }}

[sessions.video]
scheme = "tfmcc"
source = "left-1"
receivers = {{ nodes = [{NODES}] }}
"""


def test_a_run_with_many_subjects(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Rows of flows and receivers are one line with their ranges, and the lowest and highest of them."""
    file = tmp_path / "many.toml"
    file.write_text(MANY)
    out = assert_whole_at_all_widths(cli, monkeypatch, "run", file, "--reps", 2, "--out", "many").out
    assert re.search(r"^ web-0\.\.24 +[\d.]+ to [\d.]+ ", out, re.M)
    assert re.search(r"^   web-\d+, lowest +[\d.]+ ± ", out, re.M)
    assert re.search(r"^   web-\d+, highest ", out, re.M)
    assert re.search(r"^ video-0\.\.23 ", out, re.M)
    assert re.search(r"^ bottleneck +[\d.]+ ± ", out, re.M)
    assert re.search(r"^ access-right-7 ", out, re.M)
    assert max(len(part.splitlines()) for part in out.split("\n\n")) < 12


@pytest.mark.parametrize("arguments", [["list"], ["list", "gauges"], ["list", "events"]], ids=" ".join)
def test_lists(cli: Cli, monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    assert_whole_at_all_widths(cli, monkeypatch, *arguments)


def test_other_verbs(cli: Cli, monkeypatch: pytest.MonkeyPatch, small: Path) -> None:
    monkeypatch.chdir(small.parent)
    for arguments in (
        ["run", "small.toml", "--out", "one"],
        ["validate", "small.toml"],
        ["paths", "small.toml", "--from", "left-0", "--to", "right-1", "--both"],
    ):
        assert_whole_at_all_widths(cli, monkeypatch, *arguments)


def test_sweeps_and_comparisons(cli: Cli, monkeypatch: pytest.MonkeyPatch, small: Path) -> None:
    """Several varied paths before the numbers, long names of folders, and all metrics."""
    limits = "links.bottleneck.queue.limit=20 packets,100 packets"
    varied = ["--vary", limits, "--vary", "flows.web.variant=newreno,sack", "--set", "duration=10s"]
    many = [
        text
        for name in ("web-0/rate", "web-1/rate", "bottleneck/drops_all", "run/jain_index")
        for text in ("--metric", name)
    ]
    assert_whole_at_all_widths(cli, monkeypatch, "sweep", small, *varied, "--reps", 2, "--out", "sweep", *many)
    assert_whole_at_all_widths(cli, monkeypatch, "show", "sweep")
    out = assert_whole_at_all_widths(cli, monkeypatch, "compare", "sweep", "--between", "flows.web.variant").out
    assert "newreno" in out
    for variant in ("newreno", "sack"):
        name = f"a-folder-with-a-long-name-{variant}"
        cli("run", small, "--set", f"flows.web.variant={variant}", "--reps", 2, "--out", name)
    folders = sorted(path.name for path in Path().glob("a-folder-*"))
    out = assert_whole_at_all_widths(cli, monkeypatch, "compare", *folders, "--metric", "all").out
    assert re.search(r"^ metric +first +second +difference", out, re.M)
    assert_whole_at_all_widths(cli, monkeypatch, "show", folders[0])


def test_the_busiest_link_is_shown_though_nothing_happens(capsys: pytest.CaptureFixture[str]) -> None:
    used = {"first": 0.1, "second": 0.3, "third": 0.2}
    show_rows("x", [Row(name, "efficiency", "1", estimate([value])) for name, value in used.items()])
    out = capsys.readouterr().out
    assert re.search(r"^ second +0.3$", out, re.M)
    assert "first" not in out
    assert "third" not in out


Holds = Callable[..., str]


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """What something prints at a width."""

    def at(show: Callable[[], object], width: int) -> str:
        monkeypatch.setenv("COLUMNS", str(width))
        show()
        return capsys.readouterr().out

    return at


@pytest.fixture
def holds(printed: Callable[..., str]) -> Holds:
    """Asserts that something is printed whole at all widths; gives what is printed at 80 columns."""

    def check(show: Callable[[], object], *, widths: tuple[int, ...] = WIDTHS) -> str:
        whole = printed(show, UNBOUNDED)
        for width in widths:
            assert_whole(printed(show, width), width, of=whole)
        return printed(show, 80)

    return check


def test_loads(holds: Holds) -> None:
    result = {
        "packet_hops": 12_345_678,
        "user_cpu_s": 1.234,
        "hops_per_cpu_s": 1e7,
        "best_hops_per_cpu_s": 1.1e7,
        "largest_share": 0.12,
        "memory_mb": 17,
        "start_cpu_s": 0.2,
    }
    out = holds(lambda: bench.show([{"load": load, **result} for load in ("L1", "L2", "M1", "C1-static")]))
    assert re.search(r"^ C1-static +12 345 678 +1.234 +10.00 +11.00 +12% +17 +0.200$", out, re.M)


def test_a_reproduction(holds: Holds) -> None:
    """Criteria are blocks on a narrow terminal, a table on a wide one."""
    note = "TCP has 0.43 ± 0.05 of its share at 64 receivers, which is below what the paper's figure shows; " * 3
    report = Report(
        id="omcc-fig9a",
        paper="hang",
        place="Figure 9a",
        published="TCP keeps its share however many receivers the multicast session has.",
        why="The queues are shorter than they seem to have been in the paper.",
        title="Fairness of TFMCC, Log-OMCC and TCP-OMCC against the number of receivers, links of 10 ms",
        verdict="agrees in ordering only",
        criteria=[
            Verdict("share of TCP beside TCP-OMCC", "about 0.5", 0.4321, 0.0543, 0.4, None, "agrees", "", "from 0.4"),
            Verdict(
                "distance of Log-OMCC",
                1 / 3,
                1.5,
                None,
                None,
                0.5,
                "disagrees (soft)",
                note,
                "up to 0.5, at 64 receivers",
            ),
        ],
        says="With more receivers the multicast session gets less than its share, but it never starves.",
        numbers=Numbers(
            columns=[
                "receivers",
                *(f"share of {name}, Mbit/s" for name in ("TFMCC", "Log-OMCC", "TCP-OMCC", "TCP", "all")),
            ],
            rows=[[str(n), *["0.1234 ± 0.0567"] * 5] for n in (1, 2, 4, 64)],
        ),
        figures=[Path("results/x/omcc-fig9a.pdf")],
        seeds=[1, 2, 3],
        version="1",
    )
    out = holds(lambda: reproduce.show(report))
    assert re.search(r"^verdict +disagrees \(soft\)$", out, re.M)
    assert re.search(r"^measured +0.4321 ± 0.054$", out, re.M)
    assert re.search(r"^rule +from 0.4$", out, re.M)
    assert "\n2: TCP has 0.43 ± 0.05 of its share" in out


def test_forms_of_a_table(holds: Holds) -> None:
    """As it is, turned over, in pieces that repeat the keys, in blocks; the first that fits."""
    columns = [f"measure {i}" for i in range(12)]
    cells = [f"{i}234.56 ± 0.78" for i in range(12)]

    out = holds(lambda: table(["link", *columns], [["a-b", *cells]], right=columns))
    assert re.search(r"^ measure 3 +3234.56 ± 0.78$", out, re.M), "turned over"

    out = holds(lambda: table(["link", *columns], [[f"a-{n}", *cells] for n in range(9)], right=columns))
    assert len(re.findall("^ a-8 ", out, re.M)) == 3, "four columns find room beside the first"

    rows = [[f"a-{n}", "drop-tail", *cells] for n in range(3)]
    out = holds(lambda: table(["link", "kind of queue", *columns], rows, right=columns))
    assert len(re.findall("^ a-2 +drop-tail ", out, re.M)) == 4

    rows = [["criterion " * 6, cells[n], "words of a reason " * 9] for n in range(3)]
    out = holds(lambda: table(["name", "measured", "reason"], rows, right=["measured"]))
    assert re.search(r"^ name +measured +reason$", out, re.M), "80 columns are enough for the table"
    rows = [[*row[:2], *cells[:3], row[2]] for row in rows]
    out = holds(lambda: table(["name", "a", "b", "c", "d", "reason"], rows, right=["a", "b", "c", "d"]))
    assert "\na       1234.56 ± 0.78\n" in out

    out = holds(lambda: table(["name", "n", "note"], [["x", "1", ""], ["y", "2", ""]], right=["n"]))
    assert "note" not in out, "nothing stands in it"


def test_only_a_word_longer_than_a_line_stands_out(holds: Holds) -> None:
    name = "a-name-of-" + "x" * 70
    out = holds(lambda: table(["link", "n"], [[name, "1.5 ± 0.2"], ["b", "2"]], right=["n"]), widths=(100,))
    assert f"link  {name}\n" in out
    assert "n     1.5 ± 0.2\n" in out


def test_wide_signs(holds: Holds) -> None:
    """Signs that take two columns."""
    rows = [["衛星リンク", "1.5 ± 0.2", "説明 " * 30], ["λ", "2 ± 0", "≤ 3 µs " * 20]]
    holds(lambda: table(["リンク", "n", "note"], rows, right=["n"]))


def test_tables_in_plain_letters(tmp_path: Path, small: Path) -> None:
    """In ASCII ± takes two columns: what is shown is measured."""
    command = [
        sys.executable,
        "-m",
        "faircast",
        "run",
        str(small),
        "--reps",
        "2",
        "--out",
        "r",
        "--set",
        "description=≤ σ",
    ]
    for width in (60, 80, 100):
        env = os.environ | {"COLUMNS": str(width), "PYTHONIOENCODING": "ascii"}
        done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, check=True)
        out = done.stdout.decode("ascii")
        assert_whole(out, width)
        assert out.startswith("small with description=<= sigma, 2 seeds; ")
        assert re.search(r"\d \+- \d", out)


def test_text_breaks_between_words() -> None:
    assert wrapped("one two three", 8) == "one two\nthree"
    assert wrapped("one two three", None) == "one two three"
    assert wrapped("a mean of 0.25 ± 0.01 here", 14) == "a mean of\n0.25 ± 0.01\nhere"
    assert wrapped("in 95 % of all", 5) == "in\n95 %\nof\nall"
    assert wrapped("one two\n  three four", 8, later="  ") == "one two\n    three\n  four"
    assert wrapped("x" * 20 + " y", 10) == "x" * 20 + "\ny"
    assert wrapped("", 10, first="> ") == ">"


def test_names_beside_their_texts(printed: Callable[..., str]) -> None:
    pairs = [("red", "drops some of the packets at random"), ("drop-tail", "drops the last")]
    out = printed(lambda: definitions(pairs, indent=" "), 40)
    assert out == " red        drops some of the packets at\n            random\n drop-tail  drops the last\n"
    out = printed(lambda: definitions(pairs), 24)
    assert out == "red\n    drops some of the\n    packets at random\ndrop-tail\n    drops the last\n"


def test_messages_break_between_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Where standard error is a terminal; elsewhere they stay in one line, for those who look for them."""
    message = "the window of flow web-3 held it for 40 % of its time"
    monkeypatch.delenv("COLUMNS", raising=False)
    warn(message)
    assert capsys.readouterr().err == f"faircast: warning: {message}\n"
    monkeypatch.setenv("COLUMNS", "40")
    warn(message)
    shown = capsys.readouterr().err
    assert shown == "faircast: warning: the window of flow\n  web-3 held it for 40 % of its time\n"


def shown(
    values: dict[str, tuple[float, ...]], *, always: bool = False, extremes: bool = True
) -> tuple[list[str], int]:
    """The lines of subjects with these values, and how many are hidden."""
    found, hidden = lines(
        list(values),
        [
            Column([(value,) for value in column], lambda row: f"{row[0]:g}")
            for column in zip(*values.values(), strict=True)
        ],
        always=always,
        extremes=extremes,
    )
    return [" | ".join([line.name, *line.cells]) for line in found], hidden


def test_families() -> None:
    """Subjects whose names differ in a number are one line, if they are equal or too many."""
    three = {"b": (5.0,), **{f"web-{i}": (1.0,) for i in range(3)}}
    assert shown(three) == (["b | 5", "web-0..2 | 1"], 0)
    assert shown(dict(list(three.items())[:3])) == (["b | 5", "web-0 | 1", "web-1 | 1"], 0), "two are not many"
    differing = {f"web-{i}": (float(i % 7), 3.0) for i in range(1, 20)}
    assert len(shown(differing)[0]) == 19
    folded = ["web-1..19 | 0 to 6 | 3", "  web-7, lowest | 0 | 3", "  web-13, highest | 6 | 3"]
    assert shown(differing, always=True) == (folded, 0)
    assert shown(differing, always=True, extremes=False) == ([folded[0], folded[2]], 0)
    assert shown({**differing, "a": (9.0, 9.0), "c": (9.0, 9.0)}) == ([*folded, "a | 9 | 9", "c | 9 | 9"], 0)
    gaps = {f"up-{i}.back": (float(i),) for i in (0, 1, 5, 6)}
    assert shown(gaps, always=True)[0][0] == "up-0..6.back (4) | 0 to 6"
    grid = {f"isl-{i}-{j}": (1.0,) for i in range(2) for j in range(3)}
    assert shown(grid) == (["isl-0..1-0..2 (6) | 1"], 0)


def test_more_single_subjects_than_lines() -> None:
    """The lowest and the highest are shown, or the busiest of links, in their order; the rest is counted."""
    names = [chr(ord("a") + i // 26) + chr(ord("a") + i % 26) for i in range(50)]
    values = {name: (float((i * 7) % 50),) for i, name in enumerate(names)}
    found, hidden = shown(values)
    assert (len(found), hidden) == (20, 30)
    assert {float(line.split(" | ")[1]) for line in found} == {*map(float, range(10)), *map(float, range(40, 50))}
    assert [line.split(" | ")[0] for line in found] == sorted(line.split(" | ")[0] for line in found)
    found, hidden = shown(values, extremes=False)
    assert {float(line.split(" | ")[1]) for line in found} == set(map(float, range(30, 50)))
    assert hidden == 30
