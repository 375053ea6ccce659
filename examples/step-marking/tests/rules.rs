//! The discipline by itself: its own rule, and the rules that hold for all.

use faircast_proto::packet::Ecn;
use faircast_proto::quantity::QueueSize;
use faircast_sim::queue::battery::{self, packet, view};
use faircast_sim::queue::{Discipline, DropReason, Verdict};
use step_marking::StepMarking;

#[test]
fn marks_above_the_threshold_and_drops_at_the_limit() {
    let mut queue = StepMarking::new(3, 6).into_queue();
    let mut arrive =
        |ecn| (0..8).map(|waiting| queue.arrive(&packet(1000, ecn), &view(waiting, 1000))).collect::<Vec<_>>();
    let (pass, mark, drop) = (Verdict::Accept, Verdict::Mark(Ecn::Moderate), Verdict::Drop(DropReason::Overflow));
    assert_eq!(arrive(Ecn::Capable), [pass, pass, pass, pass, mark, mark, drop, drop]);
    assert_eq!(arrive(Ecn::NotCapable), [pass, pass, pass, pass, pass, pass, drop, drop]);
}

#[test]
fn keeps_the_rules_that_hold_for_every_queue() {
    battery::run(QueueSize::Packets(6.0), |_link| StepMarking::new(3, 6));
}
