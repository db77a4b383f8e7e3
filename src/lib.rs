//! Rejoin.
pub mod base;
pub mod contract;
pub mod engine;
pub mod link;
pub mod live;
pub mod protocol;
pub mod worker;
