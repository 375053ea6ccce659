"""The document of a run: its seeds, bands over them, the drawing of its network, and what is said of them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faircast import _native
from faircast.display.grid import ranges
from faircast.errors import InputError
from faircast.hosts import words
from faircast.plot.frame import time_text
from faircast.plot.lines import flow_groups
from faircast.quantity import seconds
from faircast.reporting import bands, network, sentences, times
from faircast.reporting.packing import Chunk, shares
from faircast.reporting.reasons import Explainer, reasons
from faircast.reporting.tables import SHOWN, Table, tables_of
from faircast.reporting.thinning import Kept, kept, read
from faircast.reporting.toml import toml_of
from faircast.rows import Rows
from faircast.summary import over_seeds
from faircast.version import faircast_version

if TYPE_CHECKING:
    from faircast.hosts.session import HostSession
    from faircast.results import RunResult
    from faircast.scenario import Resolved

MOST_SEEDS = 12
"""Seeds of which the page holds the tables; bands are over all."""


@dataclass
class Subject:
    """What a page is about: one seed, or several of one scenario."""

    scenario: Resolved
    version: str
    results: Sequence[RunResult]
    rows: Rows
    warnings: Sequence[Mapping[str, Any]]
    """Of each ``kind``, ``subject``, ``message`` and ``seeds``."""
    folder: Path | None = None
    sets: Sequence[str] = ()
    lacking: Sequence[str] = ()
    """What is to be said of what is not there: seeds that are not finished."""
    explainer: Explainer | None = None
    """Who explains falls of rates; None for nobody."""

    @classmethod
    def of_seed(cls, result: RunResult) -> Subject:
        """One seed."""
        warnings = []
        if "warnings" in result.names:
            columns = (result.warnings.column(name).to_pylist() for name in ("kind", "subject", "message"))
            warnings = [
                {"kind": kind, "subject": subject, "message": message, "seeds": [result.seed]}
                for kind, subject, message in zip(*columns, strict=True)
            ]
        rows = Rows.of(over_seeds({result.seed: result.metrics()}))
        folder = None if result.stored is None else result.stored.folder
        return cls(result.scenario, result.version, [result], rows, warnings, folder)


@dataclass
class Made:
    """A document with the bytes that it speaks of."""

    document: dict[str, Any]
    chunks: list[Chunk] = field(default_factory=list)


def document_of(subject: Subject, values: int) -> Made:
    """The document; its series have not many more than `values` numbers in all."""
    data = subject.scenario.data
    stop_s = reached_s(subject)
    time = {
        "stop_s": stop_s,
        "warmup_s": seconds(data.get("warmup", "0 s"), "warmup"),
        "interval_s": seconds(data["probes"]["interval"], "probes.interval"),
    }
    notes = list(subject.lacking)
    shown = subject.results[:MOST_SEEDS]
    if len(subject.results) > len(shown):
        notes.append(f"Of {len(subject.results)} seeds the first {len(shown)} can be looked at one by one.")
    by_seed = [tables_of(result) for result in subject.results]
    traffic = traffic_of(data, by_seed[0].get("receivers"))
    made = Made({})
    runs = []
    cut: dict[str, Kept] = {}
    for result, tables in zip(shown, by_seed, strict=False):
        chunk = Chunk(f"seed-{result.seed}")
        made.chunks.append(chunk)
        planned = pack(tables, values // len(shown), stop_s, chunk, cut)
        if "transfers" in tables:
            columns = times.times_of(tables["transfers"], time["warmup_s"])
            planned["times"] = chunk.table(columns, len(columns["longer"]))
        runs.append({"seed": result.seed, "chunk": chunk.name, "tables": planned})
    whole = "the result" if subject.folder is None else "the folder"
    notes += [thinned(name, keep, whole) for name, keep in cut.items()]
    if "packets" in subject.results[0].names and subject.results[0].count_rows("packets"):
        notes.append(f"The table of packets is not in the page; it is in {whole}.")
    part: dict[str, Any] = {
        "time": time,
        "traffic": traffic,
        "optimum": optimum_of(subject.rows),
        "changes": [change for change in network.changes(data) if change["t_s"] <= stop_s],
        "why": reasons(
            shown[0],
            by_seed[0].get("flows"),
            traffic,
            time["warmup_s"],
            None if shown[0].hosts else subject.folder,  # nothing is run again
            time["interval_s"],
            subject.explainer,
        ),
        "runs": runs,
        "bandsAre": "",
    }
    if len(subject.results) > 1:
        add_bands(part, by_seed, subject.scenario, time, made)
    first = subject.results[0]
    if first.hosts is not None:
        notes += words.notes(first.hosts)
        part["ratesAre"] = words.rates_are(first.hosts)
    else:
        draw(subject, part, made, notes, stop_s)
    made.document = {"head": head_of(subject, traffic, notes), "run": part}
    return made


def draw(subject: Subject, part: dict[str, Any], made: Made, notes: list[str], stop_s: float) -> None:
    """Put the drawing of the network into the document."""
    try:
        sky = Chunk("sky")
        part["drawing"] = network.drawing(subject.scenario, subject.results[0].seed, sky, stop_s)
        if sky.data:
            made.chunks.append(sky)
    except (InputError, _native.ScenarioError) as error:  # a scenario of another version, perhaps
        notes.append(f"The network is not drawn: {str(error).splitlines()[0]}.")


def reached_s(subject: Subject) -> float:
    """How far the seeds came that came furthest, seconds: those that were interrupted not to the end."""
    stop_s = seconds(subject.scenario.data["duration"], "duration")
    known = [None if result.stored is None else result.stored.simulated_s for result in subject.results]
    # What did not come anywhere has no picture; its axis is then that of all that was asked for.
    return max(stop_s if one is None else min(one, stop_s) for one in known) or stop_s


def pack(tables: Mapping[str, Table], values: int, stop_s: float, chunk: Chunk, cut: dict[str, Kept]) -> dict[str, Any]:
    """Put tables into a chunk, thinned so that they have not many more than `values` numbers.

    `cut` gets by name what was kept of the tables of which something was not.
    """
    planned = {}
    room = shares([table.rows * len(table.columns) for table in tables.values()], values)
    for (name, table), numbers in zip(tables.items(), room, strict=True):
        keep = kept(table, max(1, numbers // len(table.columns)), stop_s)
        if keep.rows is not None:
            known = cut.get(name, keep)
            has_changes = known.has_changes and keep.has_changes
            cut[name] = Kept(None, max(known.window_s, keep.window_s), has_changes)
        rows = table.rows if keep.rows is None else len(keep.rows)
        planned[name] = chunk.table(read(table, keep, table.columns), rows)
    return planned


def thinned(name: str, keep: Kept, whole: str) -> str:
    """What is said of a table that was thinned; `whole` is where all of it is."""
    shown = SHOWN[name]
    between = " Of a moment between two of its rows the page shows the later one." if shown.drawn else ""
    if shown.open:
        stay = "of each class of size those that took shortest and longest, and the first and the last unfinished one"
        between = " How many took how long is of all."
    elif shown.drawn:
        stay = "the rows with the lowest and the highest value of each series"
    else:
        stay = "the first and the last of each kind"
    if keep.has_changes:
        stay += f", and in all every change of {shown.state} and every stall"
        between = ""
    window = time_text(keep.window_s)
    return f"The table {name} is thinned: of every {window} it holds {stay}; {whole} has all.{between}"


def traffic_of(data: Mapping[str, Any], receivers: Table | None) -> list[dict[str, Any]]:
    """Sessions, then flows, one by one, with what each is and the receivers of each session."""
    members: dict[str, list[str]] = {}
    if receivers is not None:
        known: dict[tuple[str, str], None] = {}
        for part in receivers.parts(("session", "receiver")):
            session, receiver = part["session"], part["receiver"]
            pairs = session.codes * max(len(receiver.words), 1) + receiver.codes
            for pair in dict.fromkeys(pairs.tolist()):
                a, b = divmod(pair, max(len(receiver.words), 1))
                known[session.words[a], receiver.words[b]] = None
        for name, receiver_name in known:
            members.setdefault(name, []).append(receiver_name)
    found = []
    for group in flow_groups(data):
        entry = data["sessions" if group.is_session else "flows"][group.name]
        kind = str(entry.get("scheme" if group.is_session else "kind"))
        # Transfers of all pairs of nodes are those of the entry.
        for name in (group.name,) if kind == "web" and not group.is_session else group.members:
            own = members.get(name, []) if group.is_session else []
            found.append({"name": name, "kind": kind, "isSession": group.is_session, "receivers": own})
    return found


def optimum_of(rows: Rows) -> dict[str, float]:
    """The optimum of the rates of all that have one."""
    return {row.subject: row.optimum for row in rows if row.metric == "rate" and row.optimum == row.optimum}


def add_bands(
    part: dict[str, Any],
    by_seed: Sequence[dict[str, Table]],
    scenario: Resolved,
    time: Mapping[str, float],
    made: Made,
) -> None:
    """Put what stands for all seeds into the document."""
    steps = dict.fromkeys(bands.TABLES, time["interval_s"])
    steps["queues"] = seconds(scenario.data["probes"]["queue_interval"], "probes.queue_interval")
    chunk = Chunk("bands")
    tables = {
        name: chunk.table(columns, len(columns["t_s"]))
        for name, columns in bands.bands_of(by_seed, time["stop_s"], steps).items()
    }
    if tables:
        made.chunks.append(chunk)
        part["bands"] = {"chunk": chunk.name, "tables": tables}
        part["bandsAre"] = bands.words(len(by_seed))


def head_of(subject: Subject, traffic: Sequence[Mapping[str, Any]], notes: list[str]) -> dict[str, Any]:
    """What stands on top of the page and at its end."""
    scenario = subject.scenario
    seeds = [result.seed for result in subject.results]
    first = subject.results[0]
    turned_to = first.table("handoffs").column("to").to_pylist() if "handoffs" in first.names else []
    if subject.version != faircast_version():
        notes.insert(0, f"These results are of faircast {subject.version}; the page was made by {faircast_version()}.")
    if first.hosts is not None:
        return head_of_hosts(first, first.hosts, notes)
    changed = f" with {', '.join(subject.sets)}" if subject.sets else ""
    return {
        "title": f"{scenario.name}{changed}",
        "description": str(scenario.data.get("description") or ""),
        "ran": sentences.ran(scenario, seeds, traffic, reached_s(subject)),
        "came": sentences.came(subject.rows, traffic, turned_to),
        "results": sentences.tables(subject.rows),
        "warnings": list(subject.warnings),
        "notes": notes,
        "commands": commands(subject.folder, scenario.name, seeds),
        "scenario": toml_of(scenario.data),
        "seeds": ranges(seeds),
        "version": subject.version,
        "hash": scenario.hash,
    }


def head_of_hosts(result: RunResult, session: HostSession, notes: list[str]) -> dict[str, Any]:
    """The head of the page of a session on hosts: nothing of it can be run again."""
    why = shlex.join(["faircast", "why", str(session.folder), "--at", f"{session.until_s:.0f} s"])
    command = {"does": "says what the rate followed at a moment, here the last one", "command": why}
    return {
        "title": session.name,
        "description": "",
        "ran": words.ran(session),
        "came": words.came(session, result),
        "results": words.table(result),
        "warnings": [],
        "notes": notes,
        "commands": [command] if session.has_sender else [],
        "scenario": toml_of(result.scenario.data),
        "seeds": "",
        "version": result.version,
        "hash": "",
    }


def commands(folder: Path | None, name: str, seeds: Sequence[int]) -> list[dict[str, str]]:
    """What makes the run again, from the folder or from the scenario below."""
    found = []
    of_file = ["faircast", "run", f"{name}.toml", *seed_options(seeds)]
    if folder is not None:
        again = shlex.join(["faircast", "run", str(folder), "--out", "again"])
        found.append({"does": "runs all seeds of the folder again", "command": again})
        laboratory = shlex.join(["faircast", "lab", str(folder)])
        found.append({"does": "opens the scenario in the laboratory, to try other values", "command": laboratory})
    found.append({"does": f"runs the scenario below, saved as {name}.toml", "command": shlex.join(of_file)})
    return found


def seed_options(seeds: Sequence[int]) -> list[str]:
    """The options of ``faircast run`` for these seeds; of those with gaps between them for the first."""
    is_row = list(seeds) == list(range(seeds[0], seeds[0] + len(seeds)))
    return ["--seed", str(seeds[0]), *(["--reps", str(len(seeds))] if is_row and len(seeds) > 1 else [])]
