"""Metrics of the summary that may be NaN, and when they are.

``docs/results.md`` has the same list. What is NaN and not in it is a defect, for which `tools/fuzz_scenarios.py` looks.
"""

from __future__ import annotations

import re

_NO_CASE = "the run has no case to which the property applies"
_NOBODY = "nobody was a member after the warm-up"
_NOTHING_CAME = "no data has come to the receiver"

UNDEFINED: dict[str, str] = {
    "goodput": f"of a session and its receivers: {_NOBODY}; of a transfer: it was over before the warm-up was",
    "rate": "as `goodput`",
    "mean_level": _NOBODY,
    "changes_per_layer": "the receiver joined no layer in that time",
    "completion": "the transfer has not been finished",
    "dilation": "in no window was anything sent that several receivers behind the link demanded",
    "sojourn": "no packet left the queue in that time",
    "sojourn_p50": "as `sojourn`",
    "sojourn_p95": "as `sojourn`",
    "sojourn_p99": "as `sojourn`",
    "sojourn_max": "as `sojourn`",
    "srtt_end": "no round-trip time has been measured, or nobody limits the session at the end",
    "rtt_end": "the receiver has measured no round-trip time",
    "loss_event_rate_end": _NOTHING_CAME,
    "loss_rate_end": _NOTHING_CAME,
    "loss_end": _NOTHING_CAME,
    "raw_loss_end": _NOTHING_CAME,
    "bottleneck_end": "the receiver does not know the rate of the bottleneck yet",
    "r_lo_end": "no report counts at the end",
    "r_hi_end": "as `r_lo_end`",
    "join_timer_s_end": "the receiver holds all layers",
    "optimum_distance": "there is no optimum: constant rates fill a link, or the network is too large",
    "fully_utilised": _NO_CASE,
    "same_path": _NO_CASE,
    "per_receiver_link": _NO_CASE,
    "per_session_link": _NO_CASE,
}
"""By metric when it is NaN. It holds for the variants of the metric as well: over the whole run (``_all``), sums and
means over several subjects, shortfalls of properties."""

_VARIANT = re.compile(r"^(?:flows_|sessions_)?(.+?)(?:_sum|_mean|_shortfall)?(?:_all)?$")


def reason(metric: str) -> str | None:
    """When a metric is NaN; None if it never is."""
    if metric in UNDEFINED:
        return UNDEFINED[metric]
    variant = _VARIANT.match(metric)
    return UNDEFINED.get(variant[1]) if variant else None
