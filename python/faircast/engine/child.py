"""A process of this machine that computes runs for another one, which speaks to its standard input."""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import sys
import threading
from contextlib import suppress
from typing import Any, BinaryIO

LENGTH = struct.Struct("<Q")
START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from faircast.engine.child import main; main()"
"""What its Python carries out; where modules are found is that of the other process."""
POISONED = 3
"""The exit code of a process in which memory has failed: a run that never ends holds it."""
TOKEN = "home"


def main() -> None:
    """Take batches until nobody sends any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started this process ends it
    given = os.fdopen(os.dup(0), "rb")
    answered = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what guests print goes where it disturbs nothing
    sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115 - for the life of the process
    messages: queue.Queue[tuple[Any, ...]] = queue.Queue()
    threading.Thread(target=listen, args=(given, messages), name="home", daemon=True).start()
    with suppress(BrokenPipeError):
        while True:
            tell(answered, answer(messages.get()))


def answer(message: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a message asks for."""
    from faircast.engine.remote import EXHAUSTED, board, compute, unpacked

    if message[0] == "board":
        try:
            board(TOKEN, message[1])
        except Exception as error:
            return "refused", f"{type(error).__name__}: {error}"
        return ("ready",)
    _, number, payload, at_once = message
    answers, seconds = compute(TOKEN, payload, at_once)
    if any(one.died == EXHAUSTED for one in unpacked(answers)):
        os._exit(POISONED)
    return "answers", number, answers, seconds


def listen(given: BinaryIO, messages: queue.Queue[tuple[Any, ...]]) -> None:
    """Read messages; the end of them is that of this process, whatever it computes."""
    while len(head := given.read(LENGTH.size)) == LENGTH.size:
        (length,) = LENGTH.unpack(head)
        data = given.read(length)
        if len(data) < length:
            break
        messages.put(pickle.loads(data))
    os._exit(0)


def tell(answered: BinaryIO, message: tuple[Any, ...]) -> None:
    """Write an answer."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    answered.write(LENGTH.pack(len(data)) + data)
    answered.flush()
