//! What both ends of a session must agree on, and what a host opens for it.

use crate::ending::{Ending, Result};
use crate::usage::Shared;
use faircast_deliver::keys::{SEALED_BYTES, Salt};
use faircast_deliver::symbol::HEADER_BYTES;
use faircast_proto::group_set::Senders;
use faircast_proto::scheme::Scheme as _;
use faircast_wire::groups::Groups;
use faircast_wire::session::{Session, host_defaults};
use faircast_wire::sockets::{self, Interface, Sockets};
use serde_json::{Map, Value, json};
use std::net::{IpAddr, SocketAddr};

/// A session as a command line has it.
#[derive(Debug)]
pub struct Agreed {
    /// Scheme, parameters, greatest rate.
    pub session: Session,
    /// Its groups.
    pub groups: Groups,
    /// Bytes of a symbol.
    pub symbol_bytes: u16,
    packet_bytes: u64,
}

/// What IPv6's header has more than IPv4's.
fn beyond_ipv4(group: IpAddr) -> u64 {
    if group.is_ipv4() { 0 } else { 20 }
}

/// The longest header of a message with data, IP and UDP included: OMCC's and SMCC's (`docs/wire-format.md`). One for
/// all schemes, so that equal files have equal blocks whichever carries them, over one version of IP.
const MOST_HEADER_BYTES: u64 = 80;

impl Agreed {
    /// What the options say: whether `keys` are given, the first group with the option that names it, the greatest
    /// rate, which a receiver need not know.
    pub fn read(
        options: &Shared,
        keyed: bool,
        (to, first): (&str, SocketAddr),
        max_rate: Option<&str>,
    ) -> Result<Agreed> {
        if keyed == options.open {
            let which = if keyed { "both are given" } else { "neither is given" };
            let sentence = format!("--keys FILE or --open says who is believed; {which}, one is legal");
            return Err(Ending::Input(sentence));
        }
        // A scheme counts packets with headers of IPv4.
        let longest = options.packet_size.unwrap_or(1280);
        let packet_bytes = longest - beyond_ipv4(first.ip());
        let session = session(options, packet_bytes, max_rate)?;
        let used = session.scheme.packet_bytes();
        if used != packet_bytes {
            return Err(by_packet_size("tfmcc"));
        }
        let groups = session.groups(first).map_err(|why| Ending::Input(format!("--{to} {first}: {why}")))?;
        let plan = session.scheme.groups();
        if keyed && plan.iter().any(|group| group.senders != Senders::Source) {
            let name = session.scheme.name();
            let sentence = format!("members of {name} speak to each other, for which there are no keys: use --open");
            return Err(Ending::Input(sentence));
        }
        let symbol = packet_bytes - MOST_HEADER_BYTES - SEALED_BYTES as u64 - HEADER_BYTES as u64;
        Ok(Agreed { session, groups, symbol_bytes: (symbol - symbol % 8) as u16, packet_bytes })
    }

    /// Bytes of a packet with data as the scheme counts them, at most: with headers of IPv4.
    pub fn packet_bytes(&self) -> u64 {
        self.packet_bytes
    }

    /// Looks whether the session has one group: what layers carried would be parts of a stream, which only who holds
    /// all of them could put together.
    pub fn check_one_group(&self, scheme: Option<&str>) -> Result<()> {
        if self.groups.count() == 1 {
            return Ok(());
        }
        let sentence =
            "its layers would carry parts of a stream; legal are schemes of one group: tfmcc, omcc, pgmcc, cbr";
        Err(Ending::Input(format!("--scheme {:?} given, {sentence}", scheme.unwrap_or_default())))
    }

    /// Looks whether the interface takes packets that are so long.
    pub fn check_length(&self, interface: &Interface) -> Result<()> {
        let longest = self.packet_bytes + beyond_ipv4(self.groups.first().ip());
        let path = format!("/sys/class/net/{}/mtu", interface.name);
        let most = std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse::<u64>().ok());
        match most {
            Some(most) if longest > most => {
                let name = &interface.name;
                let sentence = format!("packets of {longest} bytes are too long for {name}; legal is up to {most}");
                Err(Ending::Input(format!("--packet-size: {sentence}")))
            }
            _ => Ok(()),
        }
    }

    /// Opens sockets for it, on this interface, for the packets of one host or of any, which take so many hops.
    pub fn sockets(&self, interface: Option<&str>, source: Option<IpAddr>, ttl: Option<u8>) -> Result<Sockets> {
        let wanted = sockets::Options {
            interface: interface.map(str::to_owned),
            source,
            ttl: ttl.unwrap_or(1),
            longest: (self.packet_bytes as usize + 64).max(2048),
            ..sockets::Options::default()
        };
        Sockets::open(self.groups, wanted).map_err(Ending::Input)
    }
}

/// The table that `[sessions.NAME]` of a scenario would be.
fn session(options: &Shared, packet_bytes: u64, max_rate: Option<&str>) -> Result<Session> {
    let scheme = options.scheme.as_deref().unwrap_or("tfmcc");
    let mut table = host_defaults(scheme);
    let size = json!(format!("{packet_bytes} B"));
    match table.get_mut("tfmcc") {
        Some(Value::Object(of_groups)) => of_groups.insert("packet_size".to_owned(), size),
        _ => table.insert("packet_size".to_owned(), size),
    };
    table.insert("max_rate".to_owned(), json!(max_rate.unwrap_or("100 Gbit/s")));
    let mut steps = vec![(String::new(), table.clone())];
    for (key, text) in &options.set {
        match key.split('.').next().unwrap_or_default() {
            "scheme" => return Err(Ending::Input("--set scheme given; legal is to give it by --scheme".to_owned())),
            "max_rate" => {
                return Err(Ending::Input("--set max_rate given; legal is to give it by --max-rate".to_owned()));
            }
            "packet_size" => return Err(by_packet_size(key)),
            "tfmcc" if scheme == "smcc" && key == "tfmcc.packet_size" => return Err(by_packet_size(key)),
            "application" => {
                return Err(Ending::Input("--set application given; files are all that is to be sent".to_owned()));
            }
            _ => {}
        }
        let value = serde_json::from_str(text).unwrap_or_else(|_| json!(text));
        let given = format!("--set {:?} given; ", format!("{key}={text}"));
        if !put(&mut table, key, value) {
            return Err(Ending::Input(format!("{given}what stands before the dot has no keys")));
        }
        steps.push((given, table.clone()));
    }
    let wrong = match Session::read(Value::Object(table)) {
        Ok(session) => return Ok(session),
        Err(wrong) => wrong,
    };
    // Not every message names what it is about: with which setting was it wrong first? That is asked only now, as all
    // together may be right where some are not.
    let first = steps.into_iter().find_map(|(given, table)| Some((given, Session::read(Value::Object(table)).err()?)));
    let (given, wrong) = first.unwrap_or((String::new(), wrong));
    let (path, message) = &wrong[0];
    let path = match path.as_str() {
        "max_rate" => "--max-rate: ".to_owned(),
        "packet_size" | "tfmcc.packet_size" => "--packet-size: ".to_owned(),
        "session" | "" if !given.is_empty() => String::new(),
        path => format!("{path}: "),
    };
    Err(Ending::Input(format!("{given}{path}{message}")))
}

/// How long packets are both ends say by an option of its own: SMCC has it among the parameters of its layers.
fn by_packet_size(key: &str) -> Ending {
    Ending::Input(format!("--set {key} given; legal is to give it by --packet-size"))
}

/// Puts a value where a path with dots leads, if it leads somewhere.
fn put(table: &mut Map<String, Value>, path: &str, value: Value) -> bool {
    match path.split_once('.') {
        None => {
            table.insert(path.to_owned(), value);
            true
        }
        Some((first, rest)) => match table.entry(first).or_insert_with(|| json!({})) {
            Value::Object(inner) => put(inner, rest, value),
            _ => false,
        },
    }
}

/// An id that nobody else has, and no receiver with keys could have: those are numbers of 32 bits.
pub fn draw_id() -> Result<u64> {
    let Salt(drawn) = Salt::draw()?;
    Ok(drawn.iter().take(8).fold(0, |id, byte| id << 8 | u64::from(*byte)) | 1 << 63)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{Words, read};
    use crate::usage::Verb;
    use faircast_proto::registry::SchemeConfig;
    use faircast_proto::tfmcc::{self, LossEventSpan};
    use faircast_proto::time::Duration;

    /// The session of a probe that is given these words.
    fn probed(words: &str) -> Session {
        let line = format!("probe --from 239.1.1.1:5000 --open {words}");
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let Ok(Words::Verb(verb)) = read(&words) else { panic!("{line}") };
        let Verb::Probe(options) = *verb else { panic!("{line}") };
        session(&options.listening.shared, 1280, Some("100 Mbit/s")).unwrap()
    }

    fn of(session: &Session) -> &tfmcc::Config {
        match &session.scheme {
            SchemeConfig::Tfmcc(config) => config,
            SchemeConfig::Omcc(config) => &config.tfmcc,
            SchemeConfig::Smcc(config) => &config.tfmcc,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn whatever_goes_by_the_rate_control_of_tfmcc_knows_how_late_hosts_are() {
        let clock = |words: &str| {
            let session = probed(words);
            let config = of(&session);
            (config.packet_size.0, config.granularity, config.silence_floor)
        };
        let [ten, fifty, one] = [10, 50, 1].map(Duration::from_millis);
        for scheme in ["tfmcc", "omcc", "smcc"] {
            assert_eq!(clock(&format!("--scheme {scheme}")), (1280, ten, fifty), "{scheme}");
        }
        assert_eq!(clock("--scheme omcc --set granularity=1ms"), (1280, one, fifty));
        assert_eq!(clock("--scheme smcc --set tfmcc.granularity=1ms"), (1280, one, fifty));
    }

    #[test]
    fn a_loss_event_of_tfmcc_lasts_as_long_as_that_of_a_tcp_unless_set() {
        let span = |words| of(&probed(words)).loss_event_span;
        assert_eq!(span("--scheme tfmcc"), LossEventSpan::Window);
        assert_eq!(span("--set loss_event_span=rtt"), LossEventSpan::Rtt);
        assert_eq!(span("--scheme omcc"), LossEventSpan::Rtt);
    }
}
