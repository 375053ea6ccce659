//! Files from one host to many by multicast: `crates/deliver` over the sessions of `crates/wire`, as commands.
//!
//! | file | subject |
//! |---|---|
//! | `options.rs` | the words of a command line |
//! | `usage.rs` | what each command takes |
//! | `ending.rs` | exit codes, and what is said at the end |
//! | `agreed.rs` | what both ends of a session must agree on |
//! | `outgoing.rs`, `incoming.rs` | what packets carry: the sender's side, a receiver's side; seals |
//! | `repeats.rs` | packets that come again |
//! | `send.rs`, `receive.rs`, `keys.rs` | the commands |
//! | `turns.rs` | the loop of a driver |
//! | `interrupts.rs` | Ctrl-C |
//!
//! [`run`] is all that a program needs; the Python package calls it, too.

mod agreed;
mod ending;
mod incoming;
pub mod interrupts;
mod keys;
mod options;
mod outgoing;
mod receive;
mod repeats;
mod send;
mod turns;
mod usage;

use ending::Ending;
use options::Options;
use std::ffi::OsString;

/// The words of a command line, as [`run`] takes them; otherwise its exit code. What is no UTF-8 names no file that
/// could be sent, and would name another folder to receive in.
///
/// # Errors
///
/// A word is none: that has been said.
pub fn words(given: impl Iterator<Item = OsString>) -> Result<Vec<String>, u8> {
    let words: Result<Vec<String>, OsString> = given.map(OsString::into_string).collect();
    words.map_err(|word| Ending::Input(format!("{word:?} given; legal are words in UTF-8")).tell(false))
}

/// Does what the words of a command line say; the exit code: 0 done, 1 incomplete, 2 bad input, 3 a disk or the system
/// stood in the way, 130 interrupted. `interrupted` is asked several times a second.
pub fn run(arguments: &[String], interrupted: &mut dyn FnMut() -> bool) -> u8 {
    let Some((verb, rest)) = arguments.split_first() else {
        usage::overview().lines().for_each(ending::note);
        return 2;
    };
    if matches!(verb.as_str(), "--help" | "-h") {
        ending::say(usage::overview().trim_end());
        return 0;
    }
    if verb == "--version" {
        ending::say(env!("CARGO_PKG_VERSION"));
        return 0;
    }
    let Some(command) = usage::COMMANDS.iter().find(|command| command.verb == verb) else {
        let there: Vec<&str> = usage::COMMANDS.iter().map(|command| command.verb).collect();
        let sentence = format!("there is no verb {verb:?}; there are: {}", there.join(", "));
        return Ending::Input(sentence).tell(arguments.iter().any(|word| word == "--json"));
    };
    if rest.iter().any(|word| word == "--help" || word == "-h") {
        ending::say(command.help().trim_end());
        return 0;
    }
    let as_json = rest.iter().any(|word| word == "--json");
    let options = match Options::read(command, rest) {
        Ok(options) => options,
        Err(sentence) => return Ending::Input(sentence).tell(as_json),
    };
    let ending = match command.verb {
        "keys" => keys::command(&options),
        "send" => send::command(&options, interrupted),
        _ => receive::command(&options, interrupted),
    };
    ending.unwrap_or_else(|ending| ending).tell(as_json)
}
