//! CSV files of any of rate, delay, loss and whether a link was up, as `changes` takes them, of any length.

use super::digits::{Wrong, decimal_exactly, leading};
use super::samples::{Packer, Sample, Samples};
use crate::problem::shortened;
use crate::traces::{Column, Columns, header};
use faircast_proto::limits::Range;
use faircast_proto::time::{Duration, Rate};

/// The columns of a recording.
const RECORDED: &Columns = &["time", "rate", "delay", "loss", "up"];

/// What a link was like, line by line.
pub(super) fn csv(text: &str) -> Result<Samples, Wrong> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_end();
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with('#'));
    let (first, named) = lines.next().ok_or_else(|| {
        (1, format!("the file is empty; its first line names columns: {}", crate::problem::list(RECORDED)))
    })?;
    let columns = header(named, RECORDED).map_err(|(_, message)| (first, message))?;
    let units: Vec<Option<u32>> = columns.iter().map(|column| column.unit.and_then(places)).collect();
    let quick: Option<Vec<QuickColumn>> = columns.iter().zip(&units).map(quick_column).collect();
    // Made once for all of millions of lines.
    let legal = (crate::model::bounds::rates(), crate::model::bounds::delays());
    let mut packer = Packer::default();
    let mut before = None;
    for (line, text) in lines {
        let quick = quick.as_ref().and_then(|columns| quick_row(text.as_bytes(), columns, &legal));
        let sample =
            quick.map_or_else(|| row(text, &columns, &units, &legal).map_err(|message| (line, message)), Ok)?;
        if let Some(before) = before.filter(|before| *before >= sample.at) {
            let at = sample.at;
            return Err((line, format!("time runs back, from {before} to {at}; legal is later in every line")));
        }
        before = Some(sample.at);
        packer.push(&sample);
    }
    // The cells are legal, each by itself.
    packer.finish(None).ok_or_else(|| (first, "no line follows that of the columns".to_owned()))
}

/// How many decimal places a unit has more than the nanosecond or the bit per second.
fn places(unit: &str) -> Option<u32> {
    Some(match unit {
        "s" => 9,
        "ms" | "Mbit/s" => 6,
        "us" | "kbit/s" => 3,
        "ns" | "bit/s" => 0,
        "Gbit/s" => 9,
        _ => return None,
    })
}

/// What rates and delays are legal.
type Legal = (Range<(), Rate>, Range<(), Duration>);

/// A column whose cells are nearly all plain numbers, and how many decimal places they are read with.
type QuickColumn = (What, u32);

#[derive(Clone, Copy)]
enum What {
    Time,
    Rate,
    Delay,
    Loss,
    Up,
}

/// A column, unless every cell has its own unit.
fn quick_column((column, places): (&Column<'_>, &Option<u32>)) -> Option<QuickColumn> {
    match column.name {
        "time" => places.map(|places| (What::Time, places)),
        "rate" => places.map(|places| (What::Rate, places)),
        "delay" => places.map(|places| (What::Delay, places)),
        "loss" => Some((What::Loss, 6)),
        _ => Some((What::Up, 0)),
    }
}

/// A line as nearly all are written: legal, without blanks, a cell for each column, no number finer than what it is
/// kept as.
fn quick_row(line: &[u8], columns: &[QuickColumn], legal: &Legal) -> Option<Sample> {
    let (mut at, mut sample, mut rest) = (None, Sample::default(), line);
    for (index, &(what, places)) in columns.iter().enumerate() {
        if index > 0 {
            rest = rest.strip_prefix(b",")?;
        }
        if matches!(rest, [] | [b',', ..]) {
            continue;
        }
        if let What::Up = what {
            let (up, after) = match rest {
                [b'1', after @ ..] => (true, after),
                [b'0', after @ ..] => (false, after),
                _ => return None,
            };
            (sample.up, rest) = (Some(up), after);
            continue;
        }
        let (number, true, after) = leading(rest, places)? else { return None };
        rest = after;
        match what {
            What::Time => at = Some(Duration(number)),
            What::Rate => sample.rate = Some(Rate(number)),
            What::Delay => sample.delay = Some(Duration(number)),
            // The quotient of two numbers that are exact is the nearest to the decimal one, as what a parser gives.
            What::Loss if number <= 1_000_000 => sample.loss = Some(number as f64 / 1e6),
            What::Loss | What::Up => return None,
        }
    }
    let is_legal = rest.is_empty()
        && sample.rate.is_none_or(|rate| legal.0.complaint(rate, &()).is_none())
        && sample.delay.is_none_or(|delay| legal.1.complaint(delay, &()).is_none());
    at.filter(|_| is_legal).map(|at| Sample { at, ..sample })
}

fn row(line: &str, columns: &[Column<'_>], units: &[Option<u32>], legal: &Legal) -> Result<Sample, String> {
    let mut given = line.split(',').map(str::trim_ascii);
    let (mut at, mut sample, mut said) = (None, Sample::default(), false);
    for (column, places) in columns.iter().zip(units) {
        let Some(cell) = given.next().filter(|cell| !cell.is_empty()) else { continue };
        let of_column = |message: String| format!("column {}: {message}", column.name);
        let text = || column.unit.map_or_else(|| cell.to_owned(), |unit| format!("{cell} {unit}"));
        let whole = places.and_then(|places| decimal_exactly(cell, places));
        let time = || whole.map_or_else(|| Duration::parse(&text()).map_err(of_column), |ns| Ok(Duration(ns)));
        said |= column.name != "time";
        match column.name {
            "time" => at = Some(time()?),
            "delay" => sample.delay = Some(time()?),
            "rate" => {
                let rate = whole.map_or_else(|| Rate::parse(&text()).map_err(of_column), |bps| Ok(Rate(bps)))?;
                sample.rate = Some(rate);
            }
            "loss" => match cell.parse::<f64>() {
                Ok(p) if (0.0..=1.0).contains(&p) => sample.loss = Some(p),
                _ => return Err(of_column(format!("{} given; legal is 0 to 1", shortened(cell, 60)))),
            },
            _ => match cell {
                "1" | "true" => sample.up = Some(true),
                "0" | "false" => sample.up = Some(false),
                _ => return Err(of_column(format!("{} given; legal are 1, 0, true and false", shortened(cell, 60)))),
            },
        }
    }
    if given.next().is_some() {
        return Err(format!("more cells than the {} columns", columns.len()));
    }
    match at {
        None if !said => Err("the line is empty: a hole; leave it out".to_owned()),
        None => Err("the time is missing".to_owned()),
        Some(at) => {
            let rate = sample.rate.and_then(|rate| legal.0.complaint(rate, &()));
            let delay = sample.delay.and_then(|delay| legal.1.complaint(delay, &()));
            match rate.map(|why| ("rate", why)).or(delay.map(|why| ("delay", why))) {
                Some((column, why)) => Err(format!("column {column}: {why}")),
                None => Ok(Sample { at, ..sample }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_stays() {
        let text = "# measured\ntime [s],rate,delay [ms],loss,up\r\n0,10 Mbit/s,12.5,0,1\n0.5,,,,\n# more\n\
                    1.5,,0.0000015,0.25,0\n";
        let samples: Vec<Sample> = csv(text).expect("a legal file").unpacked().collect();
        let at = |ms| Sample { at: Duration::from_millis(ms), ..Sample::default() };
        let ns = |ns| Some(Duration(ns));
        let first =
            Sample { rate: Some(Rate(10_000_000)), delay: ns(12_500_000), loss: Some(0.0), up: Some(true), ..at(0) };
        // What is finer than a nanosecond is rounded, as everywhere.
        let last = Sample { delay: ns(2), loss: Some(0.25), up: Some(false), ..at(1500) };
        assert_eq!(samples, [first, at(500), last]);
    }

    #[test]
    fn each_unit_is_read_with_its_places() {
        let read = |named: &str, cells: &str| {
            let samples = csv(&format!("{named}\n{cells}\n")).unwrap_or_else(|wrong| panic!("{named}: {wrong:?}"));
            samples.unpacked().next().expect("one line")
        };
        for (unit, cell, ns) in [
            ("s", "1.000000001", 1_000_000_001),
            ("ms", "1.000001", 1_000_001),
            ("us", "1.001", 1001),
            ("ns", "1001", 1001),
            ("s", "7", 7_000_000_000),
            ("ms", "7", 7_000_000),
            ("us", "7", 7000),
        ] {
            let sample = read(&format!("time [{unit}],delay [{unit}]"), &format!("{cell},{cell}"));
            assert_eq!((sample.at, sample.delay), (Duration(ns), Some(Duration(ns))), "{unit}");
            // With a blank it is read by the other way.
            assert_eq!(read(&format!("time [{unit}],delay [{unit}]"), &format!("{cell}, {cell}")), sample, "{unit}");
        }
        for (unit, cell, bps) in [
            ("Gbit/s", "1.000000001", 1_000_000_001),
            ("Mbit/s", "1.000001", 1_000_001),
            ("kbit/s", "1.001", 1001),
            ("bit/s", "1001", 1001),
            ("Gbit/s", "7", 7_000_000_000),
            ("Mbit/s", "7", 7_000_000),
            ("kbit/s", "7", 7000),
        ] {
            for cell in [cell.to_owned(), format!(" {cell}")] {
                let sample = read(&format!("time [s],rate [{unit}]"), &format!("0,{cell}"));
                assert_eq!(sample.rate, Some(Rate(bps)), "{unit}");
            }
        }
    }

    #[test]
    fn a_line_that_is_read_quickly_is_read_alike() {
        let named = "time [s],rate [Mbit/s],delay [ms],loss,up";
        let columns = header(named, RECORDED).expect("legal columns");
        let units: Vec<Option<u32>> = columns.iter().map(|column| column.unit.and_then(places)).collect();
        let quick: Vec<QuickColumn> = columns.iter().zip(&units).filter_map(quick_column).collect();
        let legal = (crate::model::bounds::rates(), crate::model::bounds::delays());
        for (line, is_quick) in [
            ("0.25,12.5,30.123456,0.015,1", true),
            ("7,,,,", true),
            ("7,,5,0.3,", true),
            ("7,0.00001,3600000,1,0", true),
            ("7,0.000009,1,,", false),
            ("7,1,3600000.1,,", false),
            ("7,1,1,1.000001,", false),
            ("7,1,1,0.0000001,", false),
            ("7,1,1,1e-3,", false),
            ("7,1,1,,2", false),
            ("7,1,1,,true", false),
            ("7,1,1,,01", false),
            ("7,1,1,,1.", false),
            ("7,1", false),
            ("7,1,1,1,1,1", false),
            (",1,1,1,1", false),
            (" 7,1,1,1,1", false),
            ("7,1,0.0000001,,", false),
            ("7s,1,1,1,1", false),
        ] {
            let found = quick_row(line.as_bytes(), &quick, &legal);
            assert_eq!(found.is_some(), is_quick, "{line}");
            assert!(found.is_none_or(|found| row(line, &columns, &units, &legal) == Ok(found)), "{line}");
        }
        for parts in 0..=1_000_000_u32 {
            let line = format!("0,,,{}.{:06},", parts / 1_000_000, parts % 1_000_000);
            let loss = quick_row(line.as_bytes(), &quick, &legal).and_then(|sample| sample.loss);
            assert_eq!(loss, line[4..line.len() - 1].parse().ok(), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, message) in [
            ("", 1, "the file is empty; its first line names columns"),
            ("time [s],rate\n", 1, "no line follows"),
            ("rate\n1", 1, "there is no column time"),
            ("time [s],dela\n", 1, "there is no column dela; did you mean delay?"),
            ("time [s],rate\n1,1 Mbit/s\n\n2,2 Mbit/s\n", 3, "a hole"),
            ("time [s],rate\n1,1 Mbit/s\n,2 Mbit/s\n", 3, "the time is missing"),
            ("time [s],rate\n2,1 Mbit/s\n1,2 Mbit/s\n", 3, "time runs back, from 2 s to 1 s"),
            ("time [s],loss\n2,0\n2.0,1\n", 3, "time runs back, from 2 s to 2 s"),
            ("time [s],rate [Mbit/s]\n2,0.000001\n", 2, "column rate: 1 bit/s given; legal is"),
            ("time [s],rate\n2,5\n", 2, "column rate: "),
            ("time [s],delay [s]\n2,3601\n", 2, "column delay: "),
            ("time [s],loss\n2,1.5\n", 2, "column loss: 1.5 given; legal is 0 to 1"),
            ("time [s],up\n2,up\n", 2, "legal are 1, 0"),
            ("time [s],up\n2,1,7\n", 2, "more cells than the 2 columns"),
        ] {
            let (at, said) = csv(text).expect_err("something is wrong");
            assert!(at == line && said.contains(message), "{text:?}: {at} {said}");
        }
    }
}
