//! A value as canonical JSON: the same text for the same value, of which hashes are made.
//!
//! Keys are in the order of their code points, nothing stands between signs, and only what must be is escaped. Numbers
//! are written as Python's `json` writes them, which made these texts before: with the fewest digits that lead back to
//! them, with a point or an exponent if they are no whole numbers, and an exponent below 0.0001 and from 10^16 on.

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};

/// The canonical text of a value.
pub fn canonical(value: &Value) -> String {
    let mut bytes = Vec::new();
    value.serialize(&mut Serializer::with_formatter(&mut bytes, Canonical)).expect("a value can be written to memory");
    String::from_utf8(bytes).expect("JSON is text")
}

struct Canonical;

impl Formatter for Canonical {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, number: f64) -> io::Result<()> {
        let size = number.abs();
        if size == 0.0 || (1e-4..1e16).contains(&size) {
            let text = even(number, number.to_string(), |places| format!("{number:.places$}"));
            let point = if number.fract() == 0.0 { ".0" } else { "" };
            return write!(writer, "{text}{point}");
        }
        let text = even(number, format!("{number:e}"), |places| format!("{number:.places$e}"));
        let (digits, exponent) = text.split_once('e').expect("it was asked for an exponent");
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
        write!(writer, "{digits}e{sign}{exponent:0>2}")
    }
}

/// Of two texts with the fewest digits that are equally near to a number the one that ends with an even digit, as
/// Python has it, given either of them: the number `rounded` to as many places behind the point.
fn even(number: f64, text: String, rounded: impl FnOnce(usize) -> String) -> String {
    let digits = text.split('e').next().unwrap_or_default();
    let rounded = rounded(digits.split_once('.').map_or(0, |(_, places)| places.len()));
    // Below a power of two numbers are nearer to each other than above it, and the nearest text may be another's.
    if rounded.parse() == Ok(number) { rounded } else { text }
}

#[cfg(test)]
#[path = "canonical_golden_tests.rs"]
mod golden_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_those_of_python() {
        // What Python 3.11 gives for json.dumps of each.
        for (number, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (1.0 / 3.0, "0.3333333333333333"),
            (0.0001, "0.0001"),
            (0.00012345, "0.00012345"),
            (0.00009, "9e-05"),
            (1.5e-10, "1.5e-10"),
            (1e15, "1000000000000000.0"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (-1.25e22, "-1.25e+22"),
            (1e100, "1e+100"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
            (5e-324, "5e-324"),
            // Exactly between ...12 and ...13, ...062 and ...063.
            (1.0 / 33_554_432.0, "2.9802322387695312e-08"),
            (8.0 + 1.0 / 65_536.0, "8.000015258789062"),
            // 2^-1017, to which a text with 4 at the end is nearer, and would be read as the number below.
            (f64::from_bits(6 << 52), "7.120236347223045e-307"),
        ] {
            assert_eq!(canonical(&json!(number)), text);
        }
        assert_eq!(canonical(&json!([u64::MAX, -7, 0])), "[18446744073709551615,-7,0]");
    }

    #[test]
    fn texts_and_tables_are_those_of_python() {
        let value =
            json!({"b": [true, null], "a": "\u{1}\u{7f}\u{8}\u{c}\n\r\t\"\\/ü\u{2028}\u{1f600}", "ü": {}, "B": []});
        let text =
            "{\"B\":[],\"a\":\"\\u0001\u{7f}\\b\\f\\n\\r\\t\\\"\\\\/ü\u{2028}\u{1f600}\",\"b\":[true,null],\"ü\":{}}";
        assert_eq!(canonical(&value), text);
    }
}
