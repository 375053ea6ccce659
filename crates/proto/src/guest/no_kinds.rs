//! Guests without the feature `serde`, by which they are read: there are none. The type is there all the same, as
//! whoever tells configurations apart names it.

use std::convert::Infallible;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// A guest in a scenario. Without the feature `serde` there is none.
pub struct Guest<G: ?Sized + 'static> {
    none: Infallible,
    of: PhantomData<&'static G>,
}

impl<G: ?Sized> Guest<G> {
    /// The name of its kind.
    pub fn name(&self) -> &'static str {
        match self.none {}
    }
}

impl<G: ?Sized> Deref for Guest<G> {
    type Target = G;

    fn deref(&self) -> &G {
        match self.none {}
    }
}

impl<G: ?Sized> Clone for Guest<G> {
    fn clone(&self) -> Guest<G> {
        Guest { none: self.none, of: self.of }
    }
}

impl<G: ?Sized> PartialEq for Guest<G> {
    fn eq(&self, _: &Guest<G>) -> bool {
        match self.none {}
    }
}

impl<G: ?Sized> fmt::Debug for Guest<G> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.none {}
    }
}
