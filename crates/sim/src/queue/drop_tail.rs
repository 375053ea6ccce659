//! Drop-tail: a packet that finds no room is dropped.

use super::discipline::{Discipline, DropReason, InterfaceView, LinkContext, Verdict};
use super::room::{Room, check_limit};
use faircast_proto::packet::Packet;
use faircast_proto::quantity::QueueSize;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A drop-tail queue.
#[derive(Clone, Debug)]
pub struct DropTail {
    room: Room,
}

/// Parameters of a drop-tail queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DropTail")]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The most that the queue holds, in packets or in bytes. Default "50 packets" (ns-2).
    pub limit: QueueSize,
    /// Whether the limit counts the packet in transmission: of 50 packets 49 wait (ns-2). A limit in bytes then
    /// admits a packet if the bytes waiting and its own are less than the limit, otherwise if they are not more.
    /// Default true (ns-2).
    pub count_transmission: bool,
}

impl DropTail {
    /// A drop-tail queue as `config` says.
    pub fn new(config: &Config, _link: LinkContext) -> DropTail {
        let room =
            if config.count_transmission { Room::waiting_below(config.limit) } else { Room::waiting(config.limit) };
        DropTail { room }
    }
}

impl Discipline for DropTail {
    #[inline]
    fn arrive(&mut self, packet: &Packet, at: &InterfaceView) -> Verdict {
        if self.room.admits(packet.size, at) { Verdict::Accept } else { Verdict::Drop(DropReason::Overflow) }
    }

    fn sure_room_pkts(&self) -> u32 {
        self.room.sure_pkts()
    }
}

impl Config {
    /// Every field with an illegal value, and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        check_limit(self.limit).into_iter().collect()
    }

    #[cfg(test)]
    pub(super) fn samples() -> Vec<Config> {
        let packets = [1.0, 10.0].map(QueueSize::Packets);
        let bytes = [700, 12_000].map(QueueSize::Bytes);
        let limits = [packets[0], packets[1], bytes[0], bytes[1]];
        let with = |count_transmission| limits.map(|limit| Config { limit, count_transmission });
        [with(true), with(false)].concat()
    }
}

impl Default for Config {
    fn default() -> Config {
        Config { limit: QueueSize::Packets(50.0), count_transmission: true }
    }
}

#[cfg(test)]
mod tests {
    use super::super::battery::{link, packet, view};
    use super::*;
    use faircast_proto::packet::Ecn;

    /// How many packets of 1000 bytes are accepted by a busy interface from which nothing departs.
    fn held(limit: QueueSize, count_transmission: bool) -> u32 {
        let mut queue = DropTail::new(&Config { limit, count_transmission }, link(1));
        let accepts =
            |waiting: &u32| queue.arrive(&packet(1000, Ecn::NotCapable), &view(*waiting, 1000)) == Verdict::Accept;
        (0..).take_while(accepts).count() as u32
    }

    #[test]
    fn a_limit_of_ten_counts_the_packet_in_transmission() {
        assert_eq!(held(QueueSize::Packets(10.0), true), 9);
        assert_eq!(held(QueueSize::Packets(10.0), false), 10);
    }

    #[test]
    fn a_limit_in_bytes_holds_as_many_equal_packets_as_one_in_packets() {
        assert_eq!(held(QueueSize::Bytes(10_000), true), 9);
        assert_eq!(held(QueueSize::Bytes(10_000), false), 10);
        assert_eq!(held(QueueSize::Bytes(10_999), false), 10);
    }

    #[test]
    fn an_idle_interface_takes_any_packet() {
        for limit in [QueueSize::Packets(1.0), QueueSize::Bytes(100)] {
            let mut queue = DropTail::new(&Config { limit, ..Config::default() }, link(1));
            let at = InterfaceView { transmitting: false, ..view(0, 1000) };
            assert_eq!(queue.arrive(&packet(1500, Ecn::NotCapable), &at), Verdict::Accept);
            assert_eq!(
                queue.arrive(&packet(1500, Ecn::NotCapable), &view(0, 1000)),
                Verdict::Drop(DropReason::Overflow),
                "{limit:?} leaves nothing to wait in"
            );
        }
    }
}
