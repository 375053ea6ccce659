//! The rows of what is played in a summary: of each receiver, and of the receivers of a session together.

use super::Rows;
use super::web::percentile;
use crate::network::{Network, NetworkSession};
use crate::tables::{PlaybackOf, Seen};
use faircast_proto::playout::{Config, Kind};
use faircast_proto::time::{Duration, Instant};
use faircast_sim::playout::Viewer;

/// The metrics of a receiver, with their units and the percentiles over those of a session.
const METRICS: [(&str, &str, [usize; 2]); 7] = [
    ("startup_delay", "s", [50, 95]),
    ("stalls", "1", [50, 95]),
    ("stalled", "s", [50, 95]),
    ("longest_stall", "s", [50, 95]),
    ("quality", "1", [5, 50]),
    ("media_rate", "bit/s", [5, 50]),
    ("quality_changes", "1", [50, 95]),
];
/// Where the delay stands among them: who has not seen anything waits longest of all.
const STARTUP: usize = 0;
const STALLS: usize = 1;

/// Rows of all sessions that are played. What is due, and stands still, after the warm-up counts, of delays those of
/// receivers that joined after it; in the metrics `_all` everything does.
pub(super) fn add(rows: &mut Rows, network: &Network, seen: &Seen, now: Instant) {
    let mut by_receiver: Vec<&PlaybackOf> = seen.segments.iter().collect();
    by_receiver.sort_by_key(|row| row.shown.player);
    let mut viewers = seen.viewers.iter();
    let warmup = network.probes.warmup;
    for session in &network.sessions {
        let Some(playout) = &session.playout else { continue };
        let [mut late, mut all]: [Vec<Viewed>; 2] = Default::default();
        for (receiver, viewer) in session.receivers.iter().zip(viewers.by_ref()) {
            let first = by_receiver.partition_point(|row| row.shown.player < viewer.receiver);
            let own = by_receiver[first..].iter().take_while(|row| row.shown.player == viewer.receiver);
            let own: Vec<&PlaybackOf> = own.copied().collect();
            let viewed = |since| Viewed::of(viewer, &own, playout, since, now);
            let (of_late, of_all) = (viewed(Some(warmup).filter(|warmup| warmup.0 > 0)), viewed(None));
            for (index, (metric, unit, _)) in METRICS.iter().enumerate() {
                rows.both(&receiver.name, metric, unit, [of_late.values[index], of_all.values[index]]);
            }
            late.push(of_late);
            all.push(of_all);
        }
        together(rows, session, &late, &all);
    }
}

/// Rows of the receivers of a session together.
fn together(rows: &mut Rows, session: &NetworkSession, late: &[Viewed], all: &[Viewed]) {
    let both = |of: &dyn Fn(&[Viewed]) -> f64| [of(late), of(all)];
    let count = |is: fn(&Viewed) -> bool| move |of: &[Viewed]| of.iter().filter(|viewed| is(viewed)).count() as f64;
    let name = &session.name;
    rows.both(name, "viewers", "1", both(&count(|viewed| viewed.waited)));
    rows.both(name, "not_started", "1", both(&count(|viewed| viewed.waited && viewed.values[STARTUP].is_nan())));
    rows.both(name, "stalled_viewers", "1", both(&count(|viewed| viewed.values[STALLS] > 0.0)));
    for (index, (metric, unit, percents)) in METRICS.iter().enumerate() {
        let known = |of: &[Viewed]| {
            let mut known: Vec<f64> =
                of.iter().map(|viewed| viewed.values[index]).filter(|value| !value.is_nan()).collect();
            known.sort_unstable_by(f64::total_cmp);
            let waits = of.iter().filter(|viewed| viewed.waited && viewed.values[STARTUP].is_nan()).count();
            let ranked = known.len() + if index == STARTUP { waits } else { 0 };
            (known, ranked)
        };
        for &percent in percents {
            let of = |of: &[Viewed]| {
                let (known, ranked) = known(of);
                percentile(&known, ranked, percent)
            };
            rows.both(name, &format!("{metric}_p{percent}"), unit, both(&of));
        }
        let mean = |of: &[Viewed]| {
            let (known, _) = known(of);
            if known.is_empty() { f64::NAN } else { known.iter().sum::<f64>() / known.len() as f64 }
        };
        rows.both(name, &format!("{metric}_mean"), unit, both(&mean));
    }
}

/// What a receiver saw in some time.
#[derive(Debug)]
struct Viewed {
    values: [f64; METRICS.len()],
    /// Whether it joined in that time, and for so long that the picture should have appeared.
    waited: bool,
}

impl Viewed {
    /// After `since`, or all of it, up to `now`.
    fn of(viewer: &Viewer, own: &[&PlaybackOf], playout: &Config, since: Option<Instant>, now: Instant) -> Viewed {
        let mut values = [f64::NAN; METRICS.len()];
        let begins = since.unwrap_or(Instant::ZERO);
        let counts = |at: Instant| since.is_none_or(|since| at > since);
        let Some(joined) = viewer.joined.filter(|_| since.is_none_or(|since| since <= now)) else {
            return Viewed { values, waited: false };
        };
        let stopped = viewer.stopped.unwrap_or(now);
        let least = Duration(playout.segment.0.saturating_mul(u64::from(playout.start_segments()) + 1));
        let was_there = viewer.started.is_some() || stopped.since(joined) > least;
        let waited = counts(joined) && was_there;
        let Some(started) = viewer.started else {
            // Nothing was seen, by somebody who was there for long.
            if was_there && counts(stopped) {
                (values[4], values[5]) = (0.0, 0.0);
            }
            return Viewed { values, waited };
        };
        if counts(joined) {
            values[STARTUP] = started.since(joined).as_secs_f64();
        }
        if !counts(stopped) {
            return Viewed { values, waited };
        }
        let (mut stalls, mut stalled, mut longest) = (0_u32, Duration::ZERO, Duration::ZERO);
        // The stall that goes on: since when, and until when.
        let mut still: Option<[Instant; 2]> = None;
        let (mut due, mut quality, mut media_bps, mut changes) = (0_u32, 0.0, 0.0, 0_u32);
        let mut before = None;
        for shown in own.iter().map(|row| &row.shown) {
            if shown.stall > Duration::ZERO {
                let until = shown.due + shown.stall;
                let begin = match still {
                    // Of live media one follows the other.
                    Some([begin, end]) if end == shown.due && shown.layers == 0 => begin,
                    _ => {
                        stalls += u32::from(counts(shown.due));
                        shown.due
                    }
                };
                still = Some([begin, until]);
                stalled = stalled + until.since(shown.due.max(begins).min(until));
                if counts(begin) {
                    longest = longest.max(until.since(begin));
                }
            }
            let never_came = shown.layers == 0 && playout.kind == Kind::File;
            if counts(shown.due) && !never_came {
                due += 1;
                quality += f64::from(shown.quality);
                media_bps += shown.media_bps;
            }
            if shown.layers > 0 {
                changes += u32::from(counts(shown.due) && before.is_some_and(|before| before != shown.quality));
                before = Some(shown.quality);
            }
        }
        let mean = |sum: f64| if due == 0 { f64::NAN } else { sum / f64::from(due) };
        values[STALLS..].copy_from_slice(&[
            f64::from(stalls),
            stalled.as_secs_f64(),
            longest.as_secs_f64(),
            mean(quality),
            mean(media_bps),
            f64::from(changes),
        ]);
        Viewed { values, waited }
    }
}
