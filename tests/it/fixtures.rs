//! The test kit proves itself on the real servers: the scripted model and the rollouts on disk.

use serde_json::{Value, json};

use crate::kit::codex::{self, BareServer, Home, TARGET};
use crate::kit::model::Model;
use crate::kit::rollout::Rollout;

fn page(thread: &str, cursor: &Value) -> Value {
    json!({ "threadId": thread, "limit": 100, "sortDirection": "desc", "cursor": cursor })
}

#[test]
fn a_written_thread_is_listed_joined_and_paged_to_its_last_item() {
    for codex in codex::installed() {
        let items = if codex.version == TARGET { 20_000 } else { 500 };
        let model = Model::start();
        let home = Home::new(&model);
        let thread = Rollout::paginated(items).write(&home.codex_home());
        let mut server = BareServer::start(&home, &codex);
        server.initialize();
        server.wait_until_listed(&thread);
        let joined = server.ask("thread/resume", json!({ "threadId": thread, "excludeTurns": true }));
        assert_eq!(joined["result"]["thread"]["historyMode"], "paginated", "{joined}");

        let mut ids = std::collections::BTreeSet::new();
        let mut cursor = Value::Null;
        loop {
            let answer = server.ask("thread/items/list", page(&thread, &cursor));
            let entries = answer["result"]["data"].as_array().expect("a page");
            ids.extend(entries.iter().map(|entry| entry["item"]["id"].to_string()));
            cursor = answer["result"]["nextCursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(ids.len(), items, "{}", codex.version);
    }
}

#[test]
fn a_written_legacy_thread_has_whole_turns_and_no_pages_of_items() {
    for codex in codex::installed() {
        let model = Model::start();
        let home = Home::new(&model);
        let thread = Rollout::legacy(60).write(&home.codex_home());
        let mut server = BareServer::start(&home, &codex);
        server.initialize();
        server.wait_until_listed(&thread);
        let items = server.ask("thread/items/list", page(&thread, &Value::Null));
        assert_eq!(items["error"]["code"], -32601, "{}: {items}", codex.version);
        let params = json!({ "threadId": thread, "limit": 50, "sortDirection": "desc", "itemsView": "full" });
        let turns = server.ask("thread/turns/list", params);
        let turns = turns["result"]["data"].as_array().expect("a page of turns");
        assert_eq!(turns.len(), 3, "{}", codex.version);
        assert!(turns.iter().all(|turn| turn["items"].as_array().is_some_and(|items| items.len() > 1)));
    }
}

#[test]
fn rollouts_are_the_same_every_time() {
    let write = || {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let thread = Rollout::paginated(100).write(dir.path());
        let day = dir.path().join("sessions/2026/09/21");
        let file = std::fs::read_dir(day).expect("the day it begins").next().expect("a file").expect("a file").path();
        (thread, std::fs::read_to_string(file).expect("a text"))
    };
    let first = write();
    assert_eq!(first, write());
    assert!(first.1.contains(&first.0));
}

#[test]
fn the_model_counts_a_message_once_however_many_tools_it_calls() {
    for codex in codex::installed() {
        let model = Model::start();
        let home = Home::new(&model);
        let mut server = BareServer::start(&home, &codex);
        server.initialize();
        let params = json!({ "approvalPolicy": "never", "sandbox": "danger-full-access" });
        let started = server.ask("thread/start", params);
        let thread = started["result"]["thread"]["id"].as_str().expect("a thread").to_owned();
        let script = "TOOL true; TOOL true; SAY done";
        for _ in 0..2 {
            let input = json!([{ "type": "text", "text": script }]);
            server.ask("turn/start", json!({ "threadId": thread, "input": input }));
            let completed = server.wait_for("turn/completed");
            assert_eq!(completed["params"]["turn"]["status"], "completed", "{completed}");
        }
        assert_eq!(model.times(script), 2, "{}", codex.version);
        assert_eq!(model.times("never sent"), 0);
        let tool_outputs: Vec<_> = model.asked().iter().map(|asked| asked.tool_outputs).collect();
        assert_eq!(tool_outputs, [0, 1, 2, 0, 1, 2], "{}", codex.version);
    }
}

#[test]
fn a_turn_that_hangs_is_interrupted_and_one_that_fails_says_so() {
    for codex in codex::installed() {
        let model = Model::start();
        let home = Home::new(&model);
        let mut server = BareServer::start(&home, &codex);
        server.initialize();
        let started = server.ask("thread/start", json!({}));
        let thread = started["result"]["thread"]["id"].as_str().expect("a thread").to_owned();
        let mut turn = |script: &str| {
            let input = json!([{ "type": "text", "text": script }]);
            let answer = server.ask("turn/start", json!({ "threadId": thread, "input": input }));
            if script.starts_with("HANG") {
                server.wait_for("item/agentMessage/delta");
                let id = &answer["result"]["turn"]["id"];
                server.send(
                    &json!({ "id": 99, "method": "turn/interrupt", "params": { "threadId": thread, "turnId": id } }),
                );
            }
            server.wait_for("turn/completed")["params"]["turn"]["status"].clone()
        };
        assert_eq!(turn("HANG 3"), "interrupted", "{}", codex.version);
        assert_eq!(turn("FAIL 500"), "failed", "{}", codex.version);
        assert_eq!(turn("DROP 2"), "failed", "{}", codex.version);
        assert_eq!(turn("ERR server_error"), "failed", "{}", codex.version);
        assert_eq!(turn("hello"), "completed", "{}", codex.version);
    }
}
