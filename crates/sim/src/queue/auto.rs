//! A parameter that is given or worked out from the link: `w_q = 0.002` or `w_q = "auto"`.

use faircast_proto::limits::{Bounded, Held};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, IntoDeserializer, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A value, or the word `"auto"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Auto<T> {
    /// To be worked out from the link.
    Auto,
    /// This value.
    Set(T),
}

impl<V: Bounded> Held<V> for Auto<V> {
    fn held(&self) -> Option<V> {
        match self {
            Auto::Auto => None,
            Auto::Set(value) => Some(*value),
        }
    }
}

const WORD: &str = "auto";

impl<T> Auto<T> {
    /// The value, or what `work_out` gives.
    pub fn unwrap_or_else(self, work_out: impl FnOnce() -> T) -> T {
        match self {
            Auto::Auto => work_out(),
            Auto::Set(value) => value,
        }
    }
}

impl<T: Serialize> Serialize for Auto<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Auto::Auto => serializer.serialize_str(WORD),
            Auto::Set(value) => value.serialize(serializer),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Auto<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Auto<T>, D::Error> {
        deserializer.deserialize_any(AutoVisitor(PhantomData))
    }
}

struct AutoVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> AutoVisitor<T> {
    fn value<E: de::Error>(given: impl IntoDeserializer<'de, E>) -> Result<Auto<T>, E> {
        match T::deserialize(given.into_deserializer()) {
            Ok(value) => Ok(Auto::Set(value)),
            Err(error) => Err(E::custom(format_args!("{error}; \"{WORD}\" is legal, too"))),
        }
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for AutoVisitor<T> {
    type Value = Auto<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value or \"{WORD}\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Auto<T>, E> {
        if text == WORD { Ok(Auto::Auto) } else { Self::value(text) }
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Auto<T>, E> {
        Self::value(number)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Auto<T>, E> {
        Self::value(number)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Auto<T>, E> {
        Self::value(number)
    }
}

impl<T: JsonSchema> JsonSchema for Auto<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("{}OrAuto", T::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [generator.subschema_for::<T>(), { "type": "string", "const": WORD }] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faircast_proto::quantity::Packets;

    #[test]
    fn a_value_or_the_word() {
        assert_eq!(serde_json::from_str::<Auto<f64>>("0.002").unwrap(), Auto::Set(0.002));
        assert_eq!(serde_json::from_str::<Auto<f64>>("1").unwrap(), Auto::Set(1.0));
        assert_eq!(serde_json::from_str::<Auto<f64>>("\"auto\"").unwrap(), Auto::Auto);
        assert_eq!(serde_json::from_str::<Auto<Packets>>("\"4.8 packets\"").unwrap(), Auto::Set(Packets(4.8)));
        assert_eq!(serde_json::to_string(&Auto::Set(Packets(4.8))).unwrap(), "\"4.8 packets\"");
    }

    #[test]
    fn anything_else_is_explained() {
        let error = serde_json::from_str::<Auto<Packets>>("\"5\"").unwrap_err().to_string();
        assert!(error.contains("50 packets") && error.contains("\"auto\" is legal, too"), "{error}");
        assert!(serde_json::from_str::<Auto<f64>>("\"often\"").is_err());
    }
}
