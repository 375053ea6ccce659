//! A return channel: many terminals send on one carrier, each in slots of its own.
//!
//! Time on the carrier is cut into superframes of so many slots, each of which takes so many bytes. A terminal is a
//! link as others are, with its queue, its delay and its losses; what it has not is a transmitter. Its packets leave
//! when slots of its own have carried their last byte. Slots are [assigned](assignment), superframe by superframe, as
//! terminals ask for them, or terminals send [without asking](aloha), and may meet.
//!
//! In assigned slots a packet may begin in the middle of one, behind another one that waited when the slot began, and
//! goes on in the next slots of its terminal, also in those of a later superframe. What is left of a slot for which
//! nothing waited when it began is padding. What is in a slot departs when the slot ends.

pub mod aloha;
pub mod assignment;
mod grid;
mod terminal;

pub use grid::Grid;
pub use terminal::SlotCounters;

use crate::ids::LinkId;
use aloha::{Air, Aloha};
use assignment::{Assignment, Desk};
use faircast_proto::random::Random;
use faircast_proto::time::Instant;
use terminal::Terminal;
pub(crate) use terminal::Turn;

/// A return channel: who sends on it, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct ReturnChannel {
    /// The links of its terminals.
    pub terminals: Vec<LinkId>,
    /// How its time is cut.
    pub grid: Grid,
    /// Who sends when.
    pub access: Access,
}

/// Who sends when on a return channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Terminals have slots of their own.
    Assigned(Assignment),
    /// Everybody sends in the next slot.
    Random(Aloha),
}

/// What becomes of a packet that was sent without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It goes on its way.
    Sent,
    /// It is sent again at this moment.
    Again(Instant),
    /// It comes to the far end as what nobody can receive.
    Lost,
}

/// The return channels of a network that runs.
pub(crate) struct ReturnChannels {
    /// By link: its place among the terminals.
    place: Vec<u32>,
    channels: Vec<Channel>,
    terminals: Vec<Terminal>,
}

struct Channel {
    grid: Grid,
    by: By,
    /// How many terminals it has.
    count: usize,
    /// The present superframe.
    superframe: u64,
    /// Where its terminals begin.
    first: u32,
}

enum By {
    Desk(Desk),
    Air(Aloha, Air),
}

const NIL: u32 = u32::MAX;

impl ReturnChannels {
    /// The return channels of a network of so many links; none if there are none.
    pub(crate) fn new(channels: Vec<ReturnChannel>, links: usize, random: Vec<Random>) -> Option<Box<ReturnChannels>> {
        if channels.is_empty() {
            return None;
        }
        let mut all = ReturnChannels { place: vec![NIL; links], channels: Vec::new(), terminals: Vec::new() };
        let mut random = random.into_iter();
        for ReturnChannel { terminals, grid, access } in channels {
            let (number, first) = (all.channels.len() as u32, all.terminals.len() as u32);
            for link in &terminals {
                all.place[link.index()] = all.terminals.len() as u32;
                let random = random.next().expect("each terminal has one");
                all.terminals.push(Terminal::new(*link, number, random));
            }
            let by = match access {
                Access::Assigned(assignment) => By::Desk(Desk::new(assignment, grid, terminals.len())),
                Access::Random(aloha) => By::Air(aloha, Air::default()),
            };
            all.channels.push(Channel { grid, by, count: terminals.len(), superframe: 0, first });
        }
        Some(Box::new(all))
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.channels.len()
    }

    /// How many terminals a channel has.
    pub(crate) fn terminals(&self, channel: usize) -> usize {
        self.channels[channel].count
    }

    /// The link of a terminal, by its place in its channel.
    pub(crate) fn link(&self, channel: usize, place: usize) -> LinkId {
        self.terminals[self.channels[channel].first as usize + place].link
    }

    /// At the start of a superframe so many bytes wait at a terminal, besides what it has not finished; nothing if it
    /// can tell nobody of them.
    pub(crate) fn ask(&mut self, channel: usize, place: usize, waiting: Option<u64>) {
        let channel = &mut self.channels[channel];
        let terminal = &mut self.terminals[channel.first as usize + place];
        let backlog = waiting.map_or(0, |waiting| waiting + u64::from(terminal.missing()));
        if let By::Desk(desk) = &mut channel.by {
            terminal.counters.asked += desk.ask(place, backlog, terminal.counters.bytes);
        }
    }

    /// All have asked: a superframe begins. When the next one does.
    pub(crate) fn begin_superframe(&mut self, channel: usize) -> Instant {
        let channel = &mut self.channels[channel];
        let own = &mut self.terminals[channel.first as usize..][..channel.count];
        let slots = u64::from(channel.grid.slots);
        let mut next = channel.superframe * slots;
        if let By::Desk(desk) = &mut channel.by {
            for (terminal, &assigned) in own.iter_mut().zip(desk.begin_superframe()) {
                terminal.give(next, assigned);
                next += u64::from(assigned);
            }
            for (terminal, (begun, awaited)) in own.iter_mut().zip(desk.volumes()) {
                terminal.counters.volume += begun;
                terminal.counters.awaited += awaited;
            }
        }
        channel.superframe += 1;
        channel.grid.start(channel.superframe * slots)
    }

    /// Whether a terminal has slots in the present superframe that it has not begun.
    pub(crate) fn has_slots(&self, link: LinkId) -> bool {
        self.terminals[self.place[link.index()] as usize].has_slots()
    }

    /// When a terminal may send what waits there, of which `oldest` says since when it does.
    pub(crate) fn turn(&mut self, link: LinkId, now: Instant, oldest: impl FnOnce() -> Instant) -> Turn {
        let (terminal, channel) = self.seat(link);
        terminal.turn(&channel.grid, now, oldest)
    }

    /// A packet of so many bytes goes into the slots of a terminal whose turn it is; it has waited since then. When the
    /// last of them ends, if there are enough.
    pub(crate) fn fill(&mut self, link: LinkId, now: Instant, since: Instant, bytes: u32) -> Option<Instant> {
        let (terminal, channel) = self.seat(link);
        terminal.begin(&channel.grid, now, since, bytes)
    }

    /// The packet for which there were not slots enough goes on, if there is one. When its last slot ends, if there are
    /// enough now.
    pub(crate) fn go_on(&mut self, link: LinkId) -> Option<Instant> {
        let (terminal, channel) = self.seat(link);
        terminal.go_on(&channel.grid)
    }

    /// Whether a channel assigns slots: then superframes are something.
    pub(crate) fn is_assigned(&self, channel: usize) -> bool {
        matches!(self.channels[channel].by, By::Desk(_))
    }

    /// When the next slot begins for a terminal that sends without asking; `None` of others.
    pub(crate) fn next_slot(&mut self, link: LinkId, now: Instant) -> Option<Instant> {
        let (_, channel) = self.seat(link);
        matches!(channel.by, By::Air(..)).then(|| channel.grid.start(channel.grid.next(now)))
    }

    /// A terminal sends so many bytes without asking, in slots of which the first begins now; when the last one ends.
    pub(crate) fn begin_burst(&mut self, link: LinkId, now: Instant, bytes: u32) -> Option<Instant> {
        let ReturnChannels { place, channels, terminals } = self;
        let number = place[link.index()];
        let Channel { grid, by: By::Air(_, air), .. } = &mut channels[terminals[number as usize].channel as usize]
        else {
            return None;
        };
        let slot = grid.next(now);
        let end = slot + u64::from(bytes.div_ceil(grid.payload));
        let mut is_hit = false;
        air.begin(number, slot, end, |other| {
            terminals[other as usize].is_hit = true;
            is_hit = true;
        });
        let own = &mut terminals[number as usize];
        own.is_hit = is_hit;
        own.counters.used += end - slot;
        own.counters.bytes += u64::from(bytes);
        own.counters.padding += (end - slot) * u64::from(grid.payload) - u64::from(bytes);
        Some(grid.start(end))
    }

    /// What a terminal sent without asking ends now, which has been sent again so often; what becomes of it.
    pub(crate) fn end_burst(&mut self, link: LinkId, now: Instant, again: u32) -> Outcome {
        let (terminal, channel) = self.seat(link);
        let By::Air(aloha, _) = &channel.by else { return Outcome::Sent };
        if !std::mem::take(&mut terminal.is_hit) {
            return Outcome::Sent;
        }
        terminal.counters.collided += 1;
        if again >= aloha.retries {
            return Outcome::Lost;
        }
        let window = aloha.window(again + 1);
        let waits = (terminal.random.uniform() * window as f64) as u64;
        Outcome::Again(channel.grid.start(channel.grid.next(now + aloha.delay) + waits))
    }

    fn seat(&mut self, link: LinkId) -> (&mut Terminal, &mut Channel) {
        let terminal = &mut self.terminals[self.place[link.index()] as usize];
        let channel = &mut self.channels[terminal.channel as usize];
        (terminal, channel)
    }

    /// What a terminal has done; `None` of other links.
    pub(crate) fn counters(&self, link: LinkId) -> Option<SlotCounters> {
        let place = *self.place.get(link.index()).filter(|&&place| place != NIL)?;
        Some(self.terminals[place as usize].counters)
    }

    /// Every terminal, each with what it has done, in the order of links.
    pub(crate) fn all(&self) -> impl Iterator<Item = (LinkId, SlotCounters)> {
        let links = (0..self.place.len() as u32).map(LinkId);
        links.filter_map(|link| Some((link, self.counters(link)?)))
    }

    /// How the time of a terminal's carrier is cut.
    pub(crate) fn grid(&self, link: LinkId) -> Option<Grid> {
        let place = *self.place.get(link.index()).filter(|&&place| place != NIL)?;
        Some(self.channels[self.terminals[place as usize].channel as usize].grid)
    }
}
