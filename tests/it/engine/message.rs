//! Send, steer, interrupt: one press, one operation, one outcome.

use rejoin::contract::{CallOutcome, Event};
use rejoin::engine::Intent;
use rejoin::engine::view::{ConversationKey, OpKind, OpState, RowBody, SendState};
use rejoin::protocol::item::UserInput;
use rejoin::protocol::settings::SandboxMode;
use rejoin::protocol::{ClientRequest, ClientResponse};
use serde_json::json;

use super::fake::{Fake, ok, rejected, session, thread, turn_started};

fn echoes(fake: &mut Fake) -> Vec<String> {
    let rows = fake.conversation().history.rows;
    rows.iter()
        .filter_map(|row| match &*row.body {
            RowBody::Echo { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect()
}

fn user_message(id: &str, client: &str) -> serde_json::Value {
    json!({"type": "userMessage", "id": id, "clientId": client, "content": [{"type": "text", "text": "x"}]})
}

#[test]
fn the_first_press_sends_the_exact_text_and_the_second_does_nothing() {
    let mut fake = Fake::joined();
    fake.type_text("  one\r\ntwo\rthree \u{202e}\n");
    assert_eq!(fake.conversation().composer.send, SendState::Start);
    fake.user(Intent::Send);
    fake.user(Intent::Send);
    assert_eq!(fake.sent("turn/start"), 1);
    let Some(ClientRequest::TurnStart(start)) = fake.operations.last() else { panic!() };
    assert_eq!(start.input, [UserInput::Text { text: "  one\ntwo\nthree \u{202e}\n".into() }]);
    assert_eq!(start.client_user_message_id, "client-1");
    assert_eq!(fake.composer(), "");
    assert_eq!(fake.replaced.len(), 1);
    assert_eq!(echoes(&mut fake).len(), 1);
    fake.type_text("next");
    assert!(matches!(fake.conversation().composer.send, SendState::Cannot(why) if why.contains("no answer yet")));
    let op = fake.take("turn/start");
    fake.settle(op, turn_started("t1"));
    assert!(fake.conversation().reviews.is_empty());
    assert_eq!(fake.conversation().composer.send, SendState::Steer, "the response says that the turn runs");
    fake.settle(op, turn_started("t1"));
    fake.start_turn("a", "t1");
    fake.complete("a", "t1", user_message("u", "client-1"));
    assert_eq!(echoes(&mut fake), [""; 0], "the item replaces its echo");
}

#[test]
fn a_refused_message_waits_in_review_and_no_event_writes_to_the_composer() {
    for outcome in [
        rejected("no"),
        CallOutcome::NotSent { reason: "too large".into() },
        CallOutcome::Rejected(rejoin::protocol::RpcError { code: -32001, message: "Server overloaded".into() }),
    ] {
        let mut fake = Fake::joined();
        fake.type_text("my words\r\n");
        fake.user(Intent::Send);
        let op = fake.take("turn/start");
        fake.settle(op, outcome.clone());
        assert_eq!(fake.composer(), "", "{outcome:?}");
        assert_eq!(fake.replaced.len(), 1, "only Send touched it");
        let review = fake.conversation().reviews.remove(0);
        assert_eq!(review.text.as_deref(), Some("my words\r\n"));
        assert!(matches!(review.state, OpState::Rejected(_) | OpState::NotSent(_)));
        assert_eq!(fake.heard("kept for review"), 1);
        fake.user(Intent::EditOperation(review.op));
        assert_eq!(fake.composer(), "my words\r\n");
        assert!(fake.conversation().reviews.is_empty() && echoes(&mut fake).is_empty());
        assert_eq!(fake.sent("turn/start"), 1, "a mutation is never repeated by itself");
    }
}

#[test]
fn a_refused_message_does_not_overwrite_new_text() {
    let mut fake = Fake::joined();
    fake.type_text("first");
    fake.user(Intent::Send);
    fake.type_text("second");
    let op = fake.take("turn/start");
    fake.settle(op, rejected("no"));
    assert_eq!(fake.composer(), "second");
    let review = fake.conversation().reviews.remove(0);
    assert_eq!((review.what, review.text.as_deref()), (OpKind::Send, Some("first")));
    fake.user(Intent::EditOperation(review.op));
    assert_eq!(fake.composer(), "second", "a composer with text is never replaced");
    fake.type_text("");
    fake.user(Intent::EditOperation(review.op));
    assert_eq!(fake.composer(), "first");
    assert!(fake.conversation().reviews.is_empty());
}

#[test]
fn an_unanswered_message_stays_unknown_until_evidence_or_a_late_answer() {
    for late in [true, false] {
        let mut fake = Fake::joined();
        fake.type_text("maybe");
        fake.user(Intent::Send);
        let op = fake.take("turn/start");
        fake.settle(op, CallOutcome::TimedOut);
        let review = fake.conversation().reviews.remove(0);
        assert!(matches!(&review.state, OpState::OutcomeUnknown(why) if why.contains("may run it twice")));
        assert_eq!(review.text.as_deref(), Some("maybe"));
        assert_eq!((fake.composer().as_str(), fake.sent("turn/start")), ("", 1));
        if late {
            fake.event(Event::LateResponse { op, outcome: turn_started("t1") });
        } else {
            fake.start_turn("a", "t1");
            fake.complete("a", "t1", user_message("u", "client-1"));
        }
        assert!(fake.conversation().reviews.is_empty(), "late: {late}");
    }
}

#[test]
fn draining_refuses_with_its_reason_and_is_no_loss() {
    let mut fake = Fake::joined();
    fake.type_text("text");
    fake.user(Intent::Send);
    let op = fake.take("turn/start");
    fake.settle(op, rejected("Server is draining; retry after reconnecting"));
    assert_eq!(fake.conversation().reviews[0].text.as_deref(), Some("text"));
    assert!(matches!(fake.conversation().composer.send, SendState::Cannot(why) if why.contains("shutting down")));
    assert_eq!(fake.state(), "Ready");
    fake.user(Intent::Send);
    assert_eq!(fake.sent("turn/start"), 1);
}

#[test]
fn a_new_conversation_is_two_operations_of_one_press() {
    let mut fake = Fake::connected();
    fake.user(Intent::New { cwd: None });
    assert_eq!(fake.state(), "Ready");
    fake.user(Intent::SetModel { model: Some("m9".into()), effort: Some("high".into()) });
    fake.user(Intent::SetSandbox(Some(SandboxMode::WorkspaceWrite)));
    fake.type_text("hello");
    assert!(fake.operations.is_empty(), "nothing is sent before the press");
    fake.user(Intent::Send);
    fake.user(Intent::Send);
    let Some(ClientRequest::ThreadStart(start)) = fake.operations.last().cloned() else { panic!() };
    assert_eq!((start.cwd.as_deref(), start.model.as_deref()), (Some("/srv"), Some("m9")));
    assert_eq!(start.sandbox, Some(SandboxMode::WorkspaceWrite));
    fake.type_text("typed meanwhile");
    let op = fake.take("thread/start");
    fake.settle(op, ok(ClientResponse::ThreadStart(session(thread("new")))));
    let Some(ClientRequest::TurnStart(turn)) = fake.operations.last().cloned() else { panic!() };
    assert_eq!((turn.thread_id.as_str(), turn.effort.as_deref()), ("new", Some("high")));
    assert_eq!(fake.operations.len(), 2);
    assert_eq!(fake.attached, ["new".into()]);
    let op = fake.take("turn/start");
    fake.settle(op, turn_started("t1"));
    fake.start_turn("new", "t1");
    let key = fake.key();
    assert!(matches!(key, ConversationKey::Local(_)), "its composer keeps its key");
    assert_eq!(fake.composer(), "typed meanwhile");
    assert!(
        fake.engine.picker().rows.iter().any(|row| row.key == key && row.running),
        "selectable before it is listed"
    );
    fake.threads.insert(0, thread("new"));
    fake.user(Intent::RefreshThreads);
    fake.serve();
    let rows = fake.engine.picker().rows.clone();
    assert_eq!(rows.iter().filter(|row| row.key == key).count(), 1);
    assert_eq!(rows.len(), 3);
    fake.user(Intent::Open("new".into()));
    assert_eq!(fake.key(), key);
}

#[test]
fn a_conversation_that_could_not_be_started_loses_nothing() {
    for outcome in [rejected("no"), CallOutcome::TimedOut] {
        let mut fake = Fake::connected();
        fake.user(Intent::New { cwd: Some("/else".into()) });
        fake.type_text("hello");
        fake.user(Intent::Send);
        let op = fake.take("thread/start");
        fake.settle(op, outcome.clone());
        assert_eq!(fake.composer(), "", "{outcome:?}");
        let kept = fake.conversation().reviews.into_iter().find(|review| review.what == OpKind::Send).unwrap();
        assert_eq!(kept.text.as_deref(), Some("hello"));
        assert!(matches!(kept.state, OpState::NotSent(_)));
        assert_eq!(fake.sent("turn/start"), 0);
        let unknown = fake.conversation().reviews.iter().any(|review| review.what == OpKind::StartConversation);
        assert_eq!(unknown, outcome == CallOutcome::TimedOut);
        fake.event(Event::LateResponse { op, outcome: ok(ClientResponse::ThreadStart(session(thread("new")))) });
        assert_eq!(fake.sent("turn/start"), 0, "a late start sends nothing by itself");
        let left: Vec<_> = fake.conversation().reviews.into_iter().map(|review| review.what).collect();
        assert_eq!(left, [OpKind::Send]);
    }
}

#[test]
fn a_loss_while_the_conversation_starts_says_not_sent_for_the_message() {
    let mut fake = Fake::connected();
    fake.user(Intent::New { cwd: None });
    fake.type_text("hello");
    fake.user(Intent::Send);
    fake.lose();
    let states: Vec<_> = fake.engine.other_reviews().into_iter().map(|review| (review.what, review.state)).collect();
    assert!(matches!(states[0], (OpKind::StartConversation, OpState::OutcomeUnknown(_))));
    assert!(matches!(&states[1], (OpKind::Send, OpState::NotSent(why)) if why.contains("Nothing of it went out")));
}

#[test]
fn calls_that_are_lost_before_the_connection_ends_are_unknown_and_told_once() {
    let mut fake = Fake::joined();
    fake.type_text("sent");
    fake.user(Intent::Send);
    fake.user(Intent::RefreshThreads);
    fake.said.clear();
    for (op, _) in std::mem::take(&mut fake.open) {
        fake.settle(op, CallOutcome::Lost);
    }
    fake.lose();
    assert_eq!(fake.said.len(), 1, "{:?}", fake.said);
    assert!(fake.said[0].0 && fake.said[0].1.contains("Reconnecting."));
    let reviews = fake.engine.other_reviews();
    assert!(matches!(&reviews[..], [review] if matches!(review.state, OpState::OutcomeUnknown(_))));
    assert!(fake.engine.drafts().is_empty());
}

#[test]
fn a_steer_is_confirmed_by_its_item_or_dropped_with_its_turn() {
    for seen in [true, false] {
        let mut fake = Fake::joined();
        fake.start_turn("a", "t1");
        fake.type_text("also this");
        assert_eq!(fake.conversation().composer.send, SendState::Steer);
        fake.user(Intent::Send);
        let Some(ClientRequest::TurnSteer(steer)) = fake.operations.last().cloned() else { panic!() };
        assert_eq!(steer.expected_turn_id.as_str(), "t1");
        let op = fake.take("turn/steer");
        let answer = serde_json::from_value(json!({"turnId": "t1"})).unwrap();
        fake.settle(op, ok(ClientResponse::TurnSteer(answer)));
        fake.type_text("and more");
        assert_eq!(fake.conversation().composer.send, SendState::Steer, "an accepted steer does not block the next");
        if seen {
            fake.complete("a", "t1", user_message("u", "client-1"));
        }
        fake.end_turn("a", "t1", "completed");
        let reviews = fake.conversation().reviews;
        if seen {
            assert!(reviews.is_empty());
        } else {
            assert_eq!(reviews[0].state, OpState::Dropped);
            assert_eq!(reviews[0].text.as_deref(), Some("also this"));
        }
        assert_eq!(fake.composer(), "and more");
    }
}

#[test]
fn interrupt_goes_out_once_for_a_turn_and_its_end_settles_it() {
    for outcome in [CallOutcome::TimedOut, ok(ClientResponse::TurnInterrupt(Default::default()))] {
        let mut fake = Fake::joined();
        fake.user(Intent::Interrupt);
        assert_eq!(fake.sent("turn/interrupt"), 0, "nothing runs");
        fake.start_turn("a", "t1");
        fake.user(Intent::Interrupt);
        fake.user(Intent::Interrupt);
        assert!(fake.conversation().history.running.unwrap().interrupting);
        let op = fake.take("turn/interrupt");
        fake.settle(op, outcome);
        for review in fake.conversation().reviews {
            fake.user(Intent::DismissOperation(review.op));
        }
        fake.user(Intent::Interrupt);
        assert_eq!(fake.sent("turn/interrupt"), 1);
        fake.end_turn("a", "t1", "interrupted");
        assert!(fake.conversation().history.running.is_none());
        assert!(fake.conversation().reviews.is_empty());
        fake.start_turn("a", "t2");
        fake.user(Intent::Interrupt);
        assert_eq!(fake.sent("turn/interrupt"), 2);
    }
}

#[test]
fn every_reason_why_send_cannot_is_said() {
    let reason = |fake: &mut Fake| match fake.conversation().composer.send {
        SendState::Cannot(why) => why,
        other => panic!("{other:?}"),
    };
    let mut fake = Fake::joined();
    assert!(reason(&mut fake).contains("Write a message"));
    fake.type_text("  \n");
    assert!(reason(&mut fake).contains("Write a message"));
    fake.user(Intent::Open("b".into()));
    fake.type_text("x");
    assert!(reason(&mut fake).contains("Join to send"));
    fake.serve();
    fake.user(Intent::Join);
    assert!(reason(&mut fake).contains("Joining"));
}
