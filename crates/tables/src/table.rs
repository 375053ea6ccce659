//! A table: columns of numbers and of words, ready for Arrow without conversion.

use std::borrow::Cow;

/// A table: a name and columns of equal length.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name: `flows`, `receivers`, `layers`, `links`, `dilation`, `queues`, `sojourn`, `packets`, `events`,
    /// `routers`, `router_events`, `paths`, `handoffs`, `summary` or `warnings`.
    pub name: &'static str,
    /// Its columns, in order.
    pub columns: Vec<Column>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name, unit included.
    pub name: Cow<'static, str>,
    /// Its values.
    pub values: Values,
}

/// The values of a column.
#[derive(Clone, Debug)]
pub enum Values {
    /// Numbers; NaN where a value does not apply.
    Float(Vec<f64>),
    /// Counts.
    Integer(Vec<i64>),
    /// Words, as codes into a dictionary.
    Words(Words),
}

/// Words of a column: codes into a dictionary of distinct words.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// One code per row.
    pub codes: Vec<i32>,
    /// The distinct words.
    pub dictionary: Vec<String>,
}

impl Table {
    /// A table without columns.
    pub fn new(name: &'static str) -> Table {
        Table { name, columns: Vec::new() }
    }

    /// With one column more, behind the others.
    pub fn column(mut self, name: impl Into<Cow<'static, str>>, values: Values) -> Table {
        self.columns.push(Column { name: name.into(), values });
        self
    }

    /// Adds the rows of another table with these columns, and of whose words all are known here; makes room for `count`
    /// rows in all.
    pub fn append(&mut self, other: Table, count: usize) {
        fn extend<T>(own: &mut Vec<T>, more: Vec<T>, count: usize) {
            own.reserve_exact(count.saturating_sub(own.len()));
            own.extend(more);
        }
        for (own, more) in self.columns.iter_mut().zip(other.columns) {
            match (&mut own.values, more.values) {
                (Values::Float(own), Values::Float(more)) => extend(own, more, count),
                (Values::Integer(own), Values::Integer(more)) => extend(own, more, count),
                (Values::Words(own), Values::Words(more)) => {
                    debug_assert!(more.codes.is_empty() || more.dictionary == own.dictionary, "known beforehand");
                    extend(&mut own.codes, more.codes, count);
                }
                _ => unreachable!("columns are declared once"),
            }
        }
    }

    /// With other values in a column, if there is one of this name.
    pub fn with(mut self, name: &str, values: Values) -> Table {
        if let Some(column) = self.columns.iter_mut().find(|column| column.name == name) {
            column.values = values;
        }
        self
    }

    /// Without the columns of these names.
    pub fn without(mut self, names: &[&str]) -> Table {
        self.columns.retain(|column| !names.contains(&column.name.as_ref()));
        self
    }

    /// With one column of numbers more.
    pub fn float(self, name: &'static str, values: Vec<f64>) -> Table {
        self.column(name, Values::Float(values))
    }

    /// With one column of words more.
    pub fn collected_words(self, name: &'static str, words: Words) -> Table {
        self.column(name, Values::Words(words))
    }

    /// The column called `name`.
    pub fn get(&self, name: &str) -> Option<&Values> {
        self.columns.iter().find(|column| column.name == name).map(|column| &column.values)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self.columns.first().map(|column| &column.values) {
            None => 0,
            Some(Values::Float(values)) => values.len(),
            Some(Values::Integer(values)) => values.len(),
            Some(Values::Words(words)) => words.codes.len(),
        }
    }
}

impl Words {
    /// Words of a dictionary that is known beforehand; where there are no rows nobody needs it.
    pub fn known(dictionary: Vec<String>, codes: impl Iterator<Item = u32>) -> Words {
        let codes: Vec<i32> = codes.map(|code| code as i32).collect();
        let dictionary = if codes.is_empty() { Vec::new() } else { dictionary };
        Words { codes, dictionary }
    }

    /// Appends a word that is either the last one again or has not come before.
    pub fn push_in_turn(&mut self, word: &str) {
        if self.dictionary.last().is_none_or(|last| last != word) {
            self.dictionary.push(word.to_owned());
        }
        self.codes.push(self.dictionary.len() as i32 - 1);
    }

    /// Appends a word. Meant for few distinct words: they are searched one by one, the latest first.
    pub fn push(&mut self, word: &str) {
        let code = self.dictionary.iter().rposition(|known| known == word).unwrap_or_else(|| {
            self.dictionary.push(word.to_owned());
            self.dictionary.len() - 1
        });
        self.codes.push(code as i32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_once() {
        let (mut in_turn, mut mixed) = (Words::default(), Words::default());
        for word in ["a", "a", "b", "b", "c"] {
            in_turn.push_in_turn(word);
        }
        for word in ["a", "b", "a", "c", "b"] {
            mixed.push(word);
        }
        assert_eq!((in_turn.codes, mixed.codes), (vec![0, 0, 1, 1, 2], vec![0, 1, 0, 2, 1]));
        assert_eq!(
            (in_turn.dictionary, mixed.dictionary),
            (vec!["a".into(), "b".into(), "c".into()], vec!["a".into(), "b".into(), "c".into()])
        );
    }

    #[test]
    fn rows_are_those_of_any_column() {
        assert_eq!(Table::new("none").rows(), 0);
        let columns = [
            Values::Float(vec![1.0; 3]),
            Values::Integer(vec![1; 3]),
            Values::Words(Words { codes: vec![0; 3], dictionary: vec!["a".into()] }),
        ];
        for values in columns {
            let table = Table::new("one").column("x", values);
            assert_eq!((table.rows(), table.get("x").is_some(), table.get("y").is_some()), (3, true, false));
        }
    }
}
