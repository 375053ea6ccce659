//! Sending many datagrams at once: those of one length to one group as one, which the kernel cuts up (UDP_SEGMENT),
//! others by one call together.

use super::receive::written;
use crate::network::{Batch, Datagram, Unsent};
use faircast_proto::packet::Ecn;
use nix::errno::Errno;
use nix::sys::socket::{ControlMessage, MsgFlags, MultiHeaders, SockaddrStorage, sendmmsg, sendmsg};
use std::io::IoSlice;
use std::net::SocketAddr;
use std::ops::Range;
use std::os::fd::{AsRawFd, OwnedFd};

/// How many datagrams one call sends. Linux cuts one into 64 (`UDP_MAX_SEGMENTS` until 6.9, 128 since).
const AT_ONCE: usize = 64;
/// What all segments together may be: an IP packet before it is cut up, headers of IPv6 included.
const MOST_BYTES: usize = 65_535 - 48;

/// Sends, and remembers whether segmentation is to be had.
#[derive(Debug)]
pub struct Sending {
    headers: MultiHeaders<SockaddrStorage>,
    cuts_up: bool,
}

/// Datagrams of a batch that go by one call.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Run {
    range: Range<usize>,
    /// As one that is cut up; otherwise one by one.
    is_cut_up: bool,
}

impl Sending {
    /// Segmentation is tried.
    pub fn new() -> Sending {
        Sending { headers: MultiHeaders::preallocate(AT_ONCE, None), cuts_up: true }
    }

    /// Whether segmentation works here, as far as is known.
    pub fn cuts_up(&self) -> bool {
        self.cuts_up
    }

    /// Sends a batch by this socket.
    pub fn send(&mut self, socket: &OwnedFd, batch: &Batch) -> Result<(), Unsent> {
        let mut at = 0;
        while at < batch.len() {
            let run = next_run(batch.datagrams(), at, self.cuts_up);
            match self.send_run(socket, batch, &run) {
                Ok(count) => at += count,
                Err(Errno::EINTR) => {}
                // No offload on this way: EIO where checksums are not computed, EINVAL where segments are too long for
                // it, EOPNOTSUPP or ENOPROTOOPT on old kernels.
                Err(Errno::EIO | Errno::EINVAL | Errno::EOPNOTSUPP | Errno::ENOPROTOOPT) if run.is_cut_up => {
                    self.cuts_up = false;
                }
                Err(error) => return Err(Unsent { first: at, why: error.into() }),
            }
        }
        Ok(())
    }

    /// How many of the run have been sent.
    fn send_run(&mut self, socket: &OwnedFd, batch: &Batch, run: &Run) -> nix::Result<usize> {
        let datagrams = &batch.datagrams()[run.range.clone()];
        let (first, last) = (&datagrams[0], &datagrams[datagrams.len() - 1]);
        let flags = MsgFlags::MSG_DONTWAIT;
        if !run.is_cut_up && first.ecn == Ecn::NotCapable && datagrams.len() > 1 {
            let slices: Vec<[IoSlice<'_>; 1]> =
                datagrams.iter().map(|datagram| [IoSlice::new(batch.payload(datagram))]).collect();
            let to: Vec<Option<SockaddrStorage>> = datagrams.iter().map(|datagram| Some(datagram.to.into())).collect();
            return Ok(sendmmsg(socket.as_raw_fd(), &mut self.headers, &slices, to, [], flags)?.count());
        }
        let segment = first.len() as u16;
        let tos = written(first.ecn);
        let class = i32::from(tos);
        let of_segments = run.is_cut_up.then_some(ControlMessage::UdpGsoSegments(&segment));
        let of_ecn = (first.ecn != Ecn::NotCapable).then_some(match first.to {
            SocketAddr::V4(_) => ControlMessage::Ipv4Tos(&tos),
            SocketAddr::V6(_) => ControlMessage::Ipv6TClass(&class),
        });
        let beside: Vec<ControlMessage<'_>> = of_segments.into_iter().chain(of_ecn).collect();
        let (count, payload) = match run.is_cut_up {
            true => (datagrams.len(), batch.payloads(first, last)),
            false => (1, batch.payload(first)),
        };
        let to = SockaddrStorage::from(first.to);
        sendmsg(socket.as_raw_fd(), &[IoSlice::new(payload)], &beside, flags, Some(&to))?;
        Ok(count)
    }
}

/// What goes next, from the datagram `at` on.
fn next_run(datagrams: &[Datagram], at: usize, cuts_up: bool) -> Run {
    let cut_up = if cuts_up { alike(&datagrams[at..]) } else { 1 };
    if cut_up > 1 {
        return Run { range: at..at + cut_up, is_cut_up: true };
    }
    let is_single = |from: usize| !cuts_up || alike(&datagrams[from..]) == 1;
    let has_no_bits = |from: usize| datagrams[from].ecn == Ecn::NotCapable;
    let most = datagrams.len().min(at + AT_ONCE);
    let more = (at + 1..most).take_while(|&from| has_no_bits(at) && has_no_bits(from) && is_single(from)).count();
    Run { range: at..at + 1 + more, is_cut_up: false }
}

/// How many at the front are of one length, the last at most as long, and go to the same place.
fn alike(datagrams: &[Datagram]) -> usize {
    let first = &datagrams[0];
    if first.is_empty() {
        return 1;
    }
    let (mut count, mut bytes) = (1, first.len());
    for datagram in datagrams[1..].iter().take(AT_ONCE - 1) {
        bytes += datagram.len();
        let goes_along = (datagram.to, datagram.ecn) == (first.to, first.ecn) && !datagram.is_empty();
        if !goes_along || datagram.len() > first.len() || bytes > MOST_BYTES {
            break;
        }
        count += 1;
        if datagram.len() < first.len() {
            break;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Datagrams by group, length and bits.
    fn batch(datagrams: &[(u8, usize, Ecn)]) -> Batch {
        let mut batch = Batch::default();
        for &(group, length, ecn) in datagrams {
            let to = SocketAddr::from(([239, 0, 0, group], 5000));
            let write = |bytes: &mut Vec<u8>| {
                bytes.resize(bytes.len() + length, group);
                Ok::<(), ()>(())
            };
            batch.push((to, ecn), write).unwrap();
        }
        batch
    }

    /// The lengths of the runs, those that are cut up negative.
    fn runs(datagrams: &[(u8, usize, Ecn)], cuts_up: bool) -> Vec<i32> {
        let batch = batch(datagrams);
        let (mut at, mut runs) = (0, Vec::new());
        while at < batch.len() {
            let run = next_run(batch.datagrams(), at, cuts_up);
            at = run.range.end;
            runs.push(run.range.len() as i32 * if run.is_cut_up { -1 } else { 1 });
        }
        runs
    }

    #[test]
    fn equal_datagrams_go_as_one_and_others_together() {
        let (none, capable) = (Ecn::NotCapable, Ecn::Capable);
        assert_eq!(runs(&[(1, 900, none); 5], true), [-5]);
        assert_eq!(runs(&[(1, 900, none); 5], false), [5]);
        assert_eq!(runs(&[(1, 900, capable); 3], false), [1, 1, 1], "bits go with one datagram each");
        assert_eq!(runs(&[(1, 900, none); 150], true), [-64, -64, -22]);
        assert_eq!(runs(&[(1, 900, none); 150], false), [64, 64, 22]);
        // The last may be shorter, a longer one begins anew.
        assert_eq!(runs(&[(1, 900, none), (1, 900, none), (1, 40, none), (1, 900, none)], true), [-3, 1]);
        assert_eq!(runs(&[(1, 40, none), (1, 900, none), (1, 900, none)], true), [1, -2]);
        // Several groups, and other bits.
        assert_eq!(runs(&[(1, 900, none), (2, 900, none), (1, 900, none)], true), [3]);
        assert_eq!(runs(&[(1, 900, none), (2, 900, none), (2, 900, none)], true), [1, -2]);
        assert_eq!(runs(&[(1, 900, none), (1, 900, capable), (1, 900, capable)], true), [1, -2]);
        // No more than IP's 16 bits hold, and nothing empty is cut up.
        assert_eq!(runs(&[(1, 8000, none); 9], true), [-8, 1]);
        assert_eq!(runs(&[(1, 0, none), (1, 0, none), (1, 5, none)], true), [3]);
    }

    #[test]
    fn bits_come_back_as_they_were_written() {
        for ecn in [Ecn::NotCapable, Ecn::Scalable, Ecn::Capable, Ecn::Moderate] {
            assert_eq!(super::super::receive::read(0xb8 | written(ecn)), ecn);
        }
        assert_eq!(written(Ecn::Incipient), 3);
    }
}
