//! What packets from outside a session cannot do: let its rate grow beyond what is received.

use super::battery::{MEMBERS, session, settings};
use super::*;
use crate::packet::{Address, Header, Packet};
use crate::random::Random;
use crate::testing::group::{GROUP, Group, Who};
use crate::testing::{Fate, anything};
use crate::time::{Duration, Rate};
use crate::{omcc, pgmcc, smcc, tfmcc};

/// The link of every member.
const LINK: Rate = Rate(234_567);
/// In which what is received is counted: some packets.
const SLOT: Duration = Duration::from_millis(100);
/// For how many slots it counts: 10 s, some feedback rounds.
const SLOTS: usize = 100;

/// A network in which every member has a link with room for 100 ms.
fn narrow() -> impl FnMut(Who, Who, &Packet) -> Fate {
    let mut free_at = [Instant::ZERO; MEMBERS];
    move |_, to, packet| {
        let Who::Receiver(n) = to else { return Fate::Deliver };
        let wait = free_at[n].since(packet.sent);
        if wait > Duration::from_millis(100) {
            return Fate::Lose;
        }
        free_at[n] = packet.sent + wait + Duration::from_secs_f64(8.0 * f64::from(packet.size) / LINK.as_bps_f64());
        Fate::Late(wait)
    }
}

/// Any packet at all from outside the session, but no data with a number that fits, which is believed whatever it says,
/// and no report of a rate that could only lower that of the session.
fn foreign(random: &mut Random, now: Instant) -> Packet {
    let mut packet = anything(random, now, GROUP, &mut 0);
    packet.source = Address::endpoint(MEMBERS as u32 + 1 + random.uniform_in(0.0, 3.0) as u32);
    match &mut packet.header {
        Header::Tfmcc(tfmcc::Header::Data(data)) => unfit(random, data),
        Header::Omcc(omcc::Header::Data(data)) => unfit(random, &mut data.tfmcc),
        Header::Tfmcc(tfmcc::Header::Feedback(feedback)) => much(random, now, feedback),
        Header::Omcc(omcc::Header::Feedback(feedback)) => much(random, now, &mut feedback.tfmcc),
        Header::Pgmcc(pgmcc::Header::Data(data)) => data.sequence = unfit_number(random),
        Header::Pgmcc(pgmcc::Header::Ack(ack)) => {
            (ack.echoed_stamp_us, ack.highest) = (recent(random, now), fit_number(random));
        }
        Header::Pgmcc(pgmcc::Header::Nak(nak)) => {
            (nak.echoed_stamp_us, nak.highest) = (recent(random, now), fit_number(random));
        }
        Header::Smcc(smcc::Header::Ack(ack)) => {
            (ack.echoed_stamp_us, ack.highest) = (recent(random, now), fit_number(random));
        }
        _ => {}
    }
    packet
}

/// A time stamp of the last tenth of a second.
fn recent(random: &mut Random, now: Instant) -> u32 {
    ((now.0 / 1000) as u32).wrapping_sub(random.uniform_in(0.0, 1e5) as u32)
}

/// The session begins with 0 and sends some thousands.
fn unfit_number(random: &mut Random) -> u32 {
    random.uniform_in(1e5, 4.29e9) as u32
}

/// Many of these it has sent.
fn fit_number(random: &mut Random) -> u32 {
    random.uniform_in(0.0, 5e3) as u32
}

fn unfit(random: &mut Random, data: &mut tfmcc::DataHeader) {
    data.sequence = unfit_number(random);
    if let Some(echo) = &mut data.echo {
        echo.receiver = Address::endpoint(random.uniform_in(1.0, 1.0 + MEMBERS as f64) as u32);
    }
}

fn much(random: &mut Random, now: Instant, feedback: &mut tfmcc::FeedbackHeader) {
    feedback.rate_bps = if random.chance(0.5) { f32::INFINITY } else { random.uniform_in(1e6, 1e9) as f32 };
    if random.chance(0.5) {
        feedback.echoed_stamp_us = recent(random, now);
    }
}

/// What multiplies the equation, by the last data packet.
fn scale<N>(group: &Group<SchemeSender, SchemeReceiver, N>) -> f64 {
    let scale = |packet: &Packet| match packet.header {
        Header::Omcc(omcc::Header::Data(data)) => Some(f64::from(data.scale)),
        _ => None,
    };
    group.sent.iter().rev().find_map(|(_, _, packet)| scale(packet)).unwrap_or(1.0)
}

/// Wild numbers, forged echoes and forged reports that ask for much.
#[test]
fn foreign_packets_do_not_let_the_rate_pass_twice_what_is_received() {
    for config in settings().into_iter().filter(|config| config.responder() == Responder::Sender) {
        for (seed, every_s) in [(0, 0.1), (0, 1.0), (1, 0.1), (1, 1.0), (2, f64::INFINITY)] {
            let name = format!("{} seed {seed} every {every_s} s {config:?}", config.name());
            let mut random = Random::stream(seed, "test/foreign");
            let mut group = session(&config, seed, narrow());
            group.start_all();
            let packet_bits = 8.0 * config.packet_bytes() as f64;
            let (mut received, mut end) = (vec![0; MEMBERS], Instant::ZERO);
            let mut slots = Vec::new();
            let mut next = Instant::from_secs_f64(random.exponential(every_s).min(1e6));
            while end < Instant::from_secs_f64(60.0) {
                end += SLOT;
                while next < end {
                    group.run_until(next);
                    let packet = foreign(&mut random, next);
                    let who = group.everyone().nth(random.uniform_in(0.0, 1.0 + MEMBERS as f64) as usize);
                    group.hand(who.expect("one of them"), &packet);
                    next += Duration::from_secs_f64(random.exponential(every_s));
                }
                group.run_until(end);
                let now = (1..=MEMBERS).map(|member| group.counts[member].handed_bytes);
                let now: Vec<u64> = now.collect();
                let most = now.iter().zip(&received).map(|(now, before)| now - before).max().expect("members");
                received = now;
                slots.push(8.0 * most as f64 / SLOT.as_secs_f64());
                let most_bps = slots.iter().rev().take(SLOTS).copied().fold(0.0, f64::max);
                let rate_bps = group.source.report().rate_bps;
                // What the equation gives is multiplied by the scale, also beyond what is received. A slot may have
                // room for a part of a packet more than it held.
                let bound_bps = 2.0 * scale(&group).max(1.0) * most_bps + packet_bits / SLOT.as_secs_f64();
                assert!(rate_bps <= bound_bps, "{name}: {rate_bps} bit/s at {end}, {most_bps} bit/s received");
            }
        }
    }
}
