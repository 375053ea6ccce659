//! The changes of a link, from entries to what happens when.

use super::Expansion;
use crate::model::ChangeEntry;
use crate::network::{NetworkChange, What};
use crate::problem::Finding;
use faircast_sim::change::Slope;

impl Expansion<'_> {
    /// What changes about a link that starts at `from` and whose entries stand at `path`, in the order of time.
    pub(super) fn changes(&mut self, path: &str, from: u32, entries: &[ChangeEntry]) -> Vec<NetworkChange> {
        let mut changes = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let at = entry.at;
            let mut add = |what| changes.push(NetworkChange { at, what });
            entry.up.into_iter().for_each(|up| add(What::Up(up)));
            entry.rate.into_iter().for_each(|rate| add(What::Rate(rate)));
            entry.loss.iter().for_each(|loss| add(What::Loss(loss.clone())));
            let Some(name) = &entry.to else { continue };
            let path = format!("{path}[{index}].to");
            match self.node(&path, name) {
                Some(node) if node == from => {
                    let message = "a link leads to another node, not to the one where it starts";
                    self.found.push(Finding::new(path, message).given(Some(name)));
                }
                Some(node) => changes.push(NetworkChange { at, what: What::To(node) }),
                None => {}
            }
        }
        changes.extend(delays(entries));
        changes.sort_by_key(|change| change.at);
        changes
    }
}

/// The pieces of the delay.
fn delays(entries: &[ChangeEntry]) -> Vec<NetworkChange> {
    let mut given: Vec<_> =
        entries.iter().filter_map(|entry| Some((entry.at, entry.delay?, entry.delay_to.zip(entry.over)))).collect();
    given.sort_by_key(|&(at, ..)| at);
    let mut pieces = Vec::new();
    let mut add = |at, delay, slope| pieces.push(NetworkChange { at, what: What::Delay(delay, slope) });
    for (index, &(at, delay, ramp)) in given.iter().enumerate() {
        let Some((to, over)) = ramp else {
            add(at, delay, Slope::LEVEL);
            continue;
        };
        add(at, delay, Slope::between(delay, to, over));
        // It stays there unless another piece begins first.
        if given.get(index + 1).is_none_or(|&(next, ..)| next > at + over) {
            add(at + over, to, Slope::LEVEL);
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::time::Duration;

    #[test]
    fn a_ramp_ends_level_unless_something_comes_before() {
        let entries: Vec<ChangeEntry> = serde_json::from_str(
            r#"[
                {"at": "30 s", "delay": "20 ms", "delay_to": "10 ms", "over": "10 s"},
                {"at": "5 s", "delay": "1 ms", "delay_to": "20 ms", "over": "25 s"},
                {"at": "0 s", "delay": "9 ms", "delay_to": "5 ms", "over": "4 s", "up": true}
            ]"#,
        )
        .expect("legal entries");
        let (ms, s) = (Duration::from_millis, Duration::from_secs);
        let piece =
            |at, delay, to, over| NetworkChange { at, what: What::Delay(delay, Slope::between(delay, to, over)) };
        let level = |at, delay| NetworkChange { at, what: What::Delay(delay, Slope::LEVEL) };
        let expected = [
            piece(s(0), ms(9), ms(5), s(4)),
            level(s(4), ms(5)),
            piece(s(5), ms(1), ms(20), s(25)),
            piece(s(30), ms(20), ms(10), s(10)),
            level(s(40), ms(10)),
        ];
        assert_eq!(delays(&entries), expected);
    }
}
