//! The project's own format: what stands before a message's fields, and which format a datagram is in.

use crate::decoded::{Decoded, Scope, moment, packet};
use crate::error::{Malformed, Unencodable};
use crate::{rtp, stamp};
use faircast_proto::control::Control;
use faircast_proto::packet::{Address, Header, Packet};
use faircast_proto::time::Instant;
use faircast_proto::wire::coding::{Coded, Directory, Reader, Writer};
use faircast_proto::wire::{Format, IP_BYTES, MEMBERSHIP_ACKNOWLEDGEMENT, MEMBERSHIP_REPORT, UDP_BYTES, VERSION};

/// Appends to `out` what a packet says, and how many bytes that are: all of it but data, of which there are as many as
/// make up [`Packet::size`] with IP and UDP. A stamp has whole microseconds, rounded down.
///
/// # Errors
/// If it has no place in the format; `out` is as it was then.
pub fn encode(
    packet: &Packet,
    control: Option<&Control>,
    directory: &impl Directory,
    out: &mut Vec<u8>,
) -> Result<usize, Unencodable> {
    let before = out.len();
    let written = match packet.header.layout().format {
        Format::Own(_) | Format::OwnOverIp(_) if control.is_some() => Err(Unencodable::Control),
        Format::Own(_) => write(packet, true, directory, out),
        Format::OwnOverIp(_) => write(packet, false, directory, out),
        Format::Standard | Format::StandardOverIp => rtp::encode(packet, control, directory, out),
    };
    if written.is_err() {
        out.truncate(before);
    }
    written.map(|()| out.len() - before)
}

/// Reads a datagram, what UDP carries: the project's own format or, by their first two bits, RTP and RTCP.
///
/// # Errors
/// If it is no message, whatever it is: [`Malformed`] says why, and nothing has been learnt of it.
pub fn decode<'a>(bytes: &'a [u8], scope: &mut impl Scope) -> Result<Decoded<'a>, Malformed> {
    let size = size(bytes, IP_BYTES + UDP_BYTES)?;
    match *bytes {
        [VERSION, kind, ref rest @ ..] => read(kind, rest, size, scope),
        [first, ..] if rtp::is_rtp(first) => rtp::decode(bytes, size, scope),
        [version, ..] => {
            Err(if bytes.len() == 1 && version == VERSION { Malformed::Short } else { Malformed::Version { version } })
        }
        [] => Err(Malformed::Short),
    }
}

/// Reads what IP carries from a neighbour on the tree: a message about membership. Who the neighbour is the driver
/// knows; the packet's source is [`Address::STRANGER`], and when it was sent is not said.
///
/// # Errors
/// If it is none.
pub fn decode_between_neighbours<'a>(bytes: &'a [u8], scope: &mut impl Scope) -> Result<Decoded<'a>, Malformed> {
    let size = size(bytes, IP_BYTES)?;
    match *bytes {
        [VERSION, kind, ref rest @ ..] if is_between_neighbours(kind) => {
            let mut reader = Reader::new(rest, scope);
            let header = Header::decode_fields(kind, &mut reader).ok_or(Malformed::Kind { kind })??;
            let payload = reader.rest();
            let packet = packet(header, size, Address::STRANGER, Instant::ZERO);
            Ok(Decoded { packet, control: None, payload })
        }
        [VERSION, kind, ..] => Err(Malformed::Kind { kind }),
        [VERSION] | [] => Err(Malformed::Short),
        [version, ..] => Err(Malformed::Version { version }),
    }
}

fn write(packet: &Packet, over_udp: bool, directory: &dyn Directory, out: &mut Vec<u8>) -> Result<(), Unencodable> {
    let mut writer = Writer::new(out, directory);
    let kind = packet.header.wire_kind().ok_or(Unencodable::Foreign)?;
    writer.bytes([VERSION, kind]);
    if over_udp {
        writer.field("sender");
        packet.source.encode(&mut writer);
        writer.bytes(stamp::stamp(packet.sent).to_be_bytes());
    }
    packet.header.encode_fields(&mut writer);
    Ok(writer.finish()?)
}

fn read<'a>(kind: u8, rest: &'a [u8], size: u16, scope: &mut impl Scope) -> Result<Decoded<'a>, Malformed> {
    if is_between_neighbours(kind) {
        return Err(Malformed::Kind { kind });
    }
    let mut reader = Reader::new(rest, scope);
    let id = u64::decode(&mut reader)?;
    let stamp = u32::decode(&mut reader)?;
    if id == 0 {
        return Err(Malformed::Nobody { field: "sender" });
    }
    let header = Header::decode_fields(kind, &mut reader).ok_or(Malformed::Kind { kind })??;
    let payload = reader.rest();
    // Last, as a driver may make a place for somebody new: only who sends a message gets one.
    let source = scope.address(id).ok_or(Malformed::Stranger)?;
    let sent = moment(stamp, source, scope);
    Ok(Decoded { packet: packet(header, size, source, sent), control: None, payload })
}

fn is_between_neighbours(kind: u8) -> bool {
    MEMBERSHIP_REPORT.format.is(kind) || MEMBERSHIP_ACKNOWLEDGEMENT.format.is(kind)
}

/// The size of the packet with so much below these bytes.
fn size(bytes: &[u8], below: u16) -> Result<u16, Malformed> {
    u16::try_from(bytes.len() + usize::from(below)).map_err(|_| Malformed::Long)
}
