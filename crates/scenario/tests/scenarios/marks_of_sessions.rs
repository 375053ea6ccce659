//! ECN of multicast schemes in whole runs: a queue that marks is answered without a packet lost.

use crate::support::{go_with as go, value};
use faircast_scenario::run::RunOutput;

/// One session alone behind RED that marks, with or without ECN.
fn alone(scheme: &str, kbit: u32, ecn: bool, more: &str, agent: &str) -> RunOutput {
    let key = if scheme == "smcc" { "tfmcc = { ecn = ECN }\n" } else { "ecn = ECN\n" }.replace("ECN", &ecn.to_string());
    let more = more.replace("MODE", if ecn { "ecn" } else { "off" });
    go(
        &format!(
            "format = 1\nname = \"x\"\nduration = \"300 s\"\nwarmup = \"60 s\"\n[topology]\nkind = \"dumbbell\"\n\
             [links.bottleneck]\nrate = \"{kbit} kbit/s\"\ndelay = \"40 ms\"\n{agent}queue = {{ kind = \"red\", \
             limit = \"200 packets\", min_th = \"5 packets\", max_th = \"60 packets\", ecn = true, gentle = true, \
             mark_above_max_th = true }}\n[sessions.film]\nscheme = \"{scheme}\"\nsource = \"left-0\"\n\
             receivers = {{ nodes = [\"right-0\"] }}\n{key}{more}[probes]\nqueues = [\"bottleneck\"]\n"
        ),
        1,
    )
}

#[test]
fn a_session_with_ecn_slows_down_by_marks_as_by_losses() {
    let rates = "rates = [\"100 kbit/s\", \"200 kbit/s\", \"400 kbit/s\", \"800 kbit/s\"]\n";
    let agent = "agent = { kind = \"layer-blocking\", reads = \"drops\" }\n";
    for (scheme, kbit, more, agent) in [
        ("tfmcc", 1000, "", ""),
        ("omcc", 1000, "", ""),
        ("pgmcc", 1000, "", ""),
        ("smcc", 1000, "base_rate = \"200 kbit/s\"\nlayers = 4\n", ""),
        // By itself it never fills a link.
        ("mlda", 1000, "[flows.web]\nkind = \"tcp\"\nvariant = \"sack\"\necn = \"MODE\"\n", ""),
        ("rlm", 1000, rates, ""),
        ("layer-blocking", 500, "", agent),
    ] {
        let [with, without] = [true, false].map(|ecn| alone(scheme, kbit, ecn, more, agent));
        let counts =
            |output: &RunOutput| ["marks_moderate_all", "drops_all"].map(|metric| value(output, "bottleneck", metric));
        let ([marked, dropped], [unmarked, lost]) = (counts(&with), counts(&without));
        let rates = [&with, &without].map(|output| value(output, "film-0", "rate"));
        assert!(marked > 0.0 && unmarked == 0.0 && lost > 0.0, "{scheme}: {marked} {unmarked} {lost}");
        // RLM's experiments fill the queue within the time that it takes to learn of it; acknowledgements have no ECN.
        let few = match scheme {
            "rlm" => lost,
            "mlda" => 0.05 * lost,
            _ => 1.0,
        };
        assert!(dropped < few, "{scheme}: {dropped} {lost}");
        assert!((rates[0] / rates[1] - 1.0).abs() < 0.1, "{scheme}: {rates:?}");
    }
}
