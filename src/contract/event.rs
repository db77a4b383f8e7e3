//! Worker to GUI.

use serde::{Deserialize, Serialize};

use crate::base::{OpId, RequestId, ThreadId, UnixMs};
use crate::protocol::{ClientResponse, RpcError, ServerNotification, ServerRequest};

/// What the worker tells the GUI.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Event {
    /// The worker's first line.
    Hello { contract: u32, build: String, pid: u32 },
    /// Transport open and initialize/initialized done.
    Connected { server: ServerInfo },
    /// The connection could not be made. The worker ends after it.
    ConnectFailed { failure: Failure },
    /// The connection that was there ended. Every open call has been answered before. The worker ends after it.
    Disconnected { failure: Failure },
    /// The one answer to `Request::Call`.
    Called { op: OpId, outcome: CallOutcome },
    /// A response after its call timed out: settles an unknown outcome, changes nothing else.
    LateResponse { op: OpId, outcome: CallOutcome },
    /// The one answer to `Request::Answer`: whether this answer went out.
    Answered { op: OpId, request: RequestId, sent: bool },
    /// A snapshot of [`crate::live::LiveThread`] follows as JSON text in parts; live events continue after `seq`.
    SnapshotBegin { op: OpId, thread: ThreadId, seq: u64, bytes: usize },
    /// At most `limit::CONTRACT_PART` bytes of it, cut at a character.
    SnapshotPart { op: OpId, text: String },
    /// The snapshot is whole.
    SnapshotEnd { op: OpId },
    /// `Request::Attach` for a thread this connection is not subscribed to.
    NotSubscribed { op: OpId, thread: ThreadId },
    /// An event of an attached thread. `seq` counts per thread without gaps.
    Live { thread: ThreadId, seq: u64, at: UnixMs, event: ServerNotification },
    /// A turn of a subscribed but not attached thread ended (so that it can be unsubscribed).
    TurnEnded { thread: ThreadId },
    /// What every connection hears (status, names, account, limits, warnings).
    Broadcast { at: UnixMs, event: ServerNotification },
    /// The server waits for the user.
    Asked { request: RequestId, at: UnixMs, ask: ServerRequest },
    /// The server no longer waits: answered here or elsewhere, interrupted, turn ended.
    Resolved { request: RequestId, why: Resolution },
    /// A server request that was refused (-32601, -32602), so that the user sees it.
    RefusedRequest { method: String, code: i64 },
    /// So many events were lost for a slow reader; attach again.
    Lagged { missed: u64 },
    /// Counters of what was not understood, by name; at most once a second.
    Ignored { counts: Vec<(String, u64)> },
    /// Virtual clock: everything up to the GUI's `seq` is handled and only timers remain.
    Quiet { seq: u64 },
}

/// Facts of a connection, for the banner. Codex home, platform and user agent stay in the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct ServerInfo {
    /// From the user agent: `0.159.1`.
    pub version: String,
    /// The owned child process, if any.
    pub pid: Option<u32>,
}

/// What became of a call. Exactly one per call, also when the connection ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum CallOutcome {
    /// The server's result.
    Ok(Box<ClientResponse>),
    /// The server's error: definitely not executed.
    Rejected(RpcError),
    /// Proof that nothing of it went out (too large, too many in flight, no connection).
    NotSent { reason: String },
    /// No answer in the method's time. May have been executed.
    TimedOut,
    /// The connection ended before the answer. May have been executed.
    Lost,
    /// The server answered something unreadable. For a mutation: executed or not is unknown.
    Unreadable { reason: String },
}

/// Why a server request is no longer open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Resolution {
    /// `serverRequest/resolved` after our answer.
    Answered,
    /// `serverRequest/resolved` without an answer of ours.
    Elsewhere,
    /// Its turn ended.
    TurnEnded,
    /// The same request arrived again (after Join) and has a new card.
    Replaced,
}

/// Why a connection could not be made or ended: a kind for decisions and words for Details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Failure {
    pub kind: FailureKind,
    /// Technical text (the operating system's or the server's), redacted; shown under Details only.
    pub detail: String,
    /// The last lines of the server's stderr, redacted; shown under Details only.
    #[serde(default)]
    pub stderr: Vec<String>,
}

/// What went wrong, as far as it is told apart (DESIGN 3, loss and terminal).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum FailureKind {
    /// The program is not there.
    ProgramMissing { program: String },
    /// It is there and may not be run.
    ProgramNotExecutable { program: String },
    /// The directory to start it in is not there.
    DirectoryMissing { directory: String },
    /// The server process ended; `exit` in words ("exit code 3", "killed by signal 9").
    ProcessExited { program: String, exit: String, before_ready: bool },
    /// Connection refused, reset, aborted, EOF without close, DNS try-again.
    ConnectionLost,
    /// No connection in time.
    ConnectTimeout,
    /// The host name does not exist.
    HostNotFound { host: String },
    /// An HTTP status at the handshake.
    HttpStatus { status: u16 },
    /// A WebSocket close code (1005 if none was given).
    Closed { code: u16, reason: String },
    /// TLS failed; `why` in words (expired, unknown issuer, wrong host).
    Tls { why: String },
    /// The URL is not one we connect to.
    BadUrl { why: String },
    /// The token file cannot be used.
    TokenFile { path: String, why: String },
    /// The CA file cannot be used.
    CaFile { path: String, why: String },
    /// What speaks there is no app-server, or initialize was refused.
    NotAnAppServer { why: String },
    /// A message beyond `limit::SERVER_MESSAGE`.
    MessageTooLarge,
    /// Two unanswered probes.
    Silent,
    /// The server answered a request of the connection's beginning with an error (`account/read`, `thread/list`).
    Refused { method: String },
    /// The server answered such a request with -32001: it is overloaded and did nothing.
    Overloaded { method: String },
    /// The profile is another than the one that was connected to.
    ProfileChanged,
    /// The server is signed in as somebody else than when the connection began.
    AccountChanged,
    /// The user ended it.
    Disconnected,
    /// The worker itself ended or broke the contract.
    Worker { why: String },
}
