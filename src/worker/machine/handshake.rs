//! The beginning and the end of the connection: open, initialize, initialized; and the one way down.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::outbox::ToServer;
use super::{Machine, Phase, Probe, with_id};
use crate::base::{Now, limit};
use crate::contract::{Event, Failure, FailureKind, ServerInfo, Target};
use crate::protocol::RpcError;
use crate::protocol::rpc::OVERLOADED;

/// Whether the transport still has to be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Open,
    Gone,
}

/// What the GUI needs of `InitializeResponse`; the rest stays in the worker.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Initialized {
    user_agent: String,
}

pub(super) fn failure(kind: FailureKind, detail: &str) -> Failure {
    Failure { kind, detail: detail.to_owned(), stderr: Vec::new() }
}

impl Machine {
    pub(super) fn connect(&mut self, now: Now, target: Target) {
        let pings = matches!(target, Target::WebSocket { .. });
        self.phase = Phase::Opening { deadline: now.instant + limit::ATTEMPT_TIMEOUT, pings };
        self.outbox.server.push_back(ToServer::Open(target));
    }

    pub(super) fn opened(&mut self, pid: Option<u32>) {
        let Phase::Opening { deadline, pings } = self.phase else {
            return self.ignored.count("transport opened twice");
        };
        let id = self.calls.mint();
        self.phase = Phase::Initializing { deadline, pings, id, pid };
        let version = env!("CARGO_PKG_VERSION");
        let body = format!(
            "{{\"method\":\"initialize\",\"params\":{{\"clientInfo\":{{\"name\":\"rejoin\",\"title\":\"Rejoin\",\
             \"version\":\"{version}\"}},\"capabilities\":{{\"experimentalApi\":true}}}}}}"
        );
        self.outbox.server.push_back(ToServer::Own(with_id(id, &body)));
    }

    pub(super) fn initialized(&mut self, now: Now, pid: Option<u32>, pings: bool, answer: Result<&RawValue, RpcError>) {
        let version = match answer {
            Ok(result) => version(result),
            // Transient, as a refused connection is.
            Err(error) if error.code == OVERLOADED => {
                return self.end(failure(FailureKind::ConnectionLost, &error.message), Transport::Open);
            }
            Err(error) => Err(format!("initialize was refused: {} ({})", error.message, error.code)),
        };
        match version {
            Ok(version) => {
                self.phase = Phase::Connected { probe: Probe::new(now.instant), pings };
                self.outbox.server.push_back(ToServer::Own(r#"{"method":"initialized"}"#.to_owned()));
                self.outbox.event(Event::Connected { server: ServerInfo { version, pid } });
            }
            Err(why) => self.end(failure(FailureKind::NotAnAppServer { why }, ""), Transport::Open),
        }
    }

    /// The one way down, from every phase and for every reason: each open call and answer gets its
    /// outcome, then the last event, then Exit. Open requests of the server end with the connection.
    pub(super) fn end(&mut self, failure: Failure, transport: Transport) {
        let was_connected = match self.phase {
            Phase::Ended => return,
            Phase::Idle | Phase::Opening { .. } | Phase::Initializing { .. } => false,
            Phase::Connected { .. } => true,
        };
        let open = transport == Transport::Open && !matches!(self.phase, Phase::Idle);
        self.phase = Phase::Ended;
        // What was not taken out of the queue never left this process.
        let mut unsent = BTreeSet::new();
        for waiting in std::mem::take(&mut self.outbox.server) {
            match waiting {
                ToServer::Call { id, .. } => {
                    unsent.insert(id);
                }
                ToServer::Answer { op, request, .. } => {
                    self.outbox.event(Event::Answered { op, request, sent: false });
                }
                ToServer::Open(_) | ToServer::Own(_) | ToServer::Ping | ToServer::Close | ToServer::Exit => {}
            }
        }
        for (op, outcome) in self.calls.end(&unsent) {
            self.outbox.event(Event::Called { op, outcome });
        }
        self.outbox.event(if was_connected {
            Event::Disconnected { failure }
        } else {
            Event::ConnectFailed { failure }
        });
        if open {
            self.outbox.server.push_back(ToServer::Close);
        }
        self.outbox.server.push_back(ToServer::Exit);
    }
}

/// The server's version: it stands only in the user agent, `<client name>/<version> ...` (FACTS 1.2).
fn version(result: &RawValue) -> Result<String, String> {
    let initialized: Initialized = serde_json::from_str(result.get())
        .map_err(|error| format!("the answer to initialize is unreadable: {error}"))?;
    let version = initialized.user_agent.split_once('/').and_then(|(_, rest)| rest.split_whitespace().next());
    match version {
        Some(version) if version.starts_with(|c: char| c.is_ascii_digit()) && version.len() <= 64 => {
            Ok(version.to_owned())
        }
        Some(_) | None => Err("the answer to initialize names no version".to_owned()),
    }
}
