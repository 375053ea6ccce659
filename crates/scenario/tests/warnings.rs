//! What is legal, but should be known, is told: before a run where it needs none, and beside the result.

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::{Scenario, run, warning};

fn scenario(rest: &str) -> Scenario {
    let head = "format = 1\nname = \"x\"\nduration = \"20 s\"\n[topology]\nkind = \"dumbbell\"\n\
                bottleneck = { rate = \"7654321 bit/s\", delay = \"100 ms\" }\n";
    Scenario::from_toml(&format!("{head}{rest}")).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn go(scenario: &Scenario) -> RunOutput {
    run(scenario, 1, &Control::default(), 1).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

#[test]
fn a_flow_that_its_window_holds_is_told() {
    // Two packets per round trip of 204 ms: the window is full all the time but for the first round.
    let output = go(&scenario("[flows.web]\nkind = \"tcp\"\nwnd = \"2 packets\"\nstart = \"5 s\"\nstop = \"15 s\""));
    let [warning] = &output.warnings[..] else { panic!("{:?}", output.warnings) };
    assert_eq!((warning.kind, warning.subject.as_str()), ("window-limited", "web"));
    assert!((0.95..=1.0).contains(&warning.value), "{}", warning.value);
    assert!(
        warning.message.contains("wnd = 2 packets") && warning.message.contains("flow web "),
        "{}",
        warning.message
    );
    let table = output.tables.last().expect("there are tables");
    assert_eq!((table.name, table.rows()), ("warnings", 1));
}

#[test]
fn flows_that_the_network_holds_are_not_told() {
    // 7654321 bit/s times 204 ms are 188 packets of 1040 bytes; the queue adds 50.
    for wnd in ["", "wnd = \"400 packets\""] {
        let output = go(&scenario(&format!("[flows.web]\nkind = \"tcp\"\n{wnd}")));
        assert_eq!(output.warnings, [], "{wnd}");
        assert_eq!(output.tables.last().map(|table| (table.name, table.rows())), Some(("warnings", 0)));
    }
}

#[test]
fn receivers_at_their_source_are_told_before_and_after() {
    let session = |nodes: &str| {
        scenario(&format!(
            "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\nreceivers = {{ nodes = [{nodes}] }}"
        ))
    };
    assert_eq!(warning::known(&session("\"right-0\", \"right-1\"")), []);
    let near = session("\"left-0\", \"right-0\", \"left-0\"");
    let known = warning::known(&near);
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!(known[0].path, "sessions.film.receivers");
    let warning = &known[0].warning;
    assert_eq!((warning.kind, warning.subject.as_str(), warning.value), ("receiver-at-source", "film", 2.0));
    assert!(warning.message.starts_with("receiver film-0 and 1 more are on node left-0"), "{}", warning.message);
    assert_eq!(go(&near).warnings, std::slice::from_ref(warning));
}
