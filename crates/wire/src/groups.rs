//! The groups of a session as addresses of sockets.

use faircast_proto::group_set::MAX_GROUPS;
use faircast_proto::packet::Address;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The groups of a session: the first has the address that is given, each other the next one, all the same port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    first: SocketAddr,
    count: u32,
}

impl Groups {
    /// `count` groups from `first` on.
    ///
    /// # Errors
    ///
    /// Says in a sentence what is wrong: `first` or a later one is no multicast address, the port is 0, or there are
    /// none, or more than [`MAX_GROUPS`].
    pub fn new(first: SocketAddr, count: u32) -> Result<Groups, String> {
        if !first.ip().is_multicast() {
            let legal = "224.0.0.0 to 239.255.255.255 or ff00::/8";
            return Err(format!("{} is no multicast address; legal is {legal}", first.ip()));
        }
        if first.port() == 0 {
            return Err(format!("{first} names no port; legal is 1 to 65535"));
        }
        if !(1..=MAX_GROUPS).contains(&count) {
            return Err(format!("{count} groups; legal are 1 to {MAX_GROUPS}"));
        }
        match after(first.ip(), count - 1) {
            Some(last) if last.is_multicast() => Ok(Groups { first, count }),
            _ => Err(format!("{count} groups from {} on go beyond multicast addresses", first.ip())),
        }
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The first of them.
    pub fn first(&self) -> SocketAddr {
        self.first
    }

    /// Where packets to the group with this number go, if there is one.
    pub fn socket(&self, number: u32) -> Option<SocketAddr> {
        let at = after(self.first.ip(), number).filter(|_| number < self.count)?;
        let mut socket = self.first;
        socket.set_ip(at);
        Some(socket)
    }

    /// The number of an endpoint's group, if it is one of these.
    pub fn number(&self, address: Address) -> Option<u32> {
        u32::try_from(address.index()).ok().filter(|&number| address.is_group() && number < self.count)
    }
}

/// The address so many behind another one.
fn after(address: IpAddr, steps: u32) -> Option<IpAddr> {
    Some(match address {
        IpAddr::V4(v4) => Ipv4Addr::from(u32::from(v4).checked_add(steps)?).into(),
        IpAddr::V6(v6) => Ipv6Addr::from(u128::from(v6).checked_add(steps.into())?).into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(first: &str, count: u32) -> Result<Groups, String> {
        Groups::new(first.parse().unwrap(), count)
    }

    #[test]
    fn each_has_the_next_address() {
        let four = groups("239.1.2.254:5000", 4).unwrap();
        let sockets: Vec<String> = (0..5).map_while(|n| four.socket(n)).map(|socket| socket.to_string()).collect();
        assert_eq!(sockets, ["239.1.2.254:5000", "239.1.2.255:5000", "239.1.3.0:5000", "239.1.3.1:5000"]);
        assert_eq!(groups("[ff15::ffff]:9", 2).unwrap().socket(1), Some("[ff15::1:0]:9".parse().unwrap()));
        assert_eq!((four.number(Address::group(3)), four.number(Address::group(4))), (Some(3), None));
        assert_eq!(four.number(Address::endpoint(1)), None);
    }

    #[test]
    fn what_is_no_session_is_said_in_a_sentence() {
        let said = |first, count| groups(first, count).unwrap_err();
        let legal = "legal is 224.0.0.0 to 239.255.255.255 or ff00::/8";
        assert_eq!(said("10.0.0.1:5", 1), format!("10.0.0.1 is no multicast address; {legal}"));
        assert_eq!(said("[2001:db8::1]:5", 1), format!("2001:db8::1 is no multicast address; {legal}"));
        assert_eq!(said("239.0.0.1:0", 1), "239.0.0.1:0 names no port; legal is 1 to 65535");
        assert_eq!(said("239.0.0.1:5", 0), "0 groups; legal are 1 to 128");
        assert_eq!(said("239.0.0.1:5", 129), "129 groups; legal are 1 to 128");
        let beyond = "2 groups from 239.255.255.255 on go beyond multicast addresses";
        assert_eq!(said("239.255.255.255:5", 2), beyond);
        assert!(groups("239.255.255.255:5", 1).is_ok());
        assert!(said("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:5", 2).ends_with("go beyond multicast addresses"));
    }
}
