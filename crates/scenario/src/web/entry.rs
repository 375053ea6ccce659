//! The web traffic of a network.

use super::sizes::Sizes;
use crate::network::pep::NetworkPep;
use faircast_proto::tcp;
use faircast_proto::time::Duration;
use std::sync::Arc;

/// Web traffic of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkWeb {
    /// Its name.
    pub name: String,
    /// Between which nodes.
    pub pairs: Vec<Pair>,
    /// Its connections.
    pub tcp: tcp::Config,
    /// When arrivals begin.
    pub start: Duration,
    /// When they end, if before the end of the run. What has arrived by then goes on.
    pub stop: Option<Duration>,
    /// The DSCP of its packets.
    pub dscp: u8,
    /// What splits its connections, pair by pair; empty if nothing does.
    pub pep: Vec<NetworkPep>,
    pub(crate) source: Source,
    pub(crate) sizes: Option<Sizes>,
    /// Transfers on a connection.
    pub objects: u32,
    /// Round trips before data that are not TCP's.
    pub tls_round_trips: u32,
    /// Limits of the classes of size.
    pub classes: Vec<u64>,
    /// Connections open at one time, at most.
    pub at_once: u32,
    /// The load that was asked for.
    pub load: Option<f64>,
    /// The link of which it is a part: index among the links.
    pub load_link: Option<u32>,
    /// How many of the pairs cross that link at the start; those without a way then among them.
    pub pairs_across: usize,
}

/// Two nodes between which there are transfers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Where transfers start: index among the nodes.
    pub from: u32,
    /// Where they end.
    pub to: u32,
    /// Base round-trip time at the start of the run, s.
    pub rtt_s: f64,
    /// What the slowest link on the way takes for a segment at the start, s.
    pub segment_s: f64,
}

/// What makes transfers arrive.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Source {
    /// A Poisson process: the mean time between two.
    Poisson { mean_s: f64 },
    /// At known moments after the start.
    Listed(Arc<[Arrival]>),
    /// Users who fetch pages of so many objects, with the mean time that they think.
    Users { users: u32, think: Duration, objects: u32 },
}

/// A transfer that is known beforehand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Arrival {
    pub at: Duration,
    pub bytes: Option<u64>,
    pub pair: Option<u32>,
}

impl NetworkWeb {
    /// The nodes of its connections pair by pair, in the order in which data comes there, those of what splits them
    /// among them.
    pub(crate) fn rows(&self) -> impl Iterator<Item = Vec<u32>> {
        let between = |pair: usize| self.pep.get(pair).map_or(&[][..], |pep| &pep.at);
        (0..).zip(&self.pairs).map(move |(index, pair)| {
            let ends = |end| std::iter::once(end);
            ends(pair.from).chain(between(index).iter().copied()).chain(ends(pair.to)).collect()
        })
    }

    /// The ends of its connections, one after the other.
    pub(crate) fn hops(&self) -> impl Iterator<Item = (u32, u32)> {
        self.rows().flat_map(|row| row.windows(2).map(|hop| (hop[0], hop[1])).collect::<Vec<_>>())
    }

    /// The segments that a transfer of so many bytes takes.
    pub fn segments(&self, bytes: u64) -> u32 {
        // The bound is some terabytes: no run comes so far.
        bytes.div_ceil(self.tcp.mss.0.max(1)).clamp(1, u64::from(u32::MAX)) as u32
    }

    /// Round trips before the first data of a connection.
    pub fn handshakes(&self) -> u32 {
        u32::from(self.tcp.handshake) + self.tls_round_trips
    }

    /// How long a transfer of so many bytes takes at least, s: the round trips before data if it `opens` a connection,
    /// the one of its request and its last acknowledgement, and its packets on the slowest link.
    pub fn least_s(&self, pair: usize, bytes: u64, opens: bool) -> f64 {
        let Pair { rtt_s, segment_s, .. } = self.pairs[pair];
        let rounds = 1 + if opens { self.handshakes() } else { 0 };
        f64::from(rounds) * rtt_s + f64::from(self.segments(bytes)) * segment_s
    }

    /// The class of size of a transfer, from 1.
    pub fn class_of(&self, bytes: u64) -> usize {
        self.classes.partition_point(|&limit| limit < bytes) + 1
    }

    /// How many transfers are expected in a run of this length, with six standard deviations more: by a Poisson
    /// process, or as users fetch them at the most.
    pub(crate) fn expected(&self, duration: Duration) -> f64 {
        let end = self.stop.unwrap_or(duration).min(duration);
        let time = (end.as_secs_f64() - self.start.as_secs_f64()).max(0.0);
        let with_deviations = |mean: f64| mean + 6.0 * mean.sqrt();
        match &self.source {
            Source::Poisson { mean_s } => with_deviations(time / mean_s) * f64::from(self.objects),
            Source::Listed(arrivals) => arrivals.len() as f64 * f64::from(self.objects),
            Source::Users { users, think, objects } => {
                let rtt = self.pairs.iter().map(|pair| pair.rtt_s + pair.segment_s).fold(f64::INFINITY, f64::min);
                let page_s = think.as_secs_f64() + if rtt.is_finite() { rtt } else { 0.0 };
                let pages = with_deviations(f64::from(*users) * time / page_s.max(1e-6)) + f64::from(*users);
                pages * f64::from(*objects)
            }
        }
    }
}
