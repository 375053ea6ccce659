//! The parameters of an SMCC session.

use super::counting::{Counting, LEAST_PERIOD, LEAST_TICK, MAX_LAYERS, MAX_SETS, MOST_TICKS, Set, common, together};
use super::header::DATA;
use super::layers::Layers;
use crate::declared::{Deserialize, JsonSchema, Serialize};
use crate::group_set::{GroupPlan, MAX_GROUPS, Role, Senders};
use crate::limits;
use crate::limits::{Limited, above, from, from_field, to, within};
use crate::parts::loss_differentiation;
use crate::quantity::Packets;
use crate::tfmcc;
use crate::time::{Duration, Rate};

/// One SMCC session: its sender and all its receivers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Smcc", transform = limits::declare::<Config>)]
#[serde(default)]
pub struct Config {
    /// What controls the rate of each layer. Default "tfmcc".
    pub control: ControlKind,
    /// B_0, the most that the lowest layer carries. Default 1 Mbit/s; not beside `bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_rate: Option<Rate>,
    /// How many layers there are. Default 4; not beside `bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<u32>,
    /// By what the most that the layers carry together grows from one to the next: B_i = base_rate · growth^i.
    /// Default 2 ([Kwon]); not beside `bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub growth: Option<f64>,
    /// B_0, B_1 .. themselves, increasing: the most that the layers up to each carry together. Default: by the three
    /// parameters above.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Vec<Rate>>,
    /// How receivers join the next layer. Default "additive".
    pub join: Join,
    /// The periods of the counting layers, increasing: a receiver takes the shortest that makes its climb, of a packet
    /// more in each period, at most 1.1 times as steep as that of a TCP with its least round-trip time. Each a power of
    /// two times the first, as in [Kwon], or any whose slots begin together often: after at most 65536 times what all
    /// are multiples of, which is 0.1 ms at least. Default 32, 64, 128, 256 and 512 ms.
    pub rtts: Vec<Duration>,
    /// How many times there are counting layers of each period, shifted against each other so that receivers wait less
    /// before they can begin: 1 or 2. Default 1.
    pub phases: u32,
    /// The parameters of TFMCC, for each layer alike. `max_rate` is none of them: the bounds say it. With `control`
    /// "pgmcc" what they say of reports and measurements holds as well.
    pub tfmcc: tfmcc::Config,
    /// The parameters of the windows, used with `control` "pgmcc".
    pub pgmcc: Windowed,
    /// Receivers tell losses on links from congestion, of which alone their level and their reports depend then, and
    /// whether an attempt fails. Left out, they take all for congestion, and compare nothing. With `control` "tfmcc".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_differentiation: Option<loss_differentiation::Config>,
}

/// The window of each layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SmccPgmcc", transform = limits::declare::<Windowed>)]
#[serde(default, deny_unknown_fields)]
pub struct Windowed {
    /// Up to this window each packet acknowledged opens it by one. Default 4 packets, as in pgmcc.
    pub ssthresh: Packets,
    /// Another receiver limits a layer if it wants less than so many times T_i. Default 0.75, as in pgmcc.
    pub bias: f64,
    /// How long a receiver that limits may be silent before its first ACK. Default 3 s.
    pub initial_rto: Duration,
    /// The least time-out, after which a receiver that limits and acknowledges nothing is given up. Default 1 s.
    pub min_rto: Duration,
    /// How long an election takes. Default "feedback-round".
    pub election: Election,
    /// With `election = "back-off"` members wait for a random part of this. Default 50 ms, as in pgmcc.
    pub nak_backoff: Duration,
}

/// How members answer where the receiver that limits a layer has gone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SmccElection")]
#[serde(rename_all = "kebab-case")]
pub enum Election {
    /// In a feedback round, as with TFMCC: few of many answer.
    #[default]
    FeedbackRound,
    /// After a short random time, as with pgmcc: all that are in the layer do, so it is for groups of few.
    BackOff,
}

/// What controls the rate of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SmccControl")]
#[serde(rename_all = "lowercase")]
pub enum ControlKind {
    /// TFMCC: by the throughput equation.
    #[default]
    Tfmcc,
    /// pgmcc: by a window, which the receiver that limits opens with its ACKs ([Kwon] section V).
    Pgmcc,
}

/// How a receiver joins the next layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "SmccJoin")]
#[serde(rename_all = "lowercase")]
pub enum Join {
    /// A packet per round-trip time is added until it has as much as with the layer, which it then joins ([Kwon]
    /// section VI).
    #[default]
    Additive,
    /// At once, to compare with.
    Direct,
}

/// The counting layers of one period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeriodSet {
    /// x, the length of its slots.
    pub period: Duration,
    /// The period in ticks, of which all periods are multiples.
    pub ticks: u32,
    /// M, how many counting layers there are in each of its phases.
    pub layers: u32,
    /// The number in the session of its first group, BCL_0 of the first phase.
    pub first_group: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            control: ControlKind::Tfmcc,
            base_rate: None,
            layers: None,
            growth: None,
            bounds: None,
            join: Join::Additive,
            rtts: [32, 64, 128, 256, 512].map(Duration::from_millis).to_vec(),
            phases: 1,
            tfmcc: tfmcc::Config::default(),
            pgmcc: Windowed::default(),
            loss_differentiation: None,
        }
    }
}

impl Default for Windowed {
    fn default() -> Windowed {
        Windowed {
            ssthresh: Packets(4.0),
            bias: 0.75,
            initial_rto: Duration::from_secs(3),
            min_rto: Duration::from_secs(1),
            election: Election::FeedbackRound,
            nak_backoff: Duration::from_millis(50),
        }
    }
}

limits! { Windowed {
    ssthresh: from(Packets(1.0)).to(Packets(1e6)),
    bias: above(0.0).to(1.0),
    min_rto: from(Duration::from_millis(1)).to(LONGEST),
    initial_rto: from_field("min_rto", |windowed: &Windowed| windowed.min_rto).to(LONGEST),
    nak_backoff: to(LONGEST),
} }

/// No time-out and no wait of a windowed layer is longer.
const LONGEST: Duration = Duration::from_secs(60);

limits! { Config {
    layers: from(1).to(MAX_GROUPS).because("counting layers included"),
    growth: above(1.0).to(MOST_GROWTH),
    phases: from(1).to(2),
} }

impl Windowed {
    /// The back-off of elections that have one.
    pub(super) fn backoff(&self) -> Option<Duration> {
        (self.election == Election::BackOff).then_some(self.nak_backoff)
    }
}

impl Config {
    /// B_0, B_1 .. as given or by their progression, bit/s.
    pub fn bounds(&self) -> Vec<Rate> {
        if let Some(bounds) = &self.bounds {
            return bounds.clone();
        }
        let base_bps = self.base_rate.unwrap_or(BASE_RATE).as_bps_f64();
        let growth = self.growth.unwrap_or(GROWTH);
        // What is too many has been found by then, and need not be made.
        let layers = self.layers.unwrap_or(LAYERS).min(MAX_GROUPS + 1);
        let powers = std::iter::successors(Some(1.0), |power| Some(power * growth));
        powers.take(layers as usize).map(|power| Rate((base_bps * power + 0.5) as u64)).collect()
    }

    /// The layers.
    pub fn layer_bounds(&self) -> Layers {
        Layers::new(self.bounds().iter().map(|bound| bound.as_bps_f64()))
    }

    /// The sets of counting layers, the shortest period first; none if receivers join directly.
    pub fn period_sets(&self) -> Vec<PeriodSet> {
        if self.join == Join::Direct {
            return Vec::new();
        }
        let layers = self.layer_bounds();
        let tick = self.tick();
        let mut first_group = layers.count() as u32;
        let of_period = |&period: &Duration| {
            let counting = layers.counting_layers(period.as_secs_f64(), self.packet_bits());
            let set = PeriodSet { period, ticks: (period.0 / tick.0) as u32, layers: counting, first_group };
            first_group += counting * self.phases;
            set
        };
        self.rtts.iter().map(of_period).collect()
    }

    /// The schedule of the counting layers.
    pub fn counting(&self) -> Counting {
        let of = |set: &PeriodSet| Set { ticks: set.ticks, layers: set.layers as u8 };
        let sets: Vec<Set> = self.period_sets().iter().map(of).collect();
        Counting::new(self.tick(), &sets, self.phases as u8)
    }

    /// What all periods have a whole number of.
    fn tick(&self) -> Duration {
        tick_of(&self.rtts)
    }

    /// Bits of a packet, those of counting layers included.
    pub fn packet_bits(&self) -> f64 {
        8.0 * self.tfmcc.packet_size.0 as f64
    }

    /// The groups: the layers, then the counting layers, set by set, phase by phase, BCL_0 first.
    pub fn group_plans(&self) -> Vec<GroupPlan> {
        let counting = self.period_sets().iter().map(|set| set.layers * self.phases).sum::<u32>();
        let counting = (0..counting).map(|_| GroupPlan { role: Role::Control, senders: Senders::Source });
        (0..self.bounds().len()).map(|layer| GroupPlan::layer(layer as u8)).chain(counting).collect()
    }

    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong: Vec<(String, String)> = within("tfmcc", self.tfmcc.check_with(&DATA)).collect();
        let mut refuse = |field: &str, message: &str| wrong.push((field.to_owned(), message.to_owned()));
        if let Some(rate) = self.tfmcc.max_rate {
            let message = format!("{} bit/s given; legal is none: the bounds of the layers say it", rate.0);
            refuse("tfmcc.max_rate", &message);
        }
        if self.tfmcc.exclude_below.is_some() {
            let message = "given; legal is none: a receiver that asks for less than a layer has leaves the layer";
            refuse("tfmcc.exclude_below", message);
        }
        if self.tfmcc.slow_start != tfmcc::SlowStart::Rfc4654 {
            let message = "\"doubling\" given; legal is \"rfc4654\": layers are joined one after the other, and only \
                           the lowest has a slow start";
            refuse("tfmcc.slow_start", message);
        }
        if self.tfmcc.loss_differentiation.is_some() {
            let message = "given; legal is none: it stands beside tfmcc, for all layers together";
            refuse("tfmcc.loss_differentiation", message);
        }
        if let Some(differentiation) = &self.loss_differentiation {
            if self.control == ControlKind::Pgmcc {
                let message = "given with control \"pgmcc\"; legal with \"tfmcc\": windows close by what the ACKs say, \
                               whatever a receiver takes for the cause";
                refuse("loss_differentiation", message);
            }
            wrong.extend(within("loss_differentiation", differentiation.check()));
        }
        wrong.extend(within("pgmcc", self.pgmcc.beyond_limits()));
        wrong.extend(self.beyond_limits());
        wrong.extend(self.check_bounds());
        wrong.extend(self.check_periods());
        if wrong.is_empty() {
            wrong.extend(self.check_groups());
        }
        wrong
    }

    /// The bounds, as given or by the progression, and that it is not there beside them.
    fn check_bounds(&self) -> Vec<(String, String)> {
        let given = self.bounds.is_some();
        let mut wrong = Vec::new();
        if given {
            let beside = "legal beside bounds is none: they say the rates of all layers";
            let base_rate = self.base_rate.map(|rate| format!("{} bit/s", rate.0));
            let layers = self.layers.map(|layers| layers.to_string());
            let growth = self.growth.map(|growth| growth.to_string());
            for (field, value) in [("base_rate", base_rate), ("layers", layers), ("growth", growth)] {
                wrong.extend(value.map(|value| (field.to_owned(), format!("{value} given; {beside}"))));
            }
        }
        let name = |layer: usize| if given { format!("bounds[{layer}]") } else { "base_rate".to_owned() };
        let growth = self.growth.unwrap_or(GROWTH);
        // A progression that is none has been named.
        let progresses = growth > 1.0 && growth.is_finite();
        let countable = (1..=MAX_GROUPS).contains(&self.layers.unwrap_or(LAYERS));
        if !(given || progresses && countable) {
            return wrong;
        }
        let bounds = self.bounds();
        let (Some(first), Some(last)) = (bounds.first(), bounds.last()) else {
            wrong.push(("bounds".to_owned(), "no layer given; legal is one or more".to_owned()));
            return wrong;
        };
        if bounds.len() > MAX_GROUPS as usize {
            let message =
                format!("{} layers given; legal are 1 to {MAX_GROUPS}, counting layers included", bounds.len());
            wrong.push(("bounds".to_owned(), message));
            return wrong;
        }
        let least_bps = self.tfmcc.least_bps();
        if first.as_bps_f64() < least_bps {
            let message = format!("{} bit/s given; legal is at least a packet in 8 s, {least_bps} bit/s", first.0);
            wrong.push((name(0), message));
        }
        // Of a progression that grows beyond all numbers the last bounds are the same: it is too high, not too flat.
        let is_too_high = !given && *last > MOST_RATE;
        let flat = (1..bounds.len()).find(|&layer| bounds[layer] <= bounds[layer - 1]);
        if let Some(layer) = flat.filter(|_| !is_too_high) {
            let (rate, below) = (bounds[layer].0, bounds[layer - 1].0);
            wrong.push(if given {
                (name(layer), format!("{rate} bit/s given; legal is more than the bound before it, {below} bit/s"))
            } else {
                ("growth".to_owned(), format!("{growth} given; legal is what makes each bound larger than the last"))
            });
        } else if *last > MOST_RATE {
            let most = MOST_RATE.0;
            wrong.push(if given {
                (name(bounds.len() - 1), format!("{} bit/s given; legal is at most {most} bit/s", last.0))
            } else {
                let message = format!(
                    "{} given with growth {growth}: the highest bound is {} bit/s; legal is at most {most} bit/s",
                    bounds.len(),
                    last.0
                );
                ("layers".to_owned(), message)
            });
        }
        wrong
    }

    fn check_periods(&self) -> Vec<(String, String)> {
        if self.rtts.is_empty() {
            return vec![("rtts".to_owned(), "none given; legal is one or more, such as \"64 ms\"".to_owned())];
        }
        if self.rtts.len() > MAX_SETS {
            return vec![("rtts".to_owned(), format!("{} given; legal are 1 to {MAX_SETS}", self.rtts.len()))];
        }
        let mut wrong = Vec::new();
        for (number, &period) in self.rtts.iter().enumerate() {
            let legal = if !(LEAST_PERIOD..=MOST_PERIOD).contains(&period) {
                format!("{LEAST_PERIOD} to {MOST_PERIOD}")
            } else if number > 0 && period <= self.rtts[number - 1] {
                format!("more than the one before it, {}", self.rtts[number - 1])
            } else {
                continue;
            };
            wrong.push((format!("rtts[{number}]"), format!("{period} given; legal is {legal}")));
        }
        if wrong.is_empty() {
            wrong.extend(self.check_common_part());
        }
        wrong
    }

    /// That the slots of all sets begin together often enough for the numbers of ticks on packets.
    fn check_common_part(&self) -> Option<(String, String)> {
        let up_to = |&number: &usize| {
            let periods = &self.rtts[..=number];
            let tick = tick_of(periods);
            let often = || together(periods.iter().map(|period| period.0 / tick.0)) <= MOST_TICKS.into();
            !(tick >= LEAST_TICK && often())
        };
        let number = (1..self.rtts.len()).find(up_to)?;
        let message = format!(
            "{} given, and all up to it are multiples of {}; legal is {LEAST_TICK} or more, and that they begin \
             together after at most {MOST_TICKS} times that, as powers of two times the first do, or 50, 70, 100 and \
             140 ms",
            self.rtts[number],
            tick_of(&self.rtts[..=number]),
        );
        Some((format!("rtts[{number}]"), message))
    }

    /// That the counting layers are not too many.
    fn check_groups(&self) -> Vec<(String, String)> {
        let sets = self.period_sets();
        if let Some((number, set)) = sets.iter().enumerate().find(|(_, set)| set.layers > MOST_COUNTING_LAYERS) {
            let message = format!(
                "{} needs {} counting layers; legal are {MOST_COUNTING_LAYERS}: shorter periods, larger packets or \
                 lower bounds",
                set.period, set.layers
            );
            return vec![(format!("rtts[{number}]"), message)];
        }
        let layers = self.bounds().len() as u32;
        let counting: u32 = sets.iter().map(|set| set.layers * self.phases).sum();
        if layers + counting <= MAX_GROUPS {
            return Vec::new();
        }
        let message = format!(
            "{} groups: {layers} layers and {counting} counting layers in {} sets, {} of each; legal are \
             {MAX_GROUPS}: fewer rtts, fewer phases or fewer layers",
            layers + counting,
            sets.len(),
            self.phases,
        );
        vec![("rtts".to_owned(), message)]
    }
}

/// What all these periods have a whole number of.
fn tick_of(periods: &[Duration]) -> Duration {
    Duration(periods.iter().fold(0, |part, period| common(part, period.0.into())) as u64)
}

/// What the progression of the bounds begins with if nothing is said; [Kwon] has it in its experiments.
const BASE_RATE: Rate = Rate(1_000_000);
const LAYERS: u32 = 4;
const GROWTH: f64 = 2.0;
/// Far beyond all rates in one step.
const MOST_GROWTH: f64 = 1000.0;
/// The most that all layers carry: what TFMCC's packets can say (RFC 4654 section 2.2.1).
const MOST_RATE: Rate = Rate(400_000_000_000);
/// The periods that there are: those of the round-trip times that TFMCC knows.
const MOST_PERIOD: Duration = Duration::from_secs(63);
/// The most counting layers of a set: 65 535 packets per period.
pub const MOST_COUNTING_LAYERS: u32 = MAX_LAYERS as u32;

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
