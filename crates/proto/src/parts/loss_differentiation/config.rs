//! The parameters of loss differentiation.

use crate::declared::{Deserialize, JsonSchema, Serialize};

/// How a receiver tells losses on links from losses by congestion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LossDifferentiation")]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The rule. Default "ias".
    pub rule: DifferentiationRule,
    /// What is remembered of inter-arrival or trip times. Default "rate" with "ias" and "mbiaz", and "recent" with
    /// "spike". Only with these.
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
    /// Packets behind a queue that is full take long: losses are congestion from where one-way trip times rise above
    /// half of their range until they fall below a third of it ([Tobe], [Cen]).
    Spike,
    /// Losses are the link's if the trip behind them was short: below the mean by the mean deviation for one, and less
    /// so the more are missing ([Cen]).
    Zigzag,
    /// The truth, which no real receiver knows: the upper bound of all rules.
    Oracle,
}

/// When T_min, or the range of trip times, is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LossDifferentiationWindow")]
#[serde(rename_all = "lowercase")]
pub enum Forgetting {
    /// Never: it is that of the session.
    Session,
    /// When the announced rate has changed by more than a tenth. With "ias" and "mbiaz" only.
    Rate,
    /// After five to ten seconds, or when the way has become shorter by more than the range. With "spike" only.
    Recent,
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
        let rule = self.rule;
        let window = self.window.filter(|window| !rule.windows().contains(window)).map(|window| match rule.windows() {
            [] => format!("given with the rule {}; legal with \"ias\", \"mbiaz\" and \"spike\"", rule.quoted()),
            [first, others @ ..] => {
                let legal =
                    others.iter().fold(first.quoted(), |legal, other| format!("{legal} and {}", other.quoted()));
                format!("{} given with the rule {}; legal are {legal}", window.quoted(), rule.quoted())
            }
        });
        let scope = self.scope.filter(|_| !rule.has_least_time()).map(|_| {
            let rule = rule.quoted();
            format!("given with the rule {rule}; legal with \"ias\" and \"mbiaz\", which have a T_min")
        });
        let wrong = [("window", window), ("scope", scope)];
        wrong.into_iter().filter_map(|(field, message)| Some((field.to_owned(), message?))).collect()
    }

    /// The window of T_min or of the range of trip times.
    pub fn window(&self) -> Forgetting {
        self.window.or(self.rule.windows().first().copied()).unwrap_or(Forgetting::Session)
    }

    /// The scope of T_min.
    pub fn scope(&self) -> Scope {
        self.scope.unwrap_or_default()
    }
}

impl DifferentiationRule {
    /// The windows that it may have, its default first.
    fn windows(self) -> &'static [Forgetting] {
        match self {
            DifferentiationRule::Ias | DifferentiationRule::Mbiaz => &[Forgetting::Rate, Forgetting::Session],
            DifferentiationRule::Spike => &[Forgetting::Recent, Forgetting::Session],
            DifferentiationRule::None | DifferentiationRule::Zigzag | DifferentiationRule::Oracle => &[],
        }
    }

    /// Whether it compares gaps with T_min.
    fn has_least_time(self) -> bool {
        matches!(self, DifferentiationRule::Ias | DifferentiationRule::Mbiaz)
    }

    /// Its name as scenarios have it.
    fn quoted(self) -> &'static str {
        match self {
            DifferentiationRule::None => "\"none\"",
            DifferentiationRule::Ias => "\"ias\"",
            DifferentiationRule::Mbiaz => "\"mbiaz\"",
            DifferentiationRule::Spike => "\"spike\"",
            DifferentiationRule::Zigzag => "\"zigzag\"",
            DifferentiationRule::Oracle => "\"oracle\"",
        }
    }
}

impl Forgetting {
    /// Its name as scenarios have it.
    fn quoted(self) -> String {
        let name = match self {
            Forgetting::Session => "session",
            Forgetting::Rate => "rate",
            Forgetting::Recent => "recent",
        };
        format!("\"{name}\"")
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
    fn each_rule_has_its_windows() {
        let wrong = |text: &str| -> Vec<String> { config(text).check().into_iter().map(|(field, _)| field).collect() };
        for (rule, legal) in [
            ("none", &[][..]),
            ("ias", &["rate", "session"]),
            ("mbiaz", &["rate", "session"]),
            ("spike", &["recent", "session"]),
            ("zigzag", &[]),
            ("oracle", &[]),
        ] {
            assert_eq!(wrong(&format!(r#"{{"rule":"{rule}"}}"#)), [""; 0], "{rule}");
            for window in ["rate", "session", "recent"] {
                let text = format!(r#"{{"rule":"{rule}","window":"{window}"}}"#);
                let expected: &[&str] = if legal.contains(&window) { &[] } else { &["window"] };
                assert_eq!(wrong(&text), expected, "{text}");
                for (_, message) in config(&text).check() {
                    assert!(message.contains(&format!("\"{rule}\"")), "{message}");
                    assert!(legal.iter().all(|legal| message.contains(&format!("\"{legal}\""))), "{message}");
                }
            }
            let scope: &[&str] = if matches!(rule, "ias" | "mbiaz") { &[] } else { &["scope"] };
            assert_eq!(wrong(&format!(r#"{{"rule":"{rule}","scope":"layer"}}"#)), scope, "{rule}");
        }
        assert_eq!(config(r#"{"rule":"spike"}"#).window(), Forgetting::Recent);
        assert_eq!(config(r#"{"rule":"mbiaz"}"#).window(), Forgetting::Rate);
        assert!(serde_json::from_str::<Config>(r#"{"rule":"biaz"}"#).is_err());
    }
}
