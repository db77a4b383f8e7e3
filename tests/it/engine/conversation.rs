//! Opening, joining, leaving, coming back, what is announced.

use rejoin::contract::{CallOutcome, Event};
use rejoin::engine::Intent;
use rejoin::engine::input::Focus;
use rejoin::engine::view::{ConversationKey, Membership, SendState};
use rejoin::protocol::request::{Class, Method};
use rejoin::protocol::{ClientRequest, ClientResponse, ThreadStatus};
use serde_json::json;

use super::fake::{Fake, notification, ok, rejected, session, thread};

#[test]
fn opening_reads_only_and_joins_nothing() {
    let mut fake = Fake::connected();
    fake.user(Intent::Open("a".into()));
    assert_eq!(fake.state(), "Ready");
    assert_eq!(fake.focus, [Focus::History]);
    assert!(fake.open.iter().all(|(_, call)| call.method().class() == Class::Read));
    assert!(fake.waits("thread/read") && fake.waits("thread/turns/list"));
    fake.serve();
    assert!(matches!(fake.conversation().membership, Membership::ReadOnly { .. }));
    assert!(fake.operations.is_empty() && fake.attached.is_empty());
    fake.type_text("hello");
    assert_eq!(fake.conversation().composer.send, SendState::Cannot("Join to send.".into()));
    fake.user(Intent::Send);
    assert_eq!(fake.composer(), "hello");
    assert!(fake.operations.is_empty());
}

#[test]
fn an_id_is_found_in_a_pasted_command_and_an_unknown_one_is_told() {
    let mut fake = Fake::connected();
    let id = "0199a213-81c0-7800-8aa1-bbab2a035a53";
    fake.user(Intent::OpenById(format!("  codex resume {id}\n")));
    assert_eq!(fake.state(), "Synchronizing history");
    fake.serve();
    let conversation = fake.conversation();
    assert_eq!(conversation.key, ConversationKey::Thread(id.into()));
    assert!(conversation.history.stale.is_some_and(|why| why.contains("no longer exists")));
    fake.user(Intent::OpenById("what is this?".into()));
    assert!(fake.engine.picker().failed.as_ref().is_some_and(|why| why.contains("not a conversation id")));
}

#[test]
fn join_is_one_request_and_shows_what_the_next_turn_uses() {
    let mut fake = Fake::connected();
    fake.user(Intent::Open("a".into()));
    fake.serve();
    fake.focus.clear();
    fake.user(Intent::Join);
    fake.user(Intent::Join);
    assert_eq!(fake.sent("thread/resume"), 1);
    assert_eq!(fake.focus.first(), Some(&Focus::Composer));
    assert_eq!(fake.conversation().membership, Membership::Joining);
    let ClientRequest::ThreadResume(resume) = &fake.operations[0] else { panic!() };
    assert!(resume.exclude_turns);
    let op = fake.take("thread/resume");
    fake.settle(op, ok(ClientResponse::ThreadResume(session(thread("a")))));
    assert!(fake.waits("thread/turns/list"), "the newest pages are read again");
    assert_eq!(fake.attached, ["a".into()]);
    fake.serve();
    let conversation = fake.conversation();
    assert_eq!(conversation.membership, Membership::Joined);
    assert_eq!(conversation.next_turn.model.as_deref(), Some("m1"));
    assert!(conversation.reviews.is_empty());
}

#[test]
fn a_history_that_could_not_be_read_allows_only_refresh() {
    let mut fake = Fake::connected();
    fake.user(Intent::Open("a".into()));
    fake.type_text("hello");
    let read = fake.take("thread/turns/list");
    fake.settle(read, CallOutcome::TimedOut);
    fake.serve();
    assert_eq!(fake.state(), "History refresh required");
    assert_eq!(fake.heard("History refresh required. It could not be read"), 1);
    assert_eq!(fake.conversation().composer.send, SendState::Cannot("Refresh the history first.".into()));
    fake.user(Intent::Join);
    fake.user(Intent::Send);
    assert!(fake.operations.is_empty());
    fake.user(Intent::Refresh);
    fake.serve();
    assert_eq!(fake.state(), "Ready");
    assert_eq!(fake.conversation().composer.send, SendState::Cannot("Join to send.".into()));
    assert_eq!(fake.composer(), "hello");
}

#[test]
fn no_two_histories_share_a_row_key() {
    let mut fake = Fake::connected();
    let mut seen = std::collections::BTreeSet::new();
    for id in ["a", "b"] {
        fake.user(Intent::Open(id.into()));
        fake.serve();
        fake.join(id);
        fake.start_turn(id, "t");
        fake.complete(id, "t", json!({"type": "agentMessage", "id": "i", "text": format!("of {id}")}));
        let rows = fake.conversation().history.rows;
        assert!(rows.len() > 1);
        fake.end_turn(id, "t", "completed");
        fake.user(Intent::Leave);
        let keys: Vec<u64> = rows.iter().map(|row| row.key).collect();
        assert!(
            keys.iter().all(|key| seen.insert(*key)),
            "a list that shows one after the other would mix them: {keys:?}"
        );
        assert!(keys.iter().all(|key| key >> 48 == 0), "the upper bits are the window's");
    }
}

#[test]
fn a_refused_or_unanswered_join_keeps_the_history_and_says_why() {
    let cases = [
        (rejected("thread a already has an active writer"), "Another Codex process", 0),
        (rejected("session a is archived. Run `codex unarchive a` to unarchive it first."), "archived", 0),
        (rejected("Server is draining; retry after reconnecting"), "shutting down", 0),
        (CallOutcome::TimedOut, "did not answer Join in time", 1),
    ];
    for (outcome, words, reviews) in cases {
        let mut fake = Fake::connected();
        fake.user(Intent::Open("a".into()));
        fake.serve();
        fake.type_text("kept");
        fake.user(Intent::Join);
        let op = fake.take("thread/resume");
        fake.settle(op, outcome);
        let conversation = fake.conversation();
        let Membership::JoinFailed { why, .. } = conversation.membership else { panic!("{words}") };
        assert!(why.contains(words), "{why}");
        assert_eq!(conversation.composer.text, "kept");
        assert_eq!(conversation.reviews.len(), reviews);
        assert_eq!(fake.state(), "Ready");
        assert_eq!(fake.sent("thread/resume"), 1, "never repeated by itself");
    }
}

#[test]
fn an_idle_conversation_is_unsubscribed_when_left_and_keeps_its_text() {
    let mut fake = Fake::joined();
    fake.type_text("for later");
    fake.user(Intent::Leave);
    assert_eq!(fake.detached, ["a".into()]);
    assert_eq!(fake.sent("thread/unsubscribe"), 1);
    assert_eq!(fake.state(), "Awaiting conversation selection");
    assert!(fake.engine.picker().rows.iter().any(|row| row.draft));
    fake.user(Intent::Open("a".into()));
    fake.serve();
    assert_eq!(fake.composer(), "for later");
    assert!(matches!(fake.conversation().membership, Membership::ReadOnly { .. }));
}

#[test]
fn a_running_conversation_stays_subscribed_until_its_turn_ends() {
    let mut fake = Fake::joined();
    fake.start_turn("a", "t1");
    assert!(fake.conversation().history.running.is_some());
    fake.user(Intent::Open("b".into()));
    fake.serve();
    assert_eq!(fake.sent("thread/unsubscribe"), 0);
    assert!(fake.engine.picker().rows.iter().any(|row| row.running));
    fake.user(Intent::Open("a".into()));
    fake.serve();
    assert_eq!(fake.attached, ["a".into(), "a".into()], "coming back attaches");
    assert_eq!(fake.sent("thread/resume"), 1, "without a new Join");
    assert_eq!(fake.conversation().membership, Membership::Joined);
    assert!(fake.conversation().history.running.is_some());
    fake.user(Intent::Leave);
    fake.event(Event::TurnEnded { thread: "a".into() });
    assert_eq!(fake.sent("thread/unsubscribe"), 1);
    fake.event(Event::TurnEnded { thread: "a".into() });
    assert_eq!(fake.sent("thread/unsubscribe"), 1);
}

#[test]
fn a_gap_or_lag_is_closed_by_a_new_snapshot() {
    let mut fake = Fake::joined();
    fake.start_turn("a", "t1");
    // An event that this window never gets.
    let at = fake.now.unix_ms;
    let lost = notification(
        "item/agentMessage/delta",
        json!({"threadId": "a", "turnId": "t1", "itemId": "i", "delta": "lost "}),
    );
    let (live, seq) = fake.hub.get_mut(&"a".into()).unwrap();
    live.apply(at, &lost);
    *seq += 1;
    let before = fake.attached.len();
    let delta = json!({"threadId": "a", "turnId": "t1", "itemId": "i", "delta": "seen"});
    fake.live("a", notification("item/agentMessage/delta", delta));
    assert_eq!(fake.attached.len(), before + 1, "the gap was seen");
    let shown = format!("{:?}", fake.conversation().history.rows);
    assert_eq!(shown.matches("lost seen").count(), 1, "{shown}");
    fake.event(Event::Lagged { missed: 3 });
    assert_eq!(fake.attached.len(), before + 2);
}

#[test]
fn completed_items_are_announced_once_and_a_flood_is_summarised() {
    let mut fake = Fake::joined();
    fake.start_turn("a", "t1");
    fake.said.clear();
    let message = json!({"type": "agentMessage", "id": "m", "text": "All done."});
    fake.complete("a", "t1", message.clone());
    fake.complete("a", "t1", message);
    assert_eq!(fake.said, [(false, "Codex: All done.".to_owned())]);
    for number in 0..9 {
        let item = json!({"type": "commandExecution", "id": format!("c{number}"), "command": "true", "cwd": "/",
            "status": "completed", "exitCode": 0});
        fake.complete("a", "t1", item);
    }
    assert_eq!(fake.heard("Command finished, exit 0"), 4);
    fake.tick(1_000);
    assert_eq!(fake.heard("5 more items completed"), 1);
    assert!(fake.said.iter().all(|(assertive, _)| !assertive));
}

#[test]
fn a_request_that_waits_elsewhere_is_told() {
    let mut fake = Fake::connected();
    let flags = json!({"threadId": "a", "status": {"type": "active", "activeFlags": ["waitingOnApproval"]}});
    fake.user(Intent::Open("a".into()));
    fake.serve();
    let event = notification("thread/status/changed", flags);
    fake.event(Event::Broadcast { at: rejoin::base::UnixMs(0), event });
    let conversation = fake.conversation();
    assert!(matches!(conversation.thread.unwrap().status, ThreadStatus::Active { .. }));
    assert!(conversation.kind_note.unwrap().contains("A request is open elsewhere; Join to see it."));
}

#[test]
fn every_method_that_is_no_read_is_known_to_the_ledger_or_is_the_unsubscribe() {
    let operations: Vec<_> =
        Method::ALL.iter().filter(|method| method.class() == Class::Operation).map(|method| method.name()).collect();
    assert_eq!(
        operations,
        ["thread/start", "thread/resume", "thread/unsubscribe", "turn/start", "turn/steer", "turn/interrupt"],
        "a new operation needs an OpKind and a settlement"
    );
}
