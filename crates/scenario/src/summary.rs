//! The summary of a run: one row per subject and metric.
//!
//! Values are those of the run after its warm-up, unless the metric's name ends in `_all`: those count from time
//! zero. A run that was interrupted during its warm-up has nothing after it: its late values are NaN.

mod playout;
mod proxies;
mod slots;
mod symbols;
mod web;

use crate::activity::Activity;
use crate::network::Network;
use crate::tables::{Dilated, Seen, Subjects, Table, TransferOf, Words, greatest_dilation, over, seconds};
use faircast_proto::endpoint::{Gauge, GaugeKind, Report};
use faircast_proto::packet::Address;
use faircast_proto::parts::loss_differentiation::CONFUSION_GAUGES;
use faircast_proto::time::{Duration, Instant};
use faircast_sim::counters::{FlowLosses, LinkCounters, MembershipChanges, Undeliverable};
use faircast_sim::counters::{MembershipMessages, MessageCounters};
use faircast_sim::ids::LinkId;
use faircast_sim::link::Link;
use faircast_sim::multicast::DilationSpan;
use faircast_sim::probe::{QueueStatistics, Sojourn};
use faircast_sim::world::World;
use std::collections::BTreeMap;
use std::ops::Range;
use symbols::{SymbolsOf, symbols_of};

/// The summary table of a run: columns `subject`, `metric`, `unit`, `value`; `rows` has none yet.
pub(crate) fn summary<C>(
    mut rows: Rows,
    world: &World<C>,
    network: &Network,
    subjects: &Subjects,
    activity: &[Activity],
    (transfers, seen): (&[TransferOf], &Seen),
) -> Table {
    let (warmup, now) = (network.probes.warmup, world.now());
    let (all_s, late_s) = (now.as_secs_f64(), seconds(warmup, now));
    let records = world.records();
    let (mut compared, mut compared_all) = (Vec::new(), Vec::new());
    // Of sessions, which are in the order of flows.
    let (mut membership, mut sessions) = (world.membership_messages(), 0);
    // Where the rows of each flow are.
    let mut of_flows = Vec::with_capacity(subjects.flows.len());
    // How long each took that came to the end of all that it had to send.
    let mut completions = vec![None; subjects.flows.len()];
    for (index, flow) in world.flows().iter().enumerate() {
        let at_warmup = records.senders_at_warmup.get(index).copied();
        let gauges_at_warmup = records.sender_gauges_at_warmup.get(index).copied();
        let gauges = Gauges::of(world, flow.sender, gauges_at_warmup);
        let now = world.sender(index);
        let (held_all_s, held_late_s, changes) = (0.0, 0.0, (MembershipChanges::default(), None));
        let sender = Counters { now, at_warmup, gauges, all_s, late_s, level: 0, held_all_s, held_late_s, changes };
        let receiver = |(number, receiver): (usize, usize)| {
            // The time counts in which it was present.
            let present = world.presence(receiver);
            let early = records.presence_at_warmup.get(receiver);
            let gauges_at_warmup = records.receiver_gauges_at_warmup.get(receiver).copied();
            let held = world.held(receiver);
            Counters {
                gauges: Gauges::of(world, world.receivers()[receiver], gauges_at_warmup),
                now: world.receiver(index, number),
                at_warmup: records.receivers_at_warmup.get(receiver).copied(),
                all_s: present.as_secs_f64(),
                late_s: early.map_or(f64::NAN, |early| Duration(present.0 - early.0).as_secs_f64()),
                level: world.level(receiver),
                held_all_s: held.as_secs_f64(),
                held_late_s: records
                    .held_at_warmup
                    .get(receiver)
                    .map_or(f64::NAN, |early| Duration(held.0 - early.0).as_secs_f64()),
                changes: (
                    world.membership_changes(receiver),
                    records.membership_changes_at_warmup.get(receiver).copied(),
                ),
            }
        };
        let receivers: Vec<Counters> = flow.receivers.clone().enumerate().map(receiver).collect();
        let active_s = if sender.at_warmup.is_some() { activity[index].after(warmup) } else { f64::NAN };
        let active_all_s = activity[index].after(Instant::ZERO);
        let first = rows.values.len();
        let transfer = network.flows.get(index).and_then(|flow| flow.transfer_bytes());
        rows.flow(&subjects.flows[index], &sender, &receivers, [active_s, active_all_s], transfer.is_some());
        if let Some(bytes) = transfer {
            // What was stopped on its way has an end, too.
            let complete = receivers.iter().all(|receiver| receiver.now.distinct_bytes >= bytes);
            completions[index] = activity[index].length().filter(|_| complete);
            rows.transfer(&subjects.flows[index], completions[index]);
        }
        rows.losses(&subjects.flows[index], &world.losses()[index], records.losses_at_warmup.get(index));
        let given_up = |counts: &[Undeliverable]| counts.get(index).map_or(f64::NAN, |count| count.total() as f64);
        let (all, early) = (given_up(world.undeliverable()), given_up(&records.undeliverable_at_warmup));
        rows.both(&subjects.flows[index], "undeliverable", "packets", [all - early, all]);
        if subjects.is_session[index] {
            rows.session(&subjects.flows[index], &sender);
            rows.confusion(&subjects.flows[index], &receivers);
            rows.messages(&subjects.flows[index], messages_of(world, flow.sender));
            let all = membership.next().expect("every session has them");
            rows.membership_messages(&subjects.flows[index], all, records.membership_messages_at_warmup.get(sessions));
            sessions += 1;
        }
        of_flows.push(first..rows.values.len());
        if subjects.is_session[index] {
            let has_levels = subjects.has_levels(index);
            if has_levels {
                rows.both(
                    &subjects.flows[index],
                    "mean_level",
                    "layers",
                    [late_level(&receivers), all_level(&receivers)],
                );
            }
            let members = flow.receivers.clone().filter_map(|receiver| Some((receiver, subjects.member(receiver)?)));
            for ((receiver, member), counters) in members.zip(&receivers) {
                rows.receiver(&subjects.members[member], counters);
                rows.messages(&subjects.members[member], messages_of(world, world.receivers()[receiver]));
                if has_levels {
                    rows.level(&subjects.members[member], counters);
                    rows.membership(&subjects.members[member], counters);
                }
            }
        }
        if subjects.is_controlled[index] {
            compared.push(late_bps(&receivers, active_s, |report| report.distinct_bytes));
            compared_all.push(all_bps(&receivers, active_all_s, |report| report.distinct_bytes));
        }
    }
    for group in &network.flow_groups {
        // What one flow has says it itself; its mean, too, has a name that does not hang on the number of flows.
        if group.flows.len() > 1 {
            rows.sums(&group.name, "", &of_flows[group.flows.clone()]);
        }
        rows.means(&group.name, &of_flows[group.flows.clone()]);
        rows.transfers(&group.name, completions[group.flows.clone()].iter().flatten());
    }
    web::add(&mut rows, network, transfers);
    proxies::add(&mut rows, subjects, &world.relays(), records, !records.links_at_warmup.is_empty());
    playout::add(&mut rows, network, seen, now);
    for (index, (name, link)) in subjects.links.iter().zip(world.links()).enumerate() {
        // A leg takes part in the rate of its link.
        let transmitter = world.carrier(LinkId(index as u32)).map_or(link, |carrier| &world.links()[carrier.index()]);
        let mean_rate_bps = |since| transmitter.mean_rate_bps(since, now);
        let symbols = symbols_of(world, LinkId(index as u32), [warmup, now]);
        rows.link(name, link, mean_rate_bps, symbols.as_ref(), records.links_at_warmup.get(index), [warmup, now]);
    }
    slots::add(&mut rows, world, network, &subjects.links, !records.links_at_warmup.is_empty(), [warmup, now]);
    // Of an interrupted run whose warm-up has not ended there is no late value.
    let late_dilation = match records.links_at_warmup.is_empty() {
        true => BTreeMap::new(),
        false => greatest_dilation(world, DilationSpan::Late),
    };
    for (whose, all) in greatest_dilation(world, DilationSpan::All) {
        let late = late_dilation.get(&whose).copied().unwrap_or([f64::NAN; 2]);
        let subject = match whose {
            Dilated::Session(flow) => &subjects.flows[flow as usize],
            Dilated::Link(link) => &subjects.links[link as usize],
            Dilated::Run => "run",
        };
        for (index, metric) in ["dilation", "dilation_mean"].into_iter().enumerate() {
            rows.both(subject, metric, "1", [late[index], all[index]]);
        }
    }
    for (metric, mut compared) in [("jain_index", compared), ("jain_index_all", compared_all)] {
        // What was not there, a flow that had nothing to send or a session that nobody was in, is not to be compared.
        compared.retain(|goodput| !goodput.is_nan());
        if !compared.is_empty() {
            rows.add("run", metric, "1", jain_index(&compared));
        }
    }
    let (of_flows, of_sessions) = of_flows.split_at(network.flows.len());
    rows.sums("run", "flows_", of_flows);
    rows.sums("run", "sessions_", of_sessions);
    rows.add("run", "simulated", "s", all_s);
    rows.add("run", "packet_hops", "packets", world.packet_hops() as f64);
    let undeliverable: u64 = world.undeliverable().iter().map(|counted| counted.total()).sum();
    rows.add("run", "undeliverable", "packets", undeliverable as f64);
    Table::new("summary")
        .collected_words("subject", rows.subjects)
        .collected_words("metric", rows.metrics)
        .collected_words("unit", rows.units)
        .float("value", rows.values)
}

/// What an endpoint has counted, by now and by the end of the warm-up if that has come, and for how long it was there.
struct Counters {
    now: Report,
    at_warmup: Option<Report>,
    gauges: Gauges,
    all_s: f64,
    late_s: f64,
    /// How many layers it holds.
    level: u8,
    /// How long it held layers, all of them together.
    held_all_s: f64,
    /// How long it held layers after the warm-up, all of them together; NaN if that has not come.
    held_late_s: f64,
    /// How often it has joined and left groups, by now and by the end of the warm-up if that has come.
    changes: (MembershipChanges, Option<MembershipChanges>),
}

/// What an endpoint shows now and showed at the end of the warm-up, if that has come.
struct Gauges {
    all: &'static [Gauge],
    now: Vec<f64>,
    at_warmup: Option<Vec<f64>>,
}

impl Gauges {
    /// Those of the endpoint at `address`, whose records at the end of the warm-up begin there.
    fn of<C>(world: &World<C>, address: Address, at_warmup: Option<usize>) -> Gauges {
        let all = world.gauges(address);
        let values = &world.records().gauges;
        let at_warmup = at_warmup.map(|start| values[start..start + all.len()].to_vec());
        Gauges { all, now: world.measure(address), at_warmup }
    }

    /// Each with what was counted after the warm-up, NaN if it has not ended, and with what it shows now.
    fn late_and_all(&self) -> impl Iterator<Item = (&'static Gauge, [f64; 2])> {
        self.all.iter().enumerate().map(|(index, gauge)| {
            let early = self.at_warmup.as_ref().map_or(f64::NAN, |early| early[index]);
            (gauge, [self.now[index] - early, self.now[index]])
        })
    }
}

impl Counters {
    /// What was counted after the warm-up; NaN if it has not ended.
    fn late(&self, of: fn(&Report) -> u64) -> f64 {
        self.at_warmup.as_ref().map_or(f64::NAN, |early| (of(&self.now) - of(early)) as f64)
    }

    /// The same, and what was counted from time zero.
    fn late_and_all(&self, of: fn(&Report) -> u64) -> [f64; 2] {
        [self.late(of), of(&self.now) as f64]
    }
}

/// The packets without data that the endpoint at `address` has sent, by now and by the end of the warm-up if that has
/// come.
fn messages_of<C>(world: &World<C>, address: Address) -> (MessageCounters, Option<&MessageCounters>) {
    (world.messages_sent(address), world.records().messages_at_warmup.get(address.index()))
}

/// What receivers got after the warm-up, bit/s: all together over the time that they were present, all together, and of
/// each no more than `most_s`; NaN if that is none.
fn late_bps(receivers: &[Counters], most_s: f64, of: fn(&Report) -> u64) -> f64 {
    let bytes = receivers.iter().map(|receiver| receiver.late(of)).sum::<f64>();
    over(8.0 * bytes, receivers.iter().map(|receiver| receiver.late_s.min(most_s)).sum())
}

/// The same from time zero.
fn all_bps(receivers: &[Counters], most_s: f64, of: fn(&Report) -> u64) -> f64 {
    let bytes = receivers.iter().map(|receiver| of(&receiver.now) as f64).sum::<f64>();
    over(8.0 * bytes, receivers.iter().map(|receiver| receiver.all_s.min(most_s)).sum())
}

/// Both, while the receivers were present.
fn late_and_all_bps(receivers: &[Counters], of: fn(&Report) -> u64) -> [f64; 2] {
    [late_bps(receivers, f64::INFINITY, of), all_bps(receivers, f64::INFINITY, of)]
}

/// How many layers receivers held after the warm-up: the mean over those present and over the time; NaN if none was.
fn late_level(receivers: &[Counters]) -> f64 {
    let held_s = receivers.iter().map(|receiver| receiver.held_late_s).sum();
    over(held_s, receivers.iter().map(|receiver| receiver.late_s).sum())
}

/// The same from time zero.
fn all_level(receivers: &[Counters]) -> f64 {
    let held_s = receivers.iter().map(|receiver| receiver.held_all_s).sum();
    over(held_s, receivers.iter().map(|receiver| receiver.all_s).sum())
}

/// Jain's fairness index, from 1/n (one has all) to 1 (all have the same); 1 if all have nothing.
pub fn jain_index(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    let squares: f64 = rates.iter().map(|rate| rate * rate).sum();
    if squares == 0.0 { 1.0 } else { sum * sum / (rates.len() as f64 * squares) }
}

/// Metrics of flows that have a sum over several of them, with their units: rates, and counts of what all flows count
/// alike.
const SUMMED: [(&str, &str); 10] = [
    ("goodput", "bit/s"),
    ("rate", "bit/s"),
    ("sending_rate", "bit/s"),
    ("sent", "packets"),
    ("retransmitted", "packets"),
    ("loss_reductions", "1"),
    ("ecn_reductions", "1"),
    ("timeouts", "1"),
    ("reports_received", "packets"),
    ("finished", "1"),
];

/// The rows of a summary.
#[derive(Default)]
pub(crate) struct Rows {
    subjects: Words,
    /// Codes of the subjects. Those of links and of the run may be called as a flow is.
    codes: BTreeMap<String, i32>,
    metrics: Words,
    units: Words,
    values: Vec<f64>,
    /// Of the rates of transfers, which are those while they were active, by row what adds up: the mean over all of the
    /// time.
    carried: BTreeMap<usize, f64>,
    /// Whether links are listed over which nothing has come.
    unused_links: bool,
}

impl Rows {
    /// For a summary that lists also the links over which nothing has come.
    pub(crate) fn with_unused_links() -> Rows {
        Rows { unused_links: true, ..Rows::default() }
    }

    fn add(&mut self, subject: &str, metric: &str, unit: &str, value: f64) {
        let code = self.code(subject);
        self.subjects.codes.push(code);
        self.metrics.push(metric);
        self.units.push(unit);
        self.values.push(value);
    }

    /// The code of a subject, which most often is that of the row before.
    fn code(&mut self, subject: &str) -> i32 {
        let words = &mut self.subjects;
        match words.codes.last() {
            Some(&last) if words.dictionary[last as usize] == subject => last,
            _ => *self.codes.entry(subject.to_owned()).or_insert_with(|| {
                words.dictionary.push(subject.to_owned());
                words.dictionary.len() as i32 - 1
            }),
        }
    }

    /// A metric after the warm-up and its variant over the whole run, whose name ends in `_all`.
    fn both(&mut self, subject: &str, metric: &str, unit: &str, [late, all]: [f64; 2]) {
        self.add(subject, metric, unit, late);
        self.add(subject, &format!("{metric}_all"), unit, all);
    }

    /// Rows of a flow that was active for so long after the warm-up, and since its start, with the mean of what a
    /// session's receivers got. Those of one that comes to an end by itself are the rates while it was active.
    fn flow(&mut self, name: &str, sender: &Counters, receivers: &[Counters], active_s: [f64; 2], finite: bool) {
        type Bytes = fn(&Report) -> u64;
        let rates: [(&str, Bytes); 2] =
            [("goodput", |report| report.distinct_bytes), ("rate", |report| report.received_bytes)];
        for (metric, of) in rates {
            let carried = late_and_all_bps(receivers, of);
            if finite {
                let row = self.values.len();
                self.carried.extend([(row, carried[0]), (row + 1, carried[1])]);
                let active = [late_bps(receivers, active_s[0], of), all_bps(receivers, active_s[1], of)];
                self.both(name, metric, "bit/s", active);
            } else {
                self.both(name, metric, "bit/s", carried);
            }
        }
        self.both(name, "sent", "packets", sender.late_and_all(|report| report.sent_pkts));
        self.both(name, "active", "s", active_s);
        self.gauges(name, &sender.gauges);
    }

    /// Rows of a transfer that took so long, if it has come to its end.
    fn transfer(&mut self, name: &str, completion_s: Option<f64>) {
        self.add(name, "completion", "s", completion_s.unwrap_or(f64::NAN));
        self.add(name, "finished", "1", f64::from(u8::from(completion_s.is_some())));
    }

    /// Rows of the transfers of a group that have come to their ends, each of which took so long.
    fn transfers<'a>(&mut self, name: &str, completions_s: impl Iterator<Item = &'a f64>) {
        let all: Vec<f64> = completions_s.copied().collect();
        if let Some(longest) = all.iter().copied().reduce(f64::max) {
            self.add(name, "completion_mean", "s", all.iter().sum::<f64>() / all.len() as f64);
            self.add(name, "completion_max", "s", longest);
        }
    }

    /// Rows of what did not come through of a flow, by what had been counted at the end of the warm-up.
    fn losses(&mut self, name: &str, all: &FlowLosses, at_warmup: Option<&FlowLosses>) {
        type Count = fn(&FlowLosses) -> u64;
        let counts: [(&str, Count); 4] = [
            ("drops_overflow", |losses| losses.overflow),
            ("drops_active", |losses| losses.active),
            ("drops_down", |losses| losses.down),
            ("lost", |losses| losses.lost),
        ];
        for (metric, of) in counts {
            let late = at_warmup.map_or(f64::NAN, |early| (of(all) - of(early)) as f64);
            self.both(name, metric, "packets", [late, of(all) as f64]);
        }
    }

    /// Rows of what an endpoint shows beside its report. The names of levels say that they are those at the end.
    fn gauges(&mut self, name: &str, gauges: &Gauges) {
        for (gauge, values) in gauges.late_and_all() {
            match gauge.kind {
                GaugeKind::Level => self.add(name, &format!("{}_end", gauge.name), gauge.unit, values[1]),
                GaugeKind::Count | GaugeKind::Amount => self.both(name, gauge.name, gauge.unit, values),
            }
        }
    }

    /// Further rows of a session.
    fn session(&mut self, name: &str, source: &Counters) {
        let [late, all] = source.late_and_all(|report| report.sent_bytes);
        self.both(name, "sending_rate", "bit/s", [8.0 * late / source.late_s, over(8.0 * all, source.all_s)]);
        self.both(name, "reports_received", "packets", source.late_and_all(|report| report.received_pkts));
    }

    /// Rows of the packets without data that a source or receiver of a session has sent.
    fn messages(&mut self, name: &str, (all, early): (MessageCounters, Option<&MessageCounters>)) {
        type Count = fn(&MessageCounters) -> u64;
        let counts: [(&str, &str, Count); 2] = [
            ("messages", "packets", |messages| messages.packets),
            ("message_bytes", "bytes", |messages| messages.bytes),
        ];
        for (metric, unit, of) in counts {
            let late = early.map_or(f64::NAN, |early| (of(&all) - of(early)) as f64);
            self.both(name, metric, unit, [late, of(&all) as f64]);
        }
    }

    /// Rows of what hosts and routers have told each other about the groups of a session.
    fn membership_messages(&mut self, name: &str, all: MembershipMessages, early: Option<&MembershipMessages>) {
        type Count = fn(&MembershipMessages) -> u64;
        let counts: [(&str, Count); 3] = [
            ("joins_and_leaves", |messages| messages.of_hosts),
            ("grafts_and_prunes", |messages| messages.of_routers),
            ("membership_acknowledgements", |messages| messages.acknowledgements),
        ];
        for (metric, of) in counts {
            let late = early.map_or(f64::NAN, |early| (of(&all) - of(early)) as f64);
            self.both(name, metric, "packets", [late, of(&all) as f64]);
        }
    }

    /// Rows of the losses that the receivers of a session called one or the other, all together, if any of them does.
    fn confusion(&mut self, name: &str, receivers: &[Counters]) {
        for gauge in CONFUSION_GAUGES {
            let shown = |receiver: &Counters| {
                let same = receiver.gauges.late_and_all().find(|(shown, _)| **shown == gauge)?;
                Some(same.1)
            };
            let sum = receivers.iter().filter_map(shown).reduce(|sum, next| [sum[0] + next[0], sum[1] + next[1]]);
            if let Some(values) = sum {
                self.both(name, gauge.name, gauge.unit, values);
            }
        }
    }

    /// Rows of a receiver of a session.
    fn receiver(&mut self, name: &str, receiver: &Counters) {
        let alone = std::slice::from_ref(receiver);
        self.both(name, "goodput", "bit/s", late_and_all_bps(alone, |report| report.distinct_bytes));
        self.both(name, "rate", "bit/s", late_and_all_bps(alone, |report| report.received_bytes));
        self.both(name, "reports", "packets", receiver.late_and_all(|report| report.sent_pkts));
        self.gauges(name, &receiver.gauges);
    }

    /// How many layers a receiver of a session of several held.
    fn level(&mut self, name: &str, receiver: &Counters) {
        let alone = std::slice::from_ref(receiver);
        self.both(name, "mean_level", "layers", [late_level(alone), all_level(alone)]);
        self.add(name, "level_end", "layers", f64::from(receiver.level));
    }

    /// How often a receiver joined and left groups, layers and others, and how many of these changes it took for each
    /// layer that it joined.
    fn membership(&mut self, name: &str, receiver: &Counters) {
        let (all, early) = receiver.changes;
        let both = |of: fn(&MembershipChanges) -> u64| {
            [early.map_or(f64::NAN, |early| (of(&all) - of(&early)) as f64), of(&all) as f64]
        };
        let (joins, leaves) = (both(|changes| changes.joins), both(|changes| changes.leaves));
        let layers = both(|changes| changes.layers_joined);
        self.both(name, "joins", "1", joins);
        self.both(name, "leaves", "1", leaves);
        self.both(name, "layers_joined", "1", layers);
        self.both(name, "changes_per_layer", "1", [0, 1].map(|of| over(joins[of] + leaves[of], layers[of])));
    }

    /// Sums over flows whose rows are there, of those metrics that have one: `goodput_sum`, `goodput_sum_all`. No
    /// flow, receiver or link has metrics of such names, so that nobody takes a sum for one of them. What is NaN of a
    /// flow does not count; where it is so of all of them the sum is.
    fn sums(&mut self, subject: &str, before: &str, flows: &[Range<usize>]) {
        // By metric, in the order in which they come first.
        let mut sums: Vec<(i32, f64)> = Vec::new();
        for row in flows.iter().cloned().flatten() {
            let value = self.carried.get(&row).copied().unwrap_or(self.values[row]);
            let metric = self.metrics.codes[row];
            match sums.iter_mut().find(|(known, _)| *known == metric) {
                Some((_, sum)) if sum.is_nan() => *sum = value,
                Some((_, sum)) => *sum += if value.is_nan() { 0.0 } else { value },
                None => sums.push((metric, value)),
            }
        }
        for (code, sum) in sums {
            let metric = self.metrics.dictionary[code as usize].clone();
            let (plain, variant) = metric.strip_suffix("_all").map_or((metric.as_str(), ""), |plain| (plain, "_all"));
            if let Some((_, unit)) = SUMMED.iter().find(|(name, _)| *name == plain) {
                self.add(subject, &format!("{before}{plain}_sum{variant}"), unit, sum);
            }
        }
    }

    /// Means of the rates of flows whose rows are there: `goodput_mean`, `goodput_mean_all`. What is NaN of a flow does
    /// not count; where it is so of all of them the mean is.
    fn means(&mut self, subject: &str, flows: &[Range<usize>]) {
        for name in ["goodput", "goodput_all", "rate", "rate_all"] {
            let Some(code) = self.metrics.dictionary.iter().position(|metric| metric == name) else { continue };
            let of_flow = |rows: &Range<usize>| rows.clone().find(|&row| self.metrics.codes[row] == code as i32);
            let values = flows.iter().filter_map(|rows| Some(self.values[of_flow(rows)?]));
            let known: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
            let (plain, variant) = name.strip_suffix("_all").map_or((name, ""), |plain| (plain, "_all"));
            self.add(subject, &format!("{plain}_mean{variant}"), "bit/s", over(known.iter().sum(), known.len() as f64));
        }
    }

    /// Rows of a link, whose rates since some time had this mean, by what it had counted at the end of the warm-up.
    fn link(
        &mut self,
        name: &str,
        link: &Link,
        mean_rate_bps: impl Fn(Instant) -> f64,
        symbols: Option<&SymbolsOf>,
        at_warmup: Option<&LinkCounters>,
        [warmup, now]: [Instant; 2],
    ) {
        let all = link.counters();
        if all.arrived == 0 && !self.unused_links {
            return;
        }
        let late = |of: &dyn Fn(&LinkCounters) -> u64| match at_warmup {
            Some(early) => (of(all) - of(early)) as f64,
            None => f64::NAN,
        };
        let dropped = |counters: &LinkCounters| counters.dropped_overflow + counters.dropped_active;
        // With what the link layer adds, and of what its rates could have carried.
        let header = u64::from(link.header_bytes());
        let carried = |counters: &LinkCounters| counters.departed_bytes + header * counters.departed;
        let part = |bytes: f64, since: Instant| 8.0 * bytes / (mean_rate_bps(since) * seconds(since, now));
        let parts = [part(late(&carried), warmup), part(carried(all) as f64, Instant::ZERO)];
        let parts = symbols.map_or(parts, |symbols| symbols.used);
        self.both(name, "efficiency", "1", parts);
        if let Some(symbols) = symbols {
            self.both(name, "bits_per_symbol", "bit", symbols.bits);
            self.both(name, "undecoded", "packets", symbols.undecoded);
        }
        self.add(name, "drops_late", "packets", late(&dropped));
        self.add(name, "drops_all", "packets", dropped(all) as f64);
        self.add(name, "drops_overflow_late", "packets", late(&|counters| counters.dropped_overflow));
        self.add(name, "drops_overflow_all", "packets", all.dropped_overflow as f64);
        self.add(name, "marks_incipient_late", "packets", late(&|counters| counters.marked_incipient));
        self.add(name, "marks_incipient_all", "packets", all.marked_incipient as f64);
        self.add(name, "marks_moderate_late", "packets", late(&|counters| counters.marked_moderate));
        self.add(name, "marks_moderate_all", "packets", all.marked_moderate as f64);
        self.add(name, "lost_late", "packets", late(&|counters| counters.lost));
        self.add(name, "lost_all", "packets", all.lost as f64);
        if link.may_change() {
            self.add(name, "dropped_down_all", "packets", all.dropped_down as f64);
            self.add(name, "rerouted_all", "packets", all.rerouted as f64);
            self.add(name, "discarded_all", "packets", all.discarded as f64);
            self.add(name, "unreceived_all", "packets", all.unreceived as f64);
        }
        self.add(name, "arrived_all", "packets", all.arrived as f64);
        self.add(name, "delivered_all", "packets", all.delivered as f64);
        self.add(name, "inside", "packets", link.inside_pkts() as f64);
        if let Some(probe) = link.probe() {
            let late = at_warmup.map(|_| probe.statistics(now));
            let whole = probe.whole(now);
            let mut add = |metric: &str, of: fn(&QueueStatistics) -> f64| {
                self.both(name, metric, "packets", [late.as_ref().map_or(f64::NAN, of), of(&whole)]);
            };
            add("queue_mean", QueueStatistics::mean);
            add("queue_sd", QueueStatistics::standard_deviation);
            add("queue_min", |queue| f64::from(queue.min()));
            add("queue_max", |queue| f64::from(queue.max()));
            let sojourn = [probe.sojourns().late_whole(), probe.sojourns().whole()];
            type Time = fn(&Sojourn) -> f64;
            let times: [(&str, Time); 5] = [
                ("sojourn_mean", Sojourn::mean_s),
                ("sojourn_p50", |sojourn| sojourn.percentile_s(50)),
                ("sojourn_p95", |sojourn| sojourn.percentile_s(95)),
                ("sojourn_p99", |sojourn| sojourn.percentile_s(99)),
                ("sojourn_max", Sojourn::max_s),
            ];
            for (metric, of) in times {
                self.both(name, metric, "s", [of(&sojourn[0]), of(&sojourn[1])]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
