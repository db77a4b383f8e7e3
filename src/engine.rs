//! The pure heart: one state machine for the whole window. No clock, randomness, files, tokio, iced or JSON.
//!
//! One shape: [`Engine::handle_input`] mutates once, then [`Engine::poll_output`] is drained to
//! empty; [`Engine::poll_timeout`] says when [`Engine::handle_timeout`] is due. The window is a
//! function of what the accessors return.

pub mod history;
pub mod input;
pub mod view;

pub use input::{Input, Intent, Output};
