//! LCT's packets: bytes by hand from the RFC's figures, every length, whatever is cut or flipped, and tshark's opinion.

mod tshark;

use faircast_codec::fec::PayloadId;
use faircast_codec::lct::{
    Extensions, FdtInstance, Lengths, Malformed, Packet, Times, Unencodable, decode, encode, layers,
};
use faircast_proto::source::layered;

const PLAIN: Packet<'_> = Packet {
    lengths: Lengths { congestion_control: 1, session: 1, object: 1, half: false },
    congestion_control: [0; 4],
    session: 0x0a0b_0c0d,
    object: 3,
    indication: 0,
    close_session: false,
    close_object: false,
    codepoint: 0,
    extensions: Extensions {
        authentication: None,
        times: None,
        object_information: None,
        table: None,
        content_encoding: None,
    },
    // Block 1, symbol 2, and the symbol.
    payload: &[0, 1, 0, 2, b'a', b'b', b'c'],
};

/// Compact no-code: length 7, two bytes reserved, symbols of 1400 bytes, 64 in a block.
const NO_CODE: &[u8] = &[0, 0, 0, 0, 0, 7, 0, 0, 0x05, 0x78, 0, 0, 0, 64];
const TIMES: Times = Times { sent_s: Some(7), sent_fraction: Some(1 << 31), residual: Some(30), last_change: Some(5) };

/// Every combination of lengths, then every extension.
fn all() -> Vec<Packet<'static>> {
    let mut packets = vec![PLAIN];
    for congestion_control in 1..=4 {
        for (session, object, half) in (0..2).flat_map(|s| (0..4).flat_map(move |o| [(s, o, false), (s, o, true)])) {
            let lengths = Lengths { congestion_control, session, object, half };
            let bits = |bytes: usize| if bytes == 0 { 0 } else { u128::MAX >> (128 - 8 * bytes) };
            let mut control = [0x0102_0304, 5, 6, 7];
            control[usize::from(congestion_control)..].fill(0);
            packets.push(Packet {
                lengths,
                congestion_control: control,
                session: (bits(lengths.session_bytes()) / 3) as u64,
                object: bits(lengths.object_bytes()) / 5,
                indication: 2,
                close_session: half,
                close_object: !half,
                ..PLAIN
            });
        }
    }
    let none = PLAIN.extensions;
    let table = Some(FdtInstance { version: 2, instance: 0xf_1234 });
    for extensions in [
        Extensions { table, content_encoding: Some(3), object_information: Some(NO_CODE), ..none },
        Extensions { times: Some(TIMES), ..none },
        Extensions { times: Some(Times { sent_fraction: None, residual: None, ..TIMES }), ..none },
        Extensions { times: Some(Times::default()), authentication: Some(&[1, 2, 3, 4, 5, 6]), ..none },
    ] {
        packets.push(Packet { extensions, ..PLAIN });
    }
    packets
}

fn bytes(packet: &Packet<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    encode(packet, &mut out).expect("it fits");
    out
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

#[test]
fn bytes_are_those_of_the_figures() {
    // Figure 1: V = 1, C = 0, S = 1, O = 1, H = 0; four words.
    assert_eq!(bytes(&PLAIN), hex("10a00400 00000000 0a0b0c0d 00000003 00010002 616263"));
    // C = 3, PSI = 2, S = 1, O = 3, H = 1, A = 1: 1 + 4 + 1 1/2 + 3 1/2 words.
    let long = Packet {
        lengths: Lengths { congestion_control: 4, session: 1, object: 3, half: true },
        congestion_control: [1, 2, 3, 4],
        session: 0x0102_0304_0506,
        object: 0x0102_0304_0506_0708_090a_0b0c_0d0e,
        indication: 2,
        close_session: true,
        codepoint: 129,
        payload: b"",
        ..PLAIN
    };
    let expected = "1ef20a81 00000001 00000002 00000003 00000004 010203040506 0102030405060708090a0b0c0d0e";
    assert_eq!(bytes(&long), hex(expected));
    let close = Packet { close_object: true, payload: b"", ..PLAIN };
    assert_eq!(bytes(&close), hex("10a10400 00000000 0a0b0c0d 00000003"));
    // Figures 2 to 4, and figure 2 of RFC 6726.
    let all = all();
    let header = "00000000 0a0b0c0d 00000003";
    for (n, expected) in [
        (65, format!("10a00a00 {header} c02f1234 c1030000 40040000 00000007 00000578 00000040 00010002 616263")),
        (66, format!("10a00900 {header} 0205f000 00000007 80000000 0000001e 00000005 00010002 616263")),
        (67, format!("10a00700 {header} 02039000 00000007 00000005 00010002 616263")),
        (68, format!("10a00700 {header} 01020102 03040506 02010000 00010002 616263")),
    ] {
        assert_eq!(bytes(&all[n]), hex(&expected), "packet {n}");
    }
    assert_eq!(all.len(), 69);
}

#[test]
fn what_is_written_is_read() {
    for packet in all() {
        let bytes = bytes(&packet);
        let read = decode(&bytes).expect("it was written");
        assert_eq!(read, packet);
        assert_eq!(read.symbol(0), Some((PayloadId::NoCode { block: 1, symbol: 2 }, &b"abc"[..])));
        assert_eq!((read.symbol(129), read.symbol(99)), (None, None));
    }
}

#[test]
fn whatever_is_cut_or_flipped_is_refused_or_read() {
    let hold = |of: &[u8]| {
        if let Ok(packet) = decode(of) {
            let again = bytes(&packet);
            assert!(again.len() <= of.len(), "{packet:?}");
            assert_eq!(decode(&again), Ok(packet));
        }
    };
    for packet in all() {
        let whole = bytes(&packet);
        for length in 0..whole.len() {
            hold(&whole[..length]);
            assert!(length >= 4 * usize::from(whole[2]) || decode(&whole[..length]).is_err());
        }
        for byte in 0..whole.len() {
            for value in (0..8).map(|bit| whole[byte] ^ 1 << bit).chain((0..=u8::MAX).step_by(15)) {
                let mut other = whole.clone();
                other[byte] = value;
                hold(&other);
            }
        }
    }
}

#[test]
fn each_reason_has_its_bytes() {
    for (text, why) in [
        ("10a004", Malformed::Short),
        ("20a00400 00000000 0a0b0c0d 00000003", Malformed::Version { version: 2 }),
        ("10a00500 00000000 0a0b0c0d 00000003", Malformed::Header),
        ("10a00300 00000000 0a0b0c0d 00000003", Malformed::Header),
        ("10a00000 00000000 0a0b0c0d 00000003", Malformed::Header),
        ("10a00500 00000000 0a0b0c0d 00000003 05020000", Malformed::Extension { kind: 5 }),
        ("10a00500 00000000 0a0b0c0d 00000003 00000000", Malformed::Extension { kind: 0 }),
        ("10a00500 00000000 0a0b0c0d 00000003 02018000", Malformed::Extension { kind: 2 }),
        ("10a00600 00000000 0a0b0c0d 00000003 02024000 00000007", Malformed::Extension { kind: 2 }),
    ] {
        assert_eq!(decode(&hex(text)), Err(why), "{text}");
        assert!(!why.to_string().is_empty());
    }
    // Nothing is said by EXT_NOP, by extensions that are not known, by reserved bits.
    let odd = "10ac0700 00000000 0a0b0c0d 00000003 0002abcd 00000000 c8010203";
    assert_eq!(decode(&hex(odd)), Ok(Packet { payload: b"", ..PLAIN }));
}

#[test]
fn what_has_no_place_is_refused() {
    let table = |version, instance| Some(FdtInstance { version, instance });
    let with = |extensions| Packet { extensions, ..PLAIN };
    let none = PLAIN.extensions;
    let long = [0; 1018];
    let lengths = |congestion_control, session, object| Lengths { congestion_control, session, object, half: false };
    for (packet, why) in [
        (Packet { session: 1 << 32, ..PLAIN }, Unencodable::Number { field: "session" }),
        (Packet { object: 1 << 32, ..PLAIN }, Unencodable::Number { field: "object" }),
        (Packet { indication: 4, ..PLAIN }, Unencodable::Number { field: "indication" }),
        (Packet { lengths: lengths(0, 1, 1), ..PLAIN }, Unencodable::Lengths),
        (Packet { lengths: lengths(5, 1, 1), ..PLAIN }, Unencodable::Lengths),
        (Packet { lengths: lengths(1, 2, 1), ..PLAIN }, Unencodable::Lengths),
        (Packet { lengths: lengths(1, 1, 4), ..PLAIN }, Unencodable::Lengths),
        (with(Extensions { table: table(16, 0), ..none }), Unencodable::Number { field: "table" }),
        (with(Extensions { table: table(2, 1 << 20), ..none }), Unencodable::Number { field: "table" }),
        (
            with(Extensions { authentication: Some(&[1, 2, 3]), ..none }),
            Unencodable::Number { field: "authentication" },
        ),
        (
            with(Extensions { times: Some(Times { sent_s: None, ..TIMES }), ..none }),
            Unencodable::Number { field: "sent_fraction" },
        ),
        (with(Extensions { authentication: Some(&long), ..none }), Unencodable::Long),
    ] {
        let mut out = vec![9];
        assert_eq!((encode(&packet, &mut out), out), (Err(why), vec![9]));
        assert!(!why.to_string().is_empty());
    }
}

#[test]
fn layers_are_channels() {
    let said = layered::Header::Data { layer: 5, sequence: 0x0102_0304 };
    let packet = layers::packet(5, 0x0102_0304, 0x1122_3344, 77, 1, PLAIN.payload);
    let bytes = bytes(&packet);
    assert_eq!(bytes, hex("18a00600 05000000 01020304 11223344 0000004d 00000001 00010002 616263"));
    assert_eq!(layers::data(&decode(&bytes).expect("written")), Some((said, 0x1122_3344)));
    assert_eq!(layers::data(&PLAIN), None);
    assert_eq!(layers::data(&Packet { congestion_control: [1, 0, 0, 0], ..packet }), None);
}

#[test]
fn tshark_finds_no_fault() {
    if !tshark::is_there() {
        return;
    }
    let packets = all();
    let payloads: Vec<Vec<u8>> = packets.iter().map(bytes).collect();
    let fields = ["rmt-lct.hlen", "rmt-lct.codepoint", "rmt-lct.flags.close_session", "_ws.malformed", "_ws.expert"];
    let to = payloads.iter().map(|payload| (5007, payload.as_slice()));
    let words = ["-d", "udp.port==5007,alc"].map(str::to_owned);
    let rows = tshark::read("lct.pcap", to, &words, &fields.map(str::to_owned));
    assert_eq!(rows.len(), packets.len());
    for (row, (packet, bytes)) in rows.iter().zip(packets.iter().zip(&payloads)) {
        assert_eq!(row[..2], [(4 * u32::from(bytes[2])).to_string(), packet.codepoint.to_string()], "{packet:?}");
        assert!(row[2].ends_with(if packet.close_session { '1' } else { '0' }), "{row:?}");
        assert_eq!(row[3..], ["", ""], "{packet:?}");
    }
}
