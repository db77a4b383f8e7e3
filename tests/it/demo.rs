//! The demo server: it says only what the real protocol allows, and always the same.

#[path = "demo/client.rs"]
mod client;
#[path = "demo/process.rs"]
mod process;
#[path = "demo/real.rs"]
mod real;
#[path = "demo/worker.rs"]
mod worker;

use std::collections::BTreeMap;

use rejoin::demo::{self, Conn, FIRST, Machine};
use serde_json::{Value, json};

use crate::kit::codex;
use crate::kit::schema::{Schemas, Surface};
use client::Client;

/// Everything a client can ask, in one session with a scenario; returns what was said both ways.
fn session(scenario: &str) -> Client {
    let mut client = Client::connect(scenario);
    client.initialize();
    client.ask("account/read", json!({ "refreshToken": false }));
    client.ask("model/list", json!({}));
    let list = client.ask("thread/list", json!({ "limit": 3, "sortKey": "recency_at", "modelProviders": [] }));
    client.ask("thread/list", json!({ "cursor": list["result"]["nextCursor"], "archived": true }));
    let threads = list["result"]["data"].as_array().cloned().unwrap_or_default();
    for thread in threads {
        let id = thread["id"].clone();
        client.ask("thread/read", json!({ "threadId": id, "includeTurns": false }));
        for view in ["summary", "full"] {
            let params = json!({ "threadId": id, "sortDirection": "desc", "itemsView": view, "limit": 5 });
            client.ask("thread/turns/list", params);
        }
        let page = |cursor: &Value| json!({ "threadId": id, "sortDirection": "desc", "limit": 30, "cursor": cursor });
        let first = client.ask("thread/items/list", page(&Value::Null));
        client.ask("thread/items/list", page(&first["result"]["nextCursor"]));
        client.ask("thread/resume", json!({ "threadId": id, "excludeTurns": true }));
        client.advance(2_000);
        client.answer_all();
        client.advance(240_000);
        client.answer_all();
    }
    let started = client.ask("thread/start", json!({ "cwd": "/home/demo/new", "approvalPolicy": "on-request" }));
    let thread = started["result"]["thread"]["id"].clone();
    for text in
        ["hello", "approve, patch, ask, elicit and plan", "fail", "long", "slow", "SAY one; RAWREASON 3; ESC ls"]
    {
        let input = json!([{ "type": "text", "text": text }]);
        let params = json!({ "threadId": thread, "input": input, "clientUserMessageId": text });
        client.ask("turn/start", params.clone());
        client.advance(100);
        client.ask("turn/start", params);
        for _ in 0..12 {
            client.advance(30_000);
            client.answer_all();
        }
    }
    client.ask("thread/unsubscribe", json!({ "threadId": thread }));
    client
}

#[test]
fn every_message_of_every_scenario_fits_the_schema() {
    let Some(codex) = codex::codex(codex::TARGET) else { return };
    let schemas = Schemas::of(&codex, Surface::Experimental);
    for scenario in demo::scenarios() {
        let client = session(scenario.name);
        if scenario.name == "garbage" {
            continue;
        }
        let mut checked = 0;
        for text in &client.received {
            let message: Value = serde_json::from_str(text).expect("JSON");
            let at = scenario.name;
            match (message["method"].as_str(), message.get("id")) {
                (Some(_), Some(_)) => schemas.check_message("ServerRequest", &message, at),
                (Some(_), None) => {
                    assert!(message["emittedAtMs"].is_i64(), "{at}: {text}");
                    schemas.check_message("ServerNotification", &message, at);
                }
                (None, Some(id)) if message.get("result").is_some() => {
                    let method = &client.asked[&id.as_u64().expect("our ids")];
                    // The scenario with an item of a newer server is about exactly that.
                    let result = without_newer(message["result"].clone());
                    let at = format!("{at} {method}");
                    schemas.check_type(schemas.response_type(method)).accepts_exactly(&result, &at);
                }
                _ => assert!(message["error"]["message"].is_string(), "{at}: {text}"),
            }
            checked += 1;
        }
        assert!(checked > 4 || scenario.name == "exit-at-once", "{}: {checked} messages", scenario.name);
    }
}

fn without_newer(mut value: Value) -> Value {
    match &mut value {
        Value::Array(entries) => {
            entries.retain(|entry| entry["type"] != NEWER && entry["item"]["type"] != NEWER);
            entries.iter_mut().for_each(|entry| *entry = without_newer(entry.take()));
        }
        Value::Object(fields) => fields.values_mut().for_each(|field| *field = without_newer(field.take())),
        _ => {}
    }
    value
}

const NEWER: &str = "holographicProjection";

#[test]
fn the_same_inputs_at_the_same_times_give_the_same_bytes() {
    for scenario in ["default", "approvals", "every-item", "s2"] {
        let (first, second) = (session(scenario), session(scenario));
        assert!(first.received.len() > 20);
        assert_eq!(first.received, second.received, "{scenario}");
    }
}

#[test]
fn the_kinds_of_conversation_are_told_apart_as_the_real_server_does() {
    let page = |scenario: &str, method: &str| {
        let mut client = Client::connect(scenario);
        client.initialize();
        let list = client.ask("thread/list", json!({}));
        let id = list["result"]["data"][0]["id"].clone();
        (client.ask(method, json!({ "threadId": id, "excludeTurns": true })), client, id)
    };
    let (legacy, ..) = page("legacy", "thread/items/list");
    assert_eq!(legacy["error"]["code"], -32601);
    let (elsewhere, ..) = page("elsewhere", "thread/resume");
    assert!(
        elsewhere["error"]["message"].as_str().is_some_and(|words| words.ends_with("already has an active writer"))
    );
    let (empty, mut client, id) = page("not-indexed", "thread/items/list");
    assert_eq!(empty["result"]["data"], json!([]));
    client.ask("thread/resume", json!({ "threadId": id, "excludeTurns": true }));
    let full = client.ask("thread/items/list", json!({ "threadId": id }));
    assert!(full["result"]["data"].as_array().is_some_and(|items| items.len() == 5));
}

#[test]
fn conversations_that_no_list_names_are_announced() {
    for (scenario, count) in [("unpersisted", 1), ("ephemeral", 1), ("s3", 2), ("default", 0)] {
        let mut client = Client::connect(scenario);
        client.initialize();
        client.ask("thread/list", json!({}));
        client.ask("thread/list", json!({}));
        let told = client.received.iter().filter(|text| text.contains("\"thread/started\"")).count();
        assert_eq!(told, count, "{scenario}");
    }
}

#[test]
fn all_pages_of_a_long_list_hold_every_thread_once() {
    for scenario in ["long-list", "s2"] {
        let mut client = Client::connect(scenario);
        client.initialize();
        let mut seen = BTreeMap::new();
        for archived in [false, true] {
            let mut cursor = Value::Null;
            loop {
                let params = json!({ "limit": 50, "sortKey": "recency_at", "archived": archived, "cursor": cursor });
                let page = client.ask("thread/list", params)["result"].clone();
                for thread in page["data"].as_array().expect("a page") {
                    *seen.entry(thread["id"].to_string()).or_insert(0) += 1;
                }
                cursor = page["nextCursor"].clone();
                if cursor.is_null() {
                    break;
                }
            }
        }
        assert_eq!(seen.len(), if scenario == "s2" { 120 } else { 1_200 });
        assert!(seen.values().all(|times| *times == 1));
    }
}

#[test]
fn a_second_connection_hears_broadcasts_gets_open_requests_again_and_the_first_answer_wins() {
    let mut client = Client::connect("approvals");
    client.initialize();
    client.advance(5_000);
    let list = client.ask("thread/list", json!({}));
    let waiting = |thread: &&Value| thread["name"] == "A command";
    let id = list["result"]["data"].as_array().and_then(|all| all.iter().find(waiting)).expect("it")["id"].clone();
    let resume = json!({ "threadId": id, "excludeTurns": true });
    client.ask("thread/resume", resume.clone());
    let asked = client.open.clone();
    client.ask("thread/resume", resume.clone());
    assert_eq!(asked.len(), 1);
    assert_eq!(client.open, [asked[0].clone(), asked[0].clone()], "the same request with the same id");
    let mut second = client.share(Conn(1));
    second.initialize();
    second.answer(&asked[0], json!({ "decision": "decline" }));
    second.answer(&asked[0], json!({ "decision": "accept" }));
    assert!(second.received.iter().any(|text| text.contains("thread/status/changed")), "a broadcast");
    assert!(!second.received.iter().any(|text| text.contains("serverRequest/resolved")), "not subscribed");
    drop(second);
    client.drain();
    let resolved = client.received.iter().filter(|text| text.contains("serverRequest/resolved")).count();
    assert_eq!(resolved, 1);
    assert!(client.received.iter().any(|text| text.contains("\"declined\"")));
}

#[test]
fn an_unknown_scenario_names_those_that_there_are() {
    let error = Machine::new("nosuch").expect_err("unknown").to_string();
    assert!(error.contains("\"nosuch\"") && error.contains("default, empty, long-list"), "{error}");
    assert!(Machine::new("default").is_ok() && FIRST == Conn(0));
}
