//! Runs a scenario file in which a TCP may have the variant `limited-slow-start`.

use std::process::ExitCode;

fn main() -> ExitCode {
    limited_slow_start::register();
    faircast_scenario::command::main()
}
