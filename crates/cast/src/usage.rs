//! What each command takes, as `clap` has it. What is said of words that are none of this is in `options.rs`.

use crate::format::{Format, format};
use crate::values::{address, delay, group, hops, name, packet_bytes, receivers, seconds, setting};
use clap::{Args, Parser, Subcommand};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// Files and streams from one host to many by fair multicast.
#[derive(Debug, Parser)]
#[command(
    name = "faircast",
    version,
    disable_help_subcommand = true,
    subcommand_value_name = "VERB",
    subcommand_help_heading = "Verbs",
    after_help = "Exit codes: 0 done, 1 incomplete, 2 bad input, 3 a disk or the system is in the way, 130 interrupted."
)]
pub struct Line {
    /// The verb and what belongs to it.
    #[command(subcommand)]
    pub verb: Verb,
}

/// A command.
#[derive(Clone, Debug, PartialEq, Subcommand)]
pub enum Verb {
    /// Draw keys: a file for the sender and one for each receiver
    #[command(after_help = "Example: faircast keys keys --receivers 300")]
    Keys(Keys),
    /// Send files to all who receive in a multicast group, until they have them
    #[command(
        after_help = "Example: faircast send film.mkv --to 239.1.2.3:5000 --max-rate 20Mbit/s --keys keys/sender.key"
    )]
    Send(Send),
    /// Receive files from a multicast group into a folder; goes on where it was killed
    #[command(after_help = "Example: faircast receive films --from 239.1.2.3:5000 --keys receiver-001.key")]
    Receive(Receive),
    /// Say each second what a session does: who limits, and losses, RTT and rate as seen here
    #[command(after_help = "Example: faircast probe --from 239.1.2.3:5000 --open")]
    Probe(Probe),
    /// Carry standard input to standard output of all who receive, as it comes
    #[command(
        after_help = "Example: faircast stream --from 239.1.2.3:5000 --keys receiver-001.key | mpv -\n         ffmpeg \
                      -re -i film.mkv -f mpegts - | faircast stream --to 239.1.2.3:5000 --max-rate 9Mbit/s --keys \
                      keys/sender.key"
    )]
    Stream(Stream),
}

/// What `keys` takes.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Keys {
    /// the folder for them
    #[arg(value_name = "DIR", value_parser = name)]
    pub folder: String,
    /// for how many receivers, 1 to 1000000
    #[arg(long, value_name = "N", value_parser = receivers)]
    pub receivers: u32,
    /// How it ends.
    #[command(flatten)]
    pub output: Output,
}

/// What `send` takes.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Send {
    /// what to send: files, and folders with all that is in them
    #[arg(value_name = "FILE", required = true, value_parser = name)]
    pub files: Vec<String>,
    /// the first group of the session, as 239.1.2.3:5000 or [ff15::1]:5000
    #[arg(long, value_name = "GROUP:PORT", value_parser = group)]
    pub to: SocketAddr,
    /// the most that the network can give, as 20Mbit/s; packets are spaced by it
    #[arg(long, value_name = "RATE")]
    pub max_rate: String,
    /// What both ends are told.
    #[command(flatten)]
    pub shared: Shared,
    /// how packets are written: faircast, or norm, which NORM (RFC 5740) reads and needs --open. Default faircast
    #[arg(long, value_name = "NAME", value_parser = format)]
    pub format: Option<Format>,
    /// how many hops packets may take, 1 to 255. Default 1: they stay on the link
    #[arg(long, value_name = "HOPS", value_parser = hops)]
    pub ttl: Option<u8>,
    /// the sender's keys, sender.key of faircast keys
    #[arg(long, value_name = "FILE", value_parser = name)]
    pub keys: Option<String>,
    /// it ends when so many have everything. Default: all with keys; 1 with --open
    #[arg(long, value_name = "N", value_parser = receivers)]
    pub receivers: Option<u32>,
    /// give up when nobody who lacks something is heard for so long. Default 60
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub patience: Option<Duration>,
    /// What is written down of it.
    #[command(flatten)]
    pub written: Written,
    /// How it ends.
    #[command(flatten)]
    pub output: Output,
}

/// What `receive` takes.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Receive {
    /// the folder for the files
    #[arg(value_name = "DIR", value_parser = name)]
    pub folder: String,
    /// What it listens to.
    #[command(flatten)]
    pub listening: Listening,
    /// how packets are written: faircast, or norm, which NORM (RFC 5740) reads and needs --open. Default faircast
    #[arg(long, value_name = "NAME", value_parser = format)]
    pub format: Option<Format>,
    /// replace other files that have the names already, which stay otherwise
    #[arg(long)]
    pub replace: bool,
    /// give up when nothing has come for so long. Default: wait
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub patience: Option<Duration>,
    /// What is written down of it.
    #[command(flatten)]
    pub written: Written,
    /// How it ends.
    #[command(flatten)]
    pub output: Output,
}

/// What `probe` takes.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Probe {
    /// What it listens to.
    #[command(flatten)]
    pub listening: Listening,
    /// report as a receiver does: its RTT is measured, and it may limit. Default: say nothing
    #[arg(long)]
    pub report: bool,
    /// end after so long. Default: go on until Ctrl-C
    #[arg(long = "for", value_name = "SECONDS", value_parser = seconds)]
    pub seconds: Option<Duration>,
    /// What is written down of it.
    #[command(flatten)]
    pub written: Written,
    /// How it ends.
    #[command(flatten)]
    pub output: Output,
}

/// What `stream` takes.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Stream {
    /// send standard input to this group, the first of the session, as 239.1.2.3:5000
    #[arg(long, value_name = "GROUP:PORT", value_parser = group)]
    pub to: Option<SocketAddr>,
    /// receive from this group, the first of the session, to standard output
    #[arg(long, value_name = "GROUP:PORT", value_parser = group)]
    pub from: Option<SocketAddr>,
    /// with --to, required: the most that the network can give, as 20Mbit/s; packets are spaced by it
    #[arg(long, value_name = "RATE")]
    pub max_rate: Option<String>,
    /// with --to: what is not repaired after so long is given up, 0.1 to 1000. Default 5
    #[arg(long, value_name = "SECONDS", value_parser = delay)]
    pub delay: Option<Duration>,
    /// with --to: never hold the input up; what cannot be sent within the delay is left out
    #[arg(long)]
    pub live: bool,
    /// with --to: begin when so many are there, and end when so many have come to the end. Default 1
    #[arg(long, value_name = "N", value_parser = receivers)]
    pub receivers: Option<u32>,
    /// with --from: take what this host sends, and no other (source-specific multicast)
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub source: Option<IpAddr>,
    /// What both ends are told.
    #[command(flatten)]
    pub shared: Shared,
    /// with --to: how many hops packets may take, 1 to 255. Default 1: they stay on the link
    #[arg(long, value_name = "HOPS", value_parser = hops)]
    pub ttl: Option<u8>,
    /// the keys of this end, sender.key or receiver-N.key of faircast keys
    #[arg(long, value_name = "FILE", value_parser = name)]
    pub keys: Option<String>,
    /// give up when nothing comes for so long, or nobody is heard behind the end. Default: wait; 60 with --to
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub patience: Option<Duration>,
    /// What is written down of it.
    #[command(flatten)]
    pub written: Written,
    /// say nothing unless it ends badly
    #[arg(long)]
    pub quiet: bool,
    /// print JSON for machines, on standard error
    #[arg(long)]
    pub json: bool,
}

impl Stream {
    /// How it tells how it is.
    pub fn output(&self) -> Output {
        Output { json: self.json || self.quiet }
    }
}

/// What whoever listens is told: a receiver, or a probe.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Listening {
    /// the first group of the session, as 239.1.2.3:5000 or [ff15::1]:5000
    #[arg(long, value_name = "GROUP:PORT", value_parser = group)]
    pub from: SocketAddr,
    /// take what this host sends, and no other (source-specific multicast)
    #[arg(long, value_name = "ADDR", value_parser = address)]
    pub source: Option<IpAddr>,
    /// What both ends are told.
    #[command(flatten)]
    pub shared: Shared,
    /// the keys of a receiver, receiver-N.key of faircast keys
    #[arg(long, value_name = "FILE", value_parser = name)]
    pub keys: Option<String>,
}

/// What all ends of a session are told of it, alike but for the interface.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Shared {
    /// the scheme, as scenarios name it; both ends alike. Default tfmcc
    #[arg(long, value_name = "NAME")]
    pub scheme: Option<String>,
    /// a parameter of the scheme, as in scenarios; both ends alike
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// IP packets with data are this long at most, 256 to 9000; both ends alike. Default 1280
    #[arg(long, value_name = "BYTES", value_parser = packet_bytes)]
    pub packet_size: Option<u64>,
    /// the interface; default: that of the route to the group
    #[arg(long, value_name = "NAME")]
    pub interface: Option<String>,
    /// no keys: nothing is encrypted, and everybody is believed
    #[arg(long)]
    pub open: bool,
}

/// What is written down of a session while it goes on.
#[derive(Args, Clone, Debug, PartialEq)]
pub struct Written {
    /// a folder for rates, gauges and events, which faircast plot, why and report read. Default: none
    #[arg(long, value_name = "DIR", value_parser = name)]
    pub results: Option<String>,
}

/// How a command tells what came of it.
#[derive(Args, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Output {
    /// print JSON for machines
    #[arg(long)]
    pub json: bool,
}

impl Verb {
    /// How it tells what came of it.
    pub fn output(&self) -> Output {
        match self {
            Verb::Keys(options) => options.output,
            Verb::Send(options) => options.output,
            Verb::Receive(options) => options.output,
            Verb::Probe(options) => options.output,
            Verb::Stream(options) => Output { json: options.json },
        }
    }
}
