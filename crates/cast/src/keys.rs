//! `faircast keys`: files with keys for a sender and its receivers.

use crate::ending::{Ending, Result};
use crate::usage::Keys;
use faircast_deliver::keys::make;
use serde_json::json;
use std::path::Path;

/// Draws keys and writes them.
pub fn command(options: &Keys, interrupted: &mut dyn FnMut() -> bool) -> Result<Ending> {
    let folder = &options.folder;
    let written = make(Path::new(folder), options.receivers, &mut || !interrupted())?;
    let names: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    let text = format!("{} for the sender, {} for receivers in {folder}: give each its own", names[0], names.len() - 1);
    Ok(Ending::Done(text, json!({ "sender": names[0], "receivers": names[1..] })))
}
