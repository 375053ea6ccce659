//! Form: what is wrong with a scenario whatever it means, judged by a JSON schema that is made from the model.
//!
//! | module | subject |
//! |---|---|
//! | `schema` | the schema, and the one that scenarios are held against |
//! | `simplify` | what is made from the model, brought into one form |
//! | `definitions` | the definitions of a schema |
//! | `guests` | kinds from outside the tree in it |
//! | `toml_text` | from TOML text to a JSON value |
//! | `toml_lines` | lines of a TOML text |
//! | `quantity` | numbers with units |
//! | `translate` | from the validator's errors to problems that a person can act upon |
//! | `found` | all problems of a value, and what makes it legal in form |
//! | `repair` | stand-ins for what is wrong, so that the rest can be read |

pub(crate) mod definitions;
pub(crate) mod found;
pub(crate) mod guests;
pub(crate) mod quantity;
pub(crate) mod repair;
pub(crate) mod schema;
mod simplify;
pub(crate) mod toml_lines;
pub(crate) mod toml_text;
pub(crate) mod translate;
