//! Files over IPv6, from a host to itself by a group and addresses of the link alone. It is a host of a namespace, as
//! loopback interfaces have no route for groups of IPv6.

use super::{Place, RECEIVERS};
use crate::host::{INTERFACE, host};
use faircast_wire::groups::Groups;
use faircast_wire::network::Network as _;
use faircast_wire::sockets::{Options, Sockets};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

const GROUP: &str = "[ff12::78:1]:5000";

#[test]
#[ignore = "needs root: make test-wire"]
fn files_go_over_ipv6_in_packets_of_1280_bytes() {
    let place = Place::new("ipv6");
    let (content, folder) = (place.file(300_000), place.0.clone());
    let (device, host) = match host(9, move || session(&folder)) {
        Ok(host) => host.connected(),
        Err(why) => return println!("files over IPv6 left out: {why}"),
    };
    host.begin();
    let longest = host.join();
    drop(device);
    for number in RECEIVERS {
        assert!(place.received(number) == content, "the file of {number} is another one");
    }
    // 40 bytes of IPv6 and 8 of UDP; there is room for the longest header of all schemes, and symbols are whole words.
    assert!((1264..=1280).contains(&(longest + 48)), "{longest} bytes of UDP");
}

/// A file to both receivers, sealed: the most bytes of a datagram of the source.
fn session(folder: &Path) -> usize {
    let run = |words: &str| -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_faircast"));
        command.args(words.split_whitespace()).current_dir(folder).stdout(Stdio::null());
        command.spawn().expect("the program is there")
    };
    assert!(run("keys keys --receivers 2").wait().expect("a child").success());
    let where_to = format!("{GROUP} --interface {INTERFACE} --patience 60");
    let listens =
        |(number, key): (u8, u8)| run(&format!("receive {number} --from {where_to} --keys keys/receiver-{key}.key"));
    let mut receivers = [(RECEIVERS[0], 1), (RECEIVERS[1], 2)].map(listens);
    let groups = Groups::new(GROUP.parse().expect("a group"), 1).expect("one group");
    let options = Options { interface: Some(INTERFACE.to_owned()), ..Options::default() };
    let mut listener = Sockets::open(groups, options).expect("the host has just been made");
    listener.join(0).expect("a membership");
    let mut sender = run(&format!("send film --to {where_to} --keys keys/sender.key --max-rate 3Mbit/s"));
    let mut longest = 0;
    while sender.try_wait().expect("a child").is_none() {
        while listener.receive(&mut |arrival| longest = longest.max(arrival.bytes.len())) {}
        thread::sleep(Duration::from_millis(5));
    }
    for ended in receivers.iter_mut().chain([&mut sender]) {
        assert!(ended.wait().expect("a child").success());
    }
    longest
}
