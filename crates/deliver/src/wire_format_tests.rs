//! Holds `docs/wire-format.md` against what is encoded.

use crate::feedback;
use crate::keys::{MAC_BYTES, SEALED_BYTES};
use crate::root::Root;
use crate::stream::{head, standing};
use crate::symbol;

const PAGE: &str = include_str!("../../../docs/wire-format.md");

/// The widths of the fields in the tables under a heading, in bytes, table by table.
fn tables(heading: &str) -> Vec<usize> {
    let start = PAGE.find(&format!("\n#### {heading}\n")).unwrap_or_else(|| panic!("the page has no {heading:?}"));
    let text = &PAGE[start + 6..];
    let text = &text[..text.find("\n#").unwrap_or(text.len())];
    let mut sums = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('|')) {
        match line.split('|').nth(2).map(str::trim) {
            Some("bits") => sums.push(0),
            Some(bits) => {
                if let (Ok(bits), Some(sum)) = (bits.parse::<usize>(), sums.last_mut()) {
                    *sum += bits;
                }
            }
            None => {}
        }
    }
    sums.into_iter().map(|bits| bits / 8).collect()
}

#[test]
fn the_page_has_the_length_of_everything() {
    assert_eq!(tables("Root"), [Root::bytes(0) - 64]);
    assert_eq!(tables("Symbol"), [symbol::HEADER_BYTES]);
    assert_eq!(tables("Manifest"), [2 + 8 + 32]);
    assert_eq!(tables("Request"), [feedback::HEADER_BYTES, feedback::LINE_BYTES]);
    assert_eq!(tables("Head"), [head::FIXED_BYTES, head::ENTRY_BYTES]);
    assert_eq!(tables("Standing"), [standing::HEADER_BYTES]);
    assert_eq!(tables("Sealed data"), [SEALED_BYTES]);
    assert_eq!(tables("Authenticated feedback"), [MAC_BYTES]);
    for row in [
        format!("| root | 1 | {}, and 32 for each block of the manifest |", Root::bytes(0)),
        format!("| symbol | 2 | {}, and the symbol |", symbol::HEADER_BYTES),
        format!("| head | 4 | {}, and {} for each block that it lists |", head::FIXED_BYTES + 64, head::ENTRY_BYTES),
        format!("| standing | 5 | {}, and {} for each line |", standing::HEADER_BYTES, feedback::LINE_BYTES),
        format!("| request | 3 | {}, and {} for each line |", feedback::HEADER_BYTES, feedback::LINE_BYTES),
    ] {
        assert!(PAGE.contains(&row), "{row}");
    }
}
