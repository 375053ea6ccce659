//! The receiver: cumulative and selective acknowledgements, delayed ACKs, the echo of congestion marks.

use super::chosen_rule::ChosenRule;
use super::config::Config;
use super::congestion_echo::Latch;
use super::header::{Header, SackBlock};
use super::number::{Run, expand, on_wire};
use super::ranges::SegmentRanges;
use super::rtt::stamp_us;
use super::window::{Recovery, WindowRule};
use crate::endpoint::{Endpoint, Input, Outbox, Report};
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::time::{Duration, Instant};

/// The receiving end of a connection. It keeps every segment that arrives; the sender's `wnd` bounds how many that are.
#[derive(Debug)]
pub struct Receiver {
    /// First segment that has not arrived.
    next_expected: u64,
    /// In-order segments not acknowledged yet.
    unacked: u32,
    /// When a delayed ACK must go; `FAR_FUTURE` = none is waiting.
    ack_at: Instant,
    delay: Option<Duration>,
    latch: Latch,
    selective: bool,
    timestamps: bool,
    /// RFC 7323 TS.Recent; none before a segment was in order.
    recent_stamp_us: Option<u32>,
    /// RFC 7323 Last.ACK.sent.
    last_ack_sent: u64,
    received_pkts: u64,
    received_bytes: u64,
    distinct_bytes: u64,
    acks_sent: u64,
    template: Packet,
    /// What has arrived above `next_expected`.
    early: SegmentRanges,
    /// A segment of each of the ranges that were extended last, the most recent first.
    recent: [u64; RECENT],
}

impl Receiver {
    /// A receiver at `own` for the sender at `peer`. `config` must have passed [`Config::check`].
    pub fn new(config: &Config, flow: FlowId, own: Address, peer: Address) -> Receiver {
        Receiver {
            next_expected: 0,
            unacked: 0,
            ack_at: Instant::FAR_FUTURE,
            delay: config.delayed_ack.then_some(config.delayed_ack_timeout),
            latch: Latch::new(config),
            selective: config.recovery_or(ChosenRule::new(config).recovery()) == Recovery::Sack,
            timestamps: config.timestamps,
            recent_stamp_us: None,
            last_ack_sent: 0,
            received_pkts: 0,
            received_bytes: 0,
            distinct_bytes: 0,
            acks_sent: 0,
            template: Packet {
                sent: Instant::ZERO,
                flow,
                source: own,
                destination: peer,
                size: config.ack_size.0 as u16,
                ttl: INITIAL_TTL,
                // RFC 3168 section 6.1.4: pure ACKs are not ECN-capable.
                ecn: Ecn::NotCapable,
                header: Header::Ack {
                    next_expected: 0,
                    echo: Ecn::NotCapable,
                    sack: [SackBlock::default(); 3],
                    echoed_stamp_us: 0,
                }
                .into(),
            },
            early: SegmentRanges::default(),
            recent: [0; RECENT],
        }
    }

    /// Expects a sender whose first segment is numbered `first`.
    #[cfg(test)]
    pub(super) fn numbered_from(mut self, first: u64) -> Receiver {
        (self.next_expected, self.last_ack_sent) = (first, first);
        self
    }

    /// The first segment that has not arrived: how much has been delivered in order.
    pub fn next_expected(&self) -> u64 {
        self.next_expected
    }

    /// How many segments have arrived above the first that has not.
    pub(super) fn early(&self) -> u64 {
        self.early.count()
    }

    /// Whether its acknowledgements report those.
    pub(super) fn is_selective(&self) -> bool {
        self.selective
    }

    /// What waits to be acknowledged does not wait any longer.
    pub(super) fn acknowledge_now(&mut self, now: Instant, out: &mut Outbox) {
        if self.ack_at != Instant::FAR_FUTURE {
            self.acknowledge(now, out);
        }
    }

    #[inline]
    fn on_segment(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let packet::Header::Tcp(Header::Data { sequence, window_reduced, push, .. }) = packet.header else {
            return self.on_greeting(now, packet, out);
        };
        self.received_pkts += 1;
        self.received_bytes += u64::from(packet.size);
        if packet.ecn > Ecn::Capable || window_reduced {
            self.latch.on_segment(packet.ecn, window_reduced);
        }
        // One before the first is a duplicate like any below `next_expected`.
        let sequence = expand(sequence, self.next_expected);
        if self.timestamps {
            self.keep_stamp(sequence, stamp_us(packet.sent));
        }
        if sequence == Some(self.next_expected) && self.early.is_empty() {
            self.next_expected += 1;
            self.distinct_bytes += u64::from(packet.size);
            if let Some(delay) = self.delay {
                // RFC 5681 section 4.2: at least every second segment, and not later than a bound.
                self.unacked += 1;
                if self.unacked < 2 && !push {
                    self.ack_at = now + delay;
                    return;
                }
            }
        } else {
            // RFC 5681 section 4.2: out of order, filling a gap or known already, it is acknowledged at once.
            if let Some(sequence) = sequence {
                self.on_disorder(sequence, packet.size);
            }
        }
        self.acknowledge(now, out);
    }

    /// Every SYN is answered, also one that comes late or twice: the sender knows whether it waits for the answer. The
    /// ACK of that answer says nothing that data does not.
    #[cold]
    fn on_greeting(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let packet::Header::Tcp(header @ (Header::Syn | Header::HandshakeAck)) = packet.header else { return };
        self.received_pkts += 1;
        self.received_bytes += u64::from(packet.size);
        if header != Header::Syn {
            return;
        }
        self.acks_sent += 1;
        let header = Header::SynAck { echoed_stamp_us: stamp_us(packet.sent) }.into();
        out.send(Packet { sent: now, header, ..self.template });
    }

    fn on_disorder(&mut self, sequence: u64, size: u16) {
        if sequence < self.next_expected {
            return;
        }
        let mut new = false;
        self.early.insert(Run { start: sequence, end: sequence + 1 }, |_, _| new = true);
        if new {
            self.distinct_bytes += u64::from(size);
        }
        if sequence == self.next_expected {
            self.next_expected = self.early.first_absent(sequence);
            self.early.remove_below(self.next_expected);
        } else {
            self.note_recent(sequence);
        }
    }

    /// Sends an acknowledgement.
    #[inline]
    pub(super) fn acknowledge(&mut self, now: Instant, out: &mut Outbox) {
        self.unacked = 0;
        self.ack_at = Instant::FAR_FUTURE;
        self.last_ack_sent = self.next_expected;
        self.acks_sent += 1;
        let sack = if self.selective && !self.early.is_empty() { self.blocks() } else { Default::default() };
        let Packet { flow, source, destination, size, ttl, ecn, .. } = self.template;
        let header = Header::Ack {
            next_expected: on_wire(self.next_expected),
            echo: self.latch.echo(),
            sack,
            echoed_stamp_us: self.recent_stamp_us.unwrap_or(0),
        };
        let header = header.into();
        out.send(Packet { sent: now, flow, source, destination, size, ttl, ecn, header });
    }

    /// RFC 7323 section 4.3: the stamp to echo is that of the segment that the last ACK asked for, or of one
    /// before it if that came later.
    fn keep_stamp(&mut self, sequence: Option<u64>, stamp_us: u32) {
        let newer = self.recent_stamp_us.is_none_or(|recent| stamp_us.wrapping_sub(recent) < 1 << 31);
        if sequence.is_none_or(|sequence| sequence <= self.last_ack_sent) && newer {
            self.recent_stamp_us = Some(stamp_us);
        }
    }

    /// Notes that `sequence`, above a gap, arrived last.
    fn note_recent(&mut self, sequence: u64) {
        let range = self.early.range_with(sequence).expect("it was inserted just now");
        // What stood for the same range before gives way, otherwise the oldest.
        let same = |known: &u64| range.start <= *known && *known < range.end;
        let place = self.recent.iter().position(same).unwrap_or(RECENT - 1);
        self.recent.copy_within(0..place, 1);
        self.recent[0] = sequence;
    }

    /// RFC 2018: first the block with the segment that arrived last, then those reported most recently,
    /// as many different ones as there is room for.
    fn blocks(&self) -> [SackBlock; 3] {
        let mut blocks = [SackBlock::default(); 3];
        let mut filled = 0;
        let recent = self.recent.iter().filter_map(|&segment| self.early.range_with(segment));
        for run in recent.chain(self.early.descending().take(blocks.len())) {
            let block = run.block();
            if filled < blocks.len() && !blocks[..filled].contains(&block) {
                blocks[filled] = block;
                filled += 1;
            }
        }
        blocks
    }
}

impl Endpoint for Receiver {
    #[inline]
    fn handle(&mut self, now: Instant, input: Input<'_>, out: &mut Outbox) {
        match input {
            Input::Packet { packet, .. } => self.on_segment(now, packet, out),
            Input::Timeout | Input::LinkLoss(_) if self.ack_at <= now => self.acknowledge(now, out),
            Input::NotSent(_) => self.acks_sent = self.acks_sent.saturating_sub(1),
            Input::Timeout | Input::LinkLoss(_) | Input::Unjoined(_) | Input::Granted(_) => {}
            Input::Start | Input::Stop => {}
        }
    }

    #[inline]
    fn deadline(&self) -> Option<Instant> {
        (self.ack_at != Instant::FAR_FUTURE).then_some(self.ack_at)
    }

    fn report(&self) -> Report {
        Report {
            sent_pkts: self.acks_sent,
            sent_bytes: self.acks_sent * u64::from(self.template.size),
            received_pkts: self.received_pkts,
            received_bytes: self.received_bytes,
            distinct_bytes: self.distinct_bytes,
            ..Report::default()
        }
    }
}

/// Ranges whose recency is remembered: those that an ACK reports, and one that may take the place of one that merged.
const RECENT: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tcp::Variant;

    /// A receiver and what it answers to segments.
    struct Bench(Receiver, Outbox);

    /// An ACK: the segment expected, the blocks, the time stamp echoed.
    #[derive(Debug, PartialEq)]
    struct Answer {
        ack: u32,
        blocks: Vec<(u32, u32)>,
        stamp_us: u32,
    }

    impl Bench {
        fn new(config: &Config) -> Bench {
            Bench(Receiver::new(config, FlowId(0), Address::endpoint(1), Address::endpoint(0)), Outbox::new())
        }

        /// What is answered at once, if anything, to segment `sequence` sent at `sent_us`.
        fn arrive(&mut self, sequence: u32, sent_us: u64) -> Option<Answer> {
            self.arrive_pushed(sequence, sent_us, false)
        }

        /// The same with the push flag or without.
        fn arrive_pushed(&mut self, sequence: u32, sent_us: u64, push: bool) -> Option<Answer> {
            let packet = Packet {
                sent: Instant(sent_us * 1000),
                flow: FlowId(0),
                source: Address::endpoint(0),
                destination: Address::endpoint(1),
                size: 1040,
                ttl: INITIAL_TTL,
                ecn: Ecn::NotCapable,
                header: packet::Header::Tcp(Header::Data {
                    sequence,
                    window_reduced: false,
                    retransmission: false,
                    push,
                }),
            };
            self.0.handle(Instant(sent_us * 1000), Input::packet(&packet, None, Instant(sent_us * 1000)), &mut self.1);
            let answer = self.1.drain().next()?;
            let crate::endpoint::Action::Send(Packet { header, .. }) = answer else { panic!("{answer:?}") };
            let packet::Header::Tcp(Header::Ack { next_expected, sack, echoed_stamp_us, .. }) = header else {
                panic!("{header:?}")
            };
            let blocks = sack.iter().filter(|block| !block.is_empty()).map(|block| (block.start, block.end));
            Some(Answer { ack: next_expected, blocks: blocks.collect(), stamp_us: echoed_stamp_us })
        }

        fn ack(&mut self, sequence: u32) -> (u32, Vec<(u32, u32)>) {
            let answer = self.arrive(sequence, 0).expect("acknowledged at once");
            (answer.ack, answer.blocks)
        }
    }

    #[test]
    fn blocks_are_reported_most_recent_first() {
        let mut bench = Bench::new(&Config { variant: Variant::Sack, ..Config::default() });
        assert_eq!(bench.ack(0), (1, vec![]));
        assert_eq!(bench.ack(2), (1, vec![(2, 3)]));
        assert_eq!(bench.ack(3), (1, vec![(2, 4)]));
        assert_eq!(bench.ack(6), (1, vec![(6, 7), (2, 4)]));
        assert_eq!(bench.ack(9), (1, vec![(9, 10), (6, 7), (2, 4)]));
        assert_eq!(bench.ack(12), (1, vec![(12, 13), (9, 10), (6, 7)]));
        assert_eq!(bench.ack(4), (1, vec![(2, 5), (12, 13), (9, 10)]));
        // A duplicate: nothing new, the same report.
        assert_eq!(bench.ack(9), (1, vec![(9, 10), (2, 5), (12, 13)]));
        assert_eq!(bench.ack(1), (5, vec![(9, 10), (12, 13), (6, 7)]));
        assert_eq!(bench.ack(5), (7, vec![(9, 10), (12, 13)]));
        assert_eq!(bench.ack(3), (7, vec![(9, 10), (12, 13)]));
        // 9 is the only segment that came twice above the gap, 3 below it.
        assert_eq!(bench.0.report().received_bytes - bench.0.report().distinct_bytes, 2 * 1040);
    }

    #[test]
    fn the_fourth_last_range_takes_the_place_of_one_that_merged() {
        let mut bench = Bench::new(&Config { variant: Variant::Sack, ..Config::default() });
        for sequence in [30, 20, 2, 10, 12] {
            bench.ack(sequence);
        }
        // 13 goes on with the range of 12, so 20 is still the fourth last.
        assert_eq!(bench.ack(13), (0, vec![(12, 14), (10, 11), (2, 3)]));
        assert_eq!(bench.ack(11), (0, vec![(10, 14), (2, 3), (20, 21)]));
    }

    #[test]
    fn newer_stamps_are_kept_and_older_ones_not() {
        // RFC 7323 section 4.3, by serial arithmetic: the second stamp of each pair comes with a duplicate.
        for (first, second, kept) in [(10, 5, 10), (5, (1 << 30) + 6, (1 << 30) + 6), (u32::MAX - 9, 5, 5)] {
            let mut bench = Bench::new(&Config { timestamps: true, ..Config::default() });
            bench.0.keep_stamp(Some(0), first);
            bench.0.keep_stamp(Some(0), second);
            assert_eq!(bench.0.recent_stamp_us, Some(kept), "{first} and {second}");
        }
    }

    #[test]
    fn any_number_is_survived_and_what_lies_before_the_first_is_old() {
        let mut bench = Bench::new(&Config { variant: Variant::Sack, timestamps: true, ..Config::default() });
        assert_eq!(bench.ack(u32::MAX), (0, vec![]));
        assert_eq!(bench.ack(1 << 31), (0, vec![]));
        assert_eq!(bench.0.report().distinct_bytes, 0);
        assert_eq!(bench.ack((1 << 31) - 1), (0, vec![((1 << 31) - 1, 1 << 31)]));
        // At the turn: in order, above a gap, below it.
        bench.0 = bench.0.numbered_from((1 << 32) - 2);
        bench.0.early = SegmentRanges::default();
        assert_eq!(bench.ack(u32::MAX - 1), (u32::MAX, vec![]));
        assert_eq!(bench.ack(1), (u32::MAX, vec![(1, 2)]));
        assert_eq!(bench.ack(0), (u32::MAX, vec![(0, 2)]));
        assert_eq!(bench.ack(u32::MAX), (2, vec![]));
        assert_eq!(bench.ack(u32::MAX - 5), (2, vec![]));
        assert_eq!(bench.0.next_expected(), (1 << 32) + 2);
    }

    #[test]
    fn without_the_option_there_are_no_blocks() {
        let mut bench = Bench::new(&Config { variant: Variant::NewReno, ..Config::default() });
        assert_eq!(bench.ack(2), (0, vec![]));
        assert_eq!(bench.ack(0), (1, vec![]));
        assert_eq!(bench.ack(1), (3, vec![]));
    }

    #[test]
    fn delayed_acks_wait_in_order_only() {
        let mut bench = Bench::new(&Config { delayed_ack: true, ..Config::default() });
        assert_eq!(bench.arrive(0, 0), None);
        assert_eq!(bench.0.deadline(), Some(Instant(100_000_000)));
        assert_eq!(bench.ack(1).0, 2);
        assert_eq!(bench.0.deadline(), None);
        assert_eq!(bench.arrive(2, 0), None);
        // Out of order, repeated, filling the gap: at once, and what was waiting is acknowledged with it.
        assert_eq!(bench.ack(4).0, 3);
        assert_eq!(bench.0.deadline(), None);
        assert_eq!(bench.ack(4).0, 3);
        assert_eq!(bench.ack(3).0, 5);
        assert_eq!(bench.arrive(5, 0), None);
    }

    #[test]
    fn what_is_pushed_waits_for_no_other() {
        let mut bench = Bench::new(&Config { delayed_ack: true, ..Config::default() });
        assert_eq!(bench.arrive_pushed(0, 0, true).unwrap().ack, 1);
        assert_eq!(bench.0.deadline(), None);
        // The next two are a pair again.
        assert_eq!(bench.arrive(1, 0), None);
        assert_eq!(bench.arrive_pushed(2, 0, true).unwrap().ack, 3);
        assert_eq!(bench.arrive(3, 0), None);
    }

    #[test]
    fn the_stamp_of_the_segment_asked_for_is_echoed() {
        let mut bench = Bench::new(&Config { timestamps: true, delayed_ack: true, ..Config::default() });
        let stamp = |answer: Option<Answer>| answer.map(|answer| answer.stamp_us);
        // RFC 7323 section 4.3: of two segments acknowledged together, the earlier one's.
        assert_eq!(stamp(bench.arrive(0, 10)), None);
        assert_eq!(stamp(bench.arrive(1, 20)), Some(10));
        // Of one above a gap, the last one in order; of one that fills a gap, its own.
        assert_eq!(stamp(bench.arrive(3, 40)), Some(10));
        assert_eq!(stamp(bench.arrive(2, 50)), Some(50));
    }

    #[test]
    fn the_first_stamp_in_order_is_kept_whatever_it_is_and_whatever_came_before() {
        let mut bench = Bench::new(&Config { timestamps: true, ..Config::default() });
        let stamp = |answer: Option<Answer>| answer.map(|answer| answer.stamp_us);
        // The first segment was lost. A stamp from 2^31 on is not newer than 0, by serial arithmetic.
        assert_eq!(stamp(bench.arrive(1, 3_000_000_010)), Some(0));
        assert_eq!(stamp(bench.arrive(0, 3_000_000_020)), Some(3_000_000_020));
        assert_eq!(stamp(bench.arrive(2, 3_000_000_030)), Some(3_000_000_030));
    }
}
