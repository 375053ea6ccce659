//! Bytes of version 1 of the format are those that another implementation makes of its description:
//! `reference/wire.py`, which writes `tests/golden/wire.json`.

use faircast_codec::{Directory, Scope, decode, decode_between_neighbours, encode};
use faircast_proto::control::Control;
use faircast_proto::group_set::GroupSet;
use faircast_proto::guest::GuestHeader;
use faircast_proto::mlda::rtcp::{Bye, Echo as RtcpEcho, LayerLine, ReceiverReport, SenderReport};
use faircast_proto::packet::{Address, Ecn, FlowId, Header, MembershipMessage, Packet};
use faircast_proto::source::layered;
use faircast_proto::tfmcc::Echo;
use faircast_proto::time::Instant;
use faircast_proto::{mlda, omcc, pgmcc, smcc, tfmcc};
use std::collections::BTreeMap;

const SENDER: Address = Address::endpoint(4);
const OTHER: Address = Address::endpoint(9);
const SOURCE: Address = Address::endpoint(0);
const SENDER_ID: u64 = 0x0102_0304_0506_0708;
const OTHER_ID: u64 = 0xa1a2_a3a4_a5a6_a7a8;
/// Three microseconds before stamps wrap around.
const SENT: Instant = Instant(0x5_ffff_fffe * 1000);
const OWNER: [u8; 4] = *b"mine";

struct Two;

impl Directory for Two {
    fn id(&self, address: Address) -> u64 {
        match address {
            SENDER => SENDER_ID,
            OTHER => OTHER_ID,
            _ => 0,
        }
    }

    fn address(&mut self, id: u64) -> Option<Address> {
        match id {
            SENDER_ID => Some(SENDER),
            OTHER_ID => Some(OTHER),
            _ => None,
        }
    }

    fn session_id(&self, session: u32) -> u64 {
        if session == 3 { OTHER_ID } else { 0 }
    }

    fn session(&mut self, id: u64) -> Option<u32> {
        (id == OTHER_ID).then_some(3)
    }
}

impl Scope for Two {
    fn near(&self, _sender: Address) -> Option<Instant> {
        // Behind the wrap.
        Some(Instant(0x6_0000_0100 * 1000))
    }

    fn rtp_source(&mut self, ssrc: u32) -> Option<Address> {
        (ssrc == 0xdead_beef).then_some(SOURCE)
    }

    fn rtp_receiver(&mut self, ssrc: u32) -> Option<Address> {
        [(SENDER_ID, SENDER), (OTHER_ID, OTHER)].into_iter().find(|(id, _)| *id as u32 == ssrc).map(|(_, who)| who)
    }
}

fn data(echo: Option<bool>) -> tfmcc::DataHeader {
    tfmcc::DataHeader {
        round: 0xfe,
        sequence: 0x0102_0304,
        suppression_bps: if echo.is_some() { 1.5e6 } else { f32::INFINITY },
        rate_bps: 2.5e6,
        max_rtt_us: 500_000,
        echo: echo.map(|is_clr| Echo { receiver: OTHER, stamp_us: 0x1122_3344, is_clr }),
        starting: false,
        at_once: false,
    }
}

fn report(have_rtt: bool, have_loss: bool, leave: bool) -> tfmcc::FeedbackHeader {
    tfmcc::FeedbackHeader {
        have_rtt,
        have_loss,
        leave,
        round: 7,
        echoed_stamp_us: 0xdead_beef,
        rate_bps: 1.25e6,
        rtt_s: 0.0625,
        loss_event_rate: 0.015625,
        receive_bps: 1e6,
        scale: 2.0,
    }
}

fn own() -> Vec<(&'static str, Header)> {
    let membership = |what| {
        let groups = [0, 2, 127].into_iter().collect::<GroupSet>();
        Header::Membership { what, session: 3, number: 9, groups }
    };
    let omcc_report = |draw| omcc::Header::Feedback(omcc::FeedbackHeader { tfmcc: report(true, true, false), draw });
    let (echoed_stamp_us, loss_rate, highest) = (0xdead_beef, 0.125, 20);
    let ack =
        |leave| pgmcc::Header::Ack(pgmcc::Ack { echoed_stamp_us, loss_rate, highest, bitmap: 0xffff_fffb, leave });
    let nak = |missing| pgmcc::Header::Nak(pgmcc::Nak { echoed_stamp_us, loss_rate, highest, missing });
    let smcc_data = |data, next_bps, tick| smcc::Header::from(smcc::DataHeader { data, next_bps, tick });
    vec![
        ("datagram", Header::Datagram { sequence: 0x0123_4567_89ab_cdef }),
        ("membership report", membership(MembershipMessage::Report)),
        ("membership acknowledgement", membership(MembershipMessage::Acknowledge)),
        ("guest message", GuestHeader::message(OWNER, (7_u32, 8_u16)).into()),
        ("guest data", GuestHeader::data(OWNER, 5_u8).into()),
        ("guest data without fields", GuestHeader::data(OWNER, [0_u8; 0]).into()),
        ("layers data", layered::Header::Data { layer: 3, sequence: u32::MAX }.into()),
        ("layers level", layered::Header::Level { level: 4, sequence: 2 }.into()),
        ("tfmcc data", tfmcc::Header::Data(data(Some(true))).into()),
        ("tfmcc data, echo of another", tfmcc::Header::Data(data(Some(false))).into()),
        ("tfmcc data without echo", tfmcc::Header::Data(data(None)).into()),
        ("tfmcc report", tfmcc::Header::Feedback(report(true, false, false)).into()),
        ("tfmcc report of loss", tfmcc::Header::Feedback(report(false, true, false)).into()),
        ("tfmcc report at leave", tfmcc::Header::Feedback(report(false, false, true)).into()),
        (
            "omcc data",
            omcc::Header::Data(omcc::DataHeader { tfmcc: data(Some(true)), scale: 1.5, receivers: 10.0 }).into(),
        ),
        ("omcc report", omcc_report(0.25).into()),
        ("omcc report of the CLR", omcc_report(f32::NAN).into()),
        ("omcc registration", omcc::Header::Registration { member: true }.into()),
        ("omcc registration at leave", omcc::Header::Registration { member: false }.into()),
        ("smcc data", smcc_data(data(Some(true)), 4e6, 77).into()),
        ("smcc data of the highest layer", smcc_data(data(None), f32::NAN, 0).into()),
        ("smcc counting", smcc::Header::Counting(smcc::CountingHeader { sequence: 5, tick: 6 }).into()),
        (
            "smcc report",
            smcc::Header::Feedback(smcc::FeedbackHeader {
                feedback: report(true, true, false),
                layer: 2,
                dropped: true,
            })
            .into(),
        ),
        (
            "smcc ack",
            smcc::Header::Ack(smcc::AckHeader { layer: 1, echoed_stamp_us, highest: 99, bitmap: 0xffff_fffd }).into(),
        ),
        ("pgmcc data", pgmcc::Header::Data(pgmcc::Data { sequence: 12, acker: Some(OTHER) }).into()),
        ("pgmcc data of an election", pgmcc::Header::Data(pgmcc::Data { sequence: 13, acker: None }).into()),
        ("pgmcc ack", ack(false).into()),
        ("pgmcc ack at leave", ack(true).into()),
        ("pgmcc nak", nak(Some(18)).into()),
        ("pgmcc nak, a dummy", nak(None).into()),
        ("pgmcc ncf", pgmcc::Header::Ncf { missing: 18 }.into()),
    ]
}

/// Those of RTP and RTCP, with who sends them and the message beside.
fn standard() -> Vec<(&'static str, mlda::Header, Address, Option<Control>)> {
    let (ssrc, timestamp) = (0xdead_beef, 0xffff_fffe);
    let data = |sequence, probe| mlda::Header::Data(mlda::DataHeader { probe, sequence, timestamp, ssrc });
    let line = |rate_bps, first_sequence| LayerLine { rate_bps, first_sequence };
    let of_source = SenderReport {
        ssrc,
        number: 9,
        extra: true,
        ntp: 0x0123_4567_89ab_cdef,
        rtp_timestamp: timestamp,
        packets: 7,
        octets: 3584,
        feedback_spread_us: 2_500_000,
        layers: vec![line(1e5, 65_530), line(2e5, 3)],
        echoes: vec![RtcpEcho { receiver: OTHER.to_bits(), stamp_us: 5, hold_us: 6 }],
    };
    let of_receiver = ReceiverReport {
        ssrc: SENDER.to_bits(),
        source: ssrc,
        number: 0xfff7,
        rate_bps: 123_456.0,
        loss: 0.0125,
        rtt_us: 540_000,
        stamp_us: timestamp,
        fraction_lost: 255,
        cumulative_lost: -3,
        highest_sequence: 0x0002_0001,
        jitter: 77,
        last_sr: 0x4567_89ab,
        delay_since_sr: 0x0001_8000,
    };
    let bye = Bye { ssrc: SENDER.to_bits() };
    vec![
        ("mlda data", data(0xffff, false), SOURCE, None),
        ("mlda data, first of a pair", data(0, true), SOURCE, None),
        ("mlda sender report", mlda::Header::SenderReport { number: 9 }, SOURCE, Some(of_source.encode().into())),
        (
            "mlda receiver report",
            mlda::Header::ReceiverReport { number: 0xfff7 },
            SENDER,
            Some(of_receiver.encode().into()),
        ),
        ("mlda bye", mlda::Header::Bye, SENDER, Some(bye.encode().into())),
    ]
}

#[test]
fn bytes_are_those_of_the_twin_and_are_read_again() {
    let file = include_str!("../../../tests/golden/wire.json");
    let mut golden: BTreeMap<String, String> = serde_json::from_str(file).expect("the twin has written it");
    let own = own().into_iter().map(|(name, header)| (name, header, SENDER, None));
    let standard = standard().into_iter().map(|(name, header, who, beside)| (name, header.into(), who, beside));
    for (name, header, source, control) in own.chain(standard) {
        let expected = golden.remove(name).unwrap_or_else(|| panic!("the twin has no {name:?}"));
        let packet = Packet {
            sent: SENT,
            flow: FlowId(1),
            source,
            destination: Address::group(0),
            size: 1000,
            ttl: 5,
            ecn: Ecn::NotCapable,
            header,
        };
        let mut bytes = Vec::new();
        let length = encode(&packet, control.as_ref(), &Two, &mut bytes);
        assert_eq!((length, hex(&bytes)), (Ok(expected.len() / 2), expected), "{name}");
        let is_membership = matches!(header, Header::Membership { .. });
        let read = if is_membership { decode_between_neighbours(&bytes, &mut Two) } else { decode(&bytes, &mut Two) };
        let read = read.unwrap_or_else(|why| panic!("{name}: {why}"));
        // As text, as what is no number equals nothing.
        assert_eq!(format!("{:?}", read.packet.header), format!("{header:?}"), "{name}");
        assert_eq!((read.control, read.payload.len()), (control, 0), "{name}");
        match header {
            Header::Membership { .. } => assert_eq!(read.packet.source, Address::STRANGER),
            Header::Mlda(mlda::Header::Bye) => assert_eq!(read.packet.source, SENDER),
            _ => assert_eq!((read.packet.source, read.packet.sent), (source, SENT), "{name}"),
        }
        let below = if is_membership { 20 } else { 28 };
        assert_eq!(usize::from(read.packet.size), below + bytes.len(), "{name}");
    }
    assert_eq!(golden, BTreeMap::new(), "the twin knows more messages");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
