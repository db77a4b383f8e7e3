//! Messages of the server: responses to calls, notifications to the hub, requests to the user.

use serde_json::value::RawValue;

use super::asks::Opened;
use super::calls::Settled;
use super::outbox::ToServer;
use super::{Machine, Phase, page};
use crate::base::{Now, RequestId, limit};
use crate::contract::event::Resolution;
use crate::contract::{CallOutcome, Event};
use crate::live::floor_boundary;
use crate::protocol::rpc::{self, INVALID_PARAMS, Incoming, METHOD_NOT_FOUND};
use crate::protocol::server_request::Parsed as ParsedRequest;
use crate::protocol::{
    ClientRequest, ClientResponse, RpcError, ServerNotification, ServerRequest, TurnStatus, notification,
};
use crate::worker::hub::Routed;

/// JSON-RPC "internal error": more requests of the server than can wait for the user.
const TOO_MANY_REQUESTS: i64 = -32603;

impl Machine {
    pub(super) fn message(&mut self, now: Now, text: &str) {
        match rpc::sort(text) {
            Err(_) => self.ignored.count("unreadable message"),
            Ok(Incoming::Response { id, result }) => self.response(now, id, Ok(result), text.len()),
            Ok(Incoming::Error { id, error }) => self.response(now, id, Err(error), text.len()),
            Ok(Incoming::Notification { method, .. } | Incoming::Request { method, .. })
                if !matches!(self.phase, Phase::Connected { .. }) =>
            {
                self.ignored.count(&method);
            }
            Ok(Incoming::Notification { method, params }) => match ServerNotification::parse(&method, params) {
                notification::Parsed::Known(event) => match page::fitted(event, text.len()) {
                    Some(event) => self.notification(now, event, text.len()),
                    None => self.ignored.count(&method),
                },
                notification::Parsed::Unknown | notification::Parsed::Malformed(_) => self.ignored.count(&method),
            },
            Ok(Incoming::Request { id, method, params }) => match ServerRequest::parse(&method, params) {
                ParsedRequest::Known(ask) => self.asked(now, id, method, ask, text.len()),
                ParsedRequest::Unknown => self.refuse(&id, method, METHOD_NOT_FOUND, "method not found"),
                ParsedRequest::Malformed(_) => self.refuse(&id, method, INVALID_PARAMS, "invalid params"),
            },
        }
    }

    fn response(&mut self, now: Now, id: u64, answer: Result<&RawValue, RpcError>, received: usize) {
        if let Phase::Initializing { id: expected, pid, pings, .. } = self.phase
            && id == expected
        {
            return self.initialized(now, pid, pings, answer);
        }
        if self.probes.remove(&id) {
            return;
        }
        match self.calls.answered(now.instant, id, answer, received) {
            Settled::Outcome { op, request, outcome } => {
                let turn = self.follow(&request, &outcome);
                self.outbox.event(Event::Called { op, outcome });
                self.started(now, turn);
            }
            Settled::Late { op, request, outcome } => {
                let turn = self.follow(&request, &outcome);
                self.outbox.event(Event::LateResponse { op, outcome });
                self.started(now, turn);
            }
            Settled::Again => {}
            Settled::Unknown => self.ignored.count("response to no request"),
        }
    }

    /// Begins and ends subscriptions as the server did; returns the running turn a response named.
    fn follow(&mut self, request: &ClientRequest, outcome: &CallOutcome) -> Option<ServerNotification> {
        let CallOutcome::Ok(response) = outcome else { return None };
        match (request, &**response) {
            (_, ClientResponse::ThreadStart(session) | ClientResponse::ThreadResume(session)) => {
                self.hub.subscribe(&session.thread.id);
            }
            (ClientRequest::ThreadUnsubscribe(params), _) => self.hub.unsubscribe(&params.thread_id),
            (ClientRequest::TurnStart(params), ClientResponse::TurnStart(started))
                if started.turn.status == TurnStatus::InProgress =>
            {
                let (thread_id, turn) = (params.thread_id.clone(), started.turn.clone());
                return Some(ServerNotification::TurnStarted { thread_id, turn });
            }
            (_, _) => {}
        }
        None
    }

    /// A response of `turn/start` tells what `turn/started` tells, perhaps earlier: the live state gets
    /// it as that event, so that a snapshot between the two knows the turn.
    fn started(&mut self, now: Now, turn: Option<ServerNotification>) {
        if let Some(event) = turn
            && event.thread_id().is_some_and(|thread| self.hub.is_subscribed(thread))
        {
            self.notification(now, event, 0);
        }
    }

    fn notification(&mut self, now: Now, event: ServerNotification, received: usize) {
        match &event {
            ServerNotification::RequestResolved { request_id, .. } => {
                if let Some(why) = self.asks.resolved(request_id) {
                    self.outbox.event(Event::Resolved { request: request_id.clone(), why });
                }
            }
            ServerNotification::TurnCompleted { thread_id, turn } => {
                let retired = self.asks.turn_ended(thread_id, &turn.id);
                self.live(now, event, received);
                self.retire(retired);
            }
            ServerNotification::ThreadClosed { thread_id } | ServerNotification::ThreadDeleted { thread_id } => {
                self.hub.unsubscribe(thread_id);
                let retired = self.asks.thread_ended(thread_id);
                self.broadcast(now, event, received);
                self.retire(retired);
            }
            event_of_thread if event_of_thread.thread_id().is_some() => self.live(now, event, received),
            _ => self.broadcast(now, event, received),
        }
    }

    fn live(&mut self, now: Now, event: ServerNotification, received: usize) {
        let Some(thread) = event.thread_id().cloned() else { return };
        match self.hub.apply(now.unix_ms, &event, self.calls.expects_subscription()) {
            Routed::Attached if self.outbox.merge(&thread, &event) => {}
            Routed::Attached => {
                let seq = self.hub.next_seq(&thread);
                self.droppable(Event::Live { thread, seq, at: now.unix_ms, event }, received);
            }
            Routed::Unattended { turn_ended: true } => self.outbox.event(Event::TurnEnded { thread }),
            Routed::Unattended { turn_ended: false } | Routed::Early => {}
            Routed::Dropped => self.ignored.count("event of a thread that is not joined"),
        }
    }

    fn broadcast(&mut self, now: Now, event: ServerNotification, received: usize) {
        self.droppable(Event::Broadcast { at: now.unix_ms, event }, received);
    }

    fn droppable(&mut self, event: Event, received: usize) {
        if !self.outbox.droppable_event(event, received) {
            self.hub.detach_all();
            self.outbox.lag(1);
        }
    }

    fn retire(&mut self, requests: Vec<RequestId>) {
        for request in requests {
            self.outbox.event(Event::Resolved { request, why: Resolution::TurnEnded });
        }
    }

    fn asked(&mut self, now: Now, request: RequestId, method: String, ask: ServerRequest, received: usize) {
        if received > limit::PAGE_BYTES {
            // Never cut: what cannot be shown whole must not be approved.
            return self.refuse(&request, method, INVALID_PARAMS, "too large to show");
        }
        match self.asks.open(request.clone(), ask.clone()) {
            Opened::TooMany => return self.refuse(&request, method, TOO_MANY_REQUESTS, "too many open requests"),
            Opened::Replaced => {
                self.outbox.event(Event::Resolved { request: request.clone(), why: Resolution::Replaced });
            }
            Opened::New => {}
        }
        self.outbox.event(Event::Asked { request, at: now.unix_ms, ask });
    }

    fn refuse(&mut self, id: &RequestId, method: String, code: i64, message: &str) {
        if self.outbox.server.len() >= limit::WAITING_REFUSALS {
            return self.ignored.count(&method);
        }
        let id = serde_json::to_string(id).expect("an id is a number or text");
        let text = format!("{{\"id\":{id},\"error\":{{\"code\":{code},\"message\":\"{message}\"}}}}");
        self.outbox.server.push_back(ToServer::Own(text));
        let method = method[..floor_boundary(&method, limit::REFUSED_NAME)].to_owned();
        self.outbox.event(Event::RefusedRequest { method, code });
    }
}
