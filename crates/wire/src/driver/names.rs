//! A driver's directory as the codec asks it.

use crate::directory::{Directory, OWN};
use faircast_codec::Scope;
use faircast_proto::packet::Address;
use faircast_proto::time::Instant;
use faircast_proto::wire::coding;

/// The directory, as the codec asks it. Whoever is not known is a stranger there: who is taken in is decided when a
/// message has been read as a whole and is of the session.
pub(super) struct Names<'a> {
    directory: &'a Directory,
    /// Whose message it is.
    pub(super) sender: Option<u64>,
    /// Whom it names last, by id, or by number in RTP.
    pub(super) named: Option<u64>,
}

impl<'a> Names<'a> {
    /// Nothing has been read.
    pub(super) fn of(directory: &'a Directory) -> Names<'a> {
        Names { directory, sender: None, named: None }
    }

    /// The sender is known by this id, or by this number in RTP, of which there are 32 bits.
    fn says(&mut self, id: u64) -> Option<Address> {
        self.sender = Some(id);
        Some(self.directory.address(id))
    }
}

impl coding::Directory for Names<'_> {
    fn id(&self, address: Address) -> u64 {
        self.directory.id(address)
    }

    fn address(&mut self, id: u64) -> Option<Address> {
        self.says(id)
    }

    fn named(&mut self, id: u64) -> Option<Address> {
        self.named = Some(id);
        Some(self.directory.address(id))
    }
}

impl Scope for Names<'_> {
    fn near(&self, sender: Address) -> Option<Instant> {
        self.directory.near(sender)
    }

    fn rtp_source(&mut self, ssrc: u32) -> Option<Address> {
        self.says(ssrc.into())
    }

    fn rtp_receiver(&mut self, ssrc: u32) -> Option<Address> {
        self.says(ssrc.into())
    }

    fn rtp_named(&mut self, ssrc: u32) -> Option<Address> {
        self.named = Some(ssrc.into());
        let is_own = self.directory.own_id() as u32 == ssrc;
        Some(if is_own { OWN } else { self.directory.address(ssrc.into()) })
    }
}
