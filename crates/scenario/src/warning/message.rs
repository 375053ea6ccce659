//! What a warning is, and words that the messages of several need.

/// One thing to be known about a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// What sort: `window-limited`, `slow-start`, `not-active`, `access-limited`, `unlimited`, `no-route`, `hop-limit`,
    /// `off-tree`, `not-a-source`, `receiver-at-source`, `no-blocking-router`, `initial-max-rtt`, `ecn-mixed`,
    /// `mecn-on-ecn`, `ecn-on-mecn`, `ect1-unknown`, `codel-interval`, `layers-as-flows`, `pie-rests`,
    /// `policer-burst`, `no-bottleneck`, `phase-effects`, `no-optimum`, `overload`, `load-elsewhere`,
    /// `optimum-without-web`, `connections-full`, `never-granted`.
    pub kind: &'static str,
    /// The flow, session or link that it is about; empty for packets that belong to none.
    pub subject: String,
    /// How much: a part of a flow's time, a moment in seconds, a number of packets, a number of receivers, a
    /// utilisation.
    pub value: f64,
    /// What it means, complete by itself.
    pub message: String,
}

/// A warning that needs no run.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownWarning {
    /// The key that it follows from, `sessions.film.receivers`.
    pub path: String,
    /// What is to be known.
    pub warning: Warning,
}

/// The first two of these, and how many more there are: `flow a, flow b and 3 more`.
pub(super) fn named(all: &[&str]) -> String {
    match all {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [one, other] => format!("{one} and {other}"),
        [one, other, more @ ..] => format!("{one}, {other} and {} more", more.len()),
    }
}

/// A part of one in per cent.
pub(super) fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// A rate in the unit that fits it.
pub(super) fn shown_bps(rate_bps: f64) -> String {
    match rate_bps {
        _ if rate_bps >= 1e6 => format!("{:.3} Mbit/s", rate_bps / 1e6),
        _ => format!("{:.3} kbit/s", rate_bps / 1e3),
    }
}
