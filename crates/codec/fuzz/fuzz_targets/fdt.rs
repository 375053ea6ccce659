//! Any text: it is refused, or read as a table of FLUTE that is written and read again, and takes no more memory than a
//! multiple of its length.
#![no_main]

use allocation_counter::measure;
use faircast_codec::lct::fdt::{read, write};
use faircast_codec::testing::most_allocated;

libfuzzer_sys::fuzz_target!(|document: &str| {
    let mut table = None;
    let taken = measure(|| table = Some(read(document)));
    assert!(taken.bytes_max <= most_allocated::by_table(document.len()), "{taken:?}");
    if let Some(Ok(table)) = table {
        let mut written = String::new();
        write(&table, &mut written);
        assert_eq!(read(&written), Ok(table));
    }
});
