//! How a command ends: its exit code, and what it says.

use faircast_deliver::Failure;
use faircast_proto::limits::Illegal;
use serde_json::{Value, json};

/// The end of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// All is done: what to print, for people and for machines.
    Done(String, Value),
    /// A text that was asked for, with its lines.
    Text(String),
    /// All is done and has been said.
    Silent,
    /// Some of it is not: why, in a sentence, and the same for machines.
    Incomplete(String, Value),
    /// What was given is wrong.
    Input(String),
    /// A disk or the system stands in the way.
    System(String),
    /// Ctrl-C or SIGTERM, and what that leaves, if there is something to be said of it.
    Interrupted(&'static str),
    /// The same, and what was done until then.
    Stopped(String, Value),
}

/// What an interruption leaves of files that are sent or received.
pub const GOES_ON: &str = "; what has come is kept, the same command goes on from there";

/// What a command comes to; both are ends.
pub type Result<T> = std::result::Result<T, Ending>;

impl Ending {
    /// Nothing is said if all is done, and that is all there is to say.
    pub fn silent_if(self, is_quiet: bool) -> Ending {
        match self {
            Ending::Done(..) if is_quiet => Ending::Silent,
            other => other,
        }
    }

    /// Its exit code.
    pub fn code(&self) -> u8 {
        match self {
            Ending::Done(..) | Ending::Text(_) | Ending::Silent => 0,
            Ending::Incomplete(..) => 1,
            Ending::Input(_) => 2,
            Ending::System(_) => 3,
            Ending::Interrupted(_) | Ending::Stopped(..) => 130,
        }
    }

    /// Says it: results on standard output, all else on standard error; one JSON value if that is asked for.
    pub fn tell(&self, as_json: bool) -> u8 {
        self.tell_by(as_json, true, say)
    }

    /// Says it where standard output is for data: all of it on standard error, and once.
    pub fn tell_beside_data(&self, as_json: bool) -> u8 {
        self.tell_by(as_json, !as_json, |text| {
            note_line(text);
            Ok(())
        })
    }

    fn tell_by(&self, as_json: bool, notes: bool, say: fn(&str) -> std::io::Result<()>) -> u8 {
        let code = self.code();
        let print = |value: &Value| say(&value.to_string());
        let said = match self {
            Ending::Done(_, value) if as_json => print(value),
            Ending::Incomplete(sentence, value) | Ending::Stopped(sentence, value) if as_json => {
                let mut value = value.clone();
                value["error"] = json!(sentence);
                value["exit_code"] = json!(code);
                print(&value)
            }
            Ending::Done(text, _) => say(&shown(text)),
            Ending::Text(text) => say(text),
            Ending::Silent => Ok(()),
            other => {
                let sentence = match other {
                    Ending::Incomplete(sentence, _) | Ending::Stopped(sentence, _) => sentence.clone(),
                    Ending::Input(sentence) | Ending::System(sentence) => sentence.clone(),
                    Ending::Interrupted(leaves) => format!("interrupted{leaves}"),
                    Ending::Done(..) | Ending::Text(_) | Ending::Silent => unreachable!("said above"),
                };
                let said = match as_json {
                    true => print(&json!({ "error": sentence, "problems": [], "exit_code": code })),
                    false => Ok(()),
                };
                if notes {
                    note(&format!("faircast: {sentence}"));
                }
                said
            }
        };
        match (said, code) {
            (Err(why), 0) if !is_closed(&why) => {
                note(&format!("faircast: cannot write what came of it to standard output: {why}"));
                3
            }
            _ => code,
        }
    }
}

impl From<Failure> for Ending {
    fn from(failure: Failure) -> Ending {
        match failure {
            Failure::Input(sentence) => Ending::Input(sentence),
            Failure::Disk(sentence) => Ending::System(sentence),
            Failure::Stopped => Ending::Interrupted(""),
        }
    }
}

impl From<Illegal> for Ending {
    fn from(wrong: Illegal) -> Ending {
        Ending::Input(wrong.to_string())
    }
}

/// A failure to read what was named: it cannot be used.
pub fn at_start(failure: Failure) -> Ending {
    match failure {
        Failure::Stopped => Ending::Interrupted(""),
        other => Ending::Input(other.to_string()),
    }
}

/// Says a line on standard error.
pub fn note(text: &str) {
    note_line(&shown(text));
}

/// Says lines on standard error, as they are.
fn note_line(text: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// A text as it can be shown. Names are in it that somebody else may have chosen, so control characters are written as
/// what they are.
pub fn shown(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, one| {
        if one.is_control() {
            shown.extend(one.escape_default())
        } else {
            shown.push(one)
        }
        shown
    })
}

/// Whether nobody reads any more, which is no failure of the command.
pub fn is_closed(why: &std::io::Error) -> bool {
    why.kind() == std::io::ErrorKind::BrokenPipe
}

/// Says a line on standard output.
///
/// # Errors
///
/// It cannot be written.
pub fn say(text: &str) -> std::io::Result<()> {
    use std::io::Write as _;
    writeln!(std::io::stdout(), "{text}")
}
