"""tools/compare_ns3.py: what it makes of what ns-3 prints, its statistics, and that both sides get the same case.

ns-3 is not run here.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import faircast
from faircast.statistics import estimate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

TOOLS = Path(__file__).resolve().parents[2] / "tools"
PRINTED = {
    "goodput_bps": [3e6, 1e6],
    "one_segment_s": [0.5, 12.0],
    "queue_pkts": [0] * 10 + [5] * 9 + [25],
    "arrived_pkts": 2000,
    "dropped_pkts": 50,
    "marked_pkts": 10,
    "link_use": 0.875,
}
"""A run as ns3_queues prints it, with few samples."""


@pytest.fixture(scope="module")
def tool() -> Iterator[ModuleType]:
    sys.path.insert(0, str(TOOLS))
    spec = importlib.util.spec_from_file_location("compare_ns3", TOOLS / "compare_ns3.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(TOOLS))


def test_what_ns3_prints_is_understood(tool: ModuleType) -> None:
    found = tool.understood(tool.case_called("codel-one"), json.dumps(PRINTED))
    assert found.goodput == pytest.approx(4.0)
    assert (found.link_use, found.drops, found.marks) == pytest.approx((87.5, 2.5, 0.5))
    # (3 + 1)² / (2 · (9 + 1)) of 10 Mbit/s.
    assert found.jain == pytest.approx(80.0)
    # 70 packets in 20 looks, of 1.2 ms each; the 95 % quantile lies 0.05 of the way from the 19th, 5, to the 20th.
    assert found.delay == pytest.approx(3.5 * 1.2)
    assert found.delay_p95 == pytest.approx((5 + 0.05 * 20) * 1.2)
    assert found.frozen == (1,), "12 s at one segment"


def test_runs_with_a_frozen_flow_are_listed_and_not_judged(tool: ModuleType) -> None:
    sound = tool.understood(tool.case_called("codel-one"), json.dumps(PRINTED | {"one_segment_s": [0.5, 9.9]}))
    frozen = replace(sound, frozen=(1,), delay=1000.0)
    compared = tool.Compared(
        ours=(replace(sound, delay=4.0), replace(sound, delay=5.0), replace(sound, delay=7.0), frozen),
        theirs=(replace(sound, delay=3.0), replace(sound, delay=2.0), frozen, replace(sound, delay=9.0)),
    )
    ours, theirs, apart = compared.of("delay")
    assert (ours.mean, theirs.mean, apart.n) == (4.5, 2.5, 2)
    # Differences of 1 and 3: 2, and 12.706 · 1 as t(0.975, 1) times s/√2.
    assert apart.mean == 2.0
    assert apart.ci95 == pytest.approx(12.706, abs=1e-3)
    lines = tool.frozen_lines({"codel-one": compared})
    assert "1 flows are frozen in faircast: seeds 4." in lines
    assert "1 flows are frozen in ns-3.37: seeds 3." in lines
    assert tool.frozen_lines({"codel-one": replace(compared, ours=(sound,), theirs=(sound,))}).startswith("No run")


def test_a_window_at_one_segment(tool: ModuleType) -> None:
    assert tool.longest_at_one([3.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.5]) == 3
    assert tool.longest_at_one([]) == 0


@pytest.mark.parametrize(
    ("values", "text", "said"),
    [
        ([1.0, 3.0], "+2 ± 13", "same"),
        ([0.1, 0.11, 0.12], "+0.110 ± 0.025", "apart"),
        ([-5.0, -5.0], "-5.000 ± 0.000", "apart"),
        ([0.0, 0.0], "+0.000 ± 0.000", "same"),
        ([2.0], "+2", "–"),
        ([], "–", "–"),
    ],
)
def test_differences_are_written_with_their_interval(
    tool: ModuleType, values: list[float], text: str, said: str
) -> None:
    assert (tool.spread(estimate(values)), tool.verdict(estimate(values))) == (text, said)


def test_tables(tool: ModuleType) -> None:
    run = tool.understood(tool.case_called("codel-one"), json.dumps(PRINTED | {"one_segment_s": [0, 0]}))
    ours = tuple(replace(run, delay=run.delay + more) for more in (1.0, 1.2))
    compared = tool.Compared(ours=ours, theirs=(run, run))
    table = tool.case_table({"codel-one": compared}).splitlines()
    # Goodput, link use, delay, its quantile, drops, marks, Jain's. Delay: 1.1, and 12.706 · 0.1414/√2 gives 1.27.
    assert table[4] == "| `codel-one` | 4, 4 | 87.5, 87.5 | 5.3, 4.2 | 7.2, 7.2 | 2.5, 2.5 | 0.5, 0.5 | 80, 80 |"
    same = "+0.000 ± 0.000"
    assert table[10] == f"| `codel-one` | {same} | {same} | +1.1 ± 1.3 | {same} | {same} | {same} | {same} |"
    unmarked = tool.Compared(ours=(replace(run, marks=0.0),) * 2, theirs=(replace(run, marks=0.0),) * 2)
    assert "marks" not in tool.case_table({"codel-one": unmarked})
    higher = tool.Compared(ours=(replace(run, delay=5.0),) * 2, theirs=(run, run))
    change = replace(tool.CHANGES[0], title="one thing", measures=("delay",))
    changed = tool.change_table(change, {"codel-one": (higher, compared)}).splitlines()
    assert changed[0] == "**one thing**"
    assert changed[4] == "| `codel-one` | **+0.800 ± 0.000** | +1.1 ± 1.3 |"


def test_both_sides_get_the_same_case(tool: ModuleType) -> None:
    for case in tool.CASES:
        parts = tool.scenario(case, 3, None)
        given = dict(word.removeprefix("--").split("=", 1) for word in tool.arguments(case, 3, None))
        flows = parts["flows"]
        starts = [flow["start"] for flow in flows.values()]
        told = [text for name in ("starts", "constantStarts") for text in given.get(name, "").split(",") if text]
        assert [float(start.removesuffix(" s")) for start in starts] == [float(text) for text in told]
        access = [float(text) for text in given.get("access", "").split(",") if text]
        delays = [float(parts["links"][f"in-{i}"]["delay"].removesuffix(" ms")) for i in range(len(access))]
        assert delays == access
        link = parts["links"]["bottleneck"]
        assert float(link["rate"].removesuffix(" bit/s")) == float(given["rate"])
        assert float(link["delay"].removesuffix(" ms")) == float(given["delay"])
        # The packet in ns-3's device is part of a queue that a limit bounds in both.
        limit = int(link["queue"]["limit"].removesuffix(" packets"))
        assert int(given["limit"]) == limit - (case.queue in ("drop-tail", "pie-enhanced"))
        assert faircast.problems(parts) == [], case.name


def test_what_is_drawn_differs_by_seed_alone(tool: ModuleType) -> None:
    first, same, other = (tool.scenario(tool.case_called(name), seed, None)["flows"] for name, seed in DRAWN)
    starts: Any = [[flow["start"] for flow in flows.values()] for flows in (first, same, other)]
    assert starts[0] == starts[1] != starts[2]
    late = tool.scenario(tool.case_called("codel-step"), 1, None)["flows"].values()
    assert sum(float(flow["start"].removesuffix(" s")) >= 20 for flow in late) == 3


DRAWN = (("codel-ten", 1), ("pie-ten", 1), ("codel-ten", 2))


def test_a_change_is_carried_out(tool: ModuleType) -> None:
    case = tool.case_called("fq-codel-ten")
    change = replace(
        tool.CHANGES[0],
        ours={"mtu": "1499 B"},
        flows={"rto_min": "0.2 s"},
        theirs=("--x=1",),
        held=False,
        held_here=True,
    )
    bottleneck = tool.scenario(case, 1, change)["links"]["bottleneck"]
    assert bottleneck["queue"]["kind"] == "shaper"
    assert bottleneck["queue"]["queue"]["mtu"] == "1499 B"
    # 1500 B at 10 Mbit/s are 1.2 ms.
    assert bottleneck["delay"] == "6.2 ms"
    assert tool.scenario(case, 1, change)["flows"]["tcp-0"]["rto_min"] == "0.2 s"
    words = tool.arguments(case, 1, change)
    assert words[-1] == "--x=1"
    assert "--held=0" in words


def test_our_side_is_measured(tool: ModuleType) -> None:
    case = tool.case_called("fq-codel-overload")
    found = tool.run_ours(case, 1, tool.scenario(case, 1, None))
    # 6 Mbit/s come to a link of 5: one in six is dropped, and shares of 1, 2 and 2 give 25/(3 · 9).
    assert found.link_use == pytest.approx(100, abs=0.1)
    assert found.goodput == pytest.approx(5.0, abs=0.01)
    assert found.drops == pytest.approx(100 / 6, abs=1.5)
    assert found.jain == pytest.approx(100 * 25 / 27, abs=1)
    assert 0 < found.delay < found.delay_p95


def test_without_ns3_it_says_what_is_missing(tool: ModuleType) -> None:
    with pytest.raises(tool.CannotFinishError, match="No command no-such-compiler"):
        tool.finished(["no-such-compiler"], tool.HOW)
    with pytest.raises(tool.CannotFinishError, match=r"(?s)ended with code 3: gone.*libns3-dev"):
        tool.finished(["sh", "-c", "echo gone >&2; exit 3"], tool.HOW)
