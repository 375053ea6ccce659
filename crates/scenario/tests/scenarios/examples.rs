//! The examples are legal, survive being written and read, and become the networks that they describe.

use faircast_proto::flow_kind::FlowKind;
use faircast_proto::random::Random;
use faircast_proto::registry::flows::FlowConfig;
use faircast_proto::time::{Duration, Rate};
use faircast_scenario::run::Control;
use faircast_scenario::{Network, Scenario, run};
use faircast_sim::ids::LinkId;
use serde_json::{Value, json};

const EXAMPLES: &[(&str, &str)] = &[
    ("dumbbell-tcp", include_str!("../../../../examples/scenarios/dumbbell-tcp.toml")),
    ("red-ecn", include_str!("../../../../examples/scenarios/red-ecn.toml")),
    ("mecn-chain", include_str!("../../../../examples/scenarios/mecn-chain.toml")),
    ("two-paths", include_str!("../../../../examples/scenarios/two-paths.toml")),
    ("geo-loss", include_str!("../../../../examples/scenarios/geo-loss.toml")),
    ("tfmcc-star", include_str!("../../../../examples/scenarios/tfmcc-star.toml")),
    ("omcc-bottleneck", include_str!("../../../../examples/scenarios/omcc-bottleneck.toml")),
    ("smcc-two-rates", include_str!("../../../../examples/scenarios/smcc-two-rates.toml")),
    ("mlda-over-geo", include_str!("../../../../examples/scenarios/mlda-over-geo.toml")),
    ("layer-blocking", include_str!("../../../../examples/scenarios/layer-blocking.toml")),
    ("tfmcc-beside-tcp", include_str!("../../../../examples/scenarios/tfmcc-beside-tcp.toml")),
    ("pgmcc-beside-tcp", include_str!("../../../../examples/scenarios/pgmcc-beside-tcp.toml")),
    ("rtt-steps", include_str!("../../../../examples/scenarios/rtt-steps.toml")),
    ("satellite-legs", include_str!("../../../../examples/scenarios/satellite-legs.toml")),
    ("acm-rain", include_str!("../../../../examples/scenarios/acm-rain.toml")),
    ("operator", include_str!("../../../../examples/scenarios/operator.toml")),
    ("ka-beam", include_str!("../../../../examples/scenarios/ka-beam.toml")),
    ("berkeley-boston", include_str!("../../../../examples/scenarios/berkeley-boston.toml")),
    ("geo-multicast", include_str!("../../../../examples/scenarios/geo-multicast.toml")),
    ("geo-and-adsl", include_str!("../../../../examples/scenarios/geo-and-adsl.toml")),
    ("outage", include_str!("../../../../examples/scenarios/outage.toml")),
    ("film", include_str!("../../../../examples/scenarios/film.toml")),
    ("web-queue", include_str!("../../../../examples/scenarios/web-queue.toml")),
    ("pep-geo", include_str!("../../../../examples/scenarios/pep-geo.toml")),
    ("rain-fade", include_str!("../../../../examples/scenarios/rain-fade.toml")),
];

fn scenario(name: &str) -> Scenario {
    let (_, text) = EXAMPLES.iter().find(|(known, _)| *known == name).expect("it is an example");
    Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"))
}

fn link<'a>(network: &'a Network, name: &str) -> &'a faircast_scenario::network::DirectedLink {
    &network.links[network.link(name).expect("there is such a link") as usize]
}

#[test]
fn all_examples_are_legal_and_named_after_their_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/scenarios");
    let files = std::fs::read_dir(folder).expect("the folder is there").count();
    assert_eq!(files, EXAMPLES.len(), "every example is in the list of this test");
    for (name, _) in EXAMPLES {
        assert_eq!(scenario(name).name, *name);
    }
}

#[test]
fn what_is_written_is_read_back_as_the_same_scenario() {
    for (name, _) in EXAMPLES {
        let scenario = scenario(name);
        let written = scenario.to_json();
        let again = Scenario::from_json(written.clone()).expect("what was written is legal");
        assert_eq!(again, scenario, "{name}");
        assert_eq!(again.to_json().to_string(), written.to_string(), "{name}");
        assert_eq!(again.expand(), scenario.expand(), "{name}");
    }
}

#[test]
fn what_is_written_is_complete() {
    let written = scenario("dumbbell-tcp").to_json();
    assert_eq!(written["warmup"], "10 s");
    assert_eq!(written["seed"], 1);
    assert_eq!(written["topology"]["access"]["rate"], "100 Mbit/s");
    assert_eq!(written["topology"]["bottleneck"]["loss"], json!({ "kind": "none" }));
    assert_eq!(written["flows"]["web"]["rto_min"], "1 s");
    assert_eq!(written["probes"]["queue_interval"], "100 ms");
}

#[test]
fn counted_flows_go_from_left_to_right() {
    let network = scenario("dumbbell-tcp").expand();
    assert_eq!((network.nodes.len(), network.links.len(), network.flows.len()), (22, 42, 10));
    let node = |index: u32| network.nodes[index as usize].name.as_str();
    let flow = &network.flows[7];
    assert_eq!((flow.name.as_str(), node(flow.from), node(flow.to)), ("web-7", "left-7", "right-7"));
    assert_eq!(flow.start_jitter, Duration::from_secs(1));
    assert!(
        matches!(&flow.kind, FlowConfig::Tcp(config) if config.wnd.is_none() && config.send_jitter == Duration(800_000))
    );
    assert_eq!(network.probes.queues, [LinkId(network.link("bottleneck").expect("it is there"))]);
}

#[test]
fn the_satellite_chain_has_a_base_round_trip_time_of_272_ms() {
    let network = scenario("mecn-chain").expand();
    let path = ["access-left-3", "hop-0", "hop-1", "access-right-3"];
    let there: u64 = path.iter().map(|name| link(&network, name).delay.0).sum();
    let back: u64 = path.iter().map(|name| link(&network, &format!("{name}.back")).delay.0).sum();
    assert_eq!(there + back, 272_000_000);
    assert_eq!(link(&network, "hop-0").queue.kind(), "mecn");
    assert_eq!(link(&network, "hop-0.back").queue.kind(), "drop-tail");
    assert_eq!(link(&network, "hop-1").rate, Rate(1_500_000));
    assert_eq!(network.flows[9].start, Duration::from_millis(2700));
    assert_eq!(network.flows[9].kind.packet_bytes(), 1000);
}

#[test]
fn settings_of_a_link_and_its_way_back_are_merged_key_by_key() {
    let text = r#"
        format = 1
        name = "merge"
        duration = "1 s"
        [topology]
        kind = "dumbbell"
        bottleneck = { rate = "4 Mbit/s", delay = "9 ms", back = { rate = "1 Mbit/s", delay = "3 ms" } }
        [links.bottleneck]
        rate = "5 Mbit/s"
        back = { rate = "2 Mbit/s" }
        [flows.a]
        kind = "tcp"
    "#;
    let network = Scenario::from_toml(text).expect("it is legal").expand();
    let [there, back] = ["bottleneck", "bottleneck.back"].map(|name| link(&network, name));
    assert_eq!((there.rate, there.delay), (Rate(5_000_000), Duration::from_millis(9)));
    assert_eq!((back.rate, back.delay), (Rate(2_000_000), Duration::from_millis(3)));
    assert_eq!((there.from, there.to), (back.to, back.from));
    assert_eq!(there.queue, back.queue);
    assert_eq!(network.flows[0].name, "a");
}

#[test]
fn explicit_links_go_both_ways_unless_simplex() {
    let network = scenario("two-paths").expand();
    let names: Vec<&str> = network.links.iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["fibre", "fibre.back", "radio", "radio.back", "uplink", "uplink.back"]);
    assert_eq!(link(&network, "fibre.back").rate, Rate(2_000_000));
    assert_eq!(link(&network, "fibre.back").delay, Duration::from_millis(10));
    assert_eq!(link(&network, "radio").loss.kind(), "gilbert-elliott");
    assert_eq!(link(&network, "uplink").loss.kind(), "none");
}

#[test]
fn the_order_in_the_file_means_nothing() {
    let flows = ["[flows.b]\nkind = \"cbr\"\n", "[flows.a]\nkind = \"tcp\"\ncount = 2\n"];
    let head = "format = 1\nname = \"order\"\nduration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\n";
    let read = |text: String| Scenario::from_toml(&text).expect("it is legal");
    let one = read(head.to_owned() + flows[0] + flows[1]);
    let other = read(head.to_owned() + flows[1] + flows[0]);
    assert_eq!(one.to_json().to_string(), other.to_json().to_string());
    let names: Vec<String> = one.expand().flows.into_iter().map(|flow| flow.name).collect();
    assert_eq!(names, ["a-0", "a-1", "b"]);
}

/// A random change somewhere in a value.
fn mutate(value: &mut Value, random: &mut Random) {
    let pick = |n: usize, random: &mut Random| (random.uniform() * n as f64) as usize;
    match value {
        Value::Object(entries) if !entries.is_empty() && random.chance(0.9) => {
            let key = entries.keys().nth(pick(entries.len(), random)).expect("it is in range").clone();
            match pick(8, random) {
                0 => drop(entries.remove(&key)),
                1 => {
                    let entry = entries.remove(&key).expect("it is there");
                    entries.insert(format!("{key}x"), entry);
                }
                2 => {
                    let entry = entries[&key].clone();
                    entries.insert("kind".into(), entry);
                }
                _ => mutate(entries.get_mut(&key).expect("it is there"), random),
            }
        }
        Value::Array(items) if !items.is_empty() && random.chance(0.7) => {
            let index = pick(items.len(), random);
            mutate(&mut items[index], random);
        }
        _ => {
            let values = [
                json!(null),
                json!(true),
                json!(0),
                json!(1),
                json!(-1),
                json!(3),
                json!(0.5),
                json!(1e300),
                json!(2.0),
                json!(u32::MAX),
                json!(u64::MAX),
                json!(""),
                json!("auto"),
                json!("left-0"),
                json!("bottleneck"),
                json!("drop-tail"),
                json!("mecn"),
                json!("tcp"),
                json!("chain"),
                json!("0 s"),
                json!("1 ms"),
                json!("7 s"),
                json!("1e300 s"),
                json!("1 Mbit/s"),
                json!("0 bit/s"),
                json!("3 packets"),
                json!("0.3 packets"),
                json!("9 KB"),
                json!("NaN s"),
                json!("µ"),
                json!([]),
                json!({}),
                json!(["left-0", "left-0"]),
                json!({ "kind": "red" }),
                json!({ "kind": "bernoulli", "p": 0.5 }),
            ];
            *value = values[pick(values.len(), random)].clone();
        }
    }
}

#[test]
fn random_mutations_are_refused_or_understood() {
    for (name, _) in EXAMPLES {
        let written = scenario(name).to_json();
        // Satellites take some ten milliseconds to be laid.
        let seeds = if *name == "berkeley-boston" { 10 } else { 400 };
        for seed in 0..seeds {
            let mut random = Random::stream(seed, "test/mutations");
            let mut value = written.clone();
            for _ in 0..1 + (seed % 4) {
                mutate(&mut value, &mut random);
            }
            match Scenario::from_json(value) {
                Ok(scenario) => {
                    let written = scenario.to_json();
                    let again = Scenario::from_json(written).unwrap_or_else(|p| panic!("{name}, seed {seed}: {p:#?}"));
                    assert_eq!(again, scenario, "{name}, seed {seed}");
                    let network = scenario.expand();
                    let traffic = network.flows.len() + network.sessions.len() + network.web.len();
                    let something = traffic + network.probes.paths.len();
                    assert!(something > 0, "{name}, seed {seed}");
                }
                Err(problems) => {
                    assert!(!problems.is_empty(), "{name}, seed {seed}");
                    for problem in problems {
                        let understood = !problem.message.is_empty() && !problem.message.starts_with("cannot be read");
                        assert!(understood, "{name}, seed {seed}: {problem:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn random_mutilations_of_the_text_do_no_harm() {
    for (name, text) in EXAMPLES {
        for seed in 0..200 {
            let mut random = Random::stream(seed, "test/mutilations");
            let mut characters: Vec<char> = text.chars().collect();
            for _ in 0..1 + seed % 3 {
                let at = (random.uniform() * characters.len() as f64) as usize;
                let with = ['"', '[', ']', '=', '\n', '{', '.', 'é', '7', '\0'][(random.uniform() * 10.0) as usize];
                characters[at] = with;
            }
            let text: String = characters.into_iter().collect();
            if let Err(problems) = Scenario::from_toml(&text) {
                assert!(!problems.is_empty(), "{name}, seed {seed}");
            }
        }
    }
}

#[test]
fn the_annotated_example_of_the_documentation_is_legal() {
    let page = include_str!("../../../../docs/scenario.md");
    let text = page.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("there is an example");
    let scenario = Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let network = scenario.expand();
    assert_eq!((network.flows.len(), network.sessions.len()), (3, 1));
    assert_eq!(link(&network, "bottleneck.back").rate, Rate(256_000));
    assert_eq!(link(&network, "access-right-1").delay, Duration::from_millis(4));
}

/// What a link that is down does to packets on their way is what some show; everything else would be a defect. Whether
/// one of a flow's packets is just under way then is chance.
#[test]
fn examples_raise_no_warnings_but_of_packets_that_an_outage_cost() {
    // The beam of the study takes as long as all others together; Python's tests run it.
    for (name, _) in EXAMPLES.iter().filter(|(name, _)| *name != "operator") {
        let output = run(&scenario(name), 1, &Control::default(), 1).unwrap_or_else(|failure| panic!("{failure:?}"));
        let told: Vec<_> = output.warnings.iter().map(|it| (it.kind, it.subject.as_str())).collect();
        let has_an_outage = ["rain-fade", "satellite-legs", "outage"].contains(name);
        let of_an_outage = told.iter().all(|(kind, _)| ["no-route", "off-tree"].contains(kind));
        // Over half a second of round trip a first slow start is long, and slots of a return channel are not full.
        let of_a_beam = told.iter().all(|(kind, _)| ["slow-start", "no-bottleneck"].contains(kind));
        // Proxies' buffers and web traffic are in no optimum.
        let of_proxies = told.iter().all(|(kind, _)| ["no-optimum", "optimum-without-web"].contains(kind));
        let is_shown =
            (has_an_outage && of_an_outage) || (*name == "ka-beam" && of_a_beam) || (*name == "pep-geo" && of_proxies);
        assert!(told.is_empty() || is_shown, "{name}: {told:?}");
    }
}
