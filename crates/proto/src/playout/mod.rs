//! A player at a receiver: from the packets that come to what a viewer sees.
//!
//! Media come in segments of one length, in one layer or several. Which packet belongs to which segment its payload
//! says, a [`Piece`]; in packets without payload it travels beside them. The source keeps an account of what it has put
//! into each segment, [`Media`]; a [`Player`] is fed with the pieces that come, and writes down segment by segment what
//! was seen and when the picture stood still, as [`Shown`]. Nobody of them has a timer: what was due in the meantime is
//! caught up on when the next packet comes, in the order of its times.
//!
//! | file | part |
//! |---|---|
//! | `config.rs` | the parameters |
//! | `piece.rs` | what a packet carries of them |
//! | `film.rs` | the packets of media that have a rate, and which segment each is of |
//! | `media.rs` | what the source has put into each segment |
//! | `received.rs` | what a receiver has of them |
//! | `player.rs` | when which segment is shown |

mod config;
mod film;
mod media;
mod piece;
mod player;
#[cfg(test)]
mod player_tests;
mod received;

pub use config::{Config, Kind, MOST_PACKETS, MediaRate, Repair};
pub use film::{Film, Sent};
pub use media::Media;
pub use piece::Piece;
pub use player::{Player, Shown};
