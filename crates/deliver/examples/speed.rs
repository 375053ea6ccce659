//! What a sender spends on a file beside its sockets: CPU seconds per gigabyte.
//!
//! `cargo run --release -p faircast-deliver --example speed [MEGABYTES]` writes a file of 1000 MB, offers it with keys
//! and seals every packet, after a look at what it is made of, and then repairs as much as a loss of 1 % needs.
//! Printed is CPU time of the process, which neighbours disturb less than they do the time of day.

use faircast_deliver::keys::{ReceiverSession, SenderKeys, SenderSession, make};
use faircast_deliver::offer::{Offer, Sent, Settings};
use faircast_deliver::source::gather;
use faircast_deliver::store::{self, Event, Store};
use faircast_deliver::{Failure, ReceiverKeys};
use raptorq::{ObjectTransmissionInformation, SourceBlockDecoder, SourceBlockEncoder};
use ring::aead::{AES_256_GCM, Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, UnboundKey};
use ring::digest::{SHA256, digest};
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// As much as a packet of TFMCC has before its payload, below UDP.
const HEADER: [u8; 44] = [0; 44];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    parts();
    let megabytes: usize = std::env::args().nth(1).map_or(Ok(1000), |text| text.parse())?;
    let folder = std::env::temp_dir().join(format!("faircast-speed-{}", std::process::id()));
    fs::create_dir(&folder)?;
    let result = measure(&folder, megabytes);
    fs::remove_dir_all(&folder)?;
    result
}

fn measure(folder: &Path, megabytes: usize) -> Result<(), Box<dyn std::error::Error>> {
    let file = folder.join("film");
    let pattern: Vec<u8> = (0..1_000_000u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut written = fs::File::create(&file)?;
    for _ in 0..megabytes {
        std::io::Write::write_all(&mut written, &pattern)?;
    }
    let written = make(&folder.join("keys"), 1, &mut || true)?;
    let sender = SenderKeys::read(&written[0])?;
    let mut session = SenderSession::start(Some(&sender))?;
    let gigabytes = megabytes as f64 / 1000.0;

    let mut clock = Clock::start();
    let mut offer = Offer::new(gather(&[file])?, Settings::default(), session.salt(), session.signer(), &mut |_| true)?;
    clock.lap("sender: read, hash, sign", gigabytes);

    let mut message = Vec::with_capacity(2000);
    let (mut packets, mut bytes) = (0u64, 0u64);
    while next(&mut offer, &mut session, Duration::ZERO, &mut message)? {
        packets += 1;
        bytes += message.len() as u64;
    }
    clock.lap("sender: read, hash, symbols, AEAD", gigabytes);
    println!("{packets} packets, {bytes} bytes with {} bytes of header each", HEADER.len());

    let receiver = ReceiverKeys::read(&written[1])?;
    for loss in [0, 100] {
        let into = folder.join(format!("received-{loss}"));
        let mut receiving = ReceiverSession::new(Some(&receiver), 0);
        let mut store = Store::open(&into, store::Settings::default(), receiving.verifier())?;
        let mut offer = Offer::new(
            gather(&[folder.join("film")])?,
            Settings::default(),
            session.salt(),
            session.signer(),
            &mut |_| true,
        )?;
        let (mut sending, mut taking, mut now, mut count) = (Duration::ZERO, Duration::ZERO, Duration::ZERO, 0u64);
        while !store.complete() {
            let before = cpu();
            let any = next(&mut offer, &mut session, now, &mut message)?;
            let between = cpu();
            now += if any { Duration::from_micros(10) } else { Duration::from_millis(10) };
            count += 1;
            if any && (loss == 0 || count % loss != 0) {
                let opened = receiving.open(&mut message, HEADER.len())?;
                store.take(now, opened.salt, opened.payload)?;
            }
            if !any || count % 10_000 == 0 {
                while store.proceed()? != Event::Nothing {}
                if let Some(request) = store.request(now, 1200) {
                    offer.hear(now, 1, &request)?;
                }
            }
            taking += cpu() - between;
            sending += between - before;
        }
        let lost = if loss == 0 { "no loss" } else { "1 % loss" };
        println!(
            "{lost}: sender {:.2}, receiver {:.2} CPU s per GB",
            sending.as_secs_f64() / gigabytes,
            taking.as_secs_f64() / gigabytes
        );
    }
    Ok(())
}

/// What the parts cost, beside those that were not chosen.
fn parts() {
    const BYTES: usize = 256 << 20;
    let mut data: Vec<u8> = (0..BYTES as u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let gigabytes = BYTES as f64 / 1e9;
    let block = 512 * 1152;
    let mut clock = Clock::start();
    for block in data.chunks(block) {
        std::hint::black_box(blake3::hash(block));
    }
    clock.lap("BLAKE3, block by block", gigabytes);
    for block in data.chunks(block) {
        std::hint::black_box(digest(&SHA256, block));
    }
    clock.lap("SHA-256, block by block", gigabytes);
    for (name, algorithm) in [("AES-256-GCM", &AES_256_GCM), ("ChaCha20-Poly1305", &CHACHA20_POLY1305)] {
        let key = LessSafeKey::new(UnboundKey::new(algorithm, &[1; 32]).expect("32 bytes are a key"));
        for packet in data.chunks_mut(1168) {
            // Nothing that is secret is sealed here.
            let nonce = Nonce::assume_unique_for_key([0; 12]);
            let tag = key.seal_in_place_separate_tag(nonce, Aad::from(HEADER), packet);
            let _ = std::hint::black_box(tag.expect("a short packet"));
        }
        clock.lap(name, gigabytes);
    }
    for symbols in [256, 512, 1024, 2048] {
        let bytes = symbols * 1152;
        let information = ObjectTransmissionInformation::new(bytes as u64, 1152, 1, 1, 1);
        let blocks = &data[..bytes * 50];
        // The plan is made with the first encoder.
        SourceBlockEncoder::new(0, &information, &data[..bytes]);
        clock = Clock::start();
        for block in blocks.chunks(bytes) {
            std::hint::black_box(SourceBlockEncoder::new(0, &information, block));
        }
        clock.lap(&format!("RaptorQ, encoders of {symbols} symbols"), blocks.len() as f64 / 1e9);
        let encoder = SourceBlockEncoder::new(0, &information, &data[..bytes]);
        let mut given = encoder.source_packets();
        given.retain(|packet| packet.payload_id().encoding_symbol_id() % 100 != 7);
        given.extend(encoder.repair_packets(0, (symbols / 100 + 2) as u32));
        let mut decoders: Vec<_> = (0..20).map(|_| given.clone()).collect();
        clock = Clock::start();
        for given in decoders.drain(..) {
            let mut decoder = SourceBlockDecoder::new(0, &information, bytes as u64);
            std::hint::black_box(decoder.decode(given).expect("two symbols more than are lost"));
        }
        clock.lap(&format!("RaptorQ, decoding of {symbols} symbols, 1 % lost"), 20.0 * bytes as f64 / 1e9);
    }
}

/// The next sealed packet; false if there is none.
fn next(offer: &mut Offer, session: &mut SenderSession, now: Duration, message: &mut Vec<u8>) -> Result<bool, Failure> {
    message.clear();
    message.extend_from_slice(&HEADER);
    let sent = offer.next_symbol(now, message)?;
    if sent != Sent::Nothing {
        session.seal(message, HEADER.len()).map_err(|exhausted| Failure::Input(exhausted.to_string()))?;
    }
    Ok(sent != Sent::Nothing)
}

/// CPU time of this process.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

struct Clock(Duration);

impl Clock {
    fn start() -> Clock {
        Clock(cpu())
    }

    fn lap(&mut self, what: &str, gigabytes: f64) {
        let now = cpu();
        println!("{what}: {:.2} CPU s per GB", (now - self.0).as_secs_f64() / gigabytes);
        self.0 = now;
    }
}
