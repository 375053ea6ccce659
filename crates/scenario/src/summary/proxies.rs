//! The rows of proxies that split TCP in a summary.

use super::Rows;
use crate::tables::Subjects;
use faircast_proto::time::Duration;
use faircast_sim::probe::Records;
use faircast_sim::relays::RelayRow;

/// Rows of all places of all that are split.
pub(super) fn add(rows: &mut Rows, subjects: &Subjects, now: &[RelayRow], records: &Records, has_late: bool) {
    // They stand in one order whenever one looks.
    let mut names = subjects.split.iter();
    let mut own = "";
    for (index, RelayRow { place, state, .. }) in now.iter().enumerate() {
        if *place == 0 {
            own = names.next().map_or("", String::as_str);
        }
        let early = records.relays_at_warmup.get(index).map_or(Duration::ZERO, |row| row.state.held_back);
        let late_s = if has_late { Duration(state.held_back.0 - early.0).as_secs_f64() } else { f64::NAN };
        rows.add(own, &format!("proxy_{place}_most"), "packets", state.most as f64);
        rows.both(own, &format!("proxy_{place}_held_back"), "s", [late_s, state.held_back.as_secs_f64()]);
    }
}
