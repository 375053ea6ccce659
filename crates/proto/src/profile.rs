//! Profiles: sets of values that a key `profile` gives to the other keys of a table.
//!
//! A profile is what a host, a simulator or the letter of an RFC does where there is a choice. It says the values of
//! the keys that are left out; what is said explicitly wins. So a table in which all is said reads as it is, whatever
//! its profile.

use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde_json::{Map, Value};

/// Parameters that have profiles.
pub trait Profiled: Sized {
    /// The names of the profiles. The default one has the default values of the keys.
    type Profile: DeserializeOwned + Default;

    /// The parameters by a profile, which is among them.
    fn of(profile: Self::Profile) -> Self;

    /// Reads what lacks no key.
    ///
    /// # Errors
    /// Those of reading.
    fn from_whole(table: Value) -> serde_json::Result<Self>;

    /// Writes all keys.
    ///
    /// # Errors
    /// Those of writing.
    fn to_whole(&self) -> serde_json::Result<Value>;
}

/// Reads parameters of which some are given: the others are those of the profile.
///
/// # Errors
/// A profile that there is not, and what cannot be read.
pub fn deserialize<'de, P: Profiled, D: Deserializer<'de>>(deserializer: D) -> Result<P, D::Error> {
    let given = Map::<String, Value>::deserialize(deserializer)?;
    let profile = given.get("profile").cloned().map(serde_json::from_value).transpose();
    let profile = profile.map_err(D::Error::custom)?.unwrap_or_default();
    let mut whole = P::of(profile).to_whole().map_err(D::Error::custom)?;
    lay_over(&mut whole, given);
    P::from_whole(whole).map_err(D::Error::custom)
}

/// Lays what is given over a table; tables within tables are laid over each other, too, unless they say by a `kind`
/// what they are.
fn lay_over(whole: &mut Value, given: Map<String, Value>) {
    for (key, value) in given {
        match (&mut whole[&key], value) {
            (below @ Value::Object(_), Value::Object(value)) if !value.contains_key("kind") => lay_over(below, value),
            (below, value) => *below = value,
        }
    }
}

/// Lets parameters with the derived, inherent functions of `#[serde(remote = "Self")]` be read by profile.
macro_rules! profiled {
    ($Config:ty, $Profile:ty, $of:expr) => {
        impl $crate::profile::Profiled for $Config {
            type Profile = $Profile;

            fn of(profile: $Profile) -> $Config {
                $of(profile)
            }

            fn from_whole(table: serde_json::Value) -> serde_json::Result<$Config> {
                <$Config>::deserialize(table)
            }

            fn to_whole(&self) -> serde_json::Result<serde_json::Value> {
                <$Config>::serialize(self, serde_json::value::Serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $Config {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<$Config, D::Error> {
                $crate::profile::deserialize(deserializer)
            }
        }

        impl serde::Serialize for $Config {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$Config>::serialize(self, serializer)
            }
        }
    };
}

pub(crate) use profiled;

#[cfg(test)]
mod tests {
    use super::lay_over;
    use crate::{omcc, tcp, tfmcc};
    use serde_json::json;

    #[test]
    fn a_profile_says_what_is_left_out_and_explicit_keys_win() {
        let read = |table| serde_json::from_value::<tfmcc::Config>(table).unwrap();
        let letter = tfmcc::Config::of(tfmcc::Profile::Rfc4654);
        assert_ne!(letter, tfmcc::Config { profile: tfmcc::Profile::Rfc4654, ..tfmcc::Config::default() });
        assert_eq!(read(json!({ "profile": "rfc4654" })), letter);
        assert_eq!(read(json!({})), tfmcc::Config::default());
        let expected = tfmcc::Config { suppressing_rounds: 3, round_rtts: 7.0, ..letter.clone() };
        assert_eq!(read(json!({ "suppressing_rounds": 3, "profile": "rfc4654", "round_rtts": 7.0 })), expected);
        // What has been written in full comes back, whatever its profile says.
        let other = tfmcc::Config { profile: tfmcc::Profile::Rfc4654, ..tfmcc::Config::default() };
        assert_eq!(read(serde_json::to_value(&other).unwrap()), other);
    }

    #[test]
    fn a_profile_is_read_where_parameters_stand_beside_others() {
        let table = json!({ "profile": "rfc4654", "weight": 2.0 });
        let config = serde_json::from_value::<omcc::Config>(table).unwrap();
        assert_eq!((config.weight, config.tfmcc), (2.0, tfmcc::Config::of(tfmcc::Profile::Rfc4654)));
    }

    #[test]
    fn of_a_table_within_only_what_is_given_is_replaced() {
        let config = serde_json::from_value::<tcp::Config>(json!({ "mecn": { "alpha1": 0.1 } })).unwrap();
        let default = tcp::Config::default();
        assert_eq!(config.mecn, tcp::Mecn { alpha1: 0.1, ..default.mecn });
    }

    #[test]
    fn a_table_that_says_its_kind_takes_the_place_of_another() {
        let mut whole = json!({ "a": { "kind": "x", "p": 1 }, "b": { "p": 1, "q": { "r": 2, "s": 3 } }, "c": null });
        let given = json!({ "a": { "kind": "y", "o": 5 }, "b": { "q": { "r": 4 } }, "c": { "p": 6 } });
        lay_over(&mut whole, given.as_object().unwrap().clone());
        let expected =
            json!({ "a": { "kind": "y", "o": 5 }, "b": { "p": 1, "q": { "r": 4, "s": 3 } }, "c": { "p": 6 } });
        assert_eq!(whole, expected);
    }

    #[test]
    fn a_profile_that_there_is_not_is_an_error() {
        for table in [json!({ "profile": "rfc4654" }), json!({ "profile": 1 })] {
            assert!(serde_json::from_value::<tcp::Config>(table).is_err());
        }
    }
}
