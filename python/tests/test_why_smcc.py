"""Explanations of the layers of SMCC: attempts that succeed, rates that become too low."""

from __future__ import annotations

from pathlib import Path

import pytest

import faircast
from faircast.causes.rows import Rows
from faircast.causes.smcc import _bounds_bps

FILE = Path(__file__).resolve().parents[2] / "examples" / "scenarios" / "smcc-two-rates.toml"
SHORT = ["duration=70s", "warmup=20s"]


@pytest.fixture(scope="module")
def two_rates() -> faircast.RunResult:
    return faircast.run(FILE, sets=SHORT)


def flat(found: faircast.Explanation) -> str:
    """The text in one line."""
    return " ".join(found.text.split())


def test_a_layer_is_joined_after_packets_were_added_one_by_one(two_rates: faircast.RunResult) -> None:
    events = Rows.of(two_rates.events).having(flow="film", receiver="film-1")
    joins = events.having(event="layer-added")
    joins = joins.where(joins["layer"] > 0)
    assert len(joins) >= 2
    # Its fair rate is within layer 1; whether it is ever above is for the seed to say.
    assert 1.0 in {float(layer) for layer in joins["layer"]} <= {1.0, 2.0}
    drops = events.having(event="layer-dropped")
    for join in joins:
        if len(drops.between(join["t_s"] - 1.0, join["t_s"])):
            continue  # It is explained before a join.
        found = faircast.why(two_rates, at=join["t_s"], flow="film", receiver="film-1")
        assert found.headline.startswith(f"film-1 joined layer {join['layer']:.0f} of film at ")
        change, *decisions, limit = found.steps
        attempt = events.having(event="join-succeeded").between(join["t_s"], join["t_s"]).last()
        assert attempt is not None
        assert change.facts["packets_added"] == attempt["packets_added_pkts"]
        # A packet more per 64 ms is 125 kbit/s: with what was added it is as much as with the layer.
        have = attempt["before"] + 125e3 * attempt["packets_added_pkts"]
        assert have >= attempt["after"] == change.facts["after_bps"]
        assert all(step.t_s is not None and step.t_s <= join["t_s"] for step in decisions)
        assert limit.facts["layers"] == join["layer"] + 1
        added = attempt["packets_added_pkts"] > 0
        # Where there is nothing to add, nobody waits for counting layers.
        assert decisions or not added
        assert ("a packet per 64 ms each 64 ms" in flat(found)) == added
        assert ("without adding packets one by one" in flat(found)) != added


def test_a_layer_is_left_for_a_rate_below_its_least(two_rates: faircast.RunResult) -> None:
    events = Rows.of(two_rates.events).having(flow="film", receiver="film-1")
    drop = events.having(event="layer-dropped").last()
    assert drop is not None
    found = faircast.why(two_rates, at=drop["t_s"], flow="film")
    change, loss, limit = found.steps
    least = {1: 4e6, 2: 8e6}[int(drop["layer"])]
    assert (change.facts["least_bps"], limit.facts["layers"]) == (least, drop["after"])
    assert f"had fallen below {least / 1e6:.0f} Mbit/s" in flat(found)
    last = events.having(event="loss-event").between(0.0, drop["t_s"]).last()
    assert last is not None
    assert (loss.t_s, loss.facts["p"]) == (last["t_s"], last["after"])


def test_the_bounds_of_layers_are_those_of_the_session() -> None:
    assert _bounds_bps({}) == [1e6, 2e6, 4e6, 8e6]
    assert _bounds_bps({"base_rate": "4 Mbit/s", "growth": 3, "layers": 2}) == [4e6, 12e6]
    assert _bounds_bps({"bounds": ["500 kbit/s", "1 Mbit/s"]}) == [5e5, 1e6]


def test_with_direct_joins_nothing_is_added() -> None:
    result = faircast.run(FILE, sets=[*SHORT, "sessions.film.join=direct"])
    join = Rows.of(result.events).having(event="layer-added", layer=1.0).last()
    assert join is not None
    found = faircast.why(result, at=join["t_s"], flow="film", receiver=join["receiver"])
    assert "without adding packets one by one" in flat(found)
    assert found.steps[0].facts["packets_added"] == 0


@pytest.fixture(scope="module")
def windows() -> faircast.RunResult:
    return faircast.run(FILE, sets=[*SHORT, 'sessions.film.control="pgmcc"'])


def test_over_windows_a_layer_is_left_at_any_loss(windows: faircast.RunResult) -> None:
    events = Rows.of(windows.events).having(flow="film", receiver="film-1")
    drops = events.having(event="layer-dropped")
    assert len(drops)
    for drop in drops:
        found = faircast.why(windows, at=drop["t_s"], flow="film", receiver="film-1")
        change, loss, _ = found.steps
        assert "calculated rate had fallen" not in flat(found)
        assert f"any loss takes the highest layer, here layer {drop['layer']:.0f}" in flat(found)
        assert (change.facts["layer"], "least_bps" in change.facts) == (drop["layer"], False)
        # The loss is that of this moment, whatever the rate was.
        assert loss.t_s == drop["t_s"]


def test_over_windows_a_full_layer_is_a_reason_for_the_next(windows: faircast.RunResult) -> None:
    events = Rows.of(windows.events).having(flow="film", receiver="film-1")
    waited = events.having(event="join-waiting")
    joins = events.having(event="layer-added")
    join = next(one for one in joins if len(waited.having(layer=one["layer"]).where_before(one["t_s"])))
    found = faircast.why(windows, at=join["t_s"], flow="film", receiver="film-1")
    assert "carried the most that they stand for, or its calculated rate was above that" in flat(found)
