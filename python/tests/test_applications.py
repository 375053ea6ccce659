"""Applications that have only so much to send: why rates fall then, and what the optimum gives them."""

from __future__ import annotations

import pytest
from test_why import scenario

import faircast
from faircast.causes.rows import Rows

FILM = """
[sessions.video]
scheme = "tfmcc"
source = "a"
receivers = { nodes = ["b", "c"] }
APPLICATION
[probes]
interval = "0.5 s"
events = true
"""

PIPE = """
format = 1
name = "pause"
duration = "60 s"
nodes = { a = {}, b = {} }
[links.path]
from = "a"
to = "b"
rate = "2 Mbit/s"
delay = "50 ms"
queue = { kind = "drop-tail", limit = "50 packets" }
[flows.film]
kind = "tcp"
from = "a"
to = "b"
wnd = "20 packets"
KEYS
[probes]
interval = "0.5 s"
events = true
"""

PAUSE = 'application = { trace = [{ at = "0 s", bytes = "500 kB" }, { at = "40 s", bytes = "500 kB" }] }'


def test_a_rate_that_falls_in_a_pause_is_laid_at_the_applications_door() -> None:
    text = scenario(rest=FILM.replace("APPLICATION", PAUSE))
    result = faircast.run(text)
    rates = Rows.of(result.events).having(event="rate", cause="application")
    assert len(rates), "silence halves the rate"
    fall = rates.row(0)
    assert fall["after"] < fall["before"]
    found = faircast.why(result, at=fall["t_s"], flow="video")
    assert " fell from " in found.headline
    assert found.steps[0].kind == "application"
    assert "The application had nothing to send" in found.text
    assert "silent too long" not in found.text


def test_a_window_that_was_not_used_says_so() -> None:
    result = faircast.run(PIPE.replace("KEYS", PAUSE))
    event = Rows.of(result.events).having(event="unused-window").last()
    assert event is not None
    assert event["cause"] == "application"
    assert event["t_s"] == pytest.approx(40.0)
    found = faircast.why(result, at=event["t_s"], flow="film")
    assert "its application had not used it: cwnd from" in found.headline
    assert found.steps[0].kind == "application"
    # In the pause it is the application that limits, whatever the window is.
    found = faircast.why(result, at=30.0, flow="film")
    assert "its application limited it: nothing waited to be sent." in found.text


def test_the_optimum_gives_nobody_more_than_the_application_makes() -> None:
    flow = PIPE[PIPE.index("[flows.film]") : PIPE.index("[probes]")].replace("film", "web").replace("KEYS", "")
    text = PIPE.replace("KEYS", 'application = { rate = "300 kbit/s" }').replace("[probes]", flow + "[probes]")
    best = faircast.optimum(text)
    assert best.rates["film"] == pytest.approx(300e3, rel=1e-6)
    assert best.rates["web"] == pytest.approx(1700e3, rel=1e-6)
    text = text.replace("300 kbit/s", "1500 kbit/s")
    assert faircast.optimum(text).rates["film"] == pytest.approx(1e6, rel=1e-6)
