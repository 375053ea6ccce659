//! Where satellites are and whom they see: constellations on circular orbits or of real element sets, ground stations,
//! links between satellites, hand-offs, all as functions of time.
//!
//! | file | subject |
//! |---|---|
//! | `vector.rs` | vectors in kilometres |
//! | `earth.rs` | the Earth as a sphere or an ellipsoid, its rotation, the speed of light |
//! | `orbit.rs` | a satellite's position: a circular orbit, or SGP4 from an element set |
//! | `elements.rs` | files of real element sets: OMM as JSON, TLE |
//! | `constellation.rs` | satellites in planes and slots: Walker shells, presets, element sets sorted into planes |
//! | `station.rs` | a place on the ground, and how high a satellite stands there |
//! | `geostationary.rs` | satellites that stand still above a place on the equator |
//! | `isl.rs` | links between satellites, and when they are up |
//! | `handoff.rs` | which satellite a station uses when |
//! | `pieces.rs` | a delay as straight pieces |
//! | `plan.rs` | all of it compiled for a run |
//! | `rain` | what rain takes of a signal: distribution, course over time |
//!
//! Everything is in the Earth-fixed frame, in which stations rest, in kilometres and in seconds since the start of a
//! run. Nothing depends on anything else of the project. Circular orbits do not depend on the platform's mathematics
//! either: the same plan everywhere. Those of element sets do in their last bits (`Cargo.toml`), a millionth of a
//! millimetre; knots lie where that does not move them and are rounded to nanoseconds, so that plans of two platforms
//! hardly ever differ.

pub mod constellation;
pub mod earth;
pub mod elements;
pub mod geostationary;
pub mod handoff;
pub mod isl;
pub mod orbit;
pub mod pieces;
pub mod plan;
pub mod rain;
pub mod station;
pub mod vector;
