//! What protocols show beside what all do: the gauges of their endpoints, their events, each with its unit.

use super::Entries;
use faircast_proto::endpoint::{Endpoint, EventKind, Gauge};
use faircast_proto::flow_kind::{FlowKind, FlowSeat};
use faircast_proto::guest::{SchemeKind, Sort};
use faircast_proto::packet::{Address, FlowId};
use faircast_proto::random::Random;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::registry::flows::FlowConfig;
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::source::application;
use std::borrow::Cow;

/// A protocol with the parameters that it has by default.
struct Protocol {
    name: String,
    /// Whose gauges these are.
    gauges: [(&'static str, &'static [Gauge]); 2],
    events: &'static [&'static EventKind],
}

/// The gauges of all protocols: `PROTOCOL COLUMN`, and whose they are, in which unit, and what they mean. Those of
/// applications, which any source may have, come last.
pub(super) fn gauges() -> Entries {
    let of = |protocol: Protocol| {
        let own = |(whose, gauges): (&'static str, &'static [Gauge])| gauges.iter().map(move |gauge| (whose, gauge));
        let each = protocol.gauges.into_iter().flat_map(own);
        each.map(|(whose, gauge)| gauge_line(&protocol.name, whose, gauge)).collect::<Vec<_>>()
    };
    let of_applications = application::GAUGES.iter().map(|gauge| gauge_line("application", "source", gauge));
    protocols().into_iter().flat_map(of).chain(of_applications).collect()
}

fn gauge_line(protocol: &str, whose: &str, gauge: &Gauge) -> (Cow<'static, str>, Cow<'static, str>) {
    let about = format!("{whose}{}: {}", unit(gauge.unit), gauge.about);
    (format!("{protocol} {}", gauge.column()).into(), about.into())
}

/// The events of all protocols: `PROTOCOL EVENT`, the unit of what changes, and what they mean.
pub(super) fn events() -> Entries {
    let of = |protocol: Protocol| {
        let line = |kind: &&EventKind| {
            let about = format!("event{}: {}", unit(kind.unit), kind.about);
            (format!("{} {}", protocol.name, kind.name).into(), about.into())
        };
        protocol.events.iter().map(line).collect::<Vec<_>>()
    };
    protocols().into_iter().flat_map(of).collect()
}

/// `, in s`; nothing for what has no unit.
fn unit(unit: &str) -> String {
    if unit == "1" { String::new() } else { format!(", in {unit}") }
}

/// What the sender and the receiver of a kind of flow show.
pub(crate) fn gauges_of_flow(config: &FlowConfig) -> [&'static [Gauge]; 2] {
    let seat = FlowSeat { flow: FlowId(0), sender: OWN, receiver: PEER, name: "", seed: 0 };
    [config.sender(&seat).gauges(), config.receiver(&seat).gauges()]
}

/// What the source and the receivers of a scheme show.
pub(crate) fn gauges_of_scheme(config: &SchemeConfig) -> [&'static [Gauge]; 2] {
    let seat = |own| Seat {
        flow: FlowId(0),
        own,
        group: Address::group(0),
        members: 1,
        line_rate: None,
        random: Random::stream(0, "session/asked/draws"),
    };
    [Scheme::sender(config, seat(OWN)).gauges(), Scheme::receiver(config, seat(PEER)).gauges()]
}

const OWN: Address = Address::endpoint(0);
const PEER: Address = Address::endpoint(1);

/// All kinds of flows, all schemes, and the schemes of guests that need no parameters.
fn protocols() -> Vec<Protocol> {
    let of_flow = |config: FlowConfig| {
        let [sender, receiver] = gauges_of_flow(&config);
        let gauges = [("sender", sender), ("receiver", receiver)];
        Protocol { name: config.name().to_owned(), gauges, events: FlowKind::events(&config) }
    };
    let of_scheme = |config: SchemeConfig| {
        let [source, receiver] = gauges_of_scheme(&config);
        let gauges = [("source", source), ("receiver", receiver)];
        Protocol { name: config.name().to_owned(), gauges, events: Scheme::events(&config) }
    };
    let guests = <dyn SchemeKind>::guests().all().into_iter();
    let guests = guests.filter_map(|kind| kind.read(serde_json::Map::new()).ok().map(SchemeConfig::Guest));
    let schemes = SchemeConfig::defaults().into_iter().chain(guests.filter(|guest| Scheme::check(guest).is_empty()));
    FlowConfig::defaults().into_iter().map(of_flow).chain(schemes.map(of_scheme)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_protocols_show_is_listed_with_its_unit() {
        let find = |entries: Entries, name: &str| entries.into_iter().find(|entry| entry.0 == name).expect(name).1;
        let srtt = find(gauges(), "tfmcc srtt_s");
        assert!(srtt.starts_with("source, in s: "), "{srtt}");
        let missed = find(gauges(), "layered-cbr missed_pkts");
        assert!(missed.starts_with("receiver, in packets: Packets of joined layers"), "{missed}");
        for column in ["made_pkts", "dropped_pkts", "waiting_pkts", "limited_s"] {
            let about = find(gauges(), &format!("application application_{column}"));
            assert!(about.starts_with("source, in "), "{about}");
        }
        assert_eq!(find(events(), "layered-cbr layer-added"), "event, in layers: A receiver has joined a layer.");
        assert!(find(events(), "tcp finished").starts_with("event: "));
        // Whatever the registries have has its place.
        for config in SchemeConfig::defaults() {
            let listed = events().iter().filter(|(name, _)| name.starts_with(&format!("{} ", config.name()))).count();
            assert_eq!(listed, Scheme::events(&config).len(), "{}", config.name());
        }
    }
}
