//! Ends of sessions in virtual time, as the commands drive them: what is lost, late and restarted is what a test says.
//!
//! | file | subject |
//! |---|---|
//! | `mod.rs` | what both ends agree on, folders, contents, a network of hosts |
//! | `written.rs` | an end of which `--results` writes something down, and what is read of that |
//! | `ends.rs` | senders and receivers of files and streams, turn by turn |

pub mod ends;
pub mod written;

use crate::agreed::Agreed;
use crate::options::{Words, read};
use crate::usage::Verb;
use faircast_deliver::keys::{ReceiverKeys, SenderKeys, make};
use faircast_proto::random::Random;
use faircast_proto::time::{Duration, Instant};
use faircast_wire::testing::{Cloud, Port, TestClock, Turns, run, seat};
use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// How far clocks of hosts are ahead of the test's: a date, as a host's is.
pub const AHEAD: Duration = Duration(1_800_000_000 * 1_000_000_000);

/// A folder that ends with its test.
pub struct Folder(PathBuf);

impl Folder {
    /// One with this name.
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("faircast-cast-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Keys of a sender and of so many receivers.
    pub fn keys(&self, receivers: u32) -> (SenderKeys, Vec<ReceiverKeys>) {
        let written = make(&self.0.join("keys"), receivers, &mut || true).unwrap();
        let of_receivers = written[1..].iter().map(|path| ReceiverKeys::read(path).unwrap()).collect();
        (SenderKeys::read(&written[0]).unwrap(), of_receivers)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What both ends of a session agree on that these options describe, at most `max_rate` fast.
pub fn agreed(options: &str, max_rate: &str) -> Agreed {
    let line = format!("probe --from 239.1.2.3:5000 {options}");
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let Ok(Words::Verb(verb)) = read(&words) else { panic!("{line}") };
    let Verb::Probe(options) = *verb else { panic!("{line}") };
    let listening = &options.listening;
    Agreed::read(&listening.shared, listening.keys.is_some(), ("from", listening.from), Some(max_rate)).unwrap()
}

/// Hosts for the ends of a session, the first of which has the link.
pub fn cloud(agreed: &Agreed, hosts: usize, seed: u64) -> Rc<RefCell<Cloud>> {
    let groups = (0..agreed.groups.count()).map_while(|number| agreed.groups.socket(number)).collect();
    Rc::new(RefCell::new(Cloud::new(hosts, groups).seeded(seed)))
}

/// The clock and the port of a host.
pub fn host(cloud: &Rc<RefCell<Cloud>>, number: usize) -> (TestClock, Port) {
    seat(cloud, number, AHEAD)
}

/// Lets ends begin, each on its host.
pub fn begin(cloud: &Rc<RefCell<Cloud>>, ends: &mut [(&mut dyn Turns, usize)]) {
    for (end, number) in ends {
        let (mut clock, mut port) = host(cloud, *number);
        end.begin(&mut clock, &mut port);
    }
}

/// Lets ends go on until so many seconds of the test are over. What hosts have sent is forgotten.
pub fn go_on(cloud: &Rc<RefCell<Cloud>>, until_s: f64, ends: &mut [(&mut dyn Turns, usize)]) {
    let mut seated: Vec<(&mut dyn Turns, TestClock, Port)> = Vec::new();
    for (end, number) in ends {
        let (clock, port) = host(cloud, *number);
        seated.push((&mut **end, clock, port));
    }
    run(&mut seated, Instant::from_secs_f64(until_s));
    cloud.borrow_mut().hosts.iter_mut().for_each(|host| host.sent.clear());
}

/// Bytes that tell pieces from each other.
pub fn bytes(length: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::stream(seed, "cast/content");
    (0..length).map(|_| random.uniform_in(0.0, 256.0) as u8).collect()
}
