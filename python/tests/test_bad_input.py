"""Bad input: one clear message - where, what was given, what is legal -, exit code 2, and nothing written."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import SMALL, Cli, edit_manifest, start

from faircast.errors import InputError
from faircast.runs import run
from faircast.scenario import problems, resolve

LOOP = "links.loop={from='left-0', to='left-0', rate='1 Mbit/s', delay='1 ms'}"
ISLAND = "flows.far={kind='tcp', from='left-0', to='island'}"
MECN = "links.bottleneck.queue={kind='mecn', min_th='30 packets', mid_th='20 packets', max_th='40 packets'}"
RED = "links.bottleneck.queue={kind='red', min_th='30 packets', max_th='20 packets'}"

# The --set options that make it wrong, the path of the message, and what the message must say.
WRONG = {
    "unknown key": (["durations='3 s'"], "durations:", "did you mean duration?"),
    "wrong type": (["flows.web.count='two'"], "flows.web.count:", '"two" is not legal; legal is a whole number from 1'),
    "missing unit": (["duration=20"], "duration:", "20"),
    "negative rate": (["links.bottleneck.rate='-1 Mbit/s'"], "links.bottleneck.rate:", "-1 Mbit/s"),
    "zero rate": (["links.bottleneck.rate='0 bit/s'"], "links.bottleneck.rate:", "0 bit/s given; legal is"),
    "unknown node": (["flows.web.from='left-7'"], "flows.web.from:", "there is no node left-7; did you mean left-"),
    "unknown link": (["links.bottlenek.rate='1 Mbit/s'"], "links.bottlenek:", "did you mean bottleneck?"),
    "unknown queue": (["links.bottleneck.queue.kind='redd'"], "links.bottleneck.queue", "did you mean red?"),
    "unknown loss": (["links.bottleneck.loss.kind='bernouli'"], "links.bottleneck.loss", "did you mean bernoulli?"),
    "unknown topology": (["topology.kind='dumbell'"], "topology", "did you mean dumbbell?"),
    "unknown variant of TCP": (["flows.web.variant='newrenno'"], "flows.web.variant:", "legal are reno, newreno, sack"),
    "loss above 1": (["links.bottleneck.loss.p=1.5"], "links.bottleneck.loss.p:", "legal is a number from 0 to 1"),
    "loss below 0": (["links.bottleneck.loss.p=-0.1"], "links.bottleneck.loss.p:", "legal is a number from 0 to 1"),
    "link to itself": ([LOOP], "links.loop.to:", "not to itself"),
    "unreachable destination": (
        ["nodes.island={}", ISLAND],
        "flows.far:",
        "no path leads from node left-0 to node island",
    ),
    "duplicate names": (["flows.web-0={kind='tcp'}"], "flows.web.count:", "there is flows.web-0 already"),
    "start after stop": (
        ["flows.web.start='9 s'", "flows.web.stop='3 s'"],
        "flows.web.stop:",
        "after the start at 9 s",
    ),
    "seed out of range": (["seed=9007199254740992"], "seed:", "legal is a whole number from 0 to 9007199254740991"),
    "MECN thresholds": ([MECN], "links.bottleneck.queue.mid_th:", "must be above min_th = 30 packets"),
    "RED thresholds": ([RED], "links.bottleneck.queue.max_th:", "must be above min_th = 30 packets"),
    "too many flows": (["flows.web.count=3000000000"], "flows.web.count:", "3000000000 flows in all"),
}


@pytest.mark.parametrize(("sets", "path", "says"), WRONG.values(), ids=WRONG.keys())
def test_wrong_values(cli: Cli, small: Path, sets: list[str], path: str, says: str) -> None:
    options = [part for assignment in sets for part in ("--set", assignment)]
    for verb in ("validate", "run"):
        done = cli(verb, small, *options)
        assert done.code == 2
        (line,) = [line for line in done.err.splitlines() if re.match(rf"  (line \d+, )?{re.escape(path)}", line)]
        assert says in line
    assert list(Path().iterdir()) == [], "nothing is written"


def test_wrong_values_in_a_file(cli: Cli, small: Path) -> None:
    small.write_text(SMALL.replace("p = 0.001", "p = 1.5"))
    assert "links.bottleneck.loss.p: 1.5 is not legal" in cli("run", small).err


def test_all_problems_come_at_once(cli: Cli, small: Path) -> None:
    done = cli("run", small, "--set", "durations='3 s'", "--set", "duration=3", "--set", "links.bottleneck.rate='fast'")
    assert done.code == 2
    assert "has 3 problems" in done.err
    found = json.loads(cli("run", small, "--json", "--set", "duration=3", "--set", "durations=1").out)
    assert sorted(problem["path"] for problem in found["problems"]) == ["duration", "durations"]


def test_broken_toml_is_located(cli: Cli, small: Path) -> None:
    small.write_text('format = 1\nname = "a\n')
    done = cli("validate", small)
    assert done.code == 2
    assert "line 2" in done.err


def test_duplicate_names(cli: Cli, small: Path) -> None:
    small.write_text(SMALL + "\n[links.bottleneck]\ndelay = '1 ms'\n")
    done = cli("run", small)
    assert done.code == 2
    assert "line 28, column 8" in done.err
    assert "duplicate key" in done.err


def test_files_that_cannot_be_read(cli: Cli, small: Path) -> None:
    for verb in ("run", "validate"):
        assert "cannot read the scenario absent.toml: No such file" in cli(verb, "absent.toml").err
        small.write_bytes(b"\xff\xfe\x00")
        assert "not a text file in UTF-8" in cli(verb, small).err
    json_file = small.with_suffix(".json")
    json_file.write_text('{"format": 1,}')
    assert "not legal JSON, line 1" in cli("run", json_file).err
    json_file.write_text("[]")
    assert "is not a table" in cli("run", json_file).err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--seed", "-1"], "legal are 0 to 9007199254740991"),
        (["--seed", str(2**53)], "legal are 0 to 9007199254740991"),
        (["--reps", "0"], "--reps is 0"),
        (["--jobs", "0"], "--jobs is 0"),
        (["--seed", "one"], "--seed"),
        (["--set", "duration"], "write path=value"),
    ],
)
def test_wrong_options(cli: Cli, small: Path, arguments: list[str], says: str) -> None:
    done = cli("run", small, *arguments)
    assert done.code == 2
    assert says in done.err
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("assignment", "says"),
    [
        ("probes.queues.²=x", "probes.queues has the element 0 alone, there is no ²"),
        ("probes.queues.１=x", "there is no １"),
        ("probes.queues.-1=x", "there is no -1"),
        (f"probes.queues.{'9' * 5000}=x", "there is no 99"),
        ("probes.packets.0=x", "probes.packets is an empty list"),
        ("=1", "write path=value"),
        ("a..b=1", "write path=value"),
        (".".join("a" * 5000) + "=1", "write path=value"),
        ("duration=[1", "is not a TOML value"),
        ("duration=" + "[" * 5000, "is not a TOML value"),
        ("name=\udcff", "no text in UTF-8"),
    ],
)
def test_wrong_assignments(cli: Cli, small: Path, assignment: str, says: str) -> None:
    done = cli("run", small, "--set", "probes.packets=[]", "--set", assignment)
    assert (done.code, says in done.err) == (2, True), done.err


def test_an_assignment_in_utf_8_that_the_system_took_for_ascii(cli: Cli, small: Path) -> None:
    done = cli("run", small, "--set", "links.\udce2\udc89\udca4=1")
    assert "links.≤:" in done.err


def test_a_byte_order_mark(cli: Cli, small: Path) -> None:
    expected = resolve(small)
    small.write_text(SMALL, encoding="utf-8-sig")
    assert resolve(small) == expected
    json_file = small.with_suffix(".JSON")
    json_file.write_text(expected.json, encoding="utf-8-sig")
    assert resolve(json_file) == expected
    small.write_text(SMALL, encoding="utf-16")
    assert "not a text file in UTF-8" in cli("run", small).err


def test_a_scenario_that_can_be_read_once_only(small: Path, tmp_path: Path) -> None:
    """From a pipe, as in ``faircast validate <(make-scenario)``."""
    command = f"{sys.executable} -m faircast validate <(cat small.toml)"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "is a valid scenario: small" in done.stdout) == (0, True), done.stderr


def test_files_without_end(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faircast.scenario.FILE_MAX", 100)
    assert "is longer than 100 bytes" in cli("run", "/dev/zero").err
    assert "is longer than 100 bytes" in cli("validate", small).err


def endless() -> dict[str, object]:
    tree: dict[str, object] = {"format": 1}
    tree["name"] = tree
    return tree


@pytest.mark.parametrize(
    ("scenario", "says"),
    [
        ({"format": 1, "duration": float("nan")}, "duration is nan; numbers are finite"),
        ({"probes": {"queues": ["a", -math.inf]}}, "probes.queues[1] is -inf; numbers are finite"),
        ({"format": 1, "name": "\udcff"}, "no text in UTF-8"),
        (endless(), "holds itself"),
        ({"format": 1, "name": b"x"}, "b'x' is bytes"),
        ({"format": 1, "name": object()}, "is object"),
        (17, "not int"),
        ("", "cannot read the scenario .: Is a directory"),
        ("a\x00b", "embedded null byte"),
        ("x" * 5000, "File name too long"),
        ("\n", "format"),
        ('{"a": ' + "[" * 100_000, "nested too deeply"),
        ("a = " + "[" * 100_000 + "\n", "not legal TOML"),
    ],
)
def test_wrong_scenarios_from_python(scenario: object, says: str) -> None:
    with pytest.raises(InputError, match=re.escape(says)):
        resolve(scenario)
    assert problems(scenario)


@pytest.mark.parametrize("seed", ["1", 1.5, float("inf"), float("nan"), True, b"1", [1]])
def test_a_seed_that_is_no_whole_number(small: Path, seed: Any) -> None:
    with pytest.raises(InputError, match=r"^seed is .*; legal is a whole number$"):
        run(small, seed=seed)


def test_names_that_do_not_exist(cli: Cli) -> None:
    assert "did you mean queues?" in cli("list", "queue").err
    assert cli("list", "queue").code == 2
    assert cli("reproduce", "mecn-fig99").code == 2
    assert "there is no experiment mecn-fig99" in cli("reproduce", "mecn-fig99").err
    assert "did you mean durresi?" in cli("reproduce", "--paper", "duresi").err
    assert "say which experiments" in cli("reproduce").err
    assert "--reps is 0" in cli("reproduce", "x", "--reps", "0").err
    assert "L1" in cli("bench", "--load", "L7", "--repeat", "1").err
    assert cli("bench", "--load", "L7").code == 2
    assert "no calendar heat (did you mean heap?)" in cli("bench", "--calendar", "heat").err
    assert cli("bench", "--calendar", "heat").code == 2
    assert cli("runn").code == 2
    assert cli("run").code == 2


def test_folders_that_hold_something_else(cli: Cli, small: Path) -> None:
    other = Path("other")
    other.mkdir()
    (other / "thesis.tex").write_text("precious")
    done = cli("run", small, "--out", other)
    assert done.code == 2
    assert "other holds something else (thesis.tex); choose another folder with --out" in done.err
    assert [path.name for path in other.iterdir()] == ["thesis.tex"]

    assert cli("run", small, "--out", "mine").code == 0
    before = Path("mine/manifest.json").read_bytes()
    done = cli("run", small, "--set", "duration='21 s'", "--out", "mine")
    assert done.code == 2
    assert "mine holds another scenario" in done.err
    assert Path("mine/manifest.json").read_bytes() == before

    edit_manifest("mine", version="0.0.1")
    assert "was made by faircast 0.0.1" in cli("run", small, "--out", "mine").err
    Path("mine/manifest.json").write_bytes(before)
    edit_manifest("mine", build="0")
    assert "another build" in cli("run", small, "--out", "mine").err
    Path("mine/manifest.json").write_text("{")
    assert "manifest.json is damaged" in cli("run", small, "--out", "mine").err


def test_folders_that_cannot_be_written(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("file").write_text("")
    done = cli("run", small, "--out", "file")
    assert (done.code, "file is a file, results need a folder" in done.err) == (2, True)
    done = cli("run", small, "--out", "file/below")
    assert (done.code, "cannot" in done.err) == (2, True)
    assert "choose another" in done.err

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    done = cli("run", small, "--out", "locked")
    assert done.code == 2
    assert "cannot write to the folder locked: Permission denied; choose another one with --out" in done.err
    assert [path.name for path in Path().iterdir()] == ["file"]


def test_truncated_parquet(cli: Cli, small: Path) -> None:
    cli("run", small, "--out", "mine")
    path = Path("mine/seed-1/summary.parquet")
    path.write_bytes(path.read_bytes()[:100])
    assert "summary.parquet has 100 bytes, not" in cli("run", path).err
    Path("mine/seed-1/manifest.json").unlink()
    done = cli("run", path)
    assert done.code == 2
    assert "summary.parquet is not a whole Parquet file, perhaps truncated; remove it and run again" in done.err


def test_other_parquet(cli: Cli) -> None:
    pq.write_table(pa.table({"x": [1]}), "x.parquet")
    assert "not one of a faircast run" in cli("run", "x.parquet").err
    Path("empty").mkdir()
    assert "empty is not a result folder" in cli("run", "empty").err


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files the POSIX way")
def test_a_full_disk(small: Path, tmp_path: Path) -> None:
    import resource

    process = start(
        *("run", small, "--set", "probes.interval='1 ms'", "--out", "full"),
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)),
    )
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3, (out, err)
    assert "cannot write full/seed-1" in err
    assert "Traceback" not in err
    assert not list((tmp_path / "full").glob("seed-*")), "no half-written tables"


def test_what_does_not_fit_into_memory_is_refused_when_it_is_run(cli: Cli, small: Path) -> None:
    large = ["--set", "duration='8000000 s'", "--set", "probes.packets=['bottleneck']"]
    assert cli("validate", small, *large).code == 0
    done = cli("run", small, *large)
    assert done.code == 3
    assert "too large for memory: up to " in done.err


@pytest.mark.skipif(sys.platform != "linux", reason="devices and named pipes of Linux")
@pytest.mark.parametrize("path", ["links.bottleneck.changes", "topology.elements"])
def test_what_a_scenario_names_is_a_regular_file(cli: Cli, small: Path, path: str) -> None:
    os.mkfifo(small.with_name("pipe"))
    small.with_name("link").symlink_to("/dev/zero")
    kind = ("--set", "topology={kind='constellation', shell='elements'}") if path.startswith("topology") else ()
    for name in ("pipe", "link", "/dev/zero"):
        done = cli("validate", small, *kind, "--set", f"{path}='{name}'")
        assert (done.code, done.out) == (2, "")
        assert f"{path}:" in done.err
        assert "it is a device or pipe; legal is a regular file" in done.err


def test_a_scenario_may_be_a_pipe(small: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "faircast", "validate", "/dev/stdin"]
    for text, code in ((SMALL, 0), ("x" * (1 << 24) + "x", 2)):
        done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=tmp_path, check=False)
        assert done.returncode == code, done.stderr
    assert "is longer than 16777216 bytes" in done.stderr
