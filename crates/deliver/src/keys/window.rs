//! Which numbered messages have been heard, so that none is heard twice.

/// How far a message may be behind the newest one.
const WIDTH: u64 = 64;

/// The newest number and which of the 63 before it have come.
#[derive(Clone, Copy, Debug, Default)]
pub struct Window {
    highest: u64,
    /// The lowest bit is the highest number; 0 before the first message.
    heard: u64,
}

impl Window {
    /// Whether this number is new, and remembers it. What is too old to be told apart is not.
    pub fn fresh(&mut self, number: u64) -> bool {
        if self.heard == 0 || number > self.highest {
            let ahead = number - if self.heard == 0 { number } else { self.highest };
            self.heard = if ahead < WIDTH { self.heard << ahead } else { 0 } | 1;
            self.highest = number;
            return true;
        }
        let behind = self.highest - number;
        let bit = if behind < WIDTH { 1 << behind } else { return false };
        let fresh = self.heard & bit == 0;
        self.heard |= bit;
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_new_once() {
        let mut window = Window::default();
        for (number, fresh) in [
            (5, true),
            (5, false),
            (3, true),
            (4, true),
            (3, false),
            (68, true),
            (5, false),
            (6, true),
            (6, false),
            (4, false),
            (u64::MAX, true),
            (u64::MAX, false),
            (u64::MAX - 63, true),
            (u64::MAX - 64, false),
            (68, false),
        ] {
            assert_eq!(window.fresh(number), fresh, "{number}");
        }
    }

    #[test]
    fn numbers_from_zero_are_told_apart() {
        let mut window = Window::default();
        assert!(window.fresh(0) && !window.fresh(0) && window.fresh(1) && !window.fresh(0));
    }

    #[test]
    fn it_is_as_a_list_of_all() {
        let mut window = Window::default();
        let mut all = vec![1000];
        assert!(window.fresh(1000));
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let newest = all.iter().max().copied().unwrap_or(0);
            let number = newest + (state >> 33) % 9 - (state >> 40) % 70;
            let expected = !all.contains(&number) && newest.saturating_sub(number) < 64;
            assert_eq!(window.fresh(number), expected, "{number} after {newest}");
            if expected {
                all.push(number);
                if all.len() > 300 {
                    all.remove(0);
                }
            }
        }
    }
}
