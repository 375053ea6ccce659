"""Pages of web traffic and of players: what is kept of their tables, and how long transfers took."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import faircast
from faircast.reporting import report
from faircast.reporting.of_run import Made, Subject, document_of, pack, thinned
from faircast.reporting.packing import Chunk
from faircast.reporting.tables import SHOWN, Table
from faircast.reporting.thinning import Codes, Kept, changes, extremes, kept
from faircast.reporting.times import POINTS, points, times_of

EXAMPLES = Path(__file__).parents[2] / "examples" / "scenarios"
NAN = math.nan


def table(name: str, columns: dict[str, Any], part_rows: int = 3) -> Table:
    """A table of a page, read in parts of so many rows."""
    whole = pa.table(columns)

    def parts(names: Sequence[str]) -> list[pa.RecordBatch]:
        return whole.select(list(names)).to_batches(max_chunksize=part_rows)

    return Table(name, whole.num_rows, tuple(whole.column_names), lambda names: iter(parts(names)))


def words(*of: str) -> Any:
    return pa.array(of).dictionary_encode()


def test_lines_of_times_are_of_what_came_after_the_warmup_and_unfinished_ones_rank_last() -> None:
    made = times_of(
        table(
            "transfers",
            {
                "t_s": [0.5, 1.0, 1.5, 2.0, 2.5, 3.0],
                "flow": words("pages", "pages", "pages", "mail", "pages", "pages"),
                "class": [1, 1, 2, 1, 2, 1],
                "completion_s": [9.0, 9.0, 4.0, 1.0, NAN, 2.0],
            },
        ),
        warmup_s=1.0,
    )
    flows = [made["flow"].words[code] for code in made["flow"].codes]
    rows = list(zip(flows, made["class"], made["transfers"], made["took_s"], made["longer"], strict=True))
    third = pytest.approx(1 / 3)
    assert rows == [
        ("pages", 0.0, 3.0, 2.0, pytest.approx(2 / 3)),
        ("pages", 0.0, 3.0, 4.0, third),  # one was not finished
        ("pages", 1.0, 1.0, 2.0, 0.0),
        ("pages", 2.0, 2.0, 4.0, 0.5),
        ("mail", 0.0, 1.0, 1.0, 0.0),
        ("mail", 1.0, 1.0, 1.0, 0.0),
    ]


def test_without_a_warmup_what_came_at_once_counts() -> None:
    columns = {"t_s": [0.0], "flow": words("pages"), "class": [1], "completion_s": [1.0]}
    assert list(times_of(table("transfers", columns), 0.0)["took_s"]) == [1.0, 1.0]


@pytest.mark.parametrize("unfinished", [0, 7, 30_000])
def test_a_long_line_keeps_its_ends_and_the_percentiles_of_the_summary(unfinished: int) -> None:
    random = np.random.default_rng(5)
    finished = random.lognormal(size=50_000)
    all_ = random.permutation(np.concatenate([finished, np.full(unfinished, NAN)]))
    took, longer = points(all_)
    assert len(took) <= POINTS + 3
    assert (took[0], took[-1]) == (finished.min(), finished.max())
    assert longer[-1] == pytest.approx(unfinished / len(all_))
    assert (np.diff(took) > 0).all()
    assert (np.diff(longer) < 0).all()
    for at, part in zip(took, longer, strict=True):
        assert part == pytest.approx(1 - (finished <= at).sum() / len(all_))
    ranked = np.sort(np.where(np.isnan(all_), np.inf, all_))
    for percent in (50, 95, 99):
        there = np.flatnonzero(longer <= 1 - percent / 100 + 1e-12)
        nearest_rank = ranked[math.ceil(percent / 100 * len(all_)) - 1]
        assert (took[there[0]] if len(there) else np.inf) == nearest_rank


def test_thinned_transfers_keep_the_longest_of_each_class_and_some_that_were_not_finished() -> None:
    rows = 3000
    random = np.random.default_rng(3)
    t_s = np.sort(random.uniform(0, 100, rows))
    took = random.lognormal(size=rows)
    took[1000:1010] = NAN
    classes = random.integers(1, 4, rows)
    columns = {
        "t_s": t_s,
        "flow": words(*["pages"] * rows),
        "size_bytes": classes * 1000,
        "class": classes,
        "completion_s": took,
        "slowdown": took * 2,
    }
    made = table("transfers", columns, part_rows=500)
    keep = kept(made, 240, 100.0)
    assert keep.rows is not None
    assert len(keep.rows) < 500
    for number in (1, 2, 3):
        own = np.flatnonzero(classes == number)
        for find in (np.nanargmax, np.nanargmin):
            assert own[find(took[own])] in keep.rows
        open_ = [row for row in range(1000, 1010) if classes[row] == number]
        assert {open_[0], open_[-1]} <= set(keep.rows.tolist())
    assert not set(keep.rows.tolist()) >= set(range(1000, 1010))
    said = thinned("transfers", keep, "the folder")
    assert "those that took shortest and longest, and the first and the last unfinished one; the folder has all" in said
    assert said.endswith("How many took how long is of all.")


def playback(part_rows: int) -> Table:
    """Two receivers in turns: a changes its quality and stalls twice in a row, b shows one quality."""
    quality_of_a = [1, 1, 2, 2, 0, 0, 2, 2, 2, 2]
    stall_of_a = [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.5, 0.0]
    rows = len(quality_of_a)
    return table(
        "playback",
        {
            "t_s": np.repeat(np.arange(rows) + 1.0, 2),
            "session": words(*["film"] * 2 * rows),
            "receiver": words(*["a", "b"] * rows),
            "quality": np.array([quality_of_a, [3] * rows]).T.ravel(),
            "stall_s": np.array([stall_of_a, [0.0] * rows]).T.ravel(),
        },
        part_rows,
    )


@pytest.mark.parametrize("part_rows", [1, 3, 100])
def test_every_change_of_quality_and_every_stall_stays(part_rows: int) -> None:
    made = playback(part_rows)
    codes = Codes(SHOWN["playback"].subject)
    for part in made.parts(codes.columns):
        codes.of(part)
    # Of a segments 0, 2, 4, 5, 6 and 8, of b its first.
    assert changes(made, codes, "quality", "stall_s").tolist() == [0, 1, 4, 8, 10, 12, 16]
    whole = kept(made, 10, 20.0)
    assert whole.has_changes
    assert whole.rows is not None
    assert {0, 1, 4, 8, 10, 12, 16} <= set(whole.rows.tolist())
    assert "every change of quality and every stall; the folder has all." in thinned("playback", whole, "the folder")
    # Without room extremes are left.
    few = kept(made, 6, 20.0)
    assert not few.has_changes
    assert "every stall" not in thinned("playback", few, "the folder")


def test_whether_all_changes_are_there_is_said_of_all_seeds_together() -> None:
    made = playback(100)
    cut: dict[str, Kept] = {}
    for rows, has_changes in ((10, True), (6, False), (10, False)):
        pack({"playback": made}, rows * len(made.columns), 20.0, Chunk("seed"), cut)
        assert cut["playback"].has_changes == has_changes


def test_rows_in_which_nothing_is_undefined_have_no_part_in_it() -> None:
    columns = {
        "t_s": [1.0, 2.0, 3.0, 4.0],
        "flow": words(*"aaaa"),
        "class": [1] * 4,
        "completion_s": [5.0, 6.0, 7.0, 8.0],
    }
    made = table("transfers", columns)
    codes = Codes(("flow", "class"))
    assert extremes(made, codes, ["completion_s"], 1, 4.0, "completion_s").tolist() == [0, 3]


def page_of(name: str, values: int = report.VALUES) -> Made:
    data = tomllib.loads((EXAMPLES / f"{name}.toml").read_text(encoding="utf-8"))
    return document_of(Subject.of_seed(faircast.run(data)), values)


def test_pages_hold_transfers_players_and_symbols() -> None:
    def tables(name: str) -> dict[str, Any]:
        made = page_of(name).document["run"]["runs"][0]["tables"]
        return {name: [one["name"] for one in planned["columns"]] for name, planned in made.items()}

    web = tables("web-queue")
    assert web["transfers"] == ["t_s", "flow", "size_bytes", "class", "completion_s", "slowdown"]
    assert web["times"] == ["flow", "class", "transfers", "took_s", "longer"]
    assert not {"playback", "acm"} & set(web)
    film = tables("film")
    assert {"t_s", "receiver", "quality", "stall_s", "buffer_s", "missing_pkts", "sent_s"} <= set(film["playback"])
    assert "media_bps" not in film["playback"]
    assert not {"transfers", "times", "acm"} & set(film)
    rain = tables("acm-rain")
    assert {"link", "sent_bits_per_symbol", "granted_bits_per_symbol", "undecoded_pkts"} <= set(rain["acm"])


def test_a_page_says_that_its_transfers_are_thinned() -> None:
    made = page_of("web-queue", 4000)
    assert any(note.startswith("The table transfers is thinned: of every ") for note in made.document["head"]["notes"])


def test_each_thinned_series_reaches_to_its_end() -> None:
    rows = 4000
    legs = ["dry", "wet"] * (rows // 2)
    t_s = np.repeat(np.arange(1, rows // 2 + 1), 2) * 0.05
    falling = np.where(np.arange(rows) % 2, 2.0, 3.0) - t_s / 1000  # what is highest comes first
    falling[rows // 2 :] = 0.5  # and nothing happens afterwards
    made = table("acm", {"t_s": t_s, "link": words(*legs), "granted_bits_per_symbol": falling}, part_rows=999)
    keep = kept(made, 60, 100.0)
    assert keep.rows is not None
    assert len(keep.rows) < 100
    assert {rows - 2, rows - 1} <= set(keep.rows.tolist())


PAGES: dict[str, Any] = {
    "format": 1,
    "name": "pages",
    "duration": "20 s",
    "warmup": "2 s",
    "topology": {"kind": "dumbbell", "left": 1, "right": 2},
    "links": {"bottleneck": {"rate": "200 kbit/s", "delay": "50 ms"}},
    "flows": {
        "pages": {
            "kind": "web",
            "count": 2,
            "from": "left-0",
            "to": "right-[0-1]",
            "interval": "3 s",
            "size": {"kind": "constant", "bytes": "10 KB"},
        }
    },
}


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ("10 KB", r"^Of \d+ transfers of pages \d+ were not finished; the median one took [0-9.]+ s\.$"),
        ("3 MB", r"^Of \d+ transfers of pages none was finished\.$"),
    ],
)
def test_what_came_out_says_how_web_traffic_fared_and_promises_no_rates_of_it(size: str, said: str) -> None:
    flows = {"pages": PAGES["flows"]["pages"] | {"count": 9, "size": {"kind": "constant", "bytes": size}}}
    flows["pages"]["to"] = "right-0"
    came = document_of(Subject.of_seed(faircast.run(PAGES | {"flows": flows})), 100_000).document["head"]["came"]
    assert sum(re.match(said, one) is not None for one in came) == 1
    assert not any("rates of" in one for one in came)


def test_web_traffic_over_several_pairs_is_one_entry() -> None:
    document = document_of(Subject.of_seed(faircast.run(PAGES)), 100_000).document
    assert [(one["name"], one["kind"]) for one in document["run"]["traffic"]] == [("pages", "web")]
    assert "Flows: 1 flow of web (pages)." in document["head"]["ran"]


def test_what_came_out_says_what_viewers_saw() -> None:
    said = page_of("film").document["head"]["came"]
    assert "Of 3 viewers of adaptive 0 saw no picture; to the median one it came after 3.448 s." in said
    assert "It stood still for 2 of them after the warm-up; the mean over all is 9 s." in said
    assert "Of 3 viewers of layers 0 saw no picture; to the median one it came after 4 s." in said


def test_a_session_of_which_nobody_waited_for_a_picture_says_so() -> None:
    data = tomllib.loads((EXAMPLES / "film.toml").read_text(encoding="utf-8"))
    data["duration"], data["warmup"] = "1 s", "0 s"
    del data["sessions"]["layers"]
    made = document_of(Subject.of_seed(faircast.run(data)), 100_000)
    assert "Nobody waited for a picture of adaptive." in made.document["head"]["came"]


def test_a_session_of_which_nobody_sees_anything_says_so() -> None:
    data = tomllib.loads((EXAMPLES / "film.toml").read_text(encoding="utf-8"))
    data["duration"], data["warmup"] = "20 s", "0 s"
    del data["sessions"]["layers"]
    data["sessions"]["adaptive"]["playout"]["media_rate"] = ["500 Mbit/s", "900 Mbit/s"]
    made = document_of(Subject.of_seed(faircast.run(data)), 100_000)
    assert "Of 3 viewers of adaptive none saw a picture." in made.document["head"]["came"]
