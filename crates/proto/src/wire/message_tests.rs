//! What declarations give: digests, listings, layouts.

use super::Message;
use crate::digest::Digest;
use crate::packet::{Address, Ecn, Header};
use crate::random::Random;
use crate::source::layered;
use crate::wild::Wild;
use crate::wire::{COMMON, Field, IP_BYTES, UDP_BYTES, bytes_of};
use crate::{mlda, omcc, pgmcc, smcc, tcp, tfmcc};

message! {
    /// A part of another.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Part is PART = "test: part", Format::Own(200), ["flags": 8] {
        /// A number.
        pub a: u16 => ["a": 16],
        /// A flag.
        pub b: bool => [],
        /// A stamp.
        pub stamp_us: u32 => ["stamp": 32] undigested,
    }
    digest (whole [b, a])
}

message! {
    /// The other.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Other is OTHER = "test: other", Format::Standard, [] {
        /// The part.
        pub part: Part => first,
        /// Two fields on the wire.
        pub two: Option<u64> => ["one": 4, "two": 12],
        /// Where to.
        pub to: Address => ["to": 64],
    }
}

const GIVEN: Other = Other { part: Part { a: 7, b: true, stamp_us: 9 }, two: None, to: Address::group(3) };

#[test]
fn one_declaration_gives_layout_digest_and_listing() {
    let field = Field::new;
    let of_part: Vec<Field> = PART.parts.concat();
    assert_eq!(of_part, [field("flags", 8), field("a", 16), field("stamp", 32)]);
    assert_eq!(PART.bytes(), IP_BYTES + UDP_BYTES + bytes_of(COMMON) + 7);
    assert_eq!(
        (OTHER.first, OTHER.parts.concat()),
        (PART.parts, vec![field("one", 4), field("two", 12), field("to", 64)])
    );
    // The part's fields alone: of two messages one is below.
    assert_eq!(OTHER.bytes(), IP_BYTES + UDP_BYTES + 7 + 2 + 8);
    let of_part = Digest::new().with(true).with(7_u16).value();
    let expected = Digest::new().with(of_part).with(None::<u64>).with(Address::group(3)).value();
    assert_eq!(GIVEN.mix(Digest::new()).value(), expected);
    let later = Other { part: Part { stamp_us: 10, ..GIVEN.part }, ..GIVEN };
    assert_eq!(later.mix(Digest::new()).value(), expected);
    assert_eq!(GIVEN.to_string(), "test: other a 7 b stamp_us 9 to group 3");
    let more = Other { two: Some(5), to: Address::endpoint(1), ..GIVEN };
    assert_eq!(more.to_string(), "test: other a 7 b stamp_us 9 two 5 to 1");
}

#[test]
fn listings_say_which_message_it_is_and_what_is_in_it() {
    let echo = tfmcc::Echo { receiver: Address::endpoint(4), stamp_us: 77, is_clr: true };
    let data = tfmcc::DataHeader {
        starting: false,
        at_once: false,
        sequence: 12,
        suppression_bps: f32::INFINITY,
        rate_bps: 1.5e6,
        max_rtt_us: 500_000,
        round: 3,
        echo: Some(echo),
    };
    let said = "round 3 sequence 12 suppression_bps inf rate_bps 1500000 max_rtt_us 500000 echo 77 of 4, the CLR";
    let sack = [tcp::SackBlock { start: 8, end: 11 }, Default::default(), Default::default()];
    let ack = tcp::Header::Ack { next_expected: 5, echo: Ecn::Moderate, sack, echoed_stamp_us: 6 };
    let sack = [tcp::RelayBlock { start: 3, end: 6 }, Default::default(), Default::default()];
    let (next_expected, echo, echoed_stamp_us) = (5, Ecn::Moderate, 6);
    let of_relay = tcp::Header::RelayAck { next_expected, echo, sack, echoed_stamp_us, window: 8, behind: 2 };
    for (header, expected) in [
        (Header::from(tfmcc::Header::Data(data)), format!("TFMCC: data {said}")),
        (smcc::Header::from(smcc::DataHeader { data, next_bps: 2e6, tick: 8 }).into(), {
            format!("SMCC: data {said} next_bps 2000000 tick 8")
        }),
        (omcc::Header::Registration { member: true }.into(), "OMCC: registration member".to_owned()),
        (omcc::Header::Registration { member: false }.into(), "OMCC: registration".to_owned()),
        (pgmcc::Header::Ncf { missing: 9 }.into(), "pgmcc: NCF missing 9".to_owned()),
        (mlda::Header::SenderReport { number: 2 }.into(), "MLDA: sender report number 2".to_owned()),
        (mlda::Header::Bye.into(), "MLDA: BYE".to_owned()),
        (layered::Header::Level { level: 2, sequence: 1 }.into(), "Layers: level level 2 sequence 1".to_owned()),
        (tcp::Header::Syn.into(), "TCP: SYN".to_owned()),
        (tcp::Header::HandshakeAck.into(), "TCP: ACK of a SYN-ACK".to_owned()),
        (
            of_relay.into(),
            "TCP: ACK of a relay next_expected 5 echo Moderate sack +3..+6 echoed_stamp_us 6 window 8 behind 2"
                .to_owned(),
        ),
        (ack.into(), "TCP: ACK next_expected 5 echo Moderate sack 8..11 echoed_stamp_us 6".to_owned()),
        (Header::Datagram { sequence: 5 }, "Datagram sequence 5".to_owned()),
    ] {
        assert_eq!(header.to_string(), expected);
    }
}

#[test]
fn every_listing_begins_with_the_name_of_its_message() {
    let (mut random, mut sequence) = (Random::stream(3, "test/listing"), 0);
    let mut wild = Wild::new(&mut random, Address::endpoint(1), &mut sequence);
    for _ in 0..10_000 {
        let header = Header::wild(&mut wild);
        let protocol = header.layout().name.split(':').next().expect("a name");
        assert!(header.to_string().starts_with(protocol), "{header}");
    }
}

/// What headers gave before they were declared so: the numbers in traces that people have kept.
fn known(header: Header) -> Option<u64> {
    let digest = Digest::new();
    let of_data = |data: tfmcc::DataHeader| {
        let tfmcc::DataHeader { sequence, suppression_bps, rate_bps, max_rtt_us, round, echo, .. } = data;
        let echo =
            echo.map(|tfmcc::Echo { receiver, stamp_us: _, is_clr }| Digest::new().with(receiver).with(is_clr).value());
        let of_rates = Digest::new().with(suppression_bps).with(rate_bps).with(max_rtt_us);
        of_rates.with(sequence).with(round).with(echo).value()
    };
    let of_feedback = |feedback: tfmcc::FeedbackHeader| {
        let tfmcc::FeedbackHeader { have_rtt, have_loss, leave, round, rate_bps, rtt_s, loss_event_rate, .. } =
            feedback;
        let of_flags = Digest::new().with(have_rtt).with(have_loss).with(leave).with(round);
        of_flags.with([rate_bps, rtt_s, loss_event_rate, feedback.receive_bps, feedback.scale]).value()
    };
    let (name, of_header) = match header {
        Header::Tfmcc(tfmcc::Header::Data(data)) => ("tfmcc", digest.with(0_u8).with(of_data(data))),
        Header::Tfmcc(tfmcc::Header::Feedback(feedback)) => ("tfmcc", digest.with(1_u8).with(of_feedback(feedback))),
        Header::Omcc(omcc::Header::Data(omcc::DataHeader { tfmcc, scale, receivers })) => {
            ("omcc", digest.with(0_u8).with(of_data(tfmcc)).with(scale).with(receivers))
        }
        Header::Omcc(omcc::Header::Feedback(omcc::FeedbackHeader { tfmcc, draw })) => {
            ("omcc", digest.with(1_u8).with(of_feedback(tfmcc)).with(draw))
        }
        Header::Omcc(omcc::Header::Registration { member }) => ("omcc", digest.with(2_u8).with(member)),
        Header::Pgmcc(pgmcc::Header::Data(pgmcc::Data { sequence, acker })) => {
            ("pgmcc", digest.with(0_u8).with(sequence).with(acker))
        }
        Header::Pgmcc(pgmcc::Header::Ack(pgmcc::Ack { echoed_stamp_us: _, loss_rate, highest, bitmap, leave })) => {
            ("pgmcc", digest.with(1_u8).with(loss_rate).with(highest).with(bitmap).with(leave))
        }
        Header::Pgmcc(pgmcc::Header::Nak(pgmcc::Nak { echoed_stamp_us: _, loss_rate, highest, missing })) => {
            ("pgmcc", digest.with(2_u8).with(loss_rate).with(highest).with(missing))
        }
        Header::Pgmcc(pgmcc::Header::Ncf { missing }) => ("pgmcc", digest.with(3_u8).with(missing)),
        Header::Smcc(smcc::Header::Data(packed)) => {
            let smcc::DataHeader { data, next_bps, tick } = packed.unpack();
            ("smcc", digest.with(0_u8).with(of_data(data)).with(next_bps).with(tick))
        }
        Header::Smcc(smcc::Header::Counting(smcc::CountingHeader { sequence, tick })) => {
            ("smcc", digest.with(1_u8).with(sequence).with(tick))
        }
        Header::Smcc(smcc::Header::Feedback(smcc::FeedbackHeader { feedback, layer, dropped })) => {
            ("smcc", digest.with(2_u8).with(of_feedback(feedback)).with(layer).with(dropped))
        }
        Header::Smcc(smcc::Header::Ack(smcc::AckHeader { echoed_stamp_us: _, highest, bitmap, layer })) => {
            ("smcc", digest.with(3_u8).with(highest).with(bitmap).with(layer))
        }
        Header::Mlda(mlda::Header::Data(mlda::DataHeader { sequence, timestamp: _, ssrc: _, probe })) => {
            ("mlda", digest.with(0_u8).with(sequence).with(probe))
        }
        Header::Mlda(mlda::Header::SenderReport { number }) => ("mlda", digest.with(1_u8).with(number)),
        Header::Mlda(mlda::Header::ReceiverReport { number }) => ("mlda", digest.with(2_u8).with(number)),
        Header::Mlda(mlda::Header::Bye) => ("mlda", digest.with(3_u8)),
        Header::LayeredCbr(layered::Header::Data { layer, sequence }) => {
            ("layered-cbr", digest.with(0_u8).with(layer).with(sequence))
        }
        Header::LayeredCbr(layered::Header::Level { level, sequence }) => {
            ("layered-cbr", digest.with(1_u8).with(level).with(sequence))
        }
        Header::Tcp(tcp::Header::Syn) => ("tcp", digest.with(0_u8)),
        Header::Tcp(tcp::Header::SynAck { echoed_stamp_us: _ }) => ("tcp", digest.with(1_u8)),
        Header::Tcp(tcp::Header::Data { sequence, window_reduced, retransmission, push: _ }) => {
            ("tcp", digest.with(2_u8).with(sequence).with(window_reduced).with(retransmission))
        }
        Header::Tcp(tcp::Header::Ack { next_expected, echo, sack, echoed_stamp_us: _ }) => {
            let sack = sack.map(|tcp::SackBlock { start, end }| [start, end]);
            ("tcp", digest.with(3_u8).with(next_expected).with(echo).with(sack))
        }
        Header::Tcp(tcp::Header::RelayAck { next_expected, echo, sack, echoed_stamp_us: _, window, behind }) => {
            let sack = sack.map(|tcp::RelayBlock { start, end }| [start, end]);
            ("tcp", digest.with(4_u8).with(next_expected).with(echo).with(sack).with(window).with(behind))
        }
        Header::Tcp(tcp::Header::HandshakeAck) => ("tcp", digest.with(5_u8)),
        Header::Datagram { .. } | Header::Membership { .. } | Header::Guest(_) => return None,
    };
    Some(Digest::new().with(crate::random::fnv1a(name.as_bytes())).with(of_header.value()).value())
}

#[test]
fn digests_are_those_of_traces_that_are_known() {
    let (mut random, mut sequence) = (Random::stream(9, "test/known"), 0);
    let mut wild = Wild::new(&mut random, Address::endpoint(1), &mut sequence);
    let drawn = (0..20_000).map(|_| Header::wild(&mut wild));
    let checked = drawn.filter_map(|header| known(header).map(|known| assert_eq!(header.digest(), known, "{header}")));
    assert!(checked.count() > 10_000);
}
