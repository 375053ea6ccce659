//! What is measured, in the simulator: twenty seeds. What came of them is kept, so that it need not be computed with
//! the priority of what is measured.

use crate::place::kept;
use faircast_scenario::run::Control;
use faircast_scenario::tables::{Table, Values};
use faircast_scenario::{Scenario, run};
use serde_json::{Value, json};
use std::fs;
use std::sync::Mutex;
use std::thread;

const SEEDS: u64 = 20;

/// What came of each seed: Mbit/s of the session and of TCP in each tenth of a second.
pub struct Simulated {
    pub runs: Vec<Vec<[f64; 2]>>,
}

/// One bottleneck, a session of three receivers over it, and a TCP if it is there.
pub struct Network {
    /// What [`kept`] knows it by.
    pub name: &'static str,
    /// The keys of the session, or of a TCP in its place.
    pub session: Value,
    /// The keys of the TCP beside it.
    pub tcp: Option<Value>,
    /// The keys of the bottleneck.
    pub bottleneck: Value,
    pub seconds: u64,
}

impl Network {
    fn scenario(&self) -> Value {
        let mut scenario = json!({
            "format": 1,
            "name": self.name,
            "duration": format!("{} s", self.seconds),
            "topology": {
                "kind": "dumbbell", "left": 2, "right": 4, "access": { "rate": "1 Gbit/s", "delay": "0 ms" },
            },
            "links": { "bottleneck": self.bottleneck },
            "probes": { "interval": "100 ms" },
        });
        let mut session = self.session.clone();
        if session["kind"] == "tcp" {
            (session["from"], session["to"]) = (json!("left-0"), json!("right-0"));
            scenario["flows"]["session"] = session;
        } else {
            session["source"] = json!("left-0");
            session["receivers"] = json!({ "nodes": ["right-0", "right-1", "right-2"] });
            scenario["sessions"] = json!({ "session": session });
        }
        if let Some(tcp) = &self.tcp {
            let mut tcp = tcp.clone();
            (tcp["from"], tcp["to"]) = (json!("left-1"), json!("right-3"));
            scenario["flows"]["tcp"] = tcp;
        }
        scenario
    }

    /// All seeds, unless they are there already, by this program.
    pub fn run(&self) -> Result<Simulated, String> {
        let scenario = self.scenario();
        let path = kept("simulated").join(self.name).with_extension("json");
        let there = fs::read_to_string(&path).ok().and_then(|text| serde_json::from_str::<Value>(&text).ok());
        // Another one may simulate otherwise.
        let built = json!(built());
        if let Some(there) = there.filter(|there| there["scenario"] == scenario && there["built"] == built) {
            let runs = serde_json::from_value(there["runs"].clone()).map_err(|error| error.to_string())?;
            return Ok(Simulated { runs });
        }
        let checked = Scenario::from_json(scenario.clone())
            .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))?;
        let (next, runs) = (Mutex::new(0), Mutex::new(Vec::new()));
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(|| {
                    loop {
                        let seed = {
                            let mut next = next.lock().expect("nobody panics with it");
                            *next += 1;
                            *next
                        };
                        if seed > SEEDS {
                            return;
                        }
                        let output = run(&checked, seed, &Control::default(), 1).expect("the scenario was checked");
                        let flows = output.tables.iter().find(|table| table.name == "flows").expect("it has flows");
                        runs.lock().expect("nobody panics with it").push((seed, tenths(flows)));
                    }
                });
            }
        });
        let mut runs = runs.into_inner().expect("nobody panics with it");
        runs.sort_by_key(|(seed, _)| *seed);
        let runs: Vec<Vec<[f64; 2]>> = runs.into_iter().map(|(_, run)| run).collect();
        let text = json!({ "scenario": scenario, "built": built, "runs": runs }).to_string();
        fs::write(&path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(Simulated { runs })
    }
}

/// When this program was built, seconds since 1970, as far as its file tells.
fn built() -> Option<f64> {
    let modified = fs::metadata(std::env::current_exe().ok()?).ok()?.modified().ok()?;
    Some(modified.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs_f64())
}

impl Simulated {
    /// What each seed had of session and TCP from one tenth of a second up to another, Mbit/s.
    pub fn mbps(&self, from: usize, to: usize) -> Vec<[f64; 2]> {
        let of = |run: &Vec<[f64; 2]>| {
            [0, 1].map(|which| run[from..to].iter().map(|tenth| tenth[which]).sum::<f64>() / (to - from) as f64)
        };
        self.runs.iter().map(of).collect()
    }
}

fn tenths(flows: &Table) -> Vec<[f64; 2]> {
    let Some(Values::Words(names)) = flows.get("flow") else { panic!("flows have names") };
    let Some(Values::Float(rates)) = flows.get("rate_bps") else { panic!("flows have rates") };
    let of = |name: &str| -> Vec<f64> {
        let is_of = |code: &i32| names.dictionary[*code as usize] == name;
        let rows = names.codes.iter().zip(rates).filter(|(code, _)| is_of(code));
        rows.map(|(_, rate)| if rate.is_finite() { rate / 1e6 } else { 0.0 }).collect()
    };
    let (session, tcp) = (of("session"), of("tcp"));
    session.iter().enumerate().map(|(at, rate)| [*rate, tcp.get(at).copied().unwrap_or(0.0)]).collect()
}
