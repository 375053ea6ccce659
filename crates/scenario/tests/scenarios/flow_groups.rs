//! Groups of flows that differ: lists in the places of `variant`, `mss` and other values.

use faircast_scenario::run::Control;
use faircast_scenario::tables::{Values, Words};
use faircast_scenario::{Problem, Scenario, run};
use serde_json::{Value, json};

const BASE: &str = r#"
format = 1
name = "groups"
duration = "20 s"

[topology]
kind = "dumbbell"
left = 3
right = 3

[flows.web]
kind = "tcp"
count = 3
"#;

fn read(more: &str) -> Result<Scenario, Vec<Problem>> {
    Scenario::from_toml(&format!("{BASE}{more}\n"))
}

fn resolved(more: &str) -> Value {
    read(more).unwrap_or_else(|found| panic!("{found:#?}")).to_json()
}

fn problems(more: &str) -> Vec<(String, String)> {
    let found = read(more).expect_err("something is wrong");
    found.into_iter().map(|problem| (problem.path, problem.message)).collect()
}

fn one(more: &str) -> (String, String) {
    let found = problems(more);
    let [problem] = &found[..] else { panic!("{found:#?}") };
    problem.clone()
}

/// The values of a metric, one for each flow.
fn measured(scenario: &Scenario, metric: &str, flows: &[&str]) -> Vec<f64> {
    let output = run(scenario, 1, &Control::default(), 1).expect("it runs");
    let table = output.tables.iter().find(|table| table.name == "summary").expect("there is one");
    let words = |column: &str| match table.get(column) {
        Some(Values::Words(words)) => words,
        other => panic!("{other:?}"),
    };
    let (subjects, metrics) = (words("subject"), words("metric"));
    let Some(Values::Float(values)) = table.get("value") else { panic!("no values") };
    let is = |words: &Words, row: usize, word: &str| words.dictionary[words.codes[row] as usize] == word;
    let row = |flow: &str| (0..values.len()).find(|&row| is(subjects, row, flow) && is(metrics, row, metric));
    flows.iter().map(|flow| values[row(flow).unwrap_or_else(|| panic!("{flow} has no {metric}"))]).collect()
}

#[test]
fn lists_stay_and_equal_values_are_one() {
    let web = &resolved(r#"variant = ["newreno", "sack", "newreno"]"#)["flows"]["web"];
    assert_eq!(web["variant"], json!(["newreno", "sack", "newreno"]));
    assert_eq!(web["mss"], "1 KB");
    let alike = resolved("variant = [\"sack\", \"sack\", \"sack\"]\nmss = [\"1 KB\", \"1000 B\", \"1 KB\"]");
    assert_eq!(alike, resolved("variant = \"sack\""));
    assert_eq!(resolved("start = [\"0 s\", \"0 s\", \"0 s\"]"), resolved(""));
    assert_eq!(resolved("start = [\"1 s\", \"1000 ms\", \"1 s\"]"), resolved("start = \"1 s\""));
}

#[test]
fn what_has_been_resolved_is_read_as_the_same() {
    let lists = "variant = [\"reno\", \"sack\", \"reno\"]\nmss = [\"500 B\", \"1 KB\", \"1 KB\"]\n\
                 start = [\"2 s\", \"0 s\", \"1 s\"]\n[flows.noise]\nkind = \"cbr\"\ncount = 2\n\
                 rate = [\"8 kbit/s\", \"9 kbit/s\"]\npacket_size = [\"100 B\", \"200 B\"]";
    let scenario = resolved(lists);
    assert_eq!(scenario["flows"]["web"]["start"], json!(["2 s", "0 s", "1 s"]));
    assert_eq!(scenario["flows"]["noise"]["packet_size"], json!(["100 B", "200 B"]));
    let again = Scenario::from_json(scenario.clone()).unwrap_or_else(|found| panic!("{found:#?}"));
    assert_eq!(again.to_json(), scenario);
}

#[test]
fn each_flow_has_its_own() {
    let names = ["web-0", "web-1", "web-2"];
    let noise = "[flows.noise]\nkind = \"cbr\"\ncount = 2\nrate = [\"80 kbit/s\", \"160 kbit/s\"]\n\
                 packet_size = [\"100 B\", \"200 B\"]\nstart = [\"0 s\", \"10 s\"]";
    let rates = measured(&read(noise).expect("it is legal"), "rate_all", &["noise-0", "noise-1"]);
    // 160 kbit/s for the second half; 200 B are 80 bit/s in 20 s, and some packets are under way at the end.
    assert!(rates.iter().all(|rate| (rate - 80e3).abs() < 2000.0), "{rates:?}");
    let starts = "start = [\"12 s\", \"3 s\", \"6 s\"]\nvariant = [\"reno\", \"sack\", \"newreno\"]";
    assert_eq!(measured(&read(starts).expect("it is legal"), "active_all", &names), [8.0, 17.0, 14.0]);
    // A group of flows that differ is what single flows with these parameters are.
    let group = "variant = [\"reno\", \"sack\", \"newreno\"]\nmss = [\"400 B\", \"1 KB\", \"700 B\"]";
    let flow = |number: usize, variant: &str, mss: &str| {
        format!(
            "[flows.web-{number}]\nkind = \"tcp\"\nvariant = \"{variant}\"\nmss = \"{mss}\"\nfrom = \"left-{number}\"\n\
             to = \"right-{number}\"\n"
        )
    };
    let single = BASE.replace("[flows.web]\nkind = \"tcp\"\ncount = 3\n", "")
        + &[flow(0, "reno", "400 B"), flow(1, "sack", "1 KB"), flow(2, "newreno", "700 B")].concat();
    let single = Scenario::from_toml(&single).unwrap_or_else(|found| panic!("{found:#?}"));
    let group = read(group).expect("it is legal");
    for metric in ["goodput_all", "retransmitted_all", "cwnd_end"] {
        let apart = measured(&single, metric, &names);
        assert_eq!(measured(&group, metric, &names), apart, "{metric}");
        assert!(metric == "retransmitted_all" || apart[0] != apart[1] && apart[1] != apart[2], "{apart:?}");
    }
}

#[test]
fn lists_have_one_for_each() {
    let (path, message) = one("mss = [\"1 KB\", \"500 B\"]");
    assert_eq!(path, "flows.web.mss");
    assert_eq!(message, "2 values for 3 flows: give one for each, or a single one");
    let (path, message) = one("start = [\"1 s\", \"2 s\", \"3 s\", \"4 s\"]");
    assert_eq!((&path[..], &message[..15]), ("flows.web.start", "4 values for 3 "));
    let alone = BASE.replace("count = 3", "variant = [\"reno\", \"sack\"]");
    let found = Scenario::from_toml(&alone).expect_err("one flow");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0].message, "2 values for 1 flow: give a single one, or say count = 2");
    let (path, message) = one("start = [\"0 s\", \"1 s\", \"2 s\"]\nstart_step = \"1 s\"");
    assert_eq!(path, "flows.web.start");
    assert!(message.contains("start_step would shift them"), "{message}");
    // Other keys have no lists.
    let (path, message) = one("wnd = [\"1 packet\", \"2 packets\", \"3 packets\"]");
    assert_eq!(path, "flows.web.wnd");
    assert!(message.contains("legal is a number of packets"), "{message}");
}

#[test]
fn wrong_elements_are_named_by_their_places() {
    let found = problems(
        "variant = [\"reno\", \"cubik\", \"sack\"]\nmss = [\"1 KB\", \"500\", 7]\nstart = [\"0 s\", \"1 s\", \"2 m\"]",
    );
    let paths: Vec<&str> = found.iter().map(|(path, _)| &path[..]).collect();
    assert_eq!(paths, ["flows.web.mss[1]", "flows.web.mss[2]", "flows.web.start[2]", "flows.web.variant[1]"]);
    assert!(
        found[3].1.starts_with("\"cubik\" is not legal; did you mean cubic?; legal are reno, newreno, sack"),
        "{found:?}"
    );
    // What is no list has the message that it had before lists were legal.
    let (path, message) = one("mss = 7");
    assert_eq!(path, "flows.web.mss");
    assert!(message.starts_with("7 has no unit"), "{message}");
    let (_, message) = one("variant = \"newrino\"");
    assert!(message.contains("did you mean newreno?"), "{message}");
    // Of meaning, too.
    let (path, message) = one("mss = [\"1 KB\", \"0 B\", \"1 KB\"]");
    assert_eq!(path, "flows.web.mss[1]", "{message}");
    assert_eq!(one("mss = \"0 B\"").0, "flows.web.mss");
    let both = problems("mss = [\"0 B\", \"1 KB\", \"0 B\"]");
    assert_eq!(both.iter().map(|(path, _)| &path[..]).collect::<Vec<_>>(), ["flows.web.mss[0]", "flows.web.mss[2]"]);
    // What all have is said once.
    let (path, _) = one("mss = [\"500 B\", \"1 KB\", \"2 KB\"]\nwnd = \"0 packets\"");
    assert_eq!(path, "flows.web.wnd");
    let (path, message) = one("start = [\"1 s\", \"30 s\", \"20 s\"]");
    assert_eq!(
        (&path[..], &message[..]),
        ("flows.web.start[1]", "30 s given; legal is before the end of the run at 20 s")
    );
    let (path, message) = one("start = [\"1 s\", \"9 s\", \"2 s\"]\nstop = \"5 s\"");
    assert_eq!(path, "flows.web.stop");
    assert!(message.contains("after the last possible start at 9 s"), "{message}");
    let (path, _) = one("start = [\"1 s\", \"19 s\", \"2 s\"]\nstart_jitter = \"2 s\"");
    assert_eq!(path, "flows.web.start_jitter");
}
