"""The optimum beside a run in which links change, or flows and members come and go."""

from __future__ import annotations

import math
from typing import Any

import pytest

import faircast
from faircast import warning
from faircast.scenario import resolve
from faircast.utility.network import periods_of
from faircast.utility.optimum import distance


def scenario(flows: dict[str, Any], links: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    bottleneck = {"rate": "1 Mbit/s", "delay": "5 ms"} | (links or {})
    return {
        "format": 1,
        "name": "over-time",
        "duration": "20 s",
        "warmup": "10 s",
        "topology": {"kind": "dumbbell", "left": 3, "right": 3},
        "links": {"bottleneck": bottleneck},
        "flows": flows,
        **more,
    }


BULK = {"kind": "tcp", "from": "left-0", "to": "right-0"}
OTHER = {"kind": "tcp", "from": "left-1", "to": "right-1"}


def beside(tree: dict[str, Any]) -> dict[tuple[str, str], float]:
    rows = faircast.run(tree).summary.to_pylist()
    return {(row["subject"], row["metric"]): row["optimum"] for row in rows if not math.isnan(row["optimum"])}


def known(tree: dict[str, Any]) -> list[warning.Known]:
    return [one for one in warning.known(resolve(tree)) if one.kind == "no-optimum"]


def test_rates_of_links_count_by_their_time() -> None:
    changes = [
        {"at": "5 s", "rate": "9 Mbit/s"},
        {"at": "12 s", "rate": "600 kbit/s"},
        {"at": "17 s", "rate": "2 Mbit/s"},
    ]
    found = beside(scenario({"bulk": BULK}, {"changes": changes}))
    assert found["bulk", "rate"] == pytest.approx(0.2 * 9e6 + 0.5 * 0.6e6 + 0.3 * 2e6)


def test_who_comes_later_or_ends_earlier_counts_while_present() -> None:
    later = OTHER | {"start": "13 s"}
    ended = OTHER | {"from": "left-2", "to": "right-2", "stop": "11 s"}
    found = beside(scenario({"bulk": BULK, "later": later, "ended": ended}))
    assert found["bulk", "rate"] == pytest.approx(0.1 * 0.5e6 + 0.2 * 1e6 + 0.7 * 0.5e6)
    assert found["later", "rate"] == pytest.approx(0.7 * 0.5e6)
    assert found["ended", "rate"] == pytest.approx(0.1 * 0.5e6)


def test_a_random_start_counts_from_its_mean() -> None:
    found = beside(scenario({"bulk": BULK, "later": OTHER | {"start": "12 s", "start_jitter": "2 s"}}))
    assert found["bulk", "rate"] == pytest.approx(0.3 * 1e6 + 0.7 * 0.5e6)


def test_what_is_over_with_the_warm_up_plays_no_part() -> None:
    changes = [{"at": "2 s", "rate": "9 Mbit/s"}, {"at": "4 s", "rate": "2 Mbit/s"}]
    tree = scenario({"bulk": BULK, "over": OTHER | {"stop": "9 s"}}, {"changes": changes})
    found = beside(tree)
    assert found == {("bulk", "rate"): pytest.approx(2e6)}
    periods = periods_of(resolve(tree))
    assert periods is not None
    assert periods.parts == (1.0,)


def test_nobody_gets_anything_over_a_link_that_is_down() -> None:
    changes = [{"at": "12 s", "up": False}, {"at": "14 s", "up": True}]
    found = beside(scenario({"bulk": BULK}, {"changes": changes}))
    assert found["bulk", "rate"] == pytest.approx(0.8 * 1e6)


def test_routes_are_those_of_the_time() -> None:
    tree = {
        "format": 1,
        "name": "two-ways",
        "duration": "20 s",
        "warmup": "10 s",
        "nodes": {name: {} for name in ("a", "b", "c")},
        "links": {
            "short": {"from": "a", "to": "b", "rate": "1 Mbit/s", "delay": "5 ms"},
            "long-1": {"from": "a", "to": "c", "rate": "3 Mbit/s", "delay": "5 ms"},
            "long-2": {"from": "c", "to": "b", "rate": "3 Mbit/s", "delay": "5 ms"},
        },
        "flows": {"bulk": {"kind": "tcp", "from": "a", "to": "b"}},
    }
    tree["links"]["short"]["changes"] = [{"at": "12 s", "up": False}]
    assert beside(tree)["bulk", "rate"] == pytest.approx(0.2 * 1e6 + 0.8 * 3e6)
    # Delays alone turn no traffic, unless routes are computed anew at times: here at 15 s.
    tree["links"]["short"]["changes"] = [{"at": "11 s", "delay": "50 ms"}]
    assert beside(tree)["bulk", "rate"] == pytest.approx(1e6)
    tree["reroute_interval"] = "5 s"
    assert beside(tree)["bulk", "rate"] == pytest.approx(0.5 * 1e6 + 0.5 * 3e6)


def test_members_count_while_they_are_members() -> None:
    film = {
        "scheme": "tfmcc",
        "source": "left-2",
        "receivers": {"nodes": ["right-1", "right-2"], "join": ["0 s", "15 s"]},
    }
    tree = scenario({}, {"rate": "4 Mbit/s"}, sessions={"film": film})
    tree["links"]["access-right-2"] = {"rate": "1 Mbit/s"}
    found = beside(tree)
    assert found["film-0", "rate"] == pytest.approx(0.5 * 4e6 + 0.5 * 1e6)
    assert found["film-1", "rate"] == pytest.approx(1e6)
    assert found["film", "sending_rate"] == pytest.approx(2.5e6)
    # The mean over the time of both: 10 s and 5 s.
    assert found["film", "rate"] == pytest.approx((10 * 2.5e6 + 5 * 1e6) / 15)


def test_the_distance_is_that_of_the_rates_over_time() -> None:
    changes = [{"at": "15 s", "rate": "2 Mbit/s"}]
    result = faircast.run(scenario({"bulk": BULK}, {"changes": changes}))
    rate = result["bulk", "rate"]
    assert result["run", "optimum_distance"] == pytest.approx(abs(rate / 1.5e6 - 1))
    assert distance(
        {"a": {"a": 2.0}, "b": {"b-0": 1.0, "b-1": 4.0}}, {"a": 1.0, "b-0": 1.0, "b-1": 8.0}
    ) == pytest.approx(math.sqrt((0.25 + 0.5) / 2))


def test_a_transfer_has_no_optimum_and_a_warning_says_so() -> None:
    page = OTHER | {"segments": 50, "start": "12 s"}
    tree = scenario({"bulk": BULK, "page": page})
    result = faircast.run(tree)
    assert all(math.isnan(row["optimum"]) for row in result.summary.to_pylist())
    assert "optimum_distance" not in result.summary.column("metric").to_pylist()
    (told,) = [one for one in result.warnings.to_pylist() if one["kind"] == "no-optimum"]
    assert (told["subject"], told["value"]) == ("page", 1.0)
    assert told["message"].startswith("flow page ends when its segments have arrived")
    assert [one.path for one in known(tree)] == ["flows.page.segments"]
    tree["flows"]["page"] |= {"count": 2, "from": ["left-1", "left-2"], "to": ["right-1", "right-2"]}
    (told,) = known(tree)
    assert told.path == "flows.page.segments"
    assert told.message.startswith("flow page-0 and flow page-1 end when")


def test_more_changes_than_are_looked_at_are_told() -> None:
    rates = [{"at": f"{10 + step / 400:.4f} s", "rate": f"{1000 + step} kbit/s"} for step in range(1, 2001)]
    assert periods_of(resolve(scenario({"bulk": BULK}, {"changes": rates[:1999]}))) is not None
    tree = scenario({"bulk": BULK}, {"changes": rates})
    assert periods_of(resolve(tree)) is None
    (told,) = [one for one in faircast.run(tree).warnings.to_pylist() if one["kind"] == "no-optimum"]
    assert told["value"] == 1999.0
    assert known(tree)
