//! One committed line for every variant of the GUI-worker contract, the same byte for byte in both directions.

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::kit::blessed;
use rejoin::base::{OpId, RequestId, Stamp, ThreadId, UnixMs};
use rejoin::contract::event::Resolution;
use rejoin::contract::line::{Decoded, Decoder, Encoder, Error};
use rejoin::contract::request::Clock;
use rejoin::contract::{CallOutcome, Envelope, Event, Failure, FailureKind, Request, ServerInfo, Target, VERSION};
use rejoin::protocol::RpcError;

/// Samples of an enum, and a match without a wildcard over their patterns: a new variant without a
/// sample does not compile, a sample under another variant's pattern fails.
macro_rules! every_variant {
    ($name:ident: $type:ty { $( $pattern:pat => $sample:expr, )* }) => {
        fn $name() -> Vec<$type> {
            fn place(value: &$type) -> &'static str {
                match value { $( $pattern => stringify!($pattern), )* }
            }
            let samples = vec![ $( (stringify!($pattern), $sample), )* ];
            for (pattern, sample) in &samples {
                assert_eq!(place(sample), *pattern, "the sample is of this variant");
            }
            samples.into_iter().map(|(_, sample)| sample).collect()
        }
    };
}

const REQUESTS: &str = "tests/fixtures/golden/contract-requests.jsonl";
const EVENTS: &str = "tests/fixtures/golden/contract-events.jsonl";
const STAMP: Stamp = Stamp { owner: 2, connection: 3 };
const OP: OpId = OpId(7);
const AT: UnixMs = UnixMs(1_790_000_000_123);

fn thread() -> ThreadId {
    "thread-1".into()
}

/// A payload of the app-server, read from its wire form.
fn read<T: DeserializeOwned>(wire: Value) -> T {
    serde_json::from_value(wire).expect("a payload of the protocol")
}

fn failure(kind: FailureKind) -> Failure {
    Failure { kind, detail: "détail \"quoted\"".into(), stderr: vec!["last line".into()] }
}

every_variant!(targets: Target {
    Target::Stdio { .. } => Target::Stdio { program: "codex".into(), cwd: Some("work".into()) },
    Target::WebSocket { .. } => Target::WebSocket {
        url: "wss://host.example:4500".into(),
        token_file: Some("token".into()),
        ca_file: None,
    },
    Target::Demo { .. } => Target::Demo { scenario: "tour".into() },
});

every_variant!(clocks: Clock {
    Clock::Real => Clock::Real,
    Clock::Virtual => Clock::Virtual,
});

every_variant!(resolutions: Resolution {
    Resolution::Answered => Resolution::Answered,
    Resolution::Elsewhere => Resolution::Elsewhere,
    Resolution::TurnEnded => Resolution::TurnEnded,
    Resolution::Replaced => Resolution::Replaced,
});

every_variant!(outcomes: CallOutcome {
    CallOutcome::Ok(_) => CallOutcome::Ok(Box::new(read(json!({
        "method": "account/read", "result": {"account": null, "requiresOpenaiAuth": true}
    })))),
    CallOutcome::Rejected(_) => CallOutcome::Rejected(RpcError { code: -32600, message: "no".into() }),
    CallOutcome::NotSent { .. } => CallOutcome::NotSent { reason: "too large".into() },
    CallOutcome::TimedOut => CallOutcome::TimedOut,
    CallOutcome::Lost => CallOutcome::Lost,
    CallOutcome::Unreadable { .. } => CallOutcome::Unreadable { reason: "no object".into() },
});

every_variant!(failures: FailureKind {
    FailureKind::ProgramMissing { .. } => FailureKind::ProgramMissing { program: "codex".into() },
    FailureKind::ProgramNotExecutable { .. } => FailureKind::ProgramNotExecutable { program: "codex".into() },
    FailureKind::DirectoryMissing { .. } => FailureKind::DirectoryMissing { directory: "gone".into() },
    FailureKind::ProcessExited { .. } => FailureKind::ProcessExited {
        program: "codex".into(), exit: "exit code 3".into(), before_ready: true,
    },
    FailureKind::ConnectionLost => FailureKind::ConnectionLost,
    FailureKind::ConnectTimeout => FailureKind::ConnectTimeout,
    FailureKind::HostNotFound { .. } => FailureKind::HostNotFound { host: "host.example".into() },
    FailureKind::HttpStatus { .. } => FailureKind::HttpStatus { status: 401 },
    FailureKind::Closed { .. } => FailureKind::Closed { code: 1005, reason: String::new() },
    FailureKind::Tls { .. } => FailureKind::Tls { why: "expired".into() },
    FailureKind::BadUrl { .. } => FailureKind::BadUrl { why: "no host".into() },
    FailureKind::TokenFile { .. } => FailureKind::TokenFile { path: "token".into(), why: "empty".into() },
    FailureKind::CaFile { .. } => FailureKind::CaFile { path: "ca.pem".into(), why: "no certificate".into() },
    FailureKind::NotAnAppServer { .. } => FailureKind::NotAnAppServer { why: "HTML".into() },
    FailureKind::MessageTooLarge => FailureKind::MessageTooLarge,
    FailureKind::Silent => FailureKind::Silent,
    FailureKind::Refused { .. } => FailureKind::Refused { method: "thread/list".into() },
    FailureKind::Overloaded { .. } => FailureKind::Overloaded { method: "thread/list".into() },
    FailureKind::ProfileChanged => FailureKind::ProfileChanged,
    FailureKind::AccountChanged => FailureKind::AccountChanged,
    FailureKind::Disconnected => FailureKind::Disconnected,
    FailureKind::Worker { .. } => FailureKind::Worker { why: "ended".into() },
});

every_variant!(requests: Request {
    Request::Welcome { .. } => Request::Welcome { stamp: STAMP, clock: Clock::Real },
    Request::Refuse { .. } => Request::Refuse { reason: "contract 1".into() },
    Request::Connect { .. } => Request::Connect { target: targets().remove(0) },
    Request::Call { .. } => Request::Call {
        op: OP, call: read(json!({"method": "account/read", "params": {}})),
    },
    Request::Answer { .. } => Request::Answer {
        op: OP,
        request: RequestId::Integer(0),
        answer: rejoin::protocol::Answer::Command(read(json!("accept"))),
    },
    Request::Attach { .. } => Request::Attach { op: OP, thread: thread() },
    Request::Detach { .. } => Request::Detach { thread: thread() },
    Request::Disconnect => Request::Disconnect,
    Request::Advance { .. } => Request::Advance { ms: 250 },
});

/// What the server says in a live event.
fn notification() -> Value {
    json!({"method": "item/agentMessage/delta", "params": {
        "threadId": "thread-1", "turnId": "turn-1", "itemId": "item-1", "delta": "Grüße\n"}})
}

/// What the server asks.
fn ask() -> Value {
    json!({"method": "item/commandExecution/requestApproval", "params": {
        "threadId": "thread-1", "turnId": "turn-1", "itemId": "item-1", "startedAtMs": 1,
        "command": "touch x", "cwd": "/work"}})
}

every_variant!(events: Event {
    Event::Hello { .. } => Event::Hello { contract: VERSION, build: "0.1.0".into(), pid: 42 },
    Event::Connected { .. } => Event::Connected { server: ServerInfo { version: "0.159.1".into(), pid: Some(43) } },
    Event::ConnectFailed { .. } => Event::ConnectFailed { failure: failure(FailureKind::ConnectTimeout) },
    Event::Disconnected { .. } => Event::Disconnected { failure: failure(FailureKind::ConnectionLost) },
    Event::Called { .. } => Event::Called { op: OP, outcome: CallOutcome::Lost },
    Event::LateResponse { .. } => Event::LateResponse { op: OP, outcome: outcomes().remove(0) },
    Event::Answered { .. } => Event::Answered { op: OP, request: RequestId::Text("r".into()), sent: true },
    Event::SnapshotBegin { .. } => Event::SnapshotBegin { op: OP, thread: thread(), seq: 5, bytes: 12 },
    Event::SnapshotPart { .. } => Event::SnapshotPart { op: OP, text: "{\"thread\":\"é\"}".into() },
    Event::SnapshotEnd { .. } => Event::SnapshotEnd { op: OP },
    Event::NotSubscribed { .. } => Event::NotSubscribed { op: OP, thread: thread() },
    Event::Live { .. } => Event::Live { thread: thread(), seq: 6, at: AT, event: read(notification()) },
    Event::TurnEnded { .. } => Event::TurnEnded { thread: thread() },
    Event::Broadcast { .. } => Event::Broadcast { at: AT, event: read(notification()) },
    Event::Asked { .. } => Event::Asked { request: RequestId::Integer(1), at: AT, ask: read(ask()) },
    Event::Resolved { .. } => Event::Resolved { request: RequestId::Integer(1), why: Resolution::Elsewhere },
    Event::RefusedRequest { .. } => Event::RefusedRequest { method: "x/y".into(), code: -32601 },
    Event::Lagged { .. } => Event::Lagged { missed: 9 },
    Event::Ignored { .. } => Event::Ignored { counts: vec![("x/y".into(), 2)] },
    Event::Quiet { .. } => Event::Quiet { seq: 8 },
});

/// Every request, then one for every variant inside of one.
fn all_requests() -> Vec<Request> {
    let mut all = requests();
    all.extend(targets().into_iter().map(|target| Request::Connect { target }));
    all.extend(clocks().into_iter().map(|clock| Request::Welcome { stamp: STAMP, clock }));
    all
}

/// Every event, then one for every variant inside of one.
fn all_events() -> Vec<Event> {
    let mut all = events();
    all.extend(outcomes().into_iter().map(|outcome| Event::Called { op: OP, outcome }));
    all.extend(failures().into_iter().map(|kind| Event::Disconnected { failure: failure(kind) }));
    all.extend(resolutions().into_iter().map(|why| Event::Resolved { request: RequestId::Integer(1), why }));
    all
}

/// The committed lines as they are now.
fn committed(file: &str) -> String {
    std::fs::read_to_string(format!("{}/{file}", env!("CARGO_MANIFEST_DIR"))).expect("committed lines")
}

/// Writes every value in order, compares with the committed lines, and reads those back.
fn check<B>(file: &str, values: Vec<B>)
where
    B: Serialize + DeserializeOwned + Clone + PartialEq + Debug,
{
    let mut encoder = Encoder::default();
    let stamp = |place: usize| (place > 0).then_some(STAMP);
    let write = |(place, value): (usize, &B)| encoder.encode(stamp(place), value.clone()).expect("it fits");
    let lines: Vec<String> = values.iter().enumerate().map(write).map(|line| line.trim_end().to_owned()).collect();
    blessed(file, &lines);
    let committed = committed(file);
    assert_eq!(committed, lines.join("\n") + "\n", "{file}: the same lines in the same order");
    let mut decoder = Decoder::default();
    for (place, (line, value)) in committed.lines().zip(values).enumerate() {
        let decoded = decoder.decode::<B>(line).expect(line);
        let envelope = Envelope { seq: place as u64 + 1, stamp: stamp(place), body: value };
        assert_eq!(decoded, Decoded::Message { envelope, missed: 0 }, "{line}");
    }
}

/// Adds an unknown field to the envelope and to the variant's own object; both must be refused.
fn check_strict<B: DeserializeOwned + Debug>(line: &str) {
    let refused =
        |value: &Value| matches!(Decoder::default().decode::<B>(&value.to_string()), Err(Error::Malformed(_)));
    let mut envelope: Value = serde_json::from_str(line).expect("JSON");
    envelope["later"] = json!(1);
    assert!(refused(&envelope), "the envelope takes an unknown field: {line}");
    let mut inner: Value = serde_json::from_str(line).expect("JSON");
    let Some(variant) = inner["body"].as_object_mut().and_then(|body| body.values_mut().next()) else { return };
    variant["later"] = json!(1);
    assert!(refused(&inner), "the body takes an unknown field: {line}");
}

#[test]
fn every_contract_request_is_its_committed_line_in_both_directions() {
    check(REQUESTS, all_requests());
}

#[test]
fn every_contract_event_is_its_committed_line_in_both_directions() {
    check(EVENTS, all_events());
}

#[test]
fn an_unknown_field_of_any_contract_message_is_refused() {
    for line in committed(REQUESTS).lines() {
        check_strict::<Request>(line);
    }
    for line in committed(EVENTS).lines() {
        check_strict::<Event>(line);
    }
}
