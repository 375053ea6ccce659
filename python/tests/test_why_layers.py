"""Explanations of layers: which router held one back or let it go, which loss made RLM leave one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import faircast
from faircast.causes import layers
from faircast.causes.rows import Rows

SHORT = ["duration=60s", "warmup=20s"]
FILE = Path(__file__).resolve().parents[2] / "examples" / "scenarios" / "layer-blocking.toml"
RLM = "sessions.film.scheme=rlm"
LOSSY = """
format = 1
name = "built"
duration = "30 s"
warmup = "1 s"
nodes = { a = {}, b = {} }
[links.way]
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "5 ms"
loss = { kind = "bernoulli", p = 0.7 }
[sessions.film]
source = "a"
receivers = { nodes = ["b"] }
scheme = "layer-blocking"
"""


@pytest.fixture(scope="module")
def blocked() -> faircast.RunResult:
    """Two sessions whose layers a router blocks and releases."""
    return faircast.run(FILE, sets=SHORT)


def flat(found: faircast.Explanation) -> str:
    """The text in one line."""
    return " ".join(found.text.split())


def test_a_layer_that_is_left_goes_back_to_the_router_that_blocked_the_one_below(blocked: faircast.RunResult) -> None:
    drops = Rows.of(blocked.events).having(flow="film", event="layer-dropped")
    acts = Rows.of(blocked.router_events).having(link="bottleneck", event="blocked")
    told = Rows.of(blocked.routers).having(link="bottleneck", about="interface")
    assert len(drops) >= 3
    for drop in drops:
        found = faircast.why(blocked, at=drop["t_s"], flow="film")
        change, block, means, limit = found.steps
        assert (found.receiver, found.kind, found.moment_s) == ("film-0", "layer-blocking", drop["t_s"])
        assert found.headline.startswith(f"film-0 left layer {drop['layer']:.0f} of film at ")
        # It keeps the empty layer: the silent one is below what it leaves.
        silent = int(drop["layer"]) - 1
        assert change.facts["silent"] == silent
        expected = acts.having(about=f"film/{silent}").where_before(drop["t_s"]).last()
        assert expected is not None
        assert (block.t_s, block.facts["link"], block.facts["layer"]) == (expected["t_s"], "bottleneck", silent)
        # A layer is silent after 2 s; the queue holds packets for at most 0.3 s more, and it looks each 0.5 s.
        assert 2.0 <= drop["t_s"] - expected["t_s"] <= 3.0
        # What the router told is of before the block, and of this interface.
        assert means.t_s is not None
        assert 0 <= expected["t_s"] - means.t_s < 1
        now = told.having(t_s=means.t_s)
        for gauge in ("unicast_mean", "multicast_mean"):
            assert means.facts[gauge] == now.having(gauge=gauge)["value"][0]
        assert means.facts["multicast_mean"] > means.facts["unicast_mean"]
        assert f"The router in front of bottleneck had blocked layer {silent} at {expected['t_s']:.3f} s." in flat(
            found
        )
        assert (limit.kind, limit.facts["layers"]) == ("limit", silent + 1)
    # Layer 8 was held back later than layer 7, as it was joined; it is not what made the receiver leave.
    assert drops["layer"][0] == 8
    assert len(acts.having(about="film/8").where_before(drops["t_s"][0])) == 1


def test_a_layer_that_is_joined_goes_back_to_the_release(blocked: faircast.RunResult) -> None:
    released = Rows.of(blocked.router_events).having(event="released", about="film/6").first()
    assert released is not None
    joined = Rows.of(blocked.events).having(flow="film", event="layer-added").between(released["t_s"], 60.0).first()
    assert joined is not None
    found = faircast.why(blocked, at=joined["t_s"] + 0.9, flow="film", receiver="film-0")
    assert [step.kind for step in found.steps] == ["change", "router", "limit"]
    assert (found.steps[1].t_s, found.steps[1].facts["layer"]) == (released["t_s"], 6)
    assert "joined layer 7 of film" in found.headline
    assert f"had released layer 6 at {released['t_s']:.3f} s" in flat(found)
    later = faircast.why(blocked, at=joined["t_s"] + 1.5, flow="film")
    assert later.headline.endswith("Nothing has changed since, for 1.5 s.")


def test_the_start_is_no_experiment_and_no_release(blocked: faircast.RunResult) -> None:
    found = faircast.why(blocked, at=1.0, flow="film")
    assert found.headline == "film-0 joined layer 0 of film at 0.000 s: from 0 to 1 layer."
    assert [step.text for step in found.steps] == [
        "It began: a receiver starts with the base, layer 0.",
        "At 1.000 s film-0 holds 1 layer.",
    ]
    second = faircast.why(blocked, at=2.0, flow="film")
    assert [step.kind for step in second.steps] == ["change", "limit"]


def test_a_drop_that_a_join_followed_says_what_is_held_at_the_end() -> None:
    rows = Rows.of(faircast.run(FILE, sets=SHORT).events).having(flow="film")
    changes = rows.having(event=("layer-added", "layer-dropped"))
    drop = next(row for row in changes if row["event"] == "layer-dropped" and row["t_s"] < 23)
    result = faircast.run(FILE, sets=[*SHORT, "probes.interval=10s"])
    joined = changes.having(event="layer-added").between(drop["t_s"], 30.0).first()
    assert joined is not None
    found = faircast.why(result, at=joined["t_s"], flow="film")
    assert "left layer" in found.headline
    assert found.steps[-1].facts["layers"] == joined["after"]


def test_silence_without_a_router() -> None:
    result = faircast.run(LOSSY)
    drop = Rows.of(result.events).having(event="layer-dropped").first()
    assert drop is not None
    found = faircast.why(result, at=drop["t_s"])
    assert found.steps[1].text == (
        f"No router on its way held layer {found.steps[0].facts['silent']} back then: its packets were lost or late."
    )
    # All that are left at the same moment are told together.
    together = Rows.of(result.events).having(event="layer-dropped", t_s=drop["t_s"])
    assert f"from {together['before'][0]:.0f} to {together['after'][-1]:.0f} layer" in found.headline


def test_rlm_leaves_the_layer_of_an_experiment_for_a_loss() -> None:
    sets = [*SHORT, RLM, 'probes.packets=["bottleneck"]', 'probes.packets_flows=["film"]', "flows.ftp.send_jitter=0s"]
    result = faircast.run(FILE, seed=21, sets=sets)
    events, packets = Rows.of(result.events).having(flow="film"), Rows.of(result.packets)
    drops = events.having(event="layer-dropped")
    early = []
    for drop in drops:
        found = faircast.why(result, at=drop["t_s"], flow="film")
        added = events.having(event="layer-added").where_before(drop["t_s"]).last()
        assert added is not None
        assert f"the experiment with layer 1, begun at {added['t_s']:.3f} s" in flat(found)
        packet = next(step for step in found.steps if step.kind == "packet")
        group = events.having(event="rlm-state", t_s=drop["t_s"])["layer"][0]
        lost = packets.having(action="dropped-overflow", number=drop["cause_number"], group=group).last()
        assert lost is not None
        assert (packet.t_s, packet.facts["link"], packet.facts["action"]) == (
            lost["t_s"],
            "bottleneck",
            "dropped-overflow",
        )
        assert f"Packet {drop['cause_number']:.0f} of layer {group:.0f} was dropped at bottleneck" in flat(found)
        is_early = lost["t_s"] < added["t_s"]
        assert packet.facts.get("before_experiment", False) == is_early
        assert ("That was before the experiment" in flat(found)) == is_early
        early.append(is_early)
    assert sorted(set(early)) == [False, True]
    first = events.having(event="layer-added").where(events.having(event="layer-added")["layer"] == 1).first()
    assert first is not None
    found = faircast.why(result, at=first["t_s"], flow="film")
    assert found.steps[0].text == "Its join timer had expired in the steady state: an experiment with layer 1."


def test_rlm_leaves_a_layer_after_a_measurement() -> None:
    sets = ["duration=200s", "warmup=20s", RLM, 'links.bottleneck.loss={kind="bernoulli",p=0.1}']
    result = faircast.run(FILE, seed=7, sets=sets)
    states = Rows.of(result.events).having(flow="film", event="rlm-state")
    measured = states.having(before=2.0, after=3.0).first()
    assert measured is not None
    begun = states.having(after=2.0).where_before(measured["t_s"]).last()
    assert begun is not None
    found = faircast.why(result, at=measured["t_s"], flow="film")
    assert found.steps[0].facts["lost_part"] == measured["lost_part"]
    assert f"{100 * measured['lost_part']:.3g} % of packets were lost" in flat(found)
    assert f"The measurement had begun at {begun['t_s']:.3f} s." in flat(found)
    assert any(step.kind == "packet" for step in found.steps)


@pytest.mark.parametrize("scheme", ["layer-blocking", "rlm", "layered-cbr"])
def test_a_receiver_that_leaves_is_not_taken_for_a_loser_of_layers(scheme: str) -> None:
    text = (
        LOSSY.replace('"layer-blocking"', f'"{scheme}"')
        .replace("p = 0.7", "p = 0")
        .replace('["b"]', '["b"], leave = "5 s"')
    )
    found = faircast.why(faircast.run(text), at=6.0)
    assert " to 0 layers" in found.headline
    assert [step.text for step in found.steps] == [
        "It stopped: it left all layers.",
        "At 6.000 s film-0 holds 0 layers.",
    ]


def acted(*acts: tuple[float, str, str]) -> Any:
    """Evidence of routers on the way that did this to layer 3: when, at which link, what."""
    columns = {
        "t_s": np.array([act[0] for act in acts]),
        "link": np.array([act[1] for act in acts], dtype=object),
        "event": np.array([act[2] for act in acts], dtype=object),
        "about": np.array(["film/3"] * len(acts), dtype=object),
    }
    ways = {"film": {"film-0": SimpleNamespace(there=("first", "second"))}}
    network = SimpleNamespace(links={}, is_fixed=lambda _: True, ways=ways)
    held = {"router_events": columns}
    return SimpleNamespace(map=network, rows=lambda name: Rows(held.get(name, {})), is_of_hosts=False)


@pytest.mark.parametrize(
    ("acts", "blocker"),
    [
        ([(1.0, "first", "blocked")], ("first", 1.0)),
        # Released in time, it was lost.
        ([(1.0, "first", "blocked"), (5.0, "first", "released")], None),
        # Released just now, its packets are under way.
        ([(1.0, "first", "blocked"), (9.5, "first", "released")], ("first", 1.0)),
        # One router lets it go, the other one does not.
        ([(1.0, "first", "blocked"), (2.0, "second", "blocked"), (5.0, "first", "released")], ("second", 2.0)),
        ([(1.0, "first", "blocked"), (2.0, "second", "blocked"), (5.0, "second", "released")], ("first", 1.0)),
        # Behind another receiver.
        ([(1.0, "elsewhere", "blocked")], None),
        ([(11.0, "first", "blocked")], None),
    ],
)
def test_which_router_holds_a_layer_back(acts: list[tuple[float, str, str]], blocker: tuple[str, float] | None) -> None:
    event = {"t_s": 10.0, "receiver": "film-0", "layer": 4.0, "after": 4.0}
    steps = layers._silent(acted(*acts), "film", event)
    assert len(steps) == 2
    found = None if steps[1].t_s is None else (steps[1].facts["link"], steps[1].t_s)
    assert found == blocker


def test_a_join_while_a_layer_below_is_blocked_names_no_release() -> None:
    event = {"t_s": 10.0, "receiver": "film-0", "layer": 4.0, "after": 5.0}
    released, blocked = (5.0, "first", "released"), (9.9, "first", "blocked")
    assert len(layers._heard(acted(released), "film", event)) == 2
    assert len(layers._heard(acted(released, blocked), "film", event)) == 1
