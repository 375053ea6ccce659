//! Sockets on the loopback interface of this host. Nothing waits for a clock: what is sent there has come. Hosts have
//! no route for groups of IPv6 there: those are tried in a namespace (`tests/namespaces`).

use super::*;
use faircast_proto::packet::Ecn;

fn groups(first: &str) -> Groups {
    Groups::new(first.parse().unwrap(), 2).unwrap()
}

fn on_loopback() -> Options {
    Options { interface: Some("lo".to_owned()), ..Options::default() }
}

fn batch(datagrams: &[(SocketAddr, Ecn, usize)]) -> Batch {
    let mut batch = Batch::default();
    for (number, &(to, ecn, length)) in datagrams.iter().enumerate() {
        let write = |bytes: &mut Vec<u8>| {
            bytes.resize(bytes.len() + length, number as u8);
            Ok::<(), ()>(())
        };
        batch.push((to, ecn), write).unwrap();
    }
    batch
}

/// What has come: from whom, to which group, bits, length and first byte, whether it was cut off and has a stamp.
type Came = (SocketAddr, Option<u32>, Ecn, usize, u8, bool, bool);

fn received(sockets: &mut Sockets) -> Vec<Came> {
    let mut came = Vec::new();
    let mut take = |arrival: Arrival<'_>| {
        let (length, first) = (arrival.bytes.len(), arrival.bytes.first().copied().unwrap_or(0));
        let beside = (arrival.truncated, arrival.stamp.is_some());
        came.push((arrival.from, arrival.group, arrival.ecn, length, first, beside.0, beside.1));
    };
    while sockets.receive(&mut take) {}
    came
}

#[test]
fn groups_are_heard_with_bits_and_stamps() {
    let first = "239.255.71.1:42071";
    let groups = groups(first);
    let mut source = Sockets::open(groups, on_loopback()).unwrap();
    let mut member = Sockets::open(groups, on_loopback()).unwrap();
    let own = source.own().unwrap();
    let to = |number| groups.socket(number).unwrap();
    source.send(&batch(&[(to(0), Ecn::NotCapable, 5)])).unwrap();
    assert_eq!(received(&mut member), [], "{first}: not joined");
    member.join(0).unwrap();
    member.join(0).unwrap();
    let sent = [(to(0), Ecn::Capable, 900), (to(0), Ecn::Capable, 900), (to(1), Ecn::Capable, 900)];
    source.send(&batch(&sent)).unwrap();
    let came = |number, first| (own, Some(number), Ecn::Capable, 900, first, false, true);
    assert_eq!(received(&mut member), [came(0, 0), came(0, 1)], "{first}");
    member.join(1).unwrap();
    source.send(&batch(&sent)).unwrap();
    assert_eq!(received(&mut member), [came(0, 0), came(0, 1), came(1, 2)], "{first}");
    member.leave(0);
    source.send(&batch(&[(to(0), Ecn::NotCapable, 5), (to(1), Ecn::Scalable, 5)])).unwrap();
    assert_eq!(received(&mut member), [(own, Some(1), Ecn::Scalable, 5, 1, false, true)], "{first}");
    // An answer goes to where the data came from.
    member.send(&batch(&[(own, Ecn::NotCapable, 40)])).unwrap();
    let back = (member.own().unwrap(), None, Ecn::NotCapable, 40, 0, false, true);
    assert_eq!(received(&mut source), [back], "{first}");
}

#[test]
fn one_source_is_heard_where_it_is_asked_for() {
    let (first, own, other) = ("232.1.71.2:42072", "127.0.0.1", "127.9.9.9");
    let groups = groups(first);
    let mut source = Sockets::open(groups, on_loopback()).unwrap();
    let of = |source: &str| Options { source: Some(source.parse().unwrap()), ..on_loopback() };
    let mut member = Sockets::open(groups, of(own)).unwrap();
    let mut deaf = Sockets::open(groups, of(other)).unwrap();
    member.join(0).unwrap();
    deaf.join(0).unwrap();
    source.send(&batch(&[(groups.first(), Ecn::NotCapable, 7)])).unwrap();
    assert_eq!((received(&mut member).len(), received(&mut deaf).len()), (1, 0), "{first}");
}

#[test]
fn many_datagrams_go_at_once_and_long_ones_are_cut_off() {
    let groups = groups("239.255.71.3:42073");
    let mut source = Sockets::open(groups, on_loopback()).unwrap();
    let mut member = Sockets::open(groups, Options { longest: 1000, ..on_loopback() }).unwrap();
    (0..2).for_each(|number| member.join(number).unwrap());
    let to = |number| groups.socket(number).unwrap();
    let sent: Vec<_> = (0..200).map(|number| (to(number / 150), Ecn::NotCapable, 972)).collect();
    source.send(&batch(&sent)).unwrap();
    let came = received(&mut member);
    assert_eq!(came.len(), 200);
    assert!(source.cuts_up(), "segmentation works on loopback");
    let in_first = came.iter().filter(|came| came.1 == Some(0)).map(|came| came.4);
    assert!(in_first.eq((0..150).map(|number| number as u8)), "in order");
    assert!(came.iter().all(|came| came.3 == 972 && !came.5));
    source.send(&batch(&[(to(0), Ecn::NotCapable, 1001)])).unwrap();
    assert_eq!(received(&mut member).iter().map(|came| (came.3, came.5)).collect::<Vec<_>>(), [(1000, true)]);
    // Alternating groups go by one call all the same.
    let sent: Vec<_> = (0..130).map(|number| (to(number % 2), Ecn::NotCapable, 100)).collect();
    source.send(&batch(&sent)).unwrap();
    assert_eq!(received(&mut member).len(), 130);
}

#[test]
fn what_does_not_fit_into_a_packet_is_not_sent_and_those_behind_it_wait() {
    let groups = groups("239.255.71.4:42074");
    let mut source = Sockets::open(groups, on_loopback()).unwrap();
    let to = groups.first();
    let sent = batch(&[(to, Ecn::NotCapable, 10), (to, Ecn::NotCapable, 65_530), (to, Ecn::NotCapable, 10)]);
    assert_eq!(source.send(&sent).unwrap_err().first, 1);
}

#[test]
fn what_cannot_be_opened_is_said_in_a_sentence() {
    let v4 = groups("239.255.71.5:42075");
    let named = |name: &str| Options { interface: Some(name.to_owned()), ..Options::default() };
    let said = Sockets::open(v4, named("no-such")).unwrap_err();
    assert!(said.starts_with("there is no interface no-such; legal are ") && said.contains("lo"), "{said}");
    let other = Options { source: Some("::1".parse().unwrap()), ..on_loopback() };
    let said = Sockets::open(v4, other).unwrap_err();
    assert_eq!(said, "the source ::1 and the group 239.255.71.5 are of different families");
}

#[test]
fn an_interface_that_is_there_is_up() {
    let mut sockets = Sockets::open(groups("239.255.71.6:42076"), on_loopback()).unwrap();
    assert_eq!(sockets.watch(Instant(5)), network::Interface::Up);
    // Another one has the name now.
    sockets.interface.index += 1000;
    assert_eq!(sockets.watch(Instant(5)), network::Interface::Up, "it is looked at once a second");
    assert_eq!(sockets.watch(Instant(5) + LOOK), network::Interface::Down);
    assert_eq!(sockets.watch(Instant(5) + LOOK), network::Interface::Up);
}

#[test]
fn sizes_that_no_socket_has_are_refused() {
    let wrong = |change: fn(&mut Options)| {
        let mut options = on_loopback();
        change(&mut options);
        Sockets::open(groups("239.255.71.9:42079"), options).unwrap_err()
    };
    assert_eq!(wrong(|options| options.longest = 0), "longest: 0 B given; legal is 1 B to 65527 B");
    let most = usize::MAX;
    let too_long = format!("longest: {most} B given; legal is 1 B to 65527 B");
    assert_eq!(wrong(|options| options.longest = usize::MAX), too_long);
    assert!(wrong(|options| options.send_buffer = 0).starts_with("send_buffer: 0 B given"));
    let too_wide = format!("receive_buffer: {most} B given; legal is 1 B to 1073741823 B");
    assert_eq!(wrong(|options| options.receive_buffer = usize::MAX), too_wide);
}
