//! Groups of both families, from any source and from one, on an interface of a namespace.

use crate::host::{INTERFACE, address, host};
use faircast_proto::packet::Ecn;
use faircast_wire::groups::Groups;
use faircast_wire::network::{Arrival, Batch, Network};
use faircast_wire::sockets::{Options, Sockets};
use std::net::{IpAddr, SocketAddr};

#[test]
#[ignore = "needs root: make test-wire"]
fn both_families_are_heard_from_all_and_from_one() {
    let (device, host) = match host(9, || {
        let v4 = IpAddr::V4(address(9));
        hear("239.255.77.9:5000", None, v4);
        hear("232.77.0.9:5000", Some(v4), v4);
        // An address of the link alone, as every interface has one.
        let own = sockets("[ff12::77:9]:5000", None).1.own().expect("it is bound").ip();
        hear("[ff12::77:9]:5000", None, own);
        hear("[ff32::77:9]:5000", Some(own), own);
    }) {
        Ok(host) => host.connected(),
        Err(why) => return println!("groups of both families left out: {why}"),
    };
    host.begin();
    host.join();
    drop(device);
}

/// Sends to a group and looks who hears it: who asks for this source, or any, and not who asks for another.
fn hear(first: &str, of: Option<IpAddr>, own: IpAddr) {
    let (groups, mut source) = sockets(first, None);
    let mut member = sockets(first, of).1;
    let other = if own.is_ipv4() { "10.77.0.99" } else { "fe80::99" };
    let mut deaf = sockets(first, Some(other.parse().expect("an address"))).1;
    for socket in [&mut member, &mut deaf] {
        socket.join(0).expect("a membership");
    }
    let mut batch = Batch::default();
    for length in [900usize, 900, 400] {
        let write = |bytes: &mut Vec<u8>| {
            bytes.resize(bytes.len() + length, 7);
            Ok::<(), ()>(())
        };
        batch.push((groups.first(), Ecn::Capable), write).expect("it writes");
    }
    source.send(&batch).expect("a buffer with room");
    let from = source.own().expect("it is bound").port();
    let came = |sockets: &mut Sockets| {
        let mut came = Vec::new();
        sockets.receive(&mut |arrival: Arrival<'_>| {
            assert!(arrival.stamp.is_some() && !arrival.truncated, "{first}");
            came.push((arrival.from.port(), arrival.group, arrival.ecn, arrival.bytes.len()));
        });
        came
    };
    let expected = [900, 900, 400].map(|length| (from, Some(0), Ecn::Capable, length));
    assert_eq!(came(&mut member), expected, "{first} {of:?}");
    assert_eq!(came(&mut deaf), [], "{first}: another source");
}

fn sockets(first: &str, source: Option<IpAddr>) -> (Groups, Sockets) {
    let first: SocketAddr = first.parse().expect("a group and a port");
    let groups = Groups::new(first, 1).expect("a group");
    let options = Options { interface: Some(INTERFACE.to_owned()), source, ..Options::default() };
    (groups, Sockets::open(groups, options).expect("the interface is up"))
}
