//! Composers, choices for the next turn, reviews and answers: what the user does beside sending.

use super::conversation::{Feed, Member};
use super::input::{Focus, Intent, Output};
use super::ledger;
use super::requests::Refused;
use super::view::{ConversationKey, OpKind, OpState, SendState};
use super::{Engine, OFFLINE, words};
use crate::base::{OpId, RequestId};
use crate::contract::Request;
use crate::protocol::Answer;

impl Engine {
    /// The whole text of a composer after an edit. No text is dropped, whichever composer it was typed in.
    pub(super) fn edit(&mut self, key: &ConversationKey, text: String) {
        if let Some(conv) = self.owner.conversations.get_mut(key) {
            conv.composer = text;
        } else if *key == OFFLINE {
            self.offline = text;
        } else if !self.drafts.all().iter().any(|draft| draft.conversation == *key && draft.text == text) {
            // Typed into a composer that has just been frozen: the frozen text stays as it is.
            self.offline = text;
        }
    }

    /// The text of a composer, exactly.
    pub fn composer_text(&self, key: &ConversationKey) -> &str {
        match self.owner.conversations.get(key) {
            Some(conv) => &conv.composer,
            None if *key == OFFLINE => &self.offline,
            None => "",
        }
    }

    /// Why no mutation can begin now, if so.
    pub(super) fn mutation_refused(&self, operations: usize) -> Option<&'static str> {
        if self.owner.server.is_none() {
            Some(words::CANNOT_OFFLINE)
        } else if self.owner.account.sign_in_needed {
            Some(words::CANNOT_SIGN_IN)
        } else if self.owner.account.fingerprint.is_none() {
            Some(words::CANNOT_SYNC)
        } else if self.owner.draining {
            Some(words::CANNOT_DRAINING)
        } else if !self.ledger.has_room(operations) {
            Some(words::CANNOT_LEDGER)
        } else if self.drafts.is_full() {
            Some(words::CANNOT_DRAFTS)
        } else {
            None
        }
    }

    /// What Send would do in this conversation, or why it cannot.
    pub(super) fn send_state(&mut self, key: &ConversationKey) -> SendState {
        let cannot = |reason: &str| SendState::Cannot(reason.to_owned());
        if let Some(reason) = self.mutation_refused(2) {
            return cannot(reason);
        }
        let Some((_, stamp)) = self.owner.link() else { return cannot(words::CANNOT_OFFLINE) };
        let pending = [OpKind::Send, OpKind::Steer, OpKind::StartConversation]
            .into_iter()
            .any(|kind| self.ledger.in_flight(stamp, key, kind));
        let Some(conv) = self.owner.conversations.get_mut(key) else { return cannot(words::CANNOT_NOTHING_OPEN) };
        if conv.gone {
            return cannot(words::GONE);
        }
        if conv.out_of_date().is_some() {
            return cannot(words::CANNOT_OUT_OF_DATE);
        }
        match &conv.member {
            Member::ReadOnly | Member::JoinFailed(_) => return cannot(words::CANNOT_JOIN_FIRST),
            Member::Joining => return cannot(words::CANNOT_JOINING),
            _ if pending => return cannot(words::CANNOT_PENDING),
            Member::Joined(Feed::Attaching(_) | Feed::Away { .. }) => return cannot(words::CANNOT_RUNNING_UNKNOWN),
            Member::New | Member::Joined(Feed::Attached { .. }) => {}
        }
        if conv.composer.trim().is_empty() {
            return cannot(words::CANNOT_EMPTY);
        }
        if conv.running_turn().is_some() { SendState::Steer } else { SendState::Start }
    }

    /// Settings of the next turn of the open conversation.
    pub(super) fn choose(&mut self, intent: Intent) {
        let open = self.owner.open.as_ref().and_then(|key| self.owner.conversations.get_mut(key));
        let Some(conv) = open else { return };
        let settings = &mut conv.settings;
        match intent {
            // A thread keeps the directory it was started in.
            Intent::SetCwd(cwd) if matches!(conv.member, Member::New) => {
                settings.cwd = Some(cwd).filter(|cwd| !cwd.is_empty())
            }
            Intent::SetModel { model, effort } => {
                settings.chosen.model = model;
                settings.chosen.effort = effort;
            }
            Intent::SetApproval(approval) => settings.chosen.approval = approval,
            Intent::SetSandbox(sandbox) => settings.chosen.sandbox = sandbox,
            _ => {}
        }
    }

    // Reviews.

    /// The user has seen it. What is still under way cannot be dismissed.
    pub(super) fn dismiss(&mut self, op: OpId) {
        if self.ledger.get(op).is_some_and(ledger::needs_review)
            && let Some(entry) = self.ledger.remove(op)
        {
            self.withdraw(op, &entry.conversation);
        }
    }

    /// Moves an operation's text into the composer of its conversation, if that is open, else of the open one.
    pub(super) fn edit_operation(&mut self, op: OpId) {
        let Some(entry) = self.ledger.get(op).filter(|entry| ledger::needs_review(entry)) else { return };
        let Some(text) = entry.text.clone() else { return };
        let from = entry.conversation.clone();
        let Some(key) = self.owner.open.clone() else {
            return self.announce(false, words::CANNOT_NOTHING_OPEN);
        };
        let Some(conv) = self.owner.conversations.get_mut(&key) else { return };
        if !conv.composer.is_empty() {
            return self.announce(false, words::COMPOSER_NOT_EMPTY);
        }
        conv.composer.clone_from(&text);
        self.ledger.remove(op);
        self.withdraw(op, &from);
        self.out(Output::ComposerReplaced { conversation: key, text });
        self.out(Output::Focus(Focus::Composer));
    }

    // Answers.

    /// Answers a card: validated, claimed once, recorded, then written.
    pub(super) fn answer(&mut self, request: RequestId, answer: Answer) {
        if !self.ledger.has_room(1) {
            return self.announce(true, words::CANNOT_LEDGER);
        }
        let Some(ask) = self.owner.requests.get(&request) else {
            return self.announce(true, words::ANSWER_LATE);
        };
        let turn = ask.turn_id().cloned();
        let key = ask.thread_id().map_or(OFFLINE, |thread| self.owner.key_of(thread));
        let claimed = request.clone();
        let Some(op) = self.intend(OpKind::Answer, &key, |entry| {
            entry.turn = turn;
            entry.request = Some(claimed);
        }) else {
            return;
        };
        match self.owner.requests.claim(&request, &answer, op) {
            Ok(()) => self.write(Request::Answer { op, request, answer }),
            Err(refused) => {
                self.ledger.remove(op);
                match refused {
                    Refused::NotOpen => self.announce(true, words::ANSWER_LATE),
                    Refused::NotOffered => self.announce(true, words::ANSWER_NOT_OFFERED),
                    // A second press of the same button does nothing.
                    Refused::Answered => {}
                }
            }
        }
    }

    /// Whether the answer went out.
    pub(super) fn answered(&mut self, op: OpId, sent: bool) {
        if sent {
            self.confirm(op);
        } else if self.ledger.settle(op, OpState::NotSent(words::ANSWER_NOT_SENT.to_owned())) {
            self.ledger.remove(op);
            self.owner.requests.doubt(op, words::ANSWER_NOT_SENT);
            self.announce(true, words::ANSWER_NOT_SENT);
        }
    }
}
