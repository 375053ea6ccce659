//! Seals: what is sealed and opened where, what is let through, what counts in the rate; what members say beside.

use crate::content::{Content, Refused};
use crate::session::Session;
use crate::testing::{Cloud, seat, socket};
use faircast_proto::packet::{Ecn, Packet};
use faircast_proto::time::{Duration, Instant};
use serde_json::json;
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Flips the bits of payloads, and appends the sum of all bytes, three times.
#[derive(Default)]
struct Sums {
    is_padded: bool,
    rooms: Vec<usize>,
    taken: Vec<Vec<u8>>,
    heard: Vec<(u64, Vec<u8>)>,
}

fn sum(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte))
}

impl Content for Sums {
    fn fill(&mut self, _packet: &Packet, room: usize, into: &mut Vec<u8>) {
        self.rooms.push(room);
        into.extend(b"payload");
    }

    fn take(&mut self, _now: Instant, _packet: &Packet, payload: &[u8]) {
        self.taken.push(payload.to_vec());
    }

    fn hear(&mut self, _now: Instant, id: u64, said: &[u8]) {
        self.heard.push((id, said.to_vec()));
    }

    fn is_padded(&self) -> bool {
        self.is_padded
    }

    fn seal_bytes(&self) -> usize {
        3
    }

    fn seal(&mut self, message: &mut Vec<u8>, payload_at: usize) -> Result<(), Refused> {
        message[payload_at..].iter_mut().for_each(|byte| *byte = !*byte);
        message.extend([sum(message); 3]);
        Ok(())
    }

    fn open(&mut self, _id: u64, message: &mut [u8], payload_at: usize) -> Result<Range<usize>, Refused> {
        let end = message.len() - 3;
        let right = [sum(&message[..end]); 3];
        message[payload_at..end].iter_mut().for_each(|byte| *byte = !*byte);
        if message[end..] == right { Ok(payload_at..end) } else { Err(Refused) }
    }
}

#[test]
fn what_is_sealed_is_opened_and_nothing_else() {
    for is_padded in [false, true] {
        let session = Session::read(json!({ "scheme": "tfmcc", "max_rate": "1 Mbit/s", "packet_size": "300 B" }));
        let session = session.unwrap();
        let groups = session.groups("239.1.1.1:5000".parse().unwrap()).unwrap();
        let cloud = Rc::new(RefCell::new(Cloud::new(2, vec![groups.first()])));
        let (mut source_clock, mut source_port) = seat(&cloud, 0, Duration::ZERO);
        let (mut clock, mut port) = seat(&cloud, 1, Duration::from_secs(7));
        let mut source = session.source(9, groups, Sums { is_padded, ..Sums::default() }).unwrap();
        let mut member = session.member(5, groups, None, Sums::default()).unwrap();
        member.start(&mut clock, &mut port);
        assert!(!member.say(b"early", &mut clock, &mut port), "no source is known");
        source.start(&mut source_clock, &mut source_port);
        for step in 0..400u64 {
            cloud.borrow().time.set(Instant::ZERO + Duration::from_millis(10 * step));
            source.turn(&mut source_clock, &mut source_port);
            member.turn(&mut clock, &mut port);
            if step == 300 {
                assert!(member.say(b"more, please", &mut clock, &mut port));
            }
        }
        let sent = cloud.borrow().hosts[0].sent.clone();
        // 300 B with IP and UDP: 272, of which 44 are TFMCC's header and 3 seal.
        assert!(source.content().rooms.iter().all(|room| *room == 272 - 44 - 3), "{:?}", source.content().rooms);
        let length = if is_padded { 272 } else { 44 + 7 + 3 };
        assert!(sent.len() > 5 && sent.iter().all(|(.., bytes)| bytes.len() == length), "{is_padded}");
        let expected = if is_padded { [&b"payload"[..], &[0; 218]].concat() } else { b"payload".to_vec() };
        assert!(member.content().taken.len() > 5);
        assert!(member.content().taken.iter().all(|payload| *payload == expected), "zeros are sealed, too");
        assert_eq!(source.content().heard, [(5, b"more, please".to_vec())]);
        let reports: Vec<usize> = cloud.borrow().hosts[1].sent.iter().map(|(.., bytes)| bytes.len()).collect();
        // A report has 68 B with IP and UDP, what is said 22 before what it says.
        assert!(reports.contains(&(40 + 3)) && reports.contains(&(22 + 12 + 3)), "{reports:?}");
        assert_eq!((source.counters().forged, member.counters().forged), (0, 0));
        assert!(source.counters().taken > 1);

        // A bit is another one, anywhere: neither side is touched by it.
        let (taken, heard) = (member.counters().taken, source.counters().taken);
        let (data, report) = (sent.last().unwrap().2.clone(), cloud.borrow().hosts[1].sent.last().unwrap().2.clone());
        let now = cloud.borrow().time.get();
        let mut forged = 0;
        for at in 2..data.len() {
            let mut bytes = data.clone();
            bytes[at] ^= 1;
            forged += 1;
            cloud.borrow_mut().deliver(1, now, socket(0), (Some(0), Ecn::NotCapable), &bytes);
        }
        let mut bytes = report;
        bytes[15] ^= 1;
        cloud.borrow_mut().deliver(0, now, socket(1), (None, Ecn::NotCapable), &bytes);
        for _ in 0..3 {
            member.turn(&mut clock, &mut port);
        }
        source.turn(&mut source_clock, &mut source_port);
        let all = member.counters().forged + member.counters().all_malformed();
        assert_eq!((member.counters().taken, all), (taken, forged), "{:?}", member.counters());
        assert_eq!((source.counters().taken, source.counters().forged), (heard, 1), "{:?}", source.counters());
    }
}

#[test]
fn who_repeats_packets_from_elsewhere_is_not_taken_for_the_source() {
    let session = Session::read(json!({ "scheme": "tfmcc", "max_rate": "1 Mbit/s", "packet_size": "300 B" })).unwrap();
    let groups = session.groups("239.1.1.1:5000".parse().unwrap()).unwrap();
    let cloud = Rc::new(RefCell::new(Cloud::new(2, vec![groups.first()])));
    let (mut source_clock, mut source_port) = seat(&cloud, 0, Duration::ZERO);
    let (mut clock, mut port) = seat(&cloud, 1, Duration::from_secs(7));
    let mut source = session.source(9, groups, Sums::default()).unwrap();
    let mut member = session.member(5, groups, None, Sums::default()).unwrap();
    source.start(&mut source_clock, &mut source_port);
    source.turn(&mut source_clock, &mut source_port);
    member.start(&mut clock, &mut port);
    let recorded = cloud.borrow().hosts[0].sent[0].2.clone();
    let elsewhere = socket(6);
    for step in 0..600u64 {
        let now = Instant::ZERO + Duration::from_millis(10 * step);
        cloud.borrow().time.set(now);
        // Before the first packet of the source itself, and again and again.
        if step % 50 == 0 {
            cloud.borrow_mut().deliver(1, now, elsewhere, (Some(0), Ecn::NotCapable), &recorded);
        }
        source.turn(&mut source_clock, &mut source_port);
        member.turn(&mut clock, &mut port);
        if step == 0 {
            assert_eq!(member.source().unwrap().at, elsewhere);
        }
        if step > 550 {
            assert_eq!(member.source().unwrap().at, socket(0));
            assert!(step % 10 != 0 || member.say(b"more, please", &mut clock, &mut port));
        }
    }
    assert_eq!(member.counters().foreign, 0);
    assert!(member.content().taken.len() > 20, "{}", member.content().taken.len());
    assert_eq!(source.content().heard.len(), 4);
    let to: Vec<_> = cloud.borrow().hosts[1].sent.iter().map(|(at, to, _)| (*at, *to)).collect();
    let late = Instant::ZERO + Duration::from_secs(4);
    assert!(to.iter().all(|(at, to)| *at < late || *to == socket(0)), "reports go to the source: {to:?}");
    assert!(source.counters().taken > 5, "{:?}", source.counters());
}
