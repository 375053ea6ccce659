//! Results as tables: columns of numbers and of words, ready for Arrow without conversion.
//!
//! Long form: one row per subject and moment. The unit stands in the column's name. Counts are those of the interval
//! that ends at `t_s`; gauges (`cwnd_pkts`, `queue_pkts`) are those of the moment.

mod flows;

use crate::network::Network;
use faircast_proto::endpoint::Event;
use faircast_proto::packet::Ecn;
use faircast_proto::scheme::Scheme;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::counters::LinkCounters;
use faircast_sim::engine::World;
use faircast_sim::probe::{LinkRow, PacketAction, PacketRow};
use faircast_sim::queue::DropReason;

/// A table: a name and columns of equal length.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name: `flows`, `receivers`, `links`, `queues`, `packets`, `events` or `summary`.
    pub name: &'static str,
    /// Its columns, in order.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name, unit included.
    pub name: &'static str,
    /// Its values.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum Values {
    /// Numbers; NaN where a value does not apply.
    Float(Vec<f64>),
    /// Counts.
    Integer(Vec<i64>),
    /// Words, as codes into a dictionary.
    Words(Words),
}

/// Words of a column: codes into a dictionary of distinct words.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// One code per row.
    pub codes: Vec<i32>,
    /// The distinct words.
    pub dictionary: Vec<String>,
}

/// The subjects of a run, in the order of the simulator.
#[derive(Clone, Debug)]
pub struct Subjects {
    /// Names of links, one direction each.
    pub links: Vec<String>,
    /// Names of flows, those of sessions after the others.
    pub flows: Vec<String>,
    /// Of each flow, whether it is a session's.
    pub is_session: Vec<bool>,
    /// Of each flow, whether it answers congestion.
    pub is_controlled: Vec<bool>,
    /// Names of the receivers of sessions.
    pub members: Vec<String>,
    /// From when to when each of them is a member.
    pub membership: Vec<(Instant, Instant)>,
}

impl Subjects {
    /// The subjects of `network`, run with `seed`.
    pub fn of(network: &Network, seed: u64) -> Subjects {
        let unicast = network.flows.iter().map(|flow| (&flow.name, false, flow.kind.is_controlled()));
        let sessions = network.sessions.iter().map(|session| (&session.name, true, session.config.is_controlled()));
        let flows: Vec<_> = unicast.chain(sessions).collect();
        let members = || network.sessions.iter().flat_map(|session| &session.receivers);
        Subjects {
            links: network.links.iter().map(|link| link.name.clone()).collect(),
            flows: flows.iter().map(|(name, ..)| (*name).clone()).collect(),
            is_session: flows.iter().map(|(_, is_session, _)| *is_session).collect(),
            is_controlled: flows.iter().map(|(.., is_controlled)| *is_controlled).collect(),
            members: members().map(|receiver| receiver.name.clone()).collect(),
            membership: members().map(|receiver| (receiver.joins(seed), receiver.leaves())).collect(),
        }
    }

    /// Which of the members a receiver is, of the receivers of all flows; nothing for that of a flow between two
    /// endpoints. Flows come before sessions, and each has one receiver.
    pub(crate) fn member(&self, receiver: usize) -> Option<usize> {
        let flows = self.is_session.iter().take_while(|is_session| !**is_session).count();
        receiver.checked_sub(flows)
    }
}

/// All tables of a run but the summary.
pub fn tables<C>(world: &World<C>, subjects: &Subjects, interval: Duration) -> Vec<Table> {
    vec![
        flows::flows(world, subjects, interval),
        flows::receivers(world, subjects, interval),
        links(world, subjects, interval),
        queues(world, subjects),
        packets(world, subjects),
        events(world, subjects),
    ]
}

fn links<C>(world: &World<C>, subjects: &Subjects, interval: Duration) -> Table {
    let seconds = interval.as_secs_f64();
    let mut before = vec![LinkCounters::default(); subjects.links.len()];
    let differences: Vec<(LinkRow, LinkCounters)> = world
        .records()
        .links
        .iter()
        .map(|row| (*row, std::mem::replace(&mut before[row.link.index()], row.counters)))
        .collect();
    let rate = |(row, old): &(LinkRow, LinkCounters)| {
        8.0 * (row.counters.departed_bytes - old.departed_bytes) as f64 / seconds
    };
    let count = |of: &dyn Fn(&LinkCounters) -> u64| {
        differences.iter().map(|(row, old)| (of(&row.counters) - of(old)) as i64).collect()
    };
    Table::new("links")
        .float("t_s", differences.iter().map(|(row, _)| row.at.as_secs_f64()).collect())
        .words("link", &subjects.links, differences.iter().map(|(row, _)| row.link.0))
        .float("rate_bps", differences.iter().map(rate).collect())
        .float(
            "utilisation",
            differences.iter().map(|d| rate(d) / world.links()[d.0.link.index()].rate().as_bps_f64()).collect(),
        )
        .integer("arrived_pkts", count(&|counters| counters.arrived))
        .integer("dropped_overflow_pkts", count(&|counters| counters.dropped_overflow))
        .integer("dropped_active_pkts", count(&|counters| counters.dropped_active))
        .integer("marked_incipient_pkts", count(&|counters| counters.marked_incipient))
        .integer("marked_moderate_pkts", count(&|counters| counters.marked_moderate))
        .integer("departed_pkts", count(&|counters| counters.departed))
        .integer("lost_pkts", count(&|counters| counters.lost))
}

fn queues<C>(world: &World<C>, subjects: &Subjects) -> Table {
    let rows = &world.records().queues;
    Table::new("queues")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("link", &subjects.links, rows.iter().map(|row| row.link.0))
        .integer("queue_pkts", rows.iter().map(|row| i64::from(row.waiting_pkts)).collect())
        .float("average_pkts", rows.iter().map(|row| row.average_pkts).collect())
}

fn packets<C>(world: &World<C>, subjects: &Subjects) -> Table {
    const ACTIONS: [&str; 6] =
        ["accepted", "marked-incipient", "marked-moderate", "dropped-overflow", "dropped-active", "departed"];
    let code = |action| match action {
        PacketAction::Accepted => 0,
        PacketAction::Marked(Ecn::Incipient) => 1,
        PacketAction::Marked(_) => 2,
        PacketAction::Dropped(DropReason::Overflow) => 3,
        PacketAction::Dropped(DropReason::Active) => 4,
        PacketAction::Departed => 5,
    };
    const LEVELS: [&str; 5] = ["not-capable", "capable", "incipient", "moderate", ""];
    let level = |row: &PacketRow| row.packet.map_or(LEVELS.len() as u32 - 1, |(_, ecn)| ecn as u32);
    let mut flow_names = subjects.flows.clone();
    let no_flow = flow_names.len() as u32;
    flow_names.push(String::new());
    let rows: Vec<_> = (0u32..)
        .zip(world.links())
        .filter_map(|(link, state)| Some((link, state.probe()?.rows.as_ref()?)))
        .flat_map(|(link, rows)| rows.iter().map(move |row| (link, row)))
        .collect();
    Table::new("packets")
        .float("t_s", rows.iter().map(|(_, row)| row.at.as_secs_f64()).collect())
        .words("link", &subjects.links, rows.iter().map(|(link, _)| *link))
        .words("action", &ACTIONS.map(String::from), rows.iter().map(|(_, row)| code(row.action)))
        .words("flow", &flow_names, rows.iter().map(|(_, row)| row.packet.map_or(no_flow, |(flow, _)| flow.0)))
        .words("arrived_as", &LEVELS.map(String::from), rows.iter().map(|(_, row)| level(row)))
        .integer("queue_pkts", rows.iter().map(|(_, row)| i64::from(row.waiting_pkts)).collect())
        .float("average_pkts", rows.iter().map(|(_, row)| row.average_pkts).collect())
}

fn events<C>(world: &World<C>, subjects: &Subjects) -> Table {
    let rows = &world.records().events;
    // The member at each address, nobody's last.
    let mut names = subjects.members.clone();
    let nobody = names.len() as u32;
    names.push(String::new());
    let ends = world.flows().iter().map(|flow| flow.sender.index()).chain(world.receivers().iter().map(|r| r.index()));
    let mut member_at = vec![nobody; ends.max().map_or(0, |last| last + 1)];
    for (receiver, address) in world.receivers().iter().enumerate() {
        member_at[address.index()] = subjects.member(receiver).map_or(nobody, |member| member as u32);
    }
    let mut what = Words::default();
    let (mut receivers, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let (word, from, to) = described(row.event);
        what.push(word);
        before.push(from);
        after.push(to);
        // A sender speaks of the receiver that it now follows, a receiver of itself.
        receivers.push(match row.event {
            Event::ClrChanged { receiver } => receiver.map_or(nobody, |receiver| member_at[receiver.index()]),
            _ => member_at[row.endpoint as usize],
        });
    }
    Table::new("events")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("flow", &subjects.flows, rows.iter().map(|row| row.flow.0))
        .words("receiver", &names, receivers.into_iter())
        .column("event", Values::Words(what))
        .float("before", before)
        .float("after", after)
}

/// An event in words, with the value it changed before and after; NaN where it changed none.
fn described(event: Event) -> (&'static str, f64, f64) {
    match event {
        Event::LossReduction { before, after } => ("loss-reduction", before, after),
        Event::EcnReduction { level: Ecn::Incipient, before, after } => ("incipient-reduction", before, after),
        Event::EcnReduction { before, after, .. } => ("moderate-reduction", before, after),
        Event::RetransmissionTimeout { rto_s } => ("timeout", rto_s, f64::NAN),
        Event::RateChanged { before_bps, after_bps } => ("rate", before_bps, after_bps),
        Event::ClrChanged { .. } => ("limiting-receiver", f64::NAN, f64::NAN),
        Event::SlowStartEnded { rate_bps } => ("slow-start-ended", rate_bps, f64::NAN),
        Event::LossEvent { loss_event_rate } => ("loss-event", f64::NAN, loss_event_rate),
        Event::ScaleChanged { before, after } => ("scale", before, after),
        Event::Finished => ("finished", f64::NAN, f64::NAN),
    }
}

impl Table {
    pub(crate) fn new(name: &'static str) -> Table {
        Table { name, columns: Vec::new() }
    }

    fn column(mut self, name: &'static str, values: Values) -> Table {
        self.columns.push(Column { name, values });
        self
    }

    pub(crate) fn float(self, name: &'static str, values: Vec<f64>) -> Table {
        self.column(name, Values::Float(values))
    }

    pub(crate) fn integer(self, name: &'static str, values: Vec<i64>) -> Table {
        self.column(name, Values::Integer(values))
    }

    pub(crate) fn words(self, name: &'static str, dictionary: &[String], codes: impl Iterator<Item = u32>) -> Table {
        let codes = codes.map(|code| code as i32).collect();
        self.column(name, Values::Words(Words { codes, dictionary: dictionary.to_vec() }))
    }

    pub(crate) fn collected_words(self, name: &'static str, words: Words) -> Table {
        self.column(name, Values::Words(words))
    }

    /// The column called `name`.
    pub fn get(&self, name: &str) -> Option<&Values> {
        self.columns.iter().find(|column| column.name == name).map(|column| &column.values)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self.columns.first().map(|column| &column.values) {
            None => 0,
            Some(Values::Float(values)) => values.len(),
            Some(Values::Integer(values)) => values.len(),
            Some(Values::Words(words)) => words.codes.len(),
        }
    }
}

impl Words {
    /// Appends a word that is either the last one again or has not come before.
    pub(crate) fn push_in_turn(&mut self, word: &str) {
        if self.dictionary.last().is_none_or(|last| last != word) {
            self.dictionary.push(word.to_owned());
        }
        self.codes.push(self.dictionary.len() as i32 - 1);
    }

    /// Appends a word. Meant for few distinct words: they are searched one by one, the latest first.
    pub(crate) fn push(&mut self, word: &str) {
        let code = self.dictionary.iter().rposition(|known| known == word).unwrap_or_else(|| {
            self.dictionary.push(word.to_owned());
            self.dictionary.len() - 1
        });
        self.codes.push(code as i32);
    }
}

/// Seconds from `start` to `end`.
pub(crate) fn seconds(start: Instant, end: Instant) -> f64 {
    end.since(start).as_secs_f64()
}
