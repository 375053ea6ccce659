//! What a scenario says of a multicast session.

use super::flow::{MOST_DSCP, is_default};
use super::nodes::Nodes;
use super::times::Times;
use faircast_proto::guest::{self, Guest};
use faircast_proto::liar::Lie;
use faircast_proto::limits;
use faircast_proto::limits::{from, to};
use faircast_proto::playout;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::scheme::Scheme;
use faircast_proto::source::application;
use faircast_proto::time::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A multicast session of some scheme: where it runs, and the parameters of the scheme beside that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SessionOf<C> {
    /// Where and when.
    #[serde(flatten)]
    pub course: SessionCourse,
    /// The parameters of its scheme.
    #[serde(flatten)]
    pub config: C,
}

/// Where and when a session runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<SessionCourse>)]
pub struct SessionCourse {
    /// Sending node.
    pub source: String,
    /// When the source starts. Default "0 s".
    #[serde(default)]
    pub start: Duration,
    /// It starts later by a random time, uniform from zero to this. Default "0 s".
    #[serde(default)]
    pub start_jitter: Duration,
    /// When it stops. Default: not before the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Duration>,
    /// The DSCP of its packets, and of those that answer them, by which queues of kind "classes" tell them. Default 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub dscp: u8,
    /// What the application has to send. Default: always something. For schemes that answer congestion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<application::Config>,
    /// What its receivers play of it, and how. Default: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playout: Option<playout::Config>,
    /// Who receives.
    #[serde(default)]
    pub receivers: Receivers,
    /// How members and routers come to the session's packets.
    #[serde(default)]
    pub membership: MembershipSettings,
}

limits! { SessionCourse {
    dscp: to(MOST_DSCP),
} }

/// The receivers of a session: NAME-0, NAME-1 and so on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(transform = limits::declare::<Receivers>)]
#[serde(default)]
pub struct Receivers {
    /// The node of all receivers, or one for each: a list, or "home-*" for all nodes called so, or "home-[1-9]" for
    /// those of a row. Default: receiver i is on the topology's right-i.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Nodes>,
    /// How many. Default: as many as `nodes` lists; without a list one per host on the topology's right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// When they join, or when each of them does. Default "0 s".
    pub join: Times,
    /// Time from the join of one receiver to that of the next. Default "0 s".
    pub join_step: Duration,
    /// Each joins later by a random time, uniform from zero to this. Default "0 s".
    pub join_jitter: Duration,
    /// When they leave, or when each of them does. Default: not before the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leave: Option<Times>,
    /// How the last ones of them lie. Default: they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lie: Option<Lie>,
}

limits! { Receivers {
    count: from(1),
} }

/// The ways by which members and routers come to a session's packets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Membership")]
pub struct MembershipSettings {
    /// Whose leave latency. Default "realistic".
    pub profile: Profile,
    /// How long a router goes on forwarding after a host's leave. Default: as the profile says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leave_delay: Option<Duration>,
    /// How the tree comes about. Default "sparse".
    pub mode: TreeMode,
    /// In dense mode: until a pruned interface opens again. Default 0.5 s (ns-2); PIM-DM has 210 s.
    pub prune_timeout: Duration,
    /// How long a report of what is wanted waits for its acknowledgement until it is repeated. Default 3 s (PIM-DM).
    pub retry: Duration,
    /// How long a report counts that is not repeated, where reports can be lost for good: on links that lose packets.
    /// There they are repeated after 0.48 of this time. Default 260 s, hence 125 s (RFC 2236).
    pub lifetime: Duration,
    /// How routers come to know what is wanted below when the tree changes. Default "at-once".
    pub rebuild: TreeRebuild,
    /// Whether the network takes packets of members to groups for which the scheme has them send. Default true; false
    /// is a network of single sources (RFC 4607), which drops them.
    pub any_source: bool,
}

/// How routers come to know what is wanted below when the tree changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "TreeRebuild")]
pub enum TreeRebuild {
    /// At that instant and without messages.
    #[default]
    AtOnce,
    /// By reports of those whose way to the source has changed.
    ByMessages,
}

/// Whose leave latency a session has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// 2 s: two queries of IGMP a second apart (RFC 2236).
    #[default]
    Realistic,
    /// None, as in ns-2.
    Ns2,
}

/// How the tree of a session comes about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "TreeMode")]
pub enum TreeMode {
    /// By explicit joins: nothing flows where nobody has asked.
    #[default]
    Sparse,
    /// By flooding: routers that have no use for what comes prune it back.
    Dense,
}

macro_rules! sessions {
    ($($Variant:ident ( $($path:ident)::+ ) $(with $($header:ident)::+)? = $name:literal : $about:literal ;)+) => {
        /// A multicast session.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "scheme")]
        #[schemars(rename = "Session")]
        pub enum SessionEntry {
            $(#[doc = $about] #[serde(rename = $name)] $Variant(SessionOf<faircast_proto::$($path)::+>),)+
            /// Of a scheme from outside the tree.
            #[serde(untagged)]
            #[schemars(skip)]
            Guest(SessionOf<Guest<dyn guest::SchemeKind>>),
        }

        impl SessionEntry {
            /// Where and when it runs.
            pub fn course(&self) -> &SessionCourse {
                match self {
                    $(SessionEntry::$Variant(session) => &session.course,)+
                    SessionEntry::Guest(session) => &session.course,
                }
            }

            /// The parameters of its scheme.
            pub fn config(&self) -> SchemeConfig {
                match self {
                    $(SessionEntry::$Variant(session) => SchemeConfig::$Variant(session.config.clone()),)+
                    SessionEntry::Guest(session) => SchemeConfig::Guest(session.config.clone()),
                }
            }

            /// Its scheme's name.
            pub fn scheme(&self) -> &'static str {
                match self {
                    $(SessionEntry::$Variant(_) => $name,)+
                    SessionEntry::Guest(session) => session.config.name(),
                }
            }

            /// Every parameter of the scheme with an illegal value, and what is legal.
            pub(crate) fn check(&self) -> Vec<(String, String)> {
                match self {
                    $(SessionEntry::$Variant(session) => Scheme::check(&session.config),)+
                    SessionEntry::Guest(session) => session.config.check(),
                }
            }
        }
    };
}

faircast_proto::schemes!(sessions);

impl Receivers {
    /// How many receivers, on a network whose topology has `right` hosts on its right.
    pub fn number(&self, right: u32) -> u32 {
        self.count.unwrap_or(match &self.nodes {
            Some(Nodes::One(_)) => 1,
            Some(Nodes::Each(nodes)) => nodes.len() as u32,
            None => right,
        })
    }

    /// When receiver `index` joins, its jitter not counted; nothing if the list is too short.
    pub fn join_of(&self, index: u32) -> Option<Duration> {
        let later = self.join_step.0.saturating_mul(u64::from(index));
        Some(Duration(self.join.of(index)?.0.saturating_add(later)))
    }

    /// When receiver `index` leaves, if before the end.
    pub fn leave_of(&self, index: u32) -> Option<Duration> {
        self.leave.as_ref()?.of(index)
    }
}

impl MembershipSettings {
    /// How long a router goes on forwarding after a host's leave.
    pub fn leave_delay(&self) -> Duration {
        self.leave_delay.unwrap_or(match self.profile {
            Profile::Realistic => Duration::from_secs(2),
            Profile::Ns2 => Duration::ZERO,
        })
    }
}

impl Default for MembershipSettings {
    fn default() -> MembershipSettings {
        MembershipSettings {
            profile: Profile::default(),
            leave_delay: None,
            mode: TreeMode::default(),
            prune_timeout: Duration::from_millis(500),
            retry: Duration::from_secs(3),
            lifetime: Duration::from_secs(260),
            rebuild: TreeRebuild::default(),
            any_source: true,
        }
    }
}
