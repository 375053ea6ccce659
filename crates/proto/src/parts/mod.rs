//! Formulas that several protocols share: pure functions, tested against numbers computed by hand.

pub mod throughput_equation;
