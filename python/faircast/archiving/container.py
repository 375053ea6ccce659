"""The zip of an archive: in one form only, so that equal files in it make equal bytes, and any other byte is found.

Files are stored as they are (Parquet is compressed by itself), in the order of the record, which is the first of them;
times are those of no clock, and everybody may read them. A reader therefore needs nothing of what the headers of a zip
say: the record tells every name and length, and with them what each header must be. It holds the file against that from
front to end, so nothing is unpacked, no name in a header leads anywhere, and there is nothing that could grow. The form
is that of PKWARE's APPNOTE 6.3.10, with its ZIP64 extension where a number needs more than 32 bits.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from faircast.errors import InputError, NotFinishedError

RECORD = "archive.json"
"""The first file of an archive, which tells all others."""
RECORD_MAX = 2**26
"""Bytes of a record: some 400 000 files."""
ELSEWHERE, ELSEWHERE_16 = 2**32 - 1, 2**16 - 1
"""What a field of 32 or 16 bits says if a longer one, elsewhere, says it (section 4.4.1.4)."""
LONG, MANY = ELSEWHERE, ELSEWHERE_16
"""From these numbers on, of bytes and of files."""
PIECE = 2**20
"""Bytes that are read at once."""

VERSION, VERSION_64 = 20, 45  # needed to extract, section 4.4.3
UTF8 = 1 << 11  # general purpose bit 11: names are UTF-8, section 4.4.4
DATE = 0x21  # 1 January 1980, the first day that a zip knows
UNIX = 3 << 8
READABLE = 0o100644 << 16


class Member(NamedTuple):
    """A file of an archive."""

    name: str
    length: int
    crc: int


def members(sources: Iterable[tuple[str, bytes | Path]]) -> Iterator[Member]:
    """The files as headers have them; those on disk are read for that."""
    for name, source in sources:
        crc = length = 0
        for piece in pieces(source):
            crc, length = zlib.crc32(piece, crc), length + len(piece)
        yield Member(name, length, crc)


def write(file: BinaryIO, sources: Sequence[tuple[str, bytes | Path]]) -> None:
    """Write the zip of some files, each a name with bytes or a place on disk, in their order.

    Raises `NotFinishedError` if a file changes meanwhile.
    """
    told = list(members(sources))
    for member, (name, source) in zip(told, sources, strict=True):
        file.write(header(member))
        crc = length = 0
        for piece in pieces(source):
            crc, length = zlib.crc32(piece, crc), length + len(piece)
            file.write(piece)
        if (length, crc) != (member.length, member.crc):
            raise NotFinishedError(f"{source if isinstance(source, Path) else name} changed while it was archived")
    file.write(directory(told))


def pieces(source: bytes | Path) -> Iterator[bytes]:
    """The content of a file, piece by piece."""
    if isinstance(source, bytes):
        yield source
        return
    with source.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def header(member: Member) -> bytes:
    """What stands before the content of a file (section 4.3.7)."""
    name, long = member.name.encode(), member.length >= LONG
    extra = struct.pack("<HHQQ", 1, 16, member.length, member.length) if long else b""
    length = ELSEWHERE if long else member.length
    needed = VERSION_64 if long else VERSION
    fields = (b"PK\x03\x04", needed, UTF8, 0, 0, DATE, member.crc, length, length, len(name), len(extra))
    return struct.pack("<4sHHHHHIIIHH", *fields) + name + extra


def directory(told: Sequence[Member]) -> bytes:
    """What stands behind all files: where each begins, and the end (sections 4.3.12 to 4.3.16)."""
    start, found = 0, []
    for member in told:
        found.append(entry(member, start))
        start += len(header(member)) + member.length
    length, count = sum(map(len, found)), len(found)
    if start >= LONG or length >= LONG or count >= MANY:
        fields = (b"PK\x06\x06", 44, UNIX | VERSION_64, VERSION_64, 0, 0, count, count, length, start)
        found.append(struct.pack("<4sQHHIIQQQQ", *fields))
        found.append(struct.pack("<4sIQI", b"PK\x06\x07", 0, start + length, 1))
        count, length, start = ELSEWHERE_16, ELSEWHERE, ELSEWHERE
    found.append(struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, length, start, 0))
    return b"".join(found)


def entry(member: Member, start: int) -> bytes:
    """What the directory says of a file (section 4.3.12)."""
    name, needs = member.name.encode(), [number for number in (member.length, start) if number >= LONG]
    numbers = [member.length, *needs] if member.length >= LONG else needs  # both lengths, stored and whole
    extra = struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers) if numbers else b""
    length, begin = (ELSEWHERE if number >= LONG else number for number in (member.length, start))
    needed = VERSION_64 if numbers else VERSION
    fields = (b"PK\x01\x02", UNIX | needed, needed, UTF8, 0, 0, DATE, member.crc, length, length)
    return struct.pack("<4sHHHHHHIII", *fields) + (
        struct.pack("<HHHHHII", len(name), len(extra), 0, 0, 0, READABLE, begin) + name + extra
    )


class Reader:
    """An archive that is read from front to end.

    Parameters
    ----------
    path
        Where it is; messages name it.
    file
        It, opened; nothing has been read.
    size
        Bytes that it has.
    """

    def __init__(self, path: Path, file: BinaryIO, size: int) -> None:
        self.path = path
        self._file = file
        self._size = size
        self._told: list[Member] = []
        self.damaged: list[tuple[str, str]] = []
        """Files that are not as they were archived: name, and what is wrong."""

    def record(self) -> bytes:
        """The first file. Raises `InputError` if it is none of an archive."""
        bare = header(Member(RECORD, 0, 0))
        begin = self._file.read(len(bare))
        if len(begin) < len(bare) or begin[:4] != bare[:4] or begin[30:] != bare[30:]:
            raise InputError(f"{self.path} is no archive of faircast: it is no zip that begins with {RECORD}")
        length = int.from_bytes(begin[18:22], "little")
        if length > min(RECORD_MAX, self._size):
            raise InputError(f"{self.path} is damaged: {RECORD} would have {length} bytes; legal are {RECORD_MAX}")
        content = self._file.read(length)
        member = Member(RECORD, length, zlib.crc32(content))
        if len(content) < length or header(member) != begin:
            raise InputError(f"{self.path} is damaged: {RECORD} is not as it was archived")
        self._told.append(member)
        return content

    def hold(self, names: dict[str, tuple[int, str]], take: Callable[[str], bool]) -> dict[str, bytes]:
        """Hold all other files against length and SHA-256; gives the content of those that are to be taken.

        What is wrong with each goes to `damaged`. Raises `InputError` where the file is longer or shorter than these
        lengths make it.
        """
        listed = [*self._told, *(Member(name, length, 0) for name, (length, _) in names.items())]
        size = sum(len(header(member)) + member.length for member in listed) + len(directory(listed))
        if self._size != size:
            what = "was cut off" if self._size < size else "something was added"
            raise InputError(f"{self.path} is damaged: it has {self._size} bytes, not {size}: {what}")
        taken = {}
        for name, (length, digest) in names.items():
            found = self._file.read(len(header(Member(name, length, 0))))
            crc, sha256, kept = 0, hashlib.sha256(), []
            for piece in self._pieces(length):
                crc = zlib.crc32(piece, crc)
                sha256.update(piece)
                if take(name):
                    kept.append(piece)
            member = Member(name, length, crc)
            if sha256.hexdigest() != digest:
                self.damaged.append((name, "it is not as it was archived, its SHA-256 differs"))
            elif found != header(member):
                self.damaged.append((name, "its header in the zip is not as it was written"))
            self._told.append(member)
            taken[name] = b"".join(kept)
        if self._file.read() != directory(self._told) and not self.damaged:
            self.damaged.append(("", "the directory at the end of the zip is not as it was written"))
        return taken

    def _pieces(self, length: int) -> Iterator[bytes]:
        while length > 0 and (piece := self._file.read(min(length, PIECE))):
            length -= len(piece)
            yield piece
