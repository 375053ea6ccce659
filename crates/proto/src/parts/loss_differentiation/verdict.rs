//! What losses are taken for.

/// What a loss is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// An error of a link.
    Link,
    /// Losses taken for congestion.
    Congestion,
}

/// How many of the missing packets of a gap are taken for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// Errors of links.
    pub link: u64,
    /// Losses taken for congestion.
    pub congestion: u64,
}

/// Missing packets with consecutive numbers that are taken for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The lowest of the numbers.
    pub first: u64,
    /// How many there are.
    pub missing: u64,
    /// What they are taken for.
    pub verdict: Verdict,
}
