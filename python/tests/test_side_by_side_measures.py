"""What is kept of a run of the comparison, worked out by hand, and that real runs keep within what is possible."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from faircast import _native
from faircast.arrow import to_arrow
from faircast.experiments.side_by_side import runs
from faircast.experiments.side_by_side.cells import PATHS, Cell, Situation
from faircast.experiments.side_by_side.measures import KINDS, of_tables, reduce, settled_s, variation
from faircast.experiments.side_by_side.path import Bottleneck
from faircast.scenario import resolve

GEO = Situation(path="geo", loss=0.0, tcp="sack")


def every(*parts: tuple[float, float]) -> Any:
    """Rates every 0.1 s: for so many seconds so much."""
    return np.concatenate([np.full(round(10 * seconds), float(rate)) for seconds, rate in parts])


def test_rates_vary_by_the_bin() -> None:
    # 5 packets of 1000 B in 0.1 s are 400 kbit/s.
    rates = np.tile([0.0, 800e3], 500)
    assert [variation(rates, bin_s, 1000) for bin_s in (0.1, 1, 10)] == [1.0, 0.0, 0.0]
    assert variation(0.99 * rates, 0.1, 1000) is None
    assert variation(0.99 * rates, 1, 1000) == 0
    # Bins of 10 s with 1 and 3, and half a bin that is left out.
    rates = every((10, 100e3), (10, 300e3), (5, 900e3))
    assert variation(rates, 10, 1000) == pytest.approx(0.5)
    assert variation(every((100, 0)), 10, 1000) is None
    assert variation(every((5, 1e6)), 10, 1000) is None, "no whole bin"


def test_settled_is_what_stays_within_a_quarter_for_half_a_minute() -> None:
    # The mean from 38 s to 48 s is the first within a quarter of 100, with 8 of 10 s of it.
    assert settled_s(every((40, 0), (160, 100))) == 38
    # Between 60 and 70 s there is nothing: from 68 s on at most 2 s of ten are missing.
    assert settled_s(every((40, 0), (20, 100), (10, 0), (130, 100))) == 68
    # A first half that stays by itself for less than 30 s does not count, one that stays so long does.
    assert settled_s(every((27, 100), (73, 0), (100, 100))) == 98
    assert settled_s(every((30, 100), (70, 0), (100, 100))) == 0
    assert settled_s(every((200, 100))) == 0
    # A quarter more or less is still inside.
    assert settled_s(every((50, 75), (50, 125), (100, 100))) == 0
    # With 126 for a second less than ten and 100 for that one the mean is 123.4.
    assert settled_s(every((50, 74), (50, 126), (100, 100))) == 91


def test_what_never_stays_or_is_nothing_has_not_settled() -> None:
    assert settled_s(np.tile(every((20, 0), (20, 200)), 10)) is None
    assert settled_s(every((200, 0))) is None
    assert settled_s(every((100, 100), (100, 0))) is None
    assert settled_s(every((29, 100))) is None


def columns(**given: Any) -> Any:
    """Columns as the core gives them."""
    found = []
    for name, values in given.items():
        if isinstance(values[0], str):
            words = list(dict.fromkeys(values))
            found.append((name, "str", np.array([words.index(word) for word in values], np.int32).tobytes(), words))
        else:
            found.append((name, "f64", np.array(values, np.float64).tobytes(), None))
    return found


def tables(
    numbers: dict[tuple[str, str], float], rates: dict[str, Any], received: dict[str, Any], waits: list[tuple[Any, ...]]
) -> Any:
    """Tables with these numbers in the summary, rates of flows and receivers, and waits: link, flow, packets, mean."""

    def over_time(what: str, found: dict[str, Any]) -> Any:
        names = [name for values in zip(*found.values(), strict=True) for name in found if values]
        both = {what: names or ["nobody"], "rate_bps": np.array(list(found.values())).T.ravel() if found else [0.0]}
        return columns(**both)

    return {
        "summary": columns(
            subject=[subject for subject, _ in numbers],
            metric=[metric for _, metric in numbers],
            unit=["1"] * len(numbers),
            value=list(numbers.values()),
        ),
        "flows": over_time("flow", rates),
        "receivers": over_time("receiver", received),
        "sojourn": columns(**dict(zip(("link", "flow", "packets", "mean_s"), zip(*waits, strict=True), strict=True))),
    }


def test_what_is_kept_by_hand() -> None:
    path = replace(
        PATHS["geo"],
        bottlenecks=tuple(
            Bottleneck(link=link, mbps=1.0, tcps=("web", "mail", "gone"), receivers=(), instead=("more",))
            for link in ("used", "blocked", "idle")
        ),
        warmup_s=10,
        packet_bytes=1000,
    )
    numbers = {
        ("web", "rate"): 5e5,
        ("film", "reports_received"): 3.0,
        ("film", "messages"): 2.0,
        ("film", "message_bytes"): 50.0,
        ("film", "joins_and_leaves"): 7.0,
        ("film", "grafts_and_prunes"): 5.0,
        ("film", "membership_acknowledgements"): 11.0,
        ("used", "efficiency"): 0.75,
        ("used", "queue_mean"): 10.0,
        ("blocked", "efficiency"): 0.25,
        ("blocked", "queue_mean"): 5.0,
        **{(f"film-{i}", "messages"): 4.0 * (i + 1) for i in range(2)},
        **{(f"film-{i}", "message_bytes"): 100.0 * (i + 1) for i in range(2)},
        ("film-0", "rate"): 4e5,
        ("film-1", "rate"): math.nan,
    }
    late = every((10, 9e9), (10, 1e6), (80, 1e6))
    gone = np.full(1000, np.nan)
    waits = [
        ("used", "", 1400, 0.9),
        ("used", "web", 300, 0.080),
        ("used", "film", 900, 1.0),
        ("used", "more", 100, 2.0),
        ("used", "mail", 100, 0.040),
        ("blocked", "", 900, 0.5),
        ("blocked", "film", 900, 0.5),
    ]
    found = of_tables(path, tables(numbers, {"web": late, "film": late}, {"film-0": late, "film-1": gone}, waits))
    got = {"cov": [0.0, 0.0, 0.0], "settled_s": 10.0}
    assert found["tcps"] == {"web": {"rate": 5e5, **got}}
    nothing = {"rate": 0.0, "cov": [None, None, None], "settled_s": None}
    assert found["receivers"] == {"film-0": {"rate": 4e5, **got}, "film-1": nothing}
    # 300 packets of 80 ms, 100 of 40 ms; others than those of the TCPs there do not count.
    used = {"queue_pkts": 10.0, "wait_ms": pytest.approx(70.0), "utilisation": 0.75}
    assert found["bottlenecks"] == {
        "used": used,
        "blocked": {"queue_pkts": 5.0, "wait_ms": None, "utilisation": 0.25},
        "idle": {"queue_pkts": 0.0, "wait_ms": None, "utilisation": 0.0},
    }
    assert found["messages"] == {
        "feedback": [12.0, 300.0],
        "source": [2.0, 50.0],
        "hosts": [7.0, 280.0],
        "routers": [5.0, 200.0],
        "acknowledgements": [11.0, 440.0],
    }
    assert list(found["messages"]) == list(KINDS)


@pytest.mark.parametrize(
    ("situation", "kind", "scheme"),
    [
        (GEO, "alone", ""),
        (replace(GEO, loss=0.01), "reference", ""),
        (replace(GEO, tcp="cubic"), "beside", "mlda"),
        (replace(GEO, path="tree"), "beside", "pgmcc"),
        (replace(GEO, path="leo"), "beside", "blocking"),
    ],
)
def test_real_runs_keep_within_what_is_possible(situation: Situation, kind: str, scheme: str) -> None:
    cell, path = Cell(situation=situation, run=kind, scheme=scheme), PATHS[situation.path]
    raw = _native.run(resolve(runs.scenario(cell)).json, 1)
    found, queues = reduce(cell, raw), to_arrow(raw.tables()["sojourn"])
    queues = queues.filter([of == "queue" for of in queues["of"].to_pylist()])
    whole = {row["link"]: row for row in queues.to_pylist()}
    tcps = (*path.tcps, *(path.instead if kind == "reference" else ()))
    assert set(found["tcps"]) == set(tcps)
    assert set(found["receivers"]) == set(path.receivers if kind == "beside" else ())
    everyone = found["tcps"] | found["receivers"]
    for one in path.bottlenecks:
        carried = found["bottlenecks"][one.link]
        behind = [name for name in (*one.tcps, *one.instead) if name in found["tcps"]]
        unicast = math.fsum(everyone[name]["rate"] for name in behind)
        # Sessions have the rate of one of their receivers at least.
        multicast = max((everyone[name]["rate"] for name in one.receivers if name in everyone), default=0.0)
        assert 0 <= carried["utilisation"] <= 1.001
        assert unicast + multicast <= 1.001e6 * one.mbps * carried["utilisation"]
        # How many wait is how many come in a second, times how long each waits [Little].
        packets = whole[one.link]["packets"]
        mean_s = whole[one.link]["mean_s"] if packets else 0.0
        each_s = packets / (path.duration_s - path.warmup_s)
        assert each_s * mean_s == pytest.approx(carried["queue_pkts"], rel=0.02)
        if one.tcps:
            assert 0 < carried["wait_ms"] < 1e3 * path.longest_rtt_s
    for entry in everyone.values():
        assert 0 < entry["rate"] <= 1.001e6 * path.mbps
        assert all(value is None or 0 < value < 3 for value in entry["cov"])
        assert entry["settled_s"] is None or 0 <= entry["settled_s"] <= path.duration_s - 30
    if scheme == "pgmcc":
        feedback, bytes_ = found["messages"]["feedback"]
        assert bytes_ == 59 * feedback > 0
    if kind != "beside":
        assert found["messages"] == {}
