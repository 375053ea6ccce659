//! The window rule of a sender: that which its configuration names, from the lines of `window_rules!`.

use super::config::Config;
use super::rule::{Variant, cubic, hybla, newreno, reno, sack, westwood, westwood_plus, window_rules};
use super::window::{Ack, Recovery, Window, WindowRule};
use crate::time::Duration;

macro_rules! choose {
    ($($module:ident :: $Type:ident $(($parameters:ident))? = $name:literal : $about:literal ;)+) => {
        /// A rule at work: those of this crate side by side, so that asking one costs no virtual call.
        pub enum ChosenRule {
            $(#[doc = $about] $Type($module::$Type),)+
            /// A rule from outside this crate.
            Guest(Box<dyn WindowRule + Send>),
        }

        impl ChosenRule {
            /// The rule that `config` names, with its parameters.
            pub fn new(config: &Config) -> ChosenRule {
                match &config.variant {
                    $(Variant::$Type => ChosenRule::$Type($module::$Type$(::new(&config.$parameters))?),)+
                    Variant::Guest(guest) => ChosenRule::Guest(guest.rule()),
                }
            }

            /// Its name in configurations; `"guest"` for one from outside.
            pub fn name(&self) -> &'static str {
                match self {
                    $(ChosenRule::$Type(_) => $name,)+
                    ChosenRule::Guest(_) => "guest",
                }
            }
        }

        impl WindowRule for ChosenRule {
            fn recovery(&self) -> Recovery {
                match self {
                    $(ChosenRule::$Type(rule) => rule.recovery(),)+
                    ChosenRule::Guest(rule) => rule.recovery(),
                }
            }

            fn hystart(&self) -> bool {
                match self {
                    $(ChosenRule::$Type(rule) => rule.hystart(),)+
                    ChosenRule::Guest(rule) => rule.hystart(),
                }
            }

            fn may_count_whole_segments(&self) -> bool {
                match self {
                    $(ChosenRule::$Type(rule) => rule.may_count_whole_segments(),)+
                    ChosenRule::Guest(rule) => rule.may_count_whole_segments(),
                }
            }

            fn byte_counting(&self) -> bool {
                match self {
                    $(ChosenRule::$Type(rule) => rule.byte_counting(),)+
                    ChosenRule::Guest(rule) => rule.byte_counting(),
                }
            }

            fn on_open(&mut self, srtt: Option<Duration>, window: &mut Window) {
                match self {
                    $(ChosenRule::$Type(rule) => rule.on_open(srtt, window),)+
                    ChosenRule::Guest(rule) => rule.on_open(srtt, window),
                }
            }

            fn mark_factor(&self) -> f64 {
                match self {
                    $(ChosenRule::$Type(rule) => rule.mark_factor(),)+
                    ChosenRule::Guest(rule) => rule.mark_factor(),
                }
            }

            #[inline]
            fn observe(&mut self, ack: &Ack, window: &mut Window) {
                match self {
                    $(ChosenRule::$Type(rule) => rule.observe(ack, window),)+
                    ChosenRule::Guest(rule) => rule.observe(ack, window),
                }
            }

            #[inline]
            fn grow(&mut self, ack: &Ack, window: &mut Window) {
                match self {
                    $(ChosenRule::$Type(rule) => rule.grow(ack, window),)+
                    ChosenRule::Guest(rule) => rule.grow(ack, window),
                }
            }

            fn on_loss(&mut self, flight: u32, window: &mut Window) {
                match self {
                    $(ChosenRule::$Type(rule) => rule.on_loss(flight, window),)+
                    ChosenRule::Guest(rule) => rule.on_loss(flight, window),
                }
            }

            fn on_timeout(&mut self, flight: u32, window: &mut Window) {
                match self {
                    $(ChosenRule::$Type(rule) => rule.on_timeout(flight, window),)+
                    ChosenRule::Guest(rule) => rule.on_timeout(flight, window),
                }
            }

            fn on_mark(&mut self, factor: f64, window: &mut Window) {
                match self {
                    $(ChosenRule::$Type(rule) => rule.on_mark(factor, window),)+
                    ChosenRule::Guest(rule) => rule.on_mark(factor, window),
                }
            }

            fn on_further_mark(&mut self, factor: f64, window: &mut Window) {
                match self {
                    $(ChosenRule::$Type(rule) => rule.on_further_mark(factor, window),)+
                    ChosenRule::Guest(rule) => rule.on_further_mark(factor, window),
                }
            }

            fn on_timeout_after_mark(&mut self) {
                match self {
                    $(ChosenRule::$Type(rule) => rule.on_timeout_after_mark(),)+
                    ChosenRule::Guest(rule) => rule.on_timeout_after_mark(),
                }
            }

            fn most_after_recovery(&self, window: &Window) -> f64 {
                match self {
                    $(ChosenRule::$Type(rule) => rule.most_after_recovery(window),)+
                    ChosenRule::Guest(rule) => rule.most_after_recovery(window),
                }
            }
        }
    };
}

window_rules!(choose);

impl std::fmt::Debug for ChosenRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ChosenRule({})", self.name())
    }
}
