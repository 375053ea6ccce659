//! What a source owes that was called late, and how it is paid.
//!
//! Sources keep their rate: what was due while the driver was late they send as soon as they are called, one packet for
//! each time-out. All at once that would be a burst at the full speed of the host's link, which no queue behind it was
//! asked for. So a driver that is later than [`AT_ONCE`] hands such time-outs in by a bucket (the generic cell rate
//! algorithm) until nothing is owed any more.
//!
//! ```text
//!                  late by more than AT_ONCE
//!   None ─────────────────────────────────────> Owed { spent }    AT_ONCE now, the rest at CATCH_UP times the rate
//!        <─────────────────────────────────────
//!          nothing is due before it would be allowed
//! ```

use faircast_proto::time::{Duration, Instant, Rate};

/// What a rate sends in this may go at once. A choice, with [`CATCH_UP`]: together they leave `CATCH_UP` + `AT_ONCE`/T
/// times the rate in any time T, which is twice the rate in 1 ms and less in what is longer; below some 40 Mbit/s a
/// packet more, and not less than one in 100 ms. Linux hands over a paced TCP's segments by up to 1/1024 s at a time
/// (`sk_pacing_shift`).
pub const AT_ONCE: Duration = Duration::from_micros(750);
/// At how many times the rate what is owed is paid. A driver that is late for up to a fifth of the time keeps the rate.
pub const CATCH_UP: f64 = 1.25;
/// No packet is held for longer, whatever the rate was by which the last was counted. A choice: a packet in 100 ms is
/// no burst.
const LONGEST_HELD: Duration = Duration::from_millis(100);
/// Or so many packets, where that is more: what a turn comes late by, up to three quarters of a packet's time, is made
/// up for by the next. With one packet it would be lost at each, and a slow source on a host that is always a little
/// late would never pay.
const PACKETS_AT_ONCE: f64 = 1.75;

/// What a source owes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Debt {
    /// Nothing: what is due goes.
    #[default]
    None,
    /// More than may go at once.
    Owed {
        /// Until when what has gone lasts, at [`CATCH_UP`] times the rate.
        spent: Instant,
        /// How much of that the last packet took, and so takes the next.
        last: Duration,
    },
}

impl Debt {
    /// A turn begins in which something is due, since `due`.
    pub(crate) fn begin(&mut self, now: Instant, due: Instant) {
        if *self == Debt::None && now.since(due) > AT_ONCE {
            *self = Debt::Owed { spent: now, last: Duration::ZERO };
        }
    }

    /// Until when what is due is held, if it is.
    pub(crate) fn held(self, now: Instant) -> Option<Instant> {
        self.allows().filter(|at| *at > now)
    }

    /// When the next packet may go; always, if nothing is owed.
    fn allows(self) -> Option<Instant> {
        let Debt::Owed { spent, last } = self else { return None };
        let at_once = (AT_ONCE.0 as f64 / CATCH_UP) as u64;
        Some(spent - Duration(at_once.max((PACKETS_AT_ONCE * last.0 as f64) as u64).saturating_sub(last.0)))
    }

    /// A packet of so many bytes has gone, by a source of this rate.
    pub(crate) fn pay(&mut self, now: Instant, bytes: u16, rate: Rate) {
        if let Debt::Owed { spent, last } = self {
            let full = Duration::from_secs_f64(8.0 * f64::from(bytes) / (CATCH_UP * rate.as_bps_f64()));
            *last = full.min(LONGEST_HELD);
            *spent = (*spent).max(now) + *last;
        }
    }

    /// Nothing is due now, but `next`: all is paid unless that came too soon after what was paid last.
    pub(crate) fn settle(&mut self, next: Option<Instant>) {
        if next.is_none_or(|next| self.allows().is_none_or(|at| at <= next)) {
            *self = Debt::None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Instant = Instant(1 << 40);

    fn us(micros: u64) -> Duration {
        Duration::from_micros(micros)
    }

    #[test]
    fn a_little_lateness_is_no_debt() {
        let mut debt = Debt::default();
        debt.begin(START + us(750), START);
        debt.pay(START, 1000, Rate(1000));
        assert_eq!((debt, debt.held(START)), (Debt::None, None));
        debt.begin(START + us(751), START);
        assert_eq!(debt, Debt::Owed { spent: START + us(751), last: Duration::ZERO });
        debt.settle(None);
        assert_eq!(debt, Debt::None);
    }

    #[test]
    fn what_is_due_right_after_the_last_that_was_owed_waits_too() {
        // A packet of 1250 B takes 8 ms at five quarters of a Mbit/s.
        let owed = |next_us| {
            let mut debt = Debt::default();
            debt.begin(START, START - us(5000));
            debt.pay(START, 1250, Rate(1_000_000));
            debt.settle(Some(START + us(next_us)));
            debt != Debt::None
        };
        assert_eq!([1, 1000, 1999, 2000, 9000].map(owed), [true, true, true, false, false]);
    }

    #[test]
    fn a_part_goes_at_once_and_the_rest_at_five_quarters_of_the_rate() {
        // A packet of 1250 B takes 100 µs at 100 Mbit/s, 80 µs at five quarters of it.
        let mut debt = Debt::default();
        debt.begin(START, START - us(5000));
        let mut gone = 0;
        while debt.held(START).is_none() {
            debt.pay(START, 1250, Rate(100_000_000));
            gone += 1;
        }
        assert_eq!((gone, debt.held(START)), (7, Some(START + us(40))));
        // A turn each 500 µs: 6.25 packets in it.
        let mut all = 0;
        for turn in 1..=40 {
            let now = START + us(500 * turn);
            while debt.held(now).is_none() {
                debt.pay(now, 1250, Rate(100_000_000));
                all += 1;
            }
        }
        assert_eq!(all, 250);
        // Who had no turn for long has no more for it.
        let later = START + us(1_000_000);
        gone = 0;
        while debt.held(later).is_none() {
            debt.pay(later, 1250, Rate(100_000_000));
            gone += 1;
        }
        assert_eq!(gone, 7);
    }

    #[test]
    fn a_turn_that_comes_late_costs_a_slow_source_no_time() {
        // A packet of 1250 B takes 800 µs at five quarters of 10 Mbit/s, and turns come 300 µs late.
        let mut debt = Debt::default();
        let mut now = START;
        debt.begin(now, now - us(5000));
        for _ in 0..10 {
            debt.pay(now, 1250, Rate(10_000_000));
            now = debt.held(now).unwrap_or(now) + us(300);
        }
        assert!(now <= START + us(10 * 800 + 300), "{now:?}");
    }

    #[test]
    fn nothing_is_held_for_long() {
        let mut debt = Debt::default();
        debt.begin(START, Instant::ZERO);
        debt.pay(START, 1000, Rate(1000));
        assert_eq!(debt.held(START), Some(START + us(25_000)), "one and three quarters at once");
        debt.pay(START + us(25_000), 1000, Rate(1000));
        assert_eq!(debt.held(START), Some(START + us(125_000)));
    }
}
