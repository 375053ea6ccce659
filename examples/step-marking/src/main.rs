//! Runs a scenario file in which queues may be `step-marking`.

use std::process::ExitCode;

fn main() -> ExitCode {
    step_marking::register();
    faircast_scenario::command::main()
}
