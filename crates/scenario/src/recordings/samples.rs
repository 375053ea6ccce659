//! What a link was like, moment by moment, in a few bytes for each.

use super::held;
use super::packed;
use crate::model::bounds::{delays, rates};
use faircast_proto::limits::Range;
use faircast_proto::time::{Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::sync::Arc;

/// What a link was like at a moment; what is not said stays as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// When, from the beginning of the recording.
    pub at: Duration,
    /// Whether it was up.
    pub up: Option<bool>,
    /// Its rate.
    pub rate: Option<Rate>,
    /// The probability of losing a packet.
    pub loss: Option<f64>,
    /// Its delay.
    pub delay: Option<Duration>,
}

/// What a link was like, moment by moment; in a scenario the name of the file.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
#[schemars(with = "String", inline, extend("x-file" = true))]
pub struct Samples {
    lines: usize,
    /// After how long it begins anew, if it does.
    round: Option<Duration>,
    bytes: Arc<[u8]>,
    known: Known,
}

/// Samples in the making.
pub(super) struct Packer {
    lines: usize,
    before: Before,
    bytes: Vec<u8>,
    legal: Legal,
    /// `None` once something was not legal.
    known: Option<Known>,
}

/// What is known of all samples together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    longest_delay: Duration,
    highest_rate: Rate,
    of_routes: bool,
    /// The time of the last one.
    last: Option<Duration>,
}

/// What is legal; made once for all of millions.
struct Legal {
    rates: Range<(), Rate>,
    delays: Range<(), Duration>,
}

/// Samples one by one.
#[derive(Clone)]
pub(crate) struct Unpacked {
    bytes: Arc<[u8]>,
    from: usize,
    before: Before,
    round: Option<Duration>,
    /// When the present round began.
    base: Duration,
}

/// The last of each number, of which the next one is told by the difference.
#[derive(Clone, Copy, Default)]
struct Before {
    at: u64,
    rate: u64,
    delay: u64,
}

// What a sample says, one bit each.
const UP: u8 = 1;
const IS_UP: u8 = 2;
const RATE: u8 = 4;
const LOSS: u8 = 8;
const DELAY: u8 = 16;

/// Probabilities that are so many parts of a million take three bytes, others nine.
const PARTS: f64 = 1e6;

impl Default for Packer {
    fn default() -> Packer {
        let known = Some(Known::default());
        Packer { lines: 0, before: Before::default(), bytes: Vec::new(), legal: Legal::new(), known }
    }
}

impl Packer {
    /// Adds a sample later than the one before.
    pub(super) fn push(&mut self, sample: &Sample) {
        self.known = self.known.and_then(|known| known.with(sample, &self.legal));
        if self.known.is_none() {
            return;
        }
        let (bytes, before) = (&mut self.bytes, &mut self.before);
        let says = [
            (UP, sample.up.is_some()),
            (IS_UP, sample.up == Some(true)),
            (RATE, sample.rate.is_some()),
            (LOSS, sample.loss.is_some()),
            (DELAY, sample.delay.is_some()),
        ];
        bytes.push(says.iter().map(|&(bit, is_said)| if is_said { bit } else { 0 }).sum());
        packed::put(bytes, sample.at.0 - before.at);
        before.at = sample.at.0;
        for (number, before) in
            [(sample.rate.map(|rate| rate.0), &mut before.rate), (sample.delay.map(|delay| delay.0), &mut before.delay)]
        {
            if let Some(number) = number {
                packed::put(bytes, packed::folded(*before, number));
                *before = number;
            }
        }
        if let Some(loss) = sample.loss {
            let parts = libm::round(loss * PARTS);
            match parts / PARTS == loss {
                true => packed::put(bytes, parts as u64 + 1),
                false => {
                    bytes.push(0);
                    bytes.extend(loss.to_le_bytes());
                }
            }
        }
        self.lines += 1;
    }

    /// All that were added, if they are legal.
    pub(super) fn finish(self, round: Option<Duration>) -> Option<Samples> {
        let Packer { lines, bytes, known, .. } = self;
        let known = known.filter(|known| lines > 0 && known.ends_before(round))?;
        let samples = Samples { lines, round, bytes: bytes.into(), known };
        debug_assert_eq!(Samples::new(lines, round, samples.bytes.clone()).as_ref(), Some(&samples));
        Some(samples)
    }
}

impl Legal {
    fn new() -> Legal {
        Legal { rates: rates(), delays: delays() }
    }
}

impl Known {
    /// With one sample more, if it is legal and later than all before.
    fn with(self, sample: &Sample, legal: &Legal) -> Option<Known> {
        let &Sample { at, up, rate, loss, delay } = sample;
        let is_legal = self.last.is_none_or(|last| last < at)
            && rate.is_none_or(|rate| legal.rates.complaint(rate, &()).is_none())
            && delay.is_none_or(|delay| legal.delays.complaint(delay, &()).is_none())
            && loss.is_none_or(|loss| (0.0..=1.0).contains(&loss));
        is_legal.then_some(Known {
            longest_delay: delay.map_or(self.longest_delay, |delay| delay.max(self.longest_delay)),
            highest_rate: rate.map_or(self.highest_rate, |rate| rate.max(self.highest_rate)),
            of_routes: self.of_routes || up.is_some(),
            last: Some(at),
        })
    }

    /// Whether the last of them is before all begins anew.
    fn ends_before(&self, round: Option<Duration>) -> bool {
        round.is_none_or(|round| self.last.is_none_or(|last| last < round))
    }
}

impl Samples {
    /// Those in `bytes`, if they are legal.
    fn new(lines: usize, round: Option<Duration>, bytes: Arc<[u8]>) -> Option<Samples> {
        let all = Samples { lines, round, bytes, known: Known::default() };
        let (legal, mut known) = (Legal::new(), Known::default());
        let mut unpacked = Unpacked { round: None, ..all.unpacked() };
        for _ in 0..lines {
            known = known.with(&unpacked.next()?, &legal)?;
        }
        let is_whole = lines > 0 && unpacked.from == all.bytes.len() && known.ends_before(round);
        is_whole.then_some(Samples { known, ..all })
    }

    /// How many there are.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// The longest delay among them.
    pub fn longest_delay(&self) -> Duration {
        self.known.longest_delay
    }

    /// The highest rate among them; zero if none is said.
    pub fn highest_rate(&self) -> Rate {
        self.known.highest_rate
    }

    /// Whether they say when the link was down.
    pub fn of_routes(&self) -> bool {
        self.known.of_routes
    }

    /// The first delay that they say.
    pub(crate) fn first_delay(&self) -> Option<Duration> {
        Unpacked { round: None, ..self.unpacked() }.find_map(|sample| sample.delay)
    }

    /// One by one; without an end if they begin anew.
    pub(crate) fn unpacked(&self) -> Unpacked {
        let (round, before) = (self.round, Before::default());
        Unpacked { bytes: self.bytes.clone(), from: 0, before, round, base: Duration::ZERO }
    }
}

impl Iterator for Unpacked {
    type Item = Sample;

    fn next(&mut self) -> Option<Sample> {
        if self.from == self.bytes.len() {
            self.base = self.base + self.round?;
            (self.from, self.before) = (0, Before::default());
        }
        let (bytes, from, before) = (&self.bytes[..], &mut self.from, &mut self.before);
        let says = *bytes.get(*from)?;
        *from += 1;
        before.at = before.at.checked_add(packed::take(bytes, from)?)?;
        let mut sample = Sample { at: self.base + Duration(before.at), ..Sample::default() };
        sample.up = (says & UP != 0).then_some(says & IS_UP != 0);
        if says & RATE != 0 {
            before.rate = packed::unfolded(before.rate, packed::take(bytes, from)?);
            sample.rate = Some(Rate(before.rate));
        }
        if says & DELAY != 0 {
            before.delay = packed::unfolded(before.delay, packed::take(bytes, from)?);
            sample.delay = Some(Duration(before.delay));
        }
        if says & LOSS != 0 {
            sample.loss = Some(match packed::take(bytes, from)? {
                0 => {
                    let eight = bytes.get(*from..*from + 8)?;
                    *from += 8;
                    f64::from_le_bytes(eight.try_into().ok()?)
                }
                parts => (parts - 1) as f64 / PARTS,
            });
        }
        Some(sample)
    }
}

impl Serialize for Samples {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&packed::text(self.lines, self.round.map_or(0, |round| round.0), &self.bytes))
    }
}

impl<'de> Deserialize<'de> for Samples {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Samples, D::Error> {
        let text = String::deserialize(deserializer)?;
        if let Some(held) = held::find(&text) {
            return Ok(held);
        }
        let (lines, round, bytes) = packed::content(&text).map_err(de::Error::custom)?;
        let samples = Samples::new(lines, (round > 0).then_some(Duration(round)), bytes.into());
        samples.ok_or_else(|| de::Error::custom("the content of this recording is damaged: name its file again"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn packed(samples: &[Sample], round: Option<Duration>) -> Option<Samples> {
        let mut packer = Packer::default();
        samples.iter().for_each(|sample| packer.push(sample));
        packer.finish(round)
    }

    fn some() -> [Sample; 4] {
        let ms = Duration::from_millis;
        let at = |at| Sample { at: ms(at), ..Sample::default() };
        [
            Sample { rate: Some(Rate(20_000_000)), delay: Some(ms(30)), loss: Some(0.015), up: Some(true), ..at(0) },
            Sample { delay: Some(ms(20)), loss: Some(1.0 / 3.0), ..at(10) },
            Sample { up: Some(false), ..at(25) },
            Sample { rate: Some(Rate(9_000_000)), loss: Some(1.0), ..at(30) },
        ]
    }

    #[test]
    fn samples_come_back_bit_by_bit() {
        let samples = packed(&some(), None).expect("legal samples");
        assert_eq!(samples.unpacked().collect::<Vec<_>>(), some());
        assert_eq!((samples.lines(), samples.of_routes()), (4, true));
        assert_eq!((samples.longest_delay(), samples.highest_rate()), (Duration::from_millis(30), Rate(20_000_000)));
        let read: Samples = serde_json::from_value(json!(samples)).expect("it can be read back");
        assert_eq!(read, samples);
        assert_eq!(read.first_delay(), Some(Duration::from_millis(30)));
    }

    #[test]
    fn a_round_begins_anew_with_what_it_began_with() {
        let round = Duration::from_millis(40);
        let samples = packed(&some(), Some(round)).expect("legal samples");
        let read: Samples = serde_json::from_value(json!(samples)).expect("it can be read back");
        let two: Vec<Sample> = read.unpacked().take(8).collect();
        assert_eq!(two[..4], some());
        assert_eq!(two[4..], some().map(|sample| Sample { at: sample.at + round, ..sample }));
        assert_eq!(packed(&some(), Some(Duration::from_millis(30))), None, "the last is not before the end");
    }

    #[test]
    fn a_line_takes_at_most_sixteen_bytes() {
        // Every 10 ms another rate, delay and loss, each as different as measured ones are.
        let line = |line: u64| Sample {
            at: Duration(line * 10_000_000 + line % 7 * 1000),
            rate: Some(Rate(10_000_000 + line * 7_654_321 % 90_000_000)),
            delay: Some(Duration(20_000_000 + line * 3_456_789 % 60_000_000)),
            loss: Some((line * 777 % 1_000_000) as f64 / 1e6),
            up: None,
        };
        let samples = packed(&Vec::from_iter((0..10_000).map(line)), None).expect("legal samples");
        assert!(samples.bytes() <= 16 * 10_000, "{} bytes", samples.bytes());
        assert_eq!(samples.unpacked().last(), Some(line(9999)));
    }

    #[test]
    fn every_part_of_a_million_comes_back_as_it_was() {
        // Their quotients, and not their products with 1e-6: what is lost must not depend on how it was read.
        let line = |parts: u64| Sample { at: Duration(parts), loss: Some(parts as f64 / 1e6), ..Sample::default() };
        let samples = packed(&Vec::from_iter((0..=1_000_000).step_by(5).map(line)), None).expect("legal samples");
        assert!(samples.unpacked().eq((0..=1_000_000).step_by(5).map(line)));
        assert!(samples.bytes() < 6 * 200_001, "{} bytes", samples.bytes());
    }

    #[test]
    fn what_is_illegal_is_no_recording() {
        let ms = Duration::from_millis;
        for wrong in [
            Sample { at: ms(5), rate: Some(Rate(9)), ..Sample::default() },
            Sample { at: ms(5), delay: Some(Duration::from_secs(3601)), ..Sample::default() },
            Sample { at: ms(5), loss: Some(1.5), ..Sample::default() },
            Sample { at: ms(5), loss: Some(f64::NAN), ..Sample::default() },
        ] {
            assert_eq!(packed(&[Sample::default(), wrong], None), None, "{wrong:?}");
        }
        assert_eq!(packed(&[Sample::default(), Sample::default()], None), None, "twice the same moment");
        let early = [ms(5), ms(4)].map(|at| Sample { at, ..Sample::default() });
        assert_eq!(packed(&early, None), None, "time runs back");
        assert_eq!(packed(&[], None), None);
        assert!(serde_json::from_value::<Samples>(json!(packed::text(0, 0, &[]))).is_err(), "of no line");
        let read = |bytes: &[u8]| serde_json::from_value::<Samples>(json!(packed::text(1, 0, bytes)));
        assert!(
            read(&[0, 5]).is_ok()
                && read(&[0, 5, 0]).is_err()
                && read(&[4, 5]).is_err()
                && read(&[8, 5, 0, 1]).is_err()
        );
    }
}
