"""Long calls into the core, made so that Ctrl-C ends them at once, and a lack of memory no more than the call.

Python handles a signal in its main thread and between two of its own instructions, never within a call of the core. So
the main thread lets another one make the call and waits; the core does not hold the interpreter's lock meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from faircast._native import Control

T = TypeVar("T")
POLL_S = 0.1


def called(function: Callable[[Control | None], T]) -> T:
    """What `function` hands back; in the main thread a `KeyboardInterrupt` ends the wait, and the call is given up.

    So does a lack of memory, as a `MemoryError`, in a call of the core that gets the control. What the call does is
    then lost, so it must change nothing but what it hands back.
    """
    if threading.current_thread() is not threading.main_thread():
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

    threading.Thread(target=work, name="core", daemon=True).start()
    while not done.wait(POLL_S):
        if control.exhausted:
            raise MemoryError
    if failure:
        raise failure[0]
    return outcome[0]
