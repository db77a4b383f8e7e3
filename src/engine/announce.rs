//! Announcements for screen readers: one per completed item, guarded against floods.

use std::time::Duration;

use crate::base::Instant;

/// Items announced one by one within a [`WINDOW`]; the rest of it becomes one summary.
const BURST: usize = 5;
const WINDOW: Duration = Duration::from_secs(1);

/// Lets the first items of a second through and counts the others.
#[derive(Debug, Default)]
pub struct Guard {
    since: Option<Instant>,
    said: usize,
    held: usize,
}

impl Guard {
    /// Whether this item's announcement goes out now.
    pub fn admit(&mut self, now: Instant) -> bool {
        if self.since.is_none_or(|since| now.since(since) >= WINDOW && self.held == 0) {
            self.since = Some(now);
            self.said = 0;
        }
        if self.said < BURST {
            self.said += 1;
            return true;
        }
        self.held += 1;
        false
    }

    /// When the summary of what was held back is due.
    pub fn due(&self) -> Option<Instant> {
        self.since.filter(|_| self.held > 0).map(|since| since + WINDOW)
    }

    /// The summary, if it is due.
    pub fn summary(&mut self, now: Instant) -> Option<String> {
        if self.due()? > now {
            return None;
        }
        let held = std::mem::take(&mut self.held);
        self.since = None;
        Some(if held == 1 { "1 more item completed".to_owned() } else { format!("{held} more items completed") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sixth_item_within_a_second_is_summarised_once() {
        let mut guard = Guard::default();
        let at = |ms| Instant(Duration::from_millis(ms));
        let said = (0..8).filter(|ms| guard.admit(at(*ms))).count();
        assert_eq!(said, 5);
        assert_eq!(guard.due(), Some(at(1_000)));
        assert_eq!(guard.summary(at(999)), None);
        assert_eq!(guard.summary(at(1_000)), Some("3 more items completed".into()));
        assert_eq!(guard.due(), None);
        assert!(guard.admit(at(1_001)));
    }
}
