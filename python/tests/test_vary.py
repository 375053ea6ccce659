"""What a sweep varies: values from texts and files, their product, which paths go together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from faircast.errors import InputError
from faircast.vary import POINTS_MAX, as_text, describe, parse_axis, points, read_rows, short_names


@pytest.mark.parametrize(
    ("text", "path", "values"),
    [
        ("a.b=1,2.5,true", "a.b", [1, 2.5, True]),
        ("a=50 packets, 100 packets", "a", ["50 packets", "100 packets"]),
        ("a='50 ms',\"0.5 BDP\"", "a", ["50 ms", "0.5 BDP"]),
        ('a="x,y",z', "a", ["x,y", "z"]),
        ("a='x,y',z", "a", ["x,y", "z"]),
        ('a="x\\",y",z', "a", ['x",y', "z"]),
        ("a='x\\',y", "a", ["x\\", "y"]),
        ("a=[1,2],[3]", "a", [[1, 2], [3]]),
        ('a={kind="red",limit="5 packets"},{kind="drop-tail",limit="]"}', "a",
         [{"kind": "red", "limit": "5 packets"}, {"kind": "drop-tail", "limit": "]"}]),
        ("a=['it',\"'\"],don't,won't", "a", [["it", "'"], "don't", "won't"]),
        ("a==,b", "a", ["=", "b"]),
        ("scenario=a.toml,b.toml", "scenario", ["a.toml", "b.toml"]),
        ("a=f(1,2),3", "a", ["f(1,2)", 3]),
    ],
)  # fmt: skip
def test_values_of_one_option(text: str, path: str, values: list[Any]) -> None:
    found = parse_axis(text)
    assert repr(found) == repr((path, values)), "types, too"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a", r"--vary a: write path=a,b,c"),
        ("=1", r"--vary =1: write path=a,b,c"),
        ("a=", r"--vary a=: no values are listed; write a=a,b,c"),
        ("a= ", r"no values are listed"),
        ("a=1,", r"--vary a=1,: value 2 of 2 is empty; take out the comma"),
        ("a=1,,2", r"value 2 of 3 is empty"),
        ("a=[1,2", r"\[1,2 is not a TOML value, a closing \] is missing"),
        ("a={b=[1}", r"a closing \] is missing"),
        ("a='x,1", r"a closing ' is missing"),
        ("a=1,[x]", r"--vary a=1,\[x\]: \[x\] is not a TOML value"),
        ("a='x'y", r"'x'y is not a TOML value"),
    ],
)
def test_bad_lists_of_values(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_axis(text)


def test_the_product_by_hand() -> None:
    """The last path changes fastest, and rows faster still."""
    found = points({"a": [1, 2], "b": ["x", "y", "z"]}, [{"c": 7, "d": True}, {"d": False, "c": 8}])
    assert found == [
        {"a": a, "b": b, "c": c, "d": d} for a in (1, 2) for b in ("x", "y", "z") for c, d in ((7, True), (8, False))
    ]
    assert [list(point) for point in found[:2]] == [["a", "b", "c", "d"]] * 2
    assert points({"a": [3, 1]}) == [{"a": 3}, {"a": 1}]
    assert points({}, [{"a": 3}, {"a": 1}]) == [{"a": 3}, {"a": 1}]
    assert points({"a": range(2)}) == [{"a": 0}, {"a": 1}]


@pytest.mark.parametrize(
    ("vary", "rows", "message"),
    [
        ({}, None, "nothing is varied; say --vary path=a,b,c, or --list"),
        ({}, [{}], "nothing is varied"),
        ({"a": []}, None, "no values are listed for a"),
        ({"a": "xy"}, None, "the values of a are 'xy'; a list of values is needed"),
        ({"a": 5}, None, "the values of a are 5; a list"),
        ({"a": [1, 1]}, None, "the value 1 of a stands there twice"),
        ({"a": ["x", 1, "x"]}, None, "the value x of a stands there twice"),
        ({"a": [object()]}, None, "a scenario holds texts, numbers"),
        ({"a.b": [1], "a.b.c": [2]}, None, r"a\.b and a\.b\.c are both varied, .* the second is part of the first"),
        ({"a.b.c": [1], "a": [2]}, None, r"a and a\.b\.c are both varied"),
        ({"a": [1]}, [{"a.b": 2}], r"a and a\.b are both varied"),
        ({"a": [1]}, [{"a": 2}], "a is varied twice; give all its values in one list"),
        ({"a[0]": [1], "a.0": [2]}, None, r"a\.0 is varied twice"),
        ({"a..b": [1]}, None, r"a\.\.b is not a path of a scenario, such as"),
        ({"": [1]}, None, " is not a path of a scenario"),
        ({"seed": [1, 2]}, None, "the seed is not varied: --seed names the first one and --reps how many"),
        ([1], None, r"vary is \[1\]; a mapping from paths to lists of values is needed"),
        ({}, {"a": 1}, r"rows is \{'a': 1\}; a list is needed, of a mapping"),
        ({}, [1], r"rows is \[1\]; a list is needed, of a mapping"),
        ({}, [], "rows is an empty list"),
        ({}, [{"a": 1}, {"b": 1}], "row 2 names b, the first row a"),
        ({}, [{"a": 1}, {"a": 1}], "the point a = 1 stands there twice"),
    ],
)
def test_what_makes_no_points(vary: Any, rows: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        points(vary, rows)


def test_a_path_has_one_spelling() -> None:
    """However it was typed: a folder knows its points by it."""
    assert points({'links."bottleneck" .rate': [1]}) == [{"links.bottleneck.rate": 1}]
    assert points({}, [{"stations[0].at": 1, 'links."a.b".x': 2}]) == [{"stations.0.at": 1, 'links."a.b".x': 2}]
    assert points({"links.access-*.delay": [1]}) == [{'links."access-*".delay': 1}]


def test_there_are_not_too_many_points() -> None:
    """The number is known before they are made."""
    assert len(points({"a": range(POINTS_MAX)})) == POINTS_MAX
    many = range(100_000)
    with pytest.raises(InputError, match=r"the sweep has 10000000000 points; legal are 10000, as all are checked"):
        points({"a": many, "b": many})


def test_values_are_told_apart_by_what_is_shown() -> None:
    assert [point["a"] for point in points({"a": [1, True, 1.0]})] == [1, True, 1.0]
    with pytest.raises(InputError, match="the value 1 of a stands there twice"):
        points({"a": ["1", 1]})


def write(folder: Path, text: str) -> Path:
    path = folder / "list.csv"
    path.write_text(text)
    return path


def test_rows_of_a_file(tmp_path: Path) -> None:
    text = '\ufeffa.b, c\n1, 50 packets\n\n2.5,"[1, 2]"\r\n"50 ms", true\n'
    assert read_rows(write(tmp_path, text)) == [
        {"a.b": 1, "c": "50 packets"},
        {"a.b": 2.5, "c": [1, 2]},
        {"a.b": "50 ms", "c": True},
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"list\.csv is empty; its first line names the varied paths"),
        ("\n\n", "is empty"),
        ("a,b\n", "has no rows below the first line"),
        ("a,a\n1,2\n", "two columns are named a"),
        ("a,\n1,2\n", "column 2 has no name"),
        ("a,b\n1,2\n3\n", r"list\.csv, line 3: 1 value for the 2 paths of the first line"),
        ("a,b\n1,2,3\n", "line 2: 3 values for the 2 paths"),
        ("a,b\n1,\n", "line 2: no value for b"),
        ('a\n"x\n', "this is not legal CSV"),
        ("a\n[x]\n", r"line 2, a: \[x\] is not a TOML value"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_rows(write(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the list .*absent: No such file"):
        read_rows(tmp_path / "absent")
    with pytest.raises(InputError, match=r"cannot read the list"):
        read_rows(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match=r"is not a text file in UTF-8; the list of a sweep is CSV"):
        read_rows(tmp_path / "binary")


def test_names_are_as_long_as_they_must_be() -> None:
    paths = ["links.up.queue.limit", "links.down.queue.limit", "sessions.video.scheme", "limit"]
    assert list(short_names(paths).values()) == ["up.queue.limit", "down.queue.limit", "scheme", "limit"]
    assert short_names(["flows.web.count", "flows.web.mss"]) == {"flows.web.count": "count", "flows.web.mss": "mss"}
    assert describe({"links.a.delay": "5 ms", "flows.web.count": 2}) == "delay = 5 ms, count = 2"
    assert [as_text(value) for value in ("x", 1, True, [1, "é"])] == ["x", "1", "true", '[1, "é"]']
