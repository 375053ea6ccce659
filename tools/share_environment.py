"""Let another virtual environment see all packages of the one that runs this, and maturin as its own command.

What is installed there stays there.
"""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path


def main() -> None:
    """Share with the environment that is named."""
    other, own = Path(sys.argv[1]).resolve(), sysconfig.get_path("purelib")
    packages = other / Path(own).relative_to(sys.prefix)
    # What an own file of paths names is only followed from there by `addsitedir`.
    (packages / "shared.pth").write_text(f"import site; site.addsitedir({own!r})\n", encoding="utf-8")
    (other / "bin" / "maturin").symlink_to(Path(sys.prefix) / "bin" / "maturin")


if __name__ == "__main__":
    main()
