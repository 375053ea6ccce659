//! Recordings that have been read, for the scenario that is made of the value in which they stand.
//!
//! On its way a scenario is a JSON value, which is held against the schema, copied and read. A recording of millions of
//! lines would be written as a text for that and read back from it. So a name that no file's content has takes its
//! place there, and here is what it names. Names are numbers in the order of reading: nothing comes to depend on them,
//! as a scenario that is written holds the recordings themselves.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

/// Recordings are held by this thread as long as this lives.
#[must_use]
pub(crate) struct Holding {
    /// Those of whoever else reads a scenario meanwhile in this thread.
    others: Vec<Rc<dyn Any>>,
}

thread_local! {
    static HELD: RefCell<Vec<Rc<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Before the number of a recording. A text of a scenario that stands where recordings do and begins like this is taken
/// for the name of a file, so it never comes to be looked up here.
const NAME: &str = "held recording ";

impl Holding {
    /// Begins to hold recordings, of which there are none yet.
    pub(crate) fn begin() -> Holding {
        Holding { others: HELD.take() }
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        HELD.set(std::mem::take(&mut self.others));
    }
}

/// Holds a recording; by which name it is found.
pub(super) fn hold<R: Any>(recording: R) -> String {
    HELD.with_borrow_mut(|held| {
        held.push(Rc::new(recording));
        format!("{NAME}{}", held.len() - 1)
    })
}

/// The recording of this sort that a name stands for, if there is one.
pub(super) fn find<R: Any + Clone>(name: &str) -> Option<R> {
    let number: usize = name.strip_prefix(NAME)?.parse().ok()?;
    HELD.with_borrow(|held| held.get(number)?.downcast_ref().cloned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_found_as_long_as_it_is() {
        let outer = Holding::begin();
        let (first, second) = (hold(7_u32), hold("text"));
        assert_eq!((find(&first), find(&second)), (Some(7_u32), Some("text")));
        assert_eq!((find::<u32>(&second), find::<&str>(&first)), (None, None), "of another sort");
        {
            let _inner = Holding::begin();
            assert_eq!(find::<u32>(&first), None, "another scenario's");
            assert_eq!((hold(8_u32), find(&first)), (first.clone(), Some(8_u32)));
        }
        assert_eq!(find(&first), Some(7_u32));
        let number = first.strip_prefix(NAME).expect("names begin alike");
        assert_eq!(find::<u32>(number), None, "a name is not its number");
        drop(outer);
        assert_eq!([first.as_str(), "trace.txt", "held recording x"].map(find::<u32>), [None; 3]);
    }
}
