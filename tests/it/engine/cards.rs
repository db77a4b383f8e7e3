//! Approvals: shown with what they ask about, answered at most once.

use rejoin::base::{RequestId, UnixMs};
use rejoin::contract::Event;
use rejoin::contract::event::Resolution;
use rejoin::engine::Intent;
use rejoin::engine::requests::offered;
use rejoin::engine::view::CardState;
use rejoin::protocol::server_request::{CommandDecision, FileChangeDecision};
use rejoin::protocol::{Answer, ServerRequest, ThreadItem};
use serde_json::json;

use super::fake::{Fake, notification};

fn ask(method: &str, mut params: serde_json::Value) -> ServerRequest {
    params["threadId"] = "a".into();
    params["turnId"] = "t1".into();
    params["itemId"] = "i1".into();
    serde_json::from_value(json!({"method": method, "params": params})).unwrap()
}

fn command() -> ServerRequest {
    let decisions = json!(["accept", {"acceptWithExecpolicyAmendment": {"execpolicy_amendment": ["touch"]}}, "cancel"]);
    ask("item/commandExecution/requestApproval", json!({"command": "touch x", "availableDecisions": decisions}))
}

fn patch() -> ServerRequest {
    ask("item/fileChange/requestApproval", json!({}))
}

fn asked(fake: &mut Fake, id: i64, ask: ServerRequest) -> RequestId {
    let request = RequestId::Integer(id);
    fake.event(Event::Asked { request: request.clone(), at: UnixMs(5), ask });
    request
}

#[test]
fn a_card_shows_its_item_and_is_answered_once() {
    let mut fake = Fake::joined();
    fake.start_turn("a", "t1");
    let change = json!({"path": "x", "kind": {"type": "add"}, "diff": "+hello"});
    let item = json!({"type": "fileChange", "id": "i1", "changes": [change], "status": "inProgress"});
    fake.live("a", notification("item/started", json!({"threadId": "a", "turnId": "t1", "item": item})));
    fake.focus.clear();
    let request = asked(&mut fake, 0, patch());
    assert!(fake.focus.is_empty(), "a card never takes the focus");
    assert_eq!(fake.said.iter().filter(|(assertive, text)| *assertive && text.contains("change files")).count(), 1);
    let card = fake.conversation().cards.remove(0);
    assert!(matches!(&card.item, Some(ThreadItem::FileChange { changes, .. }) if changes[0].diff == "+hello"));
    assert_eq!(fake.engine.needs_you().len(), 1);
    assert!(fake.engine.picker().rows.iter().any(|row| row.needs_you));
    let answer = Answer::FileChange(FileChangeDecision::Accept);
    for _ in 0..2 {
        fake.user(Intent::Answer { request: request.clone(), answer: answer.clone() });
    }
    assert_eq!(fake.answers.len(), 1);
    assert_eq!(fake.conversation().cards[0].state, CardState::Answering);
    let op = fake.answers[0].0;
    fake.event(Event::Answered { op, request: request.clone(), sent: true });
    fake.event(Event::Resolved { request: request.clone(), why: Resolution::Answered });
    assert!(fake.conversation().cards.is_empty() && fake.engine.needs_you().is_empty());
    fake.user(Intent::Answer { request, answer });
    assert_eq!(fake.answers.len(), 1);
    assert!(fake.conversation().reviews.is_empty());
}

#[test]
fn only_offered_decisions_and_decline_are_sent() {
    let names = |answers: Vec<Answer>| answers.len();
    assert_eq!(names(offered(&command())), 4, "accept, the amendment, decline, cancel");
    let mut fake = Fake::joined();
    fake.start_turn("a", "t1");
    let request = asked(&mut fake, 0, command());
    let mut press = |decision| {
        fake.user(Intent::Answer { request: request.clone(), answer: Answer::Command(decision) });
        fake.answers.len()
    };
    assert_eq!(press(CommandDecision::AcceptForSession), 0, "not offered");
    let foreign = vec!["rm".to_owned()];
    assert_eq!(press(CommandDecision::AcceptWithExecpolicyAmendment { execpolicy_amendment: foreign }), 0);
    assert_eq!(press(CommandDecision::Decline), 1, "always there");
}

#[test]
fn cards_retire_with_their_turn_their_connection_or_elsewhere() {
    let mut fake = Fake::joined();
    fake.start_turn("a", "t1");
    asked(&mut fake, 0, patch());
    fake.end_turn("a", "t1", "interrupted");
    assert!(fake.conversation().cards.is_empty());

    fake.start_turn("a", "t1b");
    let elsewhere = asked(&mut fake, 1, patch());
    fake.event(Event::Resolved { request: elsewhere, why: Resolution::Elsewhere });
    assert_eq!(fake.heard("settled elsewhere"), 1);

    let request = asked(&mut fake, 2, command());
    fake.lose();
    assert!(fake.engine.needs_you().is_empty());
    fake.connect();
    fake.user(Intent::Answer { request, answer: Answer::Command(CommandDecision::Accept) });
    assert!(fake.answers.is_empty(), "an old request is never answered on a new connection");
}

#[test]
fn the_same_request_again_is_one_new_card() {
    let mut fake = Fake::joined();
    fake.start_turn("a", "t1");
    asked(&mut fake, 0, patch());
    asked(&mut fake, 0, patch());
    assert_eq!(fake.conversation().cards.len(), 1);
}

#[test]
fn an_answer_that_did_not_go_out_is_told_and_not_given_again() {
    let mut fake = Fake::joined();
    fake.start_turn("a", "t1");
    let request = asked(&mut fake, 0, patch());
    let answer = Answer::FileChange(FileChangeDecision::Decline);
    fake.user(Intent::Answer { request: request.clone(), answer: answer.clone() });
    let op = fake.answers[0].0;
    fake.event(Event::Answered { op, request: request.clone(), sent: false });
    assert!(matches!(&fake.conversation().cards[0].state, CardState::Unknown(why) if why.contains("not sent")));
    fake.user(Intent::Answer { request, answer });
    assert_eq!(fake.answers.len(), 1);
}

#[test]
fn a_request_of_another_kind_stays_pending_and_takes_no_answer() {
    let mut fake = Fake::joined();
    fake.start_turn("a", "t1");
    let other = json!({"method": "rejoin/pending", "params": {"method": "item/tool/requestUserInput", "threadId": "a",
        "turnId": "t1"}});
    let request = asked(&mut fake, 0, serde_json::from_value(other).unwrap());
    assert_eq!(fake.conversation().cards.len(), 1);
    fake.user(Intent::Answer { request, answer: Answer::FileChange(FileChangeDecision::Accept) });
    assert!(fake.answers.is_empty());
    fake.user(Intent::Interrupt);
    assert_eq!(fake.sent("turn/interrupt"), 1);
}
