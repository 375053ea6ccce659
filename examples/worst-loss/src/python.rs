//! The module that Python loads in place of faircast's own core: the same, with this crate's guests.

use faircast_native::pyo3::prelude::*;

#[pymodule]
#[pyo3(crate = "faircast_native::pyo3")]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::register();
    faircast_native::fill(module)
}
