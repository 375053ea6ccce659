//! What configurations with others within say of the whole.

use super::Config;
use faircast_proto::time::Rate;

fn config(json: &str) -> Config {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

#[test]
fn a_link_passes_what_its_token_buckets_let_through() {
    let policer = |more: &str| format!(r#"{{ "kind": "policer", {more} }}"#);
    let shaper = |more: &str| format!(r#"{{ "kind": "shaper", {more} }}"#);
    let classes = |queues: &[&str]| {
        let each: Vec<String> = queues.iter().map(|queue| format!(r#"{{ "queue": {queue} }}"#)).collect();
        format!(r#"{{ "kind": "classes", "classes": [{}] }}"#, each.join(", "))
    };
    let (two, three) = (policer(r#""rate": "2 Mbit/s""#), shaper(r#""rate": "3 Mbit/s""#));
    // At 10 Mbit/s from the beginning; at 20 that were 10 at first; at 1 that were 10.
    for (queue, mbit) in [
        (r#"{ "kind": "codel" }"#, [10, 20, 1]),
        (&two, [2, 2, 1]),
        (&three, [3, 3, 1]),
        // What is not given is what the link had at first.
        (r#"{ "kind": "shaper" }"#, [10, 10, 1]),
        (&policer(r#""share": 0.5"#), [5, 5, 1]),
        (&policer(r#""rate": "2 Mbit/s", "action": "mark""#), [10, 20, 1]),
        // The narrowest of those within each other.
        (&shaper(&format!(r#""rate": "4 Mbit/s", "queue": {three}"#)), [3, 3, 1]),
        (&shaper(&format!(r#""rate": "4 Mbit/s", "queue": {}"#, shaper(r#""rate": "6 Mbit/s""#))), [4, 4, 1]),
        (&policer(&format!(r#""action": "mark", "rate": "1 Mbit/s", "queue": {two}"#)), [2, 2, 1]),
        // Classes together; one without a bucket has the whole link.
        (&classes(&[&two, &three]), [5, 5, 1]),
        (&classes(&[&two, r#"{ "kind": "codel" }"#]), [10, 20, 1]),
        (&shaper(&format!(r#""rate": "4 Mbit/s", "queue": {}"#, classes(&[&two, &three]))), [4, 4, 1]),
        (&classes(&[&classes(&[&two, &two]), &three]), [7, 7, 1]),
        (&classes(&[&classes(&[&three, &three]), &shaper(r#""rate": "5 Mbit/s""#)]), [10, 11, 1]),
        (r#"{ "kind": "classes" }"#, [10, 20, 1]),
    ] {
        let of = |rate: u64| config(queue).passes(Rate(rate * 1_000_000), Rate(10_000_000)).0;
        assert_eq!([of(10), of(20), of(1)], mbit.map(|mbit| mbit * 1_000_000), "{queue}");
    }
}

const BY_SESSION: &str = r#"{ "kind": "fq-codel", "by": "session" }"#;

#[test]
fn packets_go_through_the_queues_of_their_class() {
    let queue = format!(
        r#"{{ "kind": "shaper", "queue": {{ "kind": "classes", "classes": [
            {{ "dscp": [46], "queue": {{ "kind": "policer", "queue": {{ "kind": "pie" }} }} }},
            {{ "dscp": [10, 12], "queue": {BY_SESSION} }},
            {{ "queue": {{ "kind": "red" }} }}
        ] }} }}"#
    );
    let queue = config(&queue);
    let along = |dscp: u8| queue.along(dscp).into_iter().map(Config::kind).collect::<Vec<_>>();
    assert_eq!(along(46), ["shaper", "classes", "policer", "pie"]);
    assert_eq!(along(12), ["shaper", "classes", "fq-codel"]);
    // Those of no class are the last one's.
    assert_eq!((along(0), along(63)), (vec!["shaper", "classes", "red"], vec!["shaper", "classes", "red"]));
    // Sessions are kept apart in one of the classes.
    assert_eq!([46, 10, 12, 0].map(|dscp| queue.is_fair(dscp)), [false, true, true, false]);
    assert!(config(BY_SESSION).is_fair(7) && !config(r#"{ "kind": "fq-codel" }"#).is_fair(7));
}
