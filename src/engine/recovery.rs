//! The recovery coordinator (DESIGN 3): one bounded episode at a time, as a pure machine.
//!
//! An episode begins with the loss of a connection whose account had been read, makes at most
//! [`limit::ATTEMPTS`] attempts and ends 30 s after the account was read again. It captures what it was
//! begun for; every continuation brings its own [`Ticket`] and a fresh [`Snapshot`], and nothing goes on
//! unless both are the captured ones. What an ended episode or an old bridge says is counted and does nothing.

use std::time::Duration;

use crate::base::{BridgeId, Instant, Stamp, limit};
use crate::contract::Failure;

/// What an episode is begun for. A difference ends it and waits for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Raised by every change of the profile.
    pub revision: u64,
    /// The directory of new conversations, on the server.
    pub root: Option<String>,
}

/// One attempt of one episode: what a continuation must still match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub episode: u64,
    pub bridge: BridgeId,
    pub stamp: Stamp,
}

/// What the engine has to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Nothing changed.
    Nothing,
    /// Wait: the next attempt has this number and begins then.
    Wait { attempt: u8, at: Instant },
    /// Start a new worker for this attempt, then call [`Recovery::started`].
    Start { attempt: u8 },
    /// The episode is over without a connection.
    GiveUp { cause: Failure, why: GaveUp },
    /// Profile or root is another than the captured one.
    Changed,
}

/// Why an episode ended without a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GaveUp {
    /// All attempts failed.
    Attempts,
    /// [`limit::EPISODE`] has passed.
    Time,
    /// The user pressed Cancel.
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    Waiting {
        at: Instant,
    },
    Trying {
        ticket: Ticket,
        deadline: Instant,
    },
    /// The account was read: success if nothing is lost until then.
    Proving {
        ticket: Ticket,
        until: Instant,
    },
}

#[derive(Debug, Clone, PartialEq)]
struct Episode {
    id: u64,
    snapshot: Snapshot,
    /// The end of the whole episode; sleep moves it.
    deadline: Instant,
    /// Attempts that were begun.
    attempts: u8,
    cause: Failure,
    phase: Phase,
}

/// The one episode of the window, or none. See the module.
#[derive(Debug, Default)]
pub struct Recovery {
    episode: Option<Episode>,
    last: u64,
    begun: u64,
    late: u64,
}

impl Recovery {
    /// The connection `link` was lost. Begins an episode, or goes on with the one that made this link.
    ///
    /// `jitter` is a number from 0 to 1. A loss of any other link than the episode's own is late: counted, ignored.
    pub fn lost(
        &mut self,
        now: Instant,
        link: (BridgeId, Stamp),
        snapshot: Snapshot,
        cause: Failure,
        jitter: f64,
    ) -> Step {
        let Some(episode) = &mut self.episode else { return self.begin(now, snapshot, cause) };
        let own = match &episode.phase {
            Phase::Waiting { .. } => false,
            Phase::Trying { ticket, .. } | Phase::Proving { ticket, .. } => (ticket.bridge, ticket.stamp) == link,
        };
        if !own {
            self.late += 1;
            return Step::Nothing;
        }
        if episode.snapshot != snapshot {
            return self.changed();
        }
        episode.cause = cause;
        if episode.attempts >= limit::ATTEMPTS {
            return self.give_up(GaveUp::Attempts);
        }
        if episode.deadline <= now {
            return self.give_up(GaveUp::Time);
        }
        let at = now + delay(episode.attempts, jitter);
        episode.phase = Phase::Waiting { at };
        let attempt = episode.attempts + 1;
        if at <= now { self.due(now, &snapshot) } else { Step::Wait { attempt, at } }
    }

    /// A new episode; its first attempt starts at once.
    pub fn begin(&mut self, now: Instant, snapshot: Snapshot, cause: Failure) -> Step {
        self.last += 1;
        self.begun += 1;
        self.episode = Some(Episode {
            id: self.last,
            snapshot: snapshot.clone(),
            deadline: now + limit::EPISODE,
            attempts: 0,
            cause,
            phase: Phase::Waiting { at: now },
        });
        self.due(now, &snapshot)
    }

    /// The attempt of [`Step::Start`] has its worker.
    pub fn started(&mut self, now: Instant, bridge: BridgeId, stamp: Stamp) -> Option<Ticket> {
        let episode = self.episode.as_mut()?;
        let ticket = Ticket { episode: episode.id, bridge, stamp };
        episode.phase = Phase::Trying { ticket, deadline: (now + limit::ATTEMPT_TIMEOUT).min(episode.deadline) };
        Some(ticket)
    }

    /// Whether a continuation of an attempt still counts. Without an episode everything does.
    ///
    /// `Err(Step::Changed)`: it is the current attempt, but not for what it was begun. `Err(Step::Nothing)`: late.
    pub fn recheck(&mut self, ticket: Option<Ticket>, snapshot: &Snapshot) -> Result<(), Step> {
        let Some(episode) = &self.episode else { return Ok(()) };
        let current = match &episode.phase {
            Phase::Waiting { .. } => None,
            Phase::Trying { ticket, .. } | Phase::Proving { ticket, .. } => Some(*ticket),
        };
        if ticket.is_none() || ticket != current {
            self.late += 1;
            return Err(Step::Nothing);
        }
        if episode.snapshot != *snapshot {
            return Err(self.changed());
        }
        Ok(())
    }

    /// The first account/read of an attempt was answered: the healthy period begins.
    pub fn account_read(&mut self, now: Instant) {
        if let Some(Episode { phase, .. }) = &mut self.episode
            && let Phase::Trying { ticket, .. } = *phase
        {
            *phase = Phase::Proving { ticket, until: now + limit::HEALTHY };
        }
    }

    /// When [`Recovery::due`] is due.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.episode.as_ref().map(|episode| match &episode.phase {
            Phase::Waiting { at } => (*at).min(episode.deadline),
            Phase::Trying { deadline, .. } => *deadline,
            Phase::Proving { until, .. } => *until,
        })
    }

    /// Does what is due. An attempt that is over its time is the engine's to end, as a loss.
    pub fn due(&mut self, now: Instant, snapshot: &Snapshot) -> Step {
        let Some(episode) = &mut self.episode else { return Step::Nothing };
        match &episode.phase {
            Phase::Waiting { .. } if episode.snapshot != *snapshot => self.changed(),
            Phase::Waiting { .. } if episode.deadline <= now => self.give_up(GaveUp::Time),
            Phase::Waiting { at } if *at <= now => {
                episode.attempts += 1;
                Step::Start { attempt: episode.attempts }
            }
            Phase::Proving { until, .. } if *until <= now => {
                self.episode = None;
                Step::Nothing
            }
            Phase::Waiting { .. } | Phase::Trying { .. } | Phase::Proving { .. } => Step::Nothing,
        }
    }

    /// The attempt under way is over its time.
    pub fn is_overdue(&self, now: Instant) -> bool {
        matches!(&self.episode, Some(Episode { phase: Phase::Trying { deadline, .. }, .. }) if *deadline <= now)
    }

    /// Skips the wait of the same episode; its count goes on.
    pub fn try_now(&mut self, now: Instant, snapshot: &Snapshot) -> Step {
        match &mut self.episode {
            Some(Episode { phase: Phase::Waiting { at }, .. }) => {
                *at = now;
                self.due(now, snapshot)
            }
            Some(_) | None => Step::Nothing,
        }
    }

    /// The user wants no further attempts.
    pub fn cancel(&mut self) -> Step {
        if self.episode.is_some() { self.give_up(GaveUp::Cancelled) } else { Step::Nothing }
    }

    /// Profile, root or the user's will changed: the episode waits no longer.
    pub fn profile_changed(&mut self) -> Step {
        match &self.episode {
            // What is connected goes on; its loss asks the user.
            Some(Episode { phase: Phase::Proving { .. }, .. }) | None => Step::Nothing,
            Some(_) => self.changed(),
        }
    }

    /// Something else decides from here on: a terminal failure, another connection, Disconnect.
    pub fn stop(&mut self) {
        self.episode = None;
    }

    /// Time asleep counts to no deadline.
    pub fn slept(&mut self, time: Duration) {
        let Some(episode) = &mut self.episode else { return };
        episode.deadline = episode.deadline + time;
        match &mut episode.phase {
            Phase::Waiting { at } => *at = *at + time,
            Phase::Trying { deadline, .. } => *deadline = *deadline + time,
            Phase::Proving { until, .. } => *until = *until + time,
        }
    }

    #[cfg(test)]
    pub fn attempt(&self) -> Option<u8> {
        self.episode.as_ref().map(|episode| episode.attempts)
    }

    /// An episode runs and has no connection yet.
    pub fn is_searching(&self) -> bool {
        self.episode.as_ref().is_some_and(|episode| !matches!(episode.phase, Phase::Proving { .. }))
    }

    /// An episode runs, connected or not.
    pub fn is_active(&self) -> bool {
        self.episode.is_some()
    }

    /// The loss that the episode is about.
    pub fn cause(&self) -> Option<&Failure> {
        self.episode.as_ref().map(|episode| &episode.cause)
    }

    /// Signals of ended attempts that did nothing.
    pub fn late(&self) -> u64 {
        self.late
    }

    /// How many episodes this window has begun.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    fn changed(&mut self) -> Step {
        self.episode = None;
        Step::Changed
    }

    fn give_up(&mut self, why: GaveUp) -> Step {
        match self.episode.take() {
            Some(episode) => Step::GiveUp { cause: episode.cause, why },
            None => Step::Nothing,
        }
    }
}

/// The wait before the attempt after so many, with jitter from 0 to 1 on what is not zero.
fn delay(attempts: u8, jitter: f64) -> Duration {
    let delay = limit::ATTEMPT_DELAYS.get(usize::from(attempts)).copied().unwrap_or_default();
    delay.mul_f64(1.0 + limit::JITTER * (jitter.clamp(0.0, 1.0) * 2.0 - 1.0))
}

#[cfg(test)]
mod tests;
