"""x-link-errors: losses on last hops told from congestion by trip times: what it gives, and what it costs others.

TFMCC beside a TCP as Linux has it, where last hops lose 2 % of all packets, and where all loss is congestion; with each
rule in the network of the criterion, and with Spike in many others. A rule is worth having that gets half of what the
truth would get where hops lose packets, and takes at most 1.2 times its share where they do not. The other schemes that
differentiate stand beside.

In the network of the criterion what a rule takes is held against an equal share, in the others against the rate without
a rule: there TFMCC has more or less than its share whatever the rule, so that a share says nothing of a rule.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, percent, plain
from faircast.experiments.checks.link_errors_network import (
    CRITERION,
    DROP_TAIL,
    EARLY,
    FILM,
    NETWORKS,
    TCP,
    scenario,
)
from faircast.experiments.checks.loss_differentiation import GAUGES
from faircast.figures import COLOURS, MARKERS, PAGE_IN, curve, panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from faircast.statistics import Estimate

LOSS = 0.02
HALF, MOST = 0.5, 1.2
"""The part of what the truth would get that a rule has to get, and how many times its share it may take."""
NONE, SPIKE, TRUTH = "none", "spike", "oracle"
RULES: dict[str, dict[str, str]] = {
    NONE: {"rule": "none"},
    "ias": {"rule": "ias"},
    "mbiaz": {"rule": "mbiaz"},
    "zigzag": {"rule": "zigzag"},
    "spike-session": {"rule": "spike", "window": "session"},
    SPIKE: {"rule": "spike"},
    TRUTH: {"rule": "oracle"},
}
RULE_NAMES = {
    NONE: "none",
    "ias": "IAS",
    "mbiaz": "mBiaz",
    "zigzag": "ZigZag",
    "spike-session": "Spike, whole session",
    SPIKE: "Spike",
    TRUTH: "the truth",
}
BY_LOSS = {0.0: (NONE, SPIKE), LOSS: (SPIKE, TRUTH)}
"""The rules that run in all networks, by what last hops lose: what they are held against, too."""
TFMCC = "tfmcc"
SCHEMES: dict[str, dict[str, Any]] = {
    TFMCC: {"scheme": "tfmcc"},
    "omcc": {"scheme": "omcc"},
    "smcc": {"scheme": "smcc", "base_rate": "500 kbit/s", "layers": 5},
    "mlda": {"scheme": "mlda", "packet_size": "1000 B", "layers": 3, "reports_to": "sender"},
}
NAMES = {TFMCC: "TFMCC", "omcc": "OMCC", "smcc": "SMCC", "mlda": "MLDA"}


class Case(NamedTuple):
    """One network with one session."""

    network: str
    """A key of `NETWORKS`."""
    scheme: str
    """A key of `SCHEMES`."""
    rule: str
    """A key of `RULES`."""
    loss: float
    """The part of packets that last hops lose."""


def points(quick: bool) -> list[Point]:
    """Every rule in the network of the criterion, and those that run everywhere in the others."""
    cases = [
        Case(network, TFMCC, rule, loss)
        for network in ((CRITERION,) if quick else NETWORKS)
        for loss in (0.0, LOSS)
        for rule in (RULES if network == CRITERION else BY_LOSS[loss])
    ]
    others = [scheme for scheme in SCHEMES if scheme != TFMCC]
    cases += [
        Case(CRITERION, scheme, rule, loss)
        for scheme in (() if quick else others)
        for loss, chosen in BY_LOSS.items()
        for rule in chosen
    ]
    return [
        Point(key=case, scenario=scenario(case.network, SCHEMES[case.scheme], RULES[case.rule], case.loss))
        for case in cases
    ]


def film(data: Data, case: Case, seed: int) -> float:
    """What a receiver gets in the mean, bit/s."""
    run = data.run(case, seed)
    receivers = NETWORKS[case.network].receivers
    return math.fsum(run[f"{FILM}-{receiver}", "rate"] for receiver in range(receivers)) / receivers


def tcp(data: Data, case: Case, seed: int) -> float:
    """What a TCP gets in the mean, bit/s."""
    run = data.run(case, seed)
    tcps = NETWORKS[case.network].tcps
    return math.fsum(run[f"{TCP}-{number}", "rate"] for number in range(tcps)) / tcps


def gain(data: Data, case: Case) -> Estimate:
    """The rate where hops lose packets by that with the truth, seed by seed."""
    truth = case._replace(rule=TRUTH)
    return data.over_seeds(lambda seed: film(data, case, seed) / film(data, truth, seed))


def harm(data: Data, case: Case) -> Estimate:
    """The rate where all loss is congestion by that without differentiation, seed by seed."""
    without = case._replace(rule=NONE)
    return data.over_seeds(lambda seed: film(data, case, seed) / film(data, without, seed))


def of_share(data: Data, case: Case) -> Estimate:
    """The rate by an equal share of what all get together at the bottleneck."""

    def one(seed: int) -> float:
        tcps = NETWORKS[case.network].tcps
        own = film(data, case, seed)
        return own * (tcps + 1) / (own + tcps * tcp(data, case, seed))

    return data.over_seeds(one)


def called_link(data: Data, case: Case, *, by_link: bool) -> float:
    """Of all losses of one cause, of all receivers and seeds, the part that was called an error of a link."""
    taken = {
        called: math.fsum(data.run(case, seed)[FILM, GAUGES[by_link, called]] for seed in data.seeds)
        for called in (True, False)
    }
    total = math.fsum(taken.values())
    return taken[True] / total if total else math.nan


def mbps(data: Data, case: Case) -> Estimate:
    """What a receiver gets in the mean, Mbit/s."""
    return data.over_seeds(lambda seed: film(data, case, seed) / 1e6)


def tcp_mbps(data: Data, case: Case) -> Estimate:
    """What a TCP gets in the mean, Mbit/s."""
    return data.over_seeds(lambda seed: tcp(data, case, seed) / 1e6)


def one_gain(rule: str, data: Data) -> Measured:
    """What a rule gets of what the truth would get, in the network of the criterion."""
    case = Case(CRITERION, TFMCC, rule, LOSS)
    truth = case._replace(rule=TRUTH)
    note = f"{mbps(data, case)} of {mbps(data, truth)} Mbit/s, beside a TCP of {tcp_mbps(data, case)}"
    return Measured.of(gain(data, case), note=note)


def one_share(rule: str, data: Data) -> Measured:
    """What a rule takes where all loss is congestion, by its share, in the network of the criterion."""
    case = Case(CRITERION, TFMCC, rule, 0.0)
    note = f"{harm(data, case)} times what it has without a rule"
    return Measured.of(of_share(data, case), note=note)


def there(data: Data, networks: dict[str, Any], loss: float) -> list[Case]:
    """The cases of Spike in these networks that have been run."""
    cases = [Case(network, TFMCC, SPIKE, loss) for network in networks]
    return [case for case in cases if case in data.points]


def least_gain(networks: dict[str, Any], data: Data) -> Measured:
    """What Spike gets of what the truth would get, in the network where that is least."""
    found = {case: gain(data, case) for case in there(data, networks, LOSS)}
    least = min(found, key=lambda case: found[case].mean, default=None)
    return worst(found, least, "least", networks)


def most_harm(networks: dict[str, Any], data: Data) -> Measured:
    """What Spike takes without link loss by what the session has without a rule, in the network where that is most.

    A network in which nobody lost a packet says nothing of a rule for losses.
    """
    cases = there(data, networks, 0.0)
    found = {case: harm(data, case) for case in cases if not math.isnan(called_link(data, case, by_link=False))}
    most = max(found, key=lambda case: found[case].mean, default=None)
    unharmed = [NETWORKS[case.network].title for case in cases if case not in found]
    more = f"; no packet was lost, which says nothing: {', '.join(unharmed)}" if unharmed else ""
    judged = worst(found, most, "most", networks, left_out=len(unharmed))
    return replace(judged, note=judged.note + more)


def worst(
    found: dict[Case, Estimate], case: Case | None, word: str, networks: dict[str, Any], left_out: int = 0
) -> Measured:
    """The worst of all networks; of only some of them it is told, as any other may be worse."""
    if case is None:
        return Measured(value=None, judged=False, note="these runs are left out")
    measured = Measured.of(found[case], note=f"{word} with {NETWORKS[case.network].title}; {listed(found, case)}")
    missing = len(networks) - len(found) - left_out
    if not missing:
        return measured
    return replace(measured, judged=False, note=f"{measured.note}; {missing} networks are left out")


def listed(found: dict[Case, Estimate], worst: Case) -> str:
    """All the others."""
    return ", ".join(f"{NETWORKS[case.network].title} {value}" for case, value in found.items() if case != worst)


def scheme_gain(scheme: str, data: Data) -> Measured:
    """What another scheme gets with Spike of what it would get with the truth, and what it takes without link loss."""
    case = Case(CRITERION, scheme, SPIKE, LOSS)
    if case not in data.points:
        return Measured(value=None, judged=False, note="these runs are left out")
    taken = harm(data, case._replace(loss=0.0))
    note = f"where all loss is congestion {taken} times what it has without a rule"
    return Measured.of(gain(data, case), note=note)


CRITERIA = [
    Criterion(
        name="Spike, TFMCC beside Reno, 2 % lost on last hops: rate by that with the truth",
        published="at least half",
        evaluate=partial(one_gain, SPIKE),
        low=HALF,
    ),
    Criterion(
        name="Spike, TFMCC beside Reno, all loss is congestion: rate by an equal share",
        published="at most 1.2",
        evaluate=partial(one_share, SPIKE),
        high=MOST,
    ),
    Criterion(
        name="Spike, all networks with drop-tail queues, 2 % lost: rate by that with the truth, least",
        published="at least half",
        evaluate=partial(least_gain, DROP_TAIL),
        low=HALF,
    ),
    Criterion(
        name="Spike, the same, all loss is congestion: rate by that without a rule, largest",
        published="at most 1.2",
        evaluate=partial(most_harm, DROP_TAIL),
        high=MOST,
    ),
    Criterion(
        name="Spike, queues that drop early, 2 % lost: rate by that with the truth, least",
        published="at least half",
        evaluate=partial(least_gain, EARLY),
        low=HALF,
        soft=True,
    ),
    Criterion(
        name="Spike, queues that drop early, all loss is congestion: rate by that without a rule, largest",
        published="at most 1.2",
        evaluate=partial(most_harm, EARLY),
        high=MOST,
        soft=True,
    ),
    *(
        Criterion(
            name=f"{RULE_NAMES[rule]}, TFMCC beside Reno, 2 % lost on last hops: rate by that with the truth",
            published="not stated",
            evaluate=partial(one_gain, rule),
        )
        for rule in RULES
        if rule not in (SPIKE, TRUTH)
    ),
    *(
        Criterion(
            name=f"{RULE_NAMES[rule]}, TFMCC beside Reno, all loss is congestion: rate by an equal share",
            published="not stated",
            evaluate=partial(one_share, rule),
        )
        for rule in RULES
        if rule != SPIKE
    ),
    *(
        Criterion(
            name=f"Spike, {NAMES[scheme]} beside Reno, 2 % lost on last hops: rate by that with the truth",
            published="not stated",
            evaluate=partial(scheme_gain, scheme),
        )
        for scheme in SCHEMES
        if scheme != TFMCC
    ),
]


def numbers(data: Data) -> Numbers:
    """Rates, what they are of the truth's and of the share, and what was called a link error."""
    every: list[Any] = data.keys()
    rows = []
    for case in every:
        ratio = str(gain(data, case) if case.loss else harm(data, case))
        parts = [called_link(data, case, by_link=by_link) for by_link in (True, False)]
        rows.append(
            [
                f"{NAMES[case.scheme]}, {RULE_NAMES[case.rule]}",
                NETWORKS[case.network].title,
                plain(100 * case.loss),
                str(mbps(data, case)),
                str(tcp_mbps(data, case)),
                *((ratio, "") if case.loss else ("", ratio)),
                str(of_share(data, case)),
                *("" if math.isnan(part) else percent(part) for part in parts),
            ]
        )
    columns = [
        "scheme, rule",
        "network",
        "link loss, %",
        "a receiver, Mbit/s",
        "a TCP, Mbit/s",
        "by that with the truth",
        "by that without a rule",
        "by an equal share",
        "link errors called so",
        "congestion called link error",
    ]
    return Numbers(columns=columns, rows=rows, whole=["network"])


def figure(data: Data) -> Figure:
    """Every rule in the network of the criterion, and Spike in all networks."""
    every = len({case.network for case in there(data, NETWORKS, LOSS)}) > 1
    drawn, axes = panels(2, 2 if every else 1, width=PAGE_IN, height=6.2, sharey="row", squeeze=False)
    rules(axes[0][0], data, [rule for rule in RULES if rule != TRUTH], LOSS)
    rules(axes[1][0], data, list(RULES), 0.0)
    if every:
        networks(axes[0][1], data, LOSS)
        networks(axes[1][1], data, 0.0)
    axes[0][0].set(
        title="network of the criterion, by rule", ylabel="2 % lost on last hops:\nrate by that with the truth"
    )
    axes[1][0].set_ylabel("all loss is congestion:\nrate by that without a rule")
    for row, limit, word in zip(axes, (HALF, MOST), ("at least", "at most"), strict=True):
        for place in row:
            place.axhline(limit, color="black", linewidth=0.6, linestyle=(0, (4, 3)))
            place.set_ylim(0, None)
        row[0].annotate(
            f"{word} {limit:g}", (0, limit), textcoords="offset points", xytext=(0, 3), fontsize=7, ha="center"
        )
    if every:
        axes[0][1].set_title("Spike, by network; hollow: queues that drop early")
    return drawn


def rules(place: Axes, data: Data, chosen: list[str], loss: float) -> None:
    """The ratio of each rule."""
    of = gain if loss else harm
    found = [of(data, Case(CRITERION, TFMCC, rule, loss)) for rule in chosen]
    curve(place, list(range(len(chosen))), found, label="", series=0, joined=False)
    place.set_xticks(range(len(chosen)), [RULE_NAMES[rule] for rule in chosen], rotation=90)


def networks(place: Axes, data: Data, loss: float) -> None:
    """The ratio of Spike in each network."""
    of = gain if loss else harm
    cases = there(data, NETWORKS, loss)
    for number, case in enumerate(cases):
        value = of(data, case)
        place.errorbar(
            [number],
            [value.mean],
            yerr=[value.ci95 or 0.0],
            color=COLOURS[1],
            marker=MARKERS[1],
            markerfacecolor="white" if case.network in EARLY else None,
            linestyle="none",
        )
    place.set_xticks(range(len(cases)), [NETWORKS[case.network].title for case in cases], rotation=90)


def says(data: Data) -> str:
    """What the figure shows."""
    case = Case(CRITERION, TFMCC, SPIKE, LOSS)
    clean = case._replace(loss=0.0)
    without = mbps(data, case._replace(rule=NONE))
    return (
        f"Where last hops lose 2 % of all packets TFMCC gets {mbps(data, case)} Mbit/s with Spike, {without} without a "
        f"rule and {mbps(data, case._replace(rule=TRUTH))} with the truth; where all loss is congestion it gets "
        f"{of_share(data, clean)} times its share."
    )


EXPERIMENTS = [
    Experiment(
        id="x-link-errors",
        paper="checks",
        place="link errors by trip times",
        title="Losses on last hops told from congestion by trip times",
        published="A rule that hosts can use gets at least half of what the truth would get, and takes at most 1.2 "
        "times its share where all loss is congestion.",
        why="Over 160 and 560 ms, with fast clocks and with steps of the way too many losses of links are taken for "
        "congestion, and steps of 100 ms hide full queues.",
        points=points,
        criteria=CRITERIA,
        numbers=numbers,
        figure=figure,
        says=says,
    )
]
