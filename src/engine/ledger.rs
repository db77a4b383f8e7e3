//! The operation ledger (DESIGN 4): every mutation is recorded before it goes out, has one outcome, and is never
//! repeated by itself.
//!
//! The ledger outlives connections: what was in flight when one ended is OutcomeUnknown until
//! exact evidence (a client id seen as an item, a late response) or the user settles it.

use std::collections::BTreeMap;

use super::view::{ConversationKey, OpKind, OpState};
use crate::base::{OpId, RequestId, Stamp, ThreadId, TurnId, UnixMs, limit};

/// One operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub op: OpId,
    /// The generation that it was meant for.
    pub stamp: Stamp,
    pub kind: OpKind,
    pub conversation: ConversationKey,
    pub thread: Option<ThreadId>,
    /// The turn of a steer or an interrupt.
    pub turn: Option<TurnId>,
    /// The server request of an answer.
    pub request: Option<RequestId>,
    /// The conversation's title and connection, as they were.
    pub place: String,
    pub at: UnixMs,
    pub state: OpState,
    /// The user's text, exactly.
    pub text: Option<String>,
    pub client_id: Option<String>,
    pub progress: Progress,
}

/// How far an operation without an outcome has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Goes out when another operation of the same press has succeeded.
    Waits,
    Out,
    /// The server accepted it; what settles it comes later (a steer: its item, an interrupt: the turn's end).
    Accepted,
}

/// All operations that are not settled or not yet seen by the user.
#[derive(Debug, Default)]
pub struct Ledger {
    entries: BTreeMap<OpId, Entry>,
}

/// No room: new mutations are refused, nothing is evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Full;

impl Ledger {
    /// Records an operation before anything of it goes out.
    pub fn intend(&mut self, entry: Entry) -> Result<(), Full> {
        if self.is_full() {
            return Err(Full);
        }
        self.entries.insert(entry.op, entry);
        Ok(())
    }

    /// Whether new mutations must be refused.
    pub fn is_full(&self) -> bool {
        !self.has_room(1)
    }

    /// Whether so many more fit: a first Send is two operations and begins only if both fit.
    pub fn has_room(&self, more: usize) -> bool {
        self.entries.len() + more <= limit::LEDGER
    }

    pub fn get(&self, op: OpId) -> Option<&Entry> {
        self.entries.get(&op)
    }

    /// Oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// Marks an entry whose dispatch waited for another one.
    pub fn dispatched(&mut self, op: OpId) -> bool {
        self.change(op, OpState::InFlight)
    }

    /// The server accepted it; the outcome comes later.
    pub fn acknowledge(&mut self, op: OpId, turn: TurnId) {
        if let Some(entry) = self.entries.get_mut(&op) {
            entry.progress = Progress::Accepted;
            entry.turn = Some(turn);
        }
    }

    /// The thread of an entry that waited for it.
    pub fn aim(&mut self, op: OpId, thread: ThreadId) {
        if let Some(entry) = self.entries.get_mut(&op) {
            entry.thread = Some(thread);
        }
    }

    /// Settles an operation. `false`: it is settled already (or unknown here) and stays as it is.
    pub fn settle(&mut self, op: OpId, state: OpState) -> bool {
        self.change(op, state)
    }

    fn change(&mut self, op: OpId, to: OpState) -> bool {
        let Some(entry) = self.entries.get_mut(&op) else { return false };
        let allowed = match (&entry.state, &to) {
            (OpState::NotSent(_), OpState::InFlight) => true,
            (_, OpState::InFlight) => false,
            (OpState::InFlight | OpState::NotSent(_), _) => true,
            (OpState::OutcomeUnknown(_), OpState::Confirmed | OpState::Rejected(_) | OpState::Dropped) => true,
            (OpState::Dropped, OpState::Confirmed) => true,
            (OpState::OutcomeUnknown(_) | OpState::Dropped | OpState::Confirmed | OpState::Rejected(_), _) => false,
        };
        if allowed {
            entry.state = to;
            entry.progress = Progress::Out;
        }
        allowed
    }

    /// The connection ended: what was in flight may have been executed, what waited was not sent.
    pub fn lost(&mut self, unknown: &str, not_sent: &str) {
        for entry in self.entries.values_mut() {
            if entry.progress == Progress::Waits {
                entry.progress = Progress::Out;
                entry.state = OpState::NotSent(not_sent.to_owned());
            }
            match entry.state {
                OpState::InFlight => entry.state = OpState::OutcomeUnknown(unknown.to_owned()),
                OpState::NotSent(_)
                | OpState::Confirmed
                | OpState::Rejected(_)
                | OpState::OutcomeUnknown(_)
                | OpState::Dropped => {}
            }
        }
    }

    /// The entry of a message by the id that the server echoes.
    pub fn by_client_id(&self, client_id: &str) -> Option<OpId> {
        self.entries.values().find(|entry| entry.client_id.as_deref() == Some(client_id)).map(|entry| entry.op)
    }

    /// Takes an entry out: settled and seen, or dismissed.
    pub fn remove(&mut self, op: OpId) -> Option<Entry> {
        self.entries.remove(&op)
    }

    /// Whether something of this conversation and kind is on its way and has no answer yet.
    pub fn in_flight(&self, stamp: Stamp, conversation: &ConversationKey, kind: OpKind) -> bool {
        self.entries.values().any(|entry| {
            entry.stamp == stamp
                && entry.conversation == *conversation
                && entry.kind == kind
                && match entry.progress {
                    Progress::Waits => true,
                    Progress::Out => entry.state == OpState::InFlight,
                    Progress::Accepted => false,
                }
        })
    }
}

/// Whether the user has to look at an entry.
pub fn needs_review(entry: &Entry) -> bool {
    match &entry.state {
        _ if entry.progress == Progress::Waits => false,
        OpState::InFlight | OpState::Confirmed => false,
        OpState::NotSent(_) | OpState::Rejected(_) | OpState::OutcomeUnknown(_) | OpState::Dropped => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(op: u64) -> Entry {
        Entry {
            op: OpId(op),
            stamp: Stamp { owner: 1, connection: 1 },
            kind: OpKind::Send,
            conversation: ConversationKey::Local(1),
            thread: None,
            turn: None,
            request: None,
            place: "here".into(),
            at: UnixMs(0),
            state: OpState::InFlight,
            text: Some("hi".into()),
            client_id: Some(format!("c{op}")),
            progress: Progress::Out,
        }
    }

    #[test]
    fn an_outcome_is_given_once_and_only_evidence_settles_the_unknown() {
        let mut ledger = Ledger::default();
        ledger.intend(entry(1)).unwrap();
        assert!(ledger.settle(OpId(1), OpState::Rejected("no".into())));
        assert!(!ledger.settle(OpId(1), OpState::Confirmed), "a refused operation never becomes confirmed");
        ledger.intend(entry(2)).unwrap();
        ledger.lost("lost", "not sent");
        assert_eq!(ledger.get(OpId(2)).unwrap().state, OpState::OutcomeUnknown("lost".into()));
        assert!(!ledger.settle(OpId(2), OpState::NotSent("x".into())), "the unknown is not called unsent");
        assert!(!ledger.dispatched(OpId(2)), "nothing is sent twice");
        assert!(ledger.settle(OpId(2), OpState::Confirmed));
    }

    #[test]
    fn a_full_ledger_refuses_and_evicts_nothing() {
        let mut ledger = Ledger::default();
        for op in 0..limit::LEDGER as u64 {
            ledger.intend(entry(op)).unwrap();
        }
        assert_eq!(ledger.intend(entry(9_999)), Err(Full));
        assert_eq!(ledger.iter().count(), limit::LEDGER);
        assert!(ledger.get(OpId(0)).is_some());
    }
}
