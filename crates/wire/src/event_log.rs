//! Events of an endpoint, kept until somebody writes them down.

use faircast_proto::endpoint::{Event, EventKind};
use faircast_proto::time::Instant;

/// Events since they were taken last. Nothing is kept unless somebody asked for it, so that who does not pays nothing.
#[derive(Debug, Default)]
pub struct EventLog {
    is_wanted: bool,
    noted: Vec<Noted>,
    /// How many of each kind there were.
    counts: Vec<(&'static EventKind, usize)>,
    left_out: u64,
}

/// An event that was noted.
#[derive(Clone, Copy, Debug)]
pub struct Noted {
    /// When it was.
    pub at: Instant,
    /// The event.
    pub event: Event,
    /// The id of whom it speaks, where that is known by an id and by no address.
    pub about: Option<u64>,
}

/// Events of one kind that are kept between two looks. A choice: at a round-trip time of 40 ms a source has 25 reports
/// and as many rates a second; on a loopback interface it has a thousand. Those of other kinds do not suffer for it.
pub const MOST_OF_A_KIND: usize = 250;

impl EventLog {
    /// From now on events are kept.
    pub fn want(&mut self) {
        self.is_wanted = true;
    }

    /// Whether they are.
    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Something has happened in the endpoint.
    pub fn note(&mut self, at: Instant, event: &Event) {
        self.tell(at, event, None);
    }

    /// Something has happened, and this id is whom it speaks of.
    pub fn tell(&mut self, at: Instant, event: &Event, about: Option<u64>) {
        if !self.is_wanted {
            return;
        }
        let place = self.counts.iter().position(|(kind, _)| std::ptr::eq(*kind, event.kind)).unwrap_or_else(|| {
            self.counts.push((event.kind, 0));
            self.counts.len() - 1
        });
        let count = &mut self.counts[place].1;
        *count += 1;
        if *count > MOST_OF_A_KIND {
            self.left_out += 1;
        } else {
            self.noted.push(Noted { at, event: *event, about });
        }
    }

    /// What was noted, in the order of time, and how many more there were.
    pub fn take(&mut self) -> (Vec<Noted>, u64) {
        self.counts.clear();
        (std::mem::take(&mut self.noted), std::mem::take(&mut self.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::endpoint::Cause;
    use faircast_proto::tfmcc;

    #[test]
    fn each_kind_has_room_of_its_own_and_what_is_left_out_is_counted() {
        let mut log = EventLog::default();
        log.note(Instant(1), &Event::new(tfmcc::RATE, Cause::Time));
        assert_eq!(log.take().0.len(), 0, "nobody wanted it");
        log.want();
        for at in 0..MOST_OF_A_KIND as u64 + 3 {
            log.note(Instant(at), &Event::new(tfmcc::RATE, Cause::Time));
        }
        log.tell(Instant(9), &Event::new(tfmcc::LIMITING_RECEIVER, Cause::Time), Some(7));
        let (noted, left_out) = log.take();
        assert_eq!((noted.len(), left_out), (MOST_OF_A_KIND + 1, 3));
        assert_eq!(noted.last().map(|noted| (noted.at, noted.about)), Some((Instant(9), Some(7))));
        log.note(Instant(10), &Event::new(tfmcc::RATE, Cause::Time));
        assert_eq!((log.take().0.len(), log.take().1), (1, 0), "the next interval has room again");
    }
}
