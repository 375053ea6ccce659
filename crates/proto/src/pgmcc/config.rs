//! The parameters of a pgmcc session.

use super::header::DATA;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{Limited, above, from, from_field, to};
use crate::quantity::{Bytes, Packets};
use crate::time::{Duration, Rate};
use crate::wire::{check_max_rate, check_sizes};

/// One pgmcc session: its source and all its receivers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Pgmcc", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// Size of a data packet on the wire, headers included. Default 1000 B.
    pub packet_size: Bytes,
    /// Size of an ACK, a NAK and an NCF on the wire; left out, what the fields of each take: 59 B, 59 B and 46 B.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feedback_size: Option<Bytes>,
    /// The source never sends faster; left out, than the fastest link out of its node. Packets that the window lets go
    /// together leave one after the other at this rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_rate: Option<Rate>,
    /// Up to this window each packet acknowledged opens it by one. Default 4 packets (the draft, section 2.2).
    pub ssthresh: Packets,
    /// c: weight of the newest packet in the loss rate. Default 500/65536 = 0.00763 (the draft, section 2.6).
    pub loss_weight: f64,
    /// C: a receiver becomes the acker if its throughput is below so many times the acker's. Default 0.75 (the draft,
    /// section 2.3).
    pub bias: f64,
    /// The throughput by which receivers are compared. Default "full".
    pub throughput: ThroughputModel,
    /// In what round-trip times are measured for that. Default "time".
    pub rtt: RttUnit,
    /// Weight of the newest measurement in the round-trip time by which receivers are compared. Default 0.125.
    pub rtt_weight: f64,
    /// A NAK waits for a random time up to this, and is spared if meanwhile the source confirms another's. Default
    /// 50 ms.
    pub nak_backoff: Duration,
    /// The source confirms NAKs to all (NCF). Default true (RFC 3208 section 2.1).
    pub ncf: bool,
    /// Time-out before the first measurement. Default 3 s (the draft, section 2.7).
    pub initial_rto: Duration,
    /// Least time-out. Default 1 s.
    pub min_rto: Duration,
    /// Up to this successive time-outs double. Default 8 s, as TFMCC sends a packet in 8 s at least: a receiver that
    /// comes to a silent session waits that long. TCP has 60 s.
    pub max_rto: Duration,
    /// After so many time-outs in a row another acker is elected. Default 2 (the draft, section 2.7).
    pub timeouts_to_election: u32,
    /// Of so many recent ackers the source remembers round-trip time and loss rate, and takes ACKs. Default 16.
    pub recent_ackers: u32,
    /// For so long an acker whose word does not agree with its acknowledgements cannot be the acker again; 0 s: its
    /// word is not looked at. Default 60 s.
    pub bar: Duration,
    /// Receivers that lose packets and whose throughput by the TCP equation is below this are not heeded, as an
    /// application without use for so little would have it (RFC 4654 section 3.3). Left out, all are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude_below: Option<Rate>,
    /// Data packets are ECN-capable, and marks count as losses. Default false.
    pub ecn: bool,
}

/// How throughput is estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PgmccThroughput")]
#[serde(rename_all = "lowercase")]
pub enum ThroughputModel {
    /// By the TCP equation with its time-outs: 1 / (R sqrt(p) (1 + 9 p (1 + 32 p^2))) (the draft, section 2.4).
    #[default]
    Full,
    /// Without them: 1 / (R sqrt(p)).
    Simple,
}

/// What round-trip times are measured in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PgmccRtt")]
#[serde(rename_all = "lowercase")]
pub enum RttUnit {
    /// Seconds, by time stamps (the draft, section 2.5.1).
    #[default]
    Time,
    /// Packets: those sent since the one that a receiver has got last, one at least (section 2.5.3).
    Packets,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            packet_size: Bytes(1000),
            feedback_size: None,
            max_rate: None,
            ssthresh: Packets(4.0),
            loss_weight: 500.0 / 65536.0,
            bias: 0.75,
            throughput: ThroughputModel::Full,
            rtt: RttUnit::Time,
            rtt_weight: 0.125,
            nak_backoff: Duration::from_millis(50),
            ncf: true,
            initial_rto: Duration::from_secs(3),
            min_rto: Duration::from_secs(1),
            max_rto: Duration::from_secs(8),
            timeouts_to_election: 2,
            recent_ackers: 16,
            bar: Duration::from_secs(60),
            exclude_below: None,
            ecn: false,
        }
    }
}

limits! { Config {
    ssthresh: from(Packets(1.0)).to(Packets(1e6)),
    loss_weight: above(0.0).below(1.0),
    bias, rtt_weight: above(0.0).to(1.0),
    bar: to(Duration::from_secs(1_000_000)),
    nak_backoff: to(LONGEST),
    min_rto: from(Duration::from_millis(1)).to(LONGEST),
    initial_rto, max_rto: from_field("min_rto", |config: &Config| config.min_rto).to(LONGEST),
    timeouts_to_election: from(1).to(100),
    recent_ackers: from(1).to(1000),
} }

/// No time-out and no wait is longer.
const LONGEST: Duration = Duration::from_secs(60);

impl Config {
    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        wrong.extend(check_sizes(&DATA, self.packet_size, ("feedback_size", self.feedback_size)));
        wrong.extend(check_max_rate(self.max_rate, self.packet_size));
        wrong
    }
}

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
        let cases: [(&str, Set, &[f64], &[f64]); 13] = [
            ("packet_size", |c, v| c.packet_size = Bytes(v as u64), &[55.0, 65_535.0], &[54.0, 65_536.0]),
            ("feedback_size", |c, v| c.feedback_size = Some(Bytes(v as u64)), &[1.0, 65_535.0], &[0.0, 65_536.0]),
            ("max_rate", |c, v| c.max_rate = Some(Rate(v as u64)), &[1000.0, 1e12], &[999.0]),
            ("ssthresh", |c, v| c.ssthresh = Packets(v), &[1.0, 1e6], &[0.9, 1e6 + 1.0, f64::NAN]),
            ("loss_weight", |c, v| c.loss_weight = v, &[0.001, 0.999], &[0.0, 1.0, f64::NAN]),
            ("bias", |c, v| c.bias = v, &[0.001, 1.0], &[0.0, 1.001, f64::NAN]),
            ("rtt_weight", |c, v| c.rtt_weight = v, &[0.001, 1.0], &[0.0, 1.001, f64::NAN]),
            ("nak_backoff", |c, v| c.nak_backoff = Duration::from_secs_f64(v), &[0.0, 60.0], &[60.1]),
            ("min_rto", |c, v| c.min_rto = Duration::from_secs_f64(v), &[0.001, 3.0], &[0.0, 0.0009]),
            ("initial_rto", |c, v| c.initial_rto = Duration::from_secs_f64(v), &[1.0, 60.0], &[0.999, 60.1]),
            ("max_rto", |c, v| c.max_rto = Duration::from_secs_f64(v), &[1.0, 60.0], &[0.999, 60.1]),
            ("timeouts_to_election", |c, v| c.timeouts_to_election = v as u32, &[1.0, 100.0], &[0.0, 101.0]),
            ("recent_ackers", |c, v| c.recent_ackers = v as u32, &[1.0, 1000.0], &[0.0, 1001.0]),
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
    fn messages_say_what_was_given_and_what_is_legal() {
        let config = Config {
            packet_size: Bytes(70_000),
            max_rate: Some(Rate(999)),
            max_rto: Duration::from_millis(500),
            ..Config::default()
        };
        let wrong = config.check();
        let said: Vec<(&str, &str)> = wrong.iter().map(|(field, text)| (field.as_str(), text.as_str())).collect();
        assert_eq!(
            said,
            [
                ("max_rto", "0.5 s given; legal is min_rto = 1 s to 60 s"),
                ("packet_size", "70000 B given; legal is 55 B, 54 B of headers and a byte of data, to 65535 B"),
                ("max_rate", "999 bit/s given; legal is at least a packet in 8 s, 70000 bit/s"),
            ]
        );
    }
}
