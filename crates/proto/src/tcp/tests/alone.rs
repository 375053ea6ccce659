//! A sender by itself: every ACK it hears is made by hand, so it may be one that no honest receiver would send now.

use super::rule;
use super::*;
use crate::endpoint::{Action, Cause, Input, Outbox};
use crate::packet::INITIAL_TTL;
use crate::tcp;
use crate::tcp::SackBlock;
use crate::tcp::{Ack, ChosenRule, Window, WindowRule};
use crate::testing::feed;
use std::sync::{Arc, Mutex};

/// A sender and what it has reported.
pub(super) struct Alone {
    sender: Sender,
    out: Outbox,
    events: Vec<Event>,
}

/// No echo.
pub(super) const CLEAR: Ecn = Ecn::NotCapable;

impl Alone {
    /// Started at time zero; with what it sends then.
    pub(super) fn start(config: &Config) -> (Alone, String) {
        let mut alone = Alone { sender: ends(config).0, out: Outbox::new(), events: Vec::new() };
        let sent = alone.give(Instant::ZERO, Input::Start);
        (alone, sent)
    }

    /// The segments sent in answer: `r` behind those sent again, `c` behind those with CWR, `p` behind those with
    /// the push flag.
    fn give(&mut self, now: Instant, input: Input<'_>) -> String {
        feed(&mut self.sender, now, input, true, &mut self.out, &"sender");
        let mut sent = Vec::new();
        for action in self.out.drain() {
            match action {
                Action::Event(event) => self.events.push(event),
                Action::Send(Packet {
                    header: Header::Tcp(tcp::Header::Data { sequence, window_reduced, retransmission, push }),
                    ..
                }) => {
                    let (again, reduced) =
                        (if retransmission { "r" } else { "" }, if window_reduced { "c" } else { "" });
                    sent.push(format!("{sequence}{again}{reduced}{}", if push { "p" } else { "" }));
                }
                other => panic!("{other:?}"),
            }
        }
        sent.join(" ")
    }

    /// An ACK of everything below `ack`.
    pub(super) fn hear(&mut self, at_s: f64, ack: u32, echo: Ecn, blocks: &[(u32, u32)]) -> String {
        let mut sack = [SackBlock::default(); 3];
        for (block, &(start, end)) in sack.iter_mut().zip(blocks) {
            *block = SackBlock { start, end };
        }
        let packet = Packet {
            sent: seconds(at_s),
            flow: FlowId(0),
            source: Address::endpoint(1),
            destination: Address::endpoint(0),
            size: 40,
            ttl: INITIAL_TTL,
            ecn: CLEAR,
            header: Header::Tcp(tcp::Header::Ack { next_expected: ack, echo, sack, echoed_stamp_us: 0 }),
        };
        self.give(seconds(at_s), Input::packet(&packet, None, seconds(at_s)))
    }

    /// The host could not send this segment, which was sent for the first time.
    pub(super) fn refuse(&mut self, at_s: f64, sequence: u32) {
        let header =
            Header::Tcp(tcp::Header::Data { sequence, window_reduced: false, retransmission: false, push: false });
        let (source, destination, flow) = (Address::endpoint(0), Address::endpoint(1), FlowId(0));
        let (sent, size, ttl, ecn) = (seconds(at_s), 1040, INITIAL_TTL, CLEAR);
        let packet = Packet { sent, flow, source, destination, size, ttl, ecn, header };
        assert_eq!(self.give(seconds(at_s), Input::NotSent(&packet)), "");
    }

    /// When the deadline comes and what is sent then.
    pub(super) fn wake(&mut self) -> (f64, String) {
        let at = self.sender.deadline().expect("there is something to wait for");
        (at.as_secs_f64(), self.give(at, Input::Timeout))
    }

    /// When it wants to be woken.
    pub(super) fn deadline_s(&self) -> f64 {
        self.sender.deadline().expect("there is something to wait for").as_secs_f64()
    }

    pub(super) fn cwnd(&self) -> f64 {
        self.shown().cwnd_pkts
    }

    pub(super) fn shown(&self) -> Shown {
        self.sender.shown()
    }

    /// One past the highest segment sent.
    pub(super) fn sent_end(&self) -> u32 {
        self.sender.sent_end as u32
    }
}

/// Windows from `cwnd` on, in congestion avoidance.
pub(super) fn window_of(cwnd: f64, variant: Variant) -> Config {
    let (initial_cwnd, initial_ssthresh) = (Packets(cwnd), Some(Packets(cwnd)));
    Config { variant, initial_cwnd, initial_ssthresh, ..Config::default() }
}

fn with_ecn(cwnd: f64, ecn: EcnMode) -> Config {
    Config { ecn, ..window_of(cwnd, Variant::NewReno) }
}

/// A rule that keeps what it is shown.
struct Witness(Arc<Mutex<Vec<Ack>>>);

impl WindowRule for Witness {
    fn observe(&mut self, ack: &Ack, _: &mut Window) {
        self.0.lock().expect("nobody panics").push(*ack);
    }
}

#[test]
fn a_rule_is_shown_every_ack() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let (own, peer, random) = (Address::endpoint(0), Address::endpoint(1), Random::stream(1, "test/witness"));
    let rule = ChosenRule::Guest(Box::new(Witness(Arc::clone(&shown))));
    let sender = Sender::with_rule(rule, &window_of(4.0, Variant::NewReno), FlowId(0), own, peer, random);
    let mut alone = Alone { sender, out: Outbox::new(), events: Vec::new() };
    assert_eq!(alone.give(Instant::ZERO, Input::Start), "0 1 2 3");
    // The window is 4.25: up to 2 + 4.
    assert_eq!(alone.hear(0.1, 2, CLEAR, &[]), "4 5");
    // The first duplicate, when four are outstanding, and limited transmit.
    assert_eq!(alone.hear(0.15, 2, CLEAR, &[]), "6");
    let ms = Duration::from_millis;
    let seen: Vec<_> = shown
        .lock()
        .expect("nobody panics")
        .iter()
        .map(|ack| (ack.arrived, ack.newly_acked, ack.flight, ack.rtt, ack.srtt))
        .collect();
    let expected = [(seconds(0.1), 2, 2, Some(ms(100)), Some(ms(100))), (seconds(0.15), 0, 4, None, Some(ms(100)))];
    assert_eq!(seen, expected);
}

#[test]
fn what_limited_transmit_adds_is_not_halved() {
    // RFC 5681 section 3.2 step 2. Five are outstanding, and 5 and 6 beside them.
    let (mut alone, sent) = Alone::start(&window_of(5.0, Variant::Sack));
    assert_eq!(sent, "0 1 2 3 4");
    assert_eq!(alone.hear(0.1, 0, CLEAR, &[(1, 2)]), "5");
    assert_eq!(alone.hear(0.1, 0, CLEAR, &[(1, 3)]), "6");
    assert_eq!(alone.hear(0.1, 0, CLEAR, &[(1, 4)]), "0r");
    assert_eq!(alone.cwnd(), 2.5);
}

#[test]
fn what_the_window_allows_counts_though_a_duplicate_ack_let_it_out() {
    // RFC 5681 section 3.2 step 2 leaves out what limited transmit has sent *beyond* the window. Two are acknowledged,
    // a third has arrived: the window, 8 from 2 on, allows 8 and 9. Only 10 is beyond it: 8 are outstanding beside it.
    let (mut alone, _) = Alone::start(&window_of(8.0, Variant::Sack));
    assert_eq!(alone.hear(0.1, 2, CLEAR, &[(3, 4)]), "8 9");
    assert_eq!(alone.hear(0.1, 2, CLEAR, &[(3, 5)]), "10");
    assert_eq!(alone.hear(0.1, 2, CLEAR, &[(3, 6)]), "2r");
    assert_eq!(alone.cwnd(), 4.0);
}

#[test]
fn what_the_window_allows_counts_though_the_jitter_held_it_back() {
    // The same with 8 and 9 waiting for the jitter when the first block comes: it lets out 8, the end of the jitter 9.
    let jitter = Duration::from_millis(5);
    let (mut alone, _) = Alone::start(&Config { send_jitter: jitter, ..window_of(8.0, Variant::Sack) });
    assert_eq!(alone.wake().1, "0 1 2 3 4 5 6 7");
    assert_eq!(alone.hear(0.1, 2, CLEAR, &[]), "");
    assert_eq!(alone.hear(0.1, 2, CLEAR, &[(3, 4)]), "8");
    assert_eq!(alone.wake().1, "9");
    assert_eq!(alone.hear(0.11, 2, CLEAR, &[(3, 5)]), "10");
    assert_eq!(alone.hear(0.11, 2, CLEAR, &[(3, 6)]), "2r");
    assert_eq!(alone.cwnd(), 4.0);
}

#[test]
fn an_ack_of_new_data_may_show_a_loss_by_its_blocks() {
    // RFC 6675 section 2: one with new SACK data is a duplicate ACK "even if it .. moves the cumulative acknowledgment
    // point". Here it reports three at once, so 1 is lost; seven are outstanding: 3.5. In the pipe are 5, 6, 7 and 1.
    let (mut alone, sent) = Alone::start(&window_of(8.0, Variant::Sack));
    assert_eq!(sent, "0 1 2 3 4 5 6 7");
    assert_eq!(alone.hear(0.1, 1, CLEAR, &[(2, 5)]), "1r");
    assert_eq!(alone.cwnd(), 3.5);
}

#[test]
fn one_ack_lets_out_all_that_the_pipe_has_room_for() {
    // RFC 6675 section 5 step (C). Half of 8 are 4. All but 0 have arrived when the last ACK comes: only its repair is
    // in the pipe.
    for (max_burst, sent) in [(None, "8 9 10"), (Some(2), "8 9")] {
        let (mut alone, _) = Alone::start(&Config { max_burst, ..window_of(8.0, Variant::Sack) });
        // ACKs that say nothing let out what the bound has kept back of the first window.
        (0..3).for_each(|_| drop(alone.hear(0.1, 0, CLEAR, &[])));
        assert_eq!(alone.sender.report().sent_pkts, 8);
        assert_eq!(alone.hear(0.1, 0, CLEAR, &[(1, 4)]), "0r");
        assert_eq!(alone.hear(0.2, 0, CLEAR, &[(1, 8)]), sent);
    }
}

#[test]
fn jitter_delays_what_the_pipe_has_room_for() {
    let jitter = Duration::from_millis(5);
    let (mut alone, _) = Alone::start(&Config { send_jitter: jitter, ..window_of(8.0, Variant::Sack) });
    assert_eq!(alone.wake().1, "0 1 2 3 4 5 6 7");
    assert_eq!(alone.hear(0.1, 0, CLEAR, &[(1, 4)]), "0r");
    // The pipe is full: nothing to wait for but the timer.
    assert_eq!(alone.sender.deadline(), Some(seconds(3.1)));
    assert_eq!(alone.hear(0.2, 0, CLEAR, &[(1, 8)]), "");
    let (at_s, sent) = alone.wake();
    assert!((0.2..0.205).contains(&at_s), "{at_s}");
    assert_eq!(sent, "8 9 10");
}

#[test]
fn a_partial_ack_leaves_room_for_one_segment_beside_its_repair() {
    // RFC 6582 section 3.2 step 3: deflated by what is acknowledged, "then add back SMSS bytes". Half of 8 is 4; the
    // ACK of five takes the inflation of 3 and two of the window: 2 + 1, which 5 to 7 use. The next duplicate adds one.
    let (mut alone, _) = Alone::start(&Config { limited_transmit: false, ..window_of(8.0, Variant::NewReno) });
    let answers: Vec<String> = (0..3).map(|_| alone.hear(0.1, 0, CLEAR, &[])).collect();
    assert_eq!(answers, ["", "", "0r"]);
    assert_eq!(alone.hear(0.2, 5, CLEAR, &[]), "5r");
    assert_eq!(alone.cwnd(), 2.0);
    assert_eq!(alone.hear(0.2, 5, CLEAR, &[]), "8");
}

#[test]
fn a_time_out_ends_a_recovery() {
    for variant in rule::VARIANTS {
        let (mut alone, _) = Alone::start(&Config { limited_transmit: false, ..window_of(8.0, variant.clone()) });
        let answers: Vec<String> = (2..5).map(|end| alone.hear(0.1, 0, CLEAR, &[(1, end)])).collect();
        assert_eq!(answers, ["", "", "0r"], "{}", variant.name());
        assert_eq!(alone.wake(), (3.1, "0r".into()));
        // Slow start from one segment: no partial ACK, no inflation. With SACK 1 to 3 have arrived.
        let selective = matches!(variant, Variant::Sack | Variant::WestwoodPlus);
        let (again, acked) = if selective { ("4r 5r", 4) } else { ("1r 2r", 1) };
        assert_eq!((alone.hear(3.2, acked, CLEAR, &[]), alone.cwnd()), (again.into(), 2.0), "{}", variant.name());
    }
}

#[test]
fn a_duplicate_ack_with_an_echo_is_answered_at_once() {
    let (mut alone, _) = Alone::start(&with_ecn(8.0, EcnMode::Mecn));
    alone.hear(0.1, 0, Ecn::Incipient, &[]);
    let cause = Cause::Mark { sequence: 0, level: Ecn::Incipient };
    let reduction = Event::change(events::INCIPIENT_REDUCTION, 8.0, 6.4, cause);
    assert_eq!(alone.events, [reduction.with([8.0, 6.4, 8.0, 6.4])]);
}

#[test]
fn a_window_of_two_is_halved_and_does_not_pause() {
    let (mut alone, sent) = Alone::start(&with_ecn(2.0, EcnMode::Ecn));
    assert_eq!(sent, "0 1");
    assert_eq!((alone.hear(0.1, 1, Ecn::Moderate, &[]), alone.cwnd()), (String::new(), 1.0));
    assert_eq!(alone.hear(0.2, 2, Ecn::Moderate, &[]), "2c");
}

#[test]
fn a_pause_waits_for_the_timer_and_not_for_the_jitter() {
    let jitter = Duration::from_millis(5);
    let (mut alone, _) = Alone::start(&Config { send_jitter: jitter, ..with_ecn(1.0, EcnMode::Ecn) });
    let (sent_s, sent) = alone.wake();
    assert_eq!(sent, "0");
    assert_eq!(alone.hear(sent_s + 0.1, 1, Ecn::Moderate, &[]), "");
    // The least time-out, 1 s; then the jitter.
    let (paused_s, sent) = alone.wake();
    assert!((paused_s - sent_s - 1.1).abs() < 1e-6 && sent.is_empty(), "{paused_s} {sent}");
    let (at_s, sent) = alone.wake();
    assert!((paused_s..paused_s + 0.005).contains(&at_s), "{at_s}");
    assert_eq!(sent, "1c");
}

#[test]
fn a_pause_with_data_outstanding_ends_with_a_time_out() {
    // The echo comes with a duplicate ACK. When the timer, 3 s, has expired the sender is back at work.
    // The pause was the answer to this window of data: the threshold stays.
    let config = Config { initial_ssthresh: Some(Packets(8.0)), ..with_ecn(1.0, EcnMode::Ecn) };
    let (mut alone, _) = Alone::start(&config);
    assert_eq!(alone.hear(0.5, 0, Ecn::Moderate, &[]), "");
    assert_eq!(alone.wake(), (3.5, "0r".into()));
    assert_eq!((alone.sender.shown().timeouts, alone.sender.shown().ssthresh_pkts), (1, 8.0));
    assert_eq!(alone.hear(3.6, 1, CLEAR, &[]), "1c 2");
}

#[test]
fn after_an_ack_without_echo_a_pause_is_a_first_one_again() {
    let (mut alone, _) = Alone::start(&with_ecn(1.0, EcnMode::Ecn));
    alone.hear(0.1, 1, Ecn::Moderate, &[]);
    assert_eq!(alone.wake(), (1.1, "1c".into()));
    assert_eq!(alone.hear(1.2, 2, CLEAR, &[]), "2 3");
    // From 2 to 1; 4 carries CWR, so the echo of ACK 5 is of a new mark.
    assert_eq!(alone.hear(1.3, 4, Ecn::Moderate, &[]), "4c");
    assert_eq!(alone.hear(1.4, 5, Ecn::Moderate, &[]), "");
    assert_eq!(alone.sender.deadline(), Some(seconds(2.4)));
}

#[test]
fn jitter_neither_delays_what_a_time_out_repairs_nor_goes_off_without_reason() {
    let config =
        Config { send_jitter: Duration::from_millis(5), limited_transmit: false, ..window_of(2.0, Variant::NewReno) };
    let (mut alone, _) = Alone::start(&config);
    let (sent_s, sent) = alone.wake();
    assert_eq!(sent, "0 1");
    // The window is full.
    assert_eq!(alone.hear(0.1, 0, CLEAR, &[]), "");
    let (at_s, sent) = alone.wake();
    assert!((at_s - sent_s - 3.0).abs() < 1e-9, "{at_s}");
    assert_eq!(sent, "0r");
}

#[test]
fn the_timer_is_off_while_nothing_is_outstanding() {
    // RFC 6298 (5.2) and (5.1): from the next segment on, which the jitter delays.
    let (mut alone, _) = Alone::start(&Config { send_jitter: Duration::from_millis(5), ..Config::default() });
    let (sent_s, _) = alone.wake();
    alone.hear(sent_s + 0.1, 2, CLEAR, &[]);
    let (again_s, sent) = alone.wake();
    assert_eq!(sent, "2 3 4");
    let deadline_s = alone.sender.deadline().expect("three are outstanding").as_secs_f64();
    assert!((deadline_s - again_s - 1.0).abs() < 1e-9, "{deadline_s}");
}

#[test]
fn what_has_been_sacked_is_not_sent_again_after_a_time_out() {
    let (mut alone, _) = Alone::start(&window_of(8.0, Variant::Sack));
    assert_eq!(alone.wake(), (3.0, "0r".into()));
    // Windows of 2 and 3.
    assert_eq!(alone.hear(3.1, 1, CLEAR, &[(2, 4)]), "1r");
    assert_eq!(alone.hear(3.2, 4, CLEAR, &[]), "4r 5r 6r");
}

#[test]
fn a_third_duplicate_ack_that_shows_no_loss_sends_nothing() {
    // RFC 3042 section 2: the first two do. ACK 8 covers what was sent before the time-out but no more (RFC 6582
    // section 3.2 step 2).
    let (mut alone, _) = Alone::start(&window_of(8.0, Variant::NewReno));
    assert_eq!(alone.wake(), (3.0, "0r".into()));
    assert_eq!(alone.hear(3.1, 8, CLEAR, &[]), "8 9");
    let answers: Vec<String> = (0..4).map(|_| alone.hear(3.2, 8, CLEAR, &[])).collect();
    assert_eq!(answers, ["10", "11", "", ""]);
}

#[test]
fn limited_transmit_repairs_after_a_time_out_only_if_asked_to() {
    // RFC 3042 section 2 has "previously unsent data"; ns-2 goes on with what is to be sent again. Two duplicates
    // before the time-out do not count after it.
    for (limited_retransmit, expected) in [(false, ["", "", "", ""]), (true, ["1r", "2r", "", ""])] {
        let (mut alone, _) = Alone::start(&Config { limited_retransmit, ..window_of(8.0, Variant::NewReno) });
        assert_eq!([0.1, 0.2].map(|at_s| alone.hear(at_s, 0, CLEAR, &[])), ["8", "9"]);
        assert_eq!(alone.wake(), (3.0, "0r".into()));
        assert_eq!([3.1, 3.2, 3.3, 3.4].map(|at_s| alone.hear(at_s, 0, CLEAR, &[])), expected);
    }
    // Not what has been SACKed.
    let (mut alone, _) = Alone::start(&Config { limited_retransmit: true, ..window_of(8.0, Variant::Sack) });
    assert_eq!(alone.wake(), (3.0, "0r".into()));
    assert_eq!(alone.hear(3.1, 0, CLEAR, &[(2, 4)]), "1r");
    assert_eq!(alone.hear(3.2, 0, CLEAR, &[(2, 5)]), "");
    // Nor without limited transmit.
    let off = Config { limited_transmit: false, limited_retransmit: true, ..window_of(8.0, Variant::NewReno) };
    let (mut alone, _) = Alone::start(&off);
    assert_eq!((alone.wake(), alone.hear(3.1, 0, CLEAR, &[])), ((3.0, "0r".into()), String::new()));
}

#[test]
fn the_first_new_segment_after_a_time_out_carries_cwr() {
    // RFC 3168 section 6.1.2: also if the window was reduced "because of a retransmit timeout".
    let (mut alone, _) = Alone::start(&with_ecn(1.0, EcnMode::Ecn));
    assert_eq!(alone.wake(), (3.0, "0r".into()));
    assert_eq!(alone.hear(3.1, 1, CLEAR, &[]), "1c 2");
}

#[test]
fn an_echo_is_one_of_before_the_time_out_until_more_is_acknowledged_than_was_sent_then() {
    let (mut alone, _) = Alone::start(&with_ecn(4.0, EcnMode::Ecn));
    assert_eq!(alone.wake(), (3.0, "0r".into()));
    assert_eq!(alone.hear(3.1, 1, Ecn::Moderate, &[]), "1r 2r");
    // All that was sent before is acknowledged: the window goes on growing, 2 + 1/2.
    assert_eq!(alone.hear(3.2, 4, Ecn::Moderate, &[]), "4c 5");
    assert_eq!(alone.cwnd(), 2.5);
    // The receiver has seen CWR, so this is an echo of a new mark.
    alone.hear(3.3, 5, Ecn::Moderate, &[]);
    assert_eq!(alone.cwnd(), 1.25);
}

#[test]
fn a_stop_before_anything_was_sent_leaves_nothing_to_wait_for() {
    let (mut alone, sent) = Alone::start(&Config { send_jitter: Duration::from_millis(5), ..Config::default() });
    assert!(sent.is_empty() && alone.sender.deadline().is_some());
    assert_eq!(alone.give(Instant::ZERO, Input::Stop), "");
    let finished = Event::new(events::FINISHED, Cause::Packet { sequence: 0 });
    assert_eq!((&alone.events[..], alone.sender.deadline()), (&[finished][..], None));
}

#[test]
fn where_in_a_tick_a_connection_begins_is_drawn() {
    // 100 ms are four ticks of 30 ms if a third of a tick at most is left at the beginning, otherwise three.
    let config = Config { rtt_tick: Some(Duration::from_millis(30)), ..Config::default() };
    let fours = (0..300)
        .filter(|&seed| {
            let (mut alone, _) = Alone::start(&config);
            alone.sender = ends(&config).0.with_clock_phase(&config, Random::stream(seed, "test/phase"));
            alone.give(Instant::ZERO, Input::Start);
            alone.hear(0.1, 1, CLEAR, &[]);
            let srtt_s = alone.sender.shown().srtt_s;
            assert!(srtt_s == 0.09 || srtt_s == 0.12, "{srtt_s}");
            srtt_s == 0.12
        })
        .count();
    // Standard deviation 8.
    assert!((70..130).contains(&fours), "{fours}");
}
