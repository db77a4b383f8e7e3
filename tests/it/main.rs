//! The one integration test program; each module is a subject.

mod cli;
mod demo;
mod engine;
mod fixtures;
mod kit;
mod live_cuts;
mod protocol_corpus;
mod schema;
mod settings;
mod tidy;
mod transport;
mod worker_process;
