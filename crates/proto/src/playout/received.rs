//! What a receiver has of the segments of a session.

use super::piece::Piece;
use std::collections::VecDeque;

/// The segments from the first that still counts, each in every layer.
#[derive(Clone, Debug)]
pub(super) struct Received {
    layers: usize,
    first: u32,
    /// Where the row of complete segments ends that was looked at last.
    there: u32,
    /// Whether anything has come.
    has_begun: bool,
    /// Segment by segment, and in each layer by layer.
    parts: VecDeque<Part>,
    /// Rooms for marks that nobody uses.
    spare: Vec<Vec<u64>>,
}

/// What a receiver has of a segment in a layer.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Packets that have come, each counted once.
    came: u32,
    is_complete: bool,
    /// Which have come, a bit each; empty when it is complete.
    marks: Vec<u64>,
}

impl Received {
    pub(super) fn new(layers: usize) -> Received {
        Received { layers, first: 0, there: 0, has_begun: false, parts: VecDeque::new(), spare: Vec::new() }
    }

    /// The first segment that counts.
    pub(super) fn first(&self) -> u32 {
        self.first
    }

    /// Whether anything has come.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// The segment behind the last of which anything is known.
    pub(super) fn end(&self) -> u32 {
        self.first + (self.parts.len() / self.layers) as u32
    }

    /// A piece has come in a layer. Returns how many packets that makes; nothing if it says nothing new: it has come
    /// before, its segment is complete or does not count any more.
    pub(super) fn add(&mut self, piece: Piece, layer: usize) -> Option<u32> {
        if !self.has_begun {
            (self.has_begun, self.first) = (true, piece.segment);
        }
        let index = self.room(piece.segment, layer)?;
        let part = &mut self.parts[index];
        if part.is_complete {
            return None;
        }
        if part.marks.is_empty()
            && let Some(room) = self.spare.pop()
        {
            part.marks = room;
        }
        let (word, bit) = (piece.position as usize / 64, 1 << (piece.position % 64));
        if word >= part.marks.len() {
            part.marks.resize(word + 1, 0);
        }
        if part.marks[word] & bit != 0 {
            return None;
        }
        part.marks[word] |= bit;
        part.came += 1;
        Some(part.came)
    }

    /// A segment is complete in a layer.
    pub(super) fn complete(&mut self, segment: u32, layer: usize) {
        if let Some(index) = self.room(segment, layer) {
            self.parts[index].is_complete = true;
            let mut marks = std::mem::take(&mut self.parts[index].marks);
            marks.clear();
            if marks.capacity() > 0 {
                self.spare.push(marks);
            }
        }
    }

    /// How many packets have come of a segment in a layer.
    pub(super) fn came(&self, segment: u32, layer: usize) -> u32 {
        self.index(segment, layer).map_or(0, |index| self.parts[index].came)
    }

    /// Whether a segment is complete in a layer.
    pub(super) fn is_complete(&self, segment: u32, layer: usize) -> bool {
        self.index(segment, layer).is_some_and(|index| self.parts[index].is_complete)
    }

    /// In how many layers, from the lowest, a segment is complete: those above a hole do not count.
    pub(super) fn shown(&self, segment: u32) -> u8 {
        (0..self.layers).take_while(|&layer| self.is_complete(segment, layer)).count() as u8
    }

    /// The segments around one, without a gap, that are complete in the lowest layer: the first of them, and the one
    /// behind the last.
    pub(super) fn run(&self, segment: u32) -> [u32; 2] {
        let is_there = |segment: u32| self.is_complete(segment, 0);
        let before = (self.first..segment).rev().take_while(|&segment| is_there(segment)).count() as u32;
        let behind = (segment..self.end()).take_while(|&segment| is_there(segment)).count() as u32;
        [segment - before, segment + behind]
    }

    /// How many segments in a row, from this one on, are complete in the lowest layer. Later calls are for later ones.
    pub(super) fn ahead(&mut self, segment: u32) -> u32 {
        self.there = self.there.max(segment);
        while self.is_complete(self.there, 0) {
            self.there += 1;
        }
        self.there - segment
    }

    /// Segments before this one do not count any more.
    pub(super) fn forget(&mut self, before: u32) {
        while self.first < before {
            if self.parts.is_empty() {
                self.first = before;
                return;
            }
            for part in self.parts.drain(..self.layers) {
                if part.marks.capacity() > 0 {
                    let mut marks = part.marks;
                    marks.clear();
                    self.spare.push(marks);
                }
            }
            self.first += 1;
        }
    }

    /// Where a segment is in a layer, of which nothing may be known yet; nothing if it does not count.
    fn room(&mut self, segment: u32, layer: usize) -> Option<usize> {
        let segments = segment.checked_sub(self.first)? as usize;
        if segments * self.layers >= self.parts.len() {
            self.parts.resize_with((segments + 1) * self.layers, Part::default);
        }
        Some(segments * self.layers + layer)
    }

    fn index(&self, segment: u32, layer: usize) -> Option<usize> {
        let index = segment.checked_sub(self.first)? as usize * self.layers + layer;
        (index < self.parts.len()).then_some(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(segment: u32, position: u32) -> Piece {
        Piece { segment, position }
    }

    #[test]
    fn each_packet_counts_once_and_only_where_it_says_something() {
        let mut received = Received::new(2);
        assert_eq!(received.add(piece(7, 70), 1), Some(1));
        assert_eq!((received.first(), received.end()), (7, 8));
        assert_eq!([received.add(piece(7, 70), 1), received.add(piece(7, 6), 1)], [None, Some(2)]);
        assert_eq!((received.came(7, 1), received.came(7, 0)), (2, 0));
        assert_eq!(received.add(piece(6, 0), 0), None, "before what was heard first");
        assert_eq!(received.add(piece(9, 0), 0), Some(1));
        received.complete(9, 0);
        assert_eq!(received.add(piece(9, 1), 0), None);
        assert_eq!((received.shown(9), received.shown(7), received.end()), (1, 0, 10));
        // The room of the complete one is taken again, and empty.
        assert_eq!([received.add(piece(10, 0), 0), received.add(piece(10, 0), 0)], [Some(1), None]);
        received.forget(9);
        assert_eq!((received.first(), received.is_complete(9, 0), received.add(piece(8, 0), 0)), (9, true, None));
    }

    #[test]
    fn layers_above_a_hole_are_not_shown() {
        let mut received = Received::new(3);
        received.add(piece(0, 0), 0);
        [0, 2].into_iter().for_each(|layer| received.complete(0, layer));
        assert_eq!(received.shown(0), 1);
        received.complete(0, 1);
        assert_eq!(received.shown(0), 3);
    }

    #[test]
    fn a_run_ends_at_gaps() {
        let mut received = Received::new(1);
        received.add(piece(3, 0), 0);
        received.add(piece(9, 0), 0);
        [3, 5, 6, 7, 9].into_iter().for_each(|segment| received.complete(segment, 0));
        assert_eq!([3, 5, 6, 7, 9].map(|segment| received.run(segment)), [[3, 4], [5, 8], [5, 8], [5, 8], [9, 10]]);
        assert_eq!(received.run(4), [3, 4], "what is not complete ends where it begins");
    }

    #[test]
    fn what_is_ahead_ends_at_the_next_gap_and_goes_on_when_it_is_filled() {
        let mut received = Received::new(2);
        received.add(piece(3, 0), 0);
        [3, 5, 6, 9].into_iter().for_each(|segment| received.complete(segment, 0));
        received.complete(7, 1); // of another layer
        assert_eq!([3, 4, 5].map(|segment| received.ahead(segment)), [1, 0, 2]);
        received.forget(5);
        received.complete(7, 0);
        assert_eq!([5, 6, 8, 9, 10].map(|segment| received.ahead(segment)), [3, 2, 0, 1, 0]);
    }
}
