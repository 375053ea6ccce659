//! The interface that a session uses.

use nix::ifaddrs::getifaddrs;
use nix::net::if_::{InterfaceFlags, if_nametoindex};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, UdpSocket};

/// An interface, and what it was like when it was looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Its index; changes when it goes and comes again.
    pub index: u32,
    /// Whether it is up.
    pub is_up: bool,
    /// Its first address of IPv4.
    pub v4: Option<Ipv4Addr>,
    /// Its first address of IPv6 that is not of the link alone, or the first if all are.
    pub v6: Option<Ipv6Addr>,
}

impl Interface {
    /// The interface of this name, if there is one now.
    pub fn look(name: &str) -> Option<Interface> {
        let index = if_nametoindex(name).ok()?;
        let mut interface = Interface { name: name.to_owned(), index, is_up: false, v4: None, v6: None };
        for entry in getifaddrs().ok()?.filter(|entry| entry.interface_name == name) {
            interface.is_up |= entry.flags.contains(InterfaceFlags::IFF_UP);
            let Some(address) = entry.address else { continue };
            if let Some(v4) = address.as_sockaddr_in() {
                interface.v4.get_or_insert(v4.ip());
            }
            if let Some(v6) = address.as_sockaddr_in6().map(|v6| v6.ip())
                && interface.v6.is_none_or(|other| other.is_unicast_link_local())
            {
                interface.v6 = Some(v6);
            }
        }
        Some(interface)
    }

    /// The interface of this name.
    ///
    /// # Errors
    ///
    /// There is none of this name: a sentence, with those that there are.
    pub fn named(name: &str) -> Result<Interface, String> {
        Interface::look(name).ok_or_else(|| {
            let mut names: Vec<String> = getifaddrs().into_iter().flatten().map(|entry| entry.interface_name).collect();
            names.sort_unstable();
            names.dedup();
            format!("there is no interface {name}; legal are {}", names.join(", "))
        })
    }

    /// The interface by which the host's routes send what is for this address.
    ///
    /// # Errors
    ///
    /// No route leads there: a sentence.
    pub fn towards(group: SocketAddr) -> Result<Interface, String> {
        // A datagram socket that is connected sends nothing; it only has its route looked up.
        let any: SocketAddr = if group.is_ipv4() { ([0; 4], 0).into() } else { ([0u16; 8], 0).into() };
        let own = UdpSocket::bind(any).and_then(|socket| {
            socket.connect(group)?;
            socket.local_addr()
        });
        let own = own.map_err(|error| format!("no route to {}: {error}; name an interface", group.ip()))?.ip();
        let mut names = getifaddrs().into_iter().flatten().filter(|entry| {
            let address = entry.address.as_ref();
            address.and_then(|address| address.as_sockaddr_in()).is_some_and(|v4| IpAddr::V4(v4.ip()) == own)
                || address.and_then(|address| address.as_sockaddr_in6()).is_some_and(|v6| IpAddr::V6(v6.ip()) == own)
        });
        let name = names.next().map(|entry| entry.interface_name);
        name.and_then(|name| Interface::look(&name)).ok_or_else(|| format!("no interface has {own}; name one"))
    }

    /// Its address of the family of `group`, with no port.
    ///
    /// # Errors
    ///
    /// It has none: a sentence.
    pub fn address(&self, group: SocketAddr) -> Result<SocketAddr, String> {
        let address = match group {
            SocketAddr::V4(_) => self.v4.map(|v4| SocketAddr::from((v4, 0))),
            SocketAddr::V6(_) => self.v6.map(|v6| {
                let scope = if v6.is_unicast_link_local() { self.index } else { 0 };
                SocketAddrV6::new(v6, 0, 0, scope).into()
            }),
        };
        let family = if group.is_ipv4() { "IPv4" } else { "IPv6" };
        address.ok_or_else(|| format!("interface {} has no address of {family}, which {} is of", self.name, group.ip()))
    }
}
