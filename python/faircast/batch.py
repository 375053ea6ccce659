"""What a batch of runs is: jobs, what became of them, and who watches. `faircast.engine` carries them out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from faircast.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Job:
    """One run: a resolved scenario and a seed."""

    scenario: str
    seed: int
    label: str = ""
    """Names the run in messages."""


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What became of a batch."""

    results: list[T | None]
    """What was kept of each run, in the order of the jobs; None for runs that never started, or failed."""
    interrupted: bool
    """Whether Ctrl-C, or what else raises `KeyboardInterrupt`, ended the batch early."""
    failed: Mapping[int, str] = field(default_factory=dict)
    """By its place among the jobs why a run was given up, which ended its worker again and again."""


class Watcher(Protocol):
    """Someone who wants to know how far a batch is."""

    def update(self, share: float, done: int, total: int) -> None:
        """Called now and then: share of all work 0 to 1, runs finished, runs in all."""


def worker_count(asked: int | None, option: str = "--jobs") -> int:
    """How many runs go on at once: `asked`, by default one per core that this process may use."""
    if asked is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if asked < 1:
        raise InputError(f"{option} is {asked}; it must be at least 1")
    return asked
