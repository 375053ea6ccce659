"""Runs scenarios in the native core and writes down what came out, for the core in WebAssembly to be held against.

    python tools/web_tables.py target/web/tables.json               # the examples, 200 drawn ones, real satellites
    python tools/web_tables.py target/web/tables.json --drawn 1000 --seed 7

Of each table there is a digest (SHA-256) column by column: of numbers their doubles, little-endian, every NaN as the
same one; of words their codes and the words. What is drawn follows from seed and number alone (`fuzz_drawing.py`);
scenarios that take more than two million packet-hops or some seconds are passed over, and another is drawn for them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fuzz_drawing
import numpy as np

from faircast import _native
from faircast.scenario import resolve

EXAMPLES = Path(__file__).resolve().parents[1] / "examples" / "scenarios"
MOST_HOPS = 2_000_000
LIMIT_S = 5.0
REAL = """
format = 1
name = "real-{number}"
duration = "900 s"
warmup = "0 s"
[topology]
kind = "constellation"
shell = "elements"
elements = "iridium-next"
planes = 6
handoff = "{handoff}"
[stations.berkeley]
latitude = 37.9
longitude = -122.3
[stations.boston]
latitude = 42.3
longitude = -71.1
[stations.sydney]
latitude = -33.9
longitude = 151.2
[flows.there]
kind = "tcp"
from = "berkeley"
to = "boston"
[flows.far]
kind = "cbr"
rate = "80 kbit/s"
packet_size = "1000 B"
from = "sydney"
to = "boston"
[probes]
paths = [{{ from = "berkeley", to = "sydney" }}]
queues = ["berkeley-up"]
"""
"""Satellites by SGP4, whose sines may be those of the platform."""


def digests(raw: Any) -> dict[str, dict[str, str]]:
    """By table and column the digest of what it holds, the number of rows in front of the columns."""
    found: dict[str, dict[str, str]] = {}
    for table, columns in raw.tables().items():
        own = found[table] = {}
        for name, kind, data, words in columns:
            if kind == "str":
                told = np.frombuffer(data, "<i4").astype("<u4").tobytes() + json.dumps(words).encode()
            else:
                numbers = np.frombuffer(data, "<f8" if kind == "f64" else "<i8").astype("<f8")
                told = np.where(np.isnan(numbers), np.nan, numbers).astype("<f8").tobytes()
            own[name] = hashlib.sha256(told).hexdigest()
    return found


def ran(name: str, scenario: str, seed: int, group: str) -> dict[str, Any] | None:
    """What a resolved scenario gives; None if it takes too long."""
    control = _native.Control()
    timer = threading.Timer(LIMIT_S if group == "drawn" else 600, control.cancel)
    timer.daemon = True
    timer.start()
    try:
        raw = _native.run(scenario, seed, control)
    except _native.ScenarioError:
        return None
    finally:
        timer.cancel()
    if raw.interrupted or (group == "drawn" and raw.packet_hops > MOST_HOPS):
        return None
    return {
        "name": name,
        "group": group,
        "seed": seed,
        "scenario": scenario,
        "packet_hops": raw.packet_hops,
        "events": raw.events,
        "tables": digests(raw),
        "warnings": [message for _, _, _, message in raw.warnings],
    }


def drawn(seed: int) -> Iterator[tuple[str, str]]:
    """Legal scenarios, one after the other."""
    number = 0
    while True:
        tree = fuzz_drawing.draw(random.Random(f"{seed}/{number}"), lambda _: None)
        if tree is not None:
            yield f"drawn {seed}/{number}", resolve(tree).json
        number += 1


def main() -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--drawn", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    found = []
    for path in sorted(EXAMPLES.glob("*.toml")):
        resolved = resolve(path)
        found.append(ran(path.stem, resolved.json, resolved.seed, "example"))
    for number, handoff in enumerate(("follow-plane", "nearest", "longest-lived")):
        tree = json.loads(_native.toml_to_json(REAL.format(number=number, handoff=handoff)))
        found.append(ran(f"real, {handoff}", resolve(tree).json, 1, "real"))
    others = (ran(name, scenario, 1, "drawn") for name, scenario in drawn(args.seed))
    while sum(one is not None and one["group"] == "drawn" for one in found) < args.drawn:
        found.append(next(others))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps([one for one in found if one is not None]), encoding="utf-8")


if __name__ == "__main__":
    main()
