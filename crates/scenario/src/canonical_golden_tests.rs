//! Canonical JSON as its twin in Python writes it, `reference/canonical_json.py`.

use super::canonical;
use serde_json::{Value, json};

/// What `reference/canonical_json.py` has drawn, each with its text.
#[derive(serde::Deserialize)]
struct Golden {
    /// By their bits: what a text says may be read as a neighbour.
    numbers: Vec<(String, String)>,
    values: Vec<(Value, String)>,
}

#[test]
fn what_is_drawn_is_written_as_python_does() {
    let golden: Golden =
        serde_json::from_str(include_str!("../../../tests/golden/canonical_json.json")).expect("golden");
    for (bits, text) in golden.numbers {
        let number = f64::from_bits(u64::from_str_radix(&bits, 16).expect("hexadecimal digits"));
        assert_eq!(canonical(&json!(number)), text, "{bits}");
    }
    for (value, text) in golden.values {
        assert_eq!(canonical(&value), text);
    }
}
