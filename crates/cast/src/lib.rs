//! Files and streams from one host to many by multicast: `crates/deliver` over the sessions of `crates/wire`, as
//! commands.
//!
//! | file | subject |
//! |---|---|
//! | `values.rs` | values of options |
//! | `usage.rs` | what each command takes |
//! | `options.rs` | the words of a command line, and what is wrong with them |
//! | `ending.rs` | exit codes, and what is said at the end |
//! | `format.rs` | in which format packets are written |
//! | `norm/` | `send` and `receive` by NORM |
//! | `agreed.rs` | what both ends of a session must agree on |
//! | `carried.rs` | what a session may carry: files, or a stream |
//! | `outgoing.rs`, `incoming.rs` | what packets carry: the sender's side, a receiver's side; seals |
//! | `watching.rs` | what a probe sees of them |
//! | `repeats.rs` | packets that come again |
//! | `sending.rs`, `receiving.rs` | the turns of a sender and of a receiver, whatever is carried |
//! | `following.rs`, `asking.rs` | whose packets a receiver takes, and when it says something |
//! | `unread.rs` | packets that come and cannot be read |
//! | `others.rs` | other senders in the group |
//! | `limits.rs` | who limits a session |
//! | `told.rs` | what a sender tells of its session |
//! | `progress.rs` | how far it is, on a terminal and elsewhere |
//! | `send.rs`, `receive.rs`, `keys.rs`, `probe.rs` | the commands |
//! | `stream.rs`, `stream_out.rs`, `stream_in.rs` | the one that carries streams, and its two ends |
//! | `turns.rs` | the loop of a driver |
//! | `results.rs`, `journal.rs` | what a session shows, written into a folder |
//! | `interrupts.rs` | Ctrl-C |
//!
//! [`run`] is all that a program needs; the Python package calls it, too.

mod agreed;
mod asking;
mod carried;
mod ending;
mod following;
mod format;
mod incoming;
pub mod interrupts;
mod journal;
mod keys;
mod limits;
mod norm;
mod options;
mod others;
mod outgoing;
mod probe;
mod progress;
mod receive;
mod receiving;
#[cfg(test)]
mod recorded_tests;
mod repeats;
mod results;
mod send;
mod sending;
#[cfg(test)]
mod side_by_side_tests;
#[cfg(test)]
mod spike_tests;
#[cfg(test)]
mod strangers_tests;
mod stream;
mod stream_in;
mod stream_out;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod testing;
mod told;
mod turns;
mod unread;
mod usage;
mod values;
mod watching;

use ending::Ending;
use format::Format;
use options::Words;
use std::ffi::OsString;
use usage::Verb;

/// The words of a command line, as [`run`] takes them; otherwise its exit code. What is no UTF-8 names no file that
/// could be sent, and would name another folder to receive in.
///
/// # Errors
///
/// A word is none: that has been said.
pub fn words(given: impl Iterator<Item = OsString>) -> Result<Vec<String>, u8> {
    let given: Vec<OsString> = given.collect();
    let as_json = given.iter().any(|word| word == "--json");
    let words: Result<Vec<String>, OsString> = given.into_iter().map(OsString::into_string).collect();
    words.map_err(|word| Ending::Input(format!("{word:?} given; legal are words in UTF-8")).tell(as_json))
}

/// Does what the words of a command line say; the exit code: 0 done, 1 incomplete, 2 bad input, 3 a disk or the system
/// stood in the way, 130 interrupted. `interrupted` is asked several times a second.
pub fn run(arguments: &[String], interrupted: &mut dyn FnMut() -> bool) -> u8 {
    let as_json = arguments.iter().any(|word| word == "--json");
    let is_data = arguments.first().is_some_and(|word| word == "stream");
    let tell = |ending: Ending, as_json| if is_data { ending.tell_beside_data(as_json) } else { ending.tell(as_json) };
    let verb = match options::read(arguments) {
        Ok(Words::Verb(verb)) => verb,
        Ok(Words::Text(text)) => {
            return Ending::Text(text.trim_end().to_owned()).tell(false);
        }
        Ok(Words::Nothing(text)) => {
            text.lines().for_each(ending::note);
            return 2;
        }
        Err(sentence) => return tell(Ending::Input(sentence), as_json),
    };
    let as_json = verb.output().json;
    let ending = match &*verb {
        Verb::Keys(options) => keys::command(options, interrupted),
        Verb::Send(options) if options.format == Some(Format::Norm) => norm::send(options, interrupted),
        Verb::Receive(options) if options.format == Some(Format::Norm) => norm::receive(options, interrupted),
        Verb::Send(options) => send::command(options, interrupted),
        Verb::Receive(options) => receive::command(options, interrupted),
        Verb::Probe(options) => probe::command(options, interrupted),
        Verb::Stream(options) => stream::command(options, interrupted),
    };
    tell(ending.unwrap_or_else(|ending| ending), as_json)
}
