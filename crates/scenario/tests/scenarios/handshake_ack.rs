//! The ACK of a SYN-ACK as a packet of its own: when it goes, what place it takes, how many of them there are.

use crate::support::{go, integers, numbers, table, value, words};
use faircast_scenario::Scenario;
use faircast_scenario::run::RunOutput;

/// A dumbbell whose middle has 100 kbit/s and 20 ms; access links have 100 Mbit/s and 1 ms. All packets in the middle
/// are told.
fn text(flow: &str, queue: &str) -> String {
    format!(
        "format = 1\nname = \"third\"\nduration = \"20 s\"\nwarmup = \"0 s\"\n[topology]\nkind = \"dumbbell\"\n\
         [links.bottleneck]\nrate = \"100 kbit/s\"\ndelay = \"20 ms\"\n{queue}\n\
         [flows.pages]\nkind = \"web\"\n{flow}\n[probes]\npackets = [\"bottleneck\", \"bottleneck.back\"]\n"
    )
}

/// One transfer of two segments at the first second.
const TWO: &str = "arrivals = [{ at = \"1 s\", size = \"2 KB\" }]\nhandshake = true\n";

/// When which sizes left a direction of a link, ms after the first second.
fn left(output: &RunOutput, link: &str) -> Vec<(f64, i64)> {
    let packets = table(output, "packets");
    let (at, sizes) = (numbers(packets, "t_s"), integers(packets, "size_bytes"));
    let (links, actions) = (words(packets, "link"), words(packets, "action"));
    let own = (0..at.len()).filter(|&row| links[row] == link && actions[row] == "departed");
    own.map(|row| (((at[row] - 1.0) * 1e7).round() / 1e4, sizes[row])).collect()
}

fn sum(output: &RunOutput, link: &str, column: &str) -> i64 {
    let links = table(output, "links");
    let own = integers(links, column).iter().zip(words(links, "link"));
    own.filter(|(_, name)| name == link).map(|(value, _)| *value).sum()
}

#[test]
fn each_packet_of_a_transfer_passes_when_it_can_be_worked_out() {
    // 40 bytes take 3.2 us on an access link and 3.2 ms in the middle, 1040 bytes 83.2 us and 83.2 ms.
    let (access, middle, segment) = (0.0032 + 1.0, 3.2, 83.2);
    let syn = access + middle;
    let syn_ack = syn + 20.0 + 2.0 * access + middle;
    let answered = syn_ack + 20.0 + access;
    let ms = |value: f64| (value * 1e4).round() / 1e4;
    let run = |more: &str| {
        let output = go(&text(&format!("{TWO}{more}"), ""));
        let completion_s = numbers(table(&output, "transfers"), "completion_s")[0];
        let slowdown = numbers(table(&output, "transfers"), "slowdown")[0];
        assert_eq!(left(&output, "bottleneck.back")[0], (ms(syn_ack), 40));
        (left(&output, "bottleneck"), completion_s, completion_s / slowdown)
    };
    // The ACK is on its way in the middle when the first segment comes there, 83.2 us behind it.
    let ack = answered + access + middle;
    let with = [(syn, 40), (ack, 40), (ack + segment, 1040), (ack + 2.0 * segment, 1040)];
    // Without it the segment passes as soon as it comes.
    let first = answered + 0.0832 + 1.0 + segment;
    let without = [(syn, 40), (first, 1040), (first + segment, 1040)];
    let rounded = |packets: &[(f64, i64)]| packets.iter().map(|&(at, size)| (ms(at), size)).collect::<Vec<_>>();
    let (sent, took_s, least_s) = run("handshake_ack = true\n");
    assert_eq!(sent, rounded(&with));
    // From the middle to the receiver, and its acknowledgement back.
    let rest = 20.0 + 0.0832 + 1.0 + access + middle + 20.0 + access;
    assert!((took_s * 1e3 - (ack + 2.0 * segment + rest)).abs() < 1e-6, "{took_s}");
    let (sent, took_s, least_without_s) = run("");
    assert_eq!(sent, rounded(&without));
    assert!((took_s * 1e3 - (first + segment + rest)).abs() < 1e-6, "{took_s}");
    // The least time counts round trips and segments: a handshake is one of them either way.
    assert!((least_s - least_without_s).abs() < 1e-12 && (least_s - (2.0 * 0.044 + 2.0 * 0.0832)).abs() < 1e-9);
}

#[test]
fn it_takes_the_place_of_a_segment_in_a_queue_that_counts_packets() {
    // Room for the packet in transmission and one that waits: two segments fit, and not with an ACK before them.
    let queue = "queue = { kind = \"drop-tail\", limit = \"2 packets\" }";
    let run = |more: &str| {
        let output = go(&text(&format!("{TWO}rto_initial = \"1 s\"\n{more}"), queue));
        let completion_s = numbers(table(&output, "transfers"), "completion_s")[0];
        (sum(&output, "bottleneck", "dropped_overflow_pkts"), completion_s)
    };
    let (dropped, took_s) = run("");
    assert_eq!(dropped, 0);
    assert!(took_s < 0.3, "{took_s}");
    // The second segment is dropped, and waits for a time-out of a second, as nothing comes behind it.
    let (dropped, took_s) = run("handshake_ack = true\n");
    assert_eq!(dropped, 1);
    assert!((1.2..1.6).contains(&took_s), "{took_s}");
}

#[test]
fn there_is_one_for_each_connection_that_opens_by_a_handshake() {
    let flow = |more: &str| {
        format!(
            "interval = \"500 ms\"\nstop = \"15 s\"\nobjects_per_connection = 3\ntls_round_trips = 2\n\
             size = {{ kind = \"constant\", bytes = \"2 KB\" }}\n{more}"
        )
    };
    let fast = "queue = { kind = \"drop-tail\", limit = \"1000 packets\" }";
    let run = |more: &str| {
        let output = go(&text(&flow(more), fast).replace("100 kbit/s", "10 Mbit/s"));
        let opened: i64 = integers(table(&output, "transfers"), "opens").iter().sum();
        assert!((15..50).contains(&opened), "{opened}");
        let ways = ["bottleneck", "bottleneck.back"].map(|link| sum(&output, link, "departed_pkts"));
        (ways, opened, value(&output, "run", "packet_hops"))
    };
    let ([there, back], opened, hops) = run("handshake = true\n");
    let ([there_too, back_too], opened_too, hops_too) = run("handshake = true\nhandshake_ack = true\n");
    assert_eq!((opened_too, there_too, back_too), (opened, there + opened, back));
    assert_eq!(hops_too, hops + 3.0 * opened as f64, "over three links each");
    assert_eq!(run("profile = \"linux\"\n"), run("profile = \"linux\"\nhandshake_ack = false\n"), "as hosts choose");
}

#[test]
fn users_and_calendars_meet_the_same_with_it() {
    let rows = |more: &str| {
        let flow = "visits = { users = 3, think = \"1 s\", objects = 4 }\nobjects_per_connection = 2\n\
                    handshake = true\nhandshake_ack = true\nsize = { kind = \"exponential\", mean = \"2 KB\" }\n";
        let queue = "queue = { kind = \"drop-tail\", limit = \"5 packets\" }";
        let output = go(&format!("{}{more}", text(flow, queue)));
        assert!(sum(&output, "bottleneck", "dropped_overflow_pkts") > 0);
        let transfers = table(&output, "transfers");
        // As bits: those that are not finished are NaN.
        let completions = numbers(transfers, "completion_s").iter().map(|time| time.to_bits()).collect::<Vec<_>>();
        assert!(completions.len() > 50, "{}", completions.len());
        (completions, left(&output, "bottleneck"))
    };
    let wheel = rows("");
    assert_eq!(rows("[engine]\ncalendar = \"heap\"\n"), wheel);
    assert_eq!(rows("[engine]\nclock_offsets = false\n"), wheel);
}

#[test]
fn each_part_of_a_split_connection_has_its_own() {
    let hops = |pep: &str| {
        let output = go(&format!(
            "format = 1\nname = \"split\"\nduration = \"20 s\"\nwarmup = \"0 s\"\n\
             [nodes.a]\n[nodes.station]\n[nodes.terminal]\n[nodes.b]\n\
             [links.feed]\nfrom = \"a\"\nto = \"station\"\nrate = \"1 Gbit/s\"\ndelay = \"10 ms\"\n\
             [links.beam]\nfrom = \"station\"\nto = \"terminal\"\nrate = \"1 Gbit/s\"\ndelay = \"250 ms\"\n\
             [links.home]\nfrom = \"terminal\"\nto = \"b\"\nrate = \"1 Gbit/s\"\ndelay = \"10 ms\"\n\
             [flows.pages]\nkind = \"web\"\nfrom = \"a\"\nto = \"b\"\nhandshake = true\n\
             arrivals = [{{ at = \"1 s\", size = \"1 KB\" }}]\n{pep}"
        ));
        assert_eq!(value(&output, "pages", "unfinished"), 0.0);
        ["feed", "beam", "home"].map(|link| sum(&output, link, "departed_pkts"))
    };
    let ack = "handshake_ack = true\n";
    // A SYN and a segment on each link, and the ACK.
    assert_eq!((hops(""), hops(ack)), ([2; 3], [3; 3]));
    let split = |more: &str| format!("{ack}pep = {{ at = [\"station\", \"terminal\"]{more} }}\n");
    assert_eq!(hops(&split("")), [3; 3]);
    // Between proxies that have one connection for all there is only the segment.
    assert_eq!(hops(&split(", handshake = false")), [3, 1, 3]);
}

#[test]
fn a_terminal_that_sends_asks_for_slots_for_it() {
    // Slots of 125 bytes, so a packet of 40 bytes takes one, a segment of 1040 bytes nine.
    let slots = |more: &str| {
        let output = go(&format!(
            "format = 1\nname = \"return\"\nduration = \"20 s\"\nwarmup = \"0 s\"\n[nodes.hub]\n[nodes.home]\n\
             [links.up]\nfrom = \"home\"\nto = \"hub\"\nsimplex = true\ndelay = \"250 ms\"\n\
             [links.down]\nfrom = \"hub\"\nto = \"home\"\nsimplex = true\nrate = \"10 Mbit/s\"\ndelay = \"250 ms\"\n\
             [return_channels.carrier]\nlinks = [\"up\"]\nsuperframe = \"100 ms\"\nslots = 10\npayload = \"125 B\"\n\
             access = {{ kind = \"vbdc\" }}\n\
             [flows.pages]\nkind = \"web\"\nfrom = \"home\"\nto = \"hub\"\nhandshake = true\nrto_initial = \"5 s\"\n\
             rto_max = \"9 s\"\narrivals = [{{ at = \"1 s\", size = \"1 KB\" }}]\n{more}"
        ));
        assert_eq!(value(&output, "pages", "unfinished"), 0.0);
        integers(table(&output, "slots"), "used_slots").iter().sum::<i64>()
    };
    // In the slots that it shares with the segment: 1080 bytes take nine of them, too.
    let (without, with) = (slots("mss = \"1085 B\"\n"), slots("mss = \"1085 B\"\nhandshake_ack = true\n"));
    assert_eq!((without, with), (10, 11));
}

#[test]
fn what_is_wrong_is_one_sentence_with_its_place() {
    let wrong = |key: &str| {
        let found = Scenario::from_toml(&text(&format!("{TWO}{key}\n"), "")).expect_err("it is wrong");
        found.into_iter().map(|problem| (problem.path, problem.message)).collect::<Vec<_>>()
    };
    let said = |message: &str| vec![("flows.pages.handshake_ack".to_owned(), message.to_owned())];
    assert_eq!(wrong("handshake_ack = 1"), said("1 is not legal; legal is true or false"));
    assert_eq!(wrong("handshake_ack = \"yes\""), said("\"yes\" is not legal; legal is true or false"));
    // Without a handshake there is nothing to acknowledge; a profile may have one.
    let alone = said(
        "true given with handshake false; legal with handshake true: without a SYN-ACK there is nothing to acknowledge",
    );
    let text_of = |keys: &str| {
        text(&format!("interval = \"500 ms\"\nsize = {{ kind = \"constant\", bytes = \"2 KB\" }}\n{keys}"), "")
    };
    let problems = |keys: &str| match Scenario::from_toml(&text_of(keys)) {
        Ok(scenario) => scenario.check(),
        Err(problems) => problems,
    };
    let found = problems("handshake_ack = true\n").into_iter().map(|problem| (problem.path, problem.message));
    assert_eq!(found.collect::<Vec<_>>(), alone);
    assert_eq!(problems("profile = \"linux\"\nhandshake_ack = true\n"), []);
    assert_eq!(problems("handshake_ack = false\n"), []);
    let [(path, message)] = &wrong("handshake_ak = true")[..] else { panic!("one problem") };
    assert_eq!(path, "flows.pages.handshake_ak");
    assert!(message.contains("unknown key; did you mean handshake_ack?"), "{message}");
}
