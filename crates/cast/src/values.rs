//! Values of options: what is legal is said, and what was given by whoever asks.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

/// A number of receivers for which there are keys.
pub fn receivers(text: &str) -> Result<u32, String> {
    whole(text, 1, 1_000_000).map(|number| number as u32)
}

/// Bytes of a packet.
pub fn packet_bytes(text: &str) -> Result<u64, String> {
    let (least, most) = PACKETS;
    whole(text, least, most)
}

/// A number of hops.
pub fn hops(text: &str) -> Result<u8, String> {
    whole(text, 1, 255).map(|number| number as u8)
}

/// Legal packets: below, there is no room for a symbol; above, hosts would have to be asked for more memory.
const PACKETS: (u64, u64) = (256, 9000);

fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("legal is {least} to {most}"))
}

/// A length of time in seconds.
pub fn seconds(text: &str) -> Result<Duration, String> {
    seconds_to(text, 1e6)
}

/// How long a block of a stream is kept.
pub fn delay(text: &str) -> Result<Duration, String> {
    seconds_to(text, 1e3)
}

fn seconds_to(text: &str, most: f64) -> Result<Duration, String> {
    let seconds = text.strip_suffix('s').unwrap_or(text).trim_end().parse::<f64>().ok();
    let legal = seconds.filter(|seconds| (0.1..=most).contains(seconds)).map(Duration::from_secs_f64);
    legal.ok_or_else(|| format!("legal is 0.1 to {most} seconds"))
}

/// An address and a port; whether it is one of a group is looked at later.
pub fn group(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "legal is a group and a port, as 239.1.2.3:5000".to_owned())
}

/// The address of a host.
pub fn address(text: &str) -> Result<IpAddr, String> {
    let host = text.parse().ok().filter(|address: &IpAddr| !address.is_multicast() && !address.is_unspecified());
    host.ok_or_else(|| "legal is the address of a host, as 192.0.2.1".to_owned())
}

/// The name of a file or of a folder.
pub fn name(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("legal is a name that is not empty".to_owned()) } else { Ok(text.to_owned()) }
}

/// A key and its value.
pub fn setting(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    parts.ok_or_else(|| "legal is KEY=VALUE".to_owned())
}
