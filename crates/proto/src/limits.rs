//! What values of parameters are legal, declared once: the check, what it says and (with the feature `schemars`) the
//! schema follow from it.
//!
//! ```
//! use faircast_proto::limits::{Limited, above, from};
//! use faircast_proto::time::Duration;
//!
//! #[derive(schemars::JsonSchema)]
//! #[schemars(transform = faircast_proto::limits::declare::<Config>)]
//! struct Config {
//!     bias: f64,
//!     min_rto: Option<Duration>,
//! }
//!
//! faircast_proto::limits! { Config {
//!     bias: above(0.0).to(1.0),
//!     min_rto: from(Duration::from_millis(1)).to(Duration::from_secs(60)),
//! } }
//!
//! let wrong = Config { bias: 1.5, min_rto: None }.beyond_limits();
//! assert_eq!(wrong, [("bias".to_owned(), "1.5 given; legal is above 0 up to 1".to_owned())]);
//! ```
//!
//! What is left out (`None`) is legal. Infinity and NaN never are. What depends on more than two fields, or on a length
//! or a set, is a rule of its own and stands in the `check` of the parameters, after [`Limited::beyond_limits`].

use crate::quantity::{Bytes, Decibels, Frequency, Packets, RainRate, SymbolRate};
use crate::time::{Duration, Rate};
#[cfg(feature = "schemars")]
use schemars::Schema;
#[cfg(feature = "schemars")]
use serde_json::{Value, json};

/// What is wrong with parameters: for each wrong one its path, and what was given and what is legal. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal(Vec<(String, String)>);

impl Illegal {
    /// One thing that is wrong.
    pub fn one(path: &str, message: impl Into<String>) -> Illegal {
        Illegal(vec![(path.to_owned(), message.into())])
    }

    /// Nothing, if this is an empty list.
    ///
    /// # Errors
    /// What is on the list.
    pub fn unless_empty(wrong: Vec<(String, String)>) -> Result<(), Illegal> {
        if wrong.is_empty() { Ok(()) } else { Err(Illegal(wrong)) }
    }
}

/// All of it, in the order of the check.
impl std::ops::Deref for Illegal {
    type Target = [(String, String)];

    fn deref(&self) -> &[(String, String)] {
        &self.0
    }
}

impl IntoIterator for Illegal {
    type Item = (String, String);
    type IntoIter = std::vec::IntoIter<(String, String)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// In one line: `round_rtts: 0.5 given; legal is 1 to 100`, and what else is wrong behind a full stop.
impl std::fmt::Display for Illegal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, (path, message)) in self.0.iter().enumerate() {
            write!(f, "{}{path}: {message}", if index == 0 { "" } else { ". " })?;
        }
        Ok(())
    }
}

impl std::error::Error for Illegal {}

/// Parameters with limits, as [`limits!`](crate::limits!) declares them.
pub trait Limited: Sized {
    /// The limits, in the order of their declaration.
    fn limits() -> Vec<Limit<Self>>;

    /// Every field with a value beyond its limits: its name, and what was given and what is legal.
    fn beyond_limits(&self) -> Vec<(String, String)> {
        Self::limits().iter().filter_map(|limit| Some((limit.field.to_owned(), (limit.complaint)(self)?))).collect()
    }
}

/// Adds the limits of `C` to its schema: for numbers the keywords of JSON schema, for quantities, whose texts have
/// units, what is legal in words (`x-legal`). A reason that is not among these words stands beside them (`x-reason`).
///
/// # Panics
/// If a limit is declared for a field that the schema does not have.
#[cfg(feature = "schemars")]
pub fn declare<C: Limited>(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    let properties = properties.expect("parameters are an object");
    for limit in C::limits() {
        // Formats of others write their keys in capitals.
        let property = properties.iter_mut().find(|(key, _)| key.eq_ignore_ascii_case(limit.field));
        let property = property.and_then(|(_, property)| property.as_object_mut());
        let property = property.unwrap_or_else(|| panic!("{} is no field of the schema", limit.field));
        property.extend(limit.keywords.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)));
    }
}

/// What is wrong with parameters that stand in a table of this name among others.
pub fn within(table: &str, wrong: Vec<(String, String)>) -> impl Iterator<Item = (String, String)> {
    wrong.into_iter().map(move |(field, message)| (format!("{table}.{field}"), message))
}

/// The limits of one field of `C`.
pub struct Limit<C> {
    field: &'static str,
    complaint: Box<Complaint<C>>,
    #[cfg(feature = "schemars")]
    keywords: Vec<(&'static str, Value)>,
}

/// What is wrong with the value of a field, if anything is.
type Complaint<C> = dyn Fn(&C) -> Option<String>;

impl<C: 'static> Limit<C> {
    /// The limits of the field of this name, which `read` finds.
    pub fn new<V: Bounded, F: Held<V> + 'static>(
        field: &'static str,
        read: fn(&C) -> &F,
        range: Range<C, V>,
    ) -> Limit<C> {
        #[cfg(feature = "schemars")]
        let keywords = range.keywords();
        let complaint = move |config: &C| range.complaint(read(config).held()?, config);
        Limit {
            field,
            complaint: Box::new(complaint),
            #[cfg(feature = "schemars")]
            keywords,
        }
    }
}

/// Values of a field that are legal, between two bounds, each of which may be missing.
pub struct Range<C, V> {
    low: Option<Bound<C, V>>,
    high: Option<Bound<C, V>>,
    reason: &'static str,
}

/// One end of a range.
enum Bound<C, V> {
    /// This value, itself legal or not.
    Value(V, bool),
    /// What another field holds, itself legal or not.
    Field(&'static str, fn(&C) -> V, bool),
}

/// This value and all above it.
pub fn from<C, V>(least: V) -> Range<C, V> {
    Range { low: Some(Bound::Value(least, true)), high: None, reason: "" }
}

/// All above this value, but not itself.
pub fn above<C, V>(value: V) -> Range<C, V> {
    Range { low: Some(Bound::Value(value, false)), high: None, reason: "" }
}

/// This value and all below it.
pub fn to<C, V>(greatest: V) -> Range<C, V> {
    Range { low: None, high: Some(Bound::Value(greatest, true)), reason: "" }
}

/// What the field of this name holds, and all above it.
pub fn from_field<C, V>(name: &'static str, read: fn(&C) -> V) -> Range<C, V> {
    Range { low: Some(Bound::Field(name, read, true)), high: None, reason: "" }
}

/// All above what the field of this name holds, but not itself.
pub fn above_field<C, V>(name: &'static str, read: fn(&C) -> V) -> Range<C, V> {
    Range { low: Some(Bound::Field(name, read, false)), high: None, reason: "" }
}

impl<C, V: Bounded> Range<C, V> {
    /// Up to this value.
    pub fn to(self, greatest: V) -> Range<C, V> {
        Range { high: Some(Bound::Value(greatest, true)), ..self }
    }

    /// Up to this value, but not itself.
    pub fn below(self, value: V) -> Range<C, V> {
        Range { high: Some(Bound::Value(value, false)), ..self }
    }

    /// Up to what the field of this name holds.
    pub fn to_field(self, name: &'static str, read: fn(&C) -> V) -> Range<C, V> {
        Range { high: Some(Bound::Field(name, read, true)), ..self }
    }

    /// A reason, which follows what is legal: "for less would hold the window back".
    pub fn because(self, reason: &'static str) -> Range<C, V> {
        Range { reason, ..self }
    }

    /// What is wrong with a value of these parameters, if anything is.
    pub fn complaint(&self, value: V, config: &C) -> Option<String> {
        let legal = || self.words(|bound| bound.text_in(config));
        (!self.contains(value, config)).then(|| format!("{} given; legal is {}", value.text(), legal()))
    }

    fn contains(&self, value: V, config: &C) -> bool {
        let is_end = |end: &Bound<C, V>| end.is_legal() && value == end.value(config);
        value.is_proper()
            && self.low.as_ref().is_none_or(|low| value > low.value(config) || is_end(low))
            && self.high.as_ref().is_none_or(|high| value < high.value(config) || is_end(high))
    }

    /// The range in words, with `text` for its ends: "above 0 up to 1".
    fn words(&self, text: impl Fn(&Bound<C, V>) -> String) -> String {
        let low = self.low.as_ref().map(|bound| (text(bound), bound.is_legal()));
        let high = self.high.as_ref().map(|bound| (text(bound), bound.is_legal()));
        let range = words(low, high);
        if self.reason.is_empty() { range } else { format!("{range}, {}", self.reason) }
    }

    /// What the schema says of it.
    #[cfg(feature = "schemars")]
    fn keywords(&self) -> Vec<(&'static str, Value)> {
        let number = |bound: &Option<Bound<C, V>>, legal: &'static str, illegal: &'static str| match bound {
            Some(Bound::Value(value, is_legal)) => Some((if *is_legal { legal } else { illegal }, value.number()?)),
            _ => None,
        };
        let low = number(&self.low, "minimum", "exclusiveMinimum");
        let high = number(&self.high, "maximum", "exclusiveMaximum");
        let numbers: Vec<_> = low.into_iter().chain(high).collect();
        match self.reason {
            _ if numbers.is_empty() => vec![("x-legal", self.words(Bound::text).into())],
            "" => numbers,
            reason => numbers.into_iter().chain([("x-reason", reason.into())]).collect(),
        }
    }
}

/// A range in words, of its ends as text, each with whether it is legal itself.
pub fn words(low: Option<(String, bool)>, high: Option<(String, bool)>) -> String {
    match (low, high) {
        (Some((low, true)), Some((high, true))) if low == high => low,
        (Some((low, true)), Some((high, true))) => format!("{low} to {high}"),
        (Some((low, true)), Some((high, false))) => format!("from {low} to less than {high}"),
        (Some((low, false)), Some((high, true))) => format!("above {low} up to {high}"),
        (Some((low, false)), Some((high, false))) => format!("above {low} and below {high}"),
        (Some((low, true)), None) => format!("{low} or more"),
        (Some((low, false)), None) => format!("above {low}"),
        (None, Some((high, true))) => format!("at most {high}"),
        (None, Some((high, false))) => format!("below {high}"),
        (None, None) => "any number".to_owned(),
    }
}

impl<C, V: Bounded> Bound<C, V> {
    #[cfg(feature = "schemars")]
    fn text(&self) -> String {
        match self {
            Bound::Value(value, _) => value.text(),
            Bound::Field(name, ..) => (*name).to_owned(),
        }
    }

    /// With what the other field holds.
    fn text_in(&self, config: &C) -> String {
        match self {
            Bound::Value(value, _) => value.text(),
            Bound::Field(name, read, _) => format!("{name} = {}", read(config).text()),
        }
    }

    fn value(&self, config: &C) -> V {
        match self {
            Bound::Value(value, _) => *value,
            Bound::Field(_, read, _) => read(config),
        }
    }

    fn is_legal(&self) -> bool {
        matches!(self, Bound::Value(_, true) | Bound::Field(_, _, true))
    }
}

/// A field that holds a value, or holds none.
pub trait Held<V> {
    /// The value, if there is one.
    fn held(&self) -> Option<V>;
}

impl<V: Bounded> Held<V> for V {
    fn held(&self) -> Option<V> {
        Some(*self)
    }
}

impl<V: Bounded> Held<V> for Option<V> {
    fn held(&self) -> Option<V> {
        *self
    }
}

/// What can have limits: a number or a quantity.
pub trait Bounded: Copy + PartialOrd + 'static {
    /// The value with its unit.
    fn text(self) -> String;

    /// Whether it is a value at all: infinity and what is no number are none.
    fn is_proper(self) -> bool {
        true
    }

    /// The value in a scenario, if that is a number and no text. It is no number unless said.
    #[cfg(feature = "schemars")]
    fn number(self) -> Option<Value> {
        None
    }
}

macro_rules! numbers {
    ($($number:ty),*) => { $(
        impl Bounded for $number {
            fn text(self) -> String {
                self.to_string()
            }

            #[cfg(feature = "schemars")]
            fn number(self) -> Option<Value> {
                Some(json!(self))
            }
        }
    )* };
}

numbers!(u8, u16, u32, u64, usize);

impl Bounded for f64 {
    fn text(self) -> String {
        if self.abs() < LONG { self.to_string() } else { format!("{self:e}") }
    }

    fn is_proper(self) -> bool {
        self.is_finite()
    }

    #[cfg(feature = "schemars")]
    fn number(self) -> Option<Value> {
        Some(json!(self))
    }
}

macro_rules! quantities {
    ($($quantity:ty: |$value:ident| $text:expr $(, $proper:expr)?;)*) => { $(
        impl Bounded for $quantity {
            fn text(self) -> String {
                let $value = self;
                $text
            }
            $(
                fn is_proper(self) -> bool {
                    let $value = self;
                    $proper
                }
            )?
        }
    )* };
}

quantities! {
    Duration: |time| time.to_string();
    Rate: |rate| rate_text(rate);
    Bytes: |bytes| format!("{} B", bytes.0);
    SymbolRate: |rate| text_of(rate.0 as f64, &[("Gbaud", 1e9), ("Mbaud", 1e6), ("kbaud", 1e3), ("baud", 1.0)]);
    Decibels: |db| format!("{} dB", db.0), db.0.is_finite();
    Frequency: |f| text_of(f.0, &[("GHz", 1e9), ("MHz", 1e6), ("kHz", 1e3), ("Hz", 1.0)]), f.0.is_finite();
    RainRate: |rate| format!("{} mm/h", rate.0), rate.0.is_finite();
    Packets: |pkts| format!("{} packet{}", pkts.0, if pkts.0 == 1.0 { "" } else { "s" }), pkts.0.is_finite();
}

/// Numbers from here on are written with an exponent.
const LONG: f64 = 1e15;

/// A value in the largest of these units in which it is at least one.
fn text_of(value: f64, units: &[(&str, f64)]) -> String {
    let (unit, factor) = units.iter().find(|(_, factor)| value >= *factor).unwrap_or(&units[units.len() - 1]);
    format!("{} {unit}", value / factor)
}

/// A rate in the largest unit in which it is a whole number.
fn rate_text(Rate(bps): Rate) -> String {
    let units = [(1_000_000_000, "Gbit/s"), (1_000_000, "Mbit/s"), (1000, "kbit/s")];
    let unit = units.into_iter().find(|(unit, _)| bps > 0 && bps.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{bps} bit/s"), |(unit, name)| format!("{} {name}", bps / unit))
}

/// Declares the limits of the fields of parameters: `limits! { Config { bias, weight: above(0.0).to(1.0) } }`.
#[macro_export]
macro_rules! limits {
    ($config:ty { $($($field:ident),+ : $range:expr),* $(,)? }) => {
        impl $crate::limits::Limited for $config {
            fn limits() -> Vec<$crate::limits::Limit<$config>> {
                vec![ $($(
                    $crate::limits::Limit::new(
                        stringify!($field).trim_start_matches("r#"),
                        |config: &$config| &config.$field,
                        $range,
                    ),
                )+)* ]
            }
        }
    };
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
