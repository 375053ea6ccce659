//! Guests: kinds from outside the tree, in scenarios from the file to the tables.

#[allow(dead_code, reason = "no guest needs all of it")]
#[path = "scenarios/support/mod.rs"]
mod support;

use faircast_proto::guest::{Kind, SchemeKind};
use faircast_proto::packet::Packet;
use faircast_proto::quantity::{Bytes, Packets, QueueSize};
use faircast_proto::scheme::{Responder, Scheme, Seat};
use faircast_proto::source::cbr;
use faircast_proto::tcp::rule::RuleKind;
use faircast_proto::tcp::{Ack, Window, WindowRule};
use faircast_proto::time::Rate;
use faircast_scenario::guests::add;
use faircast_scenario::run::{Control, Failure};
use faircast_scenario::{Guests, Scenario, catalogue, run, schema};
use faircast_sim::queue::{
    Discipline, DropReason, Drops, Fifo, Held, InterfaceView, LinkContext, Queue, QueueKind, Scheduler, Verdict,
};
use faircast_sim::router::{
    AgentKind, GaugeSubject, Offer, RouterAgent, RouterContext, RouterGauge, RouterOutbox, RouterView,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::{Arc, Once};
use support::{go, numbers, table, words};

/// A scheme: a constant rate again.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Steady {
    /// Its rate. Default "600 kbit/s".
    rate: Rate,
    /// Size of a packet. Default "1000 B".
    packet_size: Bytes,
    /// What it is painted in: "red" or "blue". Default "red".
    colour: Colour,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
struct Colour(String);

/// A queue with a limit and nothing else: drop-tail again.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Short {
    /// The most that may wait, in packets.
    limit: QueueSize,
}

/// An agent that lets a part of the multicast packets pass.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Every {
    /// Every so many passes, 1 or more.
    passes: u32,
}

/// A window that does not grow beyond a bound.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Bounded {
    /// The bound.
    bound: Packets,
}

impl Steady {
    fn cbr(&self) -> cbr::Config {
        cbr::Config { rate: self.rate, packet_size: self.packet_size, ..cbr::Config::default() }
    }
}

impl Scheme for Steady {
    type Sender = <cbr::Config as Scheme>::Sender;
    type Receiver = <cbr::Config as Scheme>::Receiver;

    fn check(&self) -> Vec<(String, String)> {
        Scheme::check(&self.cbr())
    }

    fn packet_bytes(&self) -> u64 {
        self.packet_size.0
    }

    fn max_rate(&self) -> Option<Rate> {
        Some(self.rate)
    }

    fn responder(&self) -> Responder {
        Responder::Nobody
    }

    fn sender(&self, seat: Seat) -> Self::Sender {
        Scheme::sender(&self.cbr(), seat)
    }

    fn receiver(&self, seat: Seat) -> Self::Receiver {
        Scheme::receiver(&self.cbr(), seat)
    }
}

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Colour, String> {
        if ["red", "blue"].contains(&text.as_str()) { Ok(Colour(text)) } else { Err(format!("no colour {text}")) }
    }
}

impl From<Colour> for String {
    fn from(colour: Colour) -> String {
        colour.0
    }
}

impl QueueKind for Short {
    fn check(&self) -> Vec<(String, String)> {
        let legal = matches!(self.limit, QueueSize::Packets(limit) if limit >= 1.0);
        (!legal).then(|| ("limit".into(), "legal are packets, 1 or more".into())).into_iter().collect()
    }

    fn limit(&self) -> QueueSize {
        self.limit
    }

    fn queue(&self, _context: LinkContext) -> Queue {
        let QueueSize::Packets(limit) = self.limit else { unreachable!("checked") };
        struct Limited(f64);
        impl Discipline for Limited {
            fn arrive(&mut self, _packet: &Packet, at: &InterfaceView) -> Verdict {
                // As drop-tail counts: the packet in transmission, too.
                let room = f64::from(at.waiting_pkts + u32::from(at.transmitting)) < self.0;
                if room { Verdict::Accept } else { Verdict::Drop(DropReason::Overflow) }
            }
        }
        Queue::Guest(Box::new(Limited(limit)))
    }
}

/// A queue that lets three packets through, and then nothing.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Clogged {
    /// The most that may wait; more may.
    limit: Option<QueueSize>,
}

impl QueueKind for Clogged {
    fn limit(&self) -> QueueSize {
        QueueSize::Packets(1e9)
    }

    fn queue(&self, _context: LinkContext) -> Queue {
        struct Three(u32, Fifo);
        impl Discipline for Three {
            fn arrive(&mut self, _packet: &Packet, _at: &InterfaceView) -> Verdict {
                Verdict::Accept
            }
        }
        impl Scheduler for Three {
            fn name(&self) -> &str {
                "clogged"
            }

            fn enqueue(&mut self, held: Held, _packet: &Packet, _at: &InterfaceView, _drops: &mut Drops) {
                self.1.push(held);
            }

            fn dequeue(&mut self, _at: &InterfaceView, _drops: &mut Drops) -> Option<(Held, Verdict)> {
                self.0 += 1;
                if self.0 > 3 { None } else { self.1.pop().map(|held| (held, Verdict::Accept)) }
            }

            fn len(&self) -> usize {
                self.1.len()
            }

            fn remove(&mut self, leaves: &mut dyn FnMut(&mut Held) -> bool, out: &mut Vec<Held>) {
                self.1.remove(leaves, out);
            }
        }
        Queue::Scheduler(Box::new(Three(0, Fifo::default())))
    }
}

impl AgentKind for Every {
    fn acts_on_sessions(&self) -> bool {
        true
    }

    fn agent(&self, _context: RouterContext) -> Box<dyn RouterAgent + Send> {
        struct Agent {
            passes: u32,
            seen: u32,
        }
        impl RouterAgent for Agent {
            fn on_packet(&mut self, packet: &Packet, _at: &RouterView<'_>, _out: &mut RouterOutbox) -> Offer {
                self.seen += u32::from(packet.destination.is_group());
                let passes = !packet.destination.is_group() || self.seen.is_multiple_of(self.passes);
                if passes { Offer::Forward } else { Offer::HoldBack }
            }

            fn gauges(&self, tell: &mut dyn FnMut(RouterGauge)) {
                tell(RouterGauge { about: GaugeSubject::Interface, name: "seen_pkts", value: f64::from(self.seen) });
            }
        }
        Box::new(Agent { passes: self.passes.max(1), seen: 0 })
    }
}

impl RuleKind for Bounded {
    fn check(&self) -> Vec<(String, String)> {
        let message = format!("{} packets given; legal is 1 or more", self.bound.0);
        (self.bound.0 < 1.0).then(|| ("bound".into(), message)).into_iter().collect()
    }

    fn rule(&self) -> Box<dyn WindowRule + Send> {
        struct Rule(f64);
        impl WindowRule for Rule {
            fn grow(&mut self, _ack: &Ack, window: &mut Window) {
                window.cwnd = (window.cwnd + 1.0).min(self.0);
            }
        }
        Box::new(Rule(self.bound.0))
    }
}

impl Default for Steady {
    fn default() -> Steady {
        Steady { rate: Rate(600_000), packet_size: Bytes(1000), colour: Colour("red".into()) }
    }
}

impl Default for Short {
    fn default() -> Short {
        Short { limit: QueueSize::Packets(5.0) }
    }
}

impl Default for Bounded {
    fn default() -> Bounded {
        Bounded { bound: Packets(4.0) }
    }
}

fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        Guests::of("y", "1").queue::<Clogged>("clogged", "Lets three packets through.");
        let guests = Guests::of("visitors", "1.2.3");
        guests.scheme::<Steady>("steady", "A constant rate again.");
        guests.queue::<Short>("short", "A limit and nothing else.");
        guests.agent::<Every>("every", "Lets a part of the multicast packets pass.");
        guests.window_rule::<Bounded>("bounded", "A window that does not grow beyond a bound.");
        Guests::of("y", "1").scheme::<Steady>("again", "Again.");
    });
}

const NETWORK: &str = r#"
format = 1
name = "visit"
duration = "10 s"

[topology]
kind = "dumbbell"
left = 2
right = 2
"#;

fn visit(session: &str, bottleneck: &str, variant: &str) -> String {
    format!(
        "{NETWORK}\n[links.bottleneck]\n{bottleneck}\n[flows.web]\nkind = \"tcp\"\nfrom = \"left-1\"\nto = \
         \"right-1\"\nvariant = {variant}\n[sessions.film]\nsource = \"left-0\"\n{session}\n"
    )
}

/// Everything that is wrong with it, path and message.
fn wrong(text: &str) -> Vec<(String, String)> {
    register();
    match Scenario::from_toml(text) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.into_iter().map(|problem| (problem.path, problem.message)).collect(),
    }
}

fn wrong_value(value: Value) -> Vec<(String, String)> {
    match Scenario::from_json(value) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.into_iter().map(|problem| (problem.path, problem.message)).collect(),
    }
}

const GUEST: &str = "scheme = \"steady\"\nrate = \"765_432 bit/s\"";

#[test]
fn a_guest_that_wraps_a_scheme_of_the_tree_gives_its_tables() {
    register();
    let rate = "rate = \"765432 bit/s\"\npacket_size = \"500 B\"";
    let [guest, own] = ["steady", "cbr"].map(|scheme| {
        let queue = if scheme == "cbr" { "drop-tail" } else { "short" };
        let link = format!("queue = {{ kind = \"{queue}\", limit = \"7 packets\" }}");
        go(&visit(&format!("scheme = \"{scheme}\"\n{rate}"), &link, "\"newreno\""))
    });
    // What is told of drop-tail queues is not told of one from outside.
    for (guest, own) in guest.tables.iter().zip(&own.tables).filter(|(table, _)| table.name != "warnings") {
        assert!(own.rows() > 0 || guest.rows() == 0);
        // NaN equals itself here.
        assert_eq!(format!("{guest:?}"), format!("{own:?}"));
    }
}

#[test]
fn queues_agents_and_window_rules_from_outside_do_their_work() {
    register();
    let link = "queue = { kind = \"short\" }\nagent = { kind = \"every\", passes = 4 }";
    let output = go(&visit("scheme = \"steady\"", link, "{ kind = \"bounded\", bound = \"3 packets\" }"));
    let routers = table(&output, "routers");
    assert!(words(routers, "gauge").iter().all(|gauge| gauge == "seen_pkts"));
    // 600 kbit/s in packets of 1000 bytes are 75 in a second.
    assert!((numbers(routers, "value").last().unwrap() - 750.0).abs() < 3.0);
    let receivers = table(&output, "receivers");
    assert!(numbers(receivers, "goodput_bps").iter().skip(2).all(|bps| (bps - 150e3).abs() < 17e3));
    let cwnd = numbers(table(&output, "flows"), "cwnd_pkts").iter().filter(|cwnd| !cwnd.is_nan());
    assert_eq!(cwnd.copied().fold(0.0, f64::max), 3.0);
    let by_word = go(&visit("scheme = \"steady\"", "", "\"bounded\""));
    let cwnd = numbers(table(&by_word, "flows"), "cwnd_pkts").iter().filter(|cwnd| !cwnd.is_nan());
    assert_eq!(cwnd.copied().fold(0.0, f64::max), 4.0, "the bound by default");
}

#[test]
fn a_resolved_scenario_says_where_its_guests_are_from_and_all_their_parameters() {
    register();
    let link = "queue = { kind = \"short\" }\nagent = { kind = \"every\" }";
    let scenario = Scenario::from_toml(&visit("scheme = \"steady\"", link, "\"bounded\"")).expect("legal");
    let resolved = scenario.to_json();
    let session = &resolved["sessions"]["film"];
    assert_eq!((&session["scheme"], &session["origin"]), (&"steady".into(), &"visitors 1.2.3".into()));
    assert_eq!((&session["rate"], &session["colour"]), (&"600 kbit/s".into(), &"red".into()));
    let queue = serde_json::json!({ "kind": "short", "origin": "visitors 1.2.3", "limit": "5 packets" });
    assert_eq!(resolved["links"]["bottleneck"]["queue"], queue);
    assert_eq!(resolved["links"]["bottleneck"]["agent"]["origin"], "visitors 1.2.3");
    let rule = serde_json::json!({ "kind": "bounded", "origin": "visitors 1.2.3", "bound": "4 packets" });
    assert_eq!(resolved["flows"]["web"]["variant"], rule);
    let again = Scenario::from_json(resolved.clone()).expect("what was written is legal");
    assert_eq!((&again, again.to_json()), (&scenario, resolved.clone()));

    // A program that lacks them, and one that has another version.
    let mut elsewhere = resolved.clone();
    elsewhere["sessions"]["film"]["scheme"] = "stedy".into();
    elsewhere["links"]["bottleneck"]["queue"]["kind"] = "long".into();
    elsewhere["flows"]["web"]["variant"]["kind"] = "free".into();
    let found = wrong_value(elsewhere);
    let missing = |path: &str, start: &str| {
        assert!(found.iter().any(|(at, message)| at == path && message.starts_with(start)), "{path}: {found:#?}");
    };
    missing(
        "sessions.film.scheme",
        "\"stedy\" is a guest from visitors 1.2.3, and not here: take the program that has it; legal here are cbr,",
    );
    missing("links.bottleneck.queue.kind", "\"long\" is a guest from visitors 1.2.3, and not here");
    missing("flows.web.variant.kind", "\"free\" is a guest from visitors 1.2.3, and not here");
    assert_eq!(found.len(), 3, "{found:#?}");
    let mut older = resolved;
    older["sessions"]["film"]["origin"] = "visitors 1.2.2".into();
    let message = "this comes from \"visitors 1.2.2\", and here is \"visitors 1.2.3\", which may give other results: \
                   leave origin out to take that";
    assert_eq!(wrong_value(older), [("sessions.film.origin".to_owned(), message.to_owned())]);
}

#[test]
fn what_is_wrong_with_a_guest_is_said_as_of_the_trees_own() {
    let only = |text: &str, path: &str, message: &str| {
        assert_eq!(wrong(text), [(path.to_owned(), message.to_owned())]);
    };
    let of_session = |session: &str| visit(session, "", "\"sack\"");
    only(
        &of_session("scheme = \"stedy\""),
        "sessions.film.scheme",
        "\"stedy\" is not legal; did you mean steady?; legal are cbr, tfmcc, omcc, pgmcc, smcc, layered-cbr, \
             layer-blocking, rlm, mlda, steady, again",
    );
    only(
        &of_session("scheme = \"steady\"\ncolor = \"red\""),
        "sessions.film.color",
        "unknown key; did you mean colour?; legal are application, colour, dscp, membership, origin, packet_size, \
         playout, rate, receivers, scheme, source, start, start_jitter, stop",
    );
    only(
        &of_session("scheme = \"steady\"\nrate = 600000"),
        "sessions.film.rate",
        "600000 has no unit: write a rate as text with its unit, e.g. \"600 kbit/s\"",
    );
    only(
        &of_session("scheme = \"steady\"\nrate = \"0 bit/s\""),
        "sessions.film.rate",
        "0 bit/s given; legal is above 0 bit/s up to 1000 Gbit/s",
    );
    let [(path, message)] = &wrong(&of_session("scheme = \"steady\"\ncolour = \"green\""))[..] else { panic!() };
    assert!(path == "sessions.film" && message.ends_with("cannot be read: no colour green"), "{message}");
    let of_link = |link: &str| visit(GUEST.replace('_', "").as_str(), link, "\"sack\"");
    only(
        &of_link("queue = { kind = \"short\", limit = \"1 KB\" }"),
        "links.bottleneck.queue.limit",
        "legal are packets, 1 or more",
    );
    only(
        &of_link("agent = { kind = \"every\", passes = -1 }"),
        "links.bottleneck.agent.passes",
        "-1 is not legal; legal is a whole number from 0 to 4294967295",
    );
    let of_flow = |variant: &str| visit("scheme = \"steady\"", "", variant);
    only(
        &of_flow("\"bouned\""),
        "flows.web.variant",
        "\"bouned\" is not legal; did you mean bounded?; legal are reno, newreno, sack, westwood, westwood+, hybla, \
         cubic, bounded",
    );
    only(
        &of_flow("{ kind = \"bounded\", bound = 3 }"),
        "flows.web.variant.bound",
        "3 has no unit: write a number of packets as text with its unit, e.g. \"3 packets\"",
    );
    only(
        &of_flow("{ kind = \"bounded\", bound = \"0 packets\" }"),
        "flows.web.variant.bound",
        "0 packets given; legal is 1 or more",
    );
    only(&of_flow("{ kind = \"sack\" }"), "flows.web.variant.kind", "\"sack\" is not legal; legal are bounded");
    // An agent that acts on sessions, where none is.
    let elsewhere = of_link("back = { agent = { kind = \"every\" } }");
    only(
        &elsewhere,
        "links.bottleneck.back.agent",
        "a every acts on sessions, and none sends its packets to receivers over this link",
    );
}

#[test]
fn guests_are_listed_and_in_the_schema() {
    register();
    let listed = |sort: &str| {
        let (_, entries) = catalogue::catalogue().into_iter().find(|(name, _)| *name == sort).expect("such a sort");
        entries.last().map(|(name, about)| format!("{name}: {about}")).unwrap_or_default()
    };
    assert!(listed("schemes").starts_with("again: Again. (y "));
    assert_eq!(listed("queues"), "short: A limit and nothing else. (visitors 1.2.3)");
    assert_eq!(listed("tcp"), "bounded: A window that does not grow beyond a bound. (visitors 1.2.3)");
    assert_eq!(listed("agents"), "every: Lets a part of the multicast packets pass. (visitors 1.2.3)");
    let session = &schema()["$defs"]["SteadySession"];
    assert_eq!(session["properties"]["rate"]["x-quantity"], "rate");
    assert_eq!(session["properties"]["rate"]["description"], "Its rate. Default \"600 kbit/s\".");
    assert!(session["properties"]["receivers"]["$ref"].is_string() && session["additionalProperties"] == false);
}

#[test]
fn names_must_be_free_and_parameters_must_not_hide_keys() {
    register();
    let kind = |name: &str, origin: &str| {
        Kind::<dyn SchemeKind>::of(name, "Again.", origin, |config: Steady| Arc::new(config))
    };
    let refused = |name: &str, origin: &str| add(kind(name, origin)).expect_err("it is refused");
    assert_eq!(refused("tfmcc", "x 1"), "the scheme \"tfmcc\": there is a built-in one of that name");
    assert_eq!(refused("steady", "x 1"), "the scheme \"steady\": there is one from visitors 1.2.3 already");
    assert_eq!(refused("So so", "x 1"), "the scheme \"So so\": legal names are of small letters, digits and -");

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(default)]
    struct Late {
        start: u32,
    }
    impl Scheme for Late {
        type Sender = <cbr::Config as Scheme>::Sender;
        type Receiver = <cbr::Config as Scheme>::Receiver;

        fn check(&self) -> Vec<(String, String)> {
            Vec::new()
        }

        fn packet_bytes(&self) -> u64 {
            1
        }

        fn max_rate(&self) -> Option<Rate> {
            None
        }

        fn sender(&self, seat: Seat) -> Self::Sender {
            Scheme::sender(&cbr::Config::default(), seat)
        }

        fn receiver(&self, seat: Seat) -> Self::Receiver {
            Scheme::receiver(&cbr::Config::default(), seat)
        }
    }
    let late = Kind::<dyn SchemeKind>::of("late", "Late.", "x 1", |config: Late| Arc::new(config));
    let message = "the scheme \"late\": its parameter start has the name of a key that every scheme has";
    assert_eq!(add(late).expect_err("it is refused"), message);

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(default)]
    struct Nested {
        inner: Vec<Nested>,
    }
    impl AgentKind for Nested {
        fn agent(&self, context: RouterContext) -> Box<dyn RouterAgent + Send> {
            Every::default().agent(context)
        }
    }
    let nested = Kind::<dyn AgentKind>::of("nested", "Nested.", "x 1", |config: Nested| Arc::new(config));
    let message = "the router agent \"nested\": its parameters hold tables of their own kind";
    assert_eq!(add(nested).expect_err("it is refused"), message);

    // The same crate may say anew what a kind is: what was read before keeps what it had.
    let text = visit("scheme = \"again\"", "", "\"sack\"");
    let before = Scenario::from_toml(&text).expect("legal");
    add(kind("again", "y 2")).expect("from the same crate");
    let after = Scenario::from_toml(&text).expect("legal");
    assert_ne!(before, after);
    let origin = |scenario: &Scenario| scenario.to_json()["sessions"]["film"]["origin"].clone();
    assert_eq!((origin(&before), origin(&after)), ("y 1".into(), "y 2".into()));
}

#[test]
fn a_queue_that_does_what_it_must_not_ends_the_run_with_its_name() {
    register();
    let text = visit("scheme = \"steady\"", "queue = { kind = \"clogged\" }", "\"sack\"");
    let scenario = Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let Err(Failure::Problems(problems)) = run(&scenario, 1, &Control::default(), 1) else {
        panic!("it has ended well")
    };
    let [problem] = &problems[..] else { panic!("{problems:#?}") };
    let message = "the queue \"clogged\" keeps 1 packets forever: hands out none and has no deadline (seen at ";
    assert_eq!(problem.path, "links.bottleneck.queue");
    assert!(problem.message.starts_with(message) && problem.message.ends_with(" s; the run has ended)"), "{problem}");
}
