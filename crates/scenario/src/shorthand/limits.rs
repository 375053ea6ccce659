//! Queues measured by their link: `limit = "50 ms"` is what the link sends in that time, `limit = "0.5 BDP"` half of
//! what it sends in the longest base round-trip time of the flows and sessions over it. The scenario that comes of it
//! holds packets.
//!
//! What a queue comes to is known once the network is: until then a number that nobody would write stands for it, by
//! which it is found again on every link that has this queue, by whatever way it came there.

use super::origins::Origins;
use super::places::{at_mut, settings};
use crate::base_rtt::{Crossing, crossings};
use crate::form::definitions::{resolve, variant};
use crate::model::Scenario;
use crate::network::{DirectedLink, Network};
use crate::problem::{Finding, Problem, given};
use crate::topology::Topology;
use faircast_proto::scheme::Scheme;
use faircast_proto::time::Duration;
use faircast_sim::part::LinkRole;
use serde_json::Value;
use std::collections::BTreeMap;

/// The queues of a scenario that are measured by their links.
#[derive(Debug, Default)]
pub(crate) struct Limits(Vec<Measured>);

/// A key of a queue, and how much it is.
#[derive(Debug)]
struct Measured {
    /// Where the queue's table stands.
    queue: Vec<String>,
    key: String,
    amount: Amount,
    /// Whether it is a limit, a whole number of packets from 1. Averages are held against any number.
    is_limit: bool,
}

/// How much may wait.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Amount {
    /// What the link sends in this time.
    Time(Duration),
    /// So many products of its rate and the longest round-trip time.
    Products(f64),
}

/// Numbers of packets from here on stand for what is not known yet.
const MARK: f64 = 4_321_012_345_000_000.0;
/// More packets than this are no limit.
const MOST_PKTS: f64 = 4_294_967_295.0;
/// What a packet is taken for where nobody sends any.
const NOBODYS_PACKET: u64 = 1000;

impl Limits {
    /// Puts numbers that stand for them in the places of all times and products. `schema`: the decisive one.
    pub fn take(scenario: &mut Value, schema: &Value, problems: &mut Vec<Problem>) -> Limits {
        let mut limits = Limits::default();
        for mut place in settings(scenario) {
            place.push("queue".to_owned());
            let Some(Value::Object(queue)) = at_mut(scenario, &place) else { continue };
            let Some(kind) = queue.get("kind").and_then(Value::as_str) else { continue };
            let Some(definition) = variant(schema, "Queue", "kind", kind) else { continue };
            for (key, value) in queue {
                let Some(quantity) = quantity(&definition["properties"][key], schema) else { continue };
                let Some(amount) = value.as_str().and_then(Amount::read) else { continue };
                let is_limit = quantity == "queue size";
                match amount {
                    Ok(amount) => {
                        let mark = MARK + limits.0.len() as f64;
                        limits.0.push(Measured { queue: place.clone(), key: key.clone(), amount, is_limit });
                        *value = format!("{mark} packets").into();
                    }
                    Err(message) => {
                        let path = format!("{}.{key}", place.join("."));
                        problems.push(Problem { given: Some(given(value)), ..Problem::new(path, message) });
                        *value = "50 packets".into();
                    }
                }
            }
        }
        limits
    }

    /// Whether a text says how much may wait by what a link sends.
    pub fn measures(text: &str) -> bool {
        text.contains("BDP")
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A queue with what was written in the places of the numbers that stand for it.
    pub fn restored(&self, mut queue: Value) -> Value {
        for (_, value) in queue.as_object_mut().into_iter().flatten() {
            if let Some(measured) = marked(value).and_then(|index| self.0.get(index)) {
                *value = measured.amount.shown().into();
            }
        }
        queue
    }

    /// Where the queues stand that wait to be known.
    pub fn places(&self) -> impl Iterator<Item = Problem> {
        self.0.iter().map(|measured| Problem::new(measured.queue.join("."), ""))
    }

    /// Puts packets in the places of the numbers that stood for them. `scenario` is what came of `value`, legal but for
    /// those numbers, `network` what comes of that.
    pub fn settle(
        &self,
        scenario: &Scenario,
        network: &Network,
        origins: &Origins,
        value: &mut Value,
    ) -> Result<(), Vec<Finding>> {
        let ruler = Ruler::new(scenario, network);
        let users: Vec<Option<User>> =
            network.links.iter().enumerate().map(|(index, link)| self.user(&ruler, index, link)).collect();
        // Of links that were written at one place those whose queue cannot be known follow the first where it can.
        let mut first: BTreeMap<String, Vec<f64>> = BTreeMap::new();
        for user in users.iter().flatten() {
            if let Ok(packets) = &user.packets {
                first.entry(self.written(user, origins)).or_insert_with(|| packets.clone());
            }
        }
        let found = self.unknown(&users, &first, origins);
        if !found.is_empty() {
            return Err(found);
        }
        let settled =
            |user: &User| user.packets.clone().unwrap_or_else(|_| first[&self.written(user, origins)].clone());
        // The first link that has a queue from its place decides what stands there, the others say what is different.
        let mut at_place: BTreeMap<&[String], Vec<f64>> = BTreeMap::new();
        let mut different = Vec::new();
        for (link, user) in network.links.iter().zip(&users) {
            let Some(user) = user else { continue };
            let packets = settled(user);
            let there = at_place.entry(&self.0[user.measured[0]].queue).or_insert_with(|| packets.clone());
            if *there != packets {
                different.push(link.name.trim_end_matches(".back"));
            }
        }
        for user in users.iter().flatten() {
            for (&index, &packets) in user.measured.iter().zip(&at_place[self.0[user.measured[0]].queue.as_slice()]) {
                let Measured { queue, key, .. } = &self.0[index];
                if let Some(queue) = at_mut(value, queue) {
                    queue[key] = text(packets);
                }
            }
        }
        // A queue that no link has is as good as none.
        for Measured { queue, .. } in self.0.iter().filter(|measured| !at_place.contains_key(measured.queue.as_slice()))
        {
            if let Some((key, table)) = queue.split_last()
                && let Some(Value::Object(settings)) = at_mut(value, table)
            {
                settings.remove(key);
            }
        }
        let by_name = network.links_by_name();
        for name in different {
            let queue = |name: &str| {
                let index = *by_name.get(name)? as usize;
                let mut queue = serde_json::to_value(&*network.links[index].queue).ok()?;
                if let Some(user) = &users[index] {
                    for (&measured, packets) in user.measured.iter().zip(settled(user)) {
                        queue[&self.0[measured].key] = text(packets);
                    }
                }
                Some(queue)
            };
            let (there, back) = (queue(name), queue(&format!("{name}.back")));
            let link = &mut value["links"][name];
            there.into_iter().for_each(|queue| link["queue"] = queue);
            back.into_iter().for_each(|queue| link["back"]["queue"] = queue);
        }
        Ok(())
    }

    /// What a link has of these queues, if it has one.
    fn user(&self, ruler: &Ruler<'_>, index: usize, link: &DirectedLink) -> Option<User> {
        if matches!(link.part, LinkRole::Leg(_)) {
            return None;
        }
        let queue = serde_json::to_value(&*link.queue).ok()?;
        let marked = queue.as_object()?.values().filter_map(marked);
        let measured: Vec<usize> = marked.filter(|&measured| measured < self.0.len()).collect();
        let packets = measured.iter().map(|&measured| ruler.packets(index, link, &self.0[measured]));
        let packets = packets.collect::<Result<Vec<f64>, Unknown>>();
        (!measured.is_empty()).then_some(User { measured, packets })
    }

    /// Where the queue of a user was written.
    fn written(&self, user: &User, origins: &Origins) -> String {
        let place = self.0[user.measured[0]].queue.join(".");
        origins.written(&place).unwrap_or(place)
    }

    /// Everything that cannot be known.
    fn unknown(&self, users: &[Option<User>], first: &BTreeMap<String, Vec<f64>>, origins: &Origins) -> Vec<Finding> {
        let mut found = Vec::new();
        for (index, measured) in self.0.iter().enumerate() {
            let of = users.iter().flatten().find(|user| user.measured.contains(&index));
            let Some(of) = of else { continue };
            let message = match of {
                user if first.contains_key(&self.written(user, origins)) => continue,
                User { packets: Err(Unknown::Moving), .. } => {
                    "satellites move, and round-trip times over this link with them: give packets, bytes, or a time \
                     such as \"50 ms\""
                }
                _ => {
                    "no flow and no session crosses this link when the run starts, so no round-trip time is known: \
                     give packets, bytes, or a time such as \"50 ms\""
                }
            };
            let finding = Finding::new(format!("{}.{}", measured.queue.join("."), measured.key), message);
            found.push(finding.given(Some(measured.amount.shown())));
        }
        found
    }
}

/// A link with a queue that is measured by it.
struct User {
    /// Which keys of the queue are.
    measured: Vec<usize>,
    /// How many packets each of them is.
    packets: Result<Vec<f64>, Unknown>,
}

/// Why nobody can say how many packets a queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unknown {
    /// Nobody crosses its link.
    Uncrossed,
    /// Its link leads elsewhere as satellites move.
    Moving,
}

/// What queues are measured with.
struct Ruler<'a> {
    scenario: &'a Scenario,
    crossings: Vec<Option<Crossing>>,
    /// The largest data packet of all, bytes.
    largest: u64,
}

impl<'a> Ruler<'a> {
    fn new(scenario: &'a Scenario, network: &Network) -> Ruler<'a> {
        let of_flows = network.pairs().map(|pair| pair.packet_bytes);
        let of_sessions = network.sessions.iter().map(|session| session.config.packet_bytes());
        let largest = of_flows.chain(of_sessions).max().unwrap_or(NOBODYS_PACKET);
        Ruler { scenario, crossings: crossings(network), largest }
    }

    fn packets(&self, index: usize, link: &DirectedLink, measured: &Measured) -> Result<f64, Unknown> {
        // Other flows will cross it later.
        let crossing = self.crossings[index].filter(|_| !self.moves(link));
        let nanos = match (measured.amount, crossing) {
            (Amount::Time(time), _) => time.0 as f64,
            (Amount::Products(products), Some(crossing)) => products * crossing.longest.0 as f64,
            (Amount::Products(_), None) if self.moves(link) => return Err(Unknown::Moving),
            (Amount::Products(_), None) => return Err(Unknown::Uncrossed),
        };
        let packet_bytes = crossing.map_or(self.largest, |crossing| crossing.packet_bytes) + u64::from(link.header);
        let packets = link.rate_at_start().0 as f64 * nanos / (8e9 * packet_bytes as f64);
        Ok(match measured.is_limit {
            true => packets.round().clamp(1.0, MOST_PKTS),
            // A hundredth of a packet is finer than any average is known.
            false => ((packets * 100.0).round() / 100.0).min(MOST_PKTS),
        })
    }

    /// Whether the topology makes a link and changes it.
    fn moves(&self, link: &DirectedLink) -> bool {
        let entry = self.scenario.links.get(link.name.trim_end_matches(".back"));
        let is_own = entry.is_some_and(|entry| entry.from.is_some() || entry.leg_of.is_some());
        self.scenario.topology.as_ref().is_some_and(Topology::moves) && !is_own
    }
}

impl Amount {
    /// What a text says, if it is a time or so many products, and what is wrong with it otherwise.
    fn read(text: &str) -> Option<Result<Amount, String>> {
        let Some(number) = text.trim().strip_suffix("BDP") else {
            let slip = text.to_uppercase();
            if slip != text && matches!(Amount::read(&slip), Some(Ok(Amount::Products(_)))) {
                return Some(Err(format!("\"{text}\" is not a queue size; did you mean \"{slip}\"?")));
            }
            return Duration::parse(text).ok().map(|time| Ok(Amount::Time(time)));
        };
        Some(match number.trim().parse::<f64>() {
            Ok(products) if products.is_finite() && products >= 0.0 => Ok(Amount::Products(products)),
            Ok(_) => Err(format!("\"{text}\" is not a legal queue size: it must be finite and not negative")),
            Err(_) => {
                Err(format!("\"{text}\" is not a queue size: a number is needed before BDP, such as \"0.5 BDP\""))
            }
        })
    }

    fn shown(self) -> String {
        match self {
            Amount::Time(time) => time.to_string(),
            Amount::Products(products) => format!("{products} BDP"),
        }
    }
}

/// What a value of a queue stands for, if it is one of the numbers that do.
fn marked(value: &Value) -> Option<usize> {
    let packets: f64 = value.as_str()?.strip_suffix(" packets")?.parse().ok()?;
    (packets >= MARK).then_some((packets - MARK) as usize)
}

fn text(packets: f64) -> Value {
    format!("{packets} packets").into()
}

/// What kind of quantity a key of a queue is, if it says how much may wait.
fn quantity<'s>(property: &'s Value, schema: &'s Value) -> Option<&'s str> {
    let property = resolve(property, schema);
    let choices = property["anyOf"].as_array().into_iter().flatten().map(|choice| resolve(choice, schema));
    std::iter::once(property)
        .chain(choices)
        .filter_map(|node| node["x-quantity"].as_str())
        .find(|kind| matches!(*kind, "queue size" | "number of packets"))
}
