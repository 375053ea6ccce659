"""What the paper prints in its tables, in kbit/s."""

from __future__ import annotations

from dataclasses import dataclass, replace

from faircast.experiments.ehlert.network import HYBLA_25, HYBLA_270, RENO, SATELLITE, TERRESTRIAL, WESTWOOD


@dataclass(frozen=True)
class Printed:
    """A column of a table."""

    alone: float
    """MLDA at the receiver that has MLDA alone."""
    shared: float
    """MLDA at the receiver that has TCP, too."""
    tcp: float
    fairness: float
    """TCP divided by MLDA, both at the shared receiver."""


TABLE_1 = {
    RENO: Printed(244.68, 135.22, 111.08, 0.82),
    WESTWOOD: Printed(228.56, 132.31, 112.01, 0.85),
    HYBLA_25: Printed(114.91, 29.59, 144.28, 4.88),
    HYBLA_270: Printed(249.81, 124.0, 125.26, 1.01),
}
TABLE_2 = {SATELLITE: Printed(202.99, 192.09, 74.25, 0.39), TERRESTRIAL: Printed(648.0, 326.94, 349.29, 1.07)}
TABLE_2_RENO = 0.31
"""The fairness with Reno over the satellite, of which the text has this number alone."""
TABLE_3 = {
    RENO: Printed(127.71, 125.56, 90.05, 0.72),
    WESTWOOD: Printed(123.79, 125.01, 101.18, 0.81),
    HYBLA_25: Printed(51.08, 26.12, 143.76, 5.50),
    HYBLA_270: Printed(123.2, 116.61, 106.57, 0.92),
}
TABLE_4 = {
    RENO: Printed(160.66, 140.02, 82.36, 0.55),
    WESTWOOD: Printed(163.99, 148.42, 95.08, 0.81),
    HYBLA_270: Printed(160.92, 140.48, 95.23, 0.92),
}
"""Table 4 as it is printed. It contradicts itself: see `CORRECTED` and `FAIRNESS_4`."""
CORRECTED = {RENO: 150.02}
"""MLDA at the shared receiver with Reno, Table 4: 140.02 is printed, but with it 50 % of the link, which are 150, and
0.55, which is 82.36 over 150."""
FAIRNESS_4 = {
    tcp: round(column.tcp / CORRECTED.get(tcp, column.shared), 2)  # 0.55, 0.64 and 0.68
    for tcp, column in TABLE_4.items()
}
"""The fairness of Table 4 from the rates printed there; for Westwood and Hybla-270 the paper repeats Table 3's."""
INCREASE_4 = {RENO: 0.26, WESTWOOD: 0.32, HYBLA_270: 0.31}
"""Of MLDA where it is alone, by the inter-arrival scheme."""


def corrected(tcp: str) -> Printed:
    """A column of Table 4 without its contradictions."""
    column = TABLE_4[tcp]
    return replace(column, shared=CORRECTED.get(tcp, column.shared), fairness=FAIRNESS_4[tcp])
