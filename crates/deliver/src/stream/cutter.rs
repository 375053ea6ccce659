//! Where a block ends: at its size, when its first byte has waited long enough, at the end of the input; and between
//! packets of an MPEG transport stream, if the input is one, so that what is lost of it is whole packets.

use std::time::Duration;

/// Bytes of a packet of a transport stream, and the byte with which each begins (ISO/IEC 13818-1).
const PACKET: usize = 188;
const SYNC: u8 = 0x47;
/// After how many such bytes, each a packet behind the other, the input is taken for one. By chance they are there once
/// in 256^5.
const CERTAIN: usize = 5;

/// Bytes that wait to become blocks.
pub(super) struct Cutter {
    waiting: Vec<u8>,
    /// When the first of them came, or the last cut was.
    since: Duration,
    /// Blocks have ended between packets so far: `waiting` begins with one.
    is_aligned: bool,
    /// No more will come.
    is_over: bool,
}

impl Cutter {
    pub(super) fn new() -> Cutter {
        Cutter { waiting: Vec::new(), since: Duration::ZERO, is_aligned: false, is_over: false }
    }

    /// More of the input.
    pub(super) fn push(&mut self, now: Duration, bytes: &[u8]) {
        if self.waiting.is_empty() {
            self.since = now;
        }
        self.waiting.extend_from_slice(bytes);
    }

    /// The input is over.
    pub(super) fn end(&mut self) {
        self.is_over = true;
    }

    /// Whether no more will come.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// Bytes that wait.
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// When a block of at most `most` bytes ends if nothing more comes; none if nothing waits.
    pub(super) fn due(&self, most: usize, hold: Duration) -> Option<Duration> {
        let is_full = self.is_over || self.waiting.len() >= most;
        (!self.waiting.is_empty()).then(|| match is_full {
            true => Duration::ZERO,
            // A packet that is not whole waits for its rest, once.
            false if self.is_aligned && self.waiting.len() < PACKET => self.since + 2 * hold,
            false => self.since + hold,
        })
    }

    /// The next block, if it is time for one.
    pub(super) fn cut(&mut self, now: Duration, most: usize, hold: Duration) -> Option<Vec<u8>> {
        self.due(most, hold).filter(|due| *due <= now)?;
        let end = self.end_of(most.min(self.waiting.len()));
        let rest = self.waiting.split_off(end);
        self.since = now;
        Some(std::mem::replace(&mut self.waiting, rest))
    }

    /// Where the block ends that may have so many of the bytes.
    fn end_of(&mut self, most: usize) -> usize {
        if self.is_over && most == self.waiting.len() {
            return most;
        }
        let next = if self.is_aligned { self.last_border(0, most) } else { None };
        let end = next.or_else(|| {
            self.is_aligned = false;
            (0..PACKET).find_map(|phase| self.last_border(phase, most))
        });
        self.is_aligned = end.is_some();
        end.unwrap_or(most)
    }

    /// The last border between packets up to `most`, if packets begin at `phase` and each of them as it should.
    fn last_border(&self, phase: usize, most: usize) -> Option<usize> {
        let begins: Vec<u8> = self.waiting[..most].iter().copied().skip(phase).step_by(PACKET).collect();
        let is_sure = self.is_aligned || begins.len() >= CERTAIN;
        let border = phase + (most - phase.min(most)) / PACKET * PACKET;
        (is_sure && border > 0 && border <= most && begins.iter().all(|byte| *byte == SYNC)).then_some(border)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// So many packets of a transport stream, numbered.
    fn packets(count: usize) -> Vec<u8> {
        (0..count * PACKET).map(|at| if at % PACKET == 0 { SYNC } else { (at * 7 % 251) as u8 & 0x3f }).collect()
    }

    #[test]
    fn a_block_ends_at_its_size_or_after_a_time() {
        let mut cutter = Cutter::new();
        assert_eq!((cutter.due(10, at(50)), cutter.cut(at(99), 10, at(50))), (None, None));
        cutter.push(at(100), &[1; 25]);
        assert_eq!(cutter.cut(at(100), 10, at(50)), Some(vec![1; 10]));
        assert_eq!(cutter.cut(at(110), 10, at(50)), Some(vec![1; 10]));
        assert_eq!(cutter.cut(at(159), 10, at(50)), None);
        assert_eq!(cutter.due(10, at(50)), Some(at(160)));
        assert_eq!(cutter.cut(at(160), 10, at(50)), Some(vec![1; 5]));
        cutter.push(at(500), &[2; 3]);
        assert_eq!(cutter.cut(at(549), 10, at(50)), None);
        cutter.end();
        assert_eq!(cutter.cut(at(549), 10, at(50)), Some(vec![2; 3]));
    }

    #[test]
    fn a_transport_stream_is_cut_between_packets() {
        let mut cutter = Cutter::new();
        // It begins within a packet.
        let all = packets(40)[100..].to_vec();
        cutter.push(at(0), &all);
        let first = cutter.cut(at(0), 1000, at(50)).unwrap();
        assert_eq!(first.len(), 88 + 4 * PACKET);
        let second = cutter.cut(at(0), 1000, at(50)).unwrap();
        assert_eq!((second.len(), second[0]), (5 * PACKET, SYNC));
        // Less than five packets at a time: they go on where the last block ended.
        let third = cutter.cut(at(0), 2 * PACKET + 1, at(50)).unwrap();
        assert_eq!((third.len(), third[0]), (2 * PACKET, SYNC));
        let mut got = [first, second, third].concat();
        cutter.push(at(0), &packets(1)[..60]);
        // Time is over, and the last packet is not whole.
        got.extend(cutter.cut(at(50), 1 << 20, at(50)).unwrap());
        assert_eq!((got == all, cutter.len()), (true, 60));
        assert_eq!(cutter.cut(at(149), 1 << 20, at(50)), None, "it waits for its rest");
        assert_eq!(cutter.cut(at(150), 1 << 20, at(50)).map(|rest| rest.len()), Some(60), "but not for ever");
    }

    #[test]
    fn what_only_begins_like_one_is_none() {
        let mut bytes = packets(8);
        bytes[6 * PACKET] = 0;
        let mut cutter = Cutter::new();
        cutter.push(at(0), &bytes);
        assert_eq!(cutter.cut(at(0), 1410, at(50)).map(|block| block.len()), Some(1410));
        let mut cutter = Cutter::new();
        cutter.push(at(0), &[0; 5000]);
        assert_eq!(cutter.cut(at(0), 1144, at(50)).map(|block| block.len()), Some(1144));
    }

    #[test]
    fn one_that_loses_its_step_is_found_again() {
        let mut cutter = Cutter::new();
        cutter.push(at(0), &[&packets(6)[..], &[9; 50], &packets(30)].concat());
        assert_eq!(cutter.cut(at(0), 6 * PACKET, at(50)).map(|block| block.len()), Some(6 * PACKET));
        assert_eq!(cutter.cut(at(0), 10 * PACKET, at(50)).map(|block| block.len()), Some(50 + 9 * PACKET));
        assert_eq!(
            cutter.cut(at(0), 10 * PACKET, at(50)).map(|block| (block.len(), block[0])),
            Some((10 * PACKET, SYNC))
        );
    }
}
