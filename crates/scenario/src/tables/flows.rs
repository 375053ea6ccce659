//! Tables of flows and of the receivers of sessions.

use super::gauges::{Gauges, Shown};
use super::per_second::over;
use super::subjects::Subjects;
use super::table::Table;
use faircast_proto::endpoint::Report;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::counters::MembershipChanges;
use faircast_sim::probe::{ReceiverRow, SenderRow};
use faircast_sim::world::World;
use std::ops::Range;

/// What a subject reported at the end of an interval, and at the end of the one before.
pub(crate) struct Interval<'a> {
    at: Instant,
    subject: u32,
    now: &'a Report,
    before: &'a Report,
    /// Where its gauges are among the values: now, and before if that is not time zero.
    gauges: (usize, Option<usize>),
    /// How much of the interval it was present.
    present_s: f64,
    /// How long it held layers in it, all of them together.
    held_s: f64,
    /// How many it holds at its end.
    level: u8,
}

/// A row about an endpoint as intervals are made of them.
struct Row<'a> {
    at: Instant,
    subject: u32,
    report: &'a Report,
    gauges: usize,
    present: Duration,
    held: Duration,
    level: u8,
}

/// Flows and sessions. What a session's receivers got is the mean over those present.
pub(super) fn flows<C>(
    world: &World<C>,
    (senders, receivers): (Vec<SenderRow>, &[ReceiverRow]),
    values: &[f64],
    subjects: &Subjects,
    interval: Duration,
) -> Table {
    let none = Report::default();
    // Of senders nobody asks how long they are present.
    let rows = senders.iter().map(|row| Row {
        at: row.at,
        subject: row.flow.0,
        report: &row.report,
        gauges: row.gauges,
        present: Duration::ZERO,
        held: Duration::ZERO,
        level: 0,
    });
    let senders = intervals(rows, subjects.flows.len(), &none);
    let receivers = receiver_intervals(world, receivers, &none);
    let seconds = interval.as_secs_f64();
    // At each moment the rows of receivers are in the order of flows, as those of senders.
    let of_flow: Vec<Range<usize>> = world.flows().iter().map(|flow| flow.receivers.clone()).collect();
    let of_receivers = |of: &dyn Fn(&[Interval]) -> f64| -> Vec<f64> {
        let mut first = 0;
        senders
            .iter()
            .map(|row| {
                let own = &receivers[first..first + of_flow[row.subject as usize].len()];
                first += own.len();
                of(own)
            })
            .collect()
    };
    let mean_bps = |of: fn(&Report) -> u64| of_receivers(&|own| rate_bps(own, of));
    let (received, distinct) = (mean_bps(|report| report.received_bytes), mean_bps(|report| report.distinct_bytes));
    let gauges = Gauges::of(world.flows().iter().map(|flow| world.gauges(flow.sender)));
    let table = Table::new("flows")
        .float("t_s", senders.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("flow", &subjects.flows, senders.iter().map(|row| row.subject))
        .float("rate_bps", received)
        .float("goodput_bps", distinct)
        .float("members", of_receivers(&|own| own.iter().map(|row| row.present_s).sum::<f64>() / seconds))
        .integer("sent_pkts", counts(&senders, |report| report.sent_pkts))
        .float("sending_bps", senders.iter().map(|row| row.now.rate_bps).collect())
        .integer("reports_received", session_counts(&senders, subjects, |report| report.received_pkts));
    let has_levels: Vec<bool> = (0..subjects.flows.len()).map(|flow| subjects.has_levels(flow)).collect();
    let table = match has_levels.contains(&true) {
        true => {
            let levels = of_receivers(&mean_level).into_iter().zip(&senders);
            let level =
                |(level, row): (f64, &Interval)| if has_levels[row.subject as usize] { level } else { f64::NAN };
            table.float("mean_level", levels.map(level).collect())
        }
        false => table,
    };
    gauges.columns(table, &shown(&senders, values, &gauges))
}

/// The receivers of sessions.
pub(super) fn receivers<C>(
    world: &World<C>,
    records: Vec<ReceiverRow>,
    values: Vec<f64>,
    subjects: &Subjects,
) -> Table {
    let none = Report::default();
    let mut earlier = vec![MembershipChanges::default(); world.receivers().len()];
    let of_members = records.iter().filter(|row| subjects.member(row.receiver as usize).is_some());
    let changes: Vec<[i64; 2]> = of_members
        .map(|row| {
            let before = std::mem::replace(&mut earlier[row.receiver as usize], row.changes);
            [row.changes.joins - before.joins, row.changes.leaves - before.leaves].map(|count| count as i64)
        })
        .collect();
    let mut rows = receiver_intervals(world, &records, &none);
    rows.retain(|row| subjects.member(row.subject as usize).is_some());
    let mut flow_of = vec![0; world.receivers().len()];
    for (flow, ends) in (0..).zip(world.flows()) {
        flow_of[ends.receivers.clone()].fill(flow);
    }
    let members = rows.iter().filter_map(|row| subjects.member(row.subject as usize)).map(|member| member as u32);
    let bps = |of: fn(&Report) -> u64| rows.iter().map(|row| rate_bps(std::slice::from_ref(row), of)).collect();
    // Those of receivers of flows are not asked for.
    let gauges = Gauges::of((0..).zip(world.receivers()).map(|(receiver, &address)| match subjects.member(receiver) {
        Some(_) => world.gauges(address),
        None => &[],
    }));
    let table = Table::new("receivers")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("session", &subjects.flows, rows.iter().map(|row| flow_of[row.subject as usize]))
        .words("receiver", &subjects.members, members)
        .float("rate_bps", bps(|report| report.received_bytes))
        .float("goodput_bps", bps(|report| report.distinct_bytes))
        .float("desired_bps", rows.iter().map(|row| row.now.rate_bps).collect())
        .integer("reports", counts(&rows, |report| report.sent_pkts));
    let table = match (0..subjects.flows.len()).any(|flow| subjects.has_levels(flow)) {
        true => table
            .integer("level", rows.iter().map(|row| i64::from(row.level)).collect())
            .float("mean_level", rows.iter().map(|row| mean_level(std::slice::from_ref(row))).collect())
            .integer("joins", changes.iter().map(|changes| changes[0]).collect())
            .integer("leaves", changes.iter().map(|changes| changes[1]).collect()),
        false => table,
    };
    gauges.columns(table, &shown(&rows, &values, &gauges))
}

/// What the subjects of these intervals showed, the values of all being these.
fn shown<'a>(rows: &[Interval], values: &'a [f64], gauges: &Gauges) -> Vec<Shown<'a>> {
    let shown = |row: &Interval| {
        let endpoint = row.subject as usize;
        let at = |start: usize| &values[start..start + gauges.number(endpoint)];
        Shown { endpoint, now: at(row.gauges.0), before: row.gauges.1.map(at) }
    };
    rows.iter().map(shown).collect()
}

fn receiver_intervals<'a, C>(world: &World<C>, rows: &'a [ReceiverRow], none: &'a Report) -> Vec<Interval<'a>> {
    let rows = rows.iter().map(|row| Row {
        at: row.at,
        subject: row.receiver,
        report: &row.report,
        gauges: row.gauges,
        present: row.present,
        held: row.held,
        level: row.level,
    });
    intervals(rows, world.receivers().len(), none)
}

/// The intervals between these reports of so many subjects; `none` is what they report at time zero.
fn intervals<'a>(rows: impl Iterator<Item = Row<'a>>, subjects: usize, none: &'a Report) -> Vec<Interval<'a>> {
    let mut earlier = vec![(none, None, Duration::ZERO, Duration::ZERO); subjects];
    rows.map(|Row { at, subject, report: now, gauges, present, held, level }| {
        let own = &mut earlier[subject as usize];
        let (before, gauges_before, then, held_then) = std::mem::replace(own, (now, Some(gauges), present, held));
        let [present_s, held_s] =
            [(present, then), (held, held_then)].map(|(now, then)| Duration(now.0 - then.0).as_secs_f64());
        Interval { at, subject, now, before, gauges: (gauges, gauges_before), present_s, held_s, level }
    })
    .collect()
}

/// How many layers receivers held in an interval: the mean over those present and over the time; NaN if none was.
fn mean_level(receivers: &[Interval]) -> f64 {
    over(receivers.iter().map(|row| row.held_s).sum(), receivers.iter().map(|row| row.present_s).sum())
}

/// What receivers got in an interval, bit/s: all together over the time that they were present, all together. NaN if
/// none of them was.
fn rate_bps(receivers: &[Interval], of: fn(&Report) -> u64) -> f64 {
    let bytes: u64 = receivers.iter().map(|row| of(row.now) - of(row.before)).sum();
    over(8.0 * bytes as f64, receivers.iter().map(|row| row.present_s).sum())
}

fn counts(rows: &[Interval], of: fn(&Report) -> u64) -> Vec<i64> {
    rows.iter().map(|row| (of(row.now) - of(row.before)) as i64).collect()
}

/// Counts of sources of sessions; 0 for flows that are no session's.
fn session_counts(rows: &[Interval], subjects: &Subjects, of: fn(&Report) -> u64) -> Vec<i64> {
    let is_session = rows.iter().map(|row| subjects.is_session[row.subject as usize]);
    counts(rows, of).into_iter().zip(is_session).map(|(count, is_session)| if is_session { count } else { 0 }).collect()
}
