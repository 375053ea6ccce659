//! Classes by DSCP (RFC 2474), as on a satellite's forward link: each has a queue of its own, of any kind.
//!
//! A class with a smaller `priority` goes before all others. Classes of one priority share what is left by their
//! weights, by deficit round robin: in its turn each sends bytes in proportion to its weight, and as in FQ-CoDel the
//! turn ends when they are used up, so the last packet may go beyond and is taken off the next turn.
//!
//! A flow's or session's packets all have its DSCP, those that answer it and messages about its membership as well.

use super::Config as QueueConfig;
use super::discipline::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
use super::held::{Drops, Held};
use super::inner::Inner;
use super::room::{Room, check_limit};
use super::scheduler::Scheduler;
use super::{codel, drop_tail, policer};
use faircast_proto::limits::Bounded;
use faircast_proto::packet::Packet;
use faircast_proto::quantity::QueueSize;
use faircast_proto::time::{Duration, Instant};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Queues by class.
#[derive(Debug)]
pub struct Classes {
    /// By priority, those of one priority in the order in which they are written.
    classes: Vec<Class>,
    /// The class of each DSCP.
    of_dscp: [u8; 64],
    /// The DSCP of each flow; 0 where it has none.
    of_flows: Arc<[u8]>,
    room: Room,
}

#[derive(Debug)]
struct Class {
    queue: Inner,
    priority: u32,
    /// Bytes of a turn.
    quantum: i64,
    /// What is left of the turn.
    credits: i64,
    /// Whether its turn has begun.
    has_turn: bool,
}

/// Parameters of queues by class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Classes")]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that may wait in all classes together, in packets or in bytes; each queue has its own limit beside it.
    /// Default "10000 packets".
    pub limit: QueueSize,
    /// The classes. Default: "expedited" (DSCP 46, EF) before all others, up to a tenth of the link's rate (RFC 3246);
    /// "assured" (AF11 to AF43, RFC 2597) and "default", of which the first has three times the weight.
    pub classes: Vec<Of>,
}

/// A class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "QueueClass")]
#[serde(deny_unknown_fields)]
pub struct Of {
    /// What it is called, by a name of its own and without a slash, which stands between it and a class within it.
    /// Default: its number, from 0.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The code points that are its own, 0 to 63 each. Those of no class are the last one's. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(range(max = 63)))]
    pub dscp: Vec<u8>,
    /// A class goes before all with a greater number. Default 0.
    #[serde(default)]
    pub priority: u32,
    /// Its part of what classes of its priority send, above 0. Default 1.
    #[serde(default = "one")]
    pub weight: f64,
    /// Its queue, of any kind.
    pub queue: QueueConfig,
}

fn one() -> f64 {
    1.0
}

/// Bytes that the class with the least weight of its priority sends in a turn: a packet of Ethernet.
const LEAST_QUANTUM: f64 = 1514.0;
/// Weights differ by less than this.
const MOST_RATIO: f64 = 1e6;
const EF: u8 = 46;
/// AF11 to AF43 (RFC 2597, section 6).
const AF: [u8; 12] = [10, 12, 14, 18, 20, 22, 26, 28, 30, 34, 36, 38];

impl Default for Config {
    fn default() -> Config {
        let short = QueueConfig::DropTail(drop_tail::Config { limit: QueueSize::Packets(50.0), ..Default::default() });
        let expedited = policer::Config { share: Some(0.1), queue: Box::new(short), ..Default::default() };
        let codel = QueueConfig::CoDel(codel::Config::default());
        let class = |name: &str, dscp: &[u8], priority, weight, queue| {
            let (name, dscp) = (name.to_owned(), dscp.to_vec());
            Of { name, dscp, priority, weight, queue }
        };
        Config {
            limit: QueueSize::Packets(10_000.0),
            classes: vec![
                class("expedited", &[EF], 0, 1.0, QueueConfig::Policer(expedited)),
                class("assured", &AF, 1, 3.0, codel.clone()),
                class("default", &[], 1, 1.0, codel),
            ],
        }
    }
}

impl Config {
    /// Every field that has an illegal value.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong: Vec<(String, String)> = check_limit(self.limit).into_iter().collect();
        if self.classes.is_empty() || self.classes.len() > 64 {
            let count = self.classes.len();
            wrong.push(("classes".to_owned(), format!("{count} classes given; legal are 1 to 64")));
        }
        let mut taken = [None; 64];
        let names = self.names();
        for (number, class) in self.classes.iter().enumerate() {
            let at = |key: &str| format!("classes[{number}].{key}");
            if class.name.contains('/') {
                let message = format!("\"{}\" given; legal are names without a slash", class.name);
                wrong.push((at("name"), message));
            } else if let Some(other) = names[..number].iter().position(|name| *name == names[number]) {
                wrong.push((at("name"), format!("\"{}\" given; classes[{other}] is called so", names[number])));
            }
            for (place, &dscp) in class.dscp.iter().enumerate() {
                let path = at(&format!("dscp[{place}]"));
                match taken.get_mut(usize::from(dscp)) {
                    None => wrong.push((path, format!("{dscp} given; legal is 0 to 63"))),
                    Some(Some(other)) => wrong.push((path, format!("{dscp} given; classes[{other}] has it already"))),
                    Some(free) => *free = Some(number),
                }
            }
            let least = self.least_weight(class.priority);
            if !(class.weight > 0.0 && class.weight.is_finite()) {
                wrong.push((at("weight"), format!("{} given; legal is above 0", class.weight.text())));
            } else if class.weight > MOST_RATIO * least {
                let (weight, least) = (class.weight.text(), least.text());
                let message = format!("{weight} given; legal is a million times the least, {least}, at most");
                wrong.push((at("weight"), message));
            }
            wrong.extend(class.queue.check().into_iter().map(|(key, message)| (at(&format!("queue.{key}")), message)));
        }
        wrong
    }

    /// The most that may wait.
    pub fn limit(&self) -> QueueSize {
        self.limit
    }

    /// What each class is called: as it is written, or else its number.
    fn names(&self) -> Vec<String> {
        let name = |(number, class): (usize, &Of)| match class.name.as_str() {
            "" => number.to_string(),
            name => name.to_owned(),
        };
        self.classes.iter().enumerate().map(name).collect()
    }

    /// What each class is called, and a bit for each of its code points.
    pub(super) fn code_points(&self) -> Vec<(String, u64)> {
        let bits = |class: &Of| class.dscp.iter().fold(0, |bits, &dscp| bits | 1_u64 << dscp);
        let rest = !self.classes.iter().fold(0, |all, class| all | bits(class));
        let last = self.classes.len() - 1;
        let of = |((number, class), name): ((usize, &Of), String)| {
            (name, bits(class) | if number == last { rest } else { 0 })
        };
        self.classes.iter().enumerate().zip(self.names()).map(of).collect()
    }

    /// The class of a DSCP.
    pub fn class_of(&self, dscp: u8) -> Option<&Of> {
        self.classes.iter().find(|class| class.dscp.contains(&dscp)).or(self.classes.last())
    }

    /// The least weight among the classes of a priority.
    fn least_weight(&self, priority: u32) -> f64 {
        let of_priority = self.classes.iter().filter(|class| class.priority == priority && class.weight > 0.0);
        of_priority.map(|class| class.weight).fold(f64::INFINITY, f64::min)
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        let of = |queue: &QueueConfig, dscp: &[u8], priority, weight| Of {
            name: String::new(),
            dscp: dscp.to_vec(),
            priority,
            weight,
            queue: queue.clone(),
        };
        let kinds = [QueueConfig::default(), QueueConfig::CoDel(codel::Config::default())];
        let nested = QueueConfig::Classes(Config::default());
        let limit = QueueSize::Packets(20.0);
        vec![
            Config::default(),
            Config { limit, classes: vec![of(&kinds[0], &[0, 1, 2], 0, 1.0), of(&kinds[1], &[], 0, 2.5)] },
            Config {
                limit: QueueSize::Bytes(20_000),
                classes: vec![of(&nested, &[1], 1, 1.0), of(&kinds[1], &[], 0, 1.0)],
            },
        ]
    }
}

impl Classes {
    /// Queues as `config` says.
    pub fn new(config: &Config, mut link: LinkContext) -> Classes {
        let mut order: Vec<usize> = (0..config.classes.len()).collect();
        order.sort_by_key(|&number| config.classes[number].priority);
        let place = |number: usize| order.iter().position(|&other| other == number).expect("it has all numbers") as u8;
        let mut of_dscp = [0; 64];
        for (number, (_, bits)) in config.code_points().into_iter().enumerate() {
            (0..64).filter(|dscp| bits >> dscp & 1 == 1).for_each(|dscp| of_dscp[dscp] = place(number));
        }
        let classes = order.iter().map(|&number| {
            let Of { priority, weight, queue, .. } = &config.classes[number];
            let context = LinkContext { random: link.random.split(), ..link.clone() };
            let quantum = (LEAST_QUANTUM * weight / config.least_weight(*priority)).round() as i64;
            Class { queue: Inner::new(queue, context), priority: *priority, quantum, credits: 0, has_turn: false }
        });
        Classes { classes: classes.collect(), of_dscp, of_flows: Arc::default(), room: Room::waiting(config.limit) }
    }

    /// The place of a packet's class.
    fn place_of(&self, packet: &Packet) -> usize {
        let dscp = self.of_flows.get(packet.flow.0 as usize).copied().unwrap_or(0);
        usize::from(self.of_dscp[usize::from(dscp & 63)])
    }

    fn class_of(&mut self, packet: &Packet) -> &mut Class {
        let place = self.place_of(packet);
        &mut self.classes[place]
    }

    /// The next packet of the classes from `first` to before `end`, which have one priority.
    fn serve(&mut self, first: usize, end: usize, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        let classes = &mut self.classes[first..end];
        // Whoever hands out nothing, as it has none or shapes them, gives its turn on.
        let mut refused = 0;
        let mut next = classes.iter().position(|class| class.has_turn).unwrap_or(0);
        while refused < classes.len() {
            let class = &mut classes[next];
            if !class.has_turn {
                class.has_turn = true;
                class.credits += class.quantum;
            }
            if class.credits > 0 {
                if let Some((held, verdict)) = class.queue.dequeue(at, drops) {
                    class.credits -= i64::from(held.size());
                    return Some((held, verdict));
                }
                // Nothing is saved for later.
                class.credits = 0;
                refused += 1;
            } else if class.queue.len() == 0 {
                refused += 1;
            } else {
                refused = 0;
            }
            class.has_turn = false;
            next = (next + 1) % classes.len();
        }
        None
    }
}

impl Discipline for Classes {
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        if !self.room.admits(packet.size, at) {
            return Verdict::Drop(DropReason::Overflow);
        }
        self.class_of(packet).queue.arrive(packet, at)
    }
}

impl Scheduler for Classes {
    fn name(&self) -> &str {
        "classes"
    }

    fn enqueue(&mut self, held: Held, packet: &Packet, at: &InterfaceView, drops: &mut Drops) {
        self.class_of(packet).queue.enqueue(held, packet, at, drops);
    }

    fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        self.classes.iter_mut().for_each(|class| class.queue.rest(at));
        let mut first = 0;
        while first < self.classes.len() {
            let priority = self.classes[first].priority;
            let end = first + self.classes[first..].iter().take_while(|class| class.priority == priority).count();
            if let Some(out) = self.serve(first, end, at, drops) {
                return Some(out);
            }
            first = end;
        }
        None
    }

    fn deadline(&self) -> Option<Instant> {
        self.classes.iter().filter(|class| class.queue.len() > 0).filter_map(|class| class.queue.deadline()).min()
    }

    fn len(&self) -> usize {
        self.classes.iter().map(|class| class.queue.len()).sum()
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        self.classes.iter_mut().for_each(|class| class.queue.remove(leaves, out));
    }

    fn know_dscp(&mut self, of_flows: &Arc<[u8]>) {
        self.of_flows = of_flows.clone();
        self.classes.iter_mut().for_each(|class| class.queue.know_dscp(of_flows));
    }

    fn service_time(&self, held: &Held, packet: &Packet, plain: Duration) -> Duration {
        self.classes[self.place_of(packet)].queue.service_time(held, packet, plain)
    }
}

#[cfg(test)]
#[path = "classes_tests.rs"]
mod tests;
