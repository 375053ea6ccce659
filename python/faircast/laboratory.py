"""The laboratory, served to a browser of this machine: only files that are known beforehand, only on 127.0.0.1."""

from __future__ import annotations

import base64
import gzip
import json
import sys
import threading
import time
import zlib
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from faircast.errors import InputError

BUILT = Path(__file__).parent / "web"
"""Where `make web` puts what it builds, and where the wheel has it."""
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".wasm": "application/wasm",
    ".txt": "text/plain; charset=utf-8",
    ".json": "application/json",
}
FILES = ("lab.html", "lab.js", "lab.css", "worker.js", "core.wasm", "licences.txt")
"""All that a browser may ask for, beside what is given."""
ON_THE_WAY = 9000
"""Bytes from which a file is sent compressed."""


class Page(NamedTuple):
    """What is sent for a name."""

    content: bytes
    kind: str


def built(folder: Path = BUILT) -> dict[str, Page]:
    """The files of the laboratory by their names. Raises `InputError` if they have not been built."""
    missing = [name for name in FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(f"the laboratory has not been built ({missing[0]} is missing): make web builds it")
    return {name: Page((folder / name).read_bytes(), KINDS[Path(name).suffix]) for name in FILES}


def fragment(text: str, seeds: str) -> str:
    """What an address has behind its sign # to open the laboratory with a scenario in TOML and its seeds.

    `web/src/lab/share.ts` reads it.
    """
    shared = json.dumps({"texts": [text], "seeds": seeds, "knobs": []})
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(shared.encode()) + packer.flush()
    return "1." + base64.urlsafe_b64encode(packed).decode().rstrip("=")


class Server(ThreadingHTTPServer):
    """A server that says nothing of browsers that have gone away, as they do when a page is loaded anew."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Laboratory:
    """A server of these pages at a free port of 127.0.0.1, which goes on until `close`.

    The first of them is what one gets who names none. Other names are not found, whatever lies in folders, and whoever
    calls this machine by another name, as a page of somebody else's can make a browser do, is sent away.
    """

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self._pages = dict(pages)
        self._first = next(iter(self._pages))
        self._packed = {
            name: gzip.compress(page.content, 6, mtime=0)
            for name, page in self._pages.items()
            if len(page.content) >= ON_THE_WAY
        }
        self.heard = time.monotonic()
        """When somebody asked for something the last time."""
        self._server = Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """What a browser is to open."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def close(self) -> None:
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        laboratory = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            server_version = "faircast"
            sys_version = ""
            timeout = 30

            def do_GET(self) -> None:
                self._answer(with_content=True)

            def do_HEAD(self) -> None:
                self._answer(with_content=False)

            def _answer(self, *, with_content: bool) -> None:
                laboratory.heard = time.monotonic()
                port = self.server.server_address[1]  # type: ignore[index]
                if self.headers.get("Host") not in (f"127.0.0.1:{port}", f"localhost:{port}"):
                    self._send(HTTPStatus.FORBIDDEN, Page(b"only for this machine\n", KINDS[".txt"]), with_content)
                    return
                name = self.path.partition("?")[0].removeprefix("/") or laboratory._first
                page = laboratory._pages.get(name)
                if page is None:
                    self._send(HTTPStatus.NOT_FOUND, Page(b"there is no such page\n", KINDS[".txt"]), with_content)
                    return
                packed = laboratory._packed.get(name)
                if packed is not None and "gzip" in self.headers.get("Accept-Encoding", ""):
                    self._send(HTTPStatus.OK, Page(packed, page.kind), with_content, encoding="gzip")
                else:
                    self._send(HTTPStatus.OK, page, with_content)

            def _send(self, status: HTTPStatus, page: Page, with_content: bool, encoding: str = "") -> None:
                self.send_response(status)
                self.send_header("Content-Type", page.kind)
                self.send_header("Content-Length", str(len(page.content)))
                if encoding:
                    self.send_header("Content-Encoding", encoding)
                self.send_header("Cache-Control", "no-cache")
                self.send_header("X-Content-Type-Options", "nosniff")
                self.send_header("Referrer-Policy", "no-referrer")
                self.end_headers()
                if with_content:
                    self.wfile.write(page.content)

            def log_message(self, *_: object) -> None:
                """Nobody wants to read of it."""

        return Handler


__all__ = ["BUILT", "FILES", "KINDS", "Laboratory", "Page", "built", "fragment"]
