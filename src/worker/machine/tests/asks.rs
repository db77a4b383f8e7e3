//! Requests of the server: refused, shown, answered at most once.

use super::*;

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
