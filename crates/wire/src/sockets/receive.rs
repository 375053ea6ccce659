//! Receiving many datagrams at once, with the kernel's stamps and congestion bits.

use crate::clock::since_zero;
use crate::network::Arrival;
use faircast_proto::packet::Ecn;
use faircast_proto::time::Duration;
use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, MultiHeaders, RecvMsg, SockaddrStorage, recvmmsg};
use nix::sys::time::TimeSpec;
use std::io::IoSliceMut;
use std::net::{SocketAddr, SocketAddrV4, SocketAddrV6};
use std::os::fd::{AsRawFd, OwnedFd};

/// How many datagrams are received at once at most.
pub const AT_ONCE: usize = 64;

/// What the kernel writes about the datagrams of one socket. Its room for what comes beside them shrinks to what was
/// needed last, which is the same for all of a socket, so each has its own.
#[derive(Debug)]
pub struct Headers(MultiHeaders<SockaddrStorage>);

impl Headers {
    /// Room for what one socket hands over at once.
    pub fn new() -> Headers {
        Headers(MultiHeaders::preallocate(AT_ONCE, Some(cmsg_space!(TimeSpec, libc::c_int, libc::c_int))))
    }
}

/// Hands over what has come to a socket, at most [`AT_ONCE`] datagrams; how many it was. `buffer` has room for as many
/// of the longest that is taken.
pub fn receive(
    socket: &OwnedFd,
    headers: &mut Headers,
    buffer: &mut [u8],
    group: Option<u32>,
    take: &mut dyn FnMut(Arrival<'_>),
) -> usize {
    let longest = buffer.len() / AT_ONCE;
    let mut slices: Vec<[IoSliceMut<'_>; 1]> =
        buffer.chunks_exact_mut(longest).map(|chunk| [IoSliceMut::new(chunk)]).collect();
    let flags = MsgFlags::MSG_DONTWAIT;
    // An error says that nothing is there, or tells of a port that nobody has: the next call says what is there.
    let received = recvmmsg(socket.as_raw_fd(), &mut headers.0, slices.iter_mut(), flags, None);
    let Ok(received) = received else { return 0 };
    let mut count = 0;
    for message in received {
        count += 1;
        let Some(from) = message.address.as_ref().and_then(socket_address) else { continue };
        let (ecn, stamp) = beside(&message);
        let truncated = message.flags.contains(MsgFlags::MSG_TRUNC);
        let bytes = message.iovs().next().unwrap_or(&[]);
        take(Arrival { bytes, truncated, from, group, ecn, stamp });
    }
    count
}

/// The congestion bits, and the kernel's stamp.
fn beside<S>(message: &RecvMsg<'_, '_, S>) -> (Ecn, Option<Duration>) {
    let (mut ecn, mut stamp) = (Ecn::NotCapable, None);
    for beside in message.cmsgs().into_iter().flatten() {
        match beside {
            ControlMessageOwned::ScmTimestampns(time) => stamp = Some(since_zero(time.tv_sec(), time.tv_nsec())),
            ControlMessageOwned::Ipv4Tos(tos) => ecn = read(tos),
            ControlMessageOwned::Ipv6TClass(class) => ecn = read(class as u8),
            _ => {}
        }
    }
    (ecn, stamp)
}

/// The two lowest bits of what was TOS (RFC 3168 section 5, RFC 9331 section 4.1).
pub fn read(tos: u8) -> Ecn {
    match tos & 3 {
        0 => Ecn::NotCapable,
        1 => Ecn::Scalable,
        2 => Ecn::Capable,
        _ => Ecn::Moderate,
    }
}

/// What [`read`] reads; the second level of multilevel ECN has no bits beside those of RFC 9331 and goes as the first.
pub fn written(ecn: Ecn) -> u8 {
    match ecn {
        Ecn::NotCapable => 0,
        Ecn::Scalable => 1,
        Ecn::Capable => 2,
        Ecn::Incipient | Ecn::Moderate => 3,
    }
}

pub fn socket_address(storage: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage.as_sockaddr_in().map(|v4| SocketAddrV4::from(*v4).into());
    v4.or_else(|| storage.as_sockaddr_in6().map(|v6| SocketAddrV6::from(*v6).into()))
}
