//! The words of a command line: `clap` reads them, and what is wrong with them is one sentence that says what was given
//! and what is legal.

use crate::usage::{Line, Verb};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command, CommandFactory as _, FromArgMatches as _};
use std::error::Error as _;

/// What the words of a command line come to.
#[derive(Clone, Debug, PartialEq)]
pub enum Words {
    /// A command with its options.
    Verb(Box<Verb>),
    /// A text that was asked for: a help, or the version.
    Text(String),
    /// Nothing was said; the help of all.
    Nothing(String),
}

/// Reads the words behind the program's name.
///
/// # Errors
///
/// The verb or an option is unknown, an option has no value, an illegal one, or is given twice, one that is needed is
/// missing, or there are too many words or too few: a sentence.
pub fn read(words: &[String]) -> Result<Words, String> {
    let mut command = command();
    let Some(first) = words.first() else { return Ok(Words::Nothing(command.render_help().to_string())) };
    if !["--help", "-h", "--version", "-V"].contains(&first.as_str()) && command.find_subcommand(first).is_none() {
        let there: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        return Err(format!("there is no verb {first:?}; there are: {}", there.join(", ")));
    }
    let given = std::iter::once("faircast").chain(words.iter().map(String::as_str));
    let error = match command.try_get_matches_from_mut(given).and_then(|found| Line::from_arg_matches(&found)) {
        Ok(line) => return Ok(Words::Verb(Box::new(line.verb))),
        Err(error) => error,
    };
    match (error.kind(), command.find_subcommand(first)) {
        (ErrorKind::DisplayHelp, _) => Ok(Words::Text(error.render().to_string())),
        (ErrorKind::DisplayVersion, _) | (_, None) => Ok(Words::Text(env!("CARGO_PKG_VERSION").to_owned())),
        (_, Some(verb)) => Err(sentence(verb, &error)),
    }
}

/// All commands. What follows an option that has a value is the value, whatever it begins with.
fn command() -> Command {
    let takes_all = |arg: Arg| {
        let has_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
        if has_value && !arg.is_positional() { arg.allow_hyphen_values(true) } else { arg }
    };
    let mut command = Line::command().mut_subcommands(|verb| verb.mut_args(takes_all));
    command.build();
    command
}

/// What is wrong with the words behind a verb.
fn sentence(verb: &Command, error: &clap::Error) -> String {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let (given, value) = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue));
    // As clap writes it, with its value behind.
    let option = verb.get_opts().find(|option| option.to_string() == given);
    let name = given.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>', '.']);
    match error.kind() {
        ErrorKind::UnknownArgument if given.starts_with('-') => {
            let names: Vec<String> = options(verb).map(|option| format!("--{}", long(option))).collect();
            format!("there is no option {given:?} of {}; there are: {}", verb.get_name(), names.join(", "))
        }
        ErrorKind::UnknownArgument => format!("{given:?} given; {}", takes(verb)),
        ErrorKind::MissingRequiredArgument => {
            let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return takes(verb) };
            match verb.get_opts().find(|option| missing.contains(&option.to_string())) {
                Some(option) => {
                    let about = option.get_help().map(ToString::to_string).unwrap_or_default();
                    format!("--{} {} is missing: {about}", long(option), value_of(option))
                }
                None => takes(verb),
            }
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            format!("{name} needs a value: {}", option.map_or("", value_of))
        }
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            let legal = error.source().map(ToString::to_string).unwrap_or_default();
            format!("{name} {value:?} given; {legal}")
        }
        ErrorKind::TooManyValues => format!("{name} takes no value"),
        ErrorKind::ArgumentConflict => format!("{name} is given twice"),
        _ => takes(verb),
    }
}

fn takes(verb: &Command) -> String {
    let words = verb.get_positionals().map(|arg| {
        let more = if matches!(arg.get_action(), ArgAction::Append) { ".." } else { "" };
        format!("{}{more}", value_of(arg))
    });
    let options = options(verb).map(|option| {
        let value = value_of(option);
        let space = if value.is_empty() { "" } else { " " };
        let part = format!("--{}{space}{value}", long(option));
        match (option.is_required_set(), option.get_action()) {
            (true, _) => part,
            (_, ArgAction::Append) => format!("[{part}].."),
            _ => format!("[{part}]"),
        }
    });
    format!("faircast {} takes {}", verb.get_name(), words.chain(options).collect::<Vec<_>>().join(" "))
}

/// Options but for the one that asks for help.
fn options(verb: &Command) -> impl Iterator<Item = &Arg> {
    verb.get_arguments().filter(|arg| !arg.is_positional() && arg.get_id() != "help")
}

fn long(option: &Arg) -> &str {
    option.get_long().unwrap_or_default()
}

/// What an option's value is called; empty if it has none.
fn value_of(arg: &Arg) -> &str {
    let has_value = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let names = arg.get_value_names().filter(|_| has_value);
    names.and_then(|names| names.first()).map_or("", |name| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn given(line: &str) -> Result<Words, String> {
        read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    fn verb(line: &str) -> Verb {
        match given(line) {
            Ok(Words::Verb(verb)) => *verb,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn words_and_options_in_any_order() {
        let line = "send a --to 239.1.2.3:5000 b --max-rate=20Mbit/s --open --receivers 3 --ttl 9 -- --c";
        let Verb::Send(options) = verb(line) else { panic!() };
        assert_eq!(options.files, ["a", "b", "--c"]);
        assert_eq!((options.to, options.max_rate.as_str()), ("239.1.2.3:5000".parse().unwrap(), "20Mbit/s"));
        assert_eq!((options.receivers, options.ttl, options.shared.packet_size), (Some(3), Some(9), None));
        assert!(options.shared.open && !options.output.json);
        let line =
            "receive d --from [ff15::1]:5000 --set a=1 --set b=2=3 --patience 2.5s --source ::1 --packet-size 512";
        let Verb::Receive(options) = verb(line) else { panic!() };
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(options.listening.shared.set, [pair("a", "1"), pair("b", "2=3")]);
        assert_eq!(options.patience, Some(Duration::from_millis(2500)));
        assert_eq!(
            (options.listening.shared.packet_size, options.listening.source),
            (Some(512), Some("::1".parse().unwrap()))
        );
        let Verb::Receive(options) = verb("receive d --from 239.1.2.3:5 --keys --open --json") else { panic!() };
        assert_eq!(
            (options.listening.keys.as_deref(), options.listening.shared.open),
            (Some("--open"), false),
            "a value is what follows"
        );
        assert!(options.output.json);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let options = "there are: --to, --max-rate, --scheme, --set, --packet-size, --interface, --open, --format, \
                       --ttl, --keys, --receivers, --patience, --results, --json";
        let verbs = "keys, send, receive, probe, stream";
        let missing = "is missing: the first group of the session, as 239.1.2.3:5000 or [ff15::1]:5000";
        for (line, sentence) in [
            ("listen", "there is no verb \"listen\"; there are: VERBS"),
            ("--open", "there is no verb \"--open\"; there are: VERBS"),
            ("help", "there is no verb \"help\"; there are: VERBS"),
            ("send a --max-rate 1Mbit/s", "--to GROUP:PORT MISSING"),
            ("send", "--to GROUP:PORT MISSING"),
            ("receive d", "--from GROUP:PORT MISSING"),
            (
                "send a TO",
                "--max-rate RATE is missing: the most that the network can give, as 20Mbit/s; packets are spaced by it",
            ),
            ("send a --too x", "there is no option \"--too\" of send; OPTIONS"),
            ("send a -x", "there is no option \"-x\" of send; OPTIONS"),
            ("send a --to", "--to needs a value: GROUP:PORT"),
            ("send a --to=", "--to \"\" given; legal is a group and a port, as 239.1.2.3:5000"),
            ("send a TO TO", "--to is given twice"),
            ("send a --open --open", "--open is given twice"),
            ("send a --open=1", "--open takes no value"),
            ("keys --receivers 1", "faircast keys takes DIR --receivers N [--json]"),
            ("keys a b --receivers 1", "\"b\" given; faircast keys takes DIR --receivers N [--json]"),
            ("keys d --receivers 0", "--receivers \"0\" given; legal is 1 to 1000000"),
            ("keys d --receivers -1", "--receivers \"-1\" given; legal is 1 to 1000000"),
            ("send a --receivers many", "--receivers \"many\" given; legal is 1 to 1000000"),
            ("send a --ttl 256", "--ttl \"256\" given; legal is 1 to 255"),
            ("send a --packet-size 255", "--packet-size \"255\" given; legal is 256 to 9000"),
            ("send a --set x", "--set \"x\" given; legal is KEY=VALUE"),
            ("send a --to x", "--to \"x\" given; legal is a group and a port, as 239.1.2.3:5000"),
            ("receive d --source x", "--source \"x\" given; legal is the address of a host, as 192.0.2.1"),
            (
                "receive d --source 239.1.2.3",
                "--source \"239.1.2.3\" given; legal is the address of a host, as 192.0.2.1",
            ),
            ("receive d --source ::", "--source \"::\" given; legal is the address of a host, as 192.0.2.1"),
            ("receive d --format flute", "--format \"flute\" given; legal are faircast, norm"),
            ("receive d --patience no", "--patience \"no\" given; legal is 0.1 to 1000000 seconds"),
            ("receive d --patience 5ss", "--patience \"5ss\" given; legal is 0.1 to 1000000 seconds"),
            ("receive d --keys=", "--keys \"\" given; legal is a name that is not empty"),
        ] {
            let sentence = sentence.replace("VERBS", verbs).replace("MISSING", missing).replace("OPTIONS", options);
            assert_eq!(given(&line.replace("TO", "--to 239.1.2.3:5")), Err(sentence), "{line}");
        }
        let said = given("send --to 239.1.2.3:5 --max-rate 1").unwrap_err();
        let begins = "faircast send takes FILE.. --to GROUP:PORT --max-rate RATE [--scheme NAME] [--set KEY=VALUE].. ";
        assert!(
            said.starts_with(begins)
                && said.ends_with(
                    " [--open] [--format NAME] [--ttl HOPS] [--keys FILE] [--receivers N] \
            [--patience SECONDS] [--results DIR] [--json]"
                ),
            "{said}"
        );
    }

    #[test]
    fn help_and_version_are_texts() {
        let text = |line: &str| match given(line) {
            Ok(Words::Text(text) | Words::Nothing(text)) => text,
            other => panic!("{line}: {other:?}"),
        };
        for line in ["", "--help", "-h"] {
            assert!(
                text(line).contains("Draw keys") && text(line).contains("130 interrupted"),
                "{line}: {}",
                text(line)
            );
        }
        assert!(matches!(given(""), Ok(Words::Nothing(_))));
        for verb in ["keys", "send", "receive", "probe", "stream"] {
            for line in [format!("{verb} --help"), format!("{verb} --json -h")] {
                assert!(text(&line).contains(&format!("Example: faircast {verb} ")), "{}", text(&line));
            }
        }
        assert_eq!([text("--version"), text("-V")], [env!("CARGO_PKG_VERSION"); 2]);
    }

    #[test]
    fn clap_finds_nothing_wrong_with_it() {
        command().debug_assert();
    }
}
