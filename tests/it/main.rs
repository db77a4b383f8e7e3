//! The one integration test program; each module is a subject.

mod cli;
mod settings;
mod tidy;
