//! The chapter on results has the columns that are declared, with their meanings.

use super::*;
use crate::run::{Control, run};
use std::path::Path;

/// The chapter with these columns at the head of the table in the section of that name. Rows below that are about other
/// columns, such as those that protocols add, stay.
fn renewed(chapter: &str, layout: &Layout) -> String {
    let (before, section) = chapter.split_once(&format!("\n### {}\n", layout.table)).expect("there is a section");
    let start = section.find("| column |").expect("the section has a table of columns");
    let (intro, table) = section.split_at(start);
    let mut lines: Vec<&str> = table.lines().collect();
    let end = lines.iter().position(|line| !line.starts_with('|')).unwrap_or(lines.len());
    let rest = lines.split_off(end);
    let is_declared = |line: &&str| {
        let names = line.split(" | ").next().unwrap_or_default();
        layout.columns.iter().any(|(name, _)| names.contains(&format!("`{name}`")))
    };
    let others = lines.split_off(2).into_iter().filter(|line| !is_declared(line));
    let own: Vec<String> = layout.columns.iter().map(|(name, meaning)| format!("| `{name}` | {meaning} |")).collect();
    let own = own.iter().map(String::as_str);
    let table: Vec<&str> = lines.iter().copied().chain(own).chain(others).chain(rest).collect();
    format!("{before}\n### {}\n{intro}{}\n", layout.table, table.join("\n"))
}

#[test]
fn the_chapter_has_all_columns() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results.md");
    let chapter = std::fs::read_to_string(&file).expect("the chapter is there");
    let expected = layouts().iter().fold(chapter.clone(), |chapter, layout| renewed(&chapter, layout));
    if std::env::var_os("FAIRCAST_WRITE_COLUMNS").is_some() {
        std::fs::write(&file, &expected).expect("it can be written");
        return;
    }
    let differs = expected.lines().zip(chapter.lines()).find(|(expected, is)| expected != is);
    assert!(
        expected == chapter,
        "docs/results.md does not say what is declared: run\n  \
         FAIRCAST_WRITE_COLUMNS=1 cargo test -p faircast-scenario the_chapter_has_all_columns\n{differs:#?}"
    );
}

#[test]
fn every_table_of_a_run_is_declared() {
    let text = "format = 1\nname = \"x\"\nduration = \"1 s\"\n[topology]\nkind = \"dumbbell\"\nleft = 1\nright = 1\n\
                [flows.a]\nkind = \"cbr\"\nrate = \"8 kbit/s\"\n";
    let scenario = crate::Scenario::from_toml(text).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let output = run(&scenario, 1, &Control::default(), 1).expect("it runs");
    let layouts = layouts();
    for table in output.tables.iter().filter(|table| !["summary", "warnings"].contains(&table.name)) {
        let declared = layouts.iter().find(|layout| layout.table == table.name).expect("it is declared");
        // Those of layers are not there.
        let made: Vec<&str> = table.columns.iter().map(|column| &*column.name).collect();
        let all = || declared.columns.iter().map(|(name, _)| *name);
        assert!(made.iter().all(|name| all().any(|known| known == *name)), "{}: {made:?}", table.name);
        let of_layers = ["level", "mean_level", "joins", "leaves"];
        let expected: Vec<&str> = all().filter(|name| made.contains(name) || !of_layers.contains(name)).collect();
        assert_eq!(made, expected, "{}", table.name);
    }
}
