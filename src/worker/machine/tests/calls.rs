//! Correlation, deadlines, retry, places in flight, page budget.

use super::*;

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
