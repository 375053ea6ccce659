//! Columns of a run's tables as they are declared: name, meaning and value of each stand in one place.
//!
//! The tables, the forecast of memory and the chapter on results follow from it. A column is declared by one line in
//! the file of its table, those of what endpoints show in `crates/tables`; one about the queues that `[probes] queues`
//! names, by one line in the simulator's [`SAMPLED`](faircast_sim::probe::SAMPLED).

use super::subjects::Subjects;
use faircast_tables::declared::table_of;
pub(super) use faircast_tables::declared::{
    float, integer, name, name_if_any, number_if_any, one_of, prepared, sampled, word,
};
use faircast_tables::table::{Table, Values};

/// A column about the subjects of a run.
pub(crate) type Declared<R> = faircast_tables::declared::Declared<R, Subjects>;

/// What the rows of a table are made from.
pub(crate) trait Row: Sized {
    /// The name of the table.
    const TABLE: &'static str;

    /// Bytes of what the simulator records for each row.
    const RECORD: usize;

    /// The columns of the table, in order.
    fn columns() -> Vec<Declared<Self>>;
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
    table_of((R::TABLE, R::columns()), rows, subjects, of_layers, prepared)
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
