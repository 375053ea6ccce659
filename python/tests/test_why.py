"""Explanations of constructed losses: the link, the kind, the receiver and the packet that were built in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from terminal import assert_whole

import faircast
from faircast.causes.equation import Inputs
from faircast.causes.rows import Rows
from faircast.errors import InputError
from faircast.throughput import throughput_bps

BASE = """
format = 1
name = "built"
duration = "30 s"
warmup = "1 s"
nodes = { a = {}, r = {}, b = {}, c = {} }
[links.up]
from = "a"
to = "r"
rate = "10 Mbit/s"
delay = "5 ms"
UP
[links.to-b]
from = "r"
to = "b"
rate = "10 Mbit/s"
delay = "10 ms"
[links.to-c]
from = "r"
to = "c"
rate = "10 Mbit/s"
delay = "20 ms"
C
"""
SESSION = '[sessions.video]\nscheme = "tfmcc"\nsource = "a"\nreceivers = { nodes = ["b", "c"] }\n'
WEB = '[flows.web]\nkind = "tcp"\nfrom = "a"\nto = "b"\n'


def scenario(up: str = "", c: str = "", rest: str = SESSION) -> str:
    """The tree a > r > b, c with what stands at the link to r and at the one to c."""
    return BASE.replace("UP", up).replace("\nC\n", f"\n{c}\n") + rest


def packet_of(found: faircast.Explanation, action: str) -> dict[str, Any]:
    """The step about the packet, which must have come to that end."""
    steps = [step for step in found.to_json()["chain"] if step["kind"] == "packet"]
    assert steps, found.text
    assert steps[0]["action"] == action, found.text
    return steps[0]


def kinds(found: faircast.Explanation) -> list[str]:
    """The steps' kinds."""
    return [step.kind for step in found.steps]


def explained(text: str) -> tuple[faircast.RunResult, faircast.Explanation]:
    """A run, and the explanation of its last fall that goes back to a packet."""
    result = faircast.run(text)
    rates = Rows.of(result.events).having(event="rate", cause="report")
    falls = rates.where(rates["after"] < 0.9 * rates["before"])
    for place in reversed(range(max(0, len(falls) - 12), len(falls))):
        fall = falls.row(place)
        found = faircast.why(result, at=fall["t_s"], flow="video")
        assert " fell from " in found.headline
        if "packet" in kinds(found):
            return result, found
    raise AssertionError(f"none of the last falls goes back to a packet: {len(falls)} falls")


def narrow(text: str, delay: str = "5 ms") -> str:
    """The same with 1 Mbit/s on the link with this delay."""
    return text.replace(f'rate = "10 Mbit/s"\ndelay = "{delay}"', f'rate = "1 Mbit/s"\ndelay = "{delay}"')


def test_overflow_of_a_drop_tail_queue() -> None:
    _, found = explained(narrow(scenario(c='queue = { kind = "drop-tail", limit = "7 packets" }'), "20 ms"))
    assert (found.flow, found.kind, found.seed) == ("video", "tfmcc", 1)
    packet = packet_of(found, "dropped-overflow")
    assert (packet["link"], packet["queue"], packet["limit"]) == ("to-c", "drop-tail", "7 packets")
    # The limit counts the packet in transmission.
    assert packet["queue_pkts"] == 6
    event = next(step for step in found.to_json()["chain"] if step["kind"] == "loss-event")
    assert event["receiver"] == found.steps[0].facts["receiver"] == "video-1"
    assert packet["number"] == event["number"]
    assert "the queue was full (drop-tail queue, limit 7 packets)" in " ".join(found.text.split())


def test_decision_of_red() -> None:
    queue = 'queue = { kind = "red", min_th = "3 packets", max_th = "40 packets", limit = "100 packets", w_q = 0.1 }'
    packet = packet_of(explained(narrow(scenario(c=queue), "20 ms"))[1], "dropped-active")
    assert (packet["link"], packet["queue"]) == ("to-c", "red")
    assert packet["average_pkts"] > 3
    assert "thresholds 3 and 40 packets" in packet["text"]


def test_random_loss_on_the_last_hop_to_one_receiver() -> None:
    result, found = explained(scenario(c='loss = { kind = "bernoulli", p = 0.01 }'))
    packet = packet_of(found, "lost")
    assert packet["link"] == "to-c"
    assert packet["loss"] == {"kind": "bernoulli", "p": 0.01}
    assert found.steps[-1].facts["receiver"] == "video-1"
    assert "video-1 has limited the rate since" in " ".join(found.text.split())
    # The other receiver had no loss at all.
    other = faircast.why(result, at="30 s", receiver="video-0")
    assert "video-0 has found no loss event" in other.headline


def test_outage_of_a_link() -> None:
    outage = 'changes = [{ at = "12 s", up = false }, { at = "14 s", up = true }]'
    result = faircast.run(scenario(c=outage + '\nloss = { kind = "bernoulli", p = 0.01 }'))
    rates = Rows.of(result.events).having(event="rate").between(12.0, 20.0)
    silence = rates.having(cause="time").first()
    assert silence is not None
    found = faircast.why(result, at=silence["t_s"], flow="video")
    text = " ".join(found.text.split())
    assert "halved its rate by itself: its limiting receiver video-1 had been silent too long" in text
    assert "to-c" in text
    assert "since 12.000 s" in text, text
    # And of the loss event that tells of it when the link is back.
    losses = Rows.of(result.events).having(event="loss-event", receiver="video-1").between(14.0, 30.0)
    first = losses.first()
    assert first is not None
    found = faircast.why(result, at=first["t_s"], receiver="video-1")
    assert "to-c (since 12.000 s)" in " ".join(found.text.split()), found.text


def test_losses_of_tcp() -> None:
    queue = 'queue = { kind = "drop-tail", limit = "12 packets" }'
    result = faircast.run(narrow(scenario(up=queue, rest=WEB)))
    reduction = Rows.of(result.events).having(event="loss-reduction").last()
    assert reduction is not None
    found = faircast.why(result, at=reduction["t_s"])
    packet = packet_of(found, "dropped-overflow")
    assert (packet["link"], packet["number"], packet["queue_pkts"]) == ("up", reduction["cause_number"], 11)
    change = found.to_json()["chain"][0]
    assert change["cwnd_after_pkts"] == pytest.approx(change["ssthresh_after_pkts"], abs=4)
    assert change["cwnd_before_pkts"] > change["cwnd_after_pkts"]
    assert found.steps[-1].kind == "limit"


def test_a_time_out_of_tcp() -> None:
    outage = 'changes = [{ at = "12 s", up = false }, { at = "14 s", up = true }]'
    result = faircast.run(scenario(up=outage, rest=WEB))
    event = Rows.of(result.events).having(event="timeout").between(12.0, 20.0).first()
    assert event is not None
    found = faircast.why(result, at=event["t_s"])
    change = found.to_json()["chain"][0]
    assert (change["timer_s"], change["cwnd_after_pkts"]) == (event["before"], 1)
    assert "since 12.000 s" in " ".join(found.text.split())


def test_what_ifs_by_hand() -> None:
    # s = 1000, R = 0.1 s, p = 0.01: 898 658 bit/s; p = 0.02 and 0.005 by the same formula, worked out apart.
    inputs = Inputs(packet_bytes=1000, receive_bps=5e5, rtt_s=0.1, p=0.01)
    receive, rtt, loss = inputs.what_ifs()
    assert inputs.rate_bps() == pytest.approx(898_658, abs=1)
    assert (receive.halved_bps, receive.doubled_bps) == (inputs.rate_bps(), inputs.rate_bps())
    assert (rtt.halved_bps, rtt.doubled_bps) == pytest.approx((1_797_316, 449_329), abs=1)
    # sqrt(0.04/3) = 0.1154701, 1.2·sqrt(0.06/8)·0.02·1.0128 = 0.0021051: 8000 / (0.01154701 + 0.0021051)
    assert loss.doubled_bps == pytest.approx(
        8000 / (0.1 * 0.1154700538 + 0.4 * 3 * 0.0866025404 * 0.02 * 1.0128), rel=1e-8
    )
    assert loss.halved_bps == pytest.approx(
        8000 / (0.1 * 0.0577350269 + 0.4 * 3 * 0.0433012702 * 0.005 * 1.0008), rel=1e-8
    )
    # Without a loss only what is received counts; a bound bounds; p is at most 1.
    early = Inputs(packet_bytes=1000, receive_bps=5e5, rtt_s=0.1, p=0.0, max_bps=1.5e6)
    assert [(one.halved_bps, one.doubled_bps) for one in early.what_ifs()] == [(5e5, 1.5e6), (1e6, 1e6), (1e6, 1e6)]
    most = Inputs(packet_bytes=1000, receive_bps=1e3, rtt_s=10.0, p=0.9)
    assert most.what_ifs()[2].doubled_bps == max(throughput_bps(1000, 10.0, 1.0), 1000.0)
    # f(N) bounded by what is received: min(f·X, max(X_recv, X)).
    capped = Inputs(packet_bytes=1000, receive_bps=2e6, rtt_s=0.1, p=0.01, factor=4.0, is_capped=True)
    assert capped.rate_bps() == 2e6
    assert capped.what_ifs()[0].halved_bps == pytest.approx(1e6)


@pytest.mark.parametrize("scheme", ["tfmcc", "omcc", "omcc-capped"])
def test_the_formula_is_that_of_the_core(scheme: str) -> None:
    session = SESSION.replace("tfmcc", scheme.partition("-")[0])
    if scheme == "omcc-capped":
        session += 'f_apply = "receive-rate"\n'
    result = faircast.run(scenario(c='loss = { kind = "bernoulli", p = 0.005 }', rest=session))
    reports = Rows.of(result.events).having(event="report")
    assert len(reports) > 100
    seen = set()
    for report in reports:
        inputs = Inputs(
            packet_bytes=1000,
            receive_bps=report["receive_bps"],
            rtt_s=report["rtt_s"],
            p=report["loss_event_rate"],
            factor=report["factor"],
            is_capped=scheme == "omcc-capped",
        )
        seen.add(inputs.p > 0)
        assert report["after"] == pytest.approx(inputs.asked_bps(), rel=1e-5), report
    assert seen == {True, False}
    assert scheme == "tfmcc" or max(reports["factor"]) == 2.0


def test_a_rise_and_slow_start() -> None:
    result = faircast.run(scenario(c='loss = { kind = "bernoulli", p = 0.001 }'))
    ended = Rows.of(result.events).having(event="slow-start-ended").first()
    assert ended is not None
    early = faircast.why(result, at=ended["t_s"] * 0.8)
    assert "slow start" in early.headline
    assert early.what_ifs[0].doubled_bps == pytest.approx(2 * early.rate_bps)
    rates = Rows.of(result.events).having(event="rate", cause="report")
    calm = [row for row in rates if row["after"] > row["before"] and row["t_s"] > ended["t_s"] + 3]
    rise = next(
        row
        for row in calm
        if not len(rates.between(row["t_s"] - 1, row["t_s"]).where_any(lambda r: r["after"] < r["before"]))
    )
    found = faircast.why(result, at=rise["t_s"])
    assert " rose from " in found.headline
    assert "no loss event since" in " ".join(found.text.split())


LOSSY = 'loss = { kind = "bernoulli", p = 0.01 }'


def moment_with_a_packet(text: str) -> str:
    """When the rate fell for a packet, as an option."""
    return f"{explained(text)[1].moment_s:.9f} s"


def test_a_folder_and_a_scenario_say_the_same(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "built.toml"
    file.write_text(scenario(c=LOSSY))
    at = moment_with_a_packet(scenario(c=LOSSY))
    out = tmp_path / "out"
    assert cli("run", file, "--reps", 2, "--out", out).code == 0
    told = cli("why", out, "--at", at)
    assert told.code == 0, told.err
    assert "seed 1, the lowest of 2" in told.err
    assert "running seed 1 again" in told.err
    assert "has limited the rate since" in " ".join(told.out.split())
    as_json = json.loads(cli("why", out, "--at", at, "--json").out)
    from_file = json.loads(cli("why", file, "--at", at, "--seed", 1, "--json").out)
    assert as_json["chain"] == from_file["chain"]
    assert as_json["what_ifs"][1]["doubled_bps"] == pytest.approx(as_json["rate_bps"] / 2, rel=1e-6)
    other = json.loads(cli("why", out, "--at", at, "--seed", 2, "--json").out)
    assert other["seed"] == 2
    assert other["chain"] != as_json["chain"]


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_every_width(tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    file = tmp_path / "built.toml"
    file.write_text(scenario(c='loss = { kind = "bernoulli", p = 0.01 }').replace("30 s", "8 s"))
    monkeypatch.setenv("COLUMNS", str(width))
    assert_whole(cli("why", file, "--at", "7 s").out, width)
    assert_whole(cli("events", file, "--from", "6 s").out, width)
    found = faircast.why(file, at="7 s")
    assert_whole(found.text, 80)


def test_bad_input(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "built.toml"
    file.write_text(scenario(rest=SESSION + WEB).replace("30 s", "3 s"))
    for arguments, message in (
        (["--at", "31 s"], "at is 31 s; the run ends at 3 s"),
        (["--at", "-1 s"], "legal are times from 0 s on"),
        (["--at", "2"], "at is 2; write it with its unit, such as '2 s'"),
        (["--at", "2 kg"], "legal is a time, such as '37 s'"),
        (["--at", "2 s", "--flow", "vidoe"], "there is no flow or session vidoe (did you mean video?)"),
        (["--at", "2 s", "--flow", "web", "--receiver", "video-0"], "leave --receiver out"),
        (["--at", "2 s", "--receiver", "video-7"], "there is no receiver video-7"),
    ):
        done = cli("why", file, *arguments)
        assert (done.code, message in " ".join(done.err.split())) == (2, True), done.err
    for arguments, message in (
        (["--from", "31 s"], "--from is 31 s; the run ends at 3 s"),
        (["--from", "2 s", "--to", "1 s"], "--to is 1 s, before --from, 2 s"),
        (["--event", "tiemout"], "did you mean timeout?"),
        (["--receiver", "nobody"], "there is no receiver nobody"),
        (["--flow", "nothing"], "there is no flow or session nothing"),
    ):
        done = cli("events", file, *arguments)
        assert (done.code, message in " ".join(done.err.split())) == (2, True), done.err
    assert "there is no" in cli("why", tmp_path / "nowhere", "--at", "1 s").err
    sweep = tmp_path / "sweep"
    sweep.mkdir()
    (sweep / "manifest.json").write_text('{"kind": "sweep", "version": "0"}')
    assert "holds a sweep, many runs; name one" in " ".join(cli("why", sweep, "--at", "1 s").err.split())


def test_events_of_a_receiver(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "built.toml"
    file.write_text(scenario(c=LOSSY))
    listed = json.loads(cli("events", file, "--receiver", "video-1", "--event", "loss-event", "--json").out)["events"]
    assert listed
    assert all(row["receiver"] == "video-1" and row["event"] == "loss-event" for row in listed)
    result = faircast.run(file)
    assert len(listed) == len(Rows.of(result.events).having(receiver="video-1", event="loss-event"))
    shown = cli("events", file, "--from", "10 s", "--to", "10.4 s").out
    times = [float(line.split()[0]) for line in shown.splitlines() if line.strip()[:1].isdigit()]
    assert times
    assert all(10 <= t <= 10.4 for t in times)


def test_another_run_is_not_explained() -> None:
    result, found = explained(scenario(c=LOSSY))
    assert found.moment_s is not None
    result.seed = 2
    with pytest.raises(InputError, match="gives another"):
        faircast.why(result, at=found.moment_s)


def test_a_receiver_that_limits_anew_without_a_loss() -> None:
    example = Path(__file__).resolve().parents[2] / "examples" / "scenarios" / "tfmcc-beside-tcp.toml"
    found = faircast.why(example, at="30.1 s", flow="video")
    assert "at 30.007 s" in found.headline
    texts = [step.text for step in found.steps if step.kind == "loss-event"]
    assert texts == [
        "video-0 has found no loss event since 28.772 s. It limits because the rate has come above what it asks for: "
        "the rate rose, or its round-trip time did."
    ]


def test_a_loss_whose_report_waited_for_its_turn(tmp_path: Path) -> None:
    # video-9 has lost a packet at 98.9 s; its timer of the feedback round has ended three seconds later.
    example = Path(__file__).resolve().parents[2] / "examples" / "scenarios" / "geo-multicast.toml"
    file = tmp_path / "built.toml"
    file.write_text("".join(line for line in example.read_text().splitlines(True) if "send_jitter" not in line))
    found = faircast.why(file, at="102.3 s", flow="video")
    assert "(by 8.13 %) at 102.131 s" in found.headline
    texts = [step.text for step in found.steps if step.kind in ("loss-event", "packet")]
    assert "video-9 found a loss event at 98.915 s: packet 3792 did not come." in texts[0]
    assert "bernoulli" in texts[1]
