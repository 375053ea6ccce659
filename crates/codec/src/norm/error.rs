//! Why bytes are no message of NORM.

use std::fmt;

/// Why bytes are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// They are fewer than the header.
    Short,
    /// They are in another version.
    Version {
        /// Which.
        version: u8,
    },
    /// There is no message or no command with this number; reports, whose format is not defined, are none.
    Kind {
        /// The number.
        kind: u8,
    },
    /// The header says that it is shorter than it is, or longer than the message.
    Header,
    /// An extension goes beyond the header, or is too short for what it is.
    Extension {
        /// Which.
        kind: u8,
    },
    /// The code is of a scheme that is not known here, so that there is no telling where the header ends.
    Fec {
        /// Its number.
        fec_id: u8,
    },
    /// The list behind the header ends within an item.
    Contents,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Short => f.write_str("fewer bytes than the header has"),
            Malformed::Version { version } => write!(f, "version {version} of NORM is not known"),
            Malformed::Kind { kind } => write!(f, "no message or command of NORM has the number {kind}"),
            Malformed::Header => f.write_str("the length of the header is not that of its fields"),
            Malformed::Extension { kind } => write!(f, "extension {kind} is too short, or longer than the header"),
            Malformed::Fec { fec_id } => write!(f, "FEC scheme {fec_id} is not known"),
            Malformed::Contents => f.write_str("the list behind the header ends within an item"),
        }
    }
}

impl std::error::Error for Malformed {}
