"""x-tfmcc-feedback: how many reports a TFMCC source gets from 10 to 10 000 receivers, and how soon it finds the worst.

A star. First all receivers are alike: losses strike before the router, so all see the same, and nothing but chance
decides who reports. Then, at 60 s, one of them joins that is worse off: its own link loses twice as much. It must be
the current limiting receiver within three feedback rounds, and when it leaves, another one must follow.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.arrow import to_arrow
from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.figures import COLUMN_IN, curve, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast._native import RawResult

NUMBERS = (10, 100, 1000, 10_000)
MOST = 30.0
JOIN_S, LEAVE_S, END_S = 60, 90, 120
ROUNDS = 3


def scenario(receivers: int) -> dict[str, Any]:
    """A star whose last receiver is worse off and comes late."""
    times = {
        "join": ["0 s"] * (receivers - 1) + [f"{JOIN_S} s"],
        "leave": [f"{END_S} s"] * (receivers - 1) + [f"{LEAVE_S} s"],
    }
    return {
        "format": 1,
        "name": f"x-tfmcc-feedback-{receivers}",
        "duration": f"{END_S} s",
        "warmup": "20 s",
        "topology": {
            "kind": "star",
            "right": receivers,
            "access": {"rate": "100 Mbit/s", "delay": "25 ms"},
            "access_left": {"loss": {"kind": "bernoulli", "p": 0.02}, "back": {"loss": {"kind": "none"}}},
        },
        "links": {
            f"access-right-{receivers - 1}": {
                "loss": {"kind": "bernoulli", "p": 0.04},
                "back": {"loss": {"kind": "none"}},
            }
        },
        "sessions": {"tfmcc": {"scheme": "tfmcc", "source": "left-0", "receivers": {"count": receivers, **times}}},
        "probes": {"interval": "5 s", "links": False},
    }


def found_after(receivers: int, raw: RawResult) -> tuple[float, bool]:
    """Feedback rounds from when the late receiver is worse off than the limiting one until it limits itself.

    Worse off: by its own loss history. Rounds have their mean length while it is there. Beside that, whether another
    receiver limits after its leave.
    """
    tables = raw.tables()
    worst = f"tfmcc-{receivers - 1}"
    limits, rates = "", dict[str, float]()
    worse_since = found_at = float("inf")
    follows = False
    for row in to_arrow(tables["events"]).to_pylist():
        if row["event"] == "loss-event":
            rates[row["receiver"]] = row["after"]
            if row["receiver"] == worst and row["after"] > rates.get(limits, 0.0):
                worse_since = min(worse_since, row["t_s"])
        elif row["event"] == "limiting-receiver":
            limits = row["receiver"]
            if limits == worst:
                found_at = min(found_at, row["t_s"])
            follows = follows or (row["t_s"] > LEAVE_S and limits not in ("", worst))
    flows = to_arrow(tables["flows"])
    began = zip(flows["t_s"].to_pylist(), flows["feedback_rounds"].to_pylist(), strict=True)
    rounds = sum(count for t_s, count in began if JOIN_S < t_s <= LEAVE_S)
    if found_at == float("inf"):
        return float("inf"), follows
    # It may limit before its losses are as many, since it computes with R_max until it knows its round-trip time.
    return max(0.0, found_at - worse_since) * rounds / (LEAVE_S - JOIN_S), follows


def points(quick: bool) -> list[Point]:
    """Every number of receivers."""
    return [
        Point(key=receivers, scenario=scenario(receivers), reduce=partial(found_after, receivers))
        for receivers in (NUMBERS[:3] if quick else NUMBERS)
    ]


def reports(data: Data, receivers: int) -> Estimate:
    """Mean number of reports per round."""

    def of_seed(seed: int) -> float:
        run = data.run(receivers, seed)
        return run["tfmcc", "round_reports"] / run["tfmcc", "feedback_rounds"]

    return data.over_seeds(of_seed)


def rounds(data: Data, receivers: int) -> Estimate:
    """Rounds until the late receiver limits."""
    return data.over_seeds(lambda seed: data.reduced(receivers, seed)[0])


def most_reports(data: Data) -> Measured:
    """The largest mean over the numbers of receivers."""
    found = {receivers: reports(data, receivers) for receivers in NUMBERS if receivers in data.points}
    worst = max(found, key=lambda receivers: found[receivers].mean)
    return Measured.of(found[worst], note=f"with {worst} receivers")


def growth(data: Data) -> Measured:
    """How much larger the number of reports is with the most receivers than with the fewest."""
    known = [receivers for receivers in NUMBERS if receivers in data.points]
    least, most = reports(data, known[0]), reports(data, known[-1])
    return Measured(value=most.mean / least.mean, note=f"{known[-1] // known[0]} times as many receivers")


def rounds_until_found(data: Data) -> Measured:
    """Rounds until the late receiver limits, mean over seeds, the worst number of receivers."""
    found = {receivers: rounds(data, receivers) for receivers in NUMBERS if receivers in data.points}
    worst = max(found, key=lambda receivers: found[receivers].mean)
    most = max(item.high for item in found.values())
    return Measured.of(found[worst], note=f"with {worst} receivers; {most:.2f} at the most in a single run")


def another_follows(data: Data) -> Measured:
    """In how many runs another receiver limits after the worst one has left."""
    runs = [data.reduced(n, seed)[1] for n in NUMBERS if n in data.points for seed in data.seeds]
    return Measured(value=sum(runs) / len(runs), note=f"{sum(runs)} of {len(runs)} runs")


def numbers(data: Data) -> Numbers:
    """By number of receivers."""
    rows = []
    for receivers in (n for n in NUMBERS if n in data.points):
        rows.append([f"{receivers} receivers", str(reports(data, receivers)), str(rounds(data, receivers))])
    return Numbers(columns=["", "reports per round", "rounds until the worst limits"], rows=rows)


def figure(data: Data) -> Figure:
    """Reports per round against the number of receivers."""
    drawn, axes = panels(width=COLUMN_IN)
    known = [receivers for receivers in NUMBERS if receivers in data.points]
    curve(axes, known, [reports(data, receivers) for receivers in known], label="mean, 95 % interval", series=0)
    axes.axhline(MOST, color="black", linewidth=0.6, linestyle=(0, (4, 3)))
    axes.set(xlabel="receivers", ylabel="reports per feedback round", xscale="log", ylim=(0, 1.1 * MOST))
    axes.annotate("at most 30", (known[0], MOST), textcoords="offset points", xytext=(2, -9), fontsize=7)
    axes.legend(loc="center right")
    return drawn


def says(data: Data) -> str:
    """What the check shows."""
    known = [receivers for receivers in NUMBERS if receivers in data.points]
    found = listed([f"{reports(data, receivers).mean:.1f}" for receivers in known])
    numbers = listed([plain(receivers) for receivers in known])
    return f"A TFMCC source gets {found} reports per feedback round from {numbers} receivers."


EXPERIMENTS = [
    Experiment(
        id="x-tfmcc-feedback",
        paper="checks",
        place="TFMCC's feedback",
        title="Feedback of TFMCC from 10 to 10 000 receivers",
        published="The number of reports hardly grows with the number of receivers (RFC 4654).",
        points=points,
        criteria=[
            Criterion(
                name="mean number of reports per feedback round, most of all numbers of receivers",
                published="below 30",
                evaluate=most_reports,
                high=MOST,
            ),
            Criterion(
                name="reports per round with the most receivers, divided by those with the fewest",
                published="does not grow linearly",
                evaluate=growth,
                high=3.0,
            ),
            Criterion(
                name="mean number of rounds from when a receiver loses most until it limits the rate",
                published="within 3 rounds",
                evaluate=rounds_until_found,
                high=ROUNDS,
            ),
            Criterion(
                name="part of the runs in which another receiver limits the rate after that one has left",
                published="the session survives that its limiting receiver leaves",
                evaluate=another_follows,
                low=1.0,
            ),
        ],
        numbers=numbers,
        figure=figure,
        says=says,
        reps=5,
    )
]
