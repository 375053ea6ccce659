//! Columns of tables as they are declared: name, meaning and value of each stand in one place.
//!
//! The tables, the forecast of memory and the chapter on results follow from it. A column is declared by one line in
//! the file of its table; one about the queues that `[probes] queues` names, by one line in the simulator's
//! [`SAMPLED`](faircast_sim::probe::SAMPLED).

use super::subjects::Subjects;
use super::table::{Table, Values, Words};

/// What the rows of a table are made from.
pub(crate) trait Row: Sized {
    /// The name of the table.
    const TABLE: &'static str;

    /// Bytes of what the simulator records for each row.
    const RECORD: usize;

    /// The columns of the table, in order.
    fn columns() -> Vec<Declared<Self>>;

    /// The numbers that [`Value::Sampled`] is about.
    fn sampled(&self) -> &[f64] {
        &[]
    }
}

/// A column.
pub(crate) struct Declared<R> {
    /// Its name, with the unit.
    pub(crate) name: &'static str,
    /// What the chapter on results says of it.
    pub(crate) meaning: &'static str,
    value: Value<R>,
    /// Whether it is there only if a session of several layers is in the run.
    of_layers: bool,
}

/// How its value is got from a row.
enum Value<R> {
    Float(fn(&R) -> f64),
    Integer(fn(&R) -> i64),
    /// A number where a row has one, else NaN.
    NumberIfAny(fn(&R) -> Option<u64>),
    /// The name of a subject, by its index.
    Name(Names, fn(&R) -> u32),
    /// The name of a subject if there is one, else an empty word.
    NameIfAny(Names, fn(&R) -> Option<u32>),
    /// One of some words.
    OneOf(&'static [&'static str], fn(&R) -> usize),
    /// One of few words that are not known beforehand.
    Word(fn(&R) -> &'static str),
    /// A number that the simulator has sampled: where it is, and whether it is a count.
    Sampled(usize, bool),
    /// Handed over with the rows, as its value depends on other rows as well.
    Prepared,
}

type Names = fn(&Subjects) -> &[String];

fn column<R>(name: &'static str, meaning: &'static str, value: Value<R>) -> Declared<R> {
    Declared { name, meaning, value, of_layers: false }
}

/// A column of numbers; NaN where a value does not apply.
pub(super) fn float<R>(name: &'static str, meaning: &'static str, value: fn(&R) -> f64) -> Declared<R> {
    column(name, meaning, Value::Float(value))
}

/// A column of counts.
pub(super) fn integer<R>(name: &'static str, meaning: &'static str, value: fn(&R) -> i64) -> Declared<R> {
    column(name, meaning, Value::Integer(value))
}

/// A column of whole numbers that not every row has.
pub(super) fn number_if_any<R>(name: &'static str, meaning: &'static str, value: fn(&R) -> Option<u64>) -> Declared<R> {
    column(name, meaning, Value::NumberIfAny(value))
}

/// A column of names of subjects.
pub(super) fn name<R>(name: &'static str, meaning: &'static str, of: Names, which: fn(&R) -> u32) -> Declared<R> {
    column(name, meaning, Value::Name(of, which))
}

/// A column of names of subjects, empty where a row has none.
pub(super) fn name_if_any<R>(
    name: &'static str,
    meaning: &'static str,
    of: Names,
    which: fn(&R) -> Option<u32>,
) -> Declared<R> {
    column(name, meaning, Value::NameIfAny(of, which))
}

/// A column of words of which all are known.
pub(super) fn one_of<R>(
    name: &'static str,
    meaning: &'static str,
    words: &'static [&'static str],
    which: fn(&R) -> usize,
) -> Declared<R> {
    column(name, meaning, Value::OneOf(words, which))
}

/// A column of words; the table's dictionary has those that occur.
pub(super) fn word<R>(name: &'static str, meaning: &'static str, value: fn(&R) -> &'static str) -> Declared<R> {
    column(name, meaning, Value::Word(value))
}

/// A column of the number that stands at `index` of those [sampled](Row::sampled).
pub(super) fn sampled<R>(name: &'static str, meaning: &'static str, index: usize, is_count: bool) -> Declared<R> {
    column(name, meaning, Value::Sampled(index, is_count))
}

/// A column whose values are handed over when the table is made.
pub(super) fn prepared<R>(name: &'static str, meaning: &'static str) -> Declared<R> {
    column(name, meaning, Value::Prepared)
}

/// A column that is there only if a session of several layers is in the run.
pub(super) fn of_layers<R>(column: Declared<R>) -> Declared<R> {
    Declared { of_layers: true, ..column }
}

impl<R> Declared<R> {
    fn values(&self, rows: &[R], subjects: &Subjects) -> Option<Values>
    where
        R: Row,
    {
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
            Value::Sampled(index, false) => Values::Float(rows.iter().map(|row| row.sampled()[index]).collect()),
            Value::Sampled(index, true) => {
                Values::Integer(rows.iter().map(|row| row.sampled()[index] as i64).collect())
            }
            Value::Prepared => return None,
        })
    }
}

/// The table of these rows without columns that only layers have.
pub(super) fn table<R: Row>(rows: &[R], subjects: &Subjects) -> Table {
    table_with(rows, subjects, false, [])
}

/// The table of `count` rows, which are made one by one: not all of them stand beside the columns.
pub(super) fn table_in_pieces<R: Row>(rows: impl Iterator<Item = R>, count: usize, subjects: &Subjects) -> Table {
    in_pieces_of(PIECE, rows, count, subjects)
}

/// Rows that are made into columns at once: a megabyte (choice).
pub(crate) const PIECE: usize = 1 << 12;

fn in_pieces_of<R: Row>(most: usize, mut rows: impl Iterator<Item = R>, count: usize, subjects: &Subjects) -> Table {
    let mut piece: Vec<R> = rows.by_ref().take(most).collect();
    let mut all = table(&piece, subjects);
    while piece.len() == most {
        piece.clear();
        piece.extend(rows.by_ref().take(most));
        all.append(table(&piece, subjects), count);
    }
    all
}

/// The table of these rows with the columns that were prepared; with those that only layers have if `of_layers`.
///
/// # Panics
///
/// If a column is declared as prepared and is not handed over.
pub(super) fn table_with<R: Row, const N: usize>(
    rows: &[R],
    subjects: &Subjects,
    of_layers: bool,
    prepared: [(&str, Values); N],
) -> Table {
    let mut prepared = prepared.map(|(name, values)| (name, Some(values)));
    let columns = R::columns().into_iter().filter(|column| of_layers || !column.of_layers);
    columns.fold(Table::new(R::TABLE), |table, column| {
        let values = column.values(rows, subjects).unwrap_or_else(|| {
            let own = prepared.iter_mut().find(|(name, _)| *name == column.name);
            own.and_then(|(_, values)| values.take()).expect("what is declared as prepared is handed over")
        });
        table.column(column.name, values)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Numbered(u32);

    impl Row for Numbered {
        const TABLE: &'static str = "numbered";
        const RECORD: usize = 4;

        fn columns() -> Vec<Declared<Self>> {
            vec![
                float("half", "", |row| f64::from(row.0) / 2.0),
                integer("count", "", |row| i64::from(row.0)),
                name("link", "", |of| &of.links, |row| row.0 % 2),
            ]
        }
    }

    #[test]
    fn a_table_in_pieces_is_the_whole_one() {
        let links = ["a", "b"].map(str::to_owned).to_vec();
        let subjects = Subjects { links, ..Subjects::default() };
        let rows = |count| (0..count).map(Numbered);
        for count in [0, 1, 2, 3, 4, 7, 9] {
            let whole = table(&rows(count).collect::<Vec<_>>(), &subjects);
            for expected in [count as usize, 0] {
                let pieces = in_pieces_of(3, rows(count), expected, &subjects);
                assert_eq!((pieces.name, pieces.rows()), (whole.name, count as usize));
                assert_eq!(format!("{pieces:?}"), format!("{whole:?}"), "of {count} rows");
            }
        }
    }
}
