//! Messages of NORM as another program sends them, NRL's libnorm, are read, and written again byte for byte but for two
//! reserved bytes.

use faircast_codec::norm::{Body, CcNode, Code, Command, List, Message, Requests, decode, encode, flag};

/// Datagrams of a sender and a receiver of libnorm; its head says of which.
const CAPTURED: &str = include_str!("libnorm.txt");

const SENDER: u32 = 1;
const RECEIVER: u32 = 2;
const INSTANCE: u16 = 7;

/// What kind each is, by this crate's reading.
fn kind(message: &Message<'_>) -> &'static str {
    match message.body {
        Body::Information { .. } => "information",
        Body::Data { .. } => "data",
        Body::Command { command: Command::Flush(_), .. } => "flush",
        Body::Command { command: Command::CongestionControl { .. }, .. } => "probe",
        Body::Command { .. } => "command",
        Body::Nack { .. } => "nack",
        Body::Acknowledgement { .. } => "acknowledgement",
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal");
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// The kind that stands before each datagram, and the datagram.
fn captured() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    let lines = CAPTURED.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_once(' ').expect("a kind and bytes")).map(|(kind, hex)| (kind, bytes(hex)))
}

#[test]
fn what_libnorm_sends_is_read_and_written_again() {
    let mut kinds = Vec::new();
    for (named, mut datagram) in captured() {
        if ["nack", "acknowledgement"].contains(&named) {
            // At the end of EXT_CC, where libnorm leaves whatever is in its memory. Nobody looks at them.
            datagram[34..36].fill(0);
        }
        let message = decode(&datagram).unwrap_or_else(|why| panic!("{named}: {why:?}"));
        assert_eq!(kind(&message), named);
        let from = if ["nack", "acknowledgement"].contains(&named) { RECEIVER } else { SENDER };
        assert_eq!(message.source, from, "{named}");
        let mut again = Vec::new();
        encode(&message, &mut again);
        assert_eq!(again, datagram, "{named}: {message:?}");
        kinds.push(named);
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["acknowledgement", "data", "flush", "information", "nack", "probe"]);
}

#[test]
fn what_libnorm_says_of_its_objects_is_what_it_was_told() {
    for (named, datagram) in captured() {
        let message = decode(&datagram).expect("it is one");
        match message.body {
            Body::Information { status, .. } | Body::Data { status, .. } => {
                assert_eq!(status.instance, INSTANCE);
                let object = message.extensions.object.expect("libnorm says it with each");
                // It says how many symbols of parity there are, not how many in all.
                let code = Code::ReedSolomon8 { segment_bytes: 32, block_len: 16, encoding_symbols: 4 };
                assert_eq!(object.code, code);
                assert!([3000, 8000].contains(&object.object_bytes), "{named}: {}", object.object_bytes);
            }
            Body::Command { status, .. } => assert_eq!(status.instance, INSTANCE),
            Body::Nack { answer } => {
                assert_eq!((answer.server, answer.instance), (SENDER, INSTANCE));
                let requests = Requests::read(message.payload).expect("whole requests");
                let wanted: usize = requests.map(|request| request.positions().count()).sum();
                assert!(wanted > 0, "a NACK asks for something");
            }
            Body::Acknowledgement { answer, kind, .. } => {
                assert_eq!((answer.server, answer.instance, kind), (SENDER, INSTANCE, 1));
            }
        }
    }
}

#[test]
fn congestion_control_of_libnorm_is_understood() {
    let (mut named, mut heard) = (0, 0);
    for (_, datagram) in captured() {
        let message = decode(&datagram).expect("it is one");
        match message.body {
            Body::Command { command: Command::CongestionControl { .. }, .. } => {
                assert!(message.extensions.send_rate.expect("a probe says it").bytes_per_s() > 0.0);
                for CcNode { node, flags, rtt, .. } in List::read(message.payload).expect("whole lines").iter() {
                    assert_eq!((node, flags & (flag::CLR | flag::RTT)), (RECEIVER, flag::CLR | flag::RTT));
                    assert!(rtt.s() < 0.1, "over loopback: {} s", rtt.s());
                    named += 1;
                }
            }
            Body::Nack { .. } | Body::Acknowledgement { .. } => {
                let feedback = message.extensions.feedback.expect("a receiver says it");
                assert!(feedback.cc_sequence > 0 && feedback.rate.bytes_per_s() > 0.0, "{feedback:?}");
                assert!(feedback.loss.part() < 0.5, "{feedback:?}");
                heard += 1;
            }
            _ => {}
        }
    }
    assert!(named >= 2 && heard >= 6, "{named} lines of probes, {heard} answers");
}
