//! Frozen text: what stood in a composer when its connection ended (DESIGN 4). In memory only, never changed.

use super::view::{ConversationKey, Draft};
use crate::base::{UnixMs, limit};

/// The draft store. It outlives connections; the user alone empties it.
#[derive(Debug, Default)]
pub struct Drafts {
    drafts: Vec<Draft>,
    last: u64,
}

impl Drafts {
    /// Keeps a composer's text, byte for byte. An empty text is no draft.
    ///
    /// Text is kept beyond `limit::DRAFTS` as well: at the limit new mutations are refused, nothing is evicted.
    pub fn freeze(
        &mut self,
        text: String,
        conversation: ConversationKey,
        title: String,
        connection: String,
        at: UnixMs,
    ) {
        if text.is_empty() {
            return;
        }
        self.last += 1;
        self.drafts.push(Draft { id: self.last, text, conversation, title, connection, at });
    }

    /// Oldest first.
    pub fn all(&self) -> &[Draft] {
        &self.drafts
    }

    /// New mutations must be refused until the user discards something.
    pub fn is_full(&self) -> bool {
        self.drafts.len() >= limit::DRAFTS
    }

    /// The user does not want it any more.
    pub fn discard(&mut self, id: u64) {
        self.drafts.retain(|draft| draft.id != id);
    }
}
