//! Ways that are longer than the hop limit of packets are refused by name.

use faircast_scenario::{Problem, Scenario};

fn chain(hops: u32) -> Result<Scenario, Vec<Problem>> {
    Scenario::from_toml(&format!(
        "format = 1\nname = \"chain\"\nduration = \"10 s\"\n\
         [topology]\nkind = \"chain\"\nhops = {hops}\nleft = 2\nright = 2\n\
         [flows.web]\nkind = \"tcp\"\ncount = 2\n\
         [sessions.film]\nscheme = \"tfmcc\"\nsource = \"left-0\"\n\
         receivers = {{ nodes = [\"router-1\", \"right-1\"] }}\n"
    ))
}

#[test]
fn a_chain_of_64_hops_is_legal_and_one_of_65_is_not() {
    // Two of them are the hosts' own links.
    assert!(chain(62).is_ok());
    let problems = chain(63).expect_err("65 hops are too many");
    let found: Vec<(&str, &str)> =
        problems.iter().map(|problem| (problem.path.as_str(), problem.message.as_str())).collect();
    let expected = [
        ("flows.web", "flow web-0: the way from node left-0 to node right-0 has 65 hops; legal is at most 64"),
        (
            "sessions.film.receivers",
            "receiver film-1: the way from node left-0 to node right-1 has 65 hops; legal is at most 64",
        ),
    ];
    assert_eq!(found, expected);
}
