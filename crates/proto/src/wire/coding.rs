//! How fields become bytes and bytes fields: network byte order, flags from the highest bit of their byte down, ids in
//! the place of addresses (`docs/wire-format.md`).
//!
//! [`message`](super::message) declares messages, and from these declarations come the calls here. Writing appends to
//! what the caller has; reading takes from a slice, allocates nothing, and ends with a reason whatever the bytes are.

use crate::address::Address;
use std::fmt;

/// Who is who: ids on the wire, of 64 bits, and the addresses that a driver has for them.
pub trait Directory {
    /// The id of an address; 0 if it has none, which is then not written.
    fn id(&self, address: Address) -> u64;

    /// The address of who sends under this id, which is not 0; a driver may make one. `None`: it has no place for it.
    fn address(&mut self, id: u64) -> Option<Address>;

    /// The address of an id that a message names, such as the receiver that an echo is for. A driver that makes
    /// addresses for senders it has not known only looks here, or who forges messages fills its table. `None`: somebody
    /// unknown, which is read as [`Address::STRANGER`].
    fn named(&mut self, id: u64) -> Option<Address> {
        self.address(id)
    }

    /// The id of the source of a session, by the driver's number of it; 0 if it has none. Messages about membership
    /// alone ask for it.
    fn session_id(&self, session: u32) -> u64 {
        let _ = session;
        0
    }

    /// The session of this source.
    fn session(&mut self, id: u64) -> Option<u32> {
        let _ = id;
        None
    }
}

/// What has a place in a message.
pub trait Coded: Sized {
    /// How many bytes it takes; its flags are in a byte of their own.
    const BYTES: u16;

    /// Writes it.
    fn encode(&self, writer: &mut Writer<'_>);

    /// Reads it.
    ///
    /// # Errors
    /// If the bytes are too few, or say what is not legal.
    fn decode(reader: &mut Reader<'_, '_>) -> Result<Self, FieldError>;
}

/// What is wrong with a field, of a packet or in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// The bytes end before it does.
    Short,
    /// A number is not finite, and the format has no word for that there.
    Number {
        /// The field's name in its header.
        field: &'static str,
    },
    /// Somebody has no id, or an id stands for nobody.
    Nobody {
        /// The field's name in its header.
        field: &'static str,
    },
    /// The message is not in the project's own format.
    Foreign,
}

/// Bytes in the making.
pub struct Writer<'a> {
    bytes: &'a mut Vec<u8>,
    directory: &'a dyn Directory,
    flags: Flags,
    field: &'static str,
    wrong: Option<FieldError>,
}

/// Bytes that are read.
pub struct Reader<'b, 'd> {
    bytes: &'b [u8],
    directory: &'d mut dyn Directory,
    /// The byte of flags, of which the highest bit comes next.
    flags: u8,
    field: &'static str,
}

/// Where a message has its byte of flags, and how many are there.
#[derive(Clone, Copy)]
struct Flags {
    at: usize,
    count: u32,
}

impl<'a> Writer<'a> {
    /// Appends to `bytes`.
    pub fn new(bytes: &'a mut Vec<u8>, directory: &'a dyn Directory) -> Writer<'a> {
        // Without a byte of flags there is no place for one.
        Writer { bytes, directory, flags: Flags { at: 0, count: 8 }, field: "", wrong: None }
    }

    /// Appends these bytes.
    pub fn bytes<const N: usize>(&mut self, bytes: [u8; N]) {
        self.bytes.extend_from_slice(&bytes);
    }

    /// Appends as many bytes as there are.
    pub fn slice(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends the byte of flags, none of which is set.
    pub fn flags(&mut self) {
        self.flags = Flags { at: self.bytes.len(), count: 0 };
        self.bytes.push(0);
    }

    /// The next flag of the byte of flags.
    pub fn flag(&mut self, flag: bool) {
        debug_assert!(self.flags.count < 8, "{}: there is no flag left", self.field);
        if flag && let Some(bit) = 0x80_u8.checked_shr(self.flags.count) {
            self.bytes[self.flags.at] |= bit;
        }
        self.flags.count += 1;
    }

    /// Says which field comes next.
    pub fn field(&mut self, name: &'static str) {
        self.field = name;
    }

    /// Appends a number of 32 bits that may be infinite.
    pub fn number_or_infinity(&mut self, number: f32) {
        if number == f32::INFINITY { self.bytes(number.to_be_bytes()) } else { number.encode(self) }
    }

    /// Appends a number of 32 bits that may be none; what is none has one form.
    pub fn number_or_none(&mut self, number: f32) {
        if number.is_nan() { self.bytes(f32::NAN.to_be_bytes()) } else { number.encode(self) }
    }

    /// Appends the id of the source of a session.
    pub fn session(&mut self, session: u32) {
        self.id(self.directory.session_id(session));
    }

    /// What is being written has no place in the format, or is not legal there.
    pub fn refuse(&mut self, wrong: FieldError) {
        self.wrong.get_or_insert(wrong);
    }

    /// The end of the message.
    ///
    /// # Errors
    /// If something could not be written: the bytes are no message then.
    pub fn finish(self) -> Result<(), FieldError> {
        self.wrong.map_or(Ok(()), Err)
    }

    fn id(&mut self, id: u64) {
        if id == 0 {
            self.refuse(FieldError::Nobody { field: self.field });
        }
        id.encode(self);
    }
}

impl<'b, 'd> Reader<'b, 'd> {
    /// Reads `bytes` from their beginning.
    pub fn new(bytes: &'b [u8], directory: &'d mut dyn Directory) -> Reader<'b, 'd> {
        Reader { bytes, directory, flags: 0, field: "" }
    }

    /// The next bytes.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn bytes<const N: usize>(&mut self) -> Result<[u8; N], FieldError> {
        let (taken, rest) = self.bytes.split_first_chunk().ok_or(FieldError::Short)?;
        self.bytes = rest;
        Ok(*taken)
    }

    /// So many of the next bytes.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn slice(&mut self, length: usize) -> Result<&'b [u8], FieldError> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(FieldError::Short)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// What has not been read.
    pub fn rest(&self) -> &'b [u8] {
        self.bytes
    }

    /// Reads the byte of flags.
    ///
    /// # Errors
    /// If there is none.
    pub fn flags(&mut self) -> Result<(), FieldError> {
        [self.flags] = self.bytes()?;
        Ok(())
    }

    /// The next flag of the byte of flags.
    pub fn flag(&mut self) -> bool {
        let flag = self.flags & 0x80 != 0;
        self.flags <<= 1;
        flag
    }

    /// Says which field comes next.
    pub fn field(&mut self, name: &'static str) {
        self.field = name;
    }

    /// A number of 32 bits that may be infinite.
    ///
    /// # Errors
    /// If it is none, or below all others.
    pub fn number_or_infinity(&mut self) -> Result<f32, FieldError> {
        let number = f32::from_be_bytes(self.bytes()?);
        if number == f32::INFINITY { Ok(number) } else { self.finite(number) }
    }

    /// A number of 32 bits that may be none.
    ///
    /// # Errors
    /// If it is infinite.
    pub fn number_or_none(&mut self) -> Result<f32, FieldError> {
        let number = f32::from_be_bytes(self.bytes()?);
        if number.is_nan() { Ok(f32::NAN) } else { self.finite(number) }
    }

    /// The session whose source has the next id.
    ///
    /// # Errors
    /// If there is none.
    pub fn session(&mut self) -> Result<u32, FieldError> {
        let id = u64::decode(self)?;
        self.directory.session(id).ok_or(FieldError::Nobody { field: self.field })
    }

    fn finite(&self, number: f32) -> Result<f32, FieldError> {
        if number.is_finite() { Ok(number) } else { Err(FieldError::Number { field: self.field }) }
    }
}

macro_rules! whole_numbers {
    ($($number:ty)+) => {
        $(impl Coded for $number {
            const BYTES: u16 = size_of::<$number>() as u16;

            fn encode(&self, writer: &mut Writer<'_>) {
                writer.bytes(self.to_be_bytes());
            }

            fn decode(reader: &mut Reader<'_, '_>) -> Result<$number, FieldError> {
                Ok(<$number>::from_be_bytes(reader.bytes()?))
            }
        })+
    };
}

whole_numbers!(u8 u16 u32 u64 u128);

/// A flag.
impl Coded for bool {
    const BYTES: u16 = 0;

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.flag(*self);
    }

    fn decode(reader: &mut Reader<'_, '_>) -> Result<bool, FieldError> {
        Ok(reader.flag())
    }
}

/// A finite number.
impl Coded for f32 {
    const BYTES: u16 = 4;

    fn encode(&self, writer: &mut Writer<'_>) {
        if !self.is_finite() {
            writer.refuse(FieldError::Number { field: writer.field });
        }
        writer.bytes(self.to_be_bytes());
    }

    fn decode(reader: &mut Reader<'_, '_>) -> Result<f32, FieldError> {
        let number = f32::from_be_bytes(reader.bytes()?);
        reader.finite(number)
    }
}

/// A number, and a flag that says whether it is there; without it, it is 0.
impl Coded for Option<u32> {
    const BYTES: u16 = 4;

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.flag(self.is_some());
        self.unwrap_or(0).encode(writer);
    }

    fn decode(reader: &mut Reader<'_, '_>) -> Result<Option<u32>, FieldError> {
        let is_there = reader.flag();
        let number = u32::decode(reader)?;
        Ok(is_there.then_some(number))
    }
}

/// Somebody's id.
impl Coded for Address {
    const BYTES: u16 = 8;

    fn encode(&self, writer: &mut Writer<'_>) {
        writer.id(writer.directory.id(*self));
    }

    fn decode(reader: &mut Reader<'_, '_>) -> Result<Address, FieldError> {
        Option::<Address>::decode(reader)?.ok_or(FieldError::Nobody { field: reader.field })
    }
}

/// Somebody's id, or 0.
impl Coded for Option<Address> {
    const BYTES: u16 = 8;

    fn encode(&self, writer: &mut Writer<'_>) {
        match self {
            Some(address) => address.encode(writer),
            None => 0_u64.encode(writer),
        }
    }

    fn decode(reader: &mut Reader<'_, '_>) -> Result<Option<Address>, FieldError> {
        let id = u64::decode(reader)?;
        Ok((id != 0).then(|| reader.directory.named(id).unwrap_or(Address::STRANGER)))
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldError::Short => f.write_str("fewer bytes than its fields"),
            FieldError::Number { field } => write!(f, "{field} is not finite"),
            FieldError::Nobody { field } => write!(f, "{field} is nobody's id"),
            FieldError::Foreign => f.write_str("not a message of the project's own format"),
        }
    }
}

impl std::error::Error for FieldError {}

#[cfg(test)]
#[path = "coding_tests.rs"]
mod tests;
