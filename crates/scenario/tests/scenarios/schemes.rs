//! `[schemes.NAME]`: parameters of all sessions of a scheme.

use faircast_scenario::{Problem, Scenario};
use serde_json::Value;

const BASE: &str = r#"
format = 1
name = "schemes"
duration = "10 s"

[topology]
kind = "star"
right = 3

[schemes.tfmcc]
packet_size = "500 B"
max_rate = "2 Mbit/s"

[schemes.omcc]
utility = "log"

[sessions.film]
scheme = "tfmcc"
source = "left-0"
max_rate = "1 Mbit/s"

[sessions.song]
scheme = "omcc"
source = "left-0"
"#;

fn resolved(text: &str) -> Value {
    Scenario::from_toml(text).unwrap_or_else(|found| panic!("{found:#?}")).to_json()
}

fn problems(text: &str) -> Vec<Problem> {
    Scenario::from_toml(text).expect_err("something is wrong")
}

#[test]
fn parameters_go_to_the_sessions_of_the_scheme_and_sessions_win() {
    let scenario = resolved(BASE);
    let [film, song] = ["film", "song"].map(|name| &scenario["sessions"][name]);
    assert_eq!([&film["packet_size"], &film["max_rate"]], ["500 B", "1 Mbit/s"]);
    assert_eq!(song["packet_size"], "1 KB");
    assert_eq!(scenario.get("schemes"), None);
    // The other scheme takes the other parameters.
    let other = resolved(&BASE.replace("scheme = \"omcc\"", "scheme = \"tfmcc\""));
    assert_eq!(other["sessions"]["song"]["max_rate"], "2 Mbit/s");
    // However it is written it is the same scenario.
    let direct = BASE
        .replace("[schemes.tfmcc]\npacket_size = \"500 B\"\nmax_rate = \"2 Mbit/s\"\n", "")
        .replace("max_rate = \"1 Mbit/s\"", "max_rate = \"1 Mbit/s\"\npacket_size = \"500 B\"");
    assert_eq!(resolved(&direct), scenario);
}

#[test]
fn what_is_wrong_is_said_where_it_stands_and_once() {
    let two = BASE.replace("scheme = \"omcc\"", "scheme = \"tfmcc\"");
    for (old, new, path, message) in [
        ("[schemes.omcc]", "[schemes.ommc]", "schemes.ommc", "there is no scheme ommc; did you mean omcc?; legal are"),
        ("packet_size =", "paket_size =", "schemes.tfmcc.paket_size", "unknown key; did you mean packet_size?"),
        ("\"2 Mbit/s\"", "2", "schemes.tfmcc.max_rate", "2 has no unit"),
        ("\"2 Mbit/s\"", "\"1 bit/s\"", "schemes.tfmcc.max_rate", "legal is at least a packet"),
        ("packet_size =", "source =", "schemes.tfmcc.source", "unknown key"),
        ("\"500 B\"", "500", "schemes.tfmcc.packet_size", "500 has no unit"),
        ("[schemes.tfmcc]", "[schemes]\nomcc = 3\n[schemes.tfmcc]", "schemes.omcc", "3 is not legal; legal is a table"),
    ] {
        let text = two.replacen("utility = \"log\"\n", "", 1).replacen(
            "[schemes.omcc]\n",
            "",
            usize::from(old == "[schemes.tfmcc]"),
        );
        let found = problems(&text.replacen(old, new, 1));
        assert_eq!(found.len(), 1, "{new}: {found:#?}");
        assert_eq!(found[0].path, path);
        assert!(found[0].message.contains(message), "{found:#?}");
    }
    // Also where no session takes it.
    let unused = BASE.replace("scheme = \"tfmcc\"", "scheme = \"omcc\"").replace("\"2 Mbit/s\"", "\"1 bit/s\"");
    let found = problems(&unused);
    assert_eq!((found.len(), found[0].path.as_str()), (1, "schemes.tfmcc.max_rate"), "{found:#?}");
}

#[test]
fn a_key_of_another_scheme_is_sent_to_its_table() {
    let text = BASE.replace("scheme = \"tfmcc\"", "scheme = \"tfmcc\"\nutility = \"log\"\nfoo = 1");
    let found = problems(&text);
    let said: Vec<(&str, &str)> = found.iter().map(|it| (it.path.as_str(), it.message.as_str())).collect();
    assert_eq!(said[0].0, "sessions.film.foo");
    assert!(said[0].1.starts_with("unknown key; legal are"), "{said:?}");
    assert_eq!(
        said[1],
        (
            "sessions.film.utility",
            "unknown key: tfmcc has no utility, but omcc has; say it in [schemes.omcc], which counts for that \
             scheme alone"
        )
    );
    let text = BASE.replace("scheme = \"omcc\"", "scheme = \"omcc\"\nrates = [\"1 Mbit/s\"]");
    let found = problems(&text);
    assert!(
        found[0].message.contains(
            "omcc has no rates, but layer-blocking, layered-cbr, rlm have; say it in \
             [schemes.layer-blocking] or [schemes.layered-cbr] or [schemes.rlm]"
        ),
        "{found:#?}"
    );
}
