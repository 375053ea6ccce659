//! Tables of flows and of the receivers of sessions.

use super::declared::{Declared, Row, float, integer, name, of_layers, table_with};
use super::gauges::{Gauges, Shown};
use super::per_second::over;
use super::subjects::Subjects;
use super::table::Table;
use faircast_proto::endpoint::Report;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::counters::MembershipChanges;
use faircast_sim::probe::{ReceiverRow, SenderRow};
use faircast_sim::world::World;

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

impl Interval<'_> {
    /// What was added to a count.
    fn count(&self, of: fn(&Report) -> u64) -> i64 {
        (of(self.now) - of(self.before)) as i64
    }
}

/// A moment of an endpoint as intervals are made of them.
struct Moment<'a> {
    at: Instant,
    subject: u32,
    report: &'a Report,
    gauges: usize,
    present: Duration,
    held: Duration,
    level: u8,
}

/// An interval of a flow or session, with those of its receivers.
pub(crate) struct FlowInterval<'a> {
    own: &'a Interval<'a>,
    receivers: &'a [Interval<'a>],
    seconds: f64,
    is_session: bool,
    has_levels: bool,
}

impl Row for FlowInterval<'_> {
    const TABLE: &'static str = "flows";
    const RECORD: usize = size_of::<SenderRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "end of the interval, seconds of simulated time", |row| row.own.at.as_secs_f64()),
            name("flow", "name of the flow or session", |of| &of.flows, |row| row.own.subject),
            float(
                "rate_bps",
                "what reached the receiver, bit/s, headers included; of a session the mean over the members present: \
                 what all got, by the time that they were there, all together; NaN if there was none",
                |row| rate_bps(row.receivers, |report| report.received_bytes),
            ),
            float("goodput_bps", "the same without repetitions", |row| {
                rate_bps(row.receivers, |report| report.distinct_bytes)
            }),
            float(
                "members",
                "receivers present, the mean over the interval: 1.5 if one of two joined half-way; 1 for a flow",
                |row| row.receivers.iter().map(|of| of.present_s).sum::<f64>() / row.seconds,
            ),
            integer("sent_pkts", "packets that the sender sent", |row| row.own.count(|report| report.sent_pkts)),
            float("sending_bps", "the rate at which a rate-based source sends, gauge", |row| row.own.now.rate_bps),
            integer("reports_received", "feedback packets that the source of a session got", |row| {
                if row.is_session { row.own.count(|report| report.received_pkts) } else { 0 }
            }),
            of_layers(float(
                "mean_level",
                "how many layers the members of a session held, the mean over those present and over the interval; \
                 NaN for flows and for sessions of one layer",
                |row| if row.has_levels { mean_level(row.receivers) } else { f64::NAN },
            )),
        ]
    }
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
    let rows = senders.iter().map(|row| Moment {
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
    let has_levels: Vec<bool> = (0..subjects.flows.len()).map(|flow| subjects.has_levels(flow)).collect();
    // At each moment the rows of receivers are in the order of flows, as those of senders.
    let mut rest = receivers.as_slice();
    let rows = senders.iter().map(|own| {
        let flow = own.subject as usize;
        let (receivers, later) = rest.split_at(world.flows()[flow].receivers.len());
        rest = later;
        FlowInterval { own, receivers, seconds, is_session: subjects.is_session[flow], has_levels: has_levels[flow] }
    });
    let table = table_with(&rows.collect::<Vec<_>>(), subjects, has_levels.contains(&true), []);
    let gauges = Gauges::of(world.flows().iter().map(|flow| world.gauges(flow.sender)));
    gauges.columns(table, &shown(&senders, values, &gauges))
}

/// An interval of a receiver of a session.
pub(crate) struct ReceiverInterval<'a> {
    own: &'a Interval<'a>,
    flow: u32,
    member: u32,
    joins: u64,
    leaves: u64,
}

impl Row for ReceiverInterval<'_> {
    const TABLE: &'static str = "receivers";
    const RECORD: usize = size_of::<ReceiverRow>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "end of the interval", |row| row.own.at.as_secs_f64()),
            name("session", "of which session", |of| &of.flows, |row| row.flow),
            name("receiver", "which receiver", |of| &of.members, |row| row.member),
            float(
                "rate_bps",
                "what reached it while it was a member, bit/s; NaN in intervals in which it was none. The limiting \
                 receiver of TFMCC and OMCC stays a member for a feedback round after its `leave`, to announce it",
                |row| rate_bps(std::slice::from_ref(row.own), |report| report.received_bytes),
            ),
            float("goodput_bps", "the same without repetitions and without what members tell each other", |row| {
                rate_bps(std::slice::from_ref(row.own), |report| report.distinct_bytes)
            }),
            float("desired_bps", "the rate that it asks for, gauge", |row| row.own.now.rate_bps),
            integer("reports", "feedback packets that it sent; what members of layered CBR announce", |row| {
                row.own.count(|report| report.sent_pkts)
            }),
            of_layers(integer(
                "level",
                "how many layers it holds at `t_s`; groups that are no layers do not count",
                |row| i64::from(row.own.level),
            )),
            of_layers(float(
                "mean_level",
                "how many it held, the mean over that part of the interval in which it was a member; NaN if it was \
                 none",
                |row| mean_level(std::slice::from_ref(row.own)),
            )),
            of_layers(integer(
                "joins",
                "groups that it joined, layers and all others, each counted by itself; one \
                 [report](multicast.md#joining-and-leaving) names all that are wanted",
                |row| row.joins as i64,
            )),
            of_layers(integer("leaves", "groups that it left, counted likewise", |row| row.leaves as i64)),
        ]
    }
}

/// The receivers of sessions.
pub(super) fn receivers<C>(
    world: &World<C>,
    records: Vec<ReceiverRow>,
    values: Vec<f64>,
    subjects: &Subjects,
) -> Table {
    let none = Report::default();
    let is_member = |receiver: u32| subjects.member(receiver as usize).is_some();
    let mut intervals = receiver_intervals(world, &records, &none);
    intervals.retain(|row| is_member(row.subject));
    let mut flow_of = vec![0; world.receivers().len()];
    for (flow, ends) in (0..).zip(world.flows()) {
        flow_of[ends.receivers.clone()].fill(flow);
    }
    let mut earlier = vec![MembershipChanges::default(); world.receivers().len()];
    let of_members = records.iter().filter(|row| is_member(row.receiver));
    let rows = intervals.iter().zip(of_members).map(|(own, ReceiverRow { receiver, changes, .. })| {
        let before = std::mem::replace(&mut earlier[*receiver as usize], *changes);
        ReceiverInterval {
            own,
            flow: flow_of[*receiver as usize],
            member: subjects.member(*receiver as usize).map_or(0, |member| member as u32),
            joins: changes.joins - before.joins,
            leaves: changes.leaves - before.leaves,
        }
    });
    let has_levels = (0..subjects.flows.len()).any(|flow| subjects.has_levels(flow));
    let table = table_with(&rows.collect::<Vec<_>>(), subjects, has_levels, []);
    // Those of receivers of flows are not asked for.
    let gauges = Gauges::of((0..).zip(world.receivers()).map(|(receiver, &address)| match subjects.member(receiver) {
        Some(_) => world.gauges(address),
        None => &[],
    }));
    gauges.columns(table, &shown(&intervals, &values, &gauges))
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
    let rows = rows.iter().map(|row| Moment {
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
fn intervals<'a>(rows: impl Iterator<Item = Moment<'a>>, subjects: usize, none: &'a Report) -> Vec<Interval<'a>> {
    let mut earlier = vec![(none, None, Duration::ZERO, Duration::ZERO); subjects];
    rows.map(|Moment { at, subject, report: now, gauges, present, held, level }| {
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
