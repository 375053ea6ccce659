//! The commands as one program that needs nothing else.

use faircast_cast::{interrupts::Interrupts, run, words};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut interrupts = Interrupts::new();
    let code = words(std::env::args_os().skip(1)).map(|words| run(&words, &mut || interrupts.came()));
    ExitCode::from(code.unwrap_or_else(|code| code))
}
