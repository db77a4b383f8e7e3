//! Every rule of the machine, through its five verbs only.

mod asks;
mod calls;
mod connection;
mod live;

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::contract::ServerInfo;
use crate::contract::event::Resolution;
use crate::live::LiveThread;
use crate::protocol::request::*;
use crate::protocol::rpc::INVALID_PARAMS;
use crate::protocol::server_request::{CommandDecision, FileChangeDecision};
use crate::protocol::{ClientResponse, ServerNotification, ServerRequest, rpc};

const STAMP: Stamp = Stamp { owner: 3, connection: 3 };

struct Rig {
    machine: Machine,
    now: Now,
    seq: u64,
}

impl Rig {
    fn new() -> Self {
        // Jitter in the middle: no deviation.
        Self { machine: Machine::new(STAMP, Box::new(|| 0.5)), now: Now::default(), seq: 0 }
    }

    fn connecting() -> Self {
        let mut rig = Self::new();
        let target = Target::WebSocket { url: "ws://127.0.0.1:1".into(), token_file: None, ca_file: None };
        rig.gui(Request::Connect { target });
        assert!(matches!(rig.machine.poll_output(), Some(Output::OpenTransport(_))));
        rig.transport(TransportEvent::Opened { pid: Some(7) });
        rig
    }

    fn connected() -> Self {
        let mut rig = Self::connecting();
        rig.sent();
        rig.server(json!({"id": 1, "result": {"userAgent": "rejoin/0.159.1 (Debian; x86_64) xterm"}}));
        assert_eq!(rig.sent(), [json!({"method": "initialized"})]);
        rig.events();
        rig
    }

    fn joined() -> Self {
        let mut rig = Self::connected();
        rig.call(1, resume("t"));
        rig.respond(session("t"));
        rig.events();
        rig
    }

    fn gui(&mut self, body: Request) {
        self.seq += 1;
        self.machine.handle_gui(self.now, Envelope { seq: self.seq, stamp: Some(STAMP), body });
    }

    fn call(&mut self, op: u64, call: ClientRequest) {
        self.gui(Request::Call { op: OpId(op), call });
    }

    fn transport(&mut self, event: TransportEvent) {
        self.machine.handle_transport(self.now, event);
    }

    fn server(&mut self, message: Value) {
        self.transport(TransportEvent::Message(message.to_string()));
    }

    /// Answers the last request that went out.
    fn respond(&mut self, result: Value) {
        let id = self.sent().last().unwrap()["id"].clone();
        self.server(json!({"id": id, "result": result}));
    }

    fn wait(&mut self, millis: u64) {
        self.now.instant = self.now.instant + Duration::from_millis(millis);
        if self.machine.poll_timeout().is_some_and(|due| due <= self.now.instant) {
            self.machine.handle_timeout(self.now);
        }
    }

    fn outputs(&mut self) -> Vec<Output> {
        std::iter::from_fn(|| self.machine.poll_output()).collect()
    }

    fn sent(&mut self) -> Vec<Value> {
        let outputs = self.outputs().into_iter();
        outputs
            .filter_map(|output| match output {
                Output::ToServer(text) => Some(serde_json::from_str(&text).unwrap()),
                Output::OpenTransport(_) | Output::Ping | Output::CloseTransport | Output::Exit => None,
            })
            .collect()
    }

    fn events(&mut self) -> Vec<Event> {
        std::iter::from_fn(|| self.machine.poll_event())
            .map(|(stamp, event)| {
                assert_eq!(stamp, Some(STAMP));
                event
            })
            .collect()
    }

    fn outcomes(&mut self) -> Vec<(u64, CallOutcome)> {
        let events = self.events().into_iter();
        events
            .filter_map(|event| match event {
                Event::Called { op, outcome } => Some((op.0, outcome)),
                _ => None,
            })
            .collect()
    }

    fn snapshot(&mut self, op: u64) -> (u64, LiveThread) {
        self.gui(Request::Attach { op: OpId(op), thread: "t".into() });
        let (mut seq, mut text) = (0, String::new());
        for event in self.events() {
            match event {
                Event::SnapshotBegin { seq: at, .. } => seq = at,
                Event::SnapshotPart { text: part, .. } => text.push_str(&part),
                _ => {}
            }
        }
        (seq, serde_json::from_str(&text).unwrap())
    }
}

fn resume(thread: &str) -> ClientRequest {
    ClientRequest::ThreadResume(ThreadResumeParams { thread_id: thread.into(), exclude_turns: true })
}

fn account() -> ClientRequest {
    ClientRequest::AccountRead(AccountReadParams::default())
}

fn interrupt() -> ClientRequest {
    ClientRequest::TurnInterrupt(TurnInterruptParams { thread_id: "t".into(), turn_id: "u".into() })
}

fn turn_start() -> ClientRequest {
    ClientRequest::TurnStart(TurnStartParams {
        thread_id: "t".into(),
        input: Vec::new(),
        client_user_message_id: "c".into(),
        model: None,
        effort: None,
        approval_policy: None,
        sandbox_policy: None,
    })
}

fn items(limit: Option<u32>) -> ClientRequest {
    ClientRequest::ItemsList(ItemsListParams {
        thread_id: "t".into(),
        cursor: Some("c".into()),
        limit,
        sort_direction: SortDirection::Desc,
        turn_id: None,
    })
}

fn session(thread: &str) -> Value {
    json!({"thread": {"id": thread}, "model": "m", "cwd": "/", "approvalPolicy": "never", "sandbox": {"type": "readOnly"}})
}

fn signed_out() -> Value {
    json!({"account": null, "requiresOpenaiAuth": false})
}

fn delta(text: &str) -> Value {
    json!({"method": "item/agentMessage/delta", "params": {"threadId": "t", "turnId": "u", "itemId": "i", "delta": text}})
}

fn turn_completed(turn: &str) -> Value {
    json!({"method": "turn/completed", "params": {"threadId": "t", "turn": {"id": turn, "status": "completed"}}})
}

fn ask(id: Value) -> Value {
    json!({"id": id, "method": "item/commandExecution/requestApproval", "params": {
        "threadId": "t", "turnId": "u", "itemId": "i", "command": "ls", "availableDecisions": ["accept", "cancel"]}})
}

fn answer(op: u64, id: i64, decision: CommandDecision) -> Request {
    Request::Answer { op: OpId(op), request: RequestId::Integer(id), answer: Answer::Command(decision) }
}

fn lost() -> TransportEvent {
    TransportEvent::Closed(failure(FailureKind::ConnectionLost, "reset"))
}

fn overloaded(id: &Value) -> Value {
    json!({"id": id, "error": {"code": -32001, "message": "Server overloaded; retry later."}})
}
