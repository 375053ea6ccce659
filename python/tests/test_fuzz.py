"""tools/fuzz_scenarios.py: some of its scenarios, that it finds what it looks for, and the list of what may be NaN."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from faircast.undefined import UNDEFINED, reason

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import fuzz_drawing  # noqa: E402
import fuzz_scenarios  # noqa: E402

EARLY = {
    "format": 1,
    "name": "early",
    "duration": "1 s",
    "warmup": "0.5 s",
    "topology": {"kind": "dumbbell"},
    "flows": {"short": {"kind": "tcp", "segments": 1}},
}


def test_drawn_scenarios_do_what_they_must() -> None:
    said: list[str] = []
    assert fuzz_scenarios.fuzz(1, range(40), say=said.append) == 0, "\n".join(said)
    ran = re.match(r"40 scenarios: (\d+) ran", said[-1])
    assert ran, said
    assert int(ran[1]) >= 30, said


def test_what_is_drawn_follows_from_the_seed() -> None:
    drawn = [fuzz_drawing.draw(random.Random(text), lambda tree: None) for text in ("1/3", "1/3", "1/4")]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_number_that_must_not_be_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The goodput of a transfer that is over before the warm-up is NaN, if nobody said that it may be."""
    assert "goodput" in fuzz_scenarios.check(EARLY, every=True)["undefined"]
    monkeypatch.setattr(fuzz_scenarios, "reason", lambda metric: None)
    with pytest.raises(fuzz_drawing.DefectError, match="goodput of short is nan"):
        fuzz_scenarios.check(EARLY, every=False)


def test_illegal_keys_are_left_out() -> None:
    flows = {"short": EARLY["flows"]["short"] | {"segments": -1, "nonsense": 2}}  # type: ignore[index]
    assert fuzz_drawing.legal(EARLY | {"flows": flows}, lambda tree: None) == EARLY | {
        "flows": {"short": {"kind": "tcp"}}
    }


def test_a_defect_is_shown_in_a_small_scenario() -> None:
    class Fails:
        """As if all scenarios with this flow had the defect."""

        def do(self, order: dict[str, Any]) -> dict[str, Any]:
            fails = "short" in order["scenario"].get("flows", {})
            return {"outcome": "defect" if fails else "ran", "what": "x of y is 3", "scenario": order["scenario"]}

    failed = {"outcome": "defect", "what": "x of z is 4", "scenario": EARLY}
    small = fuzz_scenarios.shrink(Fails(), failed)["scenario"]  # type: ignore[arg-type]
    assert small["flows"] == {"short": {"kind": "tcp"}}
    assert set(small) == {"format", "duration", "topology", "flows"}


def test_a_worker_that_ends_is_a_defect_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    dies = tmp_path / "dies.py"
    dies.write_text("import sys\nsys.stdin.readline()\n")
    worker = fuzz_scenarios.Worker()
    with monkeypatch.context() as patch:
        patch.setattr(fuzz_scenarios, "__file__", str(dies))
        assert worker.do({"scenario": EARLY})["what"] == "the process died"
    assert worker.do({"scenario": EARLY})["outcome"] == "ran"
    worker.end()


def test_the_documentation_says_of_the_same_metrics_when_they_are_nan() -> None:
    text = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
    chapter = text.partition("#### Numbers that do not apply\n")[2].partition("\n###")[0]
    assert dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", chapter, re.M)) == UNDEFINED


def test_variants_of_a_metric_are_nan_as_it_is() -> None:
    for metric in ("goodput", "goodput_all", "goodput_mean", "flows_goodput_sum_all", "sessions_goodput_sum"):
        assert reason(metric) == UNDEFINED["goodput"]
    for metric in ("sojourn_mean", "sojourn_mean_all"):
        assert reason(metric) == UNDEFINED["sojourn"]
    assert reason("sojourn_p95_all") == UNDEFINED["sojourn_p95"]
    assert reason("same_path_shortfall") == UNDEFINED["same_path"]
    assert [reason(metric) for metric in ("sent", "simulated", "loss", "queue_mean")] == [None] * 4
