//! Hosts: threads, each with a network namespace of its own, in which is nothing but a tunnel to the emulator.
//!
//! A namespace without a name is gone when its thread has ended and the tunnel is closed, also after a kill.

use nix::sched::{CloneFlags, unshare};
use std::net::Ipv4Addr;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use tun_rs::{DeviceBuilder, Layer, SyncDevice};

/// The name of each host's only interface but `lo`.
pub const INTERFACE: &str = "wire0";

/// The address of the host with this number.
pub fn address(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 77, 0, number)
}

/// A host whose thread does `work` once its tunnel is connected.
pub struct Host<T> {
    /// The other end of its tunnel.
    pub device: SyncDevice,
    begin: mpsc::Sender<()>,
    thread: thread::JoinHandle<T>,
}

/// What is left of a host when its tunnel has been handed over.
pub struct Started<T>(mpsc::Sender<()>, thread::JoinHandle<T>);

/// Makes the host with this number.
///
/// # Errors
///
/// What namespaces or tunnels need is not there: a sentence.
pub fn host<T: Send + 'static>(number: u8, work: impl FnOnce() -> T + Send + 'static) -> Result<Host<T>, String> {
    let (begin, begun) = mpsc::channel();
    let (out, came) = mpsc::channel();
    let thread = thread::spawn(move || {
        let is_ready = out.send(connect(number)).is_ok();
        // The sender is gone where nothing begins.
        assert!(is_ready && begun.recv().is_ok(), "the test has given up");
        work()
    });
    let device = came.recv().map_err(|_| "a host has ended early".to_owned())??;
    Ok(Host { device, begin, thread })
}

impl<T> Host<T> {
    /// Parts with the tunnel.
    pub fn connected(self) -> (SyncDevice, Started<T>) {
        (self.device, Started(self.begin, self.thread))
    }
}

impl<T> Started<T> {
    /// Lets it work.
    pub fn begin(&self) {
        self.0.send(()).expect("it waits for this");
    }

    /// What it came to.
    pub fn join(self) -> T {
        self.1.join().expect("no test failed there")
    }
}

/// Moves this thread into a namespace of its own and makes its tunnel.
fn connect(number: u8) -> Result<SyncDevice, String> {
    unshare(CloneFlags::CLONE_NEWNET).map_err(|error| format!("no network namespaces here: {}", error.desc()))?;
    let device = DeviceBuilder::new().name(INTERFACE).layer(Layer::L3).offload(false).build_sync();
    let device = device.map_err(|error| format!("no tunnels here: {error}"))?;
    device.set_nonblocking(true).map_err(|error| error.to_string())?;
    let own = format!("{}/24", address(number));
    for command in [
        &["link", "set", "lo", "up"][..],
        &["address", "add", &own, "dev", INTERFACE],
        &["link", "set", INTERFACE, "multicast", "on", "up"],
    ] {
        let status = Command::new("ip").args(command).status().map_err(|error| format!("no iproute2 here: {error}"))?;
        if !status.success() {
            return Err(format!("ip {} has failed", command.join(" ")));
        }
    }
    Ok(device)
}
