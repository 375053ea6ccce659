//! Members with the real source over links with queues.

use super::*;
use crate::group_set::GroupSet;
use std::cell::RefCell;
use std::rc::Rc;

/// A drop-tail link before some of the members; a packet goes over it once if any of them holds its group.
struct Link {
    bps: f64,
    most: usize,
    members: Vec<usize>,
    holds: Rc<RefCell<Vec<GroupSet>>>,
    free_at: Instant,
    last: Option<(Address, Instant, Header, Fate)>,
}

impl Link {
    fn carry(&mut self, packet: &Packet) -> Fate {
        let crate::packet::Header::Smcc(header) = packet.header else { panic!("{packet:?}") };
        if let Some((to, sent, last, fate)) = self.last
            && (to, sent, last) == (packet.destination, packet.sent, header)
        {
            return fate;
        }
        let group = (packet.destination.index() - GROUP.index()) as u32;
        let holds = self.holds.borrow();
        let fate = if self.members.iter().any(|&n| holds[n].contains(group)) {
            let takes_s = f64::from(packet.size) * 8.0 / self.bps;
            let waits = self.free_at.since(packet.sent);
            if waits.as_secs_f64() > self.most as f64 * takes_s {
                Fate::Lose
            } else {
                self.free_at = self.free_at.max(packet.sent) + Duration::from_secs_f64(takes_s);
                Fate::Late(self.free_at.since(packet.sent))
            }
        } else {
            Fate::Lose
        };
        self.last = Some((packet.destination, packet.sent, header, fate));
        fate
    }
}

/// Bytes that each member has got without duplicates.
fn bytes<N>(group: &Group<Sender, Receiver, N>) -> Vec<f64> {
    group.members.iter().map(|member| member.distinct_bytes as f64).collect()
}

#[test]
fn members_behind_one_link_climb_together_and_a_late_slow_one_costs_them_nothing() {
    let holds = Rc::new(RefCell::new(vec![GroupSet::EMPTY; 3]));
    let link = |mbps: f64, members: &[usize]| Link {
        bps: mbps * 1e6,
        most: 30,
        members: members.to_vec(),
        holds: Rc::clone(&holds),
        free_at: Instant::ZERO,
        last: None,
    };
    let mut links = [link(3.3, &[0, 1]), link(0.5, &[2])];
    let network = move |_: Who, to: Who, packet: &Packet| match to {
        Who::Receiver(n) => links.iter_mut().find(|link| link.members.contains(&n)).expect("one").carry(packet),
        Who::Sender => Fate::Deliver,
    };
    let mut group = session(&layers(3, 1), &[20, 25, 20], network);
    group.start(Who::Sender);
    group.start(Who::Receiver(0));
    group.start(Who::Receiver(1));
    let run_until = |group: &mut Group<Sender, Receiver, _>, until_s: f64| {
        while group.now() < at(until_s) {
            group.run_until(group.now() + Duration::from_millis(1));
            holds.borrow_mut().iter_mut().zip(&group.counts[1..]).for_each(|(held, counts)| *held = counts.joined);
        }
    };
    run_until(&mut group, 60.0);
    let first = bytes(&group);
    run_until(&mut group, 160.0);
    let alone: Vec<f64> = bytes(&group).iter().zip(&first).map(|(to, from)| (to - from) * 8.0 / 100.0).collect();
    assert!(alone[..2].iter().all(|&bps| bps > 1.9e6), "{alone:?}");
    group.start(Who::Receiver(2));
    run_until(&mut group, 175.0);
    let slow_bps = group.source.rate_bps(0);
    assert!(slow_bps < 0.6e6, "{slow_bps}");
    let first = bytes(&group);
    run_until(&mut group, 275.0);
    let beside: Vec<f64> = bytes(&group).iter().zip(&first).map(|(to, from)| (to - from) * 8.0 / 100.0).collect();
    assert!(beside[..2].iter().all(|&bps| bps > 1.9e6) && beside[2] > 0.25e6, "{beside:?}");
    assert_eq!(group.members[2].level(), 0);
}
