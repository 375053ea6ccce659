//! What a sender has to send: new symbols in order, and repair of what receivers have asked for (sections 5.1, 5.4).

use crate::geometry::Geometry;
use crate::intervals::Intervals;
use crate::needs::{MOST_ROWS, Needs};
use faircast_codec::norm::Position;
use faircast_proto::time::{Duration, Instant};
use std::collections::BTreeSet;

/// What is sent, and how far.
#[derive(Debug)]
pub struct Transmission {
    objects: Vec<Object>,
    symbols: u64,
    /// The first that has not been sent: an object, and a symbol of it; its information goes before symbol 0.
    next: (usize, Option<u64>),
    /// Objects of which something is to be repaired.
    repairs: BTreeSet<usize>,
    /// What was sent last: an object, and the symbol behind that one.
    position: (u64, u64),
    cycle: Cycle,
}

#[derive(Debug)]
struct Object {
    geometry: Geometry,
    repair_information: bool,
    repair: Intervals,
}

/// Where a sender is with what receivers ask for (section 5.4.1).
#[derive(Debug)]
enum Cycle {
    /// Nothing is asked for.
    Idle,
    /// It is collected until then.
    Collecting { until: Instant, needs: Needs },
    /// What comes until then may have been answered already.
    Holdoff { until: Instant },
}

/// What goes out next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// An object's information.
    Information {
        /// Of which.
        object: usize,
        /// It was asked for.
        is_repair: bool,
    },
    /// A symbol.
    Symbol {
        /// Of which object.
        object: usize,
        /// Its number.
        symbol: u64,
        /// It was asked for.
        is_repair: bool,
    },
}

impl Transmission {
    /// The last symbol of all: what NORM_CMD(FLUSH) names, and who has everything acknowledges.
    pub(super) fn end(&self) -> Option<Position> {
        let last = self.objects().checked_sub(1)?;
        let geometry = self.geometry(last)?;
        Some(Position { object: last as u16, symbol: geometry.payload_id(geometry.symbols().saturating_sub(1)) })
    }

    /// Objects, of which nothing has been sent.
    pub fn new(objects: impl Iterator<Item = Geometry>) -> Transmission {
        let of = |geometry| Object { geometry, repair_information: false, repair: Intervals::default() };
        let objects: Vec<Object> = objects.map(of).collect();
        Transmission {
            symbols: objects.iter().map(|object| object.geometry.symbols()).sum(),
            objects,
            next: (0, None),
            repairs: BTreeSet::new(),
            position: (0, 0),
            cycle: Cycle::Idle,
        }
    }

    /// How an object is cut, if there is one of this number.
    pub fn geometry(&self, object: u64) -> Option<Geometry> {
        self.objects.get(usize::try_from(object).ok()?).map(|object| object.geometry)
    }

    /// How many objects there are.
    pub fn objects(&self) -> u64 {
        self.objects.len() as u64
    }

    /// How many symbols they have.
    pub fn symbols(&self) -> u64 {
        self.symbols
    }

    /// Whether there is something to send.
    pub fn is_pending(&self) -> bool {
        !self.repairs.is_empty() || self.next.0 < self.objects.len()
    }

    /// Whether all has been sent once.
    pub fn is_sent(&self) -> bool {
        self.next.0 >= self.objects.len()
    }

    /// What goes out next: what is asked for first, in order.
    pub fn take(&mut self) -> Option<Piece> {
        if let Some(&object) = self.repairs.first() {
            let of = &mut self.objects[object];
            if std::mem::take(&mut of.repair_information) {
                self.settle(object);
                self.position = (object as u64, 0);
                return Some(Piece::Information { object, is_repair: true });
            }
            let symbol = of.repair.first().expect("it is among the repairs");
            of.repair.remove(symbol..symbol + 1);
            self.settle(object);
            self.position = (object as u64, symbol + 1);
            return Some(Piece::Symbol { object, symbol, is_repair: true });
        }
        let (object, symbol) = self.next;
        let geometry = self.objects.get(object)?.geometry;
        let following = symbol.map_or(0, |symbol| symbol + 1);
        self.next = if following < geometry.symbols() { (object, Some(following)) } else { (object + 1, None) };
        self.position = (object as u64, following);
        Some(match symbol {
            None => Piece::Information { object, is_repair: false },
            Some(symbol) => Piece::Symbol { object, symbol, is_repair: false },
        })
    }

    /// A piece could not be sent: it goes out next.
    pub fn put_back(&mut self, piece: Piece) {
        let object = match piece {
            Piece::Information { object, .. } => {
                self.objects[object].repair_information = true;
                object
            }
            Piece::Symbol { object, symbol, .. } => {
                self.objects[object].repair.insert(symbol..symbol + 1);
                object
            }
        };
        self.repairs.insert(object);
    }

    fn settle(&mut self, object: usize) {
        let of = &self.objects[object];
        if of.repair.is_empty() && !of.repair_information {
            self.repairs.remove(&object);
        }
    }

    /// Somebody lacks this. It is collected for `collect` from now on, if it is not already, or if that has just been
    /// done taken only as far as it is still ahead.
    pub fn asked(&mut self, now: Instant, needs: &Needs, collect: Duration) {
        self.pass(now, Duration::ZERO);
        let needs = self.sent_of(needs);
        if needs.is_empty() {
            return;
        }
        match &mut self.cycle {
            Cycle::Idle => self.cycle = Cycle::Collecting { until: now + collect, needs },
            Cycle::Collecting { needs: collected, .. } => collected.add_some(&needs),
            Cycle::Holdoff { .. } => self.repair(&needs, self.position),
        }
    }

    /// What is collected at present.
    pub fn collected(&self) -> Option<&Needs> {
        match &self.cycle {
            Cycle::Collecting { needs, .. } => Some(needs),
            _ => None,
        }
    }

    /// When the time for collecting ends.
    pub fn deadline(&self) -> Instant {
        match &self.cycle {
            Cycle::Collecting { until, .. } => *until,
            _ => Instant::FAR_FUTURE,
        }
    }

    /// What has been collected is to be repaired from now on, if its time has come; then follows the time in which what
    /// is asked for may have been answered already.
    pub fn pass(&mut self, now: Instant, holdoff: Duration) {
        match std::mem::replace(&mut self.cycle, Cycle::Idle) {
            Cycle::Collecting { until, needs } if until <= now => {
                self.repair(&needs, (0, 0));
                self.cycle = Cycle::Holdoff { until: now + holdoff };
            }
            Cycle::Holdoff { until } if until <= now => {}
            other => self.cycle = other,
        }
    }

    /// What of it has been sent: all else will come without being asked for.
    fn sent_of(&self, needs: &Needs) -> Needs {
        let (object, symbol) = self.next;
        let all = self.objects();
        // Objects that have been sent as a whole, the one that is being sent, and what of it.
        let (sent, begun) = (object as u64, symbol.is_some());
        let mut of = Needs::default();
        let clipped = |row: std::ops::Range<u64>| row.start..row.end.min(sent + u64::from(begun)).min(all);
        for row in needs.objects.iter().map(clipped).filter(|row| !row.is_empty()) {
            of.information.insert(row.clone());
            for whole in row {
                of.add_symbols(whole, 0..self.sent_symbols(whole));
            }
        }
        needs.information.iter().map(clipped).filter(|row| !row.is_empty()).for_each(|row| of.information.insert(row));
        for (&object, rows) in &needs.symbols {
            let sent = self.sent_symbols(object);
            rows.iter().for_each(|row| of.add_symbols(object, row.start..row.end.min(sent)));
        }
        of
    }

    fn sent_symbols(&self, object: u64) -> u64 {
        let (next, symbol) = (self.next.0 as u64, self.next.1);
        match self.geometry(object) {
            Some(geometry) if object < next => geometry.symbols(),
            Some(_) if object == next => symbol.unwrap_or(0),
            _ => 0,
        }
    }

    /// Adds what lies at or behind a position to what is to be repaired.
    fn repair(&mut self, needs: &Needs, (from, from_symbol): (u64, u64)) {
        for object in needs.information.iter().flatten().filter(|&object| object >= from) {
            if let Some(of) = self.objects.get_mut(object as usize)
                && (object > from || from_symbol == 0)
            {
                of.repair_information = true;
                self.repairs.insert(object as usize);
            }
        }
        let waiting: usize = self.repairs.iter().map(|&object| self.objects[object].repair.rows()).sum();
        if waiting >= MOST_ROWS {
            return;
        }
        for (&object, rows) in needs.symbols.range(from..) {
            let Some(of) = self.objects.get_mut(object as usize) else { continue };
            let least = if object == from { from_symbol } else { 0 };
            rows.iter().for_each(|row| of.repair.insert(row.start.max(least)..row.end));
            if !of.repair.is_empty() {
                self.repairs.insert(object as usize);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_codec::norm::{Code, ObjectInformation};

    const COLLECT: Duration = Duration::from_millis(500);
    const HOLDOFF: Duration = Duration::from_millis(100);

    /// Two objects of 6 symbols.
    fn transmission() -> Transmission {
        let code = Code::ReedSolomon8 { segment_bytes: 10, block_len: 4, encoding_symbols: 0 };
        let cut = Geometry::new(ObjectInformation { object_bytes: 60, code }).expect("legal");
        Transmission::new([cut, cut].into_iter())
    }

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    fn symbols(object: u64, row: std::ops::Range<u64>) -> Needs {
        let mut needs = Needs::default();
        needs.add_symbols(object, row);
        needs
    }

    /// So many pieces: object, symbol if it is one, whether it is repair.
    fn take(transmission: &mut Transmission, count: usize) -> Vec<(usize, Option<u64>, bool)> {
        let pieces = std::iter::from_fn(|| transmission.take()).take(count);
        pieces
            .map(|piece| match piece {
                Piece::Information { object, is_repair } => (object, None, is_repair),
                Piece::Symbol { object, symbol, is_repair } => (object, Some(symbol), is_repair),
            })
            .collect()
    }

    #[test]
    fn all_goes_once_in_order() {
        let mut transmission = transmission();
        let taken = take(&mut transmission, 100);
        assert_eq!(taken.len(), 14);
        assert_eq!((taken[0], taken[6], taken[7]), ((0, None, false), (0, Some(5), false), (1, None, false)));
        assert!(transmission.is_sent() && !transmission.is_pending());
    }

    #[test]
    fn what_is_asked_for_is_collected_and_then_goes_before_what_is_new() {
        let mut transmission = transmission();
        take(&mut transmission, 9);
        transmission.asked(at(0), &symbols(0, 4..5), COLLECT);
        transmission.asked(at(400), &symbols(0, 1..3), COLLECT);
        assert!(transmission.collected().is_some() && !transmission.repairs.contains(&0));
        assert_eq!(transmission.deadline(), at(500));
        transmission.pass(at(499), HOLDOFF);
        assert_eq!(take(&mut transmission, 1), [(1, Some(1), false)], "what is new is not interrupted");
        transmission.pass(at(500), HOLDOFF);
        let repair = [1, 2, 4].map(|symbol| (0, Some(symbol), true));
        assert_eq!(take(&mut transmission, 4)[..3], repair);
        // Nothing that has gone out just now is repaired for those who asked before they knew; what is ahead is.
        transmission.asked(at(550), &symbols(0, 1..3), COLLECT);
        assert!(transmission.repairs.is_empty());
        transmission.asked(at(600), &symbols(0, 1..3), COLLECT);
        assert!(transmission.collected().is_some(), "the holdoff is over");
    }

    #[test]
    fn late_requests_are_taken_as_far_as_they_are_ahead() {
        let mut transmission = transmission();
        take(&mut transmission, 14);
        transmission.asked(at(0), &symbols(0, 0..6), COLLECT);
        transmission.pass(at(500), HOLDOFF);
        take(&mut transmission, 3);
        let mut late = symbols(0, 0..6);
        late.add(&symbols(1, 2..3));
        late.information.insert(0..2);
        transmission.asked(at(550), &late, COLLECT);
        let rest = take(&mut transmission, 100);
        let expected = [(0, Some(3)), (0, Some(4)), (0, Some(5)), (1, None), (1, Some(2))];
        assert_eq!(rest, expected.map(|(object, symbol)| (object, symbol, true)));
    }

    #[test]
    fn what_has_not_been_sent_is_not_repaired() {
        let mut transmission = transmission();
        take(&mut transmission, 3);
        let mut needs = symbols(0, 0..6);
        needs.objects.insert(1..u64::MAX);
        needs.information.insert(0..70_000);
        transmission.asked(at(0), &needs, COLLECT);
        transmission.pass(at(500), HOLDOFF);
        assert_eq!(
            take(&mut transmission, 4),
            [(0, None, true), (0, Some(0), true), (0, Some(1), true), (0, Some(2), false)]
        );
        // An object of which everything is lost, its information too.
        take(&mut transmission, 100);
        transmission.pass(at(600), HOLDOFF);
        needs = Needs::default();
        needs.objects.insert(1..2);
        transmission.asked(at(700), &needs, COLLECT);
        transmission.pass(at(1200), HOLDOFF);
        assert_eq!(take(&mut transmission, 100).len(), 7);
    }

    #[test]
    fn what_could_not_be_sent_goes_next() {
        let mut transmission = transmission();
        let [first, second] = [transmission.take().unwrap(), transmission.take().unwrap()];
        transmission.put_back(second);
        transmission.put_back(first);
        assert_eq!(take(&mut transmission, 3), [(0, None, true), (0, Some(0), true), (0, Some(1), false)]);
    }
}
