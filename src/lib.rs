//! Rejoin.
#[cfg(feature = "gui")]
pub mod a11y;
pub mod base;
pub mod contract;
pub mod engine;
pub mod live;
pub mod protocol;
#[cfg(feature = "gui")]
pub mod ui;
