//! What a packet carries of media.

/// What a packet carries of the media: of which segment, and which of its packets in its layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The segment, from 0.
    pub segment: u32,
    /// Which of the packets of that segment in its layer, from 0.
    pub position: u32,
}

impl Piece {
    /// Nothing of the media.
    pub const NONE: Piece = Piece { segment: u32::MAX, position: u32::MAX };
}
