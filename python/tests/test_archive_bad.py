"""Archives that were changed, cut off or made to do harm, and folders of which none is made: one sentence each."""

from __future__ import annotations

import dataclasses
import os
import random
import shutil
import zipfile
from pathlib import Path

import pytest
from conftest import Cli, edit_manifest

from faircast.archiving import container, record
from faircast.archiving.container import RECORD
from faircast.archiving.names import clash, wrong_with
from faircast.archiving.pack import entry_of
from faircast.archiving.record import Record, open_archive
from faircast.errors import InputError


@pytest.fixture
def good(cli: Cli, small: Path) -> Path:
    """An archive of a run, without its folder."""
    cli("run", small, "--out", "mine")
    cli("archive", "mine")
    return Path("mine.zip").resolve()


def sources(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as found:
        return {name: found.read(name) for name in found.namelist()}


def forged(path: Path, files: dict[str, bytes], **changes: object) -> Path:
    """An archive that is sound in itself, with other files and other words in its record."""
    content = sources(path)
    told = Record.from_bytes(content.pop(RECORD), path)
    listed = {name: entry_of(text) for name, text in files.items()}
    told = dataclasses.replace(told, files=listed, **changes)  # type: ignore[arg-type]
    place = path.with_name("forged.zip")
    with place.open("wb") as file:
        container.write(file, [(RECORD, told.to_bytes()), *files.items()])
    return place


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        open_archive(path)
    return str(caught.value)


def test_any_bit_that_is_changed_is_found(good: Path, tmp_path: Path) -> None:
    """A thousand bits, everywhere: in files, in headers, in the record, in the directory at the end."""
    whole, names = good.read_bytes(), set(sources(good))
    seed = int(os.environ.get("FAIRCAST_SEED", "7"))
    draw = random.Random(seed)
    place = tmp_path / "changed.zip"
    with zipfile.ZipFile(good) as found:
        inside = {i.filename: (i.header_offset, i.header_offset + 30 + len(i.filename)) for i in found.infolist()}
    for at in [*(start for start, _ in inside.values()), *(draw.randrange(len(whole)) for _ in range(1000))]:
        changed = bytearray(whole)
        changed[at] ^= 1 << draw.randrange(8)
        place.write_bytes(changed)
        text = refusal(place)
        assert text.startswith(f"{place} is "), f"seed {seed}, byte {at}: {text}"
        held = [name for name, (start, data) in inside.items() if start <= at < data]
        if held and held[0] != RECORD:
            assert held[0] in text
        assert any(name in text for name in names) or "directory" in text or "bytes, not" in text


def test_a_changed_bit_is_named(good: Path, cli: Cli) -> None:
    whole = bytearray(good.read_bytes())
    with zipfile.ZipFile(good) as found:
        info = found.getinfo("results/seed-1/flows.parquet")
    whole[info.header_offset + 30 + len(info.filename) + 100] ^= 4
    Path("changed.zip").write_bytes(whole)
    ran = cli("verify", "changed.zip")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "faircast: changed.zip is damaged: results/seed-1/flows.parquet: it is not as it was archived, its SHA-256 "
        "differs\n"
    )


def test_what_is_cut_off_or_added_is_found(good: Path, tmp_path: Path) -> None:
    whole, place = good.read_bytes(), tmp_path / "changed.zip"
    for cut in (0, 3, 41, 60, 5000, len(whole) - 1):
        place.write_bytes(whole[:cut])
        assert str(place) in refusal(place)
    place.write_bytes(whole[:-1])
    assert refusal(place).endswith(f"it has {len(whole) - 1} bytes, not {len(whole)}: was cut off")
    place.write_bytes(whole + b"x")
    assert refusal(place).endswith("something was added")


def test_what_is_no_archive_is_refused(cli: Cli, tmp_path: Path) -> None:
    Path("text.zip").write_text("nothing")
    with zipfile.ZipFile("other.zip", "w") as file:
        file.writestr("../../evil", "x")
    for name in ("text.zip", "other.zip"):
        ran = cli("verify", name)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == f"faircast: {name} is no archive of faircast: it is no zip that begins with archive.json\n"
    Path("folder").mkdir()
    assert "folder is a folder; an archive is one file" in cli("verify", "folder").err
    assert "cannot read gone.zip: there is no such file" in cli("verify", "gone.zip").err
    os.mkfifo("pipe")
    assert cli("verify", "pipe").code == 2
    assert cli("verify", "x" * 5000).code == 2


def test_a_zip_that_another_program_packed_is_refused(good: Path, tmp_path: Path) -> None:
    """Compressed files, links and other times: there is one form, and nothing of another one is looked at."""
    content = sources(good)
    packed = tmp_path / "packed.zip"
    for how in ({"compress_type": zipfile.ZIP_DEFLATED}, {"compress_type": zipfile.ZIP_STORED}):
        with zipfile.ZipFile(packed, "w") as file:
            for name, text in content.items():
                file.writestr(name, text, **how)
        assert str(packed) in refusal(packed)


def test_a_link_in_place_of_a_file_is_refused(good: Path, tmp_path: Path) -> None:
    """A zip says in its directory what is a symbolic link; in this form nothing can be."""
    whole = bytearray(good.read_bytes())
    regular = (0o100644 << 16).to_bytes(4, "little")
    at = whole.rindex(regular)
    whole[at : at + 4] = (0o120777 << 16).to_bytes(4, "little")
    (tmp_path / "link.zip").write_bytes(whole)
    text = refusal(tmp_path / "link.zip")
    assert "the directory at the end of the zip is not as it was written" in text


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../evil", "it leads out of the folder"),
        ("results/../../evil", "it leads out of the folder"),
        ("/etc/passwd", "it begins at the root of a disk"),
        ("C:/evil", "it has a sign that some system takes for another"),
        ("a\\..\\evil", "it has a sign that some system takes for another"),
        ("a\x00b", "it has a sign that some system takes for another"),
        ("a//b", "a part of it is empty"),
        ("./a", "a part of it is empty"),
        ("a/", "a part of it is empty"),
        ("", "a part of it is empty"),
        ("evil. ", "a part of it ends with a dot, or a blank is at an end of it"),
        ("a\u0308", "it has letters in a form that some systems write otherwise"),
        ("x" * 256, "it is too long"),
        ("/".join(["x" * 100] * 11), "it is too long"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(good: Path, name: str, why: str) -> None:
    assert wrong_with(name) == why
    path = forged(good, {"results/manifest.json": b"{}", name: b"evil"})
    assert refusal(path).startswith(f"{path} is refused: it names the file ")
    assert refusal(path).endswith(why)


def test_legal_names() -> None:
    for name in ("archive.json", "results/tables/50-packets-ä-3f0c/seed-1/flows.parquet", "a..b/.c", "x" * 255):
        assert wrong_with(name) is None


def test_names_that_clash_are_refused(good: Path) -> None:
    assert clash(["a", "b/c", "b/d", "ab"]) is None
    assert clash(["a/B", "A/b"]) == ("a/B", "A/b")
    assert clash(["a", "a/b"]) == ("a", "a/b")
    assert clash(["a/b", "A"]) == ("a/b", "A")
    assert clash(["Straße", "STRASSE"]) == ("Straße", "STRASSE")
    path = forged(good, {"results/manifest.json": b"{}", "results/a": b"1", "results/A": b"2"})
    assert refusal(path).endswith("results/a and results/A cannot lie beside each other")
    path = forged(good, {"results/manifest.json": b"{}", RECORD: b"1"})
    assert refusal(path).endswith("archive.json and archive.json cannot lie beside each other")


def test_sizes_are_bounded(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "FILES_MAX", 5)
    assert refusal(good).endswith("files; legal are 5")
    monkeypatch.undo()
    monkeypatch.setattr(record, "SCENARIOS_MAX", 100)
    assert refusal(good).endswith("bytes; legal are 100")
    monkeypatch.undo()
    monkeypatch.setattr(container, "RECORD_MAX", 100)
    assert refusal(good).endswith("bytes; legal are 100")


def test_a_length_that_is_not_there_takes_no_memory(good: Path) -> None:
    """A record that says that a scenario has 200 MB, in a file of some kilobytes."""
    content = sources(good)
    told = Record.from_bytes(content.pop(RECORD), good)
    name = next(name for name in told.files if name.startswith("scenarios/"))
    lying = dataclasses.replace(told, files=told.files | {name: (200_000_000, told.files[name][1])})
    place = good.with_name("lying.zip")
    with place.open("wb") as file:
        container.write(file, [(RECORD, lying.to_bytes()), *content.items()])
    assert refusal(place).endswith("was cut off")


def test_a_record_that_was_edited_is_refused(good: Path) -> None:
    """Also if the zip around it is sound: it has a checksum of its own, and one form."""
    content = sources(good)
    told = content.pop(RECORD)
    for changed in (told.replace(b'"name": "small"', b'"name": "large"'), told.replace(b'": "', b'":  "', 1)):
        assert changed != told
        place = good.with_name("edited.zip")
        with place.open("wb") as file:
            container.write(file, [(RECORD, changed), *content.items()])
        assert refusal(place) == f"{place} is damaged: archive.json is not as it was archived"
    with place.open("wb") as file:
        container.write(file, [(RECORD, told.replace(b'"format": 1', b'"format": 2')), *content.items()])
    assert refusal(place) == f"{place} is an archive of format 2, not 1; a newer faircast reads it"


def test_a_plan_that_means_nothing_is_refused(good: Path, cli: Cli) -> None:
    files = {name: text for name, text in sources(good).items() if name != RECORD}
    digest = next(name for name in files if name.startswith("scenarios/")).partition("/")[2].removesuffix(".json")
    wrong: list[tuple[dict[str, object], str]] = [
        ({"plan": {}}, "it does not say what to run (KeyError)"),
        ({"plan": {"scenario": "../../etc/passwd", "seeds": [[1, 1]]}}, "it has no scenario ../../etc/passwd"),
        ({"plan": {"scenario": digest, "seeds": [[1, 10**12]]}}, "what it says of seeds means nothing"),
        ({"plan": {"scenario": digest, "seeds": "abc"}}, "what it says of seeds means nothing"),
        ({"kind": "sweep", "plan": {"points": [1]}}, "it does not say what to run (TypeError)"),
        ({"kind": "reproduction", "plan": {"runs": []}}, "it does not say what to run (AttributeError)"),
    ]
    for changes, message in wrong:
        ran = cli("verify", forged(good, files, **changes))
        assert (ran.code, message in ran.err) == (2, True), ran.err
    ran = cli("verify", forged(good, files, kind="poem"))
    assert "holds a poem, which this faircast cannot run" in ran.err


def test_a_scenario_that_is_not_legal_here_says_why(good: Path, cli: Cli) -> None:
    files = {name: text for name, text in sources(good).items() if name != RECORD}
    name = next(name for name in files if name.startswith("scenarios/"))
    text = files.pop(name).replace(b'"format":1', b'"format":1,"novelty":7')
    digest = entry_of(text)[1][:12]
    path = forged(good, files | {f"scenarios/{digest}.json": text}, plan={"scenario": digest, "seeds": [[1, 1]]})
    ran = cli("verify", path)
    assert ran.code == 2
    assert f"the scenario {digest} in {path}, for faircast" in ran.err
    assert "novelty" in ran.err


def test_a_scenario_reads_no_files(good: Path, cli: Cli, tmp_path: Path) -> None:
    """What a scenario once read stands in it; one that names a file is not resolved."""
    (tmp_path / "trace.txt").write_text("0 1\n")
    files = {name: text for name, text in sources(good).items() if name != RECORD}
    name = next(name for name in files if name.startswith("scenarios/"))
    before = files.pop(name)
    named = b'"loss":{"kind":"trace","file":"' + str(tmp_path / "trace.txt").encode() + b'"}'
    text = before.replace(before[before.index(b'"loss":{') :].partition(b"}")[0] + b"}", named, 1)
    assert text != before
    digest = entry_of(text)[1][:12]
    path = forged(good, files | {f"scenarios/{digest}.json": text}, plan={"scenario": digest, "seeds": [[1, 1]]})
    assert cli("verify", path).code == 2


def test_folders_without_a_result_are_refused(cli: Cli, small: Path) -> None:
    Path("empty").mkdir()
    assert cli("archive", "empty").err == ("faircast: empty is not a result folder: it has no manifest.json\n")
    assert cli("archive", "gone").err == (
        "faircast: gone does not exist; faircast archive takes the folder of a run, a sweep or a reproduction\n"
    )
    assert "small.toml is a file, not a result folder;" in cli("archive", small).err
    cli("run", small, "--out", "mine")
    assert "holds a seed; an archive is made of a run, a sweep or a reproduction" in cli("archive", "mine/seed-1").err


def test_what_is_not_finished_is_refused(cli: Cli, small: Path) -> None:
    cli("run", small, "--reps", 2, "--out", "mine")
    shutil.rmtree("mine/seed-2")
    ran = cli("archive", "mine")
    assert (ran.code, ran.err) == (
        2,
        "faircast: mine is not finished (seed 2 is missing); faircast run mine completes it, and then it can be "
        "archived\n",
    )
    edit_manifest("mine", status="interrupted")
    assert "mine is not finished (interrupted); faircast run mine completes it" in cli("archive", "mine").err
    assert not Path("mine.zip").exists()


def test_what_is_damaged_is_refused(cli: Cli, small: Path) -> None:
    cli("run", small, "--out", "mine")
    for name in ("mine/seed-1/flows.parquet", "mine/summary.parquet"):
        path = Path(name)
        before = path.read_bytes()
        path.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
        ran = cli("archive", "mine")
        assert (ran.code, f"{name} is not as it was written" in ran.err) == (2, True), ran.err
        path.write_bytes(before)
    assert cli("archive", "mine").code == 0


def test_only_an_archive_is_replaced(cli: Cli, small: Path) -> None:
    cli("run", small, "--out", "mine")
    assert cli("archive", "mine").code == 0
    assert cli("archive", "mine").code == 0
    Path("thesis.pdf").write_text("years of work")
    ran = cli("archive", "mine", "--out", "thesis.pdf")
    assert ran.code == 2
    assert "thesis.pdf is there already and is no archive" in ran.err
    assert Path("thesis.pdf").read_text() == "years of work"


def test_what_is_no_part_of_a_result_stays_outside(cli: Cli, small: Path) -> None:
    cli("run", small, "--out", "mine")
    Path("mine/secret.txt").write_text("password")
    Path("mine/link.png").symlink_to("/etc/passwd")
    ran = cli("archive", "mine")
    assert ran.code == 0
    assert "left out, as they are no part of the result: link.png, secret.txt" in ran.err
    assert not {"results/secret.txt", "results/link.png"} & set(sources(Path("mine.zip")))
