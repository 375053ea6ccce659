"""Writes crates/orbit/tests/skyfield.json: where Skyfield has satellites in the Earth-fixed frame (ITRS), km.

python3 -m venv VENV && VENV/bin/pip install skyfield sgp4 && VENV/bin/python tools/skyfield_positions.py

Twenty satellites of the sample python/faircast/data/iridium-next.json and four that are not in low orbits, every hour
of a day. Skyfield is a different implementation of everything: SGP4, the turning of the Earth (with its own tables of
UT1 and leap seconds; no file is fetched) and the frames.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sgp4 import omm
from sgp4.api import Satrec
from skyfield.api import EarthSatellite, load
from skyfield.framelib import itrs

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "python/faircast/data/iridium-next.json"
TARGET = ROOT / "crates/orbit/tests/skyfield.json"
START = (2025, 8, 7)

# Above 225 minutes SGP4 takes other ways: a half-day orbit that is eccentric, one that is nearly circular, one over the
# equator of eight hours' period and one that stays where it is. Made up, like real ones; with the date of the sample.
HIGH = [
    ("ECCENTRIC", 63.4, 279.1, 0.6877, 264.8, 20.2, 2.00612),
    ("HALF-DAY", 55.1, 120.5, 0.0081, 45.3, 315.2, 2.00563),
    ("EQUATORIAL", 0.04, 12.3, 0.0003, 111.1, 222.2, 5.00115),
    ("STATIONARY", 0.05, 77.7, 0.0002, 33.3, 144.4, 1.00271),
]


def made_up(number: int, name: str, *elements: float) -> dict[str, Any]:
    """An OMM with these elements."""
    inclination, node, eccentricity, perigee, anomaly, motion = elements
    return {
        "OBJECT_NAME": name, "OBJECT_ID": "2000-001A", "EPOCH": "2025-08-06T12:34:56.789000", "MEAN_MOTION": motion,
        "ECCENTRICITY": eccentricity, "INCLINATION": inclination, "RA_OF_ASC_NODE": node, "ARG_OF_PERICENTER": perigee,
        "MEAN_ANOMALY": anomaly, "EPHEMERIS_TYPE": 0, "CLASSIFICATION_TYPE": "U", "NORAD_CAT_ID": 99000 + number,
        "ELEMENT_SET_NO": 999, "REV_AT_EPOCH": 1, "BSTAR": 0.0, "MEAN_MOTION_DOT": 0.0, "MEAN_MOTION_DDOT": 0.0,
    }  # fmt: skip


def main() -> None:
    """Propagates and writes."""
    timescale = load.timescale(builtin=True)
    low = json.loads(SAMPLE.read_text())[::3][:20]
    high = [made_up(number, *one) for number, one in enumerate(HIGH)]
    times = [timescale.utc(*START, hour) for hour in range(25)]
    satellites = []
    for fields in low + high:
        record = Satrec()
        omm.initialize(record, {key: str(value) for key, value in fields.items()})
        satellite = EarthSatellite.from_satrec(record, timescale)
        places = [[round(float(x), 3) for x in satellite.at(at).frame_xyz(itrs).km] for at in times]
        satellites.append({"name": fields["OBJECT_NAME"], "places": places})
    lines = ["{", f'"start": "{START[0]}-{START[1]:02}-{START[2]:02}T00:00:00", "seconds": 3600,', '"high": [']
    lines.append(",\n".join(json.dumps(one) for one in high))
    lines.append('],\n"satellites": [')
    lines.append(",\n".join(json.dumps(one, separators=(",", ":")) for one in satellites))
    lines.append("]\n}\n")
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text("\n".join(lines))
    print(f"{len(satellites)} satellites, {TARGET.stat().st_size} bytes, {TARGET}")


if __name__ == "__main__":
    main()
