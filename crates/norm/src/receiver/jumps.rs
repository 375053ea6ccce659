//! Numbers that jump: one message that is wrong, or was under way for very long, does not say where a sender is.
//!
//! Numbers of messages and of objects have 16 bits and rise. One that is far from the newest is believed when the next
//! message goes on from there, so that a long gap costs one message. Who forges two in a row is believed: there are no
//! keys.

/// Where far numbers were seen last, of which it is not known whether the sender is there.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jumps {
    held: Option<u16>,
}

/// A message that is further ahead of the newest, or further behind it, is far from it. Choices: after a burst of more
/// losses one message more counts as lost, which is little; and at a thousand messages a second what comes late is
/// hardly later than 3 s.
const AHEAD: u16 = 256;
const BEHIND: u16 = 3000;
/// An object that is further ahead of the newest is far. A choice: each object has a message of its own at least, and
/// these are small files then.
pub const FAR_AHEAD: u64 = 1024;
/// The next message is at most so many behind: others may be lost in between.
const GOES_ON: u16 = 64;

/// Whether a message of this number is far from the newest.
pub fn is_far(number: u16, newest: u16) -> bool {
    number.wrapping_sub(newest) > AHEAD && newest.wrapping_sub(number) > BEHIND
}

/// Whether a message of this number goes on from another one.
pub fn goes_on(number: u16, before: u16) -> bool {
    (1..=GOES_ON).contains(&number.wrapping_sub(before))
}

impl Jumps {
    /// Whether a message of this number is believed, where this one is the newest. The same once more goes on nowhere.
    pub fn believes(&mut self, number: u16, newest: u16) -> bool {
        self.look(number, is_far(number, newest), 1)
    }

    /// Whether a message is believed that names this object, which is far ahead or is not. Several may name one.
    pub fn believes_object(&mut self, number: u16, is_far: bool) -> bool {
        self.look(number, is_far, 0)
    }

    fn look(&mut self, number: u16, is_far: bool, least: u16) -> bool {
        let steps = self.held.map(|held| number.wrapping_sub(held));
        self.held = is_far.then_some(number);
        !is_far || steps.is_some_and(|steps| (least..=GOES_ON).contains(&steps))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_is_believed_when_the_next_goes_on_there() {
        let mut jumps = Jumps::default();
        assert!(jumps.believes(65_000, 64_990) && jumps.believes(200, 65_480), "around the end of numbers");
        assert!(!jumps.believes(300, 65_480) && jumps.believes(62_480, 65_480) && !jumps.believes(62_479, 65_480));
        assert!(jumps.believes(64_000, 65_000), "late");
        assert!(!jumps.believes(30_000, 65_000), "far");
        assert!(jumps.believes(65_001, 65_000) && !jumps.believes(30_001, 65_001), "it had not gone on there");
        assert!(!jumps.believes(30_001, 65_001) && !jumps.believes(30_000, 65_001) && !jumps.believes(30_065, 65_001));
        assert!(jumps.believes(30_129, 65_001), "64 behind");
        let mut objects = Jumps::default();
        assert!(!objects.believes_object(5000, true) && objects.believes_object(5000, true));
    }
}
