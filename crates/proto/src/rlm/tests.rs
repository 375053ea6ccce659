use super::*;
use crate::endpoint::{Action, Endpoint, Input, Outbox};
use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use crate::random::Random;
use crate::scheme::{Scheme, Seat};
use crate::source::layered;
use crate::time::{Duration, Instant, Rate};

const GROUP: Address = Address::group(10);
const OWN: Address = Address::endpoint(3);

/// A receiver of six layers with the numbers that come next in each.
struct Bench {
    receiver: Receiver,
    now: Instant,
    next: [u32; 6],
    announced: Vec<u8>,
    /// The layers of which experiments have been heard.
    heard: Vec<Option<u8>>,
    states: Vec<f64>,
    /// The congestion bits of what comes.
    ecn: Ecn,
}

impl Bench {
    fn new(config: &Config) -> Bench {
        let random = Random::stream(1, "test/rlm");
        let seat = Seat { flow: FlowId(0), own: OWN, group: GROUP, members: 2, line_rate: None, random };
        let mut bench = Bench {
            receiver: config.receiver(seat),
            now: Instant::ZERO,
            next: [7, 8, 9, u32::MAX - 2, 11, 12],
            announced: Vec::new(),
            heard: Vec::new(),
            states: Vec::new(),
            ecn: Ecn::NotCapable,
        };
        bench.hand(Input::Start);
        bench
    }

    fn hand(&mut self, input: Input<'_>) {
        let mut out = Outbox::default();
        self.receiver.handle(self.now, input, &mut out);
        for action in out.actions() {
            match action {
                Action::Send(packet) => match packet.header {
                    Header::LayeredCbr(layered::Header::Level { level, sequence }) => {
                        assert_eq!((sequence as usize, packet.size), (self.announced.len(), 47));
                        assert_eq!(packet.source, OWN);
                        self.announced.push(level);
                    }
                    other => panic!("{other:?}"),
                },
                Action::Event(event) if event.is(STATE) => self.states.push(event.after),
                Action::Event(event) if event.is(JOIN_HEARD) => self.heard.push(event.layer),
                _ => {}
            }
        }
    }

    fn come(&mut self, header: layered::Header, source: Address) {
        let packet = Packet {
            sent: self.now,
            flow: FlowId(0),
            source,
            destination: GROUP,
            size: 1000,
            ttl: INITIAL_TTL,
            ecn: self.ecn,
            header: header.into(),
        };
        self.hand(Input::packet(&packet, None, self.now));
    }

    /// Packets of a layer of which so many are lost before each.
    fn data(&mut self, layer: u8, pkts: u32, lost: u32) {
        for _ in 0..pkts {
            let next = &mut self.next[usize::from(layer)];
            *next = next.wrapping_add(lost);
            let sequence = *next;
            *next = next.wrapping_add(1);
            self.come(layered::Header::Data { layer, sequence }, Address::endpoint(0));
        }
    }

    /// Lets time pass, in which a packet of every layer that is held comes each 100 ms.
    fn pass(&mut self, seconds: f64) {
        let end = Instant::from_secs_f64(seconds);
        while self.now < end {
            self.now = (self.now + Duration::from_millis(100)).min(end);
            while self.receiver.deadline().is_some_and(|at| at <= self.now) {
                self.hand(Input::Timeout);
            }
            for layer in 0..self.receiver.level() as u8 {
                self.data(layer, 1, 0);
            }
        }
    }

    /// Goes on until so many layers are held.
    fn climb_to(&mut self, level: usize) {
        while self.receiver.level() < level {
            let next = self.now.as_secs_f64() + 0.1;
            assert!(next < 1000.0, "it climbs");
            self.pass(next);
        }
    }

    fn gauge(&self, name: &str) -> f64 {
        crate::testing::gauge(&self.receiver, name)
    }
}

#[test]
fn without_loss_it_climbs_to_the_top_and_stays() {
    let mut bench = Bench::new(&Config::default());
    assert_eq!(bench.receiver.level(), 1);
    bench.climb_to(6);
    // An experiment is at least half a join timer, 2.5 s, and at most 4.5 of them after the one before. It waits for
    // the ones before it to be over: 5 s and twice 2 s.
    assert!((45.0..150.0).contains(&bench.now.as_secs_f64()), "{:?}", bench.now);
    assert_eq!(bench.announced, [2, 3, 4, 5, 6]);
    bench.pass(500.0);
    assert_eq!((bench.receiver.level(), bench.gauge("join_timer_s").is_nan()), (6, true));
    bench.hand(Input::Stop);
    assert_eq!((bench.receiver.level(), bench.receiver.deadline()), (0, None));
}

#[test]
fn a_loss_soon_after_an_experiment_makes_it_fail() {
    let mut bench = Bench::new(&Config::default());
    bench.climb_to(3);
    let begun = bench.now.as_secs_f64();
    bench.pass(begun + 2.0);
    bench.data(0, 1, 1);
    // The join timer of level 3 doubles, and with it those above: the next one is its own.
    assert_eq!((bench.receiver.level(), bench.gauge("join_timer_s"), bench.states.clone()), (2, 10.0, vec![3.0]));
    // 0.75 * 5 s + 0.25 * D0, which was 2 s and up to a step more.
    let detection = bench.gauge("detection_s");
    assert!((4.24..=4.28).contains(&detection), "{detection}");
    // In D losses mean nothing; it lasts for the detection time and 1.5 deviations of 0.75 * 2 + 0.25 * 3 s.
    bench.data(0, 1, 5);
    assert_eq!(bench.receiver.level(), 2);
    bench.pass(begun + 2.0 + 4.25 + 1.5 * 2.25 - 0.1);
    assert_eq!(bench.states, [3.0]);
    bench.pass(begun + 2.0 + 4.3 + 1.5 * 2.25 + 0.1);
    assert_eq!(bench.states, [3.0, 0.0]);
    // A while later the join timer relaxes, of the level that is held; the failed one stays.
    bench.pass(begun + 30.0);
    assert!(bench.gauge("join_timer_s") >= 10.0);
}

#[test]
fn a_quarter_of_ten_packets_lost_in_measurement_costs_a_layer() {
    // Lost of ten or more received since the state began.
    for (received, lost, level) in [(9, 9, 2), (10, 3, 2), (12, 4, 2), (10, 4, 1)] {
        let mut bench = Bench::new(&Config::default());
        bench.climb_to(2);
        let settled = bench.now.as_secs_f64() + 9.1;
        // Long after the experiment and before the next one: hysteresis, for 5 s + 1.5 * 2 s, then measurement.
        while bench.receiver.level() == 2 && bench.now.as_secs_f64() < settled {
            bench.pass(bench.now.as_secs_f64() + 0.1);
        }
        if bench.receiver.level() != 2 {
            continue;
        }
        bench.states.clear();
        bench.data(0, 1, 1);
        assert_eq!(bench.states, [1.0]);
        let mut still = bench.now;
        while bench.states.len() == 1 {
            still = bench.receiver.deadline().expect("it waits").max(still);
            bench.now = still;
            bench.hand(Input::Timeout);
        }
        assert_eq!(bench.states, [1.0, 2.0]);
        // All but one without a gap, then all the loss at once.
        bench.data(0, received - 1, 0);
        bench.data(0, 1, lost);
        assert_eq!(bench.receiver.level(), level, "{received} received, {lost} lost");
    }
}

#[test]
fn who_has_left_all_layers_comes_back_unless_it_is_ns2() {
    use Profile::{Mended, Ns2};
    for (profile, own, back) in
        [(Mended, None, true), (Ns2, None, false), (Mended, Some(false), false), (Ns2, Some(true), true)]
    {
        let mut bench = Bench::new(&Config { profile, rejoin_from_zero: own, ..Config::default() });
        bench.data(0, 1, 0);
        // The base was added just now: measurement at once.
        bench.data(0, 1, 1);
        assert_eq!(bench.states, [2.0]);
        bench.data(0, 12, 1);
        assert_eq!((bench.receiver.level(), bench.states.clone()), (0, vec![2.0, 3.0]));
        bench.pass(100.0);
        assert_eq!(bench.receiver.level() > 0, back, "{profile:?} {own:?}");
    }
}

#[test]
fn who_has_been_at_the_top_tries_again_unless_it_is_ns2() {
    use Profile::{Mended, Ns2};
    for (profile, own, back) in
        [(Mended, None, true), (Ns2, None, false), (Mended, Some(false), false), (Ns2, Some(true), true)]
    {
        let mut bench = Bench::new(&Config { profile, restart_join_timer: own, ..Config::default() });
        bench.climb_to(6);
        bench.data(0, 1, 1);
        assert_eq!(bench.receiver.level(), 5);
        bench.pass(bench.now.as_secs_f64() + 400.0);
        assert_eq!(bench.receiver.level() == 6, back, "{profile:?} {own:?}");
    }
}

#[test]
fn anothers_experiment_that_fails_counts_as_ones_own() {
    let mut bench = Bench::new(&Config::default());
    bench.climb_to(2);
    bench.pass(bench.now.as_secs_f64() + 0.1);
    let own = bench.now.as_secs_f64();
    bench.come(layered::Header::Level { level: 4, sequence: 0 }, Address::endpoint(9));
    bench.come(layered::Header::Level { level: 9, sequence: 1 }, Address::endpoint(9));
    bench.come(layered::Header::Level { level: 0, sequence: 2 }, Address::endpoint(9));
    bench.data(0, 1, 1);
    // Its own experiment with level 2 is recent as well, but the highest one counts; that of level 3 is untouched.
    assert_eq!((bench.receiver.level(), bench.gauge("join_timer_s")), (2, 5.0));
    bench.climb_to(3);
    assert!(bench.now.as_secs_f64() > own);
    assert_eq!(bench.gauge("join_timer_s"), 10.0, "of level 4");
}

#[test]
fn who_begins_anew_is_steady_and_says_so() {
    let mut bench = Bench::new(&Config::default());
    bench.climb_to(3);
    bench.data(0, 1, 1);
    assert_eq!((bench.receiver.level(), bench.states.clone()), (2, vec![3.0]));
    bench.hand(Input::Stop);
    bench.hand(Input::Start);
    assert_eq!((bench.receiver.level(), bench.states.clone()), (1, vec![3.0, 0.0]));
    // What it has learned it knows still.
    bench.climb_to(2);
    assert_eq!(bench.gauge("join_timer_s"), 10.0);
    bench.hand(Input::Stop);
    bench.hand(Input::Start);
    assert_eq!(bench.states, [3.0, 0.0], "it was steady");
}

#[test]
fn of_ten_packets_one_comes_and_all_layers_go_but_the_base_comes_back() {
    let mut bench = Bench::new(&Config::default());
    bench.climb_to(4);
    let mut least = 4;
    while bench.now < Instant::from_secs_f64(1000.0) {
        bench.now += Duration::from_millis(100);
        while bench.receiver.deadline().is_some_and(|at| at <= bench.now) {
            bench.hand(Input::Timeout);
        }
        for layer in 0..bench.receiver.level() as u8 {
            bench.data(layer, 1, 9);
        }
        least = least.min(bench.receiver.level());
    }
    assert!(least == 0 && bench.receiver.level() <= 2, "{least}, then {}", bench.receiver.level());
}

/// Three layers: at the top no join timer runs.
fn three() -> Config {
    Config { rates: vec![Rate(32_000); 3], ..Config::default() }
}

#[test]
fn an_experiment_is_recent_for_nine_seconds() {
    // TD and two deviations: 5 s + 2 * 2 s, that moment not included.
    for (after, level, state) in [(8.9, 2, 3.0), (9.0, 3, 1.0)] {
        let mut bench = Bench::new(&three());
        bench.climb_to(3);
        bench.pass(bench.now.as_secs_f64() + after);
        bench.data(0, 1, 1);
        assert_eq!((bench.receiver.level(), bench.states.clone()), (level, vec![state]), "{after} s");
    }
}

#[test]
fn states_last_as_long_as_they_should() {
    // H for 5 s + 1.5 * 2 s; M for 5 s + (level/2 + 1.5) * 2 s.
    let mut bench = Bench::new(&three());
    bench.climb_to(3);
    bench.pass(bench.now.as_secs_f64() + 20.0);
    bench.data(0, 1, 1);
    let begun = bench.now.as_secs_f64();
    for (until, states) in [(7.9, &[1.0][..]), (8.1, &[1.0, 2.0]), (18.9, &[1.0, 2.0]), (19.2, &[1.0, 2.0, 0.0])] {
        bench.pass(begun + until);
        assert_eq!(bench.states, states, "{until} s");
    }
    let mut bench = Bench::new(&Config { rates: vec![Rate(32_000)], ..Config::default() });
    bench.data(0, 1, 0);
    bench.data(0, 1, 1);
    for (until, states) in [(8.9, &[2.0][..]), (9.1, &[2.0, 0.0])] {
        bench.pass(until);
        assert_eq!(bench.states, states, "{until} s");
    }
}

#[test]
fn a_while_without_loss_relaxes_the_join_timer_of_what_is_held() {
    let mut bench = Bench::new(&three());
    bench.climb_to(3);
    bench.data(0, 1, 1);
    assert_eq!((bench.receiver.level(), bench.gauge("join_timer_s")), (2, 10.0));
    bench.climb_to(3);
    bench.pass(bench.now.as_secs_f64() + 100.0);
    // Long after: hysteresis, measurement, and a quarter lost.
    bench.data(0, 1, 1);
    bench.pass(bench.now.as_secs_f64() + 10.0);
    bench.data(0, 1, 100);
    assert_eq!((bench.receiver.level(), bench.gauge("join_timer_s")), (2, 5.0));
}

#[test]
fn join_timers_are_half_the_mean_and_a_cut_exponential_time() {
    let times: Vec<f64> = (0..3000).map(draw).collect();
    let (least, most) =
        times.iter().fold((f64::MAX, 0.0_f64), |(least, most), &time| (least.min(time), most.max(time)));
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    assert!((2.5..2.6).contains(&least) && (20.0..=22.5).contains(&most), "{least} to {most} s");
    // Cut at four means it has a mean of 0.925 of them.
    assert!((6.9..7.35).contains(&mean), "{mean} s");
}

/// The first join timer of the receiver with this seed, s.
fn draw(seed: u64) -> f64 {
    let random = Random::stream(seed, "test/rlm");
    let seat = Seat { flow: FlowId(0), own: OWN, group: GROUP, members: 2, line_rate: None, random };
    let mut receiver = Config::default().receiver(seat);
    receiver.handle(Instant::ZERO, Input::Start, &mut Outbox::default());
    receiver.deadline().expect("it waits").as_secs_f64()
}

#[test]
fn a_layer_that_does_not_come_makes_detections_longer() {
    let mut bench = Bench::new(&Config::default());
    while bench.gauge("detection_s") == 5.0 {
        bench.now = bench.receiver.deadline().expect("it waits");
        bench.hand(Input::Timeout);
    }
    let waited = bench.now.as_secs_f64();
    assert!(waited > 5.0 && bench.receiver.level() == 1);
    assert!((bench.gauge("detection_s") - 1.2 * waited).abs() < 1e-6, "{waited}");
}

/// When it holds six layers while another announces level 1 every five seconds, if it does within 600 s; one of three
/// packets is lost at `loss_s`.
fn climb_beside_a_liar(config: &Config, loss_s: Option<f64>) -> (usize, f64) {
    let mut bench = Bench::new(config);
    bench.climb_to(2);
    let begun = bench.now.as_secs_f64();
    let mut loss_s = loss_s;
    for number in 0..120 {
        bench.come(layered::Header::Level { level: 1, sequence: number }, Address::endpoint(9));
        if loss_s.take_if(|at| *at <= 5.0 * f64::from(number)).is_some() {
            bench.data(0, 1, 1);
        }
        bench.pass(bench.now.as_secs_f64() + 5.0);
        if bench.receiver.level() == 6 {
            break;
        }
    }
    (bench.receiver.level(), bench.now.as_secs_f64() - begun)
}

#[test]
fn who_announces_without_end_holds_who_loses_nothing_for_a_minute() {
    let (level, after) = climb_beside_a_liar(&Config::default(), None);
    assert!(level == 6 && (60.0..200.0).contains(&after), "level {level} after {after} s");
    // A loss begins the minute anew.
    let (level, later) = climb_beside_a_liar(&Config::default(), Some(50.0));
    assert!(level == 6 && (50.0..80.0).contains(&(later - after)), "level {level} after {later} s, not {after} s");
    let max_hold = Some(Duration::from_secs(20));
    let (level, sooner) = climb_beside_a_liar(&Config { max_hold, ..Config::default() }, None);
    assert!(level == 6 && (25.0..60.0).contains(&(after - sooner)), "level {level} after {sooner} s");
    let ns2 = Config { profile: Profile::Ns2, ..Config::default() };
    assert_eq!(climb_beside_a_liar(&ns2, None).0, 2, "as in ns-2 it stays");
    // An experiment of another now and then is waited for, however long it goes on.
    let mut bench = Bench::new(&Config { max_hold: Some(Duration::from_secs(10_000)), ..Config::default() });
    bench.climb_to(2);
    bench.come(layered::Header::Level { level: 2, sequence: 0 }, Address::endpoint(9));
    let heard = bench.now.as_secs_f64();
    bench.climb_to(3);
    assert!(bench.now.as_secs_f64() >= heard + 9.0);
}

#[test]
fn what_others_try_delays_ones_own_experiments() {
    let other = Address::endpoint(9);
    let level = |level, sequence| layered::Header::Level { level, sequence };
    // While one with a layer that is held is recent none begins.
    let mut bench = Bench::new(&Config::default());
    bench.climb_to(2);
    for number in 0..10 {
        bench.come(level(2, number), other);
        bench.pass(bench.now.as_secs_f64() + 5.0);
    }
    assert_eq!((bench.receiver.level(), bench.heard.clone()), (2, vec![Some(1); 10]));
    // The failure of one with the next layer counts as one's own, the failure of a higher one does not.
    for (tried, later) in [(3, true), (4, false)] {
        let mut bench = Bench::new(&Config::default());
        bench.climb_to(2);
        let soon = |bench: &Bench| bench.receiver.deadline().expect("it waits").since(bench.now);
        while soon(&bench) > Duration::from_secs(1) {
            bench.pass(bench.now.as_secs_f64() + 0.1);
        }
        let before = bench.receiver.deadline();
        bench.come(level(tried, 0), other);
        bench.data(0, 1, 1);
        assert_eq!((bench.receiver.level(), bench.heard.clone()), (2, vec![Some(tried - 1)]));
        assert_eq!(bench.receiver.deadline() == before, !later, "level {tried}");
        // Half of a join timer that has doubled.
        assert!(!later || soon(&bench) >= Duration::from_secs(5));
    }
    // One with the highest layer that is held is none above it, and what one has told oneself is not heard.
    let mut bench = Bench::new(&three());
    bench.climb_to(3);
    bench.pass(bench.now.as_secs_f64() + 20.0);
    bench.come(level(3, 0), other);
    bench.come(level(3, 9), OWN);
    bench.data(0, 1, 1);
    assert_eq!((bench.receiver.level(), bench.heard, bench.states), (3, vec![Some(2)], vec![1.0]));
}

#[test]
fn numbers_wrap_and_late_packets_are_no_loss() {
    let mut bench = Bench::new(&Config::default());
    bench.climb_to(4);
    // Layer 3 has begun at three below the wrap.
    bench.data(3, 6, 0);
    assert_eq!((bench.receiver.level(), bench.gauge("missed")), (4, 0.0));
    bench.come(layered::Header::Data { layer: 3, sequence: u32::MAX }, Address::endpoint(0));
    assert_eq!(bench.gauge("missed"), 0.0);
}

#[test]
fn parameters_are_checked() {
    let wrong = |config: Config| config.check().into_iter().map(|(at, what)| at + ": " + &what).collect::<Vec<_>>();
    assert_eq!(wrong(Config::default()), [""; 0]);
    let many = Config { rates: vec![Rate(1000); 128], ..Config::default() };
    assert_eq!(wrong(many), ["rates: 128 layers given; legal are 1 to 127"]);
    assert_eq!(
        wrong(Config { max_join_timer: Duration::from_secs(4), ..Config::default() }),
        ["max_join_timer: 4 s given; legal is join_timer = 5 s or more"]
    );
    assert_eq!(wrong(Config { gain: 1.5, ..Config::default() }), ["gain: 1.5 given; legal is 0 to 1"]);
    assert_eq!(wrong(Config { relaxation: -0.1, ..Config::default() }), ["relaxation: -0.1 given; legal is 0 to 1"]);
    assert_eq!(wrong(Config { backoff: 0.9, ..Config::default() }), ["backoff: 0.9 given; legal is 1 or more"]);
    let short = Config { join_timer: Duration(999_999), detection_time: Duration(999_999), ..Config::default() };
    assert_eq!(wrong(short).len(), 2);
    let millisecond = Duration::from_millis(1);
    let least = Config { join_timer: millisecond, max_join_timer: millisecond, backoff: 1.0, ..Config::default() };
    assert_eq!(wrong(Config { detection_time: millisecond, gain: 0.0, relaxation: 1.0, ..least }), [""; 0]);
}

#[test]
fn a_mark_is_as_good_as_a_loss() {
    // As above, with marks in place of losses: the experiment fails, and what is measured is the part of marks.
    let config = Config { ecn: true, ..Config::default() };
    let state_after = |ecn: Ecn, lost: u32| {
        let mut bench = Bench::new(&config);
        bench.climb_to(3);
        bench.pass(bench.now.as_secs_f64() + 60.0);
        let level = bench.receiver.level();
        bench.states.clear();
        bench.ecn = ecn;
        bench.data(0, 1, lost);
        (level > 2, bench.states.clone())
    };
    let (higher, states) = state_after(Ecn::Capable, 0);
    assert!(higher && states.is_empty(), "{states:?}");
    let by_loss = state_after(Ecn::Capable, 1);
    assert!(!by_loss.1.is_empty(), "it goes somewhere");
    assert_eq!(state_after(Ecn::Moderate, 0), by_loss);
    // While three of ten are marked layers are left, and while none is they are not.
    for (marked, leaves) in [(3, true), (0, false)] {
        let mut bench = Bench::new(&config);
        bench.climb_to(3);
        let level = bench.receiver.level();
        for n in 0..100 {
            bench.ecn = if n % 10 < marked { Ecn::Moderate } else { Ecn::Capable };
            let next = bench.now.as_secs_f64() + 0.1;
            bench.pass(next);
        }
        assert_eq!(bench.receiver.level() < level, leaves, "{marked}: {:?}", bench.states);
    }
}
