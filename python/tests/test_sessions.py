"""Multicast sessions from Python and the command line."""

from __future__ import annotations

import math
from pathlib import Path

from conftest import Cli

import faircast
from faircast.model import (
    CbrSession,
    ClimbStep,
    Dumbbell,
    LayeredCbrSession,
    Membership,
    Receivers,
    Scenario,
    Star,
    Tcp,
    TfmccSession,
)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scenarios"


def test_a_session_in_python_gives_receivers() -> None:
    session = CbrSession(
        source="left-0",
        rate="80 kbit/s",
        packet_size="1000 B",
        receivers=Receivers(join=["0 s", "5 s"]),
        membership=Membership(profile="ns2"),
    )
    scenario = Scenario(name="film", duration="10 s", topology=Star(right=2), sessions={"film": session})
    result = faircast.run(scenario, seed=1)
    rows = result.receivers.to_pylist()
    assert [row["receiver"] for row in rows[:2]] == ["film-0", "film-1"]
    assert {row["session"] for row in rows} == {"film"}
    assert [row["rate_bps"] for row in rows if row["receiver"] == "film-0"][1:] == [80e3] * 9
    late = [row["rate_bps"] for row in rows if row["receiver"] == "film-1"]
    assert all(math.isnan(rate) for rate in late[:5]), "no member, no rate"
    assert sum(late[5:]) in (400e3, 408e3)
    assert result.flows.column("flow").to_pylist() == ["film"] * 10


def test_a_session_of_layers_has_levels_and_groups() -> None:
    session = LayeredCbrSession(
        source="left-0",
        rates=["80 kbit/s", "160 kbit/s"],
        level=1,
        climb=[ClimbStep(after="2.5 s", level=2)],
        announce="apart",
    )
    shape = Star(right=1)
    scenario = Scenario(name="film", duration="4 s", warmup="0 s", topology=shape, sessions={"film": session})
    result = faircast.run(scenario, seed=1)
    assert result.receivers.column("level").to_pylist() == [1, 1, 2, 2]
    assert result.receivers.column("mean_level").to_pylist() == [1.0, 1.0, 1.5, 2.0]
    assert result.flows.column("mean_level").to_pylist() == [1.0, 1.0, 1.5, 2.0]
    assert result.layers.column("group").to_pylist() == [0, 1, 2] * 4
    assert result.layers.column("rate_bps").to_pylist()[3:] == [80e3, 160e3, 0.0] * 3
    assert result.layers.column("others_sent_pkts").to_pylist()[2::3] == [1, 0, 1, 0]
    metrics = result.metrics()
    assert (metrics["film", "mean_level"], metrics["film-0", "level_end"]) == (1.375, 2.0)


def test_tfmcc_and_tcp_share_a_red_queue_within_a_factor_of_two() -> None:
    scenario = Scenario(
        name="share",
        duration="200 s",
        warmup="60 s",
        topology=Dumbbell(left=2, right=4),
        links={
            "bottleneck": {  # type: ignore[dict-item]
                "rate": "2 Mbit/s",
                "delay": "30 ms",
                "queue": {"kind": "red", "limit": "60 packets", "min_th": "5 packets", "max_th": "30 packets"},
            }
        },
        flows={"web": Tcp(variant="sack", wnd="1000 packets")},
        sessions={
            "video": TfmccSession(source="left-1", receivers=Receivers(nodes=["right-1", "right-2", "right-3"])),
        },
    )
    ratios = []
    for seed in range(1, 6):
        metrics = faircast.run(scenario, seed=seed).metrics()
        ratios.append(metrics["video", "goodput"] / metrics["web", "goodput"])
        assert metrics["video-0", "goodput"] == metrics["video-2", "goodput"]
    assert 0.5 <= sum(ratios) / len(ratios) <= 2.0, ratios


def test_the_command_line_shows_flows_and_receivers_apart(cli: Cli) -> None:
    done = cli("run", EXAMPLES / "tfmcc-star.toml", "--set", "duration='20 s'", "--set", "warmup='5 s'")
    # The receiver that would join at 30 s.
    assert done.code == 2
    assert "sessions.video.receivers.join: receiver video-4 may join as late as 30 s" in done.err
    done = cli(
        "run",
        EXAMPLES / "tfmcc-star.toml",
        *("--set", "duration='20 s'", "--set", "warmup='5 s'", "--set", "sessions.video.receivers.join='0 s'"),
    )
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    heads = [line.split()[0] for line in lines if line.split()[:1] in (["flow"], ["receiver"], ["link"])]
    assert heads == ["flow", "receiver", "link"]
    assert [line.split()[0] for line in lines if line.startswith(" video")] == [
        "video",
        *(f"video-{i}" for i in range(5)),
    ]


def test_schemes_are_listed(cli: Cli) -> None:
    assert "tfmcc" in cli("list", "schemes").out
