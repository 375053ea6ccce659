//! Gives parsers bytes that are nearly right: nothing may panic, and what is taken must be written again as it was.
//!
//! `cargo run --release -p faircast-deliver --example fuzz [INPUTS [SEED]]`; a million inputs by default. Panics stop
//! it, and it has printed the seed by then.

use faircast_deliver::feedback::{Line, Request};
use faircast_deliver::geometry::{Cut, Geometry};
use faircast_deliver::keys::Salt;
use faircast_deliver::manifest::{Entry, Manifest};
use faircast_deliver::names::FileName;
use faircast_deliver::root::Root;
use faircast_deliver::stream::head::{self, Head};
use faircast_deliver::stream::standing::Standing;
use faircast_deliver::symbol::SymbolId;
use rand_core::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::time::Duration;

const KINDS: usize = 7;
const CUT: Cut = Cut { symbol_bytes: 64, block_symbols: 4 };

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut given = std::env::args().skip(1);
    let inputs: u64 = given.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let seed: u64 = given.next().map_or(Ok(1), |text| text.parse())?;
    println!("{inputs} inputs, seed {seed}");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let originals = originals()?;
    let mut taken = [0u64; KINDS];
    let mut bytes = Vec::new();
    for _ in 0..inputs {
        let kind = random.next_u64() as usize % originals.len();
        bytes.clear();
        bytes.extend_from_slice(&originals[kind]);
        mutate(&mut bytes, &originals, &mut random);
        taken[kind] += u64::from(read(kind, &bytes));
    }
    println!(
        "taken: root {}, symbol {}, request {}, manifest {}, head {}, standing {}, name {}",
        taken[0], taken[1], taken[2], taken[3], taken[4], taken[5], taken[6]
    );
    Ok(())
}

/// Something of each kind that is right.
fn originals() -> Result<[Vec<u8>; KINDS], Box<dyn std::error::Error>> {
    let root = Root {
        cut: CUT,
        manifest_bytes: 600,
        began: 1_700_000_000,
        salt: Salt([7; 12]),
        hashes: vec![[1; 32], [2; 32], [3; 32]],
    };
    let line = Line { object: 1, block: 2, blocks: 3, lacks: 4, seen: 5 };
    let request = Request { content: 7, left: 9, lines: vec![line; 3] };
    let mut symbol = Vec::new();
    SymbolId { content: 1, object: 2, block: 3, symbol: 4 }.encode(&mut symbol);
    symbol.extend_from_slice(&[5; 64]);
    let mut entries = Vec::new();
    for (name, length) in [("a", 0), ("b/c", 1000), ("b/d", 1)] {
        let geometry = Geometry::new(CUT, length)?;
        let blocks = vec![[9; 32]; geometry.blocks() as usize];
        entries.push(Entry { name: FileName::new(name)?, geometry, hash: [8; 32], blocks });
    }
    let manifest = Manifest::new(entries)?.encode();
    let entry = |number: u64| head::Entry { at: 200 * number, bytes: 200, hash: [number as u8; 32] };
    let mut stream = Vec::new();
    let head = Head {
        cut: CUT,
        delay: Duration::from_secs(2),
        began: 1_700_000_000,
        salt: Salt([7; 12]),
        is_over: false,
        bytes: 1000,
        begun: 5,
        kept: 2,
        listed: 2,
        entries: vec![entry(2), entry(3)],
    };
    head.encode(None, &mut stream);
    let standing = Standing { session: head.tag(), left: 3, lost: 4, lines: vec![line; 2] };
    let name = b"folder/film.ts".to_vec();
    Ok([root.encode(None), symbol, request.encode(), manifest, stream, standing.encode(), name])
}

/// Changes a few bytes, cuts, repeats, or puts a piece of another one in.
fn mutate(bytes: &mut Vec<u8>, originals: &[Vec<u8>], random: &mut Xoshiro256PlusPlus) {
    for _ in 0..random.next_u64() % 4 {
        let draw = random.next_u64();
        let at = (draw >> 8) as usize % bytes.len().max(1);
        match draw % 8 {
            0 => bytes.truncate(at),
            1 => bytes.extend_from_slice(&draw.to_be_bytes()[..(draw >> 4) as usize % 8]),
            2 => {
                let other = &originals[(draw >> 40) as usize % originals.len()];
                let from = (draw >> 48) as usize % other.len();
                bytes.splice(at..at, other[from..].iter().take(32).copied());
            }
            3 if at < bytes.len() => bytes[at] = [0, 1, 127, 128, 255][(draw >> 56) as usize % 5],
            4 if at + 4 <= bytes.len() => bytes[at..at + 4].copy_from_slice(&(draw as u32 % 70).to_be_bytes()),
            5 if at < bytes.len() => bytes[at] = b"/.\\: \0aA"[(draw >> 56) as usize % 8],
            _ if at < bytes.len() => bytes[at] ^= 1 << ((draw >> 60) % 8),
            _ => {}
        }
    }
}

/// Reads bytes as what they were; whether they still are. What is read must be written as the same bytes.
fn read(kind: usize, bytes: &[u8]) -> bool {
    match kind {
        0 => Root::decode(bytes, None).is_ok_and(|root| {
            // Bits without meaning and signatures, which nobody looks at without a key, are not written again.
            assert!(root.hashes.len() * 32 < bytes.len());
            assert_eq!(Root::decode(&root.encode(None), None).as_ref(), Ok(&root));
            true
        }),
        1 => SymbolId::decode(bytes).is_ok_and(|(id, symbol)| {
            let mut again = Vec::new();
            id.encode(&mut again);
            again.extend_from_slice(symbol);
            assert_eq!(again, bytes);
            true
        }),
        2 => Request::decode(bytes).is_ok_and(|request| {
            assert_eq!(request.encode(), bytes);
            true
        }),
        3 => Manifest::decode(bytes, CUT).is_ok_and(|manifest| {
            assert_eq!(manifest.encode(), bytes);
            true
        }),
        4 => Head::decode(bytes, None).is_ok_and(|head| {
            let mut again = Vec::new();
            head.encode(None, &mut again);
            assert_eq!(Head::decode(&again, None).as_ref(), Ok(&head));
            true
        }),
        5 => Standing::decode(bytes).is_ok_and(|standing| {
            assert_eq!(standing.encode(), bytes);
            true
        }),
        _ => std::str::from_utf8(bytes).is_ok_and(|text| {
            FileName::new(text).is_ok_and(|name| {
                let path = std::path::Path::new(name.as_str());
                let normal = |part| matches!(part, std::path::Component::Normal(_));
                assert!(path.components().all(normal) && path.components().count() == name.parts().count());
                true
            })
        }),
    }
}
