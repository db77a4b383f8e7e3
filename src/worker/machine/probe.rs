//! Is the peer still there? Silence or a timed-out call asks; only unanswered probes are a loss.
//!
//! Every kind of traffic answers: a server that streams is not silent. A probe is an `account/read`
//! of our own and, on a WebSocket, a ping. Two of `limit::PROBE_TIMEOUT` without any traffic end
//! the connection.

use crate::base::{Instant, limit};

/// See the module.
#[derive(Debug)]
pub(super) struct Probe {
    state: State,
}

#[derive(Debug)]
enum State {
    Listening { since: Instant },
    Probing { attempt: u32, deadline: Instant },
}

/// What the time asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Due {
    Probe,
    Silent,
}

const ATTEMPTS: u32 = 2;

impl Probe {
    /// Begins to listen.
    pub fn new(now: Instant) -> Self {
        Self { state: State::Listening { since: now } }
    }

    /// Something arrived.
    pub fn traffic(&mut self, now: Instant) {
        self.state = State::Listening { since: now };
    }

    /// A call got no answer in its time: ask now. `false` if a probe is out already.
    pub fn doubt(&mut self, now: Instant) -> bool {
        match self.state {
            State::Listening { .. } => {
                self.state = State::Probing { attempt: 1, deadline: now + limit::PROBE_TIMEOUT };
                true
            }
            State::Probing { .. } => false,
        }
    }

    /// When to call [`Probe::timeout`].
    pub fn deadline(&self) -> Instant {
        match self.state {
            State::Listening { since } => since + limit::SILENCE,
            State::Probing { deadline, .. } => deadline,
        }
    }

    /// What is due at `now`, if anything.
    pub fn timeout(&mut self, now: Instant) -> Option<Due> {
        if now < self.deadline() {
            return None;
        }
        let attempt = match self.state {
            State::Listening { .. } => 1,
            State::Probing { attempt, .. } if attempt == ATTEMPTS => return Some(Due::Silent),
            State::Probing { attempt, .. } => attempt + 1,
        };
        self.state = State::Probing { attempt, deadline: now + limit::PROBE_TIMEOUT };
        Some(Due::Probe)
    }
}
