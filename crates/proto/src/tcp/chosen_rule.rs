//! The window rule of a sender: that which its configuration names, from the lines of `window_rules!`.

use super::config::Config;
use super::rule::{Variant, cubic, hybla, newreno, reno, sack, westwood, westwood_plus, window_rules};
use super::window::{Ack, Recovery, Window, WindowRule};
use crate::time::Duration;

macro_rules! choose {
    ($($module:ident :: $Type:ident $(($parameters:ident))? = $name:literal : $about:literal ;)+) => {
        /// A rule at work: those of this crate side by side, so that asking one costs no virtual call.
        pub enum Rule {
            $(#[doc = $about] $Type($module::$Type),)+
            /// A rule from outside this crate.
            Guest(Box<dyn WindowRule + Send>),
        }

        impl Rule {
            /// The rule that `config` names, with its parameters.
            pub fn new(config: &Config) -> Rule {
                match &config.variant {
                    $(Variant::$Type => Rule::$Type($module::$Type$(::new(&config.$parameters))?),)+
                    Variant::Guest(guest) => Rule::Guest(guest.rule()),
                }
            }

            /// Its name in configurations; `"guest"` for one from outside.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Rule::$Type(_) => $name,)+
                    Rule::Guest(_) => "guest",
                }
            }
        }

        impl WindowRule for Rule {
            fn recovery(&self) -> Recovery {
                match self {
                    $(Rule::$Type(rule) => rule.recovery(),)+
                    Rule::Guest(rule) => rule.recovery(),
                }
            }

            fn hystart(&self) -> bool {
                match self {
                    $(Rule::$Type(rule) => rule.hystart(),)+
                    Rule::Guest(rule) => rule.hystart(),
                }
            }

            fn byte_counting(&self) -> bool {
                match self {
                    $(Rule::$Type(rule) => rule.byte_counting(),)+
                    Rule::Guest(rule) => rule.byte_counting(),
                }
            }

            fn on_open(&mut self, srtt: Option<Duration>, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_open(srtt, window),)+
                    Rule::Guest(rule) => rule.on_open(srtt, window),
                }
            }

            fn mark_factor(&self) -> f64 {
                match self {
                    $(Rule::$Type(rule) => rule.mark_factor(),)+
                    Rule::Guest(rule) => rule.mark_factor(),
                }
            }

            #[inline]
            fn observe(&mut self, ack: &Ack, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.observe(ack, window),)+
                    Rule::Guest(rule) => rule.observe(ack, window),
                }
            }

            #[inline]
            fn grow(&mut self, ack: &Ack, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.grow(ack, window),)+
                    Rule::Guest(rule) => rule.grow(ack, window),
                }
            }

            fn on_loss(&mut self, flight: u32, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_loss(flight, window),)+
                    Rule::Guest(rule) => rule.on_loss(flight, window),
                }
            }

            fn on_timeout(&mut self, flight: u32, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_timeout(flight, window),)+
                    Rule::Guest(rule) => rule.on_timeout(flight, window),
                }
            }

            fn on_mark(&mut self, factor: f64, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_mark(factor, window),)+
                    Rule::Guest(rule) => rule.on_mark(factor, window),
                }
            }

            fn on_further_mark(&mut self, factor: f64, window: &mut Window) {
                match self {
                    $(Rule::$Type(rule) => rule.on_further_mark(factor, window),)+
                    Rule::Guest(rule) => rule.on_further_mark(factor, window),
                }
            }

            fn on_timeout_after_mark(&mut self) {
                match self {
                    $(Rule::$Type(rule) => rule.on_timeout_after_mark(),)+
                    Rule::Guest(rule) => rule.on_timeout_after_mark(),
                }
            }

            fn most_after_recovery(&self, window: &Window) -> f64 {
                match self {
                    $(Rule::$Type(rule) => rule.most_after_recovery(window),)+
                    Rule::Guest(rule) => rule.most_after_recovery(window),
                }
            }
        }
    };
}

window_rules!(choose);

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rule({})", self.name())
    }
}
