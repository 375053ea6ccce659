//! Wireshark reads what is written: RTP and RTCP by its own dissectors, the project's format by `tools/faircast.lua`,
//! whose table of messages is that of the layouts.

mod tshark;

use faircast_codec::encode;
use faircast_codec::testing::{Everybody, wild};
use faircast_proto::packet::{Header, Packet};
use faircast_proto::random::Random;
use faircast_proto::wire::{Field, Format, Layout, MEMBERSHIP_ACKNOWLEDGEMENT};
use faircast_proto::{mlda, packet};
use std::collections::BTreeMap;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/faircast.lua");
const SCOPE: Everybody = Everybody { near: None };
/// Fields that are floating-point numbers.
const FLOATS: [&str; 11] = [
    "draw",
    "equation scale",
    "loss_event_rate",
    "loss_rate",
    "next rate",
    "rate",
    "receive",
    "receivers",
    "rtt",
    "scale",
    "suppression",
];
/// Fields that are ids.
const IDS: [&str; 4] = ["acker", "echo receiver", "sender", "session"];
const NATIVE: u16 = 5000;
const RTP: u16 = 5004;
const RTCP: u16 = 5005;

fn fields(layout: &Layout) -> Vec<Field> {
    layout.first.iter().chain(layout.parts).flat_map(|part| part.iter().copied()).collect()
}

/// "n" a number, "f" a floating-point number, "i" an id, "b" bits.
fn sort(field: &Field) -> &'static str {
    match field {
        Field { name, .. } if FLOATS.contains(name) => "f",
        Field { name, .. } if IDS.contains(name) => "i",
        Field { bits: 65.., .. } => "b",
        _ => "n",
    }
}

/// Some packets with their bytes, with each message among them.
fn packets() -> Vec<(Packet, Vec<u8>)> {
    let (mut random, mut sequence) = (Random::stream(6, "test/dissectors"), 9);
    let mut packets = Vec::new();
    while packets.len() < 700 {
        let (packet, control) = wild(&mut random, &mut sequence);
        let mut bytes = Vec::new();
        if encode(&packet, control.as_ref(), &SCOPE, &mut bytes).is_ok() {
            if packet.is_data() {
                bytes.extend([7; 5]);
            }
            packets.push((packet, bytes));
        }
    }
    packets
}

fn table() -> String {
    let packets = packets();
    let layouts = packets.iter().map(|(packet, _)| packet.header.layout()).chain([&MEMBERSHIP_ACKNOWLEDGEMENT]);
    let by_kind: BTreeMap<u8, &Layout> = layouts.filter_map(|layout| Some((layout.format.kind()?, layout))).collect();
    let message = |(kind, layout): (&u8, &&Layout)| {
        let fields: String = fields(layout)
            .iter()
            .map(|field| format!("        {{ \"{}\", {}, \"{}\" }},\n", field.name, field.bits / 8, sort(field)))
            .collect();
        format!("    [{kind}] = {{ name = \"{}\", fields = {{\n{fields}    }} }},\n", layout.name)
    };
    format!("MESSAGES = {{\n{}}}\n", by_kind.iter().map(message).collect::<String>())
}

#[test]
fn the_script_has_every_message() {
    let (begin, end) = ("-- begin of the table\n", "-- end of the table\n");
    let text = std::fs::read_to_string(SCRIPT).expect("the script is there");
    let (head, rest) = text.split_once(begin).expect("where it begins");
    let (written, tail) = rest.split_once(end).expect("where it ends");
    let expected = format!("local {}", table());
    if std::env::var_os("FAIRCAST_WRITE_DISSECTOR").is_some() {
        std::fs::write(SCRIPT, [head, begin, &expected, end, tail].concat()).expect("it can be written");
    } else {
        assert_eq!(written, expected, "FAIRCAST_WRITE_DISSECTOR=1 renews it");
    }
}

#[test]
fn tshark_reads_all_that_is_written() {
    if !tshark::is_there() {
        return;
    }
    let packets: Vec<(Packet, Vec<u8>)> = packets().into_iter().filter(|(packet, _)| is_over_udp(packet)).collect();
    let mut names: Vec<String> = packets
        .iter()
        .filter(|(packet, _)| port(packet) == NATIVE)
        .flat_map(|(packet, _)| fields(packet.header.layout()))
        .map(|field| filter(field.name))
        .collect();
    names.extend(["sender", "stamp", "kind", "guest_fields", "payload"].map(filter));
    names
        .extend(["rtp.seq", "rtp.timestamp", "rtp.ssrc", "rtp.marker", "rtp.p_type", "rtp.payload"].map(str::to_owned));
    names.extend(["rtcp.pt", "rtcp.length_check", "rtcp.ssrc.identifier", "rtcp.senderssrc"].map(str::to_owned));
    let of_extension = ["type", "length"].map(|field| format!("rtcp.profile-specific-extension.{field}"));
    names.extend_from_slice(&of_extension);
    names.sort();
    names.dedup();
    let rows = rows(&packets, &names);
    assert_eq!(rows.len(), packets.len(), "a line for each packet");
    let mut extended = 0;
    for ((packet, bytes), row) in packets.iter().zip(&rows) {
        let complaint = (row["_ws.malformed"].as_str(), row["_ws.expert"].as_str());
        assert_eq!(complaint, ("", ""), "tshark finds fault with {bytes:?}, {packet:?}");
        let protocols = row["frame.protocols"].rsplit(':').next().unwrap_or_default().to_owned();
        match packet.header {
            Header::Mlda(mlda::Header::Data(data)) => {
                // The payload may be taken for something.
                assert!(row["frame.protocols"].contains(":rtp"), "{row:?}");
                let expected = [u64::from(data.sequence), data.timestamp.into(), data.ssrc.into(), 96];
                let read = ["rtp.seq", "rtp.timestamp", "rtp.ssrc", "rtp.p_type"].map(|name| number(&row[name]));
                assert_eq!((read, row["rtp.payload"].as_str()), (expected, "0707070707"));
                assert_eq!(row["rtp.marker"] == "1" || row["rtp.marker"] == "True", data.probe, "{row:?}");
            }
            Header::Mlda(header) => {
                assert_eq!(protocols, "rtcp", "{row:?}");
                let (types, extension_at) = match header {
                    mlda::Header::SenderReport { .. } => ("200", Some(28)),
                    mlda::Header::ReceiverReport { .. } => ("201", Some(32)),
                    _ => ("201,203", None),
                };
                assert_eq!(row["rtcp.pt"], types, "{row:?}");
                // The extension of a profile, as one block to the end.
                let [kind, length] = of_extension.each_ref().map(|name| row[name].as_str());
                if let Some(at) = extension_at {
                    extended += 1;
                    assert!(number(kind) >= 0x8000, "{row:?}");
                    assert_eq!(number(length) as usize, bytes.len() - at, "{row:?}");
                } else {
                    assert_eq!((kind, length), ("", ""), "{row:?}");
                }
                // Empty where there is nothing to complain of.
                assert!(!row["rtcp.length_check"].contains("False") && !row["rtcp.length_check"].contains('0'));
                let sender = row["rtcp.senderssrc"].split(',').next().unwrap_or_default().to_owned();
                assert_eq!(number(&sender), u64::from(u32::from_be_bytes(bytes[4..8].try_into().expect("4"))));
            }
            _ => {
                assert_eq!(protocols, "faircast", "{row:?}");
                dissected(packet, bytes, row);
            }
        }
    }
    assert!(extended > 5, "{extended}");
}

/// Holds what the script shows against the bytes, field by field.
fn dissected(packet: &Packet, bytes: &[u8], row: &BTreeMap<String, String>) {
    let layout = packet.header.layout();
    let head = [Field::new("version", 8), Field::new("kind", 8), Field::new("sender", 64), Field::new("stamp", 32)];
    let mut at = 0;
    for field in head.into_iter().chain(fields(layout)).skip(1) {
        at += if field.name == "kind" { 1 } else { 0 };
        let length = usize::from(field.bits / 8);
        let raw = bytes[at..at + length].iter().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
        let shown = &row[&filter(field.name)];
        if sort(&field) == "f" {
            let (expected, shown) = (f32::from_bits(raw as u32), shown.parse::<f32>().expect(shown));
            let is_same = expected == shown || (expected.is_nan() && shown.is_nan());
            assert!(is_same || (expected - shown).abs() <= 1e-5 * expected.abs(), "{}: {shown}", field.name);
        } else {
            assert_eq!(number(shown), raw, "{} in {row:?}", field.name);
        }
        at += length;
    }
    assert_eq!(row[&filter("payload")], if packet.is_data() { "0707070707" } else { "" });
    let is_guest = matches!(packet.header, packet::Header::Guest(_));
    assert_eq!(row[&filter("guest_fields")].len(), if is_guest { 64 } else { 0 });
}

fn is_over_udp(packet: &Packet) -> bool {
    !matches!(packet.header.layout().format, Format::OwnOverIp(_))
}

fn port(packet: &Packet) -> u16 {
    match packet.header {
        Header::Mlda(mlda::Header::Data(_)) => RTP,
        Header::Mlda(_) => RTCP,
        _ => NATIVE,
    }
}

fn filter(name: &str) -> String {
    format!("faircast.{}", name.replace(' ', "_"))
}

/// Decimal or hexadecimal.
fn number(text: &str) -> u64 {
    let parsed = text.strip_prefix("0x").map_or_else(|| text.parse(), |digits| u64::from_str_radix(digits, 16));
    parsed.unwrap_or_else(|_| panic!("{text:?} is no number"))
}

/// What tshark says of these fields, packet by packet.
fn rows(packets: &[(Packet, Vec<u8>)], names: &[String]) -> Vec<BTreeMap<String, String>> {
    let mut words =
        ["-X", &format!("lua_script:{SCRIPT}"), "-o", "rtp.heuristic_rtp:false"].map(str::to_owned).to_vec();
    for (port, protocol) in [(NATIVE, "faircast"), (RTP, "rtp"), (RTCP, "rtcp")] {
        words.extend(["-d".to_owned(), format!("udp.port=={port},{protocol}")]);
    }
    let mut all = vec!["frame.protocols".to_owned(), "_ws.malformed".to_owned(), "_ws.expert".to_owned()];
    all.extend_from_slice(names);
    let payloads = packets.iter().map(|(packet, bytes)| (port(packet), bytes.as_slice()));
    let rows = tshark::read("packets.pcap", payloads, &words, &all);
    rows.into_iter().map(|row| all.iter().cloned().zip(row).collect()).collect()
}
