"""x-conservation: on every link, packets that came = dropped + lost + delivered + inside.

Checked at every event in debug and test builds; here at the end of runs of a release build over all queues and losses.
"""

from __future__ import annotations

from typing import Any

from faircast.experiment import Criterion, Data, Experiment, Measured, Point

QUEUES: dict[str, dict[str, Any]] = {
    "drop-tail": {"kind": "drop-tail", "limit": "20 packets"},
    "red": {"kind": "red", "limit": "30 packets", "min_th": "3 packets", "max_th": "10 packets", "gentle": True},
    "mecn": {"kind": "mecn", "limit": "30 packets", "min_th": "3 packets"},
}
LOSSES: dict[str, dict[str, Any]] = {
    "none": {"kind": "none"},
    "bernoulli": {"kind": "bernoulli", "p": 0.01},
    "bit-error": {"kind": "bit-error", "ber": 1e-6},
}
MODES = ("fused", "two-stage")


def scenario(queue: str, loss: str, mode: str) -> dict[str, Any]:
    """Four flows over a lossy bottleneck, stopped in full flight."""
    return {
        "format": 1,
        "name": f"x-conservation-{queue}-{loss}-{mode}",
        "duration": "60 s",
        "topology": {"kind": "dumbbell", "left": 4, "right": 4},
        "links": {
            "bottleneck": {
                "rate": "2 Mbit/s",
                "delay": "50 ms",
                "queue": QUEUES[queue],
                "loss": LOSSES[loss],
            }
        },
        "flows": {
            "ftp": {
                "kind": "tcp",
                "count": 3,
                "wnd": "20 packets",
                "ecn": "mecn" if queue == "mecn" else "off",
            },
            "load": {"kind": "on-off", "from": "left-3", "to": "right-3", "rate": "1 Mbit/s"},
        },
        "engine": {"link_mode": mode},
    }


def points(quick: bool) -> list[Point]:
    """Every queue with every loss model in both link modes."""
    modes = MODES[:1] if quick else MODES
    return [
        Point(key=(queue, loss, mode), scenario=scenario(queue, loss, mode), phases="what is counted is no share")
        for queue in QUEUES
        for loss in LOSSES
        for mode in modes
    ]


def missing(data: Data) -> Measured:
    """Packets that are unaccounted for, over all links and runs."""
    worst, links, packets = 0.0, 0, 0.0
    for key in data.points:
        for seed in data.seeds:
            run = data.run(key, seed)
            for link in run.subjects("arrived_all"):
                arrived, dropped, lost, delivered, inside = (
                    run[link, metric] for metric in ("arrived_all", "drops_all", "lost_all", "delivered_all", "inside")
                )
                worst = max(worst, abs(arrived - dropped - lost - delivered - inside))
                links, packets = links + 1, packets + arrived
    return Measured(value=worst, note=f"{links} links, {packets:.3g} packets")


def says(data: Data) -> str:
    """What the check shows."""
    worst = missing(data).value
    if worst:
        return f"On one link {worst:.0f} packets are unaccounted for."
    return "Every packet that came to a link was dropped, lost, delivered or still inside at the end."


EXPERIMENTS = [
    Experiment(
        id="x-conservation",
        paper="checks",
        place="conservation",
        title="Packets are conserved on every link",
        published="What comes to a link is dropped, lost, delivered or still inside.",
        points=points,
        criteria=[
            Criterion(
                name="packets unaccounted for, most on any link", published=0.0, evaluate=missing, low=0.0, high=0.0
            )
        ],
        says=says,
        reps=3,
    )
]
