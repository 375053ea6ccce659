//! Router agents: parts of a router that look after one of its interfaces each.
//!
//! | file | agent |
//! |---|---|
//! | `monitor.rs` | counts what is offered, by session, group, flow and pair of addresses |
//! | `rate_cap.rs` | holds back the highest groups above a rate |
//! | `port.rs` | an agent on its interface, with what the driver keeps for it |
//! | `battery.rs` | the tests that every agent must stand |
//! | `by_hand.rs` | tests of the agents of this crate, driven by hand |
//!
//! Adding one is one file beside this one, with the five items that [`agents!`](self) asks of it, and one line in
//! `agents!`. An agent outside this crate goes into [`InterfaceAgent::Guest`], and has a name in scenarios by an
//! [`AgentKind`].

#[cfg(test)]
mod battery;
#[cfg(test)]
mod by_hand;
pub(crate) mod port;

use crate::ids::NodeId;
use crate::queue::InterfaceView;
use faircast_proto::group_set::GroupSet;
use faircast_proto::guest::{Guest, Guests, Sort};
use faircast_proto::packet::{Address, FlowId, Packet};
use faircast_proto::quantity::QueueSize;
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant, Rate};

/// A source of packets that is no endpoint.
pub(crate) const NO_ENDPOINT: u32 = u32::MAX;

/// An agent at work on one interface. It knows what a real router knows there, and nothing else.
///
/// The driver takes the same three steps after each call: carry out the outbox, arm `deadline`. What is asked for when
/// a packet is offered is carried out in that moment, after all packets of the moment; everything else at once.
pub trait RouterAgent {
    /// A packet is offered to the queue, before that can drop it. Groups that are blocked are not offered, but where a
    /// packet goes up its tree over a leg: what is held back is the way down.
    fn on_packet(&mut self, packet: &Packet, at: &RouterView<'_>, out: &mut RouterOutbox) -> Offer;

    /// The queue has dropped or marked a packet, as it is congested. What is to be done is asked for in another call.
    fn on_congestion(&mut self, _packet: &Packet, _now: Instant) {}

    /// Somebody below has begun or ceased to want groups of a session, or the tree has come to or left the interface.
    /// `at` has what is joined now. What is blocked in return does not pass a single packet. Repetitions are not heard.
    fn on_membership(&mut self, _change: &MembershipChange, _at: &RouterView<'_>, _out: &mut RouterOutbox) {}

    /// The deadline has come (or may have).
    fn on_timeout(&mut self, _at: &RouterView<'_>, _out: &mut RouterOutbox) {}

    /// When to be called with `on_timeout`; `None` = not at all.
    fn deadline(&self) -> Option<Instant> {
        None
    }

    /// What it has counted and its present state, for probes: each told to `tell`.
    fn gauges(&self, tell: &mut dyn FnMut(RouterGauge));
}

/// What becomes of a packet that is offered to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// The queue decides.
    Forward,
    /// The router keeps it from the queue, and it is gone: the right to multicast packets only.
    HoldBack,
}

/// What a router knows of its own interface.
#[derive(Clone, Copy, Debug)]
pub struct RouterView<'a> {
    /// The moment, what waits, the rate.
    pub interface: InterfaceView,
    /// The sessions of which groups are joined here, in the order in which sessions were added.
    pub sessions: &'a [SessionAt],
    /// The host of every endpoint.
    pub(crate) hosts: &'a [NodeId],
}

/// A session on an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionAt {
    /// The session.
    pub flow: FlowId,
    /// Its first group; the others follow it.
    pub first: Address,
    /// How many groups it has.
    pub groups: u32,
    /// The groups among them that are no layers.
    pub control: GroupSet,
    /// Wanted by somebody below.
    pub joined: GroupSet,
    /// Held back by this router.
    pub blocked: GroupSet,
}

/// What has changed of a session on an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MembershipChange {
    /// The session.
    pub flow: FlowId,
    /// Its first group.
    pub first: Address,
    /// Groups that are joined now and were not.
    pub joined: GroupSet,
    /// Groups that were joined and are not; they are no longer blocked, either.
    pub left: GroupSet,
}

/// What an agent wants done.
#[derive(Clone, Copy, Debug)]
pub enum RouterAction {
    /// Hold this group back, if it is joined.
    Block(Address),
    /// Let it pass again.
    Release(Address),
    /// Send this packet from the router.
    Send(Packet),
    /// Let observers know: a word and a number.
    Note(&'static str, f64),
}

/// What an agent wants done, in order. Owned and reused by the driver.
#[derive(Debug, Default)]
pub struct RouterOutbox {
    actions: Vec<RouterAction>,
}

/// A number that an agent tells probes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RouterGauge {
    /// What it is about.
    pub about: GaugeSubject,
    /// Its name, with its unit.
    pub name: &'static str,
    /// Its value.
    pub value: f64,
}

/// What a router tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GaugeSubject {
    /// The interface.
    Interface,
    /// A flow or session.
    Flow(FlowId),
    /// A group.
    Group(Address),
    /// Packets from one host to another.
    Pair(NodeId, NodeId),
}

impl<'a> RouterView<'a> {
    /// The host part of an address, which several endpoints may share; `None` for groups.
    pub fn host(&self, address: Address) -> Option<NodeId> {
        if address.is_group() { None } else { self.hosts.get(address.index()).copied() }
    }

    /// The session on this interface that owns a group, and the group's number in it; `None` for what is no group.
    pub fn place(&self, group: Address) -> Option<(&'a SessionAt, u32)> {
        let within = |session: &SessionAt| {
            if !group.is_group() {
                return None;
            }
            let number = group.index().checked_sub(session.first.index())?;
            (number < session.groups as usize).then_some(number as u32)
        };
        self.sessions.iter().find_map(|session| Some((session, within(session)?)))
    }
}

impl SessionAt {
    /// The address of group number `group`.
    pub fn group(&self, group: u32) -> Address {
        Address::group(self.first.index() as u32 + group)
    }

    /// The layers that pass.
    pub fn live(&self) -> GroupSet {
        self.joined - self.blocked - self.control
    }

    /// The layers that are wanted and held back.
    pub fn held(&self) -> GroupSet {
        self.joined & self.blocked
    }
}

impl RouterOutbox {
    /// Asks to hold `group` back.
    pub fn block(&mut self, group: Address) {
        self.actions.push(RouterAction::Block(group));
    }

    /// Asks to let `group` pass again.
    pub fn release(&mut self, group: Address) {
        self.actions.push(RouterAction::Release(group));
    }

    /// Asks to send `packet` from the router.
    pub fn send(&mut self, packet: Packet) {
        self.actions.push(RouterAction::Send(packet));
    }

    /// Tells observers.
    pub fn note(&mut self, what: &'static str, value: f64) {
        self.actions.push(RouterAction::Note(what, value));
    }

    /// Hands out and removes everything asked for, in order.
    pub fn drain(&mut self) -> impl Iterator<Item = RouterAction> + '_ {
        self.actions.drain(..)
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.actions.is_empty()
    }
}

/// What an agent may know beforehand of the interface it is built for.
#[derive(Clone, Debug)]
pub struct RouterContext {
    /// The link's rate.
    pub rate: Rate,
    /// The link's propagation delay.
    pub delay: Duration,
    /// The most that may wait.
    pub limit: QueueSize,
    /// Whether the queue keeps sessions apart, so that each has a queue and a share of its own.
    pub is_fair: bool,
    /// Size of the data packets that flows send over it, bytes.
    pub mean_packet_bytes: u32,
    /// The stream that the agent draws from.
    pub random: Random,
}

/// The parameters of an agent from outside this crate, from which it is made.
pub trait AgentKind: Send + Sync {
    /// Every field with an illegal value, and what was given and what is legal.
    fn check(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// Whether it has nothing to do where no session is.
    fn acts_on_sessions(&self) -> bool {
        false
    }

    /// The agent for the interface of `context`. The parameters have passed [`check`](Self::check).
    fn agent(&self, context: RouterContext) -> Box<dyn RouterAgent + Send>;
}

static GUESTS: Guests<dyn AgentKind> = Guests::new();

impl Sort for dyn AgentKind {
    const WHAT: &'static str = "router agent";
    const TAG: &'static str = "kind";

    fn built_in() -> &'static [(&'static str, &'static str)] {
        LIST
    }

    fn guests() -> &'static Guests<dyn AgentKind> {
        &GUESTS
    }
}

/// The registry. A line `module::Type = "kind": "description";` declares `mod module`, which must hold
///
/// * `Config`: serde and schemars, unknown fields denied, `Default`;
/// * `Config::check(&self) -> Vec<(String, String)>`: every field that has an illegal value, and what would be legal;
/// * `Type: RouterAgent` with `Type::new(&Config, RouterContext) -> Type`, with a configuration that passed;
/// * `Config::ACTS_ON_SESSIONS: bool`: whether it has nothing to do where no session is;
/// * for tests, `Config::samples() -> Vec<Config>`: the settings with which the battery is run.
macro_rules! agents {
    ($($module:ident :: $Type:ident = $kind:literal : $about:literal ;)+) => {
        $(pub mod $module;)+

        /// An agent at work: those of this crate side by side.
        #[allow(clippy::large_enum_variant, reason = "one per interface that has one")]
        pub enum InterfaceAgent {
            $(#[doc = $about] $Type($module::$Type),)+
            /// An agent from outside this crate.
            Guest(Box<dyn RouterAgent + Send>),
        }

        impl InterfaceAgent {
            /// The agent that `config` describes, for the interface of `context`. `config` must have passed
            /// [`Config::check`].
            pub fn new(config: &Config, context: RouterContext) -> InterfaceAgent {
                match config {
                    $(Config::$Type(config) => InterfaceAgent::$Type($module::$Type::new(config, context)),)+
                    Config::Guest(guest) => InterfaceAgent::Guest(guest.agent(context)),
                }
            }
        }

        impl RouterAgent for InterfaceAgent {
            fn on_packet(&mut self, packet: &Packet, at: &RouterView<'_>, out: &mut RouterOutbox) -> Offer {
                match self {
                    $(InterfaceAgent::$Type(agent) => agent.on_packet(packet, at, out),)+
                    InterfaceAgent::Guest(agent) => agent.on_packet(packet, at, out),
                }
            }

            fn on_congestion(&mut self, packet: &Packet, now: Instant) {
                match self {
                    $(InterfaceAgent::$Type(agent) => agent.on_congestion(packet, now),)+
                    InterfaceAgent::Guest(agent) => agent.on_congestion(packet, now),
                }
            }

            fn on_membership(&mut self, change: &MembershipChange, at: &RouterView<'_>, out: &mut RouterOutbox) {
                match self {
                    $(InterfaceAgent::$Type(agent) => agent.on_membership(change, at, out),)+
                    InterfaceAgent::Guest(agent) => agent.on_membership(change, at, out),
                }
            }

            fn on_timeout(&mut self, at: &RouterView<'_>, out: &mut RouterOutbox) {
                match self {
                    $(InterfaceAgent::$Type(agent) => agent.on_timeout(at, out),)+
                    InterfaceAgent::Guest(agent) => agent.on_timeout(at, out),
                }
            }

            fn deadline(&self) -> Option<Instant> {
                match self {
                    $(InterfaceAgent::$Type(agent) => agent.deadline(),)+
                    InterfaceAgent::Guest(agent) => agent.deadline(),
                }
            }

            fn gauges(&self, tell: &mut dyn FnMut(RouterGauge)) {
                match self {
                    $(InterfaceAgent::$Type(agent) => agent.gauges(tell),)+
                    InterfaceAgent::Guest(agent) => agent.gauges(tell),
                }
            }
        }

        /// A router agent as configurations write it: `{ kind = "monitor" }`.
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[schemars(rename = "RouterAgent")]
        #[serde(tag = "kind")]
        pub enum Config {
            $(#[doc = $about] #[serde(rename = $kind)] $Type($module::Config),)+
            /// One from outside this crate.
            #[serde(untagged)]
            #[schemars(skip)]
            Guest(Guest<dyn AgentKind>),
        }

        impl Config {
            /// Every field with an illegal value: its path below this one, and what was given and what is legal.
            pub fn check(&self) -> Vec<(String, String)> {
                match self {
                    $(Config::$Type(config) => config.check(),)+
                    Config::Guest(guest) => guest.check(),
                }
            }

            /// Whether it has nothing to do where no session is.
            pub fn acts_on_sessions(&self) -> bool {
                match self {
                    $(Config::$Type(_) => $module::Config::ACTS_ON_SESSIONS,)+
                    Config::Guest(guest) => guest.acts_on_sessions(),
                }
            }

            /// Its name in configurations.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Config::$Type(_) => $kind,)+
                    Config::Guest(guest) => guest.name(),
                }
            }

            /// The settings with which the common tests are run: some for every agent.
            #[cfg(test)]
            fn samples() -> Vec<Config> {
                let mut samples = Vec::new();
                $(samples.extend($module::Config::samples().into_iter().map(Config::$Type));)+
                samples
            }
        }

        /// Name and one-line description of every agent.
        pub const LIST: &[(&str, &str)] = &[$(($kind, $about)),+];
    };
}

agents! {
    monitor::Monitor = "monitor": "Counts what is offered to the queue, by session, group, flow and pair of addresses.";
    layer_blocking::LayerBlocking = "layer-blocking":
        "Blocks and releases layers by the state of the queue, so that sessions get what unicast flows get [Peng].";
    rate_cap::RateCap = "rate-cap": "Blocks the highest layers of sessions above a rate.";
}
