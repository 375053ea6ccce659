"""Explanations of MLDA: by which shares layers are sized, by which share they are joined and left."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import faircast
from faircast.causes.mlda import _known
from faircast.causes.rows import Rows

FILE = Path(__file__).resolve().parents[2] / "examples" / "scenarios" / "mlda-over-geo.toml"


@pytest.fixture(scope="module")
def geo() -> faircast.RunResult:
    """As long as it takes for all kinds of events to come."""
    return faircast.run(FILE, sets=["duration=45s", "warmup=20s"])


def test_layers_are_sized_by_the_least_and_the_largest_share(geo: faircast.RunResult) -> None:
    events = Rows.of(geo.events).having(flow="film")
    last = events.having(event="rate").last()
    assert last is not None
    found = faircast.why(geo, at=last["t_s"], flow="film")
    assert found.moment_s is not None
    now = events.having(event="rate").between(found.moment_s, found.moment_s)
    assert found.steps[0].facts["layers"] == {f"{row['layer']:.0f}": row["after"] for row in now}
    until = events.between(0.0, found.moment_s)
    reports = [step for step in found.steps if step.kind == "report"]
    for step, kind in zip(reports, ("limiting-receiver", "leading-receiver"), strict=True):
        who = until.having(event=kind).last()
        assert who is not None
        assert (step.facts["receiver"], step.t_s) == (who["receiver"], who["t_s"])
    assert reports[0].facts["share_bps"] <= reports[1].facts["share_bps"]


def test_a_decrease_between_rounds_names_who_asked_for_it(geo: faircast.RunResult) -> None:
    fast = Rows.of(geo.events).having(flow="film", event="fast-decrease").last()
    assert fast is not None
    found = faircast.why(geo, at=fast["t_s"], flow="film")
    assert f"A report of {fast['receiver']} came between two rounds" in found.steps[0].text
    assert fast["loss"] > 0


def test_layers_are_joined_and_left_by_the_share(geo: faircast.RunResult) -> None:
    events = Rows.of(geo.events).having(flow="film")
    seen = set()
    for change in events.having(event=("layer-added", "layer-dropped")):
        own = events.having(receiver=change["receiver"])
        if change["before"] == 0 or (change["receiver"], change["event"]) in seen:
            continue
        if change["event"] == "layer-added" and len(
            own.having(event="layer-dropped").between(change["t_s"] - 1, change["t_s"])
        ):
            continue  # A layer left a moment before would be explained.
        found = faircast.why(geo, at=change["t_s"], receiver=change["receiver"])
        revoked = own.having(event="join-revoked").between(change["t_s"], change["t_s"]).last()
        step = found.steps[0]
        if revoked is not None:
            assert step.facts == {"lost_part": revoked["lost_part"]}
            continue
        seen.add((change["receiver"], change["event"]))
        share = own.having(event="share").between(0.0, change["t_s"]).last()
        assert share is not None
        assert step.facts["share_bps"] == share["after"]
        assert (step.facts["carried_bps"] > 1.05 * share["after"]) == (change["event"] == "layer-dropped")
        assert found.steps[1].facts["rtt_s"] == share["rtt_s"]
    assert {event for _, event in seen} == {"layer-added", "layer-dropped"}


def test_rates_on_their_way_are_not_what_a_receiver_went_by() -> None:
    rates = Rows({"t_s": np.array([1.0, 5.0]), "after": np.array([2e5, 4e5])})
    joined, left = _known(rates, 3e5, 4.0, is_left=False), _known(rates, 3e5, 4.0, is_left=True)
    assert joined is not None
    assert left is not None
    assert (joined["after"], left["after"]) == (2e5, 4e5)
    # Long known, rates count whatever they are.
    late = _known(rates, 3e5, 6.0, is_left=False)
    assert late is not None
    assert late["after"] == 4e5
