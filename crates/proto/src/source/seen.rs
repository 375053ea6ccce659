//! Which numbers have come.

/// Remembers the last 64 numbers up to the highest that has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The highest number that has come, if any has.
    highest: u64,
    /// Which of the 64 numbers up to the highest have come, bit 0 for the highest; 0 if none has.
    seen: u64,
}

impl Seen {
    /// Whether `number` has not come before; it has then. What is more than 64 numbers late counts as having come.
    #[inline]
    pub(crate) fn is_new(&mut self, number: u64) -> bool {
        if self.seen == 0 || number > self.highest {
            let ahead = number - self.highest;
            self.seen = if ahead < 64 { self.seen << ahead | 1 } else { 1 };
            self.highest = number;
            return true;
        }
        let age = self.highest - number;
        let new = age < 64 && self.seen >> age & 1 == 0;
        if new {
            self.seen |= 1 << age;
        }
        new
    }

    /// The highest number that has come.
    pub(crate) fn highest(&self) -> Option<u64> {
        (self.seen != 0).then_some(self.highest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_recognised_within_64_numbers() {
        let mut seen = Seen::default();
        assert!(seen.highest().is_none() && seen.is_new(0) && seen.is_new(3) && seen.is_new(1));
        assert!(!seen.is_new(0) && !seen.is_new(3) && !seen.is_new(1));
        assert!(seen.is_new(2) && seen.highest() == Some(3));
        assert!(seen.is_new(66) && !seen.is_new(3) && seen.is_new(4));
        assert!(seen.is_new(u64::MAX) && !seen.is_new(u64::MAX) && seen.is_new(u64::MAX - 63) && !seen.is_new(67));
        let mut seen = Seen::default();
        assert!(seen.is_new(200) && !seen.is_new(200) && seen.is_new(137) && !seen.is_new(136));
        // 64 ahead: bit 0 has gone, and what was one behind it counts as not seen.
        let mut seen = Seen::default();
        assert!(seen.is_new(0) && seen.is_new(64) && seen.is_new(1) && !seen.is_new(0) && !seen.is_new(64));
    }
}
