//! What a driver hears: which datagrams are of its session, whose they are, and handing them in.

use super::names::Names;
use super::{Driver, Part, Source};
use crate::content::{Content, Refused};
use crate::directory::OWN;
use crate::network::Arrival;
use faircast_codec::{Decoded, Malformed, decode};
use faircast_proto::endpoint::{Endpoint, Input};
use faircast_proto::group_set::Senders;
use faircast_proto::packet::{Address, Header, Packet};
use faircast_proto::time::Instant;
use std::mem;

impl<E: Endpoint, C: Content> Driver<E, C> {
    /// Takes a datagram that has come: looks whether it is for the endpoint, and hands it in.
    pub(super) fn hear(&mut self, now: Instant, arrived: Instant, arrival: &Arrival<'_>) {
        if arrival.truncated {
            self.counters.truncated += 1;
            return;
        }
        if arrival.group.is_some_and(|number| !self.joined.contains(number)) {
            self.counters.uninvited += 1;
            return;
        }
        let mut scope = Names::of(&self.directory);
        let read = decode(arrival.bytes, &mut scope)
            .and_then(|decoded| Ok((decoded, scope.sender.ok_or(Malformed::Stranger)?)));
        let named = scope.named;
        let (Decoded { mut packet, control, mut payload }, id) = match read {
            Ok(read) => read,
            Err(why) => {
                self.counters.malformed[why.reason()] += 1;
                return;
            }
        };
        if id == self.directory.own_id() {
            self.counters.own += 1;
            return;
        }
        let is_said = self.is_said(&packet, arrival);
        if packet.header.kind() != self.setting.kind && !is_said {
            self.counters.foreign += 1;
            return;
        }
        // Before anything is believed of it, and so before it is known whether the source is this one.
        let mut opened = mem::take(&mut self.sealing);
        if self.content.seal_bytes() > 0 {
            opened.clear();
            opened.extend_from_slice(arrival.bytes);
            match self.content.open(id, &mut opened, arrival.bytes.len() - payload.len()) {
                Ok(range) => payload = &opened[range],
                Err(Refused) => {
                    self.sealing = opened;
                    self.counters.forged += 1;
                    return;
                }
            }
        }
        if is_said || self.is_for_us(id, &packet, arrival) {
            if let Some(source) = self.directory.heard(now, id, arrival.from, packet.sent) {
                self.counters.taken += 1;
                if is_said {
                    self.content.hear(now, id, payload);
                } else {
                    packet.source = source;
                    packet.destination = arrival.group.map_or(OWN, Address::group);
                    if let Some(number) = arrival.group {
                        self.uses[number as usize].takes(packet.size);
                    }
                    packet.ecn = arrival.ecn;
                    self.call(now, Input::Packet { packet: &packet, control: control.as_ref(), arrived });
                    if packet.is_data() {
                        self.content.names(named);
                        self.content.take(now, &packet, payload);
                    }
                }
            } else {
                self.counters.no_room += 1;
            }
        } else {
            self.counters.foreign += 1;
            let is_open = self.setting.part == Part::Member { of: None };
            if is_open && packet.is_data() && arrival.group.is_some() {
                self.others.hear(arrival.from, now);
            }
        }
        self.sealing = opened;
    }

    /// Whether a message is what a member [says](Self::say) to the source, which nobody but members sends to it alone.
    fn is_said(&self, packet: &Packet, arrival: &Arrival<'_>) -> bool {
        let is_datagram = matches!(packet.header, Header::Datagram { .. });
        self.setting.part == Part::Source && arrival.group.is_none() && is_datagram
    }

    /// Whether a message is of this session. A source takes no data. A member takes data, and all that comes in groups
    /// to which the source alone sends, from one source only, and what else there is from anybody who speaks there.
    fn is_for_us(&mut self, id: u64, packet: &Packet, arrival: &Arrival<'_>) -> bool {
        let Part::Member { of } = self.setting.part else { return !packet.is_data() };
        let from_source = match arrival.group {
            Some(number) => self.setting.plan[number as usize].senders == Senders::Source,
            None => true,
        };
        if !from_source && !packet.is_data() {
            return true;
        }
        let this = Source { id, at: arrival.from };
        let is_sealed = self.content.seal_bytes() > 0;
        match self.source {
            // Its seal says whose it is. Somebody may repeat it from elsewhere, even before it came itself: reports go
            // where the newest came from, which nobody has before the source.
            Some(source) if is_sealed && source.id == id => {
                let is_newest = self.directory.near(self.directory.address(id)).is_none_or(|last| last < packet.sent);
                let is_there = arrival.group.is_some() && of.is_none_or(|of| of == arrival.from.ip());
                if source != this && is_newest && is_there {
                    self.source = Some(this);
                    self.directory.moved(id, arrival.from);
                }
                of.is_none_or(|of| of == arrival.from.ip())
            }
            Some(source) => source == this,
            None if arrival.group.is_some() && of.is_none_or(|of| of == arrival.from.ip()) => {
                self.source = Some(this);
                true
            }
            None => false,
        }
    }
}
