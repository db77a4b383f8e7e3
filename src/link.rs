//! The GUI's end of the pipe to one worker process (a bridge).
//!
//! [`start`] spawns the worker and shakes hands; then requests go in and events come out, both
//! through bounded queues, until [`LinkEvent::Gone`], which is always the last event. A GUI that is
//! slow to take events stops the reading here, and the worker then merges what waits. Dropping the
//! [`LinkSender`] closes the worker's stdin; it ends by itself or is killed after
//! [`limit::WORKER_GRACE`].

mod process;

use std::io::Write;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::{Notify, mpsc};

use crate::base::lines::{Line, Splitter};
use crate::base::redact::redact;
use crate::base::{BridgeId, Stamp, limit};
use crate::contract::line::{Decoded, Decoder, Encoder, Error as LineError};
use crate::contract::request::Clock;
use crate::contract::{self, Envelope, Event, Failure, FailureKind, Request};

/// What a worker tells.
#[derive(Debug, Clone, PartialEq)]
pub enum LinkEvent {
    /// A message of the contract.
    Event { stamp: Option<Stamp>, event: Event },
    /// The worker ended, could not be started, or broke the contract. The last event.
    Gone(Failure),
}

/// Sends requests to one worker.
#[derive(Debug)]
pub struct LinkSender {
    requests: mpsc::Sender<(Stamp, Request)>,
    overrun: Arc<Notify>,
}

impl LinkSender {
    /// Queues a request. One that finds the worker gone is dropped: `Gone` tells. A worker that reads
    /// nothing while [`limit::CONTRACT_QUEUE`] requests wait is ended.
    pub fn send(&self, stamp: Stamp, request: Request) {
        if let Err(mpsc::error::TrySendError::Full(_)) = self.requests.try_send((stamp, request)) {
            self.overrun.notify_one();
        }
    }
}

/// Starts `program worker` (our own executable) for a bridge. Needs a tokio runtime.
///
/// `stamp` is what the worker puts on its events; `clock` is virtual only for the demo.
pub fn start(
    bridge: BridgeId,
    stamp: Stamp,
    program: PathBuf,
    clock: Clock,
) -> (LinkSender, mpsc::Receiver<LinkEvent>) {
    let (requests, inbox) = mpsc::channel(limit::CONTRACT_QUEUE);
    let (outbox, events) = mpsc::channel(limit::CONTRACT_QUEUE);
    let overrun = Arc::new(Notify::new());
    let link = Link { bridge, inbox, outbox, overrun: Arc::clone(&overrun) };
    tokio::spawn(link.run(program, Request::Welcome { stamp, clock }));
    (LinkSender { requests, overrun }, events)
}

struct Link {
    bridge: BridgeId,
    inbox: mpsc::Receiver<(Stamp, Request)>,
    outbox: mpsc::Sender<LinkEvent>,
    overrun: Arc<Notify>,
}

/// Why a worker is given up.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("it closed its output")]
    Ended,
    #[error("it did not introduce itself in time")]
    NoHello,
    #[error("Rejoin was updated while its window was open; close all its windows and start it again")]
    OtherBuild,
    #[error(transparent)]
    Line(#[from] LineError),
    #[error("it does not read what it is sent")]
    Overrun,
}

impl Link {
    async fn run(mut self, program: PathBuf, welcome: Request) {
        let outbox = self.outbox.clone();
        let gone = match process::spawn(&program) {
            Ok(worker) => self.supervise(worker, welcome).await,
            Err(error) => Failure {
                kind: FailureKind::Worker { why: "it could not be started".to_owned() },
                detail: format!("{}: {error}", program.display()),
                stderr: Vec::new(),
            },
        };
        // Nobody may be interested any more.
        outbox.send(LinkEvent::Gone(gone)).await.ok();
    }

    /// Serves a worker until it is gone.
    async fn supervise(&mut self, worker: process::Worker, welcome: Request) -> Failure {
        let process::Worker { mut child, stdin, stdout, stderr } = worker;
        let mut stderr_lines = Vec::new();
        let fault = {
            let mut errors = pin!(log_lines(self.bridge, stderr, &mut stderr_lines));
            let mut logging = true;
            let fault = {
                let mut talk = pin!(self.talk(stdin, stdout, welcome));
                loop {
                    tokio::select! {
                        fault = &mut talk => break fault,
                        () = &mut errors, if logging => logging = false,
                    }
                }
            };
            // The last words; the pipe is open only as long as the worker lives.
            if logging && matches!(fault, Fault::Ended) {
                tokio::time::timeout(limit::WORKER_GRACE, errors).await.ok();
            }
            fault
        };
        let end = match tokio::time::timeout(limit::WORKER_GRACE, child.wait()).await {
            Ok(status) => status,
            Err(_) => match child.start_kill() {
                Ok(()) => child.wait().await,
                Err(error) => Err(error),
            },
        };
        let end = end.map_or_else(|error| error.to_string(), |status| status.to_string());
        let why = match &fault {
            Fault::Ended => format!("it ended ({end})"),
            fault => fault.to_string(),
        };
        Failure { kind: FailureKind::Worker { why }, detail: redact(&format!("{fault}; {end}")), stderr: stderr_lines }
    }

    async fn talk(&mut self, mut stdin: ChildStdin, stdout: ChildStdout, welcome: Request) -> Fault {
        let mut lines = Lines::new(stdout);
        let mut encoder = Encoder::default();
        let hello = tokio::time::timeout(limit::CONTRACT_HANDSHAKE, lines.message(self.bridge)).await;
        let hello = match hello {
            Ok(Ok((envelope, _))) => envelope.body,
            Ok(Err(fault)) => return fault.unless_garbled_by_an_update(),
            Err(_) => return Fault::NoHello,
        };
        let accepted = matches!(&hello, Event::Hello { contract, build, .. }
            if *contract == contract::VERSION && build == env!("CARGO_PKG_VERSION"));
        let answer = if accepted { welcome } else { Request::Refuse { reason: Fault::OtherBuild.to_string() } };
        let written = match encoder.encode(None, answer) {
            Ok(line) => stdin.write_all(line.as_bytes()).await,
            Err(error) => return error.into(),
        };
        if !accepted {
            return Fault::OtherBuild;
        }
        if written.is_err() {
            return Fault::Ended;
        }
        if self.outbox.send(LinkEvent::Event { stamp: None, event: hello }).await.is_err() {
            return Fault::Ended;
        }
        let mut read = pin!(read(self.bridge, lines, &self.outbox));
        tokio::select! {
            fault = &mut read => fault,
            fault = write(stdin, encoder, &mut self.inbox) => match fault {
                Some(fault) => fault,
                // Stdin is closed: the worker is expected to end.
                None => tokio::time::timeout(limit::WORKER_GRACE, read).await.unwrap_or(Fault::Ended),
            },
            () = self.overrun.notified() => Fault::Overrun,
        }
    }
}

impl Fault {
    /// The first line of another build need not follow our contract at all.
    fn unless_garbled_by_an_update(self) -> Self {
        match self {
            Self::Line(LineError::Malformed(_)) => Self::OtherBuild,
            other => other,
        }
    }
}

/// Forwards events until the worker's stdout ends.
async fn read(bridge: BridgeId, mut lines: Lines<ChildStdout>, outbox: &mpsc::Sender<LinkEvent>) -> Fault {
    loop {
        let (envelope, missed) = match lines.message(bridge).await {
            Ok(message) => message,
            Err(fault) => return fault,
        };
        let stamp = envelope.stamp;
        let gap = (missed > 0).then_some(Event::Lagged { missed });
        for event in gap.into_iter().chain([envelope.body]) {
            // After its receiver is gone the rest is read and dropped, so that the worker can end.
            outbox.send(LinkEvent::Event { stamp, event }).await.ok();
        }
    }
}

/// Writes requests until nobody can send any more (`None`) or one cannot be written.
async fn write(
    mut stdin: ChildStdin,
    mut encoder: Encoder,
    inbox: &mut mpsc::Receiver<(Stamp, Request)>,
) -> Option<Fault> {
    while let Some((stamp, request)) = inbox.recv().await {
        match encoder.encode(Some(stamp), request) {
            // The end of its stdout tells more about a worker that is gone.
            Ok(line) if stdin.write_all(line.as_bytes()).await.is_err() => return None,
            Ok(_) => {}
            Err(error) => return Some(error.into()),
        }
    }
    None
}

/// Messages from a worker's stdout.
struct Lines<R> {
    input: R,
    decoder: Decoder,
    splitter: Splitter,
    chunk: Vec<u8>,
    /// The part of `chunk` that is not split yet.
    filled: std::ops::Range<usize>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn new(input: R) -> Self {
        let chunk = vec![0; limit::CONTRACT_BATCH];
        Self { input, decoder: Decoder::default(), splitter: Splitter::new(limit::CONTRACT_LINE), chunk, filled: 0..0 }
    }

    /// The next message and how many were lost before it. Stray lines are logged and skipped.
    async fn message(&mut self, bridge: BridgeId) -> Result<(Envelope<Event>, u64), Fault> {
        loop {
            let line = match self.line().await {
                Some(Line::Whole(bytes)) => bytes,
                Some(Line::Cut { head, dropped }) => return Err(LineError::TooLong(head.len() + dropped).into()),
                None => return Err(Fault::Ended),
            };
            match self.decoder.decode(&String::from_utf8_lossy(&line))? {
                Decoded::Message { envelope, missed } => return Ok((envelope, missed)),
                Decoded::Stray(text) => log(bridge, &text),
            }
        }
    }

    async fn line(&mut self) -> Option<Line> {
        loop {
            let mut rest = &self.chunk[self.filled.clone()];
            let before = rest.len();
            let line = self.splitter.feed(&mut rest);
            self.filled.start += before - rest.len();
            if line.is_some() {
                return line;
            }
            // What a dying worker wrote without a line end is no message.
            let count = self.input.read(&mut self.chunk).await.unwrap_or(0);
            self.filled = 0..count;
            if count == 0 {
                return None;
            }
        }
    }
}

/// Logs a worker's stderr and keeps its last lines.
async fn log_lines(bridge: BridgeId, mut stderr: impl AsyncRead + Unpin, kept: &mut Vec<String>) {
    let mut splitter = Splitter::new(limit::STDERR_LINE);
    let mut chunk = [0; 4 << 10];
    loop {
        let count = stderr.read(&mut chunk).await.unwrap_or(0);
        let mut rest = &chunk[..count];
        while let Some(Line::Whole(bytes) | Line::Cut { head: bytes, .. }) = splitter.feed(&mut rest) {
            let text = redact(&String::from_utf8_lossy(&bytes));
            log(bridge, &text);
            if kept.len() == limit::STDERR_LINES {
                kept.remove(0);
            }
            kept.push(text);
        }
        if count == 0 {
            return;
        }
    }
}

fn log(bridge: BridgeId, text: &str) {
    // Without a console there is nobody to tell.
    writeln!(std::io::stderr(), "bridge {bridge}: {}", redact(text)).ok();
}
