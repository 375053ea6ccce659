"""What to say when a picture cannot be drawn because the run recorded nothing for it."""

from __future__ import annotations

from faircast.errors import InputError
from faircast.hosts.session import is_of_hosts
from faircast.plot.recording import Recording, has


def needed(
    recording: Recording, table: str, picture: str, *, probe: str, without: str, column: str | None = None
) -> None:
    """Raise an `InputError` if a table has no rows, or nothing in the column that the picture is about.

    Parameters
    ----------
    probe
        The assignment below ``probes`` with which the table has rows: ``flows=true``.
    without
        What else may be the reason: that there is nothing to record.
    """
    if has(recording, table, column):
        return
    if is_of_hosts(recording.scenario.data):
        if recording.holds(table):
            raise InputError(f"there is nothing to draw for {picture}: {without}")
        raise InputError(
            f"there is nothing to draw for {picture}: {recording.folder} is of a session on hosts, "
            f"which wrote no table {table}"
        )
    if not recording.holds(table):
        raise InputError(f"there is nothing to draw for {picture}: {recording.folder} has no table {table}")
    key, _, value = probe.partition("=")
    on = recording.scenario.data["probes"].get(key)
    if on:
        raise InputError(f"there is nothing to draw for {picture}: {without}")
    was = "off" if on is False else "empty"
    raise InputError(
        f"there is nothing to draw for {picture}: probes.{key} is {was} in this scenario; "
        f"{recording.again(f'probes.{key}={value}')} records it"
    )
