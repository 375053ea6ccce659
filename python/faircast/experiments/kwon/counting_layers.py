"""Fig. 2: what the binary counting layers send, packet by packet, and what a receiver gets of them that joins a layer.

Everything takes a second there, as in the paper: the round-trip time and the period of the counting layers. The bounds
of the two layers are chosen so that a receiver that joins L_1 adds ten packets, for which it needs the four counting
layers of the figure, and that many packets tell it where slots begin: it knows that from the packets that it gets, and
joins a counting layer late by the gap between two of them. One receiver is on L_1 from the start; the other one begins
on L_0 and joins.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from faircast.arrow import to_arrow
from faircast.experiment import Criterion, Data, Experiment, Measured, Numbers, Point, listed, plain
from faircast.experiments.kwon.course import Attempt, Course, course
from faircast.experiments.kwon.network import AMPLE, LETTER, SESSION
from faircast.experiments.rows import places
from faircast.figures import COLOURS, PAGE_IN, panels
from faircast.statistics import estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from faircast._native import RawResult

KEY = "schedule"
LAYERS = 2
COUNTING = 4
JOINER = 1
START_S, DURATION_S = 56, 160
WAY_S = 0.5
"""From the source to a receiver."""
LAST_LINK = "receiver-1"
LAST_LINK_S = 0.125
SHOWN = 17
"""Slots in the picture and in the table."""
PAPERS_SLOTS = {
    0: (0, 1, 0, 1, 0, 1, 0, 1, 0, 1),
    1: (0, 0, 2, 2, 0, 0, 2, 2, 0, 0),
    2: (0, 0, 0, 0, 4, 4, 4, 4, 0, 0),
    3: (0, 0, 0, 0, 0, 0, 0, 0, 8, 8),
}
"""Packets of each counting layer in the first ten slots, as the figure has them."""


def scenario() -> dict[str, Any]:
    """A source and two receivers, nothing in their way."""
    link = {"delay": f"{1000 * LAST_LINK_S:g} ms"} | AMPLE
    hosts = ["receiver-0", LAST_LINK]
    return {
        "format": 1,
        "name": "smcc-fig2",
        "duration": f"{DURATION_S} s",
        "warmup": "0 s",
        "nodes": {node: {} for node in ("sender", "a", "b", "c", *hosts)},
        "links": {
            "sender-a": {"from": "sender", "to": "a"} | link,
            "a-b": {"from": "a", "to": "b"} | link,
            "b-c": {"from": "b", "to": "c"} | link,
        }
        | {host: {"from": "c", "to": host} | link for host in hosts},
        "sessions": {
            SESSION: {
                "scheme": "smcc",
                "source": "sender",
                "receivers": {"nodes": hosts, "join": ["0 s", f"{START_S} s"]},
                "membership": {"leave_delay": "0 s"},
                "bounds": ["400 kbit/s", "480 kbit/s"],
                "rtts": ["1 s"],
                "tfmcc": {"profile": LETTER, "initial_max_rtt": "1 s"},
            }
        },
        "probes": {"interval": "1 s", "links": False, "packets": [LAST_LINK], "packets_actions": ["departed"]},
    }


def schedule(raw: RawResult) -> dict[str, Any]:
    """Packets of each counting layer in each slot, as the source sent them and as the second receiver got them."""
    tables = raw.tables()
    layers, packets = (to_arrow(tables[name]) for name in ("layers", "packets"))
    group, sent = layers["group"].to_numpy(), layers["sent_pkts"].to_numpy()
    slot = np.floor(packets["t_s"].to_numpy() - (WAY_S - LAST_LINK_S)).astype(int)
    of = places(packets, "flow").get(SESSION, np.zeros(packets.num_rows, dtype=bool))
    to = np.where(of, np.nan_to_num(packets["group"].to_numpy(), nan=-1), -1).astype(int)
    got = [np.bincount(slot[to == LAYERS + rank], minlength=DURATION_S)[:DURATION_S] for rank in range(COUNTING)]
    return {
        "sent": np.array([sent[group == LAYERS + rank] for rank in range(COUNTING)], dtype=int),
        "got": np.array(got),
        "course": course(raw),
    }


def as_defined() -> NDArray[np.int64]:
    """What counting layers are to send: rank k is on in slot m, with 2^k packets, if bit k of m is 1; rows by rank."""
    slots = np.arange(DURATION_S)
    return np.array([(slots >> rank & 1) << rank for rank in range(COUNTING)])


def sent(data: Data) -> Measured:
    """In how many slots a layer sends another number of packets than the paper says, over all runs."""
    wrong, papers = 0, 0
    for seed in data.seeds:
        found = data.reduced(KEY, seed)["sent"]
        wrong += int((found != as_defined()).sum())
        papers += sum(int(found[rank][m] != n) for rank, row in PAPERS_SLOTS.items() for m, n in enumerate(row))
    looked = COUNTING * DURATION_S * len(data.seeds)
    return Measured(
        value=wrong + papers, note=f"of {looked} slots and layers; in the slots of the figure {papers} differ"
    )


def attempts(data: Data, seed: int) -> list[Attempt]:
    """The attempts of the second receiver that began."""
    found = Course(**data.reduced(KEY, seed)["course"]).attempts(JOINER)
    return [item for item in found if not math.isnan(item.begun_s) and item.end]


def slots_of(attempt: Attempt) -> range:
    """The slots, by the source's time, in which an attempt adds packets."""
    first = math.floor(attempt.begun_s - WAY_S)
    return range(first, first + int(attempt.packets_added) + 1)


def added(data: Data) -> Measured:
    """In how many slots of its attempts a receiver gets other than one packet more than in the slot before."""
    wrong = looked = 0
    for seed in data.seeds:
        got = data.reduced(KEY, seed)["got"].sum(axis=0)
        for attempt in attempts(data, seed):
            wrong += sum(int(got[slot] != j) for j, slot in enumerate(slots_of(attempt)))
            looked += len(slots_of(attempt))
    return Measured(value=wrong if looked else math.nan, note=f"of {looked} slots in {len(data.seeds)} runs")


def joins(data: Data) -> Measured:
    """How many counting layers the receiver joins for how many packets per round trip."""
    found = [item for seed in data.seeds for item in attempts(data, seed) if item.end == "join-succeeded"]
    expected = [math.ceil(math.log2(item.packets_added + 1)) for item in found]
    as_few = all(item.counting_joins == least for item, least in zip(found, expected, strict=True))
    packets = sorted({int(item.packets_added) for item in found})
    return Measured(
        value=estimate([item.counting_joins for item in found]).mean,
        holds=bool(found) and as_few,
        note=f"for {listed(packets) if packets else 'no'} packets per round trip, in {len(found)} attempts",
    )


CRITERIA = [
    Criterion(
        name="slots in which a counting layer sends another number of packets than the figure and its rule say",
        published="none: layer k sends 2^k packets in a slot if bit k of the slot's number is 1",
        evaluate=sent,
        low=0,
        high=0,
        identity="the source sends by that rule, of which the slots of the figure are the first ten",
    ),
    Criterion(
        name="slots of an attempt in which its receiver gets other than one packet more than in the slot before",
        published="none: true additive increase",
        evaluate=added,
        low=0,
        high=0,
    ),
    Criterion(
        name="counting layers that a receiver joins to add ten packets per round trip",
        published="log N joins and no leave for N packets",
        evaluate=joins,
        rule="it is the logarithm to base 2 of one more than the packets added, rounded up",
    ),
]


def numbers(data: Data) -> Numbers:
    """Packets in each slot, as sent; and as a receiver got them that began in slot 0 of an attempt."""
    seed = data.seeds[0]
    found = data.reduced(KEY, seed)
    rows = [[f"counting layer {rank}", *map(str, found["sent"][rank][:SHOWN].tolist())] for rank in range(COUNTING)]
    for attempt in attempts(data, seed)[:1]:
        slots = slots_of(attempt)
        got = found["got"].sum(axis=0)[slots.start : slots.start + SHOWN].tolist()
        shown = [str(count) if j < len(slots) else "" for j, count in enumerate(got)]
        rows.append([f"what a receiver gets that begins in slot {slots.start}", *shown])
    return Numbers(columns=["packets in slot", *map(str, range(SHOWN))], rows=rows)


def figure(data: Data) -> Figure:
    """The packets of each counting layer by slot as in the paper, and what a receiver gets of them that joins."""
    seed = data.seeds[0]
    found = data.reduced(KEY, seed)
    attempt = next(iter(attempts(data, seed)), None)
    first = slots_of(attempt).start if attempt else 0
    slots = np.arange(first, first + SHOWN)
    drawn, rows = panels(
        COUNTING + 1,
        1,
        width=PAGE_IN,
        height=0.62 * COUNTING + 1.5,
        sharex=True,
        gridspec_kw={"height_ratios": [*[1] * COUNTING, 1.8]},
    )
    for axes, rank in zip(rows[:COUNTING], reversed(range(COUNTING)), strict=True):
        sent_pkts, got_pkts = (found[name][rank][slots] for name in ("sent", "got"))
        axes.bar(slots + 0.5, sent_pkts, width=1, color=COLOURS[5], alpha=0.45, label="sent")
        axes.bar(slots + 0.5, got_pkts, width=0.5, color=COLOURS[0], label="reaches the receiver")
        axes.set(ylim=(0, 1.25 * 2**rank), ylabel=f"$BCL_{rank}$")
        axes.set_yticks([0, 2**rank])
    below = rows[-1]
    total = found["got"].sum(axis=0)[slots]
    below.bar(slots + 0.5, total, width=0.5, color=COLOURS[0])
    below.set(ylabel="sum", xlabel="slot of one round-trip time", xlim=(first, first + SHOWN))
    below.set_xticks(slots)
    rows[0].legend(loc="upper left", ncols=2, borderaxespad=0.1)
    drawn.suptitle(
        f"packets in each slot, seed {seed}; the receiver joins layer 1 and begins in slot {first}", fontsize=7
    )
    return drawn


def says(data: Data) -> str:
    """What the figure shows."""
    off = [plain(found.value) for found in (sent(data), added(data)) if found.value is not None]
    needed = joins(data)
    return (
        f"A counting layer sends another number of packets than the paper says in {off[0]} slots, and a receiver that "
        f"joins gets other than one packet more in {off[1]}; it joins {plain(needed.value or math.nan)} of them "
        f"{needed.note.partition(',')[0]}."
    )


EXPERIMENTS = [
    Experiment(
        id="smcc-fig2",
        paper="kwon",
        place="Figure 2",
        title="The schedule of the binary counting layers",
        published="Layers are on and off in turn, so that joining one after the other adds a packet each round trip.",
        points=lambda _: [Point(key=KEY, scenario=scenario(), reduce=schedule)],
        criteria=CRITERIA,
        figure=figure,
        says=says,
        numbers=numbers,
    )
]
