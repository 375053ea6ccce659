//! What is sent: objects, and where their content is.

/// An object that is offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offered {
    /// What NORM_INFO says of it: its name.
    pub information: Vec<u8>,
    /// Its length.
    pub bytes: u64,
}

/// Where the content of objects is.
pub trait Objects {
    /// Why it cannot be read.
    type Error;

    /// Reads from `at` on as many bytes as `into` has.
    ///
    /// # Errors
    ///
    /// It cannot be read: the sender is of no use any more.
    fn read(&mut self, object: usize, at: u64, into: &mut [u8]) -> Result<(), Self::Error>;
}
