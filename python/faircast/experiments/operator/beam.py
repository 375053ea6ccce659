"""The beam of the study, and what is put into it: one carrier for 300 terminals, a shower, a film, pages.

It is the preset ``ka-beam``, a bent pipe whose queue is at the station, with a tenth of its symbols.
`examples/scenarios/operator.toml` is one of the cases as a file. Choices:

* 10 million symbols a second are 36 Mbit/s under a clear sky. Terminals answer on one return channel, whose slots
  nobody asked for are shared by all (free capacity): without it each acknowledgement of a quiet terminal would wait
  for an answer to its request.
* 20 terminals are under one shower, which takes 10 dB at its worst, as strong rain does at 20 GHz.
* The film has three layers of 1, 1 and 2 Mbit/s, or is there at 1, 2 and 4 Mbit/s where the source adapts it. A picture
  comes when 6 s of it are there; error correction of 5 % makes good what is lost at random, and no more.
* Pages are objects of 10 KB to 3 MB, with heavy tails, by CUBIC as Linux has it, with one round trip of TLS.
* Proxies, at the station, send with an initial window of 40 segments and go by CUBIC as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

TERMINALS, WET = 300, 20
"""How many terminals there are; the last ones of them are under the shower."""
LINK = "beam-down"
SYMBOL_RATE = "10 Mbaud"
DURATION_S, WARMUP_S = 300, 100
"""The first slow start of TFMCC over GEO takes up to 80 s."""
QUICK_S = 180
"""How long runs of ``--quick`` are: to the end of the shower."""
LOADS: tuple[float, ...] = (0.3, 0.6, 0.9)
"""Pages, as a part of what the carrier has under a clear sky."""
SHOWER = ((120, 3), (130, 6), (140, 10), (180, 6), (190, 3), (200, 0))
"""When, s, it takes how much, dB."""
SEGMENT_S = 2
RATES = ["1 Mbit/s", "1 Mbit/s", "2 Mbit/s"]
"""What the layers carry, from the base on."""
FILM_DSCP = 34
"""AF41, which names the film's class where there is one."""
PEP: dict[str, Any] = {"at": ["beam-station"], "variant": "cubic", "initial_cwnd": "40 packets"}
PATIENT = {"interval": "600 ms", "target": "30 ms"}
"""CoDel over GEO: its interval is a round trip, and its target a twentieth of that."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What can be put into the beam: a queue or a scheme for the film."""

    title: str
    """What stands in tables and beside marks."""
    config: dict[str, Any]
    """What a link or a session says of it."""
    agent: dict[str, Any] | None = None
    """Of a queue: what tells layer blocking of its state."""


BY_DROPS = {"kind": "layer-blocking", "reads": "drops"}
"""Where the length of the queue says nothing of what the film may have."""
FAIR = {"kind": "fq-codel", **PATIENT}
QUEUES: dict[str, Choice] = {
    "quarter": Choice(
        title="drop-tail, ¼ BDP",
        config={"kind": "drop-tail", "limit": "0.25 BDP"},
        agent={"kind": "layer-blocking"},
    ),
    "one": Choice(
        title="drop-tail, 1 BDP", config={"kind": "drop-tail", "limit": "1 BDP"}, agent={"kind": "layer-blocking"}
    ),
    "codel": Choice(title="CoDel", config={"kind": "codel", **PATIENT}, agent=BY_DROPS),
    "fair": Choice(title="FQ-CoDel", config=FAIR, agent=BY_DROPS),
    "class": Choice(
        title="film first",
        config={
            "kind": "classes",
            "classes": [
                {"name": "film", "dscp": [FILM_DSCP], "queue": {"kind": "drop-tail", "limit": "500 packets"}},
                {"name": "rest", "priority": 1, "queue": FAIR},
            ],
        },
        agent=BY_DROPS,
    ),
}
"""The queues at the station. In the last one the film goes before all else, and the rest is in FQ-CoDel."""
LAYERED = {"kind": "live", "segment": f"{SEGMENT_S} s", "start": "6 s", "fec": 0.05}
FILMS: dict[str, Choice] = {
    "constant": Choice(title="constant", config={"scheme": "layered-cbr", "rates": RATES, "playout": LAYERED}),
    "rlm": Choice(title="RLM", config={"scheme": "rlm", "rates": RATES, "playout": LAYERED}),
    "blocking": Choice(title="layer blocking", config={"scheme": "layer-blocking", "rates": RATES, "playout": LAYERED}),
    "smcc": Choice(
        title="SMCC",
        config={
            "scheme": "smcc",
            "base_rate": "1 Mbit/s",
            "layers": 3,
            "tfmcc": {"initial_max_rtt": "1 s"},
            "playout": LAYERED,
        },
    ),
    "tfmcc": Choice(
        title="TFMCC",
        config={
            "scheme": "tfmcc",
            "initial_max_rtt": "1 s",
            "playout": LAYERED | {"media_rate": ["1 Mbit/s", "2 Mbit/s", "4 Mbit/s"]},
        },
    ),
}
"""How the film is sent. Layers are those of `RATES`, of SMCC as wide as it finds; TFMCC's source adapts the film."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """What is put into the beam."""

    film: str
    """A key of `FILMS`."""
    queue: str
    """A key of `QUEUES`."""
    load: float
    """What pages ask for, one of `LOADS`."""
    pep: bool
    """Whether a proxy splits TCP at the station."""
    duration_s: int = DURATION_S

    def changed(self, *, pep: bool) -> Case:
        """The case itself, with a proxy or without one."""
        return replace(self, pep=pep)


def scenario(case: Case) -> dict[str, Any]:
    """The scenario of a case."""
    film, queue = FILMS[case.film], QUEUES[case.queue]
    agent = {"agent": queue.agent} if film.config["scheme"] == "layer-blocking" else {}
    return {
        "format": 1,
        "name": f"x-operator-{case.film}-{case.queue}-{round(100 * case.load)}{'-pep' if case.pep else ''}",
        "duration": f"{case.duration_s} s",
        "warmup": f"{WARMUP_S} s",
        "topology": {
            "kind": "branches",
            "sources": 2,
            "branches": {
                "beam": {
                    "preset": "ka-beam",
                    "receivers": TERMINALS,
                    "down": {"symbol_rate": SYMBOL_RATE, "queue": queue.config, **agent},
                }
            },
        },
        "return_channels": {"beam-return": {"access": {"kind": "vbdc", "free": True}}},
        "links": {
            f"{LINK}-[{TERMINALS - WET}-{TERMINALS - 1}]": {
                "changes": [{"at": f"{at_s} s", "attenuation": f"{db} dB"} for at_s, db in SHOWER]
            }
        },
        "sessions": {"film": {"source": "source-0", "dscp": FILM_DSCP, **film.config}},
        "flows": {
            "pages": {
                "kind": "web",
                "count": TERMINALS,
                "from": "source-1",
                "to": f"beam-[0-{TERMINALS - 1}]",
                "load": case.load,
                "link": LINK,
                "size": {"kind": "pareto", "least": "10 KB", "shape": 1.2, "most": "3 MB"},
                "tls_round_trips": 1,
                "profile": "linux",
                "variant": "cubic",
                **({"pep": PEP} if case.pep else {}),
            }
        },
        "probes": {"flows": False, "links": False, "events": False},
    }
