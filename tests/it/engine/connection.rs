//! Beginning, ending, states, drafts, the list.

use rejoin::base::limit;
use rejoin::contract::{CallOutcome, Event, FailureKind};
use rejoin::engine::input::Filter;
use rejoin::engine::view::{AccountView, Connection, ConversationKey, OpState};
use rejoin::engine::{Input, Intent, Verdict, classify};
use rejoin::protocol::account::{Account, AccountReadResponse};
use rejoin::protocol::request::ThreadListResponse;
use rejoin::protocol::{ClientRequest, ClientResponse};

use super::fake::{Fake, failure, notification, ok, profile, rejected, thread};

#[test]
fn a_connection_reads_account_models_and_list_and_selects_nothing() {
    let mut fake = Fake::new();
    assert_eq!(fake.state(), "Not connected");
    fake.user(Intent::Connect(profile("demo")));
    assert_eq!(fake.state(), "Connecting");
    fake.event(Event::Connected { server: rejoin::contract::ServerInfo { version: "0.159.1".into(), pid: None } });
    assert_eq!(fake.state(), "Synchronizing history");
    let methods: Vec<_> = fake.open.iter().map(|(_, call)| call.method().name()).collect();
    assert_eq!(methods, ["account/read", "model/list", "thread/list"]);
    let ClientRequest::ThreadList(list) = &fake.open[2].1 else { panic!() };
    assert_eq!(list.source_kinds, ["cli", "vscode", "exec", "appServer", "unknown"]);
    assert!(list.model_providers.is_empty() && list.limit == Some(limit::PICKER_PAGE));
    fake.serve();
    assert_eq!(fake.state(), "Awaiting conversation selection");
    assert!(fake.engine.conversation().is_none());
    assert!(fake.operations.is_empty());
    assert_eq!(fake.engine.picker().rows.len(), 2);
    for title in ["Connecting", "Synchronizing history", "Awaiting conversation selection"] {
        assert_eq!(fake.heard(&format!("{title}.")), 1, "{title} is announced once: {:?}", fake.said);
    }
}

#[test]
fn each_kind_of_failure_leads_to_its_state() {
    let tls = FailureKind::Tls { why: "expired".into() };
    let exited = FailureKind::ProcessExited { program: "codex".into(), exit: "exit code 1".into(), before_ready: true };
    let cases = [
        (FailureKind::HttpStatus { status: 401 }, "Sign-in required", false),
        (FailureKind::HttpStatus { status: 403 }, "Manual reconnect required", false),
        (FailureKind::HttpStatus { status: 503 }, "Manual reconnect required", true),
        (FailureKind::Closed { code: 1011, reason: String::new() }, "Manual reconnect required", true),
        (FailureKind::Closed { code: 1008, reason: String::new() }, "Manual reconnect required", false),
        (FailureKind::ConnectionLost, "Manual reconnect required", true),
        (tls, "Connection/profile confirmation required", false),
        (exited, "Manual reconnect required", true),
        (FailureKind::ProgramMissing { program: "codex".into() }, "Manual reconnect required", false),
    ];
    for (kind, title, loss) in cases {
        let mut fake = Fake::new();
        fake.user(Intent::Connect(profile("demo")));
        assert_eq!(matches!(classify(&failure(kind.clone())), Verdict::Loss), loss, "{kind:?}");
        fake.event(Event::ConnectFailed { failure: failure(kind.clone()) });
        assert_eq!(fake.state(), title, "{kind:?}");
        assert_eq!(fake.said.iter().filter(|(assertive, _)| *assertive).count(), 1, "{kind:?}");
        assert_eq!(fake.stopped, [fake.bridge]);
    }
}

#[test]
fn an_attempt_without_an_answer_ends_after_its_time() {
    let mut fake = Fake::new();
    fake.user(Intent::Connect(profile("demo")));
    let due = fake.engine.poll_timeout().expect("an attempt has a deadline");
    assert_eq!(due.since(fake.now.instant), limit::ATTEMPT_TIMEOUT);
    fake.tick(44_999);
    assert_eq!(fake.state(), "Connecting");
    fake.tick(1);
    assert_eq!(fake.state(), "Manual reconnect required");
    assert_eq!(fake.engine.poll_timeout(), None);
}

#[test]
fn a_server_without_an_account_can_be_read_but_not_sent_to() {
    let mut fake = Fake::new();
    fake.account.requires_openai_auth = true;
    fake.connect();
    assert_eq!(fake.state(), "Sign-in required");
    fake.user(Intent::Open("a".into()));
    fake.serve();
    assert!(fake.conversation().thread.is_some());
    fake.user(Intent::Join);
    assert_eq!(fake.heard("codex login"), 2, "the state and the refusal say what to do: {:?}", fake.said);
    assert!(fake.operations.is_empty());
}

#[test]
fn the_end_of_a_connection_freezes_text_unsettles_operations_and_leaves_nothing_else() {
    let mut fake = Fake::joined();
    fake.type_text("in flight");
    fake.user(Intent::Send);
    let late = fake.take("turn/start");
    fake.type_text("typed\r\nfor a \u{202e}");
    fake.user(Intent::Open("b".into()));
    fake.serve();
    fake.type_text("for b");
    let (old_bridge, old_stamp) = (fake.bridge, fake.stamp);
    fake.lose();
    assert_eq!(fake.state(), "Reconnecting");
    for (store, size) in fake.engine.owner_stores() {
        // The next generation has its worker already, and heard nothing of it yet.
        let is_new = ["link", "snapshot", "ticket"].contains(&store);
        assert_eq!(size, usize::from(is_new), "{store} outlived its owner");
    }
    let texts: Vec<_> = fake.engine.drafts().iter().map(|draft| draft.text.as_str()).collect();
    assert_eq!(texts, ["typed\r\nfor a \u{202e}", "for b"]);
    assert!(fake.engine.drafts()[0].connection.contains("demo"));
    let reviews = fake.engine.other_reviews();
    assert_eq!(reviews.len(), 1);
    assert_eq!(reviews[0].text.as_deref(), Some("in flight"));
    assert!(matches!(reviews[0].state, OpState::OutcomeUnknown(_)));
    assert!(fake.engine.conversation().is_none() && fake.engine.picker().rows.is_empty());

    // Late answers of the dead worker count for nothing.
    let dropped = fake.engine.stale_dropped();
    let event = Event::Called { op: late, outcome: super::fake::turn_started("t1") };
    fake.input(Input::Worker { bridge: old_bridge, stamp: Some(old_stamp), event: event.clone() });
    fake.input(Input::Worker { bridge: old_bridge, stamp: Some(old_stamp), event: event.clone() });
    fake.input(Input::Worker { bridge: fake.bridge, stamp: Some(old_stamp), event });
    assert_eq!(fake.engine.stale_dropped(), dropped + 3);
    fake.input(Input::WorkerGone { bridge: old_bridge, failure: failure(FailureKind::ConnectionLost) });
    assert_eq!(fake.state(), "Reconnecting", "an old worker cannot end the new connection");
    assert_eq!(fake.engine.other_reviews().len(), 1);
    assert_eq!(fake.sent("turn/start"), 1);
}

#[test]
fn what_is_typed_while_not_connected_is_one_more_draft_of_the_next_connection() {
    let mut fake = Fake::connected();
    fake.lose();
    let placeholder = fake.engine.offline_composer().placeholder;
    assert_eq!(placeholder, "Not connected; your text is kept above");
    fake.user(Intent::Edit { conversation: ConversationKey::Local(0), text: "meanwhile".into() });
    fake.user(Intent::Send);
    assert_eq!(fake.engine.offline_composer().text, "meanwhile");
    assert!(fake.heard("Not connected. Your text is kept") == 1 && fake.operations.is_empty());
    fake.come_back();
    assert_eq!(fake.engine.drafts().last().unwrap().text, "meanwhile");
    assert_eq!(fake.engine.offline_composer().text, "");
    let id = fake.engine.drafts()[0].id;
    fake.user(Intent::DiscardDraft(id));
    assert!(fake.engine.drafts().is_empty());
}

#[test]
fn a_full_draft_store_refuses_mutations_and_evicts_nothing() {
    let mut fake = Fake::connected();
    for number in 0..limit::DRAFTS {
        fake.user(Intent::New { cwd: None });
        fake.type_text(&format!("draft {number}"));
    }
    fake.lose();
    assert_eq!(fake.engine.drafts().len(), limit::DRAFTS);
    fake.come_back();
    fake.user(Intent::New { cwd: None });
    fake.type_text("one more");
    fake.user(Intent::Send);
    assert_eq!(fake.heard("Too many drafts"), 1);
    assert_eq!(fake.composer(), "one more");
    assert!(fake.operations.is_empty());
    fake.lose();
    assert_eq!(fake.engine.drafts().len(), limit::DRAFTS + 1, "text is never thrown away");
}

#[test]
fn another_account_ends_the_owner_and_waits_for_the_user() {
    let account = |email: &str, plan: &str| AccountReadResponse {
        account: Some(Account::Chatgpt { email: Some(email.into()), plan_type: Some(plan.into()) }),
        requires_openai_auth: true,
    };
    let mut fake = Fake::new();
    fake.account = account("me@example.org", "plus");
    fake.connect();
    fake.account = account("me@example.org", "pro");
    let update = || Event::Broadcast {
        at: rejoin::base::UnixMs(0),
        event: notification("account/updated", serde_json::json!({})),
    };
    fake.event(update());
    fake.serve();
    assert_eq!(fake.state(), "Awaiting conversation selection", "another plan is the same account");
    assert!(matches!(fake.engine.banner().account, AccountView::SignedIn(_)));
    fake.account = account("you@example.org", "pro");
    fake.event(update());
    fake.serve();
    assert_eq!(fake.state(), "Connection/profile confirmation required");
    assert!(matches!(fake.engine.banner().connection, Connection::ConfirmationRequired { .. }));
    assert_eq!(fake.engine.banner().account, &AccountView::Unknown);
    assert_eq!(fake.heard("account changed"), 1);
}

#[test]
fn a_refused_first_list_is_told_and_a_later_failure_keeps_the_rows() {
    let mut fake = Fake::new();
    fake.user(Intent::Connect(profile("demo")));
    fake.event(Event::Connected { server: rejoin::contract::ServerInfo { version: "x".into(), pid: None } });
    let op = fake.take("thread/list");
    fake.settle(op, rejected("no"));
    assert_eq!(fake.state(), "Manual reconnect required");

    let mut fake = Fake::connected();
    fake.user(Intent::RefreshThreads);
    let op = fake.take("thread/list");
    fake.settle(op, CallOutcome::TimedOut);
    assert_eq!(fake.engine.picker().rows.len(), 2);
    assert!(fake.engine.picker().failed.as_ref().is_some_and(|why| why.contains("out of date")));
    assert_eq!(fake.state(), "Awaiting conversation selection");
}

#[test]
fn a_page_of_an_older_search_is_dropped_and_each_search_has_its_own_cursor() {
    let mut fake = Fake::connected();
    let page = |ids: &[&str], cursor: Option<&str>| {
        let data = ids.iter().map(|id| thread(id)).collect();
        ok(ClientResponse::ThreadList(ThreadListResponse { data, next_cursor: cursor.map(str::to_owned) }))
    };
    fake.user(Intent::Search("x".into()));
    let first = fake.take("thread/list");
    fake.user(Intent::Search("xy".into()));
    let second = fake.take("thread/list");
    fake.settle(second, page(&["xy1"], Some("after-xy1")));
    fake.settle(first, page(&["x1"], Some("after-x1")));
    let ids =
        |fake: &mut Fake| -> Vec<ConversationKey> { fake.engine.picker().rows.iter().map(|r| r.key.clone()).collect() };
    assert_eq!(ids(&mut fake), [ConversationKey::Thread("xy1".into())]);
    fake.user(Intent::LoadMoreThreads);
    fake.user(Intent::LoadMoreThreads);
    assert_eq!(fake.open.len(), 1, "one page at a time");
    let ClientRequest::ThreadList(params) = fake.open[0].1.clone() else { panic!() };
    assert_eq!((params.cursor.as_deref(), params.search_term.as_deref()), (Some("after-xy1"), Some("xy")));
    let more = fake.take("thread/list");
    fake.settle(more, page(&["xy1", "xy2"], None));
    assert_eq!(fake.engine.picker().rows.len(), 2, "a thread is listed once");
    assert!(!fake.engine.picker().more);
    fake.user(Intent::SetFilter(Filter { archived: true, all_sources: true }));
    let ClientRequest::ThreadList(params) = &fake.open[0].1 else { panic!() };
    assert_eq!((params.archived, params.cursor.as_deref()), (Some(true), None));
    assert!(params.source_kinds.iter().any(|kind| kind == "subAgent"));
}

#[test]
fn live_changes_reach_the_list_without_moving_the_selection() {
    let mut fake = Fake::connected();
    fake.user(Intent::Open("b".into()));
    fake.serve();
    let mut hear = |method: &str, params: serde_json::Value| {
        let event = notification(method, params);
        fake.event(Event::Broadcast { at: rejoin::base::UnixMs(0), event });
        fake.engine.picker().clone()
    };
    let started = hear("thread/started", serde_json::json!({"thread": serde_json::to_value(thread("new")).unwrap()}));
    assert_eq!(started.rows.len(), 3);
    let named = hear("thread/name/updated", serde_json::json!({"threadId": "b", "threadName": "My name"}));
    assert!(named.rows.iter().any(|row| row.title == "My name"));
    let archived = hear("thread/archived", serde_json::json!({"threadId": "a"}));
    assert_eq!(archived.rows.len(), 2);
    assert_eq!(archived.selected, Some(ConversationKey::Thread("b".into())));
    let deleted = hear("thread/deleted", serde_json::json!({"threadId": "b"}));
    assert_eq!(deleted.rows.len(), 1);
    assert_eq!(deleted.selected, Some(ConversationKey::Thread("b".into())), "it is still open, with its words");
    assert!(fake.conversation().kind_note.unwrap().contains("no longer exists"));
}
