"""Objects of `faircast.model` are checked when they are made, and say what their arguments mean."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import pydoc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import faircast
from faircast import model
from faircast.errors import InputError
from faircast.guests import Scheme
from faircast.model import (
    Bernoulli,
    Cbr,
    Constellation,
    DropTail,
    Dumbbell,
    Engine,
    Link,
    OmccSession,
    Probes,
    Receivers,
    Red,
    Scenario,
    Settings,
    Tcp,
)
from faircast.parts import Part

SCHEMA = json.loads(
    (Path(__file__).resolve().parents[2] / "crates" / "scenario" / "schema.json").read_text(encoding="utf-8")
)
CLASSES = sorted(
    name
    for name, part in vars(model).items()
    # What several have in common has a class, too, but no name in the schema: nobody writes one.
    if isinstance(part, type) and issubclass(part, Part) and name in {"Scenario", *SCHEMA["$defs"]}
)


def wrong(make: Any) -> list[tuple[str, str]]:
    with pytest.raises(InputError) as error:
        make()
    return error.value.problems


@pytest.mark.parametrize(
    "values",
    [
        {"rate": "2 Mbit"},
        {"delay": 250},
        {"simplex": 3, "mode": "fussed"},
        {"queue": {"kind": "red", "limt": "3 packets"}},
        {"queue": {"kind": "drop-tail", "limit": 5}},
        {"loss": {"kind": "bernoulli", "p": 1.5}, "changes": [{"at": "x"}]},
        {"back": {"rate": "-1 Mbit/s"}},
    ],
)
def test_a_part_gets_the_messages_of_a_scenario(values: dict[str, Any]) -> None:
    whole = {
        "format": 1,
        "name": "x",
        "duration": "1 s",
        "topology": {"kind": "dumbbell"},
        "links": {"bottleneck": values},
        "flows": {"a": {"kind": "tcp"}},
    }
    expected = [(path.removeprefix("links.bottleneck."), text) for path, text in faircast.problems(whole)]
    assert expected
    assert wrong(lambda: Link(**values)) == expected


def test_the_message_names_the_class_and_all_that_is_wrong() -> None:
    with pytest.raises(InputError) as error:
        Link(rate="2 Mbit", delay="5", sipmlex=True)
    assert error.value.message == "Link has 3 problems"
    assert [path for path, _ in error.value.problems] == ["delay", "rate", "sipmlex"]
    assert 'delay: 5 has no unit: write a duration as text with its unit, e.g. "5 ms"' in str(error.value)
    assert "sipmlex: unknown key; did you mean simplex?; legal are" in str(error.value)


def test_names_that_python_takes_for_itself_have_an_underscore() -> None:
    assert Link(from_="a", to="b").to_dict() == {"from": "a", "to": "b"}
    assert wrong(lambda: Cbr(from_=3, rate="1 Mbit/s"))[0][0] == "from"
    assert wrong(lambda: Link(**{"from": "a"})) == [("from", "write from_ in Python")]
    assert wrong(lambda: Link(rate_="1 Mbit/s"))[0][1].startswith("unknown key; did you mean rate?")


def test_what_is_legal_somewhere_is_legal_in_a_part() -> None:
    assert DropTail(limit="0.5 BDP").limit == "0.5 BDP"
    assert Red(min_th="20 ms", limit="2 BDP").to_dict() == {"kind": "red", "limit": "2 BDP", "min_th": "20 ms"}
    assert Link(queue=DropTail(limit="50 ms"), back=Settings(queue=DropTail(limit="1 BDP"))).rate is None
    assert Link(changes="rates.csv").changes == "rates.csv"
    ((path, text),) = wrong(lambda: Link(changes=3))
    assert (path, text[:60]) == ("changes", "3 is not legal; legal is a list, each item a table of at, at")
    assert Constellation(shell="elements", elements="iridium-next").elements == "iridium-next"
    assert Bernoulli(p=1).p == 1
    assert Tcp(count=np.int64(2)).count == 2
    assert Probes(queues=("a", "b")).to_dict() == {"queues": ["a", "b"]}
    assert Engine().to_dict() == {}


def test_wrong_kinds_of_parts_are_refused() -> None:
    (problem,) = wrong(lambda: Link(queue=Bernoulli(p=0.1)))
    assert problem[0] == "queue.kind"
    assert wrong(lambda: Scenario(name="x", duration="1 s", flows={"a": Dumbbell()}))[0][0] == "flows.a.kind"
    assert wrong(lambda: Scenario(name="x y", duration="1"))[0][0] == "duration"
    with pytest.raises(InputError, match="is object"):
        Link(rate=object())
    with pytest.raises(InputError, match="p is nan; numbers are finite"):
        Bernoulli(p=float("nan"))
    around: dict[str, Any] = {}
    around["x"] = around
    with pytest.raises(InputError, match="nested too deeply, or holds itself"):
        Scenario(name="x", duration="1 s", flows=around)
    with pytest.raises(TypeError, match="positional"):
        Link("2 Mbit/s")
    with pytest.raises(TypeError, match="'kind'"):
        Red(kind="red")


def test_what_depends_on_other_parts_is_found_later() -> None:
    lonely = Link(to="nowhere", delay="10 s")
    assert faircast.problems(Scenario(name="x", duration="1 s", links={"l": lonely}, flows={"a": Tcp()}))


def test_changed_copies_are_checked_and_plain_copies_are_equal() -> None:
    link = Link(rate="2 Mbit/s", queue=Red())
    assert wrong(lambda: dataclasses.replace(link, rate="2"))[0][0] == "rate"
    assert dataclasses.replace(link, delay="2 ms").to_dict() == {**link.to_dict(), "delay": "2 ms"}
    for same in (copy.deepcopy(link), pickle.loads(pickle.dumps(link))):
        assert same == link
    assert repr(link) == "Link(queue=Red(), rate='2 Mbit/s')"
    assert repr(Scenario(name="x", duration="1 s")) == "Scenario(duration='1 s', format=1, name='x')"


@dataclasses.dataclass
class Mine(Scheme):
    """Nothing."""

    pace: int = 3


def test_schemes_that_somebody_registered_are_legal() -> None:
    from faircast.guests import register_scheme

    session = {"scheme": "parts-mine", "source": "left-0", "receivers": {"nodes": ["right-0"]}}
    assert wrong(lambda: Scenario(name="x", duration="1 s", sessions={"s": session}))[0][0] == "sessions.s.scheme"
    register_scheme("parts-mine", Mine)
    made = Scenario(name="x", duration="1 s", sessions={"s": session | {"pace": 2}})
    assert made.to_dict()["sessions"]["s"]["pace"] == 2
    given = session | {"pace": "x"}
    assert wrong(lambda: Scenario(name="x", duration="1 s", sessions={"s": given}))[0][0] == "sessions.s.pace"


@pytest.mark.parametrize("name", CLASSES)
def test_every_argument_is_explained_where_people_look(name: str) -> None:
    part = getattr(model, name)
    node = SCHEMA if name == "Scenario" else SCHEMA["$defs"][name]
    text = " ".join(inspect.getdoc(part).split())
    parameters = inspect.signature(part).parameters
    assert list(parameters) == [field.name for field in dataclasses.fields(part)]
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters.values())
    for key in parameters:
        about = node["properties"][key.removesuffix("_")]["description"]
        assert f"{key} :" in text
        assert " ".join(about.split()) in text
        required = key.removesuffix("_") in node.get("required", [])
        assert ("optional" in inspect.getdoc(part).split(f"{key} :")[1].split("\n")[0]) is not required or required


def test_help_shows_them() -> None:
    text = pydoc.render_doc(OmccSession, renderer=pydoc.plaintext)
    assert "Parameters" in text
    assert "receivers : Receivers" in text
    assert 'utility : {"none", "log", "tcp", "alpha-fair"}, optional' in text
    assert "such as " in (Receivers.__doc__ or "") + (Link.__doc__ or "")


def test_flows_of_a_group_may_differ() -> None:
    web = Tcp(count=2, variant=["reno", "sack"], mss=("500 B", "1 KB"), start=["0 s", "1 s"])
    assert web.to_dict()["mss"] == ["500 B", "1 KB"]
    assert wrong(lambda: Tcp(count=3, mss=["500 B", "1 KB"])) == [
        ("mss", "2 values for 3 flows: give one for each, or a single one")
    ]
    [(path, text)] = wrong(lambda: Cbr(count=2, rate=["1 Mbit/s", "2 Mbit"]))
    assert path == "rate[1]"
    assert "2 Mbit" in text
