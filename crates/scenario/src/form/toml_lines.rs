//! Where something stands in a TOML text.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A line of a TOML text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TomlLine {
    /// Its number, counted from 1.
    pub number: usize,
    /// How many bytes of the path lead to what stands there: all of them, or those of a table or list around it.
    pub known: usize,
}

/// For each path, such as `links.bottleneck.delay` or `probes.queues[0]`, the line on which it stands in a TOML text,
/// or the table or list that it would be in. Nothing for what would be in no table, and if the text is no TOML.
pub fn toml_lines<P: AsRef<str>>(text: &str, paths: impl IntoIterator<Item = P>) -> Vec<Option<TomlLine>> {
    let (_, text) = without_mark(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    let table = errors.is_empty().then(|| table.into_inner());
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |path: P| {
        let path = path.as_ref();
        let found = in_table(table.as_ref()?, path)?;
        let known = path.len() - found.left;
        // No line is about all links; the first header of one of them is not.
        let is_anywhere = found.left > 0 && found.is_implied && !path[..known].contains('.');
        let number = ends.partition_point(|&end| end < found.at) + 1;
        (!is_anywhere).then_some(TomlLine { number, known })
    };
    paths.into_iter().map(line).collect()
}

/// For each path the bytes of a TOML text in which its value stands, so that another may be put in its place. Nothing
/// for what is not there, for tables that have headers or keys with dots, and if the text is no TOML.
pub fn toml_values<P: AsRef<str>>(text: &str, paths: impl IntoIterator<Item = P>) -> Vec<Option<Range<usize>>> {
    let (mark, text) = without_mark(text);
    let (table, errors) = DeTable::parse_recoverable(text);
    let table = errors.is_empty().then(|| table.into_inner());
    let value = |path: P| {
        let found = in_table(table.as_ref()?, path.as_ref()).filter(|found| found.left == 0)?;
        let stands_there = !found.is_table || text[found.value.clone()].starts_with('{');
        stands_there.then_some(found.value.start + mark..found.value.end + mark)
    };
    paths.into_iter().map(value).collect()
}

/// The bytes of a text at which it is no legal TOML, in the order in which reading it reports them.
pub fn toml_errors(text: &str) -> Vec<Option<Range<usize>>> {
    let (mark, text) = without_mark(text);
    let (_, errors) = DeTable::parse_recoverable(text);
    errors.iter().map(|error| error.span().map(|span| span.start + mark..span.end + mark)).collect()
}

/// A text after its byte order mark, which is no part of it, and how many bytes that takes.
fn without_mark(text: &str) -> (usize, &str) {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    (text.len() - rest.len(), rest)
}

/// What has been found of a path.
struct Found {
    /// The byte of the text where it begins.
    at: usize,
    /// The bytes of its value; of a table that has a header, those of that.
    value: Range<usize>,
    /// Whether it is a table.
    is_table: bool,
    /// How many bytes of the path lead further.
    left: usize,
    /// Whether it is a table that only the headers of others mention.
    is_implied: bool,
}

/// How far a path leads in a table.
fn in_table(table: &DeTable<'_>, path: &str) -> Option<Found> {
    // Keys may hold dots themselves: of those that begin the path the longest is meant.
    let begins = |key: &str| path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    let found = table.iter().filter(|(key, _)| begins(key.get_ref()));
    let (key, value) = found.max_by_key(|(key, _)| key.get_ref().len())?;
    let rest = &path[key.get_ref().len()..];
    // A table has the place of its header, or that of its name in the first header that mentions it.
    let (is_table, is_implied) = (value.get_ref().is_table(), value.span() == key.span());
    let own = if is_table { value.span() } else { key.span() };
    let is_implied = is_table && is_implied;
    Some(within(value, rest, Found { at: own.start, value: value.span(), is_table, left: rest.len(), is_implied }))
}

/// How far the rest of a path leads in a value, which is `own`.
fn within(value: &Spanned<DeValue<'_>>, rest: &str, own: Found) -> Found {
    let inner = match value.get_ref() {
        DeValue::Table(table) => rest.strip_prefix('.').and_then(|rest| in_table(table, rest)),
        DeValue::Array(items) => {
            rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).and_then(|(index, rest)| {
                let item = items.get(index.parse::<usize>().ok()?)?;
                let (at, value, is_table) = (item.span().start, item.span(), item.get_ref().is_table());
                Some(within(item, rest, Found { at, value, is_table, left: rest.len(), is_implied: false }))
            })
        }
        _ => None,
    };
    inner.unwrap_or(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"format = 1
name = "x"

[links.a.queue]
kind = "red"

[links.a]
delay = "1 ms"
changes = [
  { at = "1 s" },
  { at = "2 s",
    delay = "3 ms" },
]

[links."b.c"]
rate = "1 bit/s"

[links.b]
topics = { one = 1 }
loss.p = 0.1

[[rows]]
x = 1

[[rows]]
x = 2
list = ["a",
  "b"]
"#;

    fn lines(paths: &[&str]) -> Vec<Option<(usize, bool)>> {
        let found = toml_lines(TEXT, paths);
        let told = |(line, path): (Option<TomlLine>, &&str)| line.map(|line| (line.number, line.known == path.len()));
        found.into_iter().zip(paths).map(told).collect()
    }

    fn at(path: &str) -> Option<(usize, bool)> {
        lines(&[path])[0]
    }

    #[test]
    fn keys_tables_and_elements_have_lines() {
        assert_eq!(lines(&["format", "name"]), [Some((1, true)), Some((2, true))]);
        assert_eq!(at("links.a.queue"), Some((4, true)));
        assert_eq!(at("links.a.queue.kind"), Some((5, true)));
        assert_eq!(at("links.a"), Some((7, true)));
        assert_eq!(at("links.a.changes"), Some((9, true)));
        assert_eq!(at("links.a.changes[0].at"), Some((10, true)));
        assert_eq!(at("links.a.changes[1]"), Some((11, true)));
        assert_eq!(at("links.a.changes[1].delay"), Some((12, true)));
        assert_eq!(at("links.b.topics.one"), Some((19, true)));
        assert_eq!(at("links.b.loss.p"), Some((20, true)));
        assert_eq!(at("rows[0].x"), Some((23, true)));
        assert_eq!(at("rows[1]"), Some((25, true)));
        assert_eq!(at("rows[1].list[1]"), Some((28, true)));
    }

    #[test]
    fn what_is_missing_would_stand_in_the_table_around_it() {
        assert_eq!(at("links.a.rate"), Some((7, false)));
        assert_eq!(at("links.a.queue.limit.x"), Some((4, false)));
        assert_eq!(at("links.a.delay.first"), Some((8, false)));
        assert_eq!(at("links.a.changes[2].at"), Some((9, false)));
        assert_eq!(at("links.a.changes[x"), Some((9, false)));
        assert_eq!(at("links.a.changes[1].rate"), Some((11, false)));
        assert_eq!(at("links.b.loss"), Some((20, true)));
        // The first header of a link is not about all links, but where they are there it is their place.
        assert_eq!([at("links"), at("links.x"), at("links.x.rate")], [Some((4, true)), None, None]);
        assert_eq!(at("rows.x"), Some((22, false)));
        assert_eq!([at(""), at("duration"), at("name2"), at("nam")], [None; 4]);
    }

    #[test]
    fn keys_may_hold_dots() {
        assert_eq!(at("links.b.c"), Some((15, true)));
        assert_eq!(at("links.b.c.rate"), Some((16, true)));
        assert_eq!(at("links.b.d"), Some((18, false)));
        assert_eq!(at("links.b"), Some((18, true)));
    }

    #[test]
    fn values_stand_where_another_can_take_their_place() {
        for text in [TEXT.to_owned(), format!("\u{feff}{TEXT}")] {
            let value = |path: &str| toml_values(&text, [path])[0].clone().map(|bytes| &text[bytes]);
            assert_eq!([value("format"), value("links.a.delay")], [Some("1"), Some("\"1 ms\"")]);
            assert_eq!(value("links.a.changes[1].delay"), Some("\"3 ms\""));
            assert_eq!(value("links.a.changes[0]"), Some("{ at = \"1 s\" }"));
            assert_eq!([value("links.b.topics"), value("links.b.topics.one")], [Some("{ one = 1 }"), Some("1")]);
            assert_eq!([value("links.b.loss.p"), value("rows[1].x")], [Some("0.1"), Some("2")]);
            assert_eq!(value("rows[1].list"), Some("[\"a\",\n  \"b\"]"));
            // Tables with headers, those that only others mention, and what is not there.
            let none = ["links.a", "links.a.queue", "links", "links.b.loss", "rows[0]", "links.a.rate", "x", ""];
            assert_eq!(none.map(value), [None; 8]);
        }
        assert_eq!(toml_values("format = ", ["format"]), [None]);
    }

    #[test]
    fn errors_have_places() {
        let text = "format = 1\nname = x\n";
        assert_eq!(toml_errors(text), [Some(18..19)]);
        assert_eq!(toml_errors(&format!("\u{feff}{text}")), [Some(21..22)]);
        // As many as there are problems.
        let several = format!("{text}[links\na = 1\na = 2\n");
        let problems = crate::toml_to_json(&several).expect_err("it is no TOML");
        assert_eq!((toml_errors(&several).len(), problems.len() > 1), (problems.len(), true));
        assert_eq!(toml_errors(TEXT), []);
    }

    #[test]
    fn what_is_no_toml_has_no_lines() {
        assert_eq!(toml_lines("format = ", ["format"]), [None]);
        assert_eq!(toml_lines("[a.b]\nc = 1", ["a.b.x[0]"]), [Some(TomlLine { number: 1, known: 3 })]);
        assert_eq!(toml_lines("[a.b.c]\nd = 1", ["a.b.x"]), [Some(TomlLine { number: 1, known: 3 })]);
        let marked = toml_lines("\u{feff}\r\nformat = 1\r\n", ["format"]);
        assert_eq!(marked, [Some(TomlLine { number: 2, known: 6 })]);
    }
}
