"""What the site has beyond the pages of `docs/`: live pictures, a page for each figure, the laboratory.

The pages stay plain Markdown that reads well where they lie; mkdocs calls these functions while it makes a site of
them (``hooks`` in mkdocs.yml). `make site` builds what they need first.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from figure_page import figure_page
from glance import grid
from living_table import COMPARISONS, living_table
from mkdocs.structure.files import File
from networks_behind import LABORATORY, opened
from pages import FIGURES, ROOT, Row, examples_run, rows, whole_scenarios
from PIL import Image

from faircast.experiments import REGISTRY, load

BUILT = ROOT / "python" / "faircast" / "web"
"""What `make web` has built."""
OF_SITE = ROOT / "web" / "site"
"""What it has built for the site alone."""
OF_LABORATORY = ("lab.js", "lab.css", "worker.js", "core.wasm", "licences.txt")
SMALL_PX = 480
"""Width of the small pictures of the cards."""
PICTURE = re.compile(r"!\[([^\]]*)\]\(figures/([\w-]+)\.png\)")
EXAMPLES = {
    "changes-rain-fade": "rain-fade",
    "changes-rtt-steps": "rtt-steps",
    "constellations-delay": "berkeley-boston",
}
"""Figures of examples."""


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages of figures."""
    found = known()
    for number, row in enumerate(found):
        before = found[number - 1] if number else None
        after = found[number + 1] if number + 1 < len(found) else None
        page = figure_page(row, before, after)
        files.append(File.generated(config, f"figure-{row.id}.md", content=page))
    return files


def on_page_markdown(text: str, page: Any, **_: Any) -> str:
    """Puts cards in the place of the table, live tables beside heat maps, and links to what is live below figures."""
    name = page.file.src_uri
    if name in ("index.md", "reproductions.md"):
        page.meta["hide"] = ["toc"]  # room for what is wide
    if name == "reproductions.md":
        text = re.sub(
            r'<div class="glance" markdown>.*?</div>\n', lambda _: grid(known()), text, count=1, flags=re.DOTALL
        )
    if not name.startswith("figure-"):
        text = with_laboratory(text)
        text = PICTURE.sub(lambda found: found[0] + below(found[2], name), text)
    return text


def on_post_build(config: Any, **_: Any) -> None:
    """Puts the laboratory beside the pages, and the small pictures."""
    site = Path(config.site_dir)
    (site / "404.html").unlink(missing_ok=True)  # its links are right at the root of a server only
    for name in ("site.js", "iframe-worker.js"):
        shutil.copyfile(OF_SITE / name, site / name)
    laboratory = site / "lab"
    laboratory.mkdir(parents=True, exist_ok=True)
    for name in OF_LABORATORY:
        shutil.copyfile(BUILT / name, laboratory / name)
    shutil.copyfile(BUILT / "lab.html", laboratory / "index.html")
    small = site / "figures" / "small"
    small.mkdir(exist_ok=True)
    for row in known():
        if row.picture is not None:
            with Image.open(row.picture) as picture:
                height = round(picture.height * SMALL_PX / picture.width)
                reduced = picture.convert("RGB").resize((SMALL_PX, height), Image.Resampling.LANCZOS)
                reduced.quantize(64).save(small / f"{row.id}.png", optimize=True)


def known() -> list[Row]:
    """All reproductions."""
    return rows({name: load(name).paper for name in REGISTRY})


def below(figure: str, page: str) -> str:
    """What stands below a figure: where it is live."""
    if figure in EXAMPLES:
        address = f"{LABORATORY}#example-{EXAMPLES[figure]}"
        return f'\n\n<p class="live-link"><a href="{address}">Run it in the laboratory</a></p>\n'
    if figure not in REGISTRY or not (FIGURES / f"{figure}.png").exists():
        return ""
    link = f'\n\n<p class="live-link" markdown>[Run it yourself](figure-{figure}.md#run-it-yourself)</p>\n'
    if figure in COMPARISONS and page.startswith("side-by-side"):
        return f"{link}\n{living_table(figure)}\n"
    return link


def with_laboratory(text: str) -> str:
    """Below every whole scenario, and where an example is run for the first time, a link that opens it."""
    links = [(block, block.file, opened(block.text)) for block in whole_scenarios(text)]
    links += [(block, name, f"{LABORATORY}#example-{name}") for name, block in examples_run(text).items()]
    for block, name, address in sorted(links, key=lambda link: -link[0].start):
        last = block.expected or block
        end = text.index("\n```", last.start - 1) + len("\n```")
        link = f'\n\n<p class="live-link"><a href="{address}">Open {name} in the laboratory</a></p>\n'
        text = text[:end] + link + text[end:]
    return text
