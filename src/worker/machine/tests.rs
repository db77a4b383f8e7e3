//! Every rule of the machine, through its five verbs only.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::contract::ServerInfo;
use crate::live::LiveThread;
use crate::protocol::request::*;
use crate::protocol::server_request::{CommandDecision, FileChangeDecision};

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

#[test]
fn it_introduces_itself_and_declares_experimental_api_and_nothing_else() {
    let mut rig = Rig::connecting();
    let initialize = json!({"id": 1, "method": "initialize", "params": {
        "clientInfo": {"name": "rejoin", "title": "Rejoin", "version": env!("CARGO_PKG_VERSION")},
        "capabilities": {"experimentalApi": true}}});
    assert_eq!(rig.sent(), [initialize]);
    rig.server(json!({"id": 1, "result": {"userAgent": "rejoin/0.159.1 (Debian; x86_64)", "codexHome": "/secret"}}));
    let server = ServerInfo { version: "0.159.1".into(), pid: Some(7) };
    assert_eq!(rig.events(), [Event::Connected { server }]);
}

#[test]
fn what_is_no_app_server_is_told_so() {
    for answer in [
        json!({"id": 1, "error": {"code": -32600, "message": "Invalid clientInfo"}}),
        json!({"id": 1, "result": {}}),
        json!({"id": 1, "result": {"userAgent": "nginx"}}),
    ] {
        let mut rig = Rig::connecting();
        rig.sent();
        rig.server(answer);
        let events = rig.events();
        let [Event::ConnectFailed { failure }] = events.as_slice() else { panic!("{events:?}") };
        assert!(matches!(failure.kind, FailureKind::NotAnAppServer { .. }));
        assert_eq!(rig.outputs(), [Output::CloseTransport, Output::Exit]);
    }
}

#[test]
fn an_attempt_has_its_limit_and_calls_before_it_is_connected_are_not_sent() {
    let mut rig = Rig::connecting();
    rig.call(1, account());
    assert!(matches!(&rig.outcomes()[..], [(1, CallOutcome::NotSent { .. })]));
    rig.wait(44_999);
    assert_eq!(rig.events(), []);
    rig.wait(1);
    let events = rig.events();
    assert!(matches!(&events[..], [Event::ConnectFailed { failure }] if failure.kind == FailureKind::ConnectTimeout));
    assert!(rig.outputs().ends_with(&[Output::CloseTransport, Output::Exit]));
    assert_eq!(rig.machine.poll_timeout(), None);
}

#[test]
fn responses_find_their_calls_by_id() {
    let mut rig = Rig::connected();
    rig.call(11, account());
    rig.call(12, interrupt());
    let sent = rig.sent();
    assert_eq!(sent[0], json!({"id": 2, "method": "account/read", "params": {"refreshToken": false}}));
    assert_eq!(sent[1]["id"], 3);
    rig.server(json!({"id": 3, "result": {}}));
    rig.server(json!({"id": 2, "error": {"code": -32600, "message": "no"}}));
    rig.server(json!({"id": 2, "result": signed_out()}));
    let rejected = CallOutcome::Rejected(rpc::RpcError { code: -32600, message: "no".into() });
    let interrupted = CallOutcome::Ok(Box::new(ClientResponse::TurnInterrupt(EmptyResponse {})));
    assert_eq!(rig.outcomes(), [(12, interrupted), (11, rejected)]);
}

#[test]
fn an_unreadable_answer_settles_its_call_as_unreadable() {
    let mut rig = Rig::connected();
    rig.call(1, turn_start());
    rig.respond(json!({"turn": 5}));
    assert!(matches!(&rig.outcomes()[..], [(1, CallOutcome::Unreadable { .. })]));
}

#[test]
fn a_call_without_answer_times_out_by_its_method_and_its_late_response_is_still_told() {
    let mut rig = Rig::connected();
    rig.call(1, interrupt());
    let id = rig.sent()[0]["id"].clone();
    rig.wait(9_999);
    assert_eq!(rig.outcomes(), []);
    rig.wait(1);
    assert_eq!(rig.outcomes(), [(1, CallOutcome::TimedOut)]);
    let outputs = rig.outputs();
    assert!(matches!(&outputs[..], [Output::Ping, Output::ToServer(probe)] if probe.contains("account/read")));
    rig.server(json!({"id": id, "result": {}}));
    let outcome = CallOutcome::Ok(Box::new(ClientResponse::TurnInterrupt(EmptyResponse {})));
    assert_eq!(rig.events(), [Event::LateResponse { op: OpId(1), outcome }]);
    rig.server(json!({"id": id, "result": {}}));
    assert!(!rig.events().iter().any(|event| matches!(event, Event::LateResponse { .. })), "told once");
}

#[test]
fn exactly_reads_are_repeated_after_overload_and_only_three_times() {
    let mut rig = Rig::connected();
    rig.call(1, account());
    for delay in [250, 500, 1_000] {
        let id = rig.sent()[0]["id"].clone();
        rig.server(overloaded(&id));
        rig.wait(delay - 1);
        assert_eq!((rig.sent(), rig.outcomes()), (vec![], vec![]));
        rig.wait(1);
    }
    let id = rig.sent()[0]["id"].clone();
    assert_eq!(id, 5, "every sending has its own id");
    rig.server(overloaded(&id));
    assert!(matches!(&rig.outcomes()[..], [(1, CallOutcome::Rejected(error))] if error.code == -32001));
    for (op, request) in [(2, resume("t")), (3, turn_start()), (4, interrupt())] {
        rig.call(op, request);
        let id = rig.sent()[0]["id"].clone();
        rig.server(overloaded(&id));
        assert!(matches!(&rig.outcomes()[..], [(done, CallOutcome::Rejected(_))] if *done == op));
    }
    rig.wait(5_000);
    assert_eq!(rig.sent(), Vec::<Value>::new());
}

#[test]
fn the_delay_of_a_repetition_varies_by_a_fifth() {
    for (jitter, delay) in [(0.0, 200), (1.0, 300)] {
        let mut rig = Rig::connected();
        rig.machine.calls = Calls::new(Box::new(move || jitter));
        rig.call(1, account());
        let id = rig.sent()[0]["id"].clone();
        rig.server(overloaded(&id));
        assert_eq!(rig.machine.calls.deadline(), Some(rig.now.instant + Duration::from_millis(delay)));
    }
}

#[test]
fn sixteen_are_in_flight_the_rest_waits_in_order_and_too_many_are_not_sent() {
    let mut rig = Rig::connected();
    let all = limit::IN_FLIGHT + limit::WAITING_CALLS;
    for op in 0..=all as u64 {
        rig.call(op, account());
    }
    assert!(matches!(&rig.outcomes()[..], [(op, CallOutcome::NotSent { .. })] if *op == all as u64));
    let sent = rig.sent();
    assert_eq!(sent.len(), limit::IN_FLIGHT);
    rig.server(json!({"id": sent[0]["id"], "result": signed_out()}));
    assert_eq!((rig.sent().len(), rig.outcomes()[0].0), (1, 0));
    rig.wait(30_000);
    let outcomes = rig.outcomes();
    assert_eq!(outcomes.iter().filter(|(_, outcome)| *outcome == CallOutcome::TimedOut).count(), limit::IN_FLIGHT);
    let waited = outcomes.iter().filter(|(_, outcome)| matches!(outcome, CallOutcome::NotSent { .. })).count();
    assert_eq!(waited, limit::WAITING_CALLS - 1, "what never got a place provably did not go out");
}

#[test]
fn a_message_the_server_would_cut_is_not_sent() {
    let mut rig = Rig::connected();
    let text = "x".repeat(limit::CLIENT_MESSAGE);
    let ClientRequest::TurnStart(mut params) = turn_start() else { panic!() };
    params.input.push(crate::protocol::item::UserInput::Text { text });
    rig.call(1, ClientRequest::TurnStart(params));
    assert!(matches!(&rig.outcomes()[..], [(1, CallOutcome::NotSent { reason })] if reason.contains("too large")));
    assert_eq!(rig.sent(), Vec::<Value>::new());
}

#[test]
fn a_page_over_its_budget_is_asked_again_at_half_the_limit_down_to_one_and_then_cut_and_said() {
    let mut rig = Rig::connected();
    rig.call(1, items(Some(100)));
    let text = "ä\u{1}".repeat(limit::PAGE_BYTES / 2);
    let entry = json!({"turnId": "u", "item": {"type": "agentMessage", "id": "i", "text": text}});
    let page = json!({"data": [entry], "nextCursor": "next"});
    let mut limits = Vec::new();
    loop {
        let sent = rig.sent();
        let Some(request) = sent.first() else { break };
        assert_eq!(request["params"]["cursor"], "c");
        limits.push(request["params"]["limit"].as_u64().unwrap());
        rig.server(json!({"id": request["id"], "result": page}));
    }
    assert_eq!(limits, [100, 50, 25, 12, 6, 3, 1]);
    let outcomes = rig.outcomes();
    let [(1, CallOutcome::Ok(response))] = &outcomes[..] else { panic!() };
    assert!(serde_json::to_string(response).unwrap().len() <= limit::PAGE_BYTES);
    let ClientResponse::ItemsList(page) = &**response else { panic!() };
    assert_eq!(page.next_cursor.as_deref(), Some("next"));
    let crate::protocol::ThreadItem::AgentMessage { text: shown, .. } = &page.data[0].item else { panic!() };
    assert!(shown.starts_with("ä\u{1}ä") && shown.ends_with("bytes cut by Rejoin: too large to show]"));
}

#[test]
fn a_page_without_a_limit_counts_as_a_hundred_and_what_cannot_be_cut_is_unreadable() {
    let mut rig = Rig::connected();
    rig.call(1, items(None));
    let entry = json!({"turnId": "u", "item": {"type": "sleep", "id": "i", "durationMs": 1}});
    let page = json!({"data": vec![entry; 120_000]});
    let id = rig.sent()[0]["id"].clone();
    rig.server(json!({"id": id, "result": page}));
    let mut limits = Vec::new();
    while let Some(request) = rig.sent().first() {
        limits.push(request["params"]["limit"].as_u64().unwrap());
        rig.server(json!({"id": request["id"], "result": page}));
    }
    assert_eq!(limits, [50, 25, 12, 6, 3, 1]);
    assert!(matches!(&rig.outcomes()[..], [(1, CallOutcome::Unreadable { .. })]));
}

#[test]
fn what_is_not_understood_is_counted_by_name_at_most_once_a_second() {
    let mut rig = Rig::connected();
    rig.server(json!({"method": "thread/goal/cleared", "params": {}}));
    assert_eq!(rig.events(), [Event::Ignored { counts: vec![("thread/goal/cleared".into(), 1)] }]);
    rig.server(json!({"method": "turn/started", "params": {}}));
    rig.transport(TransportEvent::Message("not json".into()));
    rig.transport(TransportEvent::Message("{}".into()));
    rig.transport(TransportEvent::Ignored("binary message"));
    assert_eq!(rig.events(), []);
    rig.wait(1_000);
    let counts = vec![("binary message".into(), 1), ("turn/started".into(), 1), ("unreadable message".into(), 2)];
    assert_eq!(rig.events(), [Event::Ignored { counts }]);
    for n in 0..1_000 {
        rig.server(json!({"method": format!("new/{n}"), "params": {}}));
    }
    rig.wait(1_000);
    let events = rig.events();
    let [Event::Ignored { counts }] = &events[..] else { panic!() };
    assert_eq!((counts.len(), counts.iter().map(|(_, n)| n).sum::<u64>()), (limit::IGNORED_NAMES + 1, 1_000));
}

#[test]
fn unknown_and_malformed_requests_are_refused_visibly_with_their_exact_id() {
    let mut rig = Rig::connected();
    rig.server(json!({"id": "a\"b", "method": "item/new/thing", "params": {}}));
    rig.server(json!({"id": 9_007_199_254_740_993_i64, "method": "item/fileChange/requestApproval", "params": {}}));
    let sent = rig.sent();
    assert_eq!((&sent[0]["id"], &sent[0]["error"]["code"]), (&json!("a\"b"), &json!(-32601)));
    assert_eq!((&sent[1]["id"], &sent[1]["error"]["code"]), (&json!(9_007_199_254_740_993_i64), &json!(-32602)));
    let refused = |method: &str, code| Event::RefusedRequest { method: method.into(), code };
    let expected = [refused("item/new/thing", -32601), refused("item/fileChange/requestApproval", -32602)];
    assert_eq!(rig.events(), expected);
}

#[test]
fn a_known_request_without_a_card_stays_pending_and_takes_no_answer() {
    let mut rig = Rig::connected();
    rig.server(json!({"id": 0, "method": "item/tool/requestUserInput", "params": {"threadId": "t", "turnId": "u"}}));
    assert!(matches!(&rig.events()[..], [Event::Asked { ask: ServerRequest::Other(_), .. }]));
    rig.gui(answer(1, 0, CommandDecision::Accept));
    assert!(matches!(&rig.events()[..], [Event::Answered { sent: false, .. }]));
    assert_eq!(rig.sent(), Vec::<Value>::new());
}

#[test]
fn an_answer_goes_out_at_most_once_and_counts_when_it_is_taken_out() {
    let mut rig = Rig::connected();
    rig.server(ask(json!(0)));
    assert!(matches!(&rig.events()[..], [Event::Asked { .. }]));
    rig.gui(answer(1, 0, CommandDecision::Accept));
    rig.gui(answer(2, 0, CommandDecision::Decline));
    let second = Event::Answered { op: OpId(2), request: RequestId::Integer(0), sent: false };
    assert_eq!(rig.events(), [second], "the first is not on its way yet");
    assert_eq!(rig.sent(), [json!({"id": 0, "result": {"decision": "accept"}})]);
    rig.server(json!({"method": "serverRequest/resolved", "params": {"threadId": "t", "requestId": 0}}));
    let request = RequestId::Integer(0);
    assert_eq!(
        rig.events(),
        [
            Event::Answered { op: OpId(1), request: request.clone(), sent: true },
            Event::Resolved { request, why: Resolution::Answered }
        ]
    );
    rig.gui(answer(3, 0, CommandDecision::Accept));
    assert!(matches!(&rig.events()[..], [Event::Answered { sent: false, .. }]));
}

#[test]
fn only_what_was_offered_can_be_answered_but_decline_always() {
    let amendment = CommandDecision::AcceptWithExecpolicyAmendment { execpolicy_amendment: vec!["rm".into()] };
    let not_offered = [CommandDecision::AcceptForSession, amendment];
    let mut rig = Rig::connected();
    rig.server(ask(json!(0)));
    for decision in not_offered {
        rig.gui(answer(1, 0, decision));
    }
    let file = Answer::FileChange(FileChangeDecision::Accept);
    rig.gui(Request::Answer { op: OpId(2), request: RequestId::Integer(0), answer: file });
    rig.gui(answer(3, 1, CommandDecision::Accept));
    assert_eq!(rig.sent(), Vec::<Value>::new());
    let refused = rig.events().into_iter().filter(|event| matches!(event, Event::Answered { sent: false, .. }));
    assert_eq!(refused.count(), 4);
    rig.gui(answer(4, 0, CommandDecision::Decline));
    assert_eq!(rig.sent(), [json!({"id": 0, "result": {"decision": "decline"}})]);
}

#[test]
fn the_first_to_resolve_a_request_wins_whatever_the_order() {
    let resolved = json!({"method": "serverRequest/resolved", "params": {"threadId": "t", "requestId": 0}});
    let request = RequestId::Integer(0);
    let mut rig = Rig::joined();
    rig.server(ask(json!(0)));
    rig.server(resolved.clone());
    rig.gui(answer(1, 0, CommandDecision::Accept));
    let events = rig.events();
    assert_eq!(events[1], Event::Resolved { request: request.clone(), why: Resolution::Elsewhere });
    assert!(matches!(events[2], Event::Answered { sent: false, .. }));
    // The turn ends first; resolved comes after it (FACTS 12.6).
    rig.server(ask(json!(0)));
    rig.events();
    rig.server(turn_completed("other"));
    rig.server(turn_completed("u"));
    rig.server(resolved);
    rig.gui(answer(2, 0, CommandDecision::Accept));
    let events = rig.events();
    let retired = Event::Resolved { request: request.clone(), why: Resolution::TurnEnded };
    assert_eq!(events.iter().filter(|event| matches!(event, Event::Resolved { .. })).collect::<Vec<_>>(), [&retired]);
    // Sent again after Join: the old card retires, the new one can be answered.
    rig.server(ask(json!(0)));
    rig.gui(answer(3, 0, CommandDecision::Accept));
    rig.server(ask(json!(0)));
    rig.gui(answer(4, 0, CommandDecision::Cancel));
    assert_eq!(rig.sent().len(), 2);
    let events = rig.events();
    assert_eq!(events[1], Event::Resolved { request, why: Resolution::Replaced });
    assert!(matches!(events[2], Event::Asked { .. }));
}

#[test]
fn more_cards_than_a_user_can_have_open_are_refused_visibly() {
    let mut rig = Rig::connected();
    for id in 0..=limit::OPEN_CARDS {
        rig.server(ask(json!(id)));
    }
    assert_eq!(rig.sent()[0]["id"], limit::OPEN_CARDS);
    assert!(matches!(rig.events().last(), Some(Event::RefusedRequest { .. })));
}

#[test]
fn a_request_too_large_to_show_whole_is_refused_not_cut() {
    let mut rig = Rig::connected();
    let mut huge = ask(json!(0));
    huge["params"]["command"] = "x".repeat(limit::PAGE_BYTES).into();
    rig.server(huge);
    assert!(matches!(&rig.events()[..], [Event::RefusedRequest { code: INVALID_PARAMS, .. }]));
}

#[test]
fn silence_is_probed_twice_and_then_is_a_loss() {
    let mut rig = Rig::connected();
    rig.wait(29_999);
    assert_eq!(rig.outputs(), []);
    rig.wait(1);
    assert_eq!(rig.outputs().len(), 2);
    rig.wait(10_000);
    assert_eq!(rig.outputs().len(), 2);
    rig.wait(9_999);
    assert_eq!(rig.events(), []);
    rig.wait(1);
    assert!(matches!(&rig.events()[..], [Event::Disconnected { failure }] if failure.kind == FailureKind::Silent));
    assert_eq!(rig.outputs(), [Output::CloseTransport, Output::Exit]);
}

#[test]
fn any_traffic_answers_a_probe_and_its_own_answer_is_not_shown() {
    let mut rig = Rig::connected();
    rig.wait(30_000);
    let probe = rig.sent()[0]["id"].clone();
    rig.wait(10_000);
    rig.sent();
    rig.server(json!({"id": probe, "result": signed_out()}));
    rig.wait(29_999);
    assert_eq!((rig.outputs(), rig.events()), (vec![], vec![]));
    rig.wait(1);
    assert_eq!(rig.outputs().len(), 2);
}

#[test]
fn a_loss_settles_every_call_in_order_and_then_ends() {
    let mut rig = Rig::connected();
    for op in 1..=limit::IN_FLIGHT as u64 {
        rig.call(op, account());
    }
    let sent = rig.sent();
    rig.call(17, turn_start());
    rig.server(overloaded(&sent[0]["id"]));
    // 17 has the place of 1 now, but its text is still inside; 18 has no place.
    rig.call(18, turn_start());
    rig.server(ask(json!(0)));
    rig.gui(answer(19, 0, CommandDecision::Accept));
    rig.events();
    rig.transport(lost());
    let mut events = rig.events();
    let Some(Event::Disconnected { failure }) = events.pop() else { panic!() };
    assert_eq!(failure.kind, FailureKind::ConnectionLost);
    let order: Vec<(u64, &str)> = events
        .iter()
        .map(|event| match event {
            Event::Called { op, outcome: CallOutcome::Lost } => (op.0, "lost"),
            Event::Called { op, outcome: CallOutcome::NotSent { .. } } => (op.0, "not sent"),
            Event::Answered { op, sent: false, .. } => (op.0, "not sent"),
            other => panic!("{other:?}"),
        })
        .collect();
    let mut expected = vec![(19, "not sent")];
    expected.extend((2..=16).map(|op| (op, "lost")));
    expected.extend([(17, "not sent"), (1, "lost"), (18, "not sent")]);
    assert_eq!(order, expected);
    assert_eq!(rig.outputs(), [Output::Exit]);
    rig.transport(lost());
    rig.call(20, account());
    assert!(matches!(&rig.events()[..], [Event::Called { outcome: CallOutcome::NotSent { .. }, .. }]));
    assert_eq!(rig.outputs(), []);
}

#[test]
fn disconnect_closes_the_transport_and_ends() {
    let mut rig = Rig::connected();
    rig.call(1, turn_start());
    rig.sent();
    rig.gui(Request::Disconnect);
    let events = rig.events();
    assert_eq!(events[0], Event::Called { op: OpId(1), outcome: CallOutcome::Lost });
    assert!(matches!(&events[1], Event::Disconnected { failure } if failure.kind == FailureKind::Disconnected));
    assert_eq!(rig.outputs(), [Output::CloseTransport, Output::Exit]);
}

#[test]
fn requests_of_another_generation_do_nothing() {
    let mut rig = Rig::connected();
    let stale = Some(Stamp { owner: 2, connection: 2 });
    rig.machine.handle_gui(rig.now, Envelope { seq: 1, stamp: stale, body: Request::Disconnect });
    let call = Request::Call { op: OpId(1), call: turn_start() };
    rig.machine.handle_gui(rig.now, Envelope { seq: 2, stamp: stale, body: call });
    assert!(matches!(&rig.outcomes()[..], [(1, CallOutcome::NotSent { .. })]));
    assert_eq!(rig.outputs(), []);
}

#[test]
fn attach_follows_the_subscription() {
    let mut rig = Rig::connected();
    let attach = |rig: &mut Rig| {
        rig.gui(Request::Attach { op: OpId(9), thread: "t".into() });
        rig.events()
    };
    assert!(matches!(&attach(&mut rig)[..], [Event::NotSubscribed { .. }]));
    rig.call(1, resume("t"));
    rig.server(delta("early "));
    rig.respond(session("t"));
    rig.events();
    rig.server(delta("before"));
    assert_eq!(rig.events(), [], "not attached yet");
    let (seq, live) = rig.snapshot(2);
    assert_eq!((seq, live.blocks[0].len()), (0, "early before".len()));
    rig.server(delta("after"));
    assert!(matches!(&rig.events()[..], [Event::Live { seq: 1, .. }]));
    rig.gui(Request::Detach { thread: "t".into() });
    rig.server(delta("unseen"));
    rig.server(turn_completed("u"));
    assert_eq!(rig.events(), [Event::TurnEnded { thread: "t".into() }]);
    let unsubscribe = ThreadUnsubscribeParams { thread_id: "t".into() };
    rig.call(3, ClientRequest::ThreadUnsubscribe(unsubscribe));
    rig.respond(json!({"status": "unsubscribed"}));
    rig.events();
    assert!(matches!(&attach(&mut rig)[..], [Event::NotSubscribed { .. }]));
}

#[test]
fn a_resume_that_answers_too_late_still_begins_the_subscription() {
    let mut rig = Rig::connected();
    rig.call(1, resume("t"));
    let id = rig.sent()[0]["id"].clone();
    for _ in 0..6 {
        rig.wait(10_000);
        rig.transport(TransportEvent::Ignored("life"));
    }
    rig.server(delta("kept"));
    rig.server(json!({"id": id, "result": session("t")}));
    assert!(rig.events().iter().any(|event| matches!(event, Event::LateResponse { .. })));
    assert_eq!(rig.snapshot(2).1.blocks[0].len(), 4);
}

#[test]
fn a_snapshot_between_the_response_and_turn_started_knows_the_turn() {
    let mut rig = Rig::joined();
    rig.call(2, turn_start());
    rig.respond(json!({"turn": {"id": "u", "status": "inProgress"}}));
    rig.events();
    let (_, live) = rig.snapshot(3);
    assert_eq!(live.running.unwrap().id, "u".into());
    rig.server(turn_completed("u"));
    rig.call(4, turn_start());
    rig.respond(json!({"turn": {"id": "u", "status": "inProgress"}}));
    assert_eq!(rig.snapshot(5).1.running, None, "a late response revives nothing");
}

#[test]
fn closed_and_deleted_threads_end_their_subscription_and_their_requests() {
    for method in ["thread/closed", "thread/deleted"] {
        let mut rig = Rig::joined();
        rig.server(ask(json!(0)));
        rig.events();
        rig.server(json!({"method": method, "params": {"threadId": "t"}}));
        let events = rig.events();
        assert!(matches!(&events[..], [Event::Broadcast { .. }, Event::Resolved { why: Resolution::TurnEnded, .. }]));
        assert!(!rig.machine.hub.is_subscribed(&"t".into()));
    }
}

#[test]
fn deltas_that_wait_merge_and_keep_their_numbers_without_gaps() {
    let mut rig = Rig::joined();
    rig.snapshot(2);
    for text in ["a", "b", "c"] {
        rig.server(delta(text));
    }
    rig.server(turn_completed("u"));
    let events = rig.events();
    let [Event::Live { seq: 1, event, .. }, Event::Live { seq: 2, .. }] = &events[..] else { panic!("{events:?}") };
    assert!(matches!(event, ServerNotification::AgentMessageDelta { delta, .. } if delta == "abc"));
}

#[test]
fn a_delta_never_merges_across_an_attach() {
    let mut rig = Rig::joined();
    rig.snapshot(2);
    rig.server(delta("a"));
    rig.gui(Request::Attach { op: OpId(3), thread: "t".into() });
    rig.server(delta("b"));
    let events = rig.events();
    assert!(matches!(events[0], Event::Live { seq: 1, .. }));
    assert!(matches!(events[1], Event::SnapshotBegin { seq: 1, .. }));
    assert!(matches!(events.last(), Some(Event::Live { seq: 2, .. })));
}

#[test]
fn a_gui_that_falls_behind_is_told_and_loses_nothing() {
    let mut rig = Rig::joined();
    rig.snapshot(2);
    rig.call(5, interrupt());
    for n in 0..=limit::WAITING_EVENTS {
        // Two items in turn, so that nothing merges.
        let mut event = delta("x");
        event["params"]["itemId"] = json!(format!("i{}", n % 2));
        rig.server(event);
    }
    rig.respond(json!({}));
    rig.server(delta("unseen until attached"));
    let events = rig.events();
    let missed = limit::WAITING_EVENTS as u64 + 1;
    assert!(matches!(&events[..], [Event::Lagged { missed: told }, Event::Called { .. }] if *told == missed));
    let (seq, live) = rig.snapshot(6);
    assert_eq!(live.blocks.iter().map(crate::live::Block::len).sum::<usize>(), limit::WAITING_EVENTS + 1 + 21);
    rig.server(delta("on"));
    assert!(matches!(&rig.events()[..], [Event::Live { seq: next, .. }] if *next == seq + 1));
}

#[test]
fn every_event_fits_a_contract_line() {
    let mut rig = Rig::joined();
    rig.snapshot(2);
    let huge = "\u{1}".repeat(3 << 20);
    rig.server(json!({"method": "warning", "params": {"message": huge}}));
    rig.events().iter().for_each(fits);
    rig.server(json!({"method": "item/completed", "params": {"threadId": "t", "turnId": "u",
        "item": {"type": "agentMessage", "id": "m", "text": huge}}}));
    rig.events().iter().for_each(fits);
    for n in 0..20 {
        let text = "\u{1}\"".repeat(400 << 10);
        rig.server(json!({"method": "item/agentMessage/delta", "params": {
            "threadId": "t", "turnId": "u", "itemId": format!("i{n}"), "delta": text}}));
    }
    rig.gui(Request::Attach { op: OpId(3), thread: "t".into() });
    let events = rig.events();
    assert!(events.len() > 16);
    events.iter().for_each(fits);
}

fn fits(event: &Event) {
    let line = crate::contract::line::Encoder::default().encode(Some(STAMP), event);
    assert!(line.is_ok_and(|line| line.len() < limit::CONTRACT_LINE));
}

#[test]
fn a_gui_that_reads_nothing_ends_the_connection() {
    let mut rig = Rig::connected();
    for _ in 0..=limit::WAITING_TOTAL / 2 {
        rig.server(ask(json!(0)));
    }
    let events = rig.events();
    assert!(
        matches!(events.last(), Some(Event::Disconnected { failure }) if matches!(failure.kind, FailureKind::Worker { .. }))
    );
}

#[test]
fn the_same_inputs_give_the_same_outputs() {
    let run = || {
        let mut rig = Rig::joined();
        rig.snapshot(2);
        for op in 3..30 {
            rig.call(op, account());
        }
        rig.server(delta("x"));
        rig.server(ask(json!(4)));
        rig.server(ask(json!(2)));
        rig.server(turn_completed("u"));
        rig.wait(31_000);
        rig.transport(lost());
        (rig.outputs(), rig.events())
    };
    assert_eq!(run(), run());
}
