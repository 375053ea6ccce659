"""x-operator: what viewers of a film and readers of pages get from a beam, by scheme, queue, load and proxy.

Every case meets the same pages and the same shower with the same seed (`beam`); what is counted is in `measures`,
and what is expected in `claims`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Axis, Data, Experiment, Numbers, Point, plain
from faircast.experiments.operator.beam import DURATION_S, FILMS, LOADS, QUEUES, QUICK_S, Case, scenario
from faircast.experiments.operator.claims import CRITERIA, PROXIES
from faircast.experiments.operator.measures import MEASURES
from faircast.figures import COLOURS, MARKERS, PAGE_IN, panels

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure

SEEDS = 4
SHOWN_LOAD = 0.6
"""The load of which the table tells; all are in the figure and in ``cells.csv``."""
SECONDS = (3, 10, 30, 100)
"""What is written below the figure's axes."""
AXES = (
    Axis(name="film", values={film: film for film in FILMS}),
    Axis(name="queue", values={queue: queue for queue in QUEUES}),
    Axis(name="load", values={f"{100 * load:.0f}%": load for load in LOADS}),
    Axis(name="proxy", values={"no": False, "yes": True}),
)
"""What it can be narrowed to."""
FEW: dict[str, tuple[Any, ...]] = {
    "film": ("constant", "rlm", "tfmcc"),
    "queue": ("one", "class"),
    "load": (SHOWN_LOAD,),
    "proxy": tuple(PROXIES),
}
"""Of each axis what ``--quick`` has."""


def cases(quick: bool, only: Mapping[str, Sequence[Any]] | None = None) -> list[Case]:
    """All that there are, or those with the wanted values of some axes.

    With ``--quick`` they are shorter, and of axes that are not named those values that differ most.
    """
    films, queues, loads, proxies = (
        (only or {}).get(axis.name, FEW[axis.name] if quick else tuple(axis.values.values())) for axis in AXES
    )
    return [
        Case(film=film, queue=queue, load=load, pep=pep, duration_s=QUICK_S if quick else DURATION_S)
        for load in loads
        for pep in proxies
        for queue in queues
        for film in films
    ]


def points(quick: bool, only: Mapping[str, Sequence[Any]] | None = None) -> list[Point]:
    """A run for each case."""
    return [Point(key=case, scenario=scenario(case)) for case in cases(quick, only)]


def narrowed(only: Mapping[str, Sequence[Any]]) -> Callable[[bool], Sequence[Point]]:
    """What takes the place of `points` with ``--only``."""
    return partial(points, only=only)


def there(data: Data, **wanted: Any) -> list[Case]:
    """The cases that have been run of which these things are wanted."""
    found = (case for case in data.points if isinstance(case, Case))
    return [case for case in found if all(getattr(case, key) == value for key, value in wanted.items())]


def numbers(data: Data) -> Numbers:
    """By queue and scheme what viewers and readers get at one load, with and without proxies.

    The load is `SHOWN_LOAD`, or the first one if that was not run.
    """
    shown = SHOWN_LOAD if there(data, load=SHOWN_LOAD) else there(data)[0].load
    rows = [
        [
            QUEUES[case.queue].title,
            FILMS[case.film].title,
            "yes" if case.pep else "no",
            *(str(measure.over_seeds(data, case)) for measure in MEASURES.values()),
        ]
        for case in there(data, load=shown)
    ]
    return Numbers(
        columns=["queue", "film", "proxy", *(measure.title for measure in MEASURES.values())],
        rows=rows,
        whole=["film", "proxy"],
        note=f"Pages ask for {100 * shown:.0f} % of what the carrier has under a clear sky. Where pages are "
        "unfinished, 95 % of them took at least so long.",
    )


def cells(data: Data) -> list[Mapping[str, Any]]:
    """All cases with means and half widths of their 95 % intervals."""
    return [
        {"film": case.film, "queue": case.queue, "load": case.load, "proxy": int(case.pep)}
        | {
            f"{name}{end}": value
            for name, measure in MEASURES.items()
            for found in [measure.over_seeds(data, case)]
            for end, value in (("", found.mean), ("_ci95", found.ci95))
        }
        for case in there(data)
    ]


def figure(data: Data) -> Figure:
    """A panel for each load, without and with proxies: what is shown of the film over how long pages take."""
    loads = [load for load in LOADS if there(data, load=load)]
    peps = [pep for pep in PROXIES if there(data, pep=pep)]
    height = 0.8 + 2.3 * len(peps)
    drawn, axes = panels(len(peps), len(loads), width=PAGE_IN, height=height, sharex=True, sharey=True, squeeze=False)
    for row, pep in zip(axes, peps, strict=True):
        for place, load in zip(row, loads, strict=True):
            for case in there(data, load=load, pep=pep):
                draw(place, data, case)
            place.set(
                xscale="log", title=f"load of pages {100 * load:.0f} %, {PROXIES[pep]}", xlim=(2, 300), ylim=(-0.1, 4.2)
            )
            place.set_xticks(SECONDS, [f"{second}" for second in SECONDS])
            place.minorticks_off()
        row[0].set_ylabel("film shown, mean over viewers (Mbit/s)")
    for place in axes[-1]:
        place.set_xlabel("95 % of pages are there after (s)")
    drawn.legend(handles=legend(axes[0][0], data), loc="outside lower center", ncols=len(FILMS))
    return drawn


def draw(place: Any, data: Data, case: Case) -> None:
    """The mark of a case: its colour says the scheme, its form the queue."""
    x, y = (MEASURES[name].over_seeds(data, case).mean for name in ("page_p95_s", "shown_mbps"))
    place.plot([x], [y], **mark(case.film, case.queue))


def mark(film: str | None, queue: str | None) -> dict[str, Any]:
    """How a scheme and a queue look; without one of them in grey, or as a disc."""
    colour = "#555555" if film is None else COLOURS[list(FILMS).index(film)]
    form = "o" if queue is None else MARKERS[list(QUEUES).index(queue)]
    return {"color": colour, "marker": form, "markersize": 5, "linestyle": "none", "markerfacecolor": "none"}


def legend(place: Any, data: Data) -> list[Any]:
    """Schemes by colour, then queues by form."""
    films = {case.film for case in there(data)}
    queues = {case.queue for case in there(data)}
    of_films = [
        place.plot(
            [],
            [],
            label=one.title,
            **(mark(film, None) | {"marker": "s", "markerfacecolor": mark(film, None)["color"]}),
        )[0]
        for film, one in FILMS.items()
        if film in films
    ]
    of_queues = [
        place.plot([], [], label=one.title, **mark(None, queue))[0] for queue, one in QUEUES.items() if queue in queues
    ]
    return [*of_films, *of_queues]


def says(data: Data) -> str:
    """What the table and the figure show."""
    best = {
        load: max(there(data, load=load), key=lambda case: MEASURES["shown_mbps"].over_seeds(data, case).mean)
        for load in LOADS
        if there(data, load=load)
    }
    parts = [
        f"at {100 * load:.0f} % {plain(MEASURES['shown_mbps'].over_seeds(data, case).mean)} Mbit/s "
        f"({FILMS[case.film].title}, {QUEUES[case.queue].title}, {PROXIES[case.pep]})"
        for load, case in best.items()
    ]
    return f"The most of the film is shown {'; '.join(parts)}."


EXPERIMENTS = [
    Experiment(
        id="x-operator",
        paper="operator",
        place="a beam",
        title="A film to 300 terminals beside web traffic: schemes, queues, loads and proxies",
        published="A film that goes before all else plays whatever pages ask for, and proxies shorten pages.",
        why="With all cases and four seeds proxies lengthen the median page at 90 % in three of 25, TFMCC and SMCC in "
        "CoDel and SMCC in drop-tail of a quarter BDP; what they save of 95 % of the pages behind the film at 60 % "
        "differs too much from seed to seed.",
        points=points,
        criteria=CRITERIA,
        figure=figure,
        numbers=numbers,
        cells=cells,
        says=says,
        reps=SEEDS,
        goes_on=False,
        axes=AXES,
        narrowed=narrowed,
    )
]
