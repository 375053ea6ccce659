"""Sessions on hosts that were written down: what is read of their journals, and what is said of them."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from conftest import Cli

from faircast.errors import InputError
from faircast.hosts.folder import conclude
from faircast.hosts.result import HostResult
from faircast.hosts.session import HostSession
from faircast.manifest import read_manifest
from faircast.plot.recording import Cut, Grid, by_subject
from faircast.plot.stored import recording_of

NAME = "239.1.2.3:5000"
BEGAN_NS = 1_800_000_000_000_000_000
FLOWS = ["t_s", "flow", "rate_bps", "sent_pkts", "sending_bps", "srtt_s", "max_rtt_s"]
RECEIVERS = ["t_s", "session", "receiver", "rate_bps", "goodput_bps", "loss_events", "loss_event_rate", "rtt_s"]
EVENTS = ["t_s", "flow", "receiver", "event", "before", "after", "layer", "cause", "cause_number", "cause_receiver"]
DETAILS = ["receive_bps", "rtt_s", "loss_event_rate", "factor"]
WORDS = ("flow", "session", "receiver", "event", "cause", "cause_receiver")
WHOLE = ("sent_pkts", "loss_events", "group", "sent_bytes", "received_pkts")
NO = None


def kinds(names: list[str]) -> list[list[str]]:
    return [[name, "str" if name in WORDS else "i64" if name in WHOLE else "f64"] for name in names]


def line(record: Any) -> str:
    text = json.dumps(record)
    return f"\n{zlib.crc32(text.encode()):08x} {len(text)} {text}"


def columns(rows: list[list[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def head(who: str, tables: dict[str, list[str]], began_ns: int = BEGAN_NS, **more: Any) -> dict[str, Any]:
    session = {"scheme": "tfmcc", "packet_size": "1 KB"} | ({"max_rate": "10 Mbit/s"} if who == "sender" else {})
    found = {"kind": "session", "format": 1, "version": "0.2.0", "verb": "send", "name": NAME, "session": session}
    found |= {"who": who, "interface": "eth0", "host": "earth", "began_ns": began_ns, "interval_s": 1.0}
    return found | {"columns": {name: kinds(keys) for name, keys in tables.items()}} | more


def report(t_s: float, who: str, rate: float, asked: float, p: float) -> list[Any]:
    return [t_s, NAME, who, "report", rate, asked, NO, "report", 4, who, 0.9 * rate, 0.05, p, 1.0]


def change(t_s: float, before: float, after: float, who: str) -> list[Any]:
    return [t_s, NAME, "", "rate", before, after, NO, "report", 4, who, NO, NO, NO, NO]


def write(folder: Path, records: list[Any]) -> Path:
    folder.mkdir(parents=True)
    (folder / "session.journal").write_text("".join(map(line, records)))
    return folder


def sender(folder: Path) -> Path:
    """20 s at 4 Mbit/s, of which receiver-7 makes 2 Mbit/s from the tenth second on."""
    records: list[Any] = [head("sender", {"flows": FLOWS, "events": [*EVENTS, *DETAILS]})]
    for second in range(1, 21):
        rate = 4e6 if second <= 10 else 2e6
        row = [float(second), NAME, rate, int(rate / 8000), rate, 0.05, 0.08]
        events = [report(second - 0.5, "receiver-7", rate, rate, 0.01)]
        if second == 1:
            no = [NO] * 4
            events = [[0.2, NAME, "", "slow-start-ended", 1e6, 4e6, NO, "time", NO, "", *no]]
            events += [[0.3, NAME, "receiver-3", "limiting-receiver", NO, NO, NO, "report", 1, "receiver-3", *no]]
            events += [report(0.4, "receiver-3", 4e6, 4e6, 0.002)]
        if second == 10:
            no = [NO] * 4
            events = [[9.6, NAME, "receiver-7", "limiting-receiver", NO, NO, NO, "report", 4, "receiver-7", *no]]
            events += [report(9.6, "receiver-7", 4e6, 2e6, 0.012), change(9.6, 4e6, 2e6, "receiver-7")]
        elif 1 < second < 10:
            events = [report(second - 0.5, "receiver-3", rate, rate, 0.002)]
        records.append({"t_s": float(second), "tables": {"flows": columns([row]), "events": columns(events)}})
    records.append({"t_s": 20.3, "tables": {}, "ended": "done"})
    return write(folder, records)


def receiver(folder: Path, late_ns: int = 0) -> Path:
    """What receiver-7 saw of it; its clock began `late_ns` after the sender's."""
    tables = {"flows": ["t_s", "flow", "rate_bps"], "receivers": RECEIVERS, "events": EVENTS}
    records: list[Any] = [head("receiver-7", tables, BEGAN_NS + late_ns)]
    shift = late_ns / 1e9
    for second in range(1, 19):
        row = [float(second), NAME, "receiver-7", 2e6, 1.9e6, int(second == 8), 0.012, 0.05]
        found = {"receivers": columns([row]), "flows": columns([[float(second), NAME, 2e6]])}
        if second == 8:
            loss = [9.55 - shift, NAME, "receiver-7", "loss-event", 0.01, 0.012, NO, "loss", 812, ""]
            heard = [9.7 - shift, NAME, "receiver-7", "limiting-receiver", NO, NO, NO, "packet", 820, ""]
            found["events"] = columns([loss, heard])
        records.append({"t_s": float(second), "tables": found})
    return write(folder, records)


def test_a_senders_folder_is_read_by_plot_why_show_and_report(tmp_path: Path, cli: Cli) -> None:
    folder = sender(tmp_path / "s")
    told = cli("show", str(folder)).out
    assert "Measured on hosts, not simulated: 20.3 s of the session 239.1.2.3:5000 (tfmcc)" in " ".join(told.split())
    assert "limited by receiver-7 54% of the time, receiver-3 46% of the time. That changed 1 time." in " ".join(
        told.split()
    )
    assert "p = 0.01 and R = 50 ms" in " ".join(told.split())
    done = cli("plot", str(folder), "--json")
    (picture,) = json.loads(done.out)["pictures"]
    assert picture["picture"] == "rates"
    assert all(Path(path).stat().st_size > 5000 for path in picture["files"])
    said = " ".join(cli("why", str(folder), "--at", "10s").out.split())
    assert "fell from 4 Mbit/s to 2 Mbit/s" in said
    assert "receiver-7 limits from this report on in place of receiver-3" in said
    assert "What receiver-7 lost is in what it wrote down itself, which is not here" in said
    assert "found no loss event" not in said
    if (Path(__file__).parents[1] / "faircast" / "web" / "report.js").exists():
        done = cli("report", str(folder))
        assert done.code == 0, done.err
        page = (folder / "report.html").read_text(encoding="utf-8")
        for text in ("What the sender sent", "Hosts do not see what is between them", "fell from 4 Mbit/s"):
            assert text in page
        document = page.partition('id="document">')[2].partition("</script>")[0]
        assert "faircast run" not in document
        assert "faircast why" in document


def test_what_needs_a_network_is_a_sentence(tmp_path: Path, cli: Cli) -> None:
    folder = sender(tmp_path / "s")
    for what in ("queue", "links", "paths"):
        done = cli("plot", str(folder), what)
        assert (done.code, "is of a session on hosts" in " ".join(done.err.split())) == (2, True), done.err
    done = cli("plot", str(folder), "--seed", "1")
    assert (done.code, "which has no seed" in " ".join(done.err.split())) == (2, True), done.err
    done = cli("why", str(folder), "--at", "3s", "--seed", "1")
    assert (done.code, "which has no seed" in " ".join(done.err.split())) == (2, True), done.err
    done = cli("why", str(folder), "--at", "99s")
    assert (done.code, "Traceback" in done.err) == (2, False)


def test_a_receivers_folder_alone_tells_its_losses(tmp_path: Path, cli: Cli) -> None:
    folder = receiver(tmp_path / "r")
    said = " ".join(cli("why", str(folder), "--at", "15s").out.split())
    assert "receiver-7 found its last loss event before 15.000 s at 9.550 s" in said
    assert "hosts do not see what is between them" in said
    told = " ".join(cli("show", str(folder)).out.split())
    assert "has no end: it goes on, or was killed, or its disk was full" in told
    assert "The sender's side is not here" in told
    assert cli("plot", str(folder), "receivers").code == 0


def test_folders_in_one_are_read_together_by_their_clocks(tmp_path: Path, cli: Cli) -> None:
    sender(tmp_path / "s")
    receiver(tmp_path / "r", late_ns=1_250_000_000)
    said = " ".join(cli("why", str(tmp_path), "--at", "10s").out.split())
    assert "fell from 4 Mbit/s to 2 Mbit/s" in said
    assert "receiver-7 found a loss event at 9.550 s: packet 812 did not come" in said
    session = HostSession.read(tmp_path)
    tables = session.tables()
    assert [record.who for record in session.records] == ["sender", "receiver-7"]
    assert tables["receivers"]["t_s"][:2] == [2.0, 3.0], "events keep their times, intervals are whole ones"
    assert tables["events"]["t_s"] == sorted(map(float, tables["events"]["t_s"]))
    heard = [
        cause
        for event, cause in zip(tables["events"]["event"], tables["events"]["cause"], strict=True)
        if event == "limiting-receiver"
    ]
    assert heard == ["report", "report"], "what a member hears of it is left out where the sender's is there"
    assert len(tables["flows"]["t_s"]) == 20, "the session's rows are the sender's"
    other = json.loads((tmp_path / "r" / "session.journal").read_text().splitlines()[1].split(" ", 2)[2])
    write(tmp_path / "x", [other | {"name": "239.9.9.9:1", "who": "receiver-1"}])
    done = cli("show", str(tmp_path))
    assert (done.code, "holds several sessions" in done.err) == (2, True), done.err
    shutil.rmtree(tmp_path / "x")
    shutil.copytree(tmp_path / "r", tmp_path / "again")
    done = cli("show", str(tmp_path))
    assert (done.code, "receiver-7 of 239.1.2.3:5000 more than once" in " ".join(done.err.split())) == (2, True)


@pytest.mark.parametrize(("late_ns", "first_s"), [(4_000_000, 1.0), (996_000_000, 2.0), (2_600_000_000, 4.0)])
def test_the_ends_intervals_are_drawn_beside_each_other(tmp_path: Path, late_ns: int, first_s: float) -> None:
    sender(tmp_path / "s")
    receiver(tmp_path / "r", late_ns)
    recording = recording_of(tmp_path)
    grid = Grid(Cut.of(recording), 1.0, 100, is_mean=True)
    (series,) = by_subject(recording, "receivers", "receiver", "rate_bps", grid, ["receiver-7"]).values()
    assert series.t_s[~np.isnan(series.mean[0])].tolist() == [first_s - 0.5 + second for second in range(18)]
    tables = HostSession.read(tmp_path).tables()
    assert 9.55 in [round(float(t_s), 6) for t_s in tables["events"]["t_s"]], "of a moment"


def test_an_end_that_is_dead_tells_no_more(tmp_path: Path, cli: Cli) -> None:
    path = sender(tmp_path / "s") / "session.journal"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:8]).rstrip("\n"))
    receiver(tmp_path / "r", late_ns=4_000_000)
    told = " ".join(cli("show", str(tmp_path)).out.split())
    assert "sent 4 Mbit/s on average while it was written down" in told
    assert "From 0.3 s to 6.0 s, while the sender wrote it down, the rate was limited by receiver-3 100%" in told
    done = cli("why", str(tmp_path), "--at", "15s")
    assert "what sender wrote down ends at 6.000 s" in " ".join((done.out + done.err).split())
    assert "15.000 s" not in done.out
    done = cli("why", str(tmp_path), "--at", "15s", "--receiver", "receiver-7")
    assert "before 15.000 s at 9.550 s" in " ".join(done.out.split()), "who goes on tells more"
    assert "At 6.000 s receiver-3 has limited the rate since 0.300 s" in " ".join(done.out.split())
    assert "wrote down ends" not in done.out + done.err
    done = cli("why", str(tmp_path), "--at", "18.004s", "--receiver", "receiver-7")
    assert "wrote down ends" not in done.out + done.err


@pytest.mark.parametrize(("again_s", "lacking"), [(7.549, 7.5), (7.0, 7.5), (6.999, 6.5)])
def test_a_line_ends_where_an_end_was_started_again(tmp_path: Path, again_s: float, lacking: float) -> None:
    path = receiver(tmp_path / "r") / "session.journal"
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:9], line({"again_s": again_s})[1:], *lines[9:]]))
    recording = recording_of(tmp_path / "r")
    grid = Grid(Cut.of(recording), 1.0, 100, is_mean=True)
    for table, subject, name in (("flows", "flow", NAME), ("receivers", "receiver", "receiver-7")):
        (series,) = by_subject(recording, table, subject, "rate_bps", grid, [name]).values()
        assert series.t_s[np.isnan(series.mean[0])].tolist() == [lacking]
    result = HostResult.read(tmp_path / "r")
    assert len(result.flows) == 18, "tables have what was measured"
    assert result["receiver-7", "loss_events"] == 1


def test_what_was_cut_off_damaged_left_out_and_begun_again_is_said(tmp_path: Path, cli: Cli) -> None:
    path = sender(tmp_path / "s") / "session.journal"
    text = path.read_text()
    lines = text.split("\n")
    lines[5] = lines[5].replace("4000000.0", "5000000.0", 1)
    tail = line({"again_s": 21.0}) + line({"t_s": 22.0, "tables": {}, "left_out": 17})
    path.write_text("\n".join(lines) + tail + line({"t_s": 23.0, "tables": {}})[:-4])
    told = " ".join(cli("show", str(path.parent)).out.split())
    assert "1 records of" in told
    assert "was started again at 21.0 s" in told
    assert "17 events of sender are not there" in told
    assert "It is there up to 22.0 s" in told
    assert len(HostResult.read(path.parent).flows) == 19
    path.write_text(text + line({"t_s": 20.7, "tables": {}, "ended": "failed"}))
    told = " ".join(cli("show", str(path.parent)).out.split())
    assert "sender ended at 20.7 s by an error" in told
    assert "has no end" not in told
    path.write_text(text[: text.index("\n", 1) - 9])
    done = cli("show", str(path.parent))
    assert (done.code, "cut off before its first record was whole" in " ".join(done.err.split())) == (2, True), done.err
    path.write_text(line(head("sender", {}) | {"format": 2}))
    assert "of format 2" in " ".join(cli("show", str(path.parent)).err.split())
    path.write_text(line(head("sender", {"flows": ["t_s"]})) + line({"t_s": 1.0, "tables": {"flows": [[1.0], [2.0]]}}))
    assert "does not fit its first one" in " ".join(cli("show", str(path.parent)).err.split())


def test_tables_are_made_of_it_with_a_manifest(tmp_path: Path) -> None:
    folder = sender(tmp_path / "s")
    conclude(folder)
    manifest = read_manifest(folder)
    assert (manifest["kind"], manifest["status"], manifest["left_out"]) == ("session", "finished", 0)
    assert set(manifest["files"]) == {"flows.parquet", "events.parquet", "summary.parquet", "session.journal"}
    flows = pq.read_table(folder / "flows.parquet")
    assert flows.column_names == FLOWS
    assert flows.column("rate_bps").to_pylist() == [4e6] * 10 + [2e6] * 10
    assert str(flows.schema.field("sent_pkts").type) == "int64"
    assert set(flows.schema.metadata) == {b"faircast.session", b"faircast.version"}
    known = json.loads(flows.schema.metadata[b"faircast.session"])
    assert (known["hosts"][0]["who"], known["sessions"][NAME]["max_rate"]) == ("sender", "10 Mbit/s")
    assert known["hosts"][0]["began"] == "2027-01-15 08:00:00 UTC"
    events = pq.read_table(folder / "events.parquet")
    assert math.isnan(events.column("before")[1].as_py()), "what is no number is NaN"
    conclude(folder)
    assert read_manifest(folder)["files"] == manifest["files"], "the same once more"
    with pytest.raises(InputError, match=r"holds no session\.journal"):
        conclude(tmp_path)


RECORDED = Path(__file__).parents[2] / "tests" / "sessions"
"""Sessions in virtual time as hosts write them down: `crates/cast/src/recorded_tests.rs`."""


@pytest.mark.parametrize("name", ["tfmcc", "rlm"])
def test_what_hosts_write_down_is_read_by_all_verbs(name: str, tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / name
    shutil.copytree(RECORDED / name, folder)
    pictures = {"tfmcc": ("rates", "receivers", "rtt"), "rlm": ("rates", "receivers", "levels")}
    verbs = [("show",), ("why", "--at", "12s"), ("why", "--at", "12s", "--receiver", "receiver-2")]
    verbs += [("plot", *pictures[name], "--json")]
    if (Path(__file__).parents[1] / "faircast" / "web" / "report.js").exists():
        verbs += [("report",)]
    for verb, *more in verbs:
        done = cli(verb, str(folder), *more)
        assert done.code == 0, (verb, done.err)
        assert "Traceback" not in done.out + done.err
    for end in sorted(folder.glob("*/session.journal")):
        for verb in ("show", "plot"):
            done = cli(verb, str(end.parent))
            assert done.code == 0, (verb, end, done.err)
    tables = HostSession.read(folder).tables()
    if name == "tfmcc":
        assert "layers" not in tables
        said = " ".join(cli("show", str(folder)).out.split())
        assert "limited by receiver-2" in said
    else:
        layers = tables["layers"]
        keys = list(zip(layers["t_s"], layers["group"], strict=True))
        assert len(set(keys)) == len(keys) == 60 * 5, "a row for each group and second, of all ends together"
        base = [row for row, group in enumerate(layers["group"]) if group == 0]
        assert [layers["members"][row] for row in base[1:]] == [2.0] * 59
        assert sum(layers["sent_pkts"]) > 60 * 70  # type: ignore[arg-type]


def test_groups_are_put_together_of_what_each_end_knows(tmp_path: Path) -> None:
    both = ["t_s", "session", "group", "layer"]
    flows = {"flows": ["t_s", "flow", "rate_bps"], "events": EVENTS}
    of_sender = flows | {"layers": [*both, "rate_bps", "sent_pkts", "sent_bytes"]}
    of_receiver = flows | {"layers": [*both, "members", "received_bps", "received_pkts"]}
    rows = [[1.0, NAME, 0, 0.0, 8e4, 10, 10000], [1.0, NAME, 1, 1.0, 16e4, 20, 20000]]
    ends: list[tuple[str, dict[str, list[str]], list[list[Any]]]] = [("sender", of_sender, rows)]
    ends += [("receiver-1", of_receiver, [[1.0, NAME, 0, 0.0, 1.0, 8e4, 10], [1.0, NAME, 1, 1.0, 0.25, 1e5, 3]])]
    ends += [("receiver-2", of_receiver, [[1.0, NAME, 0, 0.0, 1.0, 4e4, 5], [1.0, NAME, 1, 1.0, 0.75, 2e5, 19]])]
    for who, tables, found in ends:
        write(tmp_path / who, [head(who, tables), {"t_s": 1.0, "tables": {"layers": columns(found)}}])
    layers = HostSession.read(tmp_path).tables()["layers"]
    assert [layers["group"], layers["layer"], layers["sent_pkts"]] == [[0, 1], [0.0, 1.0], [10, 20]]
    assert [layers["members"], layers["received_pkts"]] == [[2.0, 1.0], [15, 22]]
    assert layers["received_bps"] == [6e4, 0.25 * 1e5 + 0.75 * 2e5]
    shutil.rmtree(tmp_path / "sender")
    layers = HostSession.read(tmp_path).tables()["layers"]
    assert "sent_pkts" not in layers
    assert layers["received_pkts"] == [15, 22]


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, out, err


@pytest.mark.skipif(sys.platform != "linux", reason="the sockets are Linux's")
def test_a_real_session_is_read_by_the_verbs(tmp_path: Path, cli: Cli) -> None:
    (tmp_path / "film").write_bytes(bytes(range(256)) * 2000)
    group = f"239.255.82.1:{40_000 + os.getpid() % 20_000} --interface lo --open --json"

    def started(line: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "faircast", *line.split()]
        return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    probe = started(f"probe --from {group} --results seen/probe")
    got = started(f"receive r --from {group} --results seen/r")
    for _ in range(2400):
        if (tmp_path / "r" / ".faircast" / "counter").exists() and (tmp_path / "seen" / "probe").exists():
            break
        time.sleep(0.05)
    sent = started(f"send film --to {group} --max-rate 1Mbit/s --results seen/s")
    for process in (sent, got):
        code, _, err = ended(process)
        assert code == 0, err
    probe.send_signal(signal.SIGINT)
    code, _, err = ended(probe)
    assert code == 130, err
    seen = tmp_path / "seen"
    assert {path.name for path in (seen / "r").iterdir()} == {
        *("session.journal", "manifest.json", "events.parquet", "flows.parquet"),
        *("host.parquet", "receivers.parquet", "summary.parquet"),
    }
    result = HostResult.read(seen)
    (who,) = {name for name in result.receivers.column("receiver").to_pylist() if name != "probe"}
    told = " ".join(cli("show", str(seen)).out.split())
    assert f"the rate was limited by {who}" in told
    assert result[NAME if NAME in told else result.hosts.name, "sending_rate"] > 1e5  # type: ignore[union-attr]
    for verb in (["why", str(seen), "--at", "3s"], ["plot", str(seen), "rates", "receivers", "rtt"]):
        done = cli(*verb)
        assert done.code == 0, done.err
    for name in ("s", "r", "probe"):
        done = cli("plot", str(seen / name))
        assert done.code == 0, done.err
    assert cli("why", str(seen / "r"), "--at", "3s").code == 0
    assert set(result.table("host").column("who").to_pylist()) == {"sender", who, "probe"}
