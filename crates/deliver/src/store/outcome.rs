//! What a store says of what it was given, of what it has done, and how far it is.

use crate::failure::Malformed;
use crate::names::FileName;

/// What a payload was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A root of a session that is taken part in from now on.
    Root,
    /// The manifest is there: from now on it is known what comes.
    Manifest,
    /// A symbol that was missing.
    Symbol,
    /// A symbol that made a block whole.
    Block,
    /// What is there already, or is not wanted.
    Known,
    /// A symbol that is of no use before a root and the manifest have come.
    Early,
    /// A symbol of another content.
    Foreign,
    /// Symbols of a block were forged: its hash is not the signed one, and it begins anew.
    Forged,
    /// It is not what it should be.
    Malformed(Malformed),
}

/// What [`Store::proceed`] has done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing: there is nothing to do.
    Nothing,
    /// A part of what is to do.
    Working,
    /// A file has its name; its hash is the signed one.
    File(FileName),
    /// A file is not taken, and why, in a sentence.
    Refused(FileName, String),
    /// Every file has its name or was refused.
    All,
}

/// How much has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Symbols of all files, and how many of them are still missing.
    pub symbols: u64,
    /// How many of them are missing.
    pub left: u64,
    /// Bytes of all files.
    pub bytes: u64,
    /// How many files there are.
    pub files: usize,
    /// How many of them have their names.
    pub named: usize,
    /// How many of them were refused.
    pub refused: usize,
    /// How many blocks had forged symbols.
    pub forged: u64,
}
