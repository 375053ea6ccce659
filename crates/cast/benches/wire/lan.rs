//! Hosts on one network of the kernel's own: namespaces, each with an interface to a bridge, where packets to groups
//! are lost at random. The kernel does it all, so it is as fast as a host is.
//!
//! It takes `nft` (Debian's nftables) and a kernel with bridges and veth.

use std::fs;
use std::process::Command;
use std::sync::mpsc;
use std::thread;

/// The name of each host's interface.
pub const INTERFACE: &str = "wire0";

/// A host that does what it is asked to, until its owner lets go of it.
pub struct LanHost {
    orders: mpsc::Sender<Box<dyn FnOnce() + Send>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// A network of hosts, of which the first is where the bridge is.
pub struct Lan {
    hosts: Vec<LanHost>,
}

impl Lan {
    /// So many hosts; what comes from groups is lost at each of the others by itself, a part of `one_in` packets.
    ///
    /// # Errors
    ///
    /// Namespaces, bridges or `nft` are not there: a sentence.
    pub fn new(count: usize, one_in: Option<u32>) -> Result<Lan, String> {
        let first = LanHost::new()?;
        first.ask(|| {
            run("ip link set lo up")?;
            run(&format!("ip link add {INTERFACE} type bridge mcast_snooping 0"))?;
            run(&format!("ip address add 10.78.0.1/24 dev {INTERFACE}"))?;
            // Losses are of packets, and what the kernel would cut up later counts as one.
            run(&format!("ip link set {INTERFACE} gso_max_segs 1 up"))
        })?;
        let mut hosts = vec![first];
        for number in 1..count {
            let host = LanHost::new()?;
            let id = host.ask(|| {
                let own = fs::read_link("/proc/thread-self").map_err(|error| error.to_string())?;
                own.file_name().and_then(|name| name.to_str()).map(str::to_owned).ok_or_else(|| "no thread".to_owned())
            })?;
            hosts[0].ask(move || {
                run(&format!("ip link add v{number} type veth peer name {INTERFACE} netns {id}"))?;
                run(&format!("ip link set v{number} master {INTERFACE} gso_max_segs 1 up"))
            })?;
            host.ask(move || {
                run("ip link set lo up")?;
                run(&format!("ip address add 10.78.0.{}/24 dev {INTERFACE}", number + 1))?;
                run(&format!("ip link set {INTERFACE} up"))?;
                one_in.map_or(Ok(()), lose)
            })?;
            hosts.push(host);
        }
        Ok(Lan { hosts })
    }

    /// Does something on a host, in its thread, and waits for it.
    pub fn on<T: Send + 'static>(&self, host: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
        self.hosts[host].ask(work)
    }
}

/// Loses packets to groups on the loopback interface of the host of this thread.
pub fn lose_here(one_in: u32) -> Result<(), String> {
    run("ip link set lo gso_max_segs 1")?;
    lose(one_in)
}

/// Loses packets to groups that come to the host of this thread.
fn lose(one_in: u32) -> Result<(), String> {
    run("nft add table ip faircast")?;
    run("nft add chain ip faircast in { type filter hook input priority 0; }")?;
    run(&format!("nft add rule ip faircast in ip daddr 224.0.0.0/4 numgen random mod {one_in} < 1 drop"))
}

fn run(words: &str) -> Result<(), String> {
    let mut given = words.split(' ');
    let program = given.next().unwrap_or_default();
    let output = Command::new(program).args(given).output().map_err(|error| format!("no {program} here: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{words} has failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

impl LanHost {
    fn new() -> Result<LanHost, String> {
        let (orders, asked) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        let thread = thread::spawn(move || asked.into_iter().for_each(|order| order()));
        let host = LanHost { orders, thread: Some(thread) };
        host.ask(|| {
            let unshared = nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNET);
            unshared.map_err(|error| format!("no network namespaces here: {}", error.desc()))
        })?;
        Ok(host)
    }

    fn ask<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let (out, answer) = mpsc::channel();
        let order = Box::new(move || drop(out.send(work())));
        self.orders.send(order).expect("its thread goes on until nobody asks any more");
        answer.recv().expect("it answers")
    }
}

impl Drop for LanHost {
    fn drop(&mut self) {
        let (closed, _) = mpsc::channel();
        self.orders = closed;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
