//! The words of a command line.

use crate::usage::Command;
use std::time::Duration;

/// What was given, each option with its value; checked against what the command takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    words: Vec<String>,
    given: Vec<(&'static str, String)>,
}

impl Options {
    /// Reads the words behind a verb.
    ///
    /// # Errors
    ///
    /// An option is unknown, has no value or is given twice, one that is needed is missing, or there are too many words
    /// or too few: a sentence.
    pub fn read(command: &Command, words: &[String]) -> Result<Options, String> {
        let mut options = Options::default();
        let mut words = words.iter();
        let mut are_words = false;
        while let Some(word) = words.next() {
            if word == "--" && !are_words {
                are_words = true;
                continue;
            }
            let Some(named) = word.strip_prefix("--").filter(|_| !are_words) else {
                if word.len() > 1 && word.starts_with('-') && !are_words {
                    return Err(unknown(command, word));
                }
                options.words.push(word.clone());
                continue;
            };
            let (name, value) = match named.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (named, None),
            };
            let Some(option) = command.options.iter().find(|option| option.name == name) else {
                return Err(unknown(command, word));
            };
            let value = match (option.value.is_empty(), value) {
                (true, None) => String::new(),
                (true, Some(_)) => return Err(format!("--{name} takes no value")),
                (false, Some(value)) => value,
                (false, None) => {
                    words.next().cloned().ok_or_else(|| format!("--{name} needs a value: {}", option.value))?
                }
            };
            if !option.repeats && options.has(name) {
                return Err(format!("--{name} is given twice"));
            }
            options.given.push((option.name, value));
        }
        for option in command.options.iter().filter(|option| option.is_needed) {
            if !options.has(option.name) {
                return Err(format!("--{} {} is missing: {}", option.name, option.value, option.about));
            }
        }
        let (least, most) = command.words;
        if options.words.len() < least || options.words.len() > most {
            return Err(format!("{} {} takes {}", "faircast", command.verb, command.line()));
        }
        Ok(options)
    }

    /// Words that belong to no option.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Whether an option was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(given, _)| *given == name)
    }

    /// An option's value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// All values of an option that may be repeated.
    pub fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.given.iter().filter(move |(given, _)| *given == name).map(|(_, value)| value.as_str())
    }

    /// A whole number.
    ///
    /// # Errors
    ///
    /// It is none of these: a sentence.
    pub fn number(&self, name: &str, (least, most): (u64, u64)) -> Result<Option<u64>, String> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.map(Some).ok_or_else(|| format!("--{name} {text:?} given; legal is {least} to {most}"))
    }

    /// A length of time in seconds.
    ///
    /// # Errors
    ///
    /// It is none: a sentence.
    pub fn seconds(&self, name: &str) -> Result<Option<Duration>, String> {
        let Some(text) = self.get(name) else { return Ok(None) };
        let seconds = text.trim_end_matches('s').trim_end().parse::<f64>().ok();
        let legal = seconds.filter(|seconds| (0.1..=1e6).contains(seconds)).map(Duration::from_secs_f64);
        legal.map(Some).ok_or_else(|| format!("--{name} {text:?} given; legal is 0.1 to 1000000 seconds"))
    }
}

fn unknown(command: &Command, word: &str) -> String {
    let names: Vec<String> = command.options.iter().map(|option| format!("--{}", option.name)).collect();
    format!("there is no option {word:?} of {}; there are: {}", command.verb, names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::COMMANDS;

    fn read(line: &str) -> Result<Options, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let command = COMMANDS.iter().find(|command| command.verb == words[0]).unwrap();
        Options::read(command, &words[1..])
    }

    #[test]
    fn words_and_options_in_any_order() {
        let options = read("send a --to 239.1.2.3:5000 b --max-rate=20Mbit/s --open -- --c").unwrap();
        assert_eq!(options.words(), ["a", "b", "--c"]);
        assert_eq!((options.get("to"), options.get("max-rate")), (Some("239.1.2.3:5000"), Some("20Mbit/s")));
        assert!(options.has("open") && !options.has("json"));
        let options = read("receive d --from 239.1.2.3:5000 --set a=1 --set b=2 --patience 2.5s --open").unwrap();
        assert_eq!(options.all("set").collect::<Vec<_>>(), ["a=1", "b=2"]);
        assert_eq!(options.seconds("patience"), Ok(Some(Duration::from_millis(2500))));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let said = |line| read(line).unwrap_err();
        assert!(said("send a --max-rate 1Mbit/s").starts_with("--to GROUP:PORT is missing"));
        assert!(said("send a --to x").starts_with("--max-rate RATE is missing"));
        assert!(said("send --to x --max-rate 1").starts_with("faircast send takes FILE.."));
        assert!(said("send a --too x").starts_with("there is no option \"--too\" of send; there are: --to, "));
        assert!(said("send a -x").starts_with("there is no option \"-x\""));
        assert_eq!(said("send a --to"), "--to needs a value: GROUP:PORT");
        assert_eq!(said("send a --to x --to y"), "--to is given twice");
        assert_eq!(said("send a --open=1"), "--open takes no value");
        let options = read("receive d --from x --patience no").unwrap();
        assert_eq!(
            options.seconds("patience").unwrap_err(),
            "--patience \"no\" given; legal is 0.1 to 1000000 seconds"
        );
        let options = read("keys d --receivers 0").unwrap();
        assert_eq!(options.number("receivers", (1, 9)).unwrap_err(), "--receivers \"0\" given; legal is 1 to 9");
    }
}
