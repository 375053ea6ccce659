//! Sessions whose media are played: what receivers see, worked out by hand, and what is refused.

use crate::support::{go, integers, numbers, table, value, words};
use faircast_scenario::Scenario;
use faircast_scenario::run::RunOutput;

/// A link of 8 Mbit/s, 700 ms long, with these sessions.
fn text(more: &str) -> String {
    format!(
        "format = 1\nname = \"playout\"\nduration = \"20 s\"\nwarmup = \"0 s\"\nnodes = {{ a = {{}}, b = {{}} }}\n\
         [links.path]\nfrom = \"a\"\nto = \"b\"\nrate = \"8 Mbit/s\"\ndelay = \"700 ms\"\n\
         queue = {{ kind = \"drop-tail\", limit = \"1000 packets\" }}\n{more}\n"
    )
}

/// A session to one receiver with these keys.
fn session(scheme: &str, keys: &str) -> String {
    format!("[sessions.film]\nscheme = \"{scheme}\"\nsource = \"a\"\nreceivers.nodes = [\"b\"]\n{keys}\n")
}

/// Packets of 1000 B, two a second, from 2 s on: then the join has come to the source.
fn steady(keys: &str) -> String {
    session("cbr", &format!("start = \"2 s\"\nrate = \"16 kbit/s\"\npacket_size = \"1000 B\"\n{keys}"))
}

fn tfmcc(keys: &str) -> String {
    session("tfmcc", &format!("packet_size = \"1000 B\"\ninitial_max_rtt = \"2 s\"\n{keys}"))
}

/// TFMCC over a short way, for a minute, of which a third is warm-up.
fn fast(playout: &str) -> String {
    let session = session("tfmcc", &format!("packet_size = \"1000 B\"\nstart = \"1 s\"\n{playout}"));
    let text = text(&session).replace("700 ms", "20 ms").replace("20 s", "60 s");
    text.replace("warmup = \"0 s\"", "warmup = \"20 s\"")
}

fn problems(more: &str) -> Vec<(String, String)> {
    let found = Scenario::from_toml(&text(more)).expect_err("it is wrong");
    found.into_iter().map(|problem| (problem.path, problem.message)).collect()
}

/// When each segment was due, its number, its quality, how long the picture stood still: times in nanoseconds.
fn seen(output: &RunOutput) -> Vec<(u64, i64, i64, u64)> {
    let rows = table(output, "playback");
    let ns = |name: &str| numbers(rows, name).iter().map(|s| (s * 1e9).round() as u64).collect::<Vec<_>>();
    let numbers = ns("t_s").into_iter().zip(integers(rows, "segment").iter().copied());
    let rest = integers(rows, "quality").iter().copied().zip(ns("stall_s"));
    numbers.zip(rest).map(|((due, segment), (quality, stall))| (due, segment, quality, stall)).collect()
}

const MS: u64 = 1_000_000;

#[test]
fn what_is_sent_at_a_constant_rate_is_shown_when_it_can_be_worked_out() {
    // Segment i has the packets of 2 + i and 2.5 + i s, and is there with the second: 1 ms of transmission and 700 ms
    // later. The second one is there at 4.201 s; what would have come at 8.201 s is lost.
    let outage = "[links.path.loss]\nkind = \"outage\"\nlength = \"200 ms\"\nstart = \"8.1 s\"\n";
    let live = "playout = { kind = \"live\", segment = \"1 s\" }";
    let output = go(&format!("{}{outage}", text(&steady(live))));
    let rows = seen(&output);
    let wanted: Vec<(u64, i64, i64, u64)> = (0..16)
        .map(|i| (4201 * MS + i as u64 * 1000 * MS, i, i64::from(i != 5), if i == 5 { 1000 * MS } else { 0 }))
        .collect();
    assert_eq!(rows, wanted);
    let missing: Vec<i64> = integers(table(&output, "playback"), "missing_pkts").to_vec();
    assert_eq!((missing[5], missing.iter().sum::<i64>()), (1, 1));
    // The next segment has just come, but of what was lost.
    let buffer: Vec<f64> = (0..16).map(|i| [2.0, 1.0, 0.0][usize::from(i == 4) + 2 * usize::from(i == 5)]).collect();
    assert_eq!(numbers(table(&output, "playback"), "buffer_s"), buffer);
    let told = |metric| value(&output, "film-0", metric);
    assert_eq!(["startup_delay", "stalls", "stalled", "longest_stall"].map(told), [4.201, 1.0, 1.0, 1.0]);
    assert_eq!(["quality", "media_rate", "quality_changes"].map(told), [15.0 / 16.0, 16e3 * 15.0 / 16.0, 0.0]);
    let told = |metric| value(&output, "film", metric);
    assert_eq!(["viewers", "not_started", "stalled_viewers", "startup_delay_p95"].map(told), [1.0, 0.0, 1.0, 4.201]);

    // As a file it waits for ever, unless what is lost comes otherwise: it is missed when the first packet
    // of the next segment comes, at 8.701 s, and there 5 s later.
    for (keys, until_s, goes_on) in [("", 20.0, false), (", repair = { after = \"5 s\" }", 13.701, true)] {
        let file = format!("playout = {{ kind = \"file\", segment = \"1 s\"{keys} }}");
        let output = go(&format!("{}{outage}", text(&steady(&file))));
        let rows = seen(&output);
        assert_eq!(rows[5], (9201 * MS, 5, i64::from(goes_on), ((until_s - 9.201) * 1e9_f64).round() as u64));
        assert_eq!(rows.len() > 6, goes_on);
        assert_eq!(value(&output, "film-0", "stalled"), rows[5].3 as f64 / 1e9);
    }
    // Of two packets one is enough.
    let fec = "playout = { kind = \"file\", segment = \"1 s\", fec = 1 }";
    let output = go(&format!("{}{outage}", text(&steady(fec))));
    assert_eq!((value(&output, "film-0", "stalls"), value(&output, "film-0", "media_rate")), (0.0, 8e3));
}

#[test]
fn segments_that_are_skipped_in_a_row_are_one_stall() {
    // What would have come from 8.1 s to 10.1 s is of segments 5, 6 and 7.
    let outage = "[links.path.loss]\nkind = \"outage\"\nlength = \"2 s\"\nstart = \"8.1 s\"\n";
    let output = go(&format!("{}{outage}", text(&steady("playout = { kind = \"live\", segment = \"1 s\" }"))));
    let told = |metric| value(&output, "film-0", metric);
    assert_eq!(["stalls", "stalled", "longest_stall", "quality"].map(told), [1.0, 3.0, 3.0, 13.0 / 16.0]);
}

#[test]
fn after_the_warmup_counts_what_is_due_then() {
    let outages = "[links.path.loss]\nkind = \"outage\"\nlength = \"200 ms\"\nstart = \"8.1 s\"\nperiod = \"5 s\"\n";
    let live = steady("playout = { kind = \"live\", segment = \"1 s\" }");
    let output = go(&format!("{}{outages}", text(&live)).replace("warmup = \"0 s\"", "warmup = \"9500 ms\""));
    let both = |subject: &str, metric: &str| {
        [metric.to_owned(), format!("{metric}_all")].map(|of| value(&output, subject, &of))
    };
    // Segment 5 is due at 9.201 s, segment 10 at 14.201 s, segment 15 at 19.201 s.
    assert_eq!((both("film-0", "stalls"), both("film-0", "longest_stall")), ([2.0, 3.0], [1.0, 1.0]));
    let [late, all] = both("film-0", "stalled");
    assert!((late - 2.5).abs() < 1e-9 && (all - 2.799).abs() < 1e-9, "{late} {all}");
    assert_eq!(both("film-0", "quality"), [0.8, 13.0 / 16.0]);
    // It joined before.
    let [late, all] = both("film-0", "startup_delay");
    assert!(late.is_nan() && all == 4.201, "{late} {all}");
    assert_eq!((both("film", "viewers"), both("film", "startup_delay_p50")[1]), ([0.0, 1.0], 4.201));
}

#[test]
fn a_source_that_stops_in_a_segment_ends_with_the_one_before() {
    let output = go(&text(&steady("stop = \"7600 ms\"\nplayout = { kind = \"live\", segment = \"1 s\" }")));
    let rows = seen(&output);
    assert_eq!((rows.len(), rows.last()), (5, Some(&(8201 * MS, 4, 1, 0))));
    assert_eq!(value(&output, "film-0", "stalls"), 0.0);
}

#[test]
fn receivers_come_late_and_go_and_see_what_they_hold_of_two_sessions() {
    let layers = "scheme = \"layered-cbr\"\nsource = \"a\"\nstart = \"2 s\"\n\
                  rates = [\"16 kbit/s\", \"16 kbit/s\", \"32 kbit/s\"]\npacket_size = \"1000 B\"\n\
                  playout = { kind = \"live\", segment = \"1 s\" }\n";
    let sessions = format!(
        "[sessions.film]\n{layers}receivers = {{ nodes = [\"b\", \"b\", \"b\"],\
         join = [\"0 s\", \"5250 ms\", \"0 s\"], leave = [\"8 s\", \"99 s\", \
         \"99 s\"] }}\n[sessions.other]\n{layers}receivers.nodes = [\"b\"]\n"
    );
    let output = go(&text(&sessions));
    let qualities = |name: &str| {
        let rows = table(&output, "playback");
        let own = words(rows, "receiver").into_iter().zip(integers(rows, "quality").iter().copied());
        own.filter(|(receiver, _)| receiver == name).map(|(_, quality)| quality).collect::<Vec<_>>()
    };
    for name in ["film-0", "film-1", "film-2", "other-0"] {
        assert!(qualities(name).iter().all(|&quality| quality == 3), "{name} {:?}", qualities(name));
    }
    // From 4.201 s to 8 s; segments 3 and 4, there at 6.201 s and 7.201 s, are the first that the second one has whole.
    assert_eq!(qualities("film-0").len(), 4);
    let delay = value(&output, "film-1", "startup_delay");
    assert!((delay - 1.951).abs() < 0.005, "{delay}");
    assert_eq!(value(&output, "film", "quality_mean"), 3.0);
    assert_eq!(value(&output, "other", "media_rate_p50"), 64e3);
    assert!(words(table(&output, "playback"), "session").contains(&"other".to_owned()));
}

#[test]
fn nine_of_ten_packets_lost_show_nothing() {
    let loss = "[links.path.loss]\nkind = \"bernoulli\"\np = 0.9\n";
    let output = go(&format!("{}{loss}", text(&steady("playout = { kind = \"live\", segment = \"1 s\" }"))));
    assert_eq!(seen(&output), []);
    let told = |metric| value(&output, "film", metric);
    assert_eq!(["viewers", "not_started", "quality_mean", "media_rate_p5"].map(told), [1.0, 1.0, 0.0, 0.0]);
    assert!(told("startup_delay_p50").is_nan() && told("stalls_mean").is_nan());
}

#[test]
fn media_of_a_rate_limit_their_source() {
    let output = go(&fast("playout = { kind = \"live\", media_rate = \"160 kbit/s\" }"));
    let told = |metric| value(&output, "film-0", metric);
    assert_eq!(["stalls", "quality", "media_rate"].map(told), [0.0, 1.0, 160e3]);
    let rate = value(&output, "film", "sending_rate");
    assert!((rate - 160e3).abs() < 4e3, "{rate}");
    // Four seconds of media, and what the source is too slow for at first.
    let delay = told("startup_delay_all");
    assert!((5.0..12.0).contains(&delay), "{delay}");
    // With a tenth more for error correction.
    let fec = go(&fast("playout = { kind = \"live\", media_rate = \"160 kbit/s\", fec = 0.1 }"));
    let rate = value(&fec, "film", "sending_rate");
    assert!((rate - 176e3).abs() < 4e3, "{rate}");
    assert_eq!(value(&fec, "film-0", "media_rate"), 160e3);
}

#[test]
fn adaptive_media_take_the_highest_rate_that_the_source_has() {
    let ladder = "playout = { kind = \"live\", media_rate = [\"80 kbit/s\", \"120 kbit/s\", \"180 kbit/s\", \
                  \"270 kbit/s\", \
                  \"20 Mbit/s\"], segment = \"1 s\" }";
    let output = go(&text(&tfmcc(ladder)).replace("20 s", "60 s"));
    let qualities: Vec<i64> = seen(&output).iter().map(|row| row.2).collect();
    assert_eq!((qualities.first(), qualities.last(), qualities.iter().max()), (Some(&1), Some(&4), Some(&4)));
    assert_eq!(value(&output, "film-0", "quality_changes"), 3.0);
    // A file of 10 s is sent as fast as the source may, and is over then.
    let file = "playout = { kind = \"file\", media_rate = \"160 kbit/s\", length = \"9500 ms\" }";
    let output = go(&fast(file));
    assert_eq!(seen(&output).len(), 5);
    assert_eq!(value(&output, "film", "sent_all"), 5.0 * 40.0);
    assert!(value(&output, "film", "active") < 40.0);
}

#[test]
fn the_same_comes_of_both_calendars() {
    let film = tfmcc("playout = { kind = \"live\", media_rate = \"2 Mbit/s\" }\n");
    let both = ["heap", "wheel"].map(|calendar| {
        let lossy = "[links.path.loss]\nkind = \"bernoulli\"\np = 0.001\n";
        seen(&go(&format!("{}{lossy}[engine]\ncalendar = \"{calendar}\"\n", text(&film))))
    });
    assert_eq!(both[0], both[1]);
}

#[test]
fn what_is_wrong_is_said_in_one_sentence() {
    let live = |keys: &str| format!("playout = {{ kind = \"live\"{keys} }}");
    let rate = ", media_rate = \"1 Mbit/s\"";
    for (more, path, said) in [
        (tfmcc(&live("")), "sessions.film.playout.media_rate", "missing: how much do the media take?"),
        (steady(&live(rate)), "sessions.film.playout.media_rate", "its constant rate is played as they are sent"),
        (
            session("rlm", &live(", length = \"9 s\"")),
            "sessions.film.playout.length",
            "given for rlm, of which its layers are played as they are sent; leave it out",
        ),
        (
            tfmcc(&format!("application = {{ rate = \"1 Mbit/s\" }}\n{}", live(rate))),
            "sessions.film.application",
            "given with a playout",
        ),
        (
            session("pgmcc", &live(", media_rate = [\"1 Mbit/s\", \"2 Mbit/s\"]")),
            "sessions.film.playout.media_rate",
            "a list given for pgmcc, which has a window",
        ),
        (
            tfmcc(&live(", media_rate = [\"2 Mbit/s\", \"1 Mbit/s\"]")),
            "sessions.film.playout.media_rate[1]",
            "1000000 bit/s given after 2000000 bit/s; legal are rates that rise",
        ),
        (
            tfmcc(&live(", media_rate = \"1 Mbit/s\", fec = -1")),
            "sessions.film.playout.fec",
            "legal is a number from 0 to 10",
        ),
        (
            tfmcc(&live(", media_rate = \"1 Mbit/s\", repair = { after = \"1 s\", most = 2 }")),
            "sessions.film.playout.repair.most",
            "legal is",
        ),
    ] {
        let found = problems(&more);
        assert_eq!(found.len(), 1, "{more}\n{found:?}");
        assert!(found[0].0 == path && found[0].1.contains(said), "{found:?}");
    }
    for (keys, path) in [
        ("playout = { media_rate = \"1 Mbit/s\" }", "sessions.film.playout"),
        ("playout = { kind = \"later\" }", "sessions.film.playout.kind"),
        ("playout = { kind = \"live\", media_rate = \"fast\" }", "sessions.film.playout.media_rate"),
        ("playout = { kind = \"live\", medium_rate = \"1 Mbit/s\" }", "sessions.film.playout"),
    ] {
        let found = problems(&tfmcc(keys));
        assert!(found.iter().any(|(at, _)| at.starts_with(path)), "{keys} {found:?}");
    }
}
