"""A Dask scheduler and workers as processes of their own, and the campaign that all tests compute."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from filecmp import cmp
from pathlib import Path
from typing import Any

import pytest
from slurm import free_port

import faircast

SCRIPTS = Path(sys.executable).parent
VARY = {"flows.web.count": [1, 2, 4, 8]}
STUDY = """
format = 1
name = "study"
duration = "60 s"
warmup = "5 s"

[topology]
kind = "dumbbell"
left = 8
right = 8

[links.bottleneck]
rate = "10 Mbit/s"
delay = "50 ms"
queue = { kind = "red", limit = "100 packets", ecn = true }

[flows.web]
kind = "tcp"
count = 2

[probes]
interval = "1 s"
queues = ["bottleneck"]
"""
START_S = 60.0


class Cluster:
    """A scheduler on 127.0.0.1 with workers; all of them end with the test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._security: tuple[str, ...] = ()

    def scheduler(self, *options: str, protocol: str = "tcp") -> None:
        """Start the scheduler."""
        self.address = f"{protocol}://127.0.0.1:{self.port}"
        where = f"{protocol}://127.0.0.1" if protocol != "tcp" else "127.0.0.1"
        self.spawn("scheduler", "scheduler", "--host", where, "--port", str(self.port), "--no-dashboard", *options)

    def worker(self, name: str, *options: str, env: dict[str, str] | None = None) -> None:
        """Start a worker of one thread, without a nanny unless said."""
        nanny = () if "--nanny" in options else ("--no-nanny",)
        more = [option for option in options if option != "--nanny"]
        memory = () if "--memory-limit" in options else ("--memory-limit", "0")
        arguments = ("--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", *nanny, *memory, *more)
        self.spawn(name, "worker", self.address, *arguments, env=env)

    def spawn(self, name: str, *arguments: str, env: dict[str, str] | None = None) -> None:
        """Start a process of Dask."""
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = subprocess.Popen(
                [SCRIPTS / "dask", *arguments],
                cwd=self.folder,
                env=os.environ | (env or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """End a process, and what it has started, at once."""
        process = self.processes.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGCONT)
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def wait(self, workers: int) -> None:
        """Wait until so many workers are there."""
        from distributed import Client

        with Client(self.address, timeout=START_S, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=START_S)

    def logs(self) -> str:
        """The ends of all logs."""
        return "\n".join(f"{path.name}:\n{path.read_text()[-3000:]}" for path in self.folder.glob("*.log"))


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A place for a scheduler and workers."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    found = Cluster(folder)
    try:
        yield found
    finally:
        for name in list(found.processes):
            found.kill(name)


@pytest.fixture
def two(cluster: Cluster) -> Cluster:
    """A scheduler with two workers."""
    cluster.scheduler()
    cluster.worker("one")
    cluster.worker("two")
    cluster.wait(2)
    return cluster


@pytest.fixture(scope="session")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scenario."""
    path = tmp_path_factory.mktemp("study") / "study.toml"
    path.write_text(STUDY)
    return path


def sweep(study: Path | str, out: Path, **more: Any) -> Any:
    """The campaign, 40 runs."""
    given: dict[str, Any] = {"vary": VARY, "reps": 10, "tables": ["flows", "queues"]}
    return faircast.sweep(study, out=out, **given | more)


@pytest.fixture(scope="session")
def serial(study: Path) -> Path:
    """The folder of a serial run."""
    out = study.parent / "serial"
    assert sweep(study, out, jobs=1).missing == 0
    return out


def same(a: Path, b: Path) -> None:
    """All files but the manifests of both folders are equal, byte for byte."""
    names = [{p.relative_to(f) for f in (f,) for p in f.rglob("*") if p.is_file()} for f in (a, b)]
    assert names[0] == names[1]
    assert len(names[0]) > 2
    for name in names[0] - {Path("manifest.json")}:
        assert cmp(a / name, b / name, shallow=False), name


class At:
    """Calls something once, when a part of the runs is there."""

    def __init__(self, part: float, call: Any) -> None:
        self.part = part
        self.call = call
        self.called = False

    def update(self, share: float, done: int, total: int) -> None:
        """Look how far it is."""
        if not self.called and done >= self.part * total:
            self.called = True
            self.call()


def wait_until(is_so: Any, patience_s: float = START_S) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.1)
