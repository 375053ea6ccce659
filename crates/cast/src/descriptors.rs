//! Which of standard input and output were closed when the program began (`<&-`, `>&-`).
//!
//! Rust's runtime opens the null device in their place, so that no file takes their numbers, and takes what goes there
//! for written. So this looks before the runtime does, as a constructor of the program; GNU's tools, too, end with an
//! error where they should have read or written.
#![expect(unsafe_code, reason = "where a constructor stands is said by an attribute that is unsafe")]

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: [AtomicBool; 2] = [AtomicBool::new(false), AtomicBool::new(false)];

/// What the loader calls before all else (System V ABI, `.init_array`).
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

/// It allocates and asks the kernel, for which nothing of the runtime is needed.
extern "C" fn look() {
    // Where there is no /proc nothing is known.
    if fs::metadata("/proc/self/fd").is_err() {
        return;
    }
    for (number, closed) in CLOSED.iter().enumerate() {
        closed.store(fs::symlink_metadata(format!("/proc/self/fd/{number}")).is_err(), Ordering::Relaxed);
    }
}

/// Whether standard input was, and standard output.
pub fn closed() -> [bool; 2] {
    [0, 1].map(|number| CLOSED[number].load(Ordering::Relaxed))
}
