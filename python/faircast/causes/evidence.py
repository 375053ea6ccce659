"""The tables that an explanation rests on: those of a result, and those of the same run made again with more probes.

The folder of a run holds no packets, as a rule. Probes change nothing of what happens, and the same scenario and seed
give the same run, so it is run again with the probes that are needed, and its summary held against the one that is
there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from faircast import _native
from faircast.causes.rows import Rows
from faircast.errors import InputError
from faircast.hosts.session import is_of_hosts, knows, told_until_s
from faircast.quantity import seconds
from faircast.results import RunResult
from faircast.scenario import Resolved, resolve
from faircast.version import faircast_version

OF_PACKETS = ("t_s", "link", "node", "action", "flow", "number", "group", "is_data", "queue_pkts", "average_pkts")
"""Columns of packets that are asked for."""
NOT_SEEN = "hosts do not see what is between them."
"""What is said of hosts where a simulation would tell what the network did."""
DETAILS = ("cwnd_before_pkts", "receive_bps", "lost_part")
"""Columns of events without which a run is made again: results of old versions have none of them."""


@dataclass
class Evidence:
    """One run: its scenario, its seed, its tables."""

    scenario: Resolved
    seed: int
    result: RunResult | None
    """None until it has been run, where a scenario was given."""
    where: str
    """How messages name it."""
    say: Callable[[str], None]
    """Told of everything that the reader should know: the seed that was taken, that the run is made again."""
    _again: RunResult | None = None
    _rows: dict[str, Rows] = field(default_factory=dict)

    @property
    def duration_s(self) -> float:
        """How long the run is, seconds."""
        return seconds(self.scenario.data["duration"], "duration")

    @property
    def interval_s(self) -> float:
        """The probe interval, seconds."""
        return seconds(self.scenario.data["probes"]["interval"], "probes.interval")

    def rows(self, name: str) -> Rows:
        """A table by name; no rows if it is not there."""
        if name not in self._rows:
            result = self.run()
            self._rows[name] = Rows.of(result.table(name)) if name in result.names else Rows({})
        return self._rows[name]

    @property
    def is_of_hosts(self) -> bool:
        """Whether nobody simulated it: there is no network, and nothing can be run again."""
        return is_of_hosts(self.scenario.data)

    def knows(self, who: str) -> bool:
        """Whether what an end noted is here: ``sender``, or a receiver; in a simulation what all of them noted is."""
        return not self.is_of_hosts or knows(self.scenario.data, who)

    def told_s(self, who: str, at_s: float) -> float:
        """The moment, or the last one before it of which an end wrote anything down, if that is known to be less."""
        is_known = self.is_of_hosts and self.knows(who)
        return min(at_s, told_until_s(self.scenario.data, who)) if is_known else at_s

    @property
    def events(self) -> Rows:
        """All events, with what they have to tell."""
        if self.is_of_hosts:
            return self.rows("events")
        if "events" not in self._rows:
            events = Rows.of(self.run().events) if "events" in self.run().names else Rows({})
            if not any(column in events for column in DETAILS) or not len(events):
                told = self._more({"events": True}, "with its events")
                events = Rows.of(told.events)
            self._rows["events"] = events
        return self._rows["events"]

    def run(self) -> RunResult:
        """The result as it is; made first if a scenario was given."""
        if self.result is None:
            self.say(f"running {self.where} with seed {self.seed}")
            self.result = _run(self.scenario, self.seed, {"events": True})
        return self.result

    def packets(
        self, flow: str, links: Sequence[str], start_s: float, stop_s: float, actions: Sequence[str] = ()
    ) -> Rows:
        """What happened to the packets of a flow at some links and on the nodes between them, in the order of time.

        Of what happens only `actions` are needed, if some are given: there may be many more rows of all else. Of hosts
        there are none.
        """
        if self.is_of_hosts:
            return Rows({name: np.zeros(0) for name in OF_PACKETS})
        own = self.scenario.data["probes"]
        if set(links) <= set(own.get("packets", [])) and not any(key.startswith("packets_") for key in own):
            found = self.rows("packets")
        else:
            start_s, stop_s = max(start_s, 0.0), min(stop_s, self.duration_s)
            probes = {
                "events": True,
                "packets": list(links),
                "packets_from": f"{start_s:.9f} s",
                "packets_until": f"{stop_s:.9f} s",
                "packets_flows": [flow],
                "packets_actions": list(actions),
            }
            which = "the ends of packets" if actions else "the packets"
            told = self._more(probes, f"with {which} of {flow} from {start_s:.3f} s to {stop_s:.3f} s")
            found = Rows.of(told.packets)
        return found.having(flow=flow).between(start_s, stop_s).in_time()

    def _more(self, probes: Mapping[str, Any], what: str) -> RunResult:
        """The same run with more probes. Raises `InputError` if it is not the same."""
        first = self.run()
        self.say(f"running seed {self.seed} again {what}")
        again = _run(self.scenario, self.seed, probes)
        there, found = first.metrics(), again.metrics()
        for subject, metric, _, value in there:
            key = subject, metric
            now = found[key] if key in found else math.nan  # noqa: SIM401 - it is no dictionary
            if now != value and not (now != now and value != value):
                raise InputError(
                    f"{self.where}: run again, seed {self.seed} gives another {metric} of {subject}, {now:g} "
                    f"instead of "
                    f"{value:g}. It was made by version {first.version}, this is {faircast_version()}: run it anew"
                )
        return again

    @cached_property
    def map(self) -> Map:
        """The links of the network and the ways over them; of hosts only who is there."""
        if self.is_of_hosts:
            return Map.of_ends(self.rows("receivers"), self.rows("events"), list(self.scenario.data["sessions"]))
        return Map.of(json.loads(_native.network_map(self.scenario.json, self.seed)))


@dataclass(frozen=True)
class Link:
    """One direction of a link, or a leg, as it is made."""

    name: str
    from_: str
    to: str
    carrier: str | None
    """Of a leg the link that has it."""
    rate_bps: float
    queue: Mapping[str, Any]
    loss: Mapping[str, Any]
    ups: Sequence[tuple[float, bool]]
    """When it goes down and up: seconds, whether it is up from then on."""
    losses: Sequence[tuple[float, Mapping[str, Any]]]
    """When it gets another loss model."""

    def down_since(self, at_s: float) -> float | None:
        """When it went down, if it is down at that moment."""
        last = max(((at, up) for at, up in self.ups if at <= at_s), default=(0.0, True))
        return None if last[1] else last[0]

    def loss_at(self, at_s: float) -> Mapping[str, Any]:
        """The loss model in force at a moment."""
        return max(
            (change for change in self.losses if change[0] <= at_s), default=(0.0, self.loss), key=itemgetter(0)
        )[1]


@dataclass(frozen=True)
class Way:
    """How data comes to a receiver at the start of the run, and what it sends comes back."""

    node: str
    there: tuple[str, ...]
    back: tuple[str, ...]


@dataclass(frozen=True)
class Map:
    """The links of a network, and of each flow or session the way to each receiver (of a flow: by its own name)."""

    links: Mapping[str, Link]
    sources: Mapping[str, str]
    ways: Mapping[str, Mapping[str, Way]]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Map:
        """From what the core says."""
        links = {
            one["name"]: Link(
                one["name"],
                one["from"],
                one["to"],
                one["carrier"],
                float(one["rate_bps"]),
                one["queue"],
                one["loss"],
                [(at, up) for at, up in one["ups"]],
                [(at, loss) for at, loss in one["losses"]],
            )
            for one in data["links"]
        }
        ways = {
            flow["name"]: {
                one["name"]: Way(one["node"], tuple(one["there"]), tuple(one["back"])) for one in flow["receivers"]
            }
            for flow in data["flows"]
        }
        return cls(links, {flow["name"]: flow["source"] for flow in data["flows"]}, ways)

    @classmethod
    def of_ends(cls, receivers: Rows, events: Rows, sessions: Sequence[str]) -> Map:
        """Of hosts: sessions and the receivers that are known of, and no link."""
        named = [*(receivers["receiver"] if len(receivers) else ()), *(events["receiver"] if len(events) else ())]
        ways = {name: Way(name, (), ()) for name in dict.fromkeys(named) if name}
        return cls({}, dict.fromkeys(sessions, ""), dict.fromkeys(sessions, ways))

    def line_bps(self, flow: str) -> float:
        """What the fastest link out of a source carries: a session sends no more."""
        return max(
            (link.rate_bps for link in self.links.values() if link.from_ == self.sources[flow]), default=math.inf
        )

    def is_fixed(self, links: Sequence[str]) -> bool:
        """Whether ways over these links stay: none of them goes down or turns."""
        return not any(self.links[name].ups for name in links)


def _run(scenario: Resolved, seed: int, probes: Mapping[str, Any]) -> RunResult:
    from faircast.runs import run

    data = dict(scenario.data)
    data["probes"] = {**data.get("probes", {}), **probes}
    return run(data, seed=seed)


def evidence_of(source: Any, seed: int | None, say: Callable[[str], None]) -> Evidence:
    """The evidence of one run: a result in memory, a result folder or file, or a scenario.

    Raises `InputError` if it is none of them, or there is no such seed.
    """
    if isinstance(source, RunResult):
        if seed not in (None, source.seed):
            raise InputError(f"this is the result of seed {source.seed}; there is no seed {seed} in it")
        return Evidence(source.scenario, source.seed, source, "the result", say)
    if hasattr(source, "of") and hasattr(source, "seeds"):
        seeds = list(source.seeds)
        chosen = _choose(seeds, seed, "the runs", say)
        return evidence_of(source.of(chosen), chosen, say)
    path = Path(source) if isinstance(source, str | Path) and "\n" not in str(source) else None
    if path is not None and (path.is_dir() or path.suffix == ".parquet"):
        return _stored(path, seed, say)
    if path is not None and not path.exists() and not str(path).lstrip().startswith("{"):
        raise InputError(f"there is no {path}; give a result folder, such as results/<name>-<hash>, or a scenario file")
    resolved = resolve(source)
    return Evidence(resolved, resolved.seed if seed is None else seed, None, str(path or "the scenario"), say)


def _stored(path: Path, seed: int | None, say: Callable[[str], None]) -> Evidence:
    from faircast.folder import seed_folders
    from faircast.plot.stored import kind_of

    folder = path.parent if path.suffix == ".parquet" else path
    kind = kind_of(folder)
    if kind == "sweep":
        raise InputError(
            f"{folder} holds a sweep, many runs; name one: the tables of a point and seed, as in "
            f"{folder}/tables/POINT/seed-1 (faircast sweep --tables events), or the scenario of one point"
        )
    if kind == "run":
        seeds = seed_folders(folder)
        if not seeds:
            raise InputError(f"{folder} holds no finished seed; faircast run {folder} finishes what is missing")
        chosen = _choose(list(seeds), seed, str(folder), say)
        result = RunResult.read(seeds[chosen])
    elif kind == "seed":
        result = RunResult.read(folder)
        if seed not in (None, result.seed):
            raise InputError(f"{folder} is the folder of seed {result.seed}; there is no seed {seed} in it")
    elif kind == "session":
        from faircast.hosts.result import HostResult

        if seed is not None:
            raise InputError(f"{folder} holds a session on hosts, which has no seed; leave --seed out")
        result = HostResult.read(folder)
    else:
        raise InputError(f"{folder} holds a {kind}; only one run can be explained: give the folder of a run")
    if "summary" not in result.names:
        raise InputError(f"{folder} lacks summary.parquet, so nothing can be held against it")
    return Evidence(result.scenario, result.seed, result, str(folder), say)


def _choose(seeds: list[int], seed: int | None, where: str, say: Callable[[str], None]) -> int:
    if seed is None:
        lowest = min(seeds)
        if len(seeds) > 1:
            say(f"seed {lowest}, the lowest of {len(seeds)} that are finished; --seed names another")
        return lowest
    if seed not in seeds:
        there = f"{min(seeds)} to {max(seeds)}" if len(seeds) > 8 else ", ".join(map(str, sorted(seeds)))
        raise InputError(f"{where} has no finished seed {seed}; there {'is' if len(seeds) == 1 else 'are'} {there}")
    return seed
