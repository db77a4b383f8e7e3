//! Requests of the server that wait for the user (DESIGN 8): shown as cards, answered at most once.
//!
//! The registry belongs to one connection, so that an id of an old server process can never meet
//! an answer meant for it: ids restart at 0 (FACTS 12.7).

use std::collections::BTreeMap;

use super::view::{Card, CardState};
use crate::base::{OpId, RequestId, ThreadId, TurnId, UnixMs, limit};
use crate::protocol::server_request::{CommandDecision, FileChangeDecision};
use crate::protocol::{Answer, ServerRequest};

/// The open requests of one connection.
#[derive(Debug, Default)]
pub struct Requests {
    open: BTreeMap<u64, Open>,
    last: u64,
}

#[derive(Debug)]
struct Open {
    request: RequestId,
    at: UnixMs,
    ask: ServerRequest,
    state: CardState,
    answered_by: Option<OpId>,
}

/// Why an answer was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// Settled, retired, or of another connection.
    NotOpen,
    /// Answered already.
    Answered,
    /// Not among the decisions that this request offers.
    NotOffered,
}

/// The answers a request takes, in the order of the buttons. Decline is always among them.
pub fn offered(ask: &ServerRequest) -> Vec<Answer> {
    match ask {
        ServerRequest::CommandApproval(approval) => {
            let mut decisions = approval.available_decisions.clone().unwrap_or_else(|| {
                vec![CommandDecision::Accept, CommandDecision::AcceptForSession, CommandDecision::Cancel]
            });
            // An offer that this client cannot read cannot be explained, so it is not sent.
            decisions.retain(|decision| !matches!(decision, CommandDecision::Unknown(_)));
            if !decisions.contains(&CommandDecision::Cancel) {
                decisions.push(CommandDecision::Cancel);
            }
            if !decisions.contains(&CommandDecision::Decline) {
                decisions.insert(decisions.len() - 1, CommandDecision::Decline);
            }
            decisions.into_iter().map(Answer::Command).collect()
        }
        ServerRequest::FileChangeApproval(_) => [
            FileChangeDecision::Accept,
            FileChangeDecision::AcceptForSession,
            FileChangeDecision::Decline,
            FileChangeDecision::Cancel,
        ]
        .map(Answer::FileChange)
        .to_vec(),
        ServerRequest::Other(_) => Vec::new(),
    }
}

impl Requests {
    /// A request arrived. The same id again is a new card in place of the old one. `false`: no
    /// room for a card (`limit::OPEN_CARDS`); the request stays open on the server.
    pub fn asked(&mut self, request: RequestId, at: UnixMs, ask: ServerRequest) -> bool {
        self.resolved(&request);
        if self.open.len() >= limit::OPEN_CARDS {
            return false;
        }
        self.last += 1;
        self.open.insert(self.last, Open { request, at, ask, state: CardState::Open, answered_by: None });
        true
    }

    /// Claims a request for one answer. After `Ok` nothing else can answer it.
    pub fn claim(&mut self, request: &RequestId, answer: &Answer, op: OpId) -> Result<(), Refused> {
        let open = self.open.values_mut().find(|open| open.request == *request).ok_or(Refused::NotOpen)?;
        if open.state != CardState::Open {
            return Err(Refused::Answered);
        }
        if !offered(&open.ask).contains(answer) {
            return Err(Refused::NotOffered);
        }
        open.state = CardState::Answering;
        open.answered_by = Some(op);
        Ok(())
    }

    /// The answer's fate became doubtful; it is not given again.
    pub fn doubt(&mut self, op: OpId, why: &str) {
        if let Some(open) = self.open.values_mut().find(|open| open.answered_by == Some(op)) {
            open.state = CardState::Unknown(why.to_owned());
        }
    }

    /// The server no longer waits.
    pub fn resolved(&mut self, request: &RequestId) -> Option<ServerRequest> {
        let at = *self.open.iter().find(|(_, open)| open.request == *request)?.0;
        self.open.remove(&at).map(|open| open.ask)
    }

    /// A turn ended: what it asked is no longer open.
    pub fn turn_ended(&mut self, thread: &ThreadId, turn: &TurnId) {
        self.open.retain(|_, open| open.ask.thread_id() != Some(thread) || open.ask.turn_id() != Some(turn));
    }

    /// The request with this id.
    pub fn get(&self, request: &RequestId) -> Option<&ServerRequest> {
        self.open.values().find(|open| open.request == *request).map(|open| &open.ask)
    }

    /// Whether a conversation waits for an answer of the user.
    pub fn waits(&self, thread: &ThreadId) -> bool {
        self.open.values().any(|open| open.ask.thread_id() == Some(thread))
    }

    /// Cards, oldest first, without their items.
    pub fn cards(&self) -> impl Iterator<Item = Card> {
        self.open.values().map(|open| Card {
            request: open.request.clone(),
            at: open.at,
            ask: open.ask.clone(),
            item: None,
            state: open.state.clone(),
        })
    }

    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::server_request::{FileChangeApproval, OtherRequest};

    fn patch(turn: &str) -> ServerRequest {
        ServerRequest::FileChangeApproval(FileChangeApproval {
            thread_id: "t".into(),
            turn_id: turn.into(),
            item_id: "i".into(),
            reason: None,
            grant_root: None,
        })
    }

    #[test]
    fn a_request_is_claimed_once_and_only_with_an_offered_decision() {
        let mut requests = Requests::default();
        let (id, accept) = (RequestId::Integer(0), Answer::FileChange(FileChangeDecision::Accept));
        assert_eq!(requests.claim(&id, &accept, OpId(1)), Err(Refused::NotOpen));
        requests.asked(id.clone(), UnixMs(0), patch("u"));
        let foreign = Answer::Command(CommandDecision::Accept);
        assert_eq!(requests.claim(&id, &foreign, OpId(1)), Err(Refused::NotOffered));
        assert_eq!(requests.claim(&id, &accept, OpId(1)), Ok(()));
        assert_eq!(requests.claim(&id, &accept, OpId(2)), Err(Refused::Answered));
        requests.turn_ended(&"t".into(), &"u".into());
        assert_eq!(requests.claim(&id, &accept, OpId(2)), Err(Refused::NotOpen));
    }

    #[test]
    fn a_request_without_a_card_of_its_own_takes_no_answer() {
        let ask = ServerRequest::Other(OtherRequest { method: "x/y".into(), thread_id: None, turn_id: None });
        assert!(offered(&ask).is_empty());
    }

    #[test]
    fn cards_over_the_limit_are_not_taken() {
        let mut requests = Requests::default();
        for id in 0..limit::OPEN_CARDS as i64 {
            assert!(requests.asked(RequestId::Integer(id), UnixMs(0), patch("u")));
        }
        assert!(!requests.asked(RequestId::Integer(-1), UnixMs(0), patch("u")));
        assert!(requests.asked(RequestId::Integer(0), UnixMs(0), patch("u")), "the same request again has its place");
    }
}
