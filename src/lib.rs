//! Rejoin.
pub mod base;
pub mod contract;
#[cfg(feature = "gui")]
pub mod drive;
pub mod engine;
pub mod live;
pub mod protocol;
#[cfg(feature = "gui")]
pub mod ui;
