//! The one integration test program; each module is a subject.

#[cfg(feature = "gui")]
mod acceptance;
mod cli;
mod demo;
#[cfg(feature = "gui")]
mod drive;
#[cfg(feature = "gui")]
mod drive_commands;
mod engine;
mod fixtures;
mod golden_contract;
#[cfg(feature = "gui")]
mod golden_tree;
#[cfg(feature = "gui")]
mod hostile;
mod kit;
mod live_cuts;
#[cfg(unix)]
mod package;
mod protocol_corpus;
#[cfg(feature = "gui")]
mod real_history;
mod schema;
mod settings;
mod sim;
mod tidy;
mod transport;
#[cfg(feature = "gui")]
mod virtual_time;
#[cfg(feature = "gui")]
mod window;
mod worker_process;
