"""The classes of `faircast.model` say what the schema says and produce what it accepts."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from faircast import model
from faircast.errors import InputError
from faircast.model import (
    Bernoulli,
    BitError,
    Cbr,
    Chain,
    DropTail,
    Dumbbell,
    Duplex,
    Engine,
    Link,
    Lossless,
    Mecn,
    Node,
    Probes,
    Red,
    Scenario,
    Settings,
    Tcp,
)

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "crates" / "scenario" / "schema.json").read_text(encoding="utf-8"))


def test_the_file_is_what_the_generator_makes():
    spec = importlib.util.spec_from_file_location("generate_model", ROOT / "tools" / "generate_model.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    committed = (ROOT / "python" / "faircast" / "model.py").read_text(encoding="utf-8")
    assert committed == generator.generate(SCHEMA), "run python3 tools/generate_model.py"


def example(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / "examples" / "scenarios" / f"{name}.toml").read_text(encoding="utf-8"))


def test_the_satellite_chain_in_python_is_the_one_in_toml():
    scenario = Scenario(
        name="mecn-chain",
        description="Ten Reno flows over a MECN queue with min_th 10, mid_th 20, max_th 40.",
        duration="200 s",
        warmup="20 s",
        topology=Chain(
            hops=2,
            left=10,
            right=10,
            access=Duplex(rate="10 Mbit/s", delay="2 ms"),
            access_right=Duplex(delay="4 ms"),
            hop=Duplex(rate="1.5 Mbit/s", delay="65 ms", queue=DropTail(limit="300 packets")),
        ),
        links={
            "hop-0": Link(
                queue=Mecn(limit="300 packets", min_th="10 packets", p1_max=0.1, p2_max=0.1),
                back=Settings(queue=DropTail(limit="300 packets")),
            )
        },
        flows={
            "ftp": Tcp(
                variant="reno",
                ecn="mecn",
                count=10,
                start_step="300 ms",
                hdr="0 B",
                wnd="64 packets",
                send_jitter="5.33 ms",
            )
        },
        probes=Probes(queues=["hop-0"], queue_interval="100 ms"),
    )
    assert scenario.to_dict() == example("mecn-chain")


def test_a_lossy_link_in_python_is_the_one_in_toml():
    scenario = Scenario(
        name="geo-loss",
        duration="300 s",
        warmup="30 s",
        topology=Dumbbell(),
        links={
            "bottleneck": Link(
                rate="2 Mbit/s",
                delay="250 ms",
                queue=DropTail(limit="120 packets"),
                loss=BitError(ber=1e-7),
                back=Settings(rate="128 kbit/s", loss=Lossless()),
            )
        },
        flows={
            "file": Tcp(variant="sack", wnd="128 packets", delayed_ack=True, send_jitter="4.2 ms"),
            "video": Cbr(from_="left-1", to="right-1", rate="400 kbit/s", packet_size="1000 B", jitter=0.5),
        },
    )
    assert scenario.to_dict() == example("geo-loss")


def test_only_what_was_set_is_said():
    assert Scenario(name="x", duration="1 s").to_dict() == {"format": 1, "name": "x", "duration": "1 s"}
    assert Red().to_dict() == {"kind": "red"}
    assert Link(from_="a", to="b", simplex=False).to_dict() == {"from": "a", "to": "b", "simplex": False}
    assert Engine(clock_offsets=False).to_dict() == {"clock_offsets": False}
    assert Node().to_dict() == {}


def test_what_has_no_default_must_be_given():
    with pytest.raises(InputError, match="p: missing; legal is a number from 0 to 1"):
        Bernoulli()
    with pytest.raises(TypeError, match="positional"):
        Bernoulli(0.1)
    with pytest.raises(InputError, match=r"limt: unknown key; did you mean limit\?"):
        DropTail(limt="3 packets")


@pytest.mark.parametrize("name", sorted(name for name, node in SCHEMA["$defs"].items() if "properties" in node))
def test_every_object_of_the_schema_has_a_class_with_its_keys(name):
    part = getattr(model, name)
    keys = {field.name.removesuffix("_") for field in dataclasses.fields(part)}
    properties = SCHEMA["$defs"][name]["properties"]
    assert keys == set(properties) - {"kind", "scheme"}
    assert part.kind == properties.get("kind", {}).get("const")
    assert part.scheme == properties.get("scheme", {}).get("const")


def test_the_program_accepts_what_the_classes_produce():
    native = pytest.importorskip("faircast._native")
    scenario = Scenario(name="x", duration="1 s", topology=Dumbbell(left=1), flows={"a": Tcp(to=["right-0"])})
    assert json.loads(native.resolve(json.dumps(scenario.to_dict()))[0])["flows"]["a"]["to"] == ["right-0"]
    assert native.check(json.dumps(scenario.to_dict())) == []
