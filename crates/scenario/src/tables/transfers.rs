//! The transfers of web traffic.

use super::declared::{Declared, Row, float, integer, name, table};
use super::subjects::Subjects;
use crate::network::Network;
use crate::web::NetworkWeb;
use faircast_sim::visits::Transfer;
use faircast_tables::table::Table;

/// A transfer, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferOf {
    /// Of which web traffic.
    pub(crate) web: u32,
    pub(crate) transfer: Transfer,
    nodes: [u32; 2],
    class: u32,
    /// How long it takes at least, s.
    least_s: f64,
}

impl TransferOf {
    /// Each with what there is to say of it.
    pub(crate) fn all(transfers: Vec<(u32, Transfer)>, network: &Network) -> Vec<TransferOf> {
        let of = |(web, transfer): (u32, Transfer)| {
            let own: &NetworkWeb = &network.web[web as usize];
            let pair = transfer.pair as usize;
            TransferOf {
                web,
                transfer,
                nodes: [own.pairs[pair].from, own.pairs[pair].to],
                class: own.class_of(transfer.bytes) as u32,
                least_s: own.least_s(pair, transfer.bytes, transfer.opens),
            }
        };
        transfers.into_iter().map(of).collect()
    }

    /// How long it took, s; nothing if it has not been finished.
    pub(crate) fn completion_s(&self) -> Option<f64> {
        self.transfer.completion.map(|completion| completion.as_secs_f64())
    }

    /// Its completion time divided by the least that it can take; nothing if it has not been finished.
    pub(crate) fn slowdown(&self) -> Option<f64> {
        self.completion_s().map(|completion| completion / self.least_s)
    }

    /// Its class of size, from 1.
    pub(crate) fn class(&self) -> usize {
        self.class as usize
    }
}

impl Row for TransferOf {
    const TABLE: &'static str = "transfers";
    const RECORD: usize = size_of::<(u32, Transfer)>();

    fn columns() -> Vec<Declared<Self>> {
        vec![
            float("t_s", "when it arrived: when it was wanted", |row| row.transfer.arrived.as_secs_f64()),
            name("flow", "of which entry of web traffic", |of| &of.web, |row| row.web),
            name("from", "the node that sends it", |of| &of.nodes, |row| row.nodes[0]),
            name("to", "the node that receives it", |of| &of.nodes, |row| row.nodes[1]),
            integer("size_bytes", "bytes of payload", |row| row.transfer.bytes as i64),
            integer("class", "its class of size, from 1", |row| i64::from(row.class)),
            integer("opens", "1 if a connection was opened for it, 0 if it came after another on one", |row| {
                i64::from(row.transfer.opens)
            }),
            float("completion_s", "from its arrival until all of it was acknowledged; NaN if it was not", |row| {
                row.completion_s().unwrap_or(f64::NAN)
            }),
            float("slowdown", "that divided by the least that it can take; NaN if it was not finished", |row| {
                row.slowdown().unwrap_or(f64::NAN)
            }),
        ]
    }
}

/// All of them, entry by entry in the order of arrival.
pub(super) fn transfers(rows: &[TransferOf], subjects: &Subjects) -> Table {
    table(rows, subjects)
}
