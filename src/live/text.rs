//! Bounded text of an unfinished block: head and tail are kept, what fell out between is counted.

use serde::{Deserialize, Serialize};

/// Text that grows by deltas. At most `limit::BLOCK_TEXT` bytes stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptText {
    pub head: String,
    /// Bytes that fell out between head and tail.
    pub dropped: usize,
    /// Empty while nothing fell out.
    pub tail: String,
}
