//! Patterns, series, losses of one direction and queues without a kind become plain settings of links.

use faircast_scenario::{Problem, Scenario};
use serde_json::{Value, json};

const BASE: &str = r#"
format = 1
name = "rows"
duration = "100 s"

[topology]
kind = "dumbbell"
right = 3
bottleneck = { queue = { kind = "red", limit = "70 packets", min_th = "7 packets" } }

[links."access-right-*"]
delay = { first = "2 ms", step = "5 ms" }
rate = "8 Mbit/s"
loss = { kind = "bernoulli", p = { first = 0.01, step = 0.01 } }

[links.access-right-1]
rate = "1 Mbit/s"

[flows.web]
kind = "tcp"
count = 2
"#;

fn resolved(text: &str) -> Value {
    Scenario::from_toml(text).unwrap_or_else(|found| panic!("{found:#?}")).to_json()
}

fn said(text: &str) -> Vec<(String, String)> {
    let found: Vec<Problem> = Scenario::from_toml(text).expect_err("something is wrong");
    found.into_iter().map(|problem| (problem.path, problem.message)).collect()
}

/// The one problem of a text.
fn one(text: &str) -> (String, String) {
    let found = said(text);
    assert_eq!(found.len(), 1, "{found:#?}");
    found[0].clone()
}

#[test]
fn a_pattern_speaks_of_every_link_that_is_called_so() {
    let links = &resolved(BASE)["links"];
    let values = |key: &str| ["0", "1", "2"].map(|i| links[format!("access-right-{i}")][key].clone());
    assert_eq!(values("delay"), ["2 ms", "7 ms", "12 ms"]);
    assert_eq!(values("rate"), ["8 Mbit/s", "1 Mbit/s", "8 Mbit/s"]);
    assert_eq!(values("loss").map(|loss| loss["p"].clone()), [json!(0.01), json!(0.02), json!(0.03)]);
    assert_eq!(links.as_object().expect("a table").len(), 3);
}

#[test]
fn names_win_over_patterns_and_longer_patterns_over_shorter_ones() {
    let text = format!(
        "{BASE}\n[links.\"access-*\"]\ndelay = \"9 ms\"\nheader = \"4 B\"\nback = {{ rate = \"3 Mbit/s\" }}\n\
         [links.\"*-0\"]\nheader = \"8 B\"\nmode = \"two-stage\"\n\
         [links.access-right-1.back]\ndelay = \"1 ms\"\n\
         [nodes.far]\n[links.access-far]\nfrom = \"left-router\"\nto = \"far\"\nrate = \"1 Mbit/s\"\n"
    );
    let links = &resolved(&text)["links"];
    assert_eq!(links["access-right-2"]["delay"], "12 ms");
    assert_eq!(links["access-left-1"]["delay"], "9 ms");
    // The longer one of two counts, and what only the other says is there, too.
    assert_eq!([&links["access-left-0"]["header"], &links["access-left-0"]["mode"]], ["4 B", "two-stage"]);
    assert_eq!(links["access-right-1"]["back"], json!({ "rate": "3 Mbit/s", "delay": "1 ms" }));
    // Links of the file match like those of the topology, after them.
    assert_eq!([&links["access-far"]["delay"], &links["access-far"]["rate"]], ["9 ms", "1 Mbit/s"]);
    let series =
        BASE.replace("access-right-*", "*-right-*") + "[links.a-right-9]\nfrom = \"left-0\"\nto = \"right-0\"\n";
    assert_eq!(resolved(&series)["links"]["a-right-9"]["delay"], "17 ms");
}

#[test]
fn mistakes_in_patterns_are_said_once_where_they_stand() {
    for (old, new, path, message) in [
        (
            "access-right-*",
            "access-rigth-*",
            "links.access-rigth-*",
            "no link is called like access-rigth-*; did you mean access-right-0?; there are bottleneck, access-left-0",
        ),
        ("\"8 Mbit/s\"", "8", "links.access-right-*.rate", "8 has no unit"),
        ("\"8 Mbit/s\"", "\"1 bit/s\"", "links.access-right-*.rate", "1 bit/s given; legal is"),
        ("rate = \"8", "raet = \"8", "links.access-right-*.raet", "did you mean rate?"),
        ("\"5 ms\"", "5", "links.access-right-*.delay", "a series has first and step, two quantities of one kind"),
        ("\"5 ms\"", "\"-2 ms\"", "links.access-right-*.delay", "the value 2 of this series would be negative"),
        (
            "step = 0.01",
            "step = 0.6",
            "links.access-right-*.loss.p",
            "1.21 is not legal; legal is a number from 0 to 1",
        ),
        ("rate = \"8", "from = \"left-0\"\nrate = \"8", "links.access-right-*.from", "leave out from"),
        (
            "rate = \"1 Mbit/s\"",
            "rate = { first = \"1 Mbit/s\", step = \"1 Mbit/s\" }",
            "links.access-right-1.rate",
            "a series has its place where several are meant",
        ),
    ] {
        let (at, what) = one(&BASE.replace(old, new));
        assert!(at == path && what.contains(message), "{new}: {at}: {what}");
    }
    // All at once, and nothing that follows.
    let found = said(&BASE.replace("right = 3", "rigth = 3").replace("\"8 Mbit/s\"", "8").replace("\"100 s\"", "100"));
    let paths: Vec<&str> = found.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["duration", "links.access-right-*.rate", "topology.rigth"], "{found:#?}");
}

#[test]
fn starts_joins_and_leaves_may_be_series() {
    let session = "\n[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\n\
                   receivers = { join = { first = \"1 s\", step = \"2 s\" }, \
                   leave = { first = \"90 s\", step = \"-10 s\" } }\n";
    let text = BASE.replace("count = 2", "count = 2\nstart = { first = \"3 s\", step = \"500 ms\" }") + session;
    let scenario = resolved(&text);
    let web = &scenario["flows"]["web"];
    assert_eq!([&web["start"], &web["start_step"]], ["3 s", "500 ms"]);
    let receivers = &scenario["sessions"]["film"]["receivers"];
    assert_eq!([&receivers["join"], &receivers["join_step"]], ["1 s", "2 s"]);
    assert_eq!(receivers["leave"], json!(["90 s", "80 s", "70 s"]));
    let (at, what) = one(&text.replace("step = \"500 ms\" }", "step = \"500 ms\" }\nstart_step = \"1 s\""));
    assert_eq!(
        (at.as_str(), what.as_str()),
        ("flows.web.start", "the series has a step, and start_step another: leave out one")
    );
    let (at, what) = one(&text.replace("step = \"500 ms\" }", "step = \"200 s\" }"));
    assert!(at == "flows.web.start.step" && what.starts_with("the last flow would start at 203 s"), "{at}: {what}");
    let (at, what) = one(&text.replace("step = \"2 s\"", "step = \"-2 s\""));
    assert!(at == "sessions.film.receivers.join" && what.contains("negative"), "{at}: {what}");
}

#[test]
fn losses_of_one_direction_leave_the_other_without() {
    let spur = |loss: &str| {
        format!(
            "{BASE}\n[nodes.far]\n[links.spur]\nfrom = \"left-0\"\nto = \"far\"\n\
             rate = \"1 Mbit/s\"\ndelay = \"1 ms\"\nloss = {loss}\n"
        )
    };
    let loss = json!({ "kind": "bernoulli", "p": 0.1 });
    let none = json!({ "kind": "none" });
    for (direction, forward, back) in [("forward", &loss, &none), ("back", &none, &loss)] {
        let text = spur(&format!("{{ kind = \"bernoulli\", p = 0.1, direction = \"{direction}\" }}"));
        let link = &resolved(&text)["links"]["spur"];
        assert_eq!([&link["loss"], &link["back"]["loss"]], [forward, back]);
    }
    let both = resolved(&spur("{ kind = \"bernoulli\", p = 0.1, direction = \"both\" }"));
    assert_eq!(both, resolved(&spur("{ kind = \"bernoulli\", p = 0.1 }")));
    // What [links.NAME.back] says stays; only where both say the same is one too many.
    let table = "\n[links.spur.back]\nloss = { kind = \"bernoulli\", p = 0.2 }\n";
    let forward = spur("{ kind = \"bernoulli\", p = 0.1, direction = \"forward\" }") + table;
    assert_eq!(resolved(&forward)["links"]["spur"]["back"]["loss"]["p"], 0.2);
    for (text, path, message) in [
        (forward.replace("\"forward\"", "\"back\""), "links.spur.loss.direction", "leave out one"),
        (
            forward.replace("\"forward\"", "\"up\""),
            "links.spur.loss.direction",
            "\"up\" is not legal; legal are both, forward, back",
        ),
        (
            forward.replace("p = 0.2", "p = 0.2, direction = \"back\""),
            "links.spur.back.loss.direction",
            "leave out direction",
        ),
        (
            spur("{ kind = \"bernoulli\", p = 0.1, direction = \"back\" }\nsimplex = true"),
            "links.spur.loss.direction",
            "has one direction",
        ),
        (spur("{ kind = \"bernoulli\", p = 7, direction = \"back\" }"), "links.spur.loss.p", "7 is not legal"),
        (spur("{ kind = \"none\", direction = \"back\", p = 1 }"), "links.spur.loss.p", "unknown key"),
    ] {
        let (at, what) = one(&text);
        assert!(at == path && what.contains(message), "{at}: {what}");
    }
    // In a pattern, too, and in what a topology says.
    let text =
        BASE.replace("loss = { kind = \"bernoulli\", p", "loss = { kind = \"bernoulli\", direction = \"back\", p");
    let text = text
        .replace("bottleneck = {", "bottleneck = { loss = { kind = \"bernoulli\", p = 0.5, direction = \"forward\" },");
    let scenario = resolved(&text);
    assert_eq!(scenario["links"]["access-right-2"]["back"]["loss"]["p"], 0.03);
    assert_eq!(scenario["links"]["access-right-2"]["loss"], none);
    assert_eq!(scenario["topology"]["bottleneck"]["back"]["loss"], none);
}

#[test]
fn a_queue_without_a_kind_is_the_one_that_is_there() {
    let with = |more: &str| format!("{BASE}\n{more}\n");
    let queue = |text: &str, link: &str| resolved(text)["links"][link]["queue"].clone();
    let red = queue(&with("[links.bottleneck]\nqueue = { limit = \"20 packets\" }"), "bottleneck");
    assert_eq!([&red["kind"], &red["limit"], &red["min_th"]], ["red", "20 packets", "7 packets"]);
    // As if it had been written out, wherever it stands.
    let whole = "[links.bottleneck]\nqueue = { kind = \"red\", limit = \"20 packets\", min_th = \"7 packets\" }";
    assert_eq!(queue(&with(whole), "bottleneck"), red);
    let access = queue(&with("[links.access-left-0]\nqueue = { limit = \"9 packets\" }"), "access-left-0");
    assert_eq!(access, json!({ "kind": "drop-tail", "limit": "9 packets", "count_transmission": true }));
    let back = resolved(&with("[links.bottleneck.back]\nqueue = { max_p = 0.5 }"));
    assert_eq!(back["links"]["bottleneck"]["back"]["queue"]["min_th"], "7 packets");
    // Of a pattern, and of a queue that is measured by its link: 10 Mbit/s times 44 ms by 1040 B.
    let text = BASE
        .replace("rate = \"8 Mbit/s\"", "queue = { kind = \"mecn\" }")
        .replace("rate = \"1 Mbit/s\"", "queue = { limit = \"9 packets\" }");
    assert_eq!(
        [&queue(&text, "access-right-1")["kind"], &queue(&text, "access-right-1")["limit"]],
        ["mecn", "9 packets"]
    );
    let text = with("[links.bottleneck]\nqueue = { max_p = 0.5 }")
        .replace("70 packets", "1 BDP")
        .replace("step = \"5 ms\"", "step = \"0 s\"");
    let red = queue(&text, "bottleneck");
    assert_eq!([&red["limit"], &red["max_p"]], [&json!("55 packets"), &json!(0.5)]);
    // In the topology itself the default is what is there.
    let own = resolved(
        &BASE.replace("kind = \"red\", limit = \"70 packets\", min_th = \"7 packets\"", "limit = \"8 packets\""),
    );
    assert_eq!(own["topology"]["bottleneck"]["queue"]["kind"], "drop-tail");
    let loss = resolved(&with("[links.access-right-0]\nloss = { p = 0.5 }"));
    assert_eq!(loss["links"]["access-right-0"]["loss"], json!({ "kind": "bernoulli", "p": 0.5 }));
    for (more, path, message) in [
        (
            "[links.access-left-0]\nqueue = { min_th = \"5 packets\" }",
            "links.access-left-0.queue.kind",
            "missing; legal is one of drop-tail, red, mecn, codel, fq-codel, pie, dualpi2, classes, shaper, policer; \
             without it this queue would stay of kind drop-tail, which has no min_th",
        ),
        (
            "[links.bottleneck]\nloss = { p = 0.5 }",
            "links.bottleneck.loss.kind",
            "would stay of kind none, which has no p",
        ),
        ("[links.bottleneck]\nqueue = { limit = 5 }", "links.bottleneck.queue.limit", "5 has no unit"),
    ] {
        let (at, what) = one(&with(more));
        assert!(at == path && what.contains(message), "{at}: {what}");
    }
}

#[test]
fn series_count_in_rows_of_numbers_and_hosts() {
    // 0.1 + 2 * 0.1 is no 0.3 in binary fractions.
    let links = &resolved(&BASE.replace("first = 0.01, step = 0.01", "first = 0.1, step = 0.1"))["links"];
    assert_eq!(links["access-right-2"]["loss"]["p"], json!(0.3));
    // Without a pattern, and as many as `count` says although more nodes could be listed.
    let plain = BASE.split("[links").next().expect("a head");
    let session = |receivers: &str| {
        let text =
            format!("{plain}\n[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\nreceivers = {receivers}\n");
        resolved(&text)["sessions"]["film"]["receivers"].clone()
    };
    let leave = "leave = { first = \"10 s\", step = \"1 s\" }";
    let found = session(&format!("{{ join = {{ first = \"1 s\", step = \"2 s\" }}, {leave} }}"));
    assert_eq!([&found["join"], &found["join_step"]], ["1 s", "2 s"]);
    assert_eq!(found["leave"], json!(["10 s", "11 s", "12 s"]));
    let listed = session(&format!("{{ nodes = [\"right-0\", \"right-2\"], {leave} }}"));
    assert_eq!(listed["leave"], json!(["10 s", "11 s"]));
    let counted = session(&format!("{{ nodes = \"right-1\", count = 4, {leave} }}"));
    assert_eq!(counted["leave"], json!(["10 s", "11 s", "12 s", "13 s"]));
}

#[test]
fn a_link_may_be_called_back() {
    let text = format!(
        "{BASE}\n[nodes.far]\n[links.back]\nfrom = \"left-0\"\nto = \"far\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
         loss = {{ kind = \"bernoulli\", p = 0.1, direction = \"forward\" }}\nqueue = {{ limit = \"9 packets\" }}\n"
    );
    let link = &resolved(&text)["links"]["back"];
    assert_eq!([&link["loss"]["p"], &link["back"]["loss"]["kind"]], [&json!(0.1), &json!("none")]);
    assert_eq!([&link["queue"]["kind"], &link["queue"]["limit"]], ["drop-tail", "9 packets"]);
}

#[test]
fn a_queue_of_the_direction_back_is_completed_from_the_nearest() {
    let with = |old: &str, new: &str, more: &str| {
        let scenario = resolved(&(BASE.replace(old, new) + more));
        scenario["links"]["bottleneck"]["back"]["queue"].clone()
    };
    let back = "[links.bottleneck.back]\nqueue = { limit = \"9 packets\" }\n";
    // What the topology says of that direction, then what the link says of both, then what the topology says of both.
    let of_topology = "min_th = \"7 packets\" }, back = { queue = { kind = \"red\", min_th = \"6 packets\" } }";
    assert_eq!(with("min_th = \"7 packets\" }", of_topology, back)["min_th"], "6 packets");
    let own = format!("[links.bottleneck]\nqueue = {{ kind = \"red\", min_th = \"4 packets\" }}\n{back}");
    assert_eq!(with("", "", &own)["min_th"], "4 packets");
    let plain = with("", "", back);
    assert_eq!([&plain["min_th"], &plain["limit"]], ["7 packets", "9 packets"]);
}
