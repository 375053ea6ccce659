"""The network of Kwon and Byers: what is on it, how long its ways are, and its queues."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import faircast
from faircast.experiments.kwon.network import (
    DROP_TAIL,
    LETTER,
    OURS,
    SINGLE,
    Bottleneck,
    Case,
    Stay,
    Tcps,
    bottleneck_link,
)
from faircast.scenario import resolve

TWO = Case(
    name="two",
    control=SINGLE,
    duration_s=4,
    warmup_s=1,
    bottlenecks=(
        Bottleneck(mbps=6),
        Bottleneck(
            mbps=21,
            tcps=(Tcps(), Tcps(count=3, start_s=1, stop_s=3, jitter_s=0.1), Tcps(count=1)),
            receivers=(Stay(join_s=2), Stay(leave_s=3)),
        ),
    ),
)


def test_random_times_at_drop_tail_queues_only() -> None:
    """1000 B take 8 ms at 1 Mbit/s; at a bottleneck that changes the slowest rate counts."""
    places = (Bottleneck(mbps=10), Bottleneck(mbps=10, queue=DROP_TAIL, changes=((2.0, 4.0), (3.0, 20.0))))
    case = Case(name="mixed", control=SINGLE, duration_s=4, warmup_s=1, bottlenecks=places)
    found = [case.scenario()["flows"][name].get("send_jitter") for name in ("tcp-1", "tcp-2")]
    assert found == [None, "2 ms"]
    found = [flow.get("send_jitter") for flow in replace(case, late_packets=0).scenario()["flows"].values()]
    assert found == [None, None]
    assert resolved(replace(case, rto_min_s=0.2))["flows"]["tcp-1"]["rto_min"] == "200 ms"


def resolved(case: Case) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(resolve(case.scenario()).json)
    return found


@pytest.mark.parametrize(
    ("mbps", "link_ms", "limit", "least", "most"),
    [
        # Base round-trip times of 64 and 32 ms; packets of 1000 B.
        (6, 8, "96 packets", "4.8 packets", "48 packets"),
        (21, 8, "336 packets", "16.8 packets", "168 packets"),
        (12, 4, "96 packets", "4.8 packets", "48 packets"),
        (40, 4, "320 packets", "16 packets", "160 packets"),
        (110, 8, "1760 packets", "88 packets", "880 packets"),
    ],
)
def test_the_queue_is_the_papers(mbps: float, link_ms: float, limit: str, least: str, most: str) -> None:
    case = Case(name="red", control=SINGLE, link_ms=link_ms, bottlenecks=(Bottleneck(mbps=mbps),))
    found = resolved(case)["links"][bottleneck_link(1)]["queue"]
    assert (found["kind"], found["limit"], found["min_th"], found["max_th"]) == ("red", limit, least, most)
    assert (found["gentle"], found["w_q"], found["max_p"]) == (True, 0.002, 0.1)
    tail = resolved(replace(case, queue=DROP_TAIL))["links"][bottleneck_link(1)]["queue"]
    assert (tail["kind"], tail["limit"]) == ("drop-tail", limit)


def test_flows_and_receivers_are_named_as_results_name_them() -> None:
    run = faircast.run(TWO.scenario(), seed=1)
    flows = {*TWO.tcps(1), *TWO.tcps(2)}
    assert {row["subject"] for row in run.summary.to_pylist() if row["metric"] == "cwnd_end"} == flows
    assert TWO.tcps(2, 1) == ["tcp-2-group-2-0", "tcp-2-group-2-1", "tcp-2-group-2-2"]
    assert TWO.tcps(2, 2) == ["tcp-2-group-3-0"]
    assert (TWO.behind(1), TWO.behind(2)) == (["session-0"], ["session-1", "session-2"])


def test_all_ways_over_a_bottleneck_take_as_long() -> None:
    found = resolved(replace(TWO, bottlenecks=(Bottleneck(mbps=6), Bottleneck(mbps=6, link_ms=16))))
    links = {link["from"] + ">" + link["to"]: float(link["delay"].split()[0]) for link in found["links"].values()}
    for number, whole in ((1, 32), (2, 56)):
        middle = links[f"a>b-{number}"] + links[f"b-{number}>c-{number}"]
        session = links["sender>a"] + middle + links[f"c-{number}>receiver-{number - 1}"]
        tcp = found["flows"][f"tcp-{number}"]
        ways = {
            links[f"{a}>a"] + middle + links[f"c-{number}>{b}"] for a, b in zip(tcp["from"], tcp["to"], strict=True)
        }
        assert ways == {session} == {whole}


def test_times_and_changes() -> None:
    found = resolved(TWO)
    assert found["sessions"]["session"]["receivers"]["join"] == ["0 s", "2 s", "0 s"]
    assert found["flows"]["tcp-2-group-2"]["stop"] == "3 s"
    changing = replace(TWO, bottlenecks=(Bottleneck(mbps=6, changes=((1, 3), (2, 6))),))
    assert [change["rate"] for change in resolved(changing)["links"][bottleneck_link(1)]["changes"]] == [
        "3 Mbit/s",
        "6 Mbit/s",
    ]


def test_layers_are_those_of_the_paper() -> None:
    session = replace(TWO, control="tfmcc", base_mbps=8, link_ms=4).scenario()["sessions"]["session"]
    assert (session["scheme"], session["control"], session["base_rate"]) == ("smcc", "tfmcc", "8 Mbit/s")
    assert (session["rtts"], session["phases"], session["join"]) == (["32 ms"], 1, "additive")
    assert session["tfmcc"] == {"profile": "rfc4654", "discounting": False, "rtt_weight_clr": 0.95}
    assert replace(TWO, control="pgmcc").scenario()["sessions"]["session"]["pgmcc"] == {}
    assert replace(TWO, control="tfmcc", periods_ms=(32, 64)).scenario()["sessions"]["session"]["rtts"] == [
        "32 ms",
        "64 ms",
    ]


def test_what_is_judged_is_the_rfcs_letter_beside_the_tcp_of_ns2() -> None:
    for control in (SINGLE, "tfmcc"):
        letter, ours = (resolved(replace(TWO, control=control, profile=profile)) for profile in (LETTER, OURS))
        found = [scenario["sessions"]["session"] for scenario in (letter, ours)]
        profiles = [session if control == SINGLE else session["tfmcc"] for session in found]
        assert [tfmcc["profile"] for tfmcc in profiles] == ["rfc4654", "faircast"]
        # What the paper says of TFMCC is the same in both.
        assert [(tfmcc["discounting"], tfmcc["rtt_weight_clr"]) for tfmcc in profiles] == [(False, 0.95)] * 2
        assert {flow["profile"] for flow in letter["flows"].values()} == {"ns2"}
    assert resolved(TWO)["sessions"] == resolved(replace(TWO, profile=LETTER))["sessions"]


def test_what_smcc_gets_behind_drop_tail_is_a_matter_of_phases() -> None:
    """From 80 to 200 s, the network of Fig. 4 with drop-tail queues: a packet's random time at least doubles it."""
    both = tuple(Bottleneck(mbps=mbps) for mbps in (6, 21))
    case = Case(name="phases", queue=DROP_TAIL, bottlenecks=both, warmup_s=80)

    def share(case: Case, number: int) -> float:
        runs = [faircast.run(case.scenario(probes={}), seed=seed) for seed in (1, 2)]
        (name,), tcps = case.behind(number), case.tcps(number)
        tcp = sum(run[flow, "rate"] for run in runs for flow in tcps) / len(tcps)
        return sum(run[name, "rate"] for run in runs) / tcp

    in_phase, late = ([share(found, number) for number in (1, 2)] for found in (replace(case, late_packets=0), case))
    assert in_phase[0] < 0.6
    assert late[0] > 0.75
    assert in_phase[1] < 0.2
    assert late[1] > 0.35
