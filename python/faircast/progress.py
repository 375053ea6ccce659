"""How far a batch is: a bar on a terminal, a line now and then elsewhere. Always on standard error."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

LINE_EVERY_S = 10.0


class Reporter:
    """Watches a batch; use it as a context manager."""

    def __init__(self, title: str, *, quiet: bool = False) -> None:
        self.title = title
        self._quiet = quiet
        self._bar: tuple[Progress, TaskID] | None = None
        self._last_line = time.monotonic()

    def __enter__(self) -> Self:
        if not self._quiet and sys.stderr.isatty():
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f} %  {task.fields[runs]}"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
            )
            bar = Progress(*columns, console=Console(stderr=True), transient=True)
            bar.start()
            self._bar = bar, bar.add_task(self.title, total=1.0, runs="")
        return self

    def update(self, share: float, done: int, total: int) -> None:
        """Take note of the share of all work, 0 to 1, and of the runs finished."""
        if self._bar is not None:
            bar, task = self._bar
            bar.update(task, completed=share, runs=f"{done}/{total} runs")
        elif not self._quiet and time.monotonic() - self._last_line >= LINE_EVERY_S:
            self._last_line = time.monotonic()
            print(f"{self.title}: {share:.0%}, {done} of {total} runs", file=sys.stderr, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar[0].stop()
