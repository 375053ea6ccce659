//! What is wrong with what the receivers of a session play.

use crate::model::SessionEntry;
use crate::problem::Finding;
use faircast_proto::group_set::Role;
use faircast_proto::playout::Config;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::scheme::Scheme;

/// All of it; `path` leads to the session.
pub(super) fn check(path: &str, session: &SessionEntry, playout: &Config, found: &mut Vec<Finding>) {
    let config = session.config();
    let mut refuse = |field: &str, message: String| {
        found.push(Finding::new(format!("{path}.{field}"), message).on([path.to_owned()]));
    };
    for (field, message) in playout.check(config.packet_bytes()) {
        refuse(&format!("playout.{field}"), message);
    }
    let scheme = session.scheme();
    let layers = config.groups().iter().filter(|group| group.role != Role::Control).count();
    if layers > 1 || !config.is_controlled() {
        let what = if layers > 1 { "its layers" } else { "its constant rate" };
        for (field, is_given) in [
            ("media_rate", playout.media_rate.is_some()),
            ("wait", playout.wait.is_some()),
            ("length", playout.length.is_some()),
        ] {
            if is_given {
                let message = format!("given for {scheme}, of which {what} are played as they are sent; leave it out");
                refuse(&format!("playout.{field}"), message.replace("its constant rate are", "its constant rate is"));
            }
        }
        return;
    }
    if playout.media_rate.is_none() {
        let message = "missing: how much do the media take? legal is a rate, or a list of rates that rise";
        refuse("playout.media_rate", message.to_owned());
    }
    if session.course().application.is_some() {
        let message = "given with a playout, whose media_rate says what there is to send; leave it out";
        refuse("application", message.to_owned());
    }
    if playout.rates().len() > 1 && matches!(config, SchemeConfig::Pgmcc(_)) {
        let message = "a list given for pgmcc, which has a window and no rate by which to choose; legal is one rate";
        refuse("playout.media_rate", message.to_owned());
    }
}
