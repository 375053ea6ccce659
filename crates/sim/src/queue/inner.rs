//! A queue within another.

use super::discipline::{Discipline, InterfaceView, LinkContext, Verdict};
use super::held::{Drops, Held};
use super::scheduler::{InOrder, Scheduler};
use super::{Config, Queue};
use faircast_proto::packet::Packet;
use faircast_proto::time::{Duration, Instant};
use std::sync::Arc;

/// A queue within another, whatever its kind, with its bytes counted.
pub(super) struct Inner {
    queue: Box<dyn Scheduler + Send>,
    bytes: u64,
    /// Packets that have left it and wait on, 0 or 1, and their bytes.
    aside: (u32, u64),
    /// Whether the last packet that the interface has sent or sends is its own.
    serves: bool,
    /// When the last packet of its own had been sent, if another's was sent since.
    idle_since: Instant,
}

impl Inner {
    /// The queue that `config` describes, as if it was alone on the link of `context`.
    pub(super) fn new(config: &Config, context: LinkContext) -> Inner {
        let queue = match Queue::new(config, context) {
            Queue::Scheduler(queue) => queue,
            deciding => Box::new(InOrder::new(deciding)),
        };
        Inner { queue, bytes: 0, aside: (0, 0), serves: false, idle_since: Instant::ZERO }
    }

    /// What it knows of its interface: what waits here, and whether its own packet is in transmission.
    fn view(&self, at: &InterfaceView) -> InterfaceView {
        InterfaceView {
            waiting_pkts: self.queue.len() as u32 + self.aside.0,
            waiting_bytes: self.bytes + self.aside.1,
            transmitting: at.transmitting && self.serves,
            idle_since: if self.serves { at.idle_since } else { self.idle_since },
            ..*at
        }
    }

    pub(super) fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        let view = self.view(at);
        self.queue.arrive(packet, &view)
    }

    pub(super) fn enqueue(&mut self, held: Held, packet: &Packet, at: &InterfaceView, drops: &mut Drops) {
        let (view, before) = (self.view(at), drops.packets.len());
        self.bytes += u64::from(held.size());
        self.queue.enqueue(held, packet, &view, drops);
        self.forget(&drops.packets[before..]);
    }

    pub(super) fn dequeue(&mut self, at: &InterfaceView, drops: &mut Drops) -> Option<(Held, Verdict)> {
        self.rest(at);
        let (view, before) = (self.view(at), drops.packets.len());
        let out = self.queue.dequeue(&view, drops);
        self.forget(&drops.packets[before..]);
        if let Some((held, _)) = &out {
            self.bytes -= u64::from(held.size());
        }
        self.serves = matches!(out, Some((_, Verdict::Accept | Verdict::Mark(_))));
        out
    }

    /// A packet that has left it waits on, so that it counts, or none does.
    pub(super) fn set_aside(&mut self, size: Option<u16>) {
        self.aside = size.map_or((0, 0), |size| (1, u64::from(size)));
    }

    /// The transmitter is free for the next packet, of this queue or of another: if the last was its own, it has been
    /// idle since that had been sent, however often it is asked.
    pub(super) fn rest(&mut self, at: &InterfaceView) {
        if std::mem::take(&mut self.serves) {
            self.idle_since = at.idle_since;
        }
    }

    fn forget(&mut self, dropped: &[(Held, super::DropReason)]) {
        self.bytes -= dropped.iter().map(|(held, _)| u64::from(held.size())).sum::<u64>();
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        self.queue.deadline()
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
        let before = out.len();
        self.queue.remove(leaves, out);
        self.bytes -= out[before..].iter().map(|held| u64::from(held.size())).sum::<u64>();
    }

    pub(super) fn know_dscp(&mut self, of_flows: &Arc<[u8]>) {
        self.queue.know_dscp(of_flows);
    }

    pub(super) fn average_pkts(&self) -> Option<f64> {
        self.queue.average_pkts()
    }

    pub(super) fn service_time(&self, held: &Held, packet: &Packet, plain: Duration) -> Duration {
        self.queue.service_time(held, packet, plain)
    }
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} with {} packets, {} B", self.queue.name(), self.queue.len(), self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::auto::Auto;
    use super::super::battery::{link, packet};
    use super::super::{DropReason, Fifo, GUESTS, QueueKind, red};
    use super::*;
    use crate::ids::LinkId;
    use crate::part::Aim;
    use crate::store::Store;
    use faircast_proto::guest::Kind;
    use faircast_proto::packet::{Ecn, FlowId};
    use faircast_proto::quantity::QueueSize;
    use faircast_proto::time::Rate;

    /// A busy interface, whose last packet left `since`.
    fn view(now: Instant, since: Instant) -> InterfaceView {
        let (waiting_pkts, waiting_bytes, rate) = (0, 0, Rate(1_500_000));
        InterfaceView { now, waiting_pkts, waiting_bytes, transmitting: true, idle_since: since, rate }
    }

    /// A queue that takes so long for each packet.
    struct Slow(Fifo);

    impl Discipline for Slow {
        fn arrive(&mut self, _: &Packet, _: &InterfaceView) -> Verdict {
            Verdict::Accept
        }

        fn average_pkts(&self) -> Option<f64> {
            Some(7.0)
        }
    }

    impl Scheduler for Slow {
        fn name(&self) -> &str {
            "slow"
        }

        fn enqueue(&mut self, held: Held, _: &Packet, _: &InterfaceView, _: &mut Drops) {
            self.0.push(held);
        }

        fn dequeue(&mut self, _: &InterfaceView, _: &mut Drops) -> Option<(Held, Verdict)> {
            self.0.pop().map(|held| (held, Verdict::Accept))
        }

        /// It says so even while it has nothing.
        fn deadline(&self) -> Option<Instant> {
            Some(ms(3))
        }

        fn len(&self) -> usize {
            self.0.len()
        }

        fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
            self.0.remove(leaves, out);
        }

        fn service_time(&self, _: &Held, _: &Packet, plain: Duration) -> Duration {
            plain.mul_f64(3.0)
        }
    }

    struct SlowKind;

    impl QueueKind for SlowKind {
        fn limit(&self) -> QueueSize {
            QueueSize::Packets(9.0)
        }

        fn queue(&self, _: LinkContext) -> Queue {
            Queue::Scheduler(Box::new(Slow(Fifo::default())))
        }
    }

    #[test]
    fn what_a_queue_within_says_of_itself_is_heard() {
        let slow = Kind::<dyn QueueKind>::read_by("slow-within", "", "tests", true.into(), |given| {
            Ok((given, Arc::new(SlowKind) as Arc<dyn QueueKind>))
        });
        GUESTS.add(slow).expect("no other has that name");
        for (around, average, deadline) in [
            (r#"{ "kind": "shaper", "queue": { "kind": "slow-within" } }"#, Some(7.0), Some(ms(3))),
            (r#"{ "kind": "policer", "queue": { "kind": "slow-within" } }"#, Some(7.0), Some(ms(3))),
            // There is no average of them all, and who has nothing need not be asked.
            (r#"{ "kind": "classes", "classes": [{ "queue": { "kind": "slow-within" } }] }"#, None, None),
        ] {
            let config: Config = serde_json::from_str(around).expect("it is legal");
            let Queue::Scheduler(queue) = Queue::new(&config, link(0)) else { panic!("{around}") };
            let packet = packet(1000, Ecn::NotCapable);
            let (label, since, ecn) = (Store::default().insert(&packet), Instant::ZERO, Ecn::NotCapable);
            let held = Held { label, since, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
            let time = queue.service_time(&held, &packet, Duration::from_millis(5));
            assert_eq!((time, queue.average_pkts()), (Duration::from_millis(15), average), "{around}");
            assert_eq!(queue.deadline(), deadline, "{around}");
        }
    }

    /// A packet of a flow, and what a link makes of it.
    fn held(store: &mut Store, flow: u32, since: Instant) -> (Packet, Held) {
        let packet = Packet { flow: FlowId(flow), ..packet(1000, Ecn::NotCapable) };
        let (label, ecn) = (store.insert(&packet), Ecn::NotCapable);
        (packet, Held { label, since, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false })
    }

    #[test]
    fn queues_within_know_the_code_points_of_flows() {
        let classes = r#"{ "kind": "classes", "classes": [{ "dscp": [5], "queue": { "kind": "drop-tail" } },
                           { "priority": 1, "queue": { "kind": "drop-tail" } }] }"#;
        for around in [
            r#"{ "kind": "shaper", "queue": CLASSES }"#,
            r#"{ "kind": "policer", "queue": CLASSES }"#,
            r#"{ "kind": "classes", "classes": [{ "queue": CLASSES }] }"#,
        ] {
            let config: Config = serde_json::from_str(&around.replace("CLASSES", classes)).expect("it is legal");
            let Queue::Scheduler(mut queue) = Queue::new(&config, link(0)) else { panic!("{around}") };
            queue.know_dscp(&[0, 5].into());
            let (mut store, mut drops, now) = (Store::default(), Drops::default(), Instant::ZERO);
            for flow in [0, 1] {
                let (packet, held) = held(&mut store, flow, now);
                queue.enqueue(held, &packet, &view(now, now), &mut drops);
            }
            let mut leave = || queue.dequeue(&free(now, now), &mut drops);
            let flows = [leave(), leave()].map(|out| out.map(|(held, _)| store.get(held.label.packet()).flow.0));
            assert_eq!(flows, [Some(1), Some(0)], "{around}: flow 1 goes first by its DSCP");
        }
    }

    #[test]
    fn what_the_queue_within_drops_leaves_room() {
        let (now, mut store, mut drops) = (Instant::ZERO, Store::default(), Drops::default());
        let mut inner = |config: &str, pkts: u32| {
            let config: Config = serde_json::from_str(config).expect("it is legal");
            let mut inner = Inner::new(&config, link(0));
            for _ in 0..pkts {
                let (packet, held) = held(&mut store, 0, now);
                inner.enqueue(held, &packet, &view(now, now), &mut drops);
            }
            inner
        };
        // CoDel drops the one at whose turn all have waited for 5 ms for 100 ms, and sends the next: of ten seven stay,
        // so that for 10 000 bytes three more may come.
        let mut codel = inner(r#"{ "kind": "codel", "limit": "10000 B" }"#, 10);
        assert!(codel.dequeue(&free(ms(10), now), &mut Drops::default()).is_some());
        let mut dropped = Drops::default();
        assert!(codel.dequeue(&free(ms(110), now), &mut dropped).is_some());
        assert_eq!((dropped.packets.len(), codel.len(), codel.bytes), (1, 7, 7000));
        let mut come = |size: u16| codel.arrive(&packet(size, Ecn::NotCapable), &view(ms(110), now));
        assert_eq!([come(3000), come(3001)], [Verdict::Accept, Verdict::Drop(DropReason::Overflow)]);
        // FQ-CoDel drops the larger half of five when four is the limit, two of them stay.
        let fq_codel = inner(r#"{ "kind": "fq-codel", "limit": "4 packets" }"#, 5);
        assert_eq!((fq_codel.len(), fq_codel.bytes), (2, 2000));
        assert_eq!(drops.packets.len(), 3);
    }

    fn ms(milliseconds: u64) -> Instant {
        Instant(milliseconds * 1_000_000)
    }

    /// An interface that is free, whose last packet left `since`.
    fn free(now: Instant, since: Instant) -> InterfaceView {
        InterfaceView { transmitting: false, ..view(now, since) }
    }

    /// RED with an average of 2.125 whose last packet is in transmission: four came at once, of which the averages
    /// are 0, 0.5, 1.25 and 2.125.
    fn red_that_sends_its_last() -> Inner {
        let red = red::Config { w_q: Auto::Set(0.5), ..Default::default() };
        let (mut inner, mut store) = (Inner::new(&Config::Red(red), link(0)), Store::default());
        let (packet, now, mut drops) = (packet(1000, Ecn::NotCapable), Instant::ZERO, Drops::default());
        for _ in 0..4 {
            assert_eq!(inner.arrive(&packet, &view(now, now)), Verdict::Accept);
            let (label, ecn) = (store.insert(&packet), Ecn::NotCapable);
            let held = Held { label, since: now, aim: Aim::Wanting, link: LinkId(0), ecn, doomed: false };
            inner.enqueue(held, &packet, &view(now, now), &mut drops);
        }
        (0..4).for_each(|_| assert!(inner.dequeue(&free(now, now), &mut drops).is_some()));
        assert_eq!(inner.average_pkts(), Some(2.125));
        inner
    }

    /// Its average when a packet comes.
    fn average_at(inner: &mut Inner, at: InterfaceView) -> f64 {
        inner.arrive(&packet(1000, Ecn::NotCapable), &at);
        inner.average_pkts().expect("RED has one")
    }

    /// That after so many packets which it might have sent, and the one that comes.
    fn decayed(packets: u32) -> f64 {
        2.125 / f64::from(2_u32 << packets)
    }

    // A packet of 1000 bytes takes 5.33 ms: there is time for three in 16 ms, for six in 32.

    #[test]
    fn a_queue_is_not_idle_while_its_own_packet_is_in_transmission() {
        assert_eq!(average_at(&mut red_that_sends_its_last(), view(ms(32), ms(0))), decayed(0));
    }

    #[test]
    fn a_queue_is_idle_with_its_interface() {
        assert_eq!(average_at(&mut red_that_sends_its_last(), free(ms(32), ms(16))), decayed(3));
    }

    #[test]
    fn a_queue_is_idle_while_others_are_sent_however_often_it_is_asked() {
        let (mut inner, mut drops) = (red_that_sends_its_last(), Drops::default());
        // Its own has left at 16 ms, and the interface stood idle until 24 ms. Others are sent from then on.
        assert!(inner.dequeue(&free(ms(24), ms(16)), &mut drops).is_none());
        for now in 25..48 {
            assert!(inner.dequeue(&free(ms(now), ms(now)), &mut drops).is_none());
        }
        assert_eq!(average_at(&mut inner, view(ms(48), ms(47))), decayed(6));
    }

    #[test]
    fn a_queue_is_idle_while_others_are_sent_before_it_is_asked() {
        let mut inner = red_that_sends_its_last();
        inner.rest(&free(ms(16), ms(16)));
        inner.rest(&free(ms(40), ms(40)));
        assert_eq!(average_at(&mut inner, view(ms(48), ms(40))), decayed(6));
    }
}
