//! The conversations of the demo and how they look on the wire.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Conn;
use super::beat::{Act, Ids, Stage, Step, beats};
use super::item;
use super::play::Run;

/// A conversation. Times are Unix milliseconds.
#[derive(Debug)]
pub(super) struct Thread {
    pub id: String,
    pub name: Option<String>,
    pub cwd: String,
    pub source: &'static str,
    pub archived: bool,
    pub kind: ThreadKind,
    pub model: String,
    pub approval_policy: Value,
    pub sandbox: Value,
    pub created: i64,
    pub updated: i64,
    /// In the memory of this server process.
    pub loaded: bool,
    /// The last turn failed.
    pub failed: bool,
    pub turns: Vec<Turn>,
    /// Completed items in the order of completion.
    pub entries: Vec<Entry>,
    pub subscribers: BTreeSet<Conn>,
    /// Repeated interrupts, answered when the next turn ends: connection and request id.
    pub waiters: Vec<(Conn, Value)>,
    /// The thread whose ids it shares.
    pub forked_from: Option<String>,
    /// The client that made it.
    pub originator: String,
    pub run: Option<Run>,
    /// Commands accepted for the session.
    pub allowed: Vec<String>,
    /// Tokens used so far: total and of the last response.
    pub tokens: (u64, u64),
}

/// How a conversation's history can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThreadKind {
    Paginated,
    /// Turns only, with ids made up for reading and without commands (FACTS 5.6).
    Legacy,
    /// Never stored: no history at all.
    Ephemeral,
    /// Stored, but pages are empty until it is resumed (FACTS S15).
    NotIndexed,
    /// Written by another process now (FACTS 7.4).
    Elsewhere,
}

#[derive(Debug, Clone)]
pub(super) struct Turn {
    pub id: String,
    /// `TurnStatus`.
    pub status: &'static str,
    pub error: Value,
    pub started: i64,
    pub completed: Option<i64>,
}

#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Index of the turn.
    pub turn: usize,
    pub item: Value,
    pub started: i64,
    pub completed: i64,
}

/// How much of its items a turn is shown with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    NotLoaded,
    Summary,
    Full,
}

impl Thread {
    pub fn new(id: String, cwd: &str, created: i64) -> Self {
        Self {
            id,
            name: None,
            cwd: cwd.to_owned(),
            source: "vscode",
            archived: false,
            kind: ThreadKind::Paginated,
            model: MODEL.to_owned(),
            approval_policy: json!("on-request"),
            sandbox: json!({ "type": "readOnly", "networkAccess": false }),
            created,
            updated: created,
            loaded: false,
            failed: false,
            turns: Vec::new(),
            entries: Vec::new(),
            subscribers: BTreeSet::new(),
            waiters: Vec::new(),
            forked_from: None,
            originator: "rejoin".to_owned(),
            run: None,
            allowed: Vec::new(),
            tokens: (0, 0),
        }
    }

    /// Takes over what `thread/start` and `turn/start` set.
    pub fn apply(&mut self, params: &Value) {
        if let Some(model) = params["model"].as_str() {
            self.model = model.to_owned();
        }
        if let Some(policy) = params.get("approvalPolicy").filter(|policy| !policy.is_null()) {
            self.approval_policy = policy.clone();
        }
        if let Some(policy) = params.get("sandboxPolicy").filter(|policy| !policy.is_null()) {
            self.sandbox = policy.clone();
        }
        match params["sandbox"].as_str() {
            Some("danger-full-access") => self.sandbox = json!({ "type": "dangerFullAccess" }),
            Some("workspace-write") => {
                self.sandbox = json!({
                    "type": "workspaceWrite", "writableRoots": [], "networkAccess": false,
                    "excludeTmpdirEnvVar": false, "excludeSlashTmp": false,
                });
            }
            Some("read-only") => self.sandbox = json!({ "type": "readOnly", "networkAccess": false }),
            _ => {}
        }
    }

    /// Adds a turn of the past that began at this time.
    pub fn remember(&mut self, ids: &mut Ids, at: i64, input: &str, steps: &[Step]) {
        let turn = self.turns.len();
        let mut now = at;
        self.turns.push(Turn { id: ids.uuid(), status: "completed", error: Value::Null, started: at, completed: None });
        let user = item::user(&ids.uuid(), None, &item::typed(input));
        self.entries.push(Entry { turn, item: user, started: now, completed: now });
        for step in steps {
            let mut open = beats(step, Stage { cwd: &self.cwd, asks: false, allowed: &[] }, ids);
            open.reverse();
            while let Some(beat) = open.pop() {
                now += i64::try_from(beat.wait.as_millis()).unwrap_or(0);
                match beat.act {
                    Act::Complete(item) => self.entries.push(Entry { turn, item, started: now, completed: now }),
                    Act::Request(request) => open.extend(request.accepted.into_iter().rev()),
                    Act::Fail { message, info } => {
                        self.turns[turn].status = "failed";
                        self.turns[turn].error = turn_error(&message, &info);
                    }
                    Act::Start(_) | Act::Tell(..) | Act::Sampled | Act::Nothing | Act::Hang | Act::Exit(_) => {}
                }
            }
        }
        self.turns[turn].completed = Some(now);
        self.updated = self.updated.max(now);
    }

    /// The first words of the user.
    pub fn preview(&self) -> String {
        let user = self.entries.iter().find(|entry| entry.item["type"] == "userMessage");
        user.map(|entry| item::text_of(&entry.item["content"])).unwrap_or_default()
    }

    /// In thread/list: stored, so it needs a first turn.
    pub fn is_listed(&self) -> bool {
        self.kind != ThreadKind::Ephemeral && !self.entries.is_empty()
    }

    /// `ThreadStatus`.
    pub fn status(&self) -> Value {
        match &self.run {
            _ if !self.loaded => json!({ "type": "notLoaded" }),
            Some(run) => json!({ "type": "active", "activeFlags": run.flags() }),
            None if self.failed => json!({ "type": "systemError" }),
            None => json!({ "type": "idle" }),
        }
    }

    /// `Thread`, without turns.
    pub fn json(&self) -> Value {
        json!({
            "id": self.id, "sessionId": self.id, "forkedFromId": self.forked_from, "parentThreadId": null,
            "environments": [{
                "environmentId": "local", "cwd": self.cwd, "runtimeWorkspaceRoots": [self.cwd],
            }],
            "extra": null, "preview": self.preview(), "ephemeral": self.kind == ThreadKind::Ephemeral,
            "section": null, "sectionEnteredAt": null, "projectId": null,
            "historyMode": if self.kind == ThreadKind::Legacy { "legacy" } else { "paginated" },
            "modelProvider": "demo", "model": self.model, "reasoningEffort": null,
            "createdAt": self.created.div_euclid(1000), "updatedAt": self.updated.div_euclid(1000),
            "recencyAt": self.updated.div_euclid(1000), "status": self.status(),
            "path": format!("/home/demo/.codex/sessions/rollout-{}.jsonl", self.id), "cwd": self.cwd,
            "cliVersion": super::VERSION, "originator": self.originator, "source": self.source,
            "canAcceptDirectInput": if self.loaded { json!(true) } else { Value::Null },
            "threadSource": null, "agentNickname": null, "agentRole": null, "gitInfo": null, "name": self.name,
            "daybreakEnabled": null, "turns": [],
        })
    }

    /// What `thread/start` and `thread/resume` answer with.
    pub fn session(&self) -> Value {
        json!({
            "thread": self.json(), "model": self.model, "modelProvider": "demo", "serviceTier": null,
            "disabledPluginIds": [], "cwd": self.cwd, "runtimeWorkspaceRoots": [self.cwd],
            "instructionSources": [], "approvalPolicy": self.approval_policy, "approvalsReviewer": "user",
            "sandbox": self.sandbox, "activePermissionProfile": null, "reasoningEffort": null,
            "multiAgentMode": "explicitRequestOnly",
        })
    }

    /// `Turn`, with the items of a view.
    pub fn turn_json(&self, turn: usize, view: View) -> Value {
        let it = &self.turns[turn];
        // A turn's entries lie together: a thread runs one turn at a time.
        let begin = self.entries.partition_point(|entry| entry.turn < turn);
        let items = self.entries[begin..].iter().take_while(|entry| entry.turn == turn).map(|entry| &entry.item);
        let items: Vec<Value> = match view {
            View::NotLoaded => Vec::new(),
            View::Full => items.filter(|item| self.keeps(item)).cloned().collect(),
            View::Summary => {
                let user = items.clone().find(|item| item["type"] == "userMessage");
                let last = items.filter(|item| item["type"] == "agentMessage").last();
                user.into_iter().chain(last).cloned().collect()
            }
        };
        let items = if self.kind == ThreadKind::Legacy { renamed(items, begin) } else { items };
        let view = match view {
            View::NotLoaded => "notLoaded",
            View::Summary => "summary",
            View::Full => "full",
        };
        turn_json(it, items, view)
    }

    /// Old rollouts keep no commands.
    fn keeps(&self, item: &Value) -> bool {
        self.kind != ThreadKind::Legacy || item["type"] != "commandExecution"
    }
}

fn renamed(mut items: Vec<Value>, from: usize) -> Vec<Value> {
    for (index, item) in items.iter_mut().enumerate() {
        item["id"] = json!(format!("item-{}", from + index + 1));
    }
    items
}

pub(super) fn turn_json(turn: &Turn, items: Vec<Value>, view: &str) -> Value {
    json!({
        "id": turn.id, "items": items, "itemsView": view, "status": turn.status, "error": turn.error,
        "startedAt": turn.started.div_euclid(1000), "completedAt": turn.completed.map(|at| at.div_euclid(1000)),
        "durationMs": turn.completed.map(|at| at - turn.started),
    })
}

pub(super) fn turn_error(message: &str, info: &Value) -> Value {
    json!({ "message": message, "codexErrorInfo": info, "additionalDetails": null, "misalignment": null })
}

/// The model of every conversation of the demo.
pub(super) const MODEL: &str = "demo-large";
