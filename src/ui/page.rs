//! The pages of a window.

pub mod chat;
pub mod connect;
pub mod settings;

/// Which page a window shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// Where to connect; the first page of a first start.
    Connect,
    Chat,
    Settings,
}
