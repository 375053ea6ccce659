//! What configurations with others within say of the whole.

use super::Config;

fn config(json: &str) -> Config {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
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
