//! Requests to the server: correlation, places in flight, deadlines, retry of reads, page budget.
//!
//! Every admitted call gets exactly one outcome. Only reads are ever sent twice, and only after
//! -32001 (definitely not executed) or when their page was too large. A call that timed out is
//! remembered, so that its late response can still settle an unknown outcome.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::value::RawValue;

use super::outbox::ToServer;
use super::page;
use crate::base::{Instant, OpId, limit};
use crate::contract::CallOutcome;
use crate::protocol::request::Class;
use crate::protocol::rpc::OVERLOADED;
use crate::protocol::{ClientRequest, RpcError};

/// A source of numbers from 0 to 1; injected.
pub type Jitter = Box<dyn FnMut() -> f64 + Send>;

/// See the module.
pub(super) struct Calls {
    last_id: u64,
    flying: BTreeMap<u64, Timed>,
    /// First in, first out; each has until its deadline to get a place.
    waiting: VecDeque<Timed>,
    /// Reads to be repeated, with the time of the repetition.
    delayed: Vec<Timed>,
    timed_out: BTreeMap<u64, (OpId, ClientRequest)>,
    jitter: Jitter,
}

struct Timed {
    call: Call,
    at: Instant,
}

struct Call {
    op: OpId,
    request: ClientRequest,
    /// The request's JSON object; an id is put in front of it for each sending.
    body: String,
    /// How often the server refused it for load.
    refused: usize,
}

/// What came of a response.
#[derive(Debug)]
pub(super) enum Settled {
    /// The one outcome of a call.
    Outcome { op: OpId, request: ClientRequest, outcome: CallOutcome },
    /// The call had timed out before.
    Late { op: OpId, request: ClientRequest, outcome: CallOutcome },
    /// It is sent again.
    Again,
    /// No call of ours has this id.
    Unknown,
}

impl Calls {
    pub fn new(jitter: Jitter) -> Self {
        Self {
            last_id: 0,
            flying: BTreeMap::new(),
            waiting: VecDeque::new(),
            delayed: Vec::new(),
            timed_out: BTreeMap::new(),
            jitter,
        }
    }

    /// The next request id of this connection; the first is 1.
    pub fn mint(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    /// Takes a call, or says why nothing of it will go out.
    pub fn admit(&mut self, now: Instant, op: OpId, request: ClientRequest) -> Result<(), String> {
        if self.waiting.len() == limit::WAITING_CALLS {
            return Err("too many requests are waiting".to_owned());
        }
        let body = body(&request)?;
        let at = now + request.method().timeout();
        self.waiting.push_back(Timed { call: Call { op, request, body, refused: 0 }, at });
        Ok(())
    }

    /// Sends what has a place.
    pub fn pump(&mut self, now: Instant, server: &mut VecDeque<ToServer>) {
        while self.flying.len() < limit::IN_FLIGHT
            && let Some(Timed { call, .. }) = self.waiting.pop_front()
        {
            let id = self.mint();
            server.push_back(ToServer::Call { id, text: with_id(id, &call.body) });
            let at = now + call.request.method().timeout();
            self.flying.insert(id, Timed { call, at });
        }
    }

    /// The server answered `id`; `received` is the size of its message.
    pub fn answered(&mut self, now: Instant, id: u64, answer: Result<&RawValue, RpcError>, received: usize) -> Settled {
        if let Some((op, request)) = self.timed_out.remove(&id) {
            let outcome = outcome(&request, answer, received);
            return Settled::Late { op, request, outcome };
        }
        let Some(Timed { call, .. }) = self.flying.remove(&id) else { return Settled::Unknown };
        match answer {
            Err(error) if error.code == OVERLOADED && self.may_repeat(&call) => {
                self.repeat_later(now, call);
                Settled::Again
            }
            Ok(_)
                if received > limit::PAGE_BYTES
                    && let Some(smaller) = page::halved(&call.request) =>
            {
                self.ask_for_less(now, call, smaller);
                Settled::Again
            }
            answer => {
                let outcome = outcome(&call.request, answer, received);
                Settled::Outcome { op: call.op, request: call.request, outcome }
            }
        }
    }

    fn may_repeat(&self, call: &Call) -> bool {
        call.request.method().class() == Class::Read && call.refused < limit::OVERLOAD_DELAYS.len()
    }

    fn repeat_later(&mut self, now: Instant, mut call: Call) {
        let delay = limit::OVERLOAD_DELAYS[call.refused];
        let factor = 1.0 + limit::JITTER * (2.0 * (self.jitter)().clamp(0.0, 1.0) - 1.0);
        call.refused += 1;
        self.delayed.push(Timed { call, at: now + delay.mul_f64(factor) });
    }

    fn ask_for_less(&mut self, now: Instant, mut call: Call, smaller: ClientRequest) {
        // A smaller number in the same request: it was sendable before, so it is now.
        call.body = body(&smaller).unwrap_or(call.body);
        call.request = smaller;
        let at = now + call.request.method().timeout();
        self.waiting.push_front(Timed { call, at });
    }

    /// When to call [`Calls::timeout`].
    pub fn deadline(&self) -> Option<Instant> {
        self.flying.values().chain(&self.waiting).chain(&self.delayed).map(|timed| timed.at).min()
    }

    /// What is over at `now`: calls without an answer, then calls that never got a place. Due
    /// repetitions go to the front of the queue.
    pub fn timeout(&mut self, now: Instant) -> Vec<(OpId, CallOutcome)> {
        let mut over = Vec::new();
        for (id, Timed { call, .. }) in self.flying.extract_if(.., |_, timed| timed.at <= now) {
            over.push((call.op, CallOutcome::TimedOut));
            if self.timed_out.len() == limit::TIMED_OUT_CALLS {
                self.timed_out.pop_first();
            }
            self.timed_out.insert(id, (call.op, call.request));
        }
        self.waiting.retain(|timed| {
            let waits = timed.at > now;
            if !waits {
                over.push((timed.call.op, not_sent("the server did not take it in time")));
            }
            waits
        });
        let mut due: Vec<_> = self.delayed.extract_if(.., |timed| timed.at <= now).collect();
        due.sort_by_key(|timed| timed.at);
        for Timed { call, .. } in due.into_iter().rev() {
            let at = now + call.request.method().timeout();
            self.waiting.push_front(Timed { call, at });
        }
        over
    }

    /// The connection ended: the outcome of everything that is open, in the order it was sent or asked.
    /// `unsent`: ids whose text never left us.
    pub fn end(&mut self, unsent: &BTreeSet<u64>) -> Vec<(OpId, CallOutcome)> {
        let flying = std::mem::take(&mut self.flying).into_iter().map(|(id, timed)| {
            let outcome = if unsent.contains(&id) { not_sent(ENDED) } else { CallOutcome::Lost };
            (timed.call.op, outcome)
        });
        let delayed = std::mem::take(&mut self.delayed).into_iter().map(|timed| (timed.call.op, CallOutcome::Lost));
        let waiting = std::mem::take(&mut self.waiting).into_iter().map(|timed| (timed.call.op, not_sent(ENDED)));
        self.timed_out.clear();
        flying.chain(delayed).chain(waiting).collect()
    }

    /// Whether a subscription may still begin by a response.
    pub fn expects_subscription(&self) -> bool {
        let requests = self.flying.values().map(|timed| &timed.call.request);
        requests
            .chain(self.timed_out.values().map(|(_, request)| request))
            .any(|request| matches!(request, ClientRequest::ThreadStart(_) | ClientRequest::ThreadResume(_)))
    }
}

const ENDED: &str = "the connection ended before it was sent";

pub(super) fn not_sent(reason: &str) -> CallOutcome {
    CallOutcome::NotSent { reason: reason.to_owned() }
}

/// A request's JSON without id, if it may go out.
fn body(request: &ClientRequest) -> Result<String, String> {
    let body = serde_json::to_string(request).map_err(|error| format!("it cannot be written: {error}"))?;
    if with_id(u64::MAX, &body).len() > limit::CLIENT_MESSAGE {
        return Err(format!(
            "it is too large: {} bytes; the server takes at most {}",
            body.len(),
            limit::CLIENT_MESSAGE
        ));
    }
    Ok(body)
}

/// Puts an id in front of the members of a JSON object.
pub(super) fn with_id(id: u64, body: &str) -> String {
    format!("{{\"id\":{id},{}", body.strip_prefix('{').unwrap_or(body))
}

fn outcome(request: &ClientRequest, answer: Result<&RawValue, RpcError>, received: usize) -> CallOutcome {
    let result = match answer {
        Ok(result) => result,
        Err(error) => return CallOutcome::Rejected(page::fitted(error, received).unwrap_or_else(too_long)),
    };
    match request.method().parse_response(result) {
        Ok(response) => match page::fitted(response, received) {
            Some(response) => CallOutcome::Ok(Box::new(response)),
            None => CallOutcome::Unreadable { reason: "the answer is too large".to_owned() },
        },
        Err(error) => CallOutcome::Unreadable { reason: error.to_string() },
    }
}

/// Stands for an error that is nothing but size.
fn too_long() -> RpcError {
    RpcError { code: crate::protocol::rpc::INVALID_REQUEST, message: "(the server's error is too long)".to_owned() }
}
