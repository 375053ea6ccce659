//! What the headers of a session's packets are called.

use faircast_proto::registry::SchemeConfig;

/// The kind of a scheme's headers.
pub(super) fn header_kind(scheme: &SchemeConfig) -> &'static str {
    match scheme {
        // Built on the source of constant layers.
        SchemeConfig::LayerBlocking(_) | SchemeConfig::Rlm(_) => "layered-cbr",
        other => named_kind(other),
    }
}

macro_rules! by_line {
    ($($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        /// The kind of the headers that a scheme's line names; none: datagrams.
        fn named_kind(scheme: &SchemeConfig) -> &'static str {
            match scheme {
                $(SchemeConfig::$Variant(_) => kind!($name $($($header)::+)?),)+
                SchemeConfig::Guest(_) => "guest",
            }
        }
    };
}

macro_rules! kind {
    ($name:literal) => {
        "datagram"
    };
    ($name:literal $($header:ident)::+) => {
        $name
    };
}

faircast_proto::schemes!(by_line);
