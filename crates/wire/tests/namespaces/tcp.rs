//! A TCP of the kernel from one host to another, for as long as a test goes.

use crate::host::address;
use nix::sys::socket::{
    AddressFamily, SockFlag, SockProtocol, SockType, SockaddrIn, connect, setsockopt, socket, sockopt,
};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Where TCP listens.
const PORT: u16 = 5001;

/// What TCP is told to put into a segment at most, options included, so that its packets are 1000 bytes as the
/// session's are: the queue counts packets, and a rule that answers losses as TCP does gets packets, not bytes.
const MAX_SEGMENT: u32 = 960;

/// Sends to this host as fast as it goes, by this rule of congestion control.
pub fn send_tcp(congestion: &str, to: u8, stop: &AtomicBool) {
    // The other end may not be there yet.
    let mut stream = loop {
        match connect_tcp(congestion, to) {
            Ok(stream) => break stream,
            Err(_) if stop.load(Ordering::Relaxed) => return,
            Err(_) => thread::sleep(std::time::Duration::from_millis(50)),
        }
    };
    let second = Some(std::time::Duration::from_secs(1));
    stream.set_write_timeout(second).expect("not zero");
    while !stop.load(Ordering::Relaxed) {
        // What has waited for a second is looked at again.
        let _ = stream.write(&[0; 65_536]);
    }
}

/// Connects by this rule of congestion control. It is set before: a connection that has begun by the machine's own rule
/// keeps what that has made of it, and after BBR every rule is paced.
fn connect_tcp(congestion: &str, to: u8) -> nix::Result<TcpStream> {
    let socket = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, SockProtocol::Tcp)?;
    setsockopt(&socket, sockopt::TcpCongestion, &congestion.into()).expect("the kernel has this rule");
    connect(socket.as_raw_fd(), &SockaddrIn::from(SocketAddrV4::new(address(to), PORT)))?;
    Ok(TcpStream::from(socket))
}

/// Takes what comes to this host, which is this thread's.
pub fn receive_tcp(own: u8, stop: &AtomicBool) {
    let listener = TcpListener::bind((address(own), PORT)).expect("the host has this address");
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
