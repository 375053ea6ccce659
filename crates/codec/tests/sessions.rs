//! What endpoints of all schemes say to each other can be written and read, and is the same then.

use faircast_codec::testing::Everybody;
use faircast_codec::{decode, encode};
use faircast_proto::packet::{FlowId, Header};
use faircast_proto::random::Random;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::testing::Fate;
use faircast_proto::testing::group::{GROUP, Group, Who};
use faircast_proto::time::{Duration, Instant, Rate};
use std::collections::BTreeSet;

#[test]
fn what_is_said_in_sessions_is_legal_and_comes_back() {
    let mut said = BTreeSet::new();
    let mut configs = SchemeConfig::defaults();
    let windowed = faircast_proto::smcc::ControlKind::Pgmcc;
    configs.push(SchemeConfig::Smcc(faircast_proto::smcc::Config { control: windowed, ..Default::default() }));
    for config in configs {
        let seat = |who: Who| Seat {
            flow: FlowId(0),
            own: who.address(),
            group: GROUP,
            members: 3,
            line_rate: Some(Rate(1_000_000)),
            random: Random::stream(4, &format!("test/{}", who.stream())),
        };
        let member = |n| (config.receiver(seat(Who::Receiver(n))), Duration::from_millis(10 + 30 * n as u64));
        let mut losses = Random::stream(4, "test/losses");
        let network = |_: Who, _: Who, _: &_| if losses.chance(0.02) { Fate::Lose } else { Fate::Deliver };
        let mut group = Group::new(config.sender(seat(Who::Sender)), (0..3).map(member).collect(), network);
        group.record = true;
        group.start_all();
        group.run_until(Instant::from_secs_f64(8.0));
        group.stop(Who::Receiver(1));
        group.run_until(Instant::from_secs_f64(10.0));
        group.stop(Who::Receiver(0));
        group.run_until(Instant::from_secs_f64(12.0));
        // The messages of RTCP beside packets are not kept here.
        let is_whole = |header: &Header| !matches!(header, Header::Mlda(mlda) if !is_data(mlda));
        let mut scope = Everybody { near: None };
        for (at, _, packet) in group.sent.iter().filter(|(_, _, packet)| is_whole(&packet.header)) {
            let mut bytes = Vec::new();
            scope.near = Some(*at);
            let length = encode(packet, None, &scope, &mut bytes);
            let length = length.unwrap_or_else(|why| panic!("{}: {why}: {packet:?}", config.name()));
            // The rest of its size is data, or what a given size has more.
            assert!(28 + length <= usize::from(packet.size), "{packet:?}");
            bytes.resize(usize::from(packet.size) - 28, 0);
            let decoded = decode(&bytes, &mut scope).unwrap_or_else(|why| panic!("{}: {why}", config.name()));
            assert_eq!(format!("{:?}", decoded.packet.header), format!("{:?}", packet.header));
            assert_eq!((decoded.packet.source, decoded.packet.size), (packet.source, packet.size));
            if !matches!(packet.header, Header::Mlda(_)) {
                assert_eq!(decoded.packet.sent.0, packet.sent.0 / 1000 * 1000);
            }
            said.insert(packet.header.layout().name);
        }
    }
    for name in [
        "Datagram",
        "Layers: data",
        "TFMCC: data",
        "TFMCC: report",
        "OMCC: data",
        "OMCC: report",
        "SMCC: data",
        "SMCC: counting",
        "SMCC: report",
        "SMCC: ACK",
        "pgmcc: data",
        "pgmcc: ACK",
        "pgmcc: NAK",
        "pgmcc: NCF",
        "MLDA: data",
    ] {
        assert!(said.contains(name), "nobody said {name:?}: {said:?}");
    }
}

fn is_data(header: &faircast_proto::mlda::Header) -> bool {
    matches!(header, faircast_proto::mlda::Header::Data(_))
}
