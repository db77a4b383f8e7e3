//! The one integration test program; each module is a subject.

mod cli;
mod settings;
mod tidy;
//! Integration tests: one module a subject.

mod kit;
mod protocol_corpus;
mod schema;
mod live_cuts;
mod kit;
mod transport;
mod worker_process;
