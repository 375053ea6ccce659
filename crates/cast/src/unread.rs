//! Packets that come and cannot be read: the session is sealed and there is no key for it, it has other keys, or it
//! carries something else. Who waits for it is told once, and goes on waiting.

use crate::ending::Ending;
use std::time::Duration;

/// What has come of the group so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeardOf {
    /// A session has begun here: there is nothing to be said.
    pub is_read: bool,
    /// The key has opened something.
    pub is_opened: bool,
    /// Packets that could not be read, or not opened.
    pub unreadable: u64,
    /// What is signed is of the other kind: a stream where files are wanted, or files where a stream is.
    pub is_other: bool,
}

/// Looks at what comes, and says what is wrong with it.
pub struct Unread {
    keys: Option<String>,
    since: Option<Duration>,
    said: Option<String>,
}

/// After so long, and so many packets, something is said.
const PATIENCE: Duration = Duration::from_secs(5);
const MANY: u64 = 5;

impl Unread {
    /// Of somebody with the keys of this file, or without.
    pub fn new(keys: Option<&str>) -> Unread {
        Unread { keys: keys.map(str::to_owned), since: None, said: None }
    }

    /// A sentence, once.
    pub fn look(&mut self, now: Duration, heard: &HeardOf) -> Option<&str> {
        if heard.is_read || self.said.is_some() || (heard.unreadable == 0 && !heard.is_other) {
            return None;
        }
        let since = *self.since.get_or_insert(now);
        if now.saturating_sub(since) < PATIENCE || (heard.unreadable < MANY && !heard.is_other) {
            return None;
        }
        self.said = Some(match &self.keys {
            _ if heard.is_other => {
                "what comes is of the other kind: faircast receive takes files, faircast stream --from a stream"
                    .to_owned()
            }
            Some(path) => format!("packets come that {path} does not open: they have other keys, or none (--open)"),
            None => "packets come that cannot be read with --open: they are sealed (--keys FILE)".to_owned(),
        });
        self.said.as_deref()
    }

    /// The end of who has waited, or looked, in vain: packets came, and the key has opened none.
    pub fn in_vain(&self, heard: &HeardOf) -> Option<Ending> {
        let path = self.keys.as_ref().filter(|_| !heard.is_opened && heard.unreadable >= MANY)?;
        let all = heard.unreadable;
        let why = "they have other keys, or none (--open)";
        Some(Ending::Input(format!("{path} opens none of the {all} packets that came: {why}")))
    }

    /// Says that what was waited for has not come for so many seconds: nothing, or nothing of use.
    pub fn silence(&self, heard: &HeardOf, seconds: f64) -> String {
        let is_unread = self.said.is_some() && !heard.is_read;
        format!("{} has come for {seconds} s", if is_unread { "nothing that can be read" } else { "nothing" })
    }

    /// What has been said, if something came of it.
    pub fn said(&self) -> Option<&str> {
        self.said.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_said_once_after_some_seconds_and_only_if_nothing_can_be_read() {
        let second = Duration::from_secs;
        let heard = |unreadable| HeardOf { unreadable, ..HeardOf::default() };
        let mut unread = Unread::new(None);
        for (at, unreadable) in [(0, 0), (20, 1), (24, 900), (25, 4)] {
            assert_eq!(unread.look(second(at), &heard(unreadable)), None, "{at} s");
        }
        assert_eq!(unread.look(second(25), &HeardOf { is_read: true, ..heard(900) }), None);
        let said = unread.look(second(25), &heard(5)).map(str::to_owned);
        assert!(said.as_ref().is_some_and(|said| said.contains("they are sealed")), "{said:?}");
        assert_eq!(unread.look(second(99), &heard(99)), None);
        assert_eq!(unread.said(), said.as_deref());
        for (keys, is_other, says) in [
            (Some("r.key"), false, "packets come that r.key does not open"),
            (Some("r.key"), true, "of the other kind"),
            (None, true, "of the other kind"),
        ] {
            let mut unread = Unread::new(keys);
            assert_eq!(unread.look(second(1), &HeardOf { is_other, ..heard(9) }), None);
            let said = unread.look(second(6), &HeardOf { is_other, ..heard(9) });
            assert!(said.is_some_and(|said| said.contains(says)), "{said:?}");
        }
    }

    #[test]
    fn a_key_that_has_opened_nothing_of_what_came_is_of_another_session() {
        let (sealed, open) = (Unread::new(Some("r.key")), Unread::new(None));
        let heard = |unreadable, is_opened| HeardOf { unreadable, is_opened, ..HeardOf::default() };
        let sentence = "r.key opens none of the 5 packets that came: they have other keys, or none (--open)".to_owned();
        assert_eq!(sealed.in_vain(&heard(5, false)), Some(Ending::Input(sentence)));
        // A stranger's packet is soon sent.
        for (unread, heard) in [(&sealed, heard(9, true)), (&sealed, heard(4, false)), (&open, heard(9, false))] {
            assert_eq!(unread.in_vain(&heard), None, "{heard:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_not_nothing() {
        let (mut unread, heard) = (Unread::new(None), HeardOf { unreadable: 9, ..HeardOf::default() });
        assert_eq!(unread.silence(&heard, 0.5), "nothing has come for 0.5 s");
        for at in [1, 6] {
            unread.look(Duration::from_secs(at), &heard);
        }
        assert_eq!(unread.silence(&heard, 8.0), "nothing that can be read has come for 8 s");
        let later = HeardOf { is_read: true, ..heard };
        assert_eq!(unread.silence(&later, 8.0), "nothing has come for 8 s", "it could be read in the end");
    }
}
