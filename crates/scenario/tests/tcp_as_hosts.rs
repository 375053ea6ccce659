//! TCP with delayed ACKs gets what that of hosts gets.

mod support;

use faircast_scenario::run::Control;
use faircast_scenario::{Scenario, run};
use support::{numbers, table, words};

/// Mbit/s of a SACK flow over 10 Mbit/s with random losses of its data, mean of four seeds.
fn goodput_mbps(rtt_ms: f64, loss: f64, keys: &str) -> f64 {
    let text = format!(
        r#"
format = 1
name = "as-hosts"
duration = "150 s"
warmup = "5 s"
nodes = {{ a = {{}}, b = {{}} }}
[links.path]
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "{} ms"
queue = {{ kind = "drop-tail", limit = "1000 packets" }}
loss = {{ kind = "bernoulli", p = {loss} }}
back = {{ loss = {{ kind = "none" }} }}
[flows.ftp]
kind = "tcp"
variant = "sack"
from = "a"
to = "b"
{keys}
"#,
        rtt_ms / 2.0
    );
    let scenario = Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let of_seed = |seed| {
        let output = run(&scenario, seed, &Control::default(), 1).unwrap();
        let summary = table(&output, "summary");
        let names = words(summary, "subject").into_iter().zip(words(summary, "metric"));
        let mut rows = names.zip(numbers(summary, "value"));
        let row = rows.find(|((subject, metric), _)| subject == "ftp" && metric == "goodput");
        *row.expect("there is a flow").1 / 1e6
    };
    (1..=4).map(of_seed).sum::<f64>() / 4.0
}

#[test]
fn delayed_acks_cost_a_flow_little() {
    let plain = "mss = \"1448 B\"\nrto_min = \"0.2 s\"\ndelayed_ack = true\ndelayed_ack_timeout = \"40 ms\"";
    let linux = "profile = \"linux\"";
    // Reno of Linux over an emulated path: 2.03 to 2.22 and 1.88 to 1.96 Mbit/s.
    for keys in [plain, linux] {
        let (short, long) = (goodput_mbps(40.0, 0.02, keys), goodput_mbps(100.0, 0.005, keys));
        assert!((short - 2.1).abs() <= 0.2, "{keys}: {short}");
        assert!((long - 1.92).abs() <= 0.15, "{keys}: {long}");
    }
    // Counted per ACK it gets two thirds of that.
    let counting_acks = format!("{plain}\nprofile = \"ns2\"");
    let short = goodput_mbps(40.0, 0.02, &counting_acks);
    assert!((1.3..1.6).contains(&short), "{short}");
}
