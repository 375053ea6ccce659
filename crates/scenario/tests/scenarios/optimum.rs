//! What a scenario may say of the optimum beside its results.

use faircast_scenario::Scenario;

/// What the optimum of a legal scenario is set to, and the path and a part of the message of the one problem there.
const WRONG: &[(&str, &str, &str)] = &[
    ("utility = \"proportionel\"", "optimum.utility", "did you mean proportional?"),
    ("utility = \"alpha-fair\"", "optimum.alpha", "missing: the utility alpha-fair needs it"),
    ("utility = \"alpha-fair\"\nalpha = 0.0", "optimum.alpha", "0 is not legal; legal is a number from 0.1 to 20"),
    ("utility = \"alpha-fair\"\nalpha = -2", "optimum.alpha", "-2 is not legal; legal is a number from 0.1 to 20"),
    ("utility = \"alpha-fair\"\nalpha = \"2\"", "optimum.alpha", "\"2\" is not legal; legal is a number"),
    ("alpha = 2", "optimum.alpha", "it belongs to the utility alpha-fair"),
    ("orientation = \"sender\"", "optimum.orientation", "legal are session, receiver"),
    ("multirate = \"yes\"", "optimum.multirate", "\"yes\" is not legal; legal is true or false"),
    ("weights = { web = -1 }", "optimum.weights.web", "-1 given; legal is a number above 0"),
    ("weights = { web = 0.0 }", "optimum.weights.web", "0 given; legal is a number above 0"),
    ("weights = { wep-0 = 1 }", "optimum.weights.wep-0", "there is no flow or session wep-0; did you mean web-0?"),
    ("weights = { voice = 2 }", "optimum.weights.voice", "voice sends at a constant rate"),
    ("wieghts = { web = 2 }", "optimum.wieghts", "did you mean weights?"),
];

const LEGAL: &str = r#"
format = 1
name = "legal"
duration = "10 s"
topology = { kind = "dumbbell", left = 2, right = 2 }
[flows.web]
kind = "tcp"
count = 2
[flows.voice]
kind = "cbr"
[optimum]
"#;

fn legal(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{text}\n{problems:#?}"))
}

#[test]
fn wrong_optima_are_told() {
    for (lines, path, message) in WRONG {
        let problems = Scenario::from_toml(&format!("{LEGAL}{lines}\n")).expect_err(lines);
        let [problem] = &problems[..] else { panic!("{lines}: {problems:#?}") };
        assert_eq!(problem.path, *path, "{lines}");
        assert!(problem.message.contains(message), "{lines}: {problem}");
    }
}

#[test]
fn legal_optima_are_kept_and_the_default_is_not_written() {
    assert_eq!(legal(LEGAL).to_json().get("optimum"), None);
    assert_eq!(legal(&format!("{LEGAL}utility = \"own\"\n")).to_json().get("optimum"), None);
    let named = legal(&format!("{LEGAL}utility = \"proportional\"\n")).to_json();
    assert_eq!(named["optimum"]["utility"], "proportional");
    let single = legal(&format!("{LEGAL}multirate = false\n")).to_json();
    assert_eq!(single["optimum"]["multirate"], false);
    let lines = "utility = \"alpha-fair\"\nalpha = 3\norientation = \"receiver\"\nweights = { web = 2, web-1 = 0.5 }";
    let written = legal(&format!("{LEGAL}{lines}\n")).to_json();
    let expected = serde_json::json!({
        "utility": "alpha-fair", "alpha": 3.0, "orientation": "receiver", "weights": { "web": 2.0, "web-1": 0.5 }
    });
    assert_eq!(written["optimum"], expected);
}
