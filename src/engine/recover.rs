//! What recovery means for the engine: workers, states, clocks (DESIGN 3). The counting is in `recovery`.

use std::time::Duration;

use super::Engine;
use super::connection::profile_changed;
use super::recovery::{Snapshot, Step};
use super::view::Connection;
use crate::base::{Now, limit};

impl Engine {
    /// What an episode captures and every continuation compares.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot { revision: self.revision, root: self.profile.as_ref().and_then(|profile| profile.cwd.clone()) }
    }

    /// Whether the generation's continuation counts: without an episode always, else only its current attempt.
    pub(super) fn goes_on(&mut self) -> bool {
        let snapshot = self.snapshot();
        match self.recovery.recheck(self.owner.ticket, &snapshot) {
            Ok(()) => true,
            Err(step) => {
                self.end_owner();
                self.recover(step);
                false
            }
        }
    }

    /// Does what the coordinator wants.
    pub(super) fn recover(&mut self, step: Step) {
        match step {
            Step::Nothing => {}
            Step::Wait { attempt, at } => self.reconnecting(attempt, Some(at)),
            Step::Start { attempt } => {
                self.open_bridge();
                if let Some((bridge, stamp)) = self.owner.link() {
                    self.owner.ticket = self.recovery.started(self.now.instant, bridge, stamp);
                    // The coordinator has the deadline of this attempt.
                    self.owner.deadline = None;
                }
                self.reconnecting(attempt, None);
            }
            Step::GiveUp { cause, why } => {
                self.end_owner();
                self.enter(Connection::ManualReconnect { failure: cause, gave_up: Some(why) });
            }
            Step::Changed => {
                self.end_owner();
                self.enter(Connection::ConfirmationRequired { failure: profile_changed() });
            }
        }
    }

    fn reconnecting(&mut self, attempt: u8, next: Option<crate::base::Instant>) {
        let Some(failure) = self.recovery.cause().cloned() else { return };
        self.enter(Connection::Reconnecting { attempt, next, failure });
    }

    pub(super) fn recovery_due(&mut self) {
        let snapshot = self.snapshot();
        let step = self.recovery.due(self.now.instant, &snapshot);
        self.recover(step);
    }

    pub(super) fn try_now(&mut self) {
        let snapshot = self.snapshot();
        let step = self.recovery.try_now(self.now.instant, &snapshot);
        self.recover(step);
    }

    /// Cancel: recovery ends in Manual reconnect required, a first connection in Not connected.
    pub(super) fn cancel_connecting(&mut self) {
        if self.recovery.is_active() {
            let step = self.recovery.cancel();
            self.recover(step);
        } else {
            self.disconnect();
        }
    }

    /// What is connected goes on with what it was connected with; nothing is connected by itself any more.
    pub(super) fn profile_edited(&mut self) {
        self.revision += 1;
        let step = self.recovery.profile_changed();
        self.recover(step);
    }

    /// The time of this step. What lies behind a jump of the clocks was sleep: it counts to no deadline, and
    /// whether the server is still there is asked once.
    pub(super) fn arrive(&mut self, now: Now) {
        let monotonic = now.instant.since(self.now.instant);
        let wall = Duration::from_millis(u64::try_from(now.unix_ms.0 - self.now.unix_ms.0).unwrap_or(0));
        // A monotonic clock that runs on in sleep shows by an alarm that rings much too late.
        let late = self.poll_timeout().map_or(Duration::ZERO, |due| now.instant.since(due));
        self.now = now;
        let asleep = wall.saturating_sub(monotonic) > limit::SLEEP_JUMP;
        let late = if late > limit::SLEEP_JUMP { late } else { Duration::ZERO };
        if !asleep && late.is_zero() {
            return;
        }
        self.recovery.slept(late);
        self.owner.deadline = self.owner.deadline.map(|deadline| deadline + late);
        if self.owner.account.fingerprint.is_some() {
            self.read_account();
        }
    }
}
