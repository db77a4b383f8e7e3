//! Integration tests: the crate as the world sees it.

mod engine;
