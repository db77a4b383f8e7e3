//! Records the corpus from the real servers with the scripted model.

use std::fs;
use std::sync::Once;

use serde_json::{Value, json};

use crate::kit::codex::{self, BareServer, Home, Line};
use crate::kit::model::Model;

/// The sessions, in the order they are recorded.
pub const SESSIONS: [&str; 5] = ["session", "streams", "approvals", "interrupt", "errors"];

/// Parts of messages that are sent to see the server's error.
pub const WRONG_ON_PURPOSE: &[&str] = &["no/such/method", r#""params":{}"#];

/// Records everything once a test process, if `REJOIN_RECORD=1`.
pub fn if_asked() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if std::env::var_os("REJOIN_RECORD").is_some_and(|value| value == "1") {
            for codex in codex::VERSIONS.map(|version| codex::codex(version).expect("all versions are recorded")) {
                for name in SESSIONS {
                    let model = Model::start();
                    let home = Home::with_features(&model, &["default_mode_request_user_input"]);
                    let mut server = BareServer::start(&home, &codex);
                    match name {
                        "session" => session(&mut server, &home),
                        "streams" => streams(&mut server, &home),
                        "approvals" => approvals(&mut server, &home),
                        "interrupt" => interrupt(&mut server, &home),
                        _ => errors(&mut server),
                    }
                    write(codex.version, name, &server.traffic, &home);
                }
            }
        }
    });
}

fn write(version: &str, name: &str, traffic: &[Line], home: &Home) {
    let mut text = String::new();
    for line in traffic {
        let (side, line) = match line {
            Line::Client(line) => ("client", line),
            Line::Server(line) => ("server", line),
        };
        text.push_str(&format!("{{\"{side}\":{}}}\n", scrub(line, home)));
    }
    fs::create_dir_all(super::dir(version)).expect("the corpus can be written");
    fs::write(super::dir(version).join(format!("{name}.jsonl")), text).expect("the corpus can be written");
}

/// Takes out what belongs to the recording machine; the text stays otherwise as it came.
fn scrub(line: &str, home: &Home) -> String {
    let root = home.root().display().to_string();
    let mut line = line.replace(&root, "/home/user").replace("/home/user/codex", "/home/user/.codex");
    let message: Value = serde_json::from_str(&line).expect("recorded lines are JSON");
    for (pointer, scrubbed) in [
        ("/result/userAgent", None),
        ("/params/serverName", Some("host")),
        ("/params/installationId", Some("00000000-0000-4000-8000-000000000000")),
    ] {
        let Some(found) = message.pointer(pointer).and_then(Value::as_str) else { continue };
        let scrubbed = scrubbed.map_or_else(
            || format!("{} (Linux; x86_64) terminal (rejoin; 0.1.0)", found.split(' ').next().unwrap_or_default()),
            str::to_owned,
        );
        line = line.replace(&json!(found).to_string(), &json!(scrubbed).to_string());
    }
    let port = |text: &str| {
        text.find("127.0.0.1:").map(|at| text[at..].chars().take_while(|c| !"/ \"".contains(*c)).collect::<String>())
    };
    while let Some(found) = port(&line) {
        line = line.replace(&found, "model.invalid");
    }
    line
}

fn start_thread(server: &mut BareServer, home: &Home, policy: &str, sandbox: &str) -> String {
    let params = json!({ "cwd": home.work_dir(), "approvalPolicy": policy, "sandbox": sandbox });
    let response = server.ask("thread/start", params);
    response["result"]["thread"]["id"].as_str().expect("a thread").to_owned()
}

fn start_turn(server: &mut BareServer, thread: &str, script: &str) -> String {
    let input = json!([{ "type": "text", "text": script }]);
    let params = json!({ "threadId": thread, "input": input, "clientUserMessageId": format!("message {script}") });
    server.ask("turn/start", params)["result"]["turn"]["id"].as_str().expect("a turn").to_owned()
}

fn whole_turn(server: &mut BareServer, thread: &str, script: &str) {
    start_turn(server, thread, script);
    server.wait_for("turn/completed");
}

fn page(thread: &str, cursor: &Value) -> Value {
    json!({ "threadId": thread, "limit": 3, "sortDirection": "desc", "cursor": cursor })
}

/// A life without trouble: list, start, a turn of every usual item, read it back in pages, leave and join.
fn session(server: &mut BareServer, home: &Home) {
    server.initialize();
    server.ask("account/read", json!({ "refreshToken": false }));
    server.ask("model/list", json!({}));
    let list = json!({ "limit": 50, "sortKey": "recency_at", "modelProviders": [] });
    server.ask("thread/list", list.clone());
    let thread = start_thread(server, home, "never", "danger-full-access");
    whole_turn(server, &thread, "REASON 4 1; SAY before; TOOL printf 'one\\ntwo\\n'; SAY after");
    whole_turn(server, &thread, "TOOL exit 3; SAY it failed");
    whole_turn(server, &thread, "PATCH new.txt hello; SAY patched");
    server.ask("thread/list", list);
    server.ask("thread/read", json!({ "threadId": thread, "includeTurns": false }));
    for view in ["summary", "full"] {
        let params = json!({ "threadId": thread, "limit": 50, "sortDirection": "desc", "itemsView": view });
        server.ask("thread/turns/list", params);
    }
    let first = server.ask("thread/items/list", page(&thread, &Value::Null));
    server.ask("thread/items/list", page(&thread, &first["result"]["nextCursor"]));
    server.ask("thread/unsubscribe", json!({ "threadId": thread }));
    server.ask("thread/resume", json!({ "threadId": thread, "excludeTurns": true }));
}

/// Blocks that grow: message, reasoning of both kinds, command output.
fn streams(server: &mut BareServer, home: &Home) {
    server.initialize();
    let thread = start_thread(server, home, "never", "danger-full-access");
    whole_turn(server, &thread, "REASON 30 1; SLOW 60 1");
    whole_turn(server, &thread, "RAWREASON 30 1; LONG 3000 50");
    whole_turn(server, &thread, "SAY e\u{301}, \u{1F469}\u{200D}\u{1F680}, \u{4F60}\u{597D}; SLOW 40 1");
    let command = "python3 -c \"[(print(i, flush=True), __import__('time').sleep(0.1)) for i in range(20)]\"";
    whole_turn(server, &thread, &format!("SLOW 20 1; TOOL {command}; SLOW 40 1"));
    whole_turn(server, &thread, "SLOW 30 1; REASON 30 1; SLOW 30 1");
}

/// Every answer to a command and a patch, and a question.
fn approvals(server: &mut BareServer, home: &Home) {
    server.initialize();
    let thread = start_thread(server, home, "untrusted", "workspace-write");
    for (script, answers) in [
        ("TOOL touch accepted; SAY done", vec![json!("accept")]),
        ("TOOL touch declined; SAY done", vec![json!("decline")]),
        ("TOOL touch session; TOOL touch session; SAY done", vec![json!("acceptForSession")]),
        ("ESC touch escalated; SAY done", vec![json!("accept")]),
        ("PATCH accepted.txt hello; SAY done", vec![json!("accept")]),
        ("PATCH declined.txt hello; SAY done", vec![json!("decline")]),
        ("TOOL touch cancelled; SAY done", vec![json!("cancel")]),
    ] {
        start_turn(server, &thread, script);
        for decision in answers {
            let request = server.wait(script, |message| message.get("id").is_some() && message.get("method").is_some());
            server.answer(&request, json!({ "decision": decision }));
        }
        server.wait_for("turn/completed");
    }
    start_turn(server, &thread, "ASK Which one?; SAY done");
    let request = server.wait_for("item/tool/requestUserInput");
    server.answer(&request, json!({ "answers": { "q1": { "answers": ["Yes"] } } }));
    server.wait_for("turn/completed");
}

/// A turn that hangs, steers, and its end.
fn interrupt(server: &mut BareServer, home: &Home) {
    server.initialize();
    let thread = start_thread(server, home, "never", "danger-full-access");
    let turn = start_turn(server, &thread, "HANG 5");
    server.wait_for("item/agentMessage/delta");
    let steer = |expected: &str| {
        let input = json!([{ "type": "text", "text": "SAY steered" }]);
        json!({ "threadId": thread, "expectedTurnId": expected, "input": input, "clientUserMessageId": "steer" })
    };
    server.ask("turn/steer", steer("00000000-0000-7000-8000-000000000000"));
    server.ask("turn/steer", steer(&turn));
    server.ask("turn/interrupt", json!({ "threadId": thread, "turnId": "00000000-0000-7000-8000-000000000000" }));
    server.send(&json!({ "id": 900, "method": "turn/interrupt", "params": { "threadId": thread, "turnId": turn } }));
    let (mut answered, mut ended) = (false, false);
    while !(answered && ended) {
        let message = server.next();
        answered |= message["id"] == 900;
        ended |= message["method"] == "turn/completed";
    }
    server.ask("turn/steer", steer(&turn));
    whole_turn(server, &thread, "TOOL sleep 0; SAY afterwards");
}

/// The errors of FACTS 11, and turns that fail.
fn errors(server: &mut BareServer) {
    let nobody = "00000000-0000-7000-8000-000000000000";
    server.ask("account/read", json!({ "refreshToken": false }));
    server.initialize();
    server.ask("no/such/method", json!({}));
    server.ask("thread/read", json!({}));
    server.ask("thread/read", json!({ "threadId": nobody, "includeTurns": false }));
    server.ask("thread/read", json!({ "threadId": "no id", "includeTurns": false }));
    server.ask("thread/resume", json!({ "threadId": nobody, "excludeTurns": true }));
    let turns = json!({ "threadId": nobody, "sortDirection": "desc", "itemsView": "summary" });
    server.ask("thread/turns/list", turns);
    server.ask("thread/items/list", page(nobody, &Value::Null));
    server.ask("thread/unsubscribe", json!({ "threadId": nobody }));
    server.ask("thread/list", json!({ "cursor": "zzz", "sortKey": "recency_at", "modelProviders": [] }));
    let input = json!([{ "type": "text", "text": "SAY no" }]);
    server.ask("turn/start", json!({ "threadId": nobody, "input": input, "clientUserMessageId": "m" }));
    server.ask("turn/interrupt", json!({ "threadId": nobody, "turnId": nobody }));
    let thread = server.ask("thread/start", json!({}))["result"]["thread"]["id"].as_str().expect("a thread").to_owned();
    server.ask("thread/items/list", page(&thread, &Value::Null));
    whole_turn(server, &thread, "FAIL 401");
    whole_turn(server, &thread, "ERR server_error");
    whole_turn(server, &thread, "DROP 3");
    whole_turn(server, &thread, "SAY well again");
    server.ask("thread/items/list", page(&thread, &json!("zzz")));
    server.ask("turn/interrupt", json!({ "threadId": thread, "turnId": nobody }));
}
