//! Options of sockets that `nix` has no names for (ip(7), ipv6(7), RFC 3678).

use nix::{setsockopt_impl, sockopt_impl};
use std::net::SocketAddr;

sockopt_impl!(
    /// Whether groups are heard that other sockets of the host have joined (IPv4).
    MulticastAll4, SetOnly, libc::IPPROTO_IP, libc::IP_MULTICAST_ALL, bool);
sockopt_impl!(
    /// Whether groups are heard that other sockets of the host have joined (IPv6).
    MulticastAll6, SetOnly, libc::IPPROTO_IPV6, IPV6_MULTICAST_ALL, bool);
sockopt_impl!(
    /// The interface for what goes to groups (IPv4).
    MulticastInterface4, SetOnly, libc::IPPROTO_IP, libc::IP_MULTICAST_IF, InterfaceRequest);
sockopt_impl!(
    /// The index of the interface for what goes to groups (IPv6).
    MulticastInterface6, SetOnly, libc::IPPROTO_IPV6, libc::IPV6_MULTICAST_IF, libc::c_int);
sockopt_impl!(
    /// Whether what goes to groups is heard on the own host, too (IPv6).
    MulticastLoop6, SetOnly, libc::IPPROTO_IPV6, libc::IPV6_MULTICAST_LOOP, bool);
sockopt_impl!(
    /// Whether packets may be fragmented (IPv4).
    MtuDiscover4, SetOnly, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::c_int);
sockopt_impl!(
    /// Whether packets may be fragmented (IPv6).
    MtuDiscover6, SetOnly, libc::IPPROTO_IPV6, libc::IPV6_MTU_DISCOVER, libc::c_int);
sockopt_impl!(
    /// A membership whoever sends (IPv4).
    JoinGroup4, SetOnly, libc::IPPROTO_IP, MCAST_JOIN_GROUP, GroupRequest);
sockopt_impl!(
    /// A membership whoever sends (IPv6).
    JoinGroup6, SetOnly, libc::IPPROTO_IPV6, MCAST_JOIN_GROUP, GroupRequest);
sockopt_impl!(
    /// A membership for what one host sends (IPv4).
    JoinSource4, SetOnly, libc::IPPROTO_IP, MCAST_JOIN_SOURCE_GROUP, GroupSourceRequest);
sockopt_impl!(
    /// A membership for what one host sends (IPv6).
    JoinSource6, SetOnly, libc::IPPROTO_IPV6, MCAST_JOIN_SOURCE_GROUP, GroupSourceRequest);

// As linux/in.h and linux/in6.h have them.
const MCAST_JOIN_GROUP: libc::c_int = 42;
const MCAST_JOIN_SOURCE_GROUP: libc::c_int = 46;
const IPV6_MULTICAST_ALL: libc::c_int = 29;

/// `struct ip_mreqn`, by the interface's index alone.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct InterfaceRequest {
    group: u32,
    address: u32,
    interface: libc::c_int,
}

/// `struct group_req`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupRequest {
    interface: u32,
    group: Storage,
}

/// `struct group_source_req`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GroupSourceRequest {
    interface: u32,
    group: Storage,
    source: Storage,
}

/// `struct sockaddr_storage`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
struct Storage([u8; 128]);

const _: () = assert!(size_of::<GroupRequest>() == 136 && size_of::<GroupSourceRequest>() == 264);

impl InterfaceRequest {
    /// The interface with this index.
    pub fn new(interface: u32) -> InterfaceRequest {
        InterfaceRequest { group: 0, address: 0, interface: interface.cast_signed() }
    }
}

impl GroupRequest {
    /// Membership of `group` on the interface with this index.
    pub fn new(interface: u32, group: SocketAddr) -> GroupRequest {
        GroupRequest { interface, group: group.into() }
    }
}

impl GroupSourceRequest {
    /// Membership of `group` on the interface with this index for what `source` sends.
    pub fn new(interface: u32, group: SocketAddr, source: SocketAddr) -> GroupSourceRequest {
        GroupSourceRequest { interface, group: group.into(), source: source.into() }
    }
}

impl From<SocketAddr> for Storage {
    fn from(socket: SocketAddr) -> Storage {
        let mut bytes = [0; 128];
        let family = if socket.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
        bytes[..2].copy_from_slice(&(family as u16).to_ne_bytes());
        bytes[2..4].copy_from_slice(&socket.port().to_be_bytes());
        match socket {
            SocketAddr::V4(v4) => bytes[4..8].copy_from_slice(&v4.ip().octets()),
            SocketAddr::V6(v6) => {
                bytes[8..24].copy_from_slice(&v6.ip().octets());
                bytes[24..28].copy_from_slice(&v6.scope_id().to_ne_bytes());
            }
        }
        Storage(bytes)
    }
}
