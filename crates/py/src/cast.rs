//! Commands that send and receive files by multicast, as the package's command line calls them.

use faircast_cast::run;
use pyo3::prelude::*;
use std::ffi::OsString;

/// Does what these words say, as the program of `crates/cast` does, which prints what comes of it. Its exit code.
/// Signals are looked for several times a second; one whose handler raises an exception ends the command as Ctrl-C ends
/// that program.
#[pyfunction(name = "cast")]
pub fn py_cast(py: Python<'_>, words: Vec<OsString>) -> u8 {
    let mut interrupted = || Python::attach(|py| py.check_signals()).is_err();
    py.detach(|| match faircast_cast::words(words.into_iter()) {
        Ok(words) => run(&words, &mut interrupted),
        Err(code) => code,
    })
}
