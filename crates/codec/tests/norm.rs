//! NORM's messages: bytes by hand from the RFC's figures, whatever is cut or flipped, and tshark's opinion of them.

mod tshark;

use faircast_codec::fec::PayloadId;
use faircast_codec::norm::{
    Answer, Body, CcNode, Code, Command, Extensions, Feedback, GroupSize, List, Loss, Malformed, Message,
    ObjectInformation, Position, Rate, Requests, RoundTrip, Status, StreamPiece, Time, decode, encode, flag, tfmcc,
    write_list, write_request,
};
use faircast_proto::packet::Address;
use faircast_proto::tfmcc::{DataHeader, Echo, FeedbackHeader};
use faircast_proto::time::Instant;

const STATUS: Status = Status { instance: 0x0a0b, grtt: RoundTrip(157), backoff: 4, group_size: GroupSize(3) };
const ANSWER: Answer = Answer { server: 0x0102_0304, instance: 0x0a0b, response: Time { s: 7, us: 500_000 } };
const FEEDBACK: Feedback = Feedback {
    cc_sequence: 0x0203,
    flags: flag::CLR | flag::RTT,
    rtt: RoundTrip(120),
    loss: Loss(655),
    rate: Rate(0x51f4),
};

fn small(object: u16, block: u32, symbol: u16) -> Position {
    Position { object, symbol: PayloadId::SmallBlock { block, block_len: 32, symbol } }
}

fn message(body: Body, extensions: Extensions, payload: &[u8]) -> Message<'_> {
    Message { sequence: 0x1122, source: 0xc000_0201, body, extensions, payload }
}

/// One of each, and their payloads with lists as long as in practice.
fn all(check: &mut dyn FnMut(&Message<'_>)) {
    let none = Extensions::default();
    let object = |code| Extensions { object: Some(ObjectInformation { object_bytes: 0x0102_0304_0506, code }), ..none };
    let small_code = Code::SmallBlock { instance: 7, segment_bytes: 1400, block_len: 64, parity: 32 };
    let info = |fec_id| Body::Information { status: STATUS, flags: 0x14, fec_id, object: 12 };
    check(&message(info(129), object(small_code), b"name"));
    let code = Code::ReedSolomon8 { segment_bytes: 1400, block_len: 64, encoding_symbols: 96 };
    check(&message(info(5), object(code), b""));
    let code = Code::ReedSolomon { m: 8, symbols: 1, segment_bytes: 1400, block_len: 64, encoding_symbols: 96 };
    check(&message(info(2), object(code), b"x"));
    let data = |flags, position| Body::Data { status: STATUS, flags, position };
    check(&message(data(0x10, small(12, 3, 2)), none, b"payload"));
    let symbol = PayloadId::ReedSolomon8 { block: 0x0001_0203, symbol: 4 };
    check(&message(data(0x01, Position { object: 1, symbol }), none, b"payload"));
    check(&message(data(0, Position { object: 1, symbol: PayloadId::ReedSolomon { bits: 99 } }), none, b""));
    let mut payload = Vec::new();
    StreamPiece { length: 3, start: 1, offset: 0x0102_0304 }.write(&mut payload);
    payload.extend(b"abc");
    check(&message(data(0x20, small(1, 2, 3)), object(small_code), &payload));
    let command = |command| Body::Command { status: STATUS, command };
    let (mut nodes, mut objects) = (Vec::new(), Vec::new());
    write_list(&[1_u32, 2, 0xffff_fffe], &mut nodes);
    write_list(&[13_u16, 15], &mut objects);
    check(&message(command(Command::Flush(small(12, 3, 31))), none, &nodes));
    check(&message(command(Command::EndOfTransmission), none, b""));
    check(&message(command(Command::Squelch(small(12, 3, 0))), none, &objects));
    let mut lines = Vec::new();
    let line = |node, flags| CcNode { node, flags, rtt: RoundTrip(120), rate: Rate(0x51f4) };
    write_list(&[line(9, flag::CLR | flag::RTT), line(10, flag::PLR)], &mut lines);
    let probe = Command::CongestionControl { cc_sequence: 0x0203, sent: Time { s: 7, us: 250_000 } };
    check(&message(command(probe), Extensions { send_rate: Some(Rate(0x51f4)), ..none }, &lines));
    check(&message(command(probe), none, b""));
    let mut requests = Vec::new();
    // Example 2 of section 4.3.1.
    write_request(2, 1, &[small(18, 6, 5), small(18, 6, 10)], &mut requests);
    write_request(1, 5, &[small(19, 1, 3)], &mut requests);
    let fed_back = Extensions { feedback: Some(FEEDBACK), ..none };
    check(&message(command(Command::RepairAdvertisement { flags: 1 }), fed_back, &requests));
    check(&message(command(Command::AcknowledgementRequest { kind: 16, id: 3 }), none, &nodes));
    check(&message(command(Command::Application), none, b"anything"));
    check(&message(Body::Nack { answer: ANSWER }, fed_back, &requests));
    check(&message(Body::Acknowledgement { answer: ANSWER, kind: 1, id: 0 }, fed_back, b""));
    let mut watermark = Vec::new();
    small(12, 3, 31).write(&mut watermark);
    check(&message(Body::Acknowledgement { answer: ANSWER, kind: 2, id: 0 }, none, &watermark));
}

fn bytes(message: &Message<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    encode(message, &mut out);
    out
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[test]
fn bytes_are_those_of_the_figures() {
    let mut written = Vec::new();
    all(&mut |message| written.push(bytes(message)));
    let common = "c0000201 0a0b9d43";
    // Figures 4 to 20 of RFC 5740, by hand.
    for (n, expected) in [
        (0, format!("1108 1122 {common} 1481000c 40040102 03040506 00070578 00400020 6e616d65")),
        (1, format!("1107 1122 {common} 1405000c 40030102 03040506 05784060")),
        (2, format!("1108 1122 {common} 1402000c 40040102 03040506 08010578 00400060 78")),
        (3, format!("1206 1122 {common} 1081000c 00000003 00200002 7061796c6f6164")),
        (4, format!("1205 1122 {common} 01050001 01020304 7061796c6f6164")),
        (7, format!("1306 1122 {common} 0181000c 00000003 0020001f 00000001 00000002 fffffffe")),
        (8, format!("1304 1122 {common} 02000000")),
        (9, format!("1306 1122 {common} 0381000c 00000003 00200000 000d000f")),
        (
            10,
            format!(
                "1307 1122 {common} 04000203 00000007 0003d090 800051f4 \
                 00000009 057851f4 0000000a 027851f4"
            ),
        ),
        (13, format!("1304 1122 {common} 06001003 00000001 00000002 fffffffe")),
        (
            15,
            "1409 1122 c0000201 01020304 0a0b0000 00000007 0007a120 03030203 0578028f 51f40000 \
             02010018 81000012 00000006 00200005 81000012 00000006 0020000a \
             0105000c 81000013 00000001 00200003"
                .to_owned(),
        ),
        (16, "1509 1122 c0000201 01020304 0a0b0100 00000007 0007a120 03030203 0578028f 51f40000".to_owned()),
        (17, "1506 1122 c0000201 01020304 0a0b0200 00000007 0007a120 8100000c 00000003 0020001f".to_owned()),
    ] {
        assert_eq!(written[n], hex(&expected), "message {n}");
    }
    assert_eq!(written.len(), 18);
}

#[test]
fn what_is_written_is_read() {
    all(&mut |message| assert_eq!(decode(&bytes(message)), Ok(*message)));
    let mut seen = Vec::new();
    all(&mut |message| {
        let Body::Nack { .. } = message.body else { return };
        let requests = Requests::read(message.payload).expect("whole");
        seen.extend(requests.flat_map(|request| request.positions().map(move |at| (request.form, request.flags, at))));
    });
    assert_eq!(seen, [(2, 1, small(18, 6, 5)), (2, 1, small(18, 6, 10)), (1, 5, small(19, 1, 3))]);
    let lines = hex("00000009 057851f4");
    let lines: Vec<CcNode> = List::read(&lines).expect("whole").iter().collect();
    assert_eq!((lines.len(), lines[0].node, lines[0].rate), (1, 9, Rate(0x51f4)));
}

/// Anything is refused, or read as what is written and read again.
fn hold(bytes_of: &[u8]) {
    if let Ok(message) = decode(bytes_of) {
        let again = bytes(&message);
        assert!(again.len() <= bytes_of.len(), "{message:?}");
        assert_eq!(decode(&again), Ok(message));
    }
}

#[test]
fn whatever_is_cut_or_flipped_is_refused_or_read() {
    let mut refused = 0;
    all(&mut |message| {
        let whole = bytes(message);
        let header = 4 * usize::from(whole[1]);
        for length in 0..whole.len() {
            hold(&whole[..length]);
            assert!(length >= header || decode(&whole[..length]).is_err(), "{length} of {message:?}");
        }
        for bit in 0..8 * whole.len() {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            hold(&flipped);
            refused += usize::from(decode(&flipped).is_err());
        }
        for byte in 0..whole.len() {
            for value in 0..=u8::MAX {
                let mut other = whole.clone();
                other[byte] = value;
                hold(&other);
            }
        }
    });
    assert!(refused > 300, "{refused}");
}

#[test]
fn each_reason_has_its_bytes() {
    let probe = "1306 1122 c0000201 0a0b9d43 04000203 00000007 0003d090";
    for (text, why) in [
        ("1306 1122 c00002", Malformed::Short),
        ("2304 1122 c0000201 0a0b9d43 02000000", Malformed::Version { version: 2 }),
        ("1604 1122 c0000201 0a0b9d43 02000000", Malformed::Kind { kind: 6 }),
        ("1304 1122 c0000201 0a0b9d43 08000000", Malformed::Kind { kind: 8 }),
        ("1301 1122 c0000201 0a0b9d43 02000000", Malformed::Header),
        ("1303 1122 c0000201 0a0b9d43 02000000", Malformed::Header),
        ("1305 1122 c0000201 0a0b9d43 02000000", Malformed::Header),
        ("1305 1122 c0000201 0a0b9d43 02000000 03020000", Malformed::Extension { kind: 3 }),
        ("1305 1122 c0000201 0a0b9d43 02000000 07000000", Malformed::Extension { kind: 7 }),
        ("1305 1122 c0000201 0a0b9d43 02000000 03010000", Malformed::Extension { kind: 3 }),
        ("1205 1122 c0000201 0a0b9d43 01090001 01020304", Malformed::Fec { fec_id: 9 }),
        (&format!("{probe} 00000009 0578"), Malformed::Contents),
        ("1406 1122 c0000201 01020304 0a0b0000 00000007 0007a120 02010018", Malformed::Contents),
    ] {
        assert_eq!(decode(&hex(text)), Err(why), "{text}");
        assert!(!why.to_string().is_empty());
    }
    // What is not known is passed over: a variable extension of two words and a fixed one.
    let odd = "1307 1122 c0000201 0a0b9d43 02000000 05020000 00000000 c8000000";
    assert_eq!(decode(&hex(odd)).map(|message| message.extensions), Ok(Extensions::default()));
}

#[test]
fn a_receiver_of_tfmcc_measures_and_answers_as_one_of_norm() {
    let (own, s) = (Address::endpoint(4), |s: f64| Instant::from_secs_f64(s));
    let mut heard = tfmcc::Heard::default();
    assert_eq!(heard.packet(65_535, RoundTrip(157), s(1.0)), None);
    let line = CcNode { node: 9, flags: flag::RTT | flag::CLR, rtt: RoundTrip::of_s(0.1), rate: Rate(0) };
    let sent = Time { s: 100, us: 250_000 };
    let echo = heard.probe(0x1fe, sent, Rate::of_bytes_per_s(3.2e4), s(2.0), Some((own, line))).expect("an echo");
    // The round-trip time that TFMCC takes: the time of arrival less the stamp.
    let Echo { stamp_us, is_clr, receiver } = echo;
    assert!(((2e6 - f64::from(stamp_us)) / 1e6 - line.rtt.s()).abs() < 2e-6 && is_clr && receiver == own);
    let (data, at) = heard.packet(65_535, RoundTrip(157), s(2.0)).expect("probed");
    assert_eq!((data.round, data.sequence, data.suppression_bps, at), (0xfe, 65_535, f32::INFINITY, s(100.25)));
    assert!((data.rate_bps - 256e3).abs() < 100.0 && (f64::from(data.max_rtt_us) - 532_216.0).abs() < 2.0, "{data:?}");
    // Numbers go on over the wrap of 16 bits, also for what comes late.
    let next = |heard: &mut tfmcc::Heard, n, at| heard.packet(n, RoundTrip(157), at).expect("probed");
    let (data, at) = next(&mut heard, 2, s(2.5));
    assert_eq!((data.sequence, at), (65_538, s(100.75)));
    assert_eq!(next(&mut heard, 65_534, s(2.5)).0.sequence, 65_534);
    assert_eq!(next(&mut heard, 3, s(2.5)).0.sequence, 65_539);
    heard.suppress(&Feedback { rate: Rate::of_bytes_per_s(1e4), ..FEEDBACK });
    heard.suppress(&FEEDBACK);
    heard.suppress(&Feedback { rate: Rate::of_bytes_per_s(1.0), flags: flag::LEAVE, ..FEEDBACK });
    assert!((next(&mut heard, 4, s(2.5)).0.suppression_bps - 8e4).abs() < 100.0);
    // A report half a second after the probe echoes its stamp and that half.
    let report = FeedbackHeader {
        have_rtt: true,
        have_loss: true,
        leave: false,
        round: 0xfe,
        echoed_stamp_us: 100_750_000,
        rate_bps: 256e3,
        rtt_s: 0.1,
        loss_event_rate: 0.01,
        receive_bps: 3e5,
        scale: 1.0,
    };
    let (cc_sequence, response) = heard.response(report.echoed_stamp_us);
    assert_eq!((cc_sequence, response), (0x1fe, Time { s: 100, us: 750_000 }));
    let fed_back = tfmcc::feedback(&report, cc_sequence, true);
    assert_eq!((fed_back.flags, fed_back.loss, fed_back.rate), (flag::CLR | flag::RTT, Loss(655), Rate(0x51f4)));
    let again = tfmcc::report(&fed_back, response, 0.5);
    assert!((again.rate_bps - 256e3).abs() < 100.0 && (again.rtt_s - 0.1).abs() < 0.008, "{again:?}");
    assert_eq!((again.have_rtt, again.have_loss, again.leave, again.round), (true, true, false, 0xfe));
    assert_eq!(again.echoed_stamp_us, report.echoed_stamp_us);
    // Before a loss the rate is twice what is received; without a round-trip time of its own there is R_max.
    let started = FeedbackHeader { have_rtt: false, have_loss: false, leave: true, ..report };
    let again = tfmcc::report(&tfmcc::feedback(&started, 0x1fe, false), response, 0.5);
    assert_eq!((again.have_rtt, again.have_loss, again.leave, again.rtt_s), (false, false, true, 0.5));
    assert_eq!((again.receive_bps, again.loss_event_rate), (again.rate_bps / 2.0, 0.0));
    // After a silence a number cannot be late: it is ahead, by more than half of all here.
    let mut silent = heard;
    assert_eq!(next(&mut silent, 40_003, s(3.4)).0.sequence, 40_003, "late, as far as is known");
    assert_eq!(next(&mut silent, 40_004, s(4.4)).0.sequence, 65_536 + 40_004);
    assert_eq!(next(&mut silent, 40_005, s(4.4)).0.sequence, 65_536 + 40_005);
    assert_eq!(next(&mut silent, 40_002, s(4.5)).0.sequence, 65_536 + 40_002);
    // A new probe begins a round.
    assert_eq!(heard.probe(0x1ff, sent, Rate(0), s(3.0), None), None);
    assert_eq!(next(&mut heard, 5, s(3.0)).0.suppression_bps, f32::INFINITY);
    // The stamp wraps around after 71 minutes; the answer does not.
    heard.probe(0x200, Time { s: 4294, us: 967_290 }, Rate(0), s(4.0), None);
    assert_eq!(heard.response(4).1, Time { s: 4294, us: 967_300 });
}

#[test]
fn a_sender_of_tfmcc_probes_as_one_of_norm() {
    let mut probes = tfmcc::Probes::default();
    let echo = Echo { receiver: Address::endpoint(9), stamp_us: 5, is_clr: true };
    let mut data = DataHeader {
        round: 250,
        sequence: 3,
        suppression_bps: f32::INFINITY,
        rate_bps: 256e3,
        max_rtt_us: 500_000,
        echo: Some(echo),
        starting: false,
        at_once: false,
    };
    let probe = probes.probe(&data, 77, 0.1, 256e3);
    assert_eq!((probe.cc_sequence, probe.send_rate, probe.grtt), (250, Rate(0x51f4), RoundTrip(157)));
    let line = probe.node.expect("there is an echo");
    assert_eq!((line.node, line.flags, line.rate), (77, flag::RTT | flag::CLR, Rate(0x51f4)));
    assert_eq!(line.rtt, RoundTrip::of_s(0.1));
    (data.round, data.echo) = (4, None);
    let probe = probes.probe(&data, 77, 0.1, 256e3);
    assert_eq!((probe.cc_sequence, probe.node), (260, None), "rounds wrap around after 8 bits, probes after 16");
}

#[test]
fn tshark_finds_no_fault() {
    if !tshark::is_there() {
        return;
    }
    let (mut payloads, mut expected) = (Vec::new(), Vec::new());
    all(&mut |message| {
        let bytes = bytes(message);
        expected.push(format!("{}|{}|{}", bytes[0] & 0xf, bytes[1], message.sequence));
        payloads.push(bytes);
    });
    let fields = ["norm.type", "norm.hlen", "norm.sequence", "norm.source_id", "_ws.malformed", "_ws.expert"];
    let to = payloads.iter().map(|payload| (5006, payload.as_slice()));
    let words = ["-d", "udp.port==5006,norm"].map(str::to_owned);
    let rows = tshark::read("norm.pcap", to, &words, &fields.map(str::to_owned));
    assert_eq!(rows.len(), expected.len());
    for (n, (row, expected)) in rows.iter().zip(&expected).enumerate() {
        assert_eq!(row[..4].join("|"), format!("{expected}|192.0.2.1"), "message {n}");
        // What it takes codes 2 and 5 for, and how far it reads a list of objects, docs/wire-format.md says.
        if ![1, 2, 5, 9].contains(&n) {
            assert_eq!(row[4..], ["", ""], "message {n}");
        }
    }
}
