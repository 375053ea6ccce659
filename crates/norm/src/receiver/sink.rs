//! Where objects go.

/// The application's side of a receiver. Objects have numbers that do not come again.
pub trait Sink {
    /// Why nothing can be kept any more.
    type Error;

    /// Keeps bytes of an object. Whether that is possible: what cannot be kept, as it is too long for the file system,
    /// is not asked for any more.
    ///
    /// # Errors
    ///
    /// Nothing can be kept any more: the receiver is of no use.
    fn write(&mut self, object: u64, at: u64, bytes: &[u8]) -> Result<bool, Self::Error>;

    /// An object is whole: its length, and its information if it has some. Of one without content nothing was written.
    ///
    /// # Errors
    ///
    /// As of [`write`](Self::write).
    fn complete(&mut self, object: u64, bytes: u64, information: Option<&[u8]>) -> Result<(), Self::Error>;

    /// An object will not be whole; nothing of it may have been written.
    fn abandon(&mut self, object: u64);
}
