//! What each profile sets.

use super::*;
use serde_json::{Map, Value, json};

/// The keys in which a profile differs from the default, with its values.
fn set_by(profile: Profile) -> Value {
    let table = |config: &Config| match serde_json::to_value(config) {
        Ok(Value::Object(table)) => table,
        other => panic!("{other:?}"),
    };
    let default = table(&Config::default());
    let keys = table(&Config::of(profile)).into_iter();
    Value::Object(keys.filter(|(key, value)| default.get(key) != Some(value)).collect::<Map<_, _>>())
}

#[test]
fn each_sets_what_its_table_says() {
    assert_eq!(set_by(Profile::Rfc), json!({}));
    let ns2 = json!({
        "profile": "ns2", "byte_counting": false, "limited_retransmit": true, "holes_first": true,
        "rescue_retransmission": false,
    });
    assert_eq!(set_by(Profile::Ns2), ns2);
    let linux = json!({
        "profile": "linux", "recovery": "sack", "mss": "1448 B", "hdr": "52 B", "ack_size": "52 B",
        "initial_cwnd": "10 packets", "whole_segments": true, "abc_limit": 1000, "handshake": true,
        "rto_initial": "1 s", "rto_min": "0.2 s", "rto_max": "120 s", "granularity": "0.2 s", "delayed_ack": true,
        "delayed_ack_timeout": "0.04 s", "proportional_rate_reduction": true, "segmentation_offload": true,
        "timestamps": true, "cubic": { "growth": "linux" }, "westwood_plus": { "least_after_slow_start": 0.0 },
    });
    let quantities = |table: Value| serde_json::from_value::<Config>(table).expect("legal");
    let given = quantities(linux.clone());
    assert_eq!(given, Config::of(Profile::Linux));
    let keys = |value: &Value| value.as_object().expect("a table").keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&set_by(Profile::Linux)), keys(&linux));
    // Each as it is said here, too, without the profile.
    let mut plain = linux;
    plain["profile"] = json!("rfc");
    assert_eq!(Config { profile: Profile::Linux, ..quantities(plain) }, Config::of(Profile::Linux));
}

#[test]
fn explicit_keys_win() {
    let read = |table| serde_json::from_value::<Config>(table).expect("legal");
    let config = read(json!({ "profile": "linux", "mss": "512 B", "recovery": "reno", "delayed_ack": false }));
    let expected =
        Config { mss: Bytes(512), recovery: Some(Recovery::Reno), delayed_ack: false, ..Config::of(Profile::Linux) };
    assert_eq!(config, expected);
    let counting = read(json!({ "profile": "ns2", "byte_counting": true }));
    assert_eq!(counting, Config { byte_counting: Some(true), ..Config::of(Profile::Ns2) });
}

#[test]
fn all_are_legal() {
    for profile in [Profile::Rfc, Profile::Ns2, Profile::Linux] {
        for variant in rule::VARIANTS {
            assert_eq!(Config { variant: variant.clone(), ..Config::of(profile) }.check(), []);
        }
    }
}
