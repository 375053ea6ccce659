//! A file that comes: which of its blocks are there, and what it is at.

use crate::block::Block;
use crate::geometry::Geometry;
use std::collections::BTreeMap;
use std::fs::File;

/// A file that comes.
pub(super) struct Object {
    pub(super) state: State,
    /// Blocks of which something has come and that are not whole.
    pub(super) blocks: BTreeMap<u32, Block>,
    pub(super) done: Vec<bool>,
    /// How many are not done.
    pub(super) undone: u32,
}

/// What a file is at.
///
/// ```text
///   receiving ──all blocks──> checking ──> named
///       ^                        │ └─────> refused
///       └────── not the same ────┘
/// ```
pub(super) enum State {
    Receiving,
    Checking(Check),
    Named,
    Refused,
}

impl Object {
    /// A file of which nothing has come.
    pub(super) fn new(geometry: &Geometry) -> Object {
        let blocks = geometry.blocks();
        Object { state: State::Receiving, blocks: BTreeMap::new(), done: vec![false; blocks as usize], undone: blocks }
    }

    /// How many symbols it lacks.
    pub(super) fn left(&self, geometry: &Geometry) -> u64 {
        let undone = self.done.iter().zip(0u32..).filter(|(done, _)| !**done);
        let lacking = undone.map(|(_, block)| u64::from(geometry.symbols_of(block)));
        let held: u64 = self.blocks.values().map(|block| u64::from(block.held())).sum();
        lacking.sum::<u64>() - held
    }

    /// A block is whole.
    pub(super) fn finish(&mut self, block: u32) {
        self.blocks.remove(&block);
        if !std::mem::replace(&mut self.done[block as usize], true) {
            self.undone -= 1;
        }
    }

    /// A block is not whole after all.
    pub(super) fn undo(&mut self, block: u32) {
        self.blocks.remove(&block);
        if std::mem::replace(&mut self.done[block as usize], false) {
            self.undone += 1;
        }
    }
}

/// How far a file has been read.
pub(super) struct Check {
    pub(super) hasher: Box<blake3::Hasher>,
    pub(super) at: u64,
    /// The file that has the name already, if it may be the one that comes.
    pub(super) there: Option<File>,
}

impl Check {
    /// A check of a partial file.
    pub(super) fn part() -> Check {
        Check { hasher: Box::default(), at: 0, there: None }
    }

    /// A check of a file that has the name already.
    pub(super) fn there(file: File) -> Check {
        Check { there: Some(file), ..Check::part() }
    }
}
