//! NORM's messages (RFC 5740 section 4) with congestion control. Sections without a number of an RFC are of RFC 5740.
//!
//! [`decode`] borrows from the datagram and allocates nothing; [`encode`] appends to what the caller has. Objects and
//! their repair are not made here. [`tfmcc`] goes between these messages and what TFMCC's endpoints say.

mod contents;
mod error;
mod extension;
mod quantise;
pub mod tfmcc;

pub use contents::{
    CcNode, Item, List, Position, Positions, Request, Requests, StreamPiece, write_list, write_request,
};
pub use error::Malformed;
pub use extension::{Code, Extensions, Feedback, ObjectInformation, flag};
pub use quantise::{GroupSize, Loss, Rate, RoundTrip};

use crate::fec::PayloadId;

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Number of the message among those of its sender; wraps around.
    pub sequence: u16,
    /// Who sends it.
    pub source: u32,
    /// What it is.
    pub body: Body,
    /// Its extensions.
    pub extensions: Extensions,
    /// What stands behind the header: data, or a list, which has been looked at.
    pub payload: &'a [u8],
}

/// What a message is, with the fields that no other kind has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// NORM_INFO (section 4.2.2).
    Information {
        /// What each message of a sender says.
        status: Status,
        /// Bits of [`object_flag`].
        flags: u8,
        /// The scheme of its code.
        fec_id: u8,
        /// Number of the object.
        object: u16,
    },
    /// NORM_DATA (section 4.2.1). With [`object_flag::STREAM`] a [`StreamPiece`] leads the payload.
    Data {
        /// What each message of a sender says.
        status: Status,
        /// Bits of [`object_flag`].
        flags: u8,
        /// Number of the object and the symbol.
        position: Position,
    },
    /// NORM_CMD (section 4.2.3).
    Command {
        /// What each message of a sender says.
        status: Status,
        /// Which.
        command: Command,
    },
    /// NORM_NACK (section 4.3.1): [`Requests`].
    Nack {
        /// To whom.
        answer: Answer,
    },
    /// NORM_ACK (section 4.3.2).
    Acknowledgement {
        /// To whom.
        answer: Answer,
        /// 1: of a probe; 2: of a flush, a [`Position`]; from 16 on the application's.
        kind: u8,
        /// Which request it answers.
        id: u8,
    },
}

/// What each message of a sender says of it (section 4.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// Of this start of the sender.
    pub instance: u16,
    /// The greatest round-trip time of the group, R_max.
    pub grtt: RoundTrip,
    /// By how many of them NACKs are spread, K; 0 to 15.
    pub backoff: u8,
    /// How many receivers there may be.
    pub group_size: GroupSize,
}

/// A command of a sender (section 4.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// All up to here has been sent. A [`List`] of receivers, `u32`, who are to acknowledge it.
    Flush(Position),
    /// There will be no more.
    EndOfTransmission,
    /// Nothing before this point will be repaired. A [`List`] of objects, `u16`, which will not be either.
    Squelch(Position),
    /// A probe. A [`List`] of [`CcNode`].
    CongestionControl {
        /// Number of the probe; wraps around.
        cc_sequence: u16,
        /// When it was sent.
        sent: Time,
    },
    /// What has been asked for: [`Requests`].
    RepairAdvertisement {
        /// Bit 0x01: there is more than had room.
        flags: u8,
    },
    /// A [`List`] of receivers, `u32`, who are to acknowledge this.
    AcknowledgementRequest {
        /// As of acknowledgements.
        kind: u8,
        /// Which request.
        id: u8,
    },
    /// The application's.
    Application,
}

/// What each message of a receiver says (section 4.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The sender that it is for.
    pub server: u32,
    /// Which start of that sender it answers.
    pub instance: u16,
    /// The time stamp of the last probe and how long it was held; 0: there has been none.
    pub response: Time,
}

/// A moment on a sender's clock (section 4.2.3.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Time {
    /// Whole seconds.
    pub s: u32,
    /// And microseconds.
    pub us: u32,
}

/// Version 1 (section 4.1).
const VERSION: u8 = 1;

/// Bits of NORM_DATA and NORM_INFO, of an object or of what is sent of it (section 4.2.1).
pub mod object_flag {
    /// It is sent because somebody asked.
    pub const REPAIR: u8 = 0x01;
    /// It is a symbol that was asked for by itself.
    pub const EXPLICIT: u8 = 0x02;
    /// The object has information.
    pub const INFORMATION: u8 = 0x04;
    /// What lacks of it is not to be asked for.
    pub const UNRELIABLE: u8 = 0x08;
    /// It is a file.
    pub const FILE: u8 = 0x10;
    /// It is a stream.
    pub const STREAM: u8 = 0x20;
}

/// Kinds of NORM_ACK, and of what asks for one.
pub mod acknowledgement {
    /// Of a probe of congestion control.
    pub const CC: u8 = 1;
    /// Of everything up to a position.
    pub const FLUSH: u8 = 2;
}

/// Appends the message. Of `backoff` and `group_size` count four bits.
pub fn encode(message: &Message<'_>, out: &mut Vec<u8>) {
    let begin = out.len();
    let kind = match message.body {
        Body::Information { .. } => 1,
        Body::Data { .. } => 2,
        Body::Command { .. } => 3,
        Body::Nack { .. } => 4,
        Body::Acknowledgement { .. } => 5,
    };
    out.extend_from_slice(&[VERSION << 4 | kind, 0]);
    message.sequence.write(out);
    message.source.write(out);
    match message.body {
        Body::Information { status, flags, fec_id, object } => {
            status.write(out);
            out.extend_from_slice(&[flags, fec_id]);
            object.write(out);
        }
        Body::Data { status, flags, position } => {
            status.write(out);
            write_position(flags, position, out);
        }
        Body::Command { status, command } => {
            status.write(out);
            command.write(out);
        }
        Body::Nack { answer } => answer.write([0, 0], out),
        Body::Acknowledgement { answer, kind, id } => answer.write([kind, id], out),
    }
    message.extensions.write(out);
    out[begin + 1] = ((out.len() - begin) / 4) as u8;
    out.extend_from_slice(message.payload);
}

/// Reads a message.
///
/// # Errors
/// If it is none.
pub fn decode(bytes: &[u8]) -> Result<Message<'_>, Malformed> {
    let &[first, words, s0, s1, a, b, c, d] = bytes.first_chunk().ok_or(Malformed::Short)?;
    if first >> 4 != VERSION {
        return Err(Malformed::Version { version: first >> 4 });
    }
    let (header, payload) = bytes.split_at_checked(4 * usize::from(words)).ok_or(Malformed::Header)?;
    let mut fields = Fields(header.get(8..).ok_or(Malformed::Header)?);
    let (body, fec_id) = match first & 0xf {
        1 => {
            let status = fields.status()?;
            let [flags, fec_id, o0, o1] = fields.take()?;
            (Body::Information { status, flags, fec_id, object: u16::from_be_bytes([o0, o1]) }, Some(fec_id))
        }
        2 => {
            let status = fields.status()?;
            let (flags, position) = fields.position()?;
            (Body::Data { status, flags, position }, Some(position.symbol.fec_id()))
        }
        3 => (Body::Command { status: fields.status()?, command: fields.command()? }, None),
        4 => (Body::Nack { answer: fields.answer()?.0 }, None),
        5 => {
            let (answer, [kind, id]) = fields.answer()?;
            (Body::Acknowledgement { answer, kind, id }, None)
        }
        kind => return Err(Malformed::Kind { kind }),
    };
    let extensions = Extensions::read(fields.0, fec_id)?;
    let (sequence, source) = (u16::from_be_bytes([s0, s1]), u32::from_be_bytes([a, b, c, d]));
    let message = Message { sequence, source, body, extensions, payload };
    if message.is_whole() { Ok(message) } else { Err(Malformed::Contents) }
}

impl Message<'_> {
    /// Whether the payload is what the message has there.
    fn is_whole(&self) -> bool {
        match self.body {
            Body::Data { flags, .. } if flags & object_flag::STREAM != 0 => StreamPiece::read(self.payload).is_some(),
            Body::Command { command, .. } => match command {
                Command::Flush(_) | Command::AcknowledgementRequest { .. } => List::<u32>::read(self.payload).is_some(),
                Command::Squelch(_) => List::<u16>::read(self.payload).is_some(),
                Command::CongestionControl { .. } => List::<CcNode>::read(self.payload).is_some(),
                Command::RepairAdvertisement { .. } => Requests::read(self.payload).is_some(),
                Command::EndOfTransmission | Command::Application => true,
            },
            Body::Nack { .. } => Requests::read(self.payload).is_some(),
            Body::Acknowledgement { kind: 2, .. } => Position::read(self.payload).is_some(),
            _ => true,
        }
    }
}

/// Appends a byte that leads the object's number, and the point in it.
fn write_position(first: u8, position: Position, out: &mut Vec<u8>) {
    out.extend_from_slice(&[first, position.symbol.fec_id()]);
    position.object.write(out);
    position.symbol.write(out);
}

impl Status {
    fn write(&self, out: &mut Vec<u8>) {
        self.instance.write(out);
        out.extend_from_slice(&[self.grtt.0, self.backoff << 4 | self.group_size.0 & 0xf]);
    }
}

impl Command {
    fn write(&self, out: &mut Vec<u8>) {
        match *self {
            Command::Flush(position) => write_position(1, position, out),
            Command::EndOfTransmission => out.extend_from_slice(&[2, 0, 0, 0]),
            Command::Squelch(position) => write_position(3, position, out),
            Command::CongestionControl { cc_sequence, sent } => {
                out.extend_from_slice(&[4, 0]);
                cc_sequence.write(out);
                sent.write(out);
            }
            Command::RepairAdvertisement { flags } => out.extend_from_slice(&[5, flags, 0, 0]),
            Command::AcknowledgementRequest { kind, id } => out.extend_from_slice(&[6, 0, kind, id]),
            Command::Application => out.extend_from_slice(&[7, 0, 0, 0]),
        }
    }
}

impl Answer {
    fn write(&self, behind_instance: [u8; 2], out: &mut Vec<u8>) {
        self.server.write(out);
        self.instance.write(out);
        out.extend_from_slice(&behind_instance);
        self.response.write(out);
    }
}

impl Time {
    fn write(&self, out: &mut Vec<u8>) {
        self.s.write(out);
        self.us.write(out);
    }
}

/// What is left of a header.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (&taken, rest) = self.0.split_first_chunk().ok_or(Malformed::Header)?;
        self.0 = rest;
        Ok(taken)
    }

    fn status(&mut self) -> Result<Status, Malformed> {
        let [i0, i1, grtt, sizes] = self.take()?;
        let (instance, grtt) = (u16::from_be_bytes([i0, i1]), RoundTrip(grtt));
        Ok(Status { instance, grtt, backoff: sizes >> 4, group_size: GroupSize(sizes & 0xf) })
    }

    /// What stands before the scheme, and the point.
    fn position(&mut self) -> Result<(u8, Position), Malformed> {
        let [first, fec_id, o0, o1] = self.take()?;
        let length = PayloadId::bytes_in(fec_id).ok_or(Malformed::Fec { fec_id })?;
        let symbol = PayloadId::read(fec_id, self.0).ok_or(Malformed::Header)?;
        self.0 = &self.0[length..];
        Ok((first, Position { object: u16::from_be_bytes([o0, o1]), symbol }))
    }

    fn command(&mut self) -> Result<Command, Malformed> {
        Ok(match *self.0.first().ok_or(Malformed::Header)? {
            1 => Command::Flush(self.position()?.1),
            3 => Command::Squelch(self.position()?.1),
            2 => self.take::<4>().map(|_| Command::EndOfTransmission)?,
            4 => {
                let [_, _, s0, s1] = self.take()?;
                Command::CongestionControl { cc_sequence: u16::from_be_bytes([s0, s1]), sent: self.time()? }
            }
            5 => self.take::<4>().map(|[_, flags, _, _]| Command::RepairAdvertisement { flags })?,
            6 => self.take::<4>().map(|[_, _, kind, id]| Command::AcknowledgementRequest { kind, id })?,
            7 => self.take::<4>().map(|_| Command::Application)?,
            kind => return Err(Malformed::Kind { kind }),
        })
    }

    /// The answer, and what stands behind its instance.
    fn answer(&mut self) -> Result<(Answer, [u8; 2]), Malformed> {
        let server = u32::from_be_bytes(self.take()?);
        let [i0, i1, kind, id] = self.take()?;
        Ok((Answer { server, instance: u16::from_be_bytes([i0, i1]), response: self.time()? }, [kind, id]))
    }

    fn time(&mut self) -> Result<Time, Malformed> {
        Ok(Time { s: u32::from_be_bytes(self.take()?), us: u32::from_be_bytes(self.take()?) })
    }
}
