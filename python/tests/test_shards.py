"""Parts of a sweep: what each has, and that put together they are the whole, byte for byte."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, edit_manifest
from test_engine import same_files

import faircast
from faircast import _native
from faircast.errors import InputError
from faircast.merging import listed
from faircast.shard import Shard
from faircast.sweep_folder import SweepPoint

VARY = {
    "links.bottleneck.delay": ["20 ms", "60 ms"],
    "links.bottleneck.queue.limit": ["20 packets", "50 packets", "90 packets"],
}
QUICK = ["duration=10 s"]
"""Of five points, three shards of 2, 2 and 1."""
ROWS = [{"flows.web.wnd": f"{wnd} packets"} for wnd in (4, 8, 12, 16, 20)]


def sweep(small: Path, out: Path, **more: Any) -> Any:
    given: dict[str, Any] = {"rows": ROWS, "sets": QUICK, "reps": 2, "tables": ["queues", "flows"]}
    return faircast.sweep(small, out=out, **given | more)


def test_shards_put_together_are_the_whole(small: Path, tmp_path: Path) -> None:
    sweep(small, tmp_path / "whole")
    parts = [tmp_path / f"part-{number}" for number in (1, 2, 3)]
    found = [sweep(small, part, shard=f"{number}/3") for number, part in enumerate(parts, 1)]
    assert [[point.values["flows.web.wnd"] for point in part.points] for part in found] == [
        ["4 packets", "16 packets"],
        ["8 packets", "20 packets"],
        ["12 packets"],
    ]
    merged = faircast.merge(parts[2], parts[0], parts[1], out=tmp_path / "merged")
    assert (merged.computed, merged.found, merged.missing, merged.failed) == (0, 10, 0, ())
    same_files(tmp_path / "whole", tmp_path / "merged")
    again = sweep(small, tmp_path / "merged")
    assert (again.computed, again.found) == (0, 10), "a merged folder goes on as any other"
    same_files(tmp_path / "whole", tmp_path / "merged")


def test_shards_of_a_design_are_a_design(small: Path, tmp_path: Path) -> None:
    vary = {"flows.web.wnd": "4..20 packets", "links.bottleneck.delay": "20..60 ms"}
    ranges: dict[str, Any] = {"rows": None, "vary": vary, "tables": []}
    given = ranges | {"design": "sobol-indices", "samples": 4}
    parts = [tmp_path / f"part-{number}" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        sweep(small, part, shard=f"{number}/2", **given)
    merged = faircast.merge(*parts, out=tmp_path / "merged")
    assert merged.design is not None
    assert faircast.sweep(tmp_path / "merged").design == merged.design
    with pytest.raises(InputError, match=r"a shard has a fixed number of seeds.* leave --until out"):
        sweep(small, tmp_path / "until", shard="1/2", reps=10, until={"web/rate": "5 %"})


def test_a_product_is_cut_too_and_every_number_of_parts(small: Path, tmp_path: Path) -> None:
    given: dict[str, Any] = {"rows": None, "vary": VARY, "reps": 1, "tables": []}
    sweep(small, tmp_path / "whole", **given)
    for of in (1, 6):
        parts = [tmp_path / f"part-{number}-{of}" for number in range(1, of + 1)]
        for number, part in enumerate(parts, 1):
            sweep(small, part, shard=f"{number}/{of}", **given)
        faircast.merge(*parts, out=tmp_path / f"merged-{of}")
        same_files(tmp_path / "whole", tmp_path / f"merged-{of}")


def test_a_shard_is_continued_and_others_are_refused_in_its_folder(small: Path, tmp_path: Path) -> None:
    sweep(small, tmp_path / "part", shard="1/2", reps=1)
    assert sweep(small, tmp_path / "part", shard="1/2").computed == 3
    assert faircast.sweep(tmp_path / "part", reps=3).computed == 3, "by its folder alone"
    for given, said in (
        ({"shard": "2/2"}, "part holds shard 1/2, not shard 2/2; choose another folder"),
        ({}, "part holds shard 1/2, not a sweep without --shard; choose another folder"),
        ({"shard": "1/2", "rows": ROWS[::-1]}, "part holds shard 1/2, but of other points; choose another folder"),
    ):
        with pytest.raises(InputError, match=said):
            sweep(small, tmp_path / "part", **given)
    sweep(small, tmp_path / "whole", reps=1)
    with pytest.raises(InputError, match="whole holds a sweep without --shard, not shard 1/2"):
        sweep(small, tmp_path / "whole", shard="1/2")
    with pytest.raises(InputError, match="part is a result folder, of which no part is taken"):
        faircast.sweep(tmp_path / "part", shard="1/2")


def test_the_default_folder_names_the_shard(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    first = faircast.sweep(small, rows=ROWS, sets=QUICK, shard="1/5")
    second = faircast.sweep(small, rows=ROWS, sets=QUICK, shard="2/5", label="mine")
    digest = first.folder.name[-12:]
    assert first.folder == Path(f"results/small-sweep-shard-1-of-5-{digest}")
    assert second.folder == Path(f"results/small-sweep-shard-2-of-5-mine-{digest}")


@pytest.fixture
def parts(small: Path, tmp_path: Path) -> list[Path]:
    """Five shards of one point each."""
    found = [tmp_path / f"part-{number}" for number in range(1, 6)]
    for number, part in enumerate(found, 1):
        sweep(small, part, shard=f"{number}/5", reps=1, tables=[])
    return found


def test_what_is_missing_is_named_as_an_array(parts: list[Path], cli: Cli, tmp_path: Path) -> None:
    done = cli("merge", parts[0], parts[4], "--out", tmp_path / "out")
    assert done.code == 2
    assert "shards 2-4 of 5 missing; compute them first, as an array job with --array=2-4" in done.err
    done = cli("merge", *parts[:1], *parts[2:4], "--out", tmp_path / "out")
    assert "shards 2,5 of 5 missing; compute them first, as an array job with --array=2,5" in done.err
    assert not (tmp_path / "out").exists()


def test_what_is_unfinished_is_named(
    parts: list[Path], small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = _native.run
    begun: list[int] = []
    asked_to_stop = threading.Event()

    def run(*given: Any) -> Any:
        begun.append(given[1])
        if len(begun) == 3:
            asked_to_stop.wait()
        return real(*given)

    class Stop:
        def update(self, *_: object) -> None:
            if len(begun) == 3 and not asked_to_stop.is_set():
                asked_to_stop.set()
                raise KeyboardInterrupt

    with monkeypatch.context() as stopping:
        stopping.setattr(_native, "run", run)
        result = sweep(small, parts[1], shard="2/5", reps=20, tables=[], watcher=Stop(), jobs=1)
    assert result.interrupted
    with pytest.raises(InputError, match=r"shard 2 of 5 unfinished; compute them first, .* --array=2$"):
        faircast.merge(*parts, out=tmp_path / "out")
    with pytest.raises(InputError, match=r"shard 4 of 5 missing and shard 2 of 5 unfinished; .* --array=2,4$"):
        faircast.merge(*parts[:3], parts[4], out=tmp_path / "out")


def test_parts_that_do_not_belong_together(parts: list[Path], small: Path, tmp_path: Path) -> None:
    def refused(*given: Path) -> str:
        with pytest.raises(InputError) as wrong:
            faircast.merge(*given, out=tmp_path / "out")
        assert not (tmp_path / "out").exists()
        return wrong.value.message.replace(f"{tmp_path}/", "")

    shutil.copytree(parts[0], tmp_path / "copy")
    assert refused(*parts, tmp_path / "copy") == "part-1 and copy both are shard 1/5; leave out one of them"
    sweep(small, tmp_path / "other", shard="2/4", reps=1, tables=[])
    assert refused(parts[0], tmp_path / "other") == (
        "part-1 and other are shards of two plans, 1/5 of 5 points and 2/4 of 5 points"
    )
    sweep(small, tmp_path / "fewer", shard="2/5", reps=1, tables=[], sets=["duration=11 s"])
    assert "part-1 and fewer cannot be merged: hash is " in refused(parts[0], tmp_path / "fewer")
    sweep(small, tmp_path / "more", shard="2/5", reps=3, tables=[])
    assert "part-1 has the seeds 1, " in refused(parts[0], tmp_path / "more", *parts[2:])
    sweep(small, tmp_path / "whole", reps=1)
    assert refused(tmp_path / "whole") == "whole holds a sweep without --shard; only shards are merged"
    faircast.run(small).write(tmp_path / "run")
    assert refused(tmp_path / "run") == "run holds a seed, not a shard of a sweep"
    edit_manifest(parts[1], build="0123456789ab")
    assert refused(*parts).startswith("part-1 and part-2 cannot be merged: build is ")
    edit_manifest(parts[1], build=json.loads((parts[0] / "manifest.json").read_text())["build"], shard={"number": 2})
    assert refused(*parts) == "the manifest does not say which part of a sweep the folder holds"


def test_a_folder_that_is_taken(parts: list[Path], tmp_path: Path) -> None:
    faircast.merge(*parts, out=tmp_path / "out")
    with pytest.raises(InputError, match="out holds a sweep already; choose another folder"):
        faircast.merge(*parts, out=tmp_path / "out")


def test_damage_is_found_and_nothing_is_taken_over(small: Path, tmp_path: Path) -> None:
    sweep(small, tmp_path / "part", shard="1/1")
    (table,) = list((tmp_path / "part" / "tables").glob("4-packets*/seed-1/queues.parquet"))
    table.write_bytes(table.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"queues.parquet.*; compute the shard again"):
        faircast.merge(tmp_path / "part", out=tmp_path / "out")


def test_shards_that_are_none(cli: Cli, small: Path) -> None:
    for text in ("0/4", "5/4", "3", "a/b", "-1/4", "1/0", "1/4/2", ""):
        done = cli("sweep", small, "--vary", "flows.web.wnd=4 packets,8 packets,12 packets,16 packets", "--shard", text)
        assert (done.code, f"--shard is {text}; legal is K/N with K from 1 to N, such as 3/16" in done.err) == (2, True)
    done = cli("sweep", small, "--vary", "flows.web.wnd=4 packets,8 packets", "--shard", "1/4")
    assert (done.code, "--shard is 1/4, but there are 2 points; legal are at most as many parts" in done.err) == (
        2,
        True,
    )


def test_every_point_is_in_one_shard(small: Path) -> None:
    scenario = faircast.resolve(small)
    points = [SweepPoint({"x": number}, scenario, (1,)) for number in range(17)]
    for of in range(1, 18):
        found = [point for number in range(1, of + 1) for point in Shard.cut(f"{number}/{of}", points).own(points)]
        assert sorted(point.values["x"] for point in found) == list(range(17))


def test_arrays_are_written_as_array_jobs_have_them() -> None:
    assert listed([3, 7, 9, 8]) == "3,7-9"
    assert listed([1]) == "1"
