//! Real sockets beside the kernel's TCP, over an emulated link between network namespaces: `make test-wire`.
//!
//! Everything here is the test's own: namespaces, tunnels and threads are gone when it ends. Nothing is sent to any
//! other network. It needs root, `/dev/net/tun` and iproute2, and says so where they are not there.
//!
//! What is measured needs a machine that has time for it. The emulator keeps count of how late it is; where that is too
//! much the case is left out, with a sentence.

mod emulator;
mod families;
mod host;
mod link;

use emulator::{Port, Record, emulate};
use faircast_proto::endpoint::Endpoint;
use faircast_proto::time::{Duration, Instant, Rate};
use faircast_wire::clock::HostClock;
use faircast_wire::content::Content;
use faircast_wire::driver::Driver;
use faircast_wire::groups::Groups;
use faircast_wire::run::run;
use faircast_wire::session::Session;
use faircast_wire::sockets::{Options, Sockets};
use host::{Started, address, host};
use link::Shape;
use nix::sys::socket::{setsockopt, sockopt};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// 10 Mbit/s, 20 ms each way, 50 packets; the way back has the same.
const SHAPE: Shape = Shape { rate: Rate(10_000_000), delay: Duration::from_millis(20), limit: 50, loss: 0.0 };
/// How long a case runs, and from when on it counts: by then slow start is over and both have had some losses.
const SECONDS: usize = 100;
const FROM: usize = 30;
/// The hosts: source, members, the two ends of TCP.
const SOURCE: u8 = 1;
const MEMBERS: [u8; 3] = [11, 12, 13];
const TCP_SENDER: u8 = 2;
const TCP_RECEIVER: u8 = 20;

#[test]
#[ignore = "needs root and minutes: make test-wire"]
fn tfmcc_beside_reno() {
    share(tfmcc(), "reno");
}

#[test]
#[ignore = "needs root and minutes: make test-wire"]
fn tfmcc_beside_cubic() {
    share(tfmcc(), "cubic");
}

#[test]
#[ignore = "needs root and minutes: make test-wire"]
fn pgmcc_beside_reno() {
    share(json!({ "scheme": "pgmcc", "max_rate": "20 Mbit/s" }), "reno");
}

#[test]
#[ignore = "needs root and minutes: make test-wire"]
fn pgmcc_beside_cubic() {
    share(json!({ "scheme": "pgmcc", "max_rate": "20 Mbit/s" }), "cubic");
}

/// What TCP is told to put into a segment at most, options included, so that its packets are 1000 bytes as the
/// session's are: the queue counts packets, and a rule that answers losses as TCP does gets packets, not bytes.
const MAX_SEGMENT: u32 = 960;

/// With what recovers beside an established TCP.
fn tfmcc() -> Value {
    json!({
        "scheme": "tfmcc", "max_rate": "20 Mbit/s", "max_rtt": "recent", "gap_floor": "follows", "seed_floor": "half",
    })
}

/// Runs a session beside one TCP and looks how they share the link.
fn share(session: Value, congestion: &str) {
    let name = format!("{} beside {congestion}", session["scheme"].as_str().unwrap_or_default());
    let record = match measure(session, congestion) {
        Ok(record) => record,
        Err(why) => return println!("{name} left out: {why}"),
    };
    let [multicast, tcp] = record.mbps(FROM, SECONDS);
    let mean_ms = record.lateness.as_secs_f64() * 1e3 / record.packets as f64;
    let latest_ms = record.latest.as_secs_f64() * 1e3;
    println!("{name}: {multicast:.2} / {tcp:.2} Mbit/s, ratio {:.2}", multicast / tcp);
    println!(
        "  the emulator was late by {mean_ms:.2} ms on average, {latest_ms:.0} ms at most; {} drops",
        record.dropped
    );
    if let Some(excuse) = record.excuse() {
        return println!("{name} left out: {excuse}");
    }
    assert!(multicast + tcp > 9.0, "{name}: the link is used");
    // RFC 4654 section 1: "generally within a factor of two of the sending rate of a TCP flow".
    assert!((0.5..=2.0).contains(&(multicast / tcp)), "{name}: {multicast} / {tcp}");
}

fn measure(session: Value, congestion: &str) -> Result<Record, String> {
    let session = Session::read(session).map_err(|wrong| format!("{wrong:?}"))?;
    let groups = session.groups(SocketAddr::from(([239, 255, 77, 1], 5000)))?;
    let stop = Arc::new(AtomicBool::new(false));
    let mut started: Vec<Started<()>> = Vec::new();
    let mut port = |number: u8, work: Box<dyn FnOnce() + Send>| -> Result<Port, String> {
        let (device, host) = host(number, work)?.connected();
        started.push(host);
        Ok(Port { device, address: address(number) })
    };
    let until = || Arc::clone(&stop);
    let mut right = Vec::new();
    for number in MEMBERS {
        let (session, stop) = (session.clone(), until());
        let member =
            move || drive(session.member(u64::from(number), groups, None, ()).unwrap(), (groups, number), &stop);
        right.push(port(number, Box::new(member))?);
    }
    let stop_receiver = until();
    right.push(port(TCP_RECEIVER, Box::new(move || receive_tcp(&stop_receiver)))?);
    let (stop_source, stop_tcp) = (until(), until());
    let source = move || drive(session.source(u64::from(SOURCE), groups, ()).unwrap(), (groups, SOURCE), &stop_source);
    let congestion = congestion.to_owned();
    let tcp = move || send_tcp(&congestion, &stop_tcp);
    let left = vec![port(SOURCE, Box::new(source))?, port(TCP_SENDER, Box::new(tcp))?];
    let (stop_emulator, stop_all) = (until(), until());
    let emulator = thread::spawn(move || emulate(&left, &right, [SHAPE; 2], &stop_emulator));
    started.iter().for_each(Started::begin);
    thread::sleep(std::time::Duration::from_secs(SECONDS as u64));
    stop_all.store(true, Ordering::Relaxed);
    started.into_iter().for_each(Started::join);
    Ok(emulator.join().expect("the emulator does not panic"))
}

/// Drives an endpoint on the host with this number until it is to stop.
fn drive<E: Endpoint, C: Content>(mut driver: Driver<E, C>, (groups, number): (Groups, u8), stop: &AtomicBool) {
    let options = Options { interface: Some(host::INTERFACE.to_owned()), ..Options::default() };
    let mut sockets = Sockets::open(groups, options).expect("the host has just been made");
    let mut clock = HostClock::new(Instant::ZERO + Duration::from_secs(1000 * u64::from(number)));
    driver.start(&mut clock, &mut sockets);
    run(&mut driver, &mut clock, &mut sockets, |_, _| !stop.load(Ordering::Relaxed))
        .expect("sockets can be waited for");
}

/// Sends as fast as it goes, by this rule of congestion control.
fn send_tcp(congestion: &str, stop: &AtomicBool) {
    let to = SocketAddr::from((address(TCP_RECEIVER), 5001));
    // The other end may not be there yet.
    let mut stream = loop {
        match TcpStream::connect(to) {
            Ok(stream) => break stream,
            Err(_) if stop.load(Ordering::Relaxed) => return,
            Err(_) => thread::sleep(std::time::Duration::from_millis(50)),
        }
    };
    setsockopt(&stream, sockopt::TcpCongestion, &congestion.into()).expect("the kernel has this rule");
    let second = Some(std::time::Duration::from_secs(1));
    stream.set_write_timeout(second).expect("not zero");
    while !stop.load(Ordering::Relaxed) {
        // What has waited for a second is looked at again.
        let _ = stream.write(&[0; 65_536]);
    }
}

fn receive_tcp(stop: &AtomicBool) {
    let listener =
        TcpListener::bind(SocketAddr::from((address(TCP_RECEIVER), 5001))).expect("the host has this address");
    setsockopt(&listener, sockopt::TcpMaxSeg, &MAX_SEGMENT).expect("a legal size");
    listener.set_nonblocking(true).expect("a socket");
    let mut buffer = vec![0; 1 << 20];
    let mut stream = None;
    while !stop.load(Ordering::Relaxed) {
        let pause = std::time::Duration::from_millis(20);
        match &mut stream {
            None => match listener.accept() {
                Ok((accepted, _)) => {
                    accepted.set_nonblocking(false).expect("a socket");
                    accepted.set_read_timeout(Some(10 * pause)).expect("not zero");
                    stream = Some(accepted);
                }
                Err(_) => thread::sleep(pause),
            },
            Some(stream) => {
                let _ = stream.read(&mut buffer);
            }
        }
    }
}
