"""The arithmetic of the cross checks."""

from __future__ import annotations

from array import array
from typing import Any

import pytest

from faircast.experiment import Data, PointData
from faircast.experiments.checks import tfmcc_beside_tcp
from faircast.summary import Layout, RunSummary

KEY = ("red", "sack", 2, 50)
RESOLVED: Any = None


def goodputs(**of: float) -> RunSummary:
    rows = tuple((name.replace("_", "-"), "goodput", "bit/s") for name in of)
    return RunSummary(Layout(rows), array("d", of.values()))


def test_tcps_share_is_of_one_flow_and_the_session() -> None:
    runs = {1: goodputs(tfmcc=3e6, tcp_0=0.5e6, tcp_1=1.5e6), 2: goodputs(tfmcc=1e6, tcp_0=1e6, tcp_1=1e6)}
    data = Data({KEY: PointData(RESOLVED, runs)}, [1, 2], quick=False)
    found = tfmcc_beside_tcp.tcp_share(data, KEY)
    assert (found.low, found.high, found.mean) == pytest.approx((0.25, 0.5, 0.375))
    assert tfmcc_beside_tcp.ratio(data, KEY).high == pytest.approx(3.0)
