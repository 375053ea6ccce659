//! When packets of an application come to be.

use super::config::{Config, Made};
use crate::quantity::Bytes;
use crate::source::spacing::Spacing;
use crate::time::Duration;
use std::sync::Arc;

/// The packets of an application, step by step; times count from its beginning.
#[derive(Clone, Debug)]
pub struct Making {
    course: Course,
    /// When the next step is; nothing if there is none.
    next: Option<Duration>,
}

#[derive(Clone, Debug)]
enum Course {
    /// A packet for each gap: it is there when its last byte has been made.
    Even { spacing: Spacing, left: u64 },
    /// So many bytes at each of these moments, in a row.
    Listed { trace: Arc<[Made]>, index: usize, over: u64, packet_bytes: u64 },
}

impl Making {
    /// What `config`, which must have passed its check, makes in packets of `packet_bytes`.
    pub fn new(config: &Config, packet_bytes: u64) -> Making {
        let packet_bytes = packet_bytes.max(1);
        let course = match (config.rate, &config.trace) {
            (Some(rate), None) => Course::Even {
                spacing: Spacing::new(rate, Bytes(packet_bytes)),
                left: config.packets(packet_bytes).unwrap_or(u64::MAX),
            },
            (_, trace) => {
                let at_once = || vec![Made { at: Duration::ZERO, bytes: config.bytes.unwrap_or(Bytes(0)) }];
                let trace = trace.clone().unwrap_or_else(at_once).into();
                Course::Listed { trace, index: 0, over: 0, packet_bytes }
            }
        };
        let mut making = Making { course, next: Some(Duration::ZERO) };
        match &making.course {
            Course::Even { .. } => making.look_ahead(),
            Course::Listed { trace, .. } => making.next = trace.first().map(|made| made.at),
        }
        making
    }

    /// When something comes next.
    #[inline]
    pub fn next(&self) -> Option<Duration> {
        self.next
    }

    /// Takes the next step: the packets that are there then and were not before.
    pub fn step(&mut self) -> u64 {
        let packets = match &mut self.course {
            Course::Even { left, .. } => {
                *left -= 1;
                1
            }
            Course::Listed { trace, index, over, packet_bytes } => {
                let bytes = over.saturating_add(trace[*index].bytes.0);
                *index += 1;
                // The last packet need not be full.
                let is_last = *index == trace.len();
                let packets = if is_last { bytes.div_ceil(*packet_bytes) } else { bytes / *packet_bytes };
                *over = bytes % *packet_bytes;
                packets
            }
        };
        self.look_ahead();
        packets
    }

    fn look_ahead(&mut self) {
        let before = self.next.unwrap_or_default();
        self.next = match &mut self.course {
            Course::Even { left: 0, .. } => None,
            Course::Even { spacing, .. } => Some(Duration(before.0.saturating_add(spacing.next_gap().0))),
            Course::Listed { trace, index, .. } => trace.get(*index).map(|made| made.at),
        };
    }
}
