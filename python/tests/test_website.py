"""What the site has beyond the pages of `docs/`: made of these pages and of the experiments."""

from __future__ import annotations

import base64
import json
import re
import sys
import tomllib
import zlib
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from faircast.experiments import REGISTRY, load
from faircast.scenario import resolve

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "website"))

import figure_page  # noqa: E402
import glance  # noqa: E402
import living_table  # noqa: E402
import networks_behind as networks  # noqa: E402
import pages  # noqa: E402

ROWS = pages.rows({name: load(name).paper for name in REGISTRY})


def scenario_behind(address: str) -> dict[str, Any]:
    """The scenario with which an address opens the laboratory."""
    place, _, packed = address.partition("#1.")
    assert place == "lab/index.html"
    data = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    shared = json.loads(zlib.decompress(data, -zlib.MAX_WBITS))
    assert shared["seeds"] == "1"
    return tomllib.loads(shared["texts"][0])


def test_every_experiment_has_a_row_and_a_page() -> None:
    assert [row.id for row in ROWS] == list(REGISTRY)
    for row in ROWS:
        page = figure_page.figure_page(row, None, None)
        assert pages.heading(row.id) in page
        assert "](#" not in page, f"{row.id} has a link to a place that its page does not have"
        assert row.kind in (
            "agrees",
            "agrees in ordering only",
            "disagrees",
            "undecided",
            "reported",
            "depends on the window",
            "by construction",
        )


@pytest.mark.parametrize("name", REGISTRY)
def test_networks_of_a_figure_open_as_they_are_run(name: str) -> None:
    there = networks.networks(name)
    assert len({one.label for one in there}) == len(there), "two networks are called the same"
    assert len({one.address for one in there}) == len(there), "two addresses open the same"
    if not there:
        return
    run = [point.scenario_of(1) for point in load(name).points(False)]
    for one in (there[0], there[-1]):
        scenario = scenario_behind(one.address)
        assert scenario in run
        resolve(scenario)


def test_differences_are_as_few_as_will_do() -> None:
    def scenario(delay: str, kind: str, count: int) -> dict[str, Any]:
        return {
            "format": 1,
            "name": f"{delay}-{kind}",
            "duration": f"{count * 10} s",
            "links": {"b": {"delay": delay, "queue": {"kind": kind}}},
            "flows": {"web": {"count": count}},
        }

    found = networks.differences([scenario("1 ms", "red", 1), scenario("2 ms", "red", 1), scenario("2 ms", "pie", 1)])
    assert found == [
        "links.b.delay 1 ms, links.b.queue.kind red",
        "links.b.delay 2 ms, links.b.queue.kind red",
        "links.b.delay 2 ms, links.b.queue.kind pie",
    ]
    # Durations differ as counts do, but say less; names say nothing.
    assert networks.differences([scenario("1 ms", "red", 1), scenario("1 ms", "red", 2)]) == [
        "flows.web.count 1",
        "flows.web.count 2",
    ]
    assert networks.differences([scenario("1 ms", "red", 1)]) == ["the only one"]
    assert networks.differences([{"a": {"b": "x" * 99}}, {"a": {}}]) == ["without a", "a {}"]
    assert networks.differences([{"a": "x" * 99}, {"a": "y"}]) == [f"a {'x' * 59}…", "a y"]


@pytest.mark.parametrize("name", living_table.COMPARISONS)
def test_every_cell_of_a_comparison_opens_its_own_network(name: str) -> None:
    comparison = living_table.COMPARISONS[name]
    found = re.findall(r'<td class="([\w-]+)"><a href="([^"]+)" title="([^"]+)"', living_table.living_table(name))
    numbers = living_table.numbers_of(name, comparison.paper)
    assert len(found) == len(numbers) == len({address for _, address, _ in found})
    said = dict(unescape(about).split(": ") for _, _, about in found)
    for of, cell in {
        "x-all": {"MLDA, GEO, 0 %, CUBIC": "geo 0% cubic", "MLDA, tree, 1 %, SACK": "tree 1% sack"},
        "x-queues": {
            "MLDA, home gateway, RED, CUBIC": "home red cubic",
            "MLDA, forward link, PIE, SACK": "forward pie sack",
        },
    }[name].items():
        assert said[of] == numbers["mlda", cell]
    for kind, address, about in found[:: len(found) // 20]:
        scenario = scenario_behind(address)
        subject, number = unescape(about).split(": ")
        scheme, path = subject.split(", ")[0], subject.split(", ")[-3]
        assert {
            "LEO": "-leo-",
            "GEO": "-geo-",
            "tree": "-tree-",
            "home gateway": "-home-",
            "forward link": "-forward-",
        }[path] in scenario["name"]
        loss = re.search(r"(\d) %", subject)
        assert loss is None or f"-{loss[1]}-" in scenario["name"]
        variants = {flow["variant"] for flow in scenario["flows"].values() if flow["kind"] == "tcp"}
        assert ("cubic" in variants) == subject.endswith("CUBIC")
        said = str(next(iter(scenario["sessions"].values())))
        assert (re.split(r"[ ,]", scheme)[0].lower() in said) or "layer" in scheme, (scheme, said)
        assert living_table.shade(number) == kind


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        ("0.929 (0.814 to 1.060)", "undecided"),
        ("1.02 (1.00 to 1.05)", "undecided"),
        ("1.25 (1.22 to 1.29)", "above-1"),
        ("2.84 (2.63 to 3.06)", "above-2"),
        ("21.5 (21.0 to 22.0)", "above-3"),
        ("0.53 ± 0.02", "below-1"),
        ("0.95 ± 0.06", "undecided"),
        ("0.144 (0.137 to 0.151)", "below-2"),
        ("0.083 (0.078 to 0.087)", "below-3"),
        ("0", "below-3"),
        ("-", "none"),
    ],
)
def test_a_number_has_the_shade_of_its_side(number: str, kind: str) -> None:
    assert living_table.shade(number) == kind


def test_cards_have_what_the_table_has() -> None:
    text = glance.grid(ROWS)
    assert text.count('<article class="card"') == len(ROWS)
    for row in ROWS:
        assert f"[{row.place}](figure-{row.id}.md)" in text
    counted = re.findall(r'<option value="[^"]+">[^<]* \((\d+)\)</option>', text)
    assert sum(map(int, counted)) == 2 * len(ROWS), "by paper and by verdict each is counted once"


def test_cells_of_a_row_may_hold_a_bar() -> None:
    assert pages.cells("| a | b \\| c |  | d |") == ["a", "b | c", "", "d"]


def test_whole_scenarios_and_examples_are_found_where_they_stand() -> None:
    page = (
        "<!-- file: a.toml -->\n```toml\nformat = 1\n```\n\n<!-- file: b.toml -->\n```toml\nscheme = 'tfmcc'\n```\n\n"
        "```sh\nfaircast run examples/scenarios/geo-loss.toml\n```\n\n```sh\n"
        "faircast run examples/scenarios/geo-loss.toml examples/scenarios/none-such.toml\n```\n"
    )
    assert [block.file for block in pages.whole_scenarios(page)] == ["a.toml"]
    (name,) = found = pages.examples_run(page)
    assert (name, found[name].text.count("\n")) == ("geo-loss", 1)
