//! How long packets waited at the queues that are watched: all of a queue, those of each of its classes, of each flow.

use super::declared::{Declared, Row, float, integer, name, name_if_any, one_of, prepared, table_with};
use super::subjects::{QueueSubject, Subjects};
use faircast_proto::packet::FlowId;
use faircast_sim::probe::{Sojourn, together};
use faircast_sim::world::World;
use faircast_tables::table::{Table, Values, Words};

/// Whose packets a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum About {
    /// All of the queue.
    Queue,
    /// Those of one of its classes.
    Class,
    /// Those of a flow or session.
    Flow(u32),
}

/// What is said of packets that left a queue after the warm-up.
pub(crate) struct Waited {
    link: u32,
    about: About,
    packets: u64,
    mean_s: f64,
    /// Of [`PERCENTILES`].
    percentiles_s: [f64; 4],
    max_s: f64,
}

/// Those that are told.
const PERCENTILES: [u32; 4] = [50, 90, 95, 99];

impl Row for Waited {
    const TABLE: &'static str = "sojourn";
    const RECORD: usize = 0;

    fn columns() -> Vec<Declared<Self>> {
        vec![
            name("link", "at the queue of which direction of which link", |of| &of.links, |row| row.link),
            one_of(
                "of",
                "whose packets: `queue`, all of them; `class`, those of one of its classes; `flow`, those of a flow or \
                 session",
                &["queue", "class", "flow"],
                |row| match row.about {
                    About::Queue => 0,
                    About::Class => 1,
                    About::Flow(_) => 2,
                },
            ),
            prepared(
                "class",
                "which class: its name or else its number from 0, of several with one name both; `OUTER/INNER` of one \
                 within another; empty in other rows",
            ),
            name_if_any(
                "flow",
                "which flow or session; empty in other rows",
                |of| &of.flows,
                |row| match row.about {
                    About::Flow(flow) => Some(flow),
                    About::Queue | About::Class => None,
                },
            ),
            integer("packets", "how many left the transmitter after the warm-up", |row| row.packets as i64),
            float("mean_s", "how long they waited in the mean, exactly; NaN of none, as what follows", |row| {
                row.mean_s
            }),
            float("p50_s", "half of them waited so long or shorter: within 1 us or 1/128, as what follows", |row| {
                row.percentiles_s[0]
            }),
            float("p90_s", "90 % did", |row| row.percentiles_s[1]),
            float("p95_s", "95 % did", |row| row.percentiles_s[2]),
            float("p99_s", "99 % did", |row| row.percentiles_s[3]),
            float("max_s", "the longest wait, exactly", |row| row.max_s),
        ]
    }
}

impl Waited {
    fn of(link: u32, about: About, sojourn: &Sojourn) -> Waited {
        Waited {
            link,
            about,
            packets: sojourn.packets(),
            mean_s: sojourn.mean_s(),
            percentiles_s: PERCENTILES.map(|percent| sojourn.percentile_s(percent)),
            max_s: sojourn.max_s(),
        }
    }
}

/// Of each queue that is watched a row, of each of its classes, and of each flow of which packets left it after the
/// warm-up.
pub(super) fn sojourn<C>(world: &World<C>, subjects: &Subjects) -> Table {
    let (mut rows, mut names) = (Vec::new(), Words::default());
    for QueueSubject { link, classes } in &subjects.queues {
        let Some(probe) = world.links()[link.index()].probe() else { continue };
        let of_flows: Vec<(FlowId, &Sojourn)> = probe.sojourns().late().collect();
        let mut add = |about, name: &str, sojourn: &Sojourn| {
            rows.push(Waited::of(link.0, about, sojourn));
            names.push(name);
        };
        add(About::Queue, "", &probe.sojourns().late_whole());
        for (name, has) in classes {
            let own = of_flows.iter().filter(|(flow, _)| has.get(flow.0 as usize).is_some_and(|has| *has));
            add(About::Class, name, &together(own.map(|(_, sojourn)| *sojourn)));
        }
        for (flow, sojourn) in of_flows.iter().filter(|(flow, _)| (flow.0 as usize) < subjects.flows.len()) {
            add(About::Flow(flow.0), "", sojourn);
        }
    }
    table_with(&rows, subjects, false, [("class", Values::Words(names))])
}
