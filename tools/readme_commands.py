"""Carry out the commands of a README as a newcomer would: every block of `sh` in it, in its folder, in one shell.

It stops with the first command that fails.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Carry out those of each README that is named."""
    for readme in map(Path, sys.argv[1:]):
        blocks = re.findall(r"^```sh\n(.*?)^```", readme.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        if not blocks:
            sys.exit(f"{readme} has no commands")
        print(f"the commands of {readme}:")
        done = subprocess.run(["bash", "-euxc", "".join(blocks)], cwd=readme.parent, check=False)
        if done.returncode != 0:
            sys.exit(f"{readme}: a command failed with {done.returncode}")


if __name__ == "__main__":
    main()
