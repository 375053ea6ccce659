//! Where what is played meets the loop: what sources send, what comes, who starts and stops.

use super::World;
use crate::playout::Playback;
use crate::store::Label;
use faircast_proto::packet::{Address, Packet};
use faircast_proto::playout::Piece;

impl<C> World<C> {
    /// Takes what was seen at receivers out of the run, which is not to go on; nothing if no session is played.
    pub fn take_playback(&mut self) -> Option<Playback> {
        let now = self.now();
        self.playout.take().map(|playout| playout.finish(now))
    }

    /// Says what a packet that an endpoint sends carries of media.
    #[inline(never)]
    pub(super) fn mark_piece(&mut self, endpoint: usize, packet: &Packet, label: Label) {
        let piece = self.piece_of(endpoint, packet);
        self.wires.store.set_piece(label.packet(), piece);
    }

    fn piece_of(&mut self, endpoint: usize, packet: &Packet) -> Piece {
        let Some(playout) = self.playout.as_mut().filter(|playout| playout.is_source(endpoint)) else {
            return Piece::NONE;
        };
        if !packet.is_data() || !packet.destination.is_group() {
            return Piece::NONE;
        }
        let sent = if packet.header.takes_granted() { self.hosts[endpoint].take_sent() } else { None };
        playout.send(self.wires.now, packet.destination.index(), sent)
    }

    /// A packet is handed to an endpoint.
    #[inline(never)]
    pub(super) fn play(&mut self, endpoint: usize, label: Label) {
        let destination: Address = self.wires.store.destination(label.packet());
        if let Some(playout) = &mut self.playout
            && destination.is_group()
            && playout.is_played(endpoint, destination.index())
        {
            let piece = self.wires.store.piece(label.packet());
            playout.arrive(self.wires.now, endpoint, destination.index(), piece);
        }
    }

    /// An endpoint has started.
    pub(super) fn begin_playout(&mut self, endpoint: usize) {
        if let Some(playout) = &mut self.playout {
            playout.start(self.wires.now, endpoint);
        }
    }

    /// An endpoint has stopped, or has sent all that there is.
    pub(super) fn end_playout(&mut self, endpoint: usize) {
        if let Some(playout) = &mut self.playout {
            playout.stop(self.wires.now, endpoint, self.hosts[endpoint].segments_done());
        }
    }
}
