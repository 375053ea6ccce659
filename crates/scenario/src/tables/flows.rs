//! Tables of flows and of the receivers of sessions.

use super::per_second::over;
use super::subjects::Subjects;
use super::table::Table;
use faircast_proto::endpoint::Report;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::engine::World;
use faircast_sim::probe::{ReceiverRow, SenderRow};
use std::ops::Range;

/// What a subject reported at the end of an interval, and at the end of the one before.
pub(crate) struct Interval<'a> {
    at: Instant,
    subject: u32,
    now: &'a Report,
    before: &'a Report,
    /// How much of the interval it was present.
    present_s: f64,
}

/// Flows and sessions. What a session's receivers got is the mean over those present.
pub(super) fn flows<C>(
    world: &World<C>,
    (senders, receivers): (Vec<SenderRow>, &[ReceiverRow]),
    subjects: &Subjects,
    interval: Duration,
) -> Table {
    let none = Report::default();
    // Of senders nobody asks how long they are present.
    let rows = senders.iter().map(|row| (row.at, row.flow.0, &row.report, Duration::ZERO));
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
    let count = |of: fn(&Report) -> u64| counts(&senders, of);
    let gauge = |of: fn(&Report) -> f64| senders.iter().map(|row| of(row.now)).collect();
    Table::new("flows")
        .float("t_s", senders.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("flow", &subjects.flows, senders.iter().map(|row| row.subject))
        .float("rate_bps", received)
        .float("goodput_bps", distinct)
        .float("members", of_receivers(&|own| own.iter().map(|row| row.present_s).sum::<f64>() / seconds))
        .integer("sent_pkts", count(|report| report.sent_pkts))
        .integer("retransmitted_pkts", count(|report| report.retransmitted_pkts))
        .integer("loss_reductions", count(|report| report.loss_reductions))
        .integer("ecn_reductions", count(|report| report.ecn_reductions))
        .integer("timeouts", count(|report| report.timeouts))
        .float("cwnd_pkts", gauge(|report| report.cwnd_pkts))
        .float("ssthresh_pkts", gauge(|report| report.ssthresh_pkts))
        .float("srtt_s", gauge(|report| report.srtt_s))
        .float("sending_bps", gauge(|report| report.rate_bps))
        .integer("reports_received", session_counts(&senders, subjects, |report| report.received_pkts))
        .integer("feedback_rounds", count(|report| report.feedback_rounds))
        .integer("round_reports", count(|report| report.round_reports))
}

/// The receivers of sessions.
pub(super) fn receivers<C>(world: &World<C>, records: Vec<ReceiverRow>, subjects: &Subjects) -> Table {
    let none = Report::default();
    let mut rows = receiver_intervals(world, &records, &none);
    rows.retain(|row| subjects.member(row.subject as usize).is_some());
    let mut flow_of = vec![0; world.receivers().len()];
    for (flow, ends) in (0..).zip(world.flows()) {
        flow_of[ends.receivers.clone()].fill(flow);
    }
    let members = rows.iter().filter_map(|row| subjects.member(row.subject as usize)).map(|member| member as u32);
    let bps = |of: fn(&Report) -> u64| rows.iter().map(|row| rate_bps(std::slice::from_ref(row), of)).collect();
    let gauge = |of: fn(&Report) -> f64| rows.iter().map(|row| of(row.now)).collect();
    Table::new("receivers")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("session", &subjects.flows, rows.iter().map(|row| flow_of[row.subject as usize]))
        .words("receiver", &subjects.members, members)
        .float("rate_bps", bps(|report| report.received_bytes))
        .float("goodput_bps", bps(|report| report.distinct_bytes))
        .float("desired_bps", gauge(|report| report.rate_bps))
        .float("loss_event_rate", gauge(|report| report.loss_event_rate))
        .float("rtt_s", gauge(|report| report.srtt_s))
        .integer("loss_events", counts(&rows, |report| report.loss_reductions))
        .integer("reports", counts(&rows, |report| report.sent_pkts))
}

fn receiver_intervals<'a, C>(world: &World<C>, rows: &'a [ReceiverRow], none: &'a Report) -> Vec<Interval<'a>> {
    let rows = rows.iter().map(|row| (row.at, row.receiver, &row.report, row.present));
    intervals(rows, world.receivers().len(), none)
}

/// The intervals between these reports of so many subjects; `none` is what they report at time zero.
fn intervals<'a>(
    rows: impl Iterator<Item = (Instant, u32, &'a Report, Duration)>,
    subjects: usize,
    none: &'a Report,
) -> Vec<Interval<'a>> {
    let mut earlier = vec![(none, Duration::ZERO); subjects];
    rows.map(|(at, subject, now, present)| {
        let (before, then) = std::mem::replace(&mut earlier[subject as usize], (now, present));
        Interval { at, subject, now, before, present_s: Duration(present.0 - then.0).as_secs_f64() }
    })
    .collect()
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
