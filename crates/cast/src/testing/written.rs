//! An end of a session of which `--results` writes something down, and the tables that are read of it.

use super::Folder;
use crate::agreed::Agreed;
use crate::limits::{Heard, said};
use crate::results::{JOURNAL, Logged, Of, Results, SENDER};
use faircast_proto::endpoint::{Endpoint, Event};
use faircast_proto::packet::Packet;
use faircast_proto::time::Instant;
use faircast_tables::table::{Table, Values};
use faircast_wire::content::Content;
use faircast_wire::driver::Driver;
use faircast_wire::event_log::EventLog;
use faircast_wire::testing::{Port, TestClock, Turns};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Zeros without end, as flows of the simulator carry, with what happens and who limits written down.
#[derive(Default)]
pub struct Endless {
    log: EventLog,
    limits: Heard,
}

impl Logged for Endless {
    fn log(&mut self) -> &mut EventLog {
        &mut self.log
    }
}

impl Content for Endless {
    fn names(&mut self, id: Option<u64>) {
        self.limits.names(id);
    }

    fn take(&mut self, now: Instant, packet: &Packet, _payload: &[u8]) {
        self.limits.take(now, packet, said(packet), &mut self.log);
    }

    fn event(&mut self, now: Instant, event: &Event) {
        self.log.note(now, event);
    }
}

/// An end with its journal.
pub struct Written<'a, E> {
    driver: Driver<E, Endless>,
    agreed: &'a Agreed,
    who: String,
    folder: String,
    results: Option<Results>,
}

impl<'a, E: Endpoint> Written<'a, E> {
    /// What `who` writes down goes into the folder of that name.
    pub fn new(driver: Driver<E, Endless>, agreed: &'a Agreed, who: &str, folder: &Folder) -> Written<'a, E> {
        let path = folder.path().join(who).to_str().unwrap().to_owned();
        Written { driver, agreed, who: who.to_owned(), folder: path, results: None }
    }

    /// Writes down how it ended.
    pub fn end(mut self, now: Instant) {
        let said = self.results.as_mut().and_then(|results| results.end(now, &mut self.driver, "done"));
        assert_eq!(said, None);
    }

    fn turn_of_results(&mut self, now: Instant) -> Option<Instant> {
        let results = self.results.as_mut()?;
        let sending_bps = self.driver.content().limits.rate_bps.unwrap_or(f64::NAN);
        assert_eq!(results.turn(now, &mut self.driver, sending_bps), None);
        results.next()
    }
}

impl<E: Endpoint> Turns for Written<'_, E> {
    fn begin(&mut self, clock: &mut TestClock, port: &mut Port) {
        use faircast_wire::clock::Clock as _;
        let verb = if self.who == SENDER { "send" } else { "receive" };
        let of = Of { verb, who: &self.who, agreed: self.agreed, interface: "eth0" };
        self.results = Some(Results::open(Some(&self.folder), &of, clock.now(), &mut self.driver).unwrap());
        self.driver.start(clock, port);
    }

    fn turn(&mut self, clock: &mut TestClock, port: &mut Port) -> Option<Instant> {
        use faircast_wire::clock::Clock as _;
        let next = self.turn_of_results(clock.now());
        self.driver.turn(clock, port).into_iter().chain(next).min()
    }
}

/// The values of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Words.
    Words(Vec<String>),
}

/// A table as it is read: its columns by name, and their order.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// Names, in order.
    pub order: Vec<String>,
    columns: BTreeMap<String, Column>,
}

impl Read {
    /// A table of the simulator.
    pub fn of(table: &Table) -> Read {
        let mut read = Read::default();
        for column in &table.columns {
            let values = match &column.values {
                Values::Float(values) => Column::Numbers(values.clone()),
                Values::Integer(values) => Column::Numbers(values.iter().map(|value| *value as f64).collect()),
                Values::Words(words) => {
                    Column::Words(words.codes.iter().map(|code| words.dictionary[*code as usize].clone()).collect())
                }
            };
            read.order.push(column.name.to_string());
            read.columns.insert(column.name.to_string(), values);
        }
        read
    }

    /// The numbers of a column.
    pub fn numbers(&self, column: &str) -> &[f64] {
        match self.columns.get(column) {
            Some(Column::Numbers(values)) => values,
            other => panic!("{column}: {other:?}"),
        }
    }

    /// The words of a column.
    pub fn words(&self, column: &str) -> &[String] {
        match self.columns.get(column) {
            Some(Column::Words(words)) => words,
            other => panic!("{column}: {other:?}"),
        }
    }

    /// Whether a column holds numbers.
    pub fn is_of_numbers(&self, column: &str) -> bool {
        matches!(self.columns.get(column), Some(Column::Numbers(_)))
    }

    /// The rows of which that is so.
    pub fn rows(&self, is_so: impl Fn(usize) -> bool) -> Read {
        let kept: Vec<usize> = (0..self.numbers("t_s").len()).filter(|row| is_so(*row)).collect();
        let columns = self.columns.iter().map(|(name, column)| {
            let column = match column {
                Column::Numbers(values) => Column::Numbers(kept.iter().map(|row| values[*row]).collect()),
                Column::Words(words) => Column::Words(kept.iter().map(|row| words[*row].clone()).collect()),
            };
            (name.clone(), column)
        });
        Read { order: self.order.clone(), columns: columns.collect() }
    }
}

/// The records of a journal, the first of which says what the others are about.
pub fn records(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join(JOURNAL)).unwrap();
    text.lines().filter_map(|line| serde_json::from_str(line.splitn(3, ' ').nth(2)?).ok()).collect()
}

/// The tables of a journal, by name.
pub fn tables(folder: &Path) -> BTreeMap<String, Read> {
    let records = records(folder);
    let mut tables = BTreeMap::new();
    for (name, columns) in records[0]["columns"].as_object().unwrap() {
        let mut read = Read::default();
        for (place, column) in columns.as_array().unwrap().iter().enumerate() {
            let (column, kind) = (column[0].as_str().unwrap(), column[1].as_str().unwrap());
            let rows = records.iter().filter_map(|record| record["tables"][name][place].as_array()).flatten();
            let values = match kind {
                "str" => Column::Words(rows.map(|value| value.as_str().unwrap().to_owned()).collect()),
                // What is no number is null.
                _ => Column::Numbers(rows.map(|value| value.as_f64().unwrap_or(f64::NAN)).collect()),
            };
            read.order.push(column.to_owned());
            read.columns.insert(column.to_owned(), values);
        }
        tables.insert(name.clone(), read);
    }
    tables
}
