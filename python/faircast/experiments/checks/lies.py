"""x-lies: what receivers that lie do to the honest ones, in every scheme, with what is known against it and without.

A bottleneck of 2 Mbit/s with a Reno flow, whose window bounds it to half of that, and a session of three honest
receivers and one that lies from 60 s on, or a thousand that do. Everybody is behind that bottleneck, so in truth nobody
is worse off than another. Measured is what the honest receivers get from 100 s on, and what the Reno flow gets, each
divided by the same without a lie.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from faircast.arrow import to_arrow
from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed
from faircast.figures import COLOURS, PAGE_IN, panels
from faircast.statistics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from faircast._native import RawResult

HONEST, MANY = 3, 1000
LIE_S, END_S, STEP_S = 60, 300, 10
FACTOR = 2.0
LEAST_BPS = 10_000
"""Less than this the Reno flow cannot lose."""

SCHEMES: dict[str, tuple[str, dict[str, Any]]] = {
    "tfmcc": ("TFMCC", {"scheme": "tfmcc"}),
    "omcc": ("OMCC", {"scheme": "omcc"}),
    "pgmcc": ("pgmcc", {"scheme": "pgmcc"}),
    "smcc": ("SMCC", {"scheme": "smcc"}),
    "mlda": ("MLDA", {"scheme": "mlda"}),
    "rlm": ("RLM", {"scheme": "rlm"}),
    "blocking": ("layer blocking", {"scheme": "layer-blocking"}),
}
"""The schemes as readers see them, and their sessions."""
KNOWN: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "tfmcc": ({"exclude_below": "100 kbit/s"}, {}),
    "omcc": ({"exclude_below": "100 kbit/s"}, {}),
    "pgmcc": ({"exclude_below": "100 kbit/s"}, {"bar": "0 s"}),
    "mlda": ({"exclude_below": "100 kbit/s"}, {}),
    "rlm": ({}, {"max_hold": "1000000 s"}),
}
"""What brings in what is known against lies, where there is something, and what takes it out."""
LIES: dict[str, tuple[str, dict[str, Any]]] = {
    "none": ("no lie", {}),
    "crowd": (f"no lie, {HONEST + MANY} receivers", {}),
    "loss": ("false loss", {"what": "loss"}),
    "nothing": ("all is lost", {"what": "nothing"}),
    "contradiction": ("contradiction", {"what": "contradiction"}),
    "late": ("false time", {"what": "late"}),
    "flapping": ("joins and leaves", {"what": "flapping"}),
    "acknowledge": ("hides losses", {"what": "acknowledge"}),
    "silence": ("silence", {"what": "silence"}),
    "flood": ("floods", {"what": "flood", "period": "10 ms"}),
    "many": (f"{MANY} say: all is lost", {"what": "nothing", "liars": MANY}),
}
"""The lies as readers see them, and what a scenario says of each. A thousand liars are compared with as many honest."""
TOLD = [lie for lie in LIES if LIES[lie][1]]
CONSISTENT = ("loss", "late")
"""Lies that no source can tell from a receiver with a bad link: it is to follow them."""
BY_ITSELF = ("acknowledge",)
"""Lies that nobody can tell where receivers choose their layers by themselves: to join asks nobody."""
UNKNOWN: dict[str, tuple[str, ...]] = {
    scheme: (*CONSISTENT, *(BY_ITSELF if scheme in ("mlda", "rlm") else ())) for scheme in KNOWN
}
"""Against which lies nothing is known, where against others something is."""

Key = tuple[str, str, bool]
"""Scheme, lie, and whether what is known against lies is there."""


def scenario(scheme: str, lie: str, guarded: bool) -> dict[str, Any]:
    """The bottleneck with a Reno flow and a session."""
    told = LIES[lie][1]
    receivers = HONEST + (MANY if lie == "crowd" else told.get("liars", 1) if told else 0)
    member: dict[str, Any] = {"nodes": [f"right-{1 + n}" for n in range(receivers)]}
    if told:
        member["lie"] = {**told, "after": f"{LIE_S} s"}
    session = {**SCHEMES[scheme][1], **KNOWN.get(scheme, ({}, {}))[not guarded]}
    return {
        "format": 1,
        "name": f"x-lies-{scheme}-{lie}{'' if guarded else '-without'}",
        "duration": f"{END_S} s",
        "warmup": "100 s",
        "topology": {
            "kind": "dumbbell",
            "left": 2,
            "right": 1 + receivers,
            "access": {"rate": "20 Mbit/s", "delay": "2 ms"},
        },
        "links": {
            "bottleneck": {
                "rate": "2 Mbit/s",
                "delay": "20 ms",
                "queue": {"kind": "red", "limit": "50 packets", "min_th": "5 packets", "max_th": "25 packets"},
                **({"agent": {"kind": "layer-blocking"}} if scheme == "blocking" else {}),
            }
        },
        "flows": {"tcp": {"kind": "tcp", "variant": "reno", "wnd": "6 packets", "from": "left-0", "to": "right-0"}},
        "sessions": {"film": {**session, "source": "left-1", "receivers": member}},
        "probes": {"interval": f"{STEP_S} s", "links": False},
    }


def course(raw: RawResult) -> tuple[list[float], list[float], int]:
    """What the honest receivers got over time: seconds, and their mean in bit/s; how often one of them was excluded."""
    tables = raw.tables()
    sums: dict[float, list[float]] = {}
    honest = {f"film-{n}" for n in range(HONEST)}
    for row in to_arrow(tables["receivers"]).to_pylist():
        if row["receiver"] in honest:
            sums.setdefault(row["t_s"], []).append(row["goodput_bps"])
    times = sorted(sums)
    events = to_arrow(tables["events"]).select(["event", "receiver"]).to_pylist()
    excluded = sum(row["event"] == "receiver-excluded" and row["receiver"] in honest for row in events)
    return times, [sum(sums[t_s]) / len(sums[t_s]) for t_s in times], excluded


def points(quick: bool) -> list[Point]:
    """Every scheme and lie, and once more without what is known against it."""
    lies = ("none", "loss", "nothing", "flood") if quick else tuple(LIES)
    keys = [(scheme, lie, guarded) for scheme in SCHEMES for lie in lies for guarded in (True, False)]
    return [
        Point(key=key, scenario=scenario(*key), reduce=course, kept_as="course")
        for key in keys
        if key[2] or key[0] in KNOWN
    ]


def of_honest(data: Data, key: Key, seed: int) -> float:
    """Mean goodput of the honest receivers, bit/s."""
    run = data.run(key, seed)
    return sum(run[f"film-{n}", "goodput"] for n in range(HONEST)) / HONEST


def ratio(data: Data, key: Key) -> Estimate:
    """What the honest receivers get, divided by what they get without a lie."""
    bare = (key[0], "crowd" if key[1] == "many" else "none", key[2])
    return data.over_seeds(lambda seed: of_honest(data, key, seed) / of_honest(data, bare, seed))


def of_tcp(data: Data, key: Key) -> Estimate:
    """What the Reno flow gets, divided by what it gets without a lie."""
    bare = (key[0], "crowd" if key[1] == "many" else "none", key[2])

    def of_seed(seed: int) -> float:
        without = data.run(bare, seed)["tcp", "goodput"]
        # Beside a crowd of OMCC it has nothing to lose.
        return data.run(key, seed)["tcp", "goodput"] / without if without > LEAST_BPS else 1.0

    return data.over_seeds(of_seed)


def least(data: Data, scheme: str, lies: tuple[str, ...]) -> Measured:
    """The least part that the honest receivers or the Reno flow keep, over these lies."""
    found = {
        (LIES[lie][0], who): of(data, (scheme, lie, True))
        for lie in lies
        if (scheme, lie, True) in data.points
        for who, of in (("the honest receivers", ratio), ("the Reno flow", of_tcp))
    }
    worst = min(found, key=lambda case: found[case].mean)
    return Measured.of(found[worst], note=f"{worst[1]}, {worst[0]}")


def known(scheme: str) -> tuple[str, ...]:
    """The lies against which something is known."""
    return tuple(lie for lie in TOLD if lie not in UNKNOWN[scheme]) if scheme in KNOWN else ()


def criterion(scheme: str) -> Criterion:
    """Within a factor of two under every lie against which something is known."""
    without = listed([LIES[lie][0] for lie in UNKNOWN[scheme]])
    return Criterion(
        name=f"{SCHEMES[scheme][0]}: rate of the honest receivers, or of the Reno flow, divided by that without a lie, "
        f"least of all lies but {without}",
        published="within a factor of 2",
        evaluate=partial(least, scheme=scheme, lies=known(scheme)),
        low=1 / FACTOR,
    )


def unknown(scheme: str) -> Criterion:
    """What those lies cost against which nothing is known: reported."""
    lies = tuple(lie for lie in TOLD if lie not in known(scheme))
    which = listed([LIES[lie][0] for lie in lies]) if scheme in KNOWN else "all lies"
    return Criterion(
        name=f"{SCHEMES[scheme][0]}: the same, {which}",
        published="not stated",
        evaluate=partial(least, scheme=scheme, lies=lies),
    )


def excluded(data: Data) -> Measured:
    """How often an honest receiver was excluded or barred, in all runs."""
    keys: list[Key] = [(scheme, lie, guarded) for scheme in SCHEMES for lie in LIES for guarded in (True, False)]
    times = {key: sum(data.reduced(key, seed)[2] for seed in data.seeds) for key in keys if key in data.points}
    where = [f"{SCHEMES[scheme][0]}, {LIES[lie][0]}" for (scheme, lie, _), found in times.items() if found]
    return Measured(value=float(sum(times.values())), note=listed(where) if where else "")


def numbers(data: Data) -> Numbers:
    """All ratios: of the honest receivers, and of the Reno flow."""
    told = [lie for lie in TOLD if ("tfmcc", lie, True) in data.points]
    rows = []
    for scheme, (name, _) in SCHEMES.items():
        for guarded in (True, False) if scheme in KNOWN else (True,):
            for who, of in (("honest", ratio), ("Reno", of_tcp)):
                label = f"{name}{'' if guarded else ', nothing against lies'}, {who}"
                rows.append([label, *(str(of(data, (scheme, lie, guarded))) for lie in told)])
    return Numbers(columns=["rate divided by that without a lie", *(LIES[lie][0] for lie in told)], rows=rows)


def figure(data: Data) -> Figure:
    """The honest receivers' rate over time: a row for each scheme, a column for each lie."""
    told = [lie for lie in TOLD if ("tfmcc", lie, True) in data.points]
    drawn, axes = panels(len(SCHEMES), len(told), width=PAGE_IN, height=7.2, sharex=True, sharey=True)
    seed = data.seeds[0]
    looks = (
        (False, COLOURS[1], (0, (3, 2)), "nothing against lies"),
        (True, COLOURS[0], "solid", "with what is known"),
    )
    for row, (scheme, (name, _)) in zip(axes, SCHEMES.items(), strict=True):
        for panel, lie in zip(row, told, strict=True):
            panel.axvline(LIE_S, color="0.6", linewidth=0.6)
            for guarded, colour, line, label in looks:
                if (scheme, lie, guarded) in data.points:
                    times, rates, _ = data.reduced((scheme, lie, guarded), seed)
                    mbps = [rate / 1e6 for rate in rates]
                    panel.plot(times, mbps, color=colour, linestyle=line, linewidth=0.9, label=label)
            panel.set(xlim=(0, END_S), ylim=(0, 2.1), xticks=(0, 150, 300))
            panel.tick_params(labelsize=6)
        row[0].set_ylabel(name, fontsize=7)
    for panel, lie in zip(axes[0], told, strict=True):
        panel.set_title(LIES[lie][0].replace(" say: ", " say:\n"), fontsize=7)
    handles, labels = axes[0][0].get_legend_handles_labels()
    drawn.supxlabel(
        "time, s; one, or a thousand, lie from the grey line on; the dashed line is behind the other where both are "
        "alike,\nand is not there where nothing is known (SMCC) or needed (layer blocking)",
        fontsize=7,
    )
    drawn.supylabel("rate of the honest receivers, Mbit/s", fontsize=8)
    drawn.legend(handles[::-1], labels[::-1], loc="outside upper center", ncols=2, fontsize=7)
    return drawn


def says(data: Data) -> str:
    """Which schemes keep half under every lie against which something is known."""
    kept = {scheme: (least(data, scheme, known(scheme)).value or 0.0) >= 1 / FACTOR for scheme in KNOWN}
    names = [SCHEMES[scheme][0] for scheme, held in kept.items() if held]
    lost = [SCHEMES[scheme][0] for scheme, held in kept.items() if not held]
    costs = f"; with {listed(lost)} some such lie costs more" if lost else ""
    return (
        f"Under every lie against which something is known the honest receivers and Reno keep half of their rate with "
        f"{listed(names) if names else 'none'}{costs}. Nothing is known against one that is as consistent as a bad "
        "link, nor against a receiver that takes layers that are too many for its link."
    )


EXPERIMENTS = [
    Experiment(
        id="x-lies",
        paper="checks",
        place="Lies",
        title="Honest receivers beside ones that lie",
        published="A source bounds what a receiver can do that lies (RFC 4654, section 6; pgmcc's draft, section 5).",
        points=points,
        why="Among a thousand liars one is always announcing an RLM experiment, and each loss of a waiting receiver "
        "restarts max_hold.",
        criteria=[
            *(criterion(scheme) for scheme in KNOWN),
            Criterion(
                name="honest receivers that were excluded or barred, in all runs",
                published="none",
                evaluate=excluded,
                low=0.0,
                high=0.0,
            ),
            *(unknown(scheme) for scheme in SCHEMES),
        ],
        numbers=numbers,
        figure=figure,
        says=says,
        reps=3,
    )
]
