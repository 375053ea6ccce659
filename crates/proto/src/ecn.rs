//! The congestion bits of a packet.

/// The two congestion bits of the IP header, in the order of rising congestion.
///
/// RFC 3168 knows `NotCapable`, `Capable` and `Moderate` (its CE); `Incipient` is the third code point that
/// [Durresi] Table I puts between them. The comparison of levels (`max`) is the rule for packets that meet several
/// congested queues: a mark is never taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable: congestion can only drop it.
    #[default]
    NotCapable,
    /// ECN-capable, no congestion met.
    Capable,
    /// Incipient congestion (multilevel ECN only).
    Incipient,
    /// Moderate congestion; the single level "congestion experienced" of RFC 3168.
    Moderate,
}
