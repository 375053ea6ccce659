"""The page of one reproduced figure: what the paper says, what came out, and its networks to be run by the reader."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from living_table import COMPARISONS, living_table
from networks_behind import LABORATORY, Network, networks
from pages import NAMES, Row, all_numbers, heading, section

from faircast.experiments import PAPERS

LISTED = 12
"""Networks that a page shows at once; more are unfolded."""


def figure_page(row: Row, before: Row | None, after: Row | None) -> str:
    """The page, as Markdown."""
    there = networks(row.id)
    parts = [
        "---\nsearch:\n  exclude: true\n---\n",  # its words are those of the reproductions, where search finds them
        f"# {NAMES[row.paper]}: {heading(row.id)}\n",
        f'<p class="verdict {row.kind.split()[0]}">{escape(row.verdict)}</p>\n',
        f"*{escape(PAPERS[row.paper])}.*\n",
        f"**Published:** {row.published}\n" if row.published else "",
        elsewhere(section(row.id)) + "\n",
        f"## Every cell\n\n{living_table(row.id)}\n" if row.id in COMPARISONS else "",
        live(there),
        f"## All numbers\n\n{elsewhere(all_numbers(row.id, row.paper))}\n",
        ways(before, after),
    ]
    return "\n".join(part for part in parts if part)


def live(there: Sequence[Network]) -> str:
    """The networks: one to be run on the page, and a list of all, each of which opens in the laboratory."""
    if not there:
        return "## Run it yourself\n\nNothing is simulated for it: it is computed from what the paper prints.\n"
    items = "\n".join(f'<li><a href="{one.address}">{escape(one.label)}</a></li>' for one in there)
    listed = f"<ul>\n{items}\n</ul>"
    if len(there) > LISTED:
        listed = f"<details><summary>All {len(there)} networks</summary>\n{listed}\n</details>"
    return (
        "## Run it yourself\n\n"
        "What was run for this figure, as it is written in the experiment: choose a network, run it here with its "
        "first seed, or open it in the laboratory and change it. A verdict takes all seeds; one shows the course.\n\n"
        f'<div class="live-networks" data-laboratory="{LABORATORY}">\n{listed}\n</div>\n'
    )


def ways(before: Row | None, after: Row | None) -> str:
    """To the figures before and after it."""
    links = [
        f"[← {before.place}](figure-{before.id}.md)" if before else "",
        "[All at a glance](reproductions.md)",
        f"[{after.place} →](figure-{after.id}.md)" if after else "",
    ]
    return f'<nav class="ways" aria-label="Figures" markdown>\n\n{" · ".join(filter(None, links))}\n\n</nav>\n'


def elsewhere(text: str) -> str:
    """A part of another page: its links to places of that page lead there."""
    text = re.sub(r"\]\(#([\w-]+)\)", r"](reproductions.md#\1)", text)
    return re.sub(r"^\[All numbers of this experiment\]\([^)]*\);\n", "", text, flags=re.MULTILINE)
