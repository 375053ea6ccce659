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
    pub verdict: Option<Verdict>,
}

/// Whether a figure is what is wanted of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    Reached,
    NotReached,
    /// A limit lies within the noise of several runs.
    Undecided,
}

impl Verdict {
    const ALL: [Verdict; 3] = [Verdict::Reached, Verdict::NotReached, Verdict::Undecided];

    /// Of the mean of several runs that is wanted between two limits: undecided if its 95 % interval contains one.
    pub fn of_mean(runs: &[f64], low: f64, high: f64) -> Verdict {
        let (mean, half) = (mean(runs), half_width(runs));
        let is_near = |limit: f64| (mean - limit).abs() <= half;
        if is_near(low) || is_near(high) { Verdict::Undecided } else { Verdict::from((low..=high).contains(&mean)) }
    }

    fn word(self) -> &'static str {
        match self {
            Verdict::Reached => "reached",
            Verdict::NotReached => "**not reached**",
            Verdict::Undecided => "undecided",
        }
    }
}

impl From<bool> for Verdict {
    fn from(is_reached: bool) -> Verdict {
        if is_reached { Verdict::Reached } else { Verdict::NotReached }
    }
}

impl Row {
    /// A figure of which something is wanted.
    pub fn judged(
        what: impl Into<String>,
        wire: impl Into<String>,
        wanted: impl Into<String>,
        verdict: impl Into<Verdict>,
    ) -> Row {
        let (what, wire, wanted) = (what.into(), wire.into(), wanted.into());
        Row { what, wire, simulator: String::new(), wanted, verdict: Some(verdict.into()) }
    }

    /// A figure that is told.
    pub fn told(what: impl Into<String>, wire: impl Into<String>) -> Row {
        let (what, wire) = (what.into(), wire.into());
        Row { what, wire, simulator: String::new(), wanted: String::new(), verdict: None }
    }

    /// With what the simulator has.
    pub fn beside(self, simulator: impl Into<String>) -> Row {
        Row { simulator: simulator.into(), ..self }
    }

    pub fn cells(&self) -> [&str; 5] {
        [&self.what, &self.wire, &self.simulator, &self.wanted, self.verdict.map_or("", Verdict::word)]
    }

    pub fn to_json(&self) -> Value {
        let [what, wire, simulator, wanted, verdict] = self.cells();
        json!({ "what": what, "wire": wire, "simulator": simulator, "wanted": wanted, "verdict": verdict })
    }

    /// Nothing if it is not a row as [`Row::to_json`] writes it.
    pub fn from_json(value: &Value) -> Option<Row> {
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let verdict = match value["verdict"].as_str()? {
            "" => None,
            word => Some(Verdict::ALL.into_iter().find(|verdict| verdict.word() == word)?),
        };
        Some(Row {
            what: text("what")?,
            wire: text("wire")?,
            simulator: text("simulator")?,
            wanted: text("wanted")?,
            verdict,
        })
    }
}

/// The mean; NaN of nothing.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Student's t for an interval of 95 %, by degrees of freedom from one on.
const STUDENT: [f64; 9] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262];

/// Half of the 95 % interval of the mean of independent runs; nothing is known of one. Of more than ten it is taken as
/// wide as Student's t for ten makes it.
fn half_width(runs: &[f64]) -> f64 {
    let freedom = runs.len().saturating_sub(1);
    if freedom == 0 {
        return 0.0;
    }
    let mean = mean(runs);
    let variance = runs.iter().map(|run| (run - mean) * (run - mean)).sum::<f64>() / freedom as f64;
    STUDENT[freedom.min(STUDENT.len()) - 1] * (variance / runs.len() as f64).sqrt()
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
