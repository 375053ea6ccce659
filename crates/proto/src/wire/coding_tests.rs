//! Fields to bytes and back.
