//! Samples of queues. What is sampled stands in the simulator's [`SAMPLED`].

use super::declared::{Declared, Row, float, name, sampled};
use faircast_sim::probe::{QueueRow, SAMPLED};

impl Row for QueueRow {
    const TABLE: &'static str = "queues";
    const RECORD: usize = size_of::<QueueRow>();

    fn columns() -> Vec<Declared<Self>> {
        let mut columns: Vec<Declared<Self>> = vec![
            float("t_s", "the moment", |row: &QueueRow| row.at.as_secs_f64()),
            name("link", "which direction of which link", |of| &of.links, |row| row.link.0),
        ];
        let numbers = SAMPLED.iter().enumerate();
        columns.extend(
            numbers
                .map(|(index, of)| sampled(of.column, of.meaning, |row: &QueueRow| &row.values, (index, of.is_count))),
        );
        columns
    }
}
