"""Long calls into the core, made so that Ctrl-C ends them at once.

Python handles a signal in its main thread and between two of its own instructions, never within a call of the core. So
the main thread lets another one make the call and waits; the core does not hold the interpreter's lock meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def called(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """``function(*args, **kwargs)``; in the main thread a `KeyboardInterrupt` ends the wait, and the call is given up.

    What the call does is then lost, so it must change nothing but what it hands back.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **kwargs)
    outcome: list[T] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            outcome.append(function(*args, **kwargs))
        except BaseException as error:
            failure.append(error)
        finally:
            done.set()

    threading.Thread(target=work, name="core", daemon=True).start()
    done.wait()
    if failure:
        raise failure[0]
    return outcome[0]
