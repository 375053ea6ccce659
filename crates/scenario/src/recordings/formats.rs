//! The files of Mahimahi, LeoCC and LENS, read as their programs read them.

use super::digits::{self, Wrong, decimal};
use super::samples::{Packer, Sample, Samples};
use super::stamps::Stamps;
use crate::model::bounds::rates;
use crate::model::trace::LensColumn;
use crate::problem::shortened;
use faircast_proto::time::Duration;
use faircast_sim::opportunities::Opportunities;
use std::cmp::Reverse;

/// The columns of LENS.
const LENS: &str = "timestamp,rtt,uplink,downlink";
/// A delay that is longer than this is none, ms.
const LONGEST_MS: u32 = 3_600_000;
const LONGEST_NS: i64 = LONGEST_MS as i64 * 1_000_000;

/// When a link could send: as Mahimahi's `link_queue.cc` reads it, a whole number of milliseconds in every line.
pub(super) fn mahimahi(text: &str) -> Result<Stamps, Wrong> {
    let mut stamps: Vec<u32> = Vec::new();
    for (line, ms) in whole_numbers(text) {
        let ms = ms?;
        if let Some(&before) = stamps.last().filter(|&&before| ms < before) {
            return Err((line, format!("time runs back, from {before} to {ms} ms; legal is no earlier in any line")));
        }
        stamps.push(ms);
    }
    let lines = stamps.len();
    match Opportunities::new(stamps.into()) {
        Some(opportunities) => match rates().complaint(opportunities.mean_rate(), &()) {
            None => Ok(Stamps(opportunities)),
            Some(why) => Err(beyond_all_rates(&opportunities, &why)),
        },
        None if lines == 0 => {
            Err((1, "the file is empty; legal is a whole number of milliseconds in every line".into()))
        }
        None => Err((lines, "0 ms in the last line; legal is a later end, at which it begins anew".into())),
    }
}

/// Opportunities so rare, or so many, that no link has such a rate in the mean; where the longest hole ends.
fn beyond_all_rates(opportunities: &Opportunities, why: &str) -> Wrong {
    let stamps = opportunities.stamps();
    let before = std::iter::once(0).chain(stamps.iter().copied());
    let holes = (1..).zip(stamps.iter().zip(before).map(|(at, before)| at - before));
    // Of equal ones the first.
    let (line, ms) = holes.max_by_key(|&(line, ms)| (ms, Reverse(line))).unwrap_or_default();
    let hole = Duration::from_millis(ms.into());
    let legal = why.split_once("legal is ").map_or(why, |(_, legal)| legal);
    (
        line,
        format!("the longest hole, of {hole}, ends here, and no link has the mean rate of this file; legal is {legal}"),
    )
}

/// One-way delays, each for an interval: as LeoCC's `delay_queue.cc` reads it.
pub(super) fn delays(text: &str, interval: Duration) -> Result<Samples, Wrong> {
    let mut packer = Packer::default();
    let mut at = Duration::ZERO;
    for (line, ms) in whole_numbers(text) {
        let ms = ms?;
        if ms > LONGEST_MS {
            return Err((line, format!("{ms} ms given; legal is at most 1 h")));
        }
        packer.push(&Sample { at, delay: Some(Duration::from_millis(ms.into())), ..Sample::default() });
        at = at + interval;
    }
    packer
        .finish(Some(at))
        .ok_or_else(|| (1, "the file is empty; legal is a delay in milliseconds in every line".into()))
}

/// The lines of a text, each a whole number of milliseconds.
fn whole_numbers(text: &str) -> impl Iterator<Item = (usize, Result<u32, Wrong>)> {
    (1..).zip(text.lines()).map(|(line, text)| {
        let number = text.trim_end().parse::<u32>().map_err(|_| match text.trim().is_empty() {
            true => (line, "the line is empty: a hole; legal is a whole number of milliseconds".to_owned()),
            false => (line, format!("{} given; legal is a whole number of milliseconds", shortened(text, 60))),
        });
        (line, number)
    })
}

/// Delays and losses of LENS: times in ns, delays in ms; -1 is a loss, which lasts until the next line. Where another
/// direction lost the packet this one's was not measured.
pub(super) fn lens(text: &str, column: LensColumn, longest_gap: Duration) -> Result<Samples, Wrong> {
    let mut lines = (1..).zip(text.strip_prefix('\u{feff}').unwrap_or(text).lines());
    match lines.next().map(|(_, header)| header.trim_end()) {
        Some(LENS) => {}
        None | Some("") => return Err((1, format!("the file is empty; its first line is {LENS}"))),
        Some(other) => return Err((1, format!("{} given; legal is {LENS}", shortened(other, 60)))),
    }
    let mut packer = Packer::default();
    let (mut first, mut before, mut was_lost, mut any) = (None, None, false, false);
    for (line, text) in lines {
        let wrong = |message: String| (line, message);
        let Probe { now, rtt, uplink, downlink } =
            quick_probe(text.as_bytes()).map_or_else(|| probe(text).map_err(wrong), Ok)?;
        if let Some(before) = before {
            if now <= before {
                return Err(wrong(format!("time runs back, from {before} to {now} ns; legal is later in every line")));
            }
            if now - before > longest_gap.0 {
                let gap = Duration(now - before);
                return Err(wrong(format!(
                    "a hole of {gap} before this line; legal is at most longest_gap, {longest_gap}"
                )));
            }
        }
        before = Some(now);
        let (own, other) = match column {
            LensColumn::Rtt => (rtt, uplink.min(downlink)),
            LensColumn::Uplink => (uplink, downlink),
            LensColumn::Downlink => (downlink, uplink),
        };
        // Where nobody knows on which way it was lost, on both.
        let is_lost = rtt == LOST || own == LOST || column == LensColumn::Rtt && other == LOST;
        let measured = !is_lost && rtt > 0;
        let delay = match column {
            _ if !measured => None,
            LensColumn::Uplink | LensColumn::Downlink if own >= 0 => Some(own),
            _ => Some(rtt / 2),
        };
        let delay = delay.map(|ns| Duration(ns.unsigned_abs()));
        let loss = (is_lost != was_lost).then_some(if is_lost { 1.0 } else { 0.0 });
        was_lost = is_lost;
        any |= delay.is_some();
        let at = Duration(now - *first.get_or_insert(now));
        packer.push(&Sample { at, delay, loss, ..Sample::default() });
    }
    match packer.finish(None).filter(|_| any) {
        Some(samples) => Ok(samples),
        None => Err((2, "no line has a delay; legal is at least one that was not lost".to_owned())),
    }
}

/// A packet that was lost, -1 ms.
const LOST: i64 = -1_000_000;

/// A line of LENS, in ns.
#[derive(Debug, PartialEq)]
struct Probe {
    now: u64,
    rtt: i64,
    uplink: i64,
    downlink: i64,
}

/// A line of LENS as nearly all are written: legal, without blanks and signs of plus.
fn quick_probe(line: &[u8]) -> Option<Probe> {
    let (now, rest) = digits::whole(line)?;
    let (rtt, rest) = quick_time(rest)?;
    let (uplink, rest) = quick_time(rest)?;
    let (downlink, rest) = quick_time(rest)?;
    let is_legal = rest.is_empty() && (rtt >= 0 || rtt == LOST);
    is_legal.then_some(Probe { now, rtt, uplink, downlink })
}

/// The time behind a comma, ns, and what follows it.
fn quick_time(cell: &[u8]) -> Option<(i64, &[u8])> {
    let cell = cell.strip_prefix(b",")?;
    let (is_negative, digits) = cell.strip_prefix(b"-").map_or((false, cell), |digits| (true, digits));
    let (ns, _, rest) = digits::leading(digits, 6)?;
    let ns = i64::try_from(ns).ok().filter(|&ns| ns <= LONGEST_NS)?;
    Some((if is_negative { -ns } else { ns }, rest))
}

/// A line of LENS, or what is wrong with it.
fn probe(line: &str) -> Result<Probe, String> {
    let [timestamp, rtt, uplink, downlink] = cells(line).ok_or_else(|| match line.trim().is_empty() {
        true => "the line is empty: a hole; leave it out".to_owned(),
        false => format!("{} given; legal are four numbers, {LENS}", shortened(line, 60)),
    })?;
    let now = timestamp
        .parse()
        .map_err(|_| format!("{} given; legal is a whole number of nanoseconds", shortened(timestamp, 60)))?;
    let read = |cell: &str| {
        milliseconds(cell)
            .filter(|ns| ns.unsigned_abs() <= LONGEST_NS.unsigned_abs())
            .ok_or_else(|| format!("{} given; legal is a time in ms, or -1", shortened(cell, 60)))
    };
    let told = rtt;
    let [rtt, uplink, downlink] = [read(rtt)?, read(uplink)?, read(downlink)?];
    if rtt < 0 && rtt != LOST {
        return Err(format!("the round-trip time {told} is negative; legal is a time in ms, or -1 for a loss"));
    }
    Ok(Probe { now, rtt, uplink, downlink })
}

/// The four cells of a line.
fn cells(line: &str) -> Option<[&str; 4]> {
    let mut cells = line.split(',').map(str::trim_ascii);
    let four = [cells.next()?, cells.next()?, cells.next()?, cells.next()?];
    (cells.next().is_none() && four.iter().all(|cell| !cell.is_empty())).then_some(four)
}

/// A number of milliseconds, in ns; what is less is cut off.
fn milliseconds(cell: &str) -> Option<i64> {
    let (sign, digits) = cell.strip_prefix('-').map_or((1, cell), |digits| (-1, digits));
    Some(sign * i64::try_from(decimal(digits, 6)?).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Option<Duration> {
        Some(Duration::from_millis(ms))
    }

    #[test]
    fn mahimahi_is_a_list_of_milliseconds() {
        let stamps = mahimahi("0\n0\n7\r\n12").expect("a legal file");
        assert_eq!(stamps.0.stamps(), [0, 0, 7, 12]);
        for (text, line, message) in [
            ("", 1, "the file is empty"),
            ("1\n\n2\n", 2, "a hole"),
            ("5\n3\n", 2, "time runs back, from 5 to 3 ms"),
            ("5\n6.5\n", 2, "6.5 given; legal is a whole number of milliseconds"),
            ("5\n-6\n", 2, "-6 given"),
            ("0\n0\n", 2, "0 ms in the last line"),
            (
                "5\n9\n4000000009\n",
                3,
                "the longest hole, of 4000000 s, ends here, and no link has the mean rate of this file; legal is 10 ",
            ),
            ("4000000000\n", 1, "the longest hole, of 4000000 s, ends here"),
        ] {
            let (at, said) = mahimahi(text).expect_err("something is wrong");
            assert!(at == line && said.contains(message), "{text:?}: {at} {said}");
        }
    }

    #[test]
    fn delays_of_leocc_go_round() {
        let samples = delays("12\n30\n", Duration::from_millis(10)).expect("a legal file");
        let first: Vec<_> = samples.unpacked().take(3).map(|sample| (Some(sample.at), sample.delay)).collect();
        assert_eq!(first, [(ms(0), ms(12)), (ms(10), ms(30)), (ms(20), ms(12))]);
        let hour = delays("3600000\n", Duration::from_millis(10)).expect("an hour is legal");
        assert_eq!(hour.longest_delay(), Duration::from_secs(3600));
        for (text, line, message) in
            [("", 1, "the file is empty"), ("1\n\n2\n", 2, "a hole"), ("1\n3600001\n", 2, "legal is at most 1 h")]
        {
            let (at, said) = delays(text, Duration::from_millis(10)).expect_err("something is wrong");
            assert!(at == line && said.contains(message), "{text:?}: {at} {said}");
        }
    }

    /// A file of LENS with these lines, 10 ms apart.
    fn file(lines: &[&str]) -> String {
        let line =
            |(number, line): (u64, &&str)| format!("{},{line}\n", 1_705_744_800_616_897_349 + number * 10_000_000);
        format!("{LENS}\n") + &(0..).zip(lines).map(line).collect::<String>()
    }

    #[test]
    fn lens_has_delays_and_losses() {
        let text = file(&["0,0,-1", "120.5,72.25,48.25", "90,-2.5,92.5", "-1,0,0", "0,-1,0", "60,20,40"]);
        let read = |column| {
            let samples = lens(&text, column, Duration::from_secs(1)).expect("a legal file");
            samples.unpacked().map(|own| (own.at.0 / 1_000_000, own.delay.map(|delay| delay.0), own.loss)).collect()
        };
        let ns = |ms: f64| Some((ms * 1e6) as u64);
        let rtt: Vec<_> = read(LensColumn::Rtt);
        assert_eq!(
            rtt,
            [
                (0, None, Some(1.0)),
                (10, ns(60.25), Some(0.0)),
                (20, ns(45.0), None),
                (30, None, Some(1.0)),
                (40, None, None),
                (50, ns(30.0), Some(0.0))
            ]
        );
        // The first was lost on the way down; the fifth on the way up. Where the clocks disagree it is half.
        let uplink: Vec<_> = read(LensColumn::Uplink);
        assert_eq!(
            uplink,
            [
                (0, None, None),
                (10, ns(72.25), None),
                (20, ns(45.0), None),
                (30, None, Some(1.0)),
                (40, None, None),
                (50, ns(20.0), Some(0.0))
            ]
        );
        let downlink: Vec<_> = read(LensColumn::Downlink);
        assert_eq!(
            downlink,
            [
                (0, None, Some(1.0)),
                (10, ns(48.25), Some(0.0)),
                (20, ns(92.5), None),
                (30, None, Some(1.0)),
                (40, None, Some(0.0)),
                (50, ns(40.0), None)
            ]
        );
    }

    #[test]
    fn the_longest_gap_and_delay_and_none_are_legal() {
        let text = format!("{LENS}\n1000,7200000,0,3600000\n1000001000,2,1,1\n");
        let read = |text: &str, column| lens(text, column, Duration::from_secs(1)).map(|samples| samples.first_delay());
        assert_eq!(read(&text, LensColumn::Uplink), Err((2, "7200000 given; legal is a time in ms, or -1".to_owned())));
        let text = text.replace("7200000", "3600000");
        assert_eq!(read(&text, LensColumn::Uplink), Ok(ms(0)));
        assert_eq!(read(&text, LensColumn::Downlink), Ok(ms(3_600_000)));
    }

    #[test]
    fn a_line_that_is_read_quickly_is_read_alike() {
        for (line, is_quick) in [
            ("1705744800616897349,120.5,72.25,48.25", true),
            ("7,-1,0,0", true),
            ("7,0.1234567,-2.5,3600000", true),
            ("7,1,1,3600000.000001", false),
            ("7,-2,1,1", false),
            ("7,1,1", false),
            ("7,1,1,1,1", false),
            ("7.5,1,1,1", false),
            ("7,1,1,1x", false),
            ("7,1,,1", false),
            (" 7,+1, 1,.5", false),
            ("+7, 1 ,1.,.5", false),
            ("99999999999999999999,1,1,1", false),
            ("7,1,--1,1", false),
        ] {
            let quick = quick_probe(line.as_bytes());
            assert_eq!(quick.is_some(), is_quick, "{line}");
            assert!(quick.is_none_or(|quick| probe(line) == Ok(quick)), "{line}");
        }
    }

    #[test]
    fn what_is_wrong_with_lens_is_said_with_its_line() {
        let later = format!("{LENS}\n1000,1,1,1\n3000000000,1,1,1\n");
        for (text, line, message) in [
            ("", 1, "the file is empty"),
            ("timestamp,rtt\n", 1, "timestamp,rtt given; legal is timestamp,rtt,uplink,downlink"),
            (&file(&["1,2,3", "1,2"]), 3, "legal are four numbers"),
            (&file(&["1,2,"]), 2, "legal are four numbers"),
            (&file(&["1,2,3", "-2,2,3"]), 3, "the round-trip time -2 is negative"),
            (&file(&["1,2,x"]), 2, "x given; legal is a time in ms, or -1"),
            (&file(&["1,2,3600001"]), 2, "3600001 given"),
            (&file(&["1,2,3600000.000001"]), 2, "3600000.000001 given"),
            (&file(&["1,2,-3600000.000001"]), 2, "-3600000.000001 given"),
            (&(file(&["1,2,3"]) + "\n" + &file(&["1,2,3"])[LENS.len() + 1..]), 3, "a hole"),
            (&(file(&["1,2,3"]) + "1.5,1,2,3\n"), 3, "whole number of nanoseconds"),
            (&(file(&["1,2,3"]) + "1000,1,2,3\n"), 3, "time runs back"),
            (&format!("{LENS}\n1000,1,1,1\n1000,1,1,1\n"), 3, "time runs back, from 1000 to 1000 ns"),
            (&format!("{LENS}\n1000,1,1,1\n1000001001,1,1,1\n"), 3, "a hole of 1.000000001 s before this line"),
            (&later, 3, "a hole of 2.999999 s before this line; legal is at most longest_gap, 1 s"),
            (&file(&["-1,0,0"]), 2, "no line has a delay"),
        ] {
            let (at, said) = lens(text, LensColumn::Rtt, Duration::from_secs(1)).expect_err("something is wrong");
            assert!(at == line && said.contains(message), "{text:?}: {at} {said}");
        }
    }
}
