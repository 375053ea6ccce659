//! The commands as one program that needs nothing else.

use faircast_cast::{interrupts::Interrupts, run};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut interrupts = Interrupts::new();
    ExitCode::from(run(&arguments, &mut || interrupts.came()))
}
