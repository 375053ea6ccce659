//! What holds of any packet and of any bytes.

use faircast_codec::testing::{Everybody, hold, wild};
use faircast_codec::{Directory, Malformed, Scope, Unencodable, decode, decode_between_neighbours, encode};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, Packet};
use faircast_proto::random::Random;
use faircast_proto::time::Instant;
use faircast_proto::wire::{Format, IP_BYTES, UDP_BYTES};
use faircast_proto::{guest::GuestHeader, mlda, omcc, pgmcc, smcc, tfmcc};
use std::collections::BTreeMap;

const NEAR: Instant = Instant(1_000_000_000_000 + 7_777_000);
const SCOPE: Everybody = Everybody { near: Some(NEAR) };

/// Numbers in a header that are not legal there.
fn illegal(header: &Header) -> Vec<&'static str> {
    let finite = |numbers: &[(&'static str, f32)]| -> Vec<&'static str> {
        numbers.iter().filter(|(_, number)| !number.is_finite()).map(|(name, _)| *name).collect()
    };
    let of_data = |data: &tfmcc::DataHeader| {
        let mut wrong = finite(&[("rate_bps", data.rate_bps)]);
        let suppression = data.suppression_bps;
        if suppression.is_nan() || suppression == f32::NEG_INFINITY {
            wrong.push("suppression_bps");
        }
        wrong
    };
    let of_report = |report: &tfmcc::FeedbackHeader| {
        finite(&[
            ("rate_bps", report.rate_bps),
            ("rtt_s", report.rtt_s),
            ("loss_event_rate", report.loss_event_rate),
            ("receive_bps", report.receive_bps),
            ("scale", report.scale),
        ])
    };
    let infinite = |name: &'static str, number: f32| if number.is_infinite() { vec![name] } else { Vec::new() };
    match header {
        Header::Tfmcc(tfmcc::Header::Data(data)) => of_data(data),
        Header::Tfmcc(tfmcc::Header::Feedback(report)) => of_report(report),
        Header::Omcc(omcc::Header::Data(data)) => {
            [of_data(&data.tfmcc), finite(&[("scale", data.scale), ("receivers", data.receivers)])].concat()
        }
        Header::Omcc(omcc::Header::Feedback(report)) => {
            [of_report(&report.tfmcc), infinite("draw", report.draw)].concat()
        }
        Header::Smcc(smcc::Header::Data(packed)) => {
            let data = packed.unpack();
            [of_data(&data.data), infinite("next_bps", data.next_bps)].concat()
        }
        Header::Smcc(smcc::Header::Feedback(report)) => of_report(&report.feedback),
        Header::Pgmcc(pgmcc::Header::Ack(pgmcc::Ack { loss_rate, .. }))
        | Header::Pgmcc(pgmcc::Header::Nak(pgmcc::Nak { loss_rate, .. })) => finite(&[("loss_rate", *loss_rate)]),
        _ => Vec::new(),
    }
}

fn read<'a>(header: &Header, bytes: &'a [u8]) -> Result<faircast_codec::Decoded<'a>, Malformed> {
    let mut scope = SCOPE;
    if matches!(header, Header::Membership { .. }) {
        decode_between_neighbours(bytes, &mut scope)
    } else {
        decode(bytes, &mut scope)
    }
}

/// Bytes below the fields and what stands before them.
fn below(header: &Header) -> usize {
    usize::from(if matches!(header, Header::Membership { .. }) { IP_BYTES } else { IP_BYTES + UDP_BYTES })
}

#[test]
fn what_is_legal_comes_back_and_all_else_is_not_written() {
    let (mut random, mut sequence, mut seen) = (Random::stream(1, "test/codec"), 5, BTreeMap::new());
    for n in 0..8_000 {
        let (packet, control) = wild(&mut random, &mut sequence);
        let (header, mut bytes) = (&packet.header, vec![0xee]);
        match encode(&packet, control.as_ref(), &SCOPE, &mut bytes) {
            Err(Unencodable::Number { field }) => {
                assert!(illegal(header).contains(&field), "{field} in {header:?}");
                assert_eq!(bytes, [0xee], "what cannot be written leaves nothing");
                continue;
            }
            Err(other) => panic!("{other}: {packet:?}"),
            Ok(length) => assert_eq!((length, illegal(header)), (bytes.len() - 1, vec![]), "{header:?}"),
        }
        let message = &bytes[1..];
        assert_eq!(below(header) + message.len(), declared(&packet, control.is_some(), message), "{header:?}");
        *seen.entry(header.layout().name).or_insert(0) += 1;
        let decoded = read(header, message).unwrap_or_else(|why| panic!("{why}: {packet:?}"));
        assert_eq!(format!("{:?}", decoded.packet.header), format!("{header:?}"));
        assert_eq!(decoded.control, control);
        assert_eq!(usize::from(decoded.packet.size), below(header) + message.len());
        if !matches!(header, Header::Membership { .. }) {
            assert_eq!(decoded.packet.source, packet.source);
            if let Header::Mlda(mlda::Header::Data(data)) = header {
                assert_eq!(decoded.packet.sent.0 / 1000 % (1 << 32), u64::from(data.timestamp));
            } else if packet.sent == Instant(1_000_000_000_000) && *header != mlda::Header::Bye.into() {
                assert_eq!(decoded.packet.sent, packet.sent);
            }
        }
        // Truncated anywhere it is no message; one of RTCP says itself how long it is.
        for length in 0..message.len() {
            let why = read(header, &message[..length]).expect_err("it is too short");
            assert!(matches!(why, Malformed::Short | Malformed::Rtcp(_)), "{why:?}: {length} bytes of {header:?}");
        }
        // What is behind it is the payload.
        if control.is_none() {
            let length = bytes.len();
            bytes.extend([1, 2, 3]);
            assert_eq!(read(header, &bytes[1..]).expect("with data").payload, [1, 2, 3]);
            bytes.truncate(length);
        }
        // Any bit may be another.
        for bit in (0..8 * (bytes.len() - 1)).filter(|_| n % 20 == 0) {
            bytes[1 + bit / 8] ^= 1 << (bit % 8);
            hold(&bytes[1..]);
            bytes[1 + bit / 8] ^= 1 << (bit % 8);
        }
    }
    // All but segments of TCP: 24 messages in the list of the page, less one.
    assert_eq!(seen.len(), 23, "{seen:?}");
    assert!(seen.values().all(|&count| count > 30), "{seen:?}");
}

/// What its layout says that the message takes, with all that is below it.
fn declared(packet: &Packet, has_control: bool, message: &[u8]) -> usize {
    let layout = packet.header.layout();
    let bytes = usize::from(layout.bytes());
    match (packet.header, layout.format) {
        (Header::Guest(_), _) => bytes + 32,
        (_, Format::Standard) if has_control && !layout.lists.is_empty() => {
            assert!((message.len() + 28 - bytes).is_multiple_of(12));
            message.len() + 28
        }
        _ => bytes,
    }
}

#[test]
fn lengths_of_guests_are_those_that_they_compute_with() {
    let lengths = |header: GuestHeader, wire_bytes: u16| {
        let (packet, mut bytes) = (with(header.into()), Vec::new());
        let length = encode(&packet, None, &SCOPE, &mut bytes).expect("it is legal");
        assert_eq!(length + 28, usize::from(wire_bytes));
        bytes.extend([9; 40]);
        let decoded = read(&packet.header, &bytes).expect("it is a message");
        assert_eq!((decoded.packet.header, decoded.payload), (packet.header, &[9; 40][..]));
    };
    lengths(GuestHeader::data(*b"mine", 1_u8), GuestHeader::wire_bytes::<u8>());
    lengths(GuestHeader::message(*b"mine", (1_u32, 0.5_f64)), GuestHeader::wire_bytes::<(u32, f64)>());
    lengths(GuestHeader::data(*b"mine", [7_u8; 32]), GuestHeader::wire_bytes::<[u8; 32]>());
    // More fields than a header has room for.
    for kind in [128 + 33, 128 + 63, 128 + 64 + 33, 255] {
        let bytes = [&[1, kind][..], &[1; 12], &[0; 80]].concat();
        assert_eq!(decode(&bytes, &mut SCOPE.clone()).err(), Some(Malformed::Kind { kind }));
    }
}

#[test]
fn every_reason_is_given_and_counted() {
    let datagram = || {
        let mut bytes = Vec::new();
        encode(&with(Header::Datagram { sequence: 1 }), None, &SCOPE, &mut bytes).expect("it is legal");
        bytes
    };
    let changed = |at: usize, byte: u8| {
        let mut bytes = datagram();
        bytes[at] = byte;
        bytes
    };
    let nobody = [&[1, 1][..], &[0; 20]].concat();
    let infinite = {
        let ack = pgmcc::Ack { echoed_stamp_us: 0, loss_rate: 0.0, highest: 0, bitmap: 0, leave: false };
        let mut bytes = Vec::new();
        encode(&with(pgmcc::Header::Ack(ack).into()), None, &SCOPE, &mut bytes).expect("it is legal");
        bytes[19..23].copy_from_slice(&f32::INFINITY.to_be_bytes());
        bytes
    };
    let cases: [(Vec<u8>, Malformed); 16] = [
        (vec![], Malformed::Short),
        (vec![1], Malformed::Short),
        (vec![0], Malformed::Version { version: 0 }),
        (datagram()[..21].to_vec(), Malformed::Short),
        (vec![1; 65_508], Malformed::Long),
        (changed(0, 2), Malformed::Version { version: 2 }),
        (changed(0, 0), Malformed::Version { version: 0 }),
        (changed(0, 0x7f), Malformed::Version { version: 0x7f }),
        (changed(1, 0), Malformed::Kind { kind: 0 }),
        (changed(1, 2), Malformed::Kind { kind: 2 }),
        (changed(1, 99), Malformed::Kind { kind: 99 }),
        (changed(2, 0), Malformed::Stranger),
        (nobody, Malformed::Nobody { field: "sender" }),
        (infinite, Malformed::Number { field: "loss_rate" }),
        (vec![0x8f, 96, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], Malformed::Rtp),
        (vec![0x80, 204, 0, 0], Malformed::Rtcp(mlda::rtcp::Malformed::Kind { packet_type: 204, blocks: 0 })),
    ];
    let mut counts = [0; Malformed::REASONS.len()];
    for (bytes, expected) in &cases {
        let why = decode(bytes, &mut SCOPE.clone()).expect_err("it is no message");
        assert_eq!(why, *expected);
        counts[why.reason()] += 1;
        assert!(!why.to_string().is_empty());
    }
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
    assert_eq!(decode(&datagram(), &mut SCOPE.clone()).map(|decoded| decoded.payload.len()).ok(), Some(0));
    assert_eq!(decode_between_neighbours(&datagram(), &mut SCOPE.clone()).err(), Some(Malformed::Kind { kind: 1 }));
}

#[test]
fn what_has_no_place_is_not_written() {
    struct Nobody;
    impl Directory for Nobody {
        fn id(&self, address: Address) -> u64 {
            u64::from(address == Address::endpoint(1))
        }
        fn address(&mut self, _: u64) -> Option<Address> {
            None
        }
    }
    let why = |header: Header, control: bool| {
        let octets = mlda::rtcp::Bye { ssrc: 1 }.encode();
        let mut out = vec![1, 2];
        let control = control.then(|| octets.into());
        let why = encode(&with(header), control.as_ref(), &Nobody, &mut out).expect_err("it has no place");
        assert_eq!(out, [1, 2]);
        why
    };
    assert_eq!(why(faircast_proto::tcp::Header::Syn.into(), false), Unencodable::Foreign);
    assert_eq!(why(Header::Datagram { sequence: 1 }, true), Unencodable::Control);
    assert_eq!(why(mlda::Header::SenderReport { number: 1 }.into(), true), Unencodable::Control);
    let missing = mlda::rtcp::Malformed::Missing;
    assert_eq!(why(mlda::Header::Bye.into(), false), Unencodable::Rtcp(missing));
    let data = pgmcc::Data { sequence: 1, acker: Some(Address::endpoint(2)) };
    assert_eq!(why(pgmcc::Header::Data(data).into(), false), Unencodable::Nobody { field: "acker" });
    let membership = faircast_proto::packet::MembershipMessage::Report;
    let header = Header::Membership { what: membership, session: 0, number: 0, groups: Default::default() };
    assert_eq!(why(header, false), Unencodable::Nobody { field: "session" });
    let mut out = Vec::new();
    let stranger = Packet { source: Address::endpoint(2), ..with(Header::Datagram { sequence: 1 }) };
    let why = encode(&stranger, None, &Nobody, &mut out);
    assert_eq!(why, Err(Unencodable::Nobody { field: "sender" }));
}

#[test]
fn only_who_sends_a_message_gets_a_place() {
    /// Makes a place for every sender, and looks for those that are named.
    struct Places(Vec<u64>);
    impl Directory for Places {
        fn id(&self, _: Address) -> u64 {
            5
        }
        fn address(&mut self, id: u64) -> Option<Address> {
            self.0.push(id);
            Some(Address::endpoint(self.0.len() as u32))
        }
        fn named(&mut self, id: u64) -> Option<Address> {
            self.0.iter().position(|&known| known == id).map(|at| Address::endpoint(at as u32 + 1))
        }
    }
    impl Scope for Places {
        fn near(&self, _: Address) -> Option<Instant> {
            None
        }
    }
    let message = |sender: u64, acker: u64| {
        [&[1, 80][..], &sender.to_be_bytes(), &[0; 4], &[0; 4], &acker.to_be_bytes()].concat()
    };
    let mut places = Places(Vec::new());
    let acker = |places: &mut Places, sender, acker| {
        let bytes = message(sender, acker);
        match decode(&bytes, places).expect("it is a message").packet.header {
            Header::Pgmcc(pgmcc::Header::Data(data)) => data.acker,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(acker(&mut places, 77, 0), None);
    assert_eq!(acker(&mut places, 78, 99), Some(Address::STRANGER));
    assert_eq!(acker(&mut places, 79, 78), Some(Address::endpoint(2)));
    // A message that is refused leaves no trace of its sender.
    assert!(decode(&message(1000, 5)[..25], &mut places).is_err());
    assert!(decode(&message(0, 5), &mut places).is_err());
    assert_eq!(places.0, [77, 78, 79]);
}

/// As many as `FAIRCAST_INPUTS` says, or few: messages with some bytes changed, cut off and put together.
#[test]
fn no_bytes_upset_it() {
    let inputs = std::env::var("FAIRCAST_INPUTS").map_or(20_000, |inputs| inputs.parse().expect("a number"));
    let (mut random, mut sequence, mut read) = (Random::stream(2, "test/bytes"), 5, 0_u64);
    let mut draw = |most: usize| (random.uniform() * most as f64) as usize;
    let mut wild_random = Random::stream(3, "test/bytes/packets");
    let (mut known, mut done) = (Vec::<Vec<u8>>::new(), 0_u64);
    while done < inputs {
        let (packet, control) = wild(&mut wild_random, &mut sequence);
        let mut bytes = Vec::new();
        if encode(&packet, control.as_ref(), &SCOPE, &mut bytes).is_ok() {
            known.push(bytes);
        }
        if known.len() < 64 {
            continue;
        }
        for _ in 0..256 {
            let mut bytes = known[draw(known.len())].clone();
            for _ in 0..draw(5) {
                let at = draw(bytes.len().max(1));
                match draw(6) {
                    0 => bytes.truncate(at),
                    1 => bytes.extend_from_slice(&known[draw(known.len())]),
                    2 => bytes = (0..draw(100)).map(|_| draw(256) as u8).collect(),
                    _ if bytes.is_empty() => {}
                    3 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][draw(5)],
                    4 => bytes[at] ^= 1 << draw(8),
                    _ => bytes[at] = draw(256) as u8,
                }
            }
            read += u64::from(hold(&bytes));
            done += 1;
        }
        if known.len() > 2000 {
            known.clear();
        }
    }
    assert!(read > done / 10, "{read} of {done} were read");
}

fn with(header: Header) -> Packet {
    Packet {
        sent: NEAR,
        flow: FlowId(0),
        source: Address::endpoint(1),
        destination: Address::group(0),
        size: 1000,
        ttl: 1,
        ecn: Ecn::NotCapable,
        header,
    }
}
