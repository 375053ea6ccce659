"""Warnings: merged over seeds, and shown by every verb that knows some."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import Cli

import faircast
from faircast import _native
from faircast.warning import COLUMNS, FILE, Found, Merged, known, lines, merged, of_folder

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scenarios"


def held(subject: str, share: float) -> Found:
    return "window-limited", subject, share, f"flow {subject} was held for {share:.0%}"


LOST: Found = ("no-route", "", 3.0, "3 packets found no way")


def test_one_line_per_kind_and_subject() -> None:
    """The worst seed speaks; the order is that of the lowest seed."""
    found = merged({7: [LOST, held("a", 0.4)], 2: [held("a", 0.3), held("b", 0.9)], 5: [held("b", 0.5)]})
    assert found == [
        Merged("window-limited", "a", 0.4, "flow a was held for 40%", [2, 7]),
        Merged("window-limited", "b", 0.9, "flow b was held for 90%", [2, 5]),
        Merged("no-route", "", 3.0, "3 packets found no way", [7]),
    ]
    assert lines(found, 3) == [
        "flow a was held for 40% (in 2 of 3 seeds, the worst is shown)",
        "flow b was held for 90% (in 2 of 3 seeds, the worst is shown)",
        "3 packets found no way (in 1 of 3 seeds, the worst is shown)",
    ]
    assert merged({1: [], 2: []}) == []
    assert lines([], 2) == []


def test_one_seed_is_not_counted_and_many_are_not_all_shown() -> None:
    found = merged({1: [*(held(f"web-{i}", 0.5) for i in range(8)), LOST]})
    assert lines(found, 1) == [
        *(f"flow web-{i} was held for 50%" for i in range(5)),
        "3 more of the kind window-limited; --json lists them all",
        "3 packets found no way",
    ]


def test_from_the_tables_of_a_folder(tmp_path: Path) -> None:
    for seed, found in {1: [held("a", 0.3)], 2: [held("a", 0.4), LOST], 3: []}.items():
        folder = tmp_path / f"seed-{seed}"
        folder.mkdir()
        columns = [list(column) for column in zip(*found, strict=True)]
        if found:
            pq.write_table(pa.table(columns, names=list(COLUMNS)), folder / FILE)
    assert of_folder({seed: tmp_path / f"seed-{seed}" for seed in (1, 2, 3)}) == [
        Merged("window-limited", "a", 0.4, "flow a was held for 40%", [1, 2]),
        Merged("no-route", "", 3.0, "3 packets found no way", [2]),
    ]


def test_validate_tells_what_is_known_before_a_run(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = [("receiver-at-source", "sessions.film.receivers", "receiver film-0 is on node left-0")]
    monkeypatch.setattr(_native, "warnings", lambda scenario, control: told)
    done = cli("validate", small)
    assert done.code == 0, "a warning is no error"
    assert "is a valid scenario: small" in done.out
    assert done.err == "faircast: warning: sessions.film.receivers: receiver film-0 is on node left-0\n"
    found = json.loads(cli("validate", small, "--json").out)
    assert found == {
        "valid": True,
        "problems": [],
        "warnings": [
            {
                "kind": "receiver-at-source",
                "path": "sessions.film.receivers",
                "message": "receiver film-0 is on node left-0",
            }
        ],
    }


def test_a_scenario_without_any(small: Path) -> None:
    from faircast.scenario import resolve

    assert known(resolve(small)) == []


HELD = ("--set", "flows.web.wnd='2 packets'")


def test_run_tells_what_its_runs_say(cli: Cli, small: Path) -> None:
    """Two packets in 100 ms are far below a link of 1.5 Mbit/s: the window holds both flows, and nothing the link."""
    done = cli("run", small, "--reps", 2, *HELD, "--out", "mine")
    assert done.code == 0
    told = done.err.splitlines()
    assert [line.split(" could")[0].split(", whose")[0] for line in told] == [
        "faircast: warning: flow web-0",
        "faircast: warning: flow web-1",
        "faircast: warning: link bottleneck",
    ]
    assert all(line.endswith("(in 2 of 2 seeds, the worst is shown)") for line in told)
    found = cli("run", small, "--reps", 2, *HELD, "--out", "mine", "--json")
    assert found.err == ""
    warnings = json.loads(found.out)["warnings"]
    assert [(item["kind"], item["subject"], item["seeds"]) for item in warnings] == [
        ("window-limited", "web-0", [1, 2]),
        ("window-limited", "web-1", [1, 2]),
        ("no-bottleneck", "bottleneck", [1, 2]),
    ]
    assert all(0.9 < item["value"] <= 1 for item in warnings[:2])
    manifest = json.loads(Path("mine/manifest.json").read_text())
    assert [item["subject"] for item in manifest["runs"]["2"]["warnings"]] == ["web-0", "web-1", "bottleneck"]


def test_a_run_without_any(cli: Cli, small: Path) -> None:
    free = ("--set", "flows.web.wnd='1000 packets'")
    assert cli("run", small, *free).err == ""
    assert json.loads(cli("run", small, *free, "--json").out)["warnings"] == []


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.toml")), ids=lambda file: file.stem)
def test_phases_decide_in_no_example(file: Path) -> None:
    kinds = faircast.run(file).warnings["kind"].to_pylist()
    assert "phase-effects" not in kinds
