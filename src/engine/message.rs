//! Messages, steers and interrupts: one press, one operation, one outcome (DESIGN 4).

use super::conversation::{Feed, Member};
use super::input::{Focus, Output};
use super::ledger::{Entry, Progress};
use super::owner::Call;
use super::settings::policy;
use super::view::{ConversationKey, OpKind, OpState, SendState};
use super::{Engine, words};
use crate::base::{OpId, TurnId};
use crate::contract::CallOutcome;
use crate::protocol::item::UserInput;
use crate::protocol::request::{
    SessionResponse, ThreadStartParams, TurnInterruptParams, TurnStartParams, TurnSteerParams,
};
use crate::protocol::{ClientRequest, ClientResponse, ThreadItem, Turn};

/// The text as it is sent: line ends as LF, nothing trimmed or escaped.
fn sent_text(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn input(text: &str) -> Vec<UserInput> {
    vec![UserInput::Text { text: text.to_owned() }]
}

impl Engine {
    pub(super) fn send(&mut self) {
        self.out(Output::Focus(Focus::Composer));
        let key = self.owner.open.clone().unwrap_or(super::OFFLINE);
        let kind = match self.send_state(&key) {
            SendState::Cannot(reason) => return self.announce(false, reason),
            SendState::Start => OpKind::Send,
            SendState::Steer => OpKind::Steer,
        };
        let client_id = (self.config.new_id)();
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        let is_new = matches!(conv.member, Member::New);
        let running = if kind == OpKind::Steer { conv.running_turn() } else { None };
        let text = std::mem::take(&mut conv.composer);
        conv.note = None;
        let start = if is_new { self.intend(OpKind::StartConversation, &key, |_| {}) } else { None };
        let message = self.intend(kind, &key, |entry| {
            entry.text = Some(text.clone());
            entry.client_id = Some(client_id.clone());
            entry.turn.clone_from(&running);
            if is_new {
                entry.state = OpState::NotSent(words::NOT_STARTED.to_owned());
                entry.progress = Progress::Waits;
            }
        });
        // `send_state` has seen to it that there is room.
        let Some(op) = message else { return self.put_back(&key, text) };
        if let Some(conv) = self.owner.conversations.get_mut(&key).filter(|conv| conv.opening.is_none()) {
            conv.opening = Some(text.clone());
        }
        self.out(Output::ComposerReplaced { conversation: key.clone(), text: String::new() });
        let now = self.now;
        self.with_history(|history| history.echo(op, &sent_text(&text), &client_id, now));
        match (start, running) {
            (Some(start), _) => self.start_thread(start, &key),
            (None, Some(turn)) => self.dispatch_steer(op, turn),
            (None, None) => self.dispatch_start(op),
        }
    }

    fn put_back(&mut self, key: &ConversationKey, text: String) {
        if let Some(conv) = self.owner.conversations.get_mut(key) {
            conv.composer = text;
        }
    }

    fn start_thread(&mut self, op: OpId, key: &ConversationKey) {
        let Some(conv) = self.owner.conversations.get(key) else { return };
        let (settings, chosen) = (&conv.settings, &conv.settings.chosen);
        let start = ThreadStartParams {
            cwd: settings.cwd.clone(),
            model: chosen.model.clone(),
            approval_policy: chosen.approval.clone(),
            sandbox: chosen.sandbox,
        };
        self.call_as(op, ClientRequest::ThreadStart(start), Call::Operation);
    }

    fn dispatch_start(&mut self, op: OpId) {
        let Some(entry) = self.ledger.get(op).cloned() else { return };
        let Some(conv) = self.owner.conversations.get(&entry.conversation) else { return };
        let (Some(thread), Some(text), Some(client_id)) = (&conv.thread, &entry.text, &entry.client_id) else { return };
        let chosen = &conv.settings.chosen;
        let start = TurnStartParams {
            thread_id: thread.id.clone(),
            input: input(&sent_text(text)),
            client_user_message_id: client_id.clone(),
            model: chosen.model.clone(),
            effort: chosen.effort.clone(),
            approval_policy: chosen.approval.clone(),
            sandbox_policy: chosen.sandbox.map(policy),
        };
        self.owner.sent_choices.insert(op, chosen.clone());
        self.call_as(op, ClientRequest::TurnStart(start), Call::Operation);
    }

    fn dispatch_steer(&mut self, op: OpId, turn: TurnId) {
        let Some(entry) = self.ledger.get(op) else { return };
        let (Some(thread), Some(text), Some(client_id)) = (&entry.thread, &entry.text, &entry.client_id) else {
            return;
        };
        let steer = TurnSteerParams {
            thread_id: thread.clone(),
            expected_turn_id: turn,
            input: input(&sent_text(text)),
            client_user_message_id: client_id.clone(),
        };
        self.call_as(op, ClientRequest::TurnSteer(steer), Call::Operation);
    }

    /// `turn/interrupt`, once for a turn: a repeated one hangs (FACTS S4).
    pub(super) fn interrupt(&mut self) {
        let Some(key) = self.owner.open.clone() else { return };
        if self.ledger.is_full() {
            return self.announce(false, words::CANNOT_LEDGER);
        }
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        let (Some(turn), Some(thread)) = (conv.running_turn(), conv.thread.as_ref().map(|thread| thread.id.clone()))
        else {
            return self.announce(false, words::NOTHING_TO_STOP);
        };
        if conv.interrupted.as_ref() == Some(&turn) {
            return self.announce(false, words::STOP_AGAIN);
        }
        conv.interrupted = Some(turn.clone());
        let Some(op) = self.intend(OpKind::Interrupt, &key, |entry| entry.turn = Some(turn.clone())) else { return };
        let interrupt = TurnInterruptParams { thread_id: thread, turn_id: turn };
        self.call_as(op, ClientRequest::TurnInterrupt(interrupt), Call::Operation);
    }

    // Outcomes.

    /// The one answer to an operation, or its absence.
    pub(super) fn operation_settled(&mut self, op: OpId, outcome: CallOutcome) {
        let Some(entry) = self.ledger.get(op).cloned() else { return };
        match entry.kind {
            OpKind::Join => self.join_settled(&entry, outcome),
            OpKind::StartConversation => self.start_settled(&entry, outcome),
            OpKind::Send | OpKind::Steer => self.message_settled(&entry, outcome),
            OpKind::Interrupt => self.interrupt_settled(&entry, outcome),
            OpKind::Answer => {}
        }
    }

    /// The connection ended before the answer.
    pub(super) fn operation_lost(&mut self, op: OpId) {
        let state = OpState::OutcomeUnknown(words::LOST_UNKNOWN.to_owned());
        if self.ledger.settle(op, state.clone())
            && let Some(key) = self.ledger.get(op).map(|entry| entry.conversation.clone())
        {
            self.show_state(op, &key, state);
        }
    }

    fn start_settled(&mut self, entry: &Entry, outcome: CallOutcome) {
        let stamp = entry.stamp;
        let waiting = self
            .ledger
            .iter()
            .find(|other| {
                other.stamp == stamp && other.conversation == entry.conversation && other.progress == Progress::Waits
            })
            .map(|other| other.op);
        let state = match outcome {
            CallOutcome::Ok(response) => match *response {
                ClientResponse::ThreadStart(session) => {
                    self.ledger.remove(entry.op);
                    return self.started(&entry.conversation, &session, waiting);
                }
                _ => OpState::OutcomeUnknown(words::UNREADABLE.into()),
            },
            other => self.state_of(other),
        };
        let why = format!("{} {}", words::START_FAILED, words_of(&state));
        self.ledger.settle(entry.op, state.clone());
        if !matches!(state, OpState::OutcomeUnknown(_)) {
            self.ledger.remove(entry.op);
        }
        if let Some(waiting) = waiting {
            self.not_executed(waiting, OpState::NotSent(why));
        }
    }

    /// `thread/start` succeeded: attach, then the message of the same press.
    fn started(&mut self, key: &ConversationKey, session: &SessionResponse, waiting: Option<OpId>) {
        let open = self.owner.open.as_ref() == Some(key);
        self.owner.threads.learn(&session.thread);
        let Some(conv) = self.owner.conversations.get_mut(key) else { return };
        conv.settings.inherit(session);
        conv.settings.started();
        conv.thread = Some(session.thread.clone());
        conv.member = Member::Joined(Feed::Away { running: false });
        if let Some(history) = &mut conv.history {
            history.thread_changed(&session.thread);
        }
        if let Some(op) = waiting
            && self.ledger.dispatched(op)
        {
            self.ledger.aim(op, session.thread.id.clone());
            if open {
                self.attach(key);
            }
            self.dispatch_start(op);
        } else if open {
            self.attach(key);
        } else {
            self.unsubscribe_if_done(key);
        }
    }

    fn message_settled(&mut self, entry: &Entry, outcome: CallOutcome) {
        let state = match outcome {
            CallOutcome::Ok(response) => match (*response, entry.kind) {
                (ClientResponse::TurnStart(started), OpKind::Send) => return self.turn_started(entry, &started.turn),
                (ClientResponse::TurnSteer(steered), OpKind::Steer) => {
                    return self.ledger.acknowledge(entry.op, steered.turn_id);
                }
                _ => OpState::OutcomeUnknown(words::UNREADABLE.into()),
            },
            other => self.state_of(other),
        };
        match state {
            OpState::OutcomeUnknown(_) => {
                self.ledger.settle(entry.op, state.clone());
                self.show_state(entry.op, &entry.conversation, state.clone());
                self.announce(true, words_of(&state));
            }
            _ => self.not_executed(entry.op, state),
        }
        self.unsubscribe_if_done(&entry.conversation);
    }

    fn turn_started(&mut self, entry: &Entry, turn: &Turn) {
        let sent = self.owner.sent_choices.remove(&entry.op);
        let at = self.now.unix_ms;
        let Some(conv) = self.owner.conversations.get_mut(&entry.conversation) else { return };
        if let Some(sent) = sent {
            conv.settings.consumed(&sent);
        }
        match &mut conv.member {
            Member::Joined(Feed::Away { running }) => *running = true,
            Member::Joined(Feed::Attached { live, .. }) => {
                // Somebody else's message began this turn: ours was added to it (FACTS S5).
                let added = live.entries.iter().any(|other| {
                    other.turn == turn.id
                        && matches!(&other.item, ThreadItem::UserMessage { client_id, .. } if *client_id != entry.client_id)
                });
                let change = live.turn_known_running(at, &turn.id);
                if let Some(history) = &mut conv.history {
                    history.live(live, &change, self.now);
                }
                if added {
                    conv.note = Some(words::ADDED.to_owned());
                    self.announce(false, words::ADDED);
                }
            }
            Member::New | Member::ReadOnly | Member::Joining | Member::JoinFailed(_) | Member::Joined(_) => {}
        }
        self.confirm(entry.op);
    }

    fn interrupt_settled(&mut self, entry: &Entry, outcome: CallOutcome) {
        let accepted = matches!(&outcome, CallOutcome::Ok(_));
        if accepted {
            if let Some(turn) = entry.turn.clone() {
                self.ledger.acknowledge(entry.op, turn);
            }
            return;
        }
        let state = self.state_of(outcome);
        let unknown = matches!(state, OpState::OutcomeUnknown(_));
        let words = if unknown { words::STOP_UNANSWERED.to_owned() } else { words_of(&state) };
        self.ledger.settle(entry.op, state);
        if let Some(conv) = self.owner.conversations.get_mut(&entry.conversation) {
            conv.note = Some(words.clone());
            if !unknown {
                // Definitely not executed: it may be asked for again.
                conv.interrupted = None;
            }
        }
        if !unknown {
            self.ledger.remove(entry.op);
        }
        self.announce(true, words);
    }

    /// A response after its time: it settles an unknown outcome and changes nothing else.
    pub(super) fn late_response(&mut self, op: OpId, outcome: CallOutcome) {
        let Some(entry) = self.ledger.get(op).cloned() else { return };
        if !matches!(entry.state, OpState::OutcomeUnknown(_)) {
            return;
        }
        match outcome {
            CallOutcome::Ok(response) => match (*response, entry.kind) {
                (ClientResponse::TurnSteer(steered), OpKind::Steer) => self.ledger.acknowledge(op, steered.turn_id),
                _ => {
                    if let (OpKind::Join, Some(conv)) =
                        (entry.kind, self.owner.conversations.get_mut(&entry.conversation))
                    {
                        conv.member = Member::JoinFailed(words::JOIN_LATE.to_owned());
                    }
                    self.confirm(op);
                }
            },
            CallOutcome::Rejected(error) => {
                let state = OpState::Rejected(words::rejected(&error));
                self.ledger.settle(op, state.clone());
                self.show_state(op, &entry.conversation, state);
                if entry.text.is_none() {
                    self.ledger.remove(op);
                }
            }
            CallOutcome::NotSent { .. }
            | CallOutcome::TimedOut
            | CallOutcome::Lost
            | CallOutcome::Unreadable { .. } => {}
        }
    }

    /// Accepted, proven. There is nothing left to review.
    pub(super) fn confirm(&mut self, op: OpId) {
        let doubted = self.ledger.get(op).is_some_and(|entry| matches!(entry.state, OpState::OutcomeUnknown(_)));
        if self.ledger.settle(op, OpState::Confirmed)
            && let Some(entry) = self.ledger.remove(op)
        {
            self.show_state(op, &entry.conversation, OpState::Confirmed);
            self.unsubscribe_if_done(&entry.conversation);
            if doubted && entry.text.is_some() {
                self.announce(false, words::ACCEPTED_AFTER_ALL);
            }
        }
    }

    pub(super) fn steer_dropped(&mut self, op: OpId) {
        if self.ledger.settle(op, OpState::Dropped)
            && let Some(key) = self.ledger.get(op).map(|entry| entry.conversation.clone())
        {
            self.show_state(op, &key, OpState::Dropped);
            self.announce(true, words::DROPPED);
        }
    }

    fn show_state(&mut self, op: OpId, key: &ConversationKey, state: OpState) {
        if let Some(history) = self.owner.conversations.get_mut(key).and_then(|conv| conv.history.as_mut()) {
            history.set_op(op, state);
        }
    }

    /// The text of an operation stands elsewhere now, so its echo goes.
    pub(super) fn withdraw(&mut self, op: OpId, key: &ConversationKey) {
        if let Some(history) = self.owner.conversations.get_mut(key).and_then(|conv| conv.history.as_mut()) {
            history.dismiss_echo(op);
        }
    }

    /// Definitely not executed: the text waits in review. No event of a server touches a composer (DESIGN 4).
    fn not_executed(&mut self, op: OpId, state: OpState) {
        let why = format!("{} {}", words_of(&state), words::TEXT_IN_REVIEW);
        self.ledger.settle(op, state.clone());
        let Some(key) = self.ledger.get(op).map(|entry| entry.conversation.clone()) else { return };
        self.owner.sent_choices.remove(&op);
        self.show_state(op, &key, state);
        self.announce(true, why);
    }

    /// What became of an operation that did not succeed.
    fn state_of(&mut self, outcome: CallOutcome) -> OpState {
        match outcome {
            CallOutcome::Rejected(error) => {
                self.owner.draining |= error.is_draining();
                OpState::Rejected(words::rejected(&error))
            }
            CallOutcome::NotSent { reason } => OpState::NotSent(words::not_sent(&reason)),
            CallOutcome::TimedOut => OpState::OutcomeUnknown(words::TIMED_OUT.into()),
            CallOutcome::Lost => OpState::OutcomeUnknown(words::LOST_UNKNOWN.into()),
            CallOutcome::Ok(_) | CallOutcome::Unreadable { .. } => OpState::OutcomeUnknown(words::UNREADABLE.into()),
        }
    }
}

fn words_of(state: &OpState) -> String {
    match state {
        OpState::NotSent(why) | OpState::Rejected(why) | OpState::OutcomeUnknown(why) => why.clone(),
        OpState::Dropped => words::DROPPED.to_owned(),
        OpState::InFlight | OpState::Confirmed => String::new(),
    }
}
