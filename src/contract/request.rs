//! GUI to worker.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::base::{OpId, RequestId, Stamp, ThreadId};
use crate::protocol::{Answer, ClientRequest};

/// What the GUI asks of the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Request {
    /// Accepts the worker's Hello; everything from now on carries `stamp`.
    Welcome { stamp: Stamp, clock: Clock },
    /// Rejects the worker's Hello; the worker ends.
    Refuse { reason: String },
    /// Opens the one connection of this worker. Answered by `Connected` or `ConnectFailed`.
    Connect { target: Target },
    /// Sends one request to the app-server. Answered by exactly one `Called`.
    Call { op: OpId, call: ClientRequest },
    /// Answers a server request. Answered by exactly one `Answered`.
    Answer { op: OpId, request: RequestId, answer: Answer },
    /// Asks for a snapshot of a subscribed thread and its live events from there on. Answered by
    /// `SnapshotBegin`, `SnapshotPart`*, `SnapshotEnd`, or `NotSubscribed`.
    Attach { op: OpId, thread: ThreadId },
    /// Stops the live events of a thread; the hub goes on accumulating.
    Detach { thread: ThreadId },
    /// Ends the connection and the owned server process in good order, then the worker.
    Disconnect,
    /// Virtual clock only: moves time by so many milliseconds. Answered by `Quiet`.
    Advance { ms: u64 },
}

/// Which clock the worker lives by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Clock {
    Real,
    /// With [`Target::Demo`]; other targets are not contacted and fail in a scripted way.
    Virtual,
}

/// What to connect to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Target {
    /// A `codex app-server` child of the worker, over stdio.
    Stdio {
        /// The Codex program: an executable, a script, or a `.cmd` shim on Windows.
        program: PathBuf,
        /// Where it starts; `None`: the user's home directory.
        cwd: Option<PathBuf>,
    },
    /// A running server; never started, stopped or updated by us.
    WebSocket {
        /// `wss` anywhere, `ws` only to loopback.
        url: String,
        /// Read inside the worker at connection time.
        token_file: Option<PathBuf>,
        /// PEM certificates trusted in addition to the platform's.
        ca_file: Option<PathBuf>,
    },
    /// The built-in scripted server, inside the worker.
    Demo { scenario: String },
}
