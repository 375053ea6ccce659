"""Schemes as Python classes: for teaching, and for trying something out before it is written in Rust.

They are **slow**, tens of times slower than those in Rust: every packet that an endpoint gets, and each of its
time-outs, holds the interpreter's lock, so several runs at once gain nothing either. See the chapter
``docs/guests.md``.
"""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
import json
import math
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, NewType, TypeAlias

from faircast import _native
from faircast._native import Outbox, Packet, Seat
from faircast.errors import InputError

Rate = NewType("Rate", int)
"""A parameter that scenarios write as ``"1.5 Mbit/s"``, bit/s."""
Duration = NewType("Duration", int)
"""A parameter that scenarios write as ``"250 ms"``, ns."""
Bytes = NewType("Bytes", int)
"""A parameter that scenarios write as ``"1000 B"``."""

Input: TypeAlias = "Literal['start', 'timeout', 'stop'] | Packet"
"""What happens to an endpoint: ``start`` comes once and first, ``timeout`` when the deadline has come (or may have),
``stop`` when it is to send no more of its own accord; or a packet has come."""

SECOND = 1_000_000_000
"""Nanoseconds."""


class Endpoint:
    """One end of a session: what `Scheme.source` and `Scheme.member` make.

    It knows what a host would know: its clock, and the packets that come.
    """

    rate_bps: float | None = None
    """Sending rate of a source, desired rate of a member; None if it has none."""

    def handle(self, now: int, given: Input, out: Outbox) -> None:
        """Take one input at the moment `now`, ns; everything wanted in return goes into `out`."""
        raise NotImplementedError(f"{type(self).__qualname__} has no method handle")

    def deadline(self) -> int | None:
        """When to be called with ``timeout``, ns; None for not at all. Asked after each `handle`."""
        raise NotImplementedError(f"{type(self).__qualname__} has no method deadline")

    def measure(self) -> Sequence[float | None]:
        """The present values of its gauges, those of `Scheme.source_gauges` or `Scheme.member_gauges`."""
        return ()


@dataclasses.dataclass(frozen=True)
class Gauge:
    """A value that endpoints show, in tables and summaries."""

    name: str
    unit: str
    """``s``, ``bit/s``, ``packets``, ``bytes``, what is counted, or ``1``."""
    kind: Literal["count", "amount", "level"]
    """Counted or summed up since the start, or of the moment."""
    about: str


@dataclasses.dataclass(frozen=True)
class EventKind:
    """Something that may happen in an endpoint; `Outbox.event` tells that it has."""

    name: str
    unit: str
    about: str


class Scheme:
    """A scheme of multicast congestion control: a dataclass whose fields are its parameters.

    A field is a ``float``, ``int``, ``bool``, ``str``, a ``Literal`` of words, or a quantity with a unit (`Rate`,
    `Duration`, `Bytes`).
    """

    source_gauges: ClassVar[Sequence[Gauge]] = ()
    member_gauges: ClassVar[Sequence[Gauge]] = ()
    events: ClassVar[Sequence[EventKind]] = ()
    version: ClassVar[str | None] = None
    """Results name it. Without one, a hash of the file that the class stands in takes its place."""

    def source(self, seat: Seat) -> Endpoint:
        """The endpoint that sends data."""
        raise NotImplementedError(f"{type(self).__qualname__} has no method source")

    def member(self, seat: Seat) -> Endpoint:
        """An endpoint that receives it: it joins ``seat.group`` when it starts and leaves it when it stops."""
        raise NotImplementedError(f"{type(self).__qualname__} has no method member")

    def check(self) -> list[tuple[str, str]]:
        """All parameters with illegal values: name, and what was given and what is legal."""
        return []

    def packet_bytes(self) -> int:
        """Size of a data packet on the wire."""
        return 1000

    def max_rate_bps(self) -> int | None:
        """The most it ever sends, if it is bounded."""
        return None

    def is_controlled(self) -> bool:
        """Whether it answers congestion."""
        return True

    def groups(self) -> int:
        """How many groups a session has, one for each layer."""
        return 1


class Registration(NamedTuple):
    """A scheme that is a Python class, as it was made known: what another process needs to know it, too."""

    name: str
    about: str
    origin: str
    """Where the class is from, and its version: where its file is not, that could not be told."""
    schema: str
    """The JSON Schema of its parameters."""
    scheme: type[Scheme]


_registered: dict[str, Registration] = {}
"""The schemes that are Python classes, by name."""


def register_scheme(name: str, scheme: type[Scheme]) -> None:
    """Make a class known as the scheme `name`: scenarios of this process may name it from now on.

    Registered again, it replaces what was there, for scenarios that are resolved from then on.

    Raises `InputError` if the name is not legal or taken, if `scheme` is no subclass of `Scheme`, or if a parameter
    cannot be one.
    """
    if not (isinstance(scheme, type) and issubclass(scheme, Scheme)):
        raise InputError(f"the scheme {name!r}: {scheme!r} given; legal is a subclass of faircast.guests.Scheme")
    if not dataclasses.is_dataclass(scheme) and "__init__" in vars(scheme):
        raise InputError(f"{scheme.__qualname__} has parameters: it must be a dataclass")
    about = (inspect.getdoc(scheme) or "").split("\n")[0]
    enter(Registration(name, about, origin(scheme), json.dumps(schema(scheme)), scheme))


def enter(registration: Registration) -> None:
    """Make a class known as its registration says; also one that comes from another process."""
    name, about, origin, schema, scheme = registration
    try:
        _native.register_scheme(
            name,
            about,
            origin,
            schema,
            scheme,
            [dataclasses.astuple(gauge) for gauge in scheme.source_gauges],
            [dataclasses.astuple(gauge) for gauge in scheme.member_gauges],
            [dataclasses.astuple(event) for event in scheme.events],
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    _registered[name] = registration


def registrations() -> dict[str, Registration]:
    """The schemes that are Python classes, by name."""
    return dict(_registered)


def is_class(name: str) -> bool:
    """Whether a scheme is a Python class that this process has registered: others know it only if they are told."""
    return name in _registered


def registered(name: str) -> type[Scheme] | None:
    """The Python class that this process has registered as a scheme; None if that is none of its."""
    registration = _registered.get(name)
    return None if registration is None else registration.scheme


def nanoseconds(seconds: float) -> int:
    """A time in seconds as the simulator counts it, rounded; nothing is negative."""
    return max(0, int(seconds * 1e9 + 0.5))


def origin(scheme: type) -> str:
    """Where a class is from, and its version."""
    given = getattr(scheme, "version", None)
    return f"{scheme.__module__}.{scheme.__qualname__} {given or source_hash(scheme)}"


def source_hash(scheme: type) -> str:
    """First 12 hexadecimal digits of the SHA-256 of the file that the class stands in, else of its own text."""
    try:
        data = Path(inspect.getfile(scheme)).read_bytes()
    except (OSError, TypeError):
        try:
            data = inspect.getsource(scheme).encode()
        except (OSError, TypeError):
            return "unknown"
    return hashlib.sha256(data).hexdigest()[:12]


QUANTITIES: dict[Any, tuple[str, str]] = {
    Rate: ("rate", "1.5 Mbit/s"),
    Duration: ("duration", "250 ms"),
    Bytes: ("number of bytes", "1000 B"),
}
TYPES: dict[Any, str] = {float: "number", int: "integer", bool: "boolean", str: "string"}
LEGAL: dict[Any, str] = {
    Rate: "a whole number of bit/s from 0",
    Duration: "a whole number of nanoseconds from 0",
    Bytes: "a whole number of bytes from 0",
    float: "a finite number",
    int: "a whole number",
    bool: "True or False",
    str: "a text",
}


def fits(kind: Any, default: object) -> bool:
    """Whether a parameter of that type may have that default."""
    if typing.get_origin(kind) is Literal:
        return default in typing.get_args(kind)
    if kind is bool or isinstance(default, bool):
        return kind is bool and isinstance(default, bool)
    if kind is float:
        return isinstance(default, int | float) and math.isfinite(default)
    if kind in QUANTITIES:
        return isinstance(default, int) and default >= 0
    return isinstance(default, kind)


def schema(scheme: type) -> dict[str, Any]:
    """The JSON Schema of the parameters, defaults of quantities in base units."""
    fields = dataclasses.fields(scheme) if dataclasses.is_dataclass(scheme) else ()
    hints = typing.get_type_hints(scheme)
    # In a class of its own without the decorator an annotated name is no field, and nothing would tell.
    for name in set(vars(scheme).get("__annotations__", ())) - {field.name for field in fields}:
        if typing.get_origin(hints[name]) is not ClassVar and hints[name] is not ClassVar:
            raise InputError(f"{scheme.__qualname__}.{name} would be a parameter if the class were a dataclass")
    properties: dict[str, dict[str, Any]] = {}
    for field in fields:
        kind = hints[field.name]
        if kind in QUANTITIES:
            quantity, example = QUANTITIES[kind]
            found: dict[str, Any] = {"type": "string", "x-quantity": quantity, "examples": [example]}
        elif kind in TYPES:
            found = {"type": TYPES[kind]}
        elif typing.get_origin(kind) is Literal:
            found = {"type": "string", "enum": list(typing.get_args(kind))}
        else:
            legal = "float, int, bool, str, a Literal of words, Rate, Duration, Bytes"
            raise InputError(f"{scheme.__qualname__}.{field.name} is of type {kind}; legal are {legal}")
        if field.default is not dataclasses.MISSING:
            if not fits(kind, field.default):
                whose = f"{scheme.__qualname__}.{field.name}"
                raise InputError(f"{whose}: its default is {field.default!r}; legal is {LEGAL.get(kind, kind)}")
            found["default"] = field.default
        properties[field.name] = found
    required = [name for name, found in properties.items() if "default" not in found]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
