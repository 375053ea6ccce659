"""tools/compare_web.py: what is compared, and that both sides get the same transfers. No peer is run here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import faircast
from faircast.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture(scope="module")
def tool() -> Iterator[ModuleType]:
    sys.path.insert(0, str(TOOLS))
    spec = importlib.util.spec_from_file_location("compare_web", TOOLS / "compare_web.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(TOOLS))


def run(*times: float) -> Any:
    return np.array(times)


def test_percentiles_are_compared_in_pairs_by_seed(tool: ModuleType) -> None:
    runs = [(run(1.0, 2.2, 9.0), run(1.0, 2.0, 5.0)), (run(3.3, 1.0, 4.0), run(1.0, 3.0, 4.0))]
    found = tool.compared(runs, 50)  # 2.2 and 3.3 against 2 and 3
    assert found["difference"] == pytest.approx(0.1)
    assert (found["faircast_s"], found["peer_s"], found["seeds"]) == pytest.approx((2.75, 2.5, 2))
    assert found["verdict"] == "DIFFERS", "ten per cent in each of the pairs"
    spread = tool.compared([*runs, (run(2.0, 2.0, 2.0), run(2.2, 2.2, 2.2))], 50)
    assert spread["ci95"] == pytest.approx(estimate([0.1, 0.1, -1 / 11]).ci95)
    assert spread["verdict"] == "undecided", "5 % lie in its interval"
    assert [tool.verdict(-0.02, 0.01), tool.verdict(0.06, 0.02)] == ["agrees", "undecided"]


def test_what_ns3_has_printed_is_kept_by_program_and_transfers(tool: ModuleType, tmp_path: Path) -> None:
    program, file = tmp_path / "peer", tmp_path / "arrivals"
    program.write_text('#!/bin/sh\necho once >> "$0.runs"\ncat "$1"\necho "$2"\n')
    program.chmod(0o755)
    for text in ("0.1 3 0\n", "0.2 3 0\n", "0.1 3 0\n"):
        file.write_text(text)
        assert tool.once(program, file) == f"{text}100.0\n"
    assert len((tmp_path / "peer.runs").read_text().splitlines()) == 2, "the third is the first"


def test_this_side_opens_as_the_peer_does_unless_told(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """ns-3 acknowledges a SYN-ACK by a packet, ns-2's agents have no handshake."""
    tcp = [tool.scenario(peer, 0.3)["flows"]["pages"] for peer in ("ns3", "ns2")]
    assert [(flow.get("handshake"), flow.get("handshake_ack")) for flow in tcp] == [(True, True), (None, None)]
    monkeypatch.setattr(tool, "SCENARIO", {**tool.SCENARIO, "duration": "30 s"})
    own = [tool.both("ns3", lambda _: "", 3, 0.8, sets)[0] for sets in ((), ["flows.pages.handshake_ack=false"])]
    assert len(own[0]) == len(own[1]) > 100
    assert (own[0] != own[1]).any()


def test_what_falls_among_the_unfinished_is_not_judged(tool: ModuleType) -> None:
    good = (run(1.0, 2.0), run(1.0, 2.0))
    cut = (run(1.0, np.inf), run(1.0, 2.0))
    assert tool.compared([good, good, cut], 95)["seeds"] == 2
    assert tool.compared([good, good, cut], 50)["seeds"] == 3
    few = tool.compared([good, cut], 95)
    assert few["verdict"] == "too few"
    assert "too few" in tool.shown({"peer": "ns3", "load": 0.8, "measure": "95 %", **few})


def test_the_peer_is_given_the_transfers_of_the_run(tool: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "SCENARIO", {**tool.SCENARIO, "duration": "30 s"})
    for peer, segment in (("ns2", 1000), ("ns3", 1460)):
        given: list[str] = []

        def peer_run(file: Path, given: list[str] = given) -> str:
            given += file.read_text().splitlines()
            return "0 0.5\n2 0.25\n"

        _, theirs = tool.both(peer, peer_run, 3, 0.3)
        made = faircast.run(tool.scenario(peer, 0.3), seed=3).transfers.to_pydict()
        for line, at, size, left in zip(given, made["t_s"], made["size_bytes"], made["from"], strict=True):
            assert line == f"{at:.9f} {-(-size // segment)} {left[-1]}"
        late = sum(at > 20.0 for at in made["t_s"])
        assert len(theirs) == late
        assert np.isinf(theirs).all(), "both that the peer has finished came in the warm-up"
