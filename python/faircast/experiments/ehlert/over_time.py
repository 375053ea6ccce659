"""Fig. 2 to 5: MLDA and TCP over time at a receiver that has both, and MLDA where it is alone; BER 1e-8.

Rates are means over 5 s. The runs are those of Table 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from faircast.experiment import Data, Experiment, Measured, Point, plain
from faircast.experiments.ehlert.course import Course, course_of, middles, with_course
from faircast.experiments.ehlert.measures import (
    CELL,
    alone,
    fairness,
    judged,
    of_case,
    part,
    ratio,
    readings,
    shared,
    tcp,
)
from faircast.experiments.ehlert.network import (
    DURATION_S,
    HYBLA_25,
    HYBLA_270,
    LINK_KBPS,
    LOW_BER,
    MAIN,
    RENO,
    SATELLITE,
    TCPS,
    WESTWOOD,
    Case,
    Reading,
)
from faircast.experiments.judging import Statement
from faircast.figures import COLOURS, LINES, PAGE_IN, panels
from faircast.statistics import variation

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from faircast.statistics import Estimate

KBPS = LINK_KBPS[SATELLITE]
DROP = 0.4
"""By which part a rate falls in what counts as a drop."""
Of = Callable[[Course, Case], float]


def points(names: Sequence[str], quick: bool) -> list[Point]:
    """Points of the TCPs that are named, in all readings."""
    cases = (reading.case(name, LOW_BER) for reading in readings(quick) for name in names)
    return [with_course(case) for case in dict.fromkeys(cases)]


def drops(rates: NDArray[np.float64] | Sequence[float]) -> int:
    """How often a series falls by 40 % or more from a maximum before it rises again as much.

    A fall is one however long it goes on; the next maximum begins when the series has come back to the least value
    over 0.6, so that noise between two maxima does not count.
    """
    found, high, low, falling = 0, 0.0, 0.0, False
    for rate in rates:
        if falling:
            low = min(low, rate)
            if rate > 0 and low <= (1 - DROP) * rate:
                falling, high = False, rate
        else:
            high = max(high, rate)
            if high > 0 and rate <= (1 - DROP) * high:
                found, low, falling = found + 1, rate, True
    return found


def drops_of_tcp(course: Course, case: Case) -> float:
    """How often TCP falls."""
    return float(drops(course.rates[case.branches[SATELLITE].tcp]))


def variation_of_tcp(course: Course, case: Case) -> float:
    """The coefficient of variation of TCP."""
    return variation(course.rates[case.branches[SATELLITE].tcp].tolist())


def above(kbps: float, course: Course, case: Case) -> float:
    """In which part of the intervals MLDA where it is alone gets so much or more."""
    return float(np.mean(course.rates[case.branches[SATELLITE].alone] >= kbps))


def over_courses(of: Of, name: str, data: Data, reading: Reading) -> Measured:
    """The mean over the seeds of what `of` makes of each run."""
    case = reading.case(name, LOW_BER)
    return Measured.of(data.over_seeds(lambda seed: of(course_of(data, case, seed), case)))


def percent_of_link(of: Callable[[Data, Case], Estimate], data: Data, case: Case) -> Estimate:
    """A rate as a part of the link."""
    return part(of(data, case))


def reno_and_westwood(data: Data, reading: Reading) -> Measured:
    """What Westwood gets over what Reno gets."""
    reno, westwood = (reading.case(name, LOW_BER) for name in (RENO, WESTWOOD))
    name = reno.branches[SATELLITE].tcp
    note = f"{tcp(data, westwood)} and {tcp(data, reno)} kbit/s"
    return Measured.of(ratio(data, (westwood, name), (reno, name)), note=note)


def saw_teeth(name: str) -> list[tuple[Statement[Reading], tuple[str, ...]]]:
    """What is said of Reno and Westwood."""
    found = [
        Statement(
            name=f"how often TCP {TCPS[name]} falls by 40 % or more from a maximum, per run",
            published="its rate increases, and drops considerably after some time",
            measure=partial(over_courses, drops_of_tcp, name),
            low=3,
        ),
        Statement(
            name="MLDA where it is alone, % of the link",
            published="nearly the full available bandwidth",
            measure=of_case(partial(percent_of_link, alone), name, LOW_BER),
            low=70,
        ),
        Statement(
            name="part of the intervals of 5 s in which MLDA has 60 % of the link or more where it is alone",
            published="short rate reductions now and then",
            measure=partial(over_courses, partial(above, 0.6 * KBPS), name),
            low=0.8,
        ),
    ]
    return [(statement, (name,)) for statement in found]


SIMILAR = (
    Statement(
        name="what TCP Westwood gets divided by what TCP Reno gets in its place",
        published="very similar behaviour",
        measure=reno_and_westwood,
        low=0.85,
        high=1.15,
    ),
    (RENO, WESTWOOD),
)
STATEMENTS_4 = [
    Statement(
        name="TCP Hybla-25, % of the link",
        published="nearly constant at about 50",
        measure=of_case(partial(percent_of_link, tcp), HYBLA_25, LOW_BER),
        low=(1 - CELL) * 50,
        high=(1 + CELL) * 50,
    ),
    Statement(
        name="variation of TCP Hybla-25 over intervals of 5 s",
        published="nearly constant",
        measure=partial(over_courses, variation_of_tcp, HYBLA_25),
        high=0.3,
    ),
    Statement(
        name="MLDA beside TCP Hybla-25, % of the link",
        published="suffers severely",
        measure=of_case(partial(percent_of_link, shared), HYBLA_25, LOW_BER),
        high=25,
    ),
    Statement(
        name="part of the intervals of 5 s in which MLDA has half of the link or more where it is alone",
        published="very seldom more than half",
        measure=partial(over_courses, partial(above, 0.5 * KBPS), HYBLA_25),
        high=0.4,
    ),
]
STATEMENTS_5 = [
    Statement(
        name="MLDA where it is alone, % of the link",
        published="nearly at the upper limit",
        measure=of_case(partial(percent_of_link, alone), HYBLA_270, LOW_BER),
        low=70,
    ),
    Statement(
        name="TCP Hybla-270 divided by MLDA beside it, f",
        published="approximately equal",
        measure=of_case(fairness, HYBLA_270, LOW_BER),
        low=1 - CELL,
        high=1 + CELL,
    ),
]


def median_seed(data: Data, case: Case) -> int:
    """The seed whose run is in the middle by what TCP gets; of an even number the lower of the two."""
    name = case.branches[SATELLITE].tcp
    by_rate = sorted(data.seeds, key=lambda seed: (data.run(case, seed)[name, "rate_all"], seed))
    return by_rate[(len(by_rate) - 1) // 2]


def figure(name: str, data: Data) -> Figure:
    """The median run: rates of the receivers, and below what the source sent on each layer."""
    case = MAIN.case(name, LOW_BER)
    seed = median_seed(data, case)
    course, place, times = course_of(data, case, seed), case.branches[SATELLITE], middles()
    drawn, (upper, lower) = panels(2, 1, width=PAGE_IN, height=4.2, sharex=True, height_ratios=(1.6, 1))
    series = {
        "MLDA at receiver 2, where it is alone": (course.rates[place.alone], COLOURS[0], LINES[0], 1.2),
        "MLDA at receiver 1": (course.rates[place.shared], COLOURS[1], LINES[0], 1.2),
        f"TCP {TCPS[name]} at receiver 1": (course.rates[place.tcp], COLOURS[2], LINES[1], 1.2),
    }
    for label, (rates, colour, dashes, width) in series.items():
        upper.plot(times, rates, label=label, color=colour, linestyle=dashes, linewidth=width)
    for limit, words in ((KBPS, "link"), (0.9 * KBPS, "90 %")):
        upper.axhline(limit, color="black", linewidth=0.6, linestyle=LINES[2])
        upper.annotate(words, (DURATION_S, limit), textcoords="offset points", xytext=(3, -2), fontsize=6)
    upper.set(ylabel="rate (kbit/s)", ylim=(0, 1.08 * KBPS), xlim=(0, DURATION_S))
    upper.set_title(f"means over 5 s, seed {seed}: the median run by what TCP gets", loc="left")
    upper.legend(loc="lower left", bbox_to_anchor=(0, 1.1), ncols=3)
    lower.stackplot(
        times,
        course.layers,
        colors=["#4d4d4d", "#8c8c8c", "#bfbfbf", "#d9d9d9", "#e8e8e8"],
        labels=[f"layer {number + 1}" for number in range(len(course.layers))],
        linewidth=0,
    )
    lower.set(xlabel="time (s)", ylabel="sent (kbit/s)", ylim=(0, 1.08 * KBPS))
    lower.set_title("what the source sends on the layers, one upon the other", loc="left")
    lower.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=len(course.layers))
    return drawn


def says(name: str, data: Data) -> str:
    """What the figure shows."""
    case = MAIN.case(name, LOW_BER)
    rates = [part(of(data, case)).mean for of in (tcp, shared, alone)]
    often = data.over_seeds(lambda seed: drops_of_tcp(course_of(data, case, seed), case)).mean
    return (
        f"TCP {TCPS[name]} gets {plain(rates[0], 2)} % of the link and falls by 40 % or more {plain(often, 2)} times "
        f"in 600 s; MLDA gets {plain(rates[1], 2)} % beside it and {plain(rates[2], 2)} % where it is alone."
    )


EXPERIMENTS = [
    Experiment(
        id="ehlert-fig2",
        paper="ehlert",
        place="Figure 2",
        title="MLDA and TCP Reno over a satellite",
        published="TCP rises slowly and drops; alone, MLDA has nearly the whole link, with short reductions.",
        points=partial(points, (RENO,)),
        criteria=[judged(*statement) for statement in saw_teeth(RENO)],
        figure=partial(figure, RENO),
        says=partial(says, RENO),
    ),
    Experiment(
        id="ehlert-fig3",
        paper="ehlert",
        place="Figure 3",
        title="MLDA and TCP Westwood over a satellite",
        published="The behaviour is very similar to that with Reno.",
        points=partial(points, (WESTWOOD, RENO)),
        criteria=[judged(*statement) for statement in (SIMILAR, *saw_teeth(WESTWOOD))],
        figure=partial(figure, WESTWOOD),
        says=partial(says, WESTWOOD),
    ),
    Experiment(
        id="ehlert-fig4",
        paper="ehlert",
        place="Figure 4",
        title="MLDA and TCP Hybla with an RTT_0 of 25 ms over a satellite",
        published="TCP has about half of the link all the time and MLDA suffers, where it is alone, too.",
        why="Where MLDA is alone it loses next to nothing, so its share is 90 % of the link whatever TCP does behind "
        "another downlink, and it holds all layers. Half of the link is what two of three layers carry: the "
        "paper's series needs something that keeps that receiver from the third while TCP is elsewhere, and of all "
        "assumptions in ehlert-x4 only one uplink for all comes near it, and that with other numbers wrong. TCP is "
        "not constant: MLDA's share grows into what it leaves, then the queue overflows, and Hybla, which grows "
        "fast, overflows it again and again. For a constant 144 kbit/s it needs a limit of its own, such as fewer "
        "acknowledgements, and every packet acknowledged gives 110.",
        points=partial(points, (HYBLA_25,)),
        criteria=[judged(statement, (HYBLA_25,)) for statement in STATEMENTS_4],
        figure=partial(figure, HYBLA_25),
        says=partial(says, HYBLA_25),
    ),
    Experiment(
        id="ehlert-fig5",
        paper="ehlert",
        place="Figure 5",
        title="MLDA and TCP Hybla with an RTT_0 of 270 ms over a satellite",
        published="TCP and MLDA get about the same; where it is alone MLDA is nearly at its upper limit.",
        why="MLDA uses the loss of the last 8 intervals and so is still low when TCP has recovered: it gets "
        "half of what TCP gets. In ehlert-x4 f is near 1 with the loss of one interval, with a queue of 200 "
        "packets, and with a TCP window of 32 packets, for which the paper has 64. One of the first two would have "
        "to be true; but with one interval Reno gets a third of what MLDA gets, and with the longer queue Hybla-25 "
        "gets less than MLDA.",
        points=partial(points, (HYBLA_270,)),
        criteria=[judged(statement, (HYBLA_270,)) for statement in STATEMENTS_5],
        figure=partial(figure, HYBLA_270),
        says=partial(says, HYBLA_270),
    ),
]
