//! Any bytes: they are refused, or read as a message of NORM that is written and read again.
#![no_main]

use faircast_codec::norm::{decode, encode};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(message) = decode(bytes) {
        let mut written = Vec::new();
        encode(&message, &mut written);
        assert!(written.len() <= bytes.len());
        assert_eq!(decode(&written), Ok(message));
    }
});
