//! Packet-level network simulator.

pub mod loss;
pub mod queue;
