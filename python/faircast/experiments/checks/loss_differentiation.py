"""x-loss-differentiation: what it is worth to tell errors of links from congestion, and what TCP pays for it.

The satellite branch of Ehlert and Sisalem: 300 kbit/s down to each of two receivers, round trip 540 ms. One receiver
shares its downlink with a NewReno flow, the other has it for itself. Each scheme runs with each rule of loss
differentiation, over links that lose none to one in a hundred packets. The paper has MLDA with one rule and two bit
error rates; what other schemes and rules gain is a question that it leaves open, so nothing here is held against it.

Choices: losses of whole packets (Bernoulli) and not of bits, so that all sizes meet the same; uplinks of 64 kbit/s, so
that ACKs do not wait; a window of TCP that limits nothing; four layers of SMCC, from 40 to 320 kbit/s in all, with
counting layers for the round trips of this network; three layers of MLDA, whose receivers report to the sender alone,
as in the reproduction of the paper, while the window of T_min follows the rule as with the others.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.jitter import one_packet
from faircast.figures import COLOURS, LINES, MARKERS, PAGE_IN, curve, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

Key = tuple[str, str, float]
"""Scheme, rule, and the part of packets that a downlink loses."""

DURATION_S, WARMUP_S = 1000, 100
LOSSES = (0.0, 1e-4, 1e-3, 1e-2)
MOST = LOSSES[-1]
SATELLITE = {"initial_max_rtt": "2 s", "packet_size": "512 B"}
SCHEMES: dict[str, dict[str, Any]] = {
    "tfmcc": SATELLITE,
    "omcc": SATELLITE,
    "smcc": {"base_rate": "40 kbit/s", "layers": 4, "rtts": ["512 ms", "1024 ms"], "tfmcc": SATELLITE},
    "mlda": {"packet_size": "512 B", "layers": 3, "reports_to": "sender"},
}
NAMES = {"tfmcc": "TFMCC", "omcc": "OMCC", "smcc": "SMCC", "mlda": "MLDA"}
RULES: dict[str, dict[str, str]] = {
    "none": {"rule": "none"},
    "ias-session": {"rule": "ias", "window": "session"},
    "ias-rate": {"rule": "ias", "window": "rate"},
    "mbiaz": {"rule": "mbiaz", "window": "rate"},
    "oracle": {"rule": "oracle"},
}
RULE_NAMES = {
    "none": "none",
    "ias-session": "IAS, whole session",
    "ias-rate": "IAS, since a change of rate",
    "mbiaz": "mBiaz",
    "oracle": "the truth",
}
REAL = [rule for rule in RULES if rule not in ("none", "oracle")]
"""Rules that can be wrong in either way."""
SHARED, ALONE, TCP = "film-0", "film-1", "web"
"""The receiver beside TCP, the one without, and the TCP flow."""
BOTH = (SHARED, ALONE)


def scenario(scheme: str, rule: str, loss: float) -> dict[str, Any]:
    """The satellite branch with one session and one TCP flow."""
    lost = {"kind": "bernoulli", "p": loss} if loss else {"kind": "none"}
    return {
        "format": 1,
        "name": f"x-loss-differentiation-{scheme}-{rule}-{loss:g}",
        "duration": f"{DURATION_S} s",
        "warmup": f"{WARMUP_S} s",
        "topology": {
            "kind": "branches",
            "branches": {"sat": {"preset": "geo", "down": {"loss": lost}, "up": {"rate": "64 kbit/s"}}},
        },
        "sessions": {
            "film": {
                "scheme": scheme,
                "source": "source-0",
                "start_jitter": "1 s",
                "loss_differentiation": RULES[rule],
                **SCHEMES[scheme],
            }
        },
        "flows": {
            TCP: {
                "kind": "tcp",
                "variant": "newreno",
                "mss": "512 B",
                "delayed_ack": True,
                "from": "source-0",
                "to": "sat-0",
                "start_jitter": "1 s",
                **one_packet(552, 0.3),
            }
        },
        "probes": {"flows": False, "links": False, "events": False},
    }


def points(quick: bool) -> list[Point]:
    """Every scheme, rule and loss."""
    losses = (LOSSES[0], MOST) if quick else LOSSES
    return [
        Point(key=(scheme, rule, loss), scenario=scenario(scheme, rule, loss))
        for scheme in SCHEMES
        for rule in RULES
        for loss in losses
    ]


def losses(data: Data) -> list[float]:
    """The losses of links that were run."""
    return sorted({key[2] for key in data.points})  # type: ignore[index]


def rate(data: Data, key: Key, flow: str = SHARED) -> Estimate:
    """The rate of a receiver or of TCP, kbit/s."""
    return data.over_seeds(lambda seed: data.run(key, seed)[flow, "rate"] / 1000)


def ratio(data: Data, key: Key) -> Estimate:
    """The rate at the receiver beside TCP by that of TCP."""
    return data.over_seeds(lambda seed: data.run(key, seed)[SHARED, "rate"] / data.run(key, seed)[TCP, "rate"])


def by_none(data: Data, key: Key, flow: str) -> Estimate:
    """The rate with a rule by that without, run by run with the same seeds."""
    plain_key = (key[0], "none", key[2])
    return data.over_seeds(lambda seed: data.run(key, seed)[flow, "rate"] / data.run(plain_key, seed)[flow, "rate"])


GAUGES = {
    (True, True): "link_losses_recognised",
    (True, False): "link_losses_missed",
    (False, True): "congestion_losses_mistaken",
    (False, False): "congestion_losses_recognised",
}
"""By whether the link lost a packet, and whether that is what the receiver took it for."""


def lost(data: Data, key: Key, seed: int, *, by_link: bool) -> float:
    """Packets that the receiver beside TCP lost by errors of its link, or by congestion."""
    run = data.run(key, seed)
    return math.fsum(run[SHARED, GAUGES[by_link, called]] for called in (True, False))


def congestion(data: Data, key: Key) -> Estimate:
    """How many of a hundred packets the receiver beside TCP lost by congestion."""

    def of_seed(seed: int) -> float:
        arrived = data.run(key, seed)[SHARED, "rate"] * (DURATION_S - WARMUP_S) / (8 * 512)
        by_congestion, by_link = (lost(data, key, seed, by_link=by_link) for by_link in (False, True))
        return 100 * by_congestion / (arrived + by_congestion + by_link)

    return data.over_seeds(of_seed)


def called_link(data: Data, keys: list[Key], *, by_link: bool, receivers: tuple[str, ...] = BOTH) -> tuple[float, int]:
    """Of all losses of one cause in these cases the part that was called an error of the link, and how many they are.

    Those of all seeds count.
    """
    runs = [data.run(key, seed) for key in keys for seed in data.seeds]
    taken = {
        called: math.fsum(run[receiver, GAUGES[by_link, called]] for run in runs for receiver in receivers)
        for called in (True, False)
    }
    total = math.fsum(taken.values())
    return (taken[True] / total if total else math.nan), round(total)


def cases(data: Data, scheme: str, rule: str) -> list[Key]:
    """A scheme with a rule over all losses."""
    return [(scheme, rule, loss) for loss in losses(data)]


def gain(scheme: str, data: Data) -> Measured:
    """What the truth is worth to a scheme where most is lost, and what TCP pays."""
    key = (scheme, "oracle", MOST)
    tcp = by_none(data, key, TCP)
    real = {rule: by_none(data, (scheme, rule, MOST), SHARED) for rule in REAL}
    rules = ", ".join(f"{RULE_NAMES[rule]} {value}" for rule, value in real.items())
    return Measured.of(by_none(data, key, SHARED), note=f"TCP has then {tcp} times its rate; other rules: {rules}")


def harm(scheme: str, data: Data) -> Measured:
    """What congestion a scheme causes where it knows the truth, against where it does not."""
    found = {rule: congestion(data, (scheme, rule, MOST)) for rule in RULES}
    rules = ", ".join(f"{RULE_NAMES[rule]} {found[rule]}" for rule in RULES if rule != "oracle")
    return Measured.of(found["oracle"], note=f"other rules: {rules}")


def beside_and_alone(data: Data, keys: list[Key]) -> str:
    """What part of link errors is called so by the receiver beside TCP, and by the one without."""
    return " and ".join(percent(called_link(data, keys, by_link=True, receivers=(one,))[0]) for one in BOTH)


def recognised(rule: str, data: Data) -> Measured:
    """How a rule does over all schemes and losses."""
    every = [key for scheme in SCHEMES for key in cases(data, scheme, rule)]
    right, errors = called_link(data, every, by_link=True)
    wrong, dropped = called_link(data, every, by_link=False)
    each = "; ".join(
        f"{NAMES[scheme]} {beside_and_alone(data, cases(data, scheme, rule))}, and "
        f"{percent(called_link(data, cases(data, scheme, rule), by_link=False)[0])}"
        for scheme in SCHEMES
    )
    note = (
        f"of {errors:,} errors, and {percent(wrong)} of {dropped:,} losses by congestion; "
        f"by scheme, errors beside TCP and alone, and congestion: {each}"
    )
    return Measured(value=100 * right, note=note)


CRITERIA = [
    *(
        Criterion(
            name=f"{name} at 1 % link loss: rate with the truth by that without differentiation",
            published="not stated",
            evaluate=partial(gain, scheme),
        )
        for scheme, name in NAMES.items()
    ),
    *(
        Criterion(
            name=f"{name} at 1 % link loss: packets lost by congestion with the truth, %",
            published="not stated",
            evaluate=partial(harm, scheme),
        )
        for scheme, name in NAMES.items()
    ),
    *(
        Criterion(
            name=f"{RULE_NAMES[rule]}: link errors called so, %, all schemes and losses",
            published="not stated",
            evaluate=partial(recognised, rule),
        )
        for rule in REAL
    ),
]


def numbers(data: Data) -> Numbers:
    """Rates, ratios, losses and the confusion matrix of every case."""
    rows = []
    every: list[Any] = data.keys()
    for case in every:
        scheme, rule, loss = case
        mistaken, dropped = called_link(data, [case], by_link=False)
        rows.append(
            [
                f"{NAMES[scheme]}, {RULE_NAMES[rule]}",
                plain(100 * loss),
                *(str(rate(data, case, flow)) for flow in (SHARED, ALONE, TCP)),
                str(ratio(data, case)),
                str(congestion(data, case)),
                beside_and_alone(data, [case]) if loss else "",
                f"{percent(mistaken)} of {dropped:,}" if dropped else "",
            ]
        )
    columns = [
        "scheme, rule",
        "link loss, %",
        "beside TCP, kbit/s",
        "alone, kbit/s",
        "TCP, kbit/s",
        "beside TCP by TCP",
        "lost by congestion, %",
        "link errors called so, beside TCP and alone",
        "congestion called link error",
    ]
    return Numbers(columns=columns, rows=rows)


def confusion(data: Data, axes: Axes, places: list[float], keys: list[Key], series: int) -> None:
    """What part of link errors beside TCP a rule called so, joined, and of losses by congestion, hollow."""
    for by_link in (True, False):
        parts = [100 * called_link(data, [key], by_link=by_link, receivers=(SHARED,))[0] for key in keys]
        axes.plot(
            places,
            parts,
            color=COLOURS[series],
            marker=MARKERS[series],
            linestyle=LINES[series] if by_link else "none",
            markerfacecolor=None if by_link else "white",
        )


def figure(data: Data) -> Figure:
    """Rate, ratio to TCP, loss by congestion and what losses were taken for, a column for each scheme."""
    drawn, axes = panels(4, len(SCHEMES), width=PAGE_IN, height=7.4, sharex="col", sharey="row")
    places = list(range(len(losses(data))))
    for column, (scheme, name) in enumerate(NAMES.items()):
        top, middle, lower, bottom = axes[:, column]
        for series, rule in enumerate(RULES):
            keys = cases(data, scheme, rule)
            label = RULE_NAMES[rule]
            # Side by side, so that intervals can be told apart.
            beside = [place + 0.08 * (series - 2) for place in places]
            curve(top, beside, [rate(data, key) for key in keys], label=label, series=series)
            curve(middle, beside, [ratio(data, key) for key in keys], label=label, series=series)
            curve(lower, beside, [congestion(data, key) for key in keys], label=label, series=series)
            if rule in REAL:
                confusion(data, bottom, beside, keys, series)
        top.set_title(name)
        middle.set_yscale("log", base=2)
        middle.set_yticks((1, 2, 4, 8, 16), ("1", "2", "4", "8", "16"))
        middle.axhline(1, color="black", linewidth=0.6)
        bottom.set_xticks(places, [f"{100 * loss:g}" for loss in losses(data)])
        bottom.set_xlabel("link loss (%)")
    labels = (
        "session beside TCP\n(kbit/s)",
        "session / TCP",
        "lost by congestion (%)",
        "called link error\nbeside TCP (%)\njoined: link errors\nsingle: congestion",
    )
    for row, label in zip(axes[:, 0], labels, strict=True):
        row.set_ylabel(label)
    axes[0, 0].set_ylim(0, None)
    # So that the marks of zeros are whole.
    axes[2, 0].set_ylim(-0.012, None)
    axes[3, 0].set_ylim(-5, 105)
    drawn.legend(*axes[0, 0].get_legend_handles_labels(), title="rule", loc="outside lower center", ncols=5)
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    gains = ", ".join(f"{NAMES[scheme]} by {plain(gain(scheme, data).value or 0.0, 2)}" for scheme in SCHEMES)
    tcp = [by_none(data, (scheme, "oracle", MOST), TCP).mean for scheme in SCHEMES]
    found = [gain(scheme, data).value or 0.0 for scheme in SCHEMES]
    real = [by_none(data, (scheme, rule, MOST), SHARED).mean for scheme in SCHEMES for rule in REAL]
    return (
        f"Where links lose 1 %, knowing each loss's true cause would multiply a session's rate: {gains}; TCP beside "
        f"it keeps {percent(min(tcp))} to {percent(max(tcp))} of its own. The rules that a receiver can really have "
        f"give {plain(min(real), 2)} to {plain(max(real), 2)} times the rate without one; the truth gives "
        f"{plain(min(found), 2)} to {plain(max(found), 2)}."
    )


EXPERIMENTS = [
    Experiment(
        id="x-loss-differentiation",
        paper="checks",
        place="telling losses apart",
        title="Schemes that tell errors of links from congestion",
        published="With the inter-arrival scheme MLDA gets far more over links with errors; other schemes are not "
        "considered.",
        points=points,
        criteria=CRITERIA,
        numbers=numbers,
        figure=figure,
        says=says,
    )
]
