"""Narrow experiments to some values of their axes, as ``--only path=geo`` does: fewer points, and each the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, TypeAlias

from faircast.errors import InputError, brief, nearest
from faircast.experiment import Axis, Brought, Experiment, listed
from faircast.scenario import decoded, parse_value
from faircast.vary import split

Only: TypeAlias = "Mapping[str, Any]"
"""By axis what is wanted of it: a value or a list of them."""
EXAMPLE = "--only path=geo,leo"


def parse(texts: Iterable[str]) -> dict[str, list[str]]:
    """What one or several ``--only`` say: ``axis=a,b``; values of the same axis add up."""
    found: dict[str, list[str]] = {}
    for given in texts:
        text = decoded(given, "--only")
        option = f"--only {brief(text)}"
        axis, equals, listed = text.partition("=")
        if not equals or not axis.strip() or not listed.strip():
            raise InputError(f"{option}: write axis=a,b,c, for instance {EXAMPLE}")
        found.setdefault(axis.strip(), []).extend(unquoted(part, option) for part in split(listed, option))
    return found


def unquoted(text: str, option: str) -> str:
    """A value without the quotes around it, if it has some: a comma is a sign like others between them."""
    value = parse_value(text, option) if text[0] in "\"'" else text
    return str(value)


def chosen(only: Only) -> dict[str, tuple[Any, ...]]:
    """What a caller in Python wants, each axis with a row of values. Raises `InputError` if it says something else."""
    if not isinstance(only, Mapping):
        raise InputError(f"only is {brief(repr(only))}; a mapping from axes to values is needed, {{'path': ['geo']}}")
    found: dict[str, tuple[Any, ...]] = {}
    for axis, given in only.items():
        one = isinstance(given, str | bytes | int | float | PurePath) or not isinstance(given, Iterable)
        values = (given,) if one else tuple(given)
        if not values:
            raise InputError(f"no values are listed for {brief(axis)} of only")
        found[str(axis)] = tuple(str(value) if isinstance(value, PurePath) else value for value in values)
    return found


def narrow(experiment: Experiment, only: Only, brought: Mapping[str, Any] | None = None) -> Experiment:
    """The experiment with the points alone that have the wanted values.

    `brought` has by file what it said before; of those that are not in it the file itself is read. Raises `InputError`
    if it has no axes, if an axis or a value is none of its, or if no point is left.
    """
    if not experiment.axes or experiment.narrowed is None:
        raise InputError(f"{experiment.id} has no axes to which --only could narrow it; leave --only out{hint(only)}")
    axes = {axis.name: axis for axis in experiment.axes}
    wanted = chosen(only)
    for name in wanted:
        if name not in axes:
            raise InputError(
                f"{experiment.id} has no axis {brief(name)}{nearest(name, list(axes))}; there are: {', '.join(axes)}"
            )
    known = brought or {}
    values = {name: in_order(axis, wanted[name], known) for name, axis in axes.items() if name in wanted}
    only = {name: tuple(axes[name].text(value) for value in found) for name, found in values.items()}
    own = {name: [value for value in found if isinstance(value, Brought)] for name, found in values.items()}
    return replace(
        experiment,
        points=experiment.narrowed(values),
        only=only,
        brought={value.file: value.said for found in own.values() for value in found},
        published=" ".join(
            [
                *([experiment.published] if experiment.published else []),
                *(said.format(listed(found)) for name, found in own.items() if found and (said := axes[name].brought)),
            ]
        ),
    )


def hint(only: Only) -> str:
    """What is said to one who wants a network of his own where there can be none."""
    texts = [str(value) for values in chosen(only).values() for value in values]
    if not any(text.endswith(".toml") for text in texts):
        return ""
    return (
        ". Its network is part of what it reproduces; a network of your own is for x-all, x-queues and their views: "
        "--only path=FILE.toml"
    )


def in_order(axis: Axis, given: Sequence[Any], brought: Mapping[str, Any]) -> tuple[Any, ...]:
    """What the experiment knows the wanted values by, each once: those that it has in its order, others behind."""
    found = list(dict.fromkeys(read(axis, value, brought) for value in given))
    own = list(axis.values.values())
    return (*(value for value in own if value in found), *(value for value in found if value not in own))


def read(axis: Axis, given: Any, brought: Mapping[str, Any]) -> Any:
    """One value. Raises `InputError` if it is none of the axis."""
    text = given.strip() if isinstance(given, str) else str(given)
    if axis.holds and axis.holds in brought.get(text, {}):
        return Brought.of(text, brought[text])
    for written, value in axis.values.items():
        if re.sub(r"\s", "", text.lower()) == written or (value == given and not isinstance(given, bool)):
            return value
    if axis.other is not None and isinstance(given, str):
        return axis.other(text)
    raise InputError(unknown(axis, text))


def unknown(axis: Axis, text: str) -> str:
    """What is said of a value that is none of an axis."""
    legal = list(axis.values)
    others = f", {axis.others}" if axis.others else ""
    return f"{axis.name} has no value {brief(text) or 'of no letters'}{nearest(text, legal)}; there are: " + (
        f"{', '.join(legal)}{others}"
    )


def label(experiment: Experiment) -> str:
    """The part of a folder's name that says to what an experiment was narrowed: ``tfmcc-geo-1``; of files the stem."""
    values = [value for values in experiment.only.values() for value in values]
    return "-".join(re.sub(r"[^\w.-]", "", PurePath(value).stem) for value in values)
