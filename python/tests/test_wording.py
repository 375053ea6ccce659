"""The words of experiments: rules that decide, numbers in sentences, and texts that need no insider."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from faircast.experiment import (
    Criterion,
    Data,
    Experiment,
    Measured,
    judge,
    lacks,
    listed,
    percent,
    plain,
)
from faircast.experiments import REGISTRY, load

if TYPE_CHECKING:
    from collections.abc import Iterator

EMPTY = Data({}, [1], quick=False)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"low": 31.875, "high": 43.125}, "agrees if between 31.9 and 43.1"),
        ({"low": 0.57043, "high": 0.57243}, "agrees if between 0.5704 and 0.5724"),
        ({"low": 2456599.2, "high": 3684898.8}, "agrees if between 2,456,599 and 3,684,899"),
        ({"low": 0.8, "high": 0.8}, "agrees if it is 0.8"),
        ({"low": -0.005}, "agrees if at least -0.005"),
        ({"high": 0.00002}, "agrees if at most 0.00002"),
        ({"high": 0.0}, "agrees if at most 0"),
        ({"rule": "it is greater with MECN"}, "agrees if it is greater with MECN"),
        ({}, ""),
    ],
)
def test_the_rule_that_decides_in_words(given: dict[str, Any], rule: str) -> None:
    criterion = Criterion(name="x", published="y", evaluate=lambda _: Measured(value=1.0, holds=True), **given)
    assert criterion.decides == rule
    assert judge(criterion, EMPTY).rule == rule


def test_what_is_only_reported_has_no_rule() -> None:
    criterion = Criterion(name="x", published="y", evaluate=lambda _: Measured(value=1.0), rule="it is so")
    assert (judge(criterion, EMPTY).verdict, judge(criterion, EMPTY).rule) == ("reported", "")


def test_what_other_readings_give_stands_beside() -> None:
    criterion = Criterion(name="x", published="y", evaluate=lambda _: Measured(value=2.0, beside="with 1 s: 3"), high=1)
    found = judge(criterion, EMPTY)
    assert (found.verdict, found.note, found.beside) == ("disagrees", "2 is above 1", "with 1 s: 3")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (37.1183, 3, "37.1"),
        (0.0000048, 2, "0.0000048"),
        (999.96, 3, "1000"),
        (1234.5, 3, "1,234"),
        (-0.5, 3, "-0.5"),
        (0, 3, "0"),
        (10_000, 3, "10,000"),
        (float("inf"), 3, "inf"),
        (float("nan"), 3, "nan"),
    ],
)
def test_numbers_for_sentences(value: float, digits: int, text: str) -> None:
    assert plain(value, digits) == text


def test_parts_and_rows_for_sentences() -> None:
    assert (percent(0.0458, 1), percent(0.42)) == ("4.6 %", "42 %")
    assert [listed(["a", "b", "c"]), listed(["a", 2]), listed(["a"])] == ["a, b and c", "a and 2", "a"]


@pytest.mark.parametrize(
    ("verdict", "wanted"),
    [
        ("agrees", False),
        ("agrees (in one variant)", False),
        ("agrees (quick)", False),
        ("reported", False),
        ("disagrees", True),
        ("disagrees (soft)", True),
        ("undecided (quick)", True),
        ("agrees in ordering only", True),
    ],
)
def test_a_reason_is_wanted_of_what_does_not_agree(verdict: str, wanted: bool) -> None:
    assert lacks(verdict) is wanted


INSIDERS = re.compile(
    r"\b(dr|dro|ov|dr10|dro10|ecn4|min_th|max_th|rto_min|drops_all|drops_late|queue_sd|eq\.|letter|w_q)\b"
    r"|\b[NQDp] = |ns2|TCPs\b"
)
"""What only those know who wrote the experiments."""


def texts(experiment: Experiment) -> Iterator[str]:
    """All of an experiment that does not depend on data."""
    yield from (experiment.place, experiment.title, experiment.published, experiment.why)
    for criterion in experiment.criteria:
        yield from (criterion.name, str(criterion.published), criterion.decides)


@pytest.mark.parametrize("name", REGISTRY)
def test_texts_need_no_insider(name: str) -> None:
    experiment = load(name)
    assert experiment.place
    for sentence in (experiment.published, experiment.why):
        assert sentence == "" or (sentence[0].isupper() and sentence.endswith(".")), sentence
    assert experiment.published
    names = [criterion.name for criterion in experiment.criteria]
    assert len(set(names)) == len(names)
    for text in texts(experiment):
        assert not INSIDERS.search(text), text
