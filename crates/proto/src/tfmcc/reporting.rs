//! When a receiver reports (RFC 4654 section 4.5): once per round-trip time as the one that limits, by a random timer
//! in each feedback round otherwise.

use super::config::Config;
use super::config::{MaxRttRule, TimerBias};
use super::header::DataHeader;
use super::measurement::Measurement;
use super::rounds::RoundLength;
use super::start::ROUND_RTTS;
use super::suppression::{FeedbackTimer, delay_rounds, draw};
use crate::random::Random;
use crate::time::{Duration, Instant};

/// Whether and when a receiver reports.
#[derive(Debug)]
#[repr(C)]
pub struct Reporting {
    role: Role,
    round_rtts: f64,
    max_receivers: u32,
    max_rtt_rule: MaxRttRule,
    timer_bias: TimerBias,
    /// The highest feedback round seen (fb_nr).
    round: u8,
    /// A packet has come since the last report.
    fresh: bool,
}

/// What the number of a packet says of the feedback round in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is the first that counts: its round is new, whatever it is.
    First,
    /// No number was higher: no round is newer than its own, however many have gone by in a silence.
    Newest,
    /// There was a higher number: it was overtaken or has been here before, and its round is an old one; or that number
    /// was a stray one, and it is not.
    Overtaken,
}

impl Place {
    /// The place of a packet: the `first`, or one with the highest number yet (`newest`), or neither.
    pub fn of(first: bool, newest: bool) -> Place {
        match (first, newest) {
            (true, _) => Place::First,
            (false, true) => Place::Newest,
            (false, false) => Place::Overtaken,
        }
    }
}

/// By what others silence a receiver.
#[derive(Clone, Copy, Debug)]
pub struct Silencing {
    /// Up to which round-trip time of its own, in R_max. By RFC 4654 section 4.5 it is 1, so that the sender learns of
    /// longer ones.
    pub rtts: f64,
    /// Whether the desired rate at a change of R_max counts as that at the beginning of the round, too, if it is more:
    /// without a measurement it goes with R_max.
    pub renews: bool,
}

impl Silencing {
    /// As in RFC 4654.
    pub const RFC: Silencing = Silencing { rtts: 1.0, renews: false };
}

/// What the receiver is, as far as it knows.
#[derive(Clone, Copy, Debug)]
enum Role {
    /// The current limiting receiver.
    Limiting {
        /// When it reports next, if a packet comes before.
        report_at: Instant,
    },
    /// Another one.
    Other {
        /// That of the present round, if it is to report in it.
        timer: FeedbackTimer,
        /// The first measurement of the round-trip time came in this round, and no report since.
        owes_first_rtt: bool,
        /// X_supp when the timer was set earlier in this round, as the receiver suffers in a start, bit/s; NaN if it
        /// was not.
        hastened_bps: f32,
        /// The timer ran before that, so that this round is owed a report without it.
        ran_before: bool,
    },
}

impl Role {
    const SILENT: Role =
        Role::Other { timer: FeedbackTimer::OFF, owes_first_rtt: false, hastened_bps: f32::NAN, ran_before: false };
}

impl Reporting {
    /// A receiver that has nothing to report yet. `config` must have passed [`Config::check`].
    pub fn new(config: &Config) -> Reporting {
        Reporting {
            role: Role::SILENT,
            round_rtts: config.round_rtts,
            max_receivers: config.max_receivers,
            max_rtt_rule: config.max_rtt,
            timer_bias: config.timer_bias,
            round: 0,
            fresh: false,
        }
    }

    /// Whether this is the current limiting receiver, as far as it knows.
    pub fn is_limiting(&self) -> bool {
        matches!(self.role, Role::Limiting { .. })
    }

    /// Whether packets of this round that neither name it nor suppress anybody say nothing to it.
    pub fn is_steady(&self) -> bool {
        self.fresh && matches!(self.role, Role::Other { owes_first_rtt: false, .. })
    }

    /// Whether its feedback timer is set.
    pub fn is_timed(&self) -> bool {
        matches!(self.role, Role::Other { timer, .. } if timer.is_set())
    }

    /// The highest feedback round seen (fb_nr).
    pub fn round(&self) -> u8 {
        self.round
    }

    /// A feedback round at this R_max, seconds.
    pub fn round_s(&self, max_rtt_s: f64) -> f64 {
        self.length().seconds(max_rtt_s)
    }

    /// What of a feedback round a timer that is drawn from `random` waits.
    pub fn part_of_round(&self, random: &mut Random) -> f64 {
        delay_rounds(draw(random), self.max_receivers, TimerBias::None, f64::NAN)
    }

    /// A packet has come that echoes the receiver's own stamp or that of another, which is the limiting one or not.
    /// True if this one has become limiting with it.
    #[inline]
    pub fn named(&mut self, is_own: bool, is_clr: bool) -> bool {
        if !is_own && !is_clr {
            return false;
        }
        match (is_own && is_clr, self.is_limiting()) {
            (true, false) => {
                self.role = Role::Limiting { report_at: Instant::ZERO };
                true
            }
            (false, true) => {
                self.role = Role::SILENT;
                false
            }
            _ => false,
        }
    }

    /// New rounds, and what a packet says that suppresses reports: the last one that `measurement` has taken, as of
    /// whose arrival its rates are. Timers run from now on. `may_report`: a timer may be set, drawn from `random`.
    #[inline]
    pub fn hear(
        &mut self,
        now: Instant,
        data: &DataHeader,
        (place, may_report): (Place, bool),
        measurement: &Measurement,
        random: &mut Random,
    ) {
        self.hear_among(now, data, (place, may_report), Silencing::RFC, measurement, random);
    }

    /// Takes in what the sender says, where others silence the receiver by this.
    #[inline]
    pub fn hear_among(
        &mut self,
        now: Instant,
        data: &DataHeader,
        (place, may_report): (Place, bool),
        silencing: Silencing,
        measurement: &Measurement,
        random: &mut Random,
    ) {
        self.fresh = true;
        let length = self.length_in(data.starting);
        // By the packets' own numbers, as those of rounds are 8 bits, whose halves a silence can outlast. Where these
        // say nothing, what is less than half the number space ahead is new.
        let is_new = match place {
            Place::First => true,
            Place::Newest => data.round != self.round,
            Place::Overtaken => (1..128).contains(&data.round.wrapping_sub(self.round)),
        };
        if is_new {
            self.round = data.round;
        }
        let Role::Other { timer, owes_first_rtt, hastened_bps, ran_before } = &mut self.role else { return };
        let max_rtt_s = measurement.max_rtt_s();
        if !hastened_bps.is_nan() && !data.starting {
            // The start is over, since somebody has spoken. A timer of the round goes on: whether it was for a rate as
            // low as this one wants only X_supp says, and the next round may be far.
            if !*ran_before {
                *timer = FeedbackTimer::OFF;
            }
            *hastened_bps = f32::NAN;
        }
        if timer.rescale(now, max_rtt_s, length) && silencing.renews {
            timer.renew(measurement.desired_bps(measurement.last_at()));
        }
        if is_new {
            (*owes_first_rtt, *hastened_bps) = (false, f32::NAN);
            // A round is shorter here than at the sender while a queue drains: the timer might never expire.
            let keeps = length.hurries_first_rtt() && measurement.measured_rtt_s().is_none();
            if !keeps {
                *timer = FeedbackTimer::OFF;
            }
            if may_report && !timer.is_set() {
                let draw = draw(random);
                let desired_bps = measurement.desired_bps(measurement.last_at());
                let relative_rate = desired_bps / measurement.sending_bps();
                let rounds = delay_rounds(draw, self.max_receivers, self.timer_bias, relative_rate);
                let delay_s = rounds * length.seconds(max_rtt_s);
                *timer = FeedbackTimer::set(now, delay_s, draw, desired_bps, max_rtt_s);
            }
        }
        // A packet of an older round does not speak for this one.
        let suppression_bps = f64::from(data.suppression_bps);
        // Nor does one for those that suffer that was there before they did.
        let counts = hastened_bps.is_nan() || data.suppression_bps < *hastened_bps;
        if data.round == self.round && suppression_bps.is_finite() && timer.is_set() && counts {
            let rate_bps = measurement.desired_bps(measurement.last_at());
            if timer.is_suppressed(suppression_bps, rate_bps, silencing.rtts * max_rtt_s, measurement.rtt_s()) {
                *timer = FeedbackTimer::OFF;
            }
        }
    }

    /// The feedback timer, if it is set, expires at this moment at the latest.
    pub fn hasten(&mut self, at: Instant) {
        if let Role::Other { timer, .. } = &mut self.role
            && timer.is_set()
        {
            timer.hasten(at);
        }
    }

    /// Whether the packet that has just come is to be answered, `at_once` if there is a reason beside the time: the one
    /// that limits reports when it becomes so, when a loss event begins, and once per round-trip time. Others do if
    /// they have measured their round-trip time in this round for the first time, since what they said before was
    /// computed with R_max, and if they are `hurt` (that it answers an echo, of which there is one per packet, makes a
    /// timer needless).
    #[inline]
    pub fn answers(&mut self, now: Instant, at_once: bool, first_rtt: bool, hurt: impl FnOnce() -> bool) -> bool {
        let hurries = self.length().hurries_first_rtt();
        match &mut self.role {
            Role::Limiting { report_at } => at_once || now >= *report_at,
            Role::Other { owes_first_rtt, .. } => {
                *owes_first_rtt |= first_rtt && hurries;
                *owes_first_rtt && hurt()
            }
        }
    }

    /// The receiver, which does not limit, suffers in a start, as the packet that has just come shows: whether it says
    /// so at once. If there are many it draws a timer for that, of the length of a feedback round; so does one that was
    /// not there when all were asked.
    pub fn complains(
        &mut self,
        now: Instant,
        data: &DataHeader,
        measurement: &Measurement,
        random: &mut Random,
    ) -> bool {
        if !data.starting {
            return false;
        }
        let (length, max_receivers) = (self.length_in(true), self.max_receivers);
        let Role::Other { timer, hastened_bps, ran_before, .. } = &mut self.role else { return false };
        if data.at_once && measurement.was_asked() {
            return true;
        }
        if hastened_bps.is_nan() {
            let max_rtt_s = measurement.max_rtt_s();
            let part = delay_rounds(draw(random), max_receivers, TimerBias::None, f64::NAN);
            *ran_before = timer.is_set();
            timer.set_earlier(now, part * length.seconds(max_rtt_s), measurement.desired_bps(now), max_rtt_s);
            *hastened_bps = data.suppression_bps;
        }
        false
    }

    /// Whether a report is due by now, the last packet having come at `last_at`: the uniform number that its timer was
    /// drawn from, NaN if none was.
    pub fn due(&mut self, now: Instant, last_at: Instant) -> Option<f64> {
        match &mut self.role {
            Role::Limiting { report_at } => (self.fresh && *report_at <= now).then_some(f64::NAN),
            Role::Other { timer, .. } => {
                if timer.at() > now || timer.postpone(now, last_at) {
                    return None;
                }
                let draw = timer.draw();
                *timer = FeedbackTimer::OFF;
                Some(draw)
            }
        }
    }

    /// A report goes out; the round-trip time is `rtt_s` seconds.
    pub fn reported(&mut self, now: Instant, rtt_s: f64) {
        self.fresh = false;
        match &mut self.role {
            Role::Limiting { report_at } => *report_at = now + Duration::from_secs_f64(rtt_s),
            Role::Other { owes_first_rtt, .. } => *owes_first_rtt = false,
        }
    }

    /// The feedback rounds are those of another control, of which the present one is this; reports of it are of that.
    pub fn follow(&mut self, round: u8) {
        self.round = round;
    }

    /// No reports from now on.
    pub fn quit(&mut self) {
        self.role = Role::SILENT;
    }

    /// When to ask what is [`due`](Self::due); [`Instant::FAR_FUTURE`] = not at all.
    pub fn deadline(&self) -> Instant {
        match self.role {
            // A report without a new packet would say nothing: it goes with the next packet then.
            Role::Limiting { report_at } if self.fresh => report_at,
            Role::Limiting { .. } => Instant::FAR_FUTURE,
            Role::Other { timer, .. } => timer.at(),
        }
    }

    fn length(&self) -> RoundLength {
        self.length_in(false)
    }

    /// The length of a round, in a start or not.
    fn length_in(&self, starting: bool) -> RoundLength {
        let rtts = if starting { self.round_rtts.min(ROUND_RTTS) } else { self.round_rtts };
        RoundLength::of(rtts, self.max_rtt_rule)
    }
}

#[cfg(test)]
mod tests {
    use super::super::measurement::SequenceSpace;
    use super::super::measurement::tests::data;
    use super::super::receiver_tests::at;
    use super::*;
    use crate::parts::loss_history::Space;

    /// A receiver that has got one packet at 1 s, in round 0, with R_max = 500 ms.
    fn measured() -> Measurement {
        let mut measurement = Measurement::new(&Config::default());
        let (packet, data) = data(0, 1.0);
        measurement.take(&mut SequenceSpace::default(), at(1.0), &packet, &data, 1.0).expect("the first is believed");
        measurement
    }

    #[test]
    fn the_limiting_one_reports_once_per_round_trip_and_only_of_news() {
        let (mut reporting, measurement) = (Reporting::new(&Config::default()), measured());
        let mut random = Random::stream(1, "test/reporting");
        let (_, data) = data(1, 1.0);
        let mut packet = |reporting: &mut Reporting, now_s: f64, at_once: bool| {
            reporting.hear(at(now_s), &data, (Place::Newest, true), &measurement, &mut random);
            let answers = reporting.answers(at(now_s), at_once, false, || panic!("it is not asked"));
            if answers {
                reporting.reported(at(now_s), 0.2);
            }
            answers
        };
        assert!(!reporting.named(false, false) && !reporting.named(true, false) && !reporting.is_limiting());
        assert!(reporting.named(true, true) && !reporting.named(true, true), "it becomes so once");
        assert!(packet(&mut reporting, 1.0, true));
        assert_eq!(reporting.deadline(), Instant::FAR_FUTURE, "there is nothing new");
        assert!(!packet(&mut reporting, 1.1, false));
        assert_eq!((reporting.deadline(), reporting.due(at(1.199), at(1.1))), (at(1.2), None));
        assert!(reporting.due(at(1.2), at(1.1)).is_some_and(f64::is_nan), "no timer was drawn");
        reporting.reported(at(1.2), 0.2);
        assert_eq!(reporting.due(at(5.0), at(1.1)), None);
        assert!(packet(&mut reporting, 5.0, false), "the time has come long ago");
        assert!(packet(&mut reporting, 5.01, true), "a loss event");
        // Another limits.
        assert!(!reporting.named(false, true) && !reporting.is_limiting());
        assert_eq!((reporting.deadline(), reporting.due(at(9.0), at(5.0))), (Instant::FAR_FUTURE, None));
    }

    #[test]
    fn others_draw_a_timer_in_each_round_and_hurry_if_they_owe_a_first_round_trip() {
        let config = Config { max_rtt: MaxRttRule::Recent, ..Config::default() };
        let (mut reporting, measurement) = (Reporting::new(&config), measured());
        let mut random = Random::stream(1, "test/reporting");
        let (_, data) = data(1, 1.0);
        // A round of 6·0.5 s.
        assert_eq!(reporting.round_s(0.5), 3.0);
        reporting.hear(at(1.0), &data, (Place::First, false), &measurement, &mut random);
        assert_eq!(reporting.deadline(), Instant::FAR_FUTURE, "it may not");
        let (mut times, mut random) = (Vec::new(), Random::stream(2, "test/reporting"));
        for round in 1..=100 {
            let data = DataHeader { round, ..data };
            reporting.hear(at(1.0), &data, (Place::Newest, true), &measurement, &mut random);
            assert_eq!(reporting.round(), round);
            let due = reporting.deadline();
            assert!((at(1.0)..=at(4.0)).contains(&due), "{due}");
            let draw = reporting.due(due, due).expect("it is due");
            let expected_s = 1.0 + 3.0 * (1.0 + libm::log(draw) / libm::log(10_000.0)).max(0.0);
            assert!((due.as_secs_f64() - expected_s).abs() < 1e-6);
            times.push(due);
        }
        times.dedup();
        assert!(times.len() > 90);
        assert!(!reporting.answers(at(1.0), false, false, || true), "it owes nothing");
        assert!(!reporting.answers(at(1.0), false, true, || false), "it is not hurt");
        assert!(reporting.answers(at(1.5), false, false, || true), "later in the round");
        reporting.reported(at(1.5), 0.1);
        assert!(!reporting.answers(at(1.5), false, false, || true), "once");
        reporting.quit();
        assert_eq!(reporting.deadline(), Instant::FAR_FUTURE);
    }

    #[test]
    fn after_a_silence_of_any_length_the_newest_packet_says_the_round() {
        let measurement = measured();
        let mut random = Random::stream(1, "test/reporting");
        for gone in [1, 127, 128, 200, 255] {
            let mut reporting = Reporting::new(&Config::default());
            let (_, data) = data(1, 1.0);
            let mut hear = |round: u8, place: Place| {
                reporting.hear(at(1.0), &DataHeader { round, ..data }, (place, true), &measurement, &mut random);
                (reporting.round(), core::mem::replace(&mut reporting.role, Role::SILENT))
            };
            let timed = |role: Role| matches!(role, Role::Other { timer, .. } if timer.is_set());
            assert_eq!(hear(7, Place::First).0, 7);
            let round = 7_u8.wrapping_add(gone);
            let (heard, role) = hear(round, Place::Newest);
            assert!(heard == round && timed(role), "{gone}");
            // What was overtaken neither goes back nor draws another timer; nor does more of the same round.
            let before = round.wrapping_sub(1);
            for (round, place) in [(before, Place::Overtaken), (round, Place::Newest), (round, Place::Overtaken)] {
                let (after, role) = hear(round, place);
                assert!(after == heard && !timed(role), "{gone} {place:?}");
            }
        }
    }

    #[test]
    fn among_many_a_longer_round_trip_and_a_longer_max_rtt_keep_nobody_from_being_silenced() {
        // 160 kbit/s come; a round-trip time of 0.5 s and R_max = 0.3 s.
        let mut measurement = measured();
        let (packet, data) = data(1, 1.1);
        let mut space = SequenceSpace::default();
        for n in 0..40 {
            let data = DataHeader { sequence: n, ..data };
            let taken =
                measurement.take(&mut space, at(1.1 + 0.05 * f64::from(n)), &packet, &data, 1.0).expect("it is");
            measurement.measure_rtt(
                at(1.1 + 0.05 * f64::from(n)),
                Some((600_000.0 + 50_000.0 * f64::from(n)) as u32),
                false,
            );
            measurement.record(Space(0), &mut space, at(1.1 + 0.05 * f64::from(n)), taken.sequence, packet.ecn, None);
        }
        let mut set = |silencing: Silencing, max_rtt_us: u32| {
            let (mut reporting, mut random) = (Reporting::new(&Config::default()), Random::stream(1, "test/reporting"));
            let header = DataHeader { max_rtt_us, round: 1, ..data };
            let taken = measurement.take(&mut space, at(3.06), &packet, &DataHeader { sequence: 40, ..header }, 1.0);
            assert!(taken.is_some());
            reporting.hear_among(at(3.06), &header, (Place::First, true), silencing, &measurement, &mut random);
            assert!(reporting.is_timed());
            let told = DataHeader { suppression_bps: 10_000.0, ..header };
            reporting.hear_among(at(3.07), &told, (Place::Newest, true), silencing, &measurement, &mut random);
            reporting.is_timed()
        };
        let far = Silencing { rtts: 2.0, renews: false };
        assert!(!set(Silencing::RFC, 600_000) && set(Silencing::RFC, 300_000));
        assert!(!set(far, 300_000) && set(far, 240_000));
    }

    #[test]
    fn where_max_rtt_has_fallen_the_higher_rate_counts() {
        // Without a measurement the rate by the equation goes with R_max: it is low by the first one.
        let config = Config::default();
        for renews in [false, true] {
            let silencing = Silencing { rtts: 1.0, renews };
            let (mut reporting, mut random) = (Reporting::new(&config), Random::stream(1, "test/reporting"));
            let (mut measurement, mut space) = (Measurement::new(&config), SequenceSpace::default());
            let mut hear = |n: u32, max_rtt_us: u32, suppression_bps: f32| {
                let now_s = 1.0 + 0.05 * f64::from(n);
                let (packet, data) = data(n, now_s);
                let data = DataHeader { max_rtt_us, suppression_bps, ..data };
                let taken = measurement.take(&mut space, at(now_s), &packet, &data, 1.0).expect("it is");
                measurement.record(Space(0), &mut space, at(now_s), taken.sequence, packet.ecn, None);
                let first = n == 60;
                reporting.hear_among(
                    at(now_s),
                    &data,
                    (Place::of(first, true), true),
                    silencing,
                    &measurement,
                    &mut random,
                );
                (measurement.desired_bps(at(now_s)), reporting.is_timed())
            };
            // One in twenty is lost.
            (0..60).filter(|n| n % 20 != 7).for_each(|n| _ = hear(n, 1_000_000, f32::INFINITY));
            let (slow_bps, _) = hear(60, 1_000_000, f32::INFINITY);
            let (fast_bps, _) = hear(61, 100_000, f32::INFINITY);
            assert!(fast_bps > 5.0 * slow_bps, "{slow_bps} {fast_bps}");
            // R_max rises again: X falls below X_supp, which was below it.
            let (now_bps, timed) = hear(62, 200_000, 0.8 * fast_bps as f32);
            assert!(now_bps < 0.8 * fast_bps);
            assert_eq!(timed, !renews);
        }
    }
}
