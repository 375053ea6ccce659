//! What is wrong with the application of a flow or session.

use crate::model::{FlowEntry, SessionEntry};
use crate::problem::Finding;
use faircast_proto::flow_kind::FlowKind;
use faircast_proto::registry::flows::FlowConfig;
use faircast_proto::scheme::Scheme;
use faircast_proto::source::application;

/// All that is wrong with that of a flow; `path` leads to the flow.
pub(super) fn of_flow(path: &str, flow: &FlowEntry, application: &application::Config, found: &mut Vec<Finding>) {
    if let FlowEntry::Web(_) = flow {
        let message = "web traffic is an application itself: sizes and arrivals say what there is; leave it out";
        found.push(Finding::new(format!("{path}.application"), message).on([path.to_owned()]));
        return;
    }
    let config = flow.config();
    if !config.is_controlled() {
        return needless(path, &format!("flows of kind {} send", config.name()), found);
    }
    let largest = (0..flow.configs()).map(|index| flow.config_of(index).packet_bytes()).max();
    check(path, application, largest.unwrap_or(config.packet_bytes()), found);
    if let FlowConfig::Tcp(tcp) = &config
        && tcp.segments.is_some()
    {
        let message = "given with an application, which says how much there is to send; leave one out";
        found.push(Finding::new(format!("{path}.segments"), message).on([format!("{path}.application")]));
    }
}

/// All that is wrong with that of a session.
pub(super) fn of_session(
    path: &str,
    session: &SessionEntry,
    application: &application::Config,
    found: &mut Vec<Finding>,
) {
    let config = session.config();
    if !config.is_controlled() {
        return needless(path, &format!("sessions of scheme {} send", config.name()), found);
    }
    check(path, application, config.packet_bytes(), found);
}

fn check(path: &str, application: &application::Config, packet_bytes: u64, found: &mut Vec<Finding>) {
    for (field, message) in application.check(packet_bytes) {
        found.push(Finding::new(format!("{path}.application.{field}"), message).on([path.to_owned()]));
    }
}

fn needless(path: &str, who: &str, found: &mut Vec<Finding>) {
    let message = format!("{who} at constant rates, as their own parameters say: leave the application out");
    found.push(Finding::new(format!("{path}.application"), message).on([path.to_owned()]));
}
