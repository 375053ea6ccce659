"""A Dask cluster: workers of any number of machines, which a scheduler knows.

Each batch is sent to one worker and to no other. So a worker that dies takes its own batches with it, which are handed
out anew here, run by run; Dask itself would send a batch that kills workers to one after the other. What is answered
comes back through the scheduler.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import re
import threading
import time
import warnings
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import CancelledError
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from faircast.engine import remote
from faircast.engine.contract import Engine, Task, Work
from faircast.engine.home import Answered, Broken, Came, Crew, Event, Went, ready
from faircast.errors import InputError, NotFinishedError, ResultWarning, brief

if TYPE_CHECKING:
    from distributed import Client, Future

LOCAL = re.compile(r"local:(\d+)")
ADDRESS = re.compile(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[^/\s:]+):(\d+)")
LEGAL = "legal are tcp://HOST:PORT, tls://HOST:PORT and local:N"
CERTIFICATES = ("ca.pem", "cert.pem", "key.pem")
ANSWER_S = 10.0
"""How long to wait for a scheduler to answer at first."""
SILENCE_S = 60.0
"""How long a scheduler may say nothing before it counts as lost."""
LOOK_S = 1.0
"""How often the scheduler is asked for its workers."""
PAUSED_S = 30.0
"""How long a worker may take no runs, for want of memory for instance, before what it has goes to others."""
PATIENCE_S = 60.0
"""How long to wait for a worker when there is none."""
END_S = 3.0
"""How long it may take to tell workers that nothing more is wanted."""


class Dask(Engine):
    """The workers of a Dask scheduler.

    Parameters
    ----------
    where
        ``tcp://HOST:PORT`` or ``tls://HOST:PORT`` of a scheduler, ``local:4`` for four workers of this machine, or a
        ``distributed.Client``, which stays open.
    certificates
        A folder with ``ca.pem``, ``cert.pem`` and ``key.pem`` for ``tls://``; without one Dask's configuration says
        where they are.
    patience_s
        How long to wait for another worker when none is left.
    """

    def __init__(
        self, where: str | Client, *, certificates: str | Path | None = None, patience_s: float = PATIENCE_S
    ) -> None:
        if isinstance(where, str):
            check_place(where)
        if certificates is not None and not (isinstance(where, str) and where.startswith("tls:")):
            raise InputError("--dask-certificates are for --dask tls://HOST:PORT")
        require()
        self._where = where
        self._certificates = None if certificates is None else Path(certificates)
        self._patience_s = patience_s

    def ready(self, tasks: Sequence[Task]) -> AbstractContextManager[Work]:
        """Connect, and let the workers that are there know what the tasks need; see `Engine.ready`."""
        return ready(DaskCrew(self._where, self._certificates, self._patience_s), tasks)


def check_place(where: str) -> None:
    """Raise `InputError` unless a text says where there is a cluster."""
    local, address = LOCAL.fullmatch(where), ADDRESS.fullmatch(where)
    if local is not None and int(local[1]) >= 1:
        return
    if address is None or not 1 <= int(address[3]) <= 65535:
        raise InputError(f"--dask is {brief(where)}; {LEGAL}")


def require() -> None:
    """Raise `InputError` unless Dask is installed."""
    try:
        import distributed
    except ImportError as error:
        raise InputError(f"Dask is not installed: pip install 'faircast[dask]' brings it ({error})") from None
    del distributed


class Seen(NamedTuple):
    """A worker as the scheduler tells of it."""

    address: str
    identity: str
    """Its name and its folder, which no other worker process ever has."""


@dataclass(frozen=True)
class Present:
    """The workers that the scheduler has at a moment, with how many runs each carries out at once."""

    workers: dict[Seen, int]


@dataclass(frozen=True)
class Boarded:
    """A worker knows what travels, and says what it is; or why it does not."""

    worker: Seen
    identity: dict[str, str]
    error: str


@dataclass(frozen=True)
class Ended:
    """Nothing more will come."""

    reason: str


class DaskCrew(Crew):
    """The workers of a scheduler."""

    def __init__(self, where: str | Client, certificates: Path | None, patience_s: float) -> None:
        self._given_patience_s = patience_s
        self._where = where
        self._certificates = certificates
        self._token = uuid4().hex
        self._said: queue.Queue[Event | Present | Boarded | Ended] = queue.Queue()
        self._luggage = b""
        self._cluster: Any = None
        self._client: Any = None
        self._is_closing = False
        self._ready: dict[Seen, int] = {}
        self._boarding: dict[Seen, int] = {}
        self._refused: set[Seen] = set()
        self._futures: dict[tuple[Seen, int], Future] = {}
        self._early: list[Event] = []

    def start(self, luggage: bytes) -> None:
        """Connect, and hold the workers that are there against this process."""
        self._luggage = luggage
        self._open()
        self._client.loop.add_callback(self._watch)
        if isinstance(self._where, str):
            self._wait_for(lambda: bool(self._boarding), self._given_patience_s)
            if not self._boarding:
                raise InputError(
                    f"the scheduler at {self._where} has no workers; start some: dask worker {self._where}"
                )
        else:
            self._wait_for(lambda: bool(self._boarding), 2 * LOOK_S)
        self._wait_for(lambda: not self._boarding, SILENCE_S)

    def send(self, worker: Hashable, number: int, payload: bytes) -> None:
        """Send a batch to a worker, and to no other."""
        assert isinstance(worker, Seen)
        at_once = self._ready.get(worker, 1)
        future = self._submit(remote.compute, worker, self._token, payload, at_once)
        self._futures[worker, number] = future
        self._client.loop.add_callback(self._fetch, worker, number, future)

    def events(self, timeout_s: float) -> list[Event]:
        """What has come back, and which workers have come and gone."""
        found, self._early = self._early, []
        with suppress(queue.Empty):
            found += self._taken_in(self._said.get(timeout=0 if found else timeout_s))
            while True:
                found += self._taken_in(self._said.get_nowait())
        return found

    def cancel(self) -> None:
        """Tell the workers to end what they compute for this campaign."""
        if self._client is None or self._client.status != "running":
            return
        client, futures = self._client, list(self._futures.values())

        def tell() -> None:
            with suppress(Exception):
                client.cancel(futures, force=True)
                client.run(remote.cancel, self._token, on_error="ignore")

        thread = threading.Thread(target=tell, name="cancel", daemon=True)
        thread.start()
        thread.join(END_S)

    def close(self) -> None:
        """Let go of the scheduler; end workers that were started for this."""
        self._is_closing = True
        self._futures.clear()
        if isinstance(self._where, str):
            for opened in (self._client, self._cluster):
                if opened is not None:
                    with suppress(Exception):
                        opened.close(timeout=END_S)

    def _open(self) -> None:
        import distributed

        where = self._where
        if not isinstance(where, str):
            if where.status != "running":
                raise InputError(f"the Dask client is not connected: it is {where.status}")
            if where.asynchronous:
                raise InputError("the Dask client is asynchronous; legal is one that is not")
            self._client = where
            return
        for name in ["distributed", *(name for name in logging.root.manager.loggerDict if "distributed." in name)]:
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what goes wrong is told in words of our own
        if local := LOCAL.fullmatch(where):
            self._cluster = distributed.LocalCluster(
                n_workers=int(local[1]),
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            )
        security = self._security()
        try:
            self._client = distributed.Client(
                self._cluster or where, timeout=ANSWER_S, security=security, set_as_default=False
            )
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            detail = f" ({error})" if "certificate" in str(error).lower() or "tls" in str(error).lower() else ""
            raise InputError(f"no Dask scheduler answers at {where} within {ANSWER_S:.0f} s{detail}") from None

    def _security(self) -> Any:
        from distributed.security import Security

        if self._certificates is None:
            return None
        for name in CERTIFICATES:
            if not (self._certificates / name).is_file():
                raise InputError(f"--dask-certificates {self._certificates}: there is no {name} in it")
        ca, cert, key = (str(self._certificates / name) for name in CERTIFICATES)
        security = Security(tls_ca_file=ca, tls_client_cert=cert, tls_client_key=key, require_encryption=True)
        try:
            security.get_connection_args("client")
        except OSError as error:  # those of OpenSSL are some, too
            raise InputError(f"the certificates in {self._certificates} cannot be used: {error}") from None
        return security

    def _submit(self, function: Callable[..., Any], worker: Seen, *args: Any) -> Any:
        key = f"faircast-{function.__name__}-{uuid4().hex}"
        return self._client.submit(
            function, *args, key=key, workers=[worker.address], allow_other_workers=False, pure=False, retries=0
        )

    def _wait_for(self, is_so: Callable[[], bool], patience_s: float) -> None:
        """Take in what happens until something is so, or patience ends; those that are refused end it."""
        deadline = time.monotonic() + patience_s
        while not is_so() and time.monotonic() < deadline:
            with suppress(queue.Empty):
                said = self._said.get(timeout=0.05)
                if isinstance(said, Boarded) and (wrong := self._wrong(said)):
                    raise InputError(f"the Dask worker at {said.worker.address} cannot be used: {wrong}")
                for event in self._taken_in(said):
                    self._early.append(event)

    def _taken_in(self, said: Event | Present | Boarded | Ended) -> list[Event]:
        match said:
            case Ended():
                raise NotFinishedError(f"{said.reason}; what was finished is kept, the same command continues")
            case Present():
                return self._changes(said.workers)
            case Boarded():
                return self._boarded(said)
        if isinstance(said, Answered | Broken):
            self._futures.pop((said.worker, said.number), None)  # type: ignore[arg-type]
        return [said]

    def _changes(self, present: dict[Seen, int]) -> list[Event]:
        """Workers that are gone, and new ones, which are told what they need before they count."""
        gone: list[Event] = []
        for worker in [worker for worker in self._ready | self._boarding if worker not in present]:
            self._boarding.pop(worker, None)
            if self._ready.pop(worker, None) is not None:
                gone.append(Went(worker, f"its worker at {worker.address} has died"))
            lost = [key for key in self._futures if key[0] == worker]
            if lost:
                self._client.loop.add_callback(self._forget, [self._futures.pop(key) for key in lost])
        for worker, at_once in present.items():
            if worker not in self._ready and worker not in self._boarding and worker not in self._refused:
                self._boarding[worker] = at_once
                future = self._submit(remote.board, worker, self._token, self._luggage)
                self._client.loop.add_callback(self._fetch_identity, worker, future)
        return gone

    def _boarded(self, said: Boarded) -> list[Event]:
        at_once = self._boarding.pop(said.worker, None)
        if at_once is None:
            return []
        if wrong := self._wrong(said):
            self._refused.add(said.worker)
            told = f"the Dask worker at {said.worker.address} is not used: {wrong}"
            warnings.warn(told, ResultWarning, stacklevel=2)
            return []
        self._ready[said.worker] = at_once
        self.patience_s = self._given_patience_s  # before, workers may have to come out of a queue
        return [Came(said.worker, at_once)]

    def _wrong(self, said: Boarded) -> str:
        return said.error or remote.difference(remote.identity(), said.identity)

    async def _watch(self) -> None:
        """Ask the scheduler for its workers, again and again."""
        stalled: dict[Seen, float] = {}
        while not self._is_closing:
            try:
                if self._client.status != "running":
                    raise OSError
                found = await asyncio.wait_for(self._client.scheduler.identity(n_workers=-1), SILENCE_S)
            except (OSError, TimeoutError):
                if not self._is_closing:
                    self._said.put(self._lost())
                return
            except Exception as error:
                self._said.put(Ended(f"the Dask scheduler cannot be asked for its workers: {error}"))
                return
            present: dict[Seen, int] = {}
            for address, info in found["workers"].items():
                worker = Seen(address, f"{info['id']} in {info.get('local_directory')}")
                if info.get("status", "running") == "running":
                    stalled.pop(worker, None)
                elif time.monotonic() - stalled.setdefault(worker, time.monotonic()) > PAUSED_S:
                    continue
                present[worker] = int(info["nthreads"])
            self._said.put(Present(present))
            await asyncio.sleep(LOOK_S)

    async def _forget(self, futures: list[Future]) -> None:
        """Tell the scheduler that these batches are not wanted any more."""
        with suppress(Exception):
            await self._client.cancel(futures, asynchronous=True)

    async def _fetch(self, worker: Seen, number: int, future: Future) -> None:
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        try:
            answers, seconds = await self._client.gather(future, asynchronous=True)
        except KilledWorker:
            self._said.put(Broken(worker, number, f"its worker at {worker.address} has died"))
        except remote.StrangerError:
            self._said.put(Broken(worker, number, f"its worker at {worker.address} has begun anew"))
        except CommClosedError:
            self._said.put(self._lost())
        except (asyncio.CancelledError, CancelledError):
            pass  # its worker is gone, or the scheduler, of which `_watch` tells
        except Exception as error:
            if not self._is_closing:
                self._said.put(Ended(f"the Dask worker at {worker.address} has failed: {brief(error)}"))
        else:
            self._said.put(Answered(worker, number, answers, seconds))

    async def _fetch_identity(self, worker: Seen, future: Future) -> None:
        from distributed.comm import CommClosedError

        try:
            identity = await self._client.gather(future, asynchronous=True)
        except CommClosedError:
            self._said.put(self._lost())
        except (asyncio.CancelledError, CancelledError):
            pass
        except Exception as error:
            self._said.put(Boarded(worker, {}, f"{type(error).__name__}: {error}"))
        else:
            self._said.put(Boarded(worker, identity, ""))

    def _lost(self) -> Ended:
        where = self._where if isinstance(self._where, str) else self._client.scheduler.address
        return Ended(f"the Dask scheduler at {where} is lost")
