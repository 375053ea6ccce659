"""Many whole numbers in short: as ranges, first and last."""

from __future__ import annotations

from collections.abc import Iterable


def to_ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Numbers as ranges, first and last: 1, 2, 3, 7 is ``[[1, 3], [7, 7]]``."""
    ranges: list[list[int]] = []
    for number in sorted(set(numbers)):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ranges


def from_ranges(ranges: Iterable[Iterable[int]]) -> list[int]:
    """What `to_ranges` was given, in order."""
    return [number for first, last in ranges for number in range(first, last + 1)]
