//! `faircast stream`: what standard input has goes to standard output of others.

use crate::ending::{Ending, Result};
use crate::usage::Stream;
use crate::{stream_in, stream_out};

/// Sends or receives a stream.
pub fn command(options: &Stream, interrupted: &mut dyn FnMut() -> bool) -> Result<Ending> {
    let refuse = |wrong: &[(&str, bool)], with: &str, legal: &str| match wrong.iter().find(|(_, given)| *given) {
        Some((name, _)) => {
            Err(Ending::Input(format!("--{name} given with --{with}; legal is --{name} with --{legal}")))
        }
        None => Ok(()),
    };
    match (options.to, options.from) {
        (Some(to), None) => {
            refuse(&[("source", options.source.is_some())], "to", "from")?;
            let Some(max_rate) = &options.max_rate else {
                let what = "the most that the network can give, as 20Mbit/s; packets are spaced by it";
                return Err(Ending::Input(format!("--max-rate RATE is missing: {what}")));
            };
            stream_out::command(options, to, max_rate, interrupted)
        }
        (None, Some(from)) => {
            let wrong = [
                ("max-rate", options.max_rate.is_some()),
                ("ttl", options.ttl.is_some()),
                ("delay", options.delay.is_some()),
                ("live", options.live),
                ("receivers", options.receivers.is_some()),
            ];
            refuse(&wrong, "from", "to")?;
            stream_in::command(options, from, interrupted)
        }
        (to, _) => {
            let which = if to.is_some() { "both are given" } else { "neither is given" };
            let what = "--to GROUP:PORT sends standard input, --from GROUP:PORT receives to standard output";
            Err(Ending::Input(format!("{what}; {which}, one is legal")))
        }
    }
}
