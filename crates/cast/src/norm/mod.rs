//! Files by NORM (RFC 5740): what `send` and `receive` do with `--format norm`.
//!
//! | file | subject |
//! |---|---|
//! | `agreed.rs` | what of the options NORM has |
//! | `files.rs` | the sender's files |
//! | `folder.rs` | the receiver's folder |
//! | `traffic.rs` | datagrams between sockets and either end |
//! | `send.rs`, `receive.rs` | the commands |

mod agreed;
mod files;
mod folder;
mod receive;
mod send;
mod traffic;

pub use receive::command as receive;
pub use send::command as send;
