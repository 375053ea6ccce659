//! Fields to bytes and back.

use super::*;
use crate::packet::Header;
use crate::wire::message::{Message, message};
use crate::{mlda, pgmcc, tcp, tfmcc};

message! {
    /// Something with flags around a number.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Inner is INNER = "test: inner", Format::Own(201), ["flags": 8] {
        /// 128.
        pub a: bool => [],
        /// A number.
        pub number: u16 => ["number": 16],
        /// 64.
        pub b: bool => [],
    }
}

message! {
    /// What repeats it and has more.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Outer is OUTER = "test: outer", Format::Own(202), [] {
        /// The same.
        pub inner: Inner => first,
        /// 32, and a number.
        pub missing: Option<u32> => ["missing": 32],
        /// Below infinity or equal to it.
        pub most: f32 => ["most": 32] infinite,
        /// Perhaps none.
        pub draw: f32 => ["draw": 32] absent,
        /// Somebody.
        pub who: Address => ["who": 64],
        /// 16.
        pub c: bool => [],
    }
}

/// Endpoint n has the id n + 10; of those that messages name none is known beyond 5.
struct Ids;

impl Directory for Ids {
    fn id(&self, address: Address) -> u64 {
        if address == Address::STRANGER { 0 } else { 10 + address.index() as u64 }
    }

    fn address(&mut self, id: u64) -> Option<Address> {
        Some(Address::endpoint(id as u32 - 10))
    }

    fn named(&mut self, id: u64) -> Option<Address> {
        (10..=15).contains(&id).then(|| Address::endpoint(id as u32 - 10))
    }
}

const GIVEN: Outer = Outer {
    inner: Inner { a: false, number: 0x1234, b: true },
    missing: Some(0x0506_0708),
    most: f32::INFINITY,
    draw: f32::NAN,
    who: Address::endpoint(5),
    c: true,
};
#[rustfmt::skip]
const BYTES: [u8; 23] = [
    // 64, 32 and 16: those of what is repeated come first.
    0x70, 0x12, 0x34,
    5, 6, 7, 8,
    0x7f, 0x80, 0, 0,
    0x7f, 0xc0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 15,
];

fn written(outer: Outer) -> Result<Vec<u8>, FieldError> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &Ids);
    outer.encode_fields(&mut writer);
    writer.finish().map(|()| bytes)
}

fn read(bytes: &[u8]) -> Result<Outer, FieldError> {
    Outer::decode_fields(202, &mut Reader::new(bytes, &mut Ids)).expect("it is its number")
}

#[test]
fn fields_are_in_their_order_and_flags_from_the_highest_bit() {
    assert_eq!(written(GIVEN), Ok(BYTES.to_vec()));
    assert_eq!(format!("{:?}", read(&BYTES)), format!("{:?}", Ok::<_, FieldError>(GIVEN)));
    assert_eq!((Inner::BYTES, Outer::BYTES), (3, 23));
    // IP, UDP, and what each message begins with.
    assert_eq!((INNER.bytes(), OUTER.bytes()), (28 + 14 + 3, 28 + 14 + 23));
    let without = Outer { missing: None, c: false, inner: Inner { a: true, number: 0, b: false }, ..GIVEN };
    let bytes = written(without).expect("it is legal");
    assert_eq!(bytes[..7], [0x80, 0, 0, 0, 0, 0, 0], "what says nothing is 0");
    assert_eq!(format!("{:?}", read(&bytes)), format!("{:?}", Ok::<_, FieldError>(without)));
    // Bits without a name are not read, nor a number that is said not to be there.
    let mut odd = BYTES;
    odd[0] = 0x0f;
    assert_eq!(
        read(&odd).map(|outer| (outer.inner.a, outer.inner.b, outer.missing, outer.c)),
        Ok((false, false, None, false))
    );
    assert!(Outer::decode_fields(201, &mut Reader::new(&BYTES, &mut Ids)).is_none(), "it is another's");
}

#[test]
fn numbers_are_finite_but_where_the_format_says_more() {
    let number = |field| Err(FieldError::Number { field });
    for (most, draw, expected) in [
        (f32::NAN, 1.0, number("most")),
        (f32::NEG_INFINITY, 1.0, number("most")),
        (1.0, f32::INFINITY, number("draw")),
        (1.0, f32::NEG_INFINITY, number("draw")),
        (-0.0, f32::MIN_POSITIVE, Ok(())),
    ] {
        assert_eq!(written(Outer { most, draw, ..GIVEN }).map(|_| ()), expected);
        let mut bytes = BYTES;
        bytes[7..11].copy_from_slice(&most.to_be_bytes());
        bytes[11..15].copy_from_slice(&draw.to_be_bytes());
        assert_eq!(read(&bytes).map(|_| ()), expected);
    }
    // What is no number has one form, whatever stood in the others' bits.
    let mut bytes = BYTES;
    bytes[11..15].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    let draw = read(&bytes).expect("it is none").draw;
    assert_eq!(draw.to_bits(), f32::NAN.to_bits());
    let plain = |value: f32| {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &Ids);
        writer.field("plain");
        value.encode(&mut writer);
        let finished = writer.finish();
        let mut ids = Ids;
        let mut reader = Reader::new(&bytes, &mut ids);
        reader.field("plain");
        assert_eq!(f32::decode(&mut reader).map(|_| ()), finished);
        finished
    };
    assert_eq!([plain(1e30), plain(f32::INFINITY), plain(f32::NAN)], [Ok(()), number("plain"), number("plain")]);
}

#[test]
fn somebody_unknown_is_a_stranger_and_nobody_is_refused() {
    let who = |id: u64| {
        let mut bytes = BYTES;
        bytes[15..].copy_from_slice(&id.to_be_bytes());
        read(&bytes).map(|outer| outer.who)
    };
    let nobody = FieldError::Nobody { field: "who" };
    assert_eq!(
        [who(12), who(16), who(u64::MAX), who(0)],
        [Ok(Address::endpoint(2)), Ok(Address::STRANGER), Ok(Address::STRANGER), Err(nobody)]
    );
    assert_eq!(written(Outer { who: Address::STRANGER, ..GIVEN }), Err(nobody));
    assert!(!Address::STRANGER.is_group());
}

#[test]
fn what_is_cut_off_is_short() {
    for length in 0..BYTES.len() {
        assert_eq!(read(&BYTES[..length]), Err(FieldError::Short), "{length}");
    }
    let mut ids = Ids;
    let mut reader = Reader::new(&BYTES, &mut ids);
    assert_eq!(reader.slice(24), Err(FieldError::Short));
    assert_eq!((reader.slice(22).map(<[u8]>::len), reader.rest()), (Ok(22), &[15][..]));
}

#[test]
fn messages_of_standards_are_not_written_here() {
    let refused = |header: Header| {
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &Ids);
        header.encode_fields(&mut writer);
        (writer.finish(), bytes.len(), header.wire_kind())
    };
    let data = mlda::DataHeader { probe: true, sequence: 1, timestamp: 2, ssrc: 3 };
    for header in [mlda::Header::Data(data).into(), mlda::Header::Bye.into(), Header::from(tcp::Header::Syn)] {
        assert_eq!(refused(header), (Err(FieldError::Foreign), 0, None));
    }
}

#[test]
fn each_number_is_one_message_and_others_are_none() {
    let known: Vec<u8> =
        (0..=255).filter(|&kind| Header::decode_fields(kind, &mut Reader::new(&[0; 80], &mut Ids)).is_some()).collect();
    let own = [1, 2, 3, 16, 17, 32, 33, 48, 49, 50, 64, 65, 66, 67, 80, 81, 82, 83];
    let guests = (128..=160).chain(192..=224);
    assert_eq!(known, own.into_iter().chain(guests).collect::<Vec<u8>>());
    let header = Header::from(pgmcc::Header::Ncf { missing: 7 });
    assert_eq!(header.wire_kind(), Some(83));
    assert_eq!(Header::from(tfmcc::Header::Data(data())).wire_kind(), Some(32));
}

fn data() -> tfmcc::DataHeader {
    tfmcc::DataHeader {
        round: 0,
        sequence: 0,
        suppression_bps: 0.0,
        rate_bps: 0.0,
        max_rtt_us: 0,
        echo: None,
        starting: false,
        at_once: false,
    }
}

#[test]
fn a_start_has_its_flags_behind_those_of_the_echo() {
    for (starting, at_once, flags) in [(true, false, 0x20), (false, true, 0x10), (true, true, 0x30)] {
        let header = tfmcc::DataHeader { starting, at_once, ..data() };
        let mut bytes = Vec::new();
        let mut writer = Writer::new(&mut bytes, &Ids);
        header.encode(&mut writer);
        assert_eq!((writer.finish(), bytes[0]), (Ok(()), flags));
        assert_eq!(tfmcc::DataHeader::decode(&mut Reader::new(&bytes, &mut Ids)), Ok(header));
    }
}

#[test]
fn an_echo_that_is_not_there_is_not_read() {
    let mut bytes = vec![0x40, 0, 0, 0, 0, 0];
    bytes.extend([0; 12]);
    bytes.extend([9; 12]);
    let read = tfmcc::DataHeader::decode(&mut Reader::new(&bytes, &mut Ids));
    assert_eq!(read, Ok(data()), "the second flag says nothing without the first");
    bytes[0] = 0xc0;
    let echo = tfmcc::Echo { receiver: Address::STRANGER, stamp_us: 0x0909_0909, is_clr: true };
    let read = tfmcc::DataHeader::decode(&mut Reader::new(&bytes, &mut Ids));
    assert_eq!(read.map(|data| data.echo), Ok(Some(echo)));
}
