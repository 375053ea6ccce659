//! What an endpoint shows of itself beside its [`Report`](crate::endpoint::Report): values with a name and a unit, its
//! protocol's own.

/// A value that an endpoint shows. Those of a protocol stand in its own module, and with endpoints of it in a run they
/// become columns of tables and rows of summaries; where two protocols show the same they share name, unit and kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gauge {
    /// Its name, without the unit: `srtt`.
    pub name: &'static str,
    /// Its unit: `s`, `bit/s`, `packets`, `bytes`, what is counted, or `1`.
    pub unit: &'static str,
    /// How it goes.
    pub kind: GaugeKind,
    /// What it means.
    pub about: &'static str,
}

/// How a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaugeKind {
    /// A whole number that was counted since the start: tables give what an interval adds to it.
    Count,
    /// An amount since the start, likewise.
    Amount,
    /// A value of the moment; NaN while there is none.
    Level,
}

impl Gauge {
    /// A count.
    pub const fn count(name: &'static str, unit: &'static str, about: &'static str) -> Gauge {
        Gauge { name, unit, kind: GaugeKind::Count, about }
    }

    /// An amount.
    pub const fn amount(name: &'static str, unit: &'static str, about: &'static str) -> Gauge {
        Gauge { name, unit, kind: GaugeKind::Amount, about }
    }

    /// A value of the moment.
    pub const fn level(name: &'static str, unit: &'static str, about: &'static str) -> Gauge {
        Gauge { name, unit, kind: GaugeKind::Level, about }
    }

    /// Its name in tables, where the unit stands in a column's name: `srtt_s`.
    pub fn column(&self) -> String {
        let unit = match self.unit {
            "s" => "_s",
            "bit/s" => "_bps",
            "packets" => "_pkts",
            "bytes" => "_bytes",
            _ => "",
        };
        format!("{}{unit}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_stands_in_a_columns_name() {
        let columns =
            ["s", "bit/s", "packets", "bytes", "1", "rounds"].map(|unit| Gauge::level("x", unit, "").column());
        assert_eq!(columns, ["x_s", "x_bps", "x_pkts", "x_bytes", "x", "x"]);
    }
}
