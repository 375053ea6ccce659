//! A source and three members of a TFMCC session over multicast on the loopback interface, each in a thread of its own.
//!
//! `cargo run --release -p faircast-wire --example udp` sends for ten seconds, or for as many as are named, and says
//! what each received.

use faircast_proto::endpoint::Endpoint;
use faircast_proto::limits::Illegal;
use faircast_proto::packet::Packet;
use faircast_proto::quantity::Bytes;
use faircast_proto::registry::SchemeConfig;
use faircast_proto::tfmcc;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_wire::clock::{Clock, HostClock};
use faircast_wire::content::Content;
use faircast_wire::driver::Driver;
use faircast_wire::groups::Groups;
use faircast_wire::run::run;
use faircast_wire::session::Session;
use faircast_wire::sockets::{Options, Sockets};
use std::net::SocketAddr;
use std::thread;

/// What data packets carry: each the number of the first byte behind it.
#[derive(Default)]
struct Numbers {
    next: u64,
    received: u64,
}

impl Content for Numbers {
    fn fill(&mut self, _packet: &Packet, room: usize, into: &mut Vec<u8>) {
        into.extend(self.next.to_be_bytes());
        self.next += room as u64;
    }

    fn take(&mut self, _now: Instant, _packet: &Packet, payload: &[u8]) {
        self.received += payload.len() as u64;
    }
}

/// Drives an endpoint on the loopback interface for so long.
fn drive<E: Endpoint>(
    driver: Result<Driver<E, Numbers>, Illegal>,
    groups: Groups,
    length: Duration,
) -> Driver<E, Numbers> {
    let mut driver = driver.expect("session, id and groups are legal");
    let options = Options { interface: Some("lo".to_owned()), ..Options::default() };
    let mut sockets = Sockets::open(groups, options).expect("there is a loopback interface");
    // Clocks of hosts differ.
    let mut clock = HostClock::new(Instant::ZERO + Duration::from_secs(driver.directory().own_id()));
    let end = clock.now() + length;
    driver.start(&mut clock, &mut sockets);
    run(&mut driver, &mut clock, &mut sockets, |_, now| now < end).expect("sockets can be waited for");
    driver.stop(&mut clock, &mut sockets);
    driver
}

fn main() {
    let seconds = std::env::args().nth(1).and_then(|given| given.parse().ok()).unwrap_or(10);
    let length = Duration::from_secs(seconds);
    // Loopback loses nothing: the greatest rate is all that bounds the source.
    let config = tfmcc::Config { packet_size: Bytes(1400), ..tfmcc::Config::default() };
    let session = Session::new(SchemeConfig::Tfmcc(config), Rate(20_000_000), None).expect("all of it is legal");
    let groups = session.groups(SocketAddr::from(([239, 255, 1, 2], 5000))).expect("a multicast address and a port");
    thread::scope(|scope| {
        for id in [2, 3, 4] {
            let session = &session;
            scope.spawn(move || {
                let member = drive(session.member(id, groups, None, Numbers::default()), groups, length);
                let (report, content) = (member.endpoint().report(), member.content());
                let mbps = 8.0 * content.received as f64 / length.as_secs_f64() / 1e6;
                println!("member {id}: {} packets, {mbps:.2} Mbit/s of data", report.received_pkts);
            });
        }
        let source = drive(session.source(1, groups, Numbers::default()), groups, length);
        let (report, counters) = (source.endpoint().report(), source.counters());
        println!("source: {} packets sent, {} reports taken", report.sent_pkts, counters.taken);
    });
}
