//! Standard input and output that a program was started without.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];

/// Says that standard input or output was closed when the program began: what should be read or written there is an
/// error then, and not lost in what a runtime has opened in its place.
pub fn were_closed(input: bool, output: bool) {
    CLOSED[0].store(input, Ordering::Relaxed);
    CLOSED[1].store(output, Ordering::Relaxed);
}

/// Looks whether there is standard input.
pub(crate) fn input() -> io::Result<()> {
    open(0)
}

/// Looks whether there is standard output.
pub(crate) fn output() -> io::Result<()> {
    open(1)
}

fn open(number: usize) -> io::Result<()> {
    if CLOSED[number].load(Ordering::Relaxed) { Err(nix::errno::Errno::EBADF.into()) } else { Ok(()) }
}
