//! What of the options NORM has.

use crate::agreed::{Agreed, draw_id};
use crate::ending::{Ending, Result};
use crate::usage::{Shared, Written};
use faircast_norm::NOBODY;
use std::net::SocketAddr;

/// Reads the options of a session of NORM: its group, packets and greatest rate. There are no keys in it, TFMCC is the
/// only scheme, and its parameters are those of the messages.
pub fn agreed(
    options: &Shared,
    written: &Written,
    keyed: bool,
    (to, first): (&str, SocketAddr),
    max_rate: Option<&str>,
) -> Result<Agreed> {
    if keyed || !options.open {
        let given = if keyed { "--keys is given" } else { "--open is not given" };
        let sentence = format!("--format norm: standard formats have no keys; {given}, legal is --open without --keys");
        return Err(Ending::Input(sentence));
    }
    if let Some(scheme) = options.scheme.as_deref().filter(|scheme| *scheme != "tfmcc") {
        let sentence = format!("--scheme {scheme:?} given with --format norm; legal is tfmcc, which is NORM's");
        return Err(Ending::Input(sentence));
    }
    if let Some((key, value)) = options.set.first() {
        let given = format!("{key}={value}");
        let sentence = format!("--set {given:?} given with --format norm, which has no parameters; legal is none");
        return Err(Ending::Input(sentence));
    }
    if let Some(folder) = &written.results {
        let sentence = format!("--results {folder:?} given with --format norm, which has no tables; legal is none");
        return Err(Ending::Input(sentence));
    }
    Agreed::read(options, keyed, (to, first), max_rate)
}

/// A number that most likely nobody else has, and 16 bits more.
pub fn draw() -> Result<(u32, u16)> {
    loop {
        let drawn = draw_id()?;
        let node = drawn as u32;
        if !NOBODY.contains(&node) {
            return Ok((node, (drawn >> 32) as u16));
        }
    }
}
