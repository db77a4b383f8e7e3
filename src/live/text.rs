//! Bounded text of an unfinished block: head and tail are kept, what fell out between is counted.
//!
//! What stays is a function of the whole text alone, never of how it was split into deltas, so a
//! reader of merged deltas holds the same text as a reader of single ones. A push costs O(delta)
//! on average: the tail is trimmed by whole steps.

use serde::{Deserialize, Serialize};

use crate::base::limit;

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

/// How much of the head stays once something falls out.
const HEAD: usize = limit::BLOCK_TEXT / 2;
/// The tail keeps between one and two steps.
const STEP: usize = limit::BLOCK_TEXT / 4;

impl KeptText {
    /// Appends a delta.
    pub fn push(&mut self, delta: &str) {
        if self.dropped > 0 {
            self.tail.push_str(delta);
        } else {
            self.head.push_str(delta);
        }
        if self.len() > limit::BLOCK_TEXT {
            self.trim();
        }
    }

    /// Everything that is kept; where text fell out stands a line that says how much.
    pub fn text(&self) -> String {
        if self.dropped == 0 {
            return self.head.clone();
        }
        format!("{}\n[{} bytes are not kept here]\n{}", self.head, self.dropped, self.tail)
    }

    /// Bytes that are kept.
    pub fn len(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Whether nothing was said yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0 && self.dropped == 0
    }

    /// Keeps only the ends of what is kept, `bytes` in all, because other blocks need the room.
    pub(super) fn shrink_to(&mut self, bytes: usize) {
        if self.len() <= bytes {
            return;
        }
        self.split(self.head.len() / 2);
        let head = floor_boundary(&self.head, bytes / 2);
        self.dropped += self.head.len() - head;
        self.head.truncate(head);
        self.head.shrink_to_fit();
        let cut = ceil_boundary(&self.tail, self.tail.len().saturating_sub(bytes / 2));
        self.dropped += cut;
        self.tail = self.tail.split_off(cut);
    }

    /// Moves the kept window of the tail forward to where the length of the whole text puts it.
    fn trim(&mut self) {
        self.split(HEAD);
        let total = self.head.len() + self.dropped + self.tail.len();
        let steps = (total - HEAD - 2 * STEP).div_ceil(STEP);
        let start = self.head.len() + self.dropped;
        let cut = ceil_boundary(&self.tail, (HEAD + steps * STEP).saturating_sub(start));
        self.tail.drain(..cut);
        self.dropped += cut;
    }

    /// Separates head and tail, once; the caller drops something in between.
    fn split(&mut self, head: usize) {
        if self.dropped == 0 && self.tail.is_empty() {
            self.tail = self.head.split_off(floor_boundary(&self.head, head));
        }
    }
}

impl From<&str> for KeptText {
    fn from(text: &str) -> Self {
        let mut kept = Self::default();
        kept.push(text);
        kept
    }
}

/// The last character boundary at or before `index`.
pub(crate) fn floor_boundary(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

/// The first character boundary at or after `index`.
fn ceil_boundary(text: &str, index: usize) -> usize {
    (index..=text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pushed(text: &str, chunk: usize) -> KeptText {
        let mut kept = KeptText::default();
        let mut rest = text;
        while !rest.is_empty() {
            let cut = ceil_boundary(rest, chunk.min(rest.len()));
            kept.push(&rest[..cut]);
            rest = &rest[cut..];
        }
        kept
    }

    #[test]
    fn short_text_is_kept_whole() {
        let kept = pushed("a👩‍👧b", 1);
        assert_eq!((kept.text(), kept.dropped, kept.len()), ("a👩‍👧b".to_owned(), 0, "a👩‍👧b".len()));
    }

    #[test]
    fn long_text_keeps_both_ends_at_characters_and_counts_the_middle() {
        let text = "ä👍🏽z".repeat(limit::BLOCK_TEXT / 4);
        let kept = pushed(&text, 70_001);
        assert!(kept.len() <= limit::BLOCK_TEXT && kept.len() >= HEAD + STEP - 8, "{}", kept.len());
        assert_eq!(kept.head.len() + kept.dropped + kept.tail.len(), text.len());
        assert!(text.starts_with(&kept.head) && text.ends_with(&kept.tail));
        assert!(kept.text().contains(&format!("[{} bytes are not kept here]", kept.dropped)));
    }

    #[test]
    fn what_is_kept_does_not_depend_on_how_it_arrived() {
        let text = "é0123456789".repeat(limit::BLOCK_TEXT / 5);
        let whole = KeptText::from(text.as_str());
        for chunk in [4_099, 100_003, limit::BLOCK_TEXT + 1] {
            assert!(pushed(&text, chunk) == whole, "chunk {chunk}");
        }
    }

    #[test]
    fn shrinking_keeps_both_ends_and_counts() {
        let text = "xé".repeat(100_000);
        let mut kept = KeptText::from(text.as_str());
        kept.shrink_to(1_001);
        assert!(kept.len() <= 1_001 && kept.len() > 990);
        assert_eq!(kept.len() + kept.dropped, text.len());
        kept.push("end");
        assert!(kept.text().ends_with("end") && text.starts_with(&kept.head));
        assert_eq!(kept.len() + kept.dropped, text.len() + 3);
    }
}
