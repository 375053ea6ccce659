//! What each command takes.

/// A command.
#[derive(Debug)]
pub struct Command {
    /// Its verb.
    pub verb: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What its words are called, and how many there may be.
    pub called: &'static str,
    /// The least and the greatest number of words.
    pub words: (usize, usize),
    /// Its options.
    pub options: &'static [Choice],
    /// A line that can be copied.
    pub example: &'static str,
}

/// An option of a command.
#[derive(Debug)]
pub struct Choice {
    /// Its name without dashes.
    pub name: &'static str,
    /// What its value is called; empty if it has none.
    pub value: &'static str,
    /// Whether the command needs it.
    pub is_needed: bool,
    /// Whether it may be given several times.
    pub repeats: bool,
    /// What it is for.
    pub about: &'static str,
}

const fn option(name: &'static str, value: &'static str, about: &'static str) -> Choice {
    Choice { name, value, is_needed: false, repeats: false, about }
}

const fn needed(name: &'static str, value: &'static str, about: &'static str) -> Choice {
    Choice { is_needed: true, ..option(name, value, about) }
}

const fn repeated(name: &'static str, value: &'static str, about: &'static str) -> Choice {
    Choice { repeats: true, ..option(name, value, about) }
}

const TO: Choice = needed("to", "GROUP:PORT", "the first group of the session, as 239.1.2.3:5000 or [ff15::1]:5000");
const SCHEME: Choice = option("scheme", "NAME", "the scheme, as scenarios name it; both ends alike. Default tfmcc");
const SET: Choice = repeated("set", "KEY=VALUE", "a parameter of the scheme, as in scenarios; both ends alike");
const PACKET: Choice =
    option("packet-size", "BYTES", "IP packets are this long at most; both ends alike. Default 1280");
const MAX_RATE: Choice = needed("max-rate", "RATE", "it never sends faster, as 20Mbit/s");
const INTERFACE: Choice = option("interface", "NAME", "the interface; default: that of the route to the group");
const OPEN: Choice = option("open", "", "no keys: nothing is encrypted, and everybody is believed");
const JSON: Choice = option("json", "", "print JSON for machines");
const TTL: Choice = option("ttl", "HOPS", "how many hops packets may take, 1 to 255. Default 1: they stay on the link");

/// All commands.
pub const COMMANDS: &[Command] = &[
    Command {
        verb: "keys",
        about: "Draw keys: a file for the sender and one for each receiver.",
        called: "DIR",
        words: (1, 1),
        options: &[needed("receivers", "N", "for how many receivers, 1 to 1000000"), JSON],
        example: "faircast keys keys --receivers 300",
    },
    Command {
        verb: "send",
        about: "Send files to all who receive in a multicast group, until they have them.",
        called: "FILE..",
        words: (1, usize::MAX),
        options: &[
            TO,
            SCHEME,
            MAX_RATE,
            SET,
            PACKET,
            INTERFACE,
            TTL,
            option("keys", "FILE", "the sender's keys, sender.key of faircast keys"),
            OPEN,
            option("receivers", "N", "it ends when so many have everything. Default: all with keys; 1 with --open"),
            option("patience", "SECONDS", "give up when nobody who lacks something is heard for so long. Default 60"),
            JSON,
        ],
        example: "faircast send film.mkv --to 239.1.2.3:5000 --max-rate 20Mbit/s --keys keys/sender.key",
    },
    Command {
        verb: "receive",
        about: "Receive files from a multicast group into a folder; goes on where it was killed.",
        called: "DIR",
        words: (1, 1),
        options: &[
            needed("from", "GROUP:PORT", "the first group of the session, as 239.1.2.3:5000 or [ff15::1]:5000"),
            option("source", "ADDR", "take what this host sends, and no other (source-specific multicast)"),
            SCHEME,
            SET,
            PACKET,
            INTERFACE,
            option("keys", "FILE", "the receiver's keys, receiver-N.key of faircast keys"),
            OPEN,
            option("replace", "", "replace other files that have the names already, which stay otherwise"),
            option("patience", "SECONDS", "give up when nothing has come for so long. Default: wait"),
            JSON,
        ],
        example: "faircast receive films --from 239.1.2.3:5000 --keys receiver-001.key",
    },
];

impl Command {
    /// What it takes, in one line.
    pub fn line(&self) -> String {
        let mut parts: Vec<String> = vec![self.called.to_owned()];
        for option in self.options {
            let value = if option.value.is_empty() { String::new() } else { format!(" {}", option.value) };
            let part = format!("--{}{value}", option.name);
            parts.push(match (option.is_needed, option.repeats) {
                (true, _) => part,
                (_, true) => format!("[{part}].."),
                _ => format!("[{part}]"),
            });
        }
        parts.retain(|part| !part.is_empty());
        parts.join(" ")
    }

    /// Its whole help.
    pub fn help(&self) -> String {
        let mut text = format!("{}\n\nUsage: faircast {} {}\n\n", self.about, self.verb, self.line());
        for option in self.options {
            let name = format!("--{} {}", option.name, option.value);
            text += &format!("  {name:<24} {}\n", option.about);
        }
        text + &format!("\nExample: {}\n", self.example)
    }
}

/// The help of all.
pub fn overview() -> String {
    let mut text = "Files from one host to many by fair multicast.\n\nUsage: faircast VERB ..\n\n".to_owned();
    for command in COMMANDS {
        text += &format!("  {:<9} {}\n", command.verb, command.about);
    }
    text + "\nExit codes: 0 done, 1 incomplete, 2 bad input, 3 a disk or the system is in the way, 130 interrupted.\n"
}
