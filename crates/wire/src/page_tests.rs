//! The example of `docs/drive-it-yourself.md`, as a test.

#[doc = include_str!("../../../docs/drive-it-yourself.md")]
struct Page;
