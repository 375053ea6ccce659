//! Errors in Python code that a run calls: the first one ends the run, which is then raised by who started it.

use faircast_scenario::run::Control;
use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;

create_exception!(
    faircast._native,
    GuestError,
    PyRuntimeError,
    "A scheme that is a Python class raised something: `__cause__` is what."
);

/// The run that this thread is in.
struct Run {
    control: Arc<Control>,
    failed: Option<PyErr>,
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// Carries out the work of a run, which errors in it cancel; gives what it gave, and the first error.
pub fn ends<T>(control: &Arc<Control>, work: impl FnOnce() -> T) -> (T, Option<PyErr>) {
    RUN.set(Some(Run { control: control.clone(), failed: None }));
    let done = work();
    (done, RUN.take().and_then(|run| run.failed))
}

/// Whether the run of this thread has failed: nothing of it is called any more.
pub fn has_failed() -> bool {
    RUN.with_borrow(|run| run.as_ref().is_some_and(|run| run.failed.is_some()))
}

/// Ends the run of this thread with an error in what is called `name`.
pub fn fail(py: Python<'_>, name: &str, cause: PyErr) {
    let kind = cause.get_type(py).name().map_or_else(|_| "error".to_owned(), |name| name.to_string());
    let error = GuestError::new_err(format!("the scheme {name}: {kind}: {}", cause.value(py)));
    error.set_cause(py, Some(cause));
    RUN.with_borrow_mut(|run| {
        if let Some(run) = run {
            run.failed.get_or_insert(error);
            run.control.cancel();
        }
    });
}
