//! What a sender counts.

/// What a sender has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Messages sent.
    pub sent: u64,
    /// Symbols sent for the first time.
    pub source: u64,
    /// Symbols sent because somebody asked.
    pub repair: u64,
    /// NACKs taken.
    pub nacks: u64,
    /// What came and was no message of a receiver for this sender.
    pub refused: u64,
}
