"""Writes docs/reproductions.md and its figures from finished reproductions.

    python tools/reproductions_page.py FOLDER [FOLDER ...]

Each FOLDER is one that `faircast reproduce` has written. The page shows for every criterion what was published, what
was measured, the verdict and the reason; experiments come in the order of `faircast list experiments`. What the page
has of experiments that are in none of the folders stays.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from faircast.experiments import PAPERS, REGISTRY, load

DOCS = Path(__file__).resolve().parent.parent / "docs"
HEAD = """# Reproductions

Made by `tools/reproductions_page.py` from finished reproductions; do not edit by hand. `faircast reproduce ID`
repeats an experiment, `faircast reproduce --paper KEY` all of a paper.

*Agrees*: the criterion holds for the mean over the seeds. *Agrees in ordering only*: not the number, but the order of
things is as published; of an experiment also that only soft criteria do not hold, which look at the least certain
statements of a paper. *Disagrees*: neither; the reason stands beside it. *Undecided*: the answer turns on what the
paper leaves open, or lies within the noise. *Reported*: a number without a criterion. ± is the half width of the 95 %
Student-t interval over the seeds, of a ratio of means by the jackknife. The papers' plots are not available as numbers,
so *published* is what their text says; the criteria are ours. All verdicts of a paper are given for one reading of what
it leaves open; what another reading gives stands in the note and does not count.

Of Peng and Sikdar: scenario 1 has all five sessions from the start, in scenario 2 two of the TCPs begin after 500 and
1000 s, in scenario 3 the multicast sessions do. The equal share of the uplink is 62.5, 46.9 and 37.5 KBytes/s among
three, four and five sessions. Verdicts are those of hand-offs that keep what waits; *hand-offs lose* is ns-2's way, in
which nobody receives it; *no reset*: the observation time of blocking never returns to its first value. Variants of RLM
are named by their profile, *ns2* or *mended* ([RLM](rlm.md)), and by how long a left group goes on to come. The network
and the choices where the paper is silent stand in `python/faircast/experiments/peng/network.py`.

Names in the criteria of Durresi et al.: *dr* is ten sources with different RTTs, *dro* the same starting 0.3 s apart,
*ov* overlapping sources with equal RTTs; *window* is the limit of TCP's window, 20 packets unless said; *ecn4* is ECN
with the drop threshold of MECN, 4 min_th.

Of Hang and Erke: *N* is the number of receivers, *Q* the queue in packets, *D* the delay of each of the three links;
*fairness* is the session's throughput over the mean of the TCP flows, both as means over the seeds. Verdicts are those
of Reno with time-outs of at least 0.2 s; the other readings in the notes are explained in
`python/faircast/experiments/hang/network.py`. *Capped* is OMCC whose scaled rate is bounded by what is received, a
hypothesis about what the authors ran. *Disagrees (eq. 13 starves TCP)*: beside OMCC as the paper's equation 13 has it
the TCP flows get less than 0.05 Mbit/s on average, so no ordering of fairness means anything.
"""


def main(folders: list[str]) -> int:
    """Collect, write, say what was written."""
    if not folders:
        print(__doc__, file=sys.stderr)
        return 2
    found = {path.parent.name: path for folder in folders for path in Path(folder).glob("*/summary.json")}
    if not found:
        print(f"no experiment in {', '.join(folders)}: expected FOLDER/ID/summary.json", file=sys.stderr)
        return 2
    unknown = sorted(set(found) - set(REGISTRY))
    if unknown:
        print(f"not experiments of this version: {', '.join(unknown)}", file=sys.stderr)
        return 2
    (DOCS / "figures").mkdir(exist_ok=True)
    page = DOCS / "reproductions.md"
    before = sections(page.read_text()) if page.exists() else {}
    parts, paper = [HEAD], None
    for name in REGISTRY:
        if name not in found and name not in before:
            continue
        if load(name).paper != paper:
            paper = load(name).paper
            parts.append(f"## {PAPERS[paper]}\n")
        if name in found:
            parts.append(section(json.loads(found[name].read_text()), found[name].parent))
        else:
            parts.append(before[name])
    page.write_text("\n".join(parts))
    print(f"{page}: {len(found)} experiments written, {len(before.keys() - found.keys())} kept")
    return 0


def sections(page: str) -> dict[str, str]:
    """What a page has of each experiment, by its id."""
    parts = re.split(r"^(?=##)", page, flags=re.MULTILINE)
    return {part[4:].partition(":")[0]: part.rstrip("\n") + "\n" for part in parts if part.startswith("### ")}


def section(summary: dict[str, Any], folder: Path) -> str:
    """One experiment: title, verdict, criteria, figure."""
    name = summary["id"]
    seeds = f"{summary['reps']} seeds" if summary["reps"] > 1 else "1 seed"
    lines = [f"### {name}: {summary['title']}\n", f"**{summary['verdict']}** ({seeds})\n"]
    lines += ["| criterion | published | measured | accepted | verdict | note |", "|---|---|---|---|---|---|"]
    for item in summary["criteria"]:
        cells = (item["name"], item["published"], measured(item), accepted(item), item["verdict"], item["note"])
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    if summary.get("numbers"):
        columns = summary["numbers"]["columns"]
        lines += ["", "| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
        lines += ["| " + " | ".join(row) + " |" for row in summary["numbers"]["rows"]]
    figure = folder / f"{name}.png"
    if figure.exists():
        (DOCS / "figures" / figure.name).write_bytes(figure.read_bytes())
        lines.append(f"\n![{summary['title']}](figures/{figure.name})")
    return "\n".join(lines) + "\n"


def measured(item: dict[str, Any]) -> str:
    """The number with its interval."""
    if item["measured"] is None:
        return "-"
    return f"{item['measured']:.4g}" + (f" ± {item['ci95']:.2g}" if item["ci95"] is not None else "")


def accepted(item: dict[str, Any]) -> str:
    """The accepted range."""
    low, high = item["low"], item["high"]
    if low is None and high is None:
        return "-"
    if low is None:
        return f"up to {high:.4g}"
    return f"from {low:.4g}" if high is None else f"{low:.4g} to {high:.4g}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
