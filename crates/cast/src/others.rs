//! Other senders in the group: whoever receives takes the packets of one, and is told once that there are others.

use std::net::SocketAddr;
use std::time::Duration;

/// Looks who else sends to the group.
#[derive(Debug, Default)]
pub struct Others {
    since: Option<Duration>,
    said: bool,
}

/// After so long something is said. One that was started again is followed before, and is no other.
const PATIENCE: Duration = Duration::from_secs(5);
/// The source that is taken, or another one, is there if it was heard not longer ago.
pub const IS_THERE: Duration = Duration::from_secs(2);

impl Others {
    /// A sentence, once: `taken` is the source, heard last at `heard`, and these send data as well.
    pub fn look(
        &mut self,
        now: Duration,
        (taken, heard): (Option<SocketAddr>, Option<Duration>),
        others: &[SocketAddr],
    ) -> Option<String> {
        let (Some(taken), Some(heard), false) = (taken, heard, others.is_empty()) else {
            self.since = None;
            return None;
        };
        let since = *self.since.get_or_insert(now);
        let is_there = now.saturating_sub(heard) <= IS_THERE;
        if self.said || !is_there || now.saturating_sub(since) < PATIENCE {
            return None;
        }
        self.said = true;
        let who: Vec<String> = others.iter().map(SocketAddr::to_string).collect();
        let (who, are) = (who.join(", "), if others.len() == 1 { "sends" } else { "send" });
        Some(format!(
            "{who} {are} to this group, too, and what comes from there is not taken, as {taken} was heard first; \
             --source ADDR takes the host that is meant"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_named_once_while_the_source_is_there() {
        let second = Duration::from_secs;
        let [taken, other, third]: [SocketAddr; 3] =
            ["10.0.0.1:5", "10.0.0.2:6", "10.0.0.3:7"].map(|at| at.parse().unwrap());
        let mut of = Others::default();
        let mut look =
            |at, heard, others: &[SocketAddr]| of.look(second(at), (Some(taken), Some(second(heard))), others);
        assert_eq!(look(1, 1, &[]), None);
        assert_eq!(look(2, 2, &[other]), None, "it may be the same, started again");
        assert_eq!(look(8, 5, &[other]), None, "the source has gone");
        assert_eq!(look(9, 9, &[]), None, "another is taken now");
        assert_eq!(look(10, 10, &[other, third]), None);
        let said = look(15, 14, &[other, third]).expect("both are there");
        assert!(said.starts_with("10.0.0.2:6, 10.0.0.3:7 send to this group, too, "), "{said}");
        assert_eq!(look(30, 30, &[other]), None, "once");
    }
}
