"""Engines: where the runs of a campaign are computed.

An engine takes tasks, each a job (a scenario and a seed) with what is wanted of it, and hands what was taken of each
back to the calling process, which keeps it. What is wanted is taken where the run is computed, so that little travels.

===================  ================================================================================
`Threads`            of this process; nothing is copied; the usual one
`Processes`          of this machine: a run that crashes or eats all memory ends its own process only
`Dask`               the workers of a Dask cluster
===================  ================================================================================

The bytes of all tables are equal on all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.engine.contract import Engine
from faircast.errors import InputError, brief

if TYPE_CHECKING:
    from distributed import Client


def chosen(engine: Engine | Client | str | None, jobs: int | None) -> Engine:
    """The engine that is meant: one that is given, a Dask client or where one is, or else `jobs` threads.

    Raises `InputError` if it is none of these, or if `jobs` are given besides.
    """
    from faircast.engine.threads import Threads

    if engine is None:
        return Threads(jobs)
    if jobs is not None:
        raise InputError("jobs are the threads of this process, the engine computes elsewhere; give one of them")
    if isinstance(engine, Engine):
        return engine
    from faircast.engine.dask import Dask, require

    if not isinstance(engine, str):
        require()
        from distributed import Client as DaskClient

        if not isinstance(engine, DaskClient):
            raise InputError(
                f"engine is {brief(repr(engine))}; legal are one of faircast.engine, a distributed.Client, and a text "
                "such as tcp://HOST:PORT"
            )
    return Dask(engine)
