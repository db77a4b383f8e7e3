//! Preferences and connection profiles: the only two things Rejoin writes to the disk.
//!
//! Two TOML files in the platform's configuration folder (`--settings DIR` overrides it). Every
//! edit is a read-modify-write under a lock file, field by field, and replaces the file in one
//! step, so that two Rejoin processes never lose or mix an edit. A file that cannot be read is
//! kept aside, never overwritten; keys of a newer version survive. A token file is stored as a
//! path, its content never.

pub mod codex;
mod preferences;
mod profile;
mod store;

pub use preferences::{Motion, SendKey, Settings, Theme, WindowSize};
pub use profile::{Connection, Profile, Profiles, endpoint};
pub use store::{Document, Error, Loaded, Notice, Store};
