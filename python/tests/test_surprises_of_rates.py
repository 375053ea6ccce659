"""Why TFMCC and OMCC surprise beside TCP: what is changed, nothing else, and the arithmetic."""

from __future__ import annotations

import copy
import json
import math
from array import array
from typing import Any

import pytest

from faircast import _native
from faircast.arrow import to_arrow
from faircast.experiment import Data, PointData, judge
from faircast.experiments import load
from faircast.experiments.side_by_side import geo, runs
from faircast.experiments.side_by_side.cells import BESIDE, Cell, Situation
from faircast.experiments.side_by_side.surprises import cubic, omcc, phases
from faircast.figures import style
from faircast.scenario import resolve
from faircast.summary import Layout, RunSummary

NONE: Any = None


def of_cell(path: str, scheme: str, tcp: str = "sack") -> dict[str, Any]:
    made = runs.scenario(Cell(situation=Situation(path=path, loss=0.0, tcp=tcp), run=BESIDE, scheme=scheme))
    return json.loads(json.dumps({**made, "name": "x"}))  # type: ignore[no-any-return]


def summary(values: dict[tuple[str, str], float]) -> RunSummary:
    return RunSummary(Layout(tuple((*key, "1") for key in values)), array("d", values.values()))


def points(of: dict[Any, list[dict[tuple[str, str], float]]], reduced: Any = None) -> Data:
    found = {}
    for key, seeds in of.items():
        numbered = dict(enumerate(seeds, start=1))
        found[key] = PointData(
            NONE, {seed: summary(one) for seed, one in numbered.items()}, reduced=dict.fromkeys(numbered, reduced)
        )
    return Data(found, list(range(1, len(next(iter(of.values()))) + 1)), quick=False)


def test_the_delays_of_geo_shrink_and_its_packets_stay() -> None:
    untouched = copy.deepcopy(geo.PLENTY)
    for tcp in ("cubic", "sack"):
        same = cubic.scenario((540, "tfmcc", tcp))
        cell = resolve(of_cell("geo", "tfmcc", tcp)).data
        assert resolve(same | {"name": "x"}).data == cell
    topology = cubic.scenario((54, "tfmcc", "cubic"))["topology"]
    links = topology["branches"]["sat"] | {"access": topology["access"]}
    way = [float(links[name]["delay"].removesuffix(" ms")) for name in ("access", "trunk", "feeder", "down")]
    assert way == pytest.approx([1, 1, 12.5, 12.5])
    assert float(links["up"]["delay"].removesuffix(" ms")) == 12.5
    rates = [links[name]["rate"] for name in ("down", "up", "feeder")]
    assert rates == ["3000 kbit/s", "640 kbit/s", "100 Mbit/s"]
    assert links["down"]["queue"]["limit"] == "50 packets"
    assert untouched == geo.PLENTY  # the other experiments run over the same links


def test_a_sack_flow_takes_the_place_of_the_session() -> None:
    made = cubic.scenario((540, "sack", "cubic"))
    assert not made["sessions"]
    ours, theirs = made["flows"]["film-0"], made["flows"][geo.TCP]
    assert (ours["variant"], theirs["variant"], ours["to"]) == ("sack", "cubic", theirs["to"])
    assert "recovery" not in ours


def test_only_the_uplink_or_one_cure_differs_between_phases() -> None:
    cell = of_cell("geo", "tfmcc", "cubic")
    assert resolve(phases.scenario(("cubic", "jitter", 0.0)) | {"name": "x"}).data == resolve(cell).data
    assert cell["flows"][geo.TCP].pop("send_jitter") == "13.6533 ms"
    assert resolve(phases.scenario(("cubic", "delay", 0.0)) | {"name": "x"}).data == resolve(cell).data
    for key, where in (
        (("cubic", "delay", 0.5), ("topology", "branches", "sat", "up")),
        (("cubic", "jitter", 0.0), ("flows", geo.TCP)),
        (("cubic", "red", 0.0), ("topology", "branches", "sat", "down")),
    ):
        made = phases.scenario(key) | {"name": "x"}
        inside, theirs = made, cell
        for name in where[:-1]:
            inside, theirs = inside[name], theirs[name]
        assert inside[where[-1]] != theirs[where[-1]]
        changed = inside[where[-1]]
        inside[where[-1]] = theirs[where[-1]]
        if where[-1] != "up":
            made["topology"]["branches"]["sat"]["up"].pop("delay")
        assert made == cell
        if where[-1] == "up":
            assert float(changed["delay"].split()[0]) == pytest.approx(125 + 13.6533 / 2, abs=1e-3)


def test_nothing_but_the_number_of_receivers_differs_between_factors() -> None:
    for utility in ("log", "tcp"):
        made, cell = omcc.scenario((utility, 6)) | {"name": "x"}, of_cell("tree", f"omcc-{utility}")
        assert made["sessions"]["film"].pop("population") == {"kind": "configured", "receivers": 6}
        assert json.loads(json.dumps(made)) == cell
    assert omcc.factor(("log", 6)) == 6
    assert omcc.factor(("tcp", 6)) == pytest.approx(2.449, abs=1e-3)


def test_the_critical_factor_is_where_the_equation_touches_what_is_sent() -> None:
    assert omcc.critical() == pytest.approx(5.329, abs=1e-3)
    assert omcc.asked(100) == pytest.approx(1 / (math.sqrt(2 / 300) + 12 * math.sqrt(3 / 800) * 0.01 * 1.0032))
    at_it = [omcc.critical() * omcc.asked(window) / window for window in omcc.WINDOWS]
    assert max(at_it) == pytest.approx(1, abs=1e-3)
    assert max(value for value in at_it if value < 0.999) < 1


def test_the_round_trip_is_that_of_the_slowest_receiver_after_the_warm_up() -> None:
    made = omcc.scenario(("log", 2)) | {"duration": "70 s"}
    raw = _native.run(resolve(made).json, 1)
    table = raw.tables()["receivers"]
    found = omcc.round_trip(raw)
    assert 0.06 < found < 0.18
    slow: list[float] = []
    fast: list[float] = []
    for row in to_arrow(table).to_pylist():
        if row["t_s"] > 60 and row["receiver"] in ("film-0", "film-5"):
            (slow if row["receiver"] == "film-0" else fast).append(row["rtt_s"])
    assert found == pytest.approx(sum(slow) / len(slow))
    assert found > sum(fast) / len(fast)


def of_tree(sent: float, received: float, tcp: float, events: float) -> dict[tuple[str, str], float]:
    return {
        ("film", "sending_rate"): sent,
        ("film-0", "rate"): received,
        ("film-0", "loss_events"): events,
        ("tcp-1mbit-0", "rate"): tcp / 2,
        ("tcp-1mbit-1", "rate"): 3 * tcp / 2,
    }


def test_what_log_omcc_leaves_is_judged_and_drawn() -> None:
    data = points(
        {
            ("log", 1): [of_tree(5e5, 4e5, 2e5, 800), of_tree(5e5, 4e5, 3e5, 800)],
            ("log", 5): [of_tree(1.1e6, 9e5, 30_001, 3200), of_tree(1.1e6, 9e5, 29_999, 3200)],
            ("log", 6): [of_tree(2e6, 1e6, 999, 5400), of_tree(2e6, 1e6, 1001, 5400)],
        },
        reduced=0.1,
    )
    assert omcc.ratio(data, ("log", 1)).mean == pytest.approx(1.6)
    assert omcc.dropped(data, ("log", 6)).mean == pytest.approx(0.5)
    assert omcc.events(data, ("log", 6)).mean == pytest.approx(1)
    experiment = load("x-all-omcc")
    verdicts = [judge(one, data) for one in experiment.criteria]
    assert [one.verdict for one in verdicts[:-1]] == ["reported"] * 5
    assert (verdicts[-1].verdict, verdicts[-1].measured) == ("agrees", pytest.approx(1 / 30))
    assert "30 kbit/s beside an equation times 5 and 1 kbit/s beside one times 6" in experiment.says(data)
    assert experiment.figure is not None
    assert experiment.numbers is not None
    assert [row[1] for row in experiment.numbers(data).rows] == ["1", "5", "6"]
    with style():
        left, right = experiment.figure(data).axes
    assert left.get_ylabel() == "rate (Mbit/s)"
    assert len(right.lines) == len(omcc.DRAWN) + 1


def of_geo(session: float, tcp: float) -> dict[tuple[str, str], float]:
    return {
        ("film-0", "rate"): session,
        ("film-0", "loss_events"): 20,
        ("film", "sent"): 1000,
        ("tcp-0", "rate"): tcp,
        ("tcp-0", "loss_reductions"): 10,
        ("tcp-0", "sent"): 2000,
    }


def test_ratios_over_round_trips_are_ratios_of_means() -> None:
    data = points(
        {
            (540, "tfmcc", "cubic"): [of_geo(1e4, 1e5), of_geo(1e4, 3e5)],
            (54, "tfmcc", "cubic"): [of_geo(1e5, 2e5), of_geo(1e5, 2e5)],
        }
    )
    assert cubic.ratio(data, (540, "tfmcc", "cubic")).mean == pytest.approx(0.05)
    assert cubic.falls("tfmcc", data).value == pytest.approx(0.1)
    assert cubic.reductions("cubic", data).value == pytest.approx(54)
    assert cubic.rtts(data) == [54, 540]


def test_phases_are_judged_by_their_extremes() -> None:
    given = {}
    for tcp in ("sack", "cubic"):
        for change, shift, rate in (("delay", 0.0, 1e5), ("delay", 0.9, 4e5), ("jitter", 0.0, 2e5), ("red", 0.0, 3e5)):
            given[tcp, change, shift] = [of_geo(rate, 1e5), of_geo(rate, 1e5)]
    data = points(given)
    assert phases.spread("cubic", data).value == pytest.approx(4)
    assert "with 0.0 ms more" in phases.spread("cubic", data).note
    assert phases.cured("cubic", "jitter", data).value == pytest.approx(2)
    assert phases.events(data, ("cubic", "red", 0.0)).mean == pytest.approx(4)
    experiment = load("x-all-phases")
    assert "Beside SACK TFMCC gets 1 to 4 times" in experiment.says(data)
    assert experiment.figure is not None
    with style():
        figure = experiment.figure(data)
    assert [axes.get_title() for axes in figure.axes] == ["beside SACK", "beside CUBIC"]


@pytest.mark.parametrize("name", ["x-all-cubic", "x-all-omcc", "x-all-phases"])
def test_all_points_are_legal(name: str) -> None:
    for quick in (False, True):
        made = load(name).points(quick)
        assert len({point.key for point in made}) == len(made)
    for point in made:
        resolve(point.scenario)
