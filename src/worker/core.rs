//! What `rejoin worker` is made of: the machine, the built-in server, the environment's settings.

use crate::base::{Instant, Now, Stamp};
use crate::contract::{Envelope, Event, Failure, FailureKind, Request};
use crate::demo;

use super::machine::Machine;
use super::run::{Core, Output, Parts, Peer};
use super::transport::{self, Settings, TransportEvent};

/// The parts of the real worker.
pub(super) fn parts() -> Parts<Machine> {
    Parts { core, demo: start_demo, settings: Settings::from_environment() }
}

fn core(stamp: Stamp) -> Machine {
    Machine::new(stamp, Box::new(fastrand::f64))
}

fn start_demo(scenario: &str) -> Result<Box<dyn Peer>, Failure> {
    match demo::Machine::new(scenario) {
        Ok(machine) => Ok(Box::new(Demo { machine, opened: false })),
        Err(unknown) => Err(transport::failure(FailureKind::NotAnAppServer { why: unknown.to_string() }, "")),
    }
}

impl Core for Machine {
    fn handle_gui(&mut self, now: Now, request: Envelope<Request>) {
        Self::handle_gui(self, now, request);
    }

    fn handle_transport(&mut self, now: Now, event: TransportEvent) {
        Self::handle_transport(self, now, event);
    }

    fn handle_timeout(&mut self, now: Now) {
        Self::handle_timeout(self, now);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        Self::poll_timeout(self)
    }

    fn poll_output(&mut self) -> Option<Output> {
        Self::poll_output(self)
    }

    fn poll_event(&mut self) -> Option<(Option<Stamp>, Event)> {
        Self::poll_event(self)
    }
}

/// The demo as if it were a transport with a server behind it.
struct Demo {
    machine: demo::Machine,
    opened: bool,
}

impl Peer for Demo {
    fn handle_message(&mut self, now: Now, message: String) {
        self.machine.handle_message(now, demo::FIRST, &message);
    }

    fn handle_timeout(&mut self, now: Now) {
        self.machine.handle_timeout(now);
    }

    fn poll_timeout(&self) -> Option<Instant> {
        self.machine.poll_timeout()
    }

    fn poll_event(&mut self) -> Option<TransportEvent> {
        if !self.opened {
            self.opened = true;
            return Some(TransportEvent::Opened { pid: None });
        }
        Some(match self.machine.poll_output()? {
            demo::Output::Line { text, .. } => TransportEvent::Message(text),
            demo::Output::End { code } => TransportEvent::Closed(transport::failure(
                FailureKind::ProcessExited {
                    program: "The demo".to_owned(),
                    exit: format!("exit code {code}"),
                    before_ready: !self.machine.is_ready(),
                },
                "",
            )),
        })
    }
}
