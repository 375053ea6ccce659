//! A session, or a TCP, over an emulated link, alone or beside one TCP, for a while: hosts are threads of this process.

use crate::emulator::{Port, Record, emulate};
use crate::host::{self, Started, address, host};
use crate::link::Shape;
use crate::tcp::{receive_tcp, send_tcp};
use faircast_proto::endpoint::Endpoint;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_wire::clock::HostClock;
use faircast_wire::content::Content;
use faircast_wire::driver::Driver;
use faircast_wire::groups::Groups;
use faircast_wire::run::run;
use faircast_wire::session::Session;
use faircast_wire::sockets::{Options, Sockets};
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// 10 Mbit/s, 20 ms each way, 50 packets; the way back has the same.
pub const SHAPE: Shape =
    Shape { rate: Rate(10_000_000), delay: Duration::from_millis(20), limit: 50, loss: 0.0, outage: None };

/// The hosts: source, members, the two ends of the TCP beside them.
pub const SOURCE: u8 = 1;
pub const MEMBERS: [u8; 3] = [11, 12, 13];
const TCP_SENDER: u8 = 2;
const TCP_RECEIVER: u8 = 20;

/// What is run.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The session, as its table has it.
    pub session: Value,
    /// A TCP by this rule in the place of the session, from its source to its first member.
    pub instead: Option<&'static str>,
    /// The rule of the TCP beside it, if there is one.
    pub congestion: Option<&'static str>,
    /// The link there, and the one back.
    pub shapes: [Shape; 2],
    pub seconds: u64,
    /// What the clock of the source shows at its start; those of members are ahead by some seconds.
    pub clock: Duration,
    /// Of what is lost at random.
    pub seed: u64,
}

impl Trial {
    /// A session on the link of all tests, alone.
    pub fn of(session: Value, seconds: u64) -> Trial {
        let clock = Duration::from_secs(1000);
        Trial { session, instead: None, congestion: None, shapes: [SHAPE; 2], seconds, clock, seed: 0 }
    }

    /// Runs it. What the emulator has seen of it.
    ///
    /// # Errors
    ///
    /// What namespaces or tunnels need is not there: a sentence.
    pub fn run(&self) -> Result<Record, String> {
        let session = Session::read(self.session.clone()).map_err(|wrong| format!("{wrong:?}"))?;
        let groups = session.groups(SocketAddr::from(([239, 255, 77, 1], 5000)))?;
        let stop = Arc::new(AtomicBool::new(false));
        let mut started: Vec<Started<()>> = Vec::new();
        let mut port = |number: u8, work: Box<dyn FnOnce() + Send>| -> Result<Port, String> {
            let (device, host) = host(number, work)?.connected();
            started.push(host);
            Ok(Port { device, address: address(number) })
        };
        let until = || Arc::clone(&stop);
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let mut tcp = |from, to, congestion| -> Result<(), String> {
            let (stop_sender, stop_receiver) = (until(), until());
            right.push(port(to, Box::new(move || receive_tcp(to, &stop_receiver)))?);
            left.push(port(from, Box::new(move || send_tcp(congestion, to, &stop_sender)))?);
            Ok(())
        };
        if let Some(congestion) = self.instead {
            tcp(SOURCE, MEMBERS[0], congestion)?;
        }
        if let Some(congestion) = self.congestion {
            tcp(TCP_SENDER, TCP_RECEIVER, congestion)?;
        }
        if self.instead.is_none() {
            for number in MEMBERS {
                let (session, stop, clock) =
                    (session.clone(), until(), self.clock + Duration::from_secs(number.into()));
                let member =
                    move || drive(session.member(u64::from(number), groups, None, ()).unwrap(), (groups, clock), &stop);
                right.push(port(number, Box::new(member))?);
            }
            let (stop, clock) = (until(), self.clock);
            let source = move || drive(session.source(u64::from(SOURCE), groups, ()).unwrap(), (groups, clock), &stop);
            left.push(port(SOURCE, Box::new(source))?);
        }
        let (stop_emulator, links) = (until(), (self.shapes, self.seed));
        let emulator =
            thread::spawn(move || emulate((&left, &right), links, Some(address(TCP_SENDER)), &stop_emulator));
        started.iter().for_each(Started::begin);
        thread::sleep(std::time::Duration::from_secs(self.seconds));
        stop.store(true, Ordering::Relaxed);
        started.into_iter().for_each(Started::join);
        Ok(emulator.join().expect("the emulator does not panic"))
    }
}

/// Drives an endpoint on the host of this thread until it is to stop.
fn drive<E: Endpoint, C: Content>(mut driver: Driver<E, C>, (groups, clock): (Groups, Duration), stop: &AtomicBool) {
    let options = Options { interface: Some(host::INTERFACE.to_owned()), ..Options::default() };
    let mut sockets = Sockets::open(groups, options).expect("the host has just been made");
    let mut clock = HostClock::new(Instant::ZERO + clock);
    driver.start(&mut clock, &mut sockets);
    run(&mut driver, &mut clock, &mut sockets, |_, _| !stop.load(Ordering::Relaxed))
        .expect("sockets can be waited for");
}
