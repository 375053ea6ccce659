//! MLDA on the wire: data in RTP, reports in RTCP (RFC 3550), by the profile of RFC 3551 with what
//! `docs/wire-format.md` adds. Sections without a number of an RFC are of RFC 3550.
//!
//! MLDA's source draws its own number (SSRC). A receiver goes by its address in what an endpoint says, and on the wire
//! by the lower 32 bits of its id; reports are translated on their way.

use crate::decoded::{Decoded, Scope, moment, packet};
use crate::error::{Malformed, Unencodable};
use faircast_proto::control::Control;
use faircast_proto::mlda::rtcp::{self, Message, Octets};
use faircast_proto::mlda::{DataHeader, Header as MldaHeader};
use faircast_proto::packet::{Address, Header, Packet};
use faircast_proto::wire::coding::Directory;

/// The payload type of data: the first of those that RFC 3551 leaves to sessions, 96 to 127.
pub const PAYLOAD_TYPE: u8 = 96;

/// Version 2, in the two highest bits (section 5.1).
const VERSION: u8 = 2 << 6;
const PADDING: u8 = 1 << 5;
const EXTENSION: u8 = 1 << 4;
const CSRC_COUNT: u8 = 0x0f;
const MARKER: u8 = 1 << 7;
/// Bytes of the fixed header.
const FIXED_BYTES: usize = 12;
/// Packet types of RTCP: SR, RR, SDES, BYE and APP (section 6.1). Data of payload types 72 to 76 with the marker would
/// look like them, and is taken for them; ours is 96.
const PACKET_TYPES: std::ops::RangeInclusive<u8> = 200..=204;

/// Whether a datagram that begins with this byte is in RTP or RTCP.
pub const fn is_rtp(first: u8) -> bool {
    first & 0xc0 == VERSION
}

/// Appends what a packet of MLDA says.
pub(crate) fn encode(
    packet: &Packet,
    control: Option<&Control>,
    directory: &dyn Directory,
    out: &mut Vec<u8>,
) -> Result<(), Unencodable> {
    match (packet.header, control) {
        (Header::Mlda(MldaHeader::Data(_)), Some(_)) => return Err(Unencodable::Control),
        (Header::Mlda(MldaHeader::Data(data)), None) => encode_data(&data, out),
        (Header::Mlda(header), control) => {
            let mut message = Octets::read(control).map_err(Unencodable::Rtcp)?;
            if of(&message) != header {
                return Err(Unencodable::Control);
            }
            translate(&mut message, |bits| match directory.id(Address::from_bits(bits)) as u32 {
                0 => Err(Unencodable::Nobody { field: "ssrc" }),
                ssrc => Ok(ssrc),
            })?;
            finite(&message).map_err(|field| Unencodable::Number { field })?;
            out.extend_from_slice(&octets(&message).0);
        }
        _ => return Err(Unencodable::Foreign),
    }
    Ok(())
}

/// Reads RTP or RTCP.
pub(crate) fn decode<'a>(bytes: &'a [u8], size: u16, scope: &mut impl Scope) -> Result<Decoded<'a>, Malformed> {
    match bytes {
        [_, packet_type, ..] if PACKET_TYPES.contains(packet_type) => decode_report(bytes, size, scope),
        _ => decode_data(bytes, size, scope),
    }
}

fn encode_data(data: &DataHeader, out: &mut Vec<u8>) {
    out.extend_from_slice(&[VERSION, if data.probe { MARKER } else { 0 } | PAYLOAD_TYPE]);
    out.extend_from_slice(&data.sequence.to_be_bytes());
    out.extend_from_slice(&data.timestamp.to_be_bytes());
    out.extend_from_slice(&data.ssrc.to_be_bytes());
}

/// Data of any payload type. Contributing sources and an extension of the header say nothing here and are passed over,
/// padding is no payload (sections 5.1 and 5.3.1).
fn decode_data<'a>(bytes: &'a [u8], size: u16, scope: &mut impl Scope) -> Result<Decoded<'a>, Malformed> {
    let (fixed, mut payload) = bytes.split_first_chunk::<FIXED_BYTES>().ok_or(Malformed::Short)?;
    let &[first, second, s0, s1, t0, t1, t2, t3, r0, r1, r2, r3] = fixed;
    payload = payload.get(4 * usize::from(first & CSRC_COUNT)..).ok_or(Malformed::Rtp)?;
    if first & EXTENSION != 0 {
        let (&[_, _, high, low], rest) = payload.split_first_chunk().ok_or(Malformed::Rtp)?;
        payload = rest.get(4 * usize::from(u16::from_be_bytes([high, low]))..).ok_or(Malformed::Rtp)?;
    }
    if first & PADDING != 0 {
        // Its last byte says how much there is, itself included.
        let padding = usize::from(*payload.last().ok_or(Malformed::Rtp)?);
        let rest = payload.len().checked_sub(padding).filter(|_| padding > 0).ok_or(Malformed::Rtp)?;
        payload = &payload[..rest];
    }
    let data = DataHeader {
        probe: second & MARKER != 0,
        sequence: u16::from_be_bytes([s0, s1]),
        timestamp: u32::from_be_bytes([t0, t1, t2, t3]),
        ssrc: u32::from_be_bytes([r0, r1, r2, r3]),
    };
    let source = scope.rtp_source(data.ssrc).ok_or(Malformed::Stranger)?;
    let sent = moment(data.timestamp, source, scope);
    let packet = packet(Header::Mlda(MldaHeader::Data(data)), size, source, sent);
    Ok(Decoded { packet, control: None, payload })
}

fn decode_report<'a>(bytes: &'a [u8], size: u16, scope: &mut impl Scope) -> Result<Decoded<'a>, Malformed> {
    let mut message = rtcp::decode(bytes).map_err(Malformed::Rtcp)?;
    finite(&message).map_err(|field| Malformed::Number { field })?;
    // A source's reports have the time of its data, a receiver's their own; who goes says none.
    let (source, stamp) = match &message {
        Message::SenderReport(report) => (scope.rtp_source(report.ssrc), Some(report.rtp_timestamp)),
        Message::ReceiverReport(report) => (scope.rtp_receiver(report.ssrc), Some(report.stamp_us)),
        Message::Bye(bye) => (scope.rtp_receiver(bye.ssrc), None),
    };
    let source = source.ok_or(Malformed::Stranger)?;
    let sent = stamp.map_or_else(|| scope.near(source).unwrap_or_default(), |s| moment(s, source, scope));
    let header = of(&message);
    let Ok(()) = translate(&mut message, |ssrc| {
        Ok::<u32, std::convert::Infallible>(match header {
            MldaHeader::SenderReport { .. } => scope.rtp_named(ssrc).unwrap_or(Address::STRANGER).to_bits(),
            _ => source.to_bits(),
        })
    });
    let packet = packet(Header::Mlda(header), size, source, sent);
    Ok(Decoded { packet, control: Some(octets(&message).into()), payload: &[] })
}

/// The header of the packet that a message travels beside.
fn of(message: &Message) -> MldaHeader {
    match *message {
        Message::SenderReport(ref report) => MldaHeader::SenderReport { number: report.number },
        Message::ReceiverReport(report) => MldaHeader::ReceiverReport { number: report.number },
        Message::Bye(_) => MldaHeader::Bye,
    }
}

fn octets(message: &Message) -> Octets {
    match message {
        Message::SenderReport(report) => report.encode(),
        Message::ReceiverReport(report) => report.encode(),
        Message::Bye(bye) => bye.encode(),
    }
}

/// Puts another number in the place of each receiver's.
fn translate<E>(message: &mut Message, mut another: impl FnMut(u32) -> Result<u32, E>) -> Result<(), E> {
    match message {
        Message::SenderReport(report) => {
            for echo in &mut report.echoes {
                echo.receiver = another(echo.receiver)?;
            }
        }
        Message::ReceiverReport(report) => report.ssrc = another(report.ssrc)?,
        Message::Bye(bye) => bye.ssrc = another(bye.ssrc)?,
    }
    Ok(())
}

/// Which number is not finite, if one is not.
fn finite(message: &Message) -> Result<(), &'static str> {
    let wrong = match message {
        Message::SenderReport(report) if !report.layers.iter().all(|line| line.rate_bps.is_finite()) => "rate_bps",
        Message::ReceiverReport(report) if !report.rate_bps.is_finite() => "rate_bps",
        Message::ReceiverReport(report) if !report.loss.is_finite() => "loss",
        _ => return Ok(()),
    };
    Err(wrong)
}
