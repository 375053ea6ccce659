//! What `docs/add-a-queue.md` says about moving the discipline into the tree: its file compiles beside the registry's
//! items, holds what `queues!` asks for, and the page shows code that exists.

// What `crates/sim/src/queue/mod.rs` offers to its files as `super`.
use faircast_sim::queue::{Discipline, DropReason, InterfaceView, LinkContext, Verdict, battery};

#[path = "in_tree/step_marking.rs"]
mod step_marking;

use step_marking::{Config, StepMarking};

#[test]
fn the_file_holds_what_the_registry_asks_for() {
    for config in Config::samples() {
        assert_eq!(config.check(), []);
        battery::run(config.limit, |link| StepMarking::new(&config, link));
        let text = serde_json::to_string(&config).expect("configurations are plain data");
        assert_eq!(serde_json::from_str::<Config>(&text).expect("what was written is legal"), config);
    }
    let wrong: Config = serde_json::from_str(r#"{"limit": "0 packets"}"#).expect("a queue size");
    assert_eq!(wrong.check()[0].1, "0 packets given; legal are 1 packet and more");
    assert!(serde_json::from_str::<Config>(r#"{"treshold": "3 packets"}"#).is_err(), "unknown fields are errors");
    assert!(schemars::schema_for!(Config).to_value().to_string().contains("Packets waiting above which"));
}

#[test]
fn the_page_shows_code_that_exists() {
    let page = include_str!("../../../docs/add-a-queue.md");
    let sources = [
        include_str!("../src/lib.rs"),
        include_str!("rules.rs"),
        include_str!("network.rs"),
        include_str!("in_tree/step_marking.rs"),
        include_str!("../../../crates/sim/src/queue/mod.rs"),
        include_str!("../../../crates/sim/src/queue/discipline.rs"),
        include_str!("../../../crates/sim/src/queue/scheduler.rs"),
        include_str!("../../own-queues/src/shaper.rs"),
        include_str!("../../own-queues/src/head_drop.rs"),
        include_str!("../../own-queues/src/two_queues.rs"),
        include_str!("../../own-queues/tests/rules.rs"),
    ];
    let blocks: Vec<&str> = page.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() >= 4, "{}", blocks.len());
    for block in blocks {
        assert!(sources.iter().any(|source| source.contains(block)), "nowhere in the tree:\n{block}");
    }
}
