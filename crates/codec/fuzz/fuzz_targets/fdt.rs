//! Any text: it is refused, or read as a table of FLUTE that is written and read again.
#![no_main]

use faircast_codec::lct::fdt::{read, write};

libfuzzer_sys::fuzz_target!(|document: &str| {
    if let Ok(table) = read(document) {
        let mut written = String::new();
        write(&table, &mut written);
        assert_eq!(read(&written), Ok(table));
    }
});
