"""What an archive records is run anew, into a folder of its own, from the resolved scenarios in it.

Recorded commands are not carried out, and scenarios read no files: what they once read stands in them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from faircast import sweep_plan, sweeps
from faircast.archiving.plans import planned_anew
from faircast.archiving.record import Opened, seeds_of
from faircast.batch import Watcher
from faircast.engine.contract import Engine
from faircast.errors import InputError, brief
from faircast.folder import RunFolder
from faircast.ledger import Ledger
from faircast.measurements import Measurements
from faircast.reproduction import Plan, concluded
from faircast.runs import run_into
from faircast.scenario import Resolved, resolve_tree
from faircast.sweep_folder import TABLES, SweepPoint
from faircast.sweeps import LEGAL_TABLES, RUNS_MAX
from faircast.version import faircast_version


class Repeated:
    """What became of an archive's runs here.

    Parameters
    ----------
    opened
        The archive.
    """

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        self.notes: list[str] = []
        """What should be known beside the comparison."""

    def scenario(self, digest: str) -> Resolved:
        """An archived scenario as this faircast has it.

        Raises `InputError` if it is not legal here. A newer version may have keys that the archive lacks.
        """
        text = self.opened.scenario(digest)
        where = f"the scenario {brief(digest)} in {self.opened.path}"
        try:
            tree = json.loads(text)
        except (ValueError, RecursionError):
            tree = None
        if not isinstance(tree, dict):
            raise InputError(f"{where} is no JSON of a scenario")
        found = resolve_tree(tree, None, f"{where}, for faircast {faircast_version()},")
        if found.hash != digest:
            self.notes.append(f"the scenario {digest} is {found.hash} here: this faircast has other keys or defaults")
        return found


def repeat(opened: Opened, place: Path, *, engine: Engine, watcher: Watcher | None) -> Repeated:
    """Compute what an archive records into `place`, which is free. Ctrl-C raises `KeyboardInterrupt`."""
    planned = REPEAT.get(opened.record.kind)
    if planned is None:
        raise InputError(f"{opened.path} holds a {brief(opened.record.kind)}, which this faircast cannot run")
    done = Repeated(opened)
    try:
        work = planned(done, opened.record.plan)
    except (AttributeError, KeyError, TypeError) as error:
        raise InputError(f"{opened.path} is damaged: it does not say what to run ({type(error).__name__})") from None
    if work(place, engine, watcher):
        raise KeyboardInterrupt
    return done


def _run(done: Repeated, plan: dict[str, Any]) -> Work:
    scenario, wanted = done.scenario(str(plan["scenario"])), seeds_of(plan["seeds"], done.opened.path)

    def work(place: Path, engine: Engine, watcher: Watcher | None) -> bool:
        return run_into(RunFolder.open(place, scenario), wanted, engine=engine, watcher=watcher).interrupted

    return work


def _sweep(done: Repeated, plan: dict[str, Any]) -> Work:
    record, path = done.opened.record, done.opened.path
    scenarios = {digest: done.scenario(digest) for digest in dict.fromkeys(str(p["scenario"]) for p in plan["points"])}
    varied = tuple(str(name) for name in plan["varied"])
    points = [
        SweepPoint(
            {name: point["values"][name] for name in varied},
            scenarios[str(point["scenario"])],
            tuple(seeds_of(point["seeds"], path)),
        )
        for point in plan["points"]
    ]
    if not points or sum(len(point.seeds) for point in points) > RUNS_MAX:
        raise InputError(f"{path} asks for no run, or for more than {RUNS_MAX}")
    there = {Path(name).stem for name in record.results if name.startswith(f"{TABLES}/")}
    tables = tuple(sorted(there & set(LEGAL_TABLES)))
    sets = tuple(str(text) for text in plan["sets"])
    whole = sweep_plan.Plan(record.name, str(plan["hash"]), varied, points, sets)

    def work(place: Path, engine: Engine, watcher: Watcher | None) -> bool:
        return sweeps.carry_out(whole, place, tables=tables, engine=engine, watcher=watcher).interrupted

    return work


def _reproduction(done: Repeated, plan: dict[str, Any]) -> Work:
    runs = {str(digest): seeds_of(ranges, done.opened.path) for digest, ranges in plan["runs"].items()}
    scenarios = {digest: done.scenario(digest) for digest in runs}
    planned = planned_here(done, plan, scenarios)
    for digest, seeds in runs.items():
        for seed in seeds:
            planned.campaign.want(scenarios[digest], seed)

    def work(place: Path, engine: Engine, watcher: Watcher | None) -> bool:
        begin, known = time.perf_counter(), Measurements(place, Ledger(place))
        with planned.campaign.ready(known, engine=engine) as compute:
            place.mkdir(parents=True, exist_ok=True)
            return concluded(planned, known, compute(watcher), begin).interrupted

    return work


def planned_here(done: Repeated, plan: dict[str, Any], scenarios: Mapping[str, Resolved]) -> Plan:
    """The experiments as this faircast plans them; without any if it plans other runs, so that only runs are held."""
    try:
        planned: Plan = planned_anew(plan)
    except InputError as error:
        done.notes.append(f"what was concluded is not made again: {error.message}")
        return Plan(quick=bool(plan["quick"]))
    if {scenario.hash for scenario in planned.campaign.scenarios.values()} <= set(scenarios):
        return planned
    done.notes.append(
        "what was concluded is not made again: the experiments of this faircast have other scenarios than those in the "
        "archive, of which the runs alone are made"
    )
    return Plan(quick=bool(plan["quick"]))


Work: TypeAlias = "Callable[[Path, Engine, Watcher | None], bool]"
"""Computes into a free place, with so many runs at once; whether it was interrupted."""
REPEAT: dict[str, Callable[[Repeated, dict[str, Any]], Work]] = {
    "run": _run,
    "sweep": _sweep,
    "reproduction": _reproduction,
}
"""By kind what reads a plan, and gives what carries it out."""
