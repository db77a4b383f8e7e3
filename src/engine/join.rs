//! Join: `thread/resume`, by the user alone; its failure keeps history, cursors and text (DESIGN 5).

use super::conversation::{Feed, Member};
use super::input::{Focus, Output};
use super::ledger::Entry;
use super::owner::Call;
use super::view::{ConversationKey, OpKind, OpState};
use super::{Engine, words};
use crate::contract::CallOutcome;
use crate::protocol::request::{SessionResponse, ThreadResumeParams};
use crate::protocol::{ClientRequest, ClientResponse};

impl Engine {
    pub(super) fn join(&mut self) {
        self.out(Output::Focus(Focus::Composer));
        let Some(key) = self.owner.open.clone() else { return };
        if let Some(reason) = self.mutation_refused(1) {
            return self.announce(false, reason);
        }
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        let Some(thread) = conv.thread.as_ref().map(|thread| thread.id.clone()) else { return };
        if conv.out_of_date().is_some() {
            return self.announce(false, words::CANNOT_OUT_OF_DATE);
        }
        match conv.member {
            Member::ReadOnly | Member::JoinFailed(_) if !conv.gone => conv.member = Member::Joining,
            Member::New | Member::Joining | Member::Joined(_) | Member::ReadOnly | Member::JoinFailed(_) => return,
        }
        conv.note = None;
        let Some(op) = self.intend(OpKind::Join, &key, |_| {}) else { return };
        let resume = ThreadResumeParams { thread_id: thread, exclude_turns: true };
        self.call_as(op, ClientRequest::ThreadResume(resume), Call::Operation);
    }

    pub(super) fn join_settled(&mut self, entry: &Entry, outcome: CallOutcome) {
        let (state, why) = match outcome {
            CallOutcome::Ok(response) => match *response {
                ClientResponse::ThreadResume(session) => {
                    self.ledger.remove(entry.op);
                    return self.joined(&entry.conversation, &session);
                }
                _ => (OpState::OutcomeUnknown(words::UNREADABLE.into()), words::UNREADABLE.to_owned()),
            },
            CallOutcome::Rejected(error) => {
                self.owner.draining |= error.is_draining();
                let why = words::join_refused(&error);
                (OpState::Rejected(why.clone()), why)
            }
            CallOutcome::NotSent { reason } => (OpState::NotSent(reason.clone()), words::read_failed(&reason)),
            CallOutcome::TimedOut | CallOutcome::Lost => {
                (OpState::OutcomeUnknown(words::TIMED_OUT.into()), words::JOIN_TIMED_OUT.to_owned())
            }
            CallOutcome::Unreadable { .. } => {
                (OpState::OutcomeUnknown(words::UNREADABLE.into()), words::UNREADABLE.to_owned())
            }
        };
        let unknown = matches!(state, OpState::OutcomeUnknown(_));
        self.ledger.settle(entry.op, state);
        if !unknown {
            // The conversation says why; there is nothing to review.
            self.ledger.remove(entry.op);
        }
        if let Some(conv) = self.owner.conversations.get_mut(&entry.conversation) {
            conv.gone |= why == words::GONE;
            conv.member = Member::JoinFailed(why.clone());
        }
        self.announce(false, why);
    }

    fn joined(&mut self, key: &ConversationKey, session: &SessionResponse) {
        let open = self.owner.open.as_ref() == Some(key);
        self.owner.threads.learn(&session.thread);
        let Some(conv) = self.owner.conversations.get_mut(key) else { return };
        conv.settings.inherit(session);
        conv.thread = Some(session.thread.clone());
        let running = conv.is_active();
        conv.member = Member::Joined(Feed::Away { running });
        if !open {
            return self.unsubscribe_if_done(key);
        }
        self.attach(key);
        self.with_history(|history| {
            history.thread_changed(&session.thread);
            history.begin_sync();
        });
        self.announce(false, "Joined");
    }
}
