//! What both ends of a session must agree on: scheme and parameters, as scenarios have them, and the greatest rate.

#[cfg(feature = "serde")]
mod hosts;
#[cfg(feature = "serde")]
mod keys;
mod kind;
mod source;

#[cfg(feature = "serde")]
pub use hosts::host_defaults;
pub use source::SourceEndpoint;

use crate::content::Content;
use crate::directory::{Directory, MOST_PEERS, OWN};
use crate::driver::{Driver, Part, Setting};
use crate::groups::Groups;
use faircast_proto::limits::Illegal;
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::random::Random;
use faircast_proto::registry::{SchemeConfig, SchemeReceiver};
use faircast_proto::scheme::{Responder, Scheme, Seat};
use faircast_proto::source::application;
use faircast_proto::time::Rate;
#[cfg(feature = "serde")]
use serde_json::Value;
use std::net::{IpAddr, SocketAddr};

/// A session: what is sent, and how it answers congestion.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// The scheme and its parameters.
    pub scheme: SchemeConfig,
    /// The greatest rate by which packets of the source are spaced; what a late host owes is made up for beyond it, as
    /// [`Driver`] says. There is no default: in a simulator the first link bounds a source, a host's is
    /// often far wider than what lies behind it, and the first hop of a session of layers carries all of them. What
    /// goes by a schedule, as SMCC's counting layers, must fit below it.
    pub max_rate: Rate,
    /// What the application has to send; left out, there is always something. For schemes that answer congestion.
    pub application: Option<application::Config>,
}

impl Session {
    /// A session of this scheme with these parameters.
    ///
    /// # Errors
    ///
    /// All that is wrong with it.
    pub fn new(
        scheme: SchemeConfig,
        max_rate: Rate,
        application: Option<application::Config>,
    ) -> Result<Session, Illegal> {
        let session = Session { scheme, max_rate, application };
        Illegal::unless_empty(session.check()).map(|()| session)
    }

    /// Reads a table as `[sessions.NAME]` of a scenario has it: `scheme`, its parameters, `application`; beside them
    /// `max_rate`, which is required here and bounds whatever the scheme is.
    ///
    /// # Errors
    ///
    /// All that is wrong with it.
    #[cfg(feature = "serde")]
    pub fn read(table: Value) -> Result<Session, Illegal> {
        let (scheme, max_rate, application) = keys::read(table)?;
        Session::new(scheme, max_rate, application)
    }

    /// The table from which it could be read, with all that it has by default.
    ///
    /// # Errors
    ///
    /// A scheme's parameters cannot be written; none of this tree.
    #[cfg(feature = "serde")]
    pub fn table(&self) -> serde_json::Result<Value> {
        keys::written(&(self.scheme.clone(), self.max_rate, self.application.clone()))
    }

    /// Every parameter with an illegal value.
    pub fn check(&self) -> Vec<(String, String)> {
        let mut wrong = self.scheme.check();
        let mut refuse = |key: &str, message: String| wrong.push((key.to_owned(), message));
        let (packet_bytes, given) = (self.scheme.packet_bytes(), self.max_rate.0);
        if given < packet_bytes {
            // RFC 4654 section 3.3.
            let legal = format!("legal is at least a packet in 8 s, {packet_bytes} bit/s");
            refuse("max_rate", format!("{given} bit/s given; {legal}"));
        }
        let is_elastic = self.scheme.responder() == Responder::Sender;
        if let Some(rate) = self.scheme.peak_rate().filter(|rate| !is_elastic && rate.0 > given) {
            let sends = format!("the source of {} sends up to {} bit/s", self.scheme.name(), rate.0);
            refuse("max_rate", format!("{given} bit/s given; {sends}; legal is at least that"));
        }
        if let Some(application) = &self.application {
            if !self.scheme.is_controlled() {
                refuse(
                    "application",
                    "given with a constant rate; legal with schemes that answer congestion".to_owned(),
                );
            }
            let of_application = application.check(packet_bytes);
            wrong.extend(of_application.into_iter().map(|(key, message)| (format!("application.{key}"), message)));
        }
        wrong
    }

    /// The groups of the session, the first at `first`.
    ///
    /// # Errors
    ///
    /// Those of [`Groups::new`].
    pub fn groups(&self, first: SocketAddr) -> Result<Groups, String> {
        Groups::new(first, self.scheme.groups().len() as u32)
    }

    /// The driver of a source that has this id, which is drawn at random and not 0.
    ///
    /// # Errors
    ///
    /// What is wrong with the session, the id or the groups.
    pub fn source<C: Content>(
        &self,
        id: u64,
        groups: Groups,
        content: C,
    ) -> Result<Driver<SourceEndpoint, C>, Illegal> {
        Illegal::unless_empty(self.check())?;
        let sender = self.scheme.sender(self.seat(id));
        let endpoint = SourceEndpoint::new(sender, self.application.as_ref(), self.scheme.packet_bytes());
        Ok(self.driver(endpoint, content, (id, groups, Part::Source))?.bounded(self.max_rate))
    }

    /// The driver of a member that has this id and takes the data of one source: that of the host `of`, or the first
    /// that is heard.
    ///
    /// # Errors
    ///
    /// What is wrong with the session, the id or the groups.
    pub fn member<C: Content>(
        &self,
        id: u64,
        groups: Groups,
        of: Option<IpAddr>,
        content: C,
    ) -> Result<Driver<SchemeReceiver, C>, Illegal> {
        Illegal::unless_empty(self.check())?;
        let endpoint = self.scheme.receiver(self.seat(id));
        self.driver(endpoint, content, (id, groups, Part::Member { of }))
    }

    fn driver<E: faircast_proto::endpoint::Endpoint, C: Content>(
        &self,
        endpoint: E,
        content: C,
        (id, groups, part): (u64, Groups, Part),
    ) -> Result<Driver<E, C>, Illegal> {
        let setting = Setting { part, groups, plan: self.scheme.groups(), kind: kind::header_kind(&self.scheme) };
        Driver::new(endpoint, content, setting, Directory::new(id, MOST_PEERS)?)
    }

    fn seat(&self, id: u64) -> Seat {
        Seat {
            flow: FlowId(0),
            own: OWN,
            group: Address::group(0),
            members: 1,
            line_rate: Some(self.max_rate),
            random: Random::stream(id, "wire/seat"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::tfmcc;
    use serde_json::json;

    fn wrong(table: Value) -> Vec<String> {
        let said = Session::read(table).unwrap_err().into_iter();
        said.map(|(key, message)| format!("{key}: {message}")).collect()
    }

    #[test]
    fn a_session_is_read_as_scenarios_have_it() {
        let table = json!({
            "scheme": "tfmcc", "max_rate": "20 Mbit/s", "packet_size": "1200 B", "profile": "rfc4654",
            "application": { "rate": "2 Mbit/s" },
        });
        let session = Session::read(table).unwrap();
        let SchemeConfig::Tfmcc(config) = &session.scheme else { panic!("{:?}", session.scheme) };
        assert_eq!((config.packet_size.0, config.suppressing_rounds), (1200, 8));
        assert_eq!((session.max_rate, session.application.unwrap().rate), (Rate(20_000_000), Some(Rate(2_000_000))));
        let layers = Session::read(json!({ "scheme": "smcc", "max_rate": "48 Mbit/s" })).unwrap();
        let groups = layers.groups("239.9.0.1:7000".parse().unwrap()).unwrap();
        assert_eq!(groups.count() as usize, layers.scheme.groups().len());
        assert!(groups.count() > 1);
    }

    #[test]
    fn what_is_wrong_is_said_with_what_is_legal() {
        let missing = "max_rate: missing; legal is a rate, as \"20 Mbit/s\": packets of a host are spaced by it, \
                       whatever the network would take";
        assert_eq!(wrong(json!({ "scheme": "tfmcc" })), [missing]);
        let names = "legal are cbr, tfmcc, omcc, pgmcc, smcc, layered-cbr, layer-blocking, rlm, mlda";
        assert_eq!(wrong(json!({ "max_rate": "1 Mbit/s" })), [format!("scheme: missing; {names}")]);
        let table = json!({ "scheme": "tcp", "max_rate": "1 Mbit/s" });
        assert_eq!(wrong(table), [format!("scheme: \"tcp\" given; {names}")]);
        let said = wrong(json!({ "scheme": "tfmcc", "max_rate": "1 Mbit/s", "paket_size": "1 kB" }));
        assert!(said[0].starts_with("paket_size: unknown; legal are application, data_limited, "), "{said:?}");
        let said = wrong(json!({ "scheme": "tfmcc", "max_rate": "999 bit/s", "round_rtts": 0.5 }));
        let least = "max_rate: 999 bit/s given; legal is at least a packet in 8 s, 1000 bit/s";
        assert_eq!(said, ["round_rtts: 0.5 given; legal is 1 to 100", least]);
        let said = wrong(json!({ "scheme": "tfmcc", "max_rate": "1 Mbit/s", "packet_size": "many" }));
        assert_eq!(said.len(), 1, "{said:?}");
        assert_eq!(wrong(json!(["tfmcc"])), ["session: no table of keys and values"]);
    }

    #[test]
    fn a_session_is_not_made_of_what_is_wrong() {
        let config = |round_rtts| tfmcc::Config { round_rtts, ..tfmcc::Config::default() };
        let new = |round_rtts, bps| Session::new(SchemeConfig::Tfmcc(config(round_rtts)), Rate(bps), None);
        for round_rtts in [0.0, -6.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let wrong = new(round_rtts, 1_000_000).unwrap_err();
            assert_eq!(wrong.to_string(), format!("round_rtts: {round_rtts} given; legal is 1 to 100"));
        }
        let wrong = new(f64::NAN, 0).unwrap_err();
        let no_rate = "max_rate: 0 bit/s given; legal is at least a packet in 8 s, 1000 bit/s";
        assert_eq!(wrong.to_string(), format!("round_rtts: NaN given; legal is 1 to 100. {no_rate}"));
        let mut session = new(6.0, 1_000_000).unwrap();
        let at = |count| Groups::new("239.1.1.1:5000".parse().unwrap(), count).unwrap();
        let why = |made: Result<_, Illegal>| made.map(|_: Driver<SourceEndpoint, ()>| ()).unwrap_err().to_string();
        let nobody = "id: 0 given; legal is any other number, as 0 is nobody's";
        assert_eq!(why(session.source(0, at(1), ())), nobody);
        assert_eq!(why(session.source(1, at(2), ())), "groups: 2 given; legal are the 1 of the session");
        assert_eq!(session.member(0, at(1), None, ()).map(|_| ()).unwrap_err().to_string(), nobody);
        assert!(session.source(1, at(1), ()).is_ok() && session.member(1, at(1), None, ()).is_ok());
        // The fields are public: what they have become is looked at again.
        session.max_rate = Rate(0);
        assert_eq!(why(session.source(1, at(1), ())), no_rate);
        assert_eq!(session.member(1, at(1), None, ()).map(|_| ()).unwrap_err().to_string(), no_rate);
    }

    #[test]
    fn constant_rates_are_below_the_greatest() {
        let sends = "the source of cbr sends up to 2000000 bit/s; legal is at least that";
        let table = json!({ "scheme": "cbr", "rate": "2 Mbit/s", "max_rate": "1.9 Mbit/s" });
        assert_eq!(wrong(table), [format!("max_rate: 1900000 bit/s given; {sends}")]);
        assert!(Session::read(json!({ "scheme": "cbr", "rate": "2 Mbit/s", "max_rate": "2 Mbit/s" })).is_ok());
        // Of SMCC with all counting layers: B_3, and for each period x of 32 ms to 512 ms 2^M - 1 packets of 8000 bits
        // in x, with M the least for which these are 1.25 times 6 Mbit/s.
        let counting = [(31, 32), (63, 64), (127, 128), (255, 256), (511, 512)].map(|(n, ms)| n * 8_000_000 / ms);
        let most = 8_000_000 + counting.iter().sum::<u64>();
        assert_eq!(most, 47_515_625);
        let smcc = |bps: u64| json!({ "scheme": "smcc", "max_rate": format!("{bps} bit/s") });
        let sends = format!("the source of smcc sends up to {most} bit/s; legal is at least that");
        assert_eq!(wrong(smcc(most - 1)), [format!("max_rate: {} bit/s given; {sends}", most - 1)]);
        assert!(Session::read(smcc(most)).is_ok());
        let mut direct = smcc(8_000_000);
        direct["join"] = json!("direct");
        assert!(Session::read(direct).is_ok());
        let said = wrong(json!({
            "scheme": "cbr", "rate": "1 Mbit/s", "max_rate": "1 Mbit/s", "application": { "rate": "1 kbit/s" },
        }));
        assert_eq!(said, ["application: given with a constant rate; legal with schemes that answer congestion"]);
    }
}
