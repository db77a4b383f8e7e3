//! A worker made of events built by hand: answers reads by itself, keeps a hub, leaves operations to the test.

use std::collections::BTreeMap;
use std::time::Duration;

use rejoin::base::{BridgeId, Instant, Now, OpId, RequestId, Stamp, ThreadId, UnixMs};
use rejoin::contract::{CallOutcome, Event, Failure, FailureKind, Request, ServerInfo, Target};
use rejoin::engine::input::Profile;
use rejoin::engine::view::{Conversation, ConversationKey};
use rejoin::engine::{Config, Engine, Input, Intent, Output};
use rejoin::live::LiveThread;
use rejoin::protocol::account::AccountReadResponse;
use rejoin::protocol::request::{
    ItemsListResponse, ModelListResponse, SessionResponse, ThreadListResponse, ThreadReadResponse, TurnsListResponse,
};
use rejoin::protocol::{ClientRequest, ClientResponse, RpcError, ServerNotification, Thread};

pub struct Fake {
    pub engine: Engine,
    pub now: Now,
    pub bridge: BridgeId,
    pub stamp: Stamp,
    /// Calls without an answer, oldest first.
    pub open: Vec<(OpId, ClientRequest)>,
    /// Everything that was ever written as an operation.
    pub operations: Vec<ClientRequest>,
    pub answers: Vec<(OpId, RequestId)>,
    pub said: Vec<(bool, String)>,
    pub focus: Vec<rejoin::engine::input::Focus>,
    pub replaced: Vec<(ConversationKey, String)>,
    pub attached: Vec<ThreadId>,
    pub detached: Vec<ThreadId>,
    pub stopped: Vec<BridgeId>,
    /// What the server has.
    pub threads: Vec<Thread>,
    pub account: AccountReadResponse,
    pub hub: BTreeMap<ThreadId, (LiveThread, u64)>,
}

pub fn thread(id: &str) -> Thread {
    serde_json::from_value(serde_json::json!({
        "id": id, "preview": format!("about {id}"), "historyMode": "paginated", "status": {"type": "idle"},
        "source": "cli", "cwd": "/srv", "recencyAt": 1_790_000_000,
    }))
    .unwrap()
}

pub fn profile(name: &str) -> Profile {
    Profile { name: name.into(), target: Target::Demo { scenario: "plain".into() }, cwd: Some("/srv".into()) }
}

pub fn session(thread: Thread) -> SessionResponse {
    serde_json::from_value(serde_json::json!({
        "thread": serde_json::to_value(thread).unwrap(), "model": "m1", "cwd": "/srv", "approvalPolicy": "on-request",
        "sandbox": {"type": "readOnly"},
    }))
    .unwrap()
}

pub fn notification(method: &str, params: serde_json::Value) -> ServerNotification {
    serde_json::from_value(serde_json::json!({"method": method, "params": params})).unwrap()
}

pub fn failure(kind: FailureKind) -> Failure {
    Failure { kind, detail: "technical".into(), stderr: Vec::new() }
}

pub fn rejected(message: &str) -> CallOutcome {
    CallOutcome::Rejected(RpcError { code: -32600, message: message.into() })
}

pub fn ok(response: ClientResponse) -> CallOutcome {
    CallOutcome::Ok(Box::new(response))
}

pub fn turn_started(id: &str) -> CallOutcome {
    ok(ClientResponse::TurnStart(
        serde_json::from_value(serde_json::json!({"turn": {"id": id, "status": "inProgress"}})).unwrap(),
    ))
}

impl Fake {
    pub fn new() -> Self {
        let mut ids = 0;
        let config = Config {
            new_id: Box::new(move || {
                ids += 1;
                format!("client-{ids}")
            }),
            time_text: Box::new(|at| format!("{} ms", at.0)),
            // The middle: no deviation.
            jitter: Box::new(|| 0.5),
        };
        let now = Now { instant: Instant(Duration::from_secs(1)), unix_ms: UnixMs(1_000) };
        Self {
            engine: Engine::new(config, now),
            now,
            bridge: BridgeId(0),
            stamp: Stamp { owner: 0, connection: 0 },
            open: Vec::new(),
            operations: Vec::new(),
            answers: Vec::new(),
            said: Vec::new(),
            focus: Vec::new(),
            replaced: Vec::new(),
            attached: Vec::new(),
            detached: Vec::new(),
            stopped: Vec::new(),
            threads: vec![thread("a"), thread("b")],
            account: AccountReadResponse { account: None, requires_openai_auth: false },
            hub: BTreeMap::new(),
        }
    }

    /// Connected, the list read, nothing selected.
    pub fn connected() -> Self {
        let mut fake = Self::new();
        fake.connect();
        fake
    }

    pub fn connect(&mut self) {
        self.user(Intent::Connect(profile("demo")));
        self.event(Event::Connected { server: ServerInfo { version: "0.159.1".into(), pid: Some(7) } });
        self.serve();
    }

    /// The attempt that is under way succeeds; account and list are read.
    pub fn come_back(&mut self) {
        self.event(Event::Connected { server: ServerInfo { version: "0.159.1".into(), pid: Some(8) } });
        self.serve();
    }

    /// Connected, `a` open and joined.
    pub fn joined() -> Self {
        let mut fake = Self::connected();
        fake.user(Intent::Open("a".into()));
        fake.serve();
        fake.join("a");
        fake
    }

    pub fn join(&mut self, id: &str) {
        self.user(Intent::Join);
        let op = self.take("thread/resume");
        self.settle(op, ok(ClientResponse::ThreadResume(session(thread(id)))));
        self.serve();
    }

    pub fn tick(&mut self, ms: u64) {
        let end = self.now.instant + Duration::from_millis(ms);
        // The shell wakes the engine at every deadline; only sleep jumps over one.
        while let Some(due) = self.engine.poll_timeout().filter(|due| *due < end) {
            self.jump(due.since(self.now.instant));
        }
        self.jump(end.since(self.now.instant));
    }

    /// Moves both clocks at once, as when the program did not run.
    pub fn jump(&mut self, time: Duration) {
        self.now.instant = self.now.instant + time;
        self.now.unix_ms.0 += time.as_millis() as i64;
        self.engine.handle_timeout(self.now);
        self.drain();
    }

    pub fn user(&mut self, intent: Intent) {
        self.input(Input::User(intent));
    }

    pub fn event(&mut self, event: Event) {
        self.input(Input::Worker { bridge: self.bridge, stamp: Some(self.stamp), event });
    }

    pub fn input(&mut self, input: Input) {
        self.now.unix_ms.0 += 1;
        self.engine.handle_input(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.engine.poll_output() {
            match output {
                Output::StartWorker { bridge } => {
                    self.bridge = bridge;
                    self.open.clear();
                    self.hub.clear();
                }
                Output::Send { stamp, request, .. } => {
                    self.stamp = stamp;
                    self.request(request);
                }
                Output::StopWorker { bridge } => self.stopped.push(bridge),
                Output::Announce { assertive, text } => self.said.push((assertive, text)),
                Output::Focus(focus) => self.focus.push(focus),
                Output::ComposerReplaced { conversation, text } => self.replaced.push((conversation, text)),
            }
        }
    }

    fn request(&mut self, request: Request) {
        match request {
            Request::Call { op, call } => {
                if call.method().class() == rejoin::protocol::request::Class::Operation {
                    self.operations.push(call.clone());
                }
                self.open.push((op, call));
            }
            Request::Answer { op, request, answer: _ } => self.answers.push((op, request)),
            Request::Attach { op, thread } => {
                self.attached.push(thread.clone());
                let (live, seq) =
                    self.hub.entry(thread.clone()).or_insert_with(|| (LiveThread::new(thread.clone()), 0)).clone();
                let text = serde_json::to_string(&live).unwrap();
                for event in [
                    Event::SnapshotBegin { op, thread, seq, bytes: text.len() },
                    Event::SnapshotPart { op, text },
                    Event::SnapshotEnd { op },
                ] {
                    let (bridge, stamp) = (self.bridge, Some(self.stamp));
                    self.engine.handle_input(self.now, Input::Worker { bridge, stamp, event });
                }
            }
            Request::Detach { thread } => self.detached.push(thread),
            Request::Welcome { .. }
            | Request::Refuse { .. }
            | Request::Connect { .. }
            | Request::Disconnect
            | Request::Advance { .. } => {}
        }
    }

    /// The oldest call of a method that waits; it must be there.
    pub fn take(&mut self, method: &str) -> OpId {
        let at = self.open.iter().position(|(_, call)| call.method().name() == method);
        let at = at.unwrap_or_else(|| panic!("no {method} in {:?}", self.open));
        self.open.remove(at).0
    }

    pub fn waits(&self, method: &str) -> bool {
        self.open.iter().any(|(_, call)| call.method().name() == method)
    }

    pub fn settle(&mut self, op: OpId, outcome: CallOutcome) {
        self.event(Event::Called { op, outcome });
    }

    /// Answers every read that waits, until none does.
    pub fn serve(&mut self) {
        while let Some(at) =
            self.open.iter().position(|(_, call)| call.method().class() == rejoin::protocol::request::Class::Read)
        {
            let (op, call) = self.open.remove(at);
            let outcome = self.read(&call);
            self.settle(op, outcome);
        }
    }

    fn read(&self, call: &ClientRequest) -> CallOutcome {
        ok(match call {
            ClientRequest::AccountRead(_) => ClientResponse::AccountRead(self.account.clone()),
            ClientRequest::ModelList(_) => {
                ClientResponse::ModelList(ModelListResponse { data: Vec::new(), next_cursor: None })
            }
            ClientRequest::ThreadList(_) => {
                ClientResponse::ThreadList(ThreadListResponse { data: self.threads.clone(), next_cursor: None })
            }
            ClientRequest::ThreadRead(read) => match self.threads.iter().find(|thread| thread.id == read.thread_id) {
                Some(thread) => ClientResponse::ThreadRead(ThreadReadResponse { thread: thread.clone() }),
                None => return rejected(&format!("thread not loaded: {}", read.thread_id)),
            },
            ClientRequest::TurnsList(_) => ClientResponse::TurnsList(TurnsListResponse {
                data: Vec::new(),
                next_cursor: None,
                backwards_cursor: None,
            }),
            ClientRequest::ItemsList(_) => ClientResponse::ItemsList(ItemsListResponse {
                data: Vec::new(),
                next_cursor: None,
                backwards_cursor: None,
            }),
            other => panic!("{other:?} is no read"),
        })
    }

    /// A live event of a subscribed thread, through the hub.
    pub fn live(&mut self, id: &str, event: ServerNotification) {
        let at = self.now.unix_ms;
        let (live, seq) = self.hub.entry(id.into()).or_insert_with(|| (LiveThread::new(id.into()), 0));
        live.apply(at, &event);
        *seq += 1;
        let seq = *seq;
        self.event(Event::Live { thread: id.into(), seq, at, event });
    }

    pub fn start_turn(&mut self, id: &str, turn: &str) {
        let params = serde_json::json!({"threadId": id, "turn": {"id": turn, "status": "inProgress"}});
        self.live(id, notification("turn/started", params));
    }

    pub fn end_turn(&mut self, id: &str, turn: &str, status: &str) {
        let params = serde_json::json!({"threadId": id, "turn": {"id": turn, "status": status}});
        self.live(id, notification("turn/completed", params));
    }

    pub fn complete(&mut self, id: &str, turn: &str, item: serde_json::Value) {
        let params = serde_json::json!({"threadId": id, "turnId": turn, "item": item});
        self.live(id, notification("item/completed", params));
    }

    pub fn conversation(&mut self) -> Conversation {
        self.engine.conversation().expect("a conversation is open")
    }

    pub fn key(&mut self) -> ConversationKey {
        self.conversation().key
    }

    pub fn type_text(&mut self, text: &str) {
        let conversation = self.key();
        self.user(Intent::Edit { conversation, text: text.into() });
    }

    pub fn composer(&mut self) -> String {
        let key = self.key();
        self.engine.composer_text(&key).to_owned()
    }

    pub fn state(&self) -> &'static str {
        let banner = self.engine.banner();
        rejoin::engine::words::state(banner.connection, banner.profile).title
    }

    pub fn heard(&self, part: &str) -> usize {
        self.said.iter().filter(|(_, text)| text.contains(part)).count()
    }

    pub fn lose(&mut self) {
        self.event(Event::Disconnected { failure: failure(FailureKind::ConnectionLost) });
    }

    pub fn sent(&self, method: &str) -> usize {
        self.operations.iter().filter(|call| call.method().name() == method).count()
    }
}
