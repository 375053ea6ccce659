//! Datagrams, TFMCC and pgmcc as `docs/wire-format.md` has them, until the codec of all schemes takes this module's
//! place: two functions, [`encode`] and [`decode`].

use crate::codec::{Decoded, Directory, Malformed, Scope, Unencodable};
use faircast_proto::control::Control;
use faircast_proto::packet::{Ecn, FlowId, Header, INITIAL_TTL, Packet};
use faircast_proto::parts::rtt::stamp_us;
use faircast_proto::time::{Duration, Instant};
use faircast_proto::wire::{IP_BYTES, UDP_BYTES, VERSION};
use faircast_proto::{pgmcc, tfmcc};

/// Appends the message of `packet`; how many bytes.
///
/// # Errors
///
/// There is no such message here.
pub fn encode(
    packet: &Packet,
    _control: Option<&Control>,
    directory: &impl Directory,
    out: &mut Vec<u8>,
) -> Result<usize, Unencodable> {
    let start = out.len();
    let kind: u8 = match packet.header {
        Header::Datagram { .. } => 1,
        Header::Tfmcc(tfmcc::Header::Data(_)) => 32,
        Header::Tfmcc(tfmcc::Header::Feedback(_)) => 33,
        Header::Pgmcc(pgmcc::Header::Data(_)) => 80,
        Header::Pgmcc(pgmcc::Header::Ack(_)) => 81,
        Header::Pgmcc(pgmcc::Header::Nak(_)) => 82,
        Header::Pgmcc(pgmcc::Header::Ncf { .. }) => 83,
        _ => return Err(Unencodable),
    };
    out.extend([VERSION, kind]);
    out.extend(directory.id(packet.source).to_be_bytes());
    word(out, stamp_us(packet.sent));
    match packet.header {
        Header::Datagram { sequence } => out.extend(sequence.to_be_bytes()),
        Header::Tfmcc(tfmcc::Header::Data(data)) => {
            let echo = data.echo;
            out.push(flags([echo.is_some(), echo.is_some_and(|echo| echo.is_clr), false]));
            out.push(data.round);
            word(out, data.sequence);
            words(out, [data.suppression_bps, data.rate_bps].map(f32::to_bits));
            word(out, data.max_rtt_us);
            out.extend(echo.map_or(0, |echo| directory.id(echo.receiver)).to_be_bytes());
            word(out, echo.map_or(0, |echo| echo.stamp_us));
        }
        Header::Tfmcc(tfmcc::Header::Feedback(report)) => {
            out.push(flags([report.have_rtt, report.have_loss, report.leave]));
            out.push(report.round);
            word(out, report.echoed_stamp_us);
            let numbers = [report.rate_bps, report.rtt_s, report.loss_event_rate, report.receive_bps, report.scale];
            words(out, numbers.map(f32::to_bits));
        }
        Header::Pgmcc(pgmcc::Header::Data(data)) => {
            word(out, data.sequence);
            out.extend(data.acker.map_or(0, |acker| directory.id(acker)).to_be_bytes());
        }
        Header::Pgmcc(pgmcc::Header::Ack(ack)) => {
            out.push(flags([ack.leave, false, false]));
            words(out, [ack.echoed_stamp_us, ack.loss_rate.to_bits(), ack.highest, ack.bitmap]);
        }
        Header::Pgmcc(pgmcc::Header::Nak(nak)) => {
            out.push(flags([nak.missing.is_some(), false, false]));
            words(out, [nak.echoed_stamp_us, nak.loss_rate.to_bits(), nak.highest, nak.missing.unwrap_or(0)]);
        }
        Header::Pgmcc(pgmcc::Header::Ncf { missing }) => word(out, missing),
        _ => return Err(Unencodable),
    }
    Ok(out.len() - start)
}

/// Reads a message, and what follows it as data.
///
/// # Errors
///
/// It is none, or one of another version.
pub fn decode<'a>(bytes: &'a [u8], scope: &mut impl Scope) -> Result<Decoded<'a>, Malformed> {
    let mut fields = Fields(bytes);
    let [version, kind] = [fields.byte()?, fields.byte()?];
    if version != VERSION {
        return Err(Malformed);
    }
    let sender = fields.long()?;
    if sender == 0 {
        return Err(Malformed);
    }
    let source = scope.address(sender).ok_or(Malformed)?;
    let sent = unwrapped(fields.word()?, scope.near(sender));
    let header = match kind {
        1 => Header::Datagram { sequence: fields.long()? },
        32 => {
            let flags = fields.byte()?;
            let (round, sequence) = (fields.byte()?, fields.word()?);
            let [suppression_bps, rate_bps] = [fields.rate()?, fields.finite()?];
            let max_rtt_us = fields.word()?;
            let (receiver, stamp_us) = (fields.long()?, fields.word()?);
            let echo = match flags & 128 {
                0 => None,
                _ => {
                    let receiver = scope.address(receiver).ok_or(Malformed)?;
                    Some(tfmcc::Echo { receiver, stamp_us, is_clr: flags & 64 != 0 })
                }
            };
            let data = tfmcc::DataHeader { round, sequence, suppression_bps, rate_bps, max_rtt_us, echo };
            tfmcc::Header::Data(data).into()
        }
        33 => {
            let flags = fields.byte()?;
            let report = tfmcc::FeedbackHeader {
                have_rtt: flags & 128 != 0,
                have_loss: flags & 64 != 0,
                leave: flags & 32 != 0,
                round: fields.byte()?,
                echoed_stamp_us: fields.word()?,
                rate_bps: fields.rate()?,
                rtt_s: fields.finite()?,
                loss_event_rate: fields.finite()?,
                receive_bps: fields.finite()?,
                scale: fields.finite()?,
            };
            tfmcc::Header::Feedback(report).into()
        }
        80 => {
            let (sequence, acker) = (fields.word()?, fields.long()?);
            let acker = if acker == 0 { None } else { Some(scope.address(acker).ok_or(Malformed)?) };
            pgmcc::Header::Data(pgmcc::Data { sequence, acker }).into()
        }
        81 => {
            let flags = fields.byte()?;
            let (echoed_stamp_us, loss_rate) = (fields.word()?, fields.finite()?);
            let (highest, bitmap) = (fields.word()?, fields.word()?);
            pgmcc::Header::Ack(pgmcc::Ack { echoed_stamp_us, loss_rate, highest, bitmap, leave: flags & 128 != 0 })
                .into()
        }
        82 => {
            let flags = fields.byte()?;
            let (echoed_stamp_us, loss_rate) = (fields.word()?, fields.finite()?);
            let (highest, missing) = (fields.word()?, fields.word()?);
            let missing = (flags & 128 != 0).then_some(missing);
            pgmcc::Header::Nak(pgmcc::Nak { echoed_stamp_us, loss_rate, highest, missing }).into()
        }
        83 => pgmcc::Header::Ncf { missing: fields.word()? }.into(),
        _ => return Err(Malformed),
    };
    let size = u16::try_from(bytes.len() + usize::from(IP_BYTES + UDP_BYTES)).map_err(|_| Malformed)?;
    let packet = Packet {
        sent,
        flow: FlowId(0),
        source,
        destination: source,
        size,
        ttl: INITIAL_TTL,
        ecn: Ecn::NotCapable,
        header,
    };
    Ok(Decoded { packet, control: None, payload: fields.0 })
}

fn word(out: &mut Vec<u8>, field: u32) {
    out.extend(field.to_be_bytes());
}

fn words<const N: usize>(out: &mut Vec<u8>, fields: [u32; N]) {
    fields.into_iter().for_each(|field| word(out, field));
}

/// From the highest bit on.
fn flags(bits: [bool; 3]) -> u8 {
    bits.into_iter().zip([128, 64, 32]).map(|(bit, value)| if bit { value } else { 0 }).sum()
}

/// The moment with this stamp that is nearest to another.
fn unwrapped(stamp_us: u32, near: Instant) -> Instant {
    let near_us = near.0 / 1000;
    let ahead = i64::from(stamp_us.wrapping_sub(near_us as u32).cast_signed());
    Instant::ZERO + Duration::from_micros(near_us.saturating_add_signed(ahead))
}

/// What is left of a message.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (first, rest) = self.0.split_first_chunk().ok_or(Malformed)?;
        self.0 = rest;
        Ok(*first)
    }

    fn byte(&mut self) -> Result<u8, Malformed> {
        self.take::<1>().map(|[byte]| byte)
    }

    fn word(&mut self) -> Result<u32, Malformed> {
        self.take().map(u32::from_be_bytes)
    }

    fn long(&mut self) -> Result<u64, Malformed> {
        self.take().map(u64::from_be_bytes)
    }

    /// A number that may be infinite.
    fn rate(&mut self) -> Result<f32, Malformed> {
        let rate = f32::from_bits(self.word()?);
        if rate.is_nan() { Err(Malformed) } else { Ok(rate) }
    }

    fn finite(&mut self) -> Result<f32, Malformed> {
        let number = self.rate()?;
        if number.is_finite() { Ok(number) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_unwrapped_near_the_last() {
        let wrap = 1u64 << 32;
        for near in [wrap, wrap + 5, 3 * wrap - 1, 3 * wrap] {
            for ahead in [-2_000_000_000i64, -1, 0, 1, 2_000_000_000] {
                let sent = near.saturating_add_signed(ahead);
                assert_eq!(unwrapped(sent as u32, Instant(near * 1000)), Instant(sent * 1000));
            }
        }
    }
}
