"""The files of numbers of a folder and what the manifest has of them; and bits that are flipped in all of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, edit_manifest, make_earlier, parquet_bytes

import faircast
from faircast.errors import InputError, ResultWarning
from faircast.journal import Journal
from faircast.ledger import Ledger
from faircast.manifest import CHECKSUM, MANIFEST, read_manifest, write_manifest

ROOT = Path(__file__).resolve().parents[2]


def put(files: Ledger, name: str, data: bytes) -> None:
    with files.put(name) as file:
        file.write(data)


def opened(folder: Path) -> Ledger:
    """As who works on the folder has it."""
    manifest = read_manifest(folder) if (folder / MANIFEST).exists() else {"kind": "run"}
    return Ledger(folder, manifest, lambda: write_manifest(folder, manifest))


def settled(folder: Path, name: str = "a", data: bytes = b"old") -> Ledger:
    files = opened(folder)
    put(files, name, data)
    put(files, "other", b"of another name")  # settles the first
    return files


def test_what_is_written_is_whole(tmp_path: Path) -> None:
    settled(tmp_path)
    files = Ledger.of(tmp_path)
    assert sorted(files.names) == ["a", "other"]
    assert [files.damage(name) for name in ("a", "other")] == [None, None]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"odd", "a is not as it was written, its SHA-256 differs"),
        (b"older", "a has 5 bytes, not 3"),
        (None, "a is missing"),
    ],
)
def test_what_has_changed_is_refused(tmp_path: Path, data: bytes | None, says: str) -> None:
    settled(tmp_path)
    (tmp_path / "a").unlink() if data is None else (tmp_path / "a").write_bytes(data)
    with pytest.raises(InputError, match=f"{says}; make it again"):
        Ledger.of(tmp_path).demand("other", "a", again="make it again")


def test_a_file_without_an_entry_is_not_read(tmp_path: Path) -> None:
    settled(tmp_path)
    (tmp_path / "b").write_bytes(b"from elsewhere")
    assert "b has no entry in the manifest beside it" in str(Ledger.of(tmp_path).damage("b"))
    assert Ledger.of(tmp_path).damage("never there") is None


@pytest.mark.parametrize("data", [b"old", b"new"])
def test_a_kill_between_two_writes_leaves_what_is_whole(tmp_path: Path, data: bytes) -> None:
    """The manifest says what will be there, and no process lives to say that it is."""
    files = settled(tmp_path)
    put(files, "a", b"new")
    (tmp_path / "a").write_bytes(data)
    assert Ledger.of(tmp_path).damage("a") is None
    following = opened(tmp_path)
    following.settle()
    assert following.damage("a") is None
    (tmp_path / "a").write_bytes(b"odd")
    assert Ledger.of(tmp_path).damage("a") is not None
    assert following.damage("a") is not None


@pytest.mark.parametrize("removed", [True, False])
def test_a_kill_while_a_file_is_removed(tmp_path: Path, removed: bool) -> None:
    files = settled(tmp_path)
    files.drop("a")
    assert not (tmp_path / "a").exists()
    if not removed:
        (tmp_path / "a").write_bytes(b"old")
    assert Ledger.of(tmp_path).damage("a") is None
    following = opened(tmp_path)
    following.settle()
    assert ("a" in following.names) is not removed


def test_a_file_that_fails_keeps_the_entry_of_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = settled(tmp_path)

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as failing:
        failing.setattr(Ledger, "_announce", fail)
        with pytest.raises(OSError, match="Input/output"):
            put(files, "a", b"new")
    files.settle()
    assert files.damage("a") is None
    assert (tmp_path / "a").read_bytes() == b"old"


def test_a_reader_sees_what_is_written_meanwhile(tmp_path: Path) -> None:
    files = settled(tmp_path)
    reader = Ledger.of(tmp_path)
    put(files, "a", b"new")
    assert reader.damage("a") is None


def test_a_reader_beside_a_writer_finds_no_damage(tmp_path: Path) -> None:
    files = settled(tmp_path)

    def write() -> None:
        for number in range(100):
            put(files, "a", b"%d" % number)
            if number % 10 == 9:
                files.drop("a")

    writer = threading.Thread(target=write)
    writer.start()
    while writer.is_alive():
        assert Ledger.of(tmp_path).damage("a") is None
    writer.join()


def test_who_works_on_a_folder_is_told_once_and_writes_again(tmp_path: Path) -> None:
    settled(tmp_path)
    (tmp_path / "a").write_bytes(b"odd")
    files = opened(tmp_path)
    with pytest.warns(ResultWarning, match="a is not as it was written.*; what it held is computed again"):
        assert not files.holds("a", "")
    put(files, "a", b"new")
    put(files, "other", b"more")
    assert Ledger.of(tmp_path).damage("a") is None


def test_what_is_replaced_is_told_too(tmp_path: Path) -> None:
    settled(tmp_path)
    (tmp_path / "a").write_bytes(b"odd")
    with pytest.warns(ResultWarning, match="a is not as it was written"):
        put(opened(tmp_path), "a", b"new")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"seed": 7', '"seed": 3'),
        lambda text: text.replace('"seed"', '"sead"'),
        lambda text: text.replace('"format"', '"fgrmat"'),
        lambda text: text.replace(f'"{CHECKSUM}"', '"sha257"'),
        lambda text: text.replace(f'"{CHECKSUM}": "', f'"{CHECKSUM}": "0'),
    ],
)
def test_a_manifest_checks_itself(tmp_path: Path, change: Any) -> None:
    write_manifest(tmp_path, {"kind": "seed", "seed": 7, "path": "r\udcfe", "worst": float("nan")})
    assert read_manifest(tmp_path)["seed"] == 7
    path = tmp_path / MANIFEST
    text = path.read_text()
    assert change(text) != text
    path.write_text(change(text))
    with pytest.raises(InputError, match=r"manifest\.json is damaged: .*its checksum differs"):
        read_manifest(tmp_path)


def test_each_bit_of_a_manifest(tmp_path: Path) -> None:
    write_manifest(tmp_path, {"kind": "seed", "seeds": [[1, 2]], "files": {"a": [1, "0f"]}, "é": None})
    path = tmp_path / MANIFEST
    whole, data = path.read_bytes(), read_manifest(tmp_path)
    for place in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        with suppress(InputError):
            assert read_manifest(tmp_path) == data, place


def test_each_bit_of_a_journal(tmp_path: Path) -> None:
    """It changes nothing, or a record is missing and counted."""
    path = tmp_path / "j"
    records = [{"seed": 1, "text": "a b"}, {"seed": 2}, {"seed": 3, "list": [1, {"a": 2}]}]
    for record in records:
        Journal(path).append(record)
    whole = path.read_bytes()
    for place in range(8 * len(whole)):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << place % 8
        path.write_bytes(flipped)
        journal = Journal(path)
        found = list(journal.read())
        assert all(record in records for record in found)
        assert (found == records) is (journal.damaged == 0), place


def test_a_cut_off_journal_is_not_damaged(tmp_path: Path) -> None:
    path = tmp_path / "j"
    Journal(path).append({"seed": 1})
    kept = len(path.read_bytes())
    Journal(path).append({"seed": 2, "text": "x" * 300})
    whole = path.read_bytes()
    for end in range(kept, len(whole)):
        path.write_bytes(whole[:end])
        journal = Journal(path)
        assert [record["seed"] for record in journal.read()] == [1]
        assert journal.damaged == 0, end
        journal.append({"seed": 3})
        assert [record["seed"] for record in journal.read()] == [1, 3]
        assert journal.damaged == 0, end


def test_a_journal_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    import zlib

    text = b'{"seed":1}'
    (tmp_path / "j").write_bytes(b"\n%08x %s" % (zlib.crc32(text), text))
    assert list(Journal(tmp_path / "j").read()) == [{"seed": 1}]


SWEEP = ("--vary", "links.bottleneck.queue.limit=5 packets,30 packets", "--set", "flows.web.wnd='1 packet'")


def numbers(folder: str) -> dict[str, bytes]:
    files = [path for path in Path(folder).rglob("*") if path.is_file() and path.name != MANIFEST]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize(
    ("name", "runs_again"), [("measurements.parquet", 2), ("warnings.parquet", 2), ("flows.parquet", 1)]
)
@pytest.mark.parametrize("is_lost", [True, False])
def test_what_a_sweep_lost_is_computed_again(
    cli: Cli, small: Path, runs: list[int], name: str, runs_again: int, is_lost: bool
) -> None:
    sweep = ("sweep", small, *SWEEP, "--set", "duration=6s", "--tables", "flows", "--out", "mine")
    assert cli(*sweep).code == 0
    whole = numbers("mine")
    path = min(Path("mine").rglob(name))
    if is_lost:
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-1] + b"2")
    if name != "flows.parquet":
        told = "is missing" if is_lost else "its SHA-256 differs"
        shown = cli("show", "mine")
        assert (shown.code, told in shown.err) == (2, True)
        with pytest.raises(InputError, match=told):
            faircast.read("mine")
    again = cli(*sweep)
    assert again.code == 0
    assert (is_lost and name == "flows.parquet") or "computed again" in again.err
    assert len(runs) == 2 + runs_again
    noted = read_manifest(Path("mine"))["calls"][-1].get("damaged", {})
    assert list(noted) == ([] if name == "flows.parquet" else [name])
    assert numbers("mine") == whole
    assert "computed again" not in cli(*sweep).err


def test_tables_without_a_manifest_are_computed_again(cli: Cli, small: Path, runs: list[int]) -> None:
    sweep = ("sweep", small, *SWEEP, "--set", "duration=6s", "--tables", "flows", "--out", "mine")
    assert cli(*sweep).code == 0
    min(Path("mine/tables").rglob(MANIFEST)).unlink()
    assert "has no manifest.json; the run is computed again" in cli(*sweep).err
    assert len(runs) == 3
    assert cli(*sweep).code == 0
    assert len(runs) == 3


def test_lost_points_are_refused(cli: Cli, small: Path) -> None:
    sweep = ("sweep", small, *SWEEP, "--set", "duration=6s", "--out", "mine")
    assert cli(*sweep).code == 0
    Path("mine/points.parquet").unlink()
    for done in (cli(*sweep), cli("sweep", "mine"), cli("show", "mine")):
        assert (done.code, "points.parquet is missing; what was swept stands there alone" in done.err) == (2, True)


def test_the_summary_over_seeds_is_made_again(cli: Cli, small: Path) -> None:
    run = ("run", small, "--reps", 2, "--set", "duration=6s", "--out", "mine")
    assert cli(*run).code == 0
    whole = parquet_bytes(Path("mine"))
    path = Path("mine/summary.parquet")
    path.write_bytes(path.read_bytes()[:-1])
    assert "faircast run mine makes it again" in cli("show", "mine").err
    assert "summary.parquet has" in cli("run", "mine").err
    assert parquet_bytes(Path("mine")) == whole
    assert "again" not in cli("run", "mine").err + cli("show", "mine").err


def test_folders_of_earlier_versions_are_read_with_a_word(cli: Cli, small: Path) -> None:
    assert cli("run", small, "--set", "duration=6s", "--out", "mine").code == 0
    shown = cli("show", "mine")
    make_earlier("mine")
    make_earlier("mine/seed-1")
    again = cli("show", "mine")
    assert (again.code, again.out) == (0, shown.out)
    assert again.err.count("of an earlier version") == 2, "the folder and its seeds"
    assert cli("run", "mine").code == 0
    assert "mine is of an earlier" not in cli("show", "mine").err
    assert list(read_manifest(Path("mine"))["files"]) == ["summary.parquet"]


def test_a_measurement_of_an_earlier_version_is_adopted(cli: Cli, small: Path, runs: list[int]) -> None:
    sweep = ("sweep", small, *SWEEP, "--set", "duration=6s", "--out", "mine")
    assert cli(*sweep).code == 0
    make_earlier("mine")
    done = cli(*sweep)
    assert (done.code, len(runs)) == (0, 2)
    assert "mine is of an earlier version" in done.err
    again = cli(*sweep)
    assert (again.code, "earlier" in again.err, len(runs)) == (0, False, 2)


def test_tables_that_a_program_wrote_are_checked(small: Path, tmp_path: Path) -> None:
    faircast.run(small).write(tmp_path / "mine")
    path = tmp_path / "mine" / "flows.parquet"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    for place in (path, path.parent):
        with pytest.raises(InputError, match=r"flows\.parquet is not as it was written"):
            faircast.read(place).flows  # type: ignore[union-attr]  # noqa: B018
    shutil.copy(path.parent / "links.parquet", tmp_path)
    with pytest.warns(ResultWarning, match=r"links\.parquet has no manifest\.json beside it"):
        faircast.read(tmp_path / "links.parquet")


def test_an_edited_manifest_can_be_written(tmp_path: Path) -> None:
    write_manifest(tmp_path, {"kind": "run"})
    edit_manifest(tmp_path, kind="sweep")
    assert json.loads((tmp_path / MANIFEST).read_text())["kind"] == "sweep"


def test_flipped_bits_are_found() -> None:
    """The short form of the program."""
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "flips.py", "--flips", "40"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("40 flips, 0 faults\n")


@pytest.mark.parametrize("title", ["run of a folder", "a sweep of more values", "reproduce of more"])
def test_kills_between_two_writes(title: str) -> None:
    """The short form of the program: few of the moments at which a process can be killed."""
    command = [sys.executable, ROOT / "tools" / "kills.py", "--kills", "1", "--every", "17", "--only", title]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
