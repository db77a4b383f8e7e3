//! The time that frames carry.
//!
//! Frames carry instants that began in the past, so they never overtake `Instant::now()`. Stock text fields compare a
//! frame's instant with the moment they got focus, which they read themselves: this way their caret never blinks, and
//! a picture does not depend on when it was taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How far in the past frames begin; less if the machine has not been up that long.
const PAST: [Duration; 4] =
    [Duration::from_secs(86_400), Duration::from_secs(3_600), Duration::from_secs(600), Duration::from_secs(60)];

/// Where a driver's frames get their instant.
pub trait Clock {
    /// The instant of a frame drawn now.
    fn now(&self) -> Instant;

    /// Moves time on.
    ///
    /// # Errors
    /// [`NotVirtual`] when real time runs.
    fn advance(&mut self, by: Duration) -> Result<(), NotVirtual>;

    /// True when time moves by [`Clock::advance`] only.
    fn is_virtual(&self) -> bool;
}

/// Real time cannot be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("time runs by itself here; start with --virtual-time to move it")]
pub struct NotVirtual;

fn past(now: Instant) -> Instant {
    PAST.iter().find_map(|past| now.checked_sub(*past)).unwrap_or(now)
}

/// Time that runs.
#[derive(Debug)]
pub struct RealClock {
    start: Instant,
    base: Instant,
}

impl RealClock {
    /// Starts now.
    pub fn new() -> Self {
        let start = Instant::now();
        Self { start, base: past(start) }
    }
}

impl Default for RealClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for RealClock {
    fn now(&self) -> Instant {
        self.base + self.start.elapsed()
    }

    fn advance(&mut self, _by: Duration) -> Result<(), NotVirtual> {
        Err(NotVirtual)
    }

    fn is_virtual(&self) -> bool {
        false
    }
}

/// Time that stands until it is moved. Clones share the time.
#[derive(Debug, Clone)]
pub struct VirtualClock {
    base: Instant,
    elapsed: Arc<AtomicU64>,
}

impl VirtualClock {
    /// Starts at zero.
    pub fn new() -> Self {
        Self { base: past(Instant::now()), elapsed: Arc::default() }
    }

    /// Time since the start.
    pub fn elapsed(&self) -> Duration {
        Duration::from_millis(self.elapsed.load(Ordering::SeqCst))
    }
}

impl Default for VirtualClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Instant {
        self.base + self.elapsed()
    }

    fn advance(&mut self, by: Duration) -> Result<(), NotVirtual> {
        let millis = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.elapsed.fetch_add(millis, Ordering::SeqCst);
        Ok(())
    }

    fn is_virtual(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn virtual_time_stands_until_it_is_moved_and_real_time_cannot_be_moved() {
        let mut clock = VirtualClock::new();
        let before = clock.now();
        assert_eq!(clock.now(), before);
        assert_eq!(clock.advance(Duration::from_millis(250)), Ok(()));
        assert_eq!(clock.now() - before, Duration::from_millis(250));
        assert_eq!(RealClock::new().advance(Duration::ZERO), Err(NotVirtual));
    }
}
