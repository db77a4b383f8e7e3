//! One session with the real 0.159.1 and with the demo: the same but for a committed list.
//!
//! What is normalised, and nothing else:
//! - ids of threads, turns, items and processes (by order of appearance); server request ids are compared
//! - times and durations; paths; the user agent and versions; provider and model; token counts and limits
//! - the model catalog; the text of the list of known methods in the error for an unknown one
//! - the split of deltas: those of one item are joined
//! - notices about the machine, its configuration and the model: `configWarning`,
//!   `remoteControl/status/changed`, `warning`, `thread/goal/cleared`; a repeated `turn/diff/updated`
//! - where a response falls between notifications, and where a `thread/status/changed` to *active* does
//!   (the real server varies from run to run): responses, these, and all others are compared each in
//!   its own order

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::client::Client;
use crate::kit::codex::{self, BareServer, Home, Line};
use crate::kit::model::Model;

/// What both servers can be asked.
trait Server {
    fn ask(&mut self, method: &str, params: Value) -> Value;
    /// Waits for the end of the turn; each request of the server gets this decision.
    fn finish(&mut self, decision: &str);
    fn messages(&self) -> Vec<Value>;
}

impl Server for BareServer {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        Self::ask(self, method, params)
    }

    fn finish(&mut self, decision: &str) {
        loop {
            let message = self.next();
            if message["method"] == "turn/completed" {
                return;
            }
            if message.get("id").is_some() && message.get("method").is_some() {
                self.answer(&message, json!({ "decision": decision }));
            }
        }
    }

    fn messages(&self) -> Vec<Value> {
        let server = self.traffic.iter().filter_map(|line| match line {
            Line::Server(text) => Some(serde_json::from_str(text).expect("JSON")),
            Line::Client(_) => None,
        });
        server.collect()
    }
}

impl Server for Client {
    fn ask(&mut self, method: &str, params: Value) -> Value {
        Self::ask(self, method, params)
    }

    fn finish(&mut self, decision: &str) {
        for _ in 0..20 {
            self.advance(1_000);
            for request in std::mem::take(&mut self.open) {
                self.answer(&request, json!({ "decision": decision }));
            }
        }
    }

    fn messages(&self) -> Vec<Value> {
        self.received.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect()
    }
}

const NOBODY: &str = "00000000-0000-7000-8000-000000000000";

/// The script that both play.
fn play(server: &mut impl Server, cwd: &str) {
    server.ask("account/read", json!({ "refreshToken": false }));
    server.ask("thread/list", json!({ "limit": 50, "sortKey": "recency_at", "modelProviders": [] }));
    let params = json!({ "cwd": cwd, "approvalPolicy": "untrusted", "sandbox": "workspace-write" });
    let thread = server.ask("thread/start", params)["result"]["thread"]["id"].clone();
    server.ask("thread/items/list", json!({ "threadId": thread }));
    for (text, decision) in [
        ("REASON 4 1; SLOW 6 1", ""),
        ("TOOL touch one; SAY done", "accept"),
        ("TOOL touch two; SAY done", "decline"),
        ("PATCH new.txt hello; SAY done", "accept"),
        ("PATCH old.txt hello; SAY done", "decline"),
        ("TOOL touch three; SAY done", "cancel"),
    ] {
        let input = json!([{ "type": "text", "text": text }]);
        server.ask("turn/start", json!({ "threadId": thread, "input": input, "clientUserMessageId": text }));
        server.finish(decision);
    }
    server.ask("thread/read", json!({ "threadId": thread, "includeTurns": false }));
    for view in ["summary", "full"] {
        let params = json!({ "threadId": thread, "limit": 50, "sortDirection": "desc", "itemsView": view });
        server.ask("thread/turns/list", params);
    }
    server.ask("thread/items/list", json!({ "threadId": thread, "limit": 100, "sortDirection": "desc" }));
    for (method, params) in [
        ("no/such/method", json!({})),
        ("thread/read", json!({})),
        ("thread/read", json!({ "threadId": NOBODY, "includeTurns": false })),
        ("thread/read", json!({ "threadId": "no id", "includeTurns": false })),
        ("thread/resume", json!({ "threadId": NOBODY, "excludeTurns": true })),
        ("thread/turns/list", json!({ "threadId": NOBODY, "sortDirection": "desc", "itemsView": "summary" })),
        ("thread/items/list", json!({ "threadId": thread, "cursor": "zzz" })),
        ("thread/list", json!({ "cursor": "zzz", "sortKey": "recency_at", "modelProviders": [] })),
        ("turn/interrupt", json!({ "threadId": thread, "turnId": NOBODY })),
        ("thread/unsubscribe", json!({ "threadId": NOBODY })),
        ("thread/unsubscribe", json!({ "threadId": thread })),
        ("thread/resume", json!({ "threadId": thread, "excludeTurns": true })),
    ] {
        server.ask(method, params);
    }
}

const NOTICES: [&str; 4] = ["configWarning", "remoteControl/status/changed", "warning", "thread/goal/cleared"];

/// Responses, changes to active, and everything else, each in its order.
fn normal(messages: Vec<Value>, root: &str) -> [Vec<String>; 3] {
    let mut names = BTreeMap::new();
    let (mut responses, mut active, mut told) = (Vec::new(), Vec::new(), Vec::<Value>::new());
    for message in messages {
        if message["method"].as_str().is_some_and(|method| NOTICES.contains(&method)) {
            continue;
        }
        let mut message = normal_value("", message, root, &mut names);
        if message.get("method").is_none() {
            responses.push(message);
            continue;
        }
        if message["method"] == "thread/status/changed" && message["params"]["status"]["type"] == "active" {
            active.push(message);
            continue;
        }
        if let Some(last) = told.last_mut() {
            let same = |name: &str| last["params"][name] == message["params"][name];
            if last["method"] == message["method"] && same("itemId") && message["params"]["delta"].is_string() {
                let joined = format!("{}{}", text(&last["params"]["delta"]), text(&message["params"]["delta"]));
                last["params"]["delta"] = json!(joined);
                continue;
            }
        }
        if message["method"] == "turn/diff/updated" {
            message["params"]["diff"] = json!("DIFF");
            if told.contains(&message) {
                continue;
            }
        }
        told.push(message);
    }
    [responses, active, told].map(|messages| messages.iter().map(Value::to_string).collect())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn normal_value(name: &str, value: Value, root: &str, names: &mut BTreeMap<String, String>) -> Value {
    const IDS: [&str; 8] =
        ["id", "threadId", "turnId", "itemId", "sessionId", "processId", "requestedThreadId", "path"];
    const TIMES: [&str; 10] = [
        "createdAt",
        "updatedAt",
        "recencyAt",
        "startedAt",
        "completedAt",
        "startedAtMs",
        "completedAtMs",
        "emittedAtMs",
        "durationMs",
        "rolloutOrdinal",
    ];
    const MACHINE: [&str; 8] =
        ["userAgent", "codexHome", "cliVersion", "model", "modelProvider", "tokenUsage", "rateLimits", "originator"];
    match value {
        Value::Null => Value::Null,
        _ if TIMES.contains(&name) => json!("TIME"),
        _ if MACHINE.contains(&name) => json!("MACHINE"),
        Value::String(text) if name.ends_with("ursor") => match serde_json::from_str(&text) {
            Ok(cursor) => normal_value("", cursor, root, names),
            Err(_) => json!("CURSOR"),
        },
        Value::String(text) if name == "path" && !text.contains("/sessions/") => json!(text.replace(root, "ROOT")),
        Value::String(text) if IDS.contains(&name) => {
            let next = format!("ID{}", names.len());
            json!(names.entry(text).or_insert(next))
        }
        Value::String(text) => {
            let mut text = text.replace(root, "ROOT");
            if let Some(end) = text.find(", expected one of") {
                text.truncate(end);
            }
            for (id, name) in names.iter() {
                text = text.replace(id, name);
            }
            json!(text)
        }
        Value::Array(values) => values.into_iter().map(|value| normal_value(name, value, root, names)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let value = normal_value(&name, value, root, names);
                (name, value)
            });
            Value::Object(fields.collect())
        }
        plain => plain,
    }
}

#[test]
fn the_demo_and_the_real_server_differ_only_as_listed() {
    let Some(codex) = codex::codex(codex::TARGET) else { return };
    let model = Model::start();
    let home = Home::new(&model);
    let mut real = BareServer::start(&home, &codex);
    real.initialize();
    let cwd = home.work_dir().display().to_string();
    play(&mut real, &cwd);
    let mut demo = Client::connect("empty");
    demo.initialize();
    play(&mut demo, &cwd);
    assert_eq!(demo.ended(), None);
    let root = home.root().display().to_string();
    let real = normal(real.messages(), &root);
    let demo = normal(demo.messages(), &root);
    let mut differences = Vec::new();
    for (kind, (real, demo)) in ["response", "active", "message"].iter().zip(real.iter().zip(&demo)) {
        for index in 0..real.len().max(demo.len()) {
            let (real, demo) = (real.get(index), demo.get(index));
            if real != demo {
                differences.push(format!("{kind} {index}\n  demo: {demo:?}\n  real: {real:?}"));
            }
        }
    }
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}
