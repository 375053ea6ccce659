//! Any bytes: they are refused, or read as a message of NORM that is written and read again. Reading takes no memory.
#![no_main]

use allocation_counter::measure;
use faircast_codec::norm::{decode, encode};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut read = None;
    assert_eq!(measure(|| read = Some(decode(bytes))).count_total, 0);
    if let Some(Ok(message)) = read {
        let mut written = Vec::new();
        encode(&message, &mut written);
        assert!(written.len() <= bytes.len());
        assert_eq!(decode(&written), Ok(message));
    }
});
