"""Long calls into the core, made so that Ctrl-C ends them at once, and a lack of memory no more than the call.

Python handles a signal in its main thread and between two of its own instructions, never within a call of the core. So
the main thread lets another one make the call and waits; the core does not hold the interpreter's lock meanwhile. So
does a worker thread whose work may become unwanted (`faircast.interruption`).

A call that is given up goes on in its thread. If the interpreter ends meanwhile the thread must not ask for its lock
any more, as that would abort the process: `keep_out` stops such threads at the end, before the interpreter is taken
down.
"""

from __future__ import annotations

import atexit
import ctypes
import threading
import time
from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

from faircast._native import Control
from faircast.interruption import give_way, is_asked

T = TypeVar("T")
POLL_S = 0.1
PATIENCE_S = 1.0
"""How long the end of the interpreter waits for Python code of guests in calls that were given up."""

_given_up: WeakKeyDictionary[Control, int] = WeakKeyDictionary()
"""By the control of a call the number of its thread."""


def called(function: Callable[[Control | None], T]) -> T:
    """What `function` hands back; a `KeyboardInterrupt` in the main thread ends the wait, and the call is given up.

    So does an `Interrupted` in a worker, and so does a lack of memory, as a `MemoryError`, in a call of the core that
    gets the control. What the call does is then lost, so it must change nothing but what it hands back.
    """
    if threading.current_thread() is not threading.main_thread() and not is_asked():
        return function(None)
    control = Control()
    outcome: list[T] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            outcome.append(function(control))
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=work, name="core", daemon=True)
    try:
        thread.start()
        while not done.wait(POLL_S):
            give_way()
            if control.exhausted:
                raise MemoryError
        thread.join()
    except BaseException:
        control.cancel()  # where the call looks at it
        give_up(control, thread.ident)
        raise
    if failure:
        raise failure[0]
    return outcome[0]


def give_up(control: Control, thread: int | None) -> None:
    """Note that nobody waits for the call of this control any more, which may go on in its thread."""
    if thread is not None:
        _given_up[control] = thread


@atexit.register
def keep_out() -> None:
    """Keep the threads of calls that were given up out of an interpreter that ends.

    One that is in Python code of a guest meanwhile gets a `SystemExit`, and a little time.
    """
    inside = [(control, thread) for control, thread in _given_up.items() if not control.close(0.0)]
    for _, thread in inside:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(SystemExit))
    deadline = time.monotonic() + PATIENCE_S
    for control, _ in inside:
        control.close(max(0.0, deadline - time.monotonic()))
