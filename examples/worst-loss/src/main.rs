//! Runs a scenario file in which sessions may have the scheme `worst-loss`.

use std::process::ExitCode;

fn main() -> ExitCode {
    worst_loss::register();
    faircast_scenario::command::main()
}
