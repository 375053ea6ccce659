//! The feedback packets of a receiver (RFC 4654 section 2.2.2).

use super::config::Config;
use super::quantise;
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::time::Instant;
use crate::wire::{Layout, size};

/// Puts feedback packets together and counts them.
#[derive(Clone, Debug)]
pub struct ReportPackets {
    /// 32 bits will do for what one receiver says, and there may be a hundred thousand.
    sent_pkts: u32,
    flow: FlowId,
    size: u16,
    quantise: bool,
}

impl ReportPackets {
    /// Packets of the size that `config` says, which must have passed [`Config::check`], or else of what this takes on
    /// the wire.
    pub fn new(config: &Config, flow: FlowId, layout: &Layout) -> ReportPackets {
        ReportPackets { sent_pkts: 0, flow, size: size(config.report_size, layout), quantise: config.quantise }
    }

    /// A rate in bit/s as it goes into a report: with the parameter `quantise`, what is left of it on the wire.
    pub fn rate_bps(&self, rate_bps: f64) -> f32 {
        let rate_bps = if self.quantise { quantise::decode_rate(quantise::encode_rate(rate_bps)) } else { rate_bps };
        rate_bps as f32
    }

    /// The next packet, sent at `now`, whose header is `header`.
    pub fn next(&mut self, now: Instant, source: Address, destination: Address, header: packet::Header) -> Packet {
        self.sent_pkts = self.sent_pkts.saturating_add(1);
        let (flow, size) = (self.flow, self.size);
        Packet { sent: now, flow, source, destination, size, ttl: INITIAL_TTL, ecn: Ecn::NotCapable, header }
    }

    /// One of them has not been sent.
    pub fn not_sent(&mut self) {
        self.sent_pkts = self.sent_pkts.saturating_sub(1);
    }

    /// How many there have been.
    pub fn sent_pkts(&self) -> u64 {
        self.sent_pkts.into()
    }

    /// How many bytes on the wire.
    pub fn sent_bytes(&self) -> u64 {
        self.sent_pkts() * u64::from(self.size)
    }
}
