//! Why something is no message: reasons that can be counted.

use faircast_proto::mlda::rtcp;
use faircast_proto::wire::coding::FieldError;
use std::fmt;

/// Why bytes are not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// They are fewer than the message's fields.
    Short,
    /// They are more than a packet of IP has.
    Long,
    /// They are in another version of the format, or in no format known here.
    Version {
        /// What stands in the place of the version.
        version: u8,
    },
    /// There is no message with this number, or not between whom it came.
    Kind {
        /// The number.
        kind: u8,
    },
    /// A number is infinite or none where that says nothing.
    Number {
        /// The field's name in its header.
        field: &'static str,
    },
    /// An id in the message is nobody's.
    Nobody {
        /// The field's name in its header.
        field: &'static str,
    },
    /// The sender is somebody for whom the driver has no place.
    Stranger,
    /// The header of RTP promises more than is there.
    Rtp,
    /// It is no message of RTCP that is known here.
    Rtcp(rtcp::Malformed),
}

/// Why a packet cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unencodable {
    /// A number is infinite or none where the format has no word for that.
    Number {
        /// The field's name in its header.
        field: &'static str,
    },
    /// Somebody has no id.
    Nobody {
        /// The field's name in its header.
        field: &'static str,
    },
    /// It is not sent by UDP: segments of TCP are the system's.
    Foreign,
    /// There is a message beside a packet that carries none.
    Control,
    /// The message beside it is none.
    Rtcp(rtcp::Malformed),
}

impl Malformed {
    /// A word for each reason, for counters.
    pub const REASONS: [&'static str; 9] =
        ["short", "long", "version", "kind", "number", "nobody", "stranger", "rtp", "rtcp"];

    /// Which of the [`REASONS`](Self::REASONS) it is.
    pub const fn reason(&self) -> usize {
        match self {
            Malformed::Short => 0,
            Malformed::Long => 1,
            Malformed::Version { .. } => 2,
            Malformed::Kind { .. } => 3,
            Malformed::Number { .. } => 4,
            Malformed::Nobody { .. } => 5,
            Malformed::Stranger => 6,
            Malformed::Rtp => 7,
            Malformed::Rtcp(_) => 8,
        }
    }
}

impl From<FieldError> for Malformed {
    fn from(error: FieldError) -> Malformed {
        match error {
            // What is foreign has no number by which it could be asked for.
            FieldError::Short | FieldError::Foreign => Malformed::Short,
            FieldError::Number { field } => Malformed::Number { field },
            FieldError::Nobody { field } => Malformed::Nobody { field },
        }
    }
}

impl From<FieldError> for Unencodable {
    fn from(error: FieldError) -> Unencodable {
        match error {
            // Writing ends nowhere.
            FieldError::Short | FieldError::Foreign => Unencodable::Foreign,
            FieldError::Number { field } => Unencodable::Number { field },
            FieldError::Nobody { field } => Unencodable::Nobody { field },
        }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Malformed::Short => f.write_str("fewer bytes than the message's fields"),
            Malformed::Long => f.write_str("more bytes than a packet of IP has"),
            Malformed::Version { version } => write!(f, "version {version} of the format is not known"),
            Malformed::Kind { kind } => write!(f, "no message has the number {kind}"),
            Malformed::Number { field } => write!(f, "{field} is not finite"),
            Malformed::Nobody { field } => write!(f, "{field} is nobody's id"),
            Malformed::Stranger => f.write_str("there is no place for the sender"),
            Malformed::Rtp => f.write_str("the header of RTP promises more bytes than there are"),
            Malformed::Rtcp(why) => write!(f, "RTCP: {why}"),
        }
    }
}

impl std::error::Error for Malformed {}

impl fmt::Display for Unencodable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unencodable::Number { field } => write!(f, "{field} is not finite, and the format has no word for that"),
            Unencodable::Nobody { field } => write!(f, "{field} has no id"),
            Unencodable::Foreign => f.write_str("it is not sent by UDP"),
            Unencodable::Control => f.write_str("a message beside a packet that carries none"),
            Unencodable::Rtcp(why) => write!(f, "the message beside it: {why}"),
        }
    }
}

impl std::error::Error for Unencodable {}
