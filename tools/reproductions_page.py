"""Writes docs/reproductions.md, an appendix for each paper, and the figures, from finished reproductions.

    python tools/reproductions_page.py FOLDER [FOLDER ...]

Each FOLDER is one that `faircast reproduce` has written. The page has one table of all experiments on top, then of each
what was found in a sentence, its figure, and the criteria that decide with their rules. What else was measured, notes,
what other readings of a paper give and all tables stand in `docs/reproductions-PAPER.md`. What describes a paper's
network is `tools/reproductions/PAPER.md`. Experiments come in the order of `faircast list experiments`; what the pages
have of experiments that are in none of the folders stays.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from faircast.cli.reproduce import CLAIMS
from faircast.errors import InputError
from faircast.experiment import (
    AGREES,
    DISAGREES,
    IDENTITY,
    REPORTED,
    SOFT,
    SOFTLY_UNDECIDED,
    UNDECIDED,
    Verdict,
    plain,
)
from faircast.experiments import PAPERS, REGISTRY, load
from faircast.looks import next_look
from faircast.report import Report
from faircast.statistics import with_interval

DOCS = Path(__file__).resolve().parent.parent / "docs"
TEXTS = Path(__file__).resolve().parent / "reproductions"
NAMES = {
    "peng": "Peng and Sikdar",
    "kwon": "Kwon and Byers",
    "hang": "Hang and Erke",
    "durresi": "Durresi et al.",
    "ehlert": "Ehlert et al.",
    "side-by-side": "Side by side",
    "queues": "In queues of today",
    "operator": "An operator's beam",
    "checks": "Cross checks",
}
"""Of papers, for headings."""
NO_PAPERS = {
    "side-by-side": "the comparison of all schemes",
    "queues": "the comparison of queues",
    "operator": "an operator's beam",
    "checks": "the cross checks",
}
"""What is no paper, within a sentence."""
HEAD = (
    "What do papers on multicast congestion control, most of them over satellites, claim, and does it come out again "
    "when their networks are simulated here? Each entry is a figure or a table of a paper, or a cross check of the "
    "simulator; it leads to a section with one picture and the criteria that decide. Everything else that was measured "
    "is in appendices: {appendices}."
)
OLDER = ""
"""On top of every page with numbers from before a change that makes others, and in the README, until all of them are
made anew; empty while there is none."""
TOP = "| figure | the paper or standard says | we find | verdict | why it disagrees |\n|---|---|---|---|---|"
NOTHING_DECIDES = "No criterion decides; the numbers are in the [appendix]({place})."


def main(folders: list[str]) -> int:
    """Collect, write, say what was written."""
    if not folders:
        print(__doc__, file=sys.stderr)
        return 2
    found = {path.parent.name: path.parent for folder in folders for path in Path(folder).glob("*/summary.json")}
    if not found:
        print(f"no experiment in {', '.join(folders)}: expected FOLDER/ID/summary.json", file=sys.stderr)
        return 2
    unknown = sorted(set(found) - set(REGISTRY))
    if unknown:
        print(f"not experiments of this version: {', '.join(unknown)}", file=sys.stderr)
        return 2
    try:
        reports = {name: Report.read(folder) for name, folder in found.items()}
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    write(DOCS, reports)
    return 0


def write(docs: Path, reports: dict[str, Report]) -> None:
    """All pages and figures."""
    (docs / "figures").mkdir(parents=True, exist_ok=True)
    page = docs / "reproductions.md"
    before = page.read_text() if page.exists() else ""
    kept_rows, kept = rows_of(before), sections(before, "## ")
    rows, parts = [], []
    for paper in dict.fromkeys(load(name).paper for name in REGISTRY):
        appendix = docs / f"reproductions-{paper}.md"
        kept_there = sections(appendix.read_text()) if appendix.exists() else {}
        here, there = [], []
        for name in (name for name in REGISTRY if load(name).paper == paper):
            if name in reports:
                report = reports[name]
                rows.append(row(report))
                here.append(section(report))
                there.append(details(report))
                for figure in report.figures:
                    if figure.suffix == ".png":
                        (docs / "figures" / figure.name).write_bytes(figure.read_bytes())
            elif name in kept:
                rows.append(kept_rows[name])
                here.append(kept[name])
                there.append(kept_there[name])
        if here:
            text = (TEXTS / f"{paper}.md").read_text()
            cited = "" if paper in NO_PAPERS else filled(f"*{PAPERS[paper]}* ([References](references.md)).") + "\n"
            parts += [f"## {NAMES[paper]}\n\n{cited}{text}", *here]
            back = f"All that [Reproductions](reproductions.md) leaves out of {title_of(paper)}".rstrip(".")
            head = filled(f"{back}. The network and its words are described there.")
            appendix.write_text("\n".join([f"# {NAMES[paper]}: all numbers\n", quoted(OLDER), head, *there]))
    written = [paper for paper in NAMES if (docs / f"reproductions-{paper}.md").exists()]
    appendices = ", ".join(f"[{NAMES[paper]}](reproductions-{paper}.md)" for paper in written)
    table = "\n".join(['<div class="glance" markdown>\n', TOP, *rows, "\n</div>\n"])
    head = f"# Reproductions\n\n{quoted(OLDER)}\n{filled(HEAD.format(appendices=appendices))}"
    page.write_text("\n".join([head, table, (TEXTS / "how-to-read.md").read_text(), *parts]))
    print(f"{page}: {len(reports)} experiments written, {len(kept.keys() - reports.keys())} kept")


def title_of(paper: str) -> str:
    """A paper's name within a sentence."""
    return NO_PAPERS.get(paper, NAMES[paper])


def rows_of(page: str) -> dict[str, str]:
    """The rows of the first table, by the id of the experiment."""
    return {found[1]: line for line in page.split("\n") if (found := re.match(r"\| \[[^]]*\]\(#([\w-]+)\)", line))}


def sections(page: str, end: str = r"\Z") -> dict[str, str]:
    """What a page has of each experiment, by its id; a section ends where the next begins, or at `end`."""
    parts = re.split(rf"^(?=<a id=|{end})", page, flags=re.MULTILINE)
    return {found[1]: part.rstrip("\n") + "\n" for part in parts if (found := re.match(r'<a id="([\w-]+)"></a>', part))}


def row(report: Report) -> str:
    """One experiment in the first table."""
    who = "" if report.paper in NO_PAPERS else f"{NAMES[report.paper]}, "
    place = f"{who}{report.place}" if who else f"{report.place[0].upper()}{report.place[1:]}"
    return line(f"[{place}](#{report.id})", report.published, report.says, f"**{shown(report.verdict)}**", report.why)


def section(report: Report) -> str:
    """One experiment on the page: what was found, the figure, the criteria that decide."""
    seeds = f"{len(report.seeds)} seeds" if len(report.seeds) > 1 else "one run"
    lines = [
        f'<a id="{report.id}"></a>\n',
        f"### {report.place[0].upper()}{report.place[1:]}: {report.title}\n",
        filled(report.says),
        filled(f"**The verdict: {shown(report.verdict)}** ({seeds}{kept_of(report)}). {report.why}"),
    ]
    if any(figure.suffix == ".png" for figure in report.figures):
        lines.append(f"![{report.title}](figures/{report.id}.png)\n")
    deciding = [item for item in report.criteria if decides(item)]
    place = f"reproductions-{report.paper}.md#{report.id}"
    claim = CLAIMS.get(report.paper, "the paper says")
    if deciding:
        lines += ['<div class="criteria" markdown>\n']
        lines += [f"| what is compared | {claim} | we measure | rule | verdict |", "|---|---|---|---|---|"]
        lines += [line(item.name, said(item), measured(item), item.rule, judged(item)) for item in deciding]
        lines += [
            "\n</div>\n",
            f"[All numbers of this experiment]({place});\n`{command(report)}` repeats it.\n",
        ]
    else:
        lines += [NOTHING_DECIDES.format(place=place) + "\n"]
    return "\n".join(lines).rstrip("\n") + "\n"


def command(report: Report) -> str:
    """What repeats it.

    The number of seeds has to be said if it is less than the experiment asks for, or if more would be run by itself as
    something is undecided.
    """
    seeds, experiment = len(report.seeds), load(report.id)
    is_open = experiment.goes_on and any(criterion.straddles is not None for criterion in report.criteria)
    goes_further = is_open and next_look(seeds) is not None
    return f"faircast reproduce {report.id}{f' --reps {seeds}' if seeds < experiment.reps or goes_further else ''}"


def kept_of(report: Report) -> str:
    """How many of its criteria hold, for brackets."""
    deciding = [item for item in report.criteria if decides(item)]
    hold = sum(bare(item.verdict) == AGREES for item in deciding)
    return f"; {hold} of {len(deciding)} criteria hold" if len(deciding) > 1 else ""


def filled(text: str) -> str:
    """A paragraph in lines."""
    return textwrap.fill(text.strip(), 120, break_long_words=False, break_on_hyphens=False) + "\n"


def quoted(text: str) -> str:
    """A quotation, which begins with its mark, in lines."""
    return filled(text).rstrip("\n").replace("\n", "\n> ") + "\n" if text else ""


def details(report: Report) -> str:
    """One experiment in the appendix: every number, its note, what other readings give, and the whole table."""
    lines = [f'<a id="{report.id}"></a>\n', f"## {report.place[0].upper()}{report.place[1:]}: {report.title}\n"]
    claim = CLAIMS.get(report.paper, "the paper").capitalize()
    for item in report.criteria:
        rule = f" ({item.rule})" if item.rule else ""
        head = f"* **{escaped(item.name)}**: {measured(item)}{rule}; {judged(item)}. {claim}: {said(item)}."
        notes = [escaped(item.note)] if item.note else []
        notes += [f"Other readings: {escaped(item.beside)}"] if item.beside else []
        lines += [indented(head, 2), *(indented(f"    * {note}.", 6) for note in notes)]
    if report.numbers is not None:
        lines += ["", line(*report.numbers.columns), "|" + "---|" * len(report.numbers.columns)]
        lines += [line(*cells) for cells in report.numbers.rows]
        lines += ["", filled(f"{escaped(report.numbers.note)}.")] if report.numbers.note else []
    return "\n".join(lines).rstrip("\n") + "\n"


def indented(text: str, by: int) -> str:
    """A point of a list in lines."""
    return textwrap.fill(text, 120, subsequent_indent=" " * by, break_long_words=False, break_on_hyphens=False)


def decides(item: Verdict) -> bool:
    """Whether a criterion is judged."""
    return bare(item.verdict) not in (IDENTITY, REPORTED)


def shown(verdict: str) -> str:
    """A verdict without what stands in brackets behind it, but with how many cells of a table agree."""
    cells = re.search(r"\d+ of \d+ cells(, \d+ undecided)?", verdict)
    return ", ".join([bare(verdict), *([cells[0]] if cells else [])])


def bare(verdict: str) -> str:
    """A verdict without what stands in brackets behind it."""
    return verdict.partition(" (")[0]


def judged(item: Verdict) -> str:
    """The verdict of a criterion in words."""
    soft = {SOFT: DISAGREES, SOFTLY_UNDECIDED: UNDECIDED}
    return f"{soft[item.verdict]}, but does not decide" if item.verdict in soft else item.verdict


def said(item: Verdict) -> str:
    """What the paper says."""
    return escaped(item.published) if isinstance(item.published, str) else plain(item.published)


def measured(item: Verdict) -> str:
    """The number with its interval."""
    return "-" if item.measured is None else with_interval(item.measured, item.ci95)


def line(*cells: str) -> str:
    """A row of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def escaped(text: str) -> str:
    """Text in which nothing is Markdown."""
    return text.replace("*", "\\*").replace("_", "\\_").rstrip(".")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
