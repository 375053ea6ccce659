//! Rows of links as they are recorded: what has changed since the last one of the same link, in few bytes.
//!
//! Of a constellation with a hundred stations thousands of links have a row every second, most of them of one or two
//! packets. As counters side by side an hour of them takes half a gigabyte; as differences, in groups of seven bits, a
//! tenth of that.

use crate::counters::LinkCounters;
use crate::ids::LinkId;
use faircast_proto::time::Instant;

/// The rows of links, link by link at every moment.
#[derive(Clone, Debug, Default)]
pub struct LinkLog {
    /// For each row how much later it is than the one before, its link, which counters have grown, and by how much.
    bytes: Vec<u8>,
    rows: usize,
    /// Where the rows stand after the last.
    end: Place,
}

/// A link at one moment: counters since the start.
#[derive(Clone, Copy, Debug)]
pub struct LinkRow {
    /// The moment of the look.
    pub at: Instant,
    /// Which link.
    pub link: LinkId,
    /// What it has done.
    pub counters: LinkCounters,
}

/// What the next row is told from.
#[derive(Clone, Debug, Default)]
struct Place {
    at: Instant,
    /// By link: its counters in its last row.
    counters: Vec<[u64; COUNTERS]>,
}

const COUNTERS: usize = 15;

impl LinkLog {
    /// Bytes of a row at most, while no counter grows by 2^28 and times lie less than 2^35 ns apart.
    pub const ROW_BYTES: usize = 5 + 4 + 3 + 4 * 5;

    /// Adds a row. Times do not go back, and the counters of a link never fall.
    pub fn push(&mut self, row: &LinkRow) {
        let now = told(&row.counters);
        let before = self.end.of(row.link);
        debug_assert!(before.iter().zip(&now).all(|(before, now)| before <= now), "counters of {:?} fell", row.link);
        let grown = std::array::from_fn::<u64, COUNTERS, _>(|index| now[index].wrapping_sub(before[index]));
        *before = now;
        let which = grown.iter().enumerate().filter(|(_, by)| **by > 0).fold(0, |which, (index, _)| which | 1 << index);
        let later = row.at.0 - self.end.at.0;
        self.end.at = row.at;
        let head = [later, u64::from(row.link.0), which];
        head.into_iter()
            .chain(grown.into_iter().filter(|by| *by > 0))
            .for_each(|number| write(&mut self.bytes, number));
        self.rows += 1;
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// When the last row was written.
    pub fn last_at(&self) -> Option<Instant> {
        (!self.is_empty()).then_some(self.end.at)
    }

    /// The rows, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = LinkRow> {
        let (mut rest, mut place) = (&self.bytes[..], Place::default());
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            place.at.0 += read(&mut rest);
            let link = LinkId(read(&mut rest) as u32);
            let which = read(&mut rest);
            let counters = place.of(link);
            for (index, counter) in counters.iter_mut().enumerate() {
                if which & 1 << index > 0 {
                    *counter = counter.wrapping_add(read(&mut rest));
                }
            }
            let counters = shown(*counters);
            Some(LinkRow { at: place.at, link, counters })
        })
    }
}

impl Place {
    /// The counters of a link in its last row.
    fn of(&mut self, link: LinkId) -> &mut [u64; COUNTERS] {
        if self.counters.len() <= link.index() {
            self.counters.resize(link.index() + 1, [0; COUNTERS]);
        }
        &mut self.counters[link.index()]
    }
}

/// Seven bits in a byte, the lowest first; the eighth says that more follow.
fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read(rest: &mut &[u8]) -> u64 {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, others) = rest.split_first().expect("rows are whole");
        *rest = others;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    number
}

/// Counters, those that grow with every packet first.
fn told(counters: &LinkCounters) -> [u64; COUNTERS] {
    let LinkCounters {
        arrived,
        delivered,
        departed,
        delivered_bytes,
        departed_bytes,
        lost,
        dropped_overflow,
        dropped_active,
        held_back,
        marked_incipient,
        marked_moderate,
        dropped_down,
        rerouted,
        discarded,
        unreceived,
    } = *counters;
    let of_packets = [arrived, delivered, departed, delivered_bytes, departed_bytes, lost];
    let of_queues = [dropped_overflow, dropped_active, held_back, marked_incipient, marked_moderate];
    let of_changes = [dropped_down, rerouted, discarded, unreceived];
    let mut all = of_packets.into_iter().chain(of_queues).chain(of_changes);
    std::array::from_fn(|_| all.next().unwrap_or_default())
}

fn shown(told: [u64; COUNTERS]) -> LinkCounters {
    let [arrived, delivered, departed, delivered_bytes, departed_bytes, lost, ..] = told;
    let [.., dropped_down, rerouted, discarded, unreceived] = told;
    let [_, _, _, _, _, _, dropped_overflow, dropped_active, held_back, marked_incipient, marked_moderate, ..] = told;
    LinkCounters {
        arrived,
        delivered,
        departed,
        delivered_bytes,
        departed_bytes,
        lost,
        dropped_overflow,
        dropped_active,
        held_back,
        marked_incipient,
        marked_moderate,
        dropped_down,
        rerouted,
        discarded,
        unreceived,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;

    #[test]
    fn rows_come_out_as_they_went_in() {
        let mut random = Random::stream(3, "test/link log");
        let mut draw = |below: f64| (random.uniform() * below) as u64;
        let (mut log, mut rows) = (LinkLog::default(), Vec::new());
        let mut counters = vec![[0u64; COUNTERS]; 300];
        let mut at = Instant::ZERO;
        for _ in 0..50 {
            at.0 += draw(3e9);
            for (link, counters) in counters.iter_mut().enumerate() {
                if draw(3.0) == 0 {
                    continue;
                }
                for counter in counters.iter_mut() {
                    // Nothing, a few, and what takes all ten bytes.
                    *counter += match draw(20.0) {
                        0 => draw(1e16),
                        1..6 => draw(300.0),
                        _ => 0,
                    };
                }
                rows.push(LinkRow { at, link: LinkId(link as u32), counters: shown(*counters) });
            }
        }
        assert!(log.is_empty() && log.last_at().is_none() && log.iter().next().is_none());
        rows.iter().for_each(|row| log.push(row));
        assert_eq!((log.len(), log.last_at()), (rows.len(), Some(at)));
        let plain = |row: &LinkRow| (row.at, row.link, row.counters);
        assert!(log.iter().map(|row| plain(&row)).eq(rows.iter().map(plain)));
    }

    #[test]
    fn every_counter_has_a_place_of_its_own() {
        let numbers = std::array::from_fn(|index| index as u64 + 1);
        assert_eq!(told(&shown(numbers)), numbers);
        assert_eq!(size_of::<LinkCounters>(), COUNTERS * size_of::<u64>());
    }

    #[test]
    fn a_row_of_a_few_packets_takes_few_bytes() {
        let mut log = LinkLog::default();
        let some = |packets| LinkCounters {
            arrived: packets,
            delivered: packets,
            departed: packets,
            delivered_bytes: 1500 * packets,
            departed_bytes: 1500 * packets,
            ..LinkCounters::default()
        };
        for packets in 1..=1000 {
            log.push(&LinkRow {
                at: Instant(packets * 1_000_000_000),
                link: LinkId(7000),
                counters: some(2 * packets),
            });
        }
        // 5 for a second, 2 for the link, 1 for which, 3 counters of 1, 2 of 2.
        assert_eq!(log.bytes.len(), 1000 * 15);
        let all =
            LinkRow { at: Instant(1001 * 1_000_000_000), link: LinkId(7000), counters: shown([1 << 28; COUNTERS]) };
        let before = log.bytes.len();
        log.push(&all);
        assert!(log.bytes.len() - before > LinkLog::ROW_BYTES, "more than what is counted for common rows");
    }
}
