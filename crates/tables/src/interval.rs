//! Intervals: what an endpoint reported at the end of one, and at the end of the one before.

use crate::gauges::{Gauges, Shown};
use crate::per_second::over;
use faircast_proto::endpoint::Report;
use faircast_proto::time::{Duration, Instant};

/// What a subject reported at the end of an interval, and at the end of the one before.
#[derive(Clone, Copy, Debug)]
pub struct Interval<'a> {
    pub(crate) at: Instant,
    /// Whose it is: a place among the subjects of a table.
    pub subject: u32,
    pub(crate) now: &'a Report,
    pub(crate) before: &'a Report,
    /// Where its gauges are among the values: now, and before if that is not time zero.
    gauges: (usize, Option<usize>),
    /// How much of the interval it was present.
    pub(crate) present_s: f64,
    /// How long it held layers in it, all of them together.
    pub(crate) held_s: f64,
    /// How many it holds at its end.
    pub(crate) level: u8,
}

/// A moment of an endpoint as intervals are made of them: counts since the start, gauges of the moment.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// When it was.
    pub at: Instant,
    /// Whose it is.
    pub subject: u32,
    /// What it reports.
    pub report: &'a Report,
    /// Where its gauges begin among the values of all.
    pub gauges: usize,
    /// How long it has been present; of senders nobody asks.
    pub present: Duration,
    /// How long it has held layers, all of them together.
    pub held: Duration,
    /// How many it holds.
    pub level: u8,
}

/// What is known of a subject before its first interval.
#[derive(Clone, Copy, Debug)]
struct Earlier<'a> {
    report: &'a Report,
    gauges: Option<usize>,
    present: Duration,
    held: Duration,
}

/// The intervals between these moments of so many subjects; `none` is what they report at time zero.
pub fn intervals<'a>(
    moments: impl Iterator<Item = Moment<'a>>,
    subjects: usize,
    none: &'a Report,
) -> Vec<Interval<'a>> {
    let start = Earlier { report: none, gauges: None, present: Duration::ZERO, held: Duration::ZERO };
    let mut earlier = vec![start; subjects];
    moments
        .map(|Moment { at, subject, report: now, gauges, present, held, level }| {
            let now_known = Earlier { report: now, gauges: Some(gauges), present, held };
            let before = std::mem::replace(&mut earlier[subject as usize], now_known);
            let [present_s, held_s] = [(present, before.present), (held, before.held)]
                .map(|(now, then)| Duration(now.0 - then.0).as_secs_f64());
            let gauges = (gauges, before.gauges);
            Interval { at, subject, now, before: before.report, gauges, present_s, held_s, level }
        })
        .collect()
}

impl Interval<'_> {
    /// What was added to a count.
    pub(crate) fn count(&self, of: fn(&Report) -> u64) -> i64 {
        (of(self.now) - of(self.before)) as i64
    }
}

/// What the subjects of these intervals showed, the values of all being these.
pub fn shown<'a>(rows: &[Interval], values: &'a [f64], gauges: &Gauges) -> Vec<Shown<'a>> {
    let shown = |row: &Interval| {
        let endpoint = row.subject as usize;
        let at = |start: usize| &values[start..start + gauges.number(endpoint)];
        Shown { endpoint, now: at(row.gauges.0), before: row.gauges.1.map(at) }
    };
    rows.iter().map(shown).collect()
}

/// How many layers receivers held in an interval: the mean over those present and over the time; NaN if none was.
pub(crate) fn mean_level(receivers: &[Interval]) -> f64 {
    over(receivers.iter().map(|row| row.held_s).sum(), receivers.iter().map(|row| row.present_s).sum())
}

/// What receivers got in an interval, bit/s: all together over the time that they were present, all together. NaN if
/// none of them was.
pub(crate) fn rate_bps(receivers: &[Interval], of: fn(&Report) -> u64) -> f64 {
    let bytes: u64 = receivers.iter().map(|row| of(row.now) - of(row.before)).sum();
    over(8.0 * bytes as f64, receivers.iter().map(|row| row.present_s).sum())
}
