//! Integration tests: one module a subject.

mod kit;
mod protocol_corpus;
mod schema;
