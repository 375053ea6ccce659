"""The reproductions at a glance: a card with a small picture for each, to be filtered by paper and verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from pages import NAMES, Row


def grid(rows: Sequence[Row]) -> str:
    """The cards, as Markdown within HTML: links and emphasis in their texts are those of the table."""
    return "\n".join([choices(rows), '<div class="cards" markdown>\n', *map(card, rows), "</div>\n"])


def choices(rows: Sequence[Row]) -> str:
    """What filters them. It is hidden until the script is there that does so."""
    papers = {row.paper: NAMES[row.paper] for row in rows}
    kinds = Counter(row.kind for row in rows)
    of_papers = Counter(row.paper for row in rows)

    def select(name: str, of: str, options: dict[str, str]) -> str:
        listed = "".join(f'<option value="{escape(key)}">{escape(text)}</option>' for key, text in options.items())
        return f'<label>{name} <select data-of="{of}"><option value="">all</option>{listed}</select></label>'

    return (
        '<form class="choices" hidden>'
        + select("Paper", "paper", {key: f"{name} ({of_papers[key]})" for key, name in papers.items()})
        + select("Verdict", "verdict", {kind: f"{kind} ({count})" for kind, count in kinds.most_common()})
        + f'<output aria-live="polite">{len(rows)} of {len(rows)}</output></form>\n'
    )


def card(row: Row) -> str:
    """One of them."""
    picture = ""
    if row.picture is not None:
        # Links of pictures say nothing that the heading's link does not.
        picture = (
            f'<a class="picture" href="figure-{row.id}.html" tabindex="-1" aria-hidden="true">'
            f'<img src="figures/small/{row.id}.png" alt="" loading="lazy"></a>'
        )
    lines = [
        f'<article class="card" data-paper="{row.paper}" data-verdict="{escape(row.kind)}" markdown>',
        picture or '<div class="picture">a table</div>',
        f'<p class="verdict {row.kind.split()[0]}">{escape(row.verdict)}</p>\n',
        f"**[{row.place}](figure-{row.id}.md)**\n",
        f"*{row.published}*\n" if row.published else "",
        f"{row.says}\n",
        f"Why: {row.why}\n" if row.why else "",
        "</article>\n",
    ]
    return "\n".join(line for line in lines if line)
