use super::*;
use crate::random::Random;

fn sender_report(layers: usize, echoes: usize) -> SenderReport {
    SenderReport {
        ssrc: 0xdead_beef,
        number: 0xfffe,
        extra: true,
        ntp: 0x0123_4567_89ab_cdef,
        rtp_timestamp: u32::MAX,
        packets: 7,
        octets: 3584,
        feedback_spread_us: 2_500_000,
        layers: (0..layers)
            .map(|k| LayerLine { rate_bps: 1e5 + k as f32, first_sequence: 65_530u16.wrapping_add(k as u16) })
            .collect(),
        echoes: (0..echoes as u32).map(|n| Echo { receiver: n, stamp_us: u32::MAX - n, hold_us: 1000 * n }).collect(),
    }
}

fn receiver_report() -> ReceiverReport {
    ReceiverReport {
        ssrc: 5,
        source: 0xdead_beef,
        number: 0xffff,
        rate_bps: 123_456.0,
        loss: 0.0125,
        rtt_us: 540_000,
        stamp_us: 0xffff_fff0,
        fraction_lost: 255,
        cumulative_lost: -3,
        highest_sequence: 0x0002_0001,
        jitter: 77,
        last_sr: 0x4567_89ab,
        delay_since_sr: 0x0001_8000,
    }
}

#[test]
fn reports_come_back_with_the_sizes_that_are_documented() {
    for (layers, echoes) in [(1, 0), (1, 8), (2, 1), (3, 2), (16, 8), (128, 255)] {
        let report = sender_report(layers, echoes);
        let octets = report.encode();
        assert_eq!(usize::from(octets.size()), 28 + 28 + 12 * layers.max(2) + 12 * echoes);
        assert_eq!(octets.decode(), Ok(Message::SenderReport(report)));
    }
    let report = receiver_report();
    let octets = report.encode();
    assert_eq!((octets.size(), octets.decode()), (28 + 52, Ok(Message::ReceiverReport(report))));
    let octets = Bye { ssrc: 9 }.encode();
    assert_eq!((octets.size(), octets.decode()), (28 + 16, Ok(Message::Bye(Bye { ssrc: 9 }))));
    let control = Control::from(octets);
    assert_eq!(Octets::read(Some(&control)), Ok(Message::Bye(Bye { ssrc: 9 })));
    assert_eq!(Octets::read(None), Err(Malformed::Missing));
    assert_eq!(Octets::read(Some(&Control::new([5]))), Err(Malformed::Length { bytes: 1 }));
    assert_eq!(Octets::read(Some(&Control::new([]))), Err(Malformed::Length { bytes: 0 }));
}

#[test]
fn bytes_are_those_of_the_rfc() {
    let report = sender_report(3, 1);
    #[rustfmt::skip]
    let sender = [
        // V=2, RC=0, PT=200, 18 words and one; SSRC; NTP; RTP; packets; octets.
        0x80, 200, 0, 18, 0xde, 0xad, 0xbe, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
        0xff, 0xff, 0xff, 0xff, 0, 0, 0, 7, 0, 0, 0x0e, 0x00,
        // Type, four lines, round 65 534; sequence 65 530, 100 000 bit/s.
        0x80, 0x00, 0, 48, 0xff, 0xfe, 0xff, 0xfa, 0x47, 0xc3, 0x50, 0x00,
        // Extra, three layers, 25 000 times 100 µs.
        0x82, 0x00, 0x61, 0xa8, 0, 0, 0xff, 0xfb, 0x47, 0xc3, 0x50, 0x80,
        0, 0, 0, 0, 0, 0, 0xff, 0xfc, 0x47, 0xc3, 0x51, 0x00,
        0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0,
    ];
    assert_eq!(*report.encode().0, sender);
    #[rustfmt::skip]
    let receiver = [
        0x81, 201, 0, 12, 0, 0, 0, 5,
        // The report block: source, fraction and 24 bits of -3, highest, jitter, LSR, DLSR.
        0xde, 0xad, 0xbe, 0xef, 255, 0xff, 0xff, 0xfd, 0, 2, 0, 1, 0, 0, 0, 77, 0x45, 0x67, 0x89, 0xab, 0, 1, 0x80, 0,
        // Type and the round, 20 bytes; share; loss; the round's highest bit and the round-trip time; the stamp.
        0xff, 0xff, 0, 20, 0x47, 0xf1, 0x20, 0x00, 0x3c, 0x4c, 0xcc, 0xcd, 0x80, 0x08, 0x3d, 0x60,
        0xff, 0xff, 0xff, 0xf0,
    ];
    assert_eq!(*receiver_report().encode().0, receiver);
    assert_eq!(*Bye { ssrc: 9 }.encode().0, [0x80, 201, 0, 1, 0, 0, 0, 9, 0x81, 203, 0, 1, 0, 0, 0, 9]);
    assert_eq!(middle(0x0123_4567_89ab_cdef), 0x4567_89ab);
}

#[test]
fn what_does_not_fit_is_the_most_that_does() {
    let lost = |lost| match (ReceiverReport { cumulative_lost: lost, ..receiver_report() }).encode().decode() {
        Ok(Message::ReceiverReport(report)) => report.cumulative_lost,
        other => panic!("{other:?}"),
    };
    assert_eq!([0, 8_388_607, 8_388_608, i32::MAX].map(lost), [0, 8_388_607, 8_388_607, 8_388_607]);
    assert_eq!([-1, -8_388_608, -8_388_609, i32::MIN].map(lost), [-1, -8_388_608, -8_388_608, -8_388_608]);
    let spread = |us| match (SenderReport { feedback_spread_us: us, ..sender_report(2, 0) }).encode().decode() {
        Ok(Message::SenderReport(report)) => report.feedback_spread_us,
        other => panic!("{other:?}"),
    };
    assert_eq!([0, 49, 50, 149, 150, 2_500_000].map(spread), [0, 0, 100, 100, 200, 2_500_000]);
    assert_eq!([1_677_721_500, 1_677_721_600, u32::MAX].map(spread), [1_677_721_500; 3]);
    let numbers = |number, rtt_us| match (ReceiverReport { number, rtt_us, ..receiver_report() }).encode().decode() {
        Ok(Message::ReceiverReport(report)) => (report.number, report.rtt_us),
        other => panic!("{other:?}"),
    };
    for number in [0, 1, 0x7fff, 0x8000, 0xffff] {
        assert_eq!(numbers(number, 0), (number, 0));
        assert_eq!(numbers(number, u32::MAX), (number, (1 << 31) - 1));
    }
}

#[test]
fn whatever_is_no_message_is_named() {
    let decode = |bytes: &[u8]| Octets(bytes.into()).decode();
    let sender = sender_report(3, 2).encode().0;
    let receiver = receiver_report().encode().0;
    let bye = Bye { ssrc: 9 }.encode().0;
    for good in [&sender, &receiver, &bye] {
        assert!(decode(good).is_ok());
        // Of whatever length, it is not read beyond its end, and a part of it is no message.
        for length in 0..good.len() {
            assert!(decode(&good[..length]).is_err(), "{length} of {}", good.len());
        }
        let more: Vec<u8> = good.iter().copied().chain([0x80, 201, 0, 0]).collect();
        assert!(decode(&more).is_err());
    }
    assert_eq!(decode(&[]), Err(Malformed::Length { bytes: 0 }));
    let mut changed = sender.clone();
    changed[0] = 0x40;
    assert_eq!(decode(&changed), Err(Malformed::Version { byte: 0x40 }));
    changed[0] = 0xa0;
    assert_eq!(decode(&changed), Err(Malformed::Version { byte: 0xa0 }));
    changed[..2].copy_from_slice(&[0x80, 202]);
    assert_eq!(decode(&changed), Err(Malformed::Kind { packet_type: 202, blocks: 0 }));
    // Five layers said where there are lines for five, and with an echo too many beside one.
    let mut changed = sender.clone();
    changed[40] = changed[40] & 0x80 | 4;
    assert!(matches!(decode(&changed), Ok(Message::SenderReport(SenderReport { echoes, .. })) if echoes.is_empty()));
    changed[40] += 1;
    assert_eq!(decode(&changed), Err(Malformed::Lines { bytes: 60, layers: 6 }));
    let mut changed = sender_report(3, 255).encode().0;
    changed[40] &= 0x80;
    assert_eq!(decode(&changed), Err(Malformed::Lines { bytes: 3096, layers: 1 }));
    // The extension of somebody else, or of another length than it says.
    for (message, at) in [(&sender, 28), (&receiver, 32)] {
        let with = |kind: u16, length: u16| {
            let mut changed = message.clone();
            changed[at..at + 2].copy_from_slice(&kind.to_be_bytes());
            changed[at + 2..at + 4].copy_from_slice(&length.to_be_bytes());
            decode(&changed)
        };
        let length = (message.len() - at) as u16;
        assert!(with(0x8000, length).is_ok());
        for (kind, length) in [(1, length), (0, length), (0x8000, length - 4), (0x8000, length + 4), (0x8000, 0)] {
            assert_eq!(with(kind, length), Err(Malformed::Extension { kind, length }));
        }
    }
    assert_eq!(
        decode(&[0x80, 200, 0, 6].into_iter().chain([0; 24]).collect::<Vec<u8>>()),
        Err(Malformed::Lines { bytes: 0, layers: 1 })
    );
    let extension = Malformed::Extension { kind: 1, length: 2 };
    for error in
        [Malformed::Missing, extension, Malformed::Length { bytes: 3 }, Malformed::Lines { bytes: 60, layers: 6 }]
    {
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn any_bytes_are_read_without_harm() {
    let mut random = Random::stream(1, "test/rtcp");
    let mut below = |n: usize| (random.uniform() * n as f64) as usize;
    let mut read = [0; 4];
    for _ in 0..crate::testing::inputs(20_000, 1) {
        let mut bytes = match below(4) {
            0 => sender_report(1 + below(16), below(9)).encode().0.to_vec(),
            1 => receiver_report().encode().0.to_vec(),
            2 => Bye { ssrc: 9 }.encode().0.to_vec(),
            _ => (0..below(80)).map(|_| below(256) as u8).collect(),
        };
        for _ in 0..below(4) {
            match (below(3), bytes.len()) {
                (_, 0) => bytes.push(below(256) as u8),
                (0, length) => bytes[below(length)] = below(256) as u8,
                (1, length) => bytes.truncate(below(length)),
                _ => bytes.push(below(256) as u8),
            }
        }
        let octets = Octets(bytes.into());
        match octets.decode() {
            Ok(Message::SenderReport(report)) => {
                read[0] += 1;
                assert!((1..=MOST_LAYERS).contains(&report.layers.len()) && report.echoes.len() <= MOST_ECHOES);
                // What is read is written as it was, but for bits without meaning; numbers that are none stay so.
                assert_eq!(report.encode().0.len(), octets.0.len());
            }
            Ok(Message::ReceiverReport(report)) => {
                read[1] += 1;
                let again = report.encode();
                assert_eq!(again, octets);
            }
            Ok(Message::Bye(_)) => read[2] += 1,
            Err(error) => {
                read[3] += 1;
                assert!(!error.to_string().is_empty());
            }
        }
    }
    assert!(read.iter().all(|&times| times > 100), "{read:?}");
}
