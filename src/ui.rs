//! The window: themes, fonts, widgets and pages.
//!
//! Everything here draws; nothing here decides. State lives in the engine.

pub mod font;
pub mod theme;
