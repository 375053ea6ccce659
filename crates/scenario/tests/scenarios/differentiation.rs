//! Loss differentiation in scenarios: which schemes have it, and what runs say of it.

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::tables::{Table, Values};
use faircast_scenario::{Scenario, run};

const COUNTS: [&str; 4] =
    ["link_losses_recognised", "link_losses_missed", "congestion_losses_mistaken", "congestion_losses_recognised"];

/// A session to three receivers behind a bottleneck that loses one packet in a hundred, with room for ten.
fn text(scheme: &str, differentiation: &str, loss: f64) -> String {
    format!(
        "format = 1\nname = \"x\"\nduration = \"40 s\"\nwarmup = \"10 s\"\n[topology]\nkind = \"dumbbell\"\n\
         left = 1\nright = 3\nbottleneck = {{ rate = \"1 Mbit/s\", delay = \"30 ms\", \
         queue = {{ kind = \"drop-tail\", limit = \"10 packets\" }}, loss = {{ kind = \"bernoulli\", p = {loss} }} }}\n\
         [sessions.film]\nscheme = \"{scheme}\"\nsource = \"left-0\"\n\
         receivers = {{ nodes = [\"right-0\", \"right-1\", \"right-2\"] }}\n{differentiation}\n"
    )
}

fn output(text: &str) -> RunOutput {
    let scenario = Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    run(&scenario, 1, &Control::default(), 1).unwrap_or_else(|failure| panic!("{failure:?}"))
}

fn table<'a>(output: &'a RunOutput, name: &str) -> &'a Table {
    output.tables.iter().find(|table| table.name == name).expect("there is one")
}

fn words(table: &Table, column: &str) -> Vec<String> {
    match table.get(column) {
        Some(Values::Words(words)) => words.codes.iter().map(|&code| words.dictionary[code as usize].clone()).collect(),
        other => panic!("{other:?}"),
    }
}

/// The values of a metric by subject, of those whose name begins so.
fn of(output: &RunOutput, subject: &str, metric: &str) -> Vec<f64> {
    let summary = table(output, "summary");
    let (subjects, metrics) = (words(summary, "subject"), words(summary, "metric"));
    let Some(Values::Float(values)) = summary.get("value") else { panic!("no values") };
    let rows = subjects.iter().zip(&metrics).zip(values);
    rows.filter(|((of, what), _)| of.starts_with(subject) && *what == metric).map(|(_, &value)| value).collect()
}

#[test]
fn what_receivers_call_their_losses_is_in_tables_and_summary() {
    for scheme in ["tfmcc", "omcc", "smcc"] {
        let run = output(&text(scheme, "loss_differentiation = { rule = \"oracle\" }", 0.01));
        for metric in COUNTS {
            for suffix in ["", "_all"] {
                let [session, receivers @ ..] = &of(&run, "film", &format!("{metric}{suffix}"))[..] else {
                    panic!("{scheme}: no {metric}{suffix}")
                };
                assert_eq!(receivers.len(), 3);
                assert_eq!(*session, receivers.iter().sum::<f64>(), "{scheme}: {metric}{suffix}");
            }
            let Some(Values::Integer(each)) = table(&run, "receivers").get(metric) else { panic!("no {metric}") };
            let all: f64 = of(&run, "film", &format!("{metric}_all"))[0];
            assert_eq!(each.iter().sum::<i64>() as f64, all, "{scheme}: {metric}");
        }
        let [right_of_link, missed, mistaken, right] =
            COUNTS.map(|metric| of(&run, "film", &format!("{metric}_all"))[0]);
        assert!(right_of_link > 0.0 && right > 0.0, "{scheme}: {right_of_link}, {right}");
        assert_eq!((missed, mistaken), (0.0, 0.0), "{scheme}");
        if scheme != "smcc" {
            // All three hear of all that the bottleneck loses, of which little is membership's or not judged yet.
            let lost = 3.0 * of(&run, "bottleneck", "lost_all")[0];
            assert!((lost - 15.0..=lost).contains(&right_of_link), "{scheme}: {right_of_link} of {lost}");
            let dropped = 3.0 * of(&run, "bottleneck", "drops_overflow_all")[0];
            assert!((dropped - 15.0..=dropped).contains(&right), "{scheme}: {right} of {dropped}");
        }
    }
}

#[test]
fn the_oracles_matrix_has_one_place_where_losses_are_of_one_kind() {
    for (loss, queue) in [(0.02, "2000 packets"), (0.0, "10 packets")] {
        let text = text("tfmcc", "loss_differentiation = { rule = \"oracle\" }", loss).replace("10 packets", queue);
        // A rate that the link carries, so that a queue of ten never fills where the link loses.
        let text = if loss > 0.0 { text + "max_rate = \"500 kbit/s\"\n" } else { text };
        let run = output(&text);
        let found = COUNTS.map(|metric| of(&run, "film", &format!("{metric}_all"))[0]);
        let expected = if loss > 0.0 { [true, false, false, false] } else { [false, false, false, true] };
        assert_eq!(found.map(|count| count > 0.0), expected, "{found:?}");
    }
}

#[test]
fn link_errors_that_are_known_cost_no_rate() {
    let goodput = |differentiation: &str| of(&output(&text("tfmcc", differentiation, 0.05)), "film", "goodput")[0];
    let [without, none, oracle] =
        ["", "loss_differentiation = { rule = \"none\" }", "loss_differentiation = { rule = \"oracle\" }"].map(goodput);
    // The rule that calls all losses congestion does what a receiver without the part does, and only counts.
    assert_eq!(without, none);
    assert!(oracle > 1.2 * none, "{oracle} with the truth, {none} without");
    // And with nothing to tell apart the truth is worth nothing.
    let clean = |differentiation: &str| of(&output(&text("tfmcc", differentiation, 0.0)), "film", "goodput")[0];
    assert_eq!(clean(""), clean("loss_differentiation = { rule = \"oracle\" }"));
}

#[test]
fn spike_tells_a_link_from_a_queue_that_is_full_in_every_scheme() {
    let spike = "loss_differentiation = { rule = \"spike\" }";
    for (scheme, more) in [("tfmcc", ""), ("omcc", ""), ("smcc", ""), ("mlda", "\nlayers = 2")] {
        let found = |loss: f64| {
            let run = output(&text(scheme, &format!("{spike}{more}"), loss));
            COUNTS.map(|metric| of(&run, "film", &format!("{metric}_all"))[0])
        };
        let [recognised, ..] = found(0.05);
        assert!(recognised > 20.0, "{scheme}: {recognised}");
        let [_, _, mistaken, right] = found(0.0);
        assert!(mistaken <= 0.25 * right, "{scheme}: {mistaken}, {right}");
    }
}

#[test]
fn without_the_part_nothing_is_counted() {
    let run = output(&text("tfmcc", "", 0.01));
    for metric in COUNTS {
        assert_eq!(of(&run, "", metric), [0.0; 0]);
        assert!(table(&run, "receivers").get(metric).is_none());
    }
}

#[test]
fn what_is_wrong_is_said() {
    let wrong = |scheme: &str, more: &str| -> Vec<(String, String)> {
        let problems = Scenario::from_toml(&text(scheme, more, 0.01)).expect_err(more);
        problems.into_iter().map(|problem| (problem.path, problem.message)).collect()
    };
    for scheme in ["pgmcc", "rlm", "cbr", "layered-cbr", "layer-blocking"] {
        let more = match scheme {
            "layered-cbr" | "rlm" | "layer-blocking" => "rates = [\"100 kbit/s\"]\nloss_differentiation = {}",
            "cbr" => "rate = \"100 kbit/s\"\nloss_differentiation = {}",
            _ => "loss_differentiation = {}",
        };
        let found = wrong(scheme, more);
        let [(path, message)] = &found[..] else { panic!("{found:?}") };
        assert_eq!(path, "sessions.film.loss_differentiation");
        let whose = format!("no loss differentiation with {scheme}, whose receivers compute no rate from losses");
        assert!(message.starts_with(&whose), "{message}");
        for has in ["tfmcc", "omcc", "smcc"] {
            assert!(message.contains(has), "{message}");
        }
    }
    let cases = [
        ("rule = \"isa\"", "rule", "did you mean ias?; legal are none, ias, mbiaz, spike, zigzag, oracle"),
        ("window = \"run\"", "window", "legal are session, rate, recent"),
        ("scope = \"layers\"", "scope", "did you mean layer?"),
        ("widow = \"rate\"", "widow", "did you mean window?"),
        ("rule = \"oracle\", window = \"rate\"", "window", "given with the rule \"oracle\"; legal with \"ias\""),
        (
            "rule = \"spike\", window = \"rate\"",
            "window",
            "\"rate\" given with the rule \"spike\"; legal are \"recent\" and",
        ),
        ("rule = \"ias\", window = \"recent\"", "window", "legal are \"rate\" and \"session\""),
        ("rule = \"zigzag\", window = \"recent\"", "window", "given with the rule \"zigzag\"; legal with \"ias\""),
        ("rule = \"spike\", scope = \"layer\"", "scope", "given with the rule \"spike\"; legal with \"ias\""),
        ("rule = \"none\", scope = \"layer\"", "scope", "given with the rule \"none\"; legal with \"ias\""),
    ];
    for scheme in ["tfmcc", "omcc", "smcc"] {
        for (table, field, message) in cases {
            let found = wrong(scheme, &format!("loss_differentiation = {{ {table} }}"));
            let path = format!("sessions.film.loss_differentiation.{field}");
            assert!(found.iter().any(|(at, said)| *at == path && said.contains(message)), "{scheme}: {found:?}");
        }
    }
    // SMCC has one over its layers, not one of each layer's TFMCC; and its windows do not ask receivers.
    let found = wrong("smcc", "tfmcc = { loss_differentiation = {} }");
    assert!(
        found[0].0 == "sessions.film.tfmcc.loss_differentiation" && found[0].1.contains("beside tfmcc"),
        "{found:?}"
    );
    let found = wrong("smcc", "control = \"pgmcc\"\nloss_differentiation = {}");
    assert!(found[0].0 == "sessions.film.loss_differentiation" && found[0].1.contains("windows"), "{found:?}");
}
