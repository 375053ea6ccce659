//! What there is to choose from, by kind, with one line on each.

pub(crate) mod shown;

use faircast_proto::guest::{SchemeKind, Sort};
use faircast_proto::registry;
use faircast_proto::tcp::rule::RuleKind;
use faircast_sim::loss;
use faircast_sim::queue::QueueKind;
use faircast_sim::router::AgentKind;
use std::borrow::Cow;

/// Name and description of everything of one kind.
pub type Entries = Vec<(Cow<'static, str>, Cow<'static, str>)>;

/// All kinds, in the order in which a listing shows them. Guests come last, with where they are from.
pub fn catalogue() -> Vec<(&'static str, Entries)> {
    vec![
        ("queues", with_guests::<dyn QueueKind>()),
        ("losses", built_in(loss::LIST).collect()),
        ("agents", with_guests::<dyn AgentKind>()),
        ("topologies", built_in(crate::topology::LIST).collect()),
        ("flows", built_in(registry::flows::LIST).chain(built_in(&[WEB])).collect()),
        ("tcp", with_guests::<dyn RuleKind>()),
        ("schemes", with_guests::<dyn SchemeKind>()),
        ("gauges", shown::gauges()),
        ("events", shown::events()),
    ]
}

/// Flows that are made of many.
const WEB: (&str, &str) = ("web", "Finite TCP transfers that arrive at random.");

fn built_in(
    list: &'static [(&'static str, &'static str)],
) -> impl Iterator<Item = (Cow<'static, str>, Cow<'static, str>)> {
    list.iter().map(|&(name, about)| (name.into(), about.into()))
}

fn with_guests<G: Sort + ?Sized>() -> Entries {
    let guests = G::guests().all().into_iter();
    let described = guests.map(|kind| (kind.name().into(), format!("{} ({})", kind.about(), kind.origin()).into()));
    built_in(G::built_in()).chain(described).collect()
}
