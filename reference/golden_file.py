"""The files of the twins, in `tests/golden/`: how they are written, and compared."""

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "tests" / "golden"


def entry(name, value):
    """A line of a table; of a list one line for each of its elements, so that a change can be read."""
    if not isinstance(value, list):
        return f"{json.dumps(name)}: {json.dumps(value)}"
    rows = ",\n".join(f"  {json.dumps(row)}" for row in value)
    return f"{json.dumps(name)}: [\n{rows}\n]"


def text(table):
    """A table by its entries."""
    return "{\n" + ",\n".join(entry(name, value) for name, value in table.items()) + "\n}\n"


def write(name, new):
    """Write the file of this name; with `--check` only compare."""
    file = FOLDER / name
    if "--check" in sys.argv[1:]:
        sys.exit(0 if file.read_text() == new else f"{file} is not what {sys.argv[0]} writes")
    file.write_text(new)
