//! The window: widgets, theme and views (DESIGN 11).

pub mod theme;
pub mod widget;
