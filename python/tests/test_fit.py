"""``faircast fit``: what it finds in series whose truth is known, and what it draws."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli
from scipy.signal import lfilter
from terminal import assert_whole_at_all_widths

import faircast
from faircast.fitting.checking import _correlation
from faircast.fitting.copula import Ranks
from faircast.fitting.drawing import stream
from faircast.fitting.grid import on_grid
from faircast.fitting.levels import Levels, levels_of, scores
from faircast.fitting.memory import _autoregression, response

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / "examples" / "measured").glob("beam-*.csv"))
STEPS = 20_000
TRUTH = np.array([[1.0, 0.6, 0.3], [0.6, 1.0, 0.5], [0.3, 0.5, 1.0]])
LAG = 0.7
SPREAD = 0.4
MEANS = (10.0, 20.0, 30.0)


def normals(receivers: int, steps: int, phis: list[float], correlation: np.ndarray, seed: int = 1) -> np.ndarray:
    """Autoregressions of the first order whose shocks have this correlation."""
    shocks = np.linalg.cholesky(correlation) @ np.array(
        [stream(seed, f"truth/{i}", steps + 500) for i in range(receivers)]
    )
    return np.array([lfilter([np.sqrt(1 - p * p)], [1, -p], x)[500:] for p, x in zip(phis, shocks, strict=True)])


def write_rates(folder: Path, rates: np.ndarray, *, step: float = 0.1, first: float = 0.0) -> list[Path]:
    """A generic CSV of rates in Mbit/s for each row; NaN is a link that is down."""
    paths = []
    for i, row in enumerate(rates):
        cells = [f"{first + k * step:.3f}," + (",0" if np.isnan(x) else f"{x:.6f},1") for k, x in enumerate(row)]
        paths.append(folder / f"r{i}.csv")
        paths[-1].write_text("time [s],rate [Mbit/s],up\n" + "\n".join(cells) + "\n")
    return paths


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three receivers whose levels are lognormal, with known correlations in time and with one another."""
    z = normals(3, STEPS, [LAG] * 3, TRUTH)
    rates = np.array([mean * np.exp(SPREAD * row - SPREAD**2 / 2) for mean, row in zip(MEANS, z, strict=True)])
    return write_rates(tmp_path_factory.mktemp("truth"), rates)


@pytest.fixture(scope="module")
def model(truth: list[Path]) -> faircast.Fitted:
    return faircast.fit(*truth)


def lognormal(correlation: float | np.ndarray) -> float | np.ndarray:
    """The correlation of lognormal levels whose logarithms have this one."""
    return np.expm1(SPREAD**2 * correlation) / np.expm1(SPREAD**2)


def test_it_recovers_a_truth_that_is_known(model: faircast.Fitted) -> None:
    """Levels within 2 %, lag 1 and correlations within 0.05: of the parameters, and of what is drawn."""
    for one, mean in zip(model.receivers, MEANS, strict=True):
        assert one.levels.mean == pytest.approx(mean * 1e6, rel=0.02)
        assert one.levels.out == 0
        assert response(one.memory.coefficients)[:2] @ [0, 1] / response(one.memory.coefficients)[0] == pytest.approx(
            LAG, abs=0.05
        )
    assert model.slots is None
    assert np.array(model.correlation) == pytest.approx(TRUTH, abs=0.05)
    drawn = model.draw(3, duration="10000 s", seed=5).values
    assert drawn.mean(axis=1) == pytest.approx(np.array(MEANS) * 1e6, rel=0.02)
    for row, mean in zip(drawn, MEANS, strict=True):
        quantiles = [mean * 1e6 * np.exp(SPREAD * z - SPREAD**2 / 2) for z in (-1.6449, 0, 1.6449)]
        assert np.quantile(row, [0.05, 0.5, 0.95]) == pytest.approx(quantiles, rel=0.03)
        for lag in (1, 2, 5):
            assert np.corrcoef(row[:-lag], row[lag:])[0, 1] == pytest.approx(lognormal(LAG**lag), abs=0.05)
    assert np.corrcoef(drawn) == pytest.approx(lognormal(TRUTH), abs=0.05)


def test_receivers_beyond_the_measured_have_the_mean_correlation(model: faircast.Fitted) -> None:
    drawn = model.draw(7, duration="8000 s").values
    found = np.corrcoef(np.log(drawn))[np.tril_indices(7, -1)]
    assert found.mean() == pytest.approx((0.6 + 0.3 + 0.5) / 3, abs=0.03)
    assert found == pytest.approx([(0.6 + 0.3 + 0.5) / 3] * 21, abs=0.06)
    assert drawn.mean(axis=1) == pytest.approx(1e6 * np.array([10, 20, 30, 10, 20, 30, 10]), rel=0.03)


def test_the_first_levels_are_like_all_others(model: faircast.Fitted) -> None:
    """What the normals begin with is forgotten: at each moment levels spread over receivers as over time."""
    drawn = np.log(model.draw(3000, duration="300 ms", correlation=0.0).values[::3])
    assert drawn.std(axis=0) == pytest.approx([SPREAD] * 3, rel=0.07)
    assert np.corrcoef(drawn[:, 0], drawn[:, 1])[0, 1] == pytest.approx(LAG, abs=0.05)


def test_memories_that_differ_keep_their_correlation(tmp_path: Path) -> None:
    """Shocks have more in common than levels where one receiver remembers longer, and that is made up for."""
    phis, shocks = [0.3, 0.8], 0.8
    z = normals(2, STEPS, phis, np.array([[1, shocks], [shocks, 1]]))
    true = shocks * np.sqrt((1 - 0.09) * (1 - 0.64)) / (1 - 0.24)
    model = faircast.fit(*write_rates(tmp_path, 20 + 2 * z))
    assert model.correlation is not None
    assert model.correlation[0][1] == pytest.approx(true, abs=0.05)
    drawn = model.draw(2, duration="10000 s").values
    assert np.corrcoef(drawn)[0, 1] == pytest.approx(true, abs=0.05)
    for row, phi in zip(drawn, phis, strict=True):
        assert np.corrcoef(row[:-1], row[1:])[0, 1] == pytest.approx(phi, abs=0.05)
    many = np.corrcoef(model.draw(6, duration="10000 s").values)[np.tril_indices(6, -1)]
    assert many.mean() == pytest.approx(true, abs=0.03)


def test_correlations_that_cannot_be_had_together_are_had_in_part(model: faircast.Fitted) -> None:
    from dataclasses import replace

    odd = replace(model, correlation=((1.0, 0.9, -0.9), (0.9, 1.0, 0.9), (-0.9, 0.9, 1.0)))
    found = np.corrcoef(np.log(odd.draw(3, duration="4000 s").values))
    assert found[0, 1] == pytest.approx(-found[0, 2], abs=0.05)
    assert 0.47 < found[0, 1] < 0.52  # half is the greatest part that three can have


def test_outages_and_equal_levels_keep_their_correlations(tmp_path: Path) -> None:
    """A link that is down for 30 % of the time, and has three rates otherwise."""
    z = normals(2, STEPS, [0.8, 0.8], np.array([[1, 0.7], [0.7, 1]]))
    rates = np.select([z < -0.5244, z < 0, z < 1], [np.nan, 5.0, 20.0], 50.0)
    model = faircast.fit(*write_rates(tmp_path, rates))
    drawn = model.draw(2, duration="10000 s")
    up = ~np.isnan(rates)
    for i in range(2):
        assert model.receivers[i].levels.out == pytest.approx(0.3, abs=0.02)
        assert drawn.is_out[i].mean() == pytest.approx((~up[i]).mean(), abs=0.02)
        assert drawn.values[i][~drawn.is_out[i]].mean() == pytest.approx(np.nanmean(rates[i]) * 1e6, rel=0.02)
        was, now = up[i].astype(float), (~drawn.is_out[i]).astype(float)
        assert np.corrcoef(now[:-1], now[1:])[0, 1] == pytest.approx(np.corrcoef(was[:-1], was[1:])[0, 1], abs=0.05)
        levels = drawn.values[i][~drawn.is_out[i]]
        assert np.isclose(levels[:, None], [5e6, 20e6, 50e6]).any(axis=1).mean() > 0.98
    assert np.array(model.correlation)[0, 1] == pytest.approx(0.7, abs=0.05)
    low = drawn.is_out.astype(float)
    assert np.corrcoef(low)[0, 1] == pytest.approx(np.corrcoef((~up).astype(float))[0, 1], abs=0.05)


def slotted(folder: Path, *, share: float, steps: int = 40_000) -> list[Path]:
    """LENS's files of two dishes, a probe each 500 ms: slots of 15 s from 12 s on, `share` of the variance in them."""
    period, first, memory = 30, 24, 0.2
    index = (np.arange(steps) - first) // period + 1
    of_slots = normals(2, index[-1] + 1, [memory] * 2, np.array([[1, 0.7], [0.7, 1]]), seed=2)
    of_steps = normals(2, steps, [0.5] * 2, np.array([[1, 0.7], [0.7, 1]]), seed=3)
    begin, paths = 1_705_744_800 * 10**9, []
    for i in range(2):
        z = np.sqrt(share) * of_slots[i][index] + np.sqrt(1 - share) * of_steps[i]
        cells = [
            f"{begin + k * 500_000_000}," + ("-1,0,0" if x > 1.8 else f"{40 + 6 * x:.6f},20.1,19.9")
            for k, x in enumerate(z)
        ]
        paths.append(folder / f"dish-{i}.csv")
        paths[-1].write_text("timestamp,rtt,uplink,downlink\n" + "\n".join(cells) + "\n")
    return paths


def test_slots_are_found_where_there_are_some(tmp_path: Path) -> None:
    model = faircast.fit(*slotted(tmp_path, share=0.6))
    assert model.slots is not None
    assert (model.slots.period, model.slots.offset) == (15 * 10**9, 12 * 10**9)
    assert (model.quantity, model.step) == ("delay", 500_000_000)
    for one in model.receivers:
        assert one.memory.slot_share == pytest.approx(0.6, abs=0.05)
        assert one.memory.slot_memory == pytest.approx(0.2, abs=0.1)
        assert one.memory.coefficients[0] == pytest.approx(0.5, abs=0.05)
        assert one.levels.out == pytest.approx(0.036, abs=0.012)
        assert one.remarks == ("rtt in ms, half of it one way",)
        assert one.levels.mean == pytest.approx(0.020, rel=0.02)
    assert model.correlation is not None
    assert model.correlation[0][1] == pytest.approx(0.7, abs=0.05)
    drawn = model.draw(2, duration="20000 s", seed=4)
    steps = np.abs(np.diff(np.where(drawn.is_out, np.nan, drawn.values), axis=1))
    phase = (np.arange(1, drawn.values.shape[1])) % 30
    at_bounds, elsewhere = np.nanmean(steps[:, phase == 24]), np.nanmean(steps[:, phase != 24])
    assert at_bounds > 1.4 * elsewhere
    assert max(np.nanmean(steps[:, phase == k]) for k in range(30) if k != 24) < 1.1 * elsewhere
    found = model.check()
    for measured, of_model in zip(found.measured, found.drawn, strict=True):
        assert of_model.mean == pytest.approx(measured.mean, rel=0.02)
        assert of_model.lags == pytest.approx(measured.lags, abs=0.05)
        assert of_model.out == pytest.approx(measured.out, abs=0.01)
    assert found.drawn_pairs[0, 1] == pytest.approx(found.measured_pairs[0, 1], abs=0.05)
    many = model.draw(4, duration="20000 s")
    levels = np.where(many.is_out, 1.0, many.values).argsort(axis=1).argsort(axis=1)
    assert np.corrcoef(levels)[np.tril_indices(4, -1)].mean() == pytest.approx(found.measured_pairs[0, 1][0], abs=0.05)


def test_slots_are_not_found_where_there_are_none(tmp_path: Path, model: faircast.Fitted) -> None:
    assert model.slots is None
    assert faircast.fit(*slotted(tmp_path, share=0.0)).slots is None
    assert faircast.fit(*slotted(tmp_path, share=0.6), period=None).slots is None
    assert faircast.fit(*slotted(tmp_path, share=0.6), period="13 s").slots is None


def test_the_same_is_drawn_each_time(model: faircast.Fitted, tmp_path: Path) -> None:
    drawn = model.draw(5, duration="30 s", seed=7)
    paths = drawn.write(tmp_path / "a")
    again = model.draw(5, duration="30 s", seed=7).write(tmp_path / "b")
    assert [path.read_bytes() for path in paths[:-1]] == [path.read_bytes() for path in again[:-1]]
    longer = model.draw(5, duration="60 s", seed=7)
    assert (longer.values[:, :300] == drawn.values).all()
    assert not (model.draw(5, duration="30 s", seed=8).values == drawn.values).any()
    model.save(tmp_path / "model.json")
    loaded = faircast.Fitted.load(tmp_path / "model.json")
    assert loaded == model
    assert (loaded.draw(5, duration="30 s", seed=7).values == drawn.values).all()


def test_streams_are_what_they_were() -> None:
    """The same numbers on every machine and with every version; another stream has others."""
    assert stream(1, "receiver-0/within", 3).tolist() == pytest.approx(
        [-0.002796617038690576, 1.1623351471247108, -0.18865107714250584], abs=1e-12
    )
    assert stream(1, "receiver-1/within", 1)[0] != pytest.approx(-0.0028, abs=1e-3)
    long = stream(3, "x", 100_000)
    assert (long.mean(), long.std()) == (pytest.approx(0, abs=0.01), pytest.approx(1, abs=0.01))


def test_traces_are_what_links_take(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scenario with the drawn traces: its links have the drawn rates, and are down in outages."""
    monkeypatch.chdir(tmp_path)
    assert cli("fit", *SAMPLES, "--out", "beam.json").code == 0
    done = cli("draw", "beam.json", "--receivers", "3", "--duration", "200 s", "--out", "drawn", "--seed", "2")
    assert done.code == 0, done.err
    assert "drawn from a model fitted to" in done.out
    star = 'format = 1\nname = "beam"\nduration = "200 s"\n[topology]\nkind = "star"\nright = 3\n'
    star += '[sessions.film]\nscheme = "tfmcc"\nsource = "left-0"\nreceivers = { nodes = "right-*" }\n'
    Path("beam.toml").write_text(star + Path("drawn/links.toml").read_text())
    scenario = faircast.resolve("beam.toml")
    drawn = faircast.Fitted.load("beam.json").draw(3, duration="200 s", seed=2)
    for i in range(3):
        changes = json.loads(scenario.json)["links"][f"access-right-{i}"]["changes"]
        at = {float(one["at"].removesuffix(" s")): one for one in changes if one["at"].endswith(" s")}
        state = {"rate": None, "up": True}
        for k in range(200):
            state |= {key: value for key, value in at.get(float(k), {}).items() if key != "at"}
            assert state["up"] == (not drawn.is_out[i, k])
            if state["up"]:
                number, unit = str(state["rate"]).split()
                rate = float(number) * {"kbit/s": 1e3, "Mbit/s": 1e6}[unit]
                assert rate == pytest.approx(drawn.values[i, k], abs=1)
    assert drawn.is_out[2].any()


def test_traces_of_delays_lose_while_they_are_out() -> None:
    drawn = faircast.Drawn(
        quantity="delay",
        step=250_000_000,
        values=np.array([[0.02, 0.02, 0.0301234567, 0.03, 0.04]]),
        is_out=np.array([[False, False, True, True, False]]),
    )
    assert drawn.trace(0) == "time [s],delay [ms],loss\n0,20.000,0\n0.5,,1\n1,40.000,0\n"
    whole = faircast.Drawn(quantity="rate", step=10**9, values=np.array([[1e6, 2.5e6]]), is_out=np.zeros((1, 2), bool))
    assert whole.trace(0) == "time [s],rate [kbit/s]\n0,1000.000\n1,2500.000\n"


def test_levels_keep_the_mean_of_every_class() -> None:
    values = np.array([1.0, 2, 2, 2, 5, 100, np.nan])
    levels = levels_of(values, np.array([False] * 6 + [True]))
    assert levels.out == pytest.approx(1 / 7)
    assert levels.edges == (1, 2, 2, 2, 5, 100, 100)
    assert levels.means == (1, 2, 2, 2, 5, 100)
    skewed = Levels(out=0.0, edges=(0.0, 1.0, 11.0), means=(0.5, 3.0))
    u = (np.arange(100_000) + 0.5) / 100_000
    drawn = skewed.at(u)
    assert drawn[:50_000].mean() == pytest.approx(0.5, abs=1e-3)
    assert drawn[50_000:].mean() == pytest.approx(3.0, abs=1e-3)
    assert (np.diff(drawn) >= 0).all()
    heavy = (1 - u) ** (-1 / 1.5)  # Pareto: a straight line to the greatest level would be far too much
    pareto = levels_of(heavy, np.zeros(len(u), dtype=bool))
    assert pareto.at(u).mean() == pytest.approx(heavy.mean(), rel=1e-3)
    assert pareto.mean == pytest.approx(heavy.mean(), rel=1e-12)


def test_ranks_share_the_middle_and_outages_are_the_worst() -> None:
    values = np.array([3.0, 1.0, 3.0, np.nan, np.nan])
    out = np.array([False, False, False, True, False])
    low = scores(values, out, out_is_low=True)
    high = scores(values, out, out_is_low=False)
    assert np.isnan(low[4])
    assert low[:4] * np.sqrt(np.mean(np.array([0.25, -0.125, 0.25, -0.375]) ** 2)) == pytest.approx(
        [0.25, -0.125, 0.25, -0.375]
    )
    assert high[3] > high[0] == high[2] > high[1]


def test_the_correlation_of_ranks_is_that_of_theory() -> None:
    even = Ranks(np.linspace(-1, 1, 4000))
    wanted = np.array([-0.9, -0.5, 0.1, 0.5, 0.8, 0.95, 0.99])
    assert even.normal(even, 6 / np.pi * np.arcsin(wanted / 2)) == pytest.approx(wanted, abs=2e-3)
    coin = Ranks(np.repeat([-1.0, 1.0], 2000))  # the sign of a normal: (2/pi) arcsin(r)
    assert coin.normal(coin, 2 / np.pi * np.arcsin(wanted)) == pytest.approx(wanted, abs=1e-3)
    assert Ranks(np.zeros(100)).normal(even, [0.3]) == pytest.approx([0.0])


def test_the_autoregression_is_that_of_yule_and_walker() -> None:
    """An autoregression of the second order by hand: its correlations satisfy r(k) = a r(k-1) + b r(k-2)."""
    a, b = 0.5, 0.3
    r = [1.0, a / (1 - b)]
    while len(r) < 12:
        r.append(a * r[-1] + b * r[-2])
    assert _autoregression(np.array(r[1:]), 10**6) == pytest.approx((a, b), abs=1e-9)
    assert _autoregression(np.array([0.001] * 3), 100) == ()
    assert _autoregression(np.array([1.0, 1.0]), 100) == (0.9999,)
    psi = response((a, b))
    assert (psi**2).sum() == pytest.approx(1)
    assert psi[1] / psi[0] == pytest.approx(a)
    assert psi[2] / psi[0] == pytest.approx(a * a + b)


def test_the_error_of_a_mean_knows_of_the_memory(model: faircast.Fitted) -> None:
    """(1 + 0.7) / (1 - 0.7) times the variance of independent steps; lognormal levels have a variation of 0.4165."""
    expected = 0.4165 * np.sqrt((1 + LAG) / (1 - LAG) / STEPS)
    for one in model.receivers:
        assert one.mean_error / one.levels.mean == pytest.approx(expected, rel=0.1)
    assert model.correlation_error is not None
    assert model.correlation_error == pytest.approx(np.sqrt((1 + LAG**2) / (1 - LAG**2) / STEPS), rel=0.15)


def test_what_one_file_cannot_say_is_said(cli: Cli, tmp_path: Path, truth: list[Path]) -> None:
    one = tmp_path / "one.json"
    done = cli("fit", truth[0], "--out", one)
    assert "between receivers: not known" in done.out
    assert "How receivers go together is not known" in done.out
    assert "other operators or constellations than that of this file" in " ".join(done.out.split())
    done = cli("draw", one, "--receivers", "2", "--duration", "10 s", "--out", tmp_path / "x")
    assert done.code == 2
    assert "how receivers go together is not known" in done.err
    assert cli("draw", one, "--receivers", "1", "--duration", "10 s", "--out", tmp_path / "y").code == 0
    model = faircast.Fitted.load(one)
    drawn = model.draw(3, duration="4000 s", correlation=0.4).values
    assert np.corrcoef(np.log(drawn))[np.tril_indices(3, -1)] == pytest.approx([0.4] * 3, abs=0.04)
    separate = faircast.fit(*truth, separate=True)
    assert separate.correlation is None
    assert separate.mean_correlation is None
    assert separate.receivers[1].levels == faircast.fit(*truth).receivers[1].levels


def test_the_screen(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    Path("examples").symlink_to(ROOT / "examples")
    names = [str(path.relative_to(ROOT)) for path in SAMPLES]
    out = Path("beam.json")
    done = assert_whole_at_all_widths(cli, monkeypatch, "fit", *names, "--out", out)
    for told in ("slots: levels change at 12 s", "What this model cannot say:", "0.545", "99.57 ± 2.6", "SHA-256"):
        assert told in done.out
    shown = json.loads(cli("fit", *names, "--json").out)
    assert len(shown["receivers"]) == len(shown["pairs"]) == 3
    assert shown["model"]["quantity"] == "rate"
    assert len(shown["cannot_say"]) >= 4
    assert "Fitted: rate of 3 receivers in steps of 1 s" in repr(faircast.Fitted.load(out))


def test_why_there_are_no_slots_is_said(cli: Cli, truth: list[Path], tmp_path: Path) -> None:
    assert "slots: the data show none of 15 s\n" in cli("fit", truth[0]).out
    assert "slots: none were looked for\n" in cli("fit", truth[0], "--period", "none").out
    assert "steps of 10 s are too long to see any of 15 s\n" in cli("fit", truth[0], "--step", "10 s").out
    few = tmp_path / "few.csv"
    few.write_text("".join(truth[0].read_text().splitlines(keepends=True)[:3002]))
    assert "slots: 20 of 15 s were measured, and below 21 none can be seen; the model has none\n" in cli("fit", few).out


def test_the_samples_are_those_of_their_tool(tmp_path: Path) -> None:
    import runpy
    import sys

    before = sys.argv
    try:
        sys.argv = ["made_up_measurements.py", str(tmp_path)]
        with pytest.raises(SystemExit):
            runpy.run_path(str(ROOT / "tools" / "made_up_measurements.py"), run_name="__main__")
    finally:
        sys.argv = before
    for path in SAMPLES:
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
        assert path.read_text().startswith("# Made up")


def test_correlations_leave_out_what_is_unknown() -> None:
    a = np.array([1.0, 2.0, np.nan, 3.0, 1.0, 5.0])
    assert _correlation(a, a, 0) == pytest.approx(1)
    assert _correlation(a, a, 1) == pytest.approx(np.corrcoef([1, 3, 1], [2, 1, 5])[0, 1])
    assert _correlation(np.ones(5), a[:5], 0) == 0


def test_series_on_one_grid(tmp_path: Path) -> None:
    """Means over steps, of what all cover."""
    lines = ["time [s],rate [kbit/s]", *(f"{k},{1 + k % 4}" for k in range(800))]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    (tmp_path / "b.csv").write_text("\n".join(["time [s],rate [kbit/s]", "2,100", "2.5,200", "700,100"]))
    _, grid = on_grid([tmp_path / "a.csv", tmp_path / "b.csv"], column=None, step=4 * 10**9, separate=False)
    assert grid.start == (2 * 10**9,) * 2
    assert grid.values[0] == pytest.approx([2500.0] * len(grid.values[0]))
    assert grid.values[1][0] == pytest.approx((100e3 * 0.5 + 200e3 * 3.5) / 4)
    assert grid.values[1][1] == pytest.approx(200e3)
    assert grid.values[1][174] == pytest.approx((200e3 * 2 + 100e3 * 2) / 4)
    (tmp_path / "c.csv").write_text(
        "time [s],rate [kbit/s],up\n0,100,1\n1,300,1\n2,,0\n3,200,1\n4,,0\n7,50,1\n1000,1,1\n"
    )
    _, grid = on_grid([tmp_path / "c.csv"], column=None, step=4 * 10**9, separate=False)
    assert grid.values[0][0] == pytest.approx(200e3)  # of the three seconds in which the link is up
    assert np.isnan(grid.values[0][1])
    assert grid.is_out[0][:3].tolist() == [False, True, False]
