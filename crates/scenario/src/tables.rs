//! Results as tables: columns of numbers and of words, ready for Arrow without conversion.
//!
//! Long form: one row per subject and moment. The unit stands in the column's name. Counts are those of the interval
//! that ends at `t_s`; gauges (`cwnd_pkts`, `queue_pkts`) are those of the moment.

use faircast_proto::endpoint::{Event, Report};
use faircast_proto::packet::Ecn;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::engine::World;
use faircast_sim::link::LinkCounters;
use faircast_sim::probe::{FlowRow, LinkRow, PacketAction, PacketRow};
use faircast_sim::queue::DropReason;

/// A table: a name and columns of equal length.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name: `flows`, `links`, `queues`, `packets`, `events` or `summary`.
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

/// Names of the subjects of a run, by index.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// Links, one direction each.
    pub links: &'a [String],
    /// Flows.
    pub flows: &'a [String],
}

/// All tables of a run but the summary.
pub fn tables<C>(world: &World<C>, names: Names<'_>, interval: Duration) -> Vec<Table> {
    vec![
        flows(&world.records().flows, names, interval),
        links(world, names, interval),
        queues(world, names),
        packets(world, names),
        events(world, names),
    ]
}

fn flows(rows: &[FlowRow], names: Names<'_>, interval: Duration) -> Table {
    let seconds = interval.as_secs_f64();
    let mut before = vec![(Report::default(), Report::default()); names.flows.len()];
    let differences: Vec<(FlowRow, Report, Report)> = rows
        .iter()
        .map(|row| {
            let (sender, receiver) = std::mem::replace(&mut before[row.flow.0 as usize], (row.sender, row.receiver));
            (*row, sender, receiver)
        })
        .collect();
    let float = |of: &dyn Fn(&(FlowRow, Report, Report)) -> f64| differences.iter().map(of).collect();
    let count = |of: &dyn Fn(&(FlowRow, Report, Report)) -> u64| differences.iter().map(|d| of(d) as i64).collect();
    Table::new("flows")
        .float("t_s", float(&|(row, ..)| row.at.as_secs_f64()))
        .words("flow", names.flows, differences.iter().map(|(row, ..)| row.flow.0))
        .float(
            "rate_bps",
            float(&|(row, _, old)| 8.0 * (row.receiver.received_bytes - old.received_bytes) as f64 / seconds),
        )
        .float(
            "goodput_bps",
            float(&|(row, _, old)| 8.0 * (row.receiver.distinct_bytes - old.distinct_bytes) as f64 / seconds),
        )
        .integer("sent_pkts", count(&|(row, old, _)| row.sender.sent_pkts - old.sent_pkts))
        .integer("retransmitted_pkts", count(&|(row, old, _)| row.sender.retransmitted_pkts - old.retransmitted_pkts))
        .integer("loss_reductions", count(&|(row, old, _)| row.sender.loss_reductions - old.loss_reductions))
        .integer("ecn_reductions", count(&|(row, old, _)| row.sender.ecn_reductions - old.ecn_reductions))
        .integer("timeouts", count(&|(row, old, _)| row.sender.timeouts - old.timeouts))
        .float("cwnd_pkts", float(&|(row, ..)| row.sender.cwnd_pkts))
        .float("ssthresh_pkts", float(&|(row, ..)| row.sender.ssthresh_pkts))
        .float("srtt_s", float(&|(row, ..)| row.sender.srtt_s))
}

fn links<C>(world: &World<C>, names: Names<'_>, interval: Duration) -> Table {
    let seconds = interval.as_secs_f64();
    let mut before = vec![LinkCounters::default(); names.links.len()];
    let differences: Vec<(LinkRow, LinkCounters)> = world
        .records()
        .links
        .iter()
        .map(|row| (*row, std::mem::replace(&mut before[row.link as usize], row.counters)))
        .collect();
    let rate = |(row, old): &(LinkRow, LinkCounters)| {
        8.0 * (row.counters.departed_bytes - old.departed_bytes) as f64 / seconds
    };
    let count = |of: &dyn Fn(&LinkCounters) -> u64| {
        differences.iter().map(|(row, old)| (of(&row.counters) - of(old)) as i64).collect()
    };
    Table::new("links")
        .float("t_s", differences.iter().map(|(row, _)| row.at.as_secs_f64()).collect())
        .words("link", names.links, differences.iter().map(|(row, _)| row.link))
        .float("rate_bps", differences.iter().map(rate).collect())
        .float(
            "utilisation",
            differences.iter().map(|d| rate(d) / world.links()[d.0.link as usize].rate().as_bps_f64()).collect(),
        )
        .integer("arrived_pkts", count(&|counters| counters.arrived))
        .integer("dropped_overflow_pkts", count(&|counters| counters.dropped_overflow))
        .integer("dropped_active_pkts", count(&|counters| counters.dropped_active))
        .integer("marked_incipient_pkts", count(&|counters| counters.marked_incipient))
        .integer("marked_moderate_pkts", count(&|counters| counters.marked_moderate))
        .integer("departed_pkts", count(&|counters| counters.departed))
        .integer("lost_pkts", count(&|counters| counters.lost))
}

fn queues<C>(world: &World<C>, names: Names<'_>) -> Table {
    let rows = &world.records().queues;
    Table::new("queues")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("link", names.links, rows.iter().map(|row| row.link))
        .integer("queue_pkts", rows.iter().map(|row| i64::from(row.waiting_pkts)).collect())
        .float("average_pkts", rows.iter().map(|row| row.average_pkts).collect())
}

fn packets<C>(world: &World<C>, names: Names<'_>) -> Table {
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
    let mut flow_names = names.flows.to_vec();
    let no_flow = flow_names.len() as u32;
    flow_names.push(String::new());
    let rows: Vec<_> = (0u32..)
        .zip(world.links())
        .filter_map(|(link, state)| Some((link, state.probe()?.rows.as_ref()?)))
        .flat_map(|(link, rows)| rows.iter().map(move |row| (link, row)))
        .collect();
    Table::new("packets")
        .float("t_s", rows.iter().map(|(_, row)| row.at.as_secs_f64()).collect())
        .words("link", names.links, rows.iter().map(|(link, _)| *link))
        .words("action", &ACTIONS.map(String::from), rows.iter().map(|(_, row)| code(row.action)))
        .words("flow", &flow_names, rows.iter().map(|(_, row)| row.packet.map_or(no_flow, |(flow, _)| flow.0)))
        .words("arrived_as", &LEVELS.map(String::from), rows.iter().map(|(_, row)| level(row)))
        .integer("queue_pkts", rows.iter().map(|(_, row)| i64::from(row.waiting_pkts)).collect())
        .float("average_pkts", rows.iter().map(|(_, row)| row.average_pkts).collect())
}

fn events<C>(world: &World<C>, names: Names<'_>) -> Table {
    let rows = &world.records().events;
    let mut what = Words::default();
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for row in rows {
        let (word, from, to) = described(row.event);
        what.push(word);
        before.push(from);
        after.push(to);
    }
    Table::new("events")
        .float("t_s", rows.iter().map(|row| row.at.as_secs_f64()).collect())
        .words("flow", names.flows, rows.iter().map(|row| row.flow.0))
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
        Event::ClrChanged { receiver } => {
            ("limiting-receiver", f64::NAN, receiver.map_or(f64::NAN, |receiver| receiver.index() as f64))
        }
        Event::SlowStartEnded { rate_bps } => ("slow-start-ended", rate_bps, f64::NAN),
        Event::LossEvent { loss_event_rate } => ("loss-event", f64::NAN, loss_event_rate),
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
