//! The GUI-worker contract, version 19: one JSON object a line over the worker's stdin and stdout.
//!
//! Strict on both ends (same build): unknown fields are refused, versions must be equal. Requests
//! are imperative, events past tense; both carry a [`Stamp`] and a sequence number per direction.
//! The worker speaks first: [`Event::Hello`], answered by [`Request::Welcome`] or
//! [`Request::Refuse`]. App-server payloads inside keep exactly the schema's shape.

pub mod event;
pub mod line;
pub mod request;

pub use event::{CallOutcome, Event, Failure, FailureKind, ServerInfo};
pub use request::{Request, Target};

use serde::{Deserialize, Serialize};

use crate::base::Stamp;

/// Equality is required; every change of this module's types raises it.
pub const VERSION: u32 = 19;

/// One line of either direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope<B> {
    /// Counts from 1 per direction; a gap is [`Event::Lagged`].
    pub seq: u64,
    /// The generation the body belongs to; absent only in the handshake.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stamp: Option<Stamp>,
    /// The message.
    pub body: B,
}
