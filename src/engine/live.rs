//! Live conversations: snapshot, then events exactly after it; pages; evidence; the end of a turn.

use super::conversation::{Feed, Member};
use super::history::FetchError;
use super::ledger::Progress;
use super::owner::Call;
use super::view::{ConversationKey, OpKind, OpState};
use super::{Engine, words};
use crate::base::{OpId, ThreadId, TurnId, UnixMs, limit};
use crate::contract::{CallOutcome, Request};
use crate::live::Change;
use crate::live::snapshot::Assembler;
use crate::protocol::ServerNotification;

/// Pages on their way at once; the rest of `limit::IN_FLIGHT` stays free for what the user does.
const PAGES: usize = limit::IN_FLIGHT / 2;

impl Engine {
    /// Asks for a snapshot of a subscribed conversation and its live events from there on.
    pub(super) fn attach(&mut self, key: &ConversationKey) {
        let op = self.next_op();
        let Some(conv) = self.owner.conversations.get_mut(key) else { return };
        let Some(thread) = conv.thread.as_ref().map(|thread| thread.id.clone()) else { return };
        conv.member = Member::Joined(Feed::Attaching(op));
        self.owner.calls.insert(op, Call::Attach(key.clone()));
        self.write(Request::Attach { op, thread });
    }

    /// Events were lost on the way: everything since the last snapshot is read again.
    pub(super) fn lagged(&mut self) {
        let Some(key) = self.owner.open.clone() else { return };
        if matches!(self.owner.conversations.get(&key).map(|conv| &conv.member), Some(Member::Joined(_))) {
            self.attach(&key);
        }
    }

    pub(super) fn snapshot_begun(&mut self, op: OpId, thread: ThreadId, seq: u64, bytes: usize) {
        if matches!(self.owner.calls.get(&op), Some(Call::Attach(_))) {
            self.owner.snapshots.insert(op, Assembler::begin(thread, seq, bytes));
        }
    }

    pub(super) fn snapshot_part(&mut self, op: OpId, text: &str) {
        if let Some(snapshot) = self.owner.snapshots.get_mut(&op)
            && snapshot.part(text).is_err()
        {
            self.owner.snapshots.remove(&op);
        }
    }

    pub(super) fn snapshot_ended(&mut self, op: OpId) {
        let Some(Call::Attach(key)) = self.owner.calls.remove(&op) else { return };
        let snapshot = self.owner.snapshots.remove(&op);
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        // A later Attach, or leaving, made this one meaningless.
        if !matches!(conv.member, Member::Joined(Feed::Attaching(current)) if current == op) {
            return;
        }
        match snapshot.map(Assembler::end) {
            Some(Ok((live, seq))) => {
                if let Some(history) = &mut conv.history {
                    history.attached(&live, self.now);
                }
                conv.member = Member::Joined(Feed::Attached { live: Box::new(live), seq });
                self.learn_running(&key);
            }
            Some(Err(_)) | None => {
                conv.note = Some(words::SNAPSHOT_FAULT.to_owned());
                self.announce(true, words::SNAPSHOT_FAULT);
            }
        }
    }

    /// The subscription is gone.
    pub(super) fn not_subscribed(&mut self, op: OpId) {
        let Some(Call::Attach(key)) = self.owner.calls.remove(&op) else { return };
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        if matches!(conv.member, Member::Joined(Feed::Attaching(current)) if current == op) {
            conv.member = Member::ReadOnly;
            conv.note = Some(words::CLOSED.to_owned());
        }
    }

    /// A live event of an attached thread. `false`: nothing that the list of conversations shows changed.
    pub(super) fn live_event(&mut self, thread: &ThreadId, seq: u64, at: UnixMs, event: &ServerNotification) -> bool {
        self.live_notice(event);
        let key = self.owner.key_of(thread);
        let open = self.owner.open.as_ref() == Some(&key);
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return false };
        let (live, last) = match &mut conv.member {
            Member::Joined(Feed::Attached { live, seq }) => (live, seq),
            Member::Joined(Feed::Away { .. }) => {
                if matches!(event, ServerNotification::TurnCompleted { .. }) {
                    self.turn_ended_away(thread);
                }
                return true;
            }
            // Before the snapshot: it contains this event, or the gap is seen after it.
            Member::New | Member::ReadOnly | Member::Joining | Member::JoinFailed(_) | Member::Joined(_) => {
                return false;
            }
        };
        if seq <= *last {
            return false;
        }
        if seq != *last + 1 {
            self.attach(&key);
            return false;
        }
        *last = seq;
        let change = live.apply(at, event);
        if let Some(history) = &mut conv.history {
            history.live(live, &change, self.now);
        }
        if open { self.changed(&key, &change) } else { true }
    }

    /// Announcements and cards after a change of the open conversation.
    fn changed(&mut self, key: &ConversationKey, change: &Change) -> bool {
        match change {
            Change::Nothing | Change::BlockChanged(..) | Change::TurnChanged => false,
            Change::TurnStarted(_) => true,
            Change::Completed(entry) => {
                if self.guard.admit(self.now.instant) {
                    self.announce(false, words::completed(&entry.item));
                }
                false
            }
            Change::TurnEnded { turn, .. } => {
                let thread = self.owner.conversations.get(key).and_then(|conv| conv.thread.as_ref());
                if let Some(thread) = thread.map(|thread| thread.id.clone()) {
                    self.owner.requests.turn_ended(&thread, &turn.id);
                }
                if let Some(text) = words::turn_ended(turn) {
                    self.announce(false, text);
                }
                true
            }
        }
    }

    /// What the server says beside the transcript.
    fn live_notice(&mut self, event: &ServerNotification) {
        match event {
            ServerNotification::ModelRerouted { from_model, to_model, .. } => {
                self.notice(format!("The server answered with {to_model} in place of {from_model}."), None);
            }
            ServerNotification::GuardianWarning { message, .. } => self.notice(words::short(message), None),
            _ => {}
        }
    }

    /// A turn of a conversation that is not open ended.
    pub(super) fn turn_ended_away(&mut self, thread: &ThreadId) {
        let key = self.owner.key_of(thread);
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        if let Member::Joined(Feed::Away { running }) = &mut conv.member {
            *running = false;
        } else {
            return;
        }
        conv.interrupted = None;
        for entry in self.accepted_here(&key) {
            match entry.1 {
                OpKind::Steer => {
                    self.ledger.settle(entry.0, OpState::OutcomeUnknown(words::STEER_UNSEEN.into()));
                }
                _ => {
                    self.ledger.remove(entry.0);
                }
            }
        }
        self.unsubscribe_if_done(&key);
    }

    /// Accepted steers and interrupts of a conversation of this generation.
    fn accepted_here(&self, key: &ConversationKey) -> Vec<(OpId, OpKind, Option<TurnId>)> {
        let stamp = self.partition.current();
        self.ledger
            .iter()
            .filter(|entry| Some(entry.stamp) == stamp && entry.conversation == *key)
            .filter(|entry| match entry.kind {
                OpKind::Steer => entry.progress == Progress::Accepted,
                // The end of its turn settles an interrupt, answered or not.
                OpKind::Interrupt => true,
                OpKind::StartConversation | OpKind::Join | OpKind::Send | OpKind::Answer => false,
            })
            .map(|entry| (entry.op, entry.kind, entry.turn.clone()))
            .collect()
    }

    /// Exact evidence first (a client id seen as an item), then what the end of a turn settles.
    pub(super) fn settle_evidence(&mut self) {
        let Some(key) = self.owner.open.clone() else { return };
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        for client_id in conv.history.as_mut().map(super::history::History::take_evidence).unwrap_or_default() {
            if let Some(op) = self.ledger.by_client_id(&client_id) {
                self.confirm(op);
            }
        }
        for (op, kind, turn) in self.accepted_here(&key) {
            let conv = self.owner.conversations.get(&key);
            let ended =
                turn.is_some_and(|turn| conv.and_then(|conv| conv.live()).is_some_and(|live| live.has_ended(&turn)));
            match kind {
                _ if !ended => {}
                OpKind::Steer => self.steer_dropped(op),
                _ => {
                    self.ledger.settle(op, OpState::Confirmed);
                    self.ledger.remove(op);
                }
            }
        }
    }

    // Pages.

    /// Sends the pages that the open history wants.
    pub(super) fn pump_pages(&mut self) {
        let Some(key) = self.owner.open.clone() else { return };
        loop {
            if self.owner.calls.values().filter(|call| matches!(call, Call::Page { .. })).count() >= PAGES {
                return;
            }
            let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
            let Some(fetch) = conv.history.as_mut().and_then(super::history::History::poll_fetch) else { return };
            self.call(fetch.request, Call::Page { conversation: key.clone(), fetch: fetch.id });
        }
    }

    pub(super) fn page_read(&mut self, key: &ConversationKey, fetch: u64, outcome: CallOutcome) {
        let result = match outcome {
            CallOutcome::Ok(response) => Ok(*response),
            CallOutcome::Rejected(error) => Err(FetchError::Rejected { code: error.code, message: error.message }),
            CallOutcome::TimedOut => Err(FetchError::TimedOut),
            CallOutcome::Lost => Err(FetchError::Lost),
            CallOutcome::NotSent { reason } | CallOutcome::Unreadable { reason } => Err(FetchError::Unreadable(reason)),
        };
        if let Some(history) = self.owner.conversations.get_mut(key).and_then(|conv| conv.history.as_mut()) {
            history.fetched(fetch, result, self.now);
            self.learn_running(key);
        }
    }

    /// A turn that waits says nothing to who joins it: the pages say that it runs.
    fn learn_running(&mut self, key: &ConversationKey) {
        let Some(conv) = self.owner.conversations.get_mut(key) else { return };
        if let (Member::Joined(Feed::Attached { live, .. }), Some(history)) = (&mut conv.member, &mut conv.history)
            && live.running.is_none()
            && let Some(turn) = history.runs_by_pages()
        {
            let change = live.turn_known_running(self.now.unix_ms, &turn);
            history.live(live, &change, self.now);
        }
    }
}
