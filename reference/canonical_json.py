"""Canonical JSON as Python's own `json` writes it, which scenarios' hashes are made of.

`python3 reference/canonical_json.py` writes `tests/golden/canonical_json.json`: floating-point numbers by their bits,
and texts, whole numbers and tables, each with its text. `crates/scenario/src/canonical.rs` must reproduce it. `--check`
only compares.

Only the standard library is used.
"""

import json
import math
import random
import struct

import golden_file

# What is written in another way from them on, the least, the greatest, and what is no whole number in binary.
EDGES = [0.0, 1e-5, 1e-4, 1e15, 1e16, 1e17, 2.0**53, 5e-324, 2.0**-1022, 1.7976931348623157e308, 1 / 3, 1e22, 1e23]
# Beside letters: what is escaped, what other writers escape, and signs before and behind surrogates, which UTF-16 puts
# into another order.
SIGNS = (
    '\x00\x01\x08\t\n\x0b\x0c\r\x1f\x20"\\/\x7f\x80\xa0aBz\u00fc'
    "\u2028\u2029\ud7ff\ue000\ufeff\uffff\U00010000\U0010ffff"
)
WHOLE = [0, -1, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63)]


def canonical(value):
    """The text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def bits(number):
    """A number as 16 hexadecimal digits, which no reader rounds."""
    return struct.pack(">d", number).hex()


def numbers(draw):
    """Floating-point numbers of all sizes: neighbours of edges and powers, random bits, few digits."""
    near = [*EDGES, *(10.0**power for power in range(-8, 24)), *(2.0**power for power in range(-1073, 1024, 8))]
    for number in near:
        yield from (math.nextafter(number, -math.inf), number, -number, math.nextafter(number, math.inf))
    # Half-way between two texts of as many digits.
    yield from (2.0**-25, 2.0**50 + 0.25, 209142371547956.125, 8 + 2.0**-16, -(9 + 3 * 2.0**-16))
    for _ in range(200):
        yield draw.randint(1, 99) + (2 * draw.randrange(2**15) + 1) / 2**16
        yield struct.unpack(">d", draw.randbytes(8))[0]
        yield draw.randint(-(10**6), 10**6) / 10 ** draw.randint(0, 9)


def value(draw, depth=0):
    """Texts, whole numbers and tables of them, of which the keys are in no order."""
    kind = draw.randrange(6 if depth < 3 else 3)
    if kind == 0:
        return draw.choice([*WHOLE, True, False, None])
    if kind <= 2:
        return text(draw)
    if kind == 3:
        return [value(draw, depth + 1) for _ in range(draw.randrange(4))]
    return {text(draw): value(draw, depth + 1) for _ in range(draw.randrange(6))}


def text(draw):
    """A text of a few signs."""
    return "".join(draw.choice(SIGNS) for _ in range(draw.randrange(5)))


def main():
    """Write the file."""
    draw = random.Random(1)
    finite = (number for number in numbers(draw) if math.isfinite(number))
    values = (value(draw) for _ in range(200))
    table = {
        "numbers": [[bits(number), canonical(number)] for number in finite],
        "values": [[value, canonical(value)] for value in values],
    }
    golden_file.write("canonical_json.json", golden_file.text(table))


if __name__ == "__main__":
    main()
