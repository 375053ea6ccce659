//! N is counted: every receiver tells the source that it is a member, again and again, and when it leaves.
//!
//! A message says member or not; the later one of a receiver counts, whatever the order of arrival. Who has not been
//! heard of for some refresh times is forgotten: so a lost leave does no lasting harm. The first message follows the
//! first data packet by up to a second, each receiver with a delay of its own, so that they do not all come at once.
//! For N up to a few hundred: the source gets N messages per refresh time.

use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::endpoint::Outbox;
use crate::limits;
use crate::limits::from;
use crate::omcc::header::Header;
use crate::packet::{Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::time::{Duration, Instant};

/// N by messages of the receivers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Time from one message of a receiver to the next. Default 30 s.
    pub refresh: Duration,
    /// How many messages in a row may fail to come before a receiver is forgotten, half a refresh time after the last
    /// of them was due. Default 3.
    pub missed: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config { refresh: Duration::from_secs(30), missed: 3 }
    }
}

limits! { Config {
    refresh: from(Duration::from_secs(1)).to(Duration::from_secs(3600)),
    missed: from(1).to(100),
} }

impl Config {
    /// How long a message counts.
    fn lifetime(&self) -> Duration {
        self.refresh.mul_f64(f64::from(self.missed) + 0.5)
    }
}

/// The members as the source knows them.
#[derive(Clone, Debug)]
pub(in crate::omcc) struct Register {
    lifetime: Duration,
    /// How many entries there are at most.
    most: usize,
    /// By address.
    entries: Vec<Entry>,
    members: u32,
    /// Nobody is forgotten before.
    earliest: Instant,
}

/// The last message of a receiver. Those that have left stay as long, so that an older message does not revive them.
#[derive(Clone, Copy, Debug)]
struct Entry {
    receiver: Address,
    member: bool,
    /// On the receiver's clock.
    sent: Instant,
    heard_at: Instant,
}

impl Register {
    /// Nobody is there. `most` receivers are remembered, what others say is ignored.
    pub(super) fn new(config: &Config, most: u32) -> Register {
        Register {
            lifetime: config.lifetime(),
            most: most as usize,
            entries: Vec::new(),
            members: 0,
            earliest: Instant::FAR_FUTURE,
        }
    }

    /// A message of `receiver` that left it at `sent`, on its clock.
    pub(super) fn hear(&mut self, now: Instant, receiver: Address, sent: Instant, member: bool) {
        let entry = Entry { receiver, member, sent, heard_at: now };
        match self.entries.binary_search_by_key(&receiver, |entry| entry.receiver) {
            Ok(place) => {
                let known = &mut self.entries[place];
                if sent < known.sent {
                    return;
                }
                self.members -= u32::from(known.member);
                *known = entry;
            }
            Err(_) if self.entries.len() == self.most => return,
            Err(place) => self.entries.insert(place, entry),
        }
        self.members += u32::from(member);
        self.earliest = self.earliest.min(now + self.lifetime);
    }

    /// Forgets those that have not been heard of for too long.
    pub(super) fn expire(&mut self, now: Instant) {
        if now < self.earliest {
            return;
        }
        self.entries.retain(|entry| now < entry.heard_at + self.lifetime);
        self.members = self.entries.iter().filter(|entry| entry.member).count() as u32;
        let oldest = self.entries.iter().map(|entry| entry.heard_at).min();
        self.earliest = oldest.map_or(Instant::FAR_FUTURE, |oldest| oldest + self.lifetime);
    }

    /// When somebody may have to be forgotten; `FAR_FUTURE` = nobody is there.
    pub(super) fn deadline(&self) -> Instant {
        self.earliest
    }

    pub(super) fn members(&self) -> u32 {
        self.members
    }
}

/// A receiver that registers.
#[derive(Clone, Debug)]
pub(in crate::omcc) struct Registrant {
    refresh: Duration,
    size: u16,
    flow: FlowId,
    own: Address,
    /// Where the data comes from; none before the first packet.
    source: Option<Address>,
    /// When the next message is due.
    due: Instant,
    /// Data has come since the last message: nobody registers with a source that is silent.
    fresh: bool,
    /// A message has been sent, and no leave after it.
    registered: bool,
    sent_pkts: u64,
}

impl Registrant {
    /// At `own`, with messages of `size` bytes.
    pub(in crate::omcc) fn new(config: &Config, flow: FlowId, own: Address, size: u16) -> Registrant {
        Registrant {
            refresh: config.refresh,
            size,
            flow,
            own,
            source: None,
            due: Instant::FAR_FUTURE,
            fresh: false,
            registered: false,
            sent_pkts: 0,
        }
    }

    /// Data has come from `source`.
    pub(in crate::omcc) fn data(&mut self, now: Instant, source: Address) {
        if self.source.is_none() {
            self.due = now + JOIN_SPREAD.mul_f64(place(self.own));
        }
        self.source = Some(source);
        self.fresh = true;
    }

    /// Sends what is due, and the leave if the receiver is `member` no longer.
    pub(in crate::omcc) fn act(&mut self, now: Instant, member: bool, out: &mut Outbox) {
        if member && self.fresh && self.due <= now {
            self.send(now, true, out);
            self.due = now + self.refresh;
        } else if !member && self.registered {
            self.send(now, false, out);
        }
        if !member {
            self.fresh = false;
        }
    }

    /// When a message is due; `FAR_FUTURE` = none is.
    pub(in crate::omcc) fn deadline(&self) -> Instant {
        if self.fresh { self.due } else { Instant::FAR_FUTURE }
    }

    /// A message that was counted has not been sent.
    pub(in crate::omcc) fn not_sent(&mut self) {
        self.sent_pkts -= 1;
    }

    /// Packets and bytes sent.
    pub(in crate::omcc) fn sent(&self) -> [u64; 2] {
        [self.sent_pkts, self.sent_pkts * u64::from(self.size)]
    }

    fn send(&mut self, now: Instant, member: bool, out: &mut Outbox) {
        let Some(source) = self.source else { return };
        self.fresh = false;
        self.registered = member;
        self.sent_pkts += 1;
        out.send(Packet {
            sent: now,
            flow: self.flow,
            source: self.own,
            destination: source,
            size: self.size,
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: Header::Registration { member }.into(),
        });
    }
}

/// Over what time the first messages spread.
const JOIN_SPREAD: Duration = Duration::from_secs(1);

/// Where in [0, 1) an address lies: multiples of the golden ratio, which spread evenly however many there are.
fn place(own: Address) -> f64 {
    f64::from((own.index() as u32).wrapping_mul(0x9e37_79b9)) / 4_294_967_296.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::Action;
    use crate::packet;

    const ONE: Address = Address::endpoint(1);
    const TWO: Address = Address::endpoint(2);

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    #[test]
    fn members_are_counted_and_forgotten() {
        let mut register = Register::new(&Config::default(), 100);
        register.hear(at(1.0), TWO, at(0.0), true);
        register.hear(at(2.0), ONE, at(0.0), true);
        register.hear(at(2.0), ONE, at(0.0), true);
        assert_eq!((register.members(), register.deadline()), (2, at(106.0)));
        register.hear(at(31.0), TWO, at(30.0), true);
        register.expire(at(106.0));
        assert_eq!((register.members(), register.deadline()), (2, at(107.0)), "two has refreshed");
        register.expire(at(107.0));
        assert_eq!((register.members(), register.deadline()), (1, at(136.0)));
        register.expire(at(136.0));
        assert_eq!((register.members(), register.deadline()), (0, Instant::FAR_FUTURE));
    }

    #[test]
    fn the_later_message_counts_whatever_the_order() {
        let mut register = Register::new(&Config::default(), 100);
        register.hear(at(1.0), ONE, at(500.0), true);
        register.hear(at(2.0), ONE, at(501.0), false);
        assert_eq!(register.members(), 0);
        register.hear(at(3.0), ONE, at(500.5), true);
        assert_eq!(register.members(), 0, "it was late");
        register.hear(at(4.0), ONE, at(502.0), true);
        assert_eq!(register.members(), 1, "it has come back");
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut register = Register::new(&Config::default(), 50);
        for n in (0..80).rev() {
            register.hear(at(1.0), Address::endpoint(n), at(0.0), true);
        }
        assert_eq!(register.members(), 50);
        register.hear(at(2.0), Address::endpoint(79), at(1.0), false);
        assert_eq!(register.members(), 49, "those inside are still listened to");
    }

    #[test]
    fn a_receiver_registers_while_data_comes_and_leaves_once() {
        let mut registrant = Registrant::new(&Config::default(), FlowId(0), ONE, 40);
        let mut out = Outbox::new();
        let mut act = |registrant: &mut Registrant, seconds: f64, member: bool| {
            registrant.act(at(seconds), member, &mut out);
            let sent: Vec<bool> = out
                .drain()
                .map(|action| match action {
                    Action::Send(Packet {
                        header: packet::Header::Omcc(Header::Registration { member }),
                        destination: TWO,
                        ..
                    }) => member,
                    _ => panic!("{action:?}"),
                })
                .collect();
            sent
        };
        assert_eq!(act(&mut registrant, 0.0, false), [false; 0]);
        registrant.data(at(10.0), TWO);
        // The golden ratio is 0.618.
        let due = registrant.deadline();
        assert!((due.as_secs_f64() - 10.618).abs() < 1e-3, "{due}");
        assert_eq!(act(&mut registrant, 10.5, true), [false; 0]);
        assert_eq!(act(&mut registrant, 10.7, true), [true]);
        assert_eq!((act(&mut registrant, 60.0, true), registrant.deadline()), (vec![], Instant::FAR_FUTURE));
        registrant.data(at(61.0), TWO);
        assert_eq!(act(&mut registrant, 61.0, true), [true], "with the first data after it was due");
        assert_eq!(act(&mut registrant, 62.0, false), [false]);
        assert_eq!(act(&mut registrant, 63.0, false), [false; 0]);
        assert_eq!(registrant.sent(), [3, 120]);
    }
}
