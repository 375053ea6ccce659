//! Extensions of LCT's header: times, authentication, and FLUTE's (RFC 6726). Sections without a number of an RFC are
//! of RFC 5651.

use super::error::{Malformed, Unencodable};

/// The extensions of a packet that are known here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions<'a> {
    /// EXT_AUTH: what authenticates the packet, in a form of the session's; 2 bytes more than whole words.
    pub authentication: Option<&'a [u8]>,
    /// EXT_TIME.
    pub times: Option<Times>,
    /// EXT_FTI: what the scheme of forward error correction says of the object; 2 bytes more than whole words.
    pub object_information: Option<&'a [u8]>,
    /// EXT_FDT, of packets with a table of files.
    pub table: Option<FdtInstance>,
    /// EXT_CENC: how the table of files is packed; 0 not at all.
    pub content_encoding: Option<u8>,
}

/// Times on the sender's clock (section 5.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// When the packet was sent, seconds (SCT-High).
    pub sent_s: Option<u32>,
    /// And 2^-32 of a second (SCT-Low); not without the seconds.
    pub sent_fraction: Option<u32>,
    /// How long the object, or the session, will go on (ERT).
    pub residual: Option<u32>,
    /// When the session last changed (SLC).
    pub last_change: Option<u32>,
}

/// Which table of files a packet is of (RFC 6726 section 3.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FdtInstance {
    /// Version of FLUTE, 4 bits: 2 is RFC 6726's.
    pub version: u8,
    /// Number of the table in its session, 20 bits.
    pub instance: u32,
}

const AUTHENTICATION: u8 = 1;
const TIMES: u8 = 2;
const OBJECT_INFORMATION: u8 = 64;
/// From here on extensions have one word and no field of their length (section 5.2.1).
const FIXED: u8 = 128;
const TABLE: u8 = 192;
const CONTENT_ENCODING: u8 = 193;
/// SCT-High, SCT-Low, ERT and SLC.
const USES: [u16; 4] = [0x8000, 0x4000, 0x2000, 0x1000];

impl<'a> Extensions<'a> {
    pub(super) fn read(mut bytes: &'a [u8]) -> Result<Extensions<'a>, Malformed> {
        let mut extensions = Extensions::default();
        while let [kind, length, ..] = *bytes {
            let length = if kind >= FIXED { 4 } else { 4 * usize::from(length) };
            let (extension, rest) = bytes.split_at_checked(length).ok_or(Malformed::Extension { kind })?;
            let &[_, second, third, fourth] = extension.first_chunk().ok_or(Malformed::Extension { kind })?;
            match kind {
                AUTHENTICATION => extensions.authentication = Some(&extension[2..]),
                TIMES => extensions.times = Some(Times::read([third, fourth], &extension[4..])?),
                OBJECT_INFORMATION => extensions.object_information = Some(&extension[2..]),
                TABLE => {
                    let instance = u32::from_be_bytes([0, second & 0xf, third, fourth]);
                    extensions.table = Some(FdtInstance { version: second >> 4, instance });
                }
                CONTENT_ENCODING => extensions.content_encoding = Some(second),
                _ => {}
            }
            bytes = rest;
        }
        Ok(extensions)
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) -> Result<(), Unencodable> {
        if let Some(table) = self.table {
            let [high, a, b, c] = table.instance.to_be_bytes();
            if high != 0 || a > 0xf || table.version > 0xf {
                return Err(Unencodable::Number { field: "table" });
            }
            out.extend_from_slice(&[TABLE, table.version << 4 | a, b, c]);
        }
        if let Some(encoding) = self.content_encoding {
            out.extend_from_slice(&[CONTENT_ENCODING, encoding, 0, 0]);
        }
        for (kind, field, content) in [
            (OBJECT_INFORMATION, "object_information", self.object_information),
            (AUTHENTICATION, "authentication", self.authentication),
        ] {
            let Some(content) = content else { continue };
            let words = u8::try_from((content.len() + 2) / 4).map_err(|_| Unencodable::Long)?;
            if content.len() % 4 != 2 {
                return Err(Unencodable::Number { field });
            }
            out.extend_from_slice(&[kind, words]);
            out.extend_from_slice(content);
        }
        if let Some(times) = self.times {
            times.write(out)?;
        }
        Ok(())
    }
}

impl Times {
    /// Words that are not known here stand behind those that are.
    fn read(uses: [u8; 2], words: &[u8]) -> Result<Times, Malformed> {
        let uses = u16::from_be_bytes(uses);
        let mut words = words.chunks_exact(4).map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
        let mut values = [None; 4];
        for (value, used) in values.iter_mut().zip(USES) {
            if uses & used != 0 {
                *value = Some(words.next().ok_or(Malformed::Extension { kind: TIMES })?);
            }
        }
        let [sent_s, sent_fraction, residual, last_change] = values;
        if sent_fraction.is_some() && sent_s.is_none() {
            return Err(Malformed::Extension { kind: TIMES });
        }
        Ok(Times { sent_s, sent_fraction, residual, last_change })
    }

    fn write(self, out: &mut Vec<u8>) -> Result<(), Unencodable> {
        let values = [self.sent_s, self.sent_fraction, self.residual, self.last_change];
        if self.sent_fraction.is_some() && self.sent_s.is_none() {
            return Err(Unencodable::Number { field: "sent_fraction" });
        }
        let uses = values.iter().zip(USES).filter(|(value, _)| value.is_some()).fold(0, |uses, (_, used)| uses | used);
        out.extend_from_slice(&[TIMES, 1 + values.iter().flatten().count() as u8]);
        out.extend_from_slice(&uses.to_be_bytes());
        values.iter().flatten().for_each(|value| out.extend_from_slice(&value.to_be_bytes()));
        Ok(())
    }
}
