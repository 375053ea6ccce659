//! Real sockets: one for the host itself, by which all is sent and answers come, and one for each group that is joined.
//!
//! A socket for each group keeps the limit of memberships per socket (20 for IPv4, `igmp_max_memberships`) away from
//! sessions of many layers, and says to which group a datagram came. It is bound to the group's address, and hears no
//! group that another program has joined.
//!
//! All system calls go through `nix` (MIT; several releases a year): it has safe calls for many datagrams at once, for
//! segmentation and for the kernel's stamps, and lets options be declared that it has not, of which source-specific
//! joins of both families are some. `rustix` (Apache-2.0 or MIT) and `socket2` (likewise), as well kept, lack them:
//! of what comes beside a datagram they read neither stamps nor congestion bits without unsafe code, and
//! source-specific joins are there for IPv4 only.

mod interface;
mod options;
mod receive;
mod send;
#[cfg(test)]
mod tests;

pub use interface::Interface;

use crate::groups::Groups;
use crate::network::{self, Arrival, Batch, Network, Unsent};
use faircast_proto::time::{Duration, Instant};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::socket::{
    AddressFamily, SetSockOpt, SockFlag, SockType, SockaddrStorage, bind, getsockname, setsockopt, socket, sockopt,
};
use nix::sys::time::TimeSpec;
use options::{GroupRequest, GroupSourceRequest, InterfaceRequest};
use send::Sending;
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// How sockets are opened.
#[derive(Clone, Debug)]
pub struct Options {
    /// The interface by name; none: that by which the host's routes lead to the group.
    pub interface: Option<String>,
    /// Members take what this host sends, and no other: source-specific joins (RFC 4607). None: whoever sends.
    pub source: Option<IpAddr>,
    /// How many hops what goes to groups may take. 1 unless said otherwise: it stays on the link.
    pub ttl: u8,
    /// Whether programs on this host hear what goes to groups. Default true.
    pub is_heard_here: bool,
    /// Bytes that may wait to be received, of each socket; the kernel allows what `net.core.rmem_max` says, or more to
    /// root. Default 4 MiB: 30 ms at 1 Gbit/s.
    pub receive_buffer: usize,
    /// Bytes that may wait to be sent, likewise. Default 256 KiB: a source that is slowed down soon notices.
    pub send_buffer: usize,
    /// Payload of the longest datagram that is taken, bytes. Default 2048.
    pub longest: usize,
}

/// The sockets of an endpoint. It stays in the thread that has opened it.
#[derive(Debug)]
pub struct Sockets {
    groups: Groups,
    options: Options,
    interface: Interface,
    host: OwnedFd,
    joined: BTreeMap<u32, OwnedFd>,
    sending: Sending,
    buffer: Vec<u8>,
    spare: receive::Spare,
    looked: Option<Instant>,
    is_up: bool,
}

/// How often it is looked whether the interface is there. A choice.
const LOOK: Duration = Duration::from_secs(1);

/// The kernel takes sizes of buffers as an `int`, and doubles them.
const MOST_BUFFER: usize = (i32::MAX / 2) as usize;
/// No datagram has more behind the header of UDP, whose length field counts itself (RFC 768).
const MOST_PAYLOAD: usize = 65_535 - 8;

impl Default for Options {
    fn default() -> Options {
        Options {
            interface: None,
            source: None,
            ttl: 1,
            is_heard_here: true,
            receive_buffer: 4 << 20,
            send_buffer: 256 << 10,
            longest: 2048,
        }
    }
}

impl Options {
    /// Sizes that the system would take for others, or for which there is no memory.
    fn check(&self) -> Result<(), String> {
        let sizes = [
            ("receive_buffer", self.receive_buffer, MOST_BUFFER),
            ("send_buffer", self.send_buffer, MOST_BUFFER),
            ("longest", self.longest, MOST_PAYLOAD),
        ];
        let wrong = sizes.into_iter().find(|(_, given, most)| !(1..=*most).contains(given));
        wrong.map_or(Ok(()), |(name, given, most)| Err(format!("{name}: {given} B given; legal is 1 B to {most} B")))
    }
}

impl Sockets {
    /// Opens the sockets of an endpoint of a session with these groups.
    ///
    /// # Errors
    ///
    /// One sentence: a size in the options is not legal, there is no such interface, it has no address of the family or
    /// is down, the source is of another family, or the system refuses.
    pub fn open(groups: Groups, options: Options) -> Result<Sockets, String> {
        options.check()?;
        let first = groups.first();
        if let Some(source) = options.source.filter(|source| source.is_ipv4() != first.is_ipv4()) {
            return Err(format!("the source {source} and the group {} are of different families", first.ip()));
        }
        let interface = match &options.interface {
            Some(name) => Interface::named(name)?,
            None => Interface::towards(first)?,
        };
        if !interface.is_up {
            return Err(format!("interface {} is down", interface.name));
        }
        let own = interface.address(first)?;
        let system = |error: Errno| format!("no socket on {}: {}", interface.name, error.desc());
        let host = open(own, &options).map_err(system)?;
        let mut sockets = Sockets {
            groups,
            interface: interface.clone(),
            host,
            joined: BTreeMap::new(),
            sending: Sending::new(),
            buffer: receive::buffer(),
            spare: receive::Spare::default(),
            looked: None,
            is_up: true,
            options,
        };
        sockets.choose_interface().map_err(system)?;
        Ok(sockets)
    }

    /// The interface.
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The address from which all is sent.
    pub fn own(&self) -> Option<SocketAddr> {
        let name: SockaddrStorage = getsockname(self.host.as_raw_fd()).ok()?;
        receive::socket_address(&name)
    }

    /// Whether the kernel cuts up what is sent, as far as is known.
    pub fn cuts_up(&self) -> bool {
        self.sending.cuts_up()
    }

    /// Waits until something has come, or this long; at most so long that the interface is looked at in time.
    ///
    /// # Errors
    ///
    /// Those of the system, but an interruption is none.
    pub fn wait(&self, most: Option<Duration>) -> io::Result<()> {
        self.wait_beside(most, None, None).map(|_| ())
    }

    /// Waits as [`wait`](Self::wait) does, and no longer than until `reads` has something or `writes` takes something.
    /// Whether one of them has, or does; also at its end, and when nobody is at the other one, which shows when it is
    /// read or written.
    ///
    /// # Errors
    ///
    /// Those of the system, but an interruption is none.
    pub fn wait_beside(
        &self,
        most: Option<Duration>,
        reads: Option<BorrowedFd<'_>>,
        writes: Option<BorrowedFd<'_>>,
    ) -> io::Result<bool> {
        let most = most.unwrap_or(LOOK).min(LOOK);
        let reads = reads.map(|fd| PollFd::new(fd, PollFlags::POLLIN));
        let writes = writes.map(|fd| PollFd::new(fd, PollFlags::POLLOUT));
        let mut ready: Vec<PollFd<'_>> = reads.into_iter().chain(writes).collect();
        let beside = ready.len();
        ready.extend(self.all().map(|fd| PollFd::new(fd.as_fd(), PollFlags::POLLIN)));
        match ppoll(&mut ready, Some(TimeSpec::from_duration(std::time::Duration::from_nanos(most.0))), None) {
            Ok(_) => Ok(ready[..beside].iter().any(|one| one.any().unwrap_or(true))),
            Err(Errno::EINTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits this long, whatever comes.
    ///
    /// # Errors
    ///
    /// Those of the system, but an interruption is none.
    pub fn rest(&self, time: Duration) -> io::Result<()> {
        match ppoll(&mut [], Some(TimeSpec::from_duration(std::time::Duration::from_nanos(time.0))), None) {
            Ok(_) | Err(Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn all(&self) -> impl Iterator<Item = &OwnedFd> {
        std::iter::once(&self.host).chain(self.joined.values())
    }

    /// What goes to groups leaves by the interface, with the hop limit that was asked for.
    fn choose_interface(&mut self) -> nix::Result<()> {
        let (fd, options) = (&self.host, &self.options);
        if self.groups.first().is_ipv4() {
            setsockopt(fd, options::MulticastInterface4, &InterfaceRequest::new(self.interface.index))?;
            setsockopt(fd, sockopt::IpMulticastTtl, &options.ttl)?;
            setsockopt(fd, sockopt::IpMulticastLoop, &options.is_heard_here)
        } else {
            setsockopt(fd, options::MulticastInterface6, &self.interface.index.cast_signed())?;
            setsockopt(fd, sockopt::Ipv6MulticastHops, &options.ttl.into())?;
            setsockopt(fd, options::MulticastLoop6, &options.is_heard_here)
        }
    }

    fn join_group(&self, group: SocketAddr) -> nix::Result<OwnedFd> {
        let index = self.interface.index;
        let mut at = group;
        if let SocketAddr::V6(v6) = &mut at {
            v6.set_scope_id(index);
        }
        let fd = open(at, &self.options)?;
        let source = self.options.source.map(|source| SocketAddr::new(source, 0));
        match (group, source) {
            (SocketAddr::V4(_), None) => setsockopt(&fd, options::JoinGroup4, &GroupRequest::new(index, group)),
            (SocketAddr::V6(_), None) => setsockopt(&fd, options::JoinGroup6, &GroupRequest::new(index, group)),
            (SocketAddr::V4(_), Some(source)) => {
                setsockopt(&fd, options::JoinSource4, &GroupSourceRequest::new(index, group, source))
            }
            (SocketAddr::V6(_), Some(source)) => {
                setsockopt(&fd, options::JoinSource6, &GroupSourceRequest::new(index, group, source))
            }
        }?;
        Ok(fd)
    }
}

impl Network for Sockets {
    fn send(&mut self, batch: &Batch) -> Result<(), Unsent> {
        self.sending.send(&self.host, batch)
    }

    fn receive(&mut self, take: &mut dyn FnMut(Arrival<'_>)) -> bool {
        let mut has_more = false;
        let joined = self.joined.iter().map(|(number, fd)| (Some(*number), fd));
        for (group, fd) in std::iter::once((None, &self.host)).chain(joined) {
            has_more |= receive::receive(fd, &mut self.spare, (&mut self.buffer, self.options.longest), group, take);
        }
        has_more
    }

    fn join(&mut self, group: u32) -> io::Result<()> {
        let at = self.groups.socket(group).ok_or(io::ErrorKind::InvalidInput)?;
        if !self.joined.contains_key(&group) {
            let fd = self.join_group(at)?;
            self.joined.insert(group, fd);
        }
        Ok(())
    }

    /// The membership ends with its socket.
    fn leave(&mut self, group: u32) {
        self.joined.remove(&group);
    }

    fn watch(&mut self, now: Instant) -> network::Interface {
        if self.looked.is_none_or(|looked| now.since(looked) >= LOOK) {
            self.looked = Some(now);
            let present = Interface::look(&self.interface.name).filter(|interface| interface.is_up);
            // One with another index is another one, though the name is the same: it was gone for a while.
            let is_same = present.as_ref().is_some_and(|present| present.index == self.interface.index);
            self.is_up = is_same;
            if let Some(present) = present.filter(|_| !is_same) {
                self.interface = present;
                // Looked at again with the next turn, when the memberships of the old one have been given up.
                self.looked = self.choose_interface().is_err().then_some(now);
            }
        }
        if self.is_up { network::Interface::Up } else { network::Interface::Down }
    }
}

/// A socket with this address, and all that is the same for both kinds.
fn open(at: SocketAddr, options: &Options) -> nix::Result<OwnedFd> {
    let family = if at.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let fd = socket(family, SockType::Datagram, SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK, None)?;
    setsockopt(&fd, sockopt::ReceiveTimestampns, &true)?;
    // Kernels before 5.0 have none of this, and hand over one by one.
    let _ = setsockopt(&fd, sockopt::UdpGroSegment, &true);
    if at.is_ipv4() {
        setsockopt(&fd, sockopt::IpRecvTos, &true)?;
        setsockopt(&fd, options::MulticastAll4, &false)?;
        // Never fragmented.
        setsockopt(&fd, options::MtuDiscover4, &libc::IP_PMTUDISC_DO)?;
    } else {
        setsockopt(&fd, sockopt::Ipv6V6Only, &true)?;
        setsockopt(&fd, sockopt::Ipv6RecvTClass, &true)?;
        setsockopt(&fd, options::MulticastAll6, &false)?;
        setsockopt(&fd, options::MtuDiscover6, &libc::IPV6_PMTUDISC_DO)?;
    }
    widen(&fd, (sockopt::RcvBufForce, sockopt::RcvBuf), options.receive_buffer)?;
    widen(&fd, (sockopt::SndBufForce, sockopt::SndBuf), options.send_buffer)?;
    if at.ip().is_multicast() {
        // Several members on one host.
        setsockopt(&fd, sockopt::ReuseAddr, &true)?;
    }
    bind(fd.as_raw_fd(), &SockaddrStorage::from(at))?;
    Ok(fd)
}

/// Asks for a buffer, beyond the system's limit if that is allowed, and otherwise for what is.
fn widen<F, N>(fd: &OwnedFd, (force, ask): (F, N), bytes: usize) -> nix::Result<()>
where
    F: SetSockOpt<Val = usize>,
    N: SetSockOpt<Val = usize>,
{
    setsockopt(fd, force, &bytes).or_else(|_| setsockopt(fd, ask, &bytes))
}
