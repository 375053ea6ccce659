//! Any bytes: they are refused, or read as what is written and read again.
#![no_main]

use faircast_codec::testing::hold;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    hold(bytes);
});
