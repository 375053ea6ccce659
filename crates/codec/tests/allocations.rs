//! Strangers' bytes take no memory but in proportion to their own length, whatever lengths they speak of.

use allocation_counter::measure;
use faircast_codec::testing::{Everybody, most_allocated, wild};
use faircast_codec::{decode, decode_between_neighbours, encode, lct, norm};
use faircast_proto::mlda::{Header as MldaHeader, rtcp};
use faircast_proto::packet::Header;
use faircast_proto::random::Random;
use std::fmt::Write;

const SCOPE: Everybody = Everybody { near: None };

/// The most bytes that were there at one time, beside those that were there before.
fn most(run: impl FnOnce()) -> u64 {
    measure(run).bytes_max
}

#[test]
fn messages_take_nothing_and_reports_what_they_are_long() {
    let (mut random, mut sequence) = (Random::stream(8, "test/allocations"), 9);
    let (mut own, mut reports) = (0, 0);
    for _ in 0..3000 {
        let (packet, control) = wild(&mut random, &mut sequence);
        let mut bytes = Vec::new();
        if encode(&packet, control.as_ref(), &SCOPE, &mut bytes).is_err() {
            continue;
        }
        let mut scope = SCOPE;
        let taken = most(|| {
            _ = decode(&bytes, &mut scope).is_ok() || decode_between_neighbours(&bytes, &mut scope).is_ok();
        });
        match packet.header {
            Header::Mlda(MldaHeader::Data(_)) => assert_eq!(taken, 0, "{bytes:?}"),
            Header::Mlda(_) => {
                assert!(taken > 0 && taken <= most_allocated::by_reports(bytes.len()), "{taken} for {bytes:?}");
                reports += 1;
            }
            _ => {
                assert_eq!(taken, 0, "{bytes:?}");
                own += 1;
            }
        }
    }
    assert!(own > 1000 && reports > 50, "{own} {reports}");
}

#[test]
fn the_longest_report_takes_in_proportion_as_the_shortest() {
    // 128 layers and 255 echoes, and a report that says so and is short.
    let line = rtcp::LayerLine { rate_bps: 1.0, first_sequence: 0 };
    let echo = rtcp::Echo { receiver: 1, stamp_us: 2, hold_us: 3 };
    let report = rtcp::SenderReport {
        ssrc: 1,
        number: 2,
        extra: false,
        ntp: 3,
        rtp_timestamp: 4,
        packets: 5,
        octets: 6,
        feedback_spread_us: 700,
        layers: vec![line; rtcp::MOST_LAYERS],
        echoes: vec![echo; rtcp::MOST_ECHOES],
    };
    let bytes = report.encode().0;
    let taken = most(|| assert!(decode(&bytes, &mut Everybody { near: None }).is_ok()));
    assert!(taken <= most_allocated::by_reports(bytes.len()), "{taken} for {} bytes", bytes.len());
    let mut short = bytes[..28 + 24].to_vec();
    short[3] = (short.len() / 4 - 1) as u8;
    short[30..32].copy_from_slice(&24_u16.to_be_bytes());
    assert_eq!(most(|| assert!(decode(&short, &mut Everybody { near: None }).is_err())), 0);
}

#[test]
fn standards_are_read_where_they_lie() {
    let mut random = Random::stream(9, "test/allocations");
    let mut below = |n: usize| (random.uniform() * n as f64) as usize;
    let (mut of_norm, mut of_lct) = (0, 0);
    for _ in 0..200_000 {
        let mut bytes: Vec<u8> = (0..8 + below(60)).map(|_| below(256) as u8).collect();
        let is_norm = below(2) == 0;
        // Version, type and length of a header that may be one.
        bytes[0] = 0x10 | if is_norm { 1 + below(6) as u8 } else { bytes[0] & 0xf };
        bytes[if is_norm { 1 } else { 2 }] = below(bytes.len() / 4 + 1) as u8;
        let taken = measure(|| {
            of_norm += u32::from(norm::decode(&bytes).is_ok());
            of_lct += u32::from(lct::decode(&bytes).is_ok());
        });
        assert_eq!(taken.count_total, 0, "{bytes:?}");
    }
    assert!(of_norm > 100 && of_lct > 100, "{of_norm} {of_lct}");
}

#[test]
fn tables_of_files_take_a_multiple_of_their_length() {
    let mut documents = vec!["<FDT-Instance Expires='1'>".to_owned() + &"<a>".repeat(100_000)];
    let mut many = "<FDT-Instance Expires='1'>".to_owned();
    (0..10_000).for_each(|_| many.push_str("<File TOI='1' Content-Location=''/>"));
    documents.push(many + "</FDT-Instance>");
    let mut attributes = "<FDT-Instance Expires='1'".to_owned();
    (0..20_000).for_each(|n| _ = write!(attributes, " a{n}=''"));
    documents.push(attributes + "/>");
    documents.push(format!("<FDT-Instance Expires='1' Complete='{}'/>", "&#x1f600;".repeat(50_000)));
    for document in documents {
        let taken = most(|| _ = lct::fdt::read(&document));
        let (most, begin) = (most_allocated::by_table(document.len()), &document[..50]);
        assert!(taken <= most, "{taken} of at most {most} for {begin}");
    }
}
