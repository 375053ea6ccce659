//! Columns and rows of what endpoints show: the gauges of those protocols that are in the run.

use super::table::{Table, Values};
use faircast_proto::endpoint::{Gauge, GaugeKind};

/// The gauges of some endpoints, each once, in the order in which they come first.
#[derive(Clone, Debug)]
pub struct Gauges {
    all: Vec<Gauge>,
    /// Of each endpoint, where each of its gauges is in `all`.
    places: Vec<Vec<usize>>,
}

/// What an endpoint showed at the end of an interval and at the end of the one before; nothing at time zero.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// Which of the endpoints.
    pub endpoint: usize,
    /// The values of the moment.
    pub now: &'a [f64],
    /// The values at the end of the interval before; none at time zero.
    pub before: Option<&'a [f64]>,
}

impl Gauges {
    /// The gauge columns of endpoints that show these.
    pub fn of(endpoints: impl Iterator<Item = &'static [Gauge]>) -> Gauges {
        let mut all: Vec<Gauge> = Vec::new();
        let mut places: Vec<Vec<usize>> = Vec::new();
        // Endpoints of one kind come in a row.
        let mut last: &[Gauge] = &[];
        for gauges in endpoints {
            if !places.is_empty() && std::ptr::eq(gauges, last) {
                places.push(places[places.len() - 1].clone());
                continue;
            }
            let mut place = |gauge: &Gauge| {
                let column = gauge.column();
                all.iter().position(|known| known.column() == column).unwrap_or_else(|| {
                    all.push(*gauge);
                    all.len() - 1
                })
            };
            places.push(gauges.iter().map(&mut place).collect());
            last = gauges;
        }
        Gauges { all, places }
    }

    /// Whether nobody shows anything.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// How many columns they are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// How many an endpoint shows.
    pub fn number(&self, endpoint: usize) -> usize {
        self.places[endpoint].len()
    }

    /// Adds a column for each to a table with these rows. What counts is what the interval added, 0 of an endpoint that
    /// does not count it; of levels it is the last one, NaN of an endpoint that has none.
    pub fn columns(&self, mut table: Table, rows: &[Shown<'_>]) -> Table {
        for (index, gauge) in self.all.iter().enumerate() {
            let value = |row: &Shown<'_>| {
                let place = self.places[row.endpoint].iter().position(|&place| place == index)?;
                let before = row.before.map_or(0.0, |before| before[place]);
                Some(if gauge.kind == GaugeKind::Level { row.now[place] } else { row.now[place] - before })
            };
            let values = match gauge.kind {
                GaugeKind::Count => Values::Integer(rows.iter().map(|row| value(row).unwrap_or(0.0) as i64).collect()),
                GaugeKind::Amount => Values::Float(rows.iter().map(|row| value(row).unwrap_or(0.0)).collect()),
                GaugeKind::Level => Values::Float(rows.iter().map(|row| value(row).unwrap_or(f64::NAN)).collect()),
            };
            table = table.column(gauge.column(), values);
        }
        table
    }
}
