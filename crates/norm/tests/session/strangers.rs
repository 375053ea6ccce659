//! What others send: other codes, parity, claims without end, objects that are none.

use crate::world::{Memory, World, content};
use faircast_codec::fec::PayloadId;
use faircast_codec::norm::{
    Answer, Body, Code, Command, Extensions, GroupSize, List, Message, ObjectInformation, Position, Requests,
    RoundTrip, Status, Time, decode, encode, write_list, write_request,
};
use faircast_norm::receiver::{Receiver, Settings};
use faircast_proto::time::{Duration, Instant};

const STATUS: Status = Status { instance: 3, grtt: RoundTrip(124), backoff: 0, group_size: GroupSize(0) };
/// Flags: it has information, and is a file.
const FILE: u8 = 0x14;

/// A receiver that hears a sender of libnorm's kind.
struct Ear {
    receiver: Receiver,
    memory: Memory,
    now: Instant,
    sequence: u16,
    status: Status,
    /// The sender's number.
    node: u32,
}

impl Ear {
    fn new() -> Ear {
        let receiver = Receiver::new(Settings { node: 5, is_unicast: false }, 1).expect("legal");
        Ear {
            receiver,
            memory: Memory::default(),
            now: Instant::from_secs_f64(100.0),
            sequence: 0,
            status: STATUS,
            node: 9,
        }
    }

    fn hear(&mut self, body: Body, object: Option<ObjectInformation>, payload: &[u8]) {
        let extensions = Extensions { object, ..Extensions::default() };
        let mut bytes = Vec::new();
        encode(&Message { sequence: self.sequence, source: self.node, body, extensions, payload }, &mut bytes);
        self.sequence = self.sequence.wrapping_add(1);
        self.now += Duration::from_millis(1);
        let from = "10.0.0.1:5000".parse().expect("a socket");
        self.receiver.hear((self.now, self.now), from, &bytes, &mut self.memory).unwrap();
    }

    fn data(&mut self, object: ObjectInformation, number: u16, symbol: PayloadId, payload: &[u8]) {
        let position = Position { object: number, symbol };
        self.hear(Body::Data { status: self.status, flags: FILE, position }, Some(object), payload);
    }

    fn name(&mut self, object: ObjectInformation, number: u16, fec_id: u8, name: &str) {
        let body = Body::Information { status: self.status, flags: FILE, fec_id, object: number };
        self.hear(body, Some(object), name.as_bytes());
    }

    fn command(&mut self, command: Command, payload: &[u8]) {
        self.hear(Body::Command { status: self.status, command }, None, payload);
    }

    /// What it says by now of what it lacks.
    fn asks(&mut self) -> Vec<(u8, Vec<Position>)> {
        let mut asked = Vec::new();
        let mut out = Vec::new();
        while self.receiver.next(self.now, &mut out) {
            let message = decode(&out).expect("it speaks NORM");
            if let (Body::Nack { .. }, Some(requests)) = (message.body, Requests::read(message.payload)) {
                asked.extend(requests.map(|request| (request.flags, request.positions().collect())));
            }
            out.clear();
        }
        asked
    }
}

fn rs8(block: u32, symbol: u8) -> PayloadId {
    PayloadId::ReedSolomon8 { block, symbol }
}

/// Symbols of the source are asked for where parity would have done, and parity harms nothing.
#[test]
fn parity_is_passed_over_and_symbols_are_asked_for() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 2 };
    let object = ObjectInformation { object_bytes: 22, code };
    let mut ear = Ear::new();
    ear.name(object, 0, 5, "a");
    // 6 symbols in two blocks; the second of the first block is lost.
    for symbol in [0, 2, 3, 4] {
        ear.data(object, 0, rs8(0, symbol), b"0123");
    }
    assert!(ear.asks().is_empty(), "the block may not be over");
    ear.data(object, 0, rs8(1, 0), b"0123");
    // The sender has gone back to what is before that: it may be about to send it.
    ear.data(object, 0, rs8(0, 0), b"0123");
    assert!(ear.asks().is_empty());
    ear.now += Duration::from_secs(1);
    ear.data(object, 0, rs8(1, 0), b"0123");
    let position = Position { object: 0, symbol: rs8(0, 1) };
    assert_eq!(ear.asks(), [(0x01, vec![position])]);
    ear.data(object, 0, rs8(0, 1), b"4567");
    ear.data(object, 0, rs8(1, 1), b"89ab");
    ear.data(object, 0, rs8(1, 2), b"cd");
    assert_eq!(ear.memory.whole["a"], b"0123456701230123".iter().chain(b"89abcd").copied().collect::<Vec<u8>>());
}

#[test]
fn other_codes_have_their_numbers() {
    let wide = Code::ReedSolomon { m: 16, symbols: 1, segment_bytes: 4, block_len: 300, encoding_symbols: 9 };
    let small = Code::SmallBlock { instance: 0, segment_bytes: 4, block_len: 300, parity: 9 };
    for (code, fec_id, id) in [
        (wide, 2, (|symbol| PayloadId::ReedSolomon { bits: symbol }) as fn(u32) -> PayloadId),
        (small, 129, |symbol| PayloadId::SmallBlock { block: 0, block_len: 280, symbol: symbol as u16 }),
    ] {
        let mut ear = Ear::new();
        let object = ObjectInformation { object_bytes: 280 * 4, code };
        ear.name(object, 0, fec_id, "a");
        (0..280).filter(|symbol| *symbol != 270).for_each(|symbol| ear.data(object, 0, id(symbol), b"data"));
        let end = Position { object: 0, symbol: id(279) };
        ear.command(Command::Flush(end), &[]);
        assert_eq!(ear.asks(), [(0x01, vec![Position { object: 0, symbol: id(270) }])], "{fec_id}");
        ear.data(object, 0, id(270), b"data");
        assert_eq!(ear.memory.whole["a"].len(), 1120);
    }
}

/// An object of 2^48 bytes is asked for as ranges, and takes no more memory than what has come of it.
#[test]
fn claims_without_end_take_nothing() {
    let code = Code::SmallBlock { instance: 0, segment_bytes: 65_000, block_len: u16::MAX, parity: 0 };
    let object = ObjectInformation { object_bytes: (1 << 48) - 1, code };
    let mut ear = Ear::new();
    let id = |block, symbol| PayloadId::SmallBlock { block, block_len: u16::MAX, symbol };
    for number in 0..2000 {
        ear.data(object, number * 16, id(0, 0), b"short");
    }
    ear.command(Command::Flush(Position { object: 0x7fff, symbol: id(9, 9) }), &[]);
    let asked: usize = ear.asks().iter().map(|(_, positions)| positions.len()).sum();
    assert!(asked > 0 && asked < 65_000 / 12, "{asked}");
    assert!(ear.memory.whole.is_empty() && ear.memory.pieces.is_empty(), "no symbol is so short");
    // What no blocks can be numbered for is not there; messages with it go on to be counted.
    let none = ObjectInformation {
        object_bytes: (1 << 48) - 1,
        code: Code::ReedSolomon8 { segment_bytes: 1, block_len: 1, encoding_symbols: 0 },
    };
    ear.data(none, 0x7ffe, rs8(0, 0), b"x");
    assert_eq!(ear.receiver.counters().symbols, 2001);
}

#[test]
fn what_will_not_be_repaired_is_not_asked_for() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 4, code };
    let mut ear = Ear::new();
    // Of a sender that began long ago.
    ear.name(object, 20, 5, "twenty");
    ear.data(object, 20, rs8(0, 0), b"data");
    let [(flags, positions)] = &ear.asks()[..] else { panic!("one request") };
    assert_eq!((*flags, positions[0].object, positions[1].object), (0x0c, 0, 19), "those before, as a range");
    let mut list = Vec::new();
    write_list(&[18_u16], &mut list);
    ear.command(Command::Squelch(Position { object: 17, symbol: rs8(0, 0) }), &list);
    ear.now += Duration::from_secs(9);
    ear.command(Command::Flush(Position { object: 20, symbol: rs8(0, 0) }), &[]);
    let [(_, positions)] = &ear.asks()[..] else { panic!("one request") };
    let asked: Vec<u16> = positions.iter().map(|position| position.object).collect();
    assert_eq!(asked, [17, 19]);
    assert!(!ear.receiver.is_complete());
    for number in [17, 19] {
        ear.name(object, number, 5, &number.to_string());
        ear.data(object, number, rs8(0, 0), b"data");
    }
    assert!(ear.receiver.is_complete());
}

/// What the sender gives up, by a list or by where it begins, was wanted: it counts as lost, once.
#[test]
fn what_the_sender_gives_up_is_lost() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 4, code };
    for (first, listed) in [(0, vec![1_u16, 2, 0xfff9]), (3, Vec::new()), (2, vec![0, 1, 2])] {
        let mut ear = Ear::new();
        ear.name(object, 0, 5, "a");
        ear.data(object, 0, rs8(0, 0), b"data");
        ear.name(object, 1, 5, "b");
        ear.name(object, 3, 5, "d");
        ear.data(object, 3, rs8(0, 0), b"data");
        ear.command(Command::Flush(Position { object: 3, symbol: rs8(0, 0) }), &[]);
        assert_eq!((ear.receiver.is_complete(), ear.receiver.lost()), (false, 0));
        let mut list = Vec::new();
        write_list(&listed, &mut list);
        for _ in 0..2 {
            ear.command(Command::Squelch(Position { object: first, symbol: rs8(0, 0) }), &list);
        }
        ear.command(Command::EndOfTransmission, &[]);
        assert!(ear.receiver.is_over(ear.now) && ear.receiver.is_complete());
        assert_eq!((ear.receiver.lost(), ear.receiver.objects()), (2, (2, 4)), "{first} {listed:?}");
    }
}

/// What the sender has given up of what it offered before this receiver came is no failure of what came since.
#[test]
fn what_was_given_up_before_it_came_is_not_lost() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 4, code };
    for (first, listed, missed) in [(4, Vec::new(), 4), (5, Vec::new(), 5), (0, vec![1_u16, 3], 2), (2, vec![3], 3)] {
        let mut ear = Ear::new();
        ear.name(object, 5, 5, "f");
        ear.data(object, 5, rs8(0, 0), b"data");
        assert_eq!(ear.receiver.objects(), (1, 6));
        let mut list = Vec::new();
        write_list(&listed, &mut list);
        for _ in 0..2 {
            ear.command(Command::Squelch(Position { object: first, symbol: rs8(0, 0) }), &list);
        }
        assert_eq!((ear.receiver.lost(), ear.receiver.missed()), (0, missed), "{first} {listed:?}");
        assert_eq!(ear.receiver.objects(), (1, 6 - missed));
        // It was there for this one.
        ear.name(object, 6, 5, "g");
        ear.command(Command::Squelch(Position { object: 7, symbol: rs8(0, 0) }), &[]);
        assert_eq!((ear.receiver.lost(), ear.receiver.missed()), (1, 5));
        assert_eq!(ear.receiver.objects(), (1, 3));
    }
}

/// More objects than half of the numbers there are can be missed in a row.
#[test]
fn objects_go_on_when_numbers_have_come_around() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 4, code };
    let position = |object| Position { object, symbol: rs8(0, 0) };
    let mut ear = Ear::new();
    ear.name(object, 20_000, 5, "a");
    ear.data(object, 20_000, rs8(0, 0), b"data");
    ear.command(Command::Squelch(position(20_000)), &[]);
    assert!(ear.asks().is_empty());
    ear.now += Duration::from_secs(9);
    // Late, or repair without the flag, as libnorm's: of what is not wanted any more.
    ear.name(object, 19_000, 5, "late");
    assert_eq!(ear.receiver.objects(), (1, 1));
    // Repair of what is far behind.
    ear.hear(Body::Data { status: STATUS, flags: FILE | 0x01, position: position(60_000) }, Some(object), b"data");
    assert_eq!(ear.receiver.objects(), (1, 1));
    // The first message of what is so far ahead is not believed.
    ear.name(object, 60_000, 5, "b");
    assert_eq!(ear.receiver.objects(), (1, 1));
    ear.name(object, 60_000, 5, "b");
    ear.data(object, 60_000, rs8(0, 0), b"data");
    assert_eq!(ear.memory.whole.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(ear.receiver.objects(), (2, 40_001));
    // No request can name those that have numbers of newer ones by now.
    assert_eq!(ear.receiver.lost(), 40_001 - 32_768 - 1);
    ear.command(Command::Flush(position(60_000)), &[]);
    let asked = ear.asks();
    let ranges: Vec<u16> = asked.iter().flat_map(|(_, positions)| positions).map(|at| at.object).collect();
    assert_eq!(ranges, [60_001_u16.wrapping_sub(32_768), 59_999]);
}

/// One message whose numbers are wrong, or that is very old, moves nothing: neither where the sender is, nor what it
/// has to offer, nor losses.
#[test]
fn one_message_with_other_numbers_is_not_believed() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 8, code };
    let position = |object, symbol| Position { object, symbol: rs8(0, symbol) };
    let data = |object, symbol| Body::Data { status: STATUS, flags: FILE, position: position(object, symbol) };
    let flush = |object| Body::Command { status: STATUS, command: Command::Flush(position(object, 0)) };
    let squelch = |object| Body::Command { status: STATUS, command: Command::Squelch(position(object, 0)) };
    // By the object, and by the number of the message.
    for (ahead, body) in [
        (0, data(30_000, 0)),
        (0, flush(30_000)),
        (0, squelch(30_000)),
        (20_000, data(11, 0)),
        (40_000, squelch(12)),
        (300, data(11, 0)),
    ] {
        let mut ear = Ear::new();
        ear.name(object, 10, 5, "a");
        ear.data(object, 10, rs8(0, 0), b"data");
        let before = (ear.receiver.objects(), ear.receiver.counters().taken);
        let sequence = ear.sequence;
        ear.sequence = sequence.wrapping_add(ahead);
        ear.hear(body, Some(object), b"data");
        assert_eq!((ear.receiver.objects(), ear.receiver.counters().taken), before, "{ahead} {body:?}");
        // The sender goes on.
        ear.sequence = sequence;
        ear.command(Command::CongestionControl { cc_sequence: 1, sent: Time { s: 5, us: 5 } }, &[]);
        assert_eq!(ear.receiver.counters().taken, before.1 + 1);
        ear.data(object, 10, rs8(0, 1), b"data");
        assert_eq!((ear.memory.whole.len(), ear.receiver.lost()), (1, 0), "{ahead} {body:?}");
    }
    // Where the sender is there, the second message is believed.
    let mut ear = Ear::new();
    ear.name(object, 10, 5, "a");
    ear.sequence = ear.sequence.wrapping_add(40_000);
    ear.name(object, 2010, 5, "lost");
    ear.name(object, 2010, 5, "lost");
    assert_eq!(ear.receiver.objects(), (0, 11), "its number is believed, and of the object there was one message");
    ear.name(object, 2010, 5, "b");
    assert_eq!(ear.receiver.objects(), (0, 2011));
    // From there on a hundred that are lost are not far.
    ear.sequence = ear.sequence.wrapping_add(100);
    ear.name(object, 2011, 5, "c");
    assert_eq!(ear.receiver.objects(), (0, 2012));
}

/// What was under way when a sender started again is of nobody: it does not cost what has come of the new instance.
#[test]
fn a_late_message_of_an_instance_before_clears_nothing() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 8, code };
    let mut ear = Ear::new();
    ear.name(object, 0, 5, "old");
    // It starts again, and once more.
    for instance in [4, 5] {
        ear.status.instance = instance;
        ear.sequence = 1000 * instance;
        // By the second message it is believed to be there.
        ear.command(Command::CongestionControl { cc_sequence: 1, sent: Time { s: 5, us: 5 } }, &[]);
        ear.name(object, 0, 5, "new");
        ear.data(object, 0, rs8(0, 0), b"data");
    }
    let abandoned = ear.memory.abandoned;
    for late in [3, 4, 3] {
        ear.status.instance = late;
        ear.command(Command::EndOfTransmission, &[]);
        ear.data(object, 0, rs8(0, 0), b"late");
    }
    // Nor does one message of an instance that nobody has heard of, and what is not believed moves nobody.
    ear.status.instance = 77;
    ear.command(Command::EndOfTransmission, &[]);
    assert_eq!((ear.memory.abandoned, ear.receiver.counters().refused), (abandoned, 2 + 6 + 1));
    ear.status.instance = 5;
    ear.sequence = 5003;
    ear.data(object, 0, rs8(0, 1), b"data");
    assert_eq!(ear.memory.whole["new"], b"datadata");
    // One that was drawn before is that of a new start when nothing has come for as long as of another sender.
    ear.command(Command::Flush(Position { object: 0, symbol: rs8(0, 1) }), &[]);
    ear.now += Duration::from_secs(4);
    ear.status.instance = 3;
    ear.name(object, 0, 5, "again");
    assert_eq!(ear.receiver.objects(), (0, 1));
}

/// What waits ends earlier or later when the sender says another greatest round-trip time (section 5.3).
#[test]
fn waiting_follows_the_greatest_round_trip_time() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 24, code };
    let probe = Command::CongestionControl { cc_sequence: 1, sent: Time { s: 5, us: 5 } };
    let (long, short) = (RoundTrip::of_s(4.0), RoundTrip::of_s(0.2));
    let parts = long.s() / short.s();
    let mut ear = Ear::new();
    (ear.status.grtt, ear.status.backoff) = (long, 4);
    ear.name(object, 0, 5, "a");
    ear.data(object, 0, rs8(0, 0), b"data");
    // Where nothing lacks that has been passed it waits for content: forty of them, or a second.
    let since = ear.now;
    let waits = |ear: &Ear| ear.receiver.deadline().since(since).as_secs_f64();
    assert!((waits(&ear) - 40.0 * long.s()).abs() < 1e-6);
    ear.status.grtt = short;
    ear.command(probe, &[]);
    assert!((waits(&ear) - 40.0 * short.s()).abs() < 1e-6);
    // It waits whether others ask for the same.
    ear.status.grtt = long;
    ear.data(object, 0, rs8(1, 0), b"data");
    let since = ear.now;
    let waits = |ear: &Ear| ear.receiver.deadline().since(since).as_secs_f64();
    let before = waits(&ear);
    assert!(before > 0.01 && before <= 4.0 * long.s(), "{before}");
    ear.status.grtt = short;
    ear.command(probe, &[]);
    assert!((waits(&ear) - before / parts).abs() < 1e-6, "{} {before}", waits(&ear));
    // And after it has asked, that it is repaired: six of them.
    ear.now = ear.receiver.deadline();
    assert_eq!(ear.asks().len(), 1);
    ear.now += Duration::from_secs_f64(7.0 * short.s());
    for (grtt, asked) in [(long, 0), (short, 1)] {
        ear.status.grtt = grtt;
        ear.command(Command::Flush(Position { object: 0, symbol: rs8(1, 2) }), &[]);
        ear.now += Duration::from_secs_f64(4.0 * short.s());
        assert_eq!(ear.asks().len().min(1), asked);
    }
}

/// An end that comes first is that of an earlier transmission.
#[test]
fn an_end_before_anything_else_ends_nothing() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 4, code };
    let mut ear = Ear::new();
    ear.command(Command::EndOfTransmission, &[]);
    assert!(!ear.receiver.is_over(ear.now) && !ear.receiver.is_complete());
    ear.name(object, 0, 5, "a");
    ear.data(object, 0, rs8(0, 0), b"data");
    ear.command(Command::EndOfTransmission, &[]);
    assert!(ear.receiver.is_over(ear.now) && ear.receiver.is_complete());
}

/// A stream is passed over: no file lacks for it, before it or behind it, and its sender is not asked for it.
#[test]
fn a_stream_is_not_asked_for() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let stream = ObjectInformation { object_bytes: 1000, code };
    let file = ObjectInformation { object_bytes: 4, code };
    let mut ear = Ear::new();
    let body =
        |block| Body::Data { status: STATUS, flags: 0x20, position: Position { object: 0, symbol: rs8(block, 0) } };
    (0..9).for_each(|block| ear.hear(body(block), Some(stream), b"\0\x04\0\x01\0\0\0\0data"));
    for _ in 0..3 {
        ear.command(Command::Flush(Position { object: 0, symbol: rs8(8, 0) }), &[]);
        ear.now += Duration::from_secs(1);
        assert!(ear.asks().is_empty());
    }
    assert_eq!(ear.receiver.objects(), (0, 0));
    assert!(ear.receiver.is_over(ear.now + Duration::from_secs(4)), "there is nothing to wait for");
    ear.name(file, 1, 5, "a");
    ear.data(file, 1, rs8(0, 0), b"data");
    ear.command(Command::Flush(Position { object: 1, symbol: rs8(0, 0) }), &[]);
    assert!(ear.asks().is_empty() && ear.receiver.is_complete());
    assert_eq!((ear.receiver.objects(), ear.receiver.lost()), ((1, 1), 0));
}

/// One message with the greatest times that can be said does not keep it silent for hours.
#[test]
fn times_that_nobody_has_are_not_waited_for() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 24, code };
    let mut ear = Ear::new();
    ear.name(object, 0, 5, "a");
    ear.data(object, 0, rs8(0, 0), b"data");
    ear.status = Status { grtt: RoundTrip(255), backoff: 15, ..STATUS };
    ear.data(object, 0, rs8(1, 0), b"data");
    assert!(ear.receiver.deadline() <= ear.now + Duration::from_secs(60));
    ear.now += Duration::from_secs(60);
    assert!(!ear.asks().is_empty());
}

/// What others ask for is remembered up to a bound.
#[test]
fn overheard_requests_take_no_memory_without_end() {
    let code = Code::ReedSolomon8 { segment_bytes: 1, block_len: 255, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 1 << 24, code };
    let mut ear = Ear::new();
    ear.status.backoff = 4;
    ear.name(object, 0, 5, "a");
    ear.data(object, 0, rs8(0, 0), b"x");
    ear.data(object, 0, rs8(2, 0), b"x");
    for first in 0..200_u32 {
        let positions: Vec<Position> = (0..5000)
            .map(|n| Position { object: 0, symbol: rs8(3 + first * 40 + n / 127, 2 * (n % 127) as u8) })
            .collect();
        let mut content = Vec::new();
        write_request(1, 0x01, &positions, &mut content);
        let answer = Answer { server: 9, instance: 3, response: Time::default() };
        ear.hear(Body::Nack { answer }, None, &content);
    }
    let debug = format!("{:?}", ear.receiver).len();
    assert!(debug < 6_000_000, "{debug}");
}

/// Another sender does not cost what has come of a file while its own sender may come back.
#[test]
fn another_sender_waits_until_the_first_is_gone() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 8, code };
    for (silence, abandoned) in [(29, 0), (31, 1)] {
        let mut ear = Ear::new();
        ear.name(object, 0, 5, "a");
        ear.data(object, 0, rs8(0, 0), b"data");
        ear.now += Duration::from_secs(silence);
        ear.node = 10;
        ear.command(Command::EndOfTransmission, &[]);
        assert_eq!(ear.memory.abandoned, abandoned, "{silence}");
        assert_eq!(ear.receiver.counters().refused, 1 - abandoned as u64);
        ear.node = 9;
        ear.data(object, 0, rs8(0, 1), b"data");
        assert_eq!(ear.memory.whole.len(), 1 - abandoned);
    }
    let mut ear = Ear::new();
    ear.command(Command::Flush(Position { object: 0, symbol: rs8(0, 0) }), &[]);
    ear.name(object, 0, 5, "a");
    [0, 1].into_iter().for_each(|symbol| ear.data(object, 0, rs8(0, symbol), b"data"));
    ear.command(Command::Flush(Position { object: 0, symbol: rs8(0, 1) }), &[]);
    ear.now += Duration::from_secs(4);
    ear.node = 10;
    ear.name(object, 0, 5, "b");
    assert_eq!((ear.receiver.counters().refused, ear.receiver.objects()), (0, (0, 1)), "nothing lacked");
}

/// The end is known by that of the sender, or by its silence when everything is there; asking again is no end of that.
#[test]
fn it_is_over_when_the_sender_says_so_or_has_fallen_silent() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 8, code };
    let mut ear = Ear::new();
    ear.name(object, 0, 5, "a");
    ear.data(object, 0, rs8(0, 0), b"data");
    ear.command(Command::Flush(Position { object: 0, symbol: rs8(0, 1) }), &[]);
    let (end, mut asked) = (ear.now + Duration::from_secs(60), 0);
    while ear.receiver.deadline() < end {
        ear.now = ear.receiver.deadline();
        asked += ear.asks().len();
        assert!(!ear.receiver.is_over(ear.now), "something lacks");
    }
    // At once, and NORM_ROBUST_FACTOR times where nothing comes.
    assert_eq!(asked, 21);
    ear.data(object, 0, rs8(0, 1), b"data");
    ear.command(Command::Flush(Position { object: 0, symbol: rs8(0, 1) }), &[]);
    let silent = ear.now + Duration::from_secs(3);
    while ear.receiver.deadline() < silent {
        ear.now = ear.receiver.deadline();
        assert!(ear.asks().is_empty() && !ear.receiver.is_over(ear.now));
    }
    assert!(ear.receiver.is_over(silent + Duration::from_millis(1)));
    ear.command(Command::EndOfTransmission, &[]);
    assert!(ear.receiver.is_over(ear.now));
}

/// libnorm asks for what may have gone before the first object.
#[test]
fn who_asks_for_objects_that_are_none_is_told() {
    let mut world = World::new(&[("a", content(100_000, 1))], 1);
    world.member(0.0, 0.0, false);
    assert!(world.run(10.0, |world| world.sender.counters().source > 10));
    let (mut content, at) = (Vec::new(), |object| Position { object, symbol: rs8(0, 0) });
    write_request(2, 0x08, &[at(0), at(2), at(0xfff9), at(0xffff)], &mut content);
    let answer = Answer { server: 1, instance: 7, response: Time::default() };
    let (body, extensions) = (Body::Nack { answer }, Extensions::default());
    let mut bytes = Vec::new();
    encode(&Message { sequence: 0, source: 77, body, extensions, payload: &content }, &mut bytes);
    let now = world.now;
    (0..3).for_each(|_| world.sender.hear(now, now, false, &bytes));
    let before = world.sent.len();
    world.run(0.5, |_| false);
    let squelches = world.sent[before..].iter().filter_map(|(_, bytes)| {
        let message = decode(bytes).expect("NORM");
        let Body::Command { command: Command::Squelch(position), .. } = message.body else { return None };
        Some((position, List::<u16>::read(message.payload).expect("a list").iter().collect::<Vec<_>>()))
    });
    // What lies before the first is not listed (section 4.2.3.3).
    assert_eq!(squelches.collect::<Vec<_>>(), [(at(0), vec![1, 2])]);
}

/// The sender says what others have asked for, whom this receiver does not hear (section 5.4.4).
#[test]
fn what_the_sender_has_been_asked_for_is_not_asked_for_again() {
    let code = Code::ReedSolomon8 { segment_bytes: 4, block_len: 3, encoding_symbols: 0 };
    let object = ObjectInformation { object_bytes: 24, code };
    for (others, flags, kept_back) in [(1..2, 0, 1), (2..3, 0, 0), (0..1, 1, 1), (0..1, 0, 0), (2..3, 1, 0)] {
        let mut ear = Ear::new();
        ear.status.backoff = 4;
        ear.name(object, 0, 5, "a");
        [rs8(0, 0), rs8(0, 2), rs8(1, 0)].into_iter().for_each(|symbol| ear.data(object, 0, symbol, b"0123"));
        let mut content = Vec::new();
        let at = |symbol: u8| Position { object: 0, symbol: rs8(0, symbol) };
        write_request(1, 0x01, &others.map(at).collect::<Vec<_>>(), &mut content);
        ear.command(Command::RepairAdvertisement { flags }, &content);
        ear.now += Duration::from_millis(500);
        assert_eq!(ear.asks().len() as u64, 1 - kept_back);
        assert_eq!(ear.receiver.counters().suppressed, kept_back);
    }
}

#[test]
fn a_probe_without_a_rate_asks_for_no_answer() {
    let mut ear = Ear::new();
    ear.command(Command::CongestionControl { cc_sequence: 1, sent: Time { s: 5, us: 5 } }, &[]);
    ear.now += Duration::from_secs(50);
    let mut out = Vec::new();
    assert!(!ear.receiver.next(ear.now, &mut out));
}
