//! Return channels, from scenarios: delays by hand, capacity, TCP and TFMCC over them, and what is refused.

use crate::support::{go, integers, numbers, scenario, table, words};
use faircast_scenario::paths::paths;
use faircast_scenario::run::RunOutput;
use faircast_scenario::{Problem, Scenario};
use faircast_sim::return_channel::Access;

/// Terminals that send to a hub 250 ms away, over a carrier that is described by `channel`.
fn beam(terminals: u32, channel: &str, more: &str) -> String {
    let last = terminals - 1;
    format!(
        "format = 1\nname = \"return\"\nduration = \"20 s\"\nwarmup = \"2 s\"\n[nodes.hub]\n\
         [nodes.\"home-[0-{last}]\"]\n[links.\"up-[0-{last}]\"]\nfrom = \"home-[0-{last}]\"\nto = \"hub\"\n\
         simplex = true\ndelay = \"250 ms\"\n[links.\"down-[0-{last}]\"]\nfrom = \"hub\"\n\
         to = \"home-[0-{last}]\"\nsimplex = true\nrate = \"10 Mbit/s\"\ndelay = \"250 ms\"\n\
         [return_channels.carrier]\nlinks = [\"up-*\"]\n{channel}\n{more}"
    )
}

/// Superframes of 100 ms, ten slots of 125 bytes: 100 kbit/s.
fn slots(access: &str) -> String {
    format!("superframe = \"100 ms\"\nslots = 10\npayload = \"125 B\"\naccess = {{ {access} }}")
}

/// A constant rate from each of so many terminals.
fn streams(count: u32, rate: &str) -> String {
    let of = |i| {
        format!(
            "[flows.s{i}]\nkind = \"cbr\"\nfrom = \"home-{i}\"\nto = \"hub\"\nrate = \"{rate}\"\n\
             packet_size = \"125 B\"\n"
        )
    };
    (0..count).map(of).collect()
}

fn measured(output: &RunOutput, subject: &str, metric: &str) -> f64 {
    let summary = table(output, "summary");
    let (subjects, metrics) = (words(summary, "subject"), words(summary, "metric"));
    let row = subjects.iter().zip(&metrics).position(|(s, m)| s == subject && m == metric);
    numbers(summary, "value")[row.unwrap_or_else(|| panic!("there is no {metric} of {subject}"))]
}

/// The sum of a column of `slots` for a link.
fn counted(output: &RunOutput, link: &str, column: &str) -> i64 {
    let slots = table(output, "slots");
    let all = integers(slots, column);
    all.iter().zip(words(slots, "link")).filter(|(_, of)| of == link).map(|(value, _)| *value).sum()
}

fn problems(text: &str) -> Vec<String> {
    let said = |problem: &Problem| format!("{}: {}", problem.path, problem.message);
    Scenario::from_toml(text).expect_err("something is wrong").iter().map(said).collect()
}

/// How long packets were at the terminal, seconds: the least, the mean and the greatest.
fn delays(output: &RunOutput) -> [f64; 3] {
    let packets = table(output, "packets");
    let all = numbers(packets, "t_s");
    let times = |action: &str| {
        let own = all.iter().zip(words(packets, "action")).filter(|(_, what)| what == action);
        own.map(|(at, _)| *at).collect::<Vec<f64>>()
    };
    // They leave in the order in which they came.
    let (came, gone) = (times("accepted"), times("departed"));
    let delays: Vec<f64> = gone.iter().zip(&came).map(|(gone, came)| gone - came).collect();
    assert!(delays.len() > 90, "{}", delays.len());
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    let [least, greatest] = [f64::min, f64::max].map(|of| delays.iter().copied().reduce(of).expect("packets"));
    [least, mean, greatest]
}

#[test]
fn an_idle_terminal_waits_as_the_closed_form_says() {
    // A packet of a slot every 1.37 s: it comes anywhere in a superframe of 100 ms, its request goes out at the next,
    // 500 ms later there are slots, the first of which lasts 10 ms. In the mean that is 50 + 500 + 10 ms.
    let one = "[flows.s0]\nkind = \"cbr\"\nfrom = \"home-0\"\nto = \"hub\"\nrate = \"729.927 bit/s\"\n\
               packet_size = \"125 B\"\nstart = \"10 ms\"\n[probes]\npackets = [\"up-0\"]\n";
    let of = |access: &str| {
        let text = beam(3, &slots(access), one).replace("duration = \"20 s\"", "duration = \"150 s\"");
        delays(&go(&text))
    };
    for access in ["kind = \"vbdc\"", "kind = \"rbdc\"", "kind = \"vbdc\", delay = \"420 ms\""] {
        let [least, mean, greatest] = of(access);
        assert!(least >= 0.510 - 1e-9 && greatest <= 0.610 + 1e-9, "{access}: {least} to {greatest}");
        assert!((mean - 0.560).abs() < 0.010, "{access}: {mean}");
    }
    // The terminal's three slots are the first of each superframe. Who comes during the last two waits for the next
    // superframe: of 100 ms those of the first two slots wait 5 ms in the mean, the others 40 ms, and 10 ms each.
    let [least, mean, greatest] = of("kind = \"cra\", constant = 3");
    assert!(least >= 0.010 - 1e-9 && greatest <= 0.090, "{least} to {greatest}");
    assert!((mean - (0.2 * 0.005 + 0.8 * 0.040 + 0.010)).abs() < 0.010, "{mean}");
    // Nobody asks, and all get all slots in turn.
    let [_, _, greatest] = of("kind = \"vbdc\", free = true");
    assert!(greatest <= 0.110, "{greatest}");
}

#[test]
fn a_full_carrier_carries_its_rate_and_shares_it() {
    for access in ["kind = \"cra\"", "kind = \"rbdc\"", "kind = \"vbdc\""] {
        let output = go(&beam(5, &slots(access), &streams(5, "50 kbit/s")));
        let of = |i: u32| measured(&output, &format!("s{i}"), "rate");
        let all: f64 = (0..5).map(of).sum();
        // A slot of 18 s is 56 bit/s.
        assert!((all - 100_000.0).abs() < 300.0, "{access}: {all}");
        (0..5).for_each(|i| assert!((of(i) - 20_000.0).abs() < 120.0, "{access}: {}", of(i)));
        assert!((measured(&output, "up-0", "efficiency") - 0.2).abs() < 0.002, "{access}");
    }
}

#[test]
fn slots_are_counted_in_a_table_of_their_own() {
    let output = go(&beam(2, &slots("kind = \"vbdc\""), &streams(1, "8 kbit/s")));
    // 8 packets a second of a slot each, for 20 s; the last ones ask for slots to come.
    let of = |column| counted(&output, "up-0", column);
    assert_eq!(of("used_slots"), of("assigned_slots"));
    assert!((150..=160).contains(&of("used_slots")) && of("asked_slots") >= of("assigned_slots"));
    assert_eq!(of("padding_bytes"), 0);
    assert_eq!(["asked_slots", "assigned_slots", "used_slots"].map(|column| counted(&output, "up-1", column)), [0; 3]);
    let text = beam(2, &slots("kind = \"cra\", constant = 5"), &streams(1, "8 kbit/s"));
    let output = go(&text.replace("packet_size = \"125 B\"", "packet_size = \"75 B\""));
    // A packet of 75 bytes every 75 ms: who comes between slots has one for itself, or shares it with what waits.
    let of = |column| counted(&output, "up-0", column);
    assert_eq!(of("assigned_slots"), 1000 + 5);
    let padding = 125 * of("used_slots") - 75 * sent(&output);
    // The slot that has just begun is neither padding nor sent.
    assert!((0..=125).contains(&(padding - of("padding_bytes"))), "{padding}");
    assert!(of("padding_bytes") > 25 * sent(&output), "{padding}");
}

#[test]
fn the_summary_has_what_the_slots_say() {
    // Eight slots a second of a hundred, each asked for half a second before its superframe; the warm-up is 2 s long.
    let output = go(&beam(2, &slots("kind = \"vbdc\""), &streams(1, "8 kbit/s")));
    let of = |column| counted(&output, "up-0", column) as f64;
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
    near(measured(&output, "carrier", "slots_used_all"), of("used_slots") / 2000.0);
    near(measured(&output, "carrier", "slots_assigned_all"), of("assigned_slots") / 2000.0);
    assert!((measured(&output, "carrier", "slots_used") - 0.08).abs() < 0.001);
    for subject in ["carrier", "up-0"] {
        // Of the last half second the superframes have not come.
        let (late, all) =
            (measured(&output, subject, "request_delay"), measured(&output, subject, "request_delay_all"));
        assert!((late - 0.5).abs() < 0.005 && (0.5..0.515).contains(&all), "{subject}: {late} {all}");
    }
    let summary = table(&output, "summary");
    let rows =
        words(summary, "subject").into_iter().zip(words(summary, "metric")).filter(|(_, m)| m == "request_delay");
    assert_eq!(rows.map(|(subject, _)| subject).collect::<Vec<_>>(), ["carrier", "up-0"], "up-1 has asked for nothing");
    // Twice as much as there is: who asks waits longer and longer.
    let output = go(&beam(4, &slots("kind = \"vbdc\""), &streams(4, "50 kbit/s")));
    assert!((measured(&output, "carrier", "slots_used") - 1.0).abs() < 0.01);
    // 50 packets in each queue are those of two seconds.
    let delay_s = measured(&output, "carrier", "request_delay");
    assert!((1.5..2.1).contains(&delay_s), "{delay_s}");
    // Who does not ask has no delay of requests, and may meet others.
    let output = go(&beam(4, &slots("kind = \"aloha\""), &streams(4, "50 kbit/s")));
    let collided: i64 = (0..4).map(|i| counted(&output, &format!("up-{i}"), "collided_pkts")).sum();
    assert!(collided > 0);
    near(measured(&output, "carrier", "collided_all"), collided as f64);
    let metrics = words(table(&output, "summary"), "metric");
    assert!(metrics.iter().all(|metric| metric != "slots_assigned" && metric != "request_delay"));
}

/// How many packets have left the first terminal.
fn sent(output: &RunOutput) -> i64 {
    let links = table(output, "links");
    let all = integers(links, "departed_pkts");
    all.iter().zip(words(links, "link")).filter(|(_, of)| of == "up-0").map(|(value, _)| *value).sum()
}

#[test]
fn tcp_and_tfmcc_work_over_it_both_ways() {
    let traffic = "[flows.there]\nkind = \"tcp\"\nfrom = \"hub\"\nto = \"home-0\"\n[flows.back]\nkind = \"tcp\"\n\
                   from = \"home-1\"\nto = \"hub\"\n[sessions.film]\nscheme = \"tfmcc\"\nsource = \"hub\"\n\
                   initial_max_rtt = \"2 s\"\nreceivers = { nodes = [\"home-1\", \"home-2\"] }\n";
    let channel = "superframe = \"40 ms\"\nslots = 40\npayload = \"100 B\"\naccess = { kind = \"rbdc\", free = true }";
    let text = beam(3, channel, traffic).replace("duration = \"20 s\"", "duration = \"60 s\"");
    let text = text.replace("delay = \"250 ms\"\n[links", "delay = \"250 ms\"\nqueue = { kind = \"codel\" }\n[links");
    let output = go(&text);
    // The carrier has 800 kbit/s, of which the second terminal gets what the others leave.
    let back = measured(&output, "back", "rate");
    assert!((300_000.0..790_000.0).contains(&back), "{back}");
    let there = measured(&output, "there", "rate");
    assert!(there > 1_000_000.0, "{there}");
    let film = measured(&output, "film", "rate");
    assert!(film > 100_000.0, "{film}");
}

#[test]
fn who_does_not_ask_meets_others_and_sends_again_if_told_to() {
    // Three of four packets a second each, of a slot of 10 ms: G is a tenth.
    let of = |more: &str| {
        let text = beam(4, &slots(&format!("kind = \"aloha\"{more}")), &streams(4, "2500 bit/s"));
        go(&text.replace("packet_size", "jitter = 0.9\npacket_size").replace("\"20 s\"", "\"200 s\""))
    };
    let sum = |output: &RunOutput, column| (0..4).map(|i| counted(output, &format!("up-{i}"), column)).sum::<i64>();
    let output = of("");
    let (used, collided) = (sum(&output, "used_slots") as f64, sum(&output, "collided_pkts") as f64);
    // Three others with a probability of 1/40 each in a slot.
    let alone = 1.0 - 0.025;
    let theory = 1.0 - alone * alone * alone;
    assert!((collided / used - theory).abs() < 0.02, "{collided} of {used}");
    let lost: f64 = (0..4).map(|i| measured(&output, &format!("up-{i}"), "lost_all")).sum();
    assert_eq!(lost, collided);
    let output = of(", retries = 5, delay = \"500 ms\"");
    assert!(sum(&output, "collided_pkts") > 50);
    let lost: f64 = (0..4).map(|i| measured(&output, &format!("up-{i}"), "lost_all")).sum();
    assert!(lost < 3.0, "{lost}");
}

#[test]
fn receivers_that_join_at_one_moment_without_asking_get_in() {
    // Their first reports meet in the first slot; nothing on the link sends them again.
    let text = "format = 1\nname = \"joins\"\nduration = \"60 s\"\nwarmup = \"30 s\"\n[nodes.hub]\n\
                [nodes.\"home-[0-2]\"]\n[links.\"line-[0-2]\"]\nfrom = \"hub\"\nto = \"home-[0-2]\"\n\
                rate = \"1 Mbit/s\"\ndelay = \"250 ms\"\n[return_channels.carrier]\n\
                links = [\"line-*.back\"]\nsuperframe = \"100 ms\"\nslots = 40\n\
                payload = \"100 B\"\naccess = { kind = \"aloha\" }\n\
                [sessions.film]\nscheme = \"cbr\"\nsource = \"hub\"\nrate = \"100 kbit/s\"\n\
                receivers = { nodes = [\"home-0\", \"home-1\", \"home-2\"] }\n";
    let output = go(text);
    for receiver in ["film-0", "film-1", "film-2"] {
        let rate = measured(&output, receiver, "rate");
        assert!((rate - 100_000.0).abs() < 1000.0, "{receiver}: {rate}");
    }
}

#[test]
fn padding_is_never_negative() {
    // Slots begin in one second and are filled in the next one.
    let text = beam(2, &slots("kind = \"vbdc\"").replace("125 B", "900 B").replace("100 ms", "700 ms"), "");
    let stream = "[flows.s0]\nkind = \"cbr\"\nfrom = \"home-0\"\nto = \"hub\"\nrate = \"50 kbit/s\"\n\
                  packet_size = \"101 B\"\n";
    let output = go(&format!("{text}{stream}"));
    let all = integers(table(&output, "slots"), "padding_bytes");
    assert!(all.iter().all(|padding| *padding >= 0), "{all:?}");
}

#[test]
fn rates_and_capacity_are_those_of_the_carrier() {
    let network = scenario(&beam(3, &slots("kind = \"vbdc\""), &streams(3, "1 kbit/s"))).expand();
    let channel = &network.returns[0];
    assert_eq!(channel.links.len(), 3);
    let Access::Assigned(assignment) = channel.access else { panic!("{channel:?}") };
    // Twice 250 ms are five superframes.
    assert_eq!((assignment.lead, assignment.most, assignment.constant), (5, 10, 0));
    assert!(channel.links.iter().all(|link| network.links[link.index()].rate.0 == 100_000));
    // What is sent by one or by another takes the same capacity.
    let demands = paths(&network).demands;
    let over: Vec<Vec<u32>> =
        demands.iter().flat_map(|demand| &demand.receivers).map(|receiver| receiver.1.clone()).collect();
    assert!(over.len() == 3 && over.iter().all(|links| *links == over[0]), "{over:?}");
}

#[test]
fn what_is_wrong_is_said_where_it_stands() {
    let streams = streams(1, "1 kbit/s");
    let wrong = |channel: &str, more: &str| problems(&beam(3, channel, &format!("{streams}{more}")));
    let one = |channel: &str, more: &str, expected: &str| {
        let said = wrong(channel, more);
        assert!(said.len() == 1 && said[0].starts_with(expected), "{said:#?}");
    };
    one(
        "superframe = \"100 ms\"\nslots = 10",
        "",
        "return_channels.carrier: payload, access missing: a return channel needs links, superframe, slots, payload",
    );
    one(
        &slots("kind = \"cra\", constant = 4"),
        "",
        "return_channels.carrier.access.constant: 3 terminals with 4 constant slots each need 12; legal is",
    );
    one(
        "superframe = \"100 ms\"\nslots = 2\npayload = \"125 B\"\naccess = { kind = \"cra\" }",
        "",
        "return_channels.carrier.access.constant: 3 terminals with 1 constant slots each need 3; legal is",
    );
    one(
        &slots("kind = \"aloha\", backoff = 0"),
        "",
        "return_channels.carrier.access.backoff: 0 is not legal; legal is",
    );
    one(
        &slots("kind = \"rbdc\", persistence = 0"),
        "",
        "return_channels.carrier.access.persistence: 0 is not legal; legal is",
    );
    one(
        &slots("kind = \"vbdc\""),
        "[return_channels.other]\nlinks = [\"up-1\"]\nsuperframe = \"1 s\"\nslots = 1\npayload = \"2 B\"\n\
         access = { kind = \"vbdc\" }\n",
        "return_channels.other.links[0]: the link up-1 sends on carrier already; legal is one return channel",
    );
    one(
        &slots("kind = \"vbdc\""),
        "[return_channels.other]\nlinks = [\"upp-1\"]\nsuperframe = \"1 s\"\nslots = 1\npayload = \"2 B\"\n\
         access = { kind = \"vbdc\" }\n",
        "return_channels.other.links[0]: no link is called upp-1; did you mean up-1?",
    );
    one(
        &slots("kind = \"vbdc\""),
        "[links.up-1]\nrate = \"1 Mbit/s\"\n",
        "links.up-1.rate: this link sends in slots of carrier, from which its rate follows: leave it out",
    );
    one(
        &slots("kind = \"vbdc\""),
        "[links.up-1]\nchanges = [{ at = \"1 s\", rate = \"1 Mbit/s\" }]\n",
        "links.up-1.changes[0].rate: this link sends in slots of carrier",
    );
    one(
        "superframe = \"10 s\"\nslots = 10\npayload = \"1 B\"\naccess = { kind = \"vbdc\" }",
        "",
        "return_channels.carrier: its rate, slots times payload in each superframe: 8 bit/s given; legal is 10 bit/s",
    );
    // Also where a topology makes the links; once, however many there are.
    let made = |up: &str| {
        problems(&format!(
            "format = 1\nname = \"return\"\nduration = \"20 s\"\n[topology]\nkind = \"branches\"\n\
             [topology.branches.tv]\npreset = \"geo-broadcast\"\nreceivers = 3\nup = {{ {up} }}\n\
             [return_channels.carrier]\nlinks = [\"tv-up-*\"]\n{}\n\
             [flows.s]\nkind = \"cbr\"\nfrom = \"tv-0\"\nto = \"source-0\"\nrate = \"1 kbit/s\"\n",
            slots("kind = \"vbdc\"")
        ))
    };
    let follows = "this link sends in slots of carrier, from which its rate follows: leave it out";
    assert_eq!(
        made("changes = [{ at = \"1 s\", rate = \"1 Mbit/s\" }]"),
        [format!("links.tv-up-0.changes[0].rate: {follows}")]
    );
    let said = problems(&beam(3, &slots("kind = \"vbdc\""), &streams).replace("links = [\"up-*\"]\n", ""));
    assert!(said.iter().any(|said| said.starts_with("return_channels.carrier: links missing")), "{said:#?}");
    // Meant for a channel of the topology, whose name is misspelt.
    let text = "format = 1\nname = \"x\"\nduration = \"5 s\"\nwarmup = \"1 s\"\n[topology]\nkind = \"branches\"\n\
                [topology.branches.beam]\npreset = \"ka-beam\"\nreceivers = 2\n\
                [return_channels.beam-retrun]\nslots = 49\n";
    let said = problems(text);
    assert!(said.iter().any(|said| said.ends_with("payload and access; did you mean beam-return?")), "{said:#?}");
}
