//! The worker's real shell around a machine of thirty lines, so that these tests are about the shell.
//!
//! The test binary runs itself again as the worker, because the machine is code of the tests.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};

use rejoin::base::{Instant, Now, Stamp};
use rejoin::contract::event::ServerInfo;
use rejoin::contract::{Envelope, Event, Failure, FailureKind, Request};
use rejoin::worker::run::{self, Core, Output, Parts};
use rejoin::worker::transport::{Settings, TransportEvent};

use crate::kit::script;

/// A program that behaves as `rejoin worker`.
pub fn program(dir: &Path) -> PathBuf {
    let path = dir.join("rejoin-relay");
    if !path.exists() {
        let test = std::env::current_exe().unwrap();
        let args = "--exact --nocapture --test-threads=1 worker_process::relay::worker";
        let env = format!(
            "unset REJOIN_TEST_GUI; REJOIN_TEST_WORKER=1; export REJOIN_TEST_WORKER\nexec '{}' {args}",
            test.display()
        );
        script::write(&path, &format!("#!/bin/sh\n{env}\n"));
    }
    path
}

/// The process that [`program`] runs; as a test of its own it does nothing.
#[test]
fn worker() {
    if std::env::var_os("REJOIN_TEST_WORKER").is_some() {
        // The harness has begun a line that is not ours.
        writeln!(std::io::stdout()).unwrap();
        run::run(parts);
        // Before the test harness can print its verdict into the contract.
        std::process::exit(0);
    }
}

fn parts() -> Parts<Relay> {
    let settings = Settings { guard: Some(env!("CARGO_BIN_EXE_rejoin").into()), ..Settings::from_environment() };
    Parts { core: Relay::new, demo: no_demo, settings }
}

fn no_demo(scenario: &str) -> Result<Box<dyn run::Peer>, Failure> {
    let kind = FailureKind::NotAnAppServer { why: scenario.to_owned() };
    Err(Failure { kind, detail: String::new(), stderr: Vec::new() })
}

struct Relay {
    stamp: Stamp,
    pid: Option<u32>,
    outputs: VecDeque<Output>,
    events: VecDeque<Event>,
}

impl Relay {
    fn new(stamp: Stamp) -> Self {
        Self { stamp, pid: None, outputs: VecDeque::new(), events: VecDeque::new() }
    }

    fn end(&mut self, failure: Failure) {
        self.events.push_back(Event::Disconnected { failure });
        self.outputs.push_back(Output::CloseTransport);
        self.outputs.push_back(Output::Exit);
    }
}

impl Core for Relay {
    fn handle_gui(&mut self, _now: Now, request: Envelope<Request>) {
        match request.body {
            Request::Connect { target } => self.outputs.push_back(Output::OpenTransport(target)),
            Request::Disconnect => {
                self.end(Failure { kind: FailureKind::Disconnected, detail: String::new(), stderr: Vec::new() });
            }
            other => panic!("unexpected: {other:?}"),
        }
    }

    fn handle_transport(&mut self, _now: Now, event: TransportEvent) {
        match event {
            TransportEvent::Opened { pid } => {
                self.pid = pid;
                self.outputs.push_back(Output::ToServer(r#"{"id":1,"method":"initialize"}"#.to_owned()));
            }
            TransportEvent::Message(_) => {
                let server = ServerInfo { version: "0.159.1".to_owned(), pid: self.pid };
                self.events.push_back(Event::Connected { server });
            }
            TransportEvent::Ignored(_) => {}
            TransportEvent::Closed(failure) => self.end(failure),
        }
    }

    fn handle_timeout(&mut self, _now: Now) {}

    fn poll_timeout(&self) -> Option<Instant> {
        None
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn poll_event(&mut self) -> Option<(Option<Stamp>, Event)> {
        self.events.pop_front().map(|event| (Some(self.stamp), event))
    }
}
