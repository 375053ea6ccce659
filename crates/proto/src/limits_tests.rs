use super::*;
use schemars::JsonSchema;

#[derive(JsonSchema)]
#[schemars(transform = declare::<Config>)]
#[allow(dead_code, reason = "the schema has them")]
struct Config {
    share: f64,
    weight: Option<f64>,
    part: f64,
    count: u32,
    least: Duration,
    greatest: Duration,
    window: Packets,
    more: Duration,
    free: f64,
    rate: Rate,
    fixed: u32,
}

limits! { Config {
    share, weight: above(0.0).to(1.0),
    part: from(0.0).below(1.0),
    count: from(1).to(8).because("for more would be many"),
    least: to(Duration::from_secs(60)),
    greatest: from_field("least", |c: &Config| c.least).to(Duration::from_secs(60)),
    window: from(Packets(1.0)),
    more: above_field("least", |c: &Config| c.least),
    rate: from(Rate(1)),
    fixed: from(3).to(3),
} }

fn legal() -> Config {
    Config {
        share: 1.0,
        weight: None,
        part: 0.0,
        count: 1,
        least: Duration::from_secs(1),
        greatest: Duration::from_secs(1),
        window: Packets(1.0),
        more: Duration::from_secs(90),
        free: f64::NAN,
        rate: Rate(1),
        fixed: 3,
    }
}

#[test]
fn values_within_the_limits_are_legal() {
    assert_eq!(legal().beyond_limits(), []);
    let at_the_other_ends = Config {
        share: f64::MIN_POSITIVE,
        weight: Some(1.0),
        part: 0.999,
        count: 8,
        least: Duration::ZERO,
        greatest: Duration::from_secs(60),
        window: Packets(1e9),
        ..legal()
    };
    assert_eq!(at_the_other_ends.beyond_limits(), []);
}

#[test]
fn values_beyond_them_are_named_with_what_is_legal() {
    let cases = [
        (Config { share: 0.0, ..legal() }, "share: 0 given; legal is above 0 up to 1"),
        (Config { share: f64::NAN, ..legal() }, "share: NaN given; legal is above 0 up to 1"),
        (Config { share: 999e12, ..legal() }, "share: 999000000000000 given; legal is above 0 up to 1"),
        (Config { share: -1e15, ..legal() }, "share: -1e15 given; legal is above 0 up to 1"),
        (Config { weight: Some(1.01), ..legal() }, "weight: 1.01 given; legal is above 0 up to 1"),
        (Config { part: 1.0, ..legal() }, "part: 1 given; legal is from 0 to less than 1"),
        (Config { part: -0.1, ..legal() }, "part: -0.1 given; legal is from 0 to less than 1"),
        (Config { count: 0, ..legal() }, "count: 0 given; legal is 1 to 8, for more would be many"),
        (Config { count: 9, ..legal() }, "count: 9 given; legal is 1 to 8, for more would be many"),
        (
            Config { greatest: Duration::from_millis(999), ..legal() },
            "greatest: 0.999 s given; legal is least = 1 s to 60 s",
        ),
        (Config { greatest: Duration::from_secs(61), ..legal() }, "greatest: 61 s given; legal is least = 1 s to 60 s"),
        (Config { window: Packets(0.5), ..legal() }, "window: 0.5 packets given; legal is 1 packet or more"),
        (Config { window: Packets(f64::INFINITY), ..legal() }, "window: inf packets given; legal is 1 packet or more"),
        (Config { share: f64::INFINITY, ..legal() }, "share: inf given; legal is above 0 up to 1"),
        (Config { more: Duration::from_secs(1), ..legal() }, "more: 1 s given; legal is above least = 1 s"),
        (Config { rate: Rate(0), ..legal() }, "rate: 0 bit/s given; legal is 1 bit/s or more"),
        (Config { fixed: 4, ..legal() }, "fixed: 4 given; legal is 3"),
    ];
    for (config, wanted) in cases {
        let wrong: Vec<String> =
            config.beyond_limits().into_iter().map(|(f, message)| format!("{f}: {message}")).collect();
        assert_eq!(wrong, [wanted]);
    }
    let both = Config { least: Duration::from_secs(61), ..legal() };
    assert_eq!(both.beyond_limits().len(), 2, "what hangs on a wrong value is wrong as well");
}

#[test]
fn the_schema_has_them() {
    let schema = schemars::schema_for!(Config).to_value();
    let property = |name: &str, keyword: &str| schema["properties"][name][keyword].clone();
    assert_eq!((property("share", "exclusiveMinimum"), property("share", "maximum")), (json!(0.0), json!(1.0)));
    assert_eq!((property("weight", "exclusiveMinimum"), property("weight", "minimum")), (json!(0.0), Value::Null));
    assert_eq!((property("part", "minimum"), property("part", "exclusiveMaximum")), (json!(0.0), json!(1.0)));
    assert_eq!((property("count", "minimum"), property("count", "maximum")), (json!(1), json!(8)));
    assert_eq!(property("greatest", "x-legal"), "least to 60 s");
    assert_eq!(property("share", "x-legal"), Value::Null, "what keywords say needs no words");
    assert_eq!(
        (property("count", "x-reason"), property("share", "x-reason")),
        (json!("for more would be many"), Value::Null)
    );
    assert_eq!(property("free", "minimum"), Value::Null);
}

#[test]
#[should_panic(expected = "lost is no field of the schema")]
fn a_limit_of_no_key_is_refused() {
    struct Odd {
        lost: f64,
    }
    limits! { Odd { lost: from(0.0) } }
    let odd = Odd { lost: 0.0 };
    assert_eq!(odd.beyond_limits(), []);
    declare::<Odd>(&mut schemars::schema_for!(Config));
}

#[test]
fn rates_are_said_in_the_largest_unit_that_leaves_a_whole_number() {
    let said = [
        (0, "0 bit/s"),
        (1, "1 bit/s"),
        (999, "999 bit/s"),
        (1000, "1 kbit/s"),
        (1001, "1001 bit/s"),
        (999_999, "999999 bit/s"),
        (1_500_000, "1500 kbit/s"),
        (2_000_000, "2 Mbit/s"),
        (3_000_000_000, "3 Gbit/s"),
    ];
    for (bps, words) in said {
        assert_eq!(rate_text(Rate(bps)), words);
    }
}
