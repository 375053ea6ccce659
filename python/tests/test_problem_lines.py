"""The lines of a TOML file on which problems stand: in Python, on screen and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli

from faircast.errors import InputError
from faircast.scenario import problems, resolve

TEXT = """\
format = 1
name = "lines"
duration = "20 s"

[topology]
kind = "dumbbell"

[links.bottleneck]
rate = "1 Mbit"
delay = "2 h"

[flows.web]
kind = "tcp"
from = "left-0"
stop = "0 s"
"""


def lines(source: object, *sets: str) -> dict[str, int | None]:
    with pytest.raises(InputError) as caught:
        resolve(source, sets=sets)
    return {path: line for (path, _), line in zip(caught.value.problems, caught.value.lines, strict=True)}


def test_problems_of_form_and_of_meaning_have_lines(tmp_path: Path) -> None:
    file = tmp_path / "lines.toml"
    file.write_text(TEXT)
    wanted = {"flows.web.stop": 15, "links.bottleneck.delay": 10, "links.bottleneck.rate": 9}
    assert lines(file) == lines(str(file)) == lines(TEXT) == wanted
    assert lines("# \n\n" + TEXT) == {path: line + 2 for path, line in wanted.items()}
    # What is missing would stand in its table, and at the top of the file in none.
    legal = TEXT.replace("1 Mbit", "1 Mbit/s").replace("2 h", "2 s").replace('stop = "0 s"\n', "")
    assert lines(legal.replace('kind = "tcp"\n', "")) == {"flows.web.kind": 12}
    assert lines(legal.replace('duration = "20 s"', "")) == {"duration": None}


def test_what_an_assignment_says_has_no_line(tmp_path: Path) -> None:
    file = tmp_path / "lines.toml"
    file.write_text(TEXT)
    found = lines(
        file, "links.bottleneck.rate='2 Mbit'", "links.bottleneck.delay='1 ms'", "links.bottleneck.queue.limit='9'"
    )
    assert found.pop("links.bottleneck.rate") is None
    assert found.pop("links.bottleneck.queue.limit") is None
    assert found == {"flows.web.stop": 15}
    # A whole table that an assignment makes is not that of the file, nor is a table around what it sets.
    assert lines(file, "flows.web={kind='tcp', stop='0 s'}")["flows.web.stop"] is None
    assert lines(file, "flows.bulk.wnd='0 packets'")["flows.bulk.kind"] is None
    legal = TEXT.replace("1 Mbit", "1 Mbit/s").replace("2 h", "2 s").replace('stop = "0 s"\n', "")
    spur = lines(legal, 'links."spur".rate="2 Mbit/s"')
    assert spur, "it has no ends"
    assert set(spur.values()) == {None}
    # The table that an assignment adds to is there.
    assert lines(file, "links.bottleneck.loss={kind='bernoulli'}")["links.bottleneck.loss.p"] is None
    assert lines(TEXT.replace('kind = "tcp"\n', ""), "flows.web.mss='1 KB'")["flows.web.kind"] == 12
    # Elements of lists are not spoiled by their neighbours.
    probed = legal.replace("[topology]", '[probes]\nqueues = [\n  "bottlenek",\n  "nothing"]\n[topology]')
    assert lines(probed)["probes.queues[1]"] == 8
    changed = lines(probed, "probes.queues[1]='nowhere'")
    assert (changed["probes.queues[0]"], changed["probes.queues[1]"]) == (7, None)


def test_what_is_no_toml_has_no_lines(tmp_path: Path) -> None:
    file = tmp_path / "lines.json"
    tree = {"format": 1, "name": "x", "duration": "2 q"}
    file.write_text(json.dumps(tree, indent=1))
    assert lines(file) == lines(file.read_text()) == lines(tree)
    assert set(lines(tree).values()) == {None}


def test_values_that_json_does_not_have_have_lines() -> None:
    assert lines(TEXT.replace('"2 h"', "nan")) == {"links.bottleneck.delay": 10}


def test_pairs_stay_pairs_and_the_text_has_lines() -> None:
    with pytest.raises(InputError) as caught:
        resolve(TEXT)
    assert problems(TEXT) == caught.value.problems
    assert all(len(problem) == 2 for problem in caught.value.problems)
    assert "\n  line 10, links.bottleneck.delay: 2 h given;" in str(caught.value)
    assert str(InputError("no", [("", "a"), ("b", "c")], [3, None])) == "no\n  line 3: a\n  b: c"


@pytest.mark.parametrize("verb", ["run", "validate"])
def test_the_command_line_says_lines(cli: Cli, tmp_path: Path, verb: str) -> None:
    file = tmp_path / "lines.toml"
    file.write_text(TEXT)
    done = cli(verb, file, "--set", "flows.web.stop='21 packets'")
    assert done.code == 2
    assert "\n  line 10, links.bottleneck.delay: 2 h given; legal is at most 3600 s" in done.err
    assert "\n  flows.web.stop: " in done.err
    said = json.loads(cli(verb, file, "--json", "--set", "flows.web.stop='21 packets'").out)["problems"]
    assert {item["path"]: item["line"] for item in said} == {
        "flows.web.stop": None,
        "links.bottleneck.delay": 10,
        "links.bottleneck.rate": 9,
    }
    assert all(item["message"] for item in said)
