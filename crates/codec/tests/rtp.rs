//! What others may put into RTP and RTCP, and what is refused there.

use faircast_codec::testing::Everybody;
use faircast_codec::{Malformed, Unencodable, decode, encode};
use faircast_proto::mlda::rtcp::{LayerLine, Octets, ReceiverReport, SenderReport};
use faircast_proto::mlda::{DataHeader, Header as MldaHeader};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, Packet};
use faircast_proto::time::Instant;

/// The payload of data whose first byte has these bits beside the version, with this behind the fixed header.
fn payload(bits: u8, behind: &[u8]) -> Result<Vec<u8>, Malformed> {
    let fixed = [0x80 | bits, 0x80 | 33, 0, 7, 0, 0, 0, 9, 0, 0, 0, 5];
    let bytes = [&fixed, behind].concat();
    let decoded = decode(&bytes, &mut Everybody { near: None })?;
    let data = DataHeader { probe: true, sequence: 7, timestamp: 9, ssrc: 5 };
    assert_eq!(decoded.packet.header, Header::from(MldaHeader::Data(data)));
    assert_eq!(usize::from(decoded.packet.size), 28 + bytes.len());
    Ok(decoded.payload.to_vec())
}

#[test]
fn what_says_nothing_here_is_passed_over() {
    assert_eq!(payload(0, &[1, 2, 3]), Ok(vec![1, 2, 3]));
    // Two sources that contribute; an extension of one word; both.
    assert_eq!(payload(2, &[0, 0, 0, 1, 0, 0, 0, 2, 9, 8]), Ok(vec![9, 8]));
    assert_eq!(payload(0x10, &[0xbe, 0xde, 0, 1, 4, 4, 4, 4, 9]), Ok(vec![9]));
    assert_eq!(payload(0x11, &[0, 0, 0, 1, 0xbe, 0xde, 0, 0, 9]), Ok(vec![9]));
    // Three bytes of padding, the last of which says so; nothing but padding.
    assert_eq!(payload(0x20, &[9, 8, 0, 0, 3]), Ok(vec![9, 8]));
    assert_eq!(payload(0x20, &[0, 2]), Ok(vec![]));
}

#[test]
fn headers_that_promise_more_than_is_there_are_refused() {
    for (bits, behind) in [
        (1, &[0, 0, 0][..]),
        (15, &[0; 59]),
        (0x10, &[0, 0, 0]),
        (0x10, &[0, 0, 0, 2, 1, 1, 1, 1]),
        (0x20, &[]),
        (0x20, &[9, 0]),
        (0x20, &[9, 3]),
    ] {
        assert_eq!(payload(bits, behind), Err(Malformed::Rtp), "{bits:#x} {behind:?}");
    }
}

#[test]
fn numbers_in_reports_are_finite() {
    let of_receiver = |rate_bps, loss| {
        let (ssrc, source, number) = (1, 2, 3);
        let report = ReceiverReport {
            ssrc,
            source,
            number,
            rate_bps,
            loss,
            rtt_us: 0,
            stamp_us: 0,
            fraction_lost: 0,
            cumulative_lost: 0,
            highest_sequence: 0,
            jitter: 0,
            last_sr: 0,
            delay_since_sr: 0,
        };
        (MldaHeader::ReceiverReport { number }, report.encode())
    };
    let of_source = |rate_bps| {
        let line = |rate_bps| LayerLine { rate_bps, first_sequence: 0 };
        let report = SenderReport {
            ssrc: 2,
            number: 3,
            extra: false,
            ntp: 0,
            rtp_timestamp: 0,
            packets: 0,
            octets: 0,
            feedback_spread_us: 0,
            layers: vec![line(1e5), line(rate_bps)],
            echoes: Vec::new(),
        };
        (MldaHeader::SenderReport { number: 3 }, report.encode())
    };
    let outcome = |(header, octets): (MldaHeader, Octets)| {
        let read = decode(&octets.0, &mut Everybody { near: None }).map(|_| ());
        let source = Address::endpoint(1);
        let (flow, destination) = (FlowId(0), Address::group(0));
        let (sent, ecn, header) = (Instant(0), Ecn::NotCapable, Header::from(header));
        let packet = Packet { sent, flow, source, destination, size: 100, ttl: 1, ecn, header };
        let control = octets.into();
        (read, encode(&packet, Some(&control), &Everybody { near: None }, &mut Vec::new()).map(|_| ()))
    };
    let wrong = |field| (Err(Malformed::Number { field }), Err(Unencodable::Number { field }));
    assert_eq!(outcome(of_receiver(1e5, 0.5)), (Ok(()), Ok(())));
    assert_eq!(outcome(of_receiver(f32::INFINITY, 0.5)), wrong("rate_bps"));
    assert_eq!(outcome(of_receiver(1e5, f32::NAN)), wrong("loss"));
    assert_eq!(outcome(of_source(2e5)), (Ok(()), Ok(())));
    assert_eq!(outcome(of_source(f32::NAN)), wrong("rate_bps"));
}
