"""What a sweep is to compute: the points, each with its scenario, all checked before the first run."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from faircast.design import Design, design_of
from faircast.design import from_json as design_from_json
from faircast.errors import InputError, brief, nearest
from faircast.ledger import Ledger
from faircast.manifest import MANIFEST, read_manifest, sets_of
from faircast.scenario import (
    Resolved,
    Source,
    as_json,
    assign,
    count,
    decoded,
    describe,
    home,
    put,
    read,
    resolve_tree,
    split_path,
)
from faircast.shard import Shard
from faircast.sweep_folder import KIND, SweepPoint, read_points
from faircast.vary import SCENARIO, Values, as_text, keys_of
from faircast.vary import describe as describe_point
from faircast.vary import points as points_of


class Plan(NamedTuple):
    """What a sweep is to compute."""

    name: str
    digest: str
    """Of the scenario without the varied values, and of the varied paths: the folder is known by it."""
    varied: tuple[str, ...]
    points: list[SweepPoint]
    sets: tuple[str, ...] = ()
    """The assignments that all points share."""
    folder: Path | None = None
    """Where the plan comes from, if it is that of a folder."""
    shard: Shard | None = None
    """Which part of a sweep it is; None for the whole."""
    make: Callable[[Values], Resolved] | None = None
    """Makes the scenario of any other point of these paths; an `InputError` if it is not legal."""
    design: Design | None = None
    """What drew the points, if something did."""


def again(
    scenario: Source | None,
    vary: Mapping[str, Sequence[Any]] | None,
    rows: Sequence[Mapping[str, Any]] | None,
    sets: Sequence[str],
) -> Plan | None:
    """The plan of a folder that stands in place of the scenario; None if none does."""
    if not isinstance(scenario, str | Path) or "\n" in str(scenario) or not (Path(scenario) / MANIFEST).exists():
        return None
    folder = Path(scenario)
    manifest = read_manifest(folder)
    if manifest["kind"] != KIND:
        raise InputError(f"{folder} holds a {manifest['kind']}; a sweep needs a scenario, or the folder of a sweep")
    if vary or rows is not None or sets:
        raise InputError(f"{folder} is a result folder; to vary more, give the scenario file again in its place")
    points = read_points(Ledger(folder, manifest))
    if not points or "hash" not in manifest:
        raise InputError(f"{folder} is a sweep that has not begun; give its scenario file")
    name = str(manifest.get("name", "scenario"))
    varied = tuple(points[0].values)
    design = design_from_json(manifest["design"]) if "design" in manifest else None
    sets_before = tuple(sets_of(manifest))
    part = Shard.read(manifest)
    return Plan(name, str(manifest["hash"]), varied, points, sets_before, folder, part, design=design)


def designed(
    scenario: Source | None, vary: Mapping[str, Any], sets: Sequence[str], kind: str, samples: int | None
) -> Plan:
    """The points that a design draws from ranges, by the scenario's seed; see `planned`."""
    check_sets(sets, list(vary))
    seed = 1 if scenario is None else Trees(sets).of(scenario).get("seed", 1)
    design = design_of(kind, vary, samples, seed if isinstance(seed, int) else 1)
    plan = planned(scenario, {}, design.rows(), sets)
    text = json.dumps([plan.digest, design.same], sort_keys=True)
    return plan._replace(digest=hashlib.sha256(text.encode()).hexdigest()[:12], design=design)


def planned(
    scenario: Source | None,
    vary: Mapping[str, Sequence[Any]],
    rows: Sequence[Mapping[str, Any]] | None,
    sets: Sequence[str],
) -> Plan:
    """All points with their scenarios. Raises `InputError` with what is wrong at which of them."""
    values = points_of(vary, rows)
    varied = tuple(values[0])
    check_sets(sets, varied)
    if SCENARIO in varied and scenario is not None:
        raise InputError("the path scenario varies the file: leave out the scenario itself")
    if SCENARIO not in varied and scenario is None:
        raise InputError("which scenario? give one, or vary the path scenario over several files")
    trees = Trees(sets)
    base = None if scenario is None else trees.of(scenario)
    found: list[SweepPoint] = []
    wrong: dict[tuple[str, str], list[Values]] = {}

    def made(point: Values) -> Resolved:
        source = point.get(SCENARIO, scenario)
        tree = trees.of(source)
        for path, value in point.items():
            if path != SCENARIO:
                put(tree, keys_of(path), value, f"--vary {brief(path)}")
        return resolve_tree(tree, home(source), describe(source))

    for point in values:
        try:
            found.append(SweepPoint(point, made(point), ()))
        except InputError as error:
            for problem in error.problems or [("", error.message)]:
                wrong.setdefault(problem, []).append(point)
    if wrong:
        if base is not None and not any("did you mean" in text for _, text in wrong):
            hints = {(path, absent(path, base)): list[Values](values) for path in varied if absent(path, base)}
            wrong = hints | wrong
        raise refusal("the scenario" if scenario is None else describe(scenario), wrong, values)
    names = list(dict.fromkeys(point.scenario.name for point in found))
    name = names[0] if len(names) == 1 else "several"
    return Plan(name, digest_of(base, varied, sets), varied, found, tuple(sets), make=made)


class Trees:
    """Scenarios as they were written, with the assignments that all points share; each is read once."""

    def __init__(self, sets: Sequence[str]) -> None:
        self._sets = sets
        self._read: dict[int | str, dict[str, Any]] = {}

    def of(self, source: Source) -> dict[str, Any]:
        """A copy of one."""
        key = str(source) if isinstance(source, str | Path) else id(source)
        if key not in self._read:
            tree = copy.deepcopy(read(source))
            if isinstance(source, Resolved):
                tree["seed"] = source.seed
            for assignment in self._sets:
                assign(tree, assignment)
            self._read[key] = tree
        return copy.deepcopy(self._read[key])


def check_sets(sets: Sequence[str], varied: Sequence[str]) -> None:
    """Refuse to set what is varied."""
    for assignment in map(decoded, sets):
        path = assignment.partition("=")[0]
        keys = tuple(key.strip().strip('"') for key in split_path(path))
        for other in varied:
            if keys[: len(keys_of(other))] == keys_of(other):
                raise InputError(f"{brief(path)} is set by --set, and {other} is varied; leave out one of them")


def refusal(where: str, wrong: Mapping[tuple[str, str], Sequence[Values]], points: Sequence[Values]) -> InputError:
    """What is wrong, each problem once with the points that have it."""
    problems = [(path, f"{text} ({place_of(several, points)})") for (path, text), several in wrong.items()]
    return InputError(f"{where} {count(len(problems))} when it is varied; nothing has been run", problems)


def absent(path: str, tree: dict[str, Any]) -> str:
    """Where a path leads to something that the scenario lacks, though it has something of a similar name: which."""
    at: Any = tree
    keys = keys_of(path)
    for depth, key in enumerate(keys[:-1]):
        if not isinstance(at, dict):
            return ""
        if key not in at:
            near = nearest(key, list(at))
            return f"the scenario has no {'.'.join(keys[: depth + 1])}{near}" if near else ""
        at = at[key]
    return ""


def place_of(several: Sequence[Values], points: Sequence[Values]) -> str:
    """Which of all points these are: by the values that they have in common if no other point has them."""
    first = several[0]
    shared = {p: value for p, value in first.items() if all(as_text(point[p]) == as_text(value) for point in several)}
    if len(several) == len(points) > 1:
        return "at every point"
    alike = [all(as_text(point[path]) == as_text(value) for path, value in shared.items()) for point in points]
    if shared and sum(alike) == len(several):
        return f"at {describe_point(shared)}"
    return f"at {describe_point(first)} and {len(several) - 1} more point{'' if len(several) == 2 else 's'}"


def digest_of(tree: dict[str, Any] | None, varied: Sequence[str], sets: Sequence[str]) -> str:
    """What tells sweeps apart: the scenario as it was written, without seed and varied values, and the varied paths.

    Where the scenario itself is varied, the assignments that all share.
    """
    paths = sorted(keys_of(path) for path in varied)
    if tree is not None:
        for keys in [("seed",), *paths]:
            drop(tree, keys)
    text = as_json([paths, sorted(sets) if tree is None else tree])
    canonical = json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]


def drop(tree: Any, keys: Sequence[str]) -> None:
    """Take out what the keys lead to, and tables that hold nothing else."""
    if not isinstance(tree, dict) or keys[0] not in tree:
        return
    if len(keys) > 1:
        drop(tree[keys[0]], keys[1:])
    if len(keys) == 1 or tree[keys[0]] == {}:
        del tree[keys[0]]
