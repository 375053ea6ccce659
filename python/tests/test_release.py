"""What a release says of itself: that the tree agrees with itself, and that each disagreement would be found."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import release  # noqa: E402
import wheel  # noqa: E402

import faircast  # noqa: E402
from faircast import _native  # noqa: E402
from faircast.version import commit  # noqa: E402

FILES = (
    "CHANGELOG.md",
    "CITATION.cff",
    "Cargo.lock",
    "Cargo.toml",
    "docs/versions.md",
    "examples/tfmcc-percentile/Cargo.lock",
    "examples/worst-loss/Cargo.lock",
    "pyproject.toml",
    "requirements.lock",
    "rust-toolchain.toml",
    *(f"crates/{name}/Cargo.toml" for name in ("orbit", "proto", "py", "scenario", "sim")),
    "crates/scenario/src/elements.rs",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What the tool reads of the tree, to be spoilt."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_tree_agrees_with_itself() -> None:
    assert list(release.problems(ROOT)) == []
    assert (
        faircast.__version__
        == _native.__version__
        == release.toml(ROOT, "Cargo.toml")["workspace"]["package"]["version"]
    )


@pytest.mark.parametrize(
    ("name", "before", "after", "told"),
    [
        ("CITATION.cff", r"^version: .*$", "version: 0.0.1", "CITATION.cff: the version is not "),
        ("CITATION.cff", "developers", "authors", "CITATION.cff: authors are"),
        (
            "crates/scenario/src/elements.rs",
            r"\.\./data",
            "../../data",
            "crates/scenario/src/elements.rs: ../../data/",
        ),
        ("pyproject.toml", r"\{ name = \"the ", '{ name = "some ', "pyproject.toml: authors are"),
        ("CHANGELOG.md", r"## \[Unreleased\]\n", "", "CHANGELOG.md: there is no [Unreleased]"),
        ("CHANGELOG.md", r"## \[0\.1\.0\]", "## [9.9.9]", "CHANGELOG.md: versions are not in order"),
        ("CHANGELOG.md", r"## \[(?=\d)", "## [9", "CHANGELOG.md: the newest section is"),
        ("docs/versions.md", r"^## 0\.1\.0$", "## Earlier", "docs/versions.md: nothing is said of 0.1.0"),
        (
            "Cargo.toml",
            r'orbit", version = "',
            'orbit", version = "9',
            "Cargo.toml: faircast-orbit is wanted in version 9",
        ),
        ("Cargo.lock", r'(?<=name = "faircast-sim"\nversion = ")', "9", "Cargo.lock: faircast-sim 9"),
        ("Cargo.toml", r'^rust-version = "1', 'rust-version = "2', "Cargo.toml: rust-version 2"),
        ("crates/py/Cargo.toml", "abi3-py311", "abi3-py312", "crates/py: the features of pyo3 do not have abi3-py311"),
        ("crates/sim/Cargo.toml", r"^description = .*\n", "", "crates/sim: no description"),
        ("crates/sim/Cargo.toml", r"^license.workspace = true$", 'license = "MIT"', "crates/sim: license is not that"),
        ("pyproject.toml", "Apache-2.0 OR MIT", "MIT", "pyproject.toml has the licence MIT"),
        ("pyproject.toml", "py311", "py312", "pyproject.toml: ruff looks for py312"),
        ("pyproject.toml", r"pyarrow>=17", "pyarrow>=99", "requirements.lock: pyarrow"),
        ("requirements.lock", r"^scipy==.*\\\n", "", "requirements.lock: scipy"),
        ("requirements.lock", "--hash=sha256:", "--hash=md5:", "requirements.lock: packages without hashes"),
    ],
)
def test_a_disagreement_is_found(tree: Path, name: str, before: str, after: str, told: str) -> None:
    path = tree / name
    text = path.read_text(encoding="utf-8")
    spoilt = re.sub(before, after, text, flags=re.MULTILINE)
    assert spoilt != text
    path.write_text(spoilt, encoding="utf-8")
    found = list(release.problems(tree))
    assert any(line.startswith(told) for line in found), found


def test_the_core_names_a_commit_of_this_tree() -> None:
    """Without git it names none; with it one that is there."""
    named = commit()
    if named is None:
        return
    plain = named.removesuffix("-dirty")
    assert re.fullmatch("[0-9a-f]{40}", plain)
    if (ROOT / ".git").exists():
        done = subprocess.run(["git", "-C", ROOT, "cat-file", "-t", plain], capture_output=True, text=True, check=False)
        assert done.stdout.strip() == "commit"


def test_the_core_has_the_lock_file_of_its_crates() -> None:
    assert _native.__lock__ == (ROOT / "Cargo.lock").read_text(encoding="utf-8")


def test_wheels_that_are_too_large_or_for_one_python_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def made(name: str, web: Sequence[str] = wheel.WEB) -> Path:
        for old in tmp_path.glob("*.whl"):
            old.unlink()
        with zipfile.ZipFile(tmp_path / name, "w") as file:
            file.writestr("faircast/_native.abi3.so", b"x" * 50_000)
            file.writestr("faircast/_native.pyi", "")
            for one in web:
                file.writestr(f"faircast/web/{one}", "")
        return wheel.the_wheel(tmp_path)

    good = made("faircast-1-cp311-abi3-manylinux_2_34_x86_64.whl")
    wheel.sizes(good)
    assert "of which 0.05 MB are the core" in capsys.readouterr().out
    monkeypatch.setattr(wheel, "CORE_MB", 0.04)
    with pytest.raises(SystemExit, match=r"legal are 0\.04 MB of the core"):
        wheel.sizes(good)
    with pytest.raises(SystemExit, match="-cp311-abi3-"):
        wheel.sizes(made("faircast-1-cp311-cp311-manylinux_2_34_x86_64.whl"))
    with pytest.raises(SystemExit, match="make web builds it"):
        wheel.sizes(made("faircast-1-cp311-abi3-manylinux_2_34_x86_64.whl", wheel.WEB[1:]))
    with pytest.raises(SystemExit, match="has 0 wheels"):
        wheel.the_wheel(tmp_path / "nothing")
