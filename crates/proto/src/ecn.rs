//! The congestion bits of a packet.

/// The two congestion bits of the IP header, in the order of rising congestion.
///
/// RFC 3168 knows `NotCapable`, `Capable` and `Moderate` (its CE); `Incipient` is the third code point that
/// [Durresi] Table I puts between them. RFC 9331, section 4.1, has given its bits to `Scalable` since: one network has
/// the one meaning or the other. The comparison of levels (`max`) is the rule for packets that meet several
/// congested queues: a mark is never taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable: congestion can only drop it.
    #[default]
    NotCapable,
    /// ECN-capable, no congestion met, and the sender answers each mark a little: ECT(1) (RFC 9331, section 4.1).
    Scalable,
    /// ECN-capable, no congestion met: ECT(0).
    Capable,
    /// Incipient congestion (multilevel ECN only).
    Incipient,
    /// Moderate congestion; the single level "congestion experienced" of RFC 3168.
    Moderate,
}

impl Ecn {
    /// A number for each, for traces and other languages.
    pub const fn code(self) -> u8 {
        match self {
            Ecn::NotCapable => 0,
            Ecn::Capable => 1,
            Ecn::Incipient => 2,
            Ecn::Moderate => 3,
            Ecn::Scalable => 4,
        }
    }
}
