"""What an optimum says of itself: the best rates and the links that they fill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from faircast.display.grid import Grid, described, html, rate_unit, some

if TYPE_CHECKING:
    from faircast.utility.optimum import Optimum


def of_optimum(optimum: Optimum) -> str:
    """The ``repr`` of the best rates."""
    factor, unit = rate_unit(max(optimum.rates.values(), default=0.0))
    rates = [f"{name} {rate * factor:.4g} {unit}" for name, rate in optimum.rates.items()]
    full = [name for name, link in optimum.links.items() if link.binds]
    head = f"utility {_utility(optimum)}, {len(rates)} rate{'s' * (len(rates) != 1)}"
    return described("Optimum", head, some(rates), f"full links: {some(full) or 'none'}")


def html_of_optimum(optimum: Optimum) -> str:
    """The best rates, those of receivers included, and the links they fill."""
    factor, unit = rate_unit(max(optimum.rates.values(), default=0.0))
    rates = []
    for name, rate in optimum.rates.items():
        rates.append([name, f"{rate * factor:.4g}"])
        rates += [[receiver, f"{got * factor:.4g}"] for receiver, got in optimum.receivers.get(name, {}).items()]
    links = [
        [name, f"{link.capacity * factor:.4g}", f"{link.elastic * factor:.4g}", f"{link.price:.3g}"]
        for name, link in optimum.links.items()
        if link.binds
    ]
    return html(
        f"optimum of the utility {_utility(optimum)}",
        Grid(["flow, session, receiver", f"rate, {unit}"], rates),
        Grid(["full link", f"capacity, {unit}", f"of it for these rates, {unit}", "price"], links),
    )


def _utility(optimum: Optimum) -> str:
    return optimum.problem.says or str(optimum.problem.utility)
