//! Quantities in configurations: strings of a number and a unit, such as `"1.5 Mbit/s"`, `"250 ms"`, `"50 packets"`.
//!
//! Bare numbers are refused where a unit is needed. Prefixes are decimal: 1 KB = 1000 bytes, 1 kb = 1000 bits.
//! [`Duration`] and [`Rate`] are read and written as such strings, too. `parse` reads them always, the feature `serde`
//! where they stand in tables. The JSON schema of a quantity (feature `schemars`) carries the key `x-quantity` with its
//! kind, which the checker of scenarios uses to explain what is legal.

use crate::time::{Duration, Rate};
#[cfg(feature = "schemars")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
#[cfg(feature = "serde")]
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
#[cfg(feature = "serde")]
use std::borrow::Cow;

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// A number of packets; fractions are legal for thresholds of averages.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Packets(pub f64);

/// The size of a queue, in packets or in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueueSize {
    /// So many packets, whatever their size.
    Packets(f64),
    /// So many bytes.
    Bytes(u64),
}

/// Symbols a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SymbolRate(pub u64);

/// A ratio of powers in dB; the only quantity that may be negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Decibels(pub f64);

/// A frequency in Hz.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Frequency(pub f64);

/// How much rain falls, in mm/h.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct RainRate(pub f64);

/// Quantities are below this, 2^63 of their base unit, so that the sum of any two is a `u64`.
const TOO_LARGE: f64 = 9_223_372_036_854_775_808.0;

/// A kind of quantity: its name, an example, and its units with their factors to the base unit.
struct Kind {
    name: &'static str,
    example: &'static str,
    units: &'static [(&'static str, f64)],
}

const DURATION: Kind = Kind {
    name: "duration",
    example: "250 ms",
    units: &[("s", 1e9), ("ms", 1e6), ("us", 1e3), ("µs", 1e3), ("ns", 1.0), ("min", 60e9), ("h", 3600e9)],
};
const RATE: Kind = Kind {
    name: "rate",
    example: "1.5 Mbit/s",
    units: &[
        ("bit/s", 1.0),
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9),
        ("b/s", 1.0),
        ("kb/s", 1e3),
        ("Mb/s", 1e6),
        ("Gb/s", 1e9),
        ("B/s", 8.0),
        ("KB/s", 8e3),
        ("MB/s", 8e6),
    ],
};
const BYTES: Kind = Kind {
    name: "number of bytes",
    example: "1000 B",
    units: &[("B", 1.0), ("KB", 1e3), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)],
};
const PACKETS: Kind =
    Kind { name: "number of packets", example: "50 packets", units: &[("packets", 1.0), ("packet", 1.0)] };
const QUEUE_SIZE: Kind = Kind {
    name: "queue size",
    example: "50 packets",
    units: &[("packets", 1.0), ("packet", 1.0), ("B", 1.0), ("KB", 1e3), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)],
};

const SYMBOL_RATE: Kind = Kind {
    name: "symbol rate",
    example: "10 Mbaud",
    units: &[("baud", 1.0), ("kbaud", 1e3), ("Mbaud", 1e6), ("Gbaud", 1e9)],
};
const DECIBELS: Kind = Kind { name: "number of decibels", example: "6.5 dB", units: &[("dB", 1.0)] };
const FREQUENCY: Kind =
    Kind { name: "frequency", example: "20 GHz", units: &[("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)] };
const RAIN_RATE: Kind = Kind { name: "rain rate", example: "40 mm/h", units: &[("mm/h", 1.0)] };

/// Units as they are written elsewhere, and what they are called here.
const SPELLINGS: &[(&[&str], &str)] = &[
    (&["bps", "bits/s", "bit/sec"], "bit/s"),
    (&["kbps", "Kbps", "KBit/s", "kbits/s", "Kb/s", "K"], "kbit/s"),
    (&["Mbps", "mbps", "Mbits/s", "mbit", "Mbit", "M"], "Mbit/s"),
    (&["Gbps", "gbps", "Gbits/s", "gbit", "Gbit", "G"], "Gbit/s"),
    (&["Bps"], "B/s"),
    (&["KBps", "kBps", "kB/s"], "KB/s"),
    (&["MBps"], "MB/s"),
    (&["sec", "secs", "second", "seconds"], "s"),
    (&["msec", "msecs", "millisecond", "milliseconds"], "ms"),
    (&["usec", "usecs", "microsecond", "microseconds", "μs"], "us"),
    (&["m", "mins", "minute", "minutes"], "min"),
    (&["hour", "hours"], "h"),
    (&["byte", "bytes"], "B"),
    (&["Msym/s", "MBaud", "Msps", "MBd"], "Mbaud"),
    (&["pkt", "pkts", "p", "segments"], "packets"),
];

impl Kind {
    /// The number and the unit, its factor applied. Errors say what was given and what is legal.
    fn parse(&self, text: &str) -> Result<(f64, &'static str), String> {
        let trimmed = text.trim();
        let split = trimmed
            .char_indices()
            .find(|&(at, c)| {
                let exponent_sign = (c == '+' || c == '-') && at > 0 && trimmed[..at].ends_with(['e', 'E']);
                let exponent = (c == 'e' || c == 'E')
                    && trimmed[at + 1..].starts_with(|next: char| next.is_ascii_digit() || next == '+' || next == '-');
                !(c.is_ascii_digit() || c == '.' || (at == 0 && (c == '-' || c == '+')) || exponent || exponent_sign)
            })
            .map_or(trimmed.len(), |(at, _)| at);
        let (number, unit) = trimmed.split_at(split);
        let value: f64 = number.parse().map_err(|_| self.complaint(text))?;
        let unit = unit.trim();
        let &(unit, factor) = self
            .units
            .iter()
            .find(|(name, _)| *name == unit)
            .ok_or_else(|| self.complaint(text) + &self.meant(number, unit))?;
        let scaled = value * factor;
        if !value.is_finite() || value < 0.0 {
            return Err(format!("\"{text}\" is not a legal {}: it must be finite and not negative", self.name));
        }
        if scaled >= TOO_LARGE {
            // Queues are measured in packets or in bytes.
            let in_packets = unit.starts_with("packet");
            let is_base = |(name, factor): &(&str, f64)| *factor == 1.0 && name.starts_with("packet") == in_packets;
            let (base, _) = self.units.iter().find(|entry| is_base(entry)).expect("every kind has a base unit");
            return Err(format!("\"{text}\" is not a legal {}: it must be less than 2^63 {base}", self.name));
        }
        Ok((scaled, unit))
    }

    fn complaint(&self, text: &str) -> String {
        let units: Vec<&str> = self.units.iter().map(|(name, _)| *name).collect();
        format!(
            "\"{text}\" is not a {}: a number and a unit are needed, such as \"{}\"; units: {}",
            self.name,
            self.example,
            units.join(", ")
        )
    }

    /// What to propose instead of a unit that is spelt as elsewhere, or with other capitals.
    fn meant(&self, number: &str, unit: &str) -> String {
        let usual = SPELLINGS.iter().find(|(others, _)| others.contains(&unit)).map(|(_, own)| *own);
        let alike = || self.units.iter().map(|(own, _)| *own).find(|own| own.eq_ignore_ascii_case(unit));
        match usual.filter(|own| self.units.iter().any(|(unit, _)| unit == own)).or_else(alike) {
            Some(own) => format!("; did you mean \"{number} {own}\"?"),
            None => String::new(),
        }
    }

    #[cfg(feature = "schemars")]
    fn schema(&self) -> Schema {
        json_schema!({
            "type": "string",
            "x-quantity": self.name,
            "examples": [self.example],
        })
    }
}

/// `value` in the largest of the given units in which it is at least one, shortest exact form.
#[cfg(feature = "serde")]
fn shown(value: f64, units: &[(&str, f64)]) -> String {
    let (unit, factor) = units.iter().find(|(_, factor)| value >= *factor).or(units.last()).expect("units are given");
    format!("{} {unit}", value / factor)
}

impl Duration {
    /// Reads a duration such as `"250 ms"`.
    ///
    /// # Errors
    /// Says what was given and which units are legal.
    pub fn parse(text: &str) -> Result<Duration, String> {
        DURATION.parse(text).map(|(nanos, _)| Duration((nanos + 0.5) as u64))
    }
}

impl Rate {
    /// Reads a rate such as `"1.5 Mbit/s"`, rounded to a bit/s.
    ///
    /// # Errors
    /// Says what was given and which units are legal.
    pub fn parse(text: &str) -> Result<Rate, String> {
        RATE.parse(text).map(|(bps, _)| Rate((bps + 0.5) as u64))
    }
}

impl Bytes {
    /// Reads a number of bytes such as `"1 KB"`.
    ///
    /// # Errors
    /// Says what was given and which units are legal.
    pub fn parse(text: &str) -> Result<Bytes, String> {
        BYTES.parse(text).map(|(bytes, _)| Bytes((bytes + 0.5) as u64))
    }
}

impl Packets {
    /// Reads a number of packets such as `"50 packets"`.
    ///
    /// # Errors
    /// Says what was given and which units are legal.
    pub fn parse(text: &str) -> Result<Packets, String> {
        PACKETS.parse(text).map(|(packets, _)| Packets(packets))
    }
}

impl QueueSize {
    /// Reads a queue size such as `"50 packets"` or `"64 KB"`.
    ///
    /// # Errors
    /// Says what was given and which units are legal.
    pub fn parse(text: &str) -> Result<QueueSize, String> {
        QUEUE_SIZE.parse(text).map(|(size, unit)| match unit {
            "packets" | "packet" => QueueSize::Packets(size),
            _ => QueueSize::Bytes((size + 0.5) as u64),
        })
    }
}

impl SymbolRate {
    /// Reads a symbol rate such as `"10 Mbaud"`, rounded to a symbol a second.
    ///
    /// # Errors
    /// Says what was given and which units are legal.
    pub fn parse(text: &str) -> Result<SymbolRate, String> {
        SYMBOL_RATE.parse(text).map(|(baud, _)| SymbolRate((baud + 0.5) as u64))
    }
}

impl Decibels {
    /// Reads a number of decibels such as `"-2.5 dB"`.
    ///
    /// # Errors
    /// Says what was given and which units are legal.
    pub fn parse(text: &str) -> Result<Decibels, String> {
        match text.trim().strip_prefix('-').filter(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit())) {
            Some(rest) => DECIBELS.parse(rest).map(|(db, _)| Decibels(-db)).map_err(|_| DECIBELS.complaint(text)),
            None => DECIBELS.parse(text).map(|(db, _)| Decibels(db)),
        }
    }
}

impl Frequency {
    /// Reads a frequency such as `"20 GHz"`.
    ///
    /// # Errors
    /// Says what was given and which units are legal.
    pub fn parse(text: &str) -> Result<Frequency, String> {
        FREQUENCY.parse(text).map(|(hertz, _)| Frequency(hertz))
    }
}

impl RainRate {
    /// Reads a rain rate such as `"40 mm/h"`.
    ///
    /// # Errors
    /// Says what was given and which units are legal.
    pub fn parse(text: &str) -> Result<RainRate, String> {
        RAIN_RATE.parse(text).map(|(rate, _)| RainRate(rate))
    }
}

macro_rules! quantity_as_string {
    ($type:ty, $kind:expr, $shown:expr) => {
        #[cfg(feature = "serde")]
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let shown: fn(&$type) -> String = $shown;
                serializer.serialize_str(&shown(self))
            }
        }

        #[cfg(feature = "serde")]
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                let text = Cow::<'de, str>::deserialize(deserializer)?;
                <$type>::parse(&text).map_err(de::Error::custom)
            }
        }

        #[cfg(feature = "schemars")]
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $kind.schema()
            }
        }
    };
}

quantity_as_string!(Duration, DURATION, |d| match d.0 {
    0 => "0 s".to_owned(),
    nanos => shown(nanos as f64, &[("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1.0)]),
});
quantity_as_string!(Rate, RATE, |r| shown(
    r.0 as f64,
    &[("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3), ("bit/s", 1.0)]
));
quantity_as_string!(Bytes, BYTES, |b| shown(b.0 as f64, &[("MB", 1e6), ("KB", 1e3), ("B", 1.0)]));
quantity_as_string!(Packets, PACKETS, |p| format!("{} packets", p.0));
quantity_as_string!(SymbolRate, SYMBOL_RATE, |r| shown(
    r.0 as f64,
    &[("Gbaud", 1e9), ("Mbaud", 1e6), ("kbaud", 1e3), ("baud", 1.0)]
));
quantity_as_string!(Decibels, DECIBELS, |db| format!("{} dB", db.0));
quantity_as_string!(Frequency, FREQUENCY, |f| shown(f.0, &[("GHz", 1e9), ("MHz", 1e6), ("kHz", 1e3), ("Hz", 1.0)]));
quantity_as_string!(RainRate, RAIN_RATE, |rate| format!("{} mm/h", rate.0));
quantity_as_string!(QueueSize, QUEUE_SIZE, |q| match q {
    QueueSize::Packets(packets) => format!("{packets} packets"),
    QueueSize::Bytes(bytes) => shown(*bytes as f64, &[("MB", 1e6), ("KB", 1e3), ("B", 1.0)]),
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_units_are_read() {
        assert_eq!(Rate::parse("1.5 Mbit/s"), Ok(Rate(1_500_000)));
        assert_eq!(Rate::parse("1.5Mb/s"), Ok(Rate(1_500_000)));
        assert_eq!(Rate::parse("62.5 KB/s"), Ok(Rate(500_000)));
        assert_eq!(Duration::parse("250 ms"), Ok(Duration(250_000_000)));
        assert_eq!(Duration::parse("1e-3 s"), Ok(Duration(1_000_000)));
        assert_eq!(Bytes::parse("1 KB"), Ok(Bytes(1000)));
        assert_eq!(QueueSize::parse("50 packets"), Ok(QueueSize::Packets(50.0)));
        assert_eq!(QueueSize::parse("64 KB"), Ok(QueueSize::Bytes(64_000)));
    }

    #[test]
    fn what_satellites_are_told_has_units() {
        assert_eq!(SymbolRate::parse("27.5 Mbaud"), Ok(SymbolRate(27_500_000)));
        assert!(SymbolRate::parse("27.5 MBaud").unwrap_err().ends_with("did you mean \"27.5 Mbaud\"?"));
        assert_eq!(Decibels::parse("-2.5 dB"), Ok(Decibels(-2.5)));
        assert_eq!(Decibels::parse("1e1 dB"), Ok(Decibels(10.0)));
        assert!(Decibels::parse("-2.5").unwrap_err().starts_with("\"-2.5\" is not a number of decibels"));
        assert!(Decibels::parse("--2.5 dB").is_err());
        assert_eq!(Frequency::parse("19.7 GHz"), Ok(Frequency(19.7e9)));
        assert_eq!(RainRate::parse("42 mm/h"), Ok(RainRate(42.0)));
        for text in ["10 Mbaud", "-3 dB", "20 GHz"] {
            let back = match text.rsplit(' ').next() {
                Some("Mbaud") => serde_json::to_value(SymbolRate::parse(text).unwrap()),
                Some("dB") => serde_json::to_value(Decibels::parse(text).unwrap()),
                _ => serde_json::to_value(Frequency::parse(text).unwrap()),
            };
            assert_eq!(back.unwrap(), text);
        }
    }

    #[test]
    fn a_missing_or_wrong_unit_is_explained() {
        let message = Rate::parse("1500000").unwrap_err();
        assert!(message.contains("\"1500000\" is not a rate") && message.contains("1.5 Mbit/s"), "{message}");
        assert!(Duration::parse("3 parsecs").unwrap_err().contains("units: s, ms"));
        assert!(Duration::parse("-1 s").unwrap_err().contains("not negative"));
        for (message, meant) in [
            (Rate::parse("2 Mbps").unwrap_err(), "; did you mean \"2 Mbit/s\"?"),
            (Rate::parse("1.5mbit/s").unwrap_err(), "; did you mean \"1.5 Mbit/s\"?"),
            (Duration::parse("3 seconds").unwrap_err(), "; did you mean \"3 s\"?"),
            (QueueSize::parse("50 pkts").unwrap_err(), "; did you mean \"50 packets\"?"),
            (QueueSize::parse("2 Mbps").unwrap_err(), "MB, GB"),
            (Duration::parse("3 parsecs").unwrap_err(), "min, h"),
        ] {
            assert!(message.ends_with(meant), "{message}");
        }
        assert!(Rate::parse("").is_err());
        assert_eq!(
            Bytes::parse("1e10 GB"),
            Err("\"1e10 GB\" is not a legal number of bytes: it must be less than 2^63 B".to_owned())
        );
        for (given, legal) in [("1e10 GB", "2^63 B"), ("1e20 packets", "2^63 packets"), ("1e20 packet", "2^63 packets")]
        {
            let message = QueueSize::parse(given).unwrap_err();
            assert_eq!(message, format!("\"{given}\" is not a legal queue size: it must be less than {legal}"));
        }
        assert!(Rate::parse("1e12 Gbit/s").unwrap_err().ends_with("less than 2^63 bit/s"));
        assert_eq!(Duration::parse("9.2e9 s"), Ok(Duration(9_200_000_000_000_000_000)));
        assert!(Duration::parse("9223372036.854776 s").is_err());
        assert!(Packets::parse("1e400 packets").is_err());
    }

    #[test]
    fn written_quantities_are_read_back() {
        for text in ["1.5 Mbit/s", "999 bit/s", "1 Gbit/s"] {
            let rate = Rate::parse(text).unwrap();
            assert_eq!(serde_json::to_value(rate).unwrap(), text);
        }
        assert_eq!(serde_json::to_value(Duration::ZERO).unwrap(), "0 s");
        for nanos in [0, 1, 65_000_000, 5_333_333, 123_456_789_012] {
            let text = serde_json::to_string(&Duration(nanos)).unwrap();
            assert_eq!(serde_json::from_str::<Duration>(&text).unwrap(), Duration(nanos), "{text}");
        }
    }
}
