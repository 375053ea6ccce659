//! What the source of a session has put into each segment.

use super::config::Config;
use super::film::Sent;
use super::piece::Piece;
use crate::time::{Duration, Instant};

/// The account of a session's media: how many packets each segment has in each layer, and when the last of them was
/// sent.
///
/// Media of a rate say so with the first packet of a segment. Where the source sends at rates of its own, in layers or
/// constant, a segment is what is sent of it in a time as long as a segment: how many packets that is is known when
/// this time is over, and no segment is complete before.
#[derive(Clone, Debug)]
pub struct Media {
    config: Config,
    layers: usize,
    packet_bytes: u64,
    /// When the source started.
    begin: Option<Instant>,
    /// How many segments there are in all, as soon as that is known.
    end: Option<u32>,
    /// By segment and layer.
    parts: Vec<Part>,
    /// By segment, of media of a rate.
    qualities: Vec<u8>,
}

/// What a segment has in a layer.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Packets in all, as far as is known.
    packets: u32,
    /// Packets that have been sent.
    sent: u32,
    /// When the last of those that are enough was sent.
    enough_at: Instant,
}

const NOTHING: Part = Part { packets: 0, sent: 0, enough_at: Instant::FAR_FUTURE };

impl Media {
    /// Nothing yet, in so many layers, of packets of `packet_bytes`.
    pub fn new(config: &Config, layers: usize, packet_bytes: u64) -> Media {
        let (end, config) = (config.segments(), config.clone());
        let (parts, qualities) = (Vec::new(), Vec::new());
        Media { config, layers, packet_bytes, begin: None, end, parts, qualities }
    }

    /// The source starts.
    pub fn begin(&mut self, now: Instant) {
        self.begin = Some(now);
    }

    /// The source has ended. Of media of a rate it has done with so many segments; others end with the last whole one.
    pub fn end(&mut self, now: Instant, done: Option<u32>) {
        let whole = done.or_else(|| self.segment_at(now)).unwrap_or(0);
        self.end = Some(self.end.map_or(whole, |end| end.min(whole)));
    }

    /// The source sends a packet of media of a rate.
    pub fn send(&mut self, now: Instant, sent: Sent) -> Piece {
        let part = self.part_mut(sent.piece.segment, 0);
        part.packets = sent.packets;
        self.qualities[sent.piece.segment as usize] = sent.quality;
        self.count(now, sent.piece.segment, 0);
        sent.piece
    }

    /// The source sends a packet in a layer at its own rate.
    pub fn send_in(&mut self, now: Instant, layer: u8) -> Piece {
        let Some(segment) = self.segment_at(now) else { return Piece::NONE };
        let part = self.part_mut(segment, layer);
        let position = part.packets;
        part.packets += 1;
        self.count(now, segment, layer);
        Piece { segment, position }
    }

    /// The parameters.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// How many layers there are.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// How many segments there are in all, if that is known.
    pub fn segments(&self) -> Option<u32> {
        self.end
    }

    /// How many packets of a segment in a layer are enough, if that is known by `now`; of a layer in which nothing was
    /// sent nothing is.
    pub fn enough(&self, segment: u32, layer: usize, now: Instant) -> Option<u32> {
        let packets = self.part(segment, layer).packets;
        let is_known = packets > 0 && self.known_at(segment).is_none_or(|at| at <= now);
        is_known.then(|| self.config.enough(packets))
    }

    /// How many packets a segment has in a layer, as far as is known.
    pub fn packets(&self, segment: u32, layer: usize) -> u32 {
        self.part(segment, layer).packets
    }

    /// When it is known how many packets a segment has; nothing if its first packet says so.
    pub fn known_at(&self, segment: u32) -> Option<Instant> {
        if !self.is_as_sent() {
            return None;
        }
        let length = self.config.segment.0.saturating_mul(u64::from(segment) + 1);
        Some(self.begin.map_or(Instant::FAR_FUTURE, |begin| begin + Duration(length)))
    }

    /// When the source had sent what is enough of the lowest layer, if it had by `due`.
    pub fn sent_at(&self, segment: u32, due: Instant) -> Option<Instant> {
        let part = self.part(segment, 0);
        (part.enough_at <= due).then_some(part.enough_at)
    }

    /// What a viewer has who sees so many layers of a segment: its quality, and the rate of the media.
    pub fn quality(&self, segment: u32, layers: u8) -> (u8, f64) {
        let enough = |layer: usize| u64::from(self.config.enough(self.part(segment, layer).packets));
        let packets: u64 = (0..usize::from(layers)).map(enough).sum();
        let bps = 8.0 * (packets * self.packet_bytes) as f64 / self.config.segment.as_secs_f64();
        let of_rate = self.qualities.get(segment as usize).copied().filter(|_| !self.is_as_sent());
        (if layers == 0 { 0 } else { of_rate.unwrap_or(layers) }, bps)
    }

    /// Whether the source sends at rates of its own.
    fn is_as_sent(&self) -> bool {
        self.config.media_rate.is_none()
    }

    fn segment_at(&self, now: Instant) -> Option<u32> {
        let since = now.since(self.begin?);
        u32::try_from(since.0 / self.config.segment.0.max(1)).ok()
    }

    fn part(&self, segment: u32, layer: usize) -> Part {
        self.parts.get(segment as usize * self.layers + layer).copied().unwrap_or(NOTHING)
    }

    fn part_mut(&mut self, segment: u32, layer: u8) -> &mut Part {
        let index = segment as usize * self.layers + usize::from(layer);
        if index >= self.parts.len() {
            self.parts.resize((segment as usize + 1) * self.layers, NOTHING);
            self.qualities.resize(segment as usize + 1, 0);
        }
        &mut self.parts[index]
    }

    fn count(&mut self, now: Instant, segment: u32, layer: u8) {
        let (as_sent, index) = (self.is_as_sent(), segment as usize * self.layers + usize::from(layer));
        let part = &mut self.parts[index];
        part.sent += 1;
        // At rates of its own the last packet is the last so far.
        if as_sent || part.sent == self.config.enough(part.packets) {
            part.enough_at = now;
        }
    }
}
