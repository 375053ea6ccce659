//! Reports as they go on the wire: packets of RTCP (RFC 3550 section 6.4) with what MLDA needs behind them as
//! profile-specific extensions (section 6.4.3). The RFC leaves open what these look like. Wireshark takes them
//! for blocks of a type and a length, 16 bits each, and knows types from 1 to 14, so ours is one block of another type.
//!
//! A sender report is the one of the RFC without report blocks, 28 bytes; then come 12 bytes for each layer and 12 for
//! each echo. The line of a layer is 6 bytes, the number of its next packet as 16 bits and its rate as `f32`. The 6
//! bytes hold what concerns the session: in the first line the block's type, its length in bytes and the number of the
//! round, 16 bits each; in the second whether the report is an extra one (1 bit), the number of layers less one (7
//! bits), and T_fb in units of 100 µs (24 bits). Otherwise they are 0. So there are two lines also of one layer. An
//! echo is the receiver, its time stamp and how long the report waited, 32 bits each.
//!
//! A receiver report has one report block, 32 bytes, and 20 behind it: a bit that is 1 and the lower 15 of the number
//! of the round, which are the type together; the length (16 bits), the share and the loss as `f32`, the highest bit of
//! the number, the round-trip time (31 bits) and the time stamp in microseconds.
//!
//! A receiver that goes sends an empty receiver report and a BYE, 8 bytes each. What RFC 3550 section 6.1 wants beside
//! these, a source description in each packet, is left out: it would say the same name in every report.

use super::header::{self, ECHO, LAYER_LINE};
use crate::control::Control;
use crate::wire::{IP_BYTES, UDP_BYTES, bytes_of};
use std::fmt;

/// A sender report.
#[derive(Clone, Debug, PartialEq)]
pub struct SenderReport {
    /// The source's number, that of its data.
    pub ssrc: u32,
    /// n, the number of the round; wraps around.
    pub number: u16,
    /// Whether it comes between two rounds: it changes rates, ends no interval and asks for no reports.
    pub extra: bool,
    /// The source's clock: seconds in the upper 32 bits, fractions below.
    pub ntp: u64,
    /// The moment of `ntp` on the clock of the data's time stamps.
    pub rtp_timestamp: u32,
    /// Data packets sent since the source's start; wraps around.
    pub packets: u32,
    /// Bytes in them; wraps around.
    pub octets: u32,
    /// T_fb, over which receivers spread their reports, microseconds. The wire rounds to 100 µs and has 1677 s at most.
    pub feedback_spread_us: u32,
    /// The layers, the base first: 1 to 128.
    pub layers: Vec<LayerLine>,
    /// Time stamps of receivers' reports, at most [`MOST_ECHOES`].
    pub echoes: Vec<Echo>,
}

/// What a sender report says of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerLine {
    /// Its rate from now on, bit/s, headers included; 0 = nothing is sent.
    pub rate_bps: f32,
    /// The number of its first packet at that rate.
    pub first_sequence: u16,
}

/// What a receiver needs to measure its round-trip time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// The receiver's number.
    pub receiver: u32,
    /// The time stamp of its report.
    pub stamp_us: u32,
    /// How long ago that report came, microseconds.
    pub hold_us: u32,
}

/// A receiver report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceiverReport {
    /// The receiver's number: its address.
    pub ssrc: u32,
    /// The number of the source that it speaks of.
    pub source: u32,
    /// n, the number of the round that it is for; wraps around.
    pub number: u16,
    /// τ, its fair share, bit/s.
    pub rate_bps: f32,
    /// l, the loss that the share was made from.
    pub loss: f32,
    /// Its round-trip time, microseconds; 0 = it has none. The wire has 31 bits, 35 minutes.
    pub rtt_us: u32,
    /// Its clock at the time of the report, low 32 bits of microseconds.
    pub stamp_us: u32,
    /// The part of the packets that was lost since its last report, in 256ths.
    pub fraction_lost: u8,
    /// How many were lost since it began; the wire has 24 bits with their sign.
    pub cumulative_lost: i32,
    /// The highest number of the base layer, with the number of cycles in its upper 16 bits.
    pub highest_sequence: u32,
    /// The interarrival jitter, in units of the data's time stamps.
    pub jitter: u32,
    /// LSR: the middle 32 bits of the time in the last sender report; 0 = none has come.
    pub last_sr: u32,
    /// DLSR: how long ago that was, in 65536ths of a second.
    pub delay_since_sr: u32,
}

/// A receiver goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bye {
    /// Its number.
    pub ssrc: u32,
}

/// A message of RTCP.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// A sender report.
    SenderReport(SenderReport),
    /// A receiver report.
    ReceiverReport(ReceiverReport),
    /// A receiver goes.
    Bye(Bye),
}

/// The bytes of a message, as they travel beside a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Octets(pub Box<[u8]>);

/// What is wrong with bytes that are no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// There is no message beside the packet.
    Missing,
    /// They are fewer than the header of a packet, or than it says, or more.
    Length {
        /// How many there are.
        bytes: usize,
    },
    /// What is behind a report is another extension than MLDA's.
    Extension {
        /// The type that it says.
        kind: u16,
        /// The length that it says, bytes.
        length: u16,
    },
    /// The version is not 2, or there is padding.
    Version {
        /// The first byte.
        byte: u8,
    },
    /// The packet is none of those known here, or counts other blocks than they have.
    Kind {
        /// The packet type.
        packet_type: u8,
        /// The count of blocks.
        blocks: u8,
    },
    /// The lines of layers and echoes are not as many as they say, or there are too many echoes.
    Lines {
        /// Bytes that are left for them.
        bytes: usize,
        /// Layers.
        layers: usize,
    },
}

/// The most echoes in a report.
pub const MOST_ECHOES: usize = 255;
/// The most layers.
pub const MOST_LAYERS: usize = 128;
/// Bytes of a receiver report, without IP and UDP.
pub const RECEIVER_REPORT_BYTES: u16 = header::RECEIVER_REPORT.bytes() - BELOW;
/// Bytes of what a receiver says when it goes, without IP and UDP.
pub const BYE_BYTES: u16 = header::BYE.bytes() - BELOW;

/// Bytes of IP and UDP.
const BELOW: u16 = IP_BYTES + UDP_BYTES;
/// Bytes of a sender report without lines.
const SENDER_REPORT_BYTES: usize = (header::SENDER_REPORT.bytes() - BELOW) as usize;
/// Bytes of the line of a layer, and of an echo.
const LINE_BYTES: usize = bytes_of(LAYER_LINE) as usize;
const _: () = assert!(bytes_of(ECHO) as usize == LINE_BYTES);
/// Version 2 without padding.
const VERSION: u8 = 2 << 6;
/// The type of a sender report's extension, the highest bit of that of a receiver report's.
const EXTENSION: u16 = 1 << 15;
/// Bytes of a receiver report's extension.
const RECEIVER_EXTENSION_BYTES: u16 = 20;
/// Lines of layers that there are at least, as the second has what concerns the session, too.
const LEAST_LINES: usize = 2;
/// The longest round-trip time that 31 bits say, and the bit beside it: the highest of the number of the round.
const MOST_RTT_US: u32 = (1 << 31) - 1;
const SR: u8 = 200;
const RR: u8 = 201;
const BYE: u8 = 203;
/// In what T_fb is written.
const SPREAD_UNIT_US: u32 = 100;
const MOST_SPREAD: u32 = (1 << 24) - 1;
/// The lost packets that 24 bits with a sign can say.
const MOST_LOST: i32 = (1 << 23) - 1;

/// Bytes of a sender report, without IP and UDP.
pub const fn sender_report_bytes(layers: usize, echoes: usize) -> usize {
    SENDER_REPORT_BYTES + LINE_BYTES * (lines_of(layers) + echoes)
}

/// Lines of so many layers.
const fn lines_of(layers: usize) -> usize {
    if layers < LEAST_LINES { LEAST_LINES } else { layers }
}

/// The middle 32 bits of a time in a sender report: what receivers return as LSR.
pub const fn middle(ntp: u64) -> u32 {
    (ntp >> 16) as u32
}

impl SenderReport {
    /// Its bytes. There are 1 to [`MOST_LAYERS`] layers and at most [`MOST_ECHOES`] echoes.
    pub fn encode(&self) -> Octets {
        debug_assert!((1..=MOST_LAYERS).contains(&self.layers.len()) && self.echoes.len() <= MOST_ECHOES);
        let mut bytes = Writer::packet(SR, 0, sender_report_bytes(self.layers.len(), self.echoes.len()));
        bytes.word(self.ssrc);
        bytes.word((self.ntp >> 32) as u32);
        bytes.word(self.ntp as u32);
        bytes.word(self.rtp_timestamp);
        bytes.word(self.packets);
        bytes.word(self.octets);
        let lines = lines_of(self.layers.len());
        let spread = (self.feedback_spread_us.saturating_add(SPREAD_UNIT_US / 2) / SPREAD_UNIT_US).min(MOST_SPREAD);
        let nothing = LayerLine { rate_bps: 0.0, first_sequence: 0 };
        for (rank, line) in self.layers.iter().chain([&nothing]).take(lines).enumerate() {
            match rank {
                0 => {
                    bytes.half(EXTENSION);
                    bytes.half((LINE_BYTES * (lines + self.echoes.len())) as u16);
                    bytes.half(self.number);
                }
                1 => {
                    bytes.word(u32::from(self.extra) << 31 | (self.layers.len() as u32 - 1) << 24 | spread);
                    bytes.half(0);
                }
                _ => {
                    bytes.word(0);
                    bytes.half(0);
                }
            }
            bytes.half(line.first_sequence);
            bytes.word(line.rate_bps.to_bits());
        }
        for echo in &self.echoes {
            [echo.receiver, echo.stamp_us, echo.hold_us].into_iter().for_each(|word| bytes.word(word));
        }
        bytes.finish()
    }

    fn decode(mut bytes: Reader<'_>) -> Result<SenderReport, Malformed> {
        let ssrc = bytes.word();
        let ntp = u64::from(bytes.word()) << 32 | u64::from(bytes.word());
        let [rtp_timestamp, packets, octets] = [bytes.word(), bytes.word(), bytes.word()];
        let left = bytes.0.len();
        if left < LEAST_LINES * LINE_BYTES {
            return Err(Malformed::Lines { bytes: left, layers: 1 });
        }
        let mut of_session = bytes.clone();
        let [kind, length, number] = [(); 3].map(|()| of_session.half());
        of_session.take::<6>();
        let of_second = of_session.word();
        if (kind, usize::from(length)) != (EXTENSION, left) {
            return Err(Malformed::Extension { kind, length });
        }
        let layers = (of_second >> 24 & 0x7f) as usize + 1;
        let lines = lines_of(layers);
        let echo_bytes = left.checked_sub(LINE_BYTES * lines);
        if !echo_bytes.is_some_and(|rest| rest % LINE_BYTES == 0 && rest / LINE_BYTES <= MOST_ECHOES) {
            return Err(Malformed::Lines { bytes: left, layers });
        }
        let line = |bytes: &mut Reader<'_>| {
            bytes.take::<6>();
            LayerLine { first_sequence: bytes.half(), rate_bps: f32::from_bits(bytes.word()) }
        };
        let mut said: Vec<LayerLine> = (0..lines).map(|_| line(&mut bytes)).collect();
        said.truncate(layers);
        let mut echoes = Vec::with_capacity(bytes.0.len() / LINE_BYTES);
        while !bytes.0.is_empty() {
            echoes.push(Echo { receiver: bytes.word(), stamp_us: bytes.word(), hold_us: bytes.word() });
        }
        Ok(SenderReport {
            ssrc,
            number,
            extra: of_second >> 31 == 1,
            ntp,
            rtp_timestamp,
            packets,
            octets,
            feedback_spread_us: (of_second & MOST_SPREAD) * SPREAD_UNIT_US,
            layers: said,
            echoes,
        })
    }
}

impl ReceiverReport {
    /// Its bytes, [`RECEIVER_REPORT_BYTES`].
    pub fn encode(&self) -> Octets {
        let mut bytes = Writer::packet(RR, 1, usize::from(RECEIVER_REPORT_BYTES));
        let lost = self.cumulative_lost.clamp(-MOST_LOST - 1, MOST_LOST) as u32 & 0xff_ffff;
        let block = [
            self.ssrc,
            self.source,
            u32::from(self.fraction_lost) << 24 | lost,
            self.highest_sequence,
            self.jitter,
            self.last_sr,
            self.delay_since_sr,
            u32::from(EXTENSION | self.number) << 16 | u32::from(RECEIVER_EXTENSION_BYTES),
            self.rate_bps.to_bits(),
            self.loss.to_bits(),
            u32::from(self.number) >> 15 << 31 | self.rtt_us.min(MOST_RTT_US),
            self.stamp_us,
        ];
        block.into_iter().for_each(|word| bytes.word(word));
        bytes.finish()
    }

    fn decode(mut bytes: Reader<'_>) -> Result<ReceiverReport, Malformed> {
        let (ssrc, source, lost) = (bytes.word(), bytes.word(), bytes.word());
        let [highest_sequence, jitter, last_sr, delay_since_sr] = [(); 4].map(|()| bytes.word());
        let (kind, length) = (bytes.half(), bytes.half());
        if kind & EXTENSION == 0 || length != RECEIVER_EXTENSION_BYTES {
            return Err(Malformed::Extension { kind, length });
        }
        let [rate, loss, number_and_rtt, stamp_us] = [(); 4].map(|()| bytes.word());
        Ok(ReceiverReport {
            ssrc,
            source,
            number: kind & !EXTENSION | (number_and_rtt >> 31 << 15) as u16,
            rate_bps: f32::from_bits(rate),
            loss: f32::from_bits(loss),
            rtt_us: number_and_rtt & MOST_RTT_US,
            stamp_us,
            fraction_lost: (lost >> 24) as u8,
            // The sign is in the highest of 24 bits.
            cumulative_lost: ((lost << 8) as i32) >> 8,
            highest_sequence,
            jitter,
            last_sr,
            delay_since_sr,
        })
    }
}

impl Bye {
    /// Its bytes, [`BYE_BYTES`]: an empty receiver report, with which every packet must begin, and the BYE itself.
    pub fn encode(&self) -> Octets {
        let mut bytes = Writer::packet(RR, 0, 8);
        bytes.word(self.ssrc);
        bytes.begin(BYE, 1, 8);
        bytes.word(self.ssrc);
        bytes.finish()
    }
}

impl Octets {
    /// The message that a packet carries.
    ///
    /// # Errors
    /// If there is none, or these are no bytes of one.
    pub fn read(control: Option<&Control>) -> Result<Message, Malformed> {
        decode(control.ok_or(Malformed::Missing)?.bytes())
    }

    /// The message that they are. What they say may still be nonsense: numbers that are none, rates of any size.
    ///
    /// # Errors
    /// If they are none.
    pub fn decode(&self) -> Result<Message, Malformed> {
        decode(&self.0)
    }

    /// How many the packet has on the wire: these, and those of IP and UDP.
    pub fn size(&self) -> u16 {
        BELOW + self.0.len() as u16
    }
}

impl From<Octets> for Control {
    fn from(octets: Octets) -> Control {
        Control::new(octets.0)
    }
}

/// The message that bytes are. What they say may still be nonsense: numbers that are none, rates of any size.
///
/// # Errors
/// If they are none.
pub fn decode(bytes: &[u8]) -> Result<Message, Malformed> {
    let (first, rest) = split(bytes)?;
    match (first.packet_type, first.blocks, first.content.len()) {
        (SR, 0, 24..) if rest.is_empty() => SenderReport::decode(Reader(first.content)).map(Message::SenderReport),
        (RR, 1, 48) if rest.is_empty() => ReceiverReport::decode(Reader(first.content)).map(Message::ReceiverReport),
        (SR, 0, _) | (RR, 1, _) => Err(Malformed::Length { bytes: bytes.len() }),
        (RR, 0, 4) => match split(rest)? {
            (bye, []) if (bye.packet_type, bye.blocks, bye.content.len()) == (BYE, 1, 4) => {
                Ok(Message::Bye(Bye { ssrc: Reader(bye.content).word() }))
            }
            (other, _) => Err(Malformed::Kind { packet_type: other.packet_type, blocks: other.blocks }),
        },
        (packet_type, blocks, _) => Err(Malformed::Kind { packet_type, blocks }),
    }
}

/// A packet of a compound.
struct CompoundPart<'a> {
    packet_type: u8,
    blocks: u8,
    /// What is behind the first four bytes.
    content: &'a [u8],
}

/// The first packet of a compound and what follows it.
fn split(bytes: &[u8]) -> Result<(CompoundPart<'_>, &[u8]), Malformed> {
    let too_short = Malformed::Length { bytes: bytes.len() };
    let (&[first, packet_type, high, low], rest) = bytes.split_first_chunk().ok_or(too_short)?;
    // Version 2 without padding.
    if first & 0xe0 != VERSION {
        return Err(Malformed::Version { byte: first });
    }
    let words = usize::from(u16::from_be_bytes([high, low]));
    let (content, rest) = rest.split_at_checked(4 * words).ok_or(too_short)?;
    Ok((CompoundPart { packet_type, blocks: first & 0x1f, content }, rest))
}

/// Bytes in the making.
struct Writer(Vec<u8>);

impl Writer {
    /// A packet of so many bytes.
    fn packet(packet_type: u8, blocks: u8, size: usize) -> Writer {
        let mut bytes = Writer(Vec::with_capacity(size.max(usize::from(BYE_BYTES))));
        bytes.begin(packet_type, blocks, size);
        bytes
    }

    fn begin(&mut self, packet_type: u8, blocks: u8, size: usize) {
        self.0.extend([VERSION | blocks, packet_type]);
        self.half((size / 4 - 1) as u16);
    }

    fn half(&mut self, half: u16) {
        self.0.extend(half.to_be_bytes());
    }

    fn word(&mut self, word: u32) {
        self.0.extend(word.to_be_bytes());
    }

    fn finish(self) -> Octets {
        Octets(self.0.into_boxed_slice())
    }
}

/// Bytes that are read; their number has been checked.
#[derive(Clone)]
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn half(&mut self) -> u16 {
        u16::from_be_bytes(self.take())
    }

    fn word(&mut self) -> u32 {
        u32::from_be_bytes(self.take())
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self.0.split_first_chunk().expect("the length has been checked");
        self.0 = rest;
        *taken
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Malformed::Missing => f.write_str("no message beside the packet"),
            Malformed::Length { bytes } => write!(f, "{bytes} bytes, which is not the length of the packets in them"),
            Malformed::Extension { kind, length } => {
                write!(f, "an extension of type {kind} and {length} bytes; MLDA's has a type of 32768 or more and all")
            }
            Malformed::Version { byte } => write!(f, "first byte {byte:#04x}; legal is version 2 without padding"),
            Malformed::Kind { packet_type, blocks } => {
                write!(
                    f,
                    "packet type {packet_type} with {blocks} blocks; known are SR with 0, RR with 1, RR with 0 and BYE"
                )
            }
            Malformed::Lines { bytes, layers } => {
                write!(
                    f,
                    "{bytes} bytes for the lines of {layers} layers and at most {MOST_ECHOES} echoes of 12 bytes each"
                )
            }
        }
    }
}

impl std::error::Error for Malformed {}

#[cfg(test)]
#[path = "rtcp_tests.rs"]
mod tests;
