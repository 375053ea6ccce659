//! Derives that do nothing, by the names of those of serde and schemars.
//!
//! Parameters of `faircast-proto` are declared once, with `#[derive(Serialize, Deserialize, JsonSchema)]` and what each
//! field asks of these. Where that crate is built without its features `serde` and `schemars`, the names mean these
//! derives: the attributes are known, nothing comes of them, and neither serde nor schemars nor their macros are
//! compiled. They have no dependency and are of no use to anybody else.

use proc_macro::TokenStream;

/// In the place of serde's.
#[proc_macro_derive(Serialize, attributes(serde))]
pub fn serialize(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// In the place of serde's.
#[proc_macro_derive(Deserialize, attributes(serde))]
pub fn deserialize(_: TokenStream) -> TokenStream {
    TokenStream::new()
}

/// In the place of that of schemars.
#[proc_macro_derive(JsonSchema, attributes(schemars, serde))]
pub fn json_schema(_: TokenStream) -> TokenStream {
    TokenStream::new()
}
