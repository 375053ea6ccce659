//! What tests feed to the codec: a directory of everybody, packets that mean nothing, and what must hold of any bytes.

use crate::{Decoded, Directory, Scope, decode, decode_between_neighbours, encode};
use faircast_proto::control::Control;
use faircast_proto::mlda::rtcp::{Bye, Echo, LayerLine, ReceiverReport, SenderReport};
use faircast_proto::mlda::{self, rtcp};
use faircast_proto::packet::{Address, Header, MembershipMessage, Packet};
use faircast_proto::random::Random;
use faircast_proto::testing::anything;
use faircast_proto::time::Instant;

/// Everybody has an id; the source of session s is endpoint s. Of senders it knows one moment.
#[derive(Clone, Copy, Debug)]
pub struct Everybody {
    /// The moment.
    pub near: Option<Instant>,
}

/// The upper half of all ids.
const UPPER: u64 = 0xfa1c_0a57;

impl Directory for Everybody {
    fn id(&self, address: Address) -> u64 {
        UPPER << 32 | u64::from(address.to_bits().wrapping_add(1))
    }

    fn address(&mut self, id: u64) -> Option<Address> {
        (id >> 32 == UPPER).then(|| Address::from_bits((id as u32).wrapping_sub(1)))
    }

    fn session_id(&self, session: u32) -> u64 {
        self.id(Address::from_bits(session))
    }

    fn session(&mut self, id: u64) -> Option<u32> {
        self.address(id).map(Address::to_bits)
    }
}

impl Scope for Everybody {
    fn near(&self, _sender: Address) -> Option<Instant> {
        self.near
    }

    fn rtp_source(&mut self, _ssrc: u32) -> Option<Address> {
        Some(Address::endpoint(0))
    }

    fn rtp_receiver(&mut self, ssrc: u32) -> Option<Address> {
        Some(Address::from_bits(ssrc.wrapping_sub(1)))
    }
}

/// Any packet at all that is sent by UDP or between neighbours, with the message beside it if it has one.
pub fn wild(random: &mut Random, sequence: &mut u32) -> (Packet, Option<Control>) {
    loop {
        let mut packet = anything(random, Instant(1_000_000_000_000), Address::group(0), sequence);
        match &mut packet.header {
            Header::Tcp(_) => continue,
            Header::Membership { what, .. } if random.uniform() < 0.5 => *what = MembershipMessage::Acknowledge,
            Header::Mlda(mlda::Header::Data(_)) => packet.source = Address::endpoint(0),
            _ => {}
        }
        let control = match packet.header {
            Header::Mlda(header) => report(random, header, &mut packet),
            _ => None,
        };
        return (packet, control);
    }
}

/// A message of RTCP for the header, if it is of one. The packet was sent when it says.
fn report(random: &mut Random, header: mlda::Header, packet: &mut Packet) -> Option<Control> {
    let receiver = packet.source.to_bits();
    let mut word = || (random.uniform() * f64::from(u32::MAX)) as u32;
    let octets = match header {
        mlda::Header::Data(_) => return None,
        mlda::Header::SenderReport { number } => {
            packet.source = Address::endpoint(0);
            let layers = 1 + word() as usize % 5;
            SenderReport {
                ssrc: word(),
                number,
                extra: word() & 1 == 1,
                ntp: u64::from(word()) << 32 | u64::from(word()),
                rtp_timestamp: crate::stamp::stamp(packet.sent),
                packets: word(),
                octets: word(),
                feedback_spread_us: word() % 10_000 * 100,
                layers: (0..layers)
                    .map(|_| LayerLine { rate_bps: word() as f32, first_sequence: word() as u16 })
                    .collect(),
                echoes: (0..word() % 9)
                    .map(|_| Echo { receiver: word() >> 1, stamp_us: word(), hold_us: word() })
                    .collect(),
            }
            .encode()
        }
        mlda::Header::ReceiverReport { number } => ReceiverReport {
            ssrc: receiver,
            source: word(),
            number,
            rate_bps: word() as f32,
            loss: 0.25,
            rtt_us: word() >> 1,
            stamp_us: crate::stamp::stamp(packet.sent),
            fraction_lost: word() as u8,
            cumulative_lost: word() as i32 >> 8,
            highest_sequence: word(),
            jitter: word(),
            last_sr: word(),
            delay_since_sr: word(),
        }
        .encode(),
        mlda::Header::Bye => Bye { ssrc: receiver }.encode(),
    };
    Some(octets.into())
}

/// The most bytes that reading takes at one time: a message that nobody has sent must not take more by what it says.
/// Our own messages, NORM's and LCT's take none.
pub mod most_allocated {
    /// By reports of RTCP: their lines, and their bytes twice, as they are written again for another number.
    pub const fn by_reports(bytes: usize) -> u64 {
        3 * bytes as u64 + 64
    }

    /// By a table of files: a file that says nothing but its name is 36 bytes there and ten times that here, in a list
    /// that grows by doubling.
    pub const fn by_table(bytes: usize) -> u64 {
        32 * bytes as u64 + 1024
    }
}

/// What must hold of any bytes at all: that they are refused, or read as something that is written and read again as it
/// is. Whether they were read.
///
/// # Panics
/// If it does not hold.
pub fn hold(bytes: &[u8]) -> bool {
    let mut scope = Everybody { near: Some(Instant(1 << 50)) };
    let udp = decode(bytes, &mut scope).map(|decoded| again(&decoded, bytes, false));
    let neighbours = decode_between_neighbours(bytes, &mut scope).map(|decoded| again(&decoded, bytes, true));
    assert!(udp.is_err() || neighbours.is_err(), "two ways to read {bytes:?}");
    if let Ok(message) = rtcp::decode(bytes) {
        assert!(!format!("{message:?}").is_empty());
    }
    udp.is_ok() || neighbours.is_ok()
}

fn again(decoded: &Decoded<'_>, bytes: &[u8], between_neighbours: bool) {
    let mut scope = Everybody { near: Some(Instant(1 << 50)) };
    let mut written = Vec::new();
    let length = encode(&decoded.packet, decoded.control.as_ref(), &scope, &mut written);
    // The numbers of RTCP are shorter than ids, so that there it may be that somebody has none.
    let Ok(length) = length else {
        assert!(decoded.control.is_some(), "read, but not written: {decoded:?}");
        return;
    };
    assert!(decoded.payload.len() + length <= bytes.len() && written.len() == length, "{decoded:?}");
    written.extend_from_slice(decoded.payload);
    let read =
        if between_neighbours { decode_between_neighbours(&written, &mut scope) } else { decode(&written, &mut scope) };
    let read = read.expect("what was written is read");
    // Compared as text, as one of the numbers may be none.
    let said = |decoded: &Decoded<'_>| format!("{:?} {:?}", decoded.packet.header, decoded.packet.sent);
    assert_eq!((said(&read), &read.control), (said(decoded), &decoded.control));
    assert_eq!((read.packet.source, read.payload), (decoded.packet.source, decoded.payload));
}
