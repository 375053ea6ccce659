//! `faircast keys`: files with keys for a sender and its receivers.

use crate::ending::{Ending, Result};
use crate::options::Options;
use faircast_deliver::keys::make;
use serde_json::json;
use std::path::Path;

/// Draws keys and writes them.
pub fn command(options: &Options) -> Result<Ending> {
    let receivers = options.number("receivers", (1, 1_000_000)).map_err(Ending::Input)?.unwrap_or(1) as u32;
    let folder = &options.words()[0];
    let written = make(Path::new(folder), receivers)?;
    let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    let text = format!("{} for the sender, {} for receivers in {folder}: give each its own", names[0], names.len() - 1);
    Ok(Ending::Done(text, json!({ "sender": names[0], "receivers": names[1..] })))
}
