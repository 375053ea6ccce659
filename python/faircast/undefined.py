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
    "completion_p50": "of web traffic: no transfer has been finished that arrived after the warm-up",
    "completion_p95": "as `completion_p50`",
    "completion_p99": "as `completion_p50`",
    "finished_completion_mean": "as `completion_p50`",
    "slowdown_p50": "as `completion_p50`",
    "slowdown_p95": "as `completion_p50`",
    "slowdown_p99": "as `completion_p50`",
    "finished_slowdown_mean": "as `completion_p50`",
    "startup_delay": "the receiver joined in the warm-up, or its picture has not appeared",
    "stalls": "the receiver's picture has not appeared, or the media had ended by the end of the warm-up",
    "stalled": "as `stalls`",
    "longest_stall": "as `stalls`",
    "quality_changes": "as `stalls`",
    "quality": "no segment was due at the receiver after the warm-up, and it was not there for long without a picture",
    "media_rate": "as `quality`",
    "startup_delay_p50": "`startup_delay` is NaN of all receivers of the session",
    "startup_delay_p95": "`startup_delay` is NaN of all receivers of the session",
    "stalls_p50": "`stalls` is NaN of all receivers of the session",
    "stalls_p95": "`stalls` is NaN of all receivers of the session",
    "stalled_p50": "`stalled` is NaN of all receivers of the session",
    "stalled_p95": "`stalled` is NaN of all receivers of the session",
    "longest_stall_p50": "`longest_stall` is NaN of all receivers of the session",
    "longest_stall_p95": "`longest_stall` is NaN of all receivers of the session",
    "quality_changes_p50": "`quality_changes` is NaN of all receivers of the session",
    "quality_changes_p95": "`quality_changes` is NaN of all receivers of the session",
    "quality_p5": "`quality` is NaN of all receivers of the session",
    "quality_p50": "`quality` is NaN of all receivers of the session",
    "media_rate_p5": "`media_rate` is NaN of all receivers of the session",
    "media_rate_p50": "`media_rate` is NaN of all receivers of the session",
    "dilation": "in no window was anything sent that several receivers behind the link demanded",
    "sojourn": "no packet left the queue in that time",
    "sojourn_p50": "as `sojourn`",
    "sojourn_p95": "as `sojourn`",
    "sojourn_p99": "as `sojourn`",
    "sojourn_max": "as `sojourn`",
    "bits_per_symbol": "nothing was sent in that time",
    "request_delay": "no slot that was asked for has come in that time",
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
means over several subjects, shortfalls of properties, classes of size."""

_VARIANT = re.compile(r"^(?:flows_|sessions_)?(.+?)(?:_sum|_mean|_shortfall|_class_\d+)?(?:_all)?$")


def reason(metric: str) -> str | None:
    """When a metric is NaN; None if it never is."""
    if metric in UNDEFINED:
        return UNDEFINED[metric]
    variant = _VARIANT.match(metric)
    return UNDEFINED.get(variant[1]) if variant else None
