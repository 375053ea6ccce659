//! TCP as a kind of flow.

use super::config::Config;
use super::receiver::Receiver;
use super::sender::Sender;
use crate::endpoint::EventKind;
use crate::flow_kind::{FlowKind, FlowSeat};
use crate::time::{Duration, Rate};

impl FlowKind for Config {
    type Sender = Box<Sender>;
    type Receiver = Receiver;

    fn check(&self) -> Vec<(String, String)> {
        self.check()
    }

    fn events(&self) -> &'static [&'static EventKind] {
        super::events::ALL
    }

    fn packet_bytes(&self) -> u64 {
        self.segment_bytes()
    }

    fn peak_rate(&self) -> Option<Rate> {
        None
    }

    fn fixed_rate_bps(&self) -> Option<f64> {
        None
    }

    fn answer_bytes(&self) -> u64 {
        self.ack_size.0
    }

    fn send_jitter(&self) -> Duration {
        self.send_jitter
    }

    fn transfer_bytes(&self) -> Option<u64> {
        Some(u64::from(self.segments?).saturating_mul(self.segment_bytes()))
    }

    fn first_pkts(&self) -> f64 {
        self.initial_cwnd.0
    }

    fn window_pkts(&self) -> Option<f64> {
        self.wnd.map(|wnd| wnd.0)
    }

    fn sender(&self, seat: &FlowSeat<'_>) -> Box<Sender> {
        let &FlowSeat { flow, sender, receiver, .. } = seat;
        let sender = Sender::new(self, flow, sender, receiver, seat.random("jitter"));
        Box::new(sender.with_clock_phase(self, seat.random("tick")))
    }

    fn receiver(&self, seat: &FlowSeat<'_>) -> Receiver {
        Receiver::new(self, seat.flow, seat.receiver, seat.sender)
    }
}
