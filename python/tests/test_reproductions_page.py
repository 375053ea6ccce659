"""tools/reproductions_page.py: what becomes of reports, and what stays of experiments that were not reproduced."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from faircast.experiment import Numbers, Verdict
from faircast.experiments import REGISTRY, load
from faircast.looks import LOOKS
from faircast.report import Report

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tools" / "reproductions_page.py"


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reproductions_page", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def criterion(name: str, verdict: str, **changes: Any) -> Verdict:
    settings: dict[str, Any] = {
        "published": "so",
        "measured": 2.0,
        "ci95": 0.5,
        "low": None,
        "high": 3.0,
        "note": "",
        "rule": "agrees if at most 3",
    }
    return Verdict(name=name, verdict=verdict, **(settings | changes))


def report(name: str, *criteria: Verdict, says: str = "It is so.", verdict: str = "agrees", **changes: Any) -> Report:
    experiment = load(name)
    settings: dict[str, Any] = {"place": "Figure 9", "title": "A title", "published": "It is.", "figures": []}
    settings |= {"numbers": None, "seeds": [1, 2], "version": "0.1.0"}
    return Report(
        id=name, paper=experiment.paper, verdict=verdict, says=says, criteria=list(criteria), **(settings | changes)
    )


def test_a_report_becomes_a_row_a_section_and_an_appendix(tool: ModuleType, tmp_path: Path) -> None:
    figure = tmp_path / "mecn-fig7.png"
    figure.write_bytes(b"picture")
    found = report(
        "mecn-fig7",
        criterion("a|b", "agrees"),
        criterion("c", "disagrees (soft)", note="far", beside="windows of 64 packets: 4"),
        criterion("d_e", "reported", rule="", measured=None),
        verdict="agrees in ordering only",
        why="Since.",
        figures=[tmp_path / "mecn-fig7.pdf", figure],
        numbers=Numbers(columns=["case", "x"], rows=[["one", "1 | 2"]]),
    )
    tool.write(tmp_path, {"mecn-fig7": found})
    page = (tmp_path / "reproductions.md").read_text()
    assert (
        "| [Durresi et al., Figure 9](#mecn-fig7) | It is. | It is so. | **agrees in ordering only** | Since. |" in page
    )
    assert '<a id="mecn-fig7"></a>\n\n### Figure 9: A title\n\nIt is so.\n' in page
    assert "**The verdict: agrees in ordering only** (2 seeds; 1 of 2 criteria hold). Since." in page
    assert "![A title](figures/mecn-fig7.png)" in page
    assert "| a\\|b | so | 2 ± 0.5 | agrees if at most 3 | agrees |" in page
    assert "| c | so | 2 ± 0.5 | agrees if at most 3 | disagrees, but does not decide |" in page
    assert "d_e" not in page  # nothing is decided by it
    assert "`faircast reproduce mecn-fig7 --reps 2` repeats it." in page
    assert (tmp_path / "figures" / "mecn-fig7.png").read_bytes() == b"picture"
    appendix = (tmp_path / "reproductions-durresi.md").read_text()
    assert "* **d\\_e**: -; reported. The paper: so.\n" in appendix
    assert "    * far.\n    * Other readings: windows of 64 packets: 4.\n" in appendix
    assert "| one | 1 \\| 2 |" in appendix


def test_as_many_seeds_as_an_experiment_asks_for_are_not_said(tool: ModuleType) -> None:
    asked = load("mecn-fig7").reps
    assert tool.command(report("mecn-fig7", seeds=list(range(asked)))) == "faircast reproduce mecn-fig7"
    assert tool.command(report("mecn-fig7", seeds=list(range(asked - 1)))).endswith(f" --reps {asked - 1}")


def test_the_number_of_seeds_is_said_where_more_would_be_run_by_itself(tool: ModuleType) -> None:
    asked = load("x-start").reps
    found = replace(criterion("a", "undecided"), straddles=0.1)
    assert tool.command(report("x-start", found, seeds=list(range(asked)))).endswith(f" --reps {asked}")
    assert tool.command(report("x-start", found, seeds=list(range(LOOKS[-1])))) == "faircast reproduce x-start"
    # x-operator has the seeds that it has.
    asked = load("x-operator").reps
    assert tool.command(report("x-operator", found, seeds=list(range(asked)))) == "faircast reproduce x-operator"


def test_what_disagrees_says_why() -> None:
    page = (ROOT / "docs" / "reproductions.md").read_text()
    verdicts = re.findall(r"^\*\*The verdict: disagrees\*\* \(.*?\)\.(.*)", page, flags=re.MULTILINE)
    assert len(verdicts) > 3
    assert all(why.strip() for why in verdicts), verdicts


def test_what_was_not_reproduced_stays(tool: ModuleType, tmp_path: Path) -> None:
    tool.write(tmp_path, {"mecn-x": report("mecn-x", says="Old."), "peng-fig5": report("peng-fig5")})
    before = {path.name: path.read_text() for path in tmp_path.glob("*.md")}
    tool.write(tmp_path, {"peng-fig5": report("peng-fig5")})
    assert {path.name: path.read_text() for path in tmp_path.glob("*.md")} == before
    tool.write(tmp_path, {"mecn-x": report("mecn-x", says="Old.")})  # what stays stands before another paper
    assert {path.name: path.read_text() for path in tmp_path.glob("*.md")} == before
    tool.write(tmp_path, {"mecn-fig7": report("mecn-fig7", says="New."), "mecn-x": report("mecn-x", says="Newer.")})
    page = (tmp_path / "reproductions.md").read_text()
    # In the order of the list of experiments, and papers as well.
    assert re.findall(r'^<a id="(.*)"', page, flags=re.MULTILINE) == ["peng-fig5", "mecn-fig7", "mecn-x"]
    assert ("Old." in page, "Newer." in page) == (False, True)


def test_an_experiment_in_which_nothing_decides_says_so(tool: ModuleType, tmp_path: Path) -> None:
    tool.write(tmp_path, {"mecn-x": report("mecn-x", criterion("a", "reported", rule=""), verdict="reported")})
    assert "No criterion decides" in (tmp_path / "reproductions.md").read_text()


def test_the_page_has_all_experiments() -> None:
    page = (ROOT / "docs" / "reproductions.md").read_text()
    anchors = re.findall(r'^<a id="(.*)"', page, flags=re.MULTILINE)
    assert anchors == list(REGISTRY)
    assert re.findall(r"^\| \[[^]]*\]\(#([\w-]+)\)", page, flags=re.MULTILINE) == list(REGISTRY)
    for name in REGISTRY:
        assert f'<a id="{name}"></a>' in (ROOT / "docs" / f"reproductions-{load(name).paper}.md").read_text()


def test_older_numbers_are_said_to_be_older_with_the_same_words_everywhere(tool: ModuleType) -> None:
    """On the pages that this tool writes and on those that are written by hand; so that nobody forgets one of them."""
    pages = {page.name: page.read_text() for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]}
    words = tool.quoted(tool.OLDER)
    with_words = {name for name, text in pages.items() if words and words in text}
    assert with_words == {name for name, text in pages.items() if "**Older numbers.**" in text}
    written = {name for name in pages if name.startswith("reproductions")}
    assert with_words >= (written | {"README.md", "side-by-side.md"} if tool.OLDER else set())


def test_folders_without_experiments_are_refused(
    tool: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tool.main([]) == 2
    assert tool.main([str(tmp_path)]) == 2
    (tmp_path / "x-nothing").mkdir()
    (tmp_path / "x-nothing" / "summary.json").write_text("{}")
    assert tool.main([str(tmp_path)]) == 2
    assert "not experiments of this version: x-nothing" in capsys.readouterr().err


LIMITS = re.compile(r"agrees if (?:between ([\d.,-]+) and ([\d.,-]+)|at most ([\d.,-]+)|at least ([\d.,-]+))")
MEASURED = re.compile(r"(-?[\d.,]+) ± ([\d.,]+)")
JUDGED = re.compile(r"\| (?P<measured>[^|]*) \| (?P<rule>agrees if [^|]*) \| (?P<verdict>[^|]*) \|$", re.MULTILINE)


def number(text: str) -> float:
    return float(text.replace(",", ""))


def test_no_verdict_on_the_page_hides_its_noise() -> None:
    rows = list(JUDGED.finditer((ROOT / "docs" / "reproductions.md").read_text()))
    assert len(rows) > 150
    hidden = []
    for row in rows:
        found, rule = MEASURED.match(row["measured"]), LIMITS.match(row["rule"])
        if found is None or rule is None or row["verdict"].startswith(("undecided", "depends")):
            continue
        value, half = number(found[1]), number(found[2])
        # Numbers on the page are rounded: only what lies well inside the interval is held against it.
        if any(abs(number(limit) - value) < 0.9 * half for limit in rule.groups() if limit):
            hidden.append(row[0])
    assert hidden == []


BULLET = re.compile(r"^\* \*\*(?P<name>.*?)\*\*: (?P<text>.*?)(?=^\* \*\*|^<a id|^\||^#|\Z)", re.DOTALL | re.MULTILINE)
BESIDE = re.compile(r": (-?[\d.,]+(?:e-?\d+)?) ± ([\d.,]+(?:e-?\d+)?), (holds|does not hold|undecided)(, )?")
SKEWED = re.compile(r"interval (?:is )?(\d[\d.,]*) to (\d+(?:\.\d+)?)")


def beside_wrongly(text: str, low: float | None, high: float | None) -> list[str]:
    """Which other readings of a criterion, on an appendix, are said to be what their numbers are not."""
    limits = [limit for limit in (low, high) if limit is not None]
    wrong = []
    for found in BESIDE.finditer(text):
        value, half, word = number(found[1]), number(found[2]), found[3]
        off = min(abs(limit - value) for limit in limits)
        holds = (low is None or value >= low) and (high is None or value <= high)
        if off < 0.9 * half - 0.005 * abs(value):
            said = word == "undecided" or found[4] is not None  # a reason of its own follows
        elif off > 1.1 * half + 0.01 * abs(value):
            said = word == ("holds" if holds else "does not hold") or found[4] is not None
        else:
            said = True  # limits and numbers are rounded
        if not said:
            wrong.append(found[0])
    return wrong


def test_other_readings_are_said_to_be_what_their_numbers_are() -> None:
    seen, wrong = 0, []
    for page in sorted((ROOT / "docs").glob("reproductions-*.md")):
        for bullet in BULLET.finditer(page.read_text()):
            text = " ".join(bullet["text"].split())
            if "by construction" in text and "does not hold" in text:
                wrong.append(text)
            rule = LIMITS.search(text)
            if rule is None:
                continue
            low, high = (number(limit) if limit else None for limit in (rule[1] or rule[4], rule[2] or rule[3]))
            found = text.partition("Other readings: ")[2]
            seen += len(BESIDE.findall(found))
            wrong += beside_wrongly(found, low, high)
            skewed = SKEWED.search(text.partition(" * ")[2].partition("Other readings: ")[0])
            inside = skewed and any(
                number(skewed[1]) * 1.01 < limit < number(skewed[2]) / 1.01 for limit in (low, high) if limit
            )
            if inside and "; undecided" not in text:
                wrong.append(text)
    assert seen > 400
    assert wrong == []
