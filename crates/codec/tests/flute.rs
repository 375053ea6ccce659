//! Files go between this codec and the crate `flute`, an implementation of FLUTE of its own: what is written here is
//! received there, and what it sends is read here.

use faircast_codec::fec::PayloadId;
use faircast_codec::lct::fdt::{self, Code, File, Table};
use faircast_codec::lct::{Extensions, FdtInstance, Lengths, Packet, decode, encode};
use flute::core::UDPEndpoint;
use flute::receiver::{MultiReceiver, writer};
use flute::sender::{ObjectDesc, Sender};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::{Duration, SystemTime};

const SESSION: u64 = 77;
const SYMBOL_BYTES: usize = 100;
/// Symbols of a block, of which these objects have one.
const BLOCK_LEN: u32 = 64;

fn endpoint() -> UDPEndpoint {
    UDPEndpoint::new(None, "239.1.2.3".to_owned(), 5007)
}

/// 2026-01-01, and in seconds since 1900 a day later.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600)
}

const EXPIRES_S: u32 = (1_767_225_600_u64 + 2_208_988_800 + 86_400) as u32;

fn content() -> Vec<u8> {
    (0..1234_u32).map(|n| (n * n % 251) as u8).collect()
}

/// The packets of an object, in symbols by compact no-code.
fn packets(object: u128, bytes: &[u8], table: Option<FdtInstance>, close: bool) -> Vec<Vec<u8>> {
    let mut information = [0; 14];
    information[..6].copy_from_slice(&(bytes.len() as u64).to_be_bytes()[2..]);
    information[8..10].copy_from_slice(&(SYMBOL_BYTES as u16).to_be_bytes());
    information[10..].copy_from_slice(&BLOCK_LEN.to_be_bytes());
    let count = bytes.chunks(SYMBOL_BYTES).count();
    let packet = |(symbol, data): (usize, &[u8])| {
        let mut payload = Vec::new();
        PayloadId::NoCode { block: 0, symbol: symbol as u16 }.write(&mut payload);
        payload.extend_from_slice(data);
        let object_information = table.map(|_| &information[..]);
        let packet = Packet {
            lengths: Lengths { congestion_control: 1, session: 1, object: 1, half: true },
            congestion_control: [0; 4],
            session: SESSION,
            object,
            indication: 0,
            close_session: false,
            close_object: close && symbol + 1 == count,
            codepoint: 0,
            extensions: Extensions { table, object_information, ..Extensions::default() },
            payload: &payload,
        };
        let mut out = Vec::new();
        encode(&packet, &mut out).expect("it fits");
        out
    };
    bytes.chunks(SYMBOL_BYTES).enumerate().map(packet).collect()
}

#[test]
fn what_is_written_here_is_received_there() {
    let content = content();
    let code = Code {
        fec_id: Some(0),
        block_len: Some(BLOCK_LEN.into()),
        symbol_bytes: Some(SYMBOL_BYTES as u64),
        ..Code::default()
    };
    let file = File {
        object: 5,
        location: "file:///a%20b&c.bin".into(),
        content_bytes: Some(content.len() as u64),
        content_type: Some("application/octet-stream".into()),
        ..File::default()
    };
    let mut table = String::new();
    fdt::write(&Table { expires_s: EXPIRES_S, complete: true, code, files: vec![file] }, &mut table);
    let writer = Rc::new(writer::ObjectWriterBufferBuilder::new(true));
    let mut receiver = MultiReceiver::new(writer.clone(), None, false);
    let table = packets(0, table.as_bytes(), Some(FdtInstance { version: 2, instance: 1 }), false);
    assert!(table.len() > 2, "a table of several packets");
    // The file's first packet is late, and comes behind the others.
    let mut file = packets(5, &content, None, true);
    file[..4].rotate_left(1);
    for packet in table.iter().chain(&file) {
        receiver.push(&endpoint(), packet, now()).expect("it reads the packet");
    }
    let objects = writer.objects.borrow();
    assert_eq!(objects.len(), 1);
    let object = objects[0].borrow();
    assert!(object.complete && !object.error);
    assert_eq!((object.meta.content_location.as_str(), &object.data), ("file:///a%20b&c.bin", &content));
}

#[test]
fn what_is_sent_there_is_read_here() {
    let content = content();
    let mut sender = Sender::new(endpoint(), SESSION, &Default::default(), &Default::default());
    let location = url::Url::parse("file:///a%20b&c.bin").expect("a location");
    let object = ObjectDesc::create_from_buffer(content.clone(), "text/plain", &location, true, Default::default());
    sender.add_object(0, object.expect("an object")).expect("a place for it");
    sender.publish(now()).expect("a table");
    let mut objects: BTreeMap<u128, BTreeMap<(u32, u32), Vec<u8>>> = BTreeMap::new();
    let mut tables = 0;
    while let Some(bytes) = sender.read(now()) {
        let packet = decode(&bytes).expect("it is read");
        assert_eq!(packet.session, SESSION);
        if packet.object == 0 {
            tables += 1;
            assert_eq!(packet.extensions.table.map(|table| table.version), Some(2));
        }
        let mut again = Vec::new();
        encode(&packet, &mut again).expect("it was read");
        assert_eq!(decode(&again), Ok(packet));
        let (id, data) = packet.symbol(packet.codepoint).expect("its codepoint names a scheme known here");
        objects.entry(packet.object).or_default().insert(id.split(8), data.to_vec());
    }
    assert!(tables > 0 && objects.len() == 2, "{tables} {:?}", objects.keys());
    let whole = |object: u128| objects[&object].values().flatten().copied().collect::<Vec<u8>>();
    let document = String::from_utf8(whole(0)).expect("text");
    let table = fdt::read(&document).expect("a table");
    assert_eq!(table.files.len(), 1);
    let file = &table.files[0];
    assert_eq!((&*file.location, file.content_bytes), ("file:///a%20b&c.bin", Some(content.len() as u64)));
    assert_eq!(whole(file.object), content);
    assert!(file.code.fec_id.or(table.code.fec_id).is_some() && table.expires_s > 0);
}
