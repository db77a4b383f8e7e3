//! Requests of clients, with the errors of the real server (FACTS 5, 7, 11, 13).

use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::base::Now;

use super::scenario::Quirk;
use super::world::{Thread, ThreadKind, View};
use super::{Client, Conn, Machine, Refusal, item, page, words};

/// What the demo understands, in the words of its error for anything else.
const METHODS: &[&str] = &[
    "initialize",
    "account/read",
    "model/list",
    "thread/list",
    "thread/read",
    "thread/turns/list",
    "thread/items/list",
    "thread/attachment/list",
    "thread/start",
    "thread/resume",
    "thread/unsubscribe",
    "turn/start",
    "turn/steer",
    "turn/interrupt",
];

/// How long an unsteady server lives after its first list.
const UNSTEADY: Duration = Duration::from_secs(20);

type Answer = Result<Value, Refusal>;

impl Machine {
    pub(super) fn request_from(&mut self, now: Now, from: Conn, id: &Value, method: &str, params: &Value) {
        if !METHODS.contains(&method) {
            let known = METHODS.iter().map(|known| format!("`{known}`")).collect::<Vec<_>>().join(", ");
            let message = format!("Invalid request: unknown variant `{method}`, expected one of {known}");
            return self.respond(from, id, Err(Refusal::invalid(message)));
        }
        let initialized = self.clients.contains_key(&from);
        if method == "initialize" {
            let answer =
                if initialized { Err(Refusal::invalid("Already initialized")) } else { self.initialize(from, params) };
            return self.respond(from, id, answer);
        }
        if !initialized {
            return self.respond(from, id, Err(Refusal::invalid("Not initialized")));
        }
        if self.scenario.quirk == Quirk::Overloaded && self.refused.insert(method.to_owned()) {
            let message = "Server overloaded; retry later.".to_owned();
            return self.respond(from, id, Err(Refusal { code: -32001, message }));
        }
        if self.scenario.quirk == Quirk::Draining && matches!(method, "thread/start" | "turn/start") {
            return self.respond(from, id, Err(Refusal::invalid("Server is draining; retry after reconnecting")));
        }
        match method {
            "thread/start" => self.thread_start(now, from, id, params),
            "thread/resume" => self.thread_resume(now, from, id, params),
            "turn/start" => self.turn_start(now, from, id, params),
            "turn/interrupt" => self.turn_interrupt(now, from, id, params),
            _ => {
                let answer = self.plain(now, from, method, params);
                self.respond(from, id, answer);
            }
        }
        if method == "thread/list" {
            self.tell_of_unlisted(now, from);
            self.silent = self.scenario.quirk == Quirk::Silent;
            if self.scenario.quirk == Quirk::Unsteady {
                self.ends_at.get_or_insert(now.instant + UNSTEADY);
            }
        }
    }

    /// Conversations that no list names are announced once, as if another client began them now.
    fn tell_of_unlisted(&mut self, now: Now, to: Conn) {
        match self.clients.get_mut(&to) {
            Some(client) if !client.told => client.told = true,
            _ => return,
        }
        let unlisted = self.threads.iter().filter(|thread| thread.loaded && !thread.is_listed());
        let started: Vec<_> = unlisted.map(|thread| json!({ "thread": thread.json() })).collect();
        for params in started {
            self.notify(now, &[to], "thread/started", params);
        }
    }

    /// Requests that have nothing but an answer.
    fn plain(&mut self, now: Now, from: Conn, method: &str, params: &Value) -> Answer {
        match method {
            "account/read" => {
                let login = self.scenario.quirk == Quirk::SignIn;
                Ok(json!({ "account": null, "requiresOpenaiAuth": login, "workspaceRouting": null }))
            }
            "model/list" => Ok(models()),
            "thread/list" => page::threads(self.threads.iter(), params),
            "thread/attachment/list" => Ok(json!({ "data": [], "nextCursor": null })),
            "thread/read" => self.thread_read(params),
            "thread/turns/list" => page::turns(self.thread_to_read(params)?, params),
            "thread/items/list" => {
                let id = thread_id(params)?;
                let thread = self.threads.iter().find(|thread| thread.id == id);
                page::items(thread, params)
            }
            "thread/unsubscribe" => {
                let id = text(params, "threadId")?;
                let Some(thread) = self.threads.iter_mut().find(|thread| thread.id == id && thread.loaded) else {
                    return Ok(json!({ "status": "notLoaded" }));
                };
                let was = thread.subscribers.remove(&from);
                Ok(json!({ "status": if was { "unsubscribed" } else { "notSubscribed" } }))
            }
            _ => self.turn_steer(now, params),
        }
    }

    fn initialize(&mut self, from: Conn, params: &Value) -> Answer {
        let Some(name) = params["clientInfo"]["name"].as_str() else {
            return Err(Refusal::invalid("Invalid request: missing field `name`"));
        };
        let Some(version) = params["clientInfo"]["version"].as_str() else {
            return Err(Refusal::invalid("Invalid request: missing field `version`"));
        };
        let opted_out = params["capabilities"]["optOutNotificationMethods"].as_array().into_iter().flatten();
        let opted_out = opted_out.filter_map(|method| method.as_str().map(str::to_owned)).collect();
        self.clients.insert(from, Client { name: name.to_owned(), opted_out, told: false });
        Ok(json!({
            "userAgent": format!("rejoin-demo/{} (Demo; any) none ({name}; {version})", super::VERSION),
            "codexHome": "/home/demo/.codex", "platformFamily": "unix", "platformOs": "linux",
        }))
    }

    fn thread_to_read(&self, params: &Value) -> Result<&Thread, Refusal> {
        let id = thread_id(params)?;
        let thread = self.threads.iter().find(|thread| thread.id == id);
        thread.ok_or_else(|| Refusal::invalid(format!("thread not loaded: {id}")))
    }

    fn thread_read(&self, params: &Value) -> Answer {
        let thread = self.thread_to_read(params)?;
        let mut json = thread.json();
        if params["includeTurns"] == true {
            if thread.turns.is_empty() {
                return Err(Refusal::unsupported("list_turns is not supported yet"));
            }
            json["turns"] = (0..thread.turns.len()).map(|turn| thread.turn_json(turn, View::Full)).collect();
        }
        Ok(json!({ "thread": json }))
    }

    fn thread_start(&mut self, now: Now, from: Conn, id: &Value, params: &Value) {
        let cwd = params["cwd"].as_str().unwrap_or("/home/demo");
        let mut thread = Thread::new(self.ids.uuid(), cwd, now.unix_ms.0);
        thread.loaded = true;
        thread.originator = self.clients.get(&from).map(|client| client.name.clone()).unwrap_or_default();
        if params["ephemeral"] == true || self.scenario.quirk == Quirk::Ephemeral {
            thread.kind = ThreadKind::Ephemeral;
        }
        thread.apply(params);
        thread.subscribers.insert(from);
        self.respond(from, id, Ok(thread.session()));
        let started = json!({ "thread": thread.json() });
        self.threads.push(thread);
        self.broadcast(now, "thread/started", started);
    }

    fn thread_resume(&mut self, now: Now, from: Conn, id: &Value, params: &Value) {
        let index = match self.resumable(params) {
            Ok(index) => index,
            Err(refusal) => return self.respond(from, id, Err(refusal)),
        };
        let thread = &mut self.threads[index];
        thread.loaded = true;
        thread.subscribers.insert(from);
        let mut session = thread.session();
        let (turns, items) = page::newest(thread);
        session["collaborationMode"] = json!({
            "mode": "default",
            "settings": { "model": thread.model, "reasoning_effort": null, "developer_instructions": null },
        });
        session["initialTurnsPage"] = Value::Null;
        session["turnsBackwardsCursor"] = json!(turns);
        session["itemsBackwardsCursor"] = json!(items);
        if params["excludeTurns"] != true {
            session["thread"]["turns"] =
                (0..thread.turns.len()).map(|turn| thread.turn_json(turn, View::Full)).collect();
        }
        let goal = json!({ "threadId": thread.id });
        self.respond(from, id, Ok(session));
        self.notify(now, &[from], "thread/goal/cleared", goal);
        if let Some(text) = self.request_text(now, index) {
            self.outputs.push_back(super::Output::Line { to: from, text });
        }
    }

    fn resumable(&self, params: &Value) -> Result<usize, Refusal> {
        let id = text(params, "threadId")?;
        is_uuid(id, "session")?;
        let index = self.threads.iter().position(|thread| thread.id == id);
        let index = index.ok_or_else(|| Refusal::invalid(format!("no rollout found for thread id {id}")))?;
        let thread = &self.threads[index];
        if thread.archived {
            let message = format!("session {id} is archived. Run `codex unarchive {id}` to unarchive it first.");
            return Err(Refusal::invalid(message));
        }
        if thread.kind == ThreadKind::Elsewhere {
            return Err(Refusal::invalid(format!("thread {id} already has an active writer")));
        }
        Ok(index)
    }

    /// The thread of a request that needs it in memory.
    fn loaded(&self, params: &Value) -> Result<usize, Refusal> {
        let id = thread_id(params)?;
        let found = self.threads.iter().position(|thread| thread.id == id && thread.loaded);
        found.ok_or_else(|| Refusal::invalid(format!("thread not found: {id}")))
    }

    fn turn_start(&mut self, now: Now, from: Conn, id: &Value, params: &Value) {
        let index = match self.loaded(params).and_then(|index| input(params).map(|_| index)) {
            Ok(index) => index,
            Err(refusal) => return self.respond(from, id, Err(refusal)),
        };
        if self.scenario.quirk == Quirk::ExitAtTurn {
            return self.end(137);
        }
        let client_id = params["clientUserMessageId"].as_str();
        let thread = &mut self.threads[index];
        let running = thread.run.is_some();
        if let Some(run) = &mut thread.run {
            // It becomes a steer and answers with the running turn (FACTS S5).
            run.steer(client_id.map(str::to_owned), params["input"].clone());
        } else {
            thread.apply(params);
            let mut steps = words::answer(&item::text_of(&params["input"]), &thread.cwd);
            if self.scenario.quirk == Quirk::ExitMidTurn {
                steps =
                    vec![words::say("The server ends while this sentence is being writ"), super::beat::Step::Exit(101)];
            }
            self.begin_turn(now, index, steps);
        }
        let turn = self.threads[index].turns.last().map(|turn| turn.id.clone());
        let answer = json!({ "turn": {
            "id": turn, "items": [], "itemsView": "notLoaded", "status": "inProgress", "error": null,
            "startedAt": null, "completedAt": null, "durationMs": null,
        } });
        self.respond(from, id, Ok(answer));
        if !running {
            self.open_turn(now, index, client_id, &params["input"]);
        }
    }

    fn turn_steer(&mut self, _now: Now, params: &Value) -> Answer {
        let index = self.loaded(params)?;
        let expected = text(params, "expectedTurnId")?;
        input(params)?;
        let thread = &mut self.threads[index];
        let Some((run, turn)) = thread.run.as_mut().zip(thread.turns.last()) else {
            return Err(Refusal::invalid("no active turn to steer"));
        };
        if turn.id != expected {
            let message = format!("expected active turn id `{expected}` but found `{}`", turn.id);
            return Err(Refusal::invalid(message));
        }
        run.steer(params["clientUserMessageId"].as_str().map(str::to_owned), params["input"].clone());
        Ok(json!({ "turnId": turn.id }))
    }

    fn turn_interrupt(&mut self, now: Now, from: Conn, id: &Value, params: &Value) {
        let found = self.loaded(params).and_then(|index| Ok((index, text(params, "turnId")?)));
        let (index, wanted) = match found {
            Ok(found) => found,
            Err(refusal) => return self.respond(from, id, Err(refusal)),
        };
        let thread = &mut self.threads[index];
        let turn = thread.turns.last().map(|turn| (turn.id.clone(), turn.status));
        match turn {
            Some((turn, _)) if thread.run.is_some() && turn == wanted => {
                self.respond(from, id, Ok(json!({})));
                self.interrupt(now, index);
            }
            // An interrupted turn still counts as the active one for this check.
            Some((turn, status)) if turn != wanted && (thread.run.is_some() || status == "interrupted") => {
                let message = format!("expected active turn id {wanted} but found {turn}");
                self.respond(from, id, Err(Refusal::invalid(message)));
            }
            // Answered when the next turn ends (FACTS S4).
            Some((_, "interrupted")) => thread.waiters.push((from, id.clone())),
            _ => self.respond(from, id, Err(Refusal::invalid("no active turn to interrupt"))),
        }
    }
}

fn text<'a>(params: &'a Value, name: &str) -> Result<&'a str, Refusal> {
    params[name].as_str().ok_or_else(|| Refusal::invalid(format!("Invalid request: missing field `{name}`")))
}

fn input(params: &Value) -> Result<&Vec<Value>, Refusal> {
    params["input"].as_array().ok_or_else(|| Refusal::invalid("Invalid request: missing field `input`"))
}

fn thread_id(params: &Value) -> Result<&str, Refusal> {
    let id = text(params, "threadId")?;
    is_uuid(id, "thread")?;
    Ok(id)
}

/// The server's words for an id that is none.
fn is_uuid(id: &str, of: &str) -> Result<(), Refusal> {
    let Err(error) = Uuid::parse_str(id) else { return Ok(()) };
    let wrong = id.char_indices().find(|(_, c)| !c.is_ascii_hexdigit() && *c != '-');
    let why = wrong.map_or_else(
        || error.to_string(),
        |(at, c)| {
            let expected = "expected an optional prefix of `urn:uuid:` followed by [0-9a-fA-F-]";
            format!("invalid character: {expected}, found `{c}` at {}", at + 1)
        },
    );
    Err(Refusal::invalid(format!("invalid {of} id: {why}")))
}

fn models() -> Value {
    let efforts = json!([
        { "reasoningEffort": "low", "description": "Answers quickly" },
        { "reasoningEffort": "medium", "description": "Thinks a little" },
        { "reasoningEffort": "high", "description": "Thinks longer" },
    ]);
    let model = |id: &str, name: &str, about: &str, default: bool| {
        json!({
            "id": id, "model": id, "upgrade": null, "upgradeInfo": null, "availabilityNux": null,
            "displayName": name, "description": about, "modelSpecialty": null, "hidden": false,
            "supportedReasoningEfforts": efforts, "defaultReasoningEffort": "medium",
            "inputModalities": ["text", "image"], "supportsPersonality": false, "multiAgentVersion": null,
            "additionalSpeedTiers": [], "serviceTiers": [], "defaultServiceTier": null,
            "availableAccessPrograms": null, "isDefault": default,
        })
    };
    json!({
        "data": [
            model(super::world::MODEL, "Demo Large", "Scripted answers at length.", true),
            model("demo-small", "Demo Small", "The same answers under a shorter name.", false),
        ],
        "nextCursor": null,
    })
}
