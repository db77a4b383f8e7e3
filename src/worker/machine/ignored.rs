//! Counters of what was not understood: never fatal, never in the transcript, told at most once a second.

use std::collections::BTreeMap;

use crate::base::{Instant, limit};
use crate::live::floor_boundary;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Ignored {
    counts: BTreeMap<String, u64>,
    told: Option<Instant>,
}

/// The longest name that is kept of a message.
const NAME: usize = 80;

impl Ignored {
    /// Counts one message by name.
    pub fn count(&mut self, name: &str) {
        let name = &name[..floor_boundary(name, NAME)];
        let known = self.counts.len() < limit::IGNORED_NAMES || self.counts.contains_key(name);
        *self.counts.entry(if known { name.to_owned() } else { "other".to_owned() }).or_default() += 1;
    }

    /// When the counters are told next.
    pub fn due(&self) -> Option<Instant> {
        if self.counts.is_empty() {
            return None;
        }
        Some(self.told.map_or(Instant::default(), |told| told + limit::IGNORED_EVERY))
    }

    /// The counters since the last time, if it is time.
    pub fn take(&mut self, now: Instant) -> Option<Vec<(String, u64)>> {
        if self.due()? > now {
            return None;
        }
        self.told = Some(now);
        Some(std::mem::take(&mut self.counts).into_iter().collect())
    }
}
