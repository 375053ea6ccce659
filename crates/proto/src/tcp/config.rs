//! The parameters of a TCP connection.

use super::header::SEGMENT;
use super::pacing;
use super::rule::{Variant, cubic, hybla, westwood, westwood_plus};
use super::window::Recovery;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::limits;
use crate::limits::{Limited, above, from, from_field, to, within};
#[cfg(feature = "serde")]
use crate::profile::profiled;
use crate::quantity::{Bytes, Packets};
use crate::time::Duration;

/// One TCP connection, both ends. Windows count segments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Tcp", transform = limits::declare::<Config>)]
#[serde(default, deny_unknown_fields, remote = "Self")]
pub struct Config {
    /// Whose choices the keys that are left out take. Default "rfc".
    pub profile: Profile,
    /// The window rule. Default "newreno".
    pub variant: Variant,
    /// How losses are repaired; left out, the way that goes with the variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recovery: Option<Recovery>,
    /// Payload of a segment. Default 1000 B (ns-2).
    pub mss: Bytes,
    /// Headers that a segment has on the wire beside its payload. Default 40 B: IP and TCP without options. 0 B
    /// counts as ns-2 did before 2002.
    pub hdr: Bytes,
    /// Size of an acknowledgement on the wire. Default 40 B: IP and TCP without options, as ns-2 has it.
    pub ack_size: Bytes,
    /// The receiver's window, whole segments; left out, unbounded, so that the network alone limits. ns-2 has 20
    /// packets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wnd: Option<Packets>,
    /// Congestion window at the start. Default 2 packets (ns-2 since May 2001).
    pub initial_cwnd: Packets,
    /// Slow-start threshold at the start; left out, `wnd` (ns-2), hence unbounded where that is (RFC 5681 section 3.1:
    /// "arbitrarily high").
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_ssthresh: Option<Packets>,
    /// End the first slow start when round trips become longer, by HyStart++ (RFC 9406); with it the window grows by
    /// the segments that an ACK acknowledges, at most 8 unless paced. Left out, on with "cubic" (RFC 9438 section 4.10)
    /// and off with every other variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hystart: Option<bool>,
    /// In congestion avoidance an ACK lets the window grow for each segment that it acknowledges (RFC 5681 section 3.1,
    /// RFC 3465 section 2.1), and in slow start for at most `abc_limit` of them. If false for one, whatever it
    /// acknowledges, as in ns-2: a receiver that delays its ACKs then halves the growth. Left out, true but with
    /// "hybla", which is published so. The cubic function of "cubic" does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte_counting: Option<bool>,
    /// In congestion avoidance let the window grow by whole segments, one when as many as it has have been
    /// acknowledged, and leave whole ones after a reduction, as hosts do (Linux). Without effect on the growth of RFC
    /// 9438. Default false: each ACK adds its part (RFC 5681 equation (3)).
    pub whole_segments: bool,
    /// The most segments for which an ACK lets the window grow in slow start, L of RFC 3465 section 2.2: used with
    /// `byte_counting`, and without `hystart`, which has a limit of its own. After a time-out it is 1 (section 2.3).
    /// Default 1, as RFC 5681 section 3.1 wants it; RFC 3465 allows 2 for experiments.
    pub abc_limit: u32,
    /// The window with which NewReno leaves a recovery. Default "ssthresh", which is what ns-2 does.
    pub full_ack: FullAck,
    /// The most segments that the window lets out at once: for one ACK, at the start, after a time-out. The repairs
    /// that Reno and NewReno send on an ACK, and limited transmit, come on top. Left out, unlimited (ns-2 `maxburst_`
    /// 0). RFC 6582 section 3.2 step 3 encourages such a limit with `full_ack` "ssthresh".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_burst: Option<u32>,
    /// Exchange SYN and SYN-ACK, of `ack_size` each, before data (RFC 9293 section 3.5): data begins a round trip
    /// later, and that has been measured. Default false, as in ns-2's one-way TCP.
    pub handshake: bool,
    /// Acknowledge the SYN-ACK at once by a packet of its own, of `ack_size`, before data (RFC 9293 section 3.5, figure
    /// 6), as hosts do whose application writes once it is connected. It takes a place in queues that count packets.
    /// Default false: the acknowledgement goes with the first segment (section 3.10.7.3). With `handshake` only.
    pub handshake_ack: bool,
    /// Duplicate ACKs that show a loss. Default 3 (RFC 5681 section 3.2).
    pub dupthresh: u32,
    /// Send a new segment on each of the first duplicate ACKs (RFC 3042). Default true.
    pub limited_transmit: bool,
    /// After a time-out the first duplicate ACKs let out, as new segments otherwise, those that the sender goes back
    /// over, as ns-2's `send_one` does. Default false: RFC 3042 section 2 has "previously unsent data". Without effect
    /// without `limited_transmit`.
    pub limited_retransmit: bool,
    /// In a recovery by SACK, what is not acknowledged below something that is goes before what was never sent, though
    /// it does not count as lost yet: rule (3) of NextSeg before rule (2), as in ns-2. Default false (RFC 6675 section
    /// 4).
    pub holes_first: bool,
    /// In a recovery by SACK in which nothing else may be sent, send the last segment outstanding again, once: rule (4)
    /// of NextSeg (RFC 6675 section 4). It finds out whether the end of a transfer was lost. Default true.
    pub rescue_retransmission: bool,
    /// In a recovery by SACK, let the window shrink with what arrives, over a round trip, instead of at once, after
    /// which the sender is silent for a part of it: proportional rate reduction (RFC 9937), which Linux has, too.
    /// Default false (RFC 6675).
    pub proportional_rate_reduction: bool,
    /// Retransmission time-out before the first measurement. Default 3 s (ns-2; RFC 6298 (2.1) says 1 s).
    pub rto_initial: Duration,
    /// Least retransmission time-out. Default 1 s (RFC 6298 (2.4); ns-2.35 has 0.2 s).
    pub rto_min: Duration,
    /// Greatest retransmission time-out. Default 60 s (RFC 6298 (2.5)).
    pub rto_max: Duration,
    /// Clock granularity G: the least value of the variance term in the time-out. Default 10 ms (ns-2 `tcpTick_`).
    pub granularity: Duration,
    /// Measure round-trip times with a clock that ticks this often, as ns-2 does (`tcpTick_`, 10 ms): the ticks between
    /// sending and ACK, at least one. Where in a tick the connection begins is drawn. Left out, to the nanosecond, or
    /// the microsecond with `timestamps`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rtt_tick: Option<Duration>,
    /// Acknowledge every second segment that comes in order instead of every one. Default false (ns-2 `Agent/TCPSink`).
    pub delayed_ack: bool,
    /// How long a lone segment waits for its acknowledgement if `delayed_ack`. Default 100 ms (ns-2; RFC 5681
    /// section 4.2 allows 500 ms).
    pub delayed_ack_timeout: Duration,
    /// Hand new segments down in bundles, as hosts do whose network card, or kernel, cuts them: as many as go in a
    /// millisecond at the pace of the window, two at least, and half of the window at most. The last of several that go
    /// together has the push flag, and its receiver acknowledges it at once, `delayed_ack` or not; what is less than a
    /// bundle waits for an acknowledgement that is about to come. Linux does so. Default false.
    pub segmentation_offload: bool,
    /// Measure the round-trip time on every ACK of new data by time stamps (RFC 7323) rather than on one segment at a
    /// time. Sizes on the wire stay as configured. Default false.
    pub timestamps: bool,
    /// Explicit congestion notification. Default "off".
    pub ecn: EcnMode,
    /// Let the window grow while a time-out is repaired although the receiver still echoes marks from before it: the
    /// time-out has answered them, and CWR, which ends the echo, goes out with new data only (RFC 3168 section 6.1.2).
    /// Default true; false is the letter of that section, one segment per round trip until the repair is complete.
    pub grow_after_timeout: bool,
    /// Retransmissions are ECN-capable, too, if `ecn` is not "off", as ns-2 sends them. Default false (RFC 3168 section
    /// 6.1.5).
    pub ecn_retransmissions: bool,
    /// Multilevel ECN: used with `ecn = "mecn"`.
    pub mecn: Mecn,
    /// CUBIC: used with `variant = "cubic"`.
    pub cubic: cubic::Parameters,
    /// What a sending host adds to each opportunity to send: a uniform time from zero to this (ns-2 `overhead_`).
    /// About the time that the bottleneck takes for a packet breaks the lock-step of flows with equal round-trip
    /// times. Default 0 s: none.
    pub send_jitter: Duration,
    /// Send evenly, so many windows per round-trip time, instead of in bursts. `{}` takes the default ratios. Left
    /// out, no pacing: what an ACK lets go goes at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pacing: Option<pacing::Ratios>,
    /// Westwood's filter: used with `variant = "westwood"`.
    pub westwood: westwood::Parameters,
    /// Westwood+'s filter: used with `variant = "westwood+"`.
    pub westwood_plus: westwood_plus::Parameters,
    /// Hybla: used with `variant = "hybla"`.
    pub hybla: hybla::Parameters,
    /// What becomes of a window that the application does not use. Default "rfc5681".
    pub cwnd_validation: CwndValidation,
    /// A window that is not full grows to what was outstanding at once and an ACK of all of that would make of it, and
    /// no further (draft-ietf-ccwg-ratelimited-increase). Default false. With variants that grow as Reno does.
    pub rate_limited_increase: bool,
    /// Segments to transfer; left out, the source always has data (FTP).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u32>,
}

/// Sets of values for the keys that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpProfile")]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The default of each key.
    #[default]
    Rfc,
    /// The one-way TCP agents of ns-2: ACKs are counted, limited transmit repairs after a time-out, and SACK repairs
    /// all holes before it sends new data.
    Ns2,
    /// A Linux host: delayed ACKs, SACK, time stamps, sizes and times of its own. The window rule is to be said.
    Linux,
}

/// The window after the ACK that ends a recovery of NewReno (RFC 6582 section 3.2 step 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpFullAck")]
#[serde(rename_all = "lowercase")]
pub enum FullAck {
    /// The slow-start threshold, option (2).
    #[default]
    Ssthresh,
    /// What is outstanding and one segment more, at least 2, at most the threshold: option (1). No burst into a network
    /// that has run empty.
    Flight,
}

/// A window that the application does not use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpCwndValidation")]
#[serde(rename_all = "lowercase")]
pub enum CwndValidation {
    /// It is the initial one at most after a rest longer than a time-out (RFC 5681 section 4.1), and does not grow
    /// while less than half of it is outstanding. As Linux has it: `tcp_slow_start_after_idle` is on there, and only
    /// what is used grows.
    #[default]
    Rfc5681,
    /// It lasts for five minutes; a loss then cuts it to half of what was used (RFC 7661).
    Rfc7661,
}

/// Explicit congestion notification of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpEcn")]
#[serde(rename_all = "lowercase")]
pub enum EcnMode {
    /// Not used.
    #[default]
    Off,
    /// One level (RFC 3168).
    Ecn,
    /// Two levels and loss [Durresi].
    Mecn,
}

/// The response to multilevel marks [Durresi].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TcpMecn", transform = limits::declare::<Mecn>)]
#[serde(default, deny_unknown_fields)]
pub struct Mecn {
    /// Reduction on incipient congestion: the window is multiplied by `1 - alpha1`. Default 0.2 ([Durresi] Table III).
    pub alpha1: f64,
    /// Reduction on moderate congestion. Default 0.4 ([Durresi] Table III).
    pub alpha2: f64,
    /// Reduction that a loss brings a window to that an echo has already reduced. Default 0.5 ([Durresi] Table III).
    pub alpha3: f64,
    /// The receiver echoes the level marked first until the sender has answered it, then the next ([Durresi]
    /// section V). If false, a higher level is echoed at once. Default true.
    pub latch: bool,
    /// Within one window of data a higher level, or a loss, adds what its reduction has more than the one made. If
    /// false, there is one reduction per window. Default true. The paper does not say.
    pub escalate: bool,
    /// An echo that meets a window of one segment makes the sender wait for its timer, as RFC 3168 section 6.1.2
    /// asks of ECN. Default false: the paper does not say.
    pub hold: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            profile: Profile::Rfc,
            variant: Variant::NewReno,
            recovery: None,
            mss: Bytes(1000),
            hdr: Bytes(SEGMENT.bytes() as u64),
            ack_size: Bytes(SEGMENT.bytes() as u64),
            wnd: None,
            initial_cwnd: Packets(2.0),
            initial_ssthresh: None,
            hystart: None,
            byte_counting: None,
            whole_segments: false,
            abc_limit: 1,
            full_ack: FullAck::default(),
            max_burst: None,
            handshake: false,
            handshake_ack: false,
            dupthresh: 3,
            limited_transmit: true,
            limited_retransmit: false,
            holes_first: false,
            rescue_retransmission: true,
            proportional_rate_reduction: false,
            rto_initial: Duration::from_secs(3),
            rto_min: Duration::from_secs(1),
            rto_max: Duration::from_secs(60),
            granularity: Duration::from_millis(10),
            rtt_tick: None,
            delayed_ack: false,
            delayed_ack_timeout: Duration::from_millis(100),
            segmentation_offload: false,
            timestamps: false,
            ecn: EcnMode::Off,
            grow_after_timeout: true,
            ecn_retransmissions: false,
            mecn: Mecn::default(),
            cubic: cubic::Parameters::default(),
            send_jitter: Duration::ZERO,
            pacing: None,
            westwood: westwood::Parameters::default(),
            westwood_plus: westwood_plus::Parameters::default(),
            hybla: hybla::Parameters::default(),
            cwnd_validation: CwndValidation::default(),
            rate_limited_increase: false,
            segments: None,
        }
    }
}

impl Default for Mecn {
    fn default() -> Mecn {
        Mecn { alpha1: 0.2, alpha2: 0.4, alpha3: 0.5, latch: true, escalate: true, hold: false }
    }
}

limits! { Config {
    mss: above(Bytes(0)),
    ack_size: from(Bytes(1)).to(Bytes(MAX_SIZE)),
    wnd, initial_cwnd, initial_ssthresh: from(Packets(1.0)).to(Packets(MAX_WND)),
    max_burst, segments: from(1),
    dupthresh, abc_limit: from(1).to(1000),
    rto_min: above(Duration::ZERO).to_field("rto_max", |config: &Config| config.rto_max),
    rto_max: above(Duration::ZERO).to(LONGEST),
    rto_initial: above(Duration::ZERO).to_field("rto_max", |config: &Config| config.rto_max),
    delayed_ack_timeout, rtt_tick: above(Duration::ZERO).to(LONGEST),
    granularity, send_jitter: to(LONGEST),
} }

limits! { Mecn {
    alpha1, alpha2, alpha3: from(0.0).below(1.0),
    alpha2: from_field("alpha1", |mecn: &Mecn| mecn.alpha1).because("for moderate is more than incipient"),
} }

#[cfg(feature = "serde")]
profiled!(Config, Profile, Config::of);

impl Config {
    /// The parameters by a profile.
    pub fn of(profile: Profile) -> Config {
        let default = Config { profile, ..Config::default() };
        match profile {
            Profile::Rfc => default,
            Profile::Ns2 => Config {
                byte_counting: Some(false),
                limited_retransmit: true,
                holes_first: true,
                rescue_retransmission: false,
                ..default
            },
            // `include/net/tcp.h` of Linux, and an MTU of 1500 B.
            Profile::Linux => Config {
                recovery: Some(Recovery::Sack),
                mss: Bytes(1448),
                hdr: Bytes(52),
                ack_size: Bytes(52),
                initial_cwnd: Packets(10.0),
                whole_segments: true,
                // Linux has no limit: `tcp_slow_start`.
                abc_limit: 1000,
                handshake: true,
                proportional_rate_reduction: true,
                rto_initial: Duration::from_secs(1),
                rto_min: Duration::from_millis(200),
                rto_max: Duration::from_secs(120),
                // `tcp_rtt_estimator`: four times the variance counts for at least the least time-out.
                granularity: Duration::from_millis(200),
                delayed_ack: true,
                delayed_ack_timeout: Duration::from_millis(40),
                segmentation_offload: true,
                timestamps: true,
                cubic: cubic::Parameters { growth: cubic::Growth::Linux, ..default.cubic },
                westwood_plus: westwood_plus::Parameters { least_after_slow_start: 0.0, ..default.westwood_plus },
                ..default
            },
        }
    }

    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.beyond_limits();
        if let Variant::Guest(guest) = &self.variant {
            wrong.extend(within("variant", guest.check()));
        }
        if self.segment_bytes() > MAX_SIZE {
            let (mss, hdr) = (self.mss.0, self.hdr.0);
            let message = format!("{mss} B with {hdr} B of headers given; together at most {MAX_SIZE} B");
            wrong.push(("mss".to_owned(), message));
        }
        if let Some(Packets(wnd)) = self.wnd.filter(|wnd| wnd.0.fract() != 0.0) {
            wrong.push(("wnd".to_owned(), format!("{wnd} packets given; legal is a whole number")));
        }
        if self.rate_limited_increase && matches!(self.variant, Variant::Cubic | Variant::Hybla | Variant::Guest(_)) {
            let message = "true given; legal is false: how much the window of this variant may grow in a round trip is \
                           not written there";
            wrong.push(("rate_limited_increase".to_owned(), message.to_owned()));
        }
        if self.handshake_ack && !self.handshake {
            let message = "true given with handshake false; legal with handshake true: without a SYN-ACK there is \
                           nothing to acknowledge";
            wrong.push(("handshake_ack".to_owned(), message.to_owned()));
        }
        wrong.extend(within("mecn", self.mecn.beyond_limits()));
        wrong.extend(within("cubic", self.cubic.beyond_limits()));
        wrong.extend(within("westwood", self.westwood.beyond_limits()));
        wrong.extend(within("westwood_plus", self.westwood_plus.beyond_limits()));
        wrong.extend(within("hybla", self.hybla.beyond_limits()));
        wrong.extend(self.pacing.iter().flat_map(|ratios| within("pacing", ratios.beyond_limits())));
        wrong
    }

    /// A data segment on the wire, bytes. Whatever was configured, so that what has not been checked yet can ask, too.
    pub fn segment_bytes(&self) -> u64 {
        self.mss.0.saturating_add(self.hdr.0)
    }

    /// The receiver's window in force, segments.
    pub(super) fn window_pkts(&self) -> f64 {
        self.wnd.map_or(MAX_WND, |wnd| wnd.0)
    }

    /// The recovery in force if the variant's own is `own`.
    pub(super) fn recovery_or(&self, own: Recovery) -> Recovery {
        self.recovery.unwrap_or(own)
    }
}

/// The largest packet, bytes: its size is 16 bits on the wire.
const MAX_SIZE: u64 = 65_535;
/// The largest window, segments, and the one in force where none is given: less than 2^31 as `number.rs` asks.
const MAX_WND: f64 = 1e9;
/// The largest time-out and other wait.
const LONGEST: Duration = Duration::from_secs(86_400);
