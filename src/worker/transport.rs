//! One connection to an app-server, over a child's stdio or a WebSocket, behind one pair of queues.
//!
//! [`open`] starts a task that owns the connection. It reports [`TransportEvent`]s in order; the
//! last one is always `Closed`. Both queues are bounded, inbound by messages and by bytes: a full
//! inbound queue stops the reading (a stdio server then waits, nothing is lost); a full outbound
//! queue means that the peer reads nothing.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::base::{limit, redact::redact};
use crate::contract::{Failure, FailureKind, Target};

use super::websocket::ProxySettings;
use super::{stdio, websocket};

/// What a connection tells.
#[derive(Debug, Clone, PartialEq)]
pub enum TransportEvent {
    /// It is there; `pid` is the owned child, if any.
    Opened { pid: Option<u32> },
    /// One message, not yet parsed.
    Message(String),
    /// Something that is skipped and counted under this name.
    Ignored(&'static str),
    /// It ended or never came about. The last event.
    Closed(Failure),
}

/// What does not come with the target.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Our own executable, for the guard of a child; `None`: no guard.
    pub guard: Option<PathBuf>,
    /// Proxies for `wss`.
    pub proxy: ProxySettings,
    /// Time for the whole way to an open WebSocket.
    pub connect_timeout: Duration,
    /// Time for an owned server to end by itself.
    pub child_grace: Duration,
    /// The longest message in bytes.
    pub message_limit: usize,
}

impl Settings {
    /// For the worker: the named limits and this process's environment.
    pub fn from_environment() -> Self {
        Self {
            guard: std::env::current_exe().ok(),
            proxy: ProxySettings::from_environment(),
            connect_timeout: limit::CONNECT_TIMEOUT,
            child_grace: limit::CHILD_GRACE,
            message_limit: limit::SERVER_MESSAGE,
        }
    }
}

/// An opening or open connection. Dropping it closes it in the background; [`Transport::close`] waits.
#[derive(Debug)]
pub struct Transport {
    commands: mpsc::Sender<Command>,
    events: mpsc::Receiver<Queued>,
    /// Never sent: its end is the signal.
    alive: oneshot::Sender<Infallible>,
    task: JoinHandle<()>,
}

/// What a connection is told.
#[derive(Debug)]
pub(super) enum Command {
    Message(String),
    Ping,
}

/// The outbound queue as its transport sees it.
#[derive(Debug)]
pub(super) struct Inbox {
    /// Ends, after everything that waits, when we hang up.
    pub commands: mpsc::Receiver<Command>,
    hung_up: oneshot::Receiver<Infallible>,
}

impl Inbox {
    /// Splits off a future that is ready `grace` after we hung up: a peer that reads nothing may
    /// hold up what waits for so long.
    pub(super) fn split(self, grace: Duration) -> (mpsc::Receiver<Command>, impl Future<Output = ()>) {
        let hung_up = self.hung_up;
        let overdue = async move {
            hung_up.await.ok();
            tokio::time::sleep(grace).await;
        };
        (self.commands, overdue)
    }
}

/// The peer reads nothing: [`limit::TRANSPORT_OUT`] messages wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the server does not read what it is sent")]
pub struct Stuck;

/// Starts connecting. Call it from a thread that lives as long as a child may (see [`super::process`]).
pub fn open(target: Target, settings: Settings) -> Transport {
    let (commands, queue) = mpsc::channel(limit::TRANSPORT_OUT);
    let (alive, hung_up) = oneshot::channel();
    let inbox = Inbox { commands: queue, hung_up };
    let (outbox, events) = mpsc::channel(limit::TRANSPORT_IN);
    let outbox = Outbox { queue: outbox, bytes: Arc::new(Semaphore::new(permits(settings.message_limit))) };
    let task = tokio::spawn(async move {
        let end = match target {
            Target::Stdio { program, cwd } => stdio::run(program, cwd, &settings, inbox, &outbox).await,
            Target::WebSocket { url, token_file, ca_file } => {
                let endpoint = websocket::Endpoint { url, token_file, ca_file };
                websocket::run(endpoint, &settings, inbox, &outbox).await
            }
            Target::Demo { scenario } => {
                failure(FailureKind::NotAnAppServer { why: format!("the demo \"{scenario}\" is not a transport") }, "")
            }
        };
        outbox.send(TransportEvent::Closed(end)).await;
    });
    Transport { commands, events, alive, task }
}

impl Transport {
    /// The next event; `None` after `Closed`. Cancel safe.
    pub async fn next(&mut self) -> Option<TransportEvent> {
        self.events.recv().await.map(|queued| queued.event)
    }

    /// An event that is already there.
    pub fn try_next(&mut self) -> Option<TransportEvent> {
        self.events.try_recv().ok().map(|queued| queued.event)
    }

    /// Queues a message. After the end of the connection it is dropped: `Closed` tells of the end.
    pub fn send(&self, message: String) -> Result<(), Stuck> {
        self.command(Command::Message(message))
    }

    /// Asks a WebSocket peer for a sign of life; nothing on stdio.
    pub fn ping(&self) -> Result<(), Stuck> {
        self.command(Command::Ping)
    }

    /// Ends the connection in good order and returns when the owned child, if any, is gone.
    pub async fn close(self) {
        let Self { commands, mut events, alive, task } = self;
        drop((commands, alive));
        while events.recv().await.is_some() {}
        // It can only fail by a panic, which the hook has reported.
        task.await.ok();
    }

    fn command(&self, command: Command) -> Result<(), Stuck> {
        match self.commands.try_send(command) {
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
            Err(mpsc::error::TrySendError::Full(_)) => Err(Stuck),
        }
    }
}

/// The inbound queue as its transport sees it.
#[derive(Debug)]
pub(super) struct Outbox {
    queue: mpsc::Sender<Queued>,
    bytes: Arc<Semaphore>,
}

#[derive(Debug)]
struct Queued {
    event: TransportEvent,
    /// Given back when the event was taken out.
    _room: Option<OwnedSemaphorePermit>,
}

impl Outbox {
    /// Waits for room. Whoever stopped listening is told nothing.
    pub(super) async fn send(&self, event: TransportEvent) {
        let room = match &event {
            // The semaphore is never closed.
            TransportEvent::Message(text) => Arc::clone(&self.bytes).acquire_many_owned(cost(text.len())).await.ok(),
            TransportEvent::Opened { .. } | TransportEvent::Ignored(_) | TransportEvent::Closed(_) => None,
        };
        self.queue.send(Queued { event, _room: room }).await.ok();
    }
}

/// Room is counted in KiB, because a semaphore counts in 32 bits.
fn permits(bytes: usize) -> usize {
    bytes / 1024 + 1
}

fn cost(bytes: usize) -> u32 {
    u32::try_from(permits(bytes)).unwrap_or(u32::MAX)
}

/// A failure whose technical text is redacted and bounded.
pub(super) fn failure(kind: FailureKind, detail: &str) -> Failure {
    Failure { kind, detail: clip(&redact(detail), limit::DETAIL), stderr: Vec::new() }
}

/// At most `limit` bytes of a text, cut at a character, without control characters.
pub(super) fn clip(text: &str, limit: usize) -> String {
    let end = text.floor_char_boundary(limit);
    text[..end].chars().map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect()
}
