//! What is sampled of a queue: a number more is one line of [`SAMPLED`].

use crate::ids::LinkId;
use crate::link::Link;
use faircast_proto::time::Instant;

/// The numbers, in the order of the columns that tables have of them.
pub const SAMPLED: &[Sampled] = &[
    Sampled::count("queue_pkts", "packets waiting, without the one in transmission", |link| {
        f64::from(link.waiting_pkts())
    }),
    Sampled::number(
        "average_pkts",
        "the average that RED or MECN decides by; NaN if the discipline has none",
        |link| link.average_pkts().unwrap_or(f64::NAN),
    ),
    Sampled::number(
        "sojourn_s",
        "how long packets waited in the mean that left since the last row; NaN if none did",
        |link| link.probe().map_or(f64::NAN, |probe| probe.sojourns().lately_s()),
    ),
];

/// A number that is sampled.
#[derive(Clone, Copy, Debug)]
pub struct Sampled {
    /// The name of its column, with the unit.
    pub column: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// Whether it is a whole number.
    pub is_count: bool,
    of: fn(&Link) -> f64,
}

/// A queue at one moment.
#[derive(Clone, Copy, Debug)]
pub struct QueueRow {
    /// The moment of the look.
    pub at: Instant,
    /// Which link's queue.
    pub link: LinkId,
    /// The value of each of [`SAMPLED`].
    pub values: [f64; SAMPLED.len()],
}

impl Sampled {
    const fn count(column: &'static str, meaning: &'static str, of: fn(&Link) -> f64) -> Sampled {
        Sampled { column, meaning, is_count: true, of }
    }

    const fn number(column: &'static str, meaning: &'static str, of: fn(&Link) -> f64) -> Sampled {
        Sampled { column, meaning, is_count: false, of }
    }
}

impl QueueRow {
    /// The queue of a link, settled up to now.
    pub(crate) fn of(link: LinkId, state: &Link, at: Instant) -> QueueRow {
        QueueRow { at, link, values: std::array::from_fn(|index| (SAMPLED[index].of)(state)) }
    }

    /// The number whose column is called `column`.
    pub fn get(&self, column: &str) -> Option<f64> {
        let place = SAMPLED.iter().position(|sampled| sampled.column == column)?;
        Some(self.values[place])
    }
}
