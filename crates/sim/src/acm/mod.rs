//! Adaptive coding and modulation: a link with legs that sends symbols, each transmission with the modulation and code
//! that those who are to hear it can receive.
//!
//! What a transmission carries by symbol is fixed when it starts, from the legs that want it then: the least of what
//! their [loop](control) grants, or of what it grants above a floor. A leg hears it if its present Es/N0 lets it; who
//! joins meanwhile hears nothing. Frames are not modelled: a packet is sent with its own modulation and code, as if
//! frames were filled by it.

pub mod control;
pub mod modcod;
pub mod track;

use crate::ids::LinkId;
use faircast_proto::time::Instant;
use track::Track;

/// How the transmitter of a link with legs sends symbols.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transmitter {
    /// Symbols a second.
    pub symbol_rate: u64,
    /// A packet to a group is sent with no less than this, bits in a symbol, while somebody who wants it has so much;
    /// the others do without.
    pub floor: Option<f64>,
}

/// What a leg can receive over time, and what is granted to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// The most that comes through, bits in a symbol; 0 in an outage.
    pub present: Track,
    /// What transmissions for it are to have, as the loop knows it; 0 in an outage.
    pub granted: Track,
}

/// What has been sent, since the start of the run, by a link with legs or to one of these.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SymbolCounters {
    /// Symbols of transmissions that have ended.
    pub symbols: f64,
    /// Their bits, with those of the link layer.
    pub bits: u64,
    /// Packets that came to a leg above what it could receive.
    pub undecoded: u64,
}

/// What makes the links of a network adaptive, by link.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) transmitters: Vec<(LinkId, Transmitter)>,
    pub(crate) signals: Vec<(LinkId, LinkId, Signal)>,
}

/// The adaptive links of a network that runs.
pub(crate) struct Adaptive {
    /// By link: its place among carriers or legs.
    place: Vec<u32>,
    carriers: Vec<Carrier>,
    legs: Vec<Leg>,
}

struct Carrier {
    link: LinkId,
    transmitter: Transmitter,
    /// What is sent if everybody who wants it is in an outage.
    least: f64,
    /// What is sent if nobody wants it.
    greatest: f64,
    /// The transmission that goes on.
    efficiency: f64,
    bits: u64,
    /// The legs that wanted it when it started, in order.
    served: Vec<LinkId>,
    counters: SymbolCounters,
}

struct Leg {
    link: LinkId,
    carrier: u32,
    signal: Signal,
    /// How far the run has come on the tracks.
    hints: [usize; 2],
    counters: SymbolCounters,
}

/// Whether a leg hears what has been transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hearing {
    /// It does.
    Clear,
    /// It comes there above what the leg can receive.
    Garbled,
    /// It was not meant for the leg when it started.
    Nothing,
}

const NIL: u32 = u32::MAX;

impl Adaptive {
    /// The adaptive links of a plan in a network of so many links; none if it has none.
    pub(crate) fn new(plan: Plan, links: usize) -> Option<Box<Adaptive>> {
        if plan.transmitters.is_empty() {
            return None;
        }
        let mut adaptive = Adaptive { place: vec![NIL; links], carriers: Vec::new(), legs: Vec::new() };
        for (link, transmitter) in plan.transmitters {
            adaptive.place[link.index()] = adaptive.carriers.len() as u32;
            let (served, counters) = (Vec::new(), SymbolCounters::default());
            let (least, greatest, efficiency) = (f64::INFINITY, 0.0, 1.0);
            adaptive.carriers.push(Carrier {
                link,
                transmitter,
                least,
                greatest,
                efficiency,
                bits: 0,
                served,
                counters,
            });
        }
        for (link, carrier, signal) in plan.signals {
            let number = adaptive.place[carrier.index()];
            let state = &mut adaptive.carriers[number as usize];
            for value in signal.granted.steps().iter().chain(signal.present.steps()).map(|step| step.1) {
                // The most robust one of a leg in an outage is the last that still came through there, or any other.
                if value > 0.0 {
                    (state.least, state.greatest) = (state.least.min(value), state.greatest.max(value));
                }
            }
            adaptive.place[link.index()] = adaptive.legs.len() as u32;
            let counters = SymbolCounters::default();
            adaptive.legs.push(Leg { link, carrier: number, signal, hints: [0; 2], counters });
        }
        for carrier in &mut adaptive.carriers {
            let lowest = modcod::ladder().efficiency(1);
            carrier.least = carrier.least.min(lowest);
            carrier.greatest = carrier.greatest.max(carrier.least);
        }
        Some(Box::new(adaptive))
    }

    /// A transmission of a carrier is about to start, of so many bits, for nobody as yet.
    pub(crate) fn begin(&mut self, carrier: LinkId, bits: u64) {
        let state = &mut self.carriers[self.place[carrier.index()] as usize];
        state.served.clear();
        state.bits = bits;
    }

    /// It is for this leg, too; legs come in order.
    pub(crate) fn serve(&mut self, carrier: LinkId, leg: LinkId) {
        self.carriers[self.place[carrier.index()] as usize].served.push(leg);
    }

    /// What it has, now that all are known that it is for: nanoseconds that a byte takes, with 32 binary places.
    pub(crate) fn fix(&mut self, carrier: LinkId, now: Instant) -> u64 {
        let Adaptive { place, carriers, legs } = self;
        let state = &mut carriers[place[carrier.index()] as usize];
        let floor = state.transmitter.floor.unwrap_or(0.0);
        let (mut worst, mut worst_above) = (f64::INFINITY, f64::INFINITY);
        for leg in &state.served {
            let leg = &mut legs[place[leg.index()] as usize];
            let granted = leg.signal.granted.follow(now, &mut leg.hints[0]);
            if granted > 0.0 {
                worst = worst.min(granted);
                if granted >= floor {
                    worst_above = worst_above.min(granted);
                }
            }
        }
        state.efficiency = match () {
            () if worst_above.is_finite() => worst_above,
            () if worst.is_finite() => worst,
            () if state.served.is_empty() => state.greatest,
            () => state.least,
        };
        let bits_a_second = state.transmitter.symbol_rate as f64 * state.efficiency;
        (8e9 * 4_294_967_296.0 / bits_a_second + 0.5) as u64
    }

    /// The transmission of a carrier has ended.
    pub(crate) fn end(&mut self, carrier: LinkId) {
        let state = &mut self.carriers[self.place[carrier.index()] as usize];
        state.counters.symbols += state.bits as f64 / state.efficiency;
        state.counters.bits += state.bits;
    }

    /// Whether a leg that wants what its carrier has transmitted hears it.
    pub(crate) fn hearing(&mut self, leg: LinkId, now: Instant) -> Hearing {
        let Adaptive { place, carriers, legs } = self;
        let state = &mut legs[place[leg.index()] as usize];
        let carrier = &carriers[state.carrier as usize];
        if carrier.served.binary_search(&leg).is_err() {
            return Hearing::Nothing;
        }
        state.counters.symbols += carrier.bits as f64 / carrier.efficiency;
        state.counters.bits += carrier.bits;
        match state.signal.present.follow(now, &mut state.hints[1]) >= carrier.efficiency {
            true => Hearing::Clear,
            false => Hearing::Garbled,
        }
    }

    /// A packet has come to a leg that cannot receive it.
    pub(crate) fn count_undecoded(&mut self, leg: LinkId) {
        self.legs[self.place[leg.index()] as usize].counters.undecoded += 1;
    }

    /// How the transmitter of a link is, if it sends symbols; of a leg that of its link.
    pub(crate) fn transmitter(&self, link: LinkId) -> Option<Transmitter> {
        Some(match self.seat(link)? {
            Seat::Carrier(carrier) => carrier.transmitter,
            Seat::Leg(leg) => self.carriers[leg.carrier as usize].transmitter,
        })
    }

    /// What a link has sent, or what has been sent to a leg.
    pub(crate) fn counters(&self, link: LinkId) -> Option<SymbolCounters> {
        Some(match self.seat(link)? {
            Seat::Carrier(carrier) => carrier.counters,
            Seat::Leg(leg) => leg.counters,
        })
    }

    /// What a leg can receive over time.
    pub(crate) fn signal(&self, link: LinkId) -> Option<&Signal> {
        match self.seat(link)? {
            Seat::Carrier(_) => None,
            Seat::Leg(leg) => Some(&leg.signal),
        }
    }

    /// Every adaptive link, each with what it has counted, in their order.
    pub(crate) fn all(&self) -> impl Iterator<Item = (LinkId, SymbolCounters)> {
        let links = (0..self.place.len() as u32).map(LinkId);
        links.filter_map(|link| Some((link, self.counters(link)?)))
    }

    fn seat(&self, link: LinkId) -> Option<Seat<'_>> {
        let place = *self.place.get(link.index()).filter(|&&place| place != NIL)? as usize;
        match self.carriers.get(place).filter(|carrier| carrier.link == link) {
            Some(carrier) => Some(Seat::Carrier(carrier)),
            None => self.legs.get(place).filter(|leg| leg.link == link).map(Seat::Leg),
        }
    }
}

enum Seat<'a> {
    Carrier(&'a Carrier),
    Leg(&'a Leg),
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARRIER: LinkId = LinkId(0);
    const LEGS: [LinkId; 3] = [LinkId(1), LinkId(2), LinkId(3)];

    /// A carrier of a megabaud with three legs that have 2, 3 and 4 bits in a symbol; the last has an outage from 5 ns
    /// on, of which the loop knows from 9 ns on.
    fn adaptive(floor: Option<f64>) -> Box<Adaptive> {
        let falls = |at| {
            let mut track = Track::level(4.0);
            track.set(Instant(at), 0.0);
            track
        };
        let level = |bits| Signal { present: Track::level(bits), granted: Track::level(bits) };
        let signals = [level(2.0), level(3.0), Signal { present: falls(5), granted: falls(9) }];
        let transmitters = vec![(CARRIER, Transmitter { symbol_rate: 1_000_000, floor })];
        let signals = LEGS.into_iter().zip(signals).map(|(leg, signal)| (leg, CARRIER, signal)).collect();
        Adaptive::new(Plan { transmitters, signals }, 4).expect("it has a transmitter")
    }

    /// What a transmission of 80 bits to these legs has in a symbol.
    fn sent(adaptive: &mut Adaptive, now: u64, legs: &[LinkId]) -> f64 {
        adaptive.begin(CARRIER, 80);
        legs.iter().for_each(|&leg| adaptive.serve(CARRIER, leg));
        let ns_a_byte = adaptive.fix(CARRIER, Instant(now)) as f64 / 4_294_967_296.0;
        8e9 / ns_a_byte / 1e6
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    #[test]
    fn the_worst_that_is_granted_anything_decides() {
        let mut all = adaptive(None);
        assert!(close(sent(&mut all, 0, &LEGS), 2.0));
        assert!(close(sent(&mut all, 8, &LEGS[1..]), 3.0));
        assert!(close(sent(&mut all, 8, &LEGS[2..]), 4.0), "the loop does not know yet");
        assert!(close(sent(&mut all, 9, &LEGS[1..]), 3.0), "an outage does not count");
        assert!(close(sent(&mut all, 9, &LEGS[2..]), 0.434_841), "all of them are in an outage");
        assert!(close(sent(&mut all, 9, &[]), 4.0), "nobody wants it");
    }

    #[test]
    fn a_floor_leaves_out_who_is_granted_less() {
        let mut three = adaptive(Some(3.0));
        assert!(close(sent(&mut three, 0, &LEGS), 3.0), "who has just so much counts");
        assert!(close(sent(&mut three, 0, &LEGS[..1]), 2.0), "nobody else wants it");
        assert!(close(sent(&mut adaptive(Some(3.5)), 9, &LEGS), 2.0), "the other one is in an outage");
    }

    #[test]
    fn who_can_receive_it_hears_what_it_was_sent_for() {
        let mut all = adaptive(None);
        sent(&mut all, 0, &LEGS[..2]);
        all.end(CARRIER);
        let heard = LEGS.map(|leg| all.hearing(leg, Instant(1)));
        assert_eq!(heard, [Hearing::Clear, Hearing::Clear, Hearing::Nothing]);
        // A terminal that fades while it is sent to does not hear the end.
        sent(&mut all, 4, &LEGS[2..]);
        all.end(CARRIER);
        assert_eq!(all.hearing(LEGS[2], Instant(5)), Hearing::Garbled);
        all.count_undecoded(LEGS[2]);
        assert_eq!(all.hearing(LEGS[0], Instant(5)), Hearing::Nothing);
        let counted = |link| all.counters(link).expect("it is adaptive");
        // 80 bits at two in a symbol, and 80 at four.
        assert_eq!(counted(CARRIER), SymbolCounters { symbols: 60.0, bits: 160, undecoded: 0 });
        assert_eq!(counted(LEGS[0]), SymbolCounters { symbols: 40.0, bits: 80, undecoded: 0 });
        assert_eq!(counted(LEGS[2]), SymbolCounters { symbols: 20.0, bits: 80, undecoded: 1 });
    }
}
