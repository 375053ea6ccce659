//! What a case is, and what comes of it.

use serde_json::{Value, json};

/// Something that is measured, by its name.
pub struct Case {
    pub name: &'static str,
    /// How long it takes, seconds, without what is simulated.
    pub seconds: u32,
    pub measure: fn() -> Result<Vec<Row>, String>,
}

/// One figure beside what is wanted of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What was measured.
    pub what: String,
    /// What it is on sockets.
    pub wire: String,
    /// What it is in the simulator, if it is there, too.
    pub simulator: String,
    /// What is wanted; nothing where a figure is only told.
    pub wanted: String,
    pub reached: Option<bool>,
}

impl Row {
    /// A figure of which something is wanted.
    pub fn judged(what: impl Into<String>, wire: impl Into<String>, wanted: impl Into<String>, reached: bool) -> Row {
        let (what, wire, wanted) = (what.into(), wire.into(), wanted.into());
        Row { what, wire, simulator: String::new(), wanted, reached: Some(reached) }
    }

    /// A figure that is told.
    pub fn told(what: impl Into<String>, wire: impl Into<String>) -> Row {
        let (what, wire) = (what.into(), wire.into());
        Row { what, wire, simulator: String::new(), wanted: String::new(), reached: None }
    }

    /// With what the simulator has.
    pub fn beside(self, simulator: impl Into<String>) -> Row {
        Row { simulator: simulator.into(), ..self }
    }

    pub fn verdict(&self) -> &'static str {
        match self.reached {
            Some(true) => "reached",
            Some(false) => "**not reached**",
            None => "",
        }
    }

    pub fn cells(&self) -> [&str; 5] {
        [&self.what, &self.wire, &self.simulator, &self.wanted, self.verdict()]
    }

    pub fn to_json(&self) -> Value {
        let Row { what, wire, simulator, wanted, reached } = self;
        json!({ "what": what, "wire": wire, "simulator": simulator, "wanted": wanted, "reached": reached })
    }

    pub fn from_json(value: &Value) -> Option<Row> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        Some(Row {
            what: text("what")?,
            wire: text("wire")?,
            simulator: text("simulator")?,
            wanted: text("wanted")?,
            reached: value["reached"].as_bool(),
        })
    }
}

/// The mean; NaN of nothing.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The middle one of these, or the mean of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { mean(&sorted[middle - 1..=middle]) }
}

/// Values with so many digits behind the point, the lowest and the highest alone where there are many.
pub fn listed(values: &[f64]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0..=5 => sorted.iter().map(|value| format!("{value:.2}")).collect::<Vec<_>>().join(", "),
        _ => format!("{:.2} to {:.2}", sorted[0], sorted[sorted.len() - 1]),
    }
}
