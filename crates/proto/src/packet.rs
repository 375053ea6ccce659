//! The packet: one `Copy` value of 64 bytes, a cache line.

use crate::group_set::GroupSet;
use crate::time::Instant;

/// Who sends or receives: a host and port together, as the address of a socket is, or a multicast group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Address(u32);

/// A flow or session, for accounting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct FlowId(pub u32);

impl Address {
    const GROUP: u32 = 1 << 31;

    /// Whoever is at the other end of the link: a group that is no session's, for messages between neighbours.
    pub const NEIGHBOUR: Address = Address(u32::MAX);

    /// The endpoint numbered `index` by the driver.
    pub const fn endpoint(index: u32) -> Address {
        debug_assert!(index & Self::GROUP == 0);
        Address(index)
    }

    /// The multicast group numbered `index`.
    pub const fn group(index: u32) -> Address {
        debug_assert!(index & Self::GROUP == 0);
        Address(index | Self::GROUP)
    }

    /// Whether this is a multicast group.
    pub const fn is_group(self) -> bool {
        self.0 & Self::GROUP != 0
    }

    /// The endpoint's or group's number.
    pub const fn index(self) -> usize {
        (self.0 & !Self::GROUP) as usize
    }
}

/// The two congestion bits of the IP header, in the order of rising congestion.
///
/// RFC 3168 knows `NotCapable`, `Capable` and `Moderate` (its CE); `Incipient` is the third code point that
/// [Durresi] Table I puts between them. The comparison of levels (`max`) is the rule for packets that meet several
/// congested queues: a mark is never taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Ecn {
    /// Not ECN-capable: congestion can only drop it.
    #[default]
    NotCapable,
    /// ECN-capable, no congestion met.
    Capable,
    /// Incipient congestion (multilevel ECN only).
    Incipient,
    /// Moderate congestion; the single level "congestion experienced" of RFC 3168.
    Moderate,
}

/// A packet without its payload.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Packet {
    /// When it was sent, on the sender's clock.
    pub sent: Instant,
    /// The flow or session it belongs to.
    pub flow: FlowId,
    /// Who sent it, and hence where an answer goes.
    pub source: Address,
    /// Who is to get it.
    pub destination: Address,
    /// Bytes on the wire, headers included.
    pub size: u16,
    /// Hops it may still take.
    pub ttl: u8,
    /// Congestion bits.
    pub ecn: Ecn,
    /// What the protocol says.
    pub header: Header,
}

/// Protocol headers. At most 40 bytes: sequence numbers count packets, lags are in microseconds, rates are `f32`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Header {
    /// A datagram of an uncontrolled source.
    Datagram {
        /// Number of the datagram, from 0.
        sequence: u64,
    },
    /// A message about membership in multicast groups, from a node to its neighbour on the tree.
    Membership {
        /// What it says.
        what: MembershipMessage,
        /// Session that the groups belong to, by the number of the driver.
        session: u32,
        /// Number of the report, or of the one that is acknowledged; wraps around.
        number: u32,
        /// The session's groups that are wanted.
        groups: GroupSet,
    },
    /// The first packet of a TCP connection that begins with a handshake.
    TcpSyn,
    /// The answer to it.
    TcpSynAck {
        /// Time stamp of the SYN (RFC 7323 TSecr), low 32 bits of microseconds.
        echoed_stamp_us: u32,
    },
    /// A TCP data segment.
    TcpData {
        /// Number of the segment, from 0.
        sequence: u32,
        /// The sender has reduced its window (RFC 3168 CWR): the receiver may end its echo.
        window_reduced: bool,
        /// Sent before.
        retransmission: bool,
    },
    /// A TCP acknowledgement.
    TcpAck {
        /// The next segment expected.
        next_expected: u32,
        /// Congestion level echoed ([Durresi] Table II; RFC 3168 ECE is `Moderate`). `NotCapable` = no echo.
        echo: Ecn,
        /// RFC 2018 blocks, the most recent first; empty blocks have `start == end`.
        sack: [SackBlock; 3],
        /// Time stamp of the segment that caused this ACK (RFC 7323 TSecr), low 32 bits of microseconds.
        echoed_stamp_us: u32,
    },
    /// TFMCC data (RFC 4654 section 2.2.1); the time stamp ts_i is [`Packet::sent`].
    TfmccData {
        /// Number of the packet, from 0 (i).
        sequence: u32,
        /// Suppression rate X_supp, bit/s; infinite at the beginning of a feedback round.
        suppression_bps: f32,
        /// The present sending rate X, bit/s. Not in the RFC: for timers biased by the rate and for observers.
        rate_bps: f32,
        /// Maximum round-trip time R_max, microseconds.
        max_rtt_us: u32,
        /// Feedback round, wraps around (fb_nr).
        round: u8,
        /// The receiver whose time stamp is echoed.
        echo: Option<TfmccEcho>,
        /// Receivers multiply the throughput equation by this, f(N); 1 in TFMCC. Not in the RFC: [Hang] eq. 13.
        scale: f32,
        /// N, the number of receivers that the rate counts for; 1 in TFMCC. Not in the RFC: for observers.
        receivers: f32,
    },
    /// A receiver of a session says to its source that it is a member, or no longer. The receiver is
    /// [`Packet::source`]; of two messages the one with the later [`Packet::sent`] counts.
    Registration {
        /// Whether it is one.
        member: bool,
    },
    /// TFMCC feedback (RFC 4654 section 2.2.2); the receiver's identity r is [`Packet::source`], its time stamp tr_r is
    /// [`Packet::sent`].
    TfmccReport {
        /// The receiver has measured its round-trip time.
        have_rtt: bool,
        /// The receiver has seen a loss event.
        have_loss: bool,
        /// The receiver is about to leave.
        leave: bool,
        /// The highest feedback round seen.
        round: u8,
        /// Time stamp of the last data packet plus the time since then (ts_i'), low 32 bits of microseconds.
        echoed_stamp_us: u32,
        /// Desired rate X_r, bit/s.
        rate_bps: f32,
        /// The receiver's round-trip time, seconds; R_max if it has none of its own. Not in the RFC.
        rtt_s: f32,
        /// Loss event rate p; 0 before the first loss. Not in the RFC.
        loss_event_rate: f32,
        /// The uniform number the feedback timer was drawn from; NaN for the CLR. Not in the RFC: for counting
        /// receivers.
        draw: f32,
    },
}

/// The echo of a receiver's time stamp in TFMCC data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TfmccEcho {
    /// The receiver (r).
    pub receiver: Address,
    /// Its time stamp plus the time the sender held it (tr_r'), low 32 bits of microseconds.
    pub stamp_us: u32,
    /// Whether it is the current limiting receiver (is_CLR).
    pub is_clr: bool,
}

/// What a message about membership says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MembershipMessage {
    /// From below: these groups of the session are wanted here, and no others.
    Report,
    /// From above: the report with this number has come.
    Acknowledge,
}

/// Segments `start..end` have arrived above the cumulative acknowledgement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First segment of the block.
    pub start: u32,
    /// First segment after the block.
    pub end: u32,
}

impl Packet {
    /// Whether it carries data, and not an acknowledgement, a report or a message about membership.
    pub fn is_data(&self) -> bool {
        matches!(self.header, Header::Datagram { .. } | Header::TcpData { .. } | Header::TfmccData { .. })
    }
}

impl SackBlock {
    /// Whether the block says nothing.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

const _: () = assert!(core::mem::size_of::<Packet>() == 64);
const _: () = assert!(core::mem::size_of::<Header>() <= 40);

/// The hop limit that packets start with.
pub const INITIAL_TTL: u8 = 64;
