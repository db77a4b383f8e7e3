//! Which owner and connection a datum belongs to, and the one place that decides whether it still counts.

use serde::{Deserialize, Serialize};

/// Owner generation and connection generation (DESIGN 1). Every connection starts a new owner
/// generation, because nothing proves that a new connection has the same account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// Counts owners; the first is 1.
    pub owner: u64,
    /// Counts connections; the first is 1.
    pub connection: u64,
}

/// Admits data of the current stamp and counts what it refuses.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Partition {
    current: Option<Stamp>,
    last: u64,
    dropped: u64,
}

impl Partition {
    /// Starts the next owner and connection generation; everything older is refused from now on.
    pub fn begin(&mut self) -> Stamp {
        self.last += 1;
        let stamp = Stamp { owner: self.last, connection: self.last };
        self.current = Some(stamp);
        stamp
    }

    /// Ends the current generation: nothing is admitted until [`Partition::begin`].
    pub fn end(&mut self) {
        self.current = None;
    }

    /// The current stamp, if a generation lives.
    pub fn current(&self) -> Option<Stamp> {
        self.current
    }

    /// Whether a datum of `stamp` still counts. A refusal is counted.
    pub fn admits(&mut self, stamp: Stamp) -> bool {
        let admitted = self.current == Some(stamp);
        if !admitted {
            self.dropped += 1;
        }
        admitted
    }

    /// How many data were refused so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_current_generation_is_admitted_and_refusals_are_counted() {
        let mut partition = Partition::default();
        let first = partition.begin();
        assert!(partition.admits(first));
        let second = partition.begin();
        assert!(!partition.admits(first));
        assert!(partition.admits(second));
        partition.end();
        assert!(!partition.admits(second));
        assert_eq!(partition.dropped(), 2);
    }
}
