//! The worker's machine: between one GUI and one connection to an app-server, without I/O.
//!
//! The shell feeds it requests, transport events and time, each followed by draining
//! [`Machine::poll_output`] (what goes to the server, never held up by a slow GUI) and, when the
//! GUI's pipe has room, [`Machine::poll_event`] (deltas that wait there merge). One machine serves
//! one connection: it connects once, and when that ends every open call has its one outcome,
//! `Disconnected` or `ConnectFailed` is the last event, and `Exit` the last output.
//!
//! It is single-threaded and every `handle_*` runs to its end: what is applied to the hub and what
//! is queued for the GUI cannot be torn apart by an attach.

mod asks;
mod calls;
mod handshake;
mod ignored;
mod incoming;
mod outbox;
mod page;
mod probe;

use std::collections::BTreeSet;

use crate::base::{Instant, Now, OpId, RequestId, Stamp, ThreadId, limit};
use crate::contract::{CallOutcome, Envelope, Event, FailureKind, Request, Target};
use crate::live::floor_boundary;
use crate::protocol::{Answer, ClientRequest};
use crate::worker::hub::Hub;

pub use crate::worker::transport::TransportEvent;
use asks::Asks;
pub use calls::Jitter;
use calls::{Calls, not_sent, with_id};
use handshake::{Transport, failure};
use ignored::Ignored;
use outbox::{Outbox, ToServer};
use probe::{Due, Probe};

/// What the machine wants done on the server's side.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// Connect. At most once.
    OpenTransport(Target),
    /// Send one message, without line end.
    ToServer(String),
    /// Ask for a sign of life below the protocol (WebSocket only).
    Ping,
    /// End the connection in good order; no transport event is expected after it.
    CloseTransport,
    /// Write the events that wait and end the process.
    Exit,
}

/// See the module.
pub struct Machine {
    stamp: Stamp,
    phase: Phase,
    calls: Calls,
    hub: Hub,
    asks: Asks,
    ignored: Ignored,
    outbox: Outbox,
    /// Ids of our own probes whose answers mean nothing but life.
    probes: BTreeSet<u64>,
}

#[derive(Debug)]
enum Phase {
    Idle,
    Opening { deadline: Instant, pings: bool },
    Initializing { deadline: Instant, pings: bool, id: u64, pid: Option<u32> },
    Connected { probe: Probe, pings: bool },
    Ended,
}

impl Machine {
    /// A machine for the generation that the GUI's Welcome named. `jitter` gives numbers from 0 to 1.
    pub fn new(stamp: Stamp, jitter: Jitter) -> Self {
        Self {
            stamp,
            phase: Phase::Idle,
            calls: Calls::new(jitter),
            hub: Hub::default(),
            asks: Asks::default(),
            ignored: Ignored::default(),
            outbox: Outbox::default(),
            probes: BTreeSet::new(),
        }
    }

    /// A request of the GUI. The shell keeps Welcome, Refuse and Advance for itself.
    pub fn handle_gui(&mut self, now: Now, envelope: Envelope<Request>) {
        let admitted = envelope.stamp == Some(self.stamp);
        match envelope.body {
            Request::Call { op, call } => self.call(now, op, call, admitted),
            Request::Answer { op, request, answer } => self.answer(op, request, &answer, admitted),
            Request::Attach { op, thread } if admitted => self.attach(op, &thread),
            Request::Attach { op, thread } => self.outbox.event(Event::NotSubscribed { op, thread }),
            Request::Connect { target } if admitted && matches!(self.phase, Phase::Idle) => self.connect(now, target),
            Request::Detach { thread } if admitted => self.hub.detach(&thread),
            Request::Disconnect if admitted => {
                self.end(failure(FailureKind::Disconnected, "asked for"), Transport::Open);
            }
            Request::Connect { .. }
            | Request::Detach { .. }
            | Request::Disconnect
            | Request::Welcome { .. }
            | Request::Refuse { .. }
            | Request::Advance { .. } => self.ignored.count("request out of place"),
        }
        self.finish(now);
    }

    /// Something happened to the connection.
    pub fn handle_transport(&mut self, now: Now, event: TransportEvent) {
        if let Phase::Connected { probe, .. } = &mut self.phase {
            probe.traffic(now.instant);
        }
        match event {
            TransportEvent::Opened { pid } => self.opened(pid),
            TransportEvent::Message(text) => self.message(now, &text),
            TransportEvent::Ignored(name) => self.ignored.count(name),
            TransportEvent::Closed(failure) => self.end(failure, Transport::Gone),
        }
        self.finish(now);
    }

    /// The time of [`Machine::poll_timeout`] has come. Earlier calls do nothing.
    pub fn handle_timeout(&mut self, now: Now) {
        match &mut self.phase {
            Phase::Opening { deadline, .. } | Phase::Initializing { deadline, .. } if *deadline <= now.instant => {
                let seconds = limit::ATTEMPT_TIMEOUT.as_secs();
                let detail = format!("no answer to initialize within {seconds} s");
                self.end(failure(FailureKind::ConnectTimeout, &detail), Transport::Open);
            }
            Phase::Connected { .. } => self.connected_timeout(now),
            Phase::Idle | Phase::Opening { .. } | Phase::Initializing { .. } | Phase::Ended => {}
        }
        self.finish(now);
    }

    /// When [`Machine::handle_timeout`] is due; may be in the past.
    pub fn poll_timeout(&self) -> Option<Instant> {
        let phase = match &self.phase {
            Phase::Opening { deadline, .. } | Phase::Initializing { deadline, .. } => Some(*deadline),
            Phase::Connected { probe, .. } => Some(probe.deadline()),
            Phase::Idle => None,
            Phase::Ended => return None,
        };
        [phase, self.calls.deadline(), self.ignored.due()].into_iter().flatten().min()
    }

    /// The next output for the server's side, in order.
    pub fn poll_output(&mut self) -> Option<Output> {
        Some(match self.outbox.server.pop_front()? {
            ToServer::Open(target) => Output::OpenTransport(target),
            ToServer::Call { text, .. } | ToServer::Own(text) => Output::ToServer(text),
            ToServer::Answer { op, request, text } => {
                self.outbox.event(Event::Answered { op, request, sent: true });
                Output::ToServer(text)
            }
            ToServer::Ping => Output::Ping,
            ToServer::Close => Output::CloseTransport,
            ToServer::Exit => Output::Exit,
        })
    }

    /// The next event for the GUI, in order. Asked only when there is room: what waits may merge.
    pub fn poll_event(&mut self) -> Option<(Option<Stamp>, Event)> {
        self.outbox.next_event().map(|event| (Some(self.stamp), event))
    }

    /// After every step: free places are filled, counters told, a GUI that reads nothing is let go.
    fn finish(&mut self, now: Now) {
        if let Phase::Ended = self.phase {
            return;
        }
        if !self.calls.expects_subscription() {
            self.hub.forget_early();
        }
        self.calls.pump(now.instant, &mut self.outbox.server);
        if let Some(counts) = self.ignored.take(now.instant) {
            self.outbox.event(Event::Ignored { counts });
        }
        if self.outbox.waiting() > limit::WAITING_TOTAL {
            let why = "the window reads nothing".to_owned();
            self.end(failure(FailureKind::Worker { why }, ""), Transport::Open);
        }
    }
}

/// Calls, answers, attachments.
impl Machine {
    fn call(&mut self, now: Now, op: OpId, call: ClientRequest, admitted: bool) {
        let refusal = match self.phase {
            Phase::Connected { .. } if admitted => self.calls.admit(now.instant, op, call).err(),
            Phase::Connected { .. } => Some("it belongs to an earlier connection".to_owned()),
            Phase::Idle | Phase::Opening { .. } | Phase::Initializing { .. } | Phase::Ended => {
                Some("there is no connection".to_owned())
            }
        };
        if let Some(reason) = refusal {
            self.outbox.event(Event::Called { op, outcome: not_sent(&reason) });
        }
    }

    fn answer(&mut self, op: OpId, request: RequestId, answer: &Answer, admitted: bool) {
        let connected = admitted && matches!(self.phase, Phase::Connected { .. });
        // Written before it is claimed: what cannot be written must not use up the one answer.
        let text = answer.result().and_then(|result| {
            let id = serde_json::to_string(&request)?;
            Ok(format!("{{\"id\":{id},\"result\":{result}}}"))
        });
        match text {
            Ok(text) if connected && self.asks.claim(&request, answer) => {
                self.outbox.server.push_back(ToServer::Answer { op, request, text });
            }
            Ok(_) | Err(_) => self.outbox.event(Event::Answered { op, request, sent: false }),
        }
    }

    /// Snapshot and commit are one step: nothing else can run in here.
    fn attach(&mut self, op: OpId, thread: &ThreadId) {
        let Some(snapshot) = self.hub.attach(thread) else {
            return self.outbox.event(Event::NotSubscribed { op, thread: thread.clone() });
        };
        let bytes = snapshot.json.len();
        self.outbox.event(Event::SnapshotBegin { op, thread: thread.clone(), seq: snapshot.seq, bytes });
        let mut rest = snapshot.json.as_str();
        while !rest.is_empty() {
            let (part, more) = rest.split_at(floor_boundary(rest, limit::CONTRACT_PART));
            self.outbox.event(Event::SnapshotPart { op, text: part.to_owned() });
            rest = more;
        }
        self.outbox.event(Event::SnapshotEnd { op });
    }

    fn connected_timeout(&mut self, now: Now) {
        let over = self.calls.timeout(now.instant);
        let doubt = over.iter().any(|(_, outcome)| *outcome == CallOutcome::TimedOut);
        for (op, outcome) in over {
            self.outbox.event(Event::Called { op, outcome });
        }
        let Phase::Connected { probe, pings } = &mut self.phase else { return };
        let pings = *pings;
        match probe.timeout(now.instant) {
            Some(Due::Silent) => {
                self.end(failure(FailureKind::Silent, "two probes were not answered"), Transport::Open);
            }
            Some(Due::Probe) => self.send_probe(pings),
            None if doubt && probe.doubt(now.instant) => self.send_probe(pings),
            None => {}
        }
    }

    fn send_probe(&mut self, pings: bool) {
        if pings {
            self.outbox.server.push_back(ToServer::Ping);
        }
        let id = self.calls.mint();
        self.probes.insert(id);
        while self.probes.len() > limit::REMEMBERED_PROBES {
            self.probes.pop_first();
        }
        let text = with_id(id, r#"{"method":"account/read","params":{"refreshToken":false}}"#);
        self.outbox.server.push_back(ToServer::Own(text));
    }
}

#[cfg(test)]
mod tests;
