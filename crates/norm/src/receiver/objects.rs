//! What has come of objects, and what lacks (sections 5.2 and 5.3).
//!
//! Numbers of objects wrap around on the wire; here the upper bits count how often, from 1 on.

use super::jumps::FAR_AHEAD;
use super::sink::Sink;
use crate::geometry::{Geometry, Symbol};
use crate::intervals::Intervals;
use crate::needs::Needs;
use faircast_codec::fec::PayloadId;
use faircast_codec::norm::ObjectInformation;
use std::collections::BTreeMap;
use std::ops::Range;

/// A point of a transmission: an object, and a symbol of it behind which it lies.
pub type Point = (u64, u64);

/// The objects of a sender.
#[derive(Debug)]
pub struct Objects {
    known: BTreeMap<u64, Object>,
    /// Those that are whole, or will not be.
    settled: Intervals,
    /// Whole ones.
    pub complete: u64,
    /// Objects that were wanted and that the sender has given up.
    pub lost: u64,
    /// Objects that the sender had to offer before this receiver came, and has given up.
    pub missed: u64,
    /// Streams, which are not wanted.
    streams: u64,
    /// How many lie before the first that is wanted now, that were heard of before.
    before: u64,
    /// The first that is wanted, and the newest that has been heard of.
    bounds: Option<(u64, u64)>,
    /// The first that was heard of: the sender was there then when this receiver came.
    joined: u64,
    /// A symbol of the sender's scheme.
    other: PayloadId,
    /// Bytes of a symbol, of the object that was met last.
    pub segment_bytes: Option<u16>,
}

#[derive(Debug)]
struct Object {
    geometry: Geometry,
    has_information: bool,
    information: Option<Vec<u8>>,
    received: Intervals,
}

/// What stands in a message of an object, beside its content.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    /// Its number on the wire.
    pub number: u16,
    /// Whether it has information.
    pub has_information: bool,
    /// EXT_FTI.
    pub object: Option<ObjectInformation>,
    /// NORM_FLAG_REPAIR: it is sent because somebody asked.
    pub is_repair: bool,
}

/// Objects of which something has come and something lacks: a choice, by which what somebody makes up takes a few
/// megabytes at most. The others are asked for when some of these are whole.
const MOST_KNOWN: usize = 4096;
/// Rows of symbols of one object, likewise.
const MOST_ROWS: usize = 100_000;
/// How often numbers have wrapped around at first, so that there are some before.
const FIRST_TURN: u64 = 1 << 16;
/// A sender whose number is below this when it is heard first is believed to have begun at 0.
const EARLY: u16 = 1 << 15;
/// Objects that can be told from later ones by their numbers, from the newest on backwards, and asked for.
const WINDOW: u64 = 1 << 15;
/// What is not sent as repair, and is further behind the newest object than this, is ahead of it: more objects were
/// missed in a row than half of the numbers there are. A choice; libnorm sets no flag on repair, but has not to repair
/// what is so far behind.
const MOST_BEHIND: i64 = 1 << 14;

impl Default for Objects {
    fn default() -> Objects {
        let other = PayloadId::ReedSolomon8 { block: 0, symbol: 0 };
        let (known, settled) = (BTreeMap::new(), Intervals::default());
        Objects {
            known,
            settled,
            complete: 0,
            lost: 0,
            missed: 0,
            streams: 0,
            before: 0,
            bounds: None,
            joined: 0,
            other,
            segment_bytes: None,
        }
    }
}

impl Objects {
    /// The number of an object with all bits: nearest to the newest.
    pub fn wide(&self, number: u16) -> u64 {
        match self.bounds {
            None => FIRST_TURN + u64::from(number),
            Some((_, newest)) => newest.saturating_add_signed(i64::from(number.wrapping_sub(newest as u16) as i16)),
        }
    }

    /// The number of an object of which something is sent: nearest to the newest, but if it is new rather ahead of that
    /// than far behind.
    pub fn sent(&self, number: u16, is_repair: bool) -> u64 {
        let object = self.wide(number);
        let Some((_, newest)) = self.bounds else { return object };
        let is_behind = object as i64 - (newest as i64) < -MOST_BEHIND;
        if is_behind && !is_repair { object + (1 << 16) } else { object }
    }

    /// Whether an object of which something is sent is far ahead of the newest.
    pub fn is_far(&self, number: u16, is_repair: bool) -> bool {
        self.bounds.is_some_and(|(_, newest)| self.sent(number, is_repair) > newest + FAR_AHEAD)
    }

    /// How an object is cut, if that is known and it is not settled.
    pub fn geometry(&self, object: u64) -> Option<Geometry> {
        self.known.get(&object).map(|object| object.geometry)
    }

    /// A message names an object: its number with all bits, if it is wanted still.
    pub fn meet(&mut self, said: &Said) -> Option<u64> {
        let object = self.sent(said.number, said.is_repair);
        self.reach(object);
        if self.settled.contains(object) || self.bounds.is_none_or(|(first, _)| object < first) {
            return None;
        }
        if !self.known.contains_key(&object)
            && self.known.len() < MOST_KNOWN
            && let Some(geometry) = said.object.and_then(Geometry::new)
        {
            self.other = geometry.block_id(0);
            self.segment_bytes = Some(geometry.segment_bytes());
            let (has_information, received) = (said.has_information, Intervals::default());
            self.known.insert(object, Object { geometry, has_information, information: None, received });
        }
        self.known.contains_key(&object).then_some(object)
    }

    /// An object, by its number with all bits, has been heard of, with all that come before it.
    pub fn reach(&mut self, object: u64) {
        if self.bounds.is_none() {
            self.joined = object;
        }
        let first = if (object as u16) < EARLY { FIRST_TURN } else { object };
        let (first, newest) = self.bounds.unwrap_or((first, object));
        self.bounds = Some((first, newest.max(object)));
    }

    /// What is too far behind the newest to be asked for is given up.
    pub fn forget_old<S: Sink>(&mut self, sink: &mut S) {
        if let Some((first, newest)) = self.bounds
            && newest - first >= WINDOW
        {
            self.begin_at(newest + 1 - WINDOW, sink);
        }
    }

    /// Information has come.
    ///
    /// # Errors
    ///
    /// Those of `sink`.
    pub fn take_information<S: Sink>(&mut self, object: u64, bytes: &[u8], sink: &mut S) -> Result<(), S::Error> {
        let Some(of) = self.known.get_mut(&object) else { return Ok(()) };
        (of.has_information, of.information) = (true, Some(bytes.to_vec()));
        self.finish(object, sink)
    }

    /// A symbol has come. What is of another length than the symbol has is not taken, nor is parity.
    ///
    /// # Errors
    ///
    /// Those of `sink`.
    pub fn take<S: Sink>(&mut self, object: u64, id: PayloadId, bytes: &[u8], sink: &mut S) -> Result<(), S::Error> {
        let Some(of) = self.known.get_mut(&object) else { return Ok(()) };
        let Some(Symbol::Source(symbol)) = of.geometry.symbol(id) else { return Ok(()) };
        let (at, length) = of.geometry.place(symbol);
        let touches = symbol > 0 && of.received.contains(symbol - 1) || of.received.contains(symbol + 1);
        let has_room = touches || of.received.rows() < MOST_ROWS;
        if bytes.len() != length || of.received.contains(symbol) || !has_room {
            return Ok(());
        }
        if !sink.write(object, at, bytes)? {
            self.give_up(object, sink);
            return Ok(());
        }
        of.received.insert(symbol..symbol + 1);
        self.finish(object, sink)
    }

    fn finish<S: Sink>(&mut self, object: u64, sink: &mut S) -> Result<(), S::Error> {
        let is_whole = |of: &Object| {
            of.received.covers(0..of.geometry.symbols()) && (!of.has_information || of.information.is_some())
        };
        if let Some(of) = self.known.get(&object).filter(|of| is_whole(of)) {
            sink.complete(object, of.geometry.bytes(), of.information.as_deref())?;
            self.known.remove(&object);
            self.settled.insert(object..object + 1);
            self.complete += 1;
        }
        Ok(())
    }

    /// An object is not wanted, or not to be had, any more.
    pub fn give_up<S: Sink>(&mut self, object: u64, sink: &mut S) {
        self.settled.insert(object..object + 1);
        if self.known.remove(&object).is_some() {
            sink.abandon(object);
        }
    }

    /// The sender will not repair an object: if it was wanted, it is lost, or was missed. Of one that nothing has come
    /// of yet, nor of any behind it, that says nothing: it may be sent still.
    pub fn lose<S: Sink>(&mut self, object: u64, sink: &mut S) {
        if self.bounds.is_some_and(|(first, newest)| (first..=newest).contains(&object)) {
            self.count_lost(object..object + 1);
            self.give_up(object, sink);
        }
    }

    /// Of these objects the sender repairs none any more.
    fn count_lost(&mut self, objects: Range<u64>) {
        let count = |objects: Range<u64>| self.settled.gaps(objects).map(|gap| gap.end - gap.start).sum::<u64>();
        let middle = self.joined.clamp(objects.start, objects.end);
        let (missed, lost) = (count(objects.start..middle), count(middle..objects.end));
        self.missed += missed;
        self.lost += lost;
    }

    /// An object is a stream, which has no files: it is not wanted, and lacks nowhere.
    pub fn pass_over<S: Sink>(&mut self, object: u64, sink: &mut S) {
        self.reach(object);
        let is_wanted = self.bounds.is_some_and(|(first, _)| object >= first) && !self.settled.contains(object);
        if is_wanted {
            self.streams += 1;
            self.give_up(object, sink);
        }
    }

    /// Nothing before this object will be repaired: what was wanted of that is lost, or was missed.
    pub fn begin_at<S: Sink>(&mut self, object: u64, sink: &mut S) {
        let Some((first, newest)) = self.bounds else { return };
        if object <= first {
            return;
        }
        self.count_lost(first..object);
        self.before += object - first;
        let before: Vec<u64> = self.known.range(..object).map(|(object, _)| *object).collect();
        before.into_iter().for_each(|object| self.give_up(object, sink));
        self.bounds = Some((object, newest.max(object)));
    }

    /// Everything is given up.
    pub fn clear<S: Sink>(&mut self, sink: &mut S) {
        self.known.keys().for_each(|&object| sink.abandon(object));
        *self = Objects::default();
    }

    /// What lacks before a point.
    pub fn missing(&self, (last, until): Point) -> Needs {
        let mut needs = Needs::default();
        let Some((first, _)) = self.bounds else { return needs };
        let end = if until == 0 { last } else { last.saturating_add(1) };
        for gap in self.settled.gaps(first..end.max(first)) {
            let mut next = gap.start;
            for (&object, of) in self.known.range(gap.clone()) {
                needs.objects.insert(next..object);
                next = object + 1;
                if of.has_information && of.information.is_none() {
                    needs.information.insert(object..object + 1);
                }
                let end = if object == last { of.geometry.symbols().min(until) } else { of.geometry.symbols() };
                of.received.gaps(0..end).for_each(|row| needs.add_symbols(object, row));
            }
            needs.objects.insert(next..gap.end);
        }
        needs
    }

    /// Writes requests for what lacks, as [`Needs::write`] does.
    pub fn write(&self, needs: &Needs, room: usize, out: &mut Vec<u8>) -> bool {
        needs.write(|object| self.geometry(object), self.other, room, out)
    }

    /// Whether nothing has been heard of an object, be it a stream.
    pub fn is_empty(&self) -> bool {
        self.bounds.is_none()
    }

    /// Objects that are wanted, or were, as far as they have been heard of.
    pub fn count(&self) -> u64 {
        let passed_over = self.streams + self.missed;
        self.bounds.map_or(0, |(first, newest)| self.before + newest + 1 - first - passed_over)
    }

    /// Bytes that have come, of how many, of objects of which something has come and something lacks; a symbol that is
    /// not full counts as one that is.
    pub fn bytes(&self) -> (u64, u64) {
        self.known.values().fold((0, 0), |(come, all), of| {
            let symbols: u64 = of.received.iter().map(|row| row.end - row.start).sum();
            let (_, full) = of.geometry.place(0);
            (come + (symbols * full as u64).min(of.geometry.bytes()), all + of.geometry.bytes())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps nothing.
    struct Nowhere;

    impl Sink for Nowhere {
        type Error = std::convert::Infallible;

        fn write(&mut self, _: u64, _: u64, _: &[u8]) -> Result<bool, Self::Error> {
            Ok(true)
        }

        fn complete(&mut self, _: u64, _: u64, _: Option<&[u8]>) -> Result<(), Self::Error> {
            Ok(())
        }

        fn abandon(&mut self, _: u64) {}
    }

    #[test]
    fn what_nothing_was_heard_of_is_not_lost_by_what_is_squelched() {
        let mut objects = Objects::default();
        let first = FIRST_TURN + 100;
        objects.begin_at(first, &mut Nowhere);
        objects.reach(first);
        objects.lose(first + 1, &mut Nowhere);
        assert_eq!((objects.lost, objects.settled.contains(first + 1)), (0, false), "it may be sent still");
        objects.reach(first + 1);
        objects.lose(first + 1, &mut Nowhere);
        assert_eq!((objects.lost, objects.settled.contains(first + 1)), (1, true));
    }
}
