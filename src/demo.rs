//! The built-in scripted app-server: deterministic, without I/O, for the first start, tests and pictures.

use std::collections::VecDeque;

use serde_json::{Value, json};

use crate::base::{Instant, Now};

/// One connection to the demo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conn(pub u32);

/// The connection that is there from the beginning.
pub const FIRST: Conn = Conn(0);

/// What the demo does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// One message to a connection, without line end.
    Line { to: Conn, text: String },
    /// The server process ends with this exit code. The last output.
    End { code: i32 },
}

/// There is no scenario of that name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the demo has no scenario \"{0}\"")]
pub struct UnknownScenario(String);

/// See the module.
#[derive(Debug)]
pub struct Machine {
    outputs: VecDeque<Output>,
    ready: bool,
}

impl Machine {
    /// Starts a scenario.
    ///
    /// # Errors
    /// The name is unknown.
    pub fn new(scenario: &str) -> Result<Self, UnknownScenario> {
        match scenario {
            "default" => Ok(Self { outputs: VecDeque::new(), ready: false }),
            other => Err(UnknownScenario(other.to_owned())),
        }
    }

    /// A message of a client.
    pub fn handle_message(&mut self, _now: Now, from: Conn, message: &str) {
        let Ok(message) = serde_json::from_str::<Value>(message) else { return };
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else { return };
        let answer = match method {
            "initialize" => {
                self.ready = true;
                json!({"id": id, "result": {"userAgent": "rejoin-demo/0.159.1 (Demo)", "codexHome": "/demo",
                    "platformFamily": "unix", "platformOs": "linux"}})
            }
            "account/read" => json!({"id": id, "result": {"account": null, "requiresOpenaiAuth": false}}),
            _ => json!({"id": id, "error": {"code": -32600, "message": "Invalid request"}}),
        };
        self.outputs.push_back(Output::Line { to: from, text: answer.to_string() });
    }

    /// The time of [`Machine::poll_timeout`] has come.
    pub fn handle_timeout(&mut self, _now: Now) {}

    /// When [`Machine::handle_timeout`] is due.
    pub fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    /// What to do next, in order.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Whether a client is initialized.
    pub fn is_ready(&self) -> bool {
        self.ready
    }
}
