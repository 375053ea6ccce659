"""Figures: equal data give equal files; series can be told apart without colour."""

from __future__ import annotations

from pathlib import Path

from faircast import figures
from faircast.statistics import Estimate


def draw(folder: Path) -> list[Path]:
    folder.mkdir()
    with figures.style():
        figure, axes = figures.panels()
        for series, name in enumerate(("ECN", "MECN")):
            estimates = [Estimate(x * (series + 1.0), 0.5, 10, 0.0, 1.0) for x in (1, 2, 3)]
            figures.curve(axes, (1, 2, 3), estimates, label=name, series=series)
        axes.set_xlabel("min_th (packets)")
        axes.legend()
        return figures.save(figure, folder, "one")


def test_equal_figures_are_equal_byte_for_byte(tmp_path: Path) -> None:
    first, second = draw(tmp_path / "a"), draw(tmp_path / "b")
    assert [path.name for path in first] == ["one.pdf", "one.png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]
    assert b"CreationDate" not in first[0].read_bytes()


def test_series_differ_in_more_than_colour() -> None:
    looks = list(zip(figures.MARKERS, map(str, figures.LINES), strict=True))
    assert len(set(looks)) == len(figures.COLOURS) == len(set(figures.COLOURS))
    assert len(set(figures.MARKERS)) == len(set(map(str, figures.LINES))) == len(looks)


def test_style_leaves_no_trace() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    with figures.style():
        assert mpl.rcParams["font.size"] == 8
    assert dict(mpl.rcParams) == before
