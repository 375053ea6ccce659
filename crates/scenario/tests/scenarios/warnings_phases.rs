//! Links on which phases may have decided are told.

use faircast_scenario::run::Control;
use faircast_scenario::warning::Warning;
use faircast_scenario::{Scenario, run};

/// A packet of 1040 B takes 4.16 ms.
const DROP_TAIL: &str =
    "rate = \"2 Mbit/s\"\ndelay = \"20 ms\"\nqueue = { kind = \"drop-tail\", limit = \"12 packets\" }\n";
const RENO: &str = "kind = \"tcp\"\nvariant = \"reno\"\n";
const FILM: &str = "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-1\"\nreceivers = { nodes = [\"right-1\"] }\n";

/// The warnings of this kind that a run with as many hosts gives.
fn told(hosts: usize, bottleneck: &str, rest: &str) -> Vec<Warning> {
    let text = format!(
        "format = 1\nname = \"x\"\nduration = \"60 s\"\nwarmup = \"10 s\"\n[topology]\nkind = \"dumbbell\"\n\
         left = {hosts}\nright = {hosts}\n[links.bottleneck]\n{bottleneck}{rest}"
    );
    let scenario = Scenario::from_toml(&text).unwrap_or_else(|problems| panic!("{problems:#?}\n{text}"));
    let output = run(&scenario, 1, &Control::default(), 1).unwrap_or_else(|failure| panic!("{failure:?}"));
    output.warnings.into_iter().filter(|warning| warning.kind == "phase-effects").collect()
}

fn two(settings: &str) -> String {
    format!("[flows.web]\n{RENO}count = 2\n{settings}")
}

#[test]
fn a_drop_tail_queue_within_another_is_one_as_well() {
    let drop_tail = DROP_TAIL.replace("{ kind", "{ kind = \"shaper\", queue = { kind").replace(" }\n", " } }\n");
    assert_eq!(told(2, &drop_tail, &two("")).len(), 1, "{drop_tail}");
    let codel = "rate = \"2 Mbit/s\"\ndelay = \"20 ms\"\nqueue = { kind = \"shaper\", queue = { kind = \"codel\", \
                 limit = \"12 packets\" } }\n";
    assert_eq!(told(2, codel, &two("")).len(), 0);
}

#[test]
fn greedy_flows_that_send_as_acks_come_are_told_at_a_drop_tail_queue() {
    let found = told(2, DROP_TAIL, &two(""));
    let [warning] = &found[..] else { panic!("{found:?}") };
    assert_eq!((warning.subject.as_str(), warning.value), ("bottleneck", 2.0));
    assert!(warning.message.contains("of link bottleneck may follow from the phases"), "{}", warning.message);
    assert!(warning.message.contains("how its 2 senders answer"), "{}", warning.message);
    assert!(warning.message.contains("as flow web-0 and flow web-1 send as ACKs come"), "{}", warning.message);
    assert!(warning.message.contains("send_jitter = \"4.16 ms\""), "{}", warning.message);
    // Beside a session one flow is enough, and of two it is one that counts.
    let beside = told(2, DROP_TAIL, &format!("[flows.web]\n{RENO}{FILM}"));
    assert_eq!(beside.iter().map(|warning| warning.value).collect::<Vec<_>>(), [1.0]);
    let other = format!("[flows.other]\n{RENO}send_jitter = \"4.16 ms\"\nfrom = \"left-1\"\nto = \"right-1\"\n");
    let beside = told(2, DROP_TAIL, &format!("[flows.web]\n{RENO}{other}"));
    assert_eq!(beside.iter().map(|warning| warning.value).collect::<Vec<_>>(), [1.0]);
    assert!(beside[0].message.contains("as flow web sends as ACKs come"), "{}", beside[0].message);
    // What the link adds takes time, too.
    let header = told(2, &format!("{DROP_TAIL}header = \"210 B\"\n"), &two(""));
    assert!(header[0].message.contains("send_jitter = \"5.00 ms\""), "{}", header[0].message);
}

#[test]
fn a_random_time_of_a_packet_takes_them_away_and_a_shorter_one_does_not() {
    for (jitter, warnings) in [("4.2 ms", 0), ("4 ms", 0), ("2 ms", 1)] {
        let found = told(2, DROP_TAIL, &two(&format!("send_jitter = \"{jitter}\"\n")));
        assert_eq!(found.len(), warnings, "{jitter}");
    }
}

#[test]
fn where_something_else_decides_nothing_is_said() {
    let red = "rate = \"2 Mbit/s\"\nqueue = { kind = \"red\", limit = \"50 packets\", min_th = \"5 packets\", \
               max_th = \"25 packets\" }\n";
    let lossy = format!("{DROP_TAIL}loss = {{ kind = \"bernoulli\", p = 0.02 }}\n");
    let alone = format!("[flows.web]\n{RENO}");
    // Held back by its window it loses nothing; a burst at the start of a transfer is over soon; half of the link is
    // given, and to nobody who answers.
    let (window, page) = (two("wnd = \"4 packets\"\n"), two("segments = 2000\n"));
    let given = "[flows.voice]\nkind = \"cbr\"\nrate = \"1.2 Mbit/s\"\ncount = 2\n";
    for (bottleneck, rest) in
        [(red, &two("")), (&lossy, &two("")), (DROP_TAIL, &alone), (DROP_TAIL, &window), (DROP_TAIL, &page)]
    {
        assert_eq!(told(2, bottleneck, rest), [], "{bottleneck}{rest}");
    }
    assert_eq!(told(2, DROP_TAIL, given), []);
}

#[test]
fn many_senders_are_told_if_their_round_trips_are_alike() {
    let link = DROP_TAIL.replace("2 Mbit/s", "10 Mbit/s").replace("12 packets", "60 packets");
    let flows = |senders: usize, step_ms: f64| {
        let delays = (0..senders)
            .map(|n| format!("[links.access-left-{n}]\ndelay = \"{} ms\"\n", 1.0 + step_ms * n as f64))
            .collect::<String>();
        format!("{delays}[flows.web]\n{RENO}count = {senders}\n")
    };
    assert_eq!(told(9, &link, &flows(9, 0.0)).len(), 1, "alike");
    assert_eq!(told(9, &link, &flows(9, 3.0)).len(), 0, "each its own");
    assert_eq!(told(8, &link, &flows(8, 3.0)).len(), 1, "few");
    // 0.832 ms takes a packet: nine round trips within that are alike.
    assert_eq!(told(9, &link, &flows(9, 0.04)).len(), 1, "all within a packet's time");
    assert_eq!(told(9, &link, &flows(9, 0.06)).len(), 0, "beyond it");
}
