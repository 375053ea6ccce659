//! Runs a scenario file in which sessions may have the scheme `tfmcc-percentile`.

use std::process::ExitCode;

fn main() -> ExitCode {
    tfmcc_percentile::register();
    faircast_scenario::command::main()
}
