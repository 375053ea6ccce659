"""Flips bits in the files of numbers of result folders of every kind, and looks for what shows changed numbers.

    python tools/flips.py [--flips N] [--seed N]

A folder of each kind is made: a run of several seeds, a sweep with tables and warnings, both as they are while a sweep
is interrupted, a reproduction with what experiments keep of runs, and the tables of a run that a program wrote. Then a
single bit is flipped, in a file drawn evenly from all but pictures, at a place drawn evenly, and the folder is read in
every way there is. It must be shown as it was, or something must be said: an error, or a `ResultWarning`. A command
that continues the folder must refuse it, or give it back byte for byte with a word about the damage; half of the flips
are followed by one. Before that all folders are read and continued as they are, and none may be refused.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import shutil
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import faircast
from faircast.cli import carry_out
from faircast.errors import InputError, ResultWarning
from faircast.measurements import JOURNAL, Measurements
from faircast.results import RunResult
from faircast.tables import Tables

SCENARIO = """
format = 1
name = "flipped"
duration = "3 s"

[topology]
kind = "dumbbell"
left = 2
right = 2

[links.bottleneck]
rate = "1.5 Mbit/s"
delay = "50 ms"
queue = { kind = "drop-tail", limit = "50 packets" }

[flows.web]
kind = "tcp"
wnd = "1 packet"
count = 2

[probes]
interval = "1 s"
queues = ["bottleneck"]
"""
VARY = ("--vary", "links.bottleneck.queue.limit=10 packets,20 packets", "--reps", "2", "--jobs", "1")
PICTURES = (".pdf", ".png", ".svg")


@dataclass
class Kind:
    """A kind of result folder."""

    name: str
    command: tuple[str, ...] | None
    """What made it and continues it; None if nothing does."""
    shown: str = ""
    bytes: dict[str, bytes] = field(default_factory=dict)
    """What it holds when it is whole."""
    finished: dict[str, bytes] | None = None
    """What it holds when it has been continued, but for the manifests."""


def main() -> int:
    """All flips; 1 if one of them was shown or a whole folder was refused."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faircast-flips-") as name:
        os.chdir(name)
        Path("flipped.toml").write_text(SCENARIO)
        register()
        kinds = make()
        faults = [fault for kind in kinds for fault in check_whole(kind)]
        outcomes: Counter[str] = Counter()
        chance = random.Random(asked.seed)
        for number in range(asked.flips):
            kind = kinds[number % len(kinds)]
            outcome, fault = flip(kind, chance, continued=number // len(kinds) % 2 == 1)
            outcomes[f"{kind.name}: {outcome}"] += 1
            faults += [fault] if fault else []
        os.chdir("/")
    for outcome, times in sorted(outcomes.items()):
        print(f"{times:5} {outcome}")
    for fault in faults:
        print(f"flips: {fault}", file=sys.stderr)
    print(f"{asked.flips} flips, {len(faults)} faults")
    return bool(faults)


def make() -> list[Kind]:
    """A folder of each kind."""
    from faircast.report import CELLS

    run = ("run", "flipped.toml", "--reps", "2", "--jobs", "1", "--out", "run")
    sweep = ("sweep", "flipped.toml", *VARY, "--tables", "flows", "--out", "sweep")
    partial = ("sweep", "flipped.toml", *VARY, "--out", "interrupted")
    reproduction = ("reproduce", *EXPERIMENTS, "--quick", "--jobs", "1", "--out", "reproduction")
    kinds = [
        Kind("run", run),
        Kind("sweep", sweep),
        Kind("interrupted", partial),
        Kind("reproduction", reproduction),
        Kind("tables", None),
    ]
    close = Measurements.close
    for kind in kinds:
        if kind.command is None:
            faircast.run("flipped.toml").write(kind.name)
        else:
            if kind.name == "interrupted":  # the journal stays, and holds more than the file beside it
                Measurements.close = staticmethod(lambda _: None)  # type: ignore[method-assign]
            code, _, err = cli(*kind.command)
            Measurements.close = staticmethod(close)  # type: ignore[method-assign]
            assert code == 0, err
        kind.bytes = content(Path(kind.name))
    named = {Path(name).name for kind in kinds for name in kind.bytes}
    missing = {"points.parquet", "warnings.parquet", "kept.parquet", "summary.json", CELLS, JOURNAL} - named
    assert not missing, f"nothing is flipped in {missing}"
    for kind in kinds:
        kind.shown, said = shown(kind)
        assert not said, said
    return kinds


EXPERIMENTS = ("x-flipped", "x-other")


def register() -> None:
    """Two small experiments in place of those that there are: one that keeps something of runs and has cells."""
    from faircast import experiments
    from faircast.experiment import Criterion, Data, Experiment, Measured, Point

    def rates(data: Data) -> list[dict[str, object]]:
        return [{"seed": seed, "rate": value} for seed, value in sorted(data.points["alone"].reduced.items())]

    holds = Criterion(name="it sends", published="so", evaluate=lambda data: Measured(value=rates(data)[0]["rate"]))
    listed = [
        Experiment(
            id=name,
            paper="checks",
            title="A small one",
            points=lambda _, more=more: [Point(key="alone", scenario=SCENARIO, reduce=kept_of, **more)],
            criteria=(holds,),
            says=lambda data: f"It sends {rates(data)}.",
            reps=2,
            cells=rates,
        )
        for name, more in (("x-flipped", {}), ("x-other", {"tables": ("flows",)}))
    ]
    module = ModuleType("flipped_experiments")
    module.EXPERIMENTS = listed  # type: ignore[attr-defined]
    sys.modules[module.__name__] = module
    experiments.REGISTRY = {one.id: module.__name__ for one in listed}


def kept_of(raw: object) -> float:
    """What is kept of a run: its packets."""
    return float(raw.packet_hops)  # type: ignore[attr-defined]


def check_whole(kind: Kind) -> list[str]:
    """Continue a whole folder: nothing may be said, and what there is must stay."""
    if kind.command is None:
        return []
    code, _, err = cli(*kind.command)
    kind.finished = numbers(content(Path(kind.name)))
    wrong = []
    if code or "damage" in err or "computed again" in err:
        wrong.append(f"{kind.name}, whole, is continued with exit code {code}: {err}")
    if shown(kind)[0] != kind.shown:
        wrong.append(f"{kind.name}, whole, is shown otherwise once it has been continued")
    restore(kind)
    return wrong


def flip(kind: Kind, chance: random.Random, *, continued: bool) -> tuple[str, str | None]:
    """One flip: what became of it, and what is wrong with that."""
    name = chance.choice([name for name in sorted(kind.bytes) if kind.bytes[name]])
    data = bytearray(kind.bytes[name])
    place = chance.randrange(8 * len(data))
    data[place // 8] ^= 1 << place % 8
    path = Path(kind.name, name)
    path.write_bytes(data)
    where = f"bit {place} of {path}"
    fault = None
    now, said = shown(kind)
    outcome = "told" if said else "shown as it was"
    if now != kind.shown and not said:
        fault = f"{where} is shown without a word"
    if continued and fault is None and kind.command is not None:
        code, _, err = cli(*kind.command)
        same = numbers(content(Path(kind.name))) == kind.finished
        word = "damage" in err or "computed again" in err or "is made again" in err
        outcome += ", refused" if code else ", computed again" if word else ", continued"
        if code not in (0, 2):
            fault = f"{where} ends with exit code {code}: {err}"
        elif code == 0 and not same:
            fault = f"{where} stays when the folder is continued: {err}"
        elif code == 0 and not word and path.read_bytes() != bytes(data) and said:
            fault = f"{where} is computed again without a word"
    restore(kind, None if not continued else kind.bytes, path)
    return outcome, fault


def shown(kind: Kind) -> tuple[str, str]:
    """All that can be read of a folder, and what is said besides."""
    said: list[str] = []
    texts: list[str] = []
    folder = Path(kind.name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResultWarning)
        for read in READERS:
            try:
                texts.append(read(folder))
            except InputError as error:
                said.append(str(error))
        said += [str(one.message) for one in caught if issubclass(one.category, ResultWarning)]
    return "\n".join(texts), "\n".join(said)


def by_show(folder: Path) -> str:
    """What the command shows."""
    code, out, err = cli("show", str(folder), "--json")
    if code:
        raise InputError(err)
    for line in err.splitlines():
        warnings.warn(line, ResultWarning, stacklevel=2)
    return out


def by_read(folder: Path) -> str:
    """All tables of what `faircast.read` gives."""
    return read_whole(faircast.read(folder))


def by_seed(folder: Path) -> str:
    """All tables of each seed."""
    places = [folder, *folder.glob("seed-*"), *folder.glob("tables/*/seed-*")]
    return "\n".join(read_whole(RunResult.read(place)) for place in places if list(place.glob("flows.parquet")))


def by_file(folder: Path) -> str:
    """The tables of each seed, file by file."""
    files = sorted(path for path in folder.rglob("*.parquet") if list(path.parent.glob("flows.parquet")))
    return "\n".join(str(faircast.read(path).table(path.stem).to_pylist()) for path in files)


READERS: tuple[Callable[[Path], str], ...] = (by_show, by_read, by_seed, by_file)


def read_whole(result: object) -> str:
    """Everything in a result, as text."""
    if isinstance(result, Tables):
        return "\n".join(f"{name} {result.table(name).to_pylist()}" for name in result.names)
    if isinstance(result, faircast.SweepResult):
        return f"{result.points} {result.table.to_pylist()} {result.warnings.to_pylist()}"
    return "\n".join(str(report.to_json()) for report in result.reports)  # type: ignore[attr-defined]


def cli(*arguments: str) -> tuple[int, str, str]:
    """The command line in this process: exit code and what it writes."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = carry_out(list(arguments))
    return code, out.getvalue(), err.getvalue()


def content(folder: Path) -> dict[str, bytes]:
    """All files of a folder but pictures."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix not in PICTURES]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def numbers(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files that are equal for equal runs."""
    return {name: data for name, data in files.items() if Path(name).name != "manifest.json"}


def restore(kind: Kind, whole: dict[str, bytes] | None = None, path: Path | None = None) -> None:
    """Make a folder whole again: one file, or all."""
    if path is not None and whole is None:
        path.write_bytes(kind.bytes[str(path.relative_to(kind.name))])
        return
    shutil.rmtree(kind.name)
    for name, data in kind.bytes.items():
        place = Path(kind.name, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
