"""x-operator: what viewers of a film and readers of pages get from a beam, by scheme, queue, load and proxy.

Every case meets the same pages and the same shower with the same seed (`beam`); what is counted is in `measures`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, plain
from faircast.experiments.operator.beam import DURATION_S, FILMS, LOADS, QUEUES, QUICK_S, Case, scenario
from faircast.experiments.operator.measures import DRY, MEASURES, still
from faircast.figures import COLOURS, MARKERS, PAGE_IN, panels
from faircast.statistics import difference

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

SEEDS = 2
SHOWN_LOAD = 0.6
"""The load of which the table tells; all are in the figure and in ``cells.csv``."""
SECONDS = (3, 10, 30, 100)
"""What is written below the figure's axes."""
WORDS = {False: "without proxies", True: "with proxies"}
STEADY_PERCENT = 0.1
"""A picture that stands still for a smaller part of the time stands still for no time that anybody minds."""


def cases(quick: bool) -> list[Case]:
    """All that there are; of ``--quick`` those of one load and of what differs most, and shorter ones."""
    films, queues, loads, duration_s = tuple(FILMS), tuple(QUEUES), tuple(LOADS), DURATION_S
    if quick:
        films, queues, loads, duration_s = ("constant", "rlm", "tfmcc"), ("one", "class"), (SHOWN_LOAD,), QUICK_S
    return [
        Case(film=film, queue=queue, load=load, pep=pep, duration_s=duration_s)
        for load in loads
        for pep in WORDS
        for queue in queues
        for film in films
    ]


def points(quick: bool) -> list[Point]:
    """A run for each case."""
    return [Point(key=case, scenario=scenario(case)) for case in cases(quick)]


def there(data: Data, **wanted: Any) -> list[Case]:
    """The cases that have been run of which these things are wanted."""
    found = (case for case in data.points if isinstance(case, Case))
    return [case for case in found if all(getattr(case, key) == value for key, value in wanted.items())]


def numbers(data: Data) -> Numbers:
    """By queue and scheme what viewers and readers get at one load, with and without proxies."""
    rows = [
        [
            QUEUES[case.queue].title,
            FILMS[case.film].title,
            "yes" if case.pep else "no",
            *(str(of(data, case)) for _, of in MEASURES.values()),
        ]
        for case in there(data, load=SHOWN_LOAD)
    ]
    return Numbers(
        columns=["queue", "film", "proxy", *(title for title, _ in MEASURES.values())],
        rows=rows,
        whole=["film", "proxy"],
        note=f"Pages ask for {100 * SHOWN_LOAD:.0f} % of what the carrier has under a clear sky. Where pages are "
        "unfinished, 95 % of them took at least so long.",
    )


def cells(data: Data) -> list[Mapping[str, Any]]:
    """All cases with means and half widths of their 95 % intervals."""
    return [
        {"film": case.film, "queue": case.queue, "load": case.load, "proxy": int(case.pep)}
        | {
            f"{name}{end}": value
            for name, (_, of) in MEASURES.items()
            for found in [of(data, case)]
            for end, value in (("", found.mean), ("_ci95", found.ci95))
        }
        for case in there(data)
    ]


def figure(data: Data) -> Figure:
    """A panel for each load, without and with proxies: what is shown of the film over how long pages take."""
    loads = [load for load in LOADS if there(data, load=load)]
    drawn, axes = panels(len(WORDS), len(loads), width=PAGE_IN, height=5.4, sharex=True, sharey=True, squeeze=False)
    for row, (pep, words) in zip(axes, WORDS.items(), strict=True):
        for place, load in zip(row, loads, strict=True):
            for case in there(data, load=load, pep=pep):
                draw(place, data, case)
            place.set(xscale="log", title=f"load of pages {100 * load:.0f} %, {words}", xlim=(2, 300), ylim=(-0.1, 4.2))
            place.set_xticks(SECONDS, [f"{second}" for second in SECONDS])
            place.minorticks_off()
        row[0].set_ylabel("film shown, mean over viewers (Mbit/s)")
    for place in axes[-1]:
        place.set_xlabel("95 % of pages are there after (s)")
    drawn.legend(handles=legend(axes[0][0], data), loc="outside lower center", ncols=len(FILMS))
    return drawn


def draw(place: Any, data: Data, case: Case) -> None:
    """The mark of a case: its colour says the scheme, its form the queue."""
    x, y = (MEASURES[name][1](data, case).mean for name in ("page_p95_s", "shown_mbps"))
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


def film_first(data: Data) -> Measured:
    """How long pictures of dry viewers stand still at most where a film that does not adapt goes before all else."""
    found = {case: still(data, case, DRY) for case in there(data, film="constant", queue="class")}
    worst = max(found, key=lambda case: found[case].mean)
    return Measured.of(found[worst], note=f"at a load of {100 * worst.load:.0f} %, {WORDS[worst.pep]}")


def proxies(load: float, data: Data) -> Measured:
    """By how much proxies shorten the time of the median page, where they do so least, in pairs of seeds."""

    def saved(case: Case) -> Any:
        split = case.changed(pep=True)
        return difference(*(data.values(one, "pages", "completion_p50") for one in (case, split)))

    found = {case: saved(case) for case in there(data, load=load, pep=False)}
    if not found:
        return Measured(value=None, judged=False)
    least = min(found, key=lambda case: found[case].mean)
    note = f"least with {FILMS[least.film].title} in {QUEUES[least.queue].title}"
    return Measured.above(found[least], note=note)


def says(data: Data) -> str:
    """What the table and the figure show."""
    best = {
        load: max(there(data, load=load), key=lambda case: MEASURES["shown_mbps"][1](data, case).mean)
        for load in LOADS
        if there(data, load=load)
    }
    parts = [
        f"at {100 * load:.0f} % {plain(MEASURES['shown_mbps'][1](data, case).mean)} Mbit/s "
        f"({FILMS[case.film].title}, {QUEUES[case.queue].title}, {WORDS[case.pep]})"
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
        points=points,
        criteria=[
            Criterion(
                name="the film first, constant layers, dry terminals: part of the time without a moving picture (%)",
                published="none",
                evaluate=film_first,
                high=STEADY_PERCENT,
            ),
            *(
                Criterion(
                    name=f"load {100 * load:.0f} %: what proxies save the median page, the least of all cases (s)",
                    published="none",
                    evaluate=partial(proxies, load),
                    rule="pages come sooner with proxies in every case",
                )
                for load in LOADS
            ),
        ],
        figure=figure,
        numbers=numbers,
        cells=cells,
        says=says,
        reps=SEEDS,
        goes_on=False,
    )
]
