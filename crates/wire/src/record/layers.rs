//! The groups of a session of several layers, as one of its ends knows them: a source what it sent to each, a member
//! what came and how long it was in it.

use super::look::{Look, Span};
use super::names::Names;
use super::{End, layer};
use crate::group_use::GroupUse;
use faircast_proto::group_set::GroupPlan;
use faircast_proto::time::Instant;
use faircast_tables::declared::table_of;
use faircast_tables::layers::{GroupInterval, Used};
use faircast_tables::table::Table;

/// The table of an interval, or of none.
pub(super) fn table(
    span: Option<Span>,
    (before, now): (&Look, &Look),
    (plan, end): (&[GroupPlan], End),
    names: &Names,
) -> Table {
    let until = |(at, groups): &(Instant, Vec<GroupUse>), number: usize| {
        groups.get(number).map_or_else(Used::default, |of| used(of, *at))
    };
    let of_span = |span: Span| {
        (0..).zip(plan).map(move |(number, plan)| GroupInterval {
            at: span.at,
            flow: 0,
            number,
            layer: layer(plan),
            seconds: span.passed.as_secs_f64(),
            used: until(&now.groups, number as usize).since(&until(&before.groups, number as usize)),
        })
    };
    let rows: Vec<GroupInterval> = span.into_iter().flat_map(of_span).collect();
    let table = table_of((GroupInterval::TABLE, GroupInterval::declared()), &rows, names, false, []);
    let others = match end {
        End::Source => GroupInterval::OF_MEMBER,
        End::Member => GroupInterval::OF_SOURCE,
    };
    table.without(&others).without(&[GroupInterval::OF_NETWORK])
}

fn used(of: &GroupUse, at: Instant) -> Used {
    Used {
        sent: of.sent,
        sent_bytes: of.sent_bytes,
        others_sent: 0,
        received: of.received,
        received_bytes: of.received_bytes,
        member_time: of.member_time(at),
    }
}
