"""Files from one host to many: the package's own commands, over the loopback interface."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import typer
from conftest import Cli

from faircast.cli import casting
from faircast.cli.app import loaded

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sockets are Linux's")

CASTING = ("keys", "send", "receive", "probe", "stream")
PORT = 40_000 + os.getpid() % 20_000
"""Another one for each process that runs tests."""
PATIENCE_S = 120


def started(line: str, folder: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "faircast", *line.split()]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    try:
        out, err = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    return process.returncode, out, err


def until_it_listens(folder: Path) -> None:
    for _ in range(PATIENCE_S * 20):
        if (folder / ".faircast" / "counter").exists():
            return
        time.sleep(0.05)
    raise AssertionError(f"nobody receives in {folder}")


def test_a_folder_goes_to_two_receivers_with_keys(tmp_path: Path) -> None:
    content = bytes(range(256)) * 600
    (tmp_path / "films").mkdir()
    (tmp_path / "films" / "ünter.mkv").write_bytes(content)
    code, out, err = ended(started("keys keys --receivers 2 --json", tmp_path))
    assert code == 0, err
    assert json.loads(out)["receivers"] == ["keys/receiver-1.key", "keys/receiver-2.key"]
    group = f"239.255.81.1:{PORT}"
    receivers = [
        started(f"receive r{n} --from {group} --interface lo --keys keys/receiver-{n}.key --json", tmp_path)
        for n in (1, 2)
    ]
    for n in (1, 2):
        until_it_listens(tmp_path / f"r{n}")
    sender = started(
        f"send films --to {group} --interface lo --keys keys/sender.key --max-rate 9Mbit/s --set slow_start=doubling "
        "--set granularity=20ms --json",
        tmp_path,
    )
    code, out, err = ended(sender)
    assert code == 0, err
    assert (json.loads(out)["complete"], json.loads(out)["files"]) == (2, 1)
    for n, receiver in zip((1, 2), receivers, strict=True):
        code, out, err = ended(receiver)
        assert code == 0, err
        assert json.loads(out)["named"] == 1
        assert (tmp_path / f"r{n}" / "films" / "ünter.mkv").read_bytes() == content


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_a_receiver_is_interrupted(tmp_path: Path, by: signal.Signals) -> None:
    receiver = started(f"receive r --from 239.255.81.2:{PORT} --interface lo --open --json", tmp_path)
    until_it_listens(tmp_path / "r")
    receiver.send_signal(by)
    code, out, err = ended(receiver)
    assert (code, json.loads(out)["exit_code"]) == (130, 130), err
    assert "Traceback" not in err
    assert err.startswith("faircast: interrupted")


def test_a_probe_sees_who_limits(tmp_path: Path) -> None:
    (tmp_path / "film").write_bytes(bytes(range(256)) * 40_000)
    assert ended(started("keys keys --receivers 2", tmp_path))[0] == 0
    group = f"239.255.81.5:{PORT} --interface lo"
    receiver = started(f"receive r --from {group} --keys keys/receiver-1.key", tmp_path)
    until_it_listens(tmp_path / "r")
    sender = started(f"send film --to {group} --keys keys/sender.key --max-rate 700kbit/s", tmp_path)
    probe = started(
        f"probe --from {group} --keys keys/receiver-2.key --for {PATIENCE_S} --json",
        tmp_path,
    )
    assert probe.stdout is not None
    # It ends when what is waited for is seen; the film takes two minutes.
    seen: list[dict[str, Any]] = []
    for line in probe.stdout:
        seen.append(json.loads(line))
        if seen[-1].get("limiting") == 1 and (seen[-1]["rate_bps"] or 0) > 690e3:
            break
    for process in (probe, receiver, sender):
        process.send_signal(signal.SIGINT)
        code, _, err = ended(process)
        assert code == 130, err
    assert seen[-1]["limiting"] == 1, seen
    assert seen[-1]["rate_bps"] == pytest.approx(700e3, rel=0.01), seen


SENDS = f"send film --to 239.255.81.3:{PORT} --interface lo"
BAD = {
    "a unicast target": (
        "send film --to 127.0.0.1:5000 --open --max-rate 1Mbit/s",
        "127.0.0.1 is no multicast address",
    ),
    "an unknown interface": (f"{SENDS}pe --open --max-rate 1Mbit/s", "there is no interface lope"),
    "no rate": (f"{SENDS} --open", "--max-rate RATE is missing"),
    "no group": ("receive r --open", "--from GROUP:PORT is missing"),
    "nothing about keys": (f"{SENDS} --max-rate 1Mbit/s", "neither is given"),
    "a file that is not there": (f"{SENDS} --open --max-rate 1Mbit/s none", "cannot read none: it is not there"),
    "keys of a receiver": (f"{SENDS} --max-rate 1Mbit/s --keys keys/receiver-1.key", "keys of a receiver"),
    "a scheme that is none": (f"{SENDS} --open --max-rate 1Mbit/s --scheme tcp", "legal are cbr, tfmcc"),
    "hops": (f"{SENDS} --open --max-rate 1Mbit/s --ttl 0", '--ttl "0" given; legal is 1 to 255'),
    "keys that are there": ("keys keys --receivers 1", "is there already"),
    "a number": ("keys more --receivers -1", '--receivers "-1" given; legal is 1 to 1000000'),
}


def test_bad_input_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    (tmp_path / "film").write_bytes(b"12345")
    assert ended(started("keys keys --receivers 1", tmp_path))[0] == 0
    for what, (line, says) in BAD.items():
        code, out, err = ended(started(f"{line} --json", tmp_path))
        assert (code, json.loads(out)["exit_code"]) == (2, 2), f"{what}: {err}"
        assert err.count("\n") == 1, f"{what}: {err}"
        assert says in err, what
        assert err == f"faircast: {json.loads(out)['error']}\n"


def test_a_port_in_use(tmp_path: Path) -> None:
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("0.0.0.0", 0))
        port = taken.getsockname()[1]
        code, _, err = ended(started(f"receive r --from 239.255.81.4:{port} --interface lo --open", tmp_path))
    assert code == 2
    assert "in use" in err
    assert err.count("\n") == 1


def options(verb: str) -> dict[str, tuple[str, str]]:
    """What is called so in an option of the package's verb, and what it is for."""
    params: list[Any] = loaded(verb).params
    found = {}
    for param in params:
        if isinstance(param, typer.core.TyperOption) and param.name != "help":
            called = "" if param.is_flag else param.metavar
            found[param.opts[0]] = (called or "", (param.help or "").rstrip("."))
    return found


@pytest.mark.parametrize("verb", CASTING)
def test_the_options_are_those_of_the_program(verb: str) -> None:
    code = f"from faircast import _native\n_native.cast(['{verb}', '--help'])"
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    lines = re.findall(r"^ +(--[a-z-]+)(?: <([^>]+)>)?(?:\.\.\.)? {2,}(.+)$", shown, re.M)
    program = {name: (called, about[0].upper() + about[1:]) for name, called, about in lines}
    assert len(program) > 1
    assert options(verb) == program


def test_elsewhere_than_on_linux_a_sentence_says_so(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(casting, "sys", SimpleNamespace(platform="darwin"))
    done = cli("send", "film", "--to", "239.1.2.3:5000", "--open")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "faircast send uses sockets as Linux has them; this system is darwin" in done.err
