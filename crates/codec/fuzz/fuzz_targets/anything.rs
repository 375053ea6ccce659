//! Any bytes: they are refused, or read as what is written and read again, and take no memory but what they are long.
#![no_main]

use allocation_counter::measure;
use faircast_codec::testing::{Everybody, hold, most_allocated};
use faircast_codec::{decode, decode_between_neighbours};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut scope = Everybody { near: None };
    let taken = measure(|| {
        let _ = decode(bytes, &mut scope);
        let _ = decode_between_neighbours(bytes, &mut scope);
    });
    assert!(taken.bytes_max <= most_allocated::by_reports(bytes.len()), "{taken:?}");
    hold(bytes);
});
