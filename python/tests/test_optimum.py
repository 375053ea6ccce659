"""The optimum of a scenario: on its own routes, beside its results, once for each network; and what is refused."""

from __future__ import annotations

import json
import math
import signal
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import Cli, parquet_bytes

import faircast
from faircast import _native
from faircast.batch import Job
from faircast.engine.threads import run_batch
from faircast.interruption import give_way
from faircast.summary import from_columns
from faircast.utility import beside
from faircast.utility.network import problem_of

MIX = """
format = 1
name = "mix"
duration = "8 s"

[topology]
kind = "dumbbell"
left = 5
right = 5

[links.bottleneck]
rate = "2 Mbit/s"
delay = "20 ms"

[links.access-right-4]
rate = "100 kbit/s"

[flows.web]
kind = "tcp"
count = 3

[flows.voice]
kind = "cbr"
from = "left-3"
to = "right-3"
rate = "200 kbit/s"

[sessions.video]
scheme = "tfmcc"
source = "left-4"
receivers = { nodes = ["right-3", "right-0"] }
"""
FULL = "flows.voice.rate='2.5 Mbit/s'"


def test_by_hand() -> None:
    # 1.8 Mbit/s are left for three flows and a session.
    best = faircast.optimum(MIX)
    assert best.rates == {"web-0": 450e3, "web-1": 450e3, "web-2": 450e3, "video": 450e3}
    assert best.receivers == {"video": {"video-0": 450e3, "video-1": 450e3}}
    bottleneck = best.links["bottleneck"]
    assert (bottleneck.capacity, bottleneck.inelastic, bottleneck.elastic, bottleneck.binds) == (2e6, 2e5, 1.8e6, True)
    assert bottleneck.price == pytest.approx(1 / 450e3)
    assert best.value == pytest.approx(4 * math.log(450e3))
    assert [name for name, link in best.links.items() if link.binds] == ["bottleneck"]


def test_utilities_orientation_and_weights() -> None:
    assert faircast.optimum(MIX, orientation="receiver").rates["video"] == pytest.approx(1.8e6 * 2 / 5)
    delay = faircast.optimum(MIX, orientation="receiver", utility="potential-delay")
    assert delay.rates["video"] == pytest.approx(1.8e6 * math.sqrt(2) / (3 + math.sqrt(2)))
    fair = faircast.optimum(MIX, utility="alpha-fair", alpha=4, weights={"video": 16})
    assert fair.rates["video"] == pytest.approx(1.8e6 * 2 / 5)
    assert faircast.optimum(MIX, utility="max-min", orientation="receiver").rates["video"] == 450e3
    # An entry for all of its flows, one of them otherwise.
    weighted = faircast.optimum(MIX, weights={"web": 2, "web-1": 5}).rates
    assert weighted == pytest.approx({"web-0": 360e3, "web-1": 900e3, "web-2": 360e3, "video": 180e3})


def test_a_slow_receiver_and_a_maximum_rate() -> None:
    slow = faircast.optimum(MIX, sets=["sessions.video.receivers.nodes=['right-3', 'right-4']"])
    assert slow.rates["video"] == 100e3
    assert slow.rates["web-0"] == pytest.approx(1.7e6 / 3)
    capped = faircast.optimum(MIX, sets=["sessions.video.max_rate='300 kbit/s'"])
    assert capped.rates == pytest.approx({"web-0": 5e5, "web-1": 5e5, "web-2": 5e5, "video": 3e5})


def test_what_the_scenario_asks_for_and_what_the_call_changes() -> None:
    scenario = MIX + "[optimum]\nutility = 'alpha-fair'\nalpha = 2\norientation = 'receiver'\nweights = { video = 4 }\n"
    ratio = math.sqrt(8)
    assert faircast.optimum(scenario).rates["video"] == pytest.approx(1.8e6 * ratio / (3 + ratio))
    assert faircast.optimum(scenario, utility="proportional").rates["video"] == pytest.approx(1.8e6 * 8 / 11)
    assert faircast.optimum(scenario, alpha=3).rates["video"] == pytest.approx(1.8e6 * 2 / 5)
    assert faircast.optimum(scenario, weights={}).rates["video"] == pytest.approx(1.8e6 * 2**0.5 / (3 + 2**0.5))


def test_several_hops() -> None:
    best = faircast.optimum(
        {
            "format": 1,
            "name": "lot",
            "duration": "5 s",
            "topology": {"kind": "parking-lot", "hops": 3},
            "links": {f"hop-{i}": {"rate": "3 Mbit/s"} for i in range(3)},
            "flows": {
                "long": {"kind": "tcp", "from": "left-0", "to": "right-0"},
                **{f"cross{i}": {"kind": "tcp", "from": f"cross-in-{i}", "to": f"cross-out-{i}"} for i in range(3)},
            },
        }
    )
    assert best.rates["long"] == pytest.approx(3e6 / 4)


def test_the_summary_has_it_beside_the_rates() -> None:
    result = faircast.run(MIX, seed=2)
    rows = {(row["subject"], row["metric"]): row for row in result.summary.to_pylist()}
    best = {key: row["optimum"] for key, row in rows.items() if not math.isnan(row["optimum"])}
    expected = {(name, "rate"): 450e3 for name in ("web-0", "web-1", "web-2", "video", "video-0", "video-1")}
    assert best == expected | {("video", "sending_rate"): 450e3}
    squares = [(rows[f"web-{i}", "rate"]["value"] / 450e3 - 1) ** 2 for i in range(3)]
    squares.append(sum((rows[f"video-{i}", "rate"]["value"] / 450e3 - 1) ** 2 for i in range(2)) / 2)
    distance = math.sqrt(sum(squares) / 4)
    assert rows["run", "optimum_distance"]["value"] == pytest.approx(distance)
    assert result.metrics()["run", "optimum_distance"] == pytest.approx(distance)
    assert result.metrics().optimum == best


def test_it_is_written_read_and_summed_up(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mix.toml"
    path.write_text(MIX)
    done = cli("run", path, "--reps", 2, "--out", "out", "--json")
    assert done.code == 0
    rows = {(row["subject"], row["metric"]): row for row in json.loads(done.out)["summary"]}
    assert rows["web-0", "rate"]["optimum"] == 450e3
    assert rows["web-0", "sent"]["optimum"] is None
    assert rows["run", "optimum_distance"]["n"] == 2
    table = pq.read_table("out/summary.parquet").to_pylist()
    assert {row["subject"]: row["optimum"] for row in table if row["metric"] == "rate"}["video-1"] == 450e3
    read = faircast.RunResult.read("out/seed-1").metrics()
    assert read.optimum["video", "sending_rate"] == 450e3
    # Continued: the seeds that are there keep what they have, and the summary has it.
    assert cli("run", path, "--reps", 3, "--out", "out").code == 0
    assert cli("run", path, "--reps", 3, "--out", "fresh").code == 0
    assert parquet_bytes(Path("out")) == parquet_bytes(Path("fresh"))


def test_the_screen_shows_it(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mix.toml"
    path.write_text(MIX)
    done = cli("run", path)
    assert "its optimum" in done.out
    assert "distance from the optimum" in done.out
    done = cli("run", path, "--set", FULL)
    assert done.code == 0
    assert "no optimum: constant rates fill link bottleneck, with 500000 bit/s more than it has" in done.out


def test_flows_that_are_called_as_links_are_or_as_the_run_itself() -> None:
    names = MIX.replace("[flows.voice]", "[flows.bottleneck]").replace("[sessions.video]", "[sessions.run]")
    found = faircast.run(names).metrics()
    assert found["bottleneck", "goodput"] < 200e3 < 2e6 * found["bottleneck", "efficiency"]
    assert found.optimum["run", "rate"] == 450e3
    assert found["run", "optimum_distance"] >= 0


def test_each_network_is_solved_once(monkeypatch: pytest.MonkeyPatch, cli: Cli, tmp_path: Path) -> None:
    solved = []
    solve = beside.solve
    monkeypatch.setattr(beside, "solve", lambda problem, **how: solved.append(problem) or solve(problem, **how))
    path = tmp_path / "once.toml"
    path.write_text(MIX.replace("2 Mbit/s", "2.00001 Mbit/s"))
    assert cli("run", path, "--reps", 4, "--jobs", 2, "--out", "out").code == 0
    # What the optimum does not depend on makes another scenario, but no other network.
    assert cli("run", path, "--set", "duration='7 s'", "--set", "flows.web.variant='reno'", "--out", "other").code == 0
    assert len(solved) == 1
    assert cli("run", path, "--set", "optimum.utility='max-min'", "--out", "third").code == 0
    assert len(solved) == 2


def test_beside_a_run_the_effort_is_bounded(monkeypatch: pytest.MonkeyPatch, cli: Cli, tmp_path: Path) -> None:
    monkeypatch.setattr(beside, "PAIRS_MAX", 0)
    text = MIX.replace("2 Mbit/s", "2.00002 Mbit/s") + "[optimum]\nweights = { video = 2 }\n"
    rows = {(row["subject"], row["metric"]): row for row in faircast.run(text).summary.to_pylist()}
    assert all(math.isnan(row["optimum"]) for row in rows.values())
    assert math.isnan(rows["run", "optimum_distance"]["value"])
    assert rows["run", "optimum_pairs"]["value"] == 1
    path = tmp_path / "large.toml"
    path.write_text(text)
    done = cli("run", path, "--out", "out")
    assert done.code == 0
    assert "no optimum beside so large a network (1 coupled pairs of links); faircast.optimum computes it" in done.out
    # Who asks for it has it.
    assert faircast.optimum(text).rates["video"] == pytest.approx(1.80002e6 * 2 / 5)


def test_ctrl_c_ends_the_search_for_an_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search asks between its steps whether it is wanted; the run then has no result, and is done again later."""
    problem = problem_of(faircast.resolve(MIX.replace("2 Mbit/s", "2.00003 Mbit/s")))
    begun = []

    def endless(problem: object, **how: object) -> None:
        begun.append(problem)
        if len(begun) == 1:
            signal.raise_signal(signal.SIGINT)
        while True:
            give_way()
            time.sleep(0.01)

    monkeypatch.setattr(beside, "solve", endless)
    jobs = [Job(faircast.resolve(MIX).json, seed) for seed in (1, 2)]
    outcome = run_batch(jobs, lambda *_: beside._solved(problem), workers=2)
    assert begun
    assert outcome.interrupted
    assert outcome.results == [None, None]


def test_an_interrupted_run_does_not_wait_for_an_optimum(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "solve", lambda *_, **__: pytest.fail("nobody waits for this"))
    scenario = faircast.resolve(MIX.replace("2 Mbit/s", "2.00004 Mbit/s"))
    raw = _native.run(scenario.json, 1, _native.Control())
    columns = beside.with_optimum(raw.tables()["summary"], scenario, partial=True)
    assert [name for name, *_ in columns][-1] == "optimum"
    assert ("run", "optimum_distance") in from_columns(columns)


def test_without_an_optimum_a_run_is_not_harmed() -> None:
    result = faircast.run(MIX, sets=[FULL])
    rows = {(row["subject"], row["metric"]): row for row in result.summary.to_pylist()}
    assert all(math.isnan(row["optimum"]) for row in rows.values())
    assert math.isnan(rows["run", "optimum_distance"]["value"])
    assert rows["bottleneck", "inelastic_excess"]["value"] == 5e5
    assert rows["bottleneck", "inelastic_excess"]["unit"] == "bit/s"
    with pytest.raises(
        faircast.InfeasibleError, match="inelastic flows take 2500000 bit/s of link bottleneck, which has"
    ):
        faircast.optimum(MIX, sets=[FULL])


def test_constant_rates_alone_have_none() -> None:
    sets = [
        "flows.web={kind='cbr', count=3}",
        "sessions.video={scheme='cbr', source='left-4', receivers.nodes=['right-3']}",
    ]
    assert faircast.optimum(MIX, sets=sets).rates == {}
    assert ("run", "optimum_distance") not in faircast.run(MIX, sets=sets).metrics()


WRONG = {
    "utility": ({"utility": "proportionl"}, "optimum.utility", "did you mean proportional?"),
    "orientation": ({"orientation": "sender"}, "optimum.orientation", "legal are session, receiver"),
    "no alpha": ({"utility": "alpha-fair"}, "optimum.alpha", "missing"),
    "alpha of zero": ({"utility": "alpha-fair", "alpha": 0}, "optimum.alpha", "legal is a number from 0.1 to 20"),
    "alpha alone": ({"alpha": 2}, "optimum.alpha", "belongs to the utility alpha-fair"),
    "negative weight": ({"weights": {"web": -1}}, "optimum.weights.web", "-1 given; legal is a number above 0"),
    "strange weight": ({"weights": {"wep": 1}}, "optimum.weights.wep", "did you mean web?"),
    "inelastic weight": ({"weights": {"voice": 1}}, "optimum.weights.voice", "sends at a constant rate"),
}


@pytest.mark.parametrize(("given", "path", "says"), WRONG.values(), ids=WRONG.keys())
def test_what_is_wrong_is_told(cli: Cli, tmp_path: Path, given: dict[str, object], path: str, says: str) -> None:
    with pytest.raises(faircast.InputError) as caught:
        faircast.optimum(MIX, **given)  # type: ignore[arg-type]
    ((where, message),) = caught.value.problems
    assert where == path
    assert says in message
    file = tmp_path / "wrong.json"
    file.write_text(json.dumps(faircast.resolve(MIX).data | {"optimum": given}))
    for verb in ("validate", "run"):
        done = cli(verb, file)
        assert done.code == 2
        assert f"  {path}: " in done.err
        assert says in done.err
    assert list(Path().iterdir()) == []
