//! Time that stands until it is moved, for `drive --virtual-time` and `acceptance` (DESIGN 12).
//!
//! One handle is shared by the program and whoever moves its time. The program publishes when its next deadline is due
//! and how many requests its workers have not answered with `Quiet`; whoever moves time goes from deadline to deadline
//! and only while nothing is open.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use iced::futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};

use crate::base::{Instant, Now, UnixMs};

/// Some program of this process lives by virtual time: what it shows is in UTC.
static USED: AtomicBool = AtomicBool::new(false);

pub(super) fn is_used() -> bool {
    USED.load(Ordering::Relaxed)
}

/// The message of [`VirtualTime::moves`]: time has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed;

/// A handle; clones share the time.
#[derive(Debug, Clone)]
pub struct VirtualTime(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Milliseconds since the beginning.
    elapsed: AtomicU64,
    /// Requests without `Quiet`, and moves of time that the program has not heard of.
    open: AtomicUsize,
    due: Mutex<Option<Instant>>,
    waker: Mutex<Option<UnboundedSender<Elapsed>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic elsewhere leaves the state whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl VirtualTime {
    /// Starts at [`Now::VIRTUAL`]. From now on the process shows times in UTC.
    #[expect(clippy::new_without_default, reason = "changes how the process shows times")]
    pub fn new() -> Self {
        USED.store(true, Ordering::Relaxed);
        Self(Arc::default())
    }

    /// Both clocks.
    pub fn now(&self) -> Now {
        let elapsed = self.elapsed();
        let millis = i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX);
        let start = Now::VIRTUAL;
        Now { instant: start.instant + elapsed, unix_ms: UnixMs(start.unix_ms.0.saturating_add(millis)) }
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        Duration::from_millis(self.0.elapsed.load(Ordering::SeqCst))
    }

    /// Moves time and tells the program.
    pub fn advance(&self, by: Duration) {
        let millis = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        self.0.elapsed.fetch_add(millis, Ordering::SeqCst);
        if let Some(sender) = &*lock(&self.0.waker) {
            // A program that is gone hears of nothing.
            let _gone = sender.unbounded_send(Elapsed).is_err();
        }
    }

    /// How long until the program's next deadline; zero if it is due.
    pub fn next_due(&self) -> Option<Duration> {
        lock(&self.0.due).map(|due| due.since(self.now().instant))
    }

    /// The workers have handled everything and only timers remain.
    pub fn is_quiet(&self) -> bool {
        self.0.open.load(Ordering::SeqCst) == 0
    }

    /// What [`VirtualTime::next_due`] and [`VirtualTime::is_quiet`] say from now on.
    pub(in crate::ui) fn publish(&self, due: Option<Instant>, open: usize) {
        *lock(&self.0.due) = due;
        self.0.open.store(open, Ordering::SeqCst);
    }

    /// A message for every move.
    pub(in crate::ui) fn moves(&self) -> iced::Subscription<Elapsed> {
        iced::Subscription::run_with(self.clone(), Self::listen)
    }

    fn listen(&self) -> UnboundedReceiver<Elapsed> {
        let (sender, receiver) = unbounded();
        *lock(&self.0.waker) = Some(sender);
        receiver
    }
}

impl Hash for VirtualTime {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(&self.0) as usize).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_until_it_is_moved_and_deadlines_count_from_there() {
        let time = VirtualTime::new();
        assert_eq!((time.now(), time.is_quiet(), time.next_due()), (Now::VIRTUAL, true, None));
        time.publish(Some(Instant(Duration::from_secs(3))), 2);
        time.advance(Duration::from_secs(1));
        assert_eq!(time.now().unix_ms.0 - Now::VIRTUAL.unix_ms.0, 1_000);
        assert_eq!((time.is_quiet(), time.next_due()), (false, Some(Duration::from_secs(2))));
        time.advance(Duration::from_secs(9));
        assert_eq!(time.next_due(), Some(Duration::ZERO));
    }
}
