//! How soon a session whose layers routers block is back after trouble: 40 layers of 100 kbit/s beside three TCPs on
//! 10 Mbit/s, whose fair share is 25 of them, or alone on 6 Mbit/s.

use crate::support::{go, numbers, table, words};

/// Where the session is, and with whom.
#[derive(Clone, Copy, Debug)]
struct Place {
    mbps: u32,
    delay: &'static str,
    tcps: u32,
    queue: &'static str,
    agent: &'static str,
}

/// What happens to the bottleneck, or to the session.
#[derive(Clone, Copy, Debug)]
enum Trouble {
    /// Its rate is that, for so many seconds.
    Slow(&'static str, u32),
    /// It is down for so many seconds.
    Down(u32),
    /// Half of what it carries is lost, for so many seconds.
    Loss(u32),
    /// The only receiver leaves, and another one comes so many seconds later.
    Away(u32),
}

/// The first climb, a layer each two seconds, is over.
const SETTLED_S: u32 = 120;

impl Trouble {
    fn length_s(self) -> u32 {
        let (Trouble::Slow(_, length_s) | Trouble::Down(length_s) | Trouble::Loss(length_s) | Trouble::Away(length_s)) =
            self;
        length_s
    }

    /// The session's rate in each second, bit/s.
    fn run(self, place: Place, seconds: u32) -> Vec<f64> {
        let Place { mbps, delay, tcps, queue, agent } = place;
        let (from, to) = (SETTLED_S, SETTLED_S + self.length_s());
        let changes = |trouble: &str, end: &str| {
            format!("changes = [{{ at = \"{from} s\", {trouble} }}, {{ at = \"{to} s\", {end} }}]")
        };
        let link = match self {
            Trouble::Slow(rate, _) => changes(&format!("rate = \"{rate}\""), &format!("rate = \"{mbps} Mbit/s\"")),
            Trouble::Down(_) => changes("up = false", "up = true"),
            Trouble::Loss(_) => changes("loss = { kind = \"bernoulli\", p = 0.5 }", "loss = { kind = \"none\" }"),
            Trouble::Away(_) => String::new(),
        };
        let end = to + seconds;
        let receivers = match self {
            Trouble::Away(_) => format!(
                "nodes = [\"right-{tcps}\", \"right-{}\"], join = [\"0 s\", \"{to} s\"], \
                 leave = [\"{from} s\", \"{end} s\"]",
                tcps + 1
            ),
            _ => format!("nodes = [\"right-{tcps}\"]"),
        };
        let flows = match tcps {
            0 => String::new(),
            _ => format!(
                "[flows.web]\nkind = \"tcp\"\nvariant = \"sack\"\ncount = {tcps}\nsend_jitter = \"{} us\"\n",
                12_000 / mbps
            ),
        };
        let output = go(&format!(
            "format = 1\nname = \"trouble\"\nduration = \"{end} s\"\nwarmup = \"0 s\"\n\
             probes = {{ interval = \"1 s\", flows = true, links = false, events = false }}\n\
             topology = {{ kind = \"dumbbell\", left = {}, right = {}, \
             access = {{ rate = \"1 Gbit/s\", delay = \"1 ms\" }} }}\n\
             [links.bottleneck]\nrate = \"{mbps} Mbit/s\"\ndelay = \"{delay}\"\nqueue = {{ {queue} }}\n\
             agent = {{ kind = \"layer-blocking\"{agent} }}\n{link}\n{flows}\
             [sessions.film]\nscheme = \"layer-blocking\"\nsource = \"left-{tcps}\"\n\
             rates = [{}]\nreceivers = {{ {receivers} }}\n",
            tcps + 1,
            tcps + 2,
            ["\"100 kbit/s\""; 40].join(", "),
        ));
        let receivers = table(&output, "receivers");
        let ends = numbers(receivers, "t_s");
        let names = words(receivers, "receiver");
        let mut rates = vec![0.0; end as usize];
        for (row, rate) in numbers(receivers, "rate_bps").iter().enumerate() {
            if names[row].starts_with("film") && rate.is_finite() {
                rates[ends[row].round() as usize - 1] += rate;
            }
        }
        rates
    }

    /// Seconds after its end until half of the mean rate of the 40 s before it is back, or of the fair share if that is
    /// less.
    fn costs_s(self, place: Place) -> f64 {
        let rates = self.run(place, MOST_S + 2);
        let settled = SETTLED_S as usize;
        let before = rates[settled - 40..settled].iter().sum::<f64>() / 40.0;
        let half = 0.5 * before.min(1e6 * f64::from(place.mbps) / f64::from(place.tcps + 1));
        let end = (SETTLED_S + self.length_s()) as usize;
        // The packets that have waited are the rate of the first two seconds.
        let back = (end + 2..rates.len()).find(|&second| rates[second] >= half);
        back.map_or(f64::INFINITY, |second| (second + 1 - end) as f64)
    }

    fn assert_over_within_a_minute(self, place: Place) {
        let costs_s = self.costs_s(place);
        assert!(costs_s <= f64::from(MOST_S), "{self:?} {place:?}: {costs_s} s");
    }
}

const MOST_S: u32 = 60;
const BY_DROPS: &str = ", reads = \"drops\"";
const TAIL: &str = "kind = \"drop-tail\", limit = \"2 BDP\"";
const CODEL: &str = "kind = \"codel\", limit = \"2 BDP\"";
const PIE: &str = "kind = \"pie\", limit = \"2 BDP\"";
const RED: &str = "kind = \"red\", limit = \"2 BDP\", min_th = \"0.1 BDP\", max_th = \"1 BDP\", gentle = true";
const FQ: &str = "kind = \"fq-codel\", by = \"session\", limit = \"2 BDP\"";
const BESIDE: Place = Place { mbps: 10, delay: "9 ms", tcps: 3, queue: TAIL, agent: BY_DROPS };
const ALONE: Place = Place { mbps: 6, tcps: 0, ..BESIDE };
const FAR: &str = "279 ms";

#[test]
fn a_tenth_of_the_rate_for_30_s_is_made_up_for_within_a_minute_in_every_queue() {
    for queue in [TAIL, RED, CODEL, PIE, FQ] {
        Trouble::Slow("1 Mbit/s", 30).assert_over_within_a_minute(Place { queue, ..BESIDE });
    }
    Trouble::Slow("1 Mbit/s", 30).assert_over_within_a_minute(Place { queue: CODEL, delay: FAR, ..BESIDE });
    Trouble::Slow("600 kbit/s", 30).assert_over_within_a_minute(Place { queue: FQ, delay: FAR, ..ALONE });
}

#[test]
fn a_session_alone_climbs_back_from_its_base_within_a_minute() {
    for queue in [TAIL, FQ] {
        Trouble::Slow("200 kbit/s", 20).assert_over_within_a_minute(Place { queue, ..ALONE });
    }
}

#[test]
fn outages_losses_and_members_that_leave_cost_less_than_a_minute() {
    Trouble::Down(10).assert_over_within_a_minute(Place { queue: CODEL, ..BESIDE });
    Trouble::Loss(30).assert_over_within_a_minute(Place { queue: RED, ..BESIDE });
    Trouble::Away(10).assert_over_within_a_minute(Place { queue: PIE, ..BESIDE });
}

#[test]
fn where_every_release_lengthens_the_observation_a_session_stays_down() {
    // As published, and by drops with its rules.
    let published = ", reads = \"drops\", reset = \"calm\", compared = \"observation\"";
    for agent in ["", published] {
        let costs_s = Trouble::Slow("1 Mbit/s", 30).costs_s(Place { agent, ..BESIDE });
        assert!(costs_s.is_infinite(), "{agent}: {costs_s} s");
    }
    // The remedy by length.
    let due = ", compared = \"hold\"";
    Trouble::Slow("1 Mbit/s", 30).assert_over_within_a_minute(Place { agent: due, ..BESIDE });
}
