"""How many receivers of SMCC report at one time: behind one bottleneck all find the same loss and the same rate."""

from __future__ import annotations

import pytest

import faircast

RECEIVERS = 1000


def reports(control: str, seed: int) -> list[int]:
    """Reports that the source gets in each 100 ms of 40 s, beside a TCP."""
    red = {"kind": "red", "limit": "200 packets", "min_th": "10 packets", "max_th": "100 packets", "gentle": True}
    scenario = {
        "format": 1,
        "name": "reports",
        "duration": "40 s",
        "warmup": "0 s",
        "topology": {
            "kind": "dumbbell",
            "left": 2,
            "right": RECEIVERS,
            "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
        },
        "links": {"bottleneck": {"rate": "10 Mbit/s", "delay": "10 ms", "queue": red}},
        "sessions": {
            "s": {
                "scheme": "smcc",
                "control": control,
                "base_rate": "500 kbit/s",
                "layers": 4,
                "source": "left-0",
                "receivers": {},
            }
        },
        "flows": {"w": {"kind": "tcp", "wnd": "1000 packets", "from": "left-1", "to": "right-0"}},
        "probes": {"flows": True, "links": False, "interval": "0.1 s"},
    }
    rows = faircast.run(scenario, seed=seed, jobs=1).flows.to_pylist()
    return [row["reports_received"] for row in rows if row["flow"] == "s"]


@pytest.mark.parametrize(("control", "seed"), [("tfmcc", 2), ("tfmcc", 8), ("pgmcc", 2), ("pgmcc", 14)])
def test_a_thousand_that_join_and_leave_together_do_not_report_together(control: str, seed: int) -> None:
    # All said so at once: 240 reports in 100 ms with TFMCC; 680 with windows, acknowledgements included.
    found = reports(control, seed)
    assert max(found) <= 60
    # They do report: the source has a lead in each layer, and hears of others in each round.
    assert sum(found) > 1000
