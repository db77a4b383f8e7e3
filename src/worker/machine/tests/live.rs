//! Subscriptions, snapshots, merged deltas, lag.

use super::*;

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
