//! The groups that schemes from outside the tree want.

use faircast_proto::group_set::{GroupPlan, Role, Senders};
use faircast_proto::guest::{Kind, SchemeKind};
use faircast_proto::scheme::{Scheme, Seat};
use faircast_proto::source::cbr;
use faircast_proto::time::Rate;
use faircast_scenario::Scenario;
use faircast_scenario::guests::add;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Wants so many groups, none of them a layer.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Greedy {
    /// How many.
    groups: u32,
}

impl Scheme for Greedy {
    type Sender = <cbr::Config as Scheme>::Sender;
    type Receiver = <cbr::Config as Scheme>::Receiver;

    fn check(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn groups(&self) -> Vec<GroupPlan> {
        vec![GroupPlan { role: Role::Control, senders: Senders::All }; self.groups as usize]
    }

    fn packet_bytes(&self) -> u64 {
        1000
    }

    fn max_rate(&self) -> Option<Rate> {
        None
    }

    fn sender(&self, seat: Seat) -> Self::Sender {
        Scheme::sender(&cbr::Config::default(), seat)
    }

    fn receiver(&self, seat: Seat) -> Self::Receiver {
        Scheme::receiver(&cbr::Config::default(), seat)
    }
}

#[test]
fn groups_that_no_session_can_have_are_refused() {
    let kind = Kind::<dyn SchemeKind>::of("greedy", "Greedy.", "x 1", |config: Greedy| Arc::new(config));
    add(kind).expect("there is none");
    let cases = [
        (0, "greedy: 0 groups; legal are 1 to 128"),
        (300, "greedy: 300 groups; legal are 1 to 128"),
        (3, "greedy: no group is a layer; legal is one or more"),
    ];
    for (groups, message) in cases {
        let text = format!(
            "format = 1\nname = \"x\"\nduration = \"1 s\"\ntopology = {{ kind = \"star\", right = 1 }}\n\
             [sessions.film]\nscheme = \"greedy\"\nsource = \"left-0\"\ngroups = {groups}\n"
        );
        let problems = Scenario::from_toml(&text).expect_err("it is refused");
        let told: Vec<(&str, &str)> =
            problems.iter().map(|problem| (problem.path.as_str(), problem.message.as_str())).collect();
        assert_eq!(told, [("sessions.film.scheme", message)]);
    }
}
