"""How many seeds are looked at before a question is left undecided.

The numbers are fixed before anything is seen. Each look is one more chance to be wrong by luck, so an answer that has
come at the last of three looks is wrong somewhat more often than one time in twenty.
"""

from __future__ import annotations

LOOKS = (10, 20, 40)
"""Numbers of seeds."""
QUICK_REPS = 3
"""Seeds of a quick look, which judges nothing for good."""


def next_look(seeds: int) -> int | None:
    """The number of seeds of the next look after one with so many; None after the last one."""
    return next((look for look in LOOKS if look > seeds), None)
