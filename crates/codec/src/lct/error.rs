//! Why something is no packet of LCT.

use std::fmt;

/// Why bytes are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// They are fewer than the first word.
    Short,
    /// They are in another version.
    Version {
        /// Which.
        version: u8,
    },
    /// The header says that it is shorter than its fields, or longer than the packet.
    Header,
    /// An extension goes beyond the header, or is too short for what it is.
    Extension {
        /// Which.
        kind: u8,
    },
}

/// Why a packet is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unencodable {
    /// A length is none that the flags can say.
    Lengths,
    /// A number has more bits than its field.
    Number {
        /// The field.
        field: &'static str,
    },
    /// The header would be longer than 255 words.
    Long,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Short => f.write_str("fewer bytes than the first word has"),
            Malformed::Version { version } => write!(f, "version {version} of LCT is not known"),
            Malformed::Header => f.write_str("the length of the header is not that of its fields"),
            Malformed::Extension { kind } => write!(f, "extension {kind} is too short, or longer than the header"),
        }
    }
}

impl std::error::Error for Malformed {}

impl fmt::Display for Unencodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unencodable::Lengths => {
                f.write_str("words of congestion control, session or object; legal is 1 to 4, 0 or 1, and 0 to 3")
            }
            Unencodable::Number { field } => write!(f, "{field} has more bits than its field"),
            Unencodable::Long => f.write_str("the header is too long; legal is up to 255 words"),
        }
    }
}

impl std::error::Error for Unencodable {}
