//! How long receivers are there.
