//! Requests of the server that wait for the user: each answered at most once.
//!
//! Keyed by the server's own id, which is bound to this connection and server process (FACTS
//! 12.7): a registry never outlives its machine. An answer, `serverRequest/resolved`, a re-sent
//! request, the turn's end and the connection's end race; whichever comes first removes or claims
//! the entry, and everything later finds nothing to answer.

use std::collections::BTreeMap;

use crate::base::{RequestId, ThreadId, TurnId, limit};
use crate::contract::event::Resolution;
use crate::protocol::server_request::CommandDecision;
use crate::protocol::{Answer, ServerRequest};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Asks {
    open: BTreeMap<RequestId, Open>,
}

#[derive(Debug)]
struct Open {
    ask: ServerRequest,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    /// An answer of ours was accepted for sending.
    Claimed,
}

/// Whether a request got a card.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opened {
    New,
    /// The same request came again; the old card retires first.
    Replaced,
    /// More than `limit::OPEN_CARDS` wait already.
    TooMany,
}

impl Asks {
    /// The server asks.
    pub fn open(&mut self, id: RequestId, ask: ServerRequest) -> Opened {
        let known = self.open.contains_key(&id);
        if !known && self.open.len() == limit::OPEN_CARDS {
            return Opened::TooMany;
        }
        self.open.insert(id, Open { ask, state: State::Waiting });
        if known { Opened::Replaced } else { Opened::New }
    }

    /// Claims the request for this answer: `true` at most once, and only for an answer it allows.
    pub fn claim(&mut self, id: &RequestId, answer: &Answer) -> bool {
        match self.open.get_mut(id) {
            Some(open) if open.state == State::Waiting && allows(&open.ask, answer) => {
                open.state = State::Claimed;
                true
            }
            Some(_) | None => false,
        }
    }

    /// `serverRequest/resolved`; `None` for what is not open (any more).
    pub fn resolved(&mut self, id: &RequestId) -> Option<Resolution> {
        self.open.remove(id).map(|open| match open.state {
            State::Waiting => Resolution::Elsewhere,
            State::Claimed => Resolution::Answered,
        })
    }

    /// A turn ended: its requests retire.
    pub fn turn_ended(&mut self, thread: &ThreadId, turn: &TurnId) -> Vec<RequestId> {
        self.retire(|ask| ask.thread_id() == Some(thread) && ask.turn_id() == Some(turn))
    }

    /// A thread was closed or deleted: its requests retire.
    pub fn thread_ended(&mut self, thread: &ThreadId) -> Vec<RequestId> {
        self.retire(|ask| ask.thread_id() == Some(thread))
    }

    fn retire(&mut self, over: impl Fn(&ServerRequest) -> bool) -> Vec<RequestId> {
        self.open.extract_if(.., |_, open| over(&open.ask)).map(|(id, _)| id).collect()
    }
}

/// Whether this answer may be given to this request: its kind, and only what was offered. Decline and
/// Cancel always may (FACTS 18.2).
fn allows(ask: &ServerRequest, answer: &Answer) -> bool {
    match (ask, answer) {
        (ServerRequest::FileChangeApproval(_), Answer::FileChange(_)) => true,
        (ServerRequest::CommandApproval(ask), Answer::Command(decision)) => match decision {
            CommandDecision::Decline | CommandDecision::Cancel => true,
            CommandDecision::Unknown(_) => false,
            CommandDecision::Accept | CommandDecision::AcceptForSession => {
                ask.available_decisions.as_ref().is_none_or(|offered| offered.contains(decision))
            }
            CommandDecision::AcceptWithExecpolicyAmendment { .. }
            | CommandDecision::ApplyNetworkPolicyAmendment { .. } => {
                ask.available_decisions.as_ref().is_some_and(|offered| offered.contains(decision))
            }
        },
        (ServerRequest::FileChangeApproval(_), Answer::Command(_))
        | (ServerRequest::CommandApproval(_), Answer::FileChange(_))
        | (ServerRequest::Other(_), Answer::Command(_) | Answer::FileChange(_)) => false,
    }
}
