//! Rejoin.
pub mod base;
pub mod cli;
pub mod contract;
pub mod doctor;
pub mod engine;
pub mod live;
pub mod protocol;
pub mod settings;
