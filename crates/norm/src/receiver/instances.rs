//! Instances of a sender: each start has a new one (RFC 5740 section 4.2).
//!
//! What comes of another instance is that of a new start, or was under way when the sender started again, or is forged.
//! A message alone is believed to be none: the next has to go on from there, with nothing of the present one between.
//! Of an instance that was there before it has to be some more, as late messages come in a row.

use super::jumps::goes_on;

/// The instances of a sender but the present one.
#[derive(Debug, Default)]
pub struct Instances {
    /// Those that were there before, the last [`MOST_LEFT`].
    left: Vec<u16>,
    /// Another one of which messages came since the last of the present one.
    other: Option<Other>,
}

#[derive(Clone, Copy, Debug)]
struct Other {
    instance: u16,
    sequence: u16,
    messages: u32,
}

/// Instances that are remembered: a choice. More starts than these within the time that a message may be under way are
/// few.
const MOST_LEFT: usize = 8;
/// How many messages in a row are believed to be of a new instance, and of one that was there before. Choices; a sender
/// that was taken for gone by forged messages is heard again by the second.
const NEW: u32 = 2;
const AGAIN: u32 = 8;

impl Instances {
    /// The present one has spoken.
    pub fn present(&mut self) {
        self.other = None;
    }

    /// Whether a message of another instance says that it is the present one now.
    pub fn believes(&mut self, instance: u16, sequence: u16) -> bool {
        let before = self.other.filter(|other| other.instance == instance && goes_on(sequence, other.sequence));
        let messages = before.map_or(0, |other| other.messages) + 1;
        self.other = Some(Other { instance, sequence, messages });
        messages >= if self.left.contains(&instance) { AGAIN } else { NEW }
    }

    /// The instances but `next`, which takes the place of `present`.
    pub fn followed(&mut self, present: u16, next: u16) -> Instances {
        let mut left = std::mem::take(&mut self.left);
        left.retain(|instance| *instance != next);
        left.truncate(MOST_LEFT - 1);
        left.insert(0, present);
        Instances { left, other: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_instance_is_believed_by_messages_in_a_row() {
        let mut instances = Instances::default();
        assert!(!instances.believes(7, 65_535) && instances.believes(7, 0), "around the end of numbers");
        let mut instances = Instances::default();
        assert!(!instances.believes(7, 10) && !instances.believes(7, 10), "the same once more goes on nowhere");
        assert!(!instances.believes(8, 11) && !instances.believes(7, 12), "of two others");
        instances.present();
        assert!(!instances.believes(7, 13) && instances.believes(7, 13 + 64));
        // The one that was there before.
        let mut instances = instances.followed(5, 7);
        assert_eq!((1..=8).map(|n| instances.believes(5, n)).position(|believes| believes), Some(7));
        assert_eq!((1..=8).map(|n| instances.believes(6, n)).position(|believes| believes), Some(1));
        let mut again = instances.followed(7, 5);
        assert!(!again.left.contains(&5) && !again.believes(7, 1) && !again.believes(7, 2));
        for n in 100..200 {
            again = again.followed(n, n + 1);
        }
        assert_eq!((again.left.len(), again.left[0]), (8, 199));
    }
}
