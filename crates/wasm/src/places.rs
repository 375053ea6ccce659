//! Where in a TOML text something stands, as JavaScript counts: in units of UTF-16.

use serde_json::{Value, json};
use std::ops::Range;

/// Positions in a text: from bytes to units of UTF-16.
pub struct Units<'t> {
    text: &'t str,
    /// Whether both count alike.
    is_ascii: bool,
}

impl<'t> Units<'t> {
    /// Positions in this text.
    pub fn of(text: &'t str) -> Units<'t> {
        Units { text, is_ascii: text.is_ascii() }
    }

    /// How many units lie before a byte, which begins a character.
    pub fn before(&self, byte: usize) -> usize {
        if self.is_ascii { byte } else { self.text[..byte].chars().map(char::len_utf16).sum() }
    }

    /// A range of bytes as `[from, to]`.
    pub fn range(&self, bytes: &Range<usize>) -> [usize; 2] {
        [self.before(bytes.start), self.before(bytes.end)]
    }
}

/// For each path of a scenario where it stands in a TOML text: `line`, counted from 1, on which it stands or on which
/// the table begins that it would be in; `known`, how many characters of the path lead there; and if its value stands
/// there itself and can be replaced, `value`: where that is. Null for what would be in no table.
pub fn places(text: &str, paths: &[String]) -> Value {
    let units = Units::of(text);
    let lines = faircast_scenario::toml_lines(text, paths);
    let values = faircast_scenario::toml_values(text, paths);
    let all = paths.iter().zip(lines).zip(values).map(|((path, line), value)| {
        let line = line?;
        let known = path.get(..line.known).unwrap_or(path).encode_utf16().count();
        Some(json!({ "line": line.number, "known": known, "value": value.map(|bytes| units.range(&bytes)) }))
    });
    Value::Array(all.map(|place| place.unwrap_or(Value::Null)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_javascript_does() {
        let text = "# ä 😀\nname = \"x\"\n[links.a]\nrate = \"1 Mbit/s\"\n";
        let paths = ["name", "links.a.rate", "links.a.delay", "seed"].map(str::to_owned);
        // The first line has six units and its end: ä is one, the face two.
        let from = 7 + 11 + 10 + 7;
        assert_eq!(
            places(text, &paths),
            json!([
                { "line": 2, "known": 4, "value": [14, 17] },
                { "line": 4, "known": 12, "value": [from, from + 10] },
                { "line": 3, "known": 7, "value": null },
                null,
            ])
        );
    }
}
