//! Rows of flows and sessions, and of the receivers of sessions.

use crate::declared::{Declared, float, integer, name, of_layers};
use crate::ends::Ends;
use crate::interval::{Interval, mean_level, rate_bps};

/// An interval of a flow or session, with those of its receivers.
#[derive(Clone, Copy, Debug)]
pub struct FlowInterval<'a> {
    /// The sender's interval.
    pub own: &'a Interval<'a>,
    /// The intervals of its receivers.
    pub receivers: &'a [Interval<'a>],
    /// How long it was.
    pub seconds: f64,
    /// Whether it is a session's.
    pub is_session: bool,
    /// Whether that has several layers.
    pub has_levels: bool,
}

impl FlowInterval<'_> {
    /// The name of the table.
    pub const TABLE: &'static str = "flows";

    /// Its columns, in order; those of gauges come behind.
    pub fn declared<S: Ends>() -> Vec<Declared<Self, S>> {
        vec![
            float("t_s", "end of the interval, seconds of simulated time", |row| row.own.at.as_secs_f64()),
            name("flow", "name of the flow or session", |of: &S| of.flows(), |row| row.own.subject),
            float(
                "rate_bps",
                "what reached the receiver, bit/s, headers included; of a session the mean over the members present: \
                 what all got, by the time that they were there, all together; NaN if there was none",
                |row| rate_bps(row.receivers, |report| report.received_bytes),
            ),
            float("goodput_bps", "the same without repetitions", |row| {
                rate_bps(row.receivers, |report| report.distinct_bytes)
            }),
            float(
                "members",
                "receivers present, the mean over the interval: 1.5 if one of two joined half-way; 1 for a flow",
                |row| row.receivers.iter().map(|of| of.present_s).sum::<f64>() / row.seconds,
            ),
            integer("sent_pkts", "packets that the sender sent", |row| row.own.count(|report| report.sent_pkts)),
            float("sending_bps", "the rate at which a rate-based source sends, gauge", |row| row.own.now.rate_bps),
            integer("reports_received", "feedback packets that the source of a session got", |row| {
                if row.is_session { row.own.count(|report| report.received_pkts) } else { 0 }
            }),
            of_layers(float(
                "mean_level",
                "how many layers the members of a session held, the mean over those present and over the interval; \
                 NaN for flows and for sessions of one layer",
                |row| if row.has_levels { mean_level(row.receivers) } else { f64::NAN },
            )),
        ]
    }
}

/// An interval of a receiver of a session.
#[derive(Clone, Copy, Debug)]
pub struct ReceiverInterval<'a> {
    /// The receiver's interval.
    pub own: &'a Interval<'a>,
    /// Which session.
    pub flow: u32,
    /// Which of the members it is.
    pub member: u32,
    /// Groups that it joined in the interval.
    pub joins: u64,
    /// Groups that it left.
    pub leaves: u64,
}

impl ReceiverInterval<'_> {
    /// The name of the table.
    pub const TABLE: &'static str = "receivers";

    /// Its columns, in order; those of gauges come behind.
    pub fn declared<S: Ends>() -> Vec<Declared<Self, S>> {
        vec![
            float("t_s", "end of the interval", |row| row.own.at.as_secs_f64()),
            name("session", "of which session", |of: &S| of.flows(), |row| row.flow),
            name("receiver", "which receiver", |of: &S| of.members(), |row| row.member),
            float(
                "rate_bps",
                "what reached it while it was a member, bit/s; NaN in intervals in which it was none. The limiting \
                 receiver of TFMCC and OMCC stays a member for a feedback round after its `leave`, to announce it",
                |row| rate_bps(std::slice::from_ref(row.own), |report| report.received_bytes),
            ),
            float("goodput_bps", "the same without repetitions and without what members tell each other", |row| {
                rate_bps(std::slice::from_ref(row.own), |report| report.distinct_bytes)
            }),
            float("desired_bps", "the rate that it asks for, gauge", |row| row.own.now.rate_bps),
            integer("reports", "feedback packets that it sent; what members of layered CBR announce", |row| {
                row.own.count(|report| report.sent_pkts)
            }),
            of_layers(integer(
                "level",
                "how many layers it holds at `t_s`; groups that are no layers do not count",
                |row| i64::from(row.own.level),
            )),
            of_layers(float(
                "mean_level",
                "how many it held, the mean over that part of the interval in which it was a member; NaN if it was \
                 none",
                |row| mean_level(std::slice::from_ref(row.own)),
            )),
            of_layers(integer(
                "joins",
                "groups that it joined, layers and all others, each counted by itself; one \
                 [report](multicast.md#joining-and-leaving) names all that are wanted",
                |row| row.joins as i64,
            )),
            of_layers(integer("leaves", "groups that it left, counted likewise", |row| row.leaves as i64)),
        ]
    }
}
