"""Writes the element sets of the 66 operational satellites of Iridium NEXT, for the Python package and for the crate.

python tools/iridium_sample.py tracker.js

The input is tracker.js of github.com/vaitha6/Iridium-doppler-trigger-sample at commit 0e8b2fb, in which two-line
elements stand beside the status of each satellite. Lines of a wrong checksum are refused. The output is a list of OMMs
(CCSDS 502.0-B) in JSON with the fields that CelesTrak gives, one satellite a line, sorted by catalogue number.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TARGETS = [ROOT / folder / "data/iridium-next.json" for folder in ("python/faircast", "crates/scenario")]
"""A crate that is packaged has nothing but what lies in its folder."""


def checksum(line: str) -> int:
    """The last digit of a line: the sum of its digits, a minus counting 1."""
    return sum(int(c) if c.isdigit() else c == "-" for c in line[:68]) % 10


def exponential(field: str) -> float:
    """A number as in `-64509-5`: a sign, the digits behind the point, an exponent."""
    return float(f"{field[0]}.{field[1:6].strip()}e{field[6:8]}".strip())


def omm(name: str, first: str, second: str) -> dict[str, Any]:
    """An OMM of what two lines say."""
    for line in (first, second):
        if len(line) != 69 or checksum(line) != int(line[68]):
            raise SystemExit(f"{name}: wrong length or checksum: {line}")
    year = int(first[18:20])
    year += 1900 if year >= 57 else 2000
    # Eight decimals of a day are 0.864 ms; whole microseconds hold them.
    micros = round(float(first[20:32]) * 86_400e6)
    epoch = datetime.datetime(year, 1, 1) + datetime.timedelta(microseconds=micros - 86_400_000_000)
    launch = first[9:17].strip()
    return {
        "OBJECT_NAME": name,
        "OBJECT_ID": f"{1900 + int(launch[:2]) if int(launch[:2]) >= 57 else 2000 + int(launch[:2])}-{launch[2:]}",
        "EPOCH": epoch.isoformat(timespec="microseconds"),
        "MEAN_MOTION": float(second[52:63]),
        "ECCENTRICITY": float(f"0.{second[26:33]}"),
        "INCLINATION": float(second[8:16]),
        "RA_OF_ASC_NODE": float(second[17:25]),
        "ARG_OF_PERICENTER": float(second[34:42]),
        "MEAN_ANOMALY": float(second[43:51]),
        "EPHEMERIS_TYPE": 0,
        "CLASSIFICATION_TYPE": first[7],
        "NORAD_CAT_ID": int(first[2:7]),
        "ELEMENT_SET_NO": int(first[64:68]),
        "REV_AT_EPOCH": int(second[63:68]),
        "BSTAR": exponential(first[53:61]),
        "MEAN_MOTION_DOT": float(first[33:43]),
        "MEAN_MOTION_DDOT": exponential(first[44:52]),
    }


def main() -> None:
    """Reads, selects, converts and writes."""
    text = Path(sys.argv[1]).read_text()
    start = re.search(r"iridiumTLEs\s*=\s*", text)
    if start is None:
        raise SystemExit(f"{sys.argv[1]}: no iridiumTLEs in it")
    listed, _ = json.JSONDecoder().raw_decode(text, start.end())
    kept = [one for one in listed if one["type"] == "Iridium NEXT" and one["status"] == "Operational"]
    sets = sorted((omm(one["name"], one["tle1"], one["tle2"]) for one in kept), key=lambda one: one["NORAD_CAT_ID"])
    for target in TARGETS:
        target.parent.mkdir(exist_ok=True)
        target.write_text("[\n" + ",\n".join(json.dumps(one) for one in sets) + "\n]\n")
        print(f"{len(sets)} satellites, {target.stat().st_size} bytes, {target}")


if __name__ == "__main__":
    main()
