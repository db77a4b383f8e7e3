//! A secret that cannot be printed, serialised or compared by accident.

use std::fmt;

/// Text that never leaves the process except where [`Secret::expose`] is called.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Takes ownership of a secret.
    pub fn new(secret: String) -> Self {
        Self(secret)
    }

    /// The secret itself. Call it only where it goes on the wire.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_print() {
        assert_eq!(format!("{:?}", Secret::new("canary".into())), "[secret]");
    }
}
