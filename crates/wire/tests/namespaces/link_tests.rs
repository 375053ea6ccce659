//! The emulated link, without a clock.

use crate::link::{Link, Shape};
use faircast_proto::time::{Duration, Instant, Rate};

fn at(micros: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(micros)
}

fn link(loss: f64, outage: Option<[Instant; 2]>) -> Link {
    let delay = Duration::from_millis(20);
    Link::new(Shape { rate: Rate(8_000_000), delay, limit: 3, loss, outage }, 1)
}

#[test]
fn packets_leave_one_after_the_other_and_come_after_the_delay() {
    let mut link = link(0.0, None);
    // A byte takes a microsecond.
    assert!((1..=3).all(|n| link.offer(at(0), &vec![n; 1000])));
    assert!(!link.offer(at(999), &[4; 1000]), "the first has not left");
    assert!(link.offer(at(1000), &[5; 500]));
    assert_eq!((link.dropped, link.due()), (1, Some(at(21_000))));
    assert_eq!(link.take(at(20_999)), None);
    let taken: Vec<(Instant, u8)> = std::iter::from_fn(|| link.take(at(60_000))).map(|(at, p)| (at, p[0])).collect();
    assert_eq!(taken, [(at(21_000), 1), (at(22_000), 2), (at(23_000), 3), (at(23_500), 5)]);
    assert!(link.offer(at(70_000), &[6; 100]) && link.due() == Some(at(90_100)), "an idle link sends at once");
}

#[test]
fn nothing_gets_through_in_an_outage() {
    let mut link = link(0.0, Some([at(80_000), at(90_000)]));
    assert!(link.offer(at(79_999), &[6; 100]));
    assert!([80_000, 89_999].iter().all(|&time| !link.offer(at(time), &[7; 100])));
    assert!(link.offer(at(90_000), &[8; 100]));
    assert_eq!((link.dropped, std::iter::from_fn(|| link.take(at(200_000))).count()), (2, 2));
}

#[test]
fn a_part_is_lost() {
    let mut link = link(0.1, None);
    let came = (0..10_000).filter(|n| {
        link.offer(at(n * 1000), &[0; 100]);
        link.take(at(n * 1000 + 500_000)).is_some()
    });
    assert!((8_850..9_150).contains(&came.count()));
}
