"""What is wrong with measurements and models is said in one sentence, with file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Cli

import faircast
from faircast.fitting.measured import read_measured

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / "examples" / "measured").glob("beam-*.csv"))
LENS = "timestamp,rtt,uplink,downlink\n"
FORMS = {
    "lens in ms": (
        LENS + "1000,40.5,20,20.5\n2000,-1,0,0\n3000,0,0,-1\n4000,0,-1,0\n",
        "rtt in ms, half of it one way",
    ),
    "lens in ns": (LENS + "1000,40500000,20000000,20500000\n2000,-1,0,0\n", "rtt in ns, half of it one way"),
}


@pytest.mark.parametrize("form", FORMS)
def test_units_of_lens_are_told_by_the_numbers(tmp_path: Path, form: str) -> None:
    text, remark = FORMS[form]
    (tmp_path / "a.csv").write_text(text)
    found = read_measured(tmp_path / "a.csv")
    assert found.remarks == (remark,)
    assert found.values[0] == pytest.approx(0.02025)
    assert found.is_out.tolist()[1:] == [True] * (len(found.times) - 1)


def test_a_loss_on_the_way_back_says_nothing_of_the_way_up(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(FORMS["lens in ms"][0])
    up = read_measured(tmp_path / "a.csv", column="uplink")
    assert up.is_out.tolist() == [False, True, False, True]
    assert up.values[0] == pytest.approx(0.02)
    assert [str(x) for x in up.values[1:]] == ["nan"] * 3
    down = read_measured(tmp_path / "a.csv", column="downlink")
    assert down.is_out.tolist() == [False, True, True, False]


def test_the_step_of_uneven_stamps_is_a_round_one(tmp_path: Path) -> None:
    """Probes each 10 ms, some 50 us late: steps of 10 ms, of which those without a probe are unknown."""
    stamps = [k * 10_000_000 + (k % 3) * 50_000 - (k % 2) * 100 for k in range(1, 400) if k % 40]
    (tmp_path / "a.csv").write_text(LENS + "".join(f"{at},{40 + at % 7},20,20\n" for at in stamps))
    model = faircast.fit(tmp_path / "a.csv")
    assert model.step == 10_000_000
    assert model.receivers[0].steps - model.receivers[0].known == pytest.approx(9, abs=2)


def test_opportunities_are_rates(tmp_path: Path) -> None:
    """Two in the first 100 ms, none in the next, one at 200: a rate of 2 · 1504 · 8 / 0.1 s, an outage, half of it."""
    (tmp_path / "up").write_text("".join(f"{300 * k + at}\n" for k in range(60) for at in (0, 50, 200)) + "18000\n")
    model = faircast.fit(tmp_path / "up")
    assert (model.quantity, model.step) == ("rate", 100_000_000)
    assert model.receivers[0].levels.out == pytest.approx(1 / 3)
    assert model.receivers[0].steps == 180
    assert set(model.receivers[0].levels.means) == {120_320.0, 240_640.0}


def test_a_hole_in_a_trace_is_told(tmp_path: Path) -> None:
    lines = ["time [s],rate [Mbit/s]", "# so", *(f"{2 * t},{t % 3 + 1}" for t in range(200))]
    for gone, told in [(0, ()), (9, ()), (10, ("a level lasts 22 s before line 54, others 2 s: cut the file there",))]:
        (tmp_path / "a.csv").write_text("\n".join(lines[:53] + lines[53 + gone :]))
        remarks = read_measured(tmp_path / "a.csv").remarks
        assert len(remarks) == len(told), remarks
        assert all(map(str.startswith, remarks, told)), remarks


def test_a_value_is_what_its_unit_says(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\ufeff# so\ntime,value [Mbit/s]\n0 s,1\n500 ms,2\n1 min,\n")
    found = read_measured(tmp_path / "a.csv")
    assert (found.quantity, found.values.tolist(), found.times.tolist()) == (
        "rate",
        [1e6, 2e6, 2e6],
        [0, 5 * 10**8, 6 * 10**10],
    )
    (tmp_path / "a.csv").write_text("time [ms],value [us]\n0,1\n5,2\n")
    found = read_measured(tmp_path / "a.csv")
    assert (found.quantity, found.values.tolist()) == ("delay", pytest.approx([1e-6, 2e-6]))
    (tmp_path / "a.csv").write_text("time [s],rate,delay [ms],up\n0,1 Mbit/s,7,1\n1,,,0\n2,5 bit/s,8,1\n")
    assert read_measured(tmp_path / "a.csv", column="rate").is_out.tolist() == [False, True, True]
    assert read_measured(tmp_path / "a.csv", column="delay").is_out.tolist() == [False, True, False]


BAD = [
    ("", None, "a.csv is empty; legal are a CSV"),
    ("time [s],rate\n0,1\n", None, "a.csv, line 2: column rate: 1 is not legal; legal is a rate, as 2 Mbit/s"),
    ("time [s],rate [Mbit/s]\n0,1\n0,2\n", None, "a.csv, line 3: time runs back, from 0 to 0 s"),
    ("time [s],rate [Mbit/s]\n0,1\n1,2,3\n", None, "a.csv, line 3: 3 cells for 2 columns"),
    ("time [s],rate [Mbit/s]\n0,1\n,2\n", None, "a.csv, line 3: the time is missing"),
    ("time [s],rate [Mbit/s]\n0,1\n", None, "a.csv, line 2: the file ends here"),
    ("time [s],rate [Mbit/s]\n0,-1\n1,1\n", None, "a.csv, line 2: column rate: -1 Mbit/s is not legal"),
    ("time [s],rate [Tbit/s]\n0,1\n1,1\n", None, "a.csv, line 2: column rate: 1 Tbit/s is not legal"),
    ("time [s],rate [Gbit/s]\n0,1\n1,10001\n", None, "a.csv, line 3: column rate: 10001 is not legal; legal is up to"),
    ("time [s],loss\n0,0.5\n1,1.5\n", None, "a.csv, line 3: column loss: 1.5 is not legal; legal is up to 1"),
    ("time [s],delay [s],up\n0,0.5,1\n1,,yes\n", None, "a.csv, line 3: column up: yes is not legal"),
    ("time [s],delay [min]\n0,61\n1,1\n", None, "a.csv, line 2: column delay: 61 is not legal; legal is up to 1 h"),
    ("rate [Mbit/s]\n1\n", None, "a.csv, line 1: there is no column time"),
    ("time [s],rate,rate\n0,1\n", None, "a.csv, line 1: the column rate is named twice"),
    ("time [s],dela [s]\n0,1\n", None, "a.csv, line 1: there is no column dela (did you mean delay?)"),
    ("time [s],value\n0,1\n", None, "a.csv, line 1: there is no column value; a value needs a unit, as value [Mbit/s]"),
    ("time [s],up\n0,1\n1,0\n", None, "a.csv, line 1: there is no rate, delay or loss"),
    ("time [s],rate,loss\n0,1 Mbit/s,0\n", None, "a.csv, line 1: there are rate, loss; say which with column"),
    ("time [s],rate\n0,1 Mbit/s\n", "delay", "a.csv, line 1: there is no column delay; there are rate"),
    ("# a remark\n\n0\n7\n3\n", None, "a.csv, line 5: time runs back, from 7 to 3 ms"),
    ("0\n7 \n7.5\n", None, "a.csv, line 3: 7.5 is not legal; legal is a whole number of milliseconds"),
    ("0\n0\n", None, "a.csv, line 2: all opportunities are at 0 ms"),
    ("0\n9\n", "delay", "a.csv, line 1: Mahimahi's opportunities are rates"),
    (f"0\n{1 << 41}\n", None, "a.csv, line 2: 2199023255552 ms are more than 34 years"),
    (LENS, None, "a.csv, line 1: there is no line after the first one"),
    (LENS + "1,40,20,20\n", None, "a.csv has 1 steps of 1e-09 s together with the others; legal are at least 100"),
    (LENS + "-1,40,20,20\n", None, "a.csv, line 2: the timestamp -1 is not legal"),
    (LENS + "1,2,3\n", None, "a.csv, line 2: 3 cells for 4 columns"),
    (LENS + "1,2,3,4\n1,2,3,4\n", None, "a.csv, line 3: time runs back, from 1 to 1 ns"),
    (LENS + "1,nan,3,4\n", None, "a.csv, line 2: 1,nan,3,4 is not legal; legal are four numbers"),
    (LENS + "1.5,2,3,4\n", None, "a.csv, line 2: 1.5,2,3,4 is not legal"),
    (LENS + "1,-2,3,4\n", None, "a.csv, line 2: the rtt -2 is negative; legal is a time, or -1 for a loss"),
    (LENS + "1,7300000,3,4\n2,5,3,4\n3,5,3,4\n", None, "a.csv, line 2: the rtt is more than an hour"),
    (LENS + "1,2,-3,5\n", "uplink", "a.csv, line 2: the uplink delay is negative: the clocks were apart; take the"),
    (LENS + "1,2,3,5\n", "uplnk", "a.csv, line 1: there is no column uplnk (did you mean uplink?); legal are rtt"),
    ("time [s],rate [Mbit/s]\n0,1\n1,2\n", None, "a.csv has 2 steps of 1 s together with the others; legal are at"),
]


@pytest.mark.parametrize(("text", "column", "said"), BAD)
def test_bad_measurements(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, column: str | None, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text(text)
    done = cli("fit", "a.csv", *([] if column is None else ["--column", column]))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"faircast: {said}")
    assert done.err.count("\n") == 1


def test_bad_files(tmp_path: Path) -> None:
    with pytest.raises(faircast.InputError, match="nothing is not there"):
        faircast.fit(tmp_path / "nothing")
    with pytest.raises(faircast.InputError, match="is a folder"):
        faircast.fit(tmp_path)
    (tmp_path / "x").write_bytes(b"\xff\xfe")
    with pytest.raises(faircast.InputError, match="not a text in UTF-8"):
        faircast.fit(tmp_path / "x")
    with pytest.raises(faircast.InputError, match="there is no file"):
        faircast.fit()
    with pytest.raises(faircast.InputError, match="101 files are given"):
        faircast.fit(*["x"] * 101)
    (tmp_path / "up").write_text("".join(f"{k}\n" for k in range(20_000)))
    late = tmp_path / "late.csv"
    late.write_text("time [s],rate [Mbit/s]\n" + "".join(f"{k},{k % 7 + 1}\n" for k in range(1000, 1200)))
    early = tmp_path / "early.csv"
    early.write_text("time [s],rate [Mbit/s]\n" + "".join(f"{k},{k % 5 + 1}\n" for k in range(200)))
    with pytest.raises(faircast.InputError, match=r"early.csv ends before .*late.csv begins.* --separate"):
        faircast.fit(early, late)
    assert faircast.fit(early, late, separate=True).correlation is None
    lens = tmp_path / "lens.csv"
    lens.write_text(LENS + "".join(f"{k}000000000,40,20,20\n" for k in range(200)))
    with pytest.raises(faircast.InputError, match="legal is one quantity"):
        faircast.fit(early, lens)
    with pytest.raises(faircast.InputError, match="has 20 steps of 10 s"):
        faircast.fit(early, step="10 s")
    with pytest.raises(faircast.InputError, match="the step is 0 s; legal is at least 1 ns"):
        faircast.fit(early, step="0 s")
    with pytest.raises(faircast.InputError, match="the period is 0 s; legal is above 0 s"):
        faircast.fit(early, period="0 s")
    with pytest.raises(faircast.InputError, match="the period is 15; write it with its unit"):
        faircast.fit(early, period="15")
    with pytest.raises(faircast.InputError, match="give a greater --step"):
        faircast.fit(early, step="1 us")
    down = tmp_path / "down.csv"
    down.write_text("time [s],rate [Mbit/s],up\n" + "".join(f"{k},1,{int(k < 50)}\n" for k in range(400)))
    with pytest.raises(faircast.InputError, match="fewer than 100 steps in which a level is known"):
        faircast.fit(down)


def test_levels_that_never_change_are_a_model(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("time [s],rate [Mbit/s]\n" + "".join(f"{k},8\n" for k in range(400)))
    drawn = faircast.fit(path).draw(2, duration="10 s", correlation=0)
    assert (drawn.values == 8e6).all()
    assert drawn.trace(1) == "time [s],rate [kbit/s]\n0,8000.000\n"


def test_bad_drawings(tmp_path: Path) -> None:
    model = faircast.fit(*SAMPLES)
    for arguments, said in (
        ({"receivers": 0}, "0 receivers are asked for"),
        ({"receivers": 10_001}, "10001 receivers are asked for"),
        ({"seed": -1}, "the seed is -1"),
        ({"correlation": 1.0}, "the correlation is 1.0; legal is 0 to below 1"),
        ({"correlation": -0.1}, "the correlation is -0.1"),
        ({"duration": "0 s"}, "0 levels"),
        ({"duration": "5"}, "the duration is 5; write it with its unit"),
        ({"duration": "10000 h", "receivers": 100}, "legal are 1 to 100000000"),
    ):
        with pytest.raises(faircast.InputError, match=said.replace("(", r"\(")):
            model.draw(**({"receivers": 2, "duration": "10 s"} | arguments))  # type: ignore[arg-type]
    drawn = model.draw(2, duration="3 s")
    for links in ("a", "*-*", 'x"*'):
        with pytest.raises(faircast.InputError, match="legal is a name with one"):
            drawn.write(tmp_path / "a", links=links)
    drawn.write(tmp_path / "a", links="down-*")
    assert '[links."down-1"]\nchanges = "a/receiver-1.csv"\n' in (tmp_path / "a" / "links.toml").read_text()
    with pytest.raises(faircast.InputError, match="is there already"):
        drawn.write(tmp_path / "a")


def test_bad_models(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    faircast.fit(*SAMPLES).save("good.json")
    good = Path("good.json").read_text()
    content = json.loads(good)

    def changed(path: str, value: object) -> str:
        fresh = json.loads(good)
        at = fresh
        *way, last = path.split("/")
        for key in way:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[int(last) if isinstance(at, list) else last] = value
        return json.dumps(fresh)

    edges = content["receivers"][0]["levels"]["edges"]
    for text, said in (
        ("{", "m.json, line 1: not JSON"),
        ("[]", "m.json is not a model that faircast fit wrote"),
        ("[" * 100_000, "m.json is not a model that faircast fit wrote"),
        (changed("faircast_fit", 2), "m.json has the format 2; legal is 1"),
        (changed("receivers", []), "m.json is not a whole model: there is no receiver"),
        (changed("step", 0), "m.json is not a whole model: the step is not above 0"),
        (changed("quantity", "colour"), "there is no quantity colour"),
        (changed("receivers/0/levels/edges", edges[::-1]), "do not rise"),
        (changed("receivers/0/levels/edges", edges[1:]), "are not whole"),
        (changed("receivers/0/levels/out", 2), "is not a share"),
        (changed("receivers/0/memory/coefficients", [1.01]), "grows without end"),
        (changed("receivers/0/memory/coefficients", [0.5, 0.6]), "grows without end"),
        (changed("receivers/0/memory/slot_share", 1), "are no shares"),
        (changed("receivers/0/memory", None), "is not a whole model"),
        (changed("correlation", [[1]]), "the correlations are not whole"),
        (changed("correlation/0/1", 0.7), "the correlations are none"),
        (changed("slots/period", 5), "slots are shorter than a step"),
    ):
        Path("m.json").write_text(text)
        done = cli("draw", "m.json", "--receivers", "1", "--duration", "5 s", "--out", "x")
        assert (done.code, done.err.count("\n"), said in done.err) == (2, 1, True), done.err
    assert cli("draw", "n.json", "--receivers", "1", "--duration", "5 s", "--out", "x").code == 2
    Path("data.csv").write_text("precious")
    done = cli("fit", *SAMPLES, "--out", "data.csv")
    assert (done.code, Path("data.csv").read_text()) == (2, "precious")
    assert cli("fit", *SAMPLES, "--out", "good.json").code == 0
    assert Path("good.json").read_text() == good
    other = tmp_path / "b.csv"
    other.write_text(SAMPLES[0].read_text())
    model = faircast.fit(other)
    other.write_text(SAMPLES[1].read_text())
    with pytest.raises(faircast.InputError, match=r"b.csv is not the file that the model was fitted to"):
        model.check()
