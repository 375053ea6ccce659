//! The parameters of loss differentiation.

use crate::declared::{Deserialize, JsonSchema, Serialize};

/// How a receiver tells losses on links from losses by congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LossDifferentiation")]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The rule. Default "ias".
    pub rule: DifferentiationRule,
    /// Which inter-arrival times T_min is the least of. Default "rate". Only with "ias" and "mbiaz".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Forgetting>,
    /// Whether each layer has a T_min of its own. Default "layer". Only with "ias" and "mbiaz".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

/// The rule by which a loss is called one or the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LossDifferentiationRule")]
#[serde(rename_all = "lowercase")]
pub enum DifferentiationRule {
    /// All losses are congestion, as without differentiation; they are compared with the truth.
    None,
    /// The inter-arrival scheme ([Ehlert] equation 2): n losses are the link's if (n+1) T_min <= T_g < (n+2) T_min.
    #[default]
    Ias,
    /// The same with (n+1.25) T_min as the upper bound.
    Mbiaz,
    /// The truth, which no real receiver knows: the upper bound of all rules.
    Oracle,
}

/// When T_min is forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LossDifferentiationWindow")]
#[serde(rename_all = "lowercase")]
pub enum Forgetting {
    /// Never: the least of the session.
    Session,
    /// When the announced rate has changed by more than a tenth.
    #[default]
    Rate,
}

/// Over what T_min is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LossDifferentiationScope")]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Over the packets of each layer by itself.
    #[default]
    Layer,
    /// Over the packets of all layers that the receiver holds.
    Aggregate,
}

impl Config {
    /// Every field with an illegal value: its path below this one, and what was given and what is legal.
    pub fn check(&self) -> Vec<(String, String)> {
        if matches!(self.rule, DifferentiationRule::Ias | DifferentiationRule::Mbiaz) {
            return Vec::new();
        }
        let rule = if self.rule == DifferentiationRule::Oracle { "oracle" } else { "none" };
        let message =
            || format!("given with the rule \"{rule}\"; legal with \"ias\" and \"mbiaz\", which have a T_min");
        let given = [("window", self.window.is_some()), ("scope", self.scope.is_some())];
        given.into_iter().filter(|(_, given)| *given).map(|(field, _)| (field.to_owned(), message())).collect()
    }

    /// The window of T_min.
    pub fn window(&self) -> Forgetting {
        self.window.unwrap_or_default()
    }

    /// The scope of T_min.
    pub fn scope(&self) -> Scope {
        self.scope.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        serde_json::from_str(text).expect("it is one")
    }

    #[test]
    fn what_is_left_out_is_ias_over_each_layer_and_rate() {
        let left_out = config("{}");
        assert_eq!(
            (left_out.rule, left_out.window(), left_out.scope()),
            (DifferentiationRule::Ias, Forgetting::Rate, Scope::Layer)
        );
        assert_eq!(left_out, Config::default());
        let text = r#"{"rule":"mbiaz","window":"session","scope":"aggregate"}"#;
        assert_eq!(serde_json::to_string(&config(text)).expect("it can be written"), text);
    }

    #[test]
    fn rules_without_a_least_time_take_no_window() {
        for rule in ["ias", "mbiaz"] {
            assert_eq!(config(&format!(r#"{{"rule":"{rule}","window":"rate","scope":"layer"}}"#)).check(), []);
        }
        for rule in ["none", "oracle"] {
            assert_eq!(config(&format!(r#"{{"rule":"{rule}"}}"#)).check(), []);
            let wrong = config(&format!(r#"{{"rule":"{rule}","window":"rate","scope":"layer"}}"#)).check();
            assert_eq!(wrong.iter().map(|(field, _)| field.as_str()).collect::<Vec<_>>(), ["window", "scope"]);
            assert!(wrong.iter().all(|(_, message)| message.contains(rule)));
        }
        assert!(serde_json::from_str::<Config>(r#"{"rule":"biaz"}"#).is_err());
    }
}
