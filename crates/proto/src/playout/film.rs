//! The packets of media that have a rate, as the source of a session has them.

use super::config::{Config, Kind};
use super::piece::Piece;
use crate::time::{Duration, Rate};
use std::collections::VecDeque;

/// Media of one or several rates, segment by segment: how many packets come to be when, what of them waits, and what
/// each of those is that the source sends. Times count from its beginning.
///
/// Of live media the packets of a segment come evenly, the last of them when it ends. A file is there at once; it makes
/// the next segment when not more than the last one waits, so that adaptive media know a late rate.
#[derive(Clone, Debug)]
pub struct Film {
    segment: Duration,
    /// Live media: how long a packet may wait.
    wait: Option<Duration>,
    /// What the source must send for each quality, bit/s, and its packets in a segment.
    rungs: Vec<(f64, u32)>,
    /// How many segments there are.
    segments: u32,
    /// The segment that is made next, or now.
    index: u32,
    rung: u8,
    /// How many packets of it have been made.
    made: u32,
    /// Whether it has been given up.
    is_given_up: bool,
    /// What waits, segment by segment.
    waiting: VecDeque<Run>,
    /// What was taken last.
    last: Option<Sent>,
}

/// What waits of a segment: packets one after the other.
#[derive(Clone, Copy, Debug)]
struct Run {
    segment: u32,
    rung: u8,
    next: u32,
    end: u32,
}

/// A packet that the source has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// What it carries.
    pub piece: Piece,
    /// How many packets its segment has.
    pub packets: u32,
    /// The quality of its segment, from 1.
    pub quality: u8,
}

impl Film {
    /// Media by `config`, which must have passed its check, of packets of `packet_bytes`; `x_bps` is the source's rate,
    /// NaN if it has none.
    pub fn new(config: &Config, packet_bytes: u64, x_bps: f64) -> Film {
        let rung = |&rate: &Rate| {
            let packets = config.packets(rate, packet_bytes);
            (8.0 * (packets * packet_bytes) as f64 / config.segment.as_secs_f64(), packets as u32)
        };
        let mut film = Film {
            segment: config.segment,
            wait: (config.kind == Kind::Live).then(|| config.wait()),
            rungs: config.rates().iter().map(rung).collect(),
            segments: config.segments().unwrap_or(u32::MAX),
            index: 0,
            rung: 0,
            made: 0,
            is_given_up: false,
            waiting: VecDeque::new(),
            last: None,
        };
        film.rung = film.highest_below(x_bps);
        film
    }

    /// When the next packet of live media comes; nothing of a file, which waits for no time, and after the end.
    #[inline]
    pub fn next(&self) -> Option<Duration> {
        (self.wait.is_some() && !self.is_over()).then(|| self.made_at(self.index, self.made, self.packets()))
    }

    /// Whether all has been made.
    pub fn is_over(&self) -> bool {
        self.index >= self.segments
    }

    /// Whether the step that comes next ends a segment, so that the quality of another is chosen.
    pub fn chooses(&self) -> bool {
        self.wait.is_none() || self.made + 1 == self.packets()
    }

    /// Takes the next step: a packet of live media, a segment of a file. The quality of the next segment, if one begins
    /// now, is that for which `x_bps` is enough; the lowest if none is, or where the source has no rate. Returns how
    /// many packets now wait that were not there before, and how many were made and given up with their segment.
    pub fn step(&mut self, x_bps: f64) -> [u64; 2] {
        let (whole, made) = (self.packets(), self.made);
        self.made = if self.wait.is_some() { made + 1 } else { whole };
        let packets = u64::from(self.made - made);
        let came = if self.is_given_up {
            [0, packets]
        } else {
            match self.waiting.back_mut() {
                Some(run) if run.segment == self.index => run.end = self.made,
                _ => {
                    let run = Run { segment: self.index, rung: self.rung, next: made, end: self.made };
                    self.waiting.push_back(run);
                }
            }
            [packets, 0]
        };
        if self.made == whole {
            (self.index, self.made, self.is_given_up) = (self.index + 1, 0, false);
            self.rung = self.highest_below(x_bps);
        }
        came
    }

    /// Whether a file has so little waiting that its next segment is made.
    pub fn lacks(&self, waiting: u64) -> bool {
        self.wait.is_none() && !self.is_over() && waiting <= u64::from(self.packets())
    }

    /// Gives up segments of which a packet has waited for too long; returns how many packets that waited are gone.
    pub fn give_up(&mut self, now: Duration) -> u64 {
        let mut gone = 0;
        while let Some(run) = self.waiting.front().copied()
            && let Some(wait) = self.wait
            && now.0.saturating_sub(wait.0) > self.made_at(run.segment, run.next, self.rungs[run.rung as usize].1).0
        {
            gone += u64::from(run.end - run.next);
            self.is_given_up |= run.segment == self.index;
            self.waiting.pop_front();
        }
        gone
    }

    /// The source sends the packet that has waited longest; nothing if none waits.
    pub fn take(&mut self) -> Option<Sent> {
        let run = self.waiting.front_mut()?;
        let sent = Sent {
            piece: Piece { segment: run.segment, position: run.next },
            packets: self.rungs[run.rung as usize].1,
            quality: run.rung + 1,
        };
        run.next += 1;
        if run.next == run.end {
            self.waiting.pop_front();
        }
        self.last = Some(sent);
        Some(sent)
    }

    /// The packet that was taken last has not been sent, and is the next again; of several the last comes back first.
    pub fn give_back(&mut self) {
        match (self.waiting.front_mut(), self.last.take()) {
            (Some(run), _) if run.next > 0 => run.next -= 1,
            (_, Some(Sent { piece: Piece { segment, position }, quality, .. })) => {
                self.waiting.push_front(Run { segment, rung: quality - 1, next: position, end: position + 1 });
            }
            (_, None) => {}
        }
    }

    /// How many segments, from the first, the source has done with: each of their packets has been sent or given up.
    pub fn done(&self) -> u32 {
        self.waiting.front().map_or(self.index, |run| run.segment)
    }

    fn packets(&self) -> u32 {
        self.rungs[self.rung as usize].1
    }

    /// When a packet of a segment with so many of them is there.
    fn made_at(&self, segment: u32, position: u32, packets: u32) -> Duration {
        if self.wait.is_none() {
            return Duration::ZERO;
        }
        let within = u128::from(self.segment.0) * (u128::from(position) + 1) / u128::from(packets);
        Duration(self.segment.0.saturating_mul(segment.into()).saturating_add(within as u64))
    }

    fn highest_below(&self, x_bps: f64) -> u8 {
        self.rungs.iter().rposition(|&(bps, _)| bps <= x_bps).unwrap_or(0) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::playout::MediaRate;

    const SIZE: u64 = 1000;

    fn live() -> Config {
        Config {
            kind: Kind::Live,
            media_rate: None,
            segment: Duration::from_secs(1),
            start: None,
            buffer: None,
            wait: None,
            length: None,
            fec: 0.0,
            repair: None,
        }
    }

    fn film(kind: Kind, rates: &[u64], length_s: u64) -> Film {
        let media_rate = Some(MediaRate::Ladder(rates.iter().map(|&bps| Rate(bps)).collect()));
        let config = Config { kind, media_rate, length: Some(Duration::from_secs(length_s)), ..live() };
        assert_eq!(config.check(SIZE), []);
        Film::new(&config, SIZE, f64::NAN)
    }

    fn piece(segment: u32, position: u32) -> Piece {
        Piece { segment, position }
    }

    #[test]
    fn packets_of_live_media_come_evenly_and_the_last_when_its_segment_ends() {
        // Three packets a second: at thirds, whole nanoseconds.
        let mut film = film(Kind::Live, &[24_000], 2);
        let mut at = Vec::new();
        while let Some(next) = film.next() {
            at.push(next.0);
            assert_eq!(film.step(f64::NAN), [1, 0]);
        }
        let (third, second) = (333_333_333, 1_000_000_000);
        assert_eq!(at, [third, 2 * third, second, second + third, second + 2 * third, 2 * second]);
        let sent: Vec<Sent> = std::iter::from_fn(|| film.take()).collect();
        let pieces: Vec<Piece> = sent.iter().map(|sent| sent.piece).collect();
        assert_eq!(pieces, [piece(0, 0), piece(0, 1), piece(0, 2), piece(1, 0), piece(1, 1), piece(1, 2)]);
        assert!(sent.iter().all(|sent| (sent.packets, sent.quality) == (3, 1)));
        assert!(film.is_over() && film.done() == 2);
    }

    #[test]
    fn each_segment_has_the_highest_quality_that_the_rate_allows() {
        let mut film = film(Kind::Live, &[8_000, 16_000, 32_000], 4);
        // Unknown at first: the lowest, one packet. Then what is exactly enough, then a bit less, then all.
        for (x_bps, next, quality) in [(16_000.0, 2, 2), (31_999.0, 2, 2), (1e9, 4, 3)] {
            while !film.chooses() {
                film.step(0.0);
            }
            film.step(x_bps);
            assert_eq!((film.packets(), film.rung + 1), (next, quality));
        }
        let qualities: Vec<u8> = std::iter::from_fn(|| film.take()).map(|sent| sent.quality).collect();
        assert_eq!(qualities, [1, 2, 2, 2, 2]);
    }

    #[test]
    fn a_segment_that_has_waited_too_long_is_given_up_as_a_whole() {
        // Four packets a second, of which the first goes; by default one may wait for two segments.
        let mut film = film(Kind::Live, &[32_000], 4);
        (0..6).for_each(|_| assert_eq!(film.step(0.0), [1, 0]));
        assert_eq!(film.take().map(|sent| sent.piece), Some(piece(0, 0)));
        // The second was there at 0.5 s.
        assert_eq!(film.give_up(Duration::from_millis(2500)), 0);
        assert_eq!(film.give_up(Duration(2_500_000_001)), 3);
        assert_eq!(film.done(), 1);
        // The next one is given up while it is made: what is made of it later does not wait.
        assert_eq!(film.give_up(Duration::from_secs(9)), 2);
        assert_eq!([film.step(0.0), film.step(0.0), film.step(0.0)], [[0, 1], [0, 1], [1, 0]]);
        assert_eq!((film.take().map(|sent| sent.piece), film.done()), (Some(piece(2, 0)), 2));
        // What may wait for less time is gone earlier: the first was there at 0.25 s.
        let mut film = Film { wait: Some(Duration::from_millis(300)), ..self::film(Kind::Live, &[32_000], 4) };
        film.step(0.0);
        assert_eq!([550_000_000, 550_000_001].map(|at| film.give_up(Duration(at))), [0, 1]);
        let config = |wait| Config { wait, ..live() };
        assert_eq!(config(Some(Duration::from_millis(300))).wait(), Duration::from_millis(300));
        assert_eq!(config(None).wait(), Duration::from_secs(2), "two segments, as start");
    }

    #[test]
    fn a_file_makes_the_next_segment_when_no_more_than_one_waits() {
        let mut film = film(Kind::File, &[16_000, 24_000], 2);
        assert!(film.next().is_none() && film.lacks(0) && film.chooses());
        assert_eq!(film.step(24_000.0), [2, 0]);
        assert!(film.lacks(3) && !film.lacks(4), "the next has three");
        assert_eq!(film.step(0.0), [3, 0]);
        assert!(!film.lacks(0) && film.is_over());
        assert_eq!(film.give_up(Duration::from_secs(999)), 0);
        assert_eq!([film.take(), film.take()].map(|sent| sent.map(|sent| sent.piece.position)), [Some(0), Some(1)]);
        film.give_back();
        assert_eq!(film.waiting.front().map(|run| (run.segment, run.next)), Some((0, 1)), "it was the last of its run");
        film.give_back();
        let rest: Vec<(Piece, u8)> =
            std::iter::from_fn(|| film.take()).map(|sent| (sent.piece, sent.quality)).collect();
        let wanted = [(piece(0, 0), 1), (piece(0, 1), 1), (piece(1, 0), 2), (piece(1, 1), 2), (piece(1, 2), 2)];
        assert_eq!(rest, wanted);
        // The last of a segment comes back.
        film.give_back();
        assert_eq!((film.done(), film.take().map(|sent| sent.piece)), (1, Some(piece(1, 2))));
    }
}
