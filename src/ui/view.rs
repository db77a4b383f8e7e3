//! The parts of the chat page, each a function of the engine's view values.

pub mod banner;
pub mod card;
pub mod composer;
pub mod dialog;
pub mod find;
pub mod history;
pub mod kit;
pub mod markdown;
pub mod next_turn;
pub mod picker;
pub mod review;
pub mod row;
