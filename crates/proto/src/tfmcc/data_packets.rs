//! The data packets of a sender: their numbers, and what they say of its rate (RFC 4654 section 2.2.1).

use super::config::Config;
use super::header::{DataHeader, Echo};
use super::quantise;
use super::rate_control::RateControl;
use super::scaling::Scaling;
use crate::packet::{self, Address, Ecn, FlowId, INITIAL_TTL, Packet};
use crate::time::Instant;

/// Puts data packets together, numbered from 0; the number wraps around. One for each group, as each has numbers of its
/// own.
#[derive(Clone, Debug)]
pub struct DataPackets {
    flow: FlowId,
    source: Address,
    group: Address,
    size: u16,
    ecn: Ecn,
    quantise: bool,
    /// Number of the next packet.
    sequence: u32,
    sent_pkts: u64,
}

impl DataPackets {
    /// Packets from `source` to `group`, of the size that `config` says, capable of ECN if it says so. `config` must
    /// have passed [`Config::check`].
    pub fn new(config: &Config, flow: FlowId, source: Address, group: Address) -> DataPackets {
        DataPackets {
            flow,
            source,
            group,
            size: config.packet_size.0 as u16,
            ecn: if config.ecn { Ecn::Capable } else { Ecn::NotCapable },
            quantise: config.quantise,
            sequence: 0,
            sent_pkts: 0,
        }
    }

    /// The next packet, sent at `now`: what it says of `control`, `scaling` and `echo`, in the header that `word` makes
    /// of it. With the parameter `quantise` the numbers are what is left of them on the wire.
    pub fn next(
        &mut self,
        now: Instant,
        control: &RateControl,
        mut scaling: Scaling,
        echo: Option<Echo>,
        word: impl FnOnce(DataHeader, Scaling) -> packet::Header,
    ) -> Packet {
        let mut suppression_bps = control.suppression_bps();
        let mut max_rtt_s = control.max_rtt_s();
        if self.quantise {
            suppression_bps = quantise::decode_rate(quantise::encode_rate(suppression_bps));
            max_rtt_s = quantise::decode_rtt(quantise::encode_rtt(max_rtt_s));
            scaling.equation = quantise::decode_scale(quantise::encode_scale(scaling.equation));
            scaling.receivers = quantise::decode_scale(quantise::encode_scale(scaling.receivers));
        }
        let data = DataHeader {
            sequence: self.sequence,
            suppression_bps: suppression_bps as f32,
            rate_bps: control.rate_bps() as f32,
            max_rtt_us: (max_rtt_s * 1e6 + 0.5) as u32,
            round: control.round(),
            echo,
            starting: control.is_starting(),
            at_once: control.hears_each(),
        };
        self.sequence = self.sequence.wrapping_add(1);
        self.sent_pkts += 1;
        Packet {
            sent: now,
            flow: self.flow,
            source: self.source,
            destination: self.group,
            size: self.size,
            ttl: INITIAL_TTL,
            ecn: self.ecn,
            header: word(data, scaling),
        }
    }

    /// The packet with this number has not been sent: if it was the last, the next one has its number.
    pub fn not_sent(&mut self, sequence: u32) {
        if self.sequence.wrapping_sub(1) == sequence {
            self.sequence = sequence;
        }
        self.sent_pkts = self.sent_pkts.saturating_sub(1);
    }

    /// How many there have been.
    pub fn sent_pkts(&self) -> u64 {
        self.sent_pkts
    }

    /// How many bytes on the wire.
    pub fn sent_bytes(&self) -> u64 {
        self.sent_pkts * u64::from(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::super::header::Header;
    use super::*;
    use crate::quantity::Bytes;

    #[test]
    fn each_group_has_numbers_of_its_own_and_all_say_the_same_of_one_rate() {
        let config = Config { packet_size: Bytes(700), ecn: true, ..Config::default() };
        let (own, at) = (Address::endpoint(3), Instant::from_secs_f64);
        let mut control = RateControl::new(&config);
        control.begin(at(1.0));
        let mut packets = [0, 1].map(|group| DataPackets::new(&config, FlowId(group + 5), own, Address::group(group)));
        packets[0].sequence = u32::MAX;
        let echo = Echo { receiver: Address::endpoint(9), stamp_us: 77, is_clr: true };
        let word = |data, _| Header::Data(data).into();
        let mut numbers = Vec::new();
        for (n, group) in [0, 1, 0, 0, 1].into_iter().enumerate() {
            let now = at(2.0 + n as f64);
            let packet = packets[group].next(now, &control, Scaling::default(), Some(echo), word);
            let packet::Header::Tfmcc(Header::Data(data)) = packet.header else { panic!("{packet:?}") };
            assert_eq!((packet.sent, packet.source, packet.size, packet.ecn), (now, own, 700, Ecn::Capable));
            assert_eq!((packet.destination, packet.flow), (Address::group(group as u32), FlowId(group as u32 + 5)));
            assert_eq!((data.echo, data.round, data.max_rtt_us), (Some(echo), 0, 500_000));
            assert_eq!((data.rate_bps, data.suppression_bps), (11_200.0, f32::INFINITY));
            numbers.push(data.sequence);
        }
        assert_eq!(numbers, [u32::MAX, 0, 0, 1, 1]);
        assert_eq!(packets.map(|packets| (packets.sent_pkts(), packets.sent_bytes())), [(3, 2100), (2, 1400)]);
    }
}
