//! Rejoin: a desktop chat client for the Codex app-server that loses nothing when the connection dies.
//!
//! This page is the map. Each module's own page says what it promises.
//!
//! # Processes
//!
//! ```text
//! codex app-server ──bytes──▶ worker: transport ▸ framing ▸ rpc ▸ hub
//!   (child over stdio,           stamps, correlates, checks, redacts,
//!    or WebSocket)               collects unfinished blocks
//!                                   │
//!                                   │ contract 19: one JSON object a line over stdio
//!                                   ▼
//!                             window: link ▸ engine ▸ outputs ▸ effects (send, start worker, arm timer)
//!                                              │
//!                                              ▼
//!                                     ui: widgets ▸ pixels, and the accessibility tree from the same widgets
//! ```
//!
//! The worker is a process of its own (`rejoin worker`): it holds the token, speaks TLS and dies with
//! its connection, while drafts and the operation ledger live on in the window. Killing either
//! leaves no owned app-server behind. A user's key, click or screen-reader action becomes a
//! message, an intent, an engine output and a request to the worker.
//!
//! # Modules, in reading order
//!
//! | module | is | uses |
//! |---|---|---|
//! | [`base`] | ids, stamps, injected time, limits, secrets | nothing |
//! | [`protocol`] | the app-server's messages: lenient to read, exact to write | base |
//! | `markdown` | untrusted text to blocks that can be drawn | base |
//! | [`contract`] | what worker and window say to each other, strictly | base, protocol |
//! | [`live`] | a thread as it is being written: entries and unfinished blocks | base, protocol |
//! | [`engine`] | the pure heart: connection, threads, history, ledger, drafts, cards | all above |
//! | [`worker`] | the second process: transports, rpc, hub | base, protocol, contract, live, demo |
//! | [`demo`] | the scripted app-server | base, protocol |
//! | `link` | the window's end of the pipe | base, contract |
//! | [`settings`] | preferences and profiles, the only things on the disk; where Codex is | base |
//! | [`cli`] | the command line | settings |
//! | [`doctor`] | what is installed, found and reachable | base, settings, cli |
//! | `a11y` | the accessibility tree and its adapters | base |
//! | `ui` | iced: screens, rows, widgets, themes | engine and below, settings, link, cli, a11y |
//! | `drive` | the program without a display | ui and below |
//! | `acceptance` | every state as a picture, a tree and words, by keyboard | drive and below |
//!
//! `ui`, `drive` and `acceptance` exist with the feature `gui` (on by default). `tests/it/tidy.rs` fails when a
//! module uses another one than these.
//!
//! # What always holds
//!
//! - **Pure below, effects above.** Up to [`engine`] nothing does I/O, reads a clock or rolls dice;
//!   time, ids and jitter come in as arguments. Every race can be tested from a seed.
//! - **A stamp admits.** Every live datum carries its owner and connection generation
//!   ([`base::Stamp`]); one place decides whether it is current, and counts what it drops.
//! - **The ledger comes first.** An operation is recorded before it is sent and settled once. Doubt is
//!   a state (`OutcomeUnknown`), not an error; nothing is ever sent again by itself.
//! - **Typed text is never lost.** It is in a composer, a draft, the ledger or on the wire, or the user
//!   discarded it. No server event writes to a composer.
//! - **Unfinished is not finished.** A completed item replaces its deltas; attaching in the middle gives
//!   a snapshot and exactly the events after it.
//! - **Everything has a limit** with a name in [`base::limit`], and what is cut is said.
//! - **Untrusted text** becomes blocks and checked links, or nothing. Secrets are
//!   [`base::secret::Secret`] and print as `[secret]`.

#[cfg(feature = "gui")]
pub mod a11y;
#[cfg(feature = "gui")]
pub mod acceptance;
pub mod base;
pub mod cli;
pub mod contract;
pub mod demo;
pub mod doctor;
#[cfg(feature = "gui")]
pub mod drive;
pub mod engine;
pub mod link;
pub mod live;
pub mod markdown;
pub mod protocol;
pub mod settings;
#[cfg(feature = "gui")]
pub mod ui;
pub mod worker;
