//! Sources without congestion control, and the sink that counts what arrives.
//!
//! | file | part |
//! |---|---|
//! | `cbr.rs` | constant bit rate, if wanted with jitter |
//! | `on_off.rs` | constant bit rate during on periods of random length |
//! | `layered.rs` | constant rates in layers, a group for each |
//! | `seen.rs` | which numbers have come |
//! | `spacing.rs` | the nominal time between packets, exact in the long run |
//! | `sink.rs` | counts |

pub mod cbr;
#[cfg(test)]
mod late_tests;
pub mod layered;
#[cfg(test)]
mod layered_tests;
pub mod on_off;
pub(crate) mod seen;
pub mod sink;
mod spacing;
pub(crate) mod subscription;

pub use cbr::Cbr;
pub use on_off::OnOff;
pub use sink::Sink;

use crate::endpoint::Report;
use crate::packet::{Address, Ecn, FlowId, Header, INITIAL_TTL, Packet};
use crate::quantity::Bytes;
use crate::time::{Instant, Rate};
use crate::wire::Layout;

/// Numbers and counts the datagrams of a source.
#[derive(Clone, Debug)]
struct Numbering {
    next: u64,
    /// Numbers that went with packets that were not sent and could not be taken back.
    unsent: u64,
    template: Packet,
}

impl Numbering {
    fn new(packet_size: Bytes, flow: FlowId, own: Address, peer: Address) -> Numbering {
        let template = Packet {
            sent: Instant::ZERO,
            flow,
            source: own,
            destination: peer,
            size: packet_size.0 as u16,
            ttl: INITIAL_TTL,
            ecn: Ecn::NotCapable,
            header: Header::Datagram { sequence: 0 },
        };
        Numbering { next: 0, unsent: 0, template }
    }

    fn next(&mut self, now: Instant) -> Packet {
        let packet = Packet { sent: now, header: Header::Datagram { sequence: self.next }, ..self.template };
        self.next += 1;
        packet
    }

    /// This datagram has not been sent: if it was the last, the next one has its number.
    fn take_back(&mut self, packet: &Packet) {
        match packet.header {
            Header::Datagram { sequence } if sequence + 1 == self.next => self.next = sequence,
            _ => self.unsent += 1,
        }
    }

    fn report(&self) -> Report {
        let sent_pkts = self.next - self.unsent;
        Report { sent_pkts, sent_bytes: sent_pkts * u64::from(self.template.size), ..Report::default() }
    }
}

/// The highest rate of a source: packets must not come so close together that time stands still.
const MOST_RATE: Rate = Rate(1_000_000_000_000);

/// What is wrong with rate and packet size, for `check`; `data` is what its packets are.
fn check_rate_and_size(rate: Rate, packet_size: Bytes, data: &Layout) -> Vec<(String, String)> {
    let mut wrong = Vec::new();
    if rate.0 == 0 {
        wrong.push(("rate".to_owned(), "0 bit/s given; it must be positive".to_owned()));
    }
    if rate > MOST_RATE {
        wrong.push(("rate".to_owned(), format!("{} bit/s given; legal is at most {} bit/s", rate.0, MOST_RATE.0)));
    }
    wrong.extend(data.complaint(packet_size.0).map(|message| ("packet_size".to_owned(), message)));
    wrong
}
