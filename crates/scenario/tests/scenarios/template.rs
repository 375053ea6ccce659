//! The template of a crate outside the tree: the pages that show it, and what it needs to stand anywhere.

const PAGES: [&str; 2] = [include_str!("../../../../docs/add-a-scheme.md"), include_str!("../../../../docs/guests.md")];
const SOURCES: [&str; 10] = [
    include_str!("../../../../examples/worst-loss/src/lib.rs"),
    include_str!("../../../../examples/worst-loss/src/main.rs"),
    include_str!("../../../../examples/worst-loss/src/python.rs"),
    include_str!("../../../../examples/worst-loss/tests/scheme.rs"),
    include_str!("../../../proto/src/registry.rs"),
    include_str!("../../../proto/src/scheme.rs"),
    include_str!("../../../proto/src/tfmcc/sender.rs"),
    include_str!("../../../../examples/tfmcc-percentile/src/lib.rs"),
    include_str!("../../../../examples/tfmcc-percentile/src/ranks.rs"),
    include_str!("../../../../examples/tfmcc-percentile/tests/scheme.rs"),
];

#[test]
fn the_pages_show_code_that_exists() {
    for page in PAGES {
        let blocks: Vec<&str> = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(blocks.len() >= 2, "{}", blocks.len());
        for block in blocks {
            assert!(SOURCES.iter().any(|source| source.contains(block)), "nowhere in the tree:\n{block}");
        }
    }
}

/// One who copies the folder edits the paths in `Cargo.toml` and nothing else.
#[test]
fn no_source_of_the_template_looks_outside_its_folder() {
    for source in &SOURCES[..4] {
        assert!(!source.contains("\"../../"), "a path out of the folder");
    }
}
