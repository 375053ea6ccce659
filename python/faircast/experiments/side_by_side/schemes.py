"""What the sessions run: the ten schemes of the comparison, and any other.

Parameters are the defaults of each scheme and are never tuned for a path. What a path decides follows rules that are
the same for all paths and all schemes:

* Packets have the path's size.
* TFMCC's first R_max, and that of OMCC and of SMCC's layers, must not be below the longest round-trip time (RFC 4654,
  section 3.1): it is the default of 500 ms, doubled until it is no less than the longest propagation there and back
  and a full queue of the bottleneck. It is 500 ms but over GEO, where it is 2 s.
* Fixed layers go up to the rate of the largest bottleneck: 15 equal ones (layer blocking), or 5 each of which is twice
  the one below (RLM). Their number is the same everywhere, whether or not the base layer fits the slowest bottleneck:
  in the tree it is 107 % of the slowest branch, or 52 %. One who fixes rates for receivers that differ by 16 has that
  choice to make, so what comes of it belongs to the comparison.
* SMCC has 4 layers, each bound twice the one below, the highest the rate of the largest bottleneck. Its counting layers
  have the default periods of 32 to 512 ms and, by the same rule as R_max, as many doubled ones as it takes: a receiver
  needs a period no less than its round-trip time to add one packet in each. Over GEO there are two more, to 2048 ms.
* MLDA has 3 layers and chooses their rates itself.

A scheme from elsewhere has its own defaults, and of these rules those for whose parameters it has the name:
``packet_size`` and ``initial_max_rtt``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any, TypeAlias

from faircast.errors import InputError, brief, choose
from faircast.experiment import Brought
from faircast.experiments.side_by_side.path import Agent, Path

NAMES: dict[str, str] = {
    "tfmcc": "TFMCC",
    "omcc-log": "OMCC, log",
    "omcc-tcp": "OMCC, TCP",
    "pgmcc": "pgmcc",
    "smcc-tfmcc": "SMCC on TFMCC",
    "smcc-pgmcc": "SMCC on pgmcc",
    "rlm": "RLM",
    "mlda": "MLDA",
    "mlda-ias": "MLDA with IAS",
    "blocking": "layer blocking",
    "blocking-drops": "blocking by drops",
}
"""The rows of the comparisons as readers see them."""
IN_QUEUES = tuple(NAMES)
"""Rows of the comparison of queues, of which some say nothing by their length."""
SCHEMES = tuple(name for name in NAMES if name != "blocking-drops")
"""Rows of the comparison of paths."""
AGENTS: dict[str, dict[str, Any]] = {"blocking-drops": {"reads": "drops"}}
"""By what the router agents of rows differ from their defaults."""
OF_ROWS: dict[str, dict[str, Any]] = {
    "tfmcc": {"scheme": "tfmcc"},
    "omcc-log": {"scheme": "omcc", "utility": "log"},
    "omcc-tcp": {"scheme": "omcc", "utility": "tcp"},
    "pgmcc": {"scheme": "pgmcc"},
    "smcc-tfmcc": {"scheme": "smcc", "control": "tfmcc"},
    "smcc-pgmcc": {"scheme": "smcc", "control": "pgmcc"},
    "rlm": {"scheme": "rlm"},
    "mlda": {"scheme": "mlda"},
    "mlda-ias": {"scheme": "mlda", "loss_differentiation": {"rule": "ias"}},
    "blocking": {"scheme": "layer-blocking"},
    "blocking-drops": {"scheme": "layer-blocking"},
}
"""The scheme of each row, and by what it differs from its defaults."""
EQUAL_LAYERS, DOUBLING_LAYERS = 15, 5
"""The number of fixed layers."""
SMCC_LAYERS, MLDA_LAYERS = 4, 3
FIRST_MAX_RTT_S = 0.5
"""The default of TFMCC."""
PERIODS_MS = (32, 64, 128, 256, 512)
"""The default of SMCC."""
SUFFIX = ".toml"
"""What the file of a session's parameters ends in."""
Row: TypeAlias = "str | Brought"
"""What a row is of: one of `NAMES`, any scheme that the core knows, or what a file of a session's parameters says."""


@dataclass(frozen=True)
class Layers:
    """Fixed layers of a session."""

    base_mbps: float
    growth: int
    """Each is so many times the one below."""
    count: int

    @property
    def rates(self) -> list[str]:
        """Their rates, the base first, as scenarios have them."""
        return [f"{round(1e6 * self.base_mbps * self.growth**i)} bit/s" for i in range(self.count)]


def equal_layers(path: Path, count: int = EQUAL_LAYERS) -> Layers:
    """Layers of one rate."""
    return Layers(path.mbps / count, 1, count)


def doubling_layers(path: Path, count: int = DOUBLING_LAYERS) -> Layers:
    """Layers each of which is twice the one below."""
    return Layers(path.mbps / (2**count - 1), 2, count)


def initial_max_rtt_s(path: Path) -> float:
    """The first R_max: its default, doubled until it holds the path's longest round-trip time."""
    found = FIRST_MAX_RTT_S
    while found < path.longest_rtt_s:
        found *= 2
    return found


def periods_ms(path: Path) -> list[int]:
    """The periods of SMCC's counting layers: the default ones, and doubled ones up to the longest round-trip time."""
    found = [*PERIODS_MS]
    while found[-1] < 1000 * path.longest_rtt_s:
        found.append(2 * found[-1])
    return found


def label(scheme: Row) -> str:
    """What a row is called for readers; a file is called by its stem."""
    return File(scheme.file).stem if isinstance(scheme, Brought) else NAMES.get(scheme, scheme)


def given(scheme: Row) -> dict[str, Any]:
    """What is said of a row: its scheme, and by what it differs from the defaults."""
    found: dict[str, Any] = scheme.said if isinstance(scheme, Brought) else OF_ROWS.get(scheme, {"scheme": scheme})
    return found


def session(scheme: Row, path: Path) -> dict[str, Any]:
    """The parameters of a session, its ``scheme`` among them, without source and receivers.

    What is said of a row or in a file counts before what the path decides. Raises `InputError` if the core does not
    know the scheme.
    """
    said, known = given(scheme), parameters()
    try:
        choose("scheme", said["scheme"], [*known])
    except InputError as error:
        raise InputError(f"{scheme}: {error}" if isinstance(scheme, Brought) else str(error)) from None
    return merged(fitted(said["scheme"], path, known[said["scheme"]]), said)


def agent(scheme: Row) -> Agent:
    """What a scheme needs in the routers in front of bottlenecks."""
    differs = AGENTS.get(scheme, {}) if isinstance(scheme, str) else {}
    return {"kind": "layer-blocking"} | differs if given(scheme)["scheme"] == "layer-blocking" else None


def fitted(scheme: str, path: Path, names: frozenset[str]) -> dict[str, Any]:
    """The parameters of a scheme that a path decides; `names` are all that it has."""
    common = {"packet_size": f"{path.packet_bytes} B", "initial_max_rtt": f"{1000 * initial_max_rtt_s(path):g} ms"}
    found: dict[str, Any] = {name: value for name, value in common.items() if name in names}
    if scheme == "smcc":
        base = path.mbps / 2 ** (SMCC_LAYERS - 1)
        found |= {"base_rate": f"{round(1e6 * base)} bit/s", "layers": SMCC_LAYERS, "tfmcc": common}
        found["rtts"] = [f"{period} ms" for period in periods_ms(path)]
    elif scheme == "mlda":
        found["layers"] = MLDA_LAYERS
    elif scheme == "rlm":
        found["rates"] = doubling_layers(path).rates
    elif scheme == "layer-blocking":
        found["rates"] = equal_layers(path).rates
    return found


def parameters() -> dict[str, frozenset[str]]:
    """The names of the parameters of every scheme that the core knows, those of guests too."""
    from faircast import _native

    definitions = json.loads(_native.schema())["$defs"]
    known = {}
    for one in definitions["Session"]["oneOf"]:
        properties = (definitions[one["$ref"].rpartition("/")[2]] if "$ref" in one else one)["properties"]
        known[properties["scheme"]["const"]] = frozenset(properties)
    return known


def read(file: str) -> Brought:
    """The parameters that a TOML file says. Raises `InputError` if they cannot be read, or are the comparison's."""
    from faircast.scenario import parse, read_text

    said = parse(read_text(File(file)), is_json=False, where=file)
    if not isinstance(named := said.get("scheme", ""), str):
        raise InputError(
            f'{file}: scheme is {brief(str(named))}; legal is the name of a scheme, such as scheme = "tfmcc"'
        )
    if not named:
        raise InputError(f'{file}: it names no scheme; legal are the parameters of a session, such as scheme = "tfmcc"')
    if taken := sorted({"source", "receivers", "start", "stop", "start_jitter", "membership"} & said.keys()):
        raise InputError(f"{file}: {taken[0]} given; the comparison itself says this, the same for all schemes")
    return Brought.of(file, said)


def merged(first: Mapping[str, Any], then: Mapping[str, Any]) -> dict[str, Any]:
    """Two tables as one, of which the second counts; tables within them are merged too."""
    found = {**first, **then}
    for key in first.keys() & then.keys():
        if isinstance(first[key], Mapping) and isinstance(then[key], Mapping):
            found[key] = merged(first[key], then[key])
    return found
