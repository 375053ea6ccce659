//! Rows of the groups of sessions: what is sent to each, and who is in it.

use crate::declared::{Declared, float, integer, name};
use crate::ends::Ends;
use crate::per_second::over;
use faircast_proto::time::{Duration, Instant};

/// A group of a session in an interval.
#[derive(Clone, Copy, Debug)]
pub struct GroupInterval {
    /// The interval's end.
    pub at: Instant,
    /// Which session.
    pub flow: u32,
    /// The group's number in it.
    pub number: u32,
    /// The rank of the layer that it is, if it is one.
    pub layer: Option<u8>,
    /// How long the interval was.
    pub seconds: f64,
    /// What it was used for.
    pub used: Used,
}

/// What a group was used for in an interval, or up to a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// Packets that the session's source sent to it.
    pub sent: u64,
    /// Their bytes, headers included.
    pub sent_bytes: u64,
    /// Packets that others sent to it.
    pub others_sent: u64,
    /// Packets that came to members, all together, those that came twice included.
    pub received: u64,
    /// Their bytes.
    pub received_bytes: u64,
    /// How long members were in it, all together.
    pub member_time: Duration,
}

impl Used {
    /// What was added since a moment before.
    pub fn since(&self, before: &Used) -> Used {
        Used {
            sent: self.sent.saturating_sub(before.sent),
            sent_bytes: self.sent_bytes.saturating_sub(before.sent_bytes),
            others_sent: self.others_sent.saturating_sub(before.others_sent),
            received: self.received.saturating_sub(before.received),
            received_bytes: self.received_bytes.saturating_sub(before.received_bytes),
            member_time: Duration(self.member_time.0.saturating_sub(before.member_time.0)),
        }
    }
}

impl GroupInterval {
    /// The name of the table.
    pub const TABLE: &'static str = "layers";
    /// Columns of what whoever sends to a group knows of it.
    pub const OF_SOURCE: [&'static str; 3] = ["rate_bps", "sent_pkts", "sent_bytes"];
    /// Columns of what whoever is in it knows.
    pub const OF_MEMBER: [&'static str; 3] = ["members", "received_bps", "received_pkts"];
    /// The column of what only a network sees.
    pub const OF_NETWORK: &'static str = "others_sent_pkts";

    /// Its columns, in order.
    pub fn declared<S: Ends>() -> Vec<Declared<Self, S>> {
        vec![
            float("t_s", "end of the interval", |row| row.at.as_secs_f64()),
            name("session", "of which session", |of: &S| of.flows(), |row| row.flow),
            integer("group", "the group's number in it, from 0", |row| i64::from(row.number)),
            float("layer", "the rank of the layer that it is, the base being 0; NaN if it is none", |row| {
                row.layer.map_or(f64::NAN, f64::from)
            }),
            float("rate_bps", "what the source sent to it, bit/s, headers included", |row| {
                bits(row.used.sent_bytes) / row.seconds
            }),
            integer("sent_pkts", "packets that the source sent to it", |row| row.used.sent as i64),
            integer("sent_bytes", "their bytes, headers included", |row| row.used.sent_bytes as i64),
            integer(
                "others_sent_pkts",
                "packets that members and router agents sent to it, those included that [may \
                 not](multicast.md#who-may-send)",
                |row| row.used.others_sent as i64,
            ),
            float(
                "members",
                "how many were in it, the mean over the interval; the source counts, too, if it has joined",
                |row| row.used.member_time.as_secs_f64() / row.seconds,
            ),
            float(
                "received_bps",
                "what came to those in it, bit/s, the mean over them and over the time that they were in it; NaN if \
                 nobody was",
                |row| over(bits(row.used.received_bytes), row.used.member_time.as_secs_f64()),
            ),
            integer(
                "received_pkts",
                "packets that came to them, all together, those that came twice included",
                |row| row.used.received as i64,
            ),
        ]
    }
}

fn bits(bytes: u64) -> f64 {
    8.0 * bytes as f64
}
