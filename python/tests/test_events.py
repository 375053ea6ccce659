"""The table of events: short enough for 80 columns, and nothing of it lost."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli
from terminal import RULE, assert_whole_at_all_widths

from faircast.causes.listing import between, cells, units

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "scenarios"


def event(t_s: float, flow: str, name: str, **more: Any) -> dict[str, Any]:
    """A row of the table of events."""
    row = {"receiver": "", "before": math.nan, "after": math.nan, "layer": math.nan, "cause": "time"}
    return {"t_s": t_s, "flow": flow, "event": name, **row, "cause_number": math.nan, "cause_receiver": "", **more}


def test_cells() -> None:
    report = {"cause": "report", "cause_number": 8.0, "cause_receiver": "film-1"}
    rows = [
        event(1.0, "ftp-0", "loss-reduction", before=9.0, after=4.5, cause="loss", cause_number=535.0),
        event(2.0, "film", "rate", before=1e6, after=9.5e5, **report),
        event(3.0, "film", "report", receiver="film-1", before=1e6, after=9.5e5, **report),
        event(3.0, "film", "rate", before=1e6, after=9.5e5, **report),
        event(3.0, "film", "rate", before=1e6, after=9.5e5, **{**report, "cause_receiver": "film-2"}),
        event(3.0, "talk", "rate", before=1e6, after=9.5e5, **report),
        event(4.0, "film", "layer-dropped", receiver="film-0", before=9.0, after=8.0, layer=8.0),
        event(4.0, "film", "layer-dropped", receiver="alice", before=1.0, after=0.0, layer=0.0),
        event(
            5.0,
            "film",
            "rlm-state",
            receiver="film-0",
            before=0.0,
            after=3.0,
            layer=1.0,
            cause="loss",
            cause_number=7.0,
        ),
        event(6.0, "ftp-0", "timeout", before=0.25, cause="loss", cause_number=9.0),
        event(7.0, "film", "loss-event", receiver="film-0", after=0.0125, cause="mark", cause_number=9.0),
    ]
    assert cells(rows, units()) == [
        ["1.0000", "ftp-0", "loss-reduction", "9 to 4.5 packets", "loss 535"],
        ["2.0000", "film", "rate", "1 to 0.95 Mbit/s", "report 8 of film-1"],
        ["3.0000", "film-1", "report", "1 to 0.95 Mbit/s", "report 8"],
        # The line above says whose report it was; the next two are not of that one.
        ["3.0000", "film", "rate", "1 to 0.95 Mbit/s", "report 8"],
        ["3.0000", "film", "rate", "1 to 0.95 Mbit/s", "report 8 of film-2"],
        ["3.0000", "talk", "rate", "1 to 0.95 Mbit/s", "report 8 of film-1"],
        ["4.0000", "film-0", "layer-dropped 8", "9 to 8 layers", "time"],
        ["4.0000", "film alice", "layer-dropped 0", "1 to 0 layers", "time"],
        ["5.0000", "film-0", "rlm-state", "0 to 3", "loss 7 of layer 1"],
        ["6.0000", "ftp-0", "timeout", "250 ms", "loss 9"],
        ["7.0000", "film-0", "loss-event", "0.0125", "mark 9"],
    ]


def test_a_change_names_its_unit_once() -> None:
    assert between(999e3, 1.01e6, "bit/s") == "0.999 to 1.01 Mbit/s"
    assert between(1.01e6, 999e3, "bit/s") == "1.01 to 0.999 Mbit/s"
    assert between(500.0, 20.0, "bit/s") == "500 to 20 bit/s"
    assert between(0.25, 1.5, "s") == "250 ms to 1.5 s"
    assert between(math.nan, math.nan, "s") == ""


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("omcc-bottleneck", ["--from", "20 s", "--to", "20.6 s"]),
        ("omcc-bottleneck", ["--from", "20 s", "--to", "22 s", "--event", "rate"]),
        ("layer-blocking", ["--from", "16 s", "--to", "19 s"]),
        ("mecn-chain", ["--from", "51 s", "--to", "52 s"]),
    ],
)
def test_a_table_at_80_columns(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, options: list[str]
) -> None:
    file = tmp_path / "short.toml"
    text = (EXAMPLES / f"{name}.toml").read_text()
    lines = [line for line in text.splitlines() if not line.startswith(("duration", "warmup"))]
    lines.insert(
        next(i for i, line in enumerate(lines) if line.startswith("name")), 'duration = "53 s"\nwarmup = "2 s"'
    )
    file.write_text("\n".join(lines))
    done = assert_whole_at_all_widths(cli, monkeypatch, "events", file, *options, widths=(80, 100))
    shown = [line for line in done.out.splitlines() if line.strip()]
    # A heading, a rule, and a line for each event.
    assert shown[0].split()[:3] == ["time,", "s", "whose"]
    assert RULE.fullmatch(shown[1].replace(" ", ""))
    assert len(shown) > 5
    assert all(line.split()[0].replace(".", "").isdigit() for line in shown[2:])
