//! What follows a run, when its network is gone: the summary, and the optimum beside it.

use super::MemoryPart;
use crate::network::Network;

/// What the summary of a run and its optimum take, in the Python package, at their most.
pub(super) fn parts(network: &Network) -> Vec<MemoryPart> {
    let changing = network.links.iter().filter(|link| !link.is_constant()).count();
    let of_links =
        network.links.len() * LINK_ROWS + changing * CHANGING_ROWS + network.probed_queues().len() * PROBED_ROWS;
    let of_flows = (network.flows.len() + network.sessions.len()) * FLOW_ROWS;
    let mut of_receivers = 0;
    let mut in_problem = network.flows.len() as f64 * IN_PROBLEM;
    for session in &network.sessions {
        let several = session.plan.groups > 1;
        let (rows, bytes) =
            if several { (RECEIVER_ROWS + LEVEL_ROWS, 2.0 * IN_PROBLEM) } else { (RECEIVER_ROWS, IN_PROBLEM) };
        of_receivers += session.receivers.len() * rows;
        in_problem += session.receivers.len() as f64 * bytes;
    }
    let part = |what, path, bytes| MemoryPart { what, path, bytes };
    vec![
        part("loading what follows a run", "duration", LOADED),
        part("the summary of links", "topology", of_links as f64 * ROW),
        part("the summary of flows", "flows", of_flows as f64 * ROW),
        part("the summary of receivers", "sessions", of_receivers as f64 * ROW),
        part("the optimum", "optimum", in_problem),
    ]
}

// Rows that the summary has of one of each, at most: see `summary.rs`, and the test below.
/// Of a direction that layers may cross.
const LINK_ROWS: usize = 19;
const CHANGING_ROWS: usize = 4;
const PROBED_ROWS: usize = 18;
const FLOW_ROWS: usize = 70;
const RECEIVER_ROWS: usize = 20;
/// Those of a receiver of several layers, fair rates included.
const LEVEL_ROWS: usize = 18;
// Bytes, measured: see `python/tests/test_memory.py`.
/// A row: numbers of its words, value and optimum in the core and in Python, the estimate over seeds, and while it is
/// written its words.
const ROW: f64 = 240.0;
/// A flow or receiver in the problem of the optimum, with its way.
const IN_PROBLEM: f64 = 2000.0;
/// What is loaded and made once, whatever the size.
const LOADED: f64 = 45e6;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scenario;
    use crate::run::{Control, run};
    use crate::tables::Values;
    use std::collections::BTreeMap;

    /// How many rows the summary of a run has of each subject. All kinds of subjects are there, and of each the one of
    /// which most is told.
    fn rows(scheme: &str) -> BTreeMap<String, usize> {
        let text = format!(
            "format = 1\nname = \"x\"\nduration = \"6 s\"\n[topology]\nkind = \"dumbbell\"\nleft = 4\nright = 4\n\
             [links.bottleneck]\nchanges = [{{ at = \"3 s\", rate = \"1 Mbit/s\" }}]\n\
             loss = {{ kind = \"bernoulli\", p = 0.01 }}\n\
             [flows.page]\nkind = \"tcp\"\nsegments = 20\ncount = 2\necn = \"ecn\"\nfrom = \"left-1\"\n\
             [flows.voice]\nkind = \"cbr\"\nrate = \"64 kbit/s\"\npacket_size = \"200 B\"\n\
             [sessions.film]\nscheme = \"{scheme}\"\nsource = \"left-3\"\n[probes]\nqueues = [\"bottleneck\"]\n"
        );
        let scenario = Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
        let output = run(&scenario, 1, &Control::default(), 1).unwrap_or_else(|failure| panic!("{failure:?}"));
        let summary = output.tables.iter().find(|table| table.name == "summary").expect("there is one");
        let Some(Values::Words(subjects)) = summary.get("subject") else { panic!("no subjects") };
        let mut rows = BTreeMap::new();
        for &code in &subjects.codes {
            *rows.entry(subjects.dictionary[code as usize].clone()).or_default() += 1;
        }
        rows
    }

    #[test]
    fn no_subject_has_more_rows_than_are_counted_for_it() {
        for (scheme, layers) in [
            ("tfmcc", false),
            ("omcc", false),
            ("pgmcc", false),
            ("mlda", true),
            ("smcc", true),
            ("rlm", true),
            ("layered-cbr", true),
        ] {
            let found = rows(scheme);
            let of = |begins: &str| {
                let rows = found.iter().filter(|(name, _)| name.starts_with(begins)).map(|(_, &rows)| rows);
                rows.max().unwrap_or_else(|| panic!("{scheme}: no {begins} in {found:?}"))
            };
            let probed = of("bottleneck");
            assert!(probed <= LINK_ROWS + CHANGING_ROWS + PROBED_ROWS, "{scheme}: {probed} of a link");
            assert!(of("access-") <= LINK_ROWS, "{scheme}: {} of a link", of("access-"));
            for flow in ["page", "voice"] {
                assert!(of(flow) <= FLOW_ROWS, "{scheme}: {} of {flow}", of(flow));
            }
            assert!(found["film"] <= FLOW_ROWS, "{scheme}: {} of the session", found["film"]);
            // Python adds the share and the satisfaction of a receiver of layers.
            let (receiver, most) = (of("film-") + 2, RECEIVER_ROWS + if layers { LEVEL_ROWS } else { 0 });
            assert!(receiver <= most, "{scheme}: {receiver} of a receiver, {most} are counted");
        }
    }
}
