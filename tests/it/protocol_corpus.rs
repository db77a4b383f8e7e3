//! Recorded sessions of the real servers: every line of them sorts, parses and fits its schema.
//!
//! `tests/fixtures/corpus/<version>/<session>.jsonl` holds one message a line, `{"client": ..}` or
//! `{"server": ..}`, scrubbed of paths and names. `REJOIN_RECORD=1` records it anew from the
//! installed servers ([`record`] has the scripts); otherwise nothing is started.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rejoin::protocol::rpc::{self, Incoming};
use rejoin::protocol::{ClientResponse, Method, ServerNotification, ServerRequest, ThreadItem, Turn};
use rejoin::protocol::{initialize, notification, server_request};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::kit::codex::{self, VERSIONS};
use crate::kit::schema::{Schemas, Surface};

mod record;

/// Notifications of the corpus that Rejoin does not read, by name.
const NOT_READ: &[&str] = &["remoteControl/status/changed", "thread/readState/changed"];

/// A line of a corpus file, its message as the exact text of the wire.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Line {
    Client(Box<RawValue>),
    Server(Box<RawValue>),
}

struct Session {
    version: &'static str,
    name: String,
    lines: Vec<Line>,
}

fn dir(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/corpus").join(version)
}

fn sessions() -> Vec<Session> {
    let mut sessions = Vec::new();
    for version in VERSIONS {
        for name in record::SESSIONS {
            let path = dir(version).join(format!("{name}.jsonl"));
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let lines = text.lines().map(|line| serde_json::from_str(line).expect("a corpus line")).collect();
            sessions.push(Session { version, name: name.into(), lines });
        }
    }
    sessions
}

/// What parsing one session came to.
#[derive(Default)]
struct Seen {
    responses: BTreeSet<&'static str>,
    notifications: BTreeSet<String>,
    not_read: BTreeSet<String>,
    requests: BTreeSet<String>,
    errors: BTreeSet<i64>,
    items: Vec<ThreadItem>,
}

fn read(session: &Session, seen: &mut Seen) {
    let mut asked: BTreeMap<u64, String> = BTreeMap::new();
    for line in &session.lines {
        let at = |text: &str| {
            format!("{} {}: {}", session.version, session.name, text.chars().take(300).collect::<String>())
        };
        match line {
            Line::Client(message) => {
                let message: serde_json::Value = serde_json::from_str(message.get()).expect("JSON");
                if let (Some(id), Some(method)) = (message["id"].as_u64(), message["method"].as_str()) {
                    asked.insert(id, method.into());
                }
            }
            Line::Server(message) => match rpc::sort(message.get())
                .unwrap_or_else(|e| panic!("{}: {e}", at(message.get())))
            {
                Incoming::Response { id, result } => {
                    let name = &asked[&id];
                    if name == initialize::METHOD {
                        let response: initialize::InitializeResponse =
                            serde_json::from_str(result.get()).expect("readable");
                        assert_eq!(response.version(), Some(session.version));
                        continue;
                    }
                    let method =
                        Method::ALL.iter().find(|method| method.name() == name).expect("only known methods are sent");
                    let response =
                        method.parse_response(result).unwrap_or_else(|e| panic!("{}: {e}", at(message.get())));
                    seen.responses.insert(method.name());
                    items_of_response(response, &mut seen.items);
                }
                Incoming::Error { error, .. } => {
                    assert!(!error.message.is_empty());
                    seen.errors.insert(error.code);
                }
                Incoming::Notification { method, params } => match ServerNotification::parse(&method, params) {
                    notification::Parsed::Known(known) => {
                        seen.notifications.insert(method);
                        items_of_notification(known, &mut seen.items);
                    }
                    notification::Parsed::Unknown => {
                        seen.not_read.insert(method);
                    }
                    notification::Parsed::Malformed(error) => panic!("{}: {error}", at(message.get())),
                },
                Incoming::Request { method, params, .. } => match ServerRequest::parse(&method, params) {
                    server_request::Parsed::Known(_) => {
                        seen.requests.insert(method);
                    }
                    other => panic!("{}: {other:?}", at(message.get())),
                },
            },
        }
    }
}

fn items_of_response(response: ClientResponse, items: &mut Vec<ThreadItem>) {
    match response {
        ClientResponse::TurnsList(page) => items.extend(page.data.into_iter().flat_map(|turn: Turn| turn.items)),
        ClientResponse::ItemsList(page) => items.extend(page.data.into_iter().map(|entry| entry.item)),
        ClientResponse::TurnStart(started) => items.extend(started.turn.items),
        ClientResponse::AccountRead(_)
        | ClientResponse::ThreadList(_)
        | ClientResponse::ThreadRead(_)
        | ClientResponse::ModelList(_)
        | ClientResponse::ThreadStart(_)
        | ClientResponse::ThreadResume(_)
        | ClientResponse::ThreadUnsubscribe(_)
        | ClientResponse::TurnSteer(_)
        | ClientResponse::TurnInterrupt(_) => {}
    }
}

fn items_of_notification(known: ServerNotification, items: &mut Vec<ThreadItem>) {
    match known {
        ServerNotification::ItemStarted { item, .. } | ServerNotification::ItemCompleted { item, .. } => {
            items.push(item)
        }
        ServerNotification::TurnStarted { turn, .. } | ServerNotification::TurnCompleted { turn, .. } => {
            items.extend(turn.items)
        }
        _ => {}
    }
}

#[test]
fn every_recorded_line_of_the_real_servers_is_read_and_nothing_of_it_becomes_unknown() {
    record::if_asked();
    let mut not_read = BTreeSet::new();
    for version in VERSIONS {
        let mut seen = Seen::default();
        for session in sessions().iter().filter(|session| session.version == version) {
            read(session, &mut seen);
        }
        let methods: BTreeSet<_> = Method::ALL.iter().map(|method| method.name()).collect();
        assert_eq!(seen.responses, methods, "{version}: every method is in the corpus");
        assert!(seen.errors.is_superset(&[-32600, -32601].into()), "{version}: {:?}", seen.errors);
        assert!(
            seen.requests.contains("item/commandExecution/requestApproval")
                && seen.requests.contains("item/fileChange/requestApproval")
                && seen.requests.contains("item/tool/requestUserInput"),
            "{version}: {:?}",
            seen.requests
        );
        let kinds: BTreeSet<_> = seen.items.iter().map(kind).collect();
        assert!(
            kinds.is_superset(&["userMessage", "agentMessage", "reasoning", "commandExecution", "fileChange"].into()),
            "{version}: {kinds:?}"
        );
        assert!(!kinds.contains("unknown"), "{version}: an item became unknown: {:?}", seen.items);
        not_read.extend(seen.not_read);
    }
    let not_read: Vec<_> = not_read.iter().map(String::as_str).collect();
    assert_eq!(not_read, NOT_READ, "the committed list of notifications that are not read");
}

fn kind(item: &ThreadItem) -> &'static str {
    match item {
        ThreadItem::UserMessage { .. } => "userMessage",
        ThreadItem::AgentMessage { .. } => "agentMessage",
        ThreadItem::Reasoning { .. } => "reasoning",
        ThreadItem::CommandExecution { .. } => "commandExecution",
        ThreadItem::FileChange { .. } => "fileChange",
        ThreadItem::Unknown(_) => "unknown",
        _ => "other",
    }
}

#[test]
fn every_recorded_line_fits_the_schema_of_its_version() {
    record::if_asked();
    for version in VERSIONS {
        let Some(codex) = codex::codex(version) else { continue };
        let schemas = Schemas::of(&codex, Surface::Experimental);
        for session in sessions().iter().filter(|session| session.version == version) {
            let mut asked: BTreeMap<u64, String> = BTreeMap::new();
            let mut from_server: BTreeMap<String, String> = BTreeMap::new();
            for line in &session.lines {
                let (Line::Client(text) | Line::Server(text)) = line;
                let message: serde_json::Value = serde_json::from_str(text.get()).expect("JSON");
                let at = format!("{version} {}", session.name);
                match (line, message["method"].as_str(), message.get("id")) {
                    (Line::Client(_), Some(method), Some(id)) => {
                        asked.insert(id.as_u64().expect("our ids"), method.into());
                        if !record::WRONG_ON_PURPOSE.iter().any(|wrong| text.get().contains(wrong)) {
                            schemas.check_message("ClientRequest", &message, &at);
                        }
                    }
                    (Line::Client(_), None, Some(id)) => {
                        let method = &from_server[&id.to_string()];
                        if let Some(name) = schemas.answer_type(method) {
                            schemas.check_type(name).accepts(&message["result"], &at);
                        }
                    }
                    (Line::Server(_), Some(method), Some(id)) => {
                        from_server.insert(id.to_string(), method.into());
                        schemas.check_message("ServerRequest", &message, &at);
                    }
                    (Line::Server(_), Some(_), None) => schemas.check_message("ServerNotification", &message, &at),
                    (Line::Server(_), None, Some(id)) if message.get("result").is_some() => {
                        let method = &asked[&id.as_u64().expect("our ids")];
                        schemas
                            .check_type(schemas.response_type(method))
                            .accepts(&message["result"], &format!("{at} {method}"));
                    }
                    _ => {}
                }
            }
        }
    }
}

#[test]
fn nothing_in_the_corpus_tells_where_it_was_recorded() {
    for session in sessions() {
        for line in &session.lines {
            let (Line::Client(text) | Line::Server(text)) = line;
            for word in ["/tmp/", "/root", "rejoin-home-", "127.0.0.1", "xterm", "Debian"] {
                assert!(!text.get().contains(word), "{} {}: {word} in {}", session.version, session.name, text.get());
            }
        }
    }
}
