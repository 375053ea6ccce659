//! Between NORM's messages and what TFMCC's endpoints say (`docs/wire-format.md` has what each has that the other has
//! not). Sections without a number of an RFC are of RFC 5740.
//!
//! The sender's packets become NORM_DATA or, as probes, NORM_CMD(CC): [`Probes`] writes these, [`Heard`] makes of both
//! what TFMCC's receiver takes. A report becomes NORM_ACK(CC) by [`feedback`], and a report again by [`report`].
//!
//! That is for whoever drives an endpoint of TFMCC by these messages. `crates/norm`, which makes its reports by the
//! letter of RFC 5740, takes of it what becomes of [time stamps](instant) and of the sender's messages.

use super::{CcNode, Feedback, Loss, Rate, RoundTrip, Time, flag};
use faircast_proto::packet::Address;
use faircast_proto::parts::rtt::stamp_us;
use faircast_proto::tfmcc::{DataHeader, Echo, FeedbackHeader};
use faircast_proto::time::{Duration, Instant};

const BITS: f64 = 8.0;
const US_PER_S: u64 = 1_000_000;
/// R_max is in microseconds in TFMCC's packets.
const US: f64 = 1e6;
/// What comes after so long a silence was not overtaken by what came before it: a choice.
const SILENCE: Duration = Duration::from_secs(1);

/// The moment of a time stamp.
pub const fn instant(time: Time) -> Instant {
    // 2^32 s and as many microseconds are less than a clock has room for.
    Instant((time.s as u64 * US_PER_S + time.us as u64) * 1000)
}

/// The time stamp of a moment: its second wraps around after 136 years, parts of microseconds are left out.
pub const fn time(at: Instant) -> Time {
    let us = at.0 / 1000;
    Time { s: (us / US_PER_S) as u32, us: (us % US_PER_S) as u32 }
}

/// What a probe says for a packet of TFMCC.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// "grtt".
    pub grtt: RoundTrip,
    /// fb_nr.
    pub cc_sequence: u16,
    /// EXT_RATE.
    pub send_rate: Rate,
    /// The receiver of the echo with its round-trip time, if there is one.
    pub node: Option<CcNode>,
}

/// The sender's side: numbers of probes, of which TFMCC's rounds are the lower 8 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probes {
    cc_sequence: u16,
}

impl Probes {
    /// What to say for this packet. `rtt_s` and `rate_bps` are of the receiver that it echoes: NORM's sender measures
    /// and tells round-trip times, where TFMCC's echoes stamps. `node` is its number.
    pub fn probe(&mut self, data: &DataHeader, node: u32, rtt_s: f64, rate_bps: f64) -> Probe {
        let ahead = data.round.wrapping_sub(self.cc_sequence as u8);
        self.cc_sequence = self.cc_sequence.wrapping_add(ahead.into());
        Probe {
            grtt: RoundTrip::of_s(f64::from(data.max_rtt_us) / US),
            cc_sequence: self.cc_sequence,
            send_rate: Rate::of_bytes_per_s(f64::from(data.rate_bps) / BITS),
            node: data.echo.map(|echo| CcNode {
                node,
                flags: flag::RTT | if echo.is_clr { flag::CLR } else { 0 },
                rtt: RoundTrip::of_s(rtt_s),
                rate: Rate::of_bytes_per_s(rate_bps / BITS),
            }),
        }
    }
}

/// The receiver's side: what it has heard of one sender.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heard {
    /// The newest message of the sender, and when the last one arrived.
    sequence: Option<(u32, Instant)>,
    probe: Option<LastProbe>,
    suppression: Option<Rate>,
}

#[derive(Clone, Copy, Debug)]
struct LastProbe {
    cc_sequence: u16,
    sent: Time,
    /// On the receiver's clock.
    arrived: Instant,
    rate: Rate,
}

impl Heard {
    /// The packet of TFMCC that a message of the sender is, when it arrived at `arrived`, and when it was sent: data
    /// carry no stamp, and theirs is that of the last probe and the time since that came, which is what a receiver of
    /// NORM answers (section 4.3.1). `None` before the first probe.
    ///
    /// Numbers have 16 bits: one that differs from the newest by less than half of them is ahead of it or late, but
    /// after a second of silence every one is ahead. How often numbers have wrapped around in a silence is not known.
    pub fn packet(&mut self, sequence: u16, grtt: RoundTrip, arrived: Instant) -> Option<(DataHeader, Instant)> {
        let probe = self.probe?;
        let (last, last_at) = self.sequence.unwrap_or((sequence.into(), arrived));
        let ahead = sequence.wrapping_sub(last as u16);
        let is_after_silence = arrived.since(last_at) >= SILENCE;
        let step = if is_after_silence { i32::from(ahead) } else { i32::from(ahead as i16) };
        let sequence = last.wrapping_add_signed(step);
        self.sequence = Some((if step > 0 { sequence } else { last }, arrived.max(last_at)));
        let data = DataHeader {
            round: probe.cc_sequence as u8,
            sequence,
            suppression_bps: self.suppression.map_or(f32::INFINITY, |rate| (rate.bytes_per_s() * BITS) as f32),
            rate_bps: (probe.rate.bytes_per_s() * BITS) as f32,
            max_rtt_us: (grtt.s() * US + 0.5) as u32,
            echo: None,
            starting: false,
            at_once: false,
        };
        let since = arrived.0.saturating_sub(probe.arrived.0);
        Some((data, Instant(instant(probe.sent).0.saturating_add(since))))
    }

    /// A probe came: the stamp of what comes is its, and a new number begins a round. What it says of `own`, the line
    /// of this receiver in its list, is the echo that TFMCC's receiver takes the same round-trip time from.
    pub fn probe(
        &mut self,
        cc_sequence: u16,
        sent: Time,
        rate: Rate,
        arrived: Instant,
        own: Option<(Address, CcNode)>,
    ) -> Option<Echo> {
        if self.probe.is_none_or(|last| last.cc_sequence != cc_sequence) {
            self.suppression = None;
        }
        self.probe = Some(LastProbe { cc_sequence, sent, arrived, rate });
        let (receiver, line) = own.filter(|(_, line)| line.flags & flag::RTT != 0)?;
        let at = Instant(arrived.0.saturating_sub((line.rtt.s() * 1e9) as u64));
        Some(Echo { receiver, stamp_us: stamp_us(at), is_clr: line.flags & flag::CLR != 0 })
    }

    /// Another's feedback came, multicast or in an advertisement of repair: the lowest of the round suppresses (section
    /// 5.5.2.2).
    pub fn suppress(&mut self, feedback: &Feedback) {
        let is_lower = |rate: Rate| feedback.rate.bytes_per_s() < rate.bytes_per_s();
        if feedback.flags & flag::LEAVE == 0 && self.suppression.is_none_or(is_lower) {
            self.suppression = Some(feedback.rate);
        }
    }

    /// The number of the last probe, and the whole stamp of whose lower 32 bits of microseconds a report echoes; 0 as
    /// long as there has been no probe (section 4.3.1).
    pub fn response(&self, echoed_stamp_us: u32) -> (u16, Time) {
        self.probe.map_or((0, Time::default()), |probe| {
            let at = crate::stamp::unwrap(echoed_stamp_us, instant(probe.sent));
            (probe.cc_sequence, time(at))
        })
    }
}

/// What a report says in EXT_CC. `is_clr` is what the last line of its receiver said.
pub fn feedback(report: &FeedbackHeader, cc_sequence: u16, is_clr: bool) -> Feedback {
    let set = |flag: u8, is: bool| if is { flag } else { 0 };
    Feedback {
        cc_sequence,
        flags: set(flag::CLR, is_clr)
            | set(flag::RTT, report.have_rtt)
            | set(flag::START, !report.have_loss)
            | set(flag::LEAVE, report.leave),
        rtt: RoundTrip::of_s(report.rtt_s.into()),
        loss: Loss::of(report.loss_event_rate.into()),
        rate: Rate::of_bytes_per_s(f64::from(report.rate_bps) / BITS),
    }
}

/// The report that an acknowledgement is. What it received NORM says only before a loss, as half of the rate; later the
/// rate is taken for it. `max_rtt_s` stands for a round-trip time that it has not.
pub fn report(feedback: &Feedback, response: Time, max_rtt_s: f64) -> FeedbackHeader {
    let have = |flag: u8| feedback.flags & flag != 0;
    let rate_bps = feedback.rate.bytes_per_s() * BITS;
    let rtt_s = if have(flag::RTT) { feedback.rtt.s() } else { max_rtt_s };
    FeedbackHeader {
        have_rtt: have(flag::RTT),
        have_loss: !have(flag::START),
        leave: have(flag::LEAVE),
        round: feedback.cc_sequence as u8,
        echoed_stamp_us: stamp_us(instant(response)),
        rate_bps: rate_bps as f32,
        rtt_s: rtt_s as f32,
        loss_event_rate: if have(flag::START) { 0.0 } else { feedback.loss.part() as f32 },
        receive_bps: if have(flag::START) { rate_bps / 2.0 } else { rate_bps } as f32,
        scale: 1.0,
    }
}
