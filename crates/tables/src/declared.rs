//! Columns of tables as they are declared: name, meaning and value of each stand in one place.
//!
//! `R` is what a row is made from, `S` knows the names of those whom tables are about.

use crate::table::{Table, Values, Words};

/// A column.
#[derive(Debug)]
pub struct Declared<R, S> {
    /// Its name, with the unit.
    pub name: &'static str,
    /// What the chapter on results says of it.
    pub meaning: &'static str,
    value: Value<R, S>,
    /// Whether it is there only if a session of several layers is in the run.
    of_layers: bool,
}

/// How its value is got from a row.
#[derive(Debug)]
enum Value<R, S> {
    Float(fn(&R) -> f64),
    Integer(fn(&R) -> i64),
    /// A number where a row has one, else NaN.
    NumberIfAny(fn(&R) -> Option<u64>),
    /// The name of a subject, by its index.
    Name(Names<S>, fn(&R) -> u32),
    /// The name of a subject if there is one, else an empty word.
    NameIfAny(Names<S>, fn(&R) -> Option<u32>),
    /// One of some words.
    OneOf(&'static [&'static str], fn(&R) -> usize),
    /// One of few words that are not known beforehand.
    Word(fn(&R) -> &'static str),
    /// A number of those that were sampled: where it is, and whether it is a count.
    Sampled(fn(&R) -> &[f64], usize, bool),
    /// Handed over with the rows, as its value depends on other rows as well.
    Prepared,
}

/// Where the names of some subjects are.
pub type Names<S> = fn(&S) -> &[String];

fn column<R, S>(name: &'static str, meaning: &'static str, value: Value<R, S>) -> Declared<R, S> {
    Declared { name, meaning, value, of_layers: false }
}

/// A column of numbers; NaN where a value does not apply.
pub fn float<R, S>(name: &'static str, meaning: &'static str, value: fn(&R) -> f64) -> Declared<R, S> {
    column(name, meaning, Value::Float(value))
}

/// A column of counts.
pub fn integer<R, S>(name: &'static str, meaning: &'static str, value: fn(&R) -> i64) -> Declared<R, S> {
    column(name, meaning, Value::Integer(value))
}

/// A column of whole numbers that not every row has.
pub fn number_if_any<R, S>(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<u64>) -> Declared<R, S> {
    column(name, meaning, Value::NumberIfAny(value))
}

/// A column of names of subjects.
pub fn name<R, S>(name: &'static str, meaning: &'static str, of: Names<S>, which: fn(&R) -> u32) -> Declared<R, S> {
    column(name, meaning, Value::Name(of, which))
}

/// A column of names of subjects, empty where a row has none.
pub fn name_if_any<R, S>(
    name: &'static str,
    meaning: &'static str,
    of: Names<S>,
    which: fn(&R) -> Option<u32>,
) -> Declared<R, S> {
    column(name, meaning, Value::NameIfAny(of, which))
}

/// A column of words of which all are known.
pub fn one_of<R, S>(
    name: &'static str,
    meaning: &'static str,
    words: &'static [&'static str],
    which: fn(&R) -> usize,
) -> Declared<R, S> {
    column(name, meaning, Value::OneOf(words, which))
}

/// A column of words; the table's dictionary has those that occur.
pub fn word<R, S>(name: &'static str, meaning: &'static str, value: fn(&R) -> &'static str) -> Declared<R, S> {
    column(name, meaning, Value::Word(value))
}

/// A column of the number that stands at `index` of those sampled.
pub fn sampled<R, S>(
    name: &'static str,
    meaning: &'static str,
    of: fn(&R) -> &[f64],
    (index, is_count): (usize, bool),
) -> Declared<R, S> {
    column(name, meaning, Value::Sampled(of, index, is_count))
}

/// A column whose values are handed over when the table is made.
pub fn prepared<R, S>(name: &'static str, meaning: &'static str) -> Declared<R, S> {
    column(name, meaning, Value::Prepared)
}

/// A column that is there only if a session of several layers is in the run.
pub fn of_layers<R, S>(column: Declared<R, S>) -> Declared<R, S> {
    Declared { of_layers: true, ..column }
}

impl<R, S> Declared<R, S> {
    /// Its values in these rows; none if they are [handed over](prepared).
    pub fn values(&self, rows: &[R], subjects: &S) -> Option<Values> {
        Some(match self.value {
            Value::Float(value) => Values::Float(rows.iter().map(value).collect()),
            Value::Integer(value) => Values::Integer(rows.iter().map(value).collect()),
            Value::NumberIfAny(value) => {
                let number = |row| value(row).map_or(f64::NAN, |number| number as f64);
                Values::Float(rows.iter().map(number).collect())
            }
            Value::Name(of, which) => Values::Words(Words::known(of(subjects).to_vec(), rows.iter().map(which))),
            Value::NameIfAny(of, which) => {
                let names = of(subjects);
                let none = names.len() as u32;
                let codes = rows.iter().map(|row| which(row).unwrap_or(none));
                Values::Words(Words::known([names, &[String::new()]].concat(), codes))
            }
            Value::OneOf(words, which) => {
                let words = words.iter().map(|word| (*word).to_owned()).collect();
                Values::Words(Words::known(words, rows.iter().map(|row| which(row) as u32)))
            }
            Value::Word(value) => {
                let mut words = Words::default();
                rows.iter().for_each(|row| words.push(value(row)));
                Values::Words(words)
            }
            Value::Sampled(of, index, false) => Values::Float(rows.iter().map(|row| of(row)[index]).collect()),
            Value::Sampled(of, index, true) => Values::Integer(rows.iter().map(|row| of(row)[index] as i64).collect()),
            Value::Prepared => return None,
        })
    }
}

/// The table of these rows with the columns that were prepared; with those that only layers have if `of_layers`.
///
/// # Panics
///
/// If a column is declared as prepared and is not handed over.
pub fn table_of<R, S, const N: usize>(
    (name, columns): (&'static str, Vec<Declared<R, S>>),
    rows: &[R],
    subjects: &S,
    of_layers: bool,
    prepared: [(&str, Values); N],
) -> Table {
    let mut prepared = prepared.map(|(name, values)| (name, Some(values)));
    let columns = columns.into_iter().filter(|column| of_layers || !column.of_layers);
    columns.fold(Table::new(name), |table, column| {
        let values = column.values(rows, subjects).unwrap_or_else(|| {
            let own = prepared.iter_mut().find(|(name, _)| *name == column.name);
            own.and_then(|(_, values)| values.take()).expect("what is declared as prepared is handed over")
        });
        table.column(column.name, values)
    })
}
