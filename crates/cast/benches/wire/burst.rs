//! How much a session that starts on the loopback interface sends at once, beside what it may send in the mean.

use crate::case::{Row, listed};
use crate::files::group;
use crate::place::Place;
use crate::programs::{Program, listens, until};
use crate::start::default_scheme;
use faircast_proto::time;
use faircast_wire::network::Network as _;
use faircast_wire::session::Session;
use faircast_wire::sockets::{Options, Sockets};
use std::time::Duration;

/// `--max-rate`: packets of 1280 B come 0.1 ms apart.
const CAP_MBPS: f64 = 100.0;
/// More than goes out meanwhile.
const FILM_BYTES: u64 = 200_000_000;
/// How long it is looked at from the first packet on: two seconds pass before the rate doubles.
const LOOK: Duration = Duration::from_secs(5);
/// One after the other, so that no run makes another one late.
const RUNS: usize = 5;
/// The lengths of time in which bytes are counted, milliseconds.
const WINDOWS_MS: [u64; 3] = [1, 10, 100];
/// How many times the cap may go out in any of them.
const WANTED: f64 = 2.0;
/// IP and UDP.
const HEADER_BYTES: usize = 28;

/// A datagram: when it came, by the kernel's stamp, nanoseconds, and its bytes from IP on.
type Came = (u128, usize);

pub fn on_loopback() -> Result<Vec<Row>, String> {
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let runs: Vec<Vec<Came>> = (0..RUNS).map(one).collect::<Result<_, _>>()?;
    Ok(WINDOWS_MS
        .iter()
        .map(|&window_ms| {
            let most: Vec<f64> = runs.iter().map(|came| most_in(came, window_ms)).collect();
            let highest = most.iter().copied().fold(0.0, f64::max);
            let what = format!(
                "loopback, `--max-rate` {CAP_MBPS} Mbit/s, the first {} s: the most in {window_ms} ms, times the cap",
                LOOK.as_secs()
            );
            let shown = format!("{highest:.2} ({})", listed(&most));
            Row::judged(what, shown, format!("all ≤ {WANTED:.0}"), highest <= WANTED)
        })
        .collect())
}

/// What comes to a host of a sender's first seconds, in the order of the stamps.
fn one(run: usize) -> Result<Vec<Came>, String> {
    let place = Place::in_memory(&format!("burst-{run}"));
    let film = std::fs::File::create(place.path("film")).and_then(|file| file.set_len(FILM_BYTES));
    film.map_err(|error| error.to_string())?;
    let (group, folder) = (group(40 + run as u8), place.path(""));
    let session = Session::read(default_scheme("100 Mbit/s")).expect("it is the default");
    let groups = session.groups(group.parse().expect("a group"))?;
    let mut sockets = Sockets::open(groups, Options { interface: Some("lo".to_owned()), ..Options::default() })?;
    sockets.join(0).map_err(|error| error.to_string())?;
    let _receiver = Program::start(&folder, &format!("receive r1 --from {group} --interface lo --open"));
    until(Duration::from_secs(10), || listens(&place.path("r1")));
    let words = format!("send film --to {group} --interface lo --max-rate {CAP_MBPS}Mbit/s --open");
    let _sender = Program::start(&folder, &words);
    let mut came: Vec<Came> = Vec::new();
    let mut unstamped = 0;
    let began = crate::now();
    let is_over =
        |came: &[Came]| matches!((came.first(), came.last()), (Some(a), Some(z)) if z.0 - a.0 >= LOOK.as_nanos());
    while !is_over(&came) {
        if crate::now().duration_since(began) > 4 * LOOK {
            return Err("too little comes".to_owned());
        }
        sockets.wait(Some(time::Duration::from_millis(100))).map_err(|error| error.to_string())?;
        while sockets.receive(&mut |arrival| match arrival.stamp {
            Some(stamp) => came.push((stamp.0.into(), arrival.bytes.len() + HEADER_BYTES)),
            None => unstamped += 1,
        }) {}
    }
    if unstamped > 0 {
        return Err(format!("{unstamped} datagrams have no stamp of the kernel's"));
    }
    came.sort_unstable();
    Ok(came)
}

/// The most bytes in any time of this length, in what may be sent in it.
fn most_in(came: &[Came], window_ms: u64) -> f64 {
    let window_ns = u128::from(window_ms) * 1_000_000;
    let (mut first, mut bytes, mut most) = (0, 0, 0);
    for &(at, length) in came {
        bytes += length;
        while came[first].0 + window_ns <= at {
            bytes -= came[first].1;
            first += 1;
        }
        most = most.max(bytes);
    }
    8.0 * most as f64 / (1e3 * CAP_MBPS * window_ms as f64)
}
