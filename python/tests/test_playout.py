"""Sessions that are played, from Python: the table, what is on screen, why a picture stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

import faircast
from faircast.causes import evidence
from faircast.causes.fate import GONE
from faircast.cli.view import show_rows
from faircast.errors import InputError
from faircast.summary import over_seeds

LIVE = {"kind": "live", "segment": "1 s"}


def scenario(playout: dict[str, Any] | None = None, **film: Any) -> dict[str, Any]:
    """A constant rate to one receiver over a link that is silent from 8.1 s to 8.3 s."""
    return {
        "format": 1,
        "name": "film",
        "duration": "20 s",
        "warmup": "0 s",
        "nodes": {"a": {}, "b": {}},
        "links": {
            "path": {
                "from": "a",
                "to": "b",
                "rate": "8 Mbit/s",
                "delay": "700 ms",
                "loss": {"kind": "outage", "start": "8.1 s", "length": "200 ms"},
            }
        },
        "sessions": {
            "film": {
                "scheme": "cbr",
                "source": "a",
                "start": "2 s",
                "rate": "16 kbit/s",
                "packet_size": "1000 B",
                "receivers": {"nodes": ["b"]},
                "playout": playout or LIVE,
                **film,
            }
        },
    }


def test_segments_are_a_table_and_metrics_follow_from_it() -> None:
    result = faircast.run(scenario())
    rows = result.playback.to_pydict()
    skipped = [at for at, layers in zip(rows["t_s"], rows["layers"], strict=True) if layers == 0]
    assert skipped == [pytest.approx(9.201, abs=1e-9)]
    assert set(rows["session"]) == {"film"}
    assert set(rows["receiver"]) == {"film-0"}
    metrics = result.metrics()
    assert metrics["film-0", "stalls"] == 1
    assert metrics["film-0", "quality"] == pytest.approx(sum(rows["quality"]) / len(rows["quality"]))
    assert metrics["film", "quality_mean"] == metrics["film-0", "quality"]
    del (unplayed := scenario())["sessions"]["film"]["playout"]
    assert "playback" not in faircast.run(unplayed).names


def test_the_screen_has_a_line_for_each_session(capsys: pytest.CaptureFixture[str]) -> None:
    show_rows("film", over_seeds({1: faircast.run(scenario()).metrics()}))
    shown = " ".join(capsys.readouterr().out.split())
    assert "played" in shown
    assert "4.201" in shown
    dark = scenario()
    dark["links"]["path"]["loss"] = {"kind": "bernoulli", "p": 0.9}
    show_rows("film", over_seeds({1: faircast.run(dark).metrics()}))
    line = next(line for line in capsys.readouterr().out.splitlines() if line.split()[:3] == ["film", "1", "1"])
    assert line.split()[3:5] == ["-", "-"]


def two(loss: dict[str, Any]) -> dict[str, Any]:
    """The same with a second receiver, 200 ms further away and with a loss model of its own."""
    both = scenario(receivers={"nodes": ["b", "c"]})
    both["nodes"]["c"] = {}
    both["links"]["longer"] = {**both["links"]["path"], "to": "c", "delay": "900 ms", "loss": loss}
    return both


def test_who_saw_nothing_is_counted_apart(capsys: pytest.CaptureFixture[str]) -> None:
    show_rows("film", over_seeds({1: faircast.run(two({"kind": "bernoulli", "p": 0.9})).metrics()}))
    line = next(line for line in capsys.readouterr().out.splitlines() if line.split()[:3] == ["film", "2", "1"])
    assert line.split()[3:7] == ["4.201", "≥", "4.201", "1"]


def test_the_picture_that_stands_still_longest_is_explained() -> None:
    outage = {"kind": "outage", "start": "8.3 s", "length": "200 ms"}
    assert faircast.why(two(outage), at="9.5 s", of_picture=True).receiver == "film-0"
    assert faircast.why(two(outage), at="10.3 s", of_picture=True).receiver == "film-1"
    assert faircast.why(two(outage), at="12 s", of_picture=True).receiver == "film-1"


def test_why_a_picture_stopped() -> None:
    found = faircast.why(scenario(), at="9.5 s", of_picture=True)
    assert found.headline == "The picture of film-0 stopped at 9.201 s and stands still at 9.500 s."
    assert found.moment_s == pytest.approx(9.201)
    text = " ".join(step.text for step in found.steps)
    assert "Segment 5 was due then, and 1 of the 2 packets that are enough had not come." in text
    assert "The source had sent these by 7.500 s." in text
    assert "1 lost at path" in text
    after = faircast.why(scenario(), at="11 s", of_picture=True, receiver="film-0")
    assert after.headline == "The picture of film-0 stopped at 9.201 s, for 1 s."
    before = faircast.why(scenario(), at="6 s", of_picture=True)
    assert (before.headline, before.steps) == ("No picture of film has stopped by 6.000 s.", ())
    waits = faircast.why(scenario({**LIVE, "kind": "file"}), at="19 s", of_picture=True)
    assert waits.headline == "The picture of film-0 stopped at 9.201 s and stands still at 19.000 s."


def test_of_what_happens_to_packets_only_their_ends_on_the_way_are_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Mapping[str, Any]] = []

    def run(resolved: Any, seed: int, probes: Mapping[str, Any]) -> Any:
        asked.append(probes)
        return real(resolved, seed, probes)

    real = evidence._run
    monkeypatch.setattr(evidence, "_run", run)
    found = faircast.why(two({"kind": "none"}), at="9.5 s", of_picture=True)
    assert "1 lost at path" in " ".join(step.text for step in found.steps)
    assert asked[-1]["packets"] == ["path"]
    assert asked[-1]["packets_flows"] == ["film"]
    assert asked[-1]["packets_actions"] == list(GONE)
    assert "running seed 1 again with the ends of packets of film from 6.500 s to 9.201 s" in found.notes


def test_why_says_when_the_source_was_too_slow_or_nothing_was_seen() -> None:
    # A twentieth less than the media take: what waits is late at last.
    film = {"kind": "live", "media_rate": "900 kbit/s", "segment": "1 s"}
    slow = scenario(film, scheme="tfmcc", max_rate="850 kbit/s")
    del slow["sessions"]["film"]["rate"], slow["links"]["path"]["loss"]
    slow["links"]["path"]["delay"] = "20 ms"
    slow["duration"] = "60 s"
    found = faircast.why(slow, at="50 s", of_picture=True)
    text = " ".join(step.text for step in found.steps)
    assert "The source had not sent them by" in text
    assert "Its rate was 850 kbit/s at" in text
    assert "the media take 900 kbit/s" in text
    dark = scenario()
    dark["links"]["path"]["loss"] = {"kind": "bernoulli", "p": 0.9}
    found = faircast.why(dark, at="19 s", of_picture=True, receiver="film-0")
    assert found.headline == "The picture of film-0 has not stopped by 19.000 s."
    assert "has seen nothing of film" in found.steps[0].text


def test_questions_that_have_no_picture() -> None:
    unplayed = scenario()
    del unplayed["sessions"]["film"]["playout"]
    with pytest.raises(InputError, match="no session here has a playout"):
        faircast.why(unplayed, at="3 s", of_picture=True)
    with pytest.raises(InputError, match="nobody plays film"):
        faircast.why(unplayed, at="3 s", flow="film", of_picture=True)
    both = scenario()
    both["flows"] = {"bulk": {"kind": "tcp", "from": "a", "to": "b"}}
    with pytest.raises(InputError, match="only sessions are played"):
        faircast.why(both, at="3 s", flow="bulk", of_picture=True)


def test_all_verbs_take_runs_that_are_played(cli: Cli) -> None:
    Path("film.json").write_text(json.dumps(scenario()))
    for arguments in (
        ["validate", "film.json"],
        ["run", "film.json", "--out", "r"],
        ["show", "r"],
        ["compare", "r", "r"],
        ["why", "r", "--at", "9.5 s", "--picture"],
        ["sweep", "film.json", "--vary", "sessions.film.playout.segment=1 s,2 s", "--out", "s"],
    ):
        ran = cli(*arguments)
        assert ran.code == 0, (arguments, ran.err)
    shown = cli("show", "s", "--metric", "film/stalled_p95")
    assert "film stalled_p95" in shown.out


def test_wrong_input_is_one_sentence(cli: Cli) -> None:
    wrong = scenario({"kind": "live", "media_rate": ["2 Mbit/s", "1 Mbit/s"]}, scheme="tfmcc")
    del wrong["sessions"]["film"]["rate"]
    Path("film.json").write_text(json.dumps(wrong))
    ran = cli("validate", "film.json")
    assert ran.code != 0
    assert "sessions.film.playout.media_rate[1]: 1000000 bit/s given after 2000000 bit/s" in " ".join(ran.err.split())
