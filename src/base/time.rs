//! Injected time. No machine reads a clock: `now` is always the first argument.

use std::ops::Add;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Monotonic time since the program (or the virtual clock) began.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub Duration);

impl Instant {
    /// Time from `earlier` to `self`; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, delay: Duration) -> Self {
        Self(self.0 + delay)
    }
}

/// Wall-clock time in milliseconds since 1970-01-01 UTC, as the server's `*AtMs` fields.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnixMs(pub i64);

impl UnixMs {
    /// From the server's fields that count seconds (`createdAt`, `updatedAt`, `recencyAt`).
    pub fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }
}

impl Now {
    /// Where a virtual clock begins: a fixed day, so that nothing shown depends on today.
    pub const VIRTUAL: Self = Self { instant: Instant(Duration::ZERO), unix_ms: UnixMs(1_796_047_200_000) };
}

/// Both clocks at one moment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Now {
    /// For deadlines.
    pub instant: Instant,
    /// For what is shown ("as of 14:03").
    pub unix_ms: UnixMs,
}

/// The program's one real clock.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    began: std::time::Instant,
}

impl Clock {
    /// Starts counting.
    #[expect(clippy::new_without_default, reason = "reads the operating system's clock")]
    pub fn new() -> Self {
        Self { began: std::time::Instant::now() }
    }

    /// Reads both clocks of the operating system.
    pub fn now(&self) -> Now {
        let wall = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Now {
            instant: Instant(self.began.elapsed()),
            unix_ms: UnixMs(i64::try_from(wall.as_millis()).unwrap_or(i64::MAX)),
        }
    }
}
