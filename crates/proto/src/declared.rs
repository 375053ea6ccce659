//! What the parameters of protocols derive: with the features `serde` and `schemars` how they are read, written and
//! described; without them the names alone, so that they are declared once.

#[cfg(not(feature = "schemars"))]
pub(crate) use faircast_inert::JsonSchema;
#[cfg(not(feature = "serde"))]
pub(crate) use faircast_inert::{Deserialize, Serialize};
#[cfg(feature = "schemars")]
pub(crate) use schemars::JsonSchema;
#[cfg(feature = "serde")]
pub(crate) use serde::{Deserialize, Serialize};
