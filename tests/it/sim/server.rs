//! A model server: what it was told, what it did, and nothing else. It outlives connections, as a real one does.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Two threads; each accepted message is a turn with one item.
#[derive(Default)]
pub struct Server {
    /// Client ids of messages as they arrived, with how often.
    pub received: BTreeMap<String, usize>,
    /// Messages that became items: thread, client id, text.
    pub accepted: Vec<(String, String, String)>,
    pub resumed: usize,
    pub started: usize,
    /// Calls that are not answered yet, of the living connection.
    waiting: Vec<(Value, String, Value)>,
    turns: usize,
    pub draining: bool,
    pub overloaded: bool,
    pub account: usize,
    /// Counts connections; every name that it tells carries it.
    pub connection: u64,
}

impl Server {
    /// A new connection: what the old one waited for is gone.
    pub fn connect(&mut self) {
        self.connection += 1;
        self.waiting.clear();
        self.draining = false;
    }

    /// A message arrived. It is answered when [`Server::answer`] is called.
    pub fn receive(&mut self, text: &str) {
        let message: Value = serde_json::from_str(text).expect("the worker sends JSON");
        let Some(id) = message.get("id").cloned() else { return };
        let Some(method) = message["method"].as_str() else { return };
        if let Some(client) = message["params"]["clientUserMessageId"].as_str() {
            *self.received.entry(client.to_owned()).or_default() += 1;
        }
        self.waiting.push((id, method.to_owned(), message["params"].clone()));
    }

    pub fn waits(&self) -> usize {
        self.waiting.len()
    }

    /// Executes a waiting call and returns its answer with the notifications that follow.
    pub fn answer(&mut self, at: usize) -> Vec<String> {
        let (id, method, params) = self.waiting.remove(at);
        let mut after = Vec::new();
        let result = self.execute(&method, &params, &mut after);
        let answer = match result {
            Ok(result) => json!({"id": id, "result": result}),
            Err((code, why)) => json!({"id": id, "error": {"code": code, "message": why}}),
        };
        std::iter::once(answer).chain(after).map(|message| message.to_string()).collect()
    }

    fn thread(&self, id: &str) -> Value {
        json!({"id": id, "preview": format!("{id}@{}", self.connection), "historyMode": "paginated",
            "status": {"type": "idle"}, "source": "cli", "cwd": "/srv", "recencyAt": 1_790_000_000})
    }

    fn session(&self, id: &str) -> Value {
        json!({"thread": self.thread(id), "model": "m1", "cwd": "/srv", "approvalPolicy": "on-request",
            "sandbox": {"type": "readOnly"}})
    }

    fn execute(&mut self, method: &str, params: &Value, after: &mut Vec<Value>) -> Result<Value, (i64, &'static str)> {
        let mutation = ["thread/resume", "thread/start", "turn/start", "turn/steer"].contains(&method);
        if self.draining && mutation {
            return Err((-32600, "Server is draining; retry after reconnecting"));
        }
        if std::mem::take(&mut self.overloaded) {
            return Err((-32001, "Server overloaded"));
        }
        let id = params["threadId"].as_str().unwrap_or_default().to_owned();
        Ok(match method {
            "initialize" => json!({"userAgent": "rejoin/0.159.1 (Debian; x86_64) sim", "codexHome": "/h",
                "platformFamily": "unix", "platformOs": "linux"}),
            "account/read" => json!({"account": {"type": "chatgpt", "email": format!("u{}@example.org", self.account),
                "planType": "plus"}, "requiresOpenaiAuth": true}),
            "model/list" => json!({"data": [], "nextCursor": null}),
            "thread/list" => json!({"data": [self.thread("a"), self.thread("b")], "nextCursor": null}),
            "thread/read" => json!({"thread": self.thread(&id)}),
            "thread/turns/list" => json!({"data": [], "nextCursor": null, "backwardsCursor": null}),
            "thread/items/list" => {
                let mine = self.accepted.iter().filter(|(thread, ..)| *thread == id).rev().take(3);
                let data: Vec<Value> = mine
                    .map(|(_, client, text)| {
                        json!({"turnId": format!("t-{client}"),
                    "item": item(client, text)})
                    })
                    .collect();
                json!({"data": data, "nextCursor": null, "backwardsCursor": null})
            }
            "thread/resume" => {
                self.resumed += 1;
                self.session(&id)
            }
            "thread/start" => {
                self.started += 1;
                self.session(&format!("new-{}", self.started))
            }
            "turn/start" | "turn/steer" => {
                self.turns += 1;
                let client = params["clientUserMessageId"].as_str().expect("a client id").to_owned();
                let text = params["input"][0]["text"].as_str().expect("a text").to_owned();
                self.accepted.push((id.clone(), client.clone(), text.clone()));
                let turn = format!("t{}", self.turns);
                let told = |method: &str, params: Value| json!({"method": method, "params": params});
                let state = |status: &str| json!({"threadId": id, "turn": {"id": turn, "status": status, "items": []}});
                after.push(told("turn/started", state("inProgress")));
                let completed = json!({"threadId": id, "turnId": turn, "item": item(&client, &text)});
                after.push(told("item/completed", completed));
                after.push(told("turn/completed", state("completed")));
                if method == "turn/start" {
                    json!({"turn": {"id": turn, "status": "inProgress", "items": []}})
                } else {
                    json!({"turnId": params["expectedTurnId"]})
                }
            }
            _ => json!({}),
        })
    }
}

fn item(client: &str, text: &str) -> Value {
    json!({"type": "userMessage", "id": format!("i-{client}"), "clientId": client,
        "content": [{"type": "text", "text": text}]})
}
