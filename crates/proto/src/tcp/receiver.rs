//! The receiver: cumulative and selective acknowledgements, delayed ACKs, the echo of congestion marks.

use super::Config;
use super::congestion_echo::Latch;
use super::ranges::SegmentRanges;
use super::rule::{Recovery, Rule, WindowRule};
use super::sender::stamp_us;
use crate::endpoint::{Endpoint, Input, Outbox, Report};
use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet, SackBlock};
use crate::time::{Duration, Instant};

/// The receiving end of a connection. It keeps every segment that arrives; the sender's `wnd` bounds how many that are.
#[derive(Debug)]
pub struct Receiver {
    /// First segment that has not arrived.
    next_expected: u32,
    /// In-order segments not acknowledged yet.
    unacked: u32,
    /// When a delayed ACK must go; `FAR_FUTURE` = none is waiting.
    ack_at: Instant,
    delay: Option<Duration>,
    latch: Latch,
    selective: bool,
    timestamps: bool,
    /// RFC 7323 TS.Recent.
    recent_stamp_us: u32,
    /// RFC 7323 Last.ACK.sent.
    last_ack_sent: u32,
    received_pkts: u64,
    received_bytes: u64,
    distinct_bytes: u64,
    acks_sent: u64,
    template: Packet,
    /// What has arrived above `next_expected`.
    early: SegmentRanges,
    /// A segment of each of the ranges that were extended last, the most recent first.
    recent: [u32; RECENT],
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
            selective: config.recovery_or(Rule::new(config).recovery()) == Recovery::Sack,
            timestamps: config.timestamps,
            recent_stamp_us: 0,
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
                header: Header::TcpAck {
                    next_expected: 0,
                    echo: Ecn::NotCapable,
                    sack: [SackBlock::default(); 3],
                    echoed_stamp_us: 0,
                },
            },
            early: SegmentRanges::default(),
            recent: [0; RECENT],
        }
    }

    /// The first segment that has not arrived: how much has been delivered in order.
    pub fn next_expected(&self) -> u32 {
        self.next_expected
    }

    #[inline]
    fn on_segment(&mut self, now: Instant, packet: &Packet, out: &mut Outbox) {
        let Header::TcpData { sequence, window_reduced, .. } = packet.header else { return };
        self.received_pkts += 1;
        self.received_bytes += u64::from(packet.size);
        if packet.ecn > Ecn::Capable || window_reduced {
            self.latch.on_segment(packet.ecn, window_reduced);
        }
        if self.timestamps {
            self.keep_stamp(sequence, stamp_us(packet.sent));
        }
        if sequence == self.next_expected && self.early.is_empty() {
            self.next_expected = sequence + 1;
            self.distinct_bytes += u64::from(packet.size);
            if let Some(delay) = self.delay {
                // RFC 5681 section 4.2: at least every second segment, and not later than a bound.
                self.unacked += 1;
                if self.unacked < 2 {
                    self.ack_at = now + delay;
                    return;
                }
            }
        } else {
            // RFC 5681 section 4.2: out of order, filling a gap or known already, it is acknowledged at once.
            self.on_disorder(sequence, packet.size);
        }
        self.acknowledge(now, out);
    }

    fn on_disorder(&mut self, sequence: u32, size: u16) {
        if sequence < self.next_expected {
            return;
        }
        let mut new = false;
        self.early.insert(SackBlock { start: sequence, end: sequence + 1 }, |_, _| new = true);
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

    #[inline]
    fn acknowledge(&mut self, now: Instant, out: &mut Outbox) {
        self.unacked = 0;
        self.ack_at = Instant::FAR_FUTURE;
        self.last_ack_sent = self.next_expected;
        self.acks_sent += 1;
        let mut packet = self.template;
        packet.sent = now;
        packet.header = Header::TcpAck {
            next_expected: self.next_expected,
            echo: self.latch.echo(),
            sack: if self.selective && !self.early.is_empty() { self.blocks() } else { Default::default() },
            echoed_stamp_us: self.recent_stamp_us,
        };
        out.send(packet);
    }

    /// RFC 7323 section 4.3 rule (2): the stamp to echo is that of the segment that the last ACK asked for, or of one
    /// before it if that came later.
    fn keep_stamp(&mut self, sequence: u32, stamp_us: u32) {
        let newer = stamp_us.wrapping_sub(self.recent_stamp_us) < 1 << 31;
        if sequence <= self.last_ack_sent && (newer || self.received_pkts == 1) {
            self.recent_stamp_us = stamp_us;
        }
    }

    /// Notes that `sequence`, above a gap, arrived last.
    fn note_recent(&mut self, sequence: u32) {
        let range = self.early.range_with(sequence).expect("it was inserted just now");
        // What stood for the same range before gives way, otherwise the oldest.
        let same = |known: &u32| range.start <= *known && *known < range.end;
        let place = self.recent.iter().position(same).unwrap_or(RECENT - 1);
        self.recent.copy_within(0..place, 1);
        self.recent[0] = sequence;
    }

    /// RFC 2018 section 4: first the block with the segment that arrived last, then those reported most recently,
    /// as many different ones as there is room for.
    fn blocks(&self) -> [SackBlock; 3] {
        let mut blocks = [SackBlock::default(); 3];
        let mut filled = 0;
        let recent = self.recent.iter().filter_map(|&segment| self.early.range_with(segment));
        for block in recent.chain(self.early.descending().take(blocks.len())) {
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
            Input::Packet(packet) => self.on_segment(now, packet, out),
            Input::Timeout if self.ack_at <= now => self.acknowledge(now, out),
            Input::Timeout | Input::Start | Input::Stop => {}
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
