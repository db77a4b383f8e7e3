//! Recovery as the user sees it: the table of states, the table of failures, one episode, its limits (DESIGN 3).

use std::time::Duration;

use rejoin::base::{UnixMs, limit};
use rejoin::contract::{CallOutcome, Event, FailureKind, ServerInfo};
use rejoin::engine::view::{Connection, SendState};
use rejoin::engine::words::{self, Button};
use rejoin::engine::{GaveUp, Input, Intent, Terminal, Verdict, classify};
use rejoin::protocol::RpcError;
use rejoin::protocol::account::AccountReadResponse;

use super::fake::{Fake, failure, notification, profile, rejected};

fn server() -> ServerInfo {
    ServerInfo { version: "0.159.1".into(), pid: None }
}

fn attempt(fake: &Fake) -> Option<u8> {
    match fake.engine.banner().connection {
        Connection::Reconnecting { attempt, .. } => Some(*attempt),
        _ => None,
    }
}

fn overloaded() -> CallOutcome {
    CallOutcome::Rejected(RpcError { code: -32001, message: "Server overloaded".into() })
}

#[test]
fn every_row_of_the_failure_table_has_its_verdict() {
    use FailureKind as F;
    let text = String::new;
    let closed = |code| F::Closed { code, reason: String::new() };
    let losses = [
        F::ProcessExited { program: text(), exit: text(), before_ready: true },
        F::ProcessExited { program: text(), exit: text(), before_ready: false },
        F::ConnectionLost,
        F::ConnectTimeout,
        F::Silent,
        F::Overloaded { method: text() },
        F::Worker { why: text() },
    ];
    let statuses = [408, 429, 502, 503, 504].map(|status| F::HttpStatus { status });
    for kind in losses.into_iter().chain(statuses).chain([1001, 1006, 1011, 1012, 1013].map(closed)) {
        assert_eq!(classify(&failure(kind.clone())), Verdict::Loss, "{kind:?}");
    }
    let terminal = [
        (F::HttpStatus { status: 401 }, Terminal::SignIn),
        (F::Tls { why: text() }, Terminal::Confirmation),
        (F::AccountChanged, Terminal::Confirmation),
        (F::ProfileChanged, Terminal::Confirmation),
        (F::Disconnected, Terminal::NotConnected),
        (F::ProgramMissing { program: text() }, Terminal::Manual),
        (F::ProgramNotExecutable { program: text() }, Terminal::Manual),
        (F::DirectoryMissing { directory: text() }, Terminal::Manual),
        (F::HostNotFound { host: text() }, Terminal::Manual),
        (F::BadUrl { why: text() }, Terminal::Manual),
        (F::TokenFile { path: text(), why: text() }, Terminal::Manual),
        (F::CaFile { path: text(), why: text() }, Terminal::Manual),
        (F::NotAnAppServer { why: text() }, Terminal::Manual),
        (F::MessageTooLarge, Terminal::Manual),
        (F::Refused { method: text() }, Terminal::Manual),
    ];
    let manual = |kind| (kind, Terminal::Manual);
    let statuses = [300, 301, 302, 307, 400, 403, 404, 426, 500, 501].map(|status| manual(F::HttpStatus { status }));
    let codes =
        [1000, 1002, 1003, 1005, 1007, 1008, 1009, 1010, 1014, 1015, 3000, 4000].map(|code| manual(closed(code)));
    for (kind, expected) in terminal.into_iter().chain(statuses).chain(codes) {
        assert_eq!(classify(&failure(kind.clone())), Verdict::Terminal(expected), "{kind:?}");
        // In the middle of an episode it ends that episode.
        let mut fake = Fake::connected();
        fake.lose();
        fake.event(Event::ConnectFailed { failure: failure(kind.clone()) });
        assert_eq!((attempt(&fake), fake.engine.poll_timeout()), (None, None), "{kind:?}");
    }
}

/// What a row of the table of states promises, in its order.
struct Promise {
    title: &'static str,
    buttons: &'static [Button],
    /// Mutations are refused.
    refused: bool,
    urgent: bool,
}

#[test]
fn every_row_of_the_state_table_has_its_words_buttons_mutations_and_one_announcement() {
    use Button as B;
    let row = |title, buttons, refused, urgent| Promise { title, buttons, refused, urgent };
    let lost = || {
        let mut fake = Fake::connected();
        fake.said.clear();
        fake.lose();
        fake
    };
    let ended = |kind| {
        let mut fake = Fake::new();
        fake.user(Intent::Connect(profile("demo")));
        fake.said.clear();
        fake.event(Event::ConnectFailed { failure: failure(kind) });
        fake
    };
    let rows: Vec<(Promise, Fake)> = vec![
        (row("Connecting", &[B::Cancel], true, false), {
            let mut fake = Fake::new();
            fake.user(Intent::Connect(profile("demo")));
            fake
        }),
        (row("Not connected", &[B::Connect, B::ChooseProfile], true, false), {
            let mut fake = Fake::connected();
            fake.user(Intent::Disconnect);
            fake
        }),
        (row("Reconnecting", &[B::Cancel], true, true), lost()),
        (row("Reconnecting", &[B::TryNow, B::Cancel], true, true), {
            let mut fake = lost();
            fake.event(Event::ConnectFailed { failure: failure(FailureKind::ConnectionLost) });
            fake
        }),
        (row("Synchronizing history", &[B::Cancel], true, false), {
            let mut fake = lost();
            fake.event(Event::Connected { server: server() });
            fake
        }),
        (row("Awaiting conversation selection", &[B::NewConversation], true, false), {
            let mut fake = lost();
            fake.come_back();
            fake
        }),
        (row("Ready", &[], false, false), {
            let mut fake = lost();
            fake.come_back();
            fake.user(Intent::Open("a".into()));
            fake.serve();
            fake.join("a");
            fake.type_text("text");
            fake
        }),
        (row("Manual reconnect required", &[B::Reconnect, B::ChooseProfile], true, true), {
            let mut fake = lost();
            fake.user(Intent::CancelConnecting);
            fake
        }),
        (
            row("Sign-in required", &[B::CheckTokenAndReconnect, B::ChooseProfile], true, true),
            ended(FailureKind::HttpStatus { status: 401 }),
        ),
        (row("Sign-in required", &[B::Reconnect, B::ChooseProfile], true, true), {
            let mut fake = Fake::new();
            fake.account = AccountReadResponse { account: None, requires_openai_auth: true };
            fake.connect();
            fake
        }),
        (
            row("Connection/profile confirmation required", &[B::Review, B::Connect], true, true),
            ended(FailureKind::Tls { why: "expired".into() }),
        ),
    ];
    for (promise, mut fake) in rows {
        let banner = fake.engine.banner();
        let words = words::state(banner.connection, banner.profile);
        assert_eq!(words.title, promise.title);
        assert_eq!(words.buttons, promise.buttons, "{}", promise.title);
        assert!(!words.meaning.is_empty() && !words.meaning.contains('\n') && !words.icon.is_empty());
        let heard: Vec<_> =
            fake.said.iter().filter(|(_, text)| text.starts_with(&format!("{}.", promise.title))).collect();
        assert_eq!(heard.len(), 1, "{}: {:?}", promise.title, fake.said);
        assert_eq!(heard[0].0, promise.urgent, "{}", promise.title);
        let operations = fake.operations.len();
        let can = fake.engine.conversation().is_some_and(|open| open.composer.send == SendState::Start);
        assert_eq!(can, !promise.refused, "{}", promise.title);
        fake.user(Intent::Send);
        fake.user(Intent::Join);
        fake.user(Intent::Interrupt);
        let sent = fake.operations.len() - operations;
        assert_eq!(sent, usize::from(!promise.refused), "{}: {:?}", promise.title, fake.operations);
    }
}

#[test]
fn a_loss_is_one_episode_of_five_attempts_on_five_new_workers_and_then_waits_for_the_user() {
    let mut fake = Fake::connected();
    let mut bridges = vec![fake.bridge];
    fake.lose();
    for (number, wait) in [(1_u8, 1_000_u64), (2, 2_000), (3, 4_000), (4, 8_000)] {
        assert_eq!(attempt(&fake), Some(number));
        bridges.push(fake.bridge);
        fake.event(Event::ConnectFailed { failure: failure(FailureKind::ConnectionLost) });
        assert_eq!(attempt(&fake), Some(number + 1), "the next one is told");
        let due = fake.engine.poll_timeout().unwrap();
        assert_eq!(due.since(fake.now.instant), Duration::from_millis(wait));
        let banner = fake.engine.banner();
        let progress = words::progress(banner.connection, fake.now.instant).unwrap();
        assert_eq!(progress, format!("attempt {} of 5, next in {} s", number + 1, wait / 1_000));
        fake.tick(wait);
    }
    bridges.push(fake.bridge);
    fake.event(Event::ConnectFailed { failure: failure(FailureKind::HttpStatus { status: 503 }) });
    assert_eq!(fake.state(), "Manual reconnect required");
    let Connection::ManualReconnect { failure: cause, gave_up } = fake.engine.banner().connection else { panic!() };
    assert_eq!((&cause.kind, *gave_up), (&FailureKind::HttpStatus { status: 503 }, Some(GaveUp::Attempts)));
    assert_eq!(fake.engine.poll_timeout(), None, "no retry in the background");
    assert_eq!((fake.engine.episodes(), fake.heard("Reconnecting.")), (1, 1));
    bridges.dedup();
    assert_eq!(bridges.len(), 6, "a dead bridge is never used again");
    assert_eq!(fake.stopped, bridges);
    fake.user(Intent::Reconnect);
    assert_eq!((attempt(&fake), fake.engine.episodes()), (Some(1), 2));
    fake.come_back();
    assert_eq!(fake.state(), "Awaiting conversation selection");
    assert!(fake.operations.is_empty() && fake.engine.conversation().is_none(), "nothing is selected or joined");
}

#[test]
fn attempts_without_an_answer_end_after_45_s_and_the_episode_after_5_min() {
    let mut fake = Fake::connected();
    let begun = fake.now.instant;
    fake.lose();
    fake.tick(44_999);
    assert_eq!(attempt(&fake), Some(1));
    fake.tick(1);
    assert_eq!(attempt(&fake), Some(2));
    while attempt(&fake).is_some() {
        let due = fake.engine.poll_timeout().unwrap();
        fake.tick(u64::try_from(due.since(fake.now.instant).as_millis()).unwrap());
    }
    assert_eq!(fake.now.instant.since(begun), Duration::from_secs(5 * 45 + 15));
    assert_eq!(fake.state(), "Manual reconnect required");

    // Connections that hold for a while: the five minutes end it before the fifth attempt does.
    let mut fake = Fake::connected();
    fake.lose();
    fake.tick(44_000);
    fake.come_back();
    for _ in 0..3 {
        fake.tick(29_000);
        fake.lose();
        let due = fake.engine.poll_timeout().unwrap();
        fake.tick(u64::try_from(due.since(fake.now.instant).as_millis()).unwrap());
        fake.tick(44_000);
        fake.come_back();
    }
    fake.tick(29_000);
    fake.lose();
    let before = fake.now.instant;
    fake.tick(20_000);
    let Connection::ManualReconnect { gave_up, .. } = fake.engine.banner().connection else {
        panic!("{:?} since {before:?}", fake.engine.banner().connection)
    };
    assert_eq!(*gave_up, Some(GaveUp::Time));
}

#[test]
fn a_transient_refusal_of_a_first_read_begins_the_next_attempt_and_any_other_error_ends_the_episode() {
    for method in ["account/read", "thread/list"] {
        for outcome in [overloaded(), CallOutcome::TimedOut] {
            let mut fake = Fake::connected();
            fake.lose();
            fake.event(Event::Connected { server: server() });
            let op = fake.take(method);
            fake.settle(op, outcome.clone());
            assert_eq!(attempt(&fake), Some(2), "{method} {outcome:?}");
            assert_eq!(fake.engine.episodes(), 1);
        }
        let mut fake = Fake::connected();
        fake.lose();
        fake.event(Event::Connected { server: server() });
        let op = fake.take(method);
        fake.settle(op, rejected("no"));
        assert_eq!(fake.state(), "Manual reconnect required", "{method}");
        assert_eq!(fake.engine.poll_timeout(), None);
    }
}

#[test]
fn an_error_to_any_other_request_and_a_failed_turn_change_no_connection() {
    let mut fake = Fake::joined();
    fake.type_text("text");
    fake.user(Intent::Send);
    let op = fake.take("turn/start");
    fake.settle(op, overloaded());
    assert_eq!(fake.state(), "Ready");
    fake.start_turn("a", "t1");
    fake.end_turn("a", "t1", "failed");
    fake.event(Event::Broadcast {
        at: UnixMs(0),
        event: notification(
            "error",
            serde_json::json!({"threadId": "a", "turnId": "t1", "willRetry": false,
            "error": {"message": "401 Unauthorized"}}),
        ),
    });
    assert_eq!((fake.state(), fake.engine.episodes()), ("Ready", 0));
}

#[test]
fn late_signals_of_old_workers_are_counted_and_end_nothing() {
    let mut fake = Fake::connected();
    let (old, stamp) = (fake.bridge, fake.stamp);
    fake.lose();
    let current = fake.bridge;
    for _ in 0..3 {
        let dropped = fake.engine.stale_dropped();
        let gone = failure(FailureKind::Worker { why: "killed".into() });
        fake.input(Input::WorkerGone { bridge: old, failure: gone.clone() });
        for event in [Event::Disconnected { failure: gone.clone() }, Event::Connected { server: server() }] {
            fake.input(Input::Worker { bridge: old, stamp: Some(stamp), event });
        }
        assert_eq!(fake.engine.stale_dropped(), dropped + 2);
        assert_eq!((attempt(&fake), fake.bridge, fake.engine.episodes()), (Some(1), current, 1));
    }
    fake.come_back();
    assert_eq!(fake.state(), "Awaiting conversation selection");
}

#[test]
fn try_now_and_cancel_belong_to_the_same_episode() {
    let mut fake = Fake::connected();
    fake.lose();
    fake.event(Event::ConnectFailed { failure: failure(FailureKind::ConnectionLost) });
    fake.user(Intent::TryNow);
    fake.user(Intent::TryNow);
    assert_eq!((attempt(&fake), fake.engine.episodes()), (Some(2), 1));
    let bridge = fake.bridge;
    fake.user(Intent::CancelConnecting);
    assert_eq!(fake.state(), "Manual reconnect required");
    assert_eq!(fake.stopped.last(), Some(&bridge));
    let Connection::ManualReconnect { gave_up, .. } = fake.engine.banner().connection else { panic!() };
    assert_eq!(*gave_up, Some(GaveUp::Cancelled));
    fake.event(Event::Connected { server: server() });
    assert_eq!(fake.state(), "Manual reconnect required", "a cancelled attempt that succeeds late connects nothing");
}

#[test]
fn an_edited_profile_ends_the_waiting_and_is_never_connected_to_by_itself() {
    let title = "Connection/profile confirmation required";
    // While an attempt is under way, and while one is waited for.
    for waiting in [false, true] {
        let mut fake = Fake::connected();
        fake.lose();
        if waiting {
            fake.event(Event::ConnectFailed { failure: failure(FailureKind::ConnectionLost) });
        }
        fake.user(Intent::ProfileEdited);
        assert_eq!((fake.state(), fake.engine.poll_timeout()), (title, None));
    }
    // While connected: the connection goes on, its loss asks.
    let mut fake = Fake::connected();
    fake.user(Intent::ProfileEdited);
    assert_eq!(fake.state(), "Awaiting conversation selection");
    fake.lose();
    assert_eq!((fake.state(), fake.engine.episodes()), (title, 0));
}

#[test]
fn eight_hours_asleep_count_to_no_deadline_and_ask_once_whether_the_server_is_there() {
    let night = Duration::from_secs(8 * 3600);
    // A monotonic clock that runs on: the alarm rings much too late.
    let mut fake = Fake::connected();
    fake.lose();
    fake.event(Event::ConnectFailed { failure: failure(FailureKind::ConnectionLost) });
    fake.jump(night);
    assert_eq!(attempt(&fake), Some(2), "the episode goes on: {:?}", fake.engine.banner().connection);
    // One that stands still: the wall jumps.
    let mut fake = Fake::joined();
    fake.now.unix_ms.0 += 8 * 3600 * 1_000;
    fake.user(Intent::Leave);
    assert_eq!(fake.open.iter().filter(|(_, call)| call.method().name() == "account/read").count(), 1);
    assert_eq!(fake.state(), "Awaiting conversation selection");
}

#[test]
fn a_first_connection_that_fails_is_no_loss_and_reconnect_is_an_episode() {
    let mut fake = Fake::new();
    fake.user(Intent::Connect(profile("demo")));
    fake.event(Event::ConnectFailed { failure: failure(FailureKind::ConnectionLost) });
    assert_eq!((fake.state(), fake.engine.episodes()), ("Manual reconnect required", 0));
    fake.user(Intent::Reconnect);
    assert_eq!((attempt(&fake), fake.engine.episodes()), (Some(1), 1));
    assert_eq!(limit::ATTEMPTS, 5);
}
