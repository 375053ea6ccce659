//! How threads whose call was given up stay out of an interpreter that ends.
//!
//! When Python is finalized every other thread that asks for the interpreter's lock is ended by `pthread_exit`, which
//! unwinds its stack (before Python 3.14, see the note at `PyGILState_Ensure` in Python's C API). Frames of Rust cannot
//! be unwound that way: the process is aborted. So before the end the gate of such a call is closed, and its thread
//! stops for good where it would have to take the lock.

use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The way of one call from the core into Python.
#[derive(Default)]
pub struct Gate {
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    is_closed: bool,
    /// How many ways into Python the thread of the call is on at the moment.
    inside: u32,
}

thread_local! {
    /// The gate of the call that this thread is in.
    static GATE: RefCell<Option<Arc<Gate>>> = const { RefCell::new(None) };
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets nobody into Python any more and waits until nobody is there, but no longer than so; whether that is so.
    pub fn close(&self, patience: Duration) -> bool {
        let mut state = self.state();
        state.is_closed = true;
        let waited = self.left.wait_timeout_while(state, patience, |state| state.inside > 0);
        waited.unwrap_or_else(PoisonError::into_inner).0.inside == 0
    }

    /// Goes into Python; never comes back if the gate has been closed.
    pub fn enter(self: &Arc<Gate>) -> Inside {
        let mut state = self.state();
        if state.is_closed {
            drop(state);
            loop {
                std::thread::park();
            }
        }
        state.inside += 1;
        Inside(self.clone())
    }
}

/// A thread that is in Python, or on its way there, until this is dropped.
pub struct Inside(Arc<Gate>);

impl Drop for Inside {
    fn drop(&mut self) {
        self.0.state().inside -= 1;
        self.0.left.notify_all();
    }
}

/// Carries out the work of a call that has this gate.
pub fn behind<T>(gate: &Arc<Gate>, work: impl FnOnce() -> T) -> T {
    let before = GATE.replace(Some(gate.clone()));
    let done = work();
    GATE.set(before);
    done
}

/// Calls Python from the core, by the gate of the call that this thread is in.
pub fn through<T>(call: impl FnOnce() -> T) -> T {
    let gate = GATE.with_borrow(Clone::clone);
    let _inside = gate.as_ref().map(Gate::enter);
    call()
}
