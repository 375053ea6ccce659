"""Calls into the core that Ctrl-C ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from faircast._native import Control, toml_to_json
from faircast.background import called

EXITS = Path(__file__).resolve().parents[2] / "tools" / "exits.py"


def test_values_and_errors_come_through() -> None:
    assert called(lambda _: divmod(7, 2)) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        called(lambda _: divmod(7, 0))


def test_an_interruption_ends_the_wait() -> None:
    """The call itself goes on, in a thread that does not keep the process."""
    late = threading.Event()
    at_work: list[threading.Thread] = []

    def endless() -> None:
        at_work.append(threading.current_thread())
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        assert late.wait(30), "nobody waits so long for this call"

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            called(lambda _: endless())
    finally:
        signal.signal(signal.SIGINT, before)
    assert at_work[0].is_alive()
    assert at_work[0].daemon
    late.set()
    at_work[0].join(30)


def test_a_worker_calls_by_itself() -> None:
    seen: list[threading.Thread] = []
    worker = threading.Thread(target=lambda: seen.append(called(lambda _: threading.current_thread())))
    worker.start()
    worker.join()
    assert seen == [worker]


def test_what_goes_on_does_not_disturb_the_end() -> None:
    """The short form of the program, two exits for each of its ways."""
    done = subprocess.run(
        [sys.executable, EXITS, "--exits", "12", "--jobs", "2"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "12 exits, 0 that are not as they should be\n"


def test_a_closed_call_never_comes_back() -> None:
    closed, back = Control(), threading.Event()
    assert closed.close(0.0)

    def work() -> None:
        toml_to_json("a = 1", closed)
        back.set()

    threading.Thread(target=work, daemon=True).start()
    assert toml_to_json("a = 1", Control()) == '{"a":1}'
    assert not back.wait(0.3)
