//! Frozen text: what stood in a composer when its connection ended (DESIGN 4). In memory only, never changed.

use super::view::Draft;
use crate::base::limit;

/// The draft store. It outlives connections; the user alone empties it.
#[derive(Debug, Default)]
pub struct Drafts {
    drafts: Vec<Draft>,
    last: u64,
}

impl Drafts {
    /// Keeps a composer, byte for byte, and numbers it. An empty one is no draft.
    ///
    /// Text is kept beyond `limit::DRAFTS` as well: at the limit new mutations are refused, nothing is evicted.
    pub fn freeze(&mut self, mut draft: Draft) {
        if draft.text.is_empty() && draft.preedit.is_none() {
            return;
        }
        self.last += 1;
        draft.id = self.last;
        self.drafts.push(draft);
    }

    pub fn get(&self, id: u64) -> Option<&Draft> {
        self.drafts.iter().find(|draft| draft.id == id)
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
