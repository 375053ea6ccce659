//! Tables of flows and of the receivers of sessions.

use super::declared::{Declared, Row, table_with};
use super::subjects::Subjects;
use faircast_proto::endpoint::Report;
use faircast_proto::time::Duration;
use faircast_sim::counters::MembershipChanges;
use faircast_sim::probe::{ReceiverRow, SenderRow};
use faircast_sim::world::World;
use faircast_tables::ends::Ends;
use faircast_tables::flows::{FlowInterval, ReceiverInterval};
use faircast_tables::gauges::Gauges;
use faircast_tables::interval::{Interval, Moment, intervals, shown};
use faircast_tables::table::Table;

impl Row for FlowInterval<'_> {
    const TABLE: &'static str = FlowInterval::TABLE;
    const RECORD: usize = size_of::<SenderRow>();

    fn columns() -> Vec<Declared<Self>> {
        FlowInterval::declared()
    }
}

impl Row for ReceiverInterval<'_> {
    const TABLE: &'static str = ReceiverInterval::TABLE;
    const RECORD: usize = size_of::<ReceiverRow>();

    fn columns() -> Vec<Declared<Self>> {
        ReceiverInterval::declared()
    }
}

impl Ends for Subjects {
    fn flows(&self) -> &[String] {
        &self.flows
    }

    fn members(&self) -> &[String] {
        &self.members
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
