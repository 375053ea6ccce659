"""Archives: what goes in comes out, equal folders give equal bytes, and what is run anew is held against them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import SMALL, Cli, edit_manifest
from test_experiment import HOLDS, make, register  # noqa: F401 - register is a fixture

import faircast
from faircast import experiments
from faircast.archiving import container, verdict
from faircast.archiving.code import guests_of
from faircast.archiving.numbers import digest_of, writer_here
from faircast.archiving.record import open_archive
from faircast.errors import InputError
from faircast.experiments import REGISTRY
from faircast.fingerprint import sha256
from faircast.scenario import resolve

SWEEP = ("--vary", "links.bottleneck.queue.limit=30 packets,50 packets", "--reps", 2, "--tables", "flows")


def members(path: str | Path) -> dict[str, bytes]:
    """The files of an archive, as another implementation of zip finds them."""
    with zipfile.ZipFile(path) as found:
        assert found.testzip() is None
        return {name: found.read(name) for name in found.namelist()}


def told(cli: Cli, *args: object) -> dict[str, Any]:
    ran = cli("verify", *args, "--json")
    assert ran.code in (0, 1), ran.err
    found: dict[str, Any] = json.loads(ran.out)
    assert found["repeated"] is (ran.code == 0)
    return found


def test_a_zip_that_others_read(tmp_path: Path) -> None:
    """Two implementations, one answer: ours writes, that of the standard library reads."""
    (tmp_path / "big").write_bytes(bytes(range(256)) * 9000)
    sources = [("a", b""), ("b/ä.txt", b"text"), ("c", tmp_path / "big")]
    with (tmp_path / "it.zip").open("wb") as file:
        container.write(file, sources)
    assert members(tmp_path / "it.zip") == {"a": b"", "b/ä.txt": b"text", "c": bytes(range(256)) * 9000}
    with zipfile.ZipFile(tmp_path / "it.zip") as found:
        for info in found.infolist():
            assert (info.compress_type, info.date_time[:3], info.external_attr >> 16) == (0, (1980, 1, 1), 0o100644)


def test_a_zip_beyond_32_bits_that_others_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the limits lowered every number takes its long form, of files, of offsets and of the end."""
    monkeypatch.setattr(container, "LONG", 3)
    monkeypatch.setattr(container, "MANY", 2)
    listed = [container.Member(name, len(text), 0) for name, text in (("a", b"12"), ("b", b"12345"), ("c", b""))]
    assert [len(container.header(member)) for member in listed] == [31, 51, 31]  # 20 bytes of ZIP64 for the long one
    end = container.directory(listed)
    assert end[-98:-94] == b"PK\x06\x06"  # 56 bytes, then 20 that tell where they are, then 22 as ever
    assert end[-42:-38] == b"PK\x06\x07"
    assert int.from_bytes(end[-34:-26], "little") == sum(map(len, map(container.header, listed))) + 7 + len(end) - 98
    texts = {"a": b"12", "b": b"12345", "c": b"", "d/e": b"123"}
    with (tmp_path / "it.zip").open("wb") as file:
        container.write(file, list(texts.items()))
    assert members(tmp_path / "it.zip") == texts


def test_a_run_comes_out_again(cli: Cli, small: Path) -> None:
    cli("run", small, "--reps", 2, "--out", "mine")
    made = cli("archive", "mine", "--author", "Ada", "--author", "Bo", "--licence", "CC0-1.0")
    assert (made.code, made.err) == (0, "")
    assert made.out.startswith("mine.zip: run of small, ")
    found = members("mine.zip")
    for path in Path("mine").rglob("*.*"):
        assert found[f"results/{path.relative_to('mine').as_posix()}"] == path.read_bytes()
    scenario = resolve(small)
    assert found[f"scenarios/{scenario.hash}.json"].decode() == scenario.json
    assert b'name = "serde"' in found["environment/Cargo.lock"]
    assert f"pyarrow=={pa.__version__}\n".encode() in found["environment/requirements.txt"]
    done = told(cli, "mine.zip")
    assert set(done["files"].values()) == {"equal"}
    assert set(done["files"]) == {p.relative_to("mine").as_posix() for p in Path("mine").rglob("*.parquet")}
    assert done["notes"] == []
    assert sorted(path.name for path in Path().iterdir()) == ["mine", "mine.zip"]  # nothing was left anywhere


def test_equal_folders_give_equal_bytes(cli: Cli, small: Path) -> None:
    cli("run", small, "--out", "mine")
    shutil.copytree("mine", "other")
    for path in Path("other").rglob("*"):
        os.utime(path, (1, 1))
    cli("archive", "mine", "--out", "a.zip")
    cli("archive", "other", "--out", "b.zip")
    assert Path("a.zip").read_bytes() == Path("b.zip").read_bytes()


def test_archives_of_equal_runs_differ_in_manifests_only(cli: Cli, small: Path) -> None:
    for name in ("mine", "other"):
        cli("run", small, "--out", name, "--jobs", 1 if name == "mine" else 2)
        cli("archive", name)
    a, b = members("mine.zip"), members("other.zip")
    assert list(a) == list(b)
    differ = {name for name in a if a[name] != b[name]}
    assert "results/manifest.json" in differ
    assert differ <= {
        "archive.json",
        "ro-crate-metadata.json",
        "results/manifest.json",
        "results/seed-1/manifest.json",
    }


def test_a_sweep_comes_out_again_with_its_tables(cli: Cli, small: Path) -> None:
    cli("sweep", small, *SWEEP, "--out", "swept")
    assert cli("archive", "swept").code == 0
    done = told(cli, "swept.zip", "--jobs", 1)
    assert set(done["files"].values()) == {"equal"}
    assert sum(name.endswith("/flows.parquet") for name in done["files"]) == 4
    assert {"points.parquet", "measurements.parquet"} <= set(done["files"])


def test_a_reproduction_comes_out_again(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what functions made of runs (x-ecn), and with runs that are made twice (x-determinism)."""
    assert cli("reproduce", "x-ecn", "x-determinism", "--quick", "--reps", 2, "--out", "both").code == 0
    assert cli("archive", "both").code == 0
    done = told(cli, "both.zip")
    assert set(done["files"].values()) == {"equal"}
    assert set(done["files"]) == {
        "kept.parquet",
        "measurements.parquet",
        "x-determinism/summary.json",
        "x-ecn/summary.json",
    }
    # Of an experiment that this faircast does not know the runs alone come out.
    monkeypatch.setattr(experiments, "REGISTRY", {name: where for name, where in REGISTRY.items() if name != "x-ecn"})
    done = told(cli, "both.zip")
    assert done["files"]["measurements.parquet"] == "equal"
    assert done["files"]["x-ecn/summary.json"] == "not made"
    assert "what was concluded is not made again: there is no experiment x-ecn" in done["notes"][0]


def test_pictures_come_along_and_are_not_compared(cli: Cli, register: Any) -> None:  # noqa: F811
    register(make("x-small", HOLDS, reps=1))
    assert cli("reproduce", "x-small", "--out", "drawn").code == 0
    cli("archive", "drawn")
    assert members("drawn.zip")["results/x-small/x-small.pdf"].startswith(b"%PDF")
    files = told(cli, "drawn.zip")["files"]
    assert files == dict.fromkeys(("kept.parquet", "measurements.parquet", "x-small/summary.json"), "equal")


def test_the_command_is_shown_and_not_carried_out(cli: Cli, small: Path, tmp_path: Path) -> None:
    cli("run", small, "--out", "mine")
    trap = ["/bin/sh", "-c", f"touch {tmp_path}/trapped; \x1b[2J"]
    edit_manifest("mine", calls=[{"command": trap, "date": "2026-01-01T00:00:00+00:00"}])
    cli("archive", "mine")
    ran = cli("verify", "mine.zip")
    assert ran.code == 0
    assert f"  sh -c 'touch {tmp_path}/trapped; \\x1b[2J'" in ran.out
    assert not (tmp_path / "trapped").exists()


def test_numbers_that_do_not_come_out_are_told(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("run", small, "--out", "mine")
    cli("archive", "mine")
    real = verdict.repeat

    def bent(opened: Any, place: Path, **more: Any) -> Any:
        done = real(opened, place, **more)
        file = place / "seed-1" / "flows.parquet"
        table = pq.read_table(file)
        last = pa.array([*table.column("rate_bps").to_pylist()[:-1], 1.0])
        bent = table.set_column(table.column_names.index("rate_bps"), "rate_bps", last)
        pq.write_table(bent.replace_schema_metadata(table.schema.metadata), file)
        pq.write_table(pq.read_table(place / "summary.parquet").replace_schema_metadata({}), place / "summary.parquet")
        (place / "seed-1" / "links.parquet").unlink()
        return done

    monkeypatch.setattr(verdict, "repeat", bent)
    ran = cli("verify", "mine.zip")
    assert ran.code == 1
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert lines[lines.index("file came out") + 2 :][:3] == [
        "seed-1/links.parquet not made",
        "seed-1/flows.parquet differs",
        "summary.parquet same numbers",
    ]
    assert lines[-1] == "not repeated: of 16 files 13 equal, 1 same numbers, 1 differs, 1 not made"


def test_another_version_is_compared_by_numbers(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes cannot be equal, as every file names its version; numbers are."""
    cli("run", small, "--out", "mine")
    cli("archive", "mine")
    for module in ("archiving.verdict", "archiving.repeat", "folder", "results", "workplace"):
        monkeypatch.setattr(f"faircast.{module}.faircast_version", lambda: "9.8.7")
    done = told(cli, "mine.zip")
    assert set(done["files"].values()) == {"same numbers"}
    assert done["notes"] == [
        f"mine.zip was made by faircast {faircast.__version__}, this is 9.8.7: no file can be equal byte by byte, as "
        "each names its version, and numbers may differ, too"
    ]


def test_another_arrow_is_told(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("run", small, "--out", "mine")
    cli("archive", "mine")
    assert open_archive("mine.zip").record.writers == [writer_here()]
    monkeypatch.setattr(verdict, "writer_here", lambda: "another")
    assert told(cli, "mine.zip")["notes"] == [
        f"tables in mine.zip were written by {writer_here()}, here it is another: their bytes cannot be equal, as each "
        "names what wrote it"
    ]


def test_a_scenario_with_other_defaults_is_told(cli: Cli, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("run", small, "--out", "mine")
    cli("archive", "mine")
    from faircast.archiving import repeat

    real = repeat.resolve_tree
    monkeypatch.setattr(repeat, "resolve_tree", lambda tree, *more: real(tree | {"duration": "30 s"}, *more))
    done = told(cli, "mine.zip")
    assert "is" in done["notes"][0]
    assert done["notes"][0].endswith("here: this faircast has other keys or defaults")
    assert done["files"]["summary.parquet"] == "differs"


def test_what_comes_out_can_be_kept(cli: Cli, small: Path) -> None:
    cli("run", small, "--out", "mine")
    cli("archive", "mine")
    assert told(cli, "mine.zip", "--out", "again")["repeated"]
    assert sha256(Path("again/summary.parquet")) == sha256(Path("mine/summary.parquet"))
    ran = cli("verify", "mine.zip", "--out", "again")
    assert (ran.code, ran.err) == (2, "faircast: again is not empty; give --out a new folder for what comes out\n")


def test_in_python(small: Path, tmp_path: Path, cli: Cli) -> None:
    cli("run", small, "--out", "mine")
    path = faircast.archive("mine", out=tmp_path / "deep" / "it.zip")
    done = faircast.verify(path, jobs=1)
    assert (done.holds, done.kind, done.name, done.version) == (True, "run", "small", faircast.__version__)
    assert repr(done) == f"<it.zip, run of small: {len(done.files)} equal>"
    assert done.commands[0][1:] == ("run", str(small), "--out", "mine") or done.commands


def test_the_crate_tells_all(cli: Cli, small: Path) -> None:
    """What RO-Crate 1.1 demands of its root and of the descriptor, and every file with its length and SHA-256."""
    cli("run", small, "--out", "mine")
    cli("archive", "mine", "--author", "Ada")
    found = members("mine.zip")
    crate = json.loads(found["ro-crate-metadata.json"])
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    by_id = {item["@id"]: item for item in crate["@graph"]}
    assert len(by_id) == len(crate["@graph"])
    descriptor = by_id["ro-crate-metadata.json"]
    assert (descriptor["about"], descriptor["conformsTo"]) == ({"@id": "./"}, {"@id": "https://w3id.org/ro/crate/1.1"})
    root = by_id["./"]
    assert root["@type"] == "Dataset"
    assert all(root[key] for key in ("name", "description", "datePublished", "license"))
    assert by_id[root["author"][0]["@id"]]["name"] == "Ada"
    parts = {part["@id"] for part in root["hasPart"]}
    assert parts == set(found) - {"archive.json", "ro-crate-metadata.json"}
    for name in parts:
        assert by_id[name]["contentSize"] == str(len(found[name]))
    action = by_id[root["mentions"][0]["@id"]]
    assert action["@type"] == "CreateAction"
    assert {part["@id"] for part in action["object"] + action["result"]} <= parts
    assert by_id[action["instrument"]["@id"]]["softwareVersion"] == faircast.__version__


def test_the_digest_of_numbers_sees_numbers_and_nothing_else(tmp_path: Path) -> None:
    def digest(table: pa.Table, **how: Any) -> str:
        pq.write_table(table, tmp_path / "it.parquet", **how)
        return digest_of(tmp_path / "it.parquet")

    base = {"name": ["a", "bc"], "x": [1.0, float("nan")], "n": [1, 2], "b": [True, False]}
    first = digest(pa.table(base))
    signed = pa.table(base).replace_schema_metadata({"who": "else"})
    assert digest(signed, compression="zstd", row_group_size=1) == first
    coded = pa.table(base | {"name": pa.array(base["name"]).dictionary_encode()})
    assert digest(coded) == first
    for change in ({"name": ["ab", "c"]}, {"x": [1.0, 2.0]}, {"n": [2, 1]}, {"n": [1, None]}, {"b": [True, True]}):
        assert digest(pa.table(base | change)) != first
    assert digest(pa.table({"y" if key == "x" else key: value for key, value in base.items()})) != first
    assert digest(pa.table(base | {"n": [1, None]})) != digest(pa.table(base | {"n": [1, 0]}))
    assert digest(pa.table(base | {"name": ["a", None]})) != digest(pa.table(base | {"name": ["a", ""]}))
    short, long = (pa.array([1.0, 2.0], kind) for kind in (pa.float32(), pa.float64()))
    assert digest(pa.table(base | {"x": short})) != digest(pa.table(base | {"x": long}))


GUEST = """
import dataclasses
from pathlib import Path
from faircast.guests import Endpoint, Scheme
Path({mark!r}).touch()

@dataclasses.dataclass
class Quiet(Scheme):
    '''Nothing is sent.'''
    def source(self, seat):
        return Nobody()
    def member(self, seat):
        return Nobody()

class Nobody(Endpoint):
    def handle(self, now, given, out):
        pass
    def deadline(self):
        return None
"""
MAKE = """
import faircast, quiet
faircast.register_scheme("quiet", quiet.Quiet)
faircast.sweep("small.toml", vary={"links.bottleneck.delay": ["50 ms"]}, out="mine")
faircast.archive("mine")
"""


def test_code_runs_only_if_it_is_allowed(tmp_path: Path, cli: Cli) -> None:
    mark = tmp_path / "ran"
    (tmp_path / "quiet.py").write_text(GUEST.format(mark=str(mark)))
    film = '[sessions.film]\nscheme = "quiet"\nsource = "left-0"\nreceivers.nodes = ["right-0"]\n'
    (tmp_path / "small.toml").write_text(SMALL + film)
    done = subprocess.run([sys.executable, "-c", MAKE], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert mark.exists()
    mark.unlink()
    file = tmp_path / "mine.zip"
    assert members(file)["code/quiet.py"] == (tmp_path / "quiet.py").read_bytes()
    refused = cli("verify", file)
    assert refused.code == 2
    assert "mine.zip holds code: code/quiet.py of quiet; nothing of it was run." in refused.err
    assert not mark.exists()
    done_here = told(cli, file, "--allow-code")
    assert mark.exists()
    assert set(done_here["files"].values()) == {"equal"}
    assert done_here["notes"] == ["code of the archive ran: code/quiet.py"]
    assert "quiet" not in sys.modules
    # The same record with other code: the origin has the hash of the file.
    opened = open_archive(file)
    texts = dict(opened.texts) | {"code/quiet.py": opened.texts["code/quiet.py"] + b"# changed\n"}
    with pytest.raises(InputError, match=r"the code of quiet is quiet.Quiet [0-9a-f]{12}, not quiet.Quiet"):
        verdict.held(type(opened)(opened.path, opened.record, texts), allow_code=True, jobs=1, out=None, watcher=None)


def test_guests_are_found_wherever_they_stand() -> None:
    data = {
        "links": {"a": {"queue": {"kind": "mine", "origin": "mine 1"}, "back": [{"kind": "red"}]}},
        "sessions": {"film": {"scheme": "other", "origin": "other 2"}, "news": {"scheme": "tfmcc"}},
    }
    from faircast.scenario import Resolved

    assert guests_of([Resolved(json.dumps(data))]) == {"mine": "mine 1", "other": "other 2"}
