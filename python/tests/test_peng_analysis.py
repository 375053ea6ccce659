"""The two-flow model of Peng and Sikdar, against epochs worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import Cli

from faircast.experiments.peng import analysis


def test_the_first_epochs_by_hand() -> None:
    paths = analysis.follow(np.array([0.05, 0.9]), np.array([0.9, 0.05]), 5)
    # From (0.05, 0.9): two increases of both, then 0.1167 + 0.92 is full: TCP halves, multicast, which has less, stays.
    third = 1 / 30
    assert paths.multicast[:, 0] == pytest.approx([0.05, 0.05 + third, *[0.05 + 2 * third] * 2, 0.05 + 3 * third])
    assert paths.tcp[:, 0] == pytest.approx([0.9, 0.91, 0.92, 0.46, 0.47])
    assert paths.decreases[:, 0].tolist() == [False, False, True, False, False]
    # From (0.9, 0.05): multicast waits while TCP adds 0.01 a time; at 0.9 + 0.1 it gives a layer back.
    paths = analysis.follow(np.array([0.9]), np.array([0.05]), 8)
    assert np.flatnonzero(paths.decreases).tolist() in ([5], [6])  # 0.05 + 5 * 0.01 need not be 0.1 in binary
    at = int(np.flatnonzero(paths.decreases)[0])
    assert paths.multicast[at + 1, 0] == pytest.approx(0.9 - third)
    assert paths.tcp[at + 1, 0] == pytest.approx(paths.tcp[at, 0] / 2)


def test_jains_index_of_two_flows() -> None:
    assert analysis.jain(np.array([0.5, 0.9, 0.75]), np.array([0.5, 0.0, 0.25])).tolist() == [1.0, 0.5, 0.8]


def test_the_experiment_needs_no_runs_and_draws(cli: Cli) -> None:
    done = cli("reproduce", "peng-analysis", "--strict", "--out", "here")
    assert done.code == 0
    assert "0 runs computed" in done.out
