//! Integration tests: one module a subject.

mod fixtures;
mod kit;
mod protocol_corpus;
mod schema;
