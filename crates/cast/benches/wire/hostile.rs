//! What hostile hosts do to a session over the loopback interface: junk, forged reports, repeated ones, a receiver
//! with a key that lies. What receivers get is how far their partial files are.

use crate::case::Row;
use crate::files::{group, keys};
use crate::now;
use crate::place::Place;
use crate::programs::{Program, listens, until};
use crate::start::default_scheme;
use faircast_deliver::keys::{MAC_BYTES, ReceiverKeys, ReceiverSession, Salt};
use faircast_proto::liar::{Kind, Liar, Lie};
use faircast_proto::packet::{Address, FlowId, Packet};
use faircast_proto::random::Random;
use faircast_proto::scheme::{Scheme as _, Seat};
use faircast_proto::time;
use faircast_wire::clock::HostClock;
use faircast_wire::content::{Content, Refused};
use faircast_wire::directory::{Directory, MOST_PEERS, OWN};
use faircast_wire::driver::{Driver, Part, Setting};
use faircast_wire::network::Network as _;
use faircast_wire::run::run;
use faircast_wire::session::Session;
use faircast_wire::sockets::{Options, Sockets};
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the sender is allowed to send.
const RATE: &str = "30Mbit/s";
/// More than goes out meanwhile.
const FILM_BYTES: u64 = 2_000_000_000;
/// How long it is looked what receivers get, before and meanwhile.
const LOOK: Duration = Duration::from_secs(15);
const JUNK: usize = 1_000_000;
/// What a repeated report is sent for how often.
const REPEATS: usize = 100;
/// How long a receiver lies.
const LIES: Duration = Duration::from_secs(120);
/// Numbers of messages that are above all of a receiver of the same key: microseconds since 1970, in the year 2128.
const FIRST_NUMBER: u64 = 5_000_000_000_000_000;

/// A sender with keys for three receivers, of which two are there.
struct Scene {
    place: Place,
    group: String,
    _receivers: Vec<Program>,
    sender: Program,
}

impl Scene {
    fn new(name: &str, number: u8, more: &str) -> Result<Scene, String> {
        let place = Place::new(name);
        // Zeros are read and sealed as anything else is.
        let film = std::fs::File::create(place.path("film")).and_then(|file| file.set_len(FILM_BYTES));
        film.map_err(|error| error.to_string())?;
        keys(&place, "keys", 3)?;
        let (group, folder) = (group(number), place.path(""));
        let receivers = [1, 2].map(|number| {
            let keys = format!("--keys keys/receiver-{number}.key");
            Program::start(&folder, &format!("receive r{number} --from {group} --interface lo {keys}"))
        });
        until(Duration::from_secs(10), || [1, 2].iter().all(|number| listens(&place.path(&format!("r{number}")))));
        let words = format!("send film --to {group} --interface lo --max-rate {RATE} --keys keys/sender.key {more}");
        let sender = Program::start_plain(&folder, &words);
        let scene = Scene { place, group, _receivers: receivers.into(), sender };
        if !until(Duration::from_secs(60), || scene.there() > 3_000_000) {
            return Err("nothing comes".to_owned());
        }
        Ok(scene)
    }

    /// Bytes that the partial file of the first receiver reaches to.
    fn there(&self) -> u64 {
        let work = std::fs::read_dir(self.place.path("r1/.faircast")).into_iter().flatten().flatten();
        let parts = work.filter_map(|entry| std::fs::metadata(entry.path().join("1.part")).ok());
        parts.map(|part| part.len()).max().unwrap_or(0)
    }

    /// Mbit/s of the file that come in so long.
    fn mbps(&self, length: Duration) -> f64 {
        let (began, before) = (now(), self.there());
        thread::sleep(length);
        8e-6 * (self.there() - before) as f64 / now().duration_since(began).as_secs_f64()
    }

    /// Where the sender's packets come from.
    fn source(&self) -> Result<SocketAddr, String> {
        let mut sockets = self.sockets()?;
        sockets.join(0).map_err(|error| error.to_string())?;
        let mut from = None;
        until(Duration::from_secs(5), || {
            sockets.receive(&mut |arrival| from = Some(arrival.from));
            from.is_some()
        });
        from.ok_or_else(|| "nothing comes".to_owned())
    }

    fn session(&self) -> Session {
        Session::read(default_scheme("30 Mbit/s")).expect("it is the default")
    }

    fn sockets(&self) -> Result<Sockets, String> {
        let groups = self.session().groups(self.group.parse().expect("a group"))?;
        Sockets::open(groups, Options { interface: Some("lo".to_owned()), ..Options::default() })
    }

    /// A member of the session that lies, with the key in this file, until it is to stop. What it sends is recorded.
    fn liar(&self, key: &str, lie: Lie, stop: &Arc<AtomicBool>) -> Result<Member, String> {
        let keys = ReceiverKeys::read(&self.place.path(key)).map_err(|error| error.to_string())?;
        let (session, stop) = (self.session(), Arc::clone(stop));
        let groups = session.groups(self.group.parse().expect("a group"))?;
        let recorded = Arc::new(Mutex::new(Vec::new()));
        let speaks = Speaks {
            session: ReceiverSession::new(Some(&keys), FIRST_NUMBER),
            salt: None,
            recorded: Arc::clone(&recorded),
        };
        let thread = thread::spawn(move || {
            let random = || Random::stream(1, "measure/liar");
            let (flow, group) = (FlowId(0), Address::group(0));
            let seat = Seat { flow, own: OWN, group, members: 1, line_rate: None, random: random() };
            let liar = Liar::new(session.scheme.receiver(seat), lie, random());
            let part = Part::Member { of: None };
            let setting = Setting { part, groups, plan: session.scheme.groups(), kind: "tfmcc" };
            let directory = Directory::new(keys.id().into(), MOST_PEERS).expect("ids of keys are not 0");
            let mut driver = Driver::new(liar, speaks, setting, directory).expect("the session is legal");
            let mut clock = HostClock::new(time::Instant::ZERO + time::Duration::from_secs(99));
            let options = Options { interface: Some("lo".to_owned()), ..Options::default() };
            let mut sockets = Sockets::open(groups, options).expect("there is a loopback interface");
            driver.start(&mut clock, &mut sockets);
            run(&mut driver, &mut clock, &mut sockets, |_, _| !stop.load(Ordering::Relaxed)).expect("it can wait");
        });
        Ok(Member { recorded, thread })
    }

    /// What the sender has said, which ends with this.
    fn said(self) -> String {
        crate::programs::signal(self.sender.pid(), nix::sys::signal::Signal::SIGINT);
        self.sender.end().said
    }
}

/// A member in a thread of its own.
struct Member {
    recorded: Arc<Mutex<Vec<Vec<u8>>>>,
    thread: thread::JoinHandle<()>,
}

/// Opens nothing, as what is wanted of a packet is in the clear, and seals by whichever key.
struct Speaks {
    session: ReceiverSession,
    salt: Option<Salt>,
    recorded: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Content for Speaks {
    fn take(&mut self, _now: time::Instant, _packet: &Packet, _payload: &[u8]) {}

    fn seal_bytes(&self) -> usize {
        MAC_BYTES
    }

    fn seal(&mut self, message: &mut Vec<u8>, _payload_at: usize) -> Result<(), Refused> {
        self.session.mac(self.salt.ok_or(Refused)?, message);
        self.recorded.lock().expect("nobody panics with it").push(message.clone());
        Ok(())
    }

    /// Behind a packet are tag, salt, number (`docs/wire-format.md`).
    fn open(&mut self, _id: u64, message: &mut [u8], payload_at: usize) -> Result<Range<usize>, Refused> {
        let end = message.len().checked_sub(18).filter(|end| *end > payload_at).ok_or(Refused)?;
        self.salt = message[end..].first_chunk().map(|salt| Salt(*salt));
        Ok(payload_at..end)
    }
}

pub fn junk() -> Result<Vec<Row>, String> {
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let scene = Scene::new("junk", 2, "")?;
    let before = scene.mbps(LOOK);
    let (source, group) = (scene.source()?, scene.group.parse::<SocketAddr>().expect("a group"));
    let sender = thread::spawn(move || {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("there is a port");
        let mut random = Random::stream(1, "measure/junk");
        let mut bytes = vec![0; 1400];
        let began = now();
        for number in 0..JUNK {
            let length = 1 + (random.uniform() * 1399.0) as usize;
            for byte in bytes.iter_mut().take(64) {
                *byte = (random.uniform() * 256.0) as u8;
            }
            // To the members, and to the sender.
            let _ = socket.send_to(&bytes[..length], if number % 2 == 0 { group } else { source });
            let due = LOOK.mul_f64(number as f64 / JUNK as f64);
            thread::sleep(due.saturating_sub(now().duration_since(began)));
        }
    });
    let meanwhile = scene.mbps(LOOK);
    sender.join().expect("it does not panic");
    let part = meanwhile / before;
    let wire = format!("{meanwhile:.2} Mbit/s, {before:.2} before");
    let what = format!("{JUNK} datagrams of junk in {} s, to members and sender: what a receiver gets", LOOK.as_secs());
    Ok(vec![Row::judged(what, wire, "within 5 %", (part - 1.0).abs() <= 0.05)])
}

pub fn forged() -> Result<Vec<Row>, String> {
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let scene = Scene::new("forged", 2, "")?;
    // Receivers of the same numbers, with keys that somebody else has drawn.
    keys(&scene.place, "others", 3)?;
    let before = scene.mbps(LOOK);
    let stop = Arc::new(AtomicBool::new(false));
    let lie = Lie { what: Kind::Nothing, ..Lie::default() };
    let member = scene.liar("others/receiver-1.key", lie, &stop)?;
    let meanwhile = scene.mbps(LOOK);
    stop.store(true, Ordering::Relaxed);
    let count = member.recorded.lock().map_or(0, |recorded| recorded.len());
    let _ = member.thread.join();
    let wire = format!("{meanwhile:.2} Mbit/s, {before:.2} before; {count} reports");
    let what = "reports in the name of a receiver, without its key, that nothing comes: what a receiver gets";
    Ok(vec![Row::judged(what, wire, "within 2 %", (meanwhile / before - 1.0).abs() <= 0.02 && count > 0)])
}

pub fn replayed() -> Result<Vec<Row>, String> {
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    let scene = Scene::new("replayed", 2, "")?;
    let source = scene.source()?;
    let usual = scene.mbps(LOOK);
    // The third receiver had nothing for a while, and said so; that is over.
    let stop = Arc::new(AtomicBool::new(false));
    let lie = Lie { what: Kind::Nothing, ..Lie::default() };
    let member = scene.liar("keys/receiver-3.key", lie, &stop)?;
    thread::sleep(Duration::from_secs(5));
    stop.store(true, Ordering::Relaxed);
    let _ = member.thread.join();
    let recorded = std::mem::take(&mut *member.recorded.lock().expect("nobody panics with it"));
    let fast = until(Duration::from_secs(120), || scene.mbps(Duration::from_secs(2)) > 0.98 * usual);
    let before = scene.mbps(LOOK);
    let count = recorded.len() * REPEATS;
    let repeater = thread::spawn(move || {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("there is a port");
        for _ in 0..REPEATS {
            for message in &recorded {
                let _ = socket.send_to(message, source);
            }
            thread::sleep(LOOK / REPEATS as u32);
        }
    });
    let meanwhile = scene.mbps(LOOK);
    let _ = repeater.join();
    let wire = format!("{meanwhile:.2} Mbit/s, {before:.2} before; {count} reports");
    let what = "reports of a receiver that nothing came, recorded and sent again later: what a receiver gets";
    let is_same = (meanwhile / before - 1.0).abs() <= 0.02;
    Ok(vec![Row::judged(what, wire, "within 2 %", is_same && fast && count > 0)])
}

pub fn lying() -> Result<Vec<Row>, String> {
    let nothing = || Lie { what: Kind::Nothing, ..Lie::default() };
    let loss = || Lie { what: Kind::Loss, part: 0.3, ..Lie::default() };
    if crate::only_simulates() {
        return Ok(Vec::new());
    }
    // Nobody is heeded who asks for less than half of what is sent at most. Once whoever lies is not heeded, half of it
    // is there in any case, so these are told and not judged.
    let excluding = "--set exclude_below=15Mbit/s";
    let cases = [
        ("says that nothing comes".to_owned(), nothing(), ""),
        ("says that it loses 30 %".to_owned(), loss(), ""),
        (format!("says that nothing comes, `{excluding}`"), nothing(), excluding),
        (format!("says that it loses 30 %, `{excluding}`"), loss(), excluding),
    ];
    thread::scope(|scope| {
        let run = |(number, (what, lie, more)): (u8, (String, Lie, &'static str))| {
            scope.spawn(move || lies(number, &what, lie, more))
        };
        let runs: Vec<_> = (3..).zip(cases).map(run).collect();
        runs.into_iter().map(|run| run.join().expect("a run does not panic")).collect()
    })
}

/// What the others get while a third one lies, in a session of its own.
fn lies(number: u8, what: &str, lie: Lie, more: &str) -> Result<Row, String> {
    let scene = Scene::new(&format!("lying-{number}"), number, more)?;
    let before = scene.mbps(LOOK);
    let stop = Arc::new(AtomicBool::new(false));
    let member = scene.liar("keys/receiver-3.key", lie, &stop)?;
    let meanwhile = scene.mbps(LIES);
    stop.store(true, Ordering::Relaxed);
    let _ = member.thread.join();
    let said = scene.said();
    let (is_named, part) = (said.contains("receiver 3"), meanwhile / before);
    let named = if is_named { "named" } else { "not named" };
    println!("  {}", said.trim().lines().rev().nth(1).unwrap_or_default());
    let wire = format!("{part:.2} times {before:.1} Mbit/s, {named}");
    let what = format!("a receiver with a key {what}: what another gets in {} s", LIES.as_secs());
    Ok(if more.is_empty() {
        Row::judged(what, wire, "half of it, and it is named", part >= 0.5 && is_named)
    } else {
        Row::told(what, wire)
    })
}
