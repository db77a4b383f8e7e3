//! The engine through its public verbs, against a worker made of events built by hand.

mod cards;
mod connection;
mod conversation;
mod drafts;
mod fake;
mod message;
mod recovery;
mod walk;
