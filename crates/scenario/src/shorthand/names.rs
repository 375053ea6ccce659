//! Names for several things at once: `home-*`, whatever is called so, and `home-[1-1000]`, a row of a thousand names.

use crate::meaning::MOST;
use serde_json::Value;
use std::cmp::Ordering;

/// Whether a name stands for those that match it.
pub(super) fn is_pattern(name: &str) -> bool {
    name.contains('*')
}

/// Whether a name is meant as a row of names.
pub(super) fn is_range(name: &str) -> bool {
    name.contains(['[', ']'])
}

/// Whether a name stands for several, in one way or the other.
pub(crate) fn is_several(name: &str) -> bool {
    is_pattern(name) || is_range(name)
}

/// Whether a node, or one of a list of nodes, stands for several.
pub(super) fn has_several(nodes: &Value) -> bool {
    let is_row = |value: &Value| value.as_str().is_some_and(is_several);
    is_row(nodes) || nodes.as_array().is_some_and(|nodes| nodes.iter().any(is_row))
}

/// The characters by which a name that stands for several is told from others like it.
pub(super) fn own_characters(name: &str) -> usize {
    name.chars().filter(|sign| *sign != '*').count()
}

/// What each `*` of a pattern stands for in a name, `*` being any number of any characters, as few as will do; nothing
/// if the name is none of the pattern's.
pub(super) fn stars<'n>(pattern: &str, name: &'n str) -> Option<Vec<&'n str>> {
    let parts: Vec<&str> = pattern.split('*').collect();
    let (last, parts) = parts.split_last()?;
    let Some((first, between)) = parts.split_first() else { return (pattern == name).then(Vec::new) };
    let mut rest = name.strip_prefix(first)?;
    let mut found = Vec::with_capacity(parts.len());
    for part in between {
        let at = rest.find(part)?;
        found.push(&rest[..at]);
        rest = &rest[at + part.len()..];
    }
    found.push(rest.strip_suffix(last)?);
    Some(found)
}

/// Whether a name is one of those for which a pattern stands.
pub(crate) fn matches(pattern: &str, name: &str) -> bool {
    stars(pattern, name).is_some()
}

/// A pattern with something in the place of each `*`.
pub(super) fn filled(pattern: &str, stars: &[&str]) -> String {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.zip(stars).fold(first, |name, (part, star)| name + star + part)
}

/// The names of a row, the last range counting fastest, or what is wrong with it.
pub(super) fn row(range: &str) -> Result<Vec<String>, String> {
    const FORM: &str = "a row of names has its first and its last number in brackets, as in home-[1-1000] or \
                        home-[001-100]";
    let wrong = || format!("{range} is no row of names: {FORM}");
    let mut names = vec![String::new()];
    let mut rest = range;
    while let Some((before, inside)) = rest.split_once('[') {
        let (bounds, after) = inside.split_once(']').ok_or_else(wrong)?;
        let (first, last) = bounds.split_once('-').ok_or_else(wrong)?;
        let number = |text: &str| {
            let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|sign| sign.is_ascii_digit());
            if digits { text.parse::<u64>().map_err(|_| wrong()) } else { Err(wrong()) }
        };
        let (from, to) = (number(first)?, number(last)?);
        let is_padded = |text: &str| text.len() > 1 && text.starts_with('0');
        if from > to || before.contains(']') || (is_padded(first) || is_padded(last)) && first.len() != last.len() {
            return Err(wrong());
        }
        let all = (to - from + 1).saturating_mul(names.len() as u64);
        if all > MOST {
            return Err(format!("{range} has {all} names; legal are at most {MOST}"));
        }
        let width = if is_padded(first) { first.len() } else { 0 };
        let numbers = || (from..=to).map(move |number| format!("{before}{number:0width$}"));
        names = names.iter().flat_map(|name| numbers().map(move |number| format!("{name}{number}"))).collect();
        rest = after;
    }
    if rest.contains(']') {
        return Err(wrong());
    }
    names.iter_mut().for_each(|name| name.push_str(rest));
    let several = range.matches('[').count() > 1;
    if let Some(name) = several.then(|| twice(&names)).flatten() {
        return Err(format!("{range} names {name} twice: put something that is no number between the brackets"));
    }
    Ok(names)
}

/// A name that stands more than once among others: the first in the order of the alphabet.
pub(super) fn twice<'n>(names: impl IntoIterator<Item = &'n String>) -> Option<&'n String> {
    let mut names: Vec<&String> = names.into_iter().collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// The order of names in which numbers count by their value: `home-9` comes before `home-10`.
pub(super) fn by_number(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    loop {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let order = match (digits(left), digits(right)) {
            (0, _) | (_, 0) => match (left.chars().next(), right.chars().next()) {
                (Some(a), Some(b)) if a == b => {
                    (left, right) = (&left[a.len_utf8()..], &right[b.len_utf8()..]);
                    continue;
                }
                // Of names that differ in zeros before a number alone the texts decide.
                (None, None) => one.cmp(other),
                (a, b) => a.cmp(&b),
            },
            (a, b) => {
                let ([number, left_over], [other, right_over]) = ([&left[..a], &left[a..]], [&right[..b], &right[b..]]);
                (left, right) = (left_over, right_over);
                let value = |digits: &str| digits.trim_start_matches('0').len();
                let order = value(number)
                    .cmp(&value(other))
                    .then_with(|| number.trim_start_matches('0').cmp(other.trim_start_matches('0')));
                if order.is_eq() {
                    continue;
                }
                order
            }
        };
        return order;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, expected) in [
            ("access-*", "access-left-0", true),
            ("access-*", "access-", true),
            ("access-*", "xaccess-0", false),
            ("*-0", "access-left-0", true),
            ("*-0", "access-left-01", false),
            ("a*b*c", "abc", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxcyyb", false),
            ("ab*ba", "aba", false),
            ("*", "anything", true),
            ("hop", "hop", true),
            ("hop", "hop-1", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn what_stars_stand_for_can_be_put_elsewhere() {
        assert_eq!(stars("a-*-b*", "a-1-b22"), Some(vec!["1", "22"]));
        assert_eq!(stars("home-*", "home-"), Some(vec![""]));
        assert_eq!(stars("home", "home"), Some(vec![]));
        assert_eq!(filled("line-*-*", &["1", "22"]), "line-1-22");
        assert_eq!(filled("*", &["1"]), "1");
        assert_eq!(filled("hub", &["1"]), "hub");
    }

    #[test]
    fn a_row_counts_from_its_first_to_its_last() {
        assert_eq!(row("home-[8-11]"), Ok(["8", "9", "10", "11"].map(|n| format!("home-{n}")).to_vec()));
        assert_eq!(row("r[08-11]x"), Ok(["08", "09", "10", "11"].map(|n| format!("r{n}x")).to_vec()));
        let two = ["a0-1", "a0-2", "a1-1", "a1-2", "a2-1", "a2-2"].map(str::to_owned).to_vec();
        assert_eq!(row("a[0-2]-[1-2]"), Ok(two));
        assert_eq!(row("[7-7]"), Ok(vec!["7".to_owned()]));
        assert_eq!(row("hub"), Ok(vec!["hub".to_owned()]));
        for wrong in
            ["r[1-", "r1]", "r]1-2[", "r[]", "r[3]", "r[2-1]", "r[a-b]", "r[-1-2]", "r[1-2]]", "r[01-100]", "r[1-02]"]
        {
            assert!(row(wrong).unwrap_err().starts_with(&format!("{wrong} is no row of names")), "{wrong}");
        }
        assert_eq!(row("r[1-4000000]").map(|names| names.len()), Ok(4_000_000));
        let many = "r[1-2001]-[1-2000] has 4002000 names; legal are at most 4000000";
        assert_eq!(row("r[1-2001]-[1-2000]"), Err(many.to_owned()));
        assert!(row("r[1-9999999999]").is_err());
        let both = "r[1-11][1-12] names r111 twice: put something that is no number between the brackets";
        assert_eq!(row("r[1-11][1-12]"), Err(both.to_owned()));
        assert_eq!(row("r[0-1][01-12]").map(|names| names.len()), Ok(24));
    }

    #[test]
    fn numbers_in_names_count_by_their_value() {
        let mut names = ["r10", "r9-2", "r9-10", "r", "r09-2", "a100", "r9", "b", "r9x"];
        names.sort_by(|one, other| by_number(one, other));
        assert_eq!(names, ["a100", "b", "r", "r9", "r09-2", "r9-2", "r9-10", "r9x", "r10"]);
    }
}
