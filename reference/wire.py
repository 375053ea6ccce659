"""The project's messages as bytes in plain Python, written from `docs/wire-format.md` and independent of the Rust code.

`python3 reference/wire.py` writes `tests/golden/wire.json`: for version 1 of the format what each message says and its
bytes, in hexadecimal; `crates/codec/tests/golden.rs` must write and read the same. `--check` only compares.

All that stands before a message's fields, IP and UDP apart, is in the bytes: version, kind, and but for messages
between neighbours the sender's id and its time stamp.

Only the standard library is used.
"""

import struct

import golden_file

VERSION = 1
SENDER = 0x0102030405060708
OTHER = 0xA1A2A3A4A5A6A7A8
STAMP = 0xFFFFFFFE
INFINITY = float("inf")
NOT_A_NUMBER = bytes.fromhex("7fc00000")


def own(kind, fields):
    """Behind what each of our messages begins with."""
    return struct.pack(">BBQI", VERSION, kind, SENDER, STAMP) + fields


def flags(*bits):
    """Named from the highest bit down."""
    return sum(128 >> n for n, bit in enumerate(bits) if bit)


def tfmcc_data(echo, more=b"", kind=32):
    """With an echo (is it of the CLR, the receiver, the stamp) or without one."""
    is_clr, receiver, stamp = echo or (False, 0, 0)
    head = struct.pack(">BBI", flags(echo is not None, is_clr), 0xFE, 0x01020304)
    rates = struct.pack(">ffI", 1.5e6 if echo else INFINITY, 2.5e6, 500_000)
    return own(kind, head + rates + struct.pack(">QI", receiver, stamp) + more)


def tfmcc_report(have_rtt, have_loss, leave, dropped=False, more=b"", kind=33):
    """A report with these flags."""
    head = struct.pack(">BBI", flags(have_rtt, have_loss, leave, dropped), 7, 0xDEADBEEF)
    return own(kind, head + struct.pack(">fffff", 1.25e6, 0.0625, 0.015625, 1e6, 2.0) + more)


def messages():
    """Yield the name of each message and its bytes; what it says stands in the test in Rust."""
    echo = (True, OTHER, 0x11223344)
    groups = 1 | 1 << 2 | 1 << 127
    yield "datagram", own(1, struct.pack(">Q", 0x0123456789ABCDEF))
    for kind, name in ((2, "membership report"), (3, "membership acknowledgement")):
        said = struct.pack(">QI", OTHER, 9) + groups.to_bytes(16, "big")
        yield name, struct.pack(">BB", VERSION, kind) + said
    # A guest's fields are in its own order of bytes, which is the little one.
    yield "guest message", own(128 + 6, b"mine" + struct.pack("<IH", 7, 8))
    yield "guest data", own(128 + 64 + 1, b"mine" + b"\x05")
    yield "guest data without fields", own(128 + 64, b"mine")
    yield "layers data", own(16, struct.pack(">BI", 3, 0xFFFFFFFF))
    yield "layers level", own(17, struct.pack(">BI", 4, 2))
    yield "tfmcc data", tfmcc_data(echo)
    yield "tfmcc data, echo of another", tfmcc_data((False, *echo[1:]))
    yield "tfmcc data without echo", tfmcc_data(None)
    yield "tfmcc report", tfmcc_report(True, False, False)
    yield "tfmcc report of loss", tfmcc_report(False, True, False)
    yield "tfmcc report at leave", tfmcc_report(False, False, True)
    yield "omcc data", tfmcc_data(echo, struct.pack(">ff", 1.5, 10.0), 48)
    yield "omcc report", tfmcc_report(True, True, False, more=struct.pack(">f", 0.25), kind=49)
    yield "omcc report of the CLR", tfmcc_report(True, True, False, more=NOT_A_NUMBER, kind=49)
    yield "omcc registration", own(50, bytes([flags(True)]))
    yield "omcc registration at leave", own(50, bytes([flags(False)]))
    yield "smcc data", tfmcc_data(echo, struct.pack(">fI", 4e6, 77), 64)
    yield "smcc data of the highest layer", tfmcc_data(None, NOT_A_NUMBER + struct.pack(">I", 0), 64)
    yield "smcc counting", own(65, struct.pack(">II", 5, 6))
    yield "smcc report", tfmcc_report(True, True, False, True, bytes([2]), 66)
    yield "smcc ack", own(67, struct.pack(">BIII", 1, 0xDEADBEEF, 99, 0xFFFFFFFD))
    yield "pgmcc data", own(80, struct.pack(">IQ", 12, OTHER))
    yield "pgmcc data of an election", own(80, struct.pack(">IQ", 13, 0))
    yield "pgmcc ack", own(81, struct.pack(">BIfII", flags(False), 0xDEADBEEF, 0.125, 20, 0xFFFFFFFB))
    yield "pgmcc ack at leave", own(81, struct.pack(">BIfII", flags(True), 0xDEADBEEF, 0.125, 20, 0xFFFFFFFB))
    yield "pgmcc nak", own(82, struct.pack(">BIfII", flags(True), 0xDEADBEEF, 0.125, 20, 18))
    yield "pgmcc nak, a dummy", own(82, struct.pack(">BIfII", flags(False), 0xDEADBEEF, 0.125, 20, 0))
    yield "pgmcc ncf", own(83, struct.pack(">I", 18))
    yield from rtp()


def rtp():
    """MLDA: version 2, no padding, no extension, no sources that contribute; receivers by the lower half of an id."""
    receiver, source = SENDER & 0xFFFFFFFF, 0xDEADBEEF
    yield "mlda data", struct.pack(">BBHII", 2 << 6, 96, 0xFFFF, STAMP, source)
    yield "mlda data, first of a pair", struct.pack(">BBHII", 2 << 6, 128 | 96, 0, STAMP, source)
    head = struct.pack(">BBHIQIII", 2 << 6, 200, 6 + 3 * 3, source, 0x0123456789ABCDEF, STAMP, 7, 3584)
    base = struct.pack(">HHHHf", 1 << 15, 3 * 12, 9, 65530, 1e5)
    above = struct.pack(">IHHf", 1 << 31 | (2 - 1) << 24 | 25_000, 0, 3, 2e5)
    yield "mlda sender report", head + base + above + struct.pack(">III", OTHER & 0xFFFFFFFF, 5, 6)
    block = struct.pack(">IIIIII", source, 255 << 24 | (-3 & 0xFFFFFF), 0x00020001, 77, 0x456789AB, 0x00018000)
    more = struct.pack(">HHffII", 1 << 15 | 0x7FF7, 20, 123_456.0, 0.0125, 1 << 31 | 540_000, STAMP)
    yield "mlda receiver report", struct.pack(">BBHI", 2 << 6 | 1, 201, 12, receiver) + block + more
    yield "mlda bye", struct.pack(">BBHIBBHI", 2 << 6, 201, 1, receiver, 2 << 6 | 1, 203, 1, receiver)


def main():
    """Writes the file or compares it."""
    golden_file.write("wire.json", golden_file.text({name: bytes_.hex() for name, bytes_ in messages()}))


if __name__ == "__main__":
    main()
