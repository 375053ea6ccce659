//! When which segment is shown.

use super::config::Kind;
use super::media::Media;
use super::piece::Piece;
use super::received::Received;
use crate::time::{Duration, Instant};
use std::collections::VecDeque;

/// A player at a receiver.
///
/// ```text
///          enough is there                     not complete when due
/// Loading ─────────────────> Playing ─────────────────────────────────> Stalled    of a file
///                            │  ^  ^ └──┐ live: skipped                    │
///                            │  │  └────┘                                  │
///                            │  └──────────────────────────────────────────┘
///                            └──> Ended               enough is there again
/// ```
#[derive(Clone, Debug)]
pub struct Player {
    state: State,
    received: Received,
    /// By layer: the newest segment of which anything has come.
    newest: Vec<Option<u32>>,
    /// Of media sent at rates of their own: the first segment of which it may not be known yet how many packets it has.
    unknown: u32,
    /// What is on its way otherwise: when it is there, of which segment and layer. All take as long.
    repairs: VecDeque<(Instant, u32, u32)>,
    joined: Option<Instant>,
    started: Option<Instant>,
    stopped: Option<Instant>,
    /// Of live media: where what is written of the segment that was skipped last stands, if nothing came after it.
    skipped: Option<usize>,
    number: u32,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// It has not joined.
    Away,
    /// The picture has not appeared yet.
    Loading,
    /// The next segment is due at a time; after a stall it was wanted before.
    Playing { next: u32, due: Instant, stall: Option<Stall> },
    /// The picture stands still since this segment was due.
    Stalled { next: u32, stall: Stall },
    /// The media have ended, or the receiver has left.
    Ended,
}

/// The picture of a file stands still.
#[derive(Clone, Copy, Debug)]
struct Stall {
    since: Instant,
    /// What had not come then of the segment that was due, and how much of it is enough.
    lacks: [u32; 2],
}

/// A segment that was due at a receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// When it was due.
    pub due: Instant,
    /// At whom, by the number that its player has.
    pub player: u32,
    /// The segment.
    pub segment: u32,
    /// How many layers of it were shown; 0 if it was skipped, or if the picture stood still to the end.
    pub layers: u8,
    /// Its quality: layers, or of adaptive media which of their rates, from 1; 0 if it was not shown.
    pub quality: u8,
    /// The rate of the media that were shown.
    pub media_bps: f64,
    /// How long the picture stood still, from when it was due.
    pub stall: Duration,
    /// What was there in a row when it was shown, this segment included: nothing if it was skipped. If the picture
    /// stood still to the end, what was there then.
    pub buffer: Duration,
    /// How many packets of its lowest layer had not come when it was due, of those that are enough.
    pub missing: u32,
    /// How many packets of its lowest layer are enough, as far as is known.
    pub enough: u32,
    /// When the source had sent these, if it had when it was due.
    pub sent: Option<Instant>,
}

impl Player {
    /// The player called by this number, of media of so many layers.
    pub fn new(number: u32, layers: usize) -> Player {
        Player {
            state: State::Away,
            received: Received::new(layers),
            newest: vec![None; layers],
            unknown: 0,
            repairs: VecDeque::new(),
            joined: None,
            started: None,
            stopped: None,
            skipped: None,
            number,
        }
    }

    /// The receiver joins.
    pub fn join(&mut self, now: Instant) {
        if let State::Away = self.state {
            (self.state, self.joined) = (State::Loading, Some(now));
        }
    }

    /// A piece of the media has come in a layer. What was shown and skipped by then goes to `shown`.
    pub fn arrive(&mut self, now: Instant, piece: Piece, layer: usize, media: &Media, shown: &mut Vec<Shown>) {
        if matches!(self.state, State::Away | State::Ended) || piece == Piece::NONE {
            return;
        }
        // What comes when a segment is due comes in time.
        self.catch_up(now, false, media, shown);
        let is_first = !self.received.has_begun();
        let came = self.received.add(piece, layer);
        if is_first {
            self.unknown = self.received.first();
        }
        if self.newest[layer].is_none_or(|newest| newest < piece.segment) {
            if let Some(newest) = self.newest[layer].replace(piece.segment) {
                self.repair(now, newest..piece.segment, layer, media);
            }
            self.forget_old(media);
        }
        let enough = || media.enough(piece.segment, layer, now);
        if came.is_some_and(|came| enough().is_some_and(|enough| came >= enough)) {
            self.complete(now, piece.segment, layer, media);
        }
    }

    /// The source has ended; `media` say so already.
    pub fn end(&mut self, now: Instant, media: &Media, shown: &mut Vec<Shown>) {
        if matches!(self.state, State::Away | State::Ended) {
            return;
        }
        self.catch_up(now, false, media, shown);
        let end = media.segments().unwrap_or(0);
        // What it waited for does not exist: the media were over when the segment before had been shown.
        if let State::Stalled { next, stall } = self.state
            && end <= next
        {
            (self.state, self.stopped) = (State::Ended, Some(stall.since));
            return;
        }
        for layer in 0..self.newest.len() {
            if let Some(newest) = self.newest[layer] {
                self.repair(now, newest..end, layer, media);
            }
        }
        // The last segments may be fewer than it would have waited for.
        if end > 0 && self.received.is_complete(end - 1, 0) {
            self.is_there(now, end - 1, media);
        }
    }

    /// The receiver leaves, or the run ends: everything up to this moment is written down.
    pub fn stop(&mut self, now: Instant, media: &Media, shown: &mut Vec<Shown>) {
        self.catch_up(now, true, media, shown);
        match self.state {
            State::Away | State::Ended => {}
            State::Loading => self.stopped = Some(now),
            State::Stalled { next, stall } => {
                self.stopped = Some(now);
                if stall.since < now {
                    shown.push(self.seen(next, 0, now, Some(stall), media));
                }
            }
            State::Playing { due, .. } => {
                self.stopped = Some(now);
                // Of what was skipped last only so much.
                if let Some(index) = self.skipped
                    && now < due
                {
                    shown[index].stall = now.since(shown[index].due);
                    if shown[index].stall == Duration::ZERO {
                        shown.truncate(index);
                    }
                }
            }
        }
        self.state = State::Ended;
    }

    /// The number by which it is called.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// When the receiver joined, if it has.
    pub fn joined(&self) -> Option<Instant> {
        self.joined
    }

    /// When the picture appeared, if it has.
    pub fn started(&self) -> Option<Instant> {
        self.started
    }

    /// When nothing more was to be shown: it left, the media had ended or the run had; nothing before.
    pub fn stopped(&self) -> Option<Instant> {
        self.stopped
    }

    /// Lets happen what was to happen before `now`, or by then, in the order of its times: what becomes complete at one
    /// moment does so before what is due then.
    fn catch_up(&mut self, now: Instant, inclusive: bool, media: &Media, shown: &mut Vec<Shown>) {
        loop {
            let known = if self.unknown < self.received.end() { media.known_at(self.unknown) } else { None };
            let repaired = self.repairs.front().map(|&(at, ..)| at);
            let completes = known.into_iter().chain(repaired).min().filter(|&at| at <= now);
            let due = match self.state {
                State::Playing { due, .. } if due < now || inclusive && due == now => Some(due),
                _ => None,
            };
            match (completes, due) {
                (Some(at), due) if due.is_none_or(|due| at <= due) => {
                    if repaired == Some(at) {
                        let (_, segment, layer) = self.repairs.pop_front().expect("it was looked at");
                        self.complete(at, segment, layer as usize, media);
                    } else {
                        self.know(at, media);
                    }
                }
                (_, Some(_)) => self.show(media, shown),
                _ => return,
            }
        }
    }

    /// It is known now how many packets the next segment has.
    fn know(&mut self, at: Instant, media: &Media) {
        let segment = self.unknown;
        self.unknown += 1;
        for layer in 0..media.layers() {
            let came = self.received.came(segment, layer);
            if media.enough(segment, layer, at).is_some_and(|enough| came >= enough) {
                self.complete(at, segment, layer, media);
            }
        }
    }

    /// What is missing of segments that are over comes otherwise.
    fn repair(&mut self, now: Instant, segments: std::ops::Range<u32>, layer: usize, media: &Media) {
        let Some(repair) = media.config().repair else { return };
        let at = now + repair.after;
        for segment in segments.start.max(self.received.first())..segments.end {
            let (packets, came) = (media.packets(segment, layer), self.received.came(segment, layer));
            let missing = media.config().enough(packets).saturating_sub(came);
            let is_little = f64::from(missing) <= repair.most * f64::from(packets);
            if packets > 0 && is_little && !self.received.is_complete(segment, layer) {
                self.repairs.push_back((at, segment, layer as u32));
            }
        }
    }

    fn complete(&mut self, now: Instant, segment: u32, layer: usize, media: &Media) {
        if segment < self.received.first() || self.received.is_complete(segment, layer) {
            return;
        }
        self.received.complete(segment, layer);
        if layer == 0 {
            self.is_there(now, segment, media);
        }
    }

    /// The lowest layer of a segment is complete: the picture may appear, or go on.
    fn is_there(&mut self, now: Instant, segment: u32, media: &Media) {
        let config = media.config();
        match self.state {
            State::Loading => {
                let [first, end] = self.received.run(segment);
                if end - first >= config.start_segments() || media.segments() == Some(end) {
                    self.started = Some(now);
                    self.state = State::Playing { next: first, due: now, stall: None };
                    self.received.forget(first);
                }
            }
            State::Stalled { next, stall } => {
                let [_, end] = self.received.run(next);
                if end > next && (end - next >= config.resume_segments() || media.segments() == Some(end)) {
                    self.state = State::Playing { next, due: now, stall: Some(stall) };
                }
            }
            State::Away | State::Playing { .. } | State::Ended => {}
        }
    }

    /// The next segment is due.
    fn show(&mut self, media: &Media, shown: &mut Vec<Shown>) {
        let State::Playing { next, due, stall } = self.state else { return };
        if media.segments().is_some_and(|end| end <= next) {
            (self.state, self.stopped) = (State::Ended, Some(due));
            return;
        }
        let (layers, length) = (self.received.shown(next), media.config().segment);
        if layers == 0 && media.config().kind == Kind::File {
            let stall = Stall { since: due, lacks: self.lacks(next, media) };
            self.state = State::Stalled { next, stall };
            return;
        }
        let is_skipped = layers == 0;
        self.skipped = is_skipped.then_some(shown.len());
        let mut seen = self.seen(next, layers, due, stall, media);
        if is_skipped {
            seen.stall = length;
        }
        shown.push(seen);
        self.received.forget(next + 1);
        self.state = State::Playing { next: next + 1, due: due + length, stall: None };
    }

    /// How many packets of a segment's lowest layer have not come, of how many that are enough.
    fn lacks(&self, segment: u32, media: &Media) -> [u32; 2] {
        let enough = media.config().enough(media.packets(segment, 0));
        let is_complete = self.received.is_complete(segment, 0);
        [if is_complete { 0 } else { enough.saturating_sub(self.received.came(segment, 0)) }, enough]
    }

    /// A segment that is shown in so many layers at a moment, or not shown by then, perhaps after a stall.
    fn seen(&mut self, segment: u32, layers: u8, now: Instant, stall: Option<Stall>, media: &Media) -> Shown {
        let (quality, media_bps) = media.quality(segment, layers);
        let Stall { since: due, lacks } =
            stall.unwrap_or_else(|| Stall { since: now, lacks: self.lacks(segment, media) });
        let ([missing, enough], player, stall) = (lacks, self.number, now.since(due));
        let sent = media.sent_at(segment, due);
        let buffer = Duration(media.config().segment.0 * u64::from(self.received.ahead(segment)));
        Shown { due, player, segment, layers, quality, media_bps, stall, buffer, missing, enough, sent }
    }

    /// Of live media that have not appeared only so many segments count as may still become the first that is shown:
    /// as many as `start` asks for before the newest, or before the oldest that is being repaired.
    fn forget_old(&mut self, media: &Media) {
        if let (State::Loading, Kind::Live, Some(newest)) = (self.state, media.config().kind, self.newest[0]) {
            let repaired = self.repairs.iter().map(|&(_, segment, _)| segment);
            let oldest = repaired.chain([newest]).min().unwrap_or(newest);
            self.received.forget(oldest.saturating_sub(media.config().start_segments()));
        }
    }
}
