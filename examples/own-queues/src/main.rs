//! Runs a scenario file in which queues may be `shaper`, `head-drop` and `two-queues`.

use std::process::ExitCode;

fn main() -> ExitCode {
    own_queues::register();
    faircast_scenario::command::main()
}
