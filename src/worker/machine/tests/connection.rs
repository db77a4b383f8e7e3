//! Beginning, silence and end of the connection.

use super::*;

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
