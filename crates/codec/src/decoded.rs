//! What reading gives and asks for, whatever the format.

use crate::stamp;
use faircast_proto::control::Control;
use faircast_proto::packet::{Address, Ecn, FlowId, Header, Packet};
use faircast_proto::time::Instant;
use faircast_proto::wire::coding::Directory;

/// What reading asks of a driver.
pub trait Scope: Directory {
    /// A moment on the clock of a sender, by which its stamp is completed: less than 35 minutes from the packet's, as
    /// the latest is that has come in a packet that the driver believes. `None`: its first.
    fn near(&self, sender: Address) -> Option<Instant>;

    /// The address of the source that sends under this number in RTP, which it has drawn itself. There is one in a
    /// session as a rule, known by the address of its socket. `None`: it is not expected here.
    fn rtp_source(&mut self, ssrc: u32) -> Option<Address> {
        let _ = ssrc;
        None
    }

    /// The address of the receiver that reports under this number in RTCP, which are the lower 32 bits of its id; a
    /// driver may make one.
    fn rtp_receiver(&mut self, ssrc: u32) -> Option<Address> {
        let _ = ssrc;
        None
    }

    /// The address of the receiver that a sender report names by this number; a driver makes none. `None`: somebody
    /// unknown.
    fn rtp_named(&mut self, ssrc: u32) -> Option<Address> {
        self.rtp_receiver(ssrc)
    }
}

/// A message that has been read.
#[derive(Clone, Debug)]
pub struct Decoded<'a> {
    /// What it says, who sent it and when; its size with IP and UDP. Flow, destination, hops and congestion bits the
    /// driver knows from elsewhere: they are 0, [`Address::STRANGER`], 0 and [`Ecn::NotCapable`] here.
    pub packet: Packet,
    /// The message beside it, of RTCP.
    pub control: Option<Control>,
    /// What stands behind the message: data, and what a driver has added, such as a tag.
    pub payload: &'a [u8],
}

/// A packet as it is read, without what the driver knows from elsewhere.
pub(crate) fn packet(header: Header, size: u16, source: Address, sent: Instant) -> Packet {
    let destination = Address::STRANGER;
    Packet { sent, flow: FlowId(0), source, destination, size, ttl: 0, ecn: Ecn::NotCapable, header }
}

/// The moment of a stamp of this sender.
pub(crate) fn moment(stamp: u32, sender: Address, scope: &impl Scope) -> Instant {
    scope.near(sender).map_or_else(|| stamp::first(stamp), |near| stamp::unwrap(stamp, near))
}
