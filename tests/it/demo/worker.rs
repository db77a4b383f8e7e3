//! The whole worker, as a real process, with the demo behind it.

use std::path::PathBuf;

use rejoin::base::{BridgeId, OpId, Stamp, ThreadId};
use rejoin::contract::request::Clock;
use rejoin::contract::{CallOutcome, Event, FailureKind, Request, Target};
use rejoin::link::{self, LinkEvent, LinkSender};
use rejoin::protocol::server_request::{Answer, CommandDecision};
use rejoin::protocol::{ClientRequest, ClientResponse, ServerNotification, ServerRequest};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::kit::PATIENCE;

const STAMP: Stamp = Stamp { owner: 1, connection: 1 };

struct Gui {
    sender: LinkSender,
    events: mpsc::Receiver<LinkEvent>,
    op: u64,
    /// The contract's number of the last request; Welcome was the first.
    seq: u64,
    seen: Vec<Event>,
}

impl Gui {
    async fn connect(scenario: &str, clock: Clock) -> Self {
        let program = PathBuf::from(env!("CARGO_BIN_EXE_rejoin"));
        let (sender, events) = link::start(BridgeId(1), STAMP, program, clock);
        let mut gui = Self { sender, events, op: 0, seq: 1, seen: Vec::new() };
        gui.until("Hello", |event| matches!(event, Event::Hello { .. })).await;
        gui.send(Request::Connect { target: Target::Demo { scenario: scenario.to_owned() } });
        gui
    }

    fn send(&mut self, request: Request) {
        self.seq += 1;
        self.sender.send(STAMP, request);
    }

    async fn until(&mut self, what: &str, wanted: impl Fn(&Event) -> bool) -> Event {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.events.recv()).await;
            match next.unwrap_or_else(|_| panic!("{what} did not come")).expect("an event") {
                LinkEvent::Event { event, .. } => {
                    self.seen.push(event.clone());
                    if wanted(&event) {
                        return event;
                    }
                }
                LinkEvent::Gone(failure) => panic!("{what}: gone: {failure:?}"),
            }
        }
    }

    fn next_op(&mut self) -> OpId {
        self.op += 1;
        OpId(self.op)
    }

    async fn call(&mut self, method: &str, params: Value) -> ClientResponse {
        let op = self.next_op();
        let call: ClientRequest =
            serde_json::from_value(json!({ "method": method, "params": params })).expect("a request");
        self.send(Request::Call { op, call });
        let called = self.until(method, |event| matches!(event, Event::Called { op: it, .. } if *it == op)).await;
        match called {
            Event::Called { outcome: CallOutcome::Ok(response), .. } => *response,
            other => panic!("{method}: {other:?}"),
        }
    }

    /// The first thread of the list with this name.
    async fn find(&mut self, name: &str) -> ThreadId {
        let params = json!({ "limit": 50, "sortKey": "recency_at", "modelProviders": [] });
        match self.call("thread/list", params).await {
            ClientResponse::ThreadList(list) => {
                list.data.into_iter().find(|thread| thread.name.as_deref() == Some(name)).expect("it").id
            }
            other => panic!("{other:?}"),
        }
    }

    async fn join(&mut self, thread: &ThreadId) {
        self.call("thread/resume", json!({ "threadId": thread, "excludeTurns": true })).await;
        let op = self.next_op();
        self.send(Request::Attach { op, thread: thread.clone() });
        self.until("a snapshot", |event| matches!(event, Event::SnapshotEnd { op: it } if *it == op)).await;
    }

    /// Virtual time passes; everything up to then is handled afterwards.
    async fn advance(&mut self, ms: u64) {
        self.send(Request::Advance { ms });
        let sent = self.seq;
        self.until("Quiet", |event| matches!(event, Event::Quiet { seq } if *seq == sent)).await;
    }
}

fn is_turn_completed(event: &Event) -> bool {
    matches!(event, Event::Live { event: ServerNotification::TurnCompleted { .. }, .. })
}

#[tokio::test]
async fn the_worker_lists_reads_joins_sends_streams_and_approves_with_the_demo() {
    let mut gui = Gui::connect("approvals", Clock::Real).await;
    gui.until("Connected", |event| matches!(event, Event::Connected { .. })).await;
    let thread = gui.find("A command").await;
    gui.call("thread/items/list", json!({ "threadId": thread, "sortDirection": "desc", "limit": 100 })).await;
    gui.join(&thread).await;
    let asks = |event: &Event| matches!(event, Event::Asked { ask: ServerRequest::CommandApproval(_), .. });
    let asked = match gui.seen.iter().find(|event| asks(event)) {
        Some(asked) => asked.clone(),
        None => gui.until("the request", asks).await,
    };
    let Event::Asked { request, .. } = asked else { panic!("{asked:?}") };
    let op = gui.next_op();
    gui.send(Request::Answer { op, request, answer: Answer::Command(CommandDecision::Accept) });
    gui.until("Answered", |event| matches!(event, Event::Answered { sent: true, .. })).await;
    gui.until("the end of the turn", is_turn_completed).await;
    let input = json!([{ "type": "text", "text": "REASON 5 1; SLOW 10 1; SAY the end" }]);
    gui.seen.clear();
    gui.call("turn/start", json!({ "threadId": thread, "input": input, "clientUserMessageId": "mine" })).await;
    gui.until("the end of the turn", is_turn_completed).await;
    let text = format!("{:?}", gui.seen);
    assert!(text.contains("the end") && text.contains("mine") && text.contains("w9"), "{text}");
}

#[tokio::test]
async fn eight_minutes_of_virtual_time_pass_at_once_and_the_turn_is_over() {
    let mut gui = Gui::connect("streaming", Clock::Virtual).await;
    gui.until("Connected", |event| matches!(event, Event::Connected { .. })).await;
    let thread = gui.find("At work").await;
    gui.join(&thread).await;
    gui.advance(10_000).await;
    assert!(!gui.seen.iter().any(is_turn_completed), "it streams for minutes");
    let began = std::time::Instant::now();
    gui.advance(8 * 60_000).await;
    assert!(gui.seen.iter().any(is_turn_completed));
    assert!(began.elapsed() < std::time::Duration::from_secs(60), "no real time is waited out");
}

#[tokio::test]
async fn a_demo_that_ends_and_an_unknown_one_are_failures_in_words() {
    for (scenario, word) in [("exit-at-once", "exit code 1"), ("garbage", "exit code 139"), ("nosuch", "no scenario")] {
        let mut gui = Gui::connect(scenario, Clock::Real).await;
        let failed = gui
            .until("a failure", |event| matches!(event, Event::ConnectFailed { .. } | Event::Disconnected { .. }))
            .await;
        let (Event::ConnectFailed { failure } | Event::Disconnected { failure }) = failed else { panic!() };
        let words = match &failure.kind {
            FailureKind::ProcessExited { exit, .. } => exit.clone(),
            FailureKind::NotAnAppServer { why } => why.clone(),
            other => panic!("{other:?}"),
        };
        assert!(words.contains(word), "{words}");
    }
}
