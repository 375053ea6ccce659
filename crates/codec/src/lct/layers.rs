//! Layers as channels of an LCT session: each has a group of its own, and its packets say in their 96 bits of
//! congestion control what the project's own format says of them (RFC 5651 section 5.1 leaves these to whoever does the
//! control).
//!
//! That is enough for layers at constant rates, RLM and layer blocking. SMCC's packets say more than 128 bits have room
//! for.

use super::{Extensions, Lengths, Packet};
use faircast_proto::source::layered;

/// Words of congestion control.
const WORDS: u8 = 3;

/// A packet of the channel of this layer, sent at this stamp, with the symbol of an object as its payload. The session
/// is a number of 32 bits, the object one of 32.
pub fn packet<'a>(layer: u8, sequence: u32, stamp_us: u32, session: u32, object: u32, payload: &'a [u8]) -> Packet<'a> {
    Packet {
        lengths: Lengths { congestion_control: WORDS, session: 1, object: 1, half: false },
        congestion_control: [u32::from(layer) << 24, sequence, stamp_us, 0],
        session: session.into(),
        object: object.into(),
        indication: 0,
        close_session: false,
        close_object: false,
        codepoint: 0,
        extensions: Extensions::default(),
        payload,
    }
}

/// What such a packet says, and its stamp; `None` of one whose congestion control is not this.
pub fn data(packet: &Packet<'_>) -> Option<(layered::Header, u32)> {
    let [first, sequence, stamp_us, _] = packet.congestion_control;
    let is_ours = packet.lengths.congestion_control == WORDS && first & 0x00ff_ffff == 0;
    is_ours.then_some((layered::Header::Data { layer: (first >> 24) as u8, sequence }, stamp_us))
}
