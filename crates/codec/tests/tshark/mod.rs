//! Debian's tshark, by which packets are dissected.

use std::path::PathBuf;
use std::process::Command;

/// Whether it is there; it is said if a test is left out without it.
pub fn is_there() -> bool {
    let Ok(version) = Command::new("tshark").arg("--version").output() else {
        println!("left out: there is no tshark (Debian's package of that name), by which packets are dissected");
        return false;
    };
    assert!(version.status.success());
    true
}

/// What it says of these fields of UDP payloads, each to its port, packet by packet, when called with these words. The
/// packets stay in a file of this name.
pub fn read<'a>(
    name: &str,
    payloads: impl Iterator<Item = (u16, &'a [u8])>,
    words: &[String],
    fields: &[String],
) -> Vec<Vec<String>> {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, pcap(payloads)).expect("it can be written");
    let mut command = Command::new("tshark");
    command.arg("-r").arg(&file).args(["-n", "-T", "fields", "-E", "separator=|", "-E", "occurrence=a"]).args(words);
    fields.iter().for_each(|field| _ = command.arg("-e").arg(field));
    let output = command.output().expect("tshark runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect()
}

/// A file of these UDP payloads, each to its port, as packets of IPv4 without anything below (link type 101).
fn pcap<'a>(payloads: impl Iterator<Item = (u16, &'a [u8])>) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_c3d4, 2 | 4 << 16, 0, 0, 65_535, 101_u32] {
        file.extend(word.to_le_bytes());
    }
    for (n, (port, payload)) in payloads.enumerate() {
        let length = 28 + payload.len() as u16;
        for word in [n as u32, 0, u32::from(length), u32::from(length)] {
            file.extend(word.to_le_bytes());
        }
        let mut ip = [0x45, 0, 0, 0, 0, 0, 0, 0, 1, 17, 0, 0, 192, 0, 2, 1, 239, 1, 2, 3];
        ip[2..4].copy_from_slice(&length.to_be_bytes());
        let sum: u32 = ip.chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
        let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
        ip[10..12].copy_from_slice(&sum.to_be_bytes());
        file.extend(ip);
        // Without a checksum, which is 0 then (RFC 768).
        [port + 1000, port, length - 20, 0].iter().for_each(|half| file.extend(half.to_be_bytes()));
        file.extend_from_slice(payload);
    }
    file
}
