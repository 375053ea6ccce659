//! What is legal, but should be known, is told: before a run where it needs none, and beside the result.

use faircast_scenario::run::{Control, RunOutput};
use faircast_scenario::{Scenario, run, warning};

fn scenario(rest: &str) -> Scenario {
    scenario_of(20, 0, rest)
}

fn scenario_of(duration: u32, warmup: u32, rest: &str) -> Scenario {
    let head = format!(
        "format = 1\nname = \"x\"\nduration = \"{duration} s\"\nwarmup = \"{warmup} s\"\n[topology]\n\
         kind = \"dumbbell\"\nbottleneck = {{ rate = \"7654321 bit/s\", delay = \"100 ms\" }}\n"
    );
    Scenario::from_toml(&format!("{head}{rest}")).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

fn go(scenario: &Scenario) -> RunOutput {
    run(scenario, 1, &Control::default(), 1).unwrap_or_else(|problems| panic!("{problems:#?}"))
}

#[test]
fn a_flow_that_its_window_holds_is_told() {
    // Two packets per round trip of 204 ms: the window is full from the first moment on. What is outstanding at the
    // stop is acknowledged later, when no window holds anything back.
    let output = go(&scenario("[flows.web]\nkind = \"tcp\"\nwnd = \"2 packets\"\nstart = \"5 s\"\nstop = \"15 s\""));
    let [warning] = &output.warnings[..] else { panic!("{:?}", output.warnings) };
    assert_eq!((warning.kind, warning.subject.as_str()), ("window-limited", "web"));
    assert!((warning.value - 1.0).abs() < 1e-9, "{}", warning.value);
    assert!(
        warning.message.contains("wnd = 2 packets") && warning.message.contains("flow web "),
        "{}",
        warning.message
    );
    let table = output.tables.last().expect("there are tables");
    assert_eq!((table.name, table.rows()), ("warnings", 1));
}

#[test]
fn flows_that_the_network_holds_are_not_told() {
    // 7654321 bit/s times 204 ms are 188 packets of 1040 bytes; the queue adds 50.
    for wnd in ["", "wnd = \"400 packets\""] {
        let output = go(&scenario(&format!("[flows.web]\nkind = \"tcp\"\n{wnd}")));
        assert_eq!(output.warnings, [], "{wnd}");
        assert_eq!(output.tables.last().map(|table| (table.name, table.rows())), Some(("warnings", 0)));
    }
}

#[test]
fn a_transfer_is_judged_up_to_its_end() {
    // 40 segments, two per round trip of 204 ms: 20 rounds are 4.1 of the 20 s.
    let output = go(&scenario("[flows.web]\nkind = \"tcp\"\nwnd = \"2 packets\"\nsegments = 40"));
    let [warning, other] = &output.warnings[..] else { panic!("{:?}", output.warnings) };
    assert_eq!((warning.kind, warning.subject.as_str()), ("window-limited", "web"));
    assert_eq!((other.kind, other.subject.as_str(), other.value), ("no-optimum", "web", 1.0));
    assert!((0.9..=1.0).contains(&warning.value), "{}", warning.value);
}

#[test]
fn flows_that_were_not_active_after_the_warm_up_are_told() {
    let flows = "[flows.short]\nkind = \"tcp\"\nsegments = 40\n[flows.long]\nkind = \"tcp\"\n\
                 [flows.voice]\nkind = \"cbr\"\nstop = \"4 s\"\n[probes]\nevents = false\n";
    let output = go(&scenario_of(20, 5, flows));
    let told: Vec<_> = output.warnings.iter().map(|w| (w.kind, w.subject.as_str())).collect();
    assert_eq!(told, [("not-active", "short"), ("not-active", "voice"), ("no-optimum", "short")]);
    let [short, voice, _] = &output.warnings[..] else { panic!("{told:?}") };
    // Slow start doubles two segments: five rounds of 204 ms.
    assert!((1.0..1.2).contains(&short.value), "{}", short.value);
    assert!(short.message.contains("after 1.") && short.message.contains("jain_index"), "{}", short.message);
    assert_eq!(voice.value, 4.0);
    assert!(voice.message.starts_with("flow voice had nothing more to send after 4 s"), "{}", voice.message);
    assert!(!voice.message.contains("jain_index"), "{}", voice.message);
    // What ends with the warm-up has nothing after it; what ends later has.
    let told = |stop: &str| {
        let voice = format!("[flows.voice]\nkind = \"cbr\"\nstop = \"{stop}\"\n");
        go(&scenario_of(20, 5, &voice)).warnings.len()
    };
    assert_eq!([told("5 s"), told("5001 ms")], [1, 0]);
    let film = "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\nreceivers = { nodes = [\"right-0\"] }\n\
                stop = \"3 s\"\n";
    let output = go(&scenario_of(20, 5, film));
    assert!(output.warnings[0].message.starts_with("session film had nothing more to send after 3 s"));
    assert!(output.warnings[0].message.contains("jain_index"));
    // Without a warm-up nothing is left out.
    let kinds: Vec<_> = go(&scenario_of(20, 0, flows)).warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, ["no-optimum"]);
}

#[test]
fn receivers_at_their_source_are_told_before_and_after() {
    let session = |nodes: &str| {
        scenario(&format!(
            "[sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\nreceivers = {{ nodes = [{nodes}] }}"
        ))
    };
    assert_eq!(warning::known(&session("\"right-0\", \"right-1\"")), []);
    let near = session("\"left-0\", \"right-0\", \"left-0\"");
    let known = warning::known(&near);
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!(known[0].path, "sessions.film.receivers");
    let warning = &known[0].warning;
    assert_eq!((warning.kind, warning.subject.as_str(), warning.value), ("receiver-at-source", "film", 2.0));
    assert!(warning.message.starts_with("receiver film-0 and 1 more are on node left-0"), "{}", warning.message);
    assert_eq!(go(&near).warnings, std::slice::from_ref(warning));
}

#[test]
fn players_that_show_nothing_are_told() {
    let film = |scheme: &str, keys: &str, playout: &str| {
        scenario(&format!(
            "[sessions.film]\nscheme = \"{scheme}\"\nsource = \"left-0\"\n{keys}playout = {{ {playout} }}\n"
        ))
    };
    let told = |scenario: &Scenario| -> Vec<(String, &str, f64)> {
        let of_player = warning::known(scenario).into_iter().filter(|it| it.warning.kind == "no-picture");
        of_player.map(|it| (it.path, it.warning.kind, it.warning.value)).collect()
    };
    // The run's.
    let duration_s = 20.0;
    let live = |segment: f64, start: f64| {
        format!("kind = \"live\", media_rate = \"100 kbit/s\", segment = \"{segment} s\", start = \"{start} s\"")
    };
    let of = |key: &str, value: f64| vec![(format!("sessions.film.playout.{key}"), "no-picture", value)];
    assert_eq!(told(&film("tfmcc", "", &live(duration_s + 1.0, 1.0))), of("segment", duration_s + 1.0));
    // Whole segments: of 2 s each.
    assert_eq!(told(&film("tfmcc", "", &live(2.0, duration_s + 1.0))), of("start", duration_s + 2.0));
    assert_eq!(told(&film("tfmcc", "", &live(2.0, duration_s))), of("start", duration_s));
    assert_eq!(told(&film("tfmcc", "", &live(2.0, duration_s - 2.0))), []);
    assert_eq!(told(&film("tfmcc", "start = \"2 s\"\n", &live(2.0, duration_s - 2.0))), of("start", duration_s - 2.0));
    // Media that end before are shown, and a file is there at once.
    assert_eq!(told(&film("tfmcc", "", &format!("{}, length = \"4 s\"", live(2.0, 2.0 * duration_s)))), []);
    assert_eq!(told(&film("tfmcc", "stop = \"9 s\"\n", &live(2.0, 2.0 * duration_s))), []);
    assert_eq!(told(&film("tfmcc", "stop = \"9 s\"\n", &live(10.0, 1.0))), of("segment", 10.0));
    let file = live(2.0, 2.0 * duration_s).replace("live", "file");
    assert_eq!(told(&film("tfmcc", "", &file)), []);
    // Layers come as they are sent, live or not.
    let layers = file.replace("media_rate = \"100 kbit/s\", ", "");
    let rates = "rates = [\"100 kbit/s\"]\n";
    assert_eq!(told(&film("layered-cbr", rates, &layers)), of("start", 2.0 * duration_s));
    let warned = go(&film("layered-cbr", rates, &layers)).warnings;
    let message = &warned.iter().find(|warning| warning.kind == "no-picture").expect("it is told after a run").message;
    assert!(message.starts_with("nobody sees anything of session film: the picture appears when "), "{message}");
}

#[test]
fn layers_that_no_router_blocks_are_told() {
    let film = "[sessions.film]\nscheme = \"layer-blocking\"\nsource = \"left-0\"\n";
    let told = |rest: &str| warning::known(&scenario(rest)).into_iter().map(|it| (it.path, it.warning.kind)).collect();
    let expected = vec![("sessions.film.scheme".to_owned(), "no-blocking-router")];
    let kinds: Vec<(String, &str)> = told(film);
    assert_eq!(kinds, expected);
    let monitor = format!("[links.bottleneck]\nagent = {{ kind = \"monitor\" }}\n{film}");
    let kinds: Vec<(String, &str)> = told(&monitor);
    assert_eq!(kinds, expected, "one that looks only");
    let blocked = format!("[links.bottleneck]\nagent = {{ kind = \"layer-blocking\" }}\n{film}");
    for fine in [blocked, film.replace("layer-blocking", "rlm")] {
        let kinds: Vec<(String, &str)> = told(&fine);
        assert_eq!(kinds, [], "{fine}");
    }
    let output = go(&scenario(film));
    let kinds: Vec<&str> = output.warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, ["no-blocking-router"]);
}
