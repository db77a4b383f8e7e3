//! `rejoin worker`: the I/O around the machine. It moves bytes and time, and decides nothing.
//!
//! Everything runs on the main thread, because a child dies with the thread that spawned it (see
//! [`super::process`]); only the two pipes to the GUI have threads of their own. Stdout carries the
//! contract and nothing else; stderr carries redacted log lines. The worker ends when its stdin
//! ends, when the machine says so, or when the GUI breaks the contract, and then takes its
//! app-server with it.

pub mod pipes;
mod scripted;

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use tokio::task::JoinHandle;

use crate::base::lines::Line;
use crate::base::redact::redact;
use crate::base::time::Clock;
use crate::base::{Instant, Now, Stamp, limit};
use crate::contract::line::{Decoded, Decoder, Encoder, Error as LineError};
use crate::contract::request::Clock as ClockKind;
use crate::contract::{self, Envelope, Event, Failure, FailureKind, Request, Target};

pub use super::machine::Output;
use super::process;
use super::transport::{self, Settings, Transport, TransportEvent};
use pipes::{Inbound, Outbound};

/// The machine between the GUI and the server, as the loop sees it.
pub trait Core {
    /// A request of the GUI.
    fn handle_gui(&mut self, now: Now, request: Envelope<Request>);
    /// Something happened to the connection that [`Output::OpenTransport`] asked for.
    fn handle_transport(&mut self, now: Now, event: TransportEvent);
    /// The time of [`Core::poll_timeout`] has come.
    fn handle_timeout(&mut self, now: Now);
    /// When [`Core::handle_timeout`] is due.
    fn poll_timeout(&self) -> Option<Instant>;
    /// What to do next, in order.
    fn poll_output(&mut self) -> Option<Output>;
    /// The next event for the GUI. Asked only when the GUI's pipe has room: what waits inside may be merged.
    fn poll_event(&mut self) -> Option<(Option<Stamp>, Event)>;
}

/// A server inside the worker: without I/O, living by the same clock as the machine.
pub trait Peer: Send {
    /// A message of ours.
    fn handle_message(&mut self, now: Now, message: String);
    /// The time of [`Peer::poll_timeout`] has come.
    fn handle_timeout(&mut self, now: Now);
    /// When [`Peer::handle_timeout`] is due.
    fn poll_timeout(&self) -> Option<Instant>;
    /// What it does next; `Opened` comes first.
    fn poll_event(&mut self) -> Option<TransportEvent>;
}

/// How the machine and the built-in servers are made.
pub struct Parts<C> {
    /// Makes the machine when the GUI has accepted us.
    pub core: fn(Stamp) -> C,
    /// Starts a scenario.
    pub demo: fn(&str) -> Result<Box<dyn Peer>, Failure>,
    /// For the transports.
    pub settings: Settings,
}

/// Why a worker ends before its time.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// No answer to Hello within [`limit::CONTRACT_HANDSHAKE`].
    #[error("no answer to Hello")]
    NoWelcome,
    /// The first message was neither Welcome nor Refuse, or such a one came later.
    #[error("a handshake message is missing or out of place")]
    OutOfPlace,
    /// A line that breaks the contract, in either direction.
    #[error(transparent)]
    Line(#[from] LineError),
    /// Requests were lost on the way: what the GUI takes for sent was not.
    #[error("{0} requests were lost")]
    Gap(u64),
    /// Advance without a virtual clock.
    #[error("time runs by itself and cannot be moved")]
    Clock,
}

/// `rejoin worker`, until the GUI is gone or the machine ends.
pub fn run<C: Core>(parts: fn() -> Parts<C>) -> ExitCode {
    std::panic::set_hook(Box::new(|info| log(&info.to_string())));
    process::contain();
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            log(&format!("no runtime: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let inbound = pipes::read_from(std::io::stdin());
    let outbound = pipes::write_to(std::io::stdout());
    let ended = runtime.block_on(serve(inbound, outbound, parts()));
    runtime.shutdown_background();
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            log(&format!("the worker ends: {fault}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes one redacted line to stderr.
fn log(text: &str) {
    // A GUI that reads no log is no reason to stop.
    writeln!(std::io::stderr(), "worker: {}", redact(text)).ok();
}

/// Shakes hands and serves one GUI until it is gone or the machine ends. Afterwards no child is left.
pub async fn serve<C: Core>(mut inbound: Inbound, outbound: Outbound, parts: Parts<C>) -> Result<(), Fault> {
    let (mut encoder, mut decoder) = (Encoder::default(), Decoder::default());
    let hello = Event::Hello {
        contract: contract::VERSION,
        build: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
    };
    // A GUI that is gone already is noticed by the next read.
    outbound.batches.send(encoder.encode(None, hello)?).await.ok();
    let welcomed = tokio::time::timeout(limit::CONTRACT_HANDSHAKE, welcome(&mut inbound, &mut decoder)).await;
    let Some((stamp, clock)) = welcomed.map_err(|_| Fault::NoWelcome)?? else { return Ok(()) };
    let mut worker = Worker {
        core: (parts.core)(stamp),
        time: match clock {
            ClockKind::Real => Time::Real(Clock::new()),
            ClockKind::Virtual => Time::Virtual(Now::VIRTUAL),
        },
        connection: Connection::None,
        closing: None,
        exiting: false,
        encoder,
        decoder,
        demo: parts.demo,
        settings: parts.settings,
    };
    let ended = worker.turn(&mut inbound, &outbound).await;
    worker.end(outbound).await;
    ended
}

async fn welcome(inbound: &mut Inbound, decoder: &mut Decoder) -> Result<Option<(Stamp, ClockKind)>, Fault> {
    while let Some(line) = inbound.recv().await {
        let Some(envelope) = decode(decoder, line)? else { continue };
        return match envelope.body {
            Request::Welcome { stamp, clock } => Ok(Some((stamp, clock))),
            Request::Refuse { reason } => {
                log(&format!("refused: {reason}"));
                Ok(None)
            }
            _ => Err(Fault::OutOfPlace),
        };
    }
    Ok(None)
}

/// One request, or `None` for stray output.
fn decode(decoder: &mut Decoder, line: Line) -> Result<Option<Envelope<Request>>, Fault> {
    let bytes = match line {
        Line::Whole(bytes) => bytes,
        Line::Cut { head, dropped } => return Err(LineError::TooLong(head.len() + dropped).into()),
    };
    match decoder.decode::<Request>(&String::from_utf8_lossy(&bytes))? {
        Decoded::Message { missed: 0, envelope } => Ok(Some(envelope)),
        Decoded::Message { missed, .. } => Err(Fault::Gap(missed)),
        Decoded::Stray(text) => {
            log(&format!("stray line of {} bytes on stdin", text.len()));
            Ok(None)
        }
    }
}

enum Time {
    Real(Clock),
    /// Moved by `Request::Advance` alone.
    Virtual(Now),
}

enum Connection {
    None,
    Transport(Transport),
    Peer(Box<dyn Peer>),
}

struct Worker<C> {
    core: C,
    time: Time,
    connection: Connection,
    /// A connection that is ending in good order.
    closing: Option<JoinHandle<()>>,
    /// The machine wants to end.
    exiting: bool,
    encoder: Encoder,
    decoder: Decoder,
    demo: fn(&str) -> Result<Box<dyn Peer>, Failure>,
    settings: Settings,
}

/// What the loop woke up for.
enum Wake {
    Gui(Option<Line>),
    Transport(Option<TransportEvent>),
    Room,
    Timer,
}

impl<C: Core> Worker<C> {
    async fn turn(&mut self, inbound: &mut Inbound, outbound: &Outbound) -> Result<(), Fault> {
        loop {
            self.settle()?;
            if self.exiting {
                // A GUI that reads nothing any more gets no further wait.
                return tokio::time::timeout(limit::CHILD_GRACE, self.flush(outbound)).await.unwrap_or(Ok(()));
            }
            let full = match outbound.batches.try_reserve() {
                Ok(room) => {
                    let batch = self.batch()?;
                    if !batch.is_empty() {
                        room.send(batch);
                        // More may be waiting.
                        continue;
                    }
                    false
                }
                Err(tokio::sync::mpsc::error::TrySendError::Full(())) => true,
                Err(tokio::sync::mpsc::error::TrySendError::Closed(())) => return Ok(()),
            };
            match self.wait(inbound, outbound, full).await {
                Wake::Gui(None) => return Ok(()),
                Wake::Gui(Some(line)) => self.gui(line, outbound).await?,
                Wake::Transport(event) => self.transport(event),
                Wake::Room | Wake::Timer => {}
            }
        }
    }

    async fn wait(&mut self, inbound: &mut Inbound, outbound: &Outbound, full: bool) -> Wake {
        let due = match &self.time {
            Time::Real(clock) => self.due().map(|due| due.since(clock.now().instant)),
            Time::Virtual(_) => None,
        };
        let connection = &mut self.connection;
        tokio::select! {
            line = inbound.recv() => Wake::Gui(line),
            event = next(connection) => Wake::Transport(event),
            _ = outbound.batches.reserve(), if full => Wake::Room,
            () = outbound.batches.closed(), if !full => Wake::Gui(None),
            () = tokio::time::sleep(due.unwrap_or(Duration::MAX)), if due.is_some() => Wake::Timer,
        }
    }

    /// Does what the machine and a built-in server want until they want nothing.
    fn settle(&mut self) -> Result<(), Fault> {
        loop {
            let now = self.now();
            if self.core.poll_timeout().is_some_and(|due| due <= now.instant) {
                self.core.handle_timeout(now);
            }
            while let Some(output) = self.core.poll_output() {
                self.perform(now, output)?;
            }
            let Connection::Peer(peer) = &mut self.connection else { return Ok(()) };
            if peer.poll_timeout().is_some_and(|due| due <= now.instant) {
                peer.handle_timeout(now);
            }
            match peer.poll_event() {
                Some(event) => self.core.handle_transport(now, event),
                None => return Ok(()),
            }
        }
    }

    fn perform(&mut self, now: Now, output: Output) -> Result<(), Fault> {
        match output {
            Output::OpenTransport(Target::Demo { scenario }) => match (self.demo)(&scenario) {
                Ok(peer) => self.connection = Connection::Peer(peer),
                Err(failure) => self.core.handle_transport(now, TransportEvent::Closed(failure)),
            },
            Output::OpenTransport(target) if matches!(self.time, Time::Virtual(_)) => {
                self.core.handle_transport(now, TransportEvent::Closed(scripted::failure(&target)));
            }
            Output::OpenTransport(target) => {
                self.connection = Connection::Transport(transport::open(target, self.settings.clone()));
            }
            Output::ToServer(message) => match &mut self.connection {
                Connection::Peer(peer) => peer.handle_message(now, message),
                Connection::Transport(transport) => {
                    let sent = transport.send(message);
                    self.check(now, sent);
                }
                Connection::None => {}
            },
            Output::Ping => {
                if let Connection::Transport(transport) = &self.connection {
                    let sent = transport.ping();
                    self.check(now, sent);
                }
            }
            Output::CloseTransport => self.close(),
            Output::Exit => self.exiting = true,
        }
        Ok(())
    }

    /// A peer that reads nothing is lost.
    fn check(&mut self, now: Now, sent: Result<(), transport::Stuck>) {
        if let Err(stuck) = sent {
            self.close();
            let failure = transport::failure(FailureKind::ConnectionLost, &stuck.to_string());
            self.core.handle_transport(now, TransportEvent::Closed(failure));
        }
    }

    fn close(&mut self) {
        if let Connection::Transport(transport) = std::mem::replace(&mut self.connection, Connection::None) {
            self.closing = Some(tokio::spawn(transport.close()));
        }
    }

    fn transport(&mut self, first: Option<TransportEvent>) {
        let now = self.now();
        let mut next = Some(first.unwrap_or_else(|| {
            let why = "its connection stopped without a reason".to_owned();
            TransportEvent::Closed(transport::failure(FailureKind::Worker { why }, ""))
        }));
        let mut budget = BURST;
        while let Some(event) = next.take() {
            let closed = matches!(event, TransportEvent::Closed(_));
            self.core.handle_transport(now, event);
            if closed {
                self.close();
            }
            budget -= 1;
            if let (Connection::Transport(transport), 1..) = (&mut self.connection, budget) {
                next = transport.try_next();
            }
        }
    }

    async fn gui(&mut self, line: Line, outbound: &Outbound) -> Result<(), Fault> {
        let Some(envelope) = decode(&mut self.decoder, line)? else { return Ok(()) };
        let seq = envelope.seq;
        match (&envelope.body, &self.time) {
            (Request::Welcome { .. } | Request::Refuse { .. }, _) => return Err(Fault::OutOfPlace),
            (Request::Advance { .. }, Time::Real(_)) => return Err(Fault::Clock),
            (Request::Advance { ms }, Time::Virtual(now)) => self.advance(*now, *ms)?,
            _ => {
                let now = self.now();
                self.core.handle_gui(now, envelope);
            }
        }
        if matches!(self.time, Time::Virtual(_)) {
            self.settle()?;
            self.flush(outbound).await?;
            let quiet = self.encoder.encode(None, Event::Quiet { seq })?;
            outbound.batches.send(quiet).await.ok();
        }
        Ok(())
    }

    /// Moves the virtual clock from timer to timer.
    fn advance(&mut self, from: Now, ms: u64) -> Result<(), Fault> {
        let target = from.instant + Duration::from_millis(ms);
        loop {
            self.settle()?;
            let due = self.due().filter(|due| *due <= target);
            self.set(due.unwrap_or(target));
            if due.is_none() {
                return Ok(());
            }
        }
    }

    fn set(&mut self, instant: Instant) {
        if let Time::Virtual(now) = &mut self.time {
            let passed = i64::try_from(instant.since(now.instant).as_millis()).unwrap_or(i64::MAX);
            now.unix_ms.0 = now.unix_ms.0.saturating_add(passed);
            now.instant = now.instant.max(instant);
        }
    }

    fn now(&self) -> Now {
        match &self.time {
            Time::Real(clock) => clock.now(),
            Time::Virtual(now) => *now,
        }
    }

    fn due(&self) -> Option<Instant> {
        let peer = match &self.connection {
            Connection::Peer(peer) => peer.poll_timeout(),
            Connection::Transport(_) | Connection::None => None,
        };
        [self.core.poll_timeout(), peer].into_iter().flatten().min()
    }

    /// Lines for the GUI, about [`limit::CONTRACT_BATCH`] bytes at most.
    fn batch(&mut self) -> Result<String, Fault> {
        let mut batch = String::new();
        while batch.len() < limit::CONTRACT_BATCH {
            let Some((stamp, event)) = self.core.poll_event() else { break };
            batch.push_str(&self.encoder.encode(stamp, event)?);
        }
        Ok(batch)
    }

    async fn flush(&mut self, outbound: &Outbound) -> Result<(), Fault> {
        loop {
            let batch = self.batch()?;
            if batch.is_empty() || outbound.batches.send(batch).await.is_err() {
                return Ok(());
            }
        }
    }

    /// Waits until no child is left and everything is written, both within a bounded time.
    async fn end(mut self, outbound: Outbound) {
        self.close();
        if let Some(closing) = self.closing.take() {
            // It can only fail by a panic, which the hook has reported.
            closing.await.ok();
        }
        let Outbound { batches, written } = outbound;
        drop(batches);
        tokio::time::timeout(limit::CHILD_GRACE, written).await.ok();
    }
}

/// Events of a connection that are handled before the GUI's pipe is looked at again.
const BURST: u32 = 64;

async fn next(connection: &mut Connection) -> Option<TransportEvent> {
    match connection {
        Connection::Transport(transport) => transport.next().await,
        Connection::Peer(_) | Connection::None => std::future::pending().await,
    }
}
