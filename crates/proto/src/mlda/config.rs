//! The parameters of an MLDA session.

use super::header::DATA;
use super::rtcp::MOST_ECHOES;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::group_set::{GroupPlan, MAX_GROUPS, Role, Senders};
use crate::limits;
use crate::limits::{Limited, above, from, to, within};
use crate::parts::loss_differentiation;
use crate::quantity::Bytes;
use crate::time::{Duration, Rate};

/// One MLDA session: its source and all its receivers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Mlda", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// K, how many layers there are. Default 3 ([Ehlert]).
    pub layers: u32,
    /// M, size of a data packet on the wire, headers included. Default 512 B ([Ehlert]).
    pub packet_size: Bytes,
    /// Whether data is ECN-capable. A packet that is marked counts as one lost by congestion, never as an error of a
    /// link; what reports of RTCP say of losses is without it. Choice of this project. Default false.
    pub ecn: bool,
    /// T_SR, from one sender report to the next. Default 5 s, the least that RFC 3550 recommends for RTCP.
    pub report_interval: Duration,
    /// What the session is declared to use. Of it 1.25 % are for reports of the source and 3.75 % for those of all
    /// receivers together (RFC 3550 section 6.2), headers of IP and UDP included. Default 1 Mbit/s.
    pub session_bandwidth: Rate,
    /// How a receiver computes its share. Default "lda+".
    pub rate_rule: RateRule,
    /// The parameters of LDA+, used with `rate_rule` "lda+".
    pub lda: Lda,
    /// After so many report intervals without a sender report a receiver ends its interval by itself: it goes down, if
    /// the losses say so, and reports. Default 3.
    pub missed_reports: u32,
    /// How receivers tell errors of links, which then count as received, from congestion; left out, all losses are
    /// congestion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_differentiation: Option<loss_differentiation::Config>,
    /// The loss of a receiver is the mean of so many of its last intervals, each of which weighs the same. Default 8; 1
    /// is the last interval alone, as reports of RTCP have it.
    pub loss_window: u32,
    /// What must have been expected in an interval or over the window for its loss to count; below that the last loss
    /// holds. Default 10 packets.
    pub least_expected: u32,
    /// A missing packet that is among the next so many packets of its layer after its gap was seen was late, not lost.
    /// Default 3.
    pub reordering: u32,
    /// The most of the bottleneck's rate that a receiver's share is. Default 0.9 ([Ehlert]).
    pub bandwidth_share: f64,
    /// R, the rate of every receiver's bottleneck, to simulate that it is known; left out, each receiver measures its
    /// own by packet pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bottleneck: Option<Rate>,
    /// Of so many packets of the base layer two are sent back to back, unless `bottleneck` is known. Default 16; 0 =
    /// never.
    pub probe_every: u32,
    /// R is the median of so many of the last samples. Default 21.
    pub probe_samples: u32,
    /// Rate of the base layer before the first report. Default 20 kbit/s.
    pub first_rate: Rate,
    /// The least rate of the base layer and the least share. Left out, a packet per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_rate: Option<Rate>,
    /// The most that all layers carry together; left out, the rate of the fastest link out of the source's node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rate: Option<Rate>,
    /// Receivers that lose packets and report a smaller share than this are not heeded, as an application without use
    /// for so little would have it (RFC 4654 section 3.3). Left out, all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_below: Option<Rate>,
    /// The enhancement layers are empty if they would carry less than this part of all together. Default 0.05.
    pub least_gap: f64,
    /// Each gap between packets is the nominal one times 1 + U(-jitter, jitter). Default 0.1.
    pub jitter: f64,
    /// Whom receivers report to. Default "sender-and-group".
    pub reports_to: ReportsTo,
    /// A receiver is silent in a round in which it has heard a share that differs from its own by no more than this
    /// part of its own, unless it has the lowest or the highest of all. Default 0.1.
    pub similar: f64,
    /// T_fb, over which receivers spread their reports, is at least this part of `report_interval` and at most all of
    /// it. Default 0.5.
    pub feedback_share: f64,
    /// T_fb is at least so many of the largest round-trip time reported. Default 2.
    pub feedback_rtts: f64,
    /// λ: how much rarer early reports are than late ones, by the truncated exponential. Default 10.
    pub feedback_lambda: f64,
    /// Up to so many receivers the time of a report is drawn uniformly. Default 10.
    pub uniform_up_to: u32,
    /// Reports count for so many rounds, the one in which they come not counted. Default 2.
    pub report_rounds: u32,
    /// After so many rounds in which nobody has reported the base layer's rate is halved, and in each one after.
    /// Default 2.
    pub silent_rounds: u32,
    /// The most time stamps of receivers that a sender report echoes, 12 bytes each. Left out, as many as fit into the
    /// source's part of the session's bandwidth and a packet of 1500 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub echoes: Option<u32>,
    /// Whether a receiver that has lost packets and whose share is below the base layer's rate reports at once, and the
    /// source follows with an extra report. Default true.
    pub fast_decrease: bool,
    /// The least time from one extra report to the next. Default 1 s.
    pub extra_interval: Duration,
    /// A receiver holds the layers that together are within 1 + this times its share. Default 0.05.
    pub join_tolerance: f64,
    /// A receiver leaves a layer at once if since the report with which it joined it more than this part of the packets
    /// was lost. Default 0.1; 1 = never.
    pub loss_limit: f64,
    /// The round-trip time of a receiver that has not measured its own. Default 0.5 s.
    pub initial_rtt: Duration,
    /// Weight of the old round-trip time at a measurement. Default 0.75.
    pub rtt_weight: f64,
    /// Whether receivers adjust their round-trip time by one-way delays between measurements. Default true.
    pub one_way_adjustment: bool,
}

/// The parameters of LDA+.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MldaLda", transform = limits::declare::<Lda>)]
#[serde(default, deny_unknown_fields)]
pub struct Lda {
    /// A_0, what an increase begins with after a loss. Default 10 kbit/s.
    pub first_increase: Rate,
    /// What becomes of the share when packets were lost. Default "max".
    pub loss_rule: LossRule,
    /// Whether an increase is bounded by twice the rate that really comes. Default true.
    pub drift_cap: bool,
    /// D, packets that a TCP acknowledges at once. Default 1; 2 with delayed acknowledgements.
    pub acked_packets: f64,
    /// t_out, the time-out of that TCP, in round-trip times. Default 4.
    pub timeout_rtts: f64,
}

/// How receivers compute their share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MldaRateRule")]
#[serde(rename_all = "lowercase")]
pub enum RateRule {
    /// LDA+: additive increase, multiplicative decrease.
    #[default]
    #[serde(rename = "lda+")]
    Lda,
    /// TFMCC's: the throughput of a TCP with the loss event rate over all layers (RFC 5348).
    Equation,
}

/// LDA+ after a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MldaLossRule")]
#[serde(rename_all = "lowercase")]
pub enum LossRule {
    /// The larger of r (1 - sqrt(l)) and what the equation gives, as far as an increase goes.
    #[default]
    Max,
    /// What the equation gives, as far as an increase goes.
    Equation,
}

/// Where reports go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MldaReportsTo")]
#[serde(rename_all = "kebab-case")]
pub enum ReportsTo {
    /// To a group apart, of which the source and all receivers are members: they hear each other, and who has nothing
    /// new to say is silent. The network must let members send.
    #[default]
    SenderAndGroup,
    /// To the source alone: everybody reports in each round.
    Sender,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            layers: 3,
            packet_size: Bytes(512),
            ecn: false,
            report_interval: Duration::from_secs(5),
            session_bandwidth: Rate(1_000_000),
            rate_rule: RateRule::Lda,
            lda: Lda::default(),
            missed_reports: 3,
            loss_differentiation: None,
            loss_window: 8,
            least_expected: 10,
            reordering: 3,
            bandwidth_share: 0.9,
            bottleneck: None,
            probe_every: 16,
            probe_samples: 21,
            first_rate: Rate(20_000),
            least_rate: None,
            max_rate: None,
            least_gap: 0.05,
            jitter: 0.1,
            exclude_below: None,
            reports_to: ReportsTo::SenderAndGroup,
            similar: 0.1,
            feedback_share: 0.5,
            feedback_rtts: 2.0,
            feedback_lambda: 10.0,
            uniform_up_to: 10,
            report_rounds: 2,
            silent_rounds: 2,
            echoes: None,
            fast_decrease: true,
            extra_interval: Duration::from_secs(1),
            join_tolerance: 0.05,
            loss_limit: 0.1,
            initial_rtt: Duration::from_millis(500),
            rtt_weight: 0.75,
            one_way_adjustment: true,
        }
    }
}

impl Default for Lda {
    fn default() -> Lda {
        Lda {
            first_increase: Rate(10_000),
            loss_rule: LossRule::Max,
            drift_cap: true,
            acked_packets: 1.0,
            timeout_rtts: 4.0,
        }
    }
}

impl Config {
    /// Bits of a data packet.
    pub fn packet_bits(&self) -> f64 {
        8.0 * self.packet_size.0 as f64
    }

    /// r_floor, the least share and the least rate of the base layer, bit/s.
    pub fn least_bps(&self) -> f64 {
        self.least_rate.map_or(self.packet_bits(), Rate::as_bps_f64)
    }

    /// Whether the source sends pairs.
    pub fn sends_pairs(&self) -> bool {
        self.probe_every > 0 && self.bottleneck.is_none()
    }

    /// The number in the session of the group to which receivers report, the one after the layers; `None` if they
    /// report to the source alone.
    pub fn report_group(&self) -> Option<u32> {
        (self.reports_to == ReportsTo::SenderAndGroup).then_some(self.layers)
    }

    /// The groups: the layers, the base first, then the one to which receivers report.
    pub fn group_plans(&self) -> Vec<GroupPlan> {
        let reports = self.report_group().map(|_| GroupPlan { role: Role::Control, senders: Senders::Members });
        (0..self.layers.min(MAX_GROUPS)).map(|layer| GroupPlan::layer(layer as u8)).chain(reports).collect()
    }

    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        wrong.extend(DATA.complaint(self.packet_size.0).map(|message| ("packet_size".to_owned(), message)));
        if self.probe_every == 1 {
            wrong.push(("probe_every".to_owned(), "1 given; legal is 0, for never, or 2 or more".to_owned()));
        }
        let least_bps = self.least_bps();
        if let Some(rate) = self.max_rate.filter(|rate| rate.0 > 0 && rate.as_bps_f64() < least_bps) {
            let legal = format!("at least the base layer's least rate, {least_bps} bit/s");
            wrong.push(("max_rate".to_owned(), format!("{} bit/s given; legal is {legal}", rate.0)));
        }
        wrong.extend(within("lda", self.lda.beyond_limits()));
        if let Some(differentiation) = &self.loss_differentiation {
            wrong.extend(within("loss_differentiation", differentiation.check()));
        }
        wrong
    }
}

limits! { Config {
    layers: from(1).to(MOST_LAYERS),
    missed_reports, loss_window, probe_samples, report_rounds, silent_rounds: from(1).to(1000),
    reordering: to(1000),
    echoes: from(1).to(MOST_ECHOES as u32),
    least_gap, jitter, similar, feedback_share, loss_limit: from(0.0).to(1.0),
    bandwidth_share: above(0.0).to(1.0),
    rtt_weight: from(0.0).below(1.0),
    feedback_rtts, feedback_lambda, join_tolerance: from(0.0).to(100.0),
    report_interval: from(Duration::from_millis(100)).to(MOST_INTERVAL),
    extra_interval: from(Duration::from_millis(1)).to(MOST_INTERVAL),
    initial_rtt: from(Duration::from_millis(1)).to(Duration::from_secs(60)),
    first_rate, least_rate, max_rate, bottleneck: from(Rate(1)).to(MOST_RATE),
    session_bandwidth: from(LEAST_SESSION).to(MOST_RATE),
} }

limits! { Lda {
    first_increase: from(Rate(1)).to(MOST_RATE),
    acked_packets: from(1.0).to(100.0),
    timeout_rtts: from(0.0).to(1000.0),
} }

/// The most layers: with the group of reports as many groups as a session may have.
const MOST_LAYERS: u32 = MAX_GROUPS - 1;
/// T_fb, which is at most this, has 1677 s on the wire.
const MOST_INTERVAL: Duration = Duration::from_secs(600);
/// With less a single receiver would report every 17 s.
const LEAST_SESSION: Rate = Rate(1000);
/// The most that any scheme says it sends.
const MOST_RATE: Rate = Rate(400_000_000_000);

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
