//! Receiving many datagrams at once, with the kernel's stamps and congestion bits.
//!
//! What was sent as one and is still one here, as over the loopback interface, or what an interface has put together,
//! comes as one (`UDP_GRO`) with the length of its parts: one copy and one stamp instead of fifty.

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

/// How many messages of the kernel's are received at once at most. Each is a datagram, or up to
/// 64 of them where they were sent as one.
pub const AT_ONCE: usize = 16;

/// Room for a message: IP's 16 bits.
const MESSAGE_BYTES: usize = 1 << 16;

/// Room for what is received at once.
pub fn buffer() -> Vec<u8> {
    vec![0; AT_ONCE * MESSAGE_BYTES]
}

/// Headers in which nothing has been written yet, as nothing had come when it was looked last.
#[derive(Debug, Default)]
pub struct Spare(Option<MultiHeaders<SockaddrStorage>>);

/// What the kernel writes about messages. It is made anew for those that come next: what is beside a message has the
/// room that it had with the one before, and of several datagrams there is more to say than of one.
fn headers() -> MultiHeaders<SockaddrStorage> {
    let beside = cmsg_space!(TimeSpec, libc::c_int, libc::c_int, libc::c_int);
    MultiHeaders::preallocate(AT_ONCE, Some(beside))
}

/// Hands over what has come to a socket; whether more may be there. Of a datagram that is longer than `longest` only
/// that much is handed over.
pub fn receive(
    socket: &OwnedFd,
    spare: &mut Spare,
    (buffer, longest): (&mut [u8], usize),
    group: Option<u32>,
    take: &mut dyn FnMut(Arrival<'_>),
) -> bool {
    let mut slices: Vec<[IoSliceMut<'_>; 1]> =
        buffer.chunks_exact_mut(MESSAGE_BYTES).map(|chunk| [IoSliceMut::new(chunk)]).collect();
    let mut headers = spare.0.take().unwrap_or_else(headers);
    let flags = MsgFlags::MSG_DONTWAIT;
    // An error says that nothing is there, or tells of a port that nobody has: the next call says what is there.
    let received = recvmmsg(socket.as_raw_fd(), &mut headers, slices.iter_mut(), flags, None);
    let Ok(received) = received else {
        spare.0 = Some(headers);
        return false;
    };
    let mut count = 0;
    for message in received {
        count += 1;
        let Some(from) = message.address.as_ref().and_then(socket_address) else { continue };
        let Beside { ecn, stamp, part } = beside(&message);
        let is_cut_off = message.flags.contains(MsgFlags::MSG_TRUNC);
        let bytes = message.iovs().next().unwrap_or(&[]);
        let part = part.unwrap_or(bytes.len()).max(1);
        // A datagram may be empty.
        let parts = bytes.chunks(part).chain(bytes.is_empty().then_some(bytes));
        for bytes in parts {
            let truncated = is_cut_off || bytes.len() > longest;
            take(Arrival { bytes: &bytes[..bytes.len().min(longest)], truncated, from, group, ecn, stamp });
        }
    }
    count == AT_ONCE
}

/// What the kernel says beside a message.
struct Beside {
    ecn: Ecn,
    stamp: Option<Duration>,
    /// How long each of its datagrams is, but for the last, if there are several.
    part: Option<usize>,
}

fn beside<S>(message: &RecvMsg<'_, '_, S>) -> Beside {
    let mut said = Beside { ecn: Ecn::NotCapable, stamp: None, part: None };
    for beside in message.cmsgs().into_iter().flatten() {
        match beside {
            ControlMessageOwned::ScmTimestampns(time) => said.stamp = Some(since_zero(time.tv_sec(), time.tv_nsec())),
            ControlMessageOwned::Ipv4Tos(tos) => said.ecn = read(tos),
            ControlMessageOwned::Ipv6TClass(class) => said.ecn = read(class as u8),
            ControlMessageOwned::UdpGroSegments(bytes) => said.part = usize::try_from(bytes).ok(),
            _ => {}
        }
    }
    said
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
