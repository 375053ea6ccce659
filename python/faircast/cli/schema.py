"""``faircast schema``: the JSON Schema of scenarios."""

from __future__ import annotations

import json

from faircast.cli.common import Json, verb
from faircast.cli.endings import print_json


@verb
def command(as_json: Json = False) -> None:
    """Print the JSON Schema of scenario files, for editors.

    It is JSON with and without --json.

    Example: faircast schema > scenario.schema.json
    """
    from faircast._native import schema

    del as_json  # there is no other form

    print_json(json.loads(schema()))
