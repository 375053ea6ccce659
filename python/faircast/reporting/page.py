"""The HTML file: document, viewer and style in one, closed to the network by a policy of its own.

Nothing of a result is written as HTML: all of it is JSON in an element that no browser runs, with ``<`` escaped, and
the viewer makes texts of it. The policy lets run nothing but the viewer, by its SHA-256, so that even what came
through would do nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources
from typing import TYPE_CHECKING, Any

from faircast.errors import InputError

if TYPE_CHECKING:
    from faircast.reporting.packing import Chunk

FORM = 1
"""The form of the document, as the viewer knows it."""


def built(name: str) -> str:
    """A text of the web part. Raises `InputError` if that is not built."""
    try:
        return (resources.files("faircast") / "web" / name).read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("this checkout of faircast has no viewer yet; make web builds it") from None


def viewer() -> tuple[str, str, str]:
    """Script, style and licences of the viewer. Raises `InputError` if the web part is not built."""
    return built("report.js"), built("report.css"), built("licences.txt")


def page_of(document: Mapping[str, Any], chunks: Sequence[Chunk]) -> str:
    """The whole HTML file."""
    script, style, licences = viewer()
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{digest(script)}'",
            f"style-src '{digest(style)}'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    title = escape(str(document["head"]["title"]))
    data = "\n".join(
        f'<script type="application/octet-stream" id="{escape(chunk.name)}">{chunk.text()}</script>' for chunk in chunks
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title} · faircast</title>
<!--
What the web part of faircast is made of, of which the viewer in this page is one:

{comment(licences)}-->
<style>{style}</style>
</head>
<body>
<main id="page"><p>This page draws its pictures with a script, which is inside it. Scripts are switched off here.</p>
</main>
<script type="application/json" id="document">{text_of(document)}</script>
{data}
<script>{script}</script>
</body>
</html>
"""


def text_of(document: Mapping[str, Any]) -> str:
    """A document as the viewer reads it."""
    return json_of({"form": FORM, **document})


def digest(text: str) -> str:
    """By what a policy knows a script or a style that stands in the page."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def json_of(value: Any) -> str:
    """JSON that may stand in an element of a page: nothing in it can end that element or begin another."""
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def comment(text: str) -> str:
    """A text that may stand in a comment of a page."""
    return text.replace("--", "- -")


def _plain(value: Any) -> Any:
    """Without numbers that JSON does not know, which become null, and without lone surrogates."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
