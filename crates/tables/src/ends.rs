//! Who is at the ends of flows and sessions.

/// The names of those whom tables are about; rows have their places in these lists.
pub trait Ends {
    /// Flows and sessions.
    fn flows(&self) -> &[String];

    /// Receivers of sessions.
    fn members(&self) -> &[String];
}
