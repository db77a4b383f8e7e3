//! The built-in scripted app-server: no I/O, no clock, no dice; the same inputs give the same bytes.
//!
//! It is what a first start connects to, and the fixture of tests and pictures. It speaks the
//! protocol of 0.159.1 and behaves as real servers were observed to, quirks included; each
//! [`scenarios`] entry shows some of them. Within a scenario the user's words decide what happens
//! (see the module `words`); no command runs and no file is touched.
//!
//! One [`Machine`] is one server process and serves several connections. The caller feeds it
//! messages and time and drains [`Machine::poll_output`]. [`serve`] is `rejoin demo-server`.

mod beat;
mod hostile;
mod item;
mod page;
mod play;
mod request;
mod scenario;
mod serve;
mod stories;
mod words;
mod world;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Value, json};

use crate::base::{Instant, Now};

use beat::Ids;
use scenario::Quirk;
pub use scenario::{Scenario, UnknownScenario, scenarios};
pub use serve::serve;
use world::Thread;

/// The version whose behaviour is played.
pub const VERSION: &str = "0.159.1";

/// One connection to the demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conn(pub u32);

/// The only connection of a machine that serves one.
pub const FIRST: Conn = Conn(0);

/// What the demo does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// One message to a connection, without line end.
    Line { to: Conn, text: String },
    /// The server process ends with this exit code. The last output.
    End { code: i32 },
}

/// A connection's error response.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Refusal {
    code: i64,
    message: String,
}

impl Refusal {
    fn invalid(message: impl Into<String>) -> Self {
        Self { code: -32600, message: message.into() }
    }

    fn unsupported(message: &str) -> Self {
        Self { code: -32601, message: message.to_owned() }
    }
}

/// What a connection said in `initialize`.
#[derive(Debug, Default)]
struct Client {
    /// `clientInfo.name`: the originator of its threads.
    name: String,
    /// Notifications it does not want.
    opted_out: BTreeSet<String>,
    /// It has heard of the threads that no list names.
    told: bool,
}

/// See the module.
#[derive(Debug)]
pub struct Machine {
    scenario: &'static Scenario,
    /// The scenario's threads are made when the first `now` is known.
    began: bool,
    ids: Ids,
    threads: Vec<Thread>,
    clients: BTreeMap<Conn, Client>,
    /// The id of the next server request; counts from 0 in every process.
    next_request: u64,
    /// Methods that were refused once, in the scenario that does so.
    refused: BTreeSet<String>,
    /// Nothing is answered any more.
    silent: bool,
    /// When the process ends by itself, in the scenario where it does.
    ends_at: Option<Instant>,
    /// The process is over.
    ended: bool,
    outputs: VecDeque<Output>,
}

impl Machine {
    /// Starts a scenario.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn new(scenario: &str) -> Result<Self, UnknownScenario> {
        let scenario = scenario::find(scenario)?;
        let mut machine = Self {
            scenario,
            began: false,
            ids: Ids::default(),
            threads: Vec::new(),
            clients: BTreeMap::new(),
            next_request: 0,
            refused: BTreeSet::new(),
            silent: false,
            ends_at: None,
            ended: false,
            outputs: VecDeque::new(),
        };
        if scenario.quirk == Quirk::ExitAtOnce {
            machine.ended = true;
            machine.outputs.push_back(Output::End { code: 1 });
        }
        Ok(machine)
    }

    /// A message of a client. What is no message is ignored silently, as the real server does (FACTS S14).
    pub fn handle_message(&mut self, now: Now, from: Conn, message: &str) {
        self.begin(now);
        if self.silent || self.ended {
            return;
        }
        if self.scenario.quirk == Quirk::Garbage {
            self.ended = true;
            for text in ["Segmentation fault (core dumped)", "{\"id\":1,\"resu", "\u{FFFD}\u{FFFD}\u{FFFD}"] {
                self.outputs.push_back(Output::Line { to: from, text: text.to_owned() });
            }
            return self.outputs.push_back(Output::End { code: 139 });
        }
        let Ok(message) = serde_json::from_str::<Value>(message) else { return };
        let Some(id) = message.get("id").filter(|id| id.is_string() || id.is_i64() || id.is_u64()) else { return };
        match message["method"].as_str() {
            Some(method) => self.request_from(now, from, id, method, &message["params"]),
            None => self.answered(now, id, &message),
        }
    }

    /// A connection is gone: its subscriptions end, turns go on (FACTS 6.7).
    pub fn disconnected(&mut self, conn: Conn) {
        self.clients.remove(&conn);
        for thread in &mut self.threads {
            thread.subscribers.remove(&conn);
            thread.waiters.retain(|(waiter, _)| *waiter != conn);
        }
    }

    /// The time of [`Machine::poll_timeout`] has come. Earlier calls do nothing.
    pub fn handle_timeout(&mut self, now: Now) {
        if self.ends_at.is_some_and(|end| end <= now.instant) && !self.ended {
            return self.end(70);
        }
        for thread in 0..self.threads.len() {
            self.play(now, thread);
        }
    }

    /// When [`Machine::handle_timeout`] is due; may be in the past.
    pub fn poll_timeout(&self) -> Option<Instant> {
        if self.ended {
            return None;
        }
        self.threads.iter().filter_map(|thread| thread.run.as_ref()?.due()).chain(self.ends_at).min()
    }

    /// What to do next, in order.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Whether a client is initialized.
    pub fn is_ready(&self) -> bool {
        !self.clients.is_empty()
    }

    /// The process ends.
    fn end(&mut self, code: i32) {
        self.ended = true;
        self.outputs.push_back(Output::End { code });
    }

    fn begin(&mut self, now: Now) {
        if !self.began {
            self.began = true;
            (self.scenario.build)(self, now);
        }
    }

    fn respond(&mut self, to: Conn, id: &Value, result: Result<Value, Refusal>) {
        let message = match result {
            Ok(result) => json!({ "id": id, "result": result }),
            Err(Refusal { code, message }) => json!({ "error": { "code": code, "message": message }, "id": id }),
        };
        self.outputs.push_back(Output::Line { to, text: message.to_string() });
    }

    /// A notification to the subscribers of a thread.
    fn tell(&mut self, now: Now, thread: usize, method: &str, params: Value) {
        let to: Vec<_> = self.threads[thread].subscribers.iter().copied().collect();
        self.notify(now, &to, method, params);
    }

    /// A notification to every initialized connection (FACTS 1.10).
    fn broadcast(&mut self, now: Now, method: &str, params: Value) {
        let to: Vec<_> = self.clients.keys().copied().collect();
        self.notify(now, &to, method, params);
    }

    fn tell_status(&mut self, now: Now, thread: usize) {
        let thread = &self.threads[thread];
        let params = json!({ "threadId": thread.id, "status": thread.status() });
        self.broadcast(now, "thread/status/changed", params);
    }

    fn notify(&mut self, now: Now, to: &[Conn], method: &str, params: Value) {
        if to.is_empty() {
            return;
        }
        let message = json!({ "method": method, "params": params, "emittedAtMs": now.unix_ms.0 });
        let text = message.to_string();
        for to in to {
            if self.clients.get(to).is_some_and(|client| !client.opted_out.contains(method)) {
                self.outputs.push_back(Output::Line { to: *to, text: text.clone() });
            }
        }
    }
}
