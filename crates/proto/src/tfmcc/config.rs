//! The parameters of a TFMCC session.

use super::header;
use super::suppressors;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{Limited, above, from, to, within};
use crate::parts::loss_differentiation;
#[cfg(feature = "serde")]
use crate::profile::profiled;
use crate::quantity::Bytes;
use crate::time::{Duration, Rate};
use crate::wire::{Layout, check_max_rate, check_sizes};

/// One TFMCC session: its sender and all its receivers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Tfmcc", transform = limits::declare::<Config>)]
#[serde(default, remote = "Self")]
pub struct Config {
    /// Whose choices the keys that are left out take. Default "faircast".
    pub profile: Profile,
    /// Size s of a data packet on the wire, headers included. Default 1000 B.
    pub packet_size: Bytes,
    /// Size on the wire of what receivers send; left out, what its fields take: of a report 68 B, with OMCC 72 B, with
    /// SMCC 69 B, of OMCC's registration 43 B, of SMCC's acknowledgement 55 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report_size: Option<Bytes>,
    /// R_max at the start: larger than the round-trip time of any receiver. Default 500 ms (RFC 4654 section 3.1); over
    /// a geostationary hop take 1 s.
    pub initial_max_rtt: Duration,
    /// The sending rate never exceeds this; left out, the rate of the fastest link out of the source's node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rate: Option<Rate>,
    /// Receivers that lose packets and report a lower rate than this are not heeded (RFC 4654 section 3.3: the
    /// application "should exclude receivers that report such a low rate"). Left out, all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_below: Option<Rate>,
    /// Length of a feedback round in R_max. Default 6 (RFC 4654 section 3.4, unicast feedback).
    pub round_rtts: f64,
    /// g: a report suppresses others down to (1 - g) times its rate. Default 0.1 (RFC 4654 section 3.4).
    pub suppression: f64,
    /// In how many of 8 rounds a receiver may lower X_supp with reports that do not make it the limiting one. Default
    /// 2; 8 is the letter of RFC 4654 section 3.4, by which one liar silences all others.
    pub suppressing_rounds: u32,
    /// N: upper bound of the number of receivers, for the feedback timers. Default 10000 (RFC 4654 section 4.5).
    pub max_receivers: u32,
    /// What the feedback timers depend on beside chance. Default "none" (RFC 4654 section 4.5).
    pub timer_bias: TimerBias,
    /// Weight q of the old round-trip time at a measurement. Default 0.5 (RFC 4654 section 4.3.2).
    pub rtt_weight: f64,
    /// Weight q at the current limiting receiver. Default 0.9 (RFC 4654 section 4.3.2; the SIGCOMM paper has 0.95).
    pub rtt_weight_clr: f64,
    /// Who adjusts the round-trip time by one-way delays between measurements. Default "others".
    pub one_way_adjustment: OneWayAdjustment,
    /// k: the receive rate is measured over k round-trip times. Default 4 (RFC 4654 section 4.3.4: 2 to 4).
    pub receive_rate_rtts: f64,
    /// Discount old loss intervals when the present one is long (RFC 4654 section 5.5, optional there). Default true.
    pub discounting: bool,
    /// The least general discount factor. Default 0.25 (RFC 5348 section 5.5; RFC 4654 section 5.5 has 0.5).
    pub discount_threshold: f64,
    /// Data packets are ECN-capable, and marks count as losses. Default false.
    pub ecn: bool,
    /// X_supp, X_r and R_max go on the wire as the short numbers of RFC 4654 section 2.2.1. Default false: as `f32` and
    /// microseconds.
    pub quantise: bool,
    /// Granularity ts_gran of the sender's clock: R_max stays this much above the gap between packets (RFC 4654
    /// section 3.2), and silence is borne this much longer for each round-trip time. Default 0 s; 10 ms is safe on a
    /// real host.
    pub granularity: Duration,
    /// Silence of the limiting receiver, in its round-trip times, after which the rate is halved. Default 4 (RFC 4654
    /// section 3.3).
    pub halving_rtts: f64,
    /// Silence of the limiting receiver, in gaps between packets, after which the rate is halved, if that is longer.
    /// Default 2 (RFC 5348 section 4.3; RFC 4654 has no such bound).
    pub halving_gaps: f64,
    /// For how many of its round-trip times after its selection the silence of a limiting receiver does not halve the
    /// rate. Default 10 (RFC 4654 section 3.3).
    pub grace_rtts: f64,
    /// Silence after which the limiting receiver is given up, in its round-trip times; or, if no receiver limits, after
    /// which the rate is halved, in R_max. Default 10 (RFC 4654 section 3.3).
    pub silence_rtts: f64,
    /// Silence after which the limiting receiver is given up or, if no receiver limits, the rate is halved, in gaps
    /// between packets, if that is longer. Default 5 (a choice: RFC 4654 has no such bound).
    pub silence_gaps: f64,
    /// No silence shorter than this halves the rate, as R counts as a quarter of it at least in all that silence does
    /// (by `halving_rtts`). Default 0 s, which is RFC 4654; 50 ms on real hosts: on a LAN four round-trip times pass
    /// while a scheduler lets a receiver wait.
    pub silence_floor: Duration,
    /// How a session comes to its rate. Default "rfc4654", the slow start of RFC 4654 section 3.6.
    pub slow_start: SlowStart,
    /// What the first loss interval is at least. Default "packet".
    pub seed_floor: SeedFloor,
    /// What becomes of R_max after the gap between packets has raised it. Default "follows"; "decays" is the letter of
    /// RFC 4654 section 3.2.
    pub gap_floor: GapFloor,
    /// What raises R_max and by what of it the rate grows, how R_max falls, and how long a feedback round may last.
    /// Default "measured"; "rfc" is the letter of RFC 4654 sections 3.2 to 3.4.
    pub max_rtt: MaxRttRule,
    /// What a row of lost packets is that is longer than a round-trip time. Default "one-event"; "per-rtt" is the
    /// letter of RFC 4654 section 5.2.
    pub outages: Outages,
    /// How long a loss event lasts. Default "rtt" (RFC 4654 section 5.2); "window" on real hosts.
    pub loss_event_span: LossEventSpan,
    /// Who limits if a receiver that was selected in the place of another never reports again. Default "predecessor";
    /// "kept" is nearest to the letter of RFC 4654 section 3.3.
    pub unanswered_clr: UnansweredClr,
    /// What a report may raise the rate to that tells of a time in which the application had less to send than the rate
    /// allowed. Default "rfc4654": as at other times.
    pub data_limited: DataLimited,
    /// What the rate is not halved below for the silence of a session that has nothing to send. Default "initial";
    /// "none" is the letter of RFC 4654 section 3.6.
    pub idle_floor: IdleFloor,
    /// Receivers tell losses on links from congestion, of which alone their rate depends then. Left out, they take all
    /// for congestion, and compare nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_differentiation: Option<loss_differentiation::Config>,
}

/// Sets of values for the keys that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccProfile")]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The default of each key.
    #[default]
    Faircast,
    /// The letter of RFC 4654: `gap_floor` "decays", `max_rtt` "rfc", `suppressing_rounds` 8, `one_way_adjustment`
    /// "all", `discount_threshold` 0.5, `outages` "per-rtt", `loss_event_span` "rtt", `unanswered_clr` "kept",
    /// `idle_floor` "none".
    Rfc4654,
}

/// The rule of R_max.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccMaxRtt")]
#[serde(rename_all = "lowercase")]
pub enum MaxRttRule {
    /// It falls by a tenth per round, not below the peak of the round: the letter of the RFC. After slow start has
    /// filled a buffer of many seconds it takes minutes, as rounds last six R_max.
    Rfc,
    /// The same, but a round-trip time far above the receiver's own counts as twice that, one that tells of a silence
    /// does not count, and the rate grows by what was measured, whatever the gap between packets is. Not in the RFC.
    #[default]
    Measured,
    /// It is the peak of the last 4 rounds with reports, of those that ended in the last 10 s, and a third of the
    /// largest round-trip time of the last minute at least. Rounds last 8 s, or two R_max if that is more, at most, and
    /// receivers that have not measured their round-trip time are helped to it. Not in the RFC.
    Recent,
}

/// The way to the first rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccSlowStart")]
#[serde(rename_all = "lowercase")]
pub enum SlowStart {
    /// Slow start: towards twice what the slowest receiver has got, until somebody reports a loss.
    #[default]
    Rfc4654,
    /// The first packets ask for reports, from which round-trip times are known; then the rate doubles in each of them,
    /// until packets take longer and longer to a receiver, as in RFC 9406, or are lost. Not in RFC 4654.
    Doubling,
}

/// The least first loss interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccSeedFloor")]
#[serde(rename_all = "lowercase")]
pub enum SeedFloor {
    /// One packet. RFC 4654 names no bound.
    #[default]
    Packet,
    /// The interval that gives half a packet per round-trip time, as with TFRC (RFC 5348 section 6.3.1): 4.8 packets.
    Half,
}

/// R_max after the gap between packets has raised it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccGapFloor")]
#[serde(rename_all = "lowercase")]
pub enum GapFloor {
    /// It falls by a tenth per round, as ever: the letter of the RFC. From a very low rate the way up takes many
    /// minutes.
    Decays,
    /// It follows the gap down to what was measured. Not in the RFC.
    #[default]
    Follows,
}

/// A row of lost packets that is longer than a round-trip time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccOutages")]
#[serde(rename_all = "kebab-case")]
pub enum Outages {
    /// One loss event, if twice as many packets or more have come since the last one began. Not in the RFC.
    #[default]
    OneEvent,
    /// A loss event for each round-trip time: the letter of the RFC.
    PerRtt,
}

/// The time from its first loss on in which further ones belong to a loss event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccLossEventSpan")]
#[serde(rename_all = "lowercase")]
pub enum LossEventSpan {
    /// The round-trip time R: the letter of RFC 4654 section 5.2.
    #[default]
    Rtt,
    /// What a TCP would have sent before it knew of the first loss, which it answers once: max(R, R') + min(3 gaps
    /// between packets, R'/4), where R' is the unsmoothed round-trip time of the packet that revealed that loss, 2 R at
    /// most. With less than a packet in it, or a mark, max(R, R') alone; before the first measurement R_max. Not in the
    /// RFC.
    Window,
}

/// A limiting receiver that never reports again after it was selected in the place of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccUnansweredClr")]
#[serde(rename_all = "lowercase")]
pub enum UnansweredClr {
    /// The one that limited before does so again after ten round-trip times and the packets that name the new one. Not
    /// in the RFC.
    #[default]
    Predecessor,
    /// It is like any that falls silent: nobody limits until somebody reports.
    Kept,
}

/// The rate while the application has less to send than it allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccDataLimited")]
#[serde(rename_all = "lowercase")]
pub enum DataLimited {
    /// What is received bounds it only as long as no receiver has had a loss (RFC 4654 sections 3.6, 4.3.4, 4.4). After
    /// that it grows towards what the equation gives, though little is sent.
    #[default]
    Rfc4654,
    /// No such report raises it above twice the rate at which its receiver has got data of late, and one that tells of
    /// a loss lowers it to half of that, or to 0.85 times what it says was got (RFC 5348 section 4.3).
    Rfc5348,
}

/// The least rate of a session that has nothing to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccIdleFloor")]
#[serde(rename_all = "lowercase")]
pub enum IdleFloor {
    /// That with which a session begins, a packet per R_max (RFC 5348 section 4.4).
    #[default]
    Initial,
    /// A packet in 8 s, as when nobody answers: the letter of RFC 4654.
    None,
}

/// Feedback timers biased by the rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccTimerBias")]
#[serde(rename_all = "lowercase")]
pub enum TimerBias {
    /// Chance alone.
    #[default]
    None,
    /// A quarter of the round depends on the desired rate relative to the sending rate: low rates report first.
    Offset,
}

/// Who adjusts the round-trip time by one-way delays (RFC 4654 section 4.3.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TfmccOneWayAdjustment")]
#[serde(rename_all = "lowercase")]
pub enum OneWayAdjustment {
    /// Every receiver: the letter of the RFC.
    All,
    /// All but the current limiting receiver, whose weight of 0.9 the unsmoothed adjustment would undo.
    #[default]
    Others,
    /// None.
    Off,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            profile: Profile::Faircast,
            packet_size: Bytes(1000),
            report_size: None,
            initial_max_rtt: Duration::from_millis(500),
            max_rate: None,
            exclude_below: None,
            round_rtts: 6.0,
            suppression: 0.1,
            suppressing_rounds: 2,
            max_receivers: 10_000,
            timer_bias: TimerBias::None,
            rtt_weight: 0.5,
            rtt_weight_clr: 0.9,
            one_way_adjustment: OneWayAdjustment::Others,
            receive_rate_rtts: 4.0,
            discounting: true,
            discount_threshold: 0.25,
            ecn: false,
            quantise: false,
            granularity: Duration::ZERO,
            halving_rtts: 4.0,
            halving_gaps: 2.0,
            grace_rtts: 10.0,
            silence_rtts: 10.0,
            silence_gaps: 5.0,
            silence_floor: Duration::ZERO,
            slow_start: SlowStart::default(),
            seed_floor: SeedFloor::Packet,
            gap_floor: GapFloor::default(),
            max_rtt: MaxRttRule::default(),
            outages: Outages::default(),
            loss_event_span: LossEventSpan::default(),
            unanswered_clr: UnansweredClr::default(),
            data_limited: DataLimited::default(),
            idle_floor: IdleFloor::default(),
            loss_differentiation: None,
        }
    }
}

limits! { Config {
    initial_max_rtt: from(LEAST_MAX_RTT).to(GREATEST_MAX_RTT),
    round_rtts, halving_rtts, halving_gaps, silence_rtts, silence_gaps: from(1.0).to(100.0),
    grace_rtts: from(0.0).to(100.0),
    suppression, rtt_weight, rtt_weight_clr: from(0.0).below(1.0),
    suppressing_rounds: from(1).to(suppressors::ROUNDS),
    max_receivers: from(2),
    receive_rate_rtts: from(1.0).to(16.0),
    discount_threshold: above(0.0).to(1.0),
    granularity, silence_floor: to(Duration::from_secs(1)),
} }

#[cfg(feature = "serde")]
profiled!(Config, Profile, Config::of);

impl Config {
    /// The parameters by a profile.
    pub fn of(profile: Profile) -> Config {
        let default = Config { profile, ..Config::default() };
        match profile {
            Profile::Faircast => default,
            Profile::Rfc4654 => Config {
                gap_floor: GapFloor::Decays,
                max_rtt: MaxRttRule::Rfc,
                suppressing_rounds: suppressors::ROUNDS,
                one_way_adjustment: OneWayAdjustment::All,
                discount_threshold: 0.5,
                outages: Outages::PerRtt,
                loss_event_span: LossEventSpan::Rtt,
                unanswered_clr: UnansweredClr::Kept,
                idle_floor: IdleFloor::None,
                ..default
            },
        }
    }

    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        self.check_with(&header::DATA)
    }

    /// What is wrong in a scheme built on TFMCC whose data packets are these.
    pub(crate) fn check_with(&self, data: &Layout) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        wrong.extend(check_sizes(data, self.packet_size, ("report_size", self.report_size)));
        wrong.extend(check_max_rate(self.max_rate, self.packet_size));
        if let Some(differentiation) = &self.loss_differentiation {
            wrong.extend(within("loss_differentiation", differentiation.check()));
        }
        wrong
    }

    /// The least rate: one packet in 8 s (RFC 4654 section 3.3), bit/s.
    pub(crate) fn least_bps(&self) -> f64 {
        8.0 * self.packet_size.0 as f64 / 8.0
    }

    /// The least general discount factor; 1 without discounting.
    pub(super) fn threshold(&self) -> f64 {
        if self.discounting { self.discount_threshold } else { 1.0 }
    }
}

/// What the encoding of RFC 4654 section 2.2.1 can hold.
const LEAST_MAX_RTT: Duration = Duration::from_millis(1);
pub(super) const GREATEST_MAX_RTT: Duration = Duration::from_secs(63);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_legal_and_come_back() {
        let config = Config::default();
        assert_eq!(config.check(), []);
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<Config>(&text).unwrap(), config);
    }

    #[test]
    fn bounds_are_legal_and_what_is_beyond_them_is_named() {
        type Set = fn(&mut Config, f64);
        let cases: [(&str, Set, &[f64], &[f64]); 19] = [
            ("packet_size", |c, v| c.packet_size = Bytes(v as u64), &[73.0, 65_535.0], &[72.0, 65_536.0]),
            ("report_size", |c, v| c.report_size = Some(Bytes(v as u64)), &[1.0, 65_535.0], &[0.0, 65_536.0]),
            (
                "initial_max_rtt",
                |c, v| c.initial_max_rtt = Duration::from_secs_f64(v),
                &[0.001, 63.0],
                &[0.0, 0.000_999, 63.001],
            ),
            // A packet of 1000 bytes in 8 s.
            ("max_rate", |c, v| c.max_rate = Some(Rate(v as u64)), &[1000.0, 1e12], &[999.0]),
            ("round_rtts", |c, v| c.round_rtts = v, &[1.0, 100.0], &[0.99, 100.01, f64::NAN]),
            ("halving_rtts", |c, v| c.halving_rtts = v, &[1.0, 100.0], &[0.99, 100.01, f64::NAN]),
            ("halving_gaps", |c, v| c.halving_gaps = v, &[1.0, 100.0], &[0.99, 100.01, f64::NAN]),
            ("grace_rtts", |c, v| c.grace_rtts = v, &[0.0, 100.0], &[-0.01, 100.01, f64::NAN]),
            ("silence_rtts", |c, v| c.silence_rtts = v, &[1.0, 100.0], &[0.99, 100.01, f64::NAN]),
            ("silence_gaps", |c, v| c.silence_gaps = v, &[1.0, 100.0], &[0.99, 100.01, f64::NAN]),
            ("suppressing_rounds", |c, v| c.suppressing_rounds = v as u32, &[1.0, 8.0], &[0.0, 9.0]),
            ("max_receivers", |c, v| c.max_receivers = v as u32, &[2.0, 1e6], &[0.0, 1.0]),
            ("receive_rate_rtts", |c, v| c.receive_rate_rtts = v, &[1.0, 16.0], &[0.99, 16.01, f64::NAN]),
            ("suppression", |c, v| c.suppression = v, &[0.0, 0.999], &[-0.1, 1.0, f64::NAN]),
            ("rtt_weight", |c, v| c.rtt_weight = v, &[0.0, 0.999], &[-0.1, 1.0, f64::NAN]),
            ("rtt_weight_clr", |c, v| c.rtt_weight_clr = v, &[0.0, 0.999], &[-0.1, 1.0, f64::NAN]),
            ("discount_threshold", |c, v| c.discount_threshold = v, &[0.001, 1.0], &[0.0, 1.01, f64::NAN]),
            ("granularity", |c, v| c.granularity = Duration::from_secs_f64(v), &[0.0, 1.0], &[1.001]),
            ("silence_floor", |c, v| c.silence_floor = Duration::from_secs_f64(v), &[0.0, 1.0], &[1.001]),
        ];
        for (field, set, legal, illegal) in cases {
            let fields = |value: f64| -> Vec<String> {
                let mut config = Config::default();
                set(&mut config, value);
                config.check().into_iter().map(|(field, _)| field).collect()
            };
            for &value in legal {
                assert_eq!(fields(value), [""; 0], "{field} {value}");
            }
            for &value in illegal {
                assert_eq!(fields(value), [field], "{field} {value}");
            }
        }
    }

    #[test]
    fn without_discounting_the_least_factor_is_one() {
        assert_eq!(Config { discounting: false, ..Config::default() }.threshold(), 1.0);
        assert_eq!(Config { discount_threshold: 0.3, ..Config::default() }.threshold(), 0.3);
    }

    #[test]
    fn messages_say_what_was_given_and_what_is_legal() {
        let config = Config {
            packet_size: Bytes(70_000),
            initial_max_rtt: Duration::ZERO,
            max_rate: Some(Rate(999)),
            halving_rtts: 0.5,
            ..Config::default()
        };
        let wrong = config.check();
        let said: Vec<(&str, &str)> = wrong.iter().map(|(field, text)| (field.as_str(), text.as_str())).collect();
        assert_eq!(
            said,
            [
                ("initial_max_rtt", "0 s given; legal is 0.001 s to 63 s"),
                ("halving_rtts", "0.5 given; legal is 1 to 100"),
                ("packet_size", "70000 B given; legal is 73 B, 72 B of headers and a byte of data, to 65535 B"),
                ("max_rate", "999 bit/s given; legal is at least a packet in 8 s, 70000 bit/s"),
            ]
        );
    }
}
