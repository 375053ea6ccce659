//! The commands as one program that needs nothing else.

mod descriptors;

use faircast_cast::{interrupts::Interrupts, run, standard, words};
use std::process::ExitCode;

fn main() -> ExitCode {
    let [input, output] = descriptors::closed();
    standard::were_closed(input, output);
    let mut interrupts = Interrupts::new();
    let code = words(std::env::args_os().skip(1)).map(|words| run(&words, &mut || interrupts.came()));
    ExitCode::from(code.unwrap_or_else(|code| code))
}
