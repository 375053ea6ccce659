"""The server of the laboratory: what it sends, and what it does not."""

from __future__ import annotations

import base64
import gzip
import http.client
import json
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import urllib.parse
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import Cli

from faircast.cli.lab import opened
from faircast.errors import InputError
from faircast.laboratory import BUILT, FILES, Laboratory, Page, built, fragment

PAGES = {"lab.html": Page(b"<p>first", "text/html"), "core.wasm": Page(b"\0asm" * 5000, "application/wasm")}
needs_web = pytest.mark.skipif(not (BUILT / "core.wasm").exists(), reason="make web builds it")


@pytest.fixture
def laboratory() -> Iterator[Laboratory]:
    laboratory = Laboratory(PAGES)
    yield laboratory
    laboratory.close()


def asked(laboratory: Laboratory, path: str, method: str = "GET", **headers: str) -> tuple[int, bytes, dict[str, str]]:
    where = urllib.parse.urlsplit(laboratory.address)
    connection = http.client.HTTPConnection(where.netloc, timeout=10)
    connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read(), dict(answer.getheaders())
    connection.close()
    return found


def test_pages_are_sent_by_their_names(laboratory: Laboratory) -> None:
    status, content, headers = asked(laboratory, "/")
    assert (status, content, headers["Content-Type"]) == (200, b"<p>first", "text/html")
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert asked(laboratory, "/lab.html?result=x")[1] == b"<p>first"
    assert asked(laboratory, "/core.wasm")[1] == PAGES["core.wasm"].content
    status, content, headers = asked(laboratory, "/core.wasm", **{"Accept-Encoding": "br, gzip"})
    assert (status, headers["Content-Encoding"]) == (200, "gzip")
    assert gzip.decompress(content) == PAGES["core.wasm"].content
    status, content, headers = asked(laboratory, "/lab.html", "HEAD")
    assert (status, content, headers["Content-Length"]) == (200, b"", "8")


@pytest.mark.parametrize("path", ["/lab", "/../lab.html", "/%2e%2e/etc/passwd", "/.", "/python/", "*"])
def test_nothing_else_is_there(laboratory: Laboratory, path: str) -> None:
    assert asked(laboratory, path)[:2] == (404, b"there is no such page\n")


def test_only_this_machine_by_its_own_name_is_answered(laboratory: Laboratory) -> None:
    """A page of somebody else's may give a name of its own to 127.0.0.1."""
    host, port = urllib.parse.urlsplit(laboratory.address).netloc.split(":")
    assert host == "127.0.0.1"
    for name in (f"evil.example:{port}", "127.0.0.1", f"127.0.0.1:{int(port) + 1}"):
        assert asked(laboratory, "/", Host=name)[0] == 403
    assert asked(laboratory, "/", Host=f"localhost:{port}")[0] == 200
    assert asked(laboratory, "/", "POST")[0] == 501


def test_of_a_browser_that_goes_away_nothing_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    threads = threading.active_count() + 1
    large = Laboratory({"lab.html": Page(b"x" * 50_000_000, "text/html")})
    host, port = urllib.parse.urlsplit(large.address).netloc.split(":")
    with socket.create_connection((host, int(port))) as connection:
        # It ends at once, with what is on its way lost.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.sendall(f"GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        assert connection.recv(10)
    while threading.active_count() > threads:
        time.sleep(0.01)
    assert asked(large, "/", "HEAD")[0] == 200
    large.close()
    assert capfd.readouterr().err == ""


def test_ports_are_free_ones() -> None:
    several = [Laboratory(PAGES) for _ in range(3)]
    assert len({one.address for one in several}) == 3
    for one in several:
        one.close()


def test_a_fragment_holds_a_scenario_and_its_seeds() -> None:
    form, _, packed = fragment('name = "ä"\n' * 1000, "1, 2").partition(".")
    assert form == "1"
    assert len(packed) < 300
    text = zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -zlib.MAX_WBITS)
    assert json.loads(text) == {"texts": ['name = "ä"\n' * 1000], "seeds": "1, 2", "knobs": []}


def test_what_is_not_built_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="make web builds it"):
        built(tmp_path)
    for name in FILES:
        (tmp_path / name).write_text(name)
    assert built(tmp_path)["core.wasm"] == Page(b"core.wasm", "application/wasm")


@needs_web
def test_the_command_serves_until_it_is_interrupted_or_nobody_asks() -> None:
    command = [sys.executable, "-m", "faircast", "lab", "--no-browser", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc, timeout=10)
        connection.request("GET", "/worker.js")
        assert connection.getresponse().read() == (BUILT / "worker.js").read_bytes()
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    done = subprocess.run([*command, "--idle", "100 ms"], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@needs_web
def test_results_are_opened(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = Path(__file__).parents[2] / "examples" / "scenarios" / "geo-loss.toml"
    done = cli("run", scenario, "--set", "duration=40 s", "--reps", "2", "--out", tmp_path / "a result")
    assert done.code == 0, done.err
    for most, seeds in ((100, "1, 2"), (1, "1")):
        monkeypatch.setattr("faircast.cli.lab.MOST_SEEDS", most)
        page, where = opened(tmp_path / "a result")
        assert page.content.startswith(b"<!doctype html>")
        assert where.startswith("?result=a%20result#1.")
        packed = where.partition("#1.")[2]
        held = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), -zlib.MAX_WBITS))
        assert held["seeds"] == seeds
        assert 'duration = "40 s"' in held["texts"][0]
    done = cli("lab", tmp_path / "nothing", "--no-browser")
    assert (done.code, "there is no folder" in done.err) == (2, True)
