//! What a member says that goes to another layer, and when.
//!
//! Behind one bottleneck all find the same loss, and a thousand members leave a layer, or join one, at one time. The
//! source need hear of one of them: of who led the layer that is left, and of any where nobody leads, who becomes the
//! lead by it ([Kwon] sections IV-A and V). So all others wait for a random time, as in a feedback round, and say
//! nothing once a packet shows that somebody leads. One that is alone does not wait.

use super::lately::Lately;
use crate::packet::Address;
use crate::time::{Duration, Instant};

/// Whether and when a member says that it has come to its highest layer, and what it knows for that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// When it says so, unless it hears of a lead before; `FAR_FUTURE` = not at all.
    at: Instant,
    /// Who was heard of last among those that share its highest layer and do not lead it, and when.
    others: [Option<(Address, Instant)>; FEW],
    /// Since when it listens.
    listens_since: Option<Instant>,
    /// The longest of its round-trip times, or of R_max as long as it has measured none, seconds.
    longest: Lately,
    has_rtt: bool,
    /// When it reported in its highest layer, if it may lead that by it for all it knows.
    unanswered: Option<Instant>,
}

/// Whose stamp a packet echoes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Echoed {
    pub receiver: Address,
    /// The stamp, if it is this member's.
    pub own_stamp_us: Option<u32>,
    /// It leads.
    pub is_lead: bool,
}

impl Echoed {
    /// Whether it is this member.
    pub(super) fn is_own(&self) -> bool {
        self.own_stamp_us.is_some()
    }
}

/// Who knows of as many others makes way for them; a choice. With fewer all may speak at once.
const FEW: usize = 3;
/// For how many feedback rounds a member listens before it takes silence for being alone; a choice. In each at least
/// one report is echoed if anybody is there beside the lead.
const ROUNDS: f64 = 2.0;
/// For how long another one is remembered, and for as many rounds at least; a choice.
const MEMORY: Duration = Duration::from_secs(16);

impl Entry {
    /// It has not heard anything.
    pub(super) const SILENT: Entry = Entry {
        at: Instant::FAR_FUTURE,
        others: [None; FEW],
        listens_since: None,
        longest: Lately::MOST,
        has_rtt: false,
        unanswered: None,
    };

    /// A packet of the highest layer has come. `led`: whether it was known by then that somebody leads, and whether the
    /// packet suppresses reports, as none does where nobody has reported. The round-trip time is `rtt_s` seconds,
    /// measured or R_max.
    pub(super) fn hear(
        &mut self,
        now: Instant,
        echoed: Option<Echoed>,
        led: (bool, bool),
        (has_rtt, rtt_s): (bool, f64),
    ) {
        self.listens_since.get_or_insert(now);
        if has_rtt && !self.has_rtt {
            (self.has_rtt, self.longest) = (true, Lately::MOST);
        }
        self.longest.take(now, rtt_s);
        let (is_led, is_suppressed) = led;
        if is_suppressed || echoed.is_some_and(|echoed| echoed.is_lead) {
            self.at = Instant::FAR_FUTURE;
        }
        match echoed {
            Some(Echoed { own_stamp_us: Some(_), .. }) => self.unanswered = None,
            // What has left the source before the report came there does not answer it.
            Some(Echoed { is_lead: true, .. }) => {
                self.unanswered = self.unanswered.filter(|&at| now < at + Duration::from_secs_f64(rtt_s));
            }
            // In a layer that nobody leads it may be one of those above.
            Some(Echoed { receiver, .. }) if is_led => self.note(now, receiver),
            _ => {}
        }
    }

    fn note(&mut self, now: Instant, receiver: Address) {
        let place = self.others.iter().position(|other| other.is_some_and(|(other, _)| other == receiver));
        self.others[..=place.unwrap_or(FEW - 1)].rotate_right(1);
        self.others[0] = Some((receiver, now));
    }

    /// It goes to another layer; `led`: it led the one before. A feedback round lasts `round_s` seconds of an
    /// R_max, and `part` draws how much of one it is to wait. True if it says so at once.
    pub(super) fn begin(
        &mut self,
        now: Instant,
        led: bool,
        round_s: impl Fn(f64) -> f64,
        part: impl FnOnce() -> f64,
    ) -> bool {
        // Of the layer it comes to it knows nothing; who reports first is named a round trip later at the least.
        let round_s = round_s(self.longest.value().unwrap_or(0.0));
        let at_once = led || self.unanswered.is_some() || self.is_alone(now, round_s);
        self.unanswered = None;
        self.at = if at_once { Instant::FAR_FUTURE } else { now + Duration::from_secs_f64(part() * round_s) };
        at_once
    }

    /// Whether it has listened, and heard of few.
    fn is_alone(&self, now: Instant, round_s: f64) -> bool {
        let listened = Duration::from_secs_f64(ROUNDS * round_s);
        let is_past =
            |other: &Option<(Address, Instant)>| other.is_none_or(|(_, at)| now.since(at) > MEMORY.max(listened));
        self.listens_since.is_some_and(|since| now >= since + listened) && self.others.iter().any(is_past)
    }

    /// It has nothing to say.
    pub(super) fn end(&mut self) {
        self.at = Instant::FAR_FUTURE;
    }

    /// It has reported; `may_lead`: it does not lead, but may by this report.
    pub(super) fn reported(&mut self, now: Instant, may_lead: bool) {
        self.end();
        self.unanswered = may_lead.then_some(now);
    }

    /// Whether it is still to say it.
    pub(super) fn is_pending(&self) -> bool {
        self.at != Instant::FAR_FUTURE
    }

    /// When it is; `FAR_FUTURE` = not at all.
    pub(super) fn deadline(&self) -> Instant {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT_S: f64 = 0.1;

    fn at(seconds: f64) -> Instant {
        Instant::from_secs_f64(seconds)
    }

    fn echoed(receiver: u32, is_lead: bool) -> Option<Echoed> {
        Some(Echoed { receiver: Address::endpoint(receiver), own_stamp_us: (receiver == 0).then_some(1), is_lead })
    }

    /// It has heard a lead and so many others by 10 s.
    fn among(others: u32) -> Entry {
        let mut entry = Entry::SILENT;
        entry.hear(at(1.0), echoed(99, true), (true, false), (true, RTT_S));
        (1..=others).for_each(|other| entry.hear(at(10.0), echoed(other, false), (true, false), (true, RTT_S)));
        entry
    }

    /// It goes to another layer, and would wait for half of a round of six round trips.
    fn begins(entry: &mut Entry, now_s: f64, led: bool) -> bool {
        entry.begin(at(now_s), led, |rtt_s| 6.0 * rtt_s, || 0.5)
    }

    #[test]
    fn who_is_one_of_many_waits_until_somebody_is_known_to_lead() {
        let mut entry = among(3);
        assert!(!begins(&mut entry, 10.0, false) && entry.is_pending());
        assert_eq!(entry.deadline(), at(10.3), "half a round of the longest round trip lately");
        entry.hear(at(10.1), None, (false, false), (true, RTT_S));
        entry.hear(at(10.1), echoed(7, false), (false, false), (true, RTT_S));
        assert!(entry.is_pending(), "nobody leads yet");
        for (lead, suppressed) in [(echoed(7, true), false), (None, true)] {
            let mut entry = entry;
            entry.hear(at(10.2), lead, (false, suppressed), (true, RTT_S));
            assert_eq!((entry.is_pending(), entry.deadline()), (false, Instant::FAR_FUTURE));
        }
        entry.reported(at(10.3), true);
        assert!(!entry.is_pending());
    }

    #[test]
    fn who_led_says_so_at_once() {
        let mut entry = among(3);
        assert!(begins(&mut entry, 10.0, true) && !entry.is_pending());
    }

    #[test]
    fn who_may_lead_says_so_at_once() {
        let mut reported = among(3);
        reported.reported(at(10.0), true);
        assert!(begins(&mut reported.clone(), 10.05, false));
        // Another one is named, but not yet for its report; and it is named itself.
        reported.hear(at(10.05), echoed(99, true), (true, false), (true, RTT_S));
        assert!(begins(&mut reported.clone(), 10.1, false));
        for answer in [echoed(99, true), echoed(0, false)] {
            let mut answered = reported;
            answered.hear(at(10.1), answer, (true, false), (true, RTT_S));
            assert!(!begins(&mut answered, 10.1, false));
        }
        // That was of the layer before.
        assert!(begins(&mut reported, 10.1, false) && !begins(&mut reported, 10.2, false));
        reported.reported(at(10.3), false);
        assert!(!begins(&mut reported, 10.4, false));
    }

    #[test]
    fn who_has_listened_and_heard_of_few_says_so_at_once() {
        assert!(begins(&mut among(2), 10.0, false));
        let mut twice = among(2);
        twice.hear(at(10.0), echoed(2, false), (true, false), (true, RTT_S));
        assert!(begins(&mut twice, 10.0, false), "one of them twice");
        let mut above = among(2);
        above.hear(at(10.0), echoed(5, false), (false, false), (true, RTT_S));
        assert!(begins(&mut above, 10.0, false), "nobody led: it may hold another layer");
        assert!(!begins(&mut among(0), 2.1, false) && begins(&mut among(0), 2.2, false), "two rounds of 0.6 s");
        assert!(!begins(&mut Entry::SILENT.clone(), 5.0, false), "it has heard nothing");
        let mut unmeasured = Entry::SILENT;
        unmeasured.hear(at(1.0), echoed(99, true), (true, false), (false, 0.5));
        unmeasured.hear(at(2.0), echoed(99, true), (true, false), (false, RTT_S));
        assert!(!begins(&mut unmeasured.clone(), 6.9, false), "two rounds of the longest R_max");
        unmeasured.hear(at(3.0), echoed(99, true), (true, false), (true, RTT_S));
        assert!(begins(&mut unmeasured, 3.0, false), "and then of what is measured");
        assert!(!begins(&mut among(3), 26.0, false) && begins(&mut among(3), 26.1, false), "they are forgotten");
    }
}
