//! Any bytes: they are refused, or read as a packet of LCT that is written and read again.
#![no_main]

use faircast_codec::lct::{decode, encode};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(packet) = decode(bytes) {
        let mut written = Vec::new();
        assert_eq!(encode(&packet, &mut written), Ok(()));
        assert!(written.len() <= bytes.len());
        assert_eq!(decode(&written), Ok(packet));
    }
});
