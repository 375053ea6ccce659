//! How packets are written.

/// Which messages a session speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// The project's own, for all schemes, with keys.
    #[default]
    Faircast,
    /// NORM (RFC 5740): TFMCC, without keys.
    Norm,
}

/// A format by its name.
pub fn format(text: &str) -> Result<Format, String> {
    match text {
        "faircast" => Ok(Format::Faircast),
        "norm" => Ok(Format::Norm),
        _ => Err("legal are faircast, norm".to_owned()),
    }
}
