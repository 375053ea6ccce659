//! Packets of sessions in layers (LCT, RFC 5651), whose payload is an object's symbol (ALC). Sections without a number
//! of an RFC are of RFC 5651.
//!
//! [`decode`] borrows from the datagram and allocates nothing; [`encode`] appends to what the caller has. Which scheme
//! of forward error correction a packet's symbol is of, the session says, mostly by the codepoint: [`Packet::symbol`]
//! takes it. [`layers`] has what RLM and layer blocking say in packets of their channels.

mod error;
mod extension;
pub mod fdt;
pub mod layers;

pub use error::{Malformed, Unencodable};
pub use extension::{Extensions, FdtInstance, Times};

use crate::fec::PayloadId;

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// How long the next three are.
    pub lengths: Lengths,
    /// What congestion control says (CCI); the last words are not used if it is shorter.
    pub congestion_control: [u32; 4],
    /// The session among those of the sender (TSI).
    pub session: u64,
    /// The object in the session (TOI); 0 is the table of files in FLUTE.
    pub object: u128,
    /// Two bits of the protocol above (PSI).
    pub indication: u8,
    /// The session ends (A).
    pub close_session: bool,
    /// The object ends (B).
    pub close_object: bool,
    /// What decoders of the payload go by (CP).
    pub codepoint: u8,
    /// Its extensions.
    pub extensions: Extensions<'a>,
    /// What stands behind the header: the number of a symbol and the symbol.
    pub payload: &'a [u8],
}

/// Lengths of fields, as flags say them (section 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// Words of congestion control, 1 to 4 (C and one more).
    pub congestion_control: u8,
    /// Whole words of the session, 0 or 1 (S).
    pub session: u8,
    /// Whole words of the object, 0 to 3 (O).
    pub object: u8,
    /// Whether session and object have half a word more each (H).
    pub half: bool,
}

/// Version 1 (section 5.1).
const VERSION: u8 = 1;
const WORD: usize = 4;

/// Appends the packet.
///
/// # Errors
/// If a number does not fit its field, or all of them the header; `out` is as it was then.
pub fn encode(packet: &Packet<'_>, out: &mut Vec<u8>) -> Result<(), Unencodable> {
    let lengths = packet.lengths;
    if !(1..=4).contains(&lengths.congestion_control) || lengths.session > 1 || lengths.object > 3 {
        return Err(Unencodable::Lengths);
    }
    let (session, object) = (8 * lengths.session_bytes(), 8 * lengths.object_bytes());
    for (field, is_long) in [
        ("session", packet.session >> session != 0),
        ("object", packet.object >> object != 0),
        ("indication", packet.indication > 3),
    ] {
        if is_long {
            return Err(Unencodable::Number { field });
        }
    }
    let begin = out.len();
    out.extend_from_slice(&[
        VERSION << 4 | (lengths.congestion_control - 1) << 2 | packet.indication,
        lengths.session << 7
            | lengths.object << 5
            | u8::from(lengths.half) << 4
            | u8::from(packet.close_session) << 1
            | u8::from(packet.close_object),
        0,
        packet.codepoint,
    ]);
    for word in &packet.congestion_control[..usize::from(lengths.congestion_control)] {
        out.extend_from_slice(&word.to_be_bytes());
    }
    out.extend_from_slice(&packet.session.to_be_bytes()[8 - lengths.session_bytes()..]);
    out.extend_from_slice(&packet.object.to_be_bytes()[16 - lengths.object_bytes()..]);
    let written = packet.extensions.write(out);
    let words = u8::try_from((out.len() - begin) / WORD).map_err(|_| Unencodable::Long);
    match written.and(words) {
        Ok(words) => out[begin + 2] = words,
        Err(why) => {
            out.truncate(begin);
            return Err(why);
        }
    }
    out.extend_from_slice(packet.payload);
    Ok(())
}

/// Reads a packet. Reserved bits say nothing, and extensions that are not known here are passed over.
///
/// # Errors
/// If it is none.
pub fn decode(bytes: &[u8]) -> Result<Packet<'_>, Malformed> {
    let &[first, flags, words, codepoint] = bytes.first_chunk().ok_or(Malformed::Short)?;
    if first >> 4 != VERSION {
        return Err(Malformed::Version { version: first >> 4 });
    }
    let lengths = Lengths {
        congestion_control: (first >> 2 & 3) + 1,
        session: flags >> 7,
        object: flags >> 5 & 3,
        half: flags & 0x10 != 0,
    };
    let (header, payload) = bytes.split_at_checked(WORD * usize::from(words)).ok_or(Malformed::Header)?;
    let fields = header.get(WORD..).ok_or(Malformed::Header)?;
    let (control, fields) =
        fields.split_at_checked(WORD * usize::from(lengths.congestion_control)).ok_or(Malformed::Header)?;
    let (session, fields) = fields.split_at_checked(lengths.session_bytes()).ok_or(Malformed::Header)?;
    let (object, fields) = fields.split_at_checked(lengths.object_bytes()).ok_or(Malformed::Header)?;
    let number = |bytes: &[u8]| bytes.iter().fold(0_u128, |number, &byte| number << 8 | u128::from(byte));
    let mut congestion_control = [0; 4];
    for (word, bytes) in congestion_control.iter_mut().zip(control.chunks_exact(WORD)) {
        *word = number(bytes) as u32;
    }
    Ok(Packet {
        lengths,
        congestion_control,
        session: number(session) as u64,
        object: number(object),
        indication: first & 3,
        close_session: flags & 2 != 0,
        close_object: flags & 1 != 0,
        codepoint,
        extensions: Extensions::read(fields)?,
        payload,
    })
}

impl<'a> Packet<'a> {
    /// The number of the symbol in the payload, by this scheme, and the symbol. `None` if the payload is too short or
    /// the scheme is not known here.
    pub fn symbol(&self, fec_id: u8) -> Option<(PayloadId, &'a [u8])> {
        let id = PayloadId::read(fec_id, self.payload)?;
        Some((id, &self.payload[PayloadId::bytes_in(fec_id)?..]))
    }
}

impl Lengths {
    /// Bytes of the session's number.
    pub const fn session_bytes(self) -> usize {
        WORD * self.session as usize + self.half_bytes()
    }

    /// Bytes of the object's number.
    pub const fn object_bytes(self) -> usize {
        WORD * self.object as usize + self.half_bytes()
    }

    const fn half_bytes(self) -> usize {
        if self.half { 2 } else { 0 }
    }
}
