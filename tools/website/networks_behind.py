"""The networks behind a figure, each as an address that opens it in the laboratory."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from faircast.experiment import Point
from faircast.experiments import load
from faircast.experiments.side_by_side.cells import BESIDE, Cell
from faircast.laboratory import fragment
from faircast.reporting.toml import toml_of

LABORATORY = "lab/index.html"
"""Where the laboratory lies on the site, from its root."""
LATER = ("duration", "engine.", "nodes.", "probes.", "warmup")
"""Paths by which one tells networks apart only where no others do."""
LONGEST = 60
"""Letters of a value in such a label."""
NAMED = ("format", "name", "description")
"""What a scenario has that tells nothing of what is run."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """A scenario of an experiment."""

    label: str
    """In what it differs from the others."""
    address: str
    """Of the laboratory that opens it, from the root of the site."""
    cell: Cell | None = None
    """Which cell it is of a comparison of schemes."""


@cache
def networks(name: str) -> list[Network]:
    """All that are run for an experiment, those first that its criteria judge. Each is there once."""
    points = [point for point in load(name).points(False) if point.copy == 0]
    points.sort(key=lambda point: point.beside or (isinstance(point.key, Cell) and point.key.run != BESIDE))
    written: dict[str, Point] = {}
    there: set[str] = set()
    for point in points:
        scenario = scenario_of(point)
        unnamed = json.dumps({key: value for key, value in scenario.items() if key not in NAMED})
        if unnamed not in there:
            there.add(unnamed)
            written[toml_of(scenario)] = point
    different = differences([scenario_of(point) for point in written.values()])
    return [
        Network(
            label=str(point.key) if isinstance(point.key, Cell) else label,
            address=opened(text),
            cell=point.key if isinstance(point.key, Cell) else None,
        )
        for (text, point), label in zip(written.items(), different, strict=True)
    ]


def scenario_of(point: Point) -> dict[str, Any]:
    """The scenario of a point with its first seed, as it is written."""
    scenario = point.scenario_of(1)
    assert isinstance(scenario, dict), f"the scenario of {point.key} is no table"
    return scenario


def opened(text: str) -> str:
    """The address of the laboratory with a scenario in TOML and the first seed."""
    return f"{LABORATORY}#{fragment(text, '1')}"


def differences(scenarios: Sequence[Mapping[str, Any]]) -> list[str]:
    """Of each what tells it from the others: as few paths as will do, and their values.

    What is about the network comes before what is about the run, and short paths before long ones.
    """
    flat = [dict(leaves(scenario)) for scenario in scenarios]
    classes = [0] * len(flat)
    chosen: list[str] = []
    paths = {path for one in flat for path in one}
    for path in sorted(paths, key=lambda path: (path.startswith(LATER), len(path), path)):
        finer = [(number, one.get(path)) for number, one in zip(classes, flat, strict=True)]
        numbers = {one: number for number, one in enumerate(dict.fromkeys(finer))}
        if len(numbers) > len(set(classes)):
            classes = [numbers[one] for one in finer]
            chosen.append(path)
    nothing = f"without {chosen[0]}" if chosen else "the only one"
    return [", ".join(f"{path} {one[path]}" for path in chosen if path in one) or nothing for one in flat]


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The paths of a scenario that have a value, and what that is; its name is none of them."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            if path or key not in NAMED:
                yield from leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value and all(isinstance(one, Mapping) for one in value):
        for place, inner in enumerate(value):
            yield from leaves(inner, f"{path}.{place}")
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        yield path, text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
