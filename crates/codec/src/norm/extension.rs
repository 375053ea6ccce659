//! Extensions of NORM's headers (RFC 5740 section 4.1): feedback, rate, and what is needed to decode an object.
//! Sections without a number of an RFC are of RFC 5740.

use super::error::Malformed;
use super::quantise::{Loss, Rate, RoundTrip};

/// The extensions of a message that are known here. Others are passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// EXT_FTI, of data and information.
    pub object: Option<ObjectInformation>,
    /// EXT_CC, of acknowledgements, NACKs and advertisements of repair.
    pub feedback: Option<Feedback>,
    /// EXT_RATE, of a probe: the sender's rate.
    pub send_rate: Option<Rate>,
}

/// A receiver's state of congestion control (section 4.2.3.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The greatest number of a probe that it has received.
    pub cc_sequence: u16,
    /// Its state: [`flag`].
    pub flags: u8,
    /// Its round-trip time, if [`flag::RTT`] is set.
    pub rtt: RoundTrip,
    /// Its loss event rate.
    pub loss: Loss,
    /// What its equation says, or twice what it receives as long as [`flag::START`] is set.
    pub rate: Rate,
}

/// Bits of "cc_flags" (section 4.2.3.4).
pub mod flag {
    /// The current limiting receiver.
    pub const CLR: u8 = 0x01;
    /// A potential limiting receiver.
    pub const PLR: u8 = 0x02;
    /// It has a round-trip time.
    pub const RTT: u8 = 0x04;
    /// It has not had a loss.
    pub const START: u8 = 0x08;
    /// It is about to leave.
    pub const LEAVE: u8 = 0x10;
}

/// The object's size and its code (section 4.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectInformation {
    /// Bytes of the object, or of a stream's buffer; below 2^48.
    pub object_bytes: u64,
    /// What the scheme of the message's code says.
    pub code: Code,
}

/// What a scheme of forward error correction says of an object beside its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Scheme 2: Reed-Solomon over GF(2^m) (RFC 5510 section 4.2.4.1).
    ReedSolomon {
        /// m.
        m: u8,
        /// Symbols in a packet.
        symbols: u8,
        /// Bytes of a segment.
        segment_bytes: u16,
        /// The most source symbols of a block.
        block_len: u16,
        /// The most encoding symbols of a block, those of the source among them (max_n).
        encoding_symbols: u16,
    },
    /// Scheme 5: Reed-Solomon over GF(2^8) (RFC 5510 section 5.2.4.1).
    ReedSolomon8 {
        /// Bytes of a segment.
        segment_bytes: u16,
        /// The most source symbols of a block.
        block_len: u8,
        /// The most encoding symbols of a block, those of the source among them (max_n). libnorm 1.5.9 says how many of
        /// parity in its place, as scheme 129 does.
        encoding_symbols: u8,
    },
    /// Scheme 129: small blocks (section 4.2.1).
    SmallBlock {
        /// Which code.
        instance: u16,
        /// Bytes of a segment.
        segment_bytes: u16,
        /// The most source symbols of a block.
        block_len: u16,
        /// Of parity, the most of a block.
        parity: u16,
    },
}

const FEEDBACK: u8 = 3;
const OBJECT: u8 = 64;
const SEND_RATE: u8 = 128;
/// From here on extensions have one word and no field of their length.
const FIXED: u8 = 128;

impl Extensions {
    /// Reads what stands between a header and its payload. `fec_id` is the scheme of a message with an object.
    pub(super) fn read(mut bytes: &[u8], fec_id: Option<u8>) -> Result<Extensions, Malformed> {
        let mut extensions = Extensions::default();
        while let [kind, length, ..] = *bytes {
            let length = if kind >= FIXED { 4 } else { 4 * usize::from(length) };
            let (extension, rest) = bytes.split_at_checked(length).ok_or(Malformed::Extension { kind })?;
            if extension.is_empty() {
                return Err(Malformed::Extension { kind });
            }
            let content = &extension[2..];
            match (kind, fec_id) {
                (FEEDBACK, _) => extensions.feedback = Some(Feedback::read(content)?),
                (OBJECT, Some(fec_id)) => extensions.object = ObjectInformation::read(fec_id, content)?,
                (SEND_RATE, _) => extensions.send_rate = Some(Rate(u16::from_be_bytes([content[0], content[1]]))),
                _ => {}
            }
            bytes = rest;
        }
        Ok(extensions)
    }

    /// Appends them.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        if let Some(object) = self.object {
            object.write(out);
        }
        if let Some(feedback) = self.feedback {
            out.extend_from_slice(&[FEEDBACK, 3]);
            out.extend_from_slice(&feedback.cc_sequence.to_be_bytes());
            out.extend_from_slice(&[feedback.flags, feedback.rtt.0]);
            out.extend_from_slice(&feedback.loss.0.to_be_bytes());
            out.extend_from_slice(&feedback.rate.0.to_be_bytes());
            out.extend_from_slice(&[0, 0]);
        }
        if let Some(rate) = self.send_rate {
            out.extend_from_slice(&[SEND_RATE, 0]);
            out.extend_from_slice(&rate.0.to_be_bytes());
        }
    }
}

impl Feedback {
    fn read(content: &[u8]) -> Result<Feedback, Malformed> {
        let Some(&[s0, s1, flags, rtt, l0, l1, r0, r1, _, _]) = content.first_chunk() else {
            return Err(Malformed::Extension { kind: FEEDBACK });
        };
        Ok(Feedback {
            cc_sequence: u16::from_be_bytes([s0, s1]),
            flags,
            rtt: RoundTrip(rtt),
            loss: Loss(u16::from_be_bytes([l0, l1])),
            rate: Rate(u16::from_be_bytes([r0, r1])),
        })
    }
}

impl ObjectInformation {
    /// `None` of a scheme that is not known here.
    fn read(fec_id: u8, content: &[u8]) -> Result<Option<ObjectInformation>, Malformed> {
        let short = Malformed::Extension { kind: OBJECT };
        let (&[a, b, c, d, e, f], rest) = content.split_first_chunk().ok_or(short)?;
        let object_bytes = u64::from_be_bytes([0, 0, a, b, c, d, e, f]);
        let half = |at: usize| Ok(u16::from_be_bytes(*rest.get(at..).and_then(<[u8]>::first_chunk).ok_or(short)?));
        let byte = |at: usize| rest.get(at).copied().ok_or(short);
        let code = match fec_id {
            2 => Code::ReedSolomon {
                m: byte(0)?,
                symbols: byte(1)?,
                segment_bytes: half(2)?,
                block_len: half(4)?,
                encoding_symbols: half(6)?,
            },
            5 => Code::ReedSolomon8 { segment_bytes: half(0)?, block_len: byte(2)?, encoding_symbols: byte(3)? },
            129 => {
                Code::SmallBlock { instance: half(0)?, segment_bytes: half(2)?, block_len: half(4)?, parity: half(6)? }
            }
            _ => return Ok(None),
        };
        Ok(Some(ObjectInformation { object_bytes, code }))
    }

    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[OBJECT, if matches!(self.code, Code::ReedSolomon8 { .. }) { 3 } else { 4 }]);
        out.extend_from_slice(&self.object_bytes.to_be_bytes()[2..]);
        let mut half = |number: u16| out.extend_from_slice(&number.to_be_bytes());
        match self.code {
            Code::ReedSolomon { m, symbols, segment_bytes, block_len, encoding_symbols } => {
                half(u16::from_be_bytes([m, symbols]));
                [segment_bytes, block_len, encoding_symbols].into_iter().for_each(half);
            }
            Code::ReedSolomon8 { segment_bytes, block_len, encoding_symbols } => {
                half(segment_bytes);
                half(u16::from_be_bytes([block_len, encoding_symbols]));
            }
            Code::SmallBlock { instance, segment_bytes, block_len, parity } => {
                [instance, segment_bytes, block_len, parity].into_iter().for_each(half);
            }
        }
    }
}
