//! The page on formats says what the code computes with, and the code what its sources say.

use crate::packet::{Address, Header};
use crate::quantity::Bytes;
use crate::random::Random;
use crate::wild::Wild;
use crate::wire::{
    BETWEEN_NEIGHBOURS, COMMON, Field, Format, IP_BYTES, Layout, MEMBERSHIP_ACKNOWLEDGEMENT, UDP_BYTES, VERSION,
    bytes_of, bytes_of_parts, check_sizes, size,
};
use crate::{mlda, omcc, pgmcc, smcc, tcp, tfmcc};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("../../../docs/wire-format.md");

/// The layout of every header that there is, by name.
fn layouts() -> BTreeMap<&'static str, &'static Layout> {
    let mut random = Random::stream(7, "test/wire");
    let mut sequence = 0;
    let mut wild = Wild::new(&mut random, Address::endpoint(1), &mut sequence);
    let drawn = (0..20_000).map(|_| Header::wild(&mut wild).layout());
    drawn.chain([&MEMBERSHIP_ACKNOWLEDGEMENT]).map(|layout| (layout.name, layout)).collect()
}

/// The rows of the tables in a text, with whatever is printed in a special way made plain.
fn rows(text: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| -> Vec<String> {
        line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
    };
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    let is_rule = |line: &str| line.chars().all(|c| "|-: ".contains(c));
    let heads = |n: usize| lines.get(n + 1).is_some_and(|next| is_rule(next));
    (0..lines.len()).filter(|&n| !is_rule(lines[n]) && !heads(n)).map(|n| cells(lines[n])).collect()
}

/// The text under a heading.
fn section(heading: &str) -> &'static str {
    let start = PAGE.find(&format!("\n{heading}\n")).unwrap_or_else(|| panic!("the page has no {heading:?}"));
    let rest = &PAGE[start + heading.len() + 2..];
    &rest[..rest.find("\n#").unwrap_or(rest.len())]
}

fn fields(text: &str) -> Vec<(String, u16)> {
    rows(text).into_iter().map(|row| (row[0].clone(), row[1].parse().expect("bits"))).collect()
}

fn named(fields: &[Field]) -> Vec<(String, u16)> {
    fields.iter().map(|field| (field.name.to_owned(), field.bits)).collect()
}

#[test]
fn the_page_has_every_message_field_by_field() {
    assert_eq!(fields(section("## What each of our messages begins with")), named(COMMON));
    let layouts = layouts();
    for (name, layout) in &layouts {
        let text = section(&format!("### {name}"));
        let in_order = layout.first.iter().chain(layout.parts).chain(layout.lists);
        let expected: Vec<(String, u16)> = in_order.flat_map(|part| named(part)).collect();
        assert_eq!(fields(text), expected, "{name}");
        // And how it adds up.
        let own = bytes_of_parts(layout.first) + bytes_of_parts(layout.parts);
        let (ip, udp, common) = (IP_BYTES, UDP_BYTES, bytes_of(COMMON));
        let sum = match layout.format {
            Format::Own(kind) => format!("Kind {kind}. {ip} + {udp} + {common} + {own} = {} B", layout.bytes()),
            Format::OwnOverIp(kind) => {
                format!("Kind {kind}. {ip} + {} + {own} = {} B", bytes_of(BETWEEN_NEIGHBOURS), layout.bytes())
            }
            Format::Standard => format!("{ip} + {udp} + {own} = {} B", layout.bytes()),
            Format::StandardOverIp => format!("{ip} + {own} = {} B", layout.bytes()),
        };
        assert!(text.lines().any(|line| line.starts_with(&sum)), "{name}: no line begins with {sum:?}");
    }
    let told = PAGE.lines().filter_map(|line| line.strip_prefix("### "));
    let unknown: Vec<&str> = told.filter(|name| !layouts.contains_key(name)).collect();
    assert_eq!(unknown, [""; 0]);
}

/// Fields as RFCs draw them: 32 bits a line, a field's name where it has most room.
fn diagram(fields: &[(String, u16)]) -> String {
    let bits: Vec<usize> = (0..fields.len()).flat_map(|n| vec![n; fields[n].1.into()]).collect();
    let lines: Vec<&[usize]> = bits.chunks(32).collect();
    let at = |line: Option<&&[usize]>, bit: usize| line.and_then(|line| line.get(bit).copied());
    let rule = |above: Option<&&[usize]>, below: Option<&&[usize]>| -> String {
        let width = above.map_or(0, |line| line.len()).max(below.map_or(0, |line| line.len()));
        let pairs = (0..width).map(|bit| {
            let [here, next] = [bit, bit + 1].map(|bit| (at(above, bit), at(below, bit)));
            let edge = if here.0 == here.1 { ' ' } else { '-' };
            let corner = if here.0 == here.1 && here == next { ' ' } else { '+' };
            format!("{edge}{corner}")
        });
        format!("+{}", pairs.collect::<String>())
    };
    let mut drawn = vec![
        " 0                   1                   2                   3".to_owned(),
        format!(" {}", (0..32).map(|bit| (bit % 10).to_string()).collect::<Vec<String>>().join(" ")),
    ];
    for (n, line) in lines.iter().enumerate() {
        drawn.push(rule(n.checked_sub(1).and_then(|before| lines.get(before)), Some(line)));
        let mut cells = String::from("|");
        for piece in line.chunk_by(|a, b| a == b) {
            let of_field = lines.iter().map(|line| line.iter().filter(|&&field| field == piece[0]).count());
            let most = of_field.clone().max();
            let is_named = of_field.clone().position(|bits| Some(bits) == most) == Some(n);
            let name = if is_named { fields[piece[0]].0.as_str() } else { "" };
            let room = 2 * piece.len() - 1 - name.len();
            cells += &format!("{}{name}{}|", " ".repeat(room / 2), " ".repeat(room - room / 2));
        }
        drawn.push(cells);
    }
    drawn.push(rule(lines.last(), None));
    drawn.iter().map(|line| format!("   {}\n", line.trim_end())).collect()
}

#[test]
fn the_page_draws_every_message_of_our_own() {
    let holds = |heading: &str, fields: &[(String, u16)]| {
        let expected = format!("```\n{}```", diagram(fields));
        assert!(section(heading).contains(&expected), "{heading}: the page has not\n{expected}");
    };
    holds("## What each of our messages begins with", &named(COMMON));
    let layouts = layouts();
    let own = layouts.iter().filter(|(_, layout)| layout.format.kind().is_some());
    let drawn = own.map(|(name, layout)| {
        let in_order = layout.first.iter().chain(layout.parts);
        holds(&format!("### {name}"), &in_order.flat_map(|part| named(part)).collect::<Vec<(String, u16)>>());
    });
    assert_eq!(drawn.count(), 19);
}

/// Of a manifest, whose names have no length of their own, there is none.
#[test]
fn the_page_draws_what_is_said_of_files_and_keys() {
    for name in ["Root", "Symbol", "Request", "Head", "Standing", "Sealed data", "Authenticated feedback"] {
        let text = section(&format!("#### {name}"));
        let tables = text.split("\n\n").filter(|block| block.starts_with('|'));
        let drawn = tables.map(|table| {
            let expected = format!("```\n{}```", diagram(&fields(table)));
            assert!(text.contains(&expected), "{name}: the page has not\n{expected}");
        });
        assert!(drawn.count() > 0, "{name}");
    }
}

#[test]
fn the_page_has_the_length_of_every_message_in_one_table() {
    let told: Vec<[String; 3]> = rows(section("## All messages"))
        .into_iter()
        .map(|row| [row[0].clone(), row[1].clone(), row[2].clone()])
        .collect();
    let mut expected: Vec<[String; 3]> = layouts()
        .values()
        .map(|layout| {
            let kind = layout.format.kind().map_or(String::new(), |kind| kind.to_string());
            [layout.name.to_owned(), kind, layout.bytes().to_string()]
        })
        .collect();
    let mut sorted = told;
    sorted.sort();
    expected.sort();
    assert_eq!(sorted, expected);
    assert!(PAGE.contains(&format!("The version is {VERSION}")));
}

#[test]
fn no_two_messages_have_one_number() {
    let mut numbers: Vec<u8> = layouts().values().filter_map(|layout| layout.format.kind()).collect();
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), count);
    assert!(!numbers.contains(&0), "what is all zeros is no message");
}

/// By hand, from the widths that the sources of the schemes name and those that all have.
#[test]
fn lengths_are_the_sums_of_the_fields() {
    // IP, UDP; version, kind, sender, time stamp.
    let below = 20 + 8 + 1 + 1 + 8 + 4;
    // RFC 4654 section 2.2.1: i, X_supp, R_max, fb_nr, r, tr_r', is_CLR beside others; and the rate.
    assert_eq!(tfmcc::DATA.bytes(), below + 4 + 4 + 4 + 1 + 8 + 4 + 1 + 4);
    // Section 2.2.2: have_RTT, have_loss and receiver_leave in a byte, fb_nr, ts_i', X_r; R, p, X_recv and the scale.
    assert_eq!(tfmcc::FEEDBACK.bytes(), below + 1 + 1 + 4 + 4 + 4 * 4);
    assert_eq!((omcc::DATA.bytes(), omcc::FEEDBACK.bytes(), omcc::REGISTRATION.bytes()), (80, 72, 43));
    assert_eq!((smcc::DATA.bytes(), smcc::COUNTING.bytes()), (80, 50));
    assert_eq!((smcc::FEEDBACK.bytes(), smcc::ACK.bytes()), (69, 55));
    assert_eq!([pgmcc::DATA, pgmcc::ACK, pgmcc::NAK, pgmcc::NCF].map(|layout| layout.bytes()), [54, 59, 59, 46]);
    // RFC 3550 sections 5.1, 6.4 and 6.6 over IP and UDP.
    assert_eq!((mlda::DATA.bytes(), mlda::SENDER_REPORT.bytes()), (28 + 12, 28 + 28));
    assert_eq!((mlda::RECEIVER_REPORT.bytes(), mlda::BYE.bytes()), (28 + 52, 28 + 16));
    assert_eq!(tcp::SEGMENT.bytes(), 40);
}

#[test]
fn what_is_given_counts_and_what_is_too_small_is_refused() {
    let nak = &pgmcc::NAK;
    assert_eq!((size(None, nak), size(Some(Bytes(40)), nak)), (59, 40));
    let wrong = |bytes, given: Option<u64>| -> Vec<(String, String)> {
        check_sizes(&pgmcc::DATA, Bytes(bytes), ("feedback_size", given.map(Bytes))).collect()
    };
    assert_eq!((wrong(55, None), wrong(65_535, Some(1)), wrong(1000, Some(65_535))), (vec![], vec![], vec![]));
    let message = "54 B given; legal is 55 B, 54 B of headers and a byte of data, to 65535 B";
    assert_eq!(wrong(54, None), [("packet_size".to_owned(), message.to_owned())]);
    let message = "0 B given; legal is 1 B to 65535 B";
    assert_eq!(wrong(1000, Some(0)), [("feedback_size".to_owned(), message.to_owned())]);
    let fields: Vec<String> = wrong(65_536, Some(65_536)).into_iter().map(|(field, _)| field).collect();
    assert_eq!(fields, ["packet_size", "feedback_size"]);
}
