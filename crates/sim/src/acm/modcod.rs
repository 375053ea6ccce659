//! Modulations and codes: what each carries, and the Es/N0 that it needs.
//!
//! Those of DVB-S2 [ETSI EN 302 307-1] and of its extension DVB-S2X [ETSI EN 302 307-2] together, as a receiver of the
//! extension has both: normal frames, ideal channel. The extension alone has nothing between QPSK 11/20 and 8APSK
//! 5/9-L, 3.3 dB apart. A frame of 64 800 coded bits carries the bits that enter the outer code less an 80-bit header,
//! in slots of 90 symbols, before which one slot says what is sent. Pilots are not counted.

use std::sync::LazyLock;

const TABLES: [&str; 2] = [include_str!("s2-normal.csv"), include_str!("s2x-normal.csv")];

/// What differs by less is equal, dB: of 10.11 dB less 12.96 dB arithmetic makes a little less than -2.85 dB.
const EQUAL_DB: f64 = 1e-9;

/// A modulation and code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modcod {
    /// What it is called, such as "16APSK 3/5-L".
    pub name: &'static str,
    /// Coded bits in a symbol.
    pub bits: u32,
    /// Bits that enter the outer code, by frame.
    pub k_bch: u32,
    /// Bits of packets in a symbol.
    pub efficiency: f64,
    /// The least Es/N0 at which frames come through, dB.
    pub es_n0_db: f64,
}

/// Modulations and codes of which each needs a higher Es/N0 than the one before and carries more. What needs more and
/// carries no more than another is left out.
#[derive(Debug)]
pub struct Ladder(Vec<Modcod>);

/// All of DVB-S2 and DVB-S2X with normal frames, by the Es/N0 that they need, of equal ones the better first.
pub fn normal_frames() -> &'static [Modcod] {
    static ALL: LazyLock<Vec<Modcod>> = LazyLock::new(|| {
        let modcod = |line: &'static str| {
            let mut cells = line.split(',');
            Some(Modcod {
                name: cells.next()?,
                bits: cells.next()?.parse().ok()?,
                k_bch: cells.next()?.parse().ok()?,
                efficiency: cells.next()?.parse().ok()?,
                es_n0_db: cells.next()?.parse().ok()?,
            })
        };
        let lines = |table: &'static str| table.lines().filter(|line| !line.starts_with('#')).skip(1);
        let all = TABLES.into_iter().flat_map(lines);
        let mut all: Vec<Modcod> = all.map(|line| modcod(line).expect("the table is as it should be")).collect();
        all.sort_by(|a, b| a.es_n0_db.total_cmp(&b.es_n0_db).then(b.efficiency.total_cmp(&a.efficiency)));
        all
    });
    &ALL
}

/// The modulations and codes that somebody would choose.
pub fn ladder() -> &'static Ladder {
    static LADDER: LazyLock<Ladder> = LazyLock::new(|| Ladder::of(normal_frames()));
    &LADDER
}

impl Ladder {
    /// Of modulations and codes in the order of the Es/N0 that they need, of equal ones the better first.
    fn of(all: &[Modcod]) -> Ladder {
        let mut rungs: Vec<Modcod> = Vec::new();
        for modcod in all {
            if rungs.last().is_none_or(|last| modcod.efficiency > last.efficiency) {
                rungs.push(*modcod);
            }
        }
        Ladder(rungs)
    }

    /// How many of them come through at an Es/N0, dB: exactly at what one needs it does. 0 means outage.
    pub fn rungs_at(&self, es_n0_db: f64) -> usize {
        self.0.partition_point(|modcod| modcod.es_n0_db <= es_n0_db + EQUAL_DB)
    }

    /// What the best of so many carries, bits in a symbol; 0 of none.
    pub fn efficiency(&self, rungs: usize) -> f64 {
        rungs.checked_sub(1).map_or(0.0, |best| self.0[best].efficiency)
    }

    /// What is carried at an Es/N0, dB, at best; 0 in an outage.
    pub fn efficiency_at(&self, es_n0_db: f64) -> f64 {
        self.efficiency(self.rungs_at(es_n0_db))
    }

    /// From the one that needs least on.
    pub fn rungs(&self) -> &[Modcod] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_efficiency_is_what_the_frame_carries() {
        assert_eq!(normal_frames().len(), 28 + 39);
        for modcod in normal_frames() {
            let slots = 64_800u32.div_ceil(90 * modcod.bits);
            let carried = f64::from(modcod.k_bch - 80) / f64::from(90 * slots + 90);
            assert!((modcod.efficiency - carried).abs() <= 1e-6, "{modcod:?}: {carried}");
            // The code's rate is in its name. All have an outer code of 192 bits of parity but these four of DVB-S2.
            let (_, rate) = modcod.name.split_once(' ').expect("a modulation and a code");
            let (over, under) = rate.trim_end_matches("-L").split_once('/').expect("a rate");
            let [over, under]: [u32; 2] = [over, under].map(|number| number.parse().expect("a number"));
            let parity = match (over, under) {
                (2, 3) | (5, 6) if TABLES[0].contains(modcod.name) => 160,
                (8, 9) | (9, 10) => 128,
                _ => 192,
            };
            assert_eq!(modcod.k_bch + parity, 64_800 / under * over, "{modcod:?}");
            let points: u32 =
                modcod.name.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(4);
            assert_eq!(1 << modcod.bits, points, "{modcod:?}");
        }
    }

    #[test]
    fn each_rung_carries_more_and_needs_more() {
        let rungs = ladder().rungs();
        assert!(rungs.windows(2).all(|two| two[0].es_n0_db < two[1].es_n0_db && two[0].efficiency < two[1].efficiency));
        // 8PSK 13/18 needs 7.49 dB for 2.145; 16APSK 5/9-L carries more at 6.84 dB. Of DVB-S2 many a step is closed.
        assert!(
            rungs.iter().all(|rung| rung.name != "8PSK 13/18") && rungs.iter().any(|rung| rung.name == "16APSK 5/9-L")
        );
        // Every one that is left out is beaten by one that needs no more.
        for modcod in normal_frames() {
            assert!(ladder().efficiency_at(modcod.es_n0_db) >= modcod.efficiency, "{modcod:?}");
        }
    }

    #[test]
    fn at_what_one_needs_it_comes_through() {
        let best = |es_n0| ladder().efficiency_at(es_n0);
        assert_eq!([best(-2.86), best(-2.85), best(-2.04), best(-2.03)], [0.0, 0.434_841, 0.490_243, 0.567_805]);
        assert_eq!(
            [best(1.45), best(2.22), best(2.23), best(4.72), best(4.73)],
            [1.088_581, 1.088_581, 1.188_304, 1.587_196, 1.647_211]
        );
        assert_eq!(best(100.0), 5.900_855);
        // Also of sums, whose last digits are not exact.
        assert_eq!([10.11 - 12.96, 9.43 - 4.7].map(best), [0.434_841, best(4.73)]);
        assert!(best(4.73) > best(4.729_999));
        assert_eq!(ladder().rungs_at(-10.0), 0);
    }

    /// Of the simulator SNS3, by whose curves of frame errors blocks are lost: at the one Es/N0 more than half of the
    /// frames are, at the other fewer than one in 100 000 ([sns3-satellite], test/satellite-link-results-test.cc).
    const SNS3: [(&str, f64, f64); 24] = [
        ("QPSK 1/2", 0.8, 1.0),
        ("QPSK 3/5", 2.0, 2.2),
        ("QPSK 2/3", 2.9, 3.1),
        ("QPSK 3/4", 3.9, 4.0),
        ("QPSK 4/5", 4.5, 4.7),
        ("QPSK 5/6", 5.0, 5.2),
        ("8PSK 3/5", 5.3, 5.5),
        ("QPSK 8/9", 6.0, 6.2),
        ("QPSK 9/10", 6.2, 6.4),
        ("8PSK 2/3", 6.4, 6.6),
        ("8PSK 3/4", 7.7, 7.9),
        ("16APSK 2/3", 8.8, 9.0),
        ("8PSK 5/6", 9.2, 9.4),
        ("16APSK 3/4", 10.0, 10.2),
        ("8PSK 8/9", 10.5, 10.7),
        ("8PSK 9/10", 10.8, 11.0),
        ("16APSK 4/5", 10.9, 11.1),
        ("16APSK 5/6", 11.4, 11.6),
        ("32APSK 3/4", 12.5, 12.7),
        ("16APSK 8/9", 12.7, 12.9),
        ("16APSK 9/10", 13.0, 13.1),
        ("32APSK 4/5", 13.5, 13.7),
        ("32APSK 5/6", 14.0, 14.3),
        ("32APSK 8/9", 15.5, 15.7),
    ];

    #[test]
    fn what_is_needed_is_where_frames_of_sns3_come_through() {
        for (name, lost, through) in SNS3 {
            let own = normal_frames().iter().find(|modcod| modcod.name == name).expect("it is in the table");
            assert!(lost < own.es_n0_db && (own.es_n0_db - through).abs() < 0.1, "{own:?}: {lost} to {through}");
            // So a threshold is no worse than a tenth of a decibel or two.
            assert!(through - lost < 0.301, "{name}");
        }
    }
}
