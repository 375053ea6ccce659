//! The end of the warm-up, and of a run before its time.
