//! Web traffic: what arrives, what comes of it, and what is refused.

use crate::support::{go, integers, numbers, table, value, words};
use faircast_scenario::Scenario;
use faircast_scenario::run::RunOutput;

/// A dumbbell of 10 Mbit/s and a base round-trip time of 44 ms with this beside it.
fn text(more: &str) -> String {
    format!(
        "format = 1\nname = \"web\"\nduration = \"20 s\"\nwarmup = \"0 s\"\n[topology]\nkind = \"dumbbell\"\n\
         left = 3\nright = 3\n{more}"
    )
}

/// Transfers of 10 segments every 100 ms on average.
const PLAIN: &str = "[flows.pages]\nkind = \"web\"\ninterval = \"100 ms\"\n\
                     size = { kind = \"constant\", bytes = \"10 KB\" }\n";

fn ran(more: &str) -> RunOutput {
    go(&text(more))
}

fn problems(more: &str) -> Vec<(String, String)> {
    let found = Scenario::from_toml(&text(more)).expect_err("it is wrong");
    found.into_iter().map(|problem| (problem.path, problem.message)).collect()
}

/// Arrival and size of all transfers.
fn arrived(output: &RunOutput) -> Vec<(f64, i64)> {
    let transfers = table(output, "transfers");
    numbers(transfers, "t_s").iter().copied().zip(integers(transfers, "size_bytes").iter().copied()).collect()
}

fn told(output: &RunOutput, metric: &str) -> f64 {
    value(output, "pages", metric)
}

fn is_warned(output: &RunOutput, kind: &str) -> bool {
    words(table(output, "warnings"), "kind").iter().any(|known| known == kind)
}

#[test]
fn a_lone_transfer_takes_what_can_be_worked_out() {
    // Ten segments of 1040 bytes by slow start from two, over 10 Mbit/s (0.832 ms each) and access links of 100 Mbit/s
    // (83.2 us), 22 ms there and 22 ms back; acknowledgements of 40 bytes take 32 us and twice 3.2 us.
    let output = ran("[flows.pages]\nkind = \"web\"\narrivals = [{ at = \"1 s\", size = \"10 KB\" }]\n");
    let transfers = table(&output, "transfers");
    assert_eq!(numbers(transfers, "t_s"), [1.0]);
    // Rounds of 2, 4 and 4, each from the acknowledgement of the first segment of the one before it: the last segment
    // waits for three others at the bottleneck.
    let (data, ack) = (0.832 + 2.0 * 0.0832, 0.032 + 2.0 * 0.0032);
    let round_ms = 44.0 + data + ack;
    let wanted_s = (3.0 * round_ms + 3.0 * 0.832) / 1e3;
    let completion = numbers(transfers, "completion_s")[0];
    assert!((completion - wanted_s).abs() < 1e-6, "{completion} instead of {wanted_s}");
    let least_s = 0.044 + 10.0 * 0.000_832;
    let slowdown = numbers(transfers, "slowdown")[0];
    assert!((slowdown - completion / least_s).abs() < 1e-9, "{slowdown}");
    assert_eq!(words(transfers, "flow"), ["pages"]);
    assert_eq!(
        (words(transfers, "from"), words(transfers, "to")),
        (vec!["left-0".to_owned()], vec!["right-0".to_owned()])
    );
    assert!(words(table(&output, "flows"), "flow").is_empty(), "no rows among those of flows");
}

#[test]
fn handshakes_take_round_trips_and_are_in_the_least_time() {
    let one = "[flows.pages]\nkind = \"web\"\narrivals = [{ at = \"1 s\", size = \"1 KB\" }]\n";
    let times = |more: &str| {
        let output = ran(&format!("{one}{more}"));
        let transfers = table(&output, "transfers");
        (numbers(transfers, "completion_s")[0], numbers(transfers, "slowdown")[0])
    };
    let (plain, slowdown) = times("");
    let (with, slowdown_with) = times("handshake = true\ntls_round_trips = 2\n");
    assert!((0.1320..0.1350).contains(&(with - plain)), "three round trips of 44 ms and their packets: {with} {plain}");
    assert!((1.0..1.05).contains(&slowdown) && (1.0..1.05).contains(&slowdown_with), "{slowdown} {slowdown_with}");
}

#[test]
fn objects_of_a_connection_come_one_after_the_other() {
    let output = ran(
        "[flows.pages]\nkind = \"web\"\narrivals = [{ at = \"1 s\" }]\nobjects_per_connection = 3\nhandshake = true\n\
         delayed_ack = true\nsize = { kind = \"constant\", bytes = \"1 KB\" }\n",
    );
    let transfers = table(&output, "transfers");
    let (at, took) = (numbers(transfers, "t_s"), numbers(transfers, "completion_s"));
    assert_eq!(at.len(), 3);
    assert!((1..3).all(|object| (at[object] - at[object - 1] - took[object - 1]).abs() < 1e-9), "{at:?} {took:?}");
    // The first has the handshake; no acknowledgement of the last segment of an object waits for 100 ms.
    assert!(
        (0.088..0.092).contains(&took[0]) && took[1..].iter().all(|&took| (0.044..0.047).contains(&took)),
        "{took:?}"
    );
    assert_eq!(integers(transfers, "opens"), [1, 0, 0]);
}

#[test]
fn arrivals_do_not_hang_on_queues_and_variants() {
    let sizes = "size = { kind = \"lognormal\", median = \"20 KB\" }\n";
    let load = format!("[flows.pages]\nkind = \"web\"\ninterval = \"30 ms\"\ncount = 3\n{sizes}");
    let narrow = "[links.bottleneck]\nqueue = { kind = \"drop-tail\", limit = \"5 packets\" }\n";
    let first = ran(&load);
    let other = ran(&format!("{load}variant = \"cubic\"\n{narrow}"));
    assert_eq!(arrived(&first), arrived(&other));
    let [one, two] = [&first, &other].map(|output| words(table(output, "transfers"), "from"));
    assert_eq!(one, two);
    for node in ["left-0", "left-1", "left-2"] {
        assert!(one.iter().filter(|from| *from == node).count() > 150, "each pair has about a third");
    }
    // What is beside it changes nothing either, other web traffic included.
    let beside = "[flows.film]\nkind = \"web\"\ninterval = \"1 s\"\nsize = { kind = \"constant\" }\n\
                  [sessions.lecture]\nscheme = \"tfmcc\"\nsource = \"left-1\"\nreceivers = { nodes = \"right-1\" }\n";
    let both = ran(&format!("{load}{beside}"));
    let own: Vec<(f64, i64)> = words(table(&both, "transfers"), "flow")
        .into_iter()
        .zip(arrived(&both))
        .filter_map(|(flow, row)| (flow == "pages").then_some(row))
        .collect();
    assert_eq!(own, arrived(&first));
}

#[test]
fn a_poisson_process_has_its_mean_and_load_is_met() {
    let times = arrived(&ran(&PLAIN.replace("100 ms", "10 ms")));
    // 2000 are expected; the standard deviation is 45.
    assert!((1850..2150).contains(&times.len()), "{}", times.len());
    // At a load of 0.5 a transfer of 10 segments of 1040 bytes comes every 16.64 ms: 1202 of them.
    let loaded = ran(&PLAIN.replace("interval = \"100 ms\"", "load = 0.5"));
    assert!((1202 - 140..1202 + 140).contains(&arrived(&loaded).len()), "{}", arrived(&loaded).len());
}

#[test]
fn what_the_end_cuts_off_is_counted_and_ranks_last() {
    let lossy = "[links.bottleneck]\nloss = { kind = \"bernoulli\", p = 0.9 }\n";
    let output = ran(&format!("{PLAIN}{lossy}"));
    let (all, unfinished) = (told(&output, "transfers"), told(&output, "unfinished"));
    assert!(all > 150.0 && unfinished > 0.9 * all, "{unfinished} of {all}");
    let completion = numbers(table(&output, "transfers"), "completion_s").iter().filter(|time| !time.is_nan()).count();
    assert_eq!(completion as f64, all - unfinished);
    // With one connection at a time all others wait for it, and are counted.
    let one = ran(&format!("{PLAIN}at_once = 1\n{lossy}"));
    assert_eq!(told(&one, "transfers"), all);
    assert!(is_warned(&one, "connections-full") && !is_warned(&output, "connections-full"));
}

#[test]
fn the_warm_up_counts_by_arrival_and_nothing_may_come_at_all() {
    let late = |warmup: &str| {
        let text = text(PLAIN).replace("warmup = \"0 s\"", &format!("warmup = \"{warmup}\""));
        go(&text)
    };
    let output = late("10 s");
    let after = arrived(&output).iter().filter(|(at, _)| *at > 10.0).count();
    assert_eq!(told(&output, "transfers"), after as f64);
    let none = ran(&PLAIN.replace("100 ms", "1000 h"));
    assert_eq!((told(&none, "transfers"), told(&none, "unfinished")), (0.0, 0.0));
    assert!(told(&none, "completion_p95").is_nan() && arrived(&none).is_empty());
}

#[test]
fn users_fetch_one_page_after_the_other() {
    let visits = "[flows.pages]\nkind = \"web\"\nvisits = { users = 5, think = \"1 s\", objects = 4 }\ncount = 2\n\
                  objects_per_connection = 2\nsize = { kind = \"exponential\", mean = \"20 KB\" }\n";
    let output = ran(visits);
    let transfers = table(&output, "transfers");
    let all = numbers(transfers, "t_s").len();
    // Pages of 4 objects, each of which takes two round trips or more after a second of thinking.
    assert!((4 * 40..4 * 95).contains(&all), "{all}");
    let opened = integers(transfers, "opens").iter().sum::<i64>() as usize;
    assert!(all <= 2 * opened && 2 * opened <= all + 20, "{opened} connections for {all} objects");
    // What somebody fetches does not hang on the network: the first sizes are the same over a slow link.
    let slow = ran(&format!("{visits}[links.bottleneck]\nrate = \"2 Mbit/s\"\n"));
    assert!(arrived(&slow).len() < all);
}

#[test]
fn calendars_and_clocks_give_the_same_transfers() {
    let rows = |more: &str| {
        let output = ran(&format!("{}{more}", PLAIN.replace("100 ms", "20 ms")));
        let transfers = table(&output, "transfers");
        // As bits: those that are not finished are NaN.
        let completion: Vec<u64> = numbers(transfers, "completion_s").iter().map(|time| time.to_bits()).collect();
        (arrived(&output), completion)
    };
    let wheel = rows("");
    assert_eq!(wheel, rows("[engine]\ncalendar = \"heap\"\n"));
    assert_eq!(wheel, rows("[engine]\nclock_offsets = false\n"));
}

#[test]
fn what_is_wrong_is_one_sentence_with_its_place() {
    let web = |keys: &str| problems(&format!("[flows.pages]\nkind = \"web\"\n{keys}"));
    let constant = "size = { kind = \"constant\" }\n";
    let of = |path: &str, message: &str| vec![(path.to_owned(), message.to_owned())];
    assert_eq!(
        web(&format!("load = 0.5\n{}", "size = { kind = \"pareto\", shape = 0.9 }\n")),
        of(
            "flows.pages.load",
            "a Pareto distribution with a shape up to 1 and without most has no finite mean, so no number of transfers \
             makes a load; give most, or interval"
        )
    );
    assert_eq!(
        web("arrivals = [{ at = \"2 s\", size = \"1 KB\" }, { at = \"1 s\", size = \"1 KB\" }]\n"),
        of("flows.pages.arrivals[1].at", "1 s given; legal is not before the arrival before it")
    );
    assert_eq!(
        web("arrivals = [{ at = \"2 s\", size = \"1 KB\", pair = 1 }]\n"),
        of("flows.pages.arrivals[0].pair", "1 given; legal is below the number of pairs of nodes, 1")
    );
    let unknown = web("arrivals = [{ time = \"2 s\", size = \"1 KB\" }]\n");
    assert!(unknown.iter().any(|(_, message)| message.contains("unknown key; did you mean at?")), "{unknown:?}");
    let keys = |keys: &str| -> Vec<String> { web(keys).into_iter().map(|(path, _)| path).collect() };
    assert_eq!(keys("interval = \"1 s\"\n"), ["flows.pages.size"]);
    assert_eq!(keys(constant), ["flows.pages"]);
    assert_eq!(keys(&format!("interval = \"1 s\"\nload = 0.5\n{constant}")), ["flows.pages.load"]);
    assert_eq!(keys(&format!("interval = \"1 s\"\nlink = \"bottleneck\"\n{constant}")), ["flows.pages.link"]);
    assert_eq!(keys(&format!("load = 0.5\nlink = \"neck\"\n{constant}")), ["flows.pages.link"]);
    assert_eq!(keys(&format!("interval = \"1 s\"\nfrom = \"nobody\"\n{constant}")), ["flows.pages.from"]);
    assert_eq!(keys(&format!("interval = \"1 s\"\nfrom = \"right-0\"\n{constant}")), ["flows.pages"]);
    assert_eq!(keys(&format!("interval = \"1 s\"\nsegments = 3\n{constant}")), ["flows.pages.segments"]);
    assert_eq!(keys(&format!("interval = \"1 s\"\nstart_step = \"1 s\"\n{constant}")), ["flows.pages.start_step"]);
    assert_eq!(
        keys("interval = \"1 s\"\nsize = { kind = \"constant\", bytes = \"0 B\" }\n"),
        ["flows.pages.size.bytes"]
    );
    assert_eq!(keys("interval = \"1 s\"\nsize = { kind = \"listed\", sizes = [] }\n"), ["flows.pages.size.sizes"]);
    assert_eq!(
        keys(&format!("interval = \"1 s\"\nclasses = [\"1 KB\", \"1 KB\"]\n{constant}")),
        ["flows.pages.classes[1]"]
    );
}

#[test]
fn there_are_not_more_connections_than_numbers_for_them() {
    let entry = |index| format!("[flows.w-{index}]\nkind = \"web\"\nat_once = 1000000\narrivals = []\n");
    let entries = |count| (0..count).map(entry).collect::<String>();
    assert!(Scenario::from_toml(&text(&entries(4))).is_ok());
    let found = problems(&entries(5));
    let message = "5000000 connections at once in all; legal are at most 4000000";
    assert_eq!(found, [("flows.w-4.at_once".to_owned(), message.to_owned())]);
}

#[test]
fn a_transfer_is_as_large_as_it_is_said() {
    let flow = "[flows.pages]\nkind = \"web\"\narrivals = [{ at = \"1 s\", size = \"5 GB\" }]\nmss = \"1000 B\"\n";
    let network = Scenario::from_toml(&text(flow)).expect("legal").expand();
    assert_eq!(
        [5_000_000_000, 5_000_000_001, 1].map(|bytes| network.web[0].segments(bytes)),
        [5_000_000, 5_000_001, 1]
    );
}

#[test]
fn sizes_that_do_not_vary_have_a_load() {
    // Half of 10 Mbit/s in transfers of ten segments of 1040 bytes: 60 a second.
    let size = "size = { kind = \"lognormal\", median = \"10 KB\", sigma = 0.0 }\n";
    let output = ran(&format!("[flows.pages]\nkind = \"web\"\nload = 0.5\n{size}"));
    assert!(arrived(&output).iter().all(|&(_, bytes)| bytes == 10_000));
    assert!((told(&output, "transfers") / 1202.0 - 1.0).abs() < 0.1);
}

#[test]
fn few_connections_serve_all_pairs_of_nodes() {
    let entry = "[flows.pages]\nkind = \"web\"\ncount = 3\nat_once = 1\nstop = \"10 s\"\n";
    let size = "size = { kind = \"constant\", bytes = \"2 KB\" }\n";
    let output = ran(&format!("{entry}interval = \"100 ms\"\n{size}"));
    assert!(told(&output, "transfers") > 50.0 && told(&output, "unfinished") == 0.0);
    let mut to = words(table(&output, "transfers"), "to");
    to.sort_unstable();
    to.dedup();
    assert_eq!(to, ["right-0", "right-1", "right-2"]);
    // Closed loops, too: six users on three pairs.
    let output = ran(&format!("{entry}visits = {{ users = 6, think = \"1 s\", objects = 2 }}\n{size}"));
    assert!(told(&output, "transfers") > 50.0 && told(&output, "unfinished") == 0.0);
}

/// A session beside web traffic, with the queue and the scheme to be compared: the transfers asked for are equal.
#[test]
fn web_traffic_beside_a_session_is_the_same_whatever_the_scheme_and_the_queue() {
    let pages = "[flows.pages]\nkind = \"web\"\nload = 0.4\nlink = \"bottleneck\"\nobjects_per_connection = 2\n\
                 from = [\"left-1\", \"left-2\"]\nto = [\"right-1\", \"right-2\"]\ncount = 2\n\
                 size = { kind = \"pareto\", least = \"4 KB\", shape = 1.2, most = \"1 MB\" }\n";
    let first_ones = |scheme: &str, queue: &str| {
        let session =
            format!("[sessions.film]\nscheme = \"{scheme}\"\nsource = \"left-0\"\nreceivers = {{ count = 2 }}\n");
        let output = ran(&format!("{pages}{session}[links.bottleneck]\nqueue = {queue}\n"));
        let transfers = table(&output, "transfers");
        let rows = arrived(&output).into_iter().zip(words(transfers, "from"));
        // What follows on a connection comes when the one before it is there.
        rows.zip(integers(transfers, "opens"))
            .filter_map(|(row, &opens)| (opens == 1).then_some(row))
            .collect::<Vec<_>>()
    };
    let drop_tail = "{ kind = \"drop-tail\", limit = \"20 packets\" }";
    let wanted = first_ones("tfmcc", drop_tail);
    assert!(wanted.len() > 100, "{}", wanted.len());
    for (scheme, queue) in [("pgmcc", drop_tail), ("mlda", drop_tail), ("tfmcc", "{ kind = \"codel\" }")] {
        assert_eq!(first_ones(scheme, queue), wanted, "{scheme}, {queue}");
    }
}

#[test]
fn a_load_above_one_is_a_warning() {
    let output = ran(&PLAIN.replace("interval = \"100 ms\"", "load = 1.2"));
    assert!(is_warned(&output, "overload") && !is_warned(&ran(PLAIN), "overload"));
}

#[test]
fn a_load_of_a_link_that_not_all_cross_is_a_warning() {
    let told = |to: &str, link: &str| {
        let link_to =
            |name| format!("[links.to-{name}]\nfrom = \"a\"\nto = \"{name}\"\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n");
        let text = format!(
            "format = 1\nname = \"web\"\nduration = \"5 s\"\n[nodes.a]\n[nodes.b]\n[nodes.c]\n{}{}\
             [flows.pages]\nkind = \"web\"\nfrom = \"a\"\nto = {to}\ncount = 2\nload = 0.5\n{link}\
             size = {{ kind = \"constant\" }}\n",
            link_to("b"),
            link_to("c")
        );
        let known = faircast_scenario::warning::known(&crate::support::scenario(&text));
        let values = known.into_iter().map(|known| (known.path, known.warning.kind, known.warning.value));
        values.collect::<Vec<_>>()
    };
    let half = [("flows.pages.load".to_owned(), "load-elsewhere", 0.25)];
    assert_eq!(told("[\"b\", \"c\"]", ""), half);
    assert_eq!(told("[\"b\", \"c\"]", "link = \"to-c\"\n"), half);
    assert_eq!(told("\"b\"", ""), []);
    assert_eq!(told("\"b\"", "link = \"to-c\"\n"), [("flows.pages.load".to_owned(), "load-elsewhere", 0.0)]);
}

#[test]
fn who_crosses_a_leg_crosses_its_link() {
    for link in ["", "link = \"down\"\n"] {
        let leg = |name| format!("[links.down-{name}]\nleg_of = \"down\"\nto = \"{name}\"\ndelay = \"125 ms\"\n");
        let text = format!(
            "format = 1\nname = \"web\"\nduration = \"5 s\"\n[nodes.a]\n[nodes.b]\n[nodes.c]\n\
             [links.down]\nfrom = \"a\"\nrate = \"1 Mbit/s\"\n{}{}\
             [links.back]\nfrom = \"b\"\nto = \"a\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\nsimplex = true\n\
             [links.back-too]\nfrom = \"c\"\nto = \"a\"\nrate = \"10 Mbit/s\"\ndelay = \"1 ms\"\nsimplex = true\n\
             [flows.pages]\nkind = \"web\"\nfrom = \"a\"\nto = [\"b\", \"c\"]\ncount = 2\nload = 0.5\n{link}\
             size = {{ kind = \"constant\" }}\n",
            leg("b"),
            leg("c")
        );
        let scenario = crate::support::scenario(&text);
        let known = faircast_scenario::warning::known(&scenario);
        assert!(known.is_empty(), "{known:?}");
    }
}

#[test]
fn a_change_of_the_network_loses_nobody() {
    let changes = "[links.bottleneck]\nchanges = [{ at = \"5 s\", up = false }, { at = \"8 s\", up = true }]\n";
    let output = ran(&format!("{PLAIN}{changes}"));
    assert!(told(&output, "transfers") > 150.0 && told(&output, "unfinished") < 20.0);
}

/// A link of 10 Mbit/s on which connections with windows of two segments take turns: processor sharing. Round trips of
/// 0.5 ms, so that a mean of 100 KB is 160 bandwidth-delay products.
fn shared(load: f64, size: &str) -> RunOutput {
    go(&format!(
        "format = 1\nname = \"ps\"\nduration = \"{}\"\nwarmup = \"20 s\"\n[nodes.a]\n[nodes.b]\n\
         [links.wire]\nfrom = \"a\"\nto = \"b\"\nrate = \"10 Mbit/s\"\ndelay = \"250 us\"\n\
         queue = {{ kind = \"drop-tail\", limit = \"100000 packets\" }}\n\
         [flows.pages]\nkind = \"web\"\nfrom = \"a\"\nto = \"b\"\nload = {load}\nwnd = \"2 packets\"\n\
         classes = [\"50 KB\", \"100 KB\", \"200 KB\"]\nsize = {size}\n[probes]\nflows = false\nlinks = false\n",
        "3000 s",
    ))
}

#[test]
fn transfers_that_share_a_link_take_as_long_as_processor_sharing_says() {
    // E[T | x] = x / (C (1 - rho)) in M/G/1-PS, whatever the distribution of sizes.
    let sizes = [
        "{ kind = \"exponential\", mean = \"100 KB\" }",
        "{ kind = \"pareto\", least = \"37 KB\", shape = 1.5, most = \"2 MB\" }",
    ];
    for (load, size) in [0.3, 0.6, 0.8].into_iter().flat_map(|load| sizes.map(|size| (load, size))) {
        let output = shared(load, size);
        let transfers = table(&output, "transfers");
        let columns = (numbers(transfers, "t_s"), numbers(transfers, "completion_s"));
        let (bytes, classes) = (integers(transfers, "size_bytes"), integers(transfers, "class"));
        for class in 1..=4 {
            let own = (0..bytes.len()).filter(|&row| classes[row] == class && columns.0[row] > 20.0);
            let own: Vec<usize> = own.filter(|&row| !columns.1[row].is_nan()).collect();
            let took: f64 = own.iter().map(|&row| columns.1[row]).sum();
            let wire = |row: &usize| (bytes[*row] as f64 / 1000.0).ceil() * 1040.0 * 8.0;
            let wanted: f64 = own.iter().map(|row| wire(row) / (10e6 * (1.0 - load))).sum();
            let ratio = took / wanted;
            assert!(own.len() > 300, "{} in class {class}", own.len());
            assert!((0.9..1.1).contains(&ratio), "load {load}, {size}, class {class}: {ratio}");
        }
    }
}
