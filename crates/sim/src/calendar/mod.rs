//! The calendar: what happens next.
//!
//! Entries are ordered by `(time, kind, entity)`. Of one kind an entity has at most one live entry, so the order is
//! total and depends neither on the calendar nor on the order of insertion. Two calendars stand behind one trait,
//! each the other's proof: a four-ary [`Heap`] and a timing [`Wheel`].

mod entry;
mod heap;
mod horizon;
mod wheel;

pub use entry::{Calendar, Entry, Kind};
pub use heap::Heap;
pub(crate) use horizon::horizon;
pub use wheel::Wheel;

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::random::Random;
    use faircast_proto::time::{Duration, Instant};

    #[test]
    fn entries_are_ordered_by_time_then_kind_then_entity() {
        let early = Entry::new(Instant(1), Kind::Probe, (1 << 29) - 1);
        let change = Entry::new(Instant(2), Kind::Change, 0);
        let departure = Entry::new(Instant(2), Kind::Departure, 7);
        let delivery = Entry::new(Instant(2), Kind::Delivery, 3);
        let later_link = Entry::new(Instant(2), Kind::Delivery, 4);
        let hearing = Entry::new(Instant(2), Kind::Hearing, 0);
        assert!(early < change && change < departure && departure < delivery && delivery < later_link);
        assert!(later_link < hearing && hearing < Entry::new(Instant(2), Kind::Timer, 0));
        assert_eq!(hearing.kind(), Kind::Hearing);
        assert_eq!((early.kind(), early.entity(), change.kind()), (Kind::Probe, (1 << 29) - 1, Kind::Change));
        assert_eq!((delivery.at(), delivery.kind(), delivery.entity()), (Instant(2), Kind::Delivery, 3));
    }

    /// Random schedules and pops, as the engine makes them: never into the past, often to the same moment.
    fn random_history<C: Calendar>(seed: u64, spread_ns: f64, horizon: Duration) -> Vec<Entry> {
        let mut random = Random::stream(seed, "test/calendar");
        let mut calendar = C::new(horizon);
        let mut popped = Vec::new();
        let mut now = Instant::ZERO;
        for round in 0..20_000u32 {
            for _ in 0..random.uniform_in(0.0, 2.6) as u32 {
                let ahead = if random.chance(0.2) { 0.0 } else { random.exponential(spread_ns) };
                let kind = if random.chance(0.5) { Kind::Delivery } else { Kind::Timer };
                calendar.schedule(Entry::new(Instant(now.0 + ahead as u64), kind, round));
            }
            let end = Instant(now.0 + random.exponential(2.0 * spread_ns) as u64);
            if let Some(entry) = calendar.pop_until(end) {
                now = entry.at();
                popped.push(entry);
            }
        }
        while let Some(entry) = calendar.pop_until(Instant::FAR_FUTURE) {
            popped.push(entry);
        }
        popped
    }

    #[test]
    fn heap_and_wheel_agree_and_keep_order() {
        for (seed, spread) in [(1, 50.0), (2, 3e3), (3, 1e6), (4, 3e7), (5, 5e9)] {
            let heap = random_history::<Heap>(seed, spread, Duration::ZERO);
            // From slots so narrow that most entries are beyond the wheel to a single one for all.
            for horizon in [0, 20_000_000, 3_600_000_000_000] {
                assert_eq!(heap, random_history::<Wheel>(seed, spread, Duration(horizon)), "seed {seed}, {horizon} ns");
            }
            assert!(heap.len() > 10_000);
            assert!(heap.windows(2).all(|pair| pair[0].at() <= pair[1].at()), "seed {seed}");
        }
    }

    /// Many entries of one moment, as of endpoints that start together, put in while others of it are popped.
    #[test]
    fn crowds_of_one_moment_come_in_order() {
        fn history<C: Calendar>(count: u32) -> Vec<Entry> {
            let (mut calendar, mut popped) = (C::new(Duration::from_millis(1)), Vec::new());
            for at in [0, 7_000_000] {
                for entity in (0..count).map(|index| index * 7919 % count) {
                    calendar.schedule(Entry::new(Instant(at), Kind::Timer, entity));
                }
            }
            while let Some(entry) = calendar.pop_until(Instant(7_000_000)) {
                if entry.kind() == Kind::Timer && entry.entity() % 2 == 0 {
                    calendar.schedule(Entry::new(entry.at(), Kind::Probe, entry.entity()));
                    calendar.schedule(Entry::new(Instant(entry.at().0 + 5), Kind::Delivery, entry.entity()));
                }
                popped.push(entry);
            }
            popped
        }
        // 31 and 63: few for the wheel before others are added, and just so.
        for count in [31, 63, 64, 65, 2000] {
            let popped = history::<Heap>(count);
            // Two timers of each, and of each even one two probes and one delivery: the other is after the end.
            assert_eq!(popped.len() as u32, 2 * count + 3 * count.div_ceil(2), "{count}");
            assert!(popped.windows(2).all(|pair| pair[0] < pair[1]), "{count}");
            assert_eq!(popped, history::<Wheel>(count), "{count}");
        }
    }

    #[test]
    fn nothing_after_the_end_is_popped() {
        fn check<C: Calendar>() {
            let mut calendar = C::new(Duration::from_millis(1));
            let entry = Entry::new(Instant(5_000_000_000), Kind::Timer, 1);
            calendar.schedule(entry);
            assert_eq!(calendar.pop_until(Instant(4_999_999_999)), None);
            // Still accepts entries before the one that was looked at.
            let earlier = Entry::new(Instant(4_999_999_999), Kind::Timer, 0);
            calendar.schedule(earlier);
            assert_eq!(calendar.pop_until(Instant(5_000_000_000)), Some(earlier));
            assert_eq!(calendar.pop_until(Instant(5_000_000_000)), Some(entry));
            assert_eq!(calendar.pop_until(Instant::FAR_FUTURE), None);
        }
        check::<Heap>();
        check::<Wheel>();
    }
}
