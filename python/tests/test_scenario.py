"""Scenarios from all sources; assignments; seeds."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SMALL

from faircast import _native, model
from faircast.errors import InputError
from faircast.scenario import assign, plain, read, resolve, seeds


def test_what_is_resolved_is_canonical() -> None:
    draw = random.Random(1)
    for _ in range(200):
        loss = draw.random() * 10.0 ** -draw.randint(0, 300)
        settings = {
            "from": "a",
            "to": "b",
            "rate": "1 Mbit/s",
            "delay": "1 ms",
            "loss": {"kind": "bernoulli", "p": loss},
        }
        text = resolve(
            {
                "format": 1,
                "name": "drawn",
                "duration": "1 s",
                "nodes": {"a": {}, "b": {}},
                "links": {"way": settings},
                "flows": {"x": {"kind": "cbr", "from": "a", "to": "b"}},
            }
        ).json
        data = json.loads(text)
        assert data["links"]["way"]["loss"]["p"] == pytest.approx(loss, rel=1e-14, abs=0)
        assert text == json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def test_all_sources_give_the_same_scenario(small: Path, tmp_path: Path) -> None:
    from_file = resolve(small)
    as_json = tmp_path / "small.json"
    as_json.write_text(_native.toml_to_json(SMALL))
    for source in (str(small), SMALL, as_json, as_json.read_text(), read(small), from_file):
        assert resolve(source) == from_file
    assert from_file.name == "small"


def test_classes_give_the_same_scenario(small: Path) -> None:
    scenario = model.Scenario(
        name="small",
        duration="20 s",
        warmup="2 s",
        topology=model.Dumbbell(left=2, right=2),
        links={
            "bottleneck": model.Link(
                rate="1.5 Mbit/s",
                delay="50 ms",
                queue=model.Red(limit="50 packets", ecn=True),
                loss=model.Bernoulli(p=0.001),
            )
        },
        flows={"web": model.Tcp(variant="newreno", wnd="20 packets", count=2)},
        probes=model.Probes(interval="1 s", queues=["bottleneck"]),
    )
    assert resolve(scenario) == resolve(small)


def test_resolving_changes_nothing_in_what_is_resolved(small: Path) -> None:
    once = resolve(small)
    assert resolve(once.data).json == once.json


def test_a_profile_is_refused_where_all_keys_are_explicit() -> None:
    tree: dict[str, Any] = {"topology": {"kind": "dumbbell"}, "flows": {"web": {"kind": "tcp"}}}
    scenario = resolve({"format": 1, "name": "small", "duration": "1 s", "links": {}} | tree)
    with pytest.raises(InputError, match="profile"):
        resolve(scenario, sets=["flows.web.profile=ns2"])
    assert resolve(scenario, sets=["flows.web.mss=512 B"]).data["flows"]["web"]["profile"] == "rfc"


def test_the_hash_is_that_of_the_canonical_json(small: Path) -> None:
    import hashlib

    scenario = resolve(small)
    assert scenario.hash == hashlib.sha256(scenario.json.encode()).hexdigest()[:12]
    assert resolve(small, sets=["duration='21 s'"]).hash != scenario.hash


@pytest.mark.parametrize(
    ("assignment", "tree"),
    [
        ("a.b=3", {"a": {"b": 3}}),
        ("a.b = 3.5", {"a": {"b": 3.5}}),
        ("a.b=true", {"a": {"b": True}}),
        ('a.b="20 ms"', {"a": {"b": "20 ms"}}),
        ("a.b=20 ms", {"a": {"b": "20 ms"}}),
        ("a.b=[1, 2]", {"a": {"b": [1, 2]}}),
        ("a.b={ kind = 'red' }", {"a": {"b": {"kind": "red"}}}),
        ("a.x.y=1", {"a": {"b": 0, "x": {"y": 1}}}),
        ('a."x.y"=1', {"a": {"b": 0, "x.y": 1}}),
        ("list.1=5", {"a": {"b": 0}, "list": [1, 5]}),
        ("list[1]=5", {"a": {"b": 0}, "list": [1, 5]}),
        ('a."x[1]"=1', {"a": {"b": 0, "x[1]": 1}}),
    ],
)
def test_assignments(assignment: str, tree: dict[str, Any]) -> None:
    before: dict[str, Any] = {"a": {"b": 0}, "list": [1, 2]}
    assign(before, assignment)
    assert before == {"list": [1, 2], **tree}


@pytest.mark.parametrize(
    ("assignment", "says"),
    [
        ("a.b", "write path=value"),
        ("=3", "write path=value"),
        ("a..b=3", "write path=value"),
        ("a.b='3", "not a TOML value"),
        ("a.b=[1,", "not a TOML value"),
        ("a.b=", "not a TOML value"),
        ("a.b=1\nc = 2", "not a TOML value"),
        ("a.b.c=3", "a.b is 0, it has no part c"),
        ("list.7=3", "list has the elements 0 to 1, there is no 7"),
        ("list[7]=3", "list has the elements 0 to 1, there is no 7"),
        ("list[x]=3", "list has the elements 0 to 1, there is no x"),
        ("list[1=3", "write path=value"),
        ("list[]=3", "write path=value"),
        ("[1]=3", "write path=value"),
        ("list[0]1=3", "write path=value"),
        ("list[0].b=3", "list.0 is 1, it has no part b"),
    ],
)
def test_wrong_assignments(assignment: str, says: str) -> None:
    with pytest.raises(InputError, match=r"--set") as error:
        assign({"a": {"b": 0}, "list": [1, 2]}, assignment)
    assert says in str(error.value)


def test_messages_give_paths_that_assignments_take(small: Path) -> None:
    tree = read(small) | {"probes": {"queues": ["bottleneck", "nowhere"]}}
    with pytest.raises(InputError) as error:
        resolve(tree)
    ((path, _),) = error.value.problems
    assert path == "probes.queues[1]"
    assert resolve(tree, sets=[f"{path}=bottleneck.back"]).data["probes"]["queues"] == ["bottleneck", "bottleneck.back"]


class Kind(Enum):
    RED = "red"


def test_the_seed_is_apart(small: Path) -> None:
    scenario = resolve(small, sets=["seed=7"])
    assert (scenario.seed, resolve(small).seed) == (7, 1)
    assert scenario.hash == resolve(small).hash
    assert resolve(scenario, sets=["duration='21 s'"]).seed == 7


@dataclass
class Queue:
    kind: Kind
    limit: str | None = None
    p: Any = None


def test_dataclasses_without_what_is_none() -> None:
    given = {"queue": Queue(Kind.RED, p=np.float64(0.5)), "ports": (1, 2)}
    assert plain(given) == {"queue": {"kind": "red", "p": 0.5}, "ports": [1, 2]}
    json.dumps(plain(given))
    assert plain({"left": np.arange(3), "grid": np.ones((1, 2))}) == {"left": [0, 1, 2], "grid": [[1.0, 1.0]]}


def test_what_no_scenario_can_hold() -> None:
    with pytest.raises(InputError, match="object"):
        plain({"a": object()})
    with pytest.raises(InputError, match="not int"):
        resolve(3)


@pytest.mark.parametrize(("first", "reps"), [(-1, 1), (2**53, 1), (2**53 - 1, 2), (1, 0)])
def test_seeds_out_of_range(first: int, reps: int) -> None:
    with pytest.raises(InputError):
        seeds(first, reps)


def test_a_whole_number_may_be_a_float_as_in_scenarios(small: Path) -> None:
    assert list(seeds(7.0, 2.0)) == [7, 8]  # type: ignore[arg-type]
    assert resolve(small, sets=["seed=7.0"]).seed == 7


def test_seeds_up_to_the_last() -> None:
    assert list(seeds(2**53 - 2, 2)) == [2**53 - 2, 2**53 - 1]


def test_a_trace_lies_beside_the_scenario_and_becomes_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "measured"
    folder.mkdir()
    (folder / "fade.csv").write_text("time [s],rate [Mbit/s],up\n3,1,\n5,,0\n6,1.5,1\n")
    file = folder / "fade.toml"
    file.write_text(SMALL.replace('delay = "50 ms"', 'delay = "50 ms"\nchanges = "fade.csv"'))
    changes = [
        {"at": "3 s", "rate": "1 Mbit/s"},
        {"at": "5 s", "up": False},
        {"at": "6 s", "rate": "1.5 Mbit/s", "up": True},
    ]
    listed = read(file)
    listed["links"]["bottleneck"]["changes"] = changes
    assert resolve(file) == resolve(listed)
    assert resolve(file).hash != resolve(SMALL).hash
    before = resolve(file)
    # Another content is another scenario; a resolved one needs the file no more.
    (folder / "fade.csv").write_text("time [s],rate [Mbit/s]\n3,1\n")
    assert resolve(file).hash != before.hash
    (folder / "fade.csv").unlink()
    assert resolve(before.data) == before
    with pytest.raises(InputError) as wrong:
        resolve(file)
    assert [path for path, _ in wrong.value.problems] == ["links.bottleneck.changes"]
    # What has no file of its own looks in the working directory, as a value of --set does.
    (tmp_path / "here.csv").write_text("time [s],up\n5,0\n")
    monkeypatch.chdir(tmp_path)
    assert resolve(SMALL, sets=["links.bottleneck.changes=here.csv"]).data["links"]["bottleneck"]["changes"] == [
        {"at": "5 s", "up": False}
    ]
