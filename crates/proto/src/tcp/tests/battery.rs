//! What every window rule must stand: random networks, random input, any clock.

use super::rule::{VARIANTS, hybla};
use super::*;
use crate::endpoint::{Action, Cause, Input, Outbox};
use crate::tcp;
use crate::tcp::SackBlock;
use crate::tcp::pacing::Ratios;
use crate::tcp::{Ack, ChosenRule, Window, WindowRule};
use crate::testing::{arrival, feed, inputs};

/// Settings that meet different parts of the machine.
fn settings() -> Vec<Config> {
    let base = Config { wnd: Some(Packets(64.0)), segments: Some(1500), ..Config::default() };
    let fast = Duration::from_millis(200);
    let mut settings = vec![
        base.clone(),
        Config { delayed_ack: true, rto_min: fast, ..base.clone() },
        Config { timestamps: true, limited_transmit: false, ecn: EcnMode::Ecn, ..base.clone() },
        Config { send_jitter: Duration::from_millis(7), ecn: EcnMode::Mecn, delayed_ack: true, ..base.clone() },
        Config { wnd: Some(Packets(1.0)), segments: Some(200), rto_min: fast, ..base.clone() },
        Config { dupthresh: 1, ecn: EcnMode::Mecn, timestamps: true, rto_min: fast, ..base },
    ];
    settings[1].rtt_tick = Some(Duration::from_millis(7));
    settings[2].rtt_tick = Some(Duration::from_millis(30));
    settings[3].mecn.latch = false;
    settings[5].mecn.hold = true;
    settings[2].handshake = true;
    settings[2..6].iter_mut().for_each(|config| config.proportional_rate_reduction = true);
    (settings[1].segmentation_offload, settings[3].segmentation_offload) = (true, true);
    (settings[3].whole_segments, settings[4].whole_segments) = (true, true);
    settings.push(Config {
        pacing: Some(Ratios::default()),
        hystart: Some(true),
        ecn: EcnMode::Ecn,
        delayed_ack: true,
        ..settings[0].clone()
    });
    settings.push(Config { handshake: true, send_jitter: Duration::from_millis(7), ..settings[6].clone() });
    settings.push(Config { handshake: true, send_jitter: Duration::from_millis(3), ..settings[0].clone() });
    settings.push(Config { handshake: true, handshake_ack: true, timestamps: true, ..settings[1].clone() });
    let finite = |profile| Config { wnd: Some(Packets(64.0)), segments: Some(1500), ..Config::of(profile) };
    // Packets of the size that the others have.
    let linux = Config { recovery: None, mss: Bytes(1000), hdr: Bytes(40), ..finite(Profile::Linux) };
    let at_once = Config {
        proportional_rate_reduction: false,
        segmentation_offload: false,
        whole_segments: false,
        ..linux.clone()
    };
    settings.extend([linux, finite(Profile::Ns2), at_once]);
    settings
}

/// A network that loses, doubles, delays and marks at random, both ways.
fn rough(seed: u64, roughness: f64) -> impl FnMut(Side, &Packet) -> Fate {
    let mut random = Random::stream(seed, "test/rough");
    move |_, _| {
        let draw = random.uniform() / roughness;
        match draw {
            d if d < 0.25 => Fate::Lose,
            d if d < 0.35 => Fate::Twice,
            d if d < 0.6 => Fate::Late(Duration::from_micros((random.uniform() * 60_000.0) as u64)),
            d if d < 0.75 => Fate::Mark(Ecn::Incipient),
            d if d < 0.85 => Fate::Mark(Ecn::Moderate),
            _ => Fate::Deliver,
        }
    }
}

/// Runs a finite transfer to its end and says what happened.
fn transfer(config: &Config, seed: u64, roughness: f64, clocks: [Duration; 2]) -> Vec<(Instant, Side, Event)> {
    transfer_from(0, config, seed, roughness, clocks).0
}

/// When which side sent which number with which blocks, counted from the first segment.
type Sent = (Instant, Side, u32, Vec<u32>);

/// The same with the first segment numbered `first`; with what was sent.
fn transfer_from(
    first: u64,
    config: &Config,
    seed: u64,
    roughness: f64,
    clocks: [Duration; 2],
) -> (Vec<(Instant, Side, Event)>, Vec<Sent>) {
    let (sender, receiver) = ends(config);
    let (sender, receiver) = (sender.numbered_from(first), receiver.numbered_from(first));
    let mut pair = Pair::new(sender, receiver, DELAY, rough(seed, roughness)).with_clocks(clocks[0], clocks[1]);
    pair.pester = true;
    pair.record = true;
    let (mut acknowledged, mut delivered) = (first, first);
    let name = format!("{} seed {seed} {config:?}", config.variant.name());
    pair.run_while(seconds(1e6), |pair| {
        let report = pair.left.shown();
        assert!(report.cwnd_pkts >= 1.0 && report.cwnd_pkts <= config.window_pkts().max(2.0), "{name}: {report:?}");
        assert!(report.ssthresh_pkts >= 1.0, "{name}: {report:?}");
        assert!(pair.left.acknowledged() >= acknowledged && pair.right.next_expected() >= delivered, "{name}");
        (acknowledged, delivered) = (pair.left.acknowledged(), pair.right.next_expected());
        assert!(acknowledged <= delivered, "{name}: acknowledged {acknowledged} of {delivered}");
        true
    });
    let segments = config.segments.expect("finite");
    let end = first + u64::from(segments);
    assert_eq!((pair.left.acknowledged(), pair.right.next_expected()), (end, end), "{name}");
    assert_eq!(pair.right.report().distinct_bytes, u64::from(segments) * 1040, "{name}");
    assert_eq!(pair.count_events(|event| event.is(events::FINISHED)), 1, "{name}");
    assert_eq!(pair.left.deadline(), None, "{name}");
    let relative = |number: u32| number.wrapping_sub(first as u32);
    let sent = pair.sent.iter().map(|(at, side, packet)| match packet.header {
        Header::Tcp(tcp::Header::Data { sequence, .. }) => (*at, *side, relative(sequence), vec![]),
        Header::Tcp(tcp::Header::Ack { next_expected, sack, .. }) => {
            let reported = sack.iter().filter(|block| !block.is_empty());
            let blocks = reported.flat_map(|block| [relative(block.start), relative(block.end)]).collect();
            (*at, *side, relative(next_expected), blocks)
        }
        Header::Tcp(tcp::Header::Syn | tcp::Header::SynAck { .. } | tcp::Header::HandshakeAck) => {
            (*at, *side, 0, vec![])
        }
        _ => panic!("{packet:?}"),
    });
    let sent = sent.collect();
    let mut events = pair.events;
    for (_, _, event) in &mut events {
        if let Cause::Packet { sequence } | Cause::Loss { sequence } | Cause::Mark { sequence, .. } = &mut event.cause {
            *sequence -= first;
        }
    }
    (events, sent)
}

#[test]
fn where_the_numbers_turn_nothing_changes() {
    for variant in VARIANTS {
        for config in settings() {
            let config = Config { variant: variant.clone(), ..config };
            for seed in 0..3 {
                let plain = transfer_from(0, &config, seed, 0.2, [Duration::ZERO; 2]);
                let turned = transfer_from((1 << 32) - 120, &config, seed, 0.2, [Duration::ZERO; 2]);
                assert!(plain == turned, "{} seed {seed}", variant.name());
            }
        }
    }
}

#[test]
fn everything_is_delivered_over_rough_networks() {
    for variant in VARIANTS {
        for config in settings() {
            for seed in 0..20 {
                for roughness in [0.02, 0.3] {
                    transfer(
                        &Config { variant: variant.clone(), ..config.clone() },
                        seed,
                        roughness,
                        [Duration::ZERO; 2],
                    );
                }
            }
        }
    }
}

#[test]
fn every_rule_goes_with_every_recovery() {
    for variant in VARIANTS {
        for recovery in [Recovery::Reno, Recovery::NewReno, Recovery::Sack] {
            for config in settings() {
                let config = Config { variant: variant.clone(), recovery: Some(recovery), ..config };
                for seed in 0..2 {
                    transfer(&config, seed, 0.1, [Duration::ZERO; 2]);
                }
            }
        }
    }
}

#[test]
fn hybla_at_its_reference_is_newreno_packet_for_packet() {
    // Round trips are 0.1 s and, with what comes late, somewhat more.
    for config in settings() {
        for seed in 0..5 {
            for roughness in [0.02, 0.1, 0.3] {
                // Whatever both count.
                let byte_counting = Some(seed % 2 == 0);
                let run = |variant, rtt0| {
                    let hybla = hybla::Parameters { rtt0: Duration::from_millis(rtt0) };
                    let config = Config { variant, hybla, byte_counting, abc_limit: 2, ..config.clone() };
                    transfer_from(0, &config, seed, roughness, [Duration::ZERO; 2])
                };
                let newreno = run(Variant::NewReno, 25);
                assert!(run(Variant::Hybla, 100_000) == newreno, "seed {seed} roughness {roughness} {config:?}");
                // Half the round trip is another matter, unless windows are one segment.
                if config.wnd > Some(Packets(1.0)) {
                    assert!(run(Variant::Hybla, 50) != newreno, "seed {seed} roughness {roughness} {config:?}");
                }
            }
        }
    }
}

#[test]
fn hybla_bears_a_reference_of_nearly_no_time() {
    for rtt0 in [Duration(1), Duration::from_millis(1)] {
        for config in settings() {
            let hybla = hybla::Parameters { rtt0 };
            let config = Config { variant: Variant::Hybla, hybla, ..config };
            transfer(&config, 3, 0.1, [Duration::ZERO; 2]);
        }
    }
}

#[test]
fn clocks_of_hosts_make_no_difference() {
    for variant in VARIANTS {
        for config in settings() {
            let config = Config { variant: variant.clone(), ..config };
            let plain = transfer(&config, 11, 0.1, [Duration::ZERO; 2]);
            // Whole microseconds: time stamps have that resolution.
            let ahead = [Duration::from_micros(123_456_789), Duration::from_micros(987_654_321_987)];
            assert_eq!(transfer(&config, 11, 0.1, ahead), plain, "{}", variant.name());
        }
    }
}

#[test]
fn no_input_upsets_a_sender() {
    for variant in VARIANTS {
        let settings = settings();
        let count = inputs(300_000, settings.len());
        for (case, config) in settings.into_iter().enumerate() {
            let config = Config { variant: variant.clone(), segments: None, ..config };
            let mut random = Random::stream(case as u64, "test/input");
            let mut lateness = Random::stream(case as u64, "test/lateness");
            // The numbers turn within the first thousand segments.
            let first = (1 << 32) - 1000;
            let (mut sender, mut out, mut now) = (ends(&config).0.numbered_from(first), Outbox::new(), seconds(1.0));
            sender.handle(now, Input::Start, &mut out);
            for step in 0..count {
                now += Duration::from_micros((random.uniform() * 20_000.0) as u64);
                let around = |random: &mut Random, at: u64| {
                    (at as u32).wrapping_add((random.uniform() * 9.0) as u32).wrapping_sub(3)
                };
                let (una, end) = (sender.snd_una, sender.sent_end);
                let mut sack = [SackBlock::default(); 3];
                for block in &mut sack {
                    let from = una + (random.uniform() * (end - una + 3) as f64) as u64;
                    *block = SackBlock { start: around(&mut random, from), end: around(&mut random, from) };
                }
                let levels = [Ecn::NotCapable, Ecn::NotCapable, Ecn::Incipient, Ecn::Moderate];
                let acknowledgement = Header::Tcp(tcp::Header::Ack {
                    next_expected: if random.chance(0.6) { una as u32 } else { around(&mut random, una) },
                    echo: levels[(random.uniform() * 4.0) as usize],
                    sack,
                    echoed_stamp_us: random.uniform().to_bits() as u32,
                });
                let echoed_stamp_us = random.uniform().to_bits() as u32;
                let greets = random.chance(0.01);
                let ack = ack_with(if greets {
                    Header::Tcp(tcp::Header::SynAck { echoed_stamp_us })
                } else {
                    acknowledgement
                });
                let input = if random.chance(0.9) {
                    Input::packet(&ack, None, arrival(now, &mut lateness))
                } else {
                    Input::Timeout
                };
                sender.handle(now, input, &mut out);
                out.clear();
                if sender.deadline().is_some_and(|at| at <= now) {
                    sender.handle(now, Input::Timeout, &mut out);
                }
                let name = format!("{} case {case} step {step}", variant.name());
                assert!(sender.deadline().is_none_or(|at| at >= now), "{name}");
                assert!(sender.snd_una >= una && sender.snd_una <= sender.next, "{name}: {sender:?}");
                assert!(sender.next <= sender.sent_end, "{name}: {sender:?}");
                assert!(sender.sent_end == sender.snd_una || sender.deadline().is_some(), "{name}: {sender:?}");
                let cwnd = sender.shown().cwnd_pkts;
                // A recovery ends with the threshold for a window, which is at least 2.
                assert!(cwnd >= 1.0 && cwnd <= config.window_pkts().max(2.0), "{name}: {sender:?}");
            }
        }
    }
}

#[test]
fn no_input_upsets_a_receiver() {
    let settings = settings();
    let count = inputs(60_000, settings.len());
    for (case, config) in settings.into_iter().enumerate() {
        let mut random = Random::stream(case as u64, "test/input");
        let mut lateness = Random::stream(case as u64, "test/lateness");
        let (mut out, mut now) = (Outbox::new(), seconds(1.0));
        let mut receiver = ends(&config).1.numbered_from((1 << 32) - 1000);
        receiver.handle(now, Input::Start, &mut out);
        for step in 0..count {
            now += Duration::from_micros((random.uniform() * 20_000.0) as u64);
            let next = receiver.next_expected();
            // Within a window, or anywhere.
            let around = (next as u32).wrapping_add((random.uniform() * 70.0) as u32).wrapping_sub(5);
            let sequence = match random.uniform() {
                draw if draw < 0.5 => next as u32,
                draw if draw < 0.999 => around,
                _ => random.uniform().to_bits() as u32,
            };
            let header = Header::Tcp(tcp::Header::Data {
                sequence,
                window_reduced: random.chance(0.1),
                retransmission: random.chance(0.1),
                push: random.chance(0.1),
            });
            let ecn = [Ecn::NotCapable, Ecn::Capable, Ecn::Incipient, Ecn::Moderate][(random.uniform() * 4.0) as usize];
            let sent = now - Duration::from_micros((random.uniform() * 1e6) as u64);
            let segment = Packet { sent, ecn, size: (random.uniform() * 65536.0) as u16, ..ack_with(header) };
            let input = if random.chance(0.9) {
                Input::packet(&segment, None, arrival(now, &mut lateness))
            } else {
                Input::Timeout
            };
            feed(&mut receiver, now, input, false, &mut out, &case);
            let name = format!("case {case} step {step}");
            let acks = out.actions().iter().filter_map(|action| match action {
                Action::Send(Packet { header: Header::Tcp(tcp::Header::Ack { next_expected, .. }), .. }) => {
                    Some(*next_expected)
                }
                _ => None,
            });
            assert!(acks.eq(std::iter::repeat_n(receiver.next_expected() as u32, out.actions().len())), "{name}");
            out.clear();
            if let Some(at) = receiver.deadline().filter(|&at| at <= now) {
                feed(&mut receiver, at.max(now), Input::Timeout, false, &mut out, &case);
                out.clear();
            }
            let report = receiver.report();
            assert!(receiver.next_expected() >= next, "{name}");
            assert!(report.distinct_bytes <= report.received_bytes, "{name}: {report:?}");
        }
    }
}

fn ack_with(header: Header) -> Packet {
    Packet {
        sent: Instant::ZERO,
        flow: FlowId(0),
        source: Address::endpoint(1),
        destination: Address::endpoint(0),
        size: 40,
        ttl: 64,
        ecn: Ecn::NotCapable,
        header,
    }
}

/// A rule from outside: adds half a segment per ACK, falls to three quarters on loss.
struct Eager;

impl WindowRule for Eager {
    fn grow(&mut self, _: &Ack, window: &mut Window) {
        window.cwnd += 0.5;
    }

    fn on_loss(&mut self, _flight: u32, window: &mut Window) {
        window.cwnd *= 0.75;
        window.ssthresh = window.cwnd;
    }
}

#[test]
fn a_guest_rule_decides_the_window() {
    let config = Config { wnd: Some(Packets(100.0)), segments: Some(300), ..Config::default() };
    let (flow, own, peer) = (FlowId(0), Address::endpoint(0), Address::endpoint(1));
    let random = Random::stream(1, "test/guest");
    let sender = Sender::with_rule(ChosenRule::Guest(Box::new(Eager)), &config, flow, own, peer, random);
    let network =
        |_: Side, packet: &Packet| if segment(packet) == Some((50, false)) { Fate::Lose } else { Fate::Deliver };
    let mut pair = Pair::new(sender, ends(&config).1, DELAY, network);
    pair.run_until(seconds(60.0));
    assert_eq!(pair.left.acknowledged(), 300);
    let [
        (_, _, Event { kind: events::LOSS_REDUCTION, before, after, details, .. }),
        (_, _, Event { kind: events::FINISHED, .. }),
    ] = pair.events[..]
    else {
        panic!("{:?}", pair.events)
    };
    assert_eq!(after, 0.75 * before);
    // The threshold was the receiver's window.
    assert_eq!(details, [before, after, 100.0, after]);
}
