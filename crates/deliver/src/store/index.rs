//! The manifest while it comes together. It stays in memory: it is short, and comes again and again.

use super::disk::{self, Folder};
use super::outcome::Taken;
use crate::failure::{Failure, Malformed};
use crate::feedback::Line;
use crate::geometry::{Cut, Geometry};
use crate::manifest::{Hash, Manifest, hash};
use crate::repair::decode;
use crate::root::Root;
use crate::symbol::{MANIFEST, SymbolId};

/// The name of its file in the folder of work.
pub(super) const MANIFEST_NAME: &str = "manifest";
/// How many symbols of a block are kept beyond those that should be enough.
const MOST_SPARE: usize = 32;

/// The blocks of a manifest.
pub(super) struct Index {
    cut: Cut,
    geometry: Geometry,
    hashes: Vec<Hash>,
    blocks: Vec<Part>,
}

/// A block of the manifest.
enum Part {
    Coming(Vec<(u32, Vec<u8>)>),
    Whole(Vec<u8>),
}

impl Index {
    pub(super) fn new(root: &Root) -> Index {
        let blocks = root.hashes.iter().map(|_| Part::Coming(Vec::new())).collect();
        Index { cut: root.cut, geometry: root.geometry(), hashes: root.hashes.clone(), blocks }
    }

    /// Takes a symbol of the manifest.
    pub(super) fn take(&mut self, id: SymbolId, symbol: &[u8]) -> Taken {
        let Some(part) = self.blocks.get_mut(id.block as usize) else {
            return Taken::Malformed(Malformed("a symbol of a block that there is not"));
        };
        if symbol.len() != self.geometry.symbol_bytes(id.block, id.symbol) {
            return Taken::Malformed(Malformed("a symbol of another length"));
        }
        let Part::Coming(symbols) = part else { return Taken::Known };
        let enough = usize::from(self.geometry.symbols_of(id.block));
        if symbols.iter().any(|(other, _)| *other == id.symbol) || symbols.len() >= enough + MOST_SPARE {
            return Taken::Known;
        }
        let mut bytes = symbol.to_vec();
        bytes.resize(usize::from(self.cut.symbol_bytes), 0);
        symbols.push((id.symbol, bytes));
        if symbols.len() < enough {
            return Taken::Symbol;
        }
        let given = symbols.iter().map(|(id, bytes)| (*id, &bytes[..]));
        let Some(mut block) = decode(self.cut, enough as u16, given) else { return Taken::Symbol };
        block.truncate(self.geometry.bytes_of(id.block));
        if hash(&block) != self.hashes[id.block as usize] {
            symbols.clear();
            return Taken::Forged;
        }
        *part = Part::Whole(block);
        Taken::Block
    }

    /// The manifest, when all its blocks are whole; an error if it is none, and then it begins anew.
    pub(super) fn whole(&mut self) -> Option<Result<Manifest, Malformed>> {
        let whole: Option<Vec<&[u8]>> = self
            .blocks
            .iter()
            .map(|part| if let Part::Whole(block) = part { Some(&block[..]) } else { None })
            .collect();
        let manifest = Manifest::decode(&whole?.concat(), self.cut);
        if manifest.is_err() {
            self.blocks.iter_mut().for_each(|part| *part = Part::Coming(Vec::new()));
        }
        Some(manifest)
    }

    /// What is missing of it.
    pub(super) fn lines(&self, room: usize) -> Vec<Line> {
        let missing = self.blocks.iter().zip(0u32..).filter_map(|(part, block)| {
            let Part::Coming(symbols) = part else { return None };
            let lacks = usize::from(self.geometry.symbols_of(block)).saturating_sub(symbols.len()).max(1) as u16;
            let seen = symbols.iter().map(|(symbol, _)| symbol + 1).max().unwrap_or(0);
            Some(Line { object: MANIFEST, block, blocks: 1, lacks, seen })
        });
        missing.take(room).collect()
    }
}

/// The manifest that an earlier run has written, if it is the one of this root.
pub(super) fn read(folder: &Folder, root: &Root) -> Result<Option<Manifest>, Failure> {
    if folder.length(MANIFEST_NAME) != Some(u64::from(root.manifest_bytes)) {
        return Ok(None);
    }
    let mut bytes = vec![0; root.manifest_bytes as usize];
    let file = folder.file(MANIFEST_NAME)?;
    disk::read_at(&file, &mut bytes, 0)
        .map_err(|error| Failure::disk("read", &folder.path().join(MANIFEST_NAME), &error))?;
    let geometry = root.geometry();
    let right = root.hashes.iter().zip(0u32..).all(|(expected, block)| {
        let start = geometry.start_of(block) as usize;
        hash(&bytes[start..start + geometry.bytes_of(block)]) == *expected
    });
    Ok(if right { Manifest::decode(&bytes, root.cut).ok() } else { None })
}

/// Writes the manifest for later runs.
pub(super) fn write(folder: &Folder, manifest: &Manifest) -> Result<(), Failure> {
    let failed = |error| Failure::disk("write", &folder.path().join(MANIFEST_NAME), &error);
    let file = folder.file(MANIFEST_NAME)?;
    disk::write_at(&file, &manifest.encode(), 0).map_err(failed)
}
