//! A running turn, played beat by beat in the order of FACTS 3.7.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde_json::{Value, json};

use crate::base::{Instant, Now};

use super::beat::{Act, Beat, Kind, Request, Stage, Step, beats};
use super::world::{Entry, Thread, Turn, View, turn_error, turn_json};
use super::{Machine, Output, item, words};

/// What is left of a turn.
#[derive(Debug)]
pub(super) struct Run {
    steps: VecDeque<Step>,
    beats: VecDeque<Beat>,
    /// When the first beat is due.
    due: Instant,
    state: State,
    /// Messages that came while it ran: client id and input.
    steers: Vec<(Option<String>, Value)>,
    /// When the items that have started did so, by id.
    started: BTreeMap<String, i64>,
    /// A patch was made: its diff is told again at the end.
    diff: Option<Value>,
}

#[derive(Debug)]
enum State {
    Playing,
    /// A server request of this id is open.
    Waiting(u64, Box<Request>),
    /// Until somebody interrupts.
    Hanging,
}

impl Run {
    /// `activeFlags`.
    pub fn flags(&self) -> Value {
        match &self.state {
            State::Playing | State::Hanging => json!([]),
            State::Waiting(_, request) if request.kind == Kind::Question => json!(["waitingOnUserInput"]),
            State::Waiting(..) => json!(["waitingOnApproval"]),
        }
    }

    /// When the next beat is due.
    pub fn due(&self) -> Option<Instant> {
        matches!(self.state, State::Playing).then_some(self.due)
    }

    /// The open request of the server.
    pub fn open_request(&self) -> Option<(u64, &Request)> {
        match &self.state {
            State::Waiting(id, request) => Some((*id, request)),
            State::Playing | State::Hanging => None,
        }
    }

    /// A message for the running turn; it shows when the model is next sampled.
    pub fn steer(&mut self, client_id: Option<String>, input: Value) {
        self.steers.push((client_id, input));
    }
}

/// How a server request was answered.
enum Verdict {
    Yes,
    ForSession,
    No,
    Cancel,
    Malformed,
}

impl Machine {
    /// Begins a turn and returns its id. The notifications follow the caller's response.
    pub(super) fn begin_turn(&mut self, now: Now, thread: usize, steps: Vec<Step>) -> String {
        let id = self.ids.uuid();
        let thread = &mut self.threads[thread];
        thread.turns.push(Turn {
            id: id.clone(),
            status: "inProgress",
            error: Value::Null,
            started: now.unix_ms.0,
            completed: None,
        });
        thread.run = Some(Run {
            steps: steps.into(),
            beats: VecDeque::new(),
            due: now.instant + Duration::from_millis(10),
            state: State::Playing,
            steers: Vec::new(),
            started: BTreeMap::new(),
            diff: None,
        });
        thread.failed = false;
        thread.updated = now.unix_ms.0;
        id
    }

    /// `thread/status/changed`, `turn/started` and the message of the user.
    pub(super) fn open_turn(&mut self, now: Now, thread: usize, client_id: Option<&str>, input: &Value) {
        self.tell_status(now, thread);
        let it = &self.threads[thread];
        let turn = it.turns.last().map(|turn| turn_json(turn, Vec::new(), "notLoaded"));
        self.tell(now, thread, "turn/started", json!({ "threadId": it.id, "turn": turn }));
        self.user_message(now, thread, client_id, input);
    }

    fn user_message(&mut self, now: Now, thread: usize, client_id: Option<&str>, input: &Value) {
        let message = item::user(&self.ids.uuid(), client_id, input);
        self.act(now, thread, Act::Start(message.clone()));
        self.act(now, thread, Act::Complete(message));
    }

    /// Plays everything that is due in one thread.
    pub(super) fn play(&mut self, now: Now, thread: usize) {
        while let Some(run) = &mut self.threads[thread].run {
            if run.due().is_none_or(|due| due > now.instant) || self.ended {
                return;
            }
            let Some(beat) = run.beats.pop_front() else {
                self.next_step(now, thread);
                continue;
            };
            self.act(now, thread, beat.act);
            if let Some(run) = &mut self.threads[thread].run
                && let Some(next) = run.beats.front()
            {
                // From beat to beat, so that a late timer changes no duration.
                run.due = run.due + next.wait;
            }
        }
    }

    fn next_step(&mut self, now: Now, thread: usize) {
        let Self { threads, ids, .. } = self;
        let it = &mut threads[thread];
        let Some(run) = &mut it.run else { return };
        let Some(step) = run.steps.pop_front() else {
            if run.steers.is_empty() {
                self.sampled(now, thread);
                self.end_turn(now, thread, "completed");
            } else {
                self.take_steers(now, thread);
            }
            return;
        };
        let stage = Stage { cwd: &it.cwd, asks: it.approval_policy == "untrusted", allowed: &it.allowed };
        run.beats = beats(&step, stage, ids).into();
        if let Some(first) = run.beats.front() {
            run.due = run.due + first.wait;
        }
    }

    /// The model hears what was said meanwhile.
    fn take_steers(&mut self, now: Now, thread: usize) {
        let Some(run) = &mut self.threads[thread].run else { return };
        for (client_id, input) in std::mem::take(&mut run.steers) {
            self.user_message(now, thread, client_id.as_deref(), &input);
            let it = &mut self.threads[thread];
            let steps = words::answer(&item::text_of(&input), &it.cwd);
            if let Some(run) = &mut it.run {
                run.steps.extend(steps);
            }
        }
    }

    fn act(&mut self, now: Now, thread: usize, act: Act) {
        match act {
            Act::Start(item) => {
                let id = item["id"].as_str().unwrap_or_default().to_owned();
                if let Some(run) = &mut self.threads[thread].run {
                    run.started.insert(id, now.unix_ms.0);
                }
                let params = json!({ "item": item, "startedAtMs": now.unix_ms.0 });
                self.tell_in_turn(now, thread, "item/started", params);
            }
            Act::Complete(item) => {
                let it = &mut self.threads[thread];
                let id = item["id"].as_str().unwrap_or_default();
                let started = it.run.as_mut().and_then(|run| run.started.remove(id)).unwrap_or(now.unix_ms.0);
                let turn = it.turns.len() - 1;
                // A command that never ran is told, but not stored.
                if item["type"] != "commandExecution" || item["status"] != "declined" {
                    it.entries.push(Entry { turn, item: item.clone(), started, completed: now.unix_ms.0 });
                }
                let params = json!({ "item": item, "completedAtMs": now.unix_ms.0 });
                self.tell_in_turn(now, thread, "item/completed", params);
            }
            Act::Tell(method, params) => {
                if method == "turn/diff/updated"
                    && let Some(run) = &mut self.threads[thread].run
                {
                    run.diff = Some(params.clone());
                }
                self.tell_in_turn(now, thread, method, params);
            }
            Act::Request(request) => self.request(now, thread, request),
            Act::Sampled => {
                self.sampled(now, thread);
                self.take_steers(now, thread);
            }
            Act::Nothing => {}
            Act::Hang => {
                if let Some(run) = &mut self.threads[thread].run {
                    run.state = State::Hanging;
                }
            }
            Act::Fail { message, info } => self.fail(now, thread, &message, &info),
            Act::Exit(code) => self.end(code),
        }
    }

    fn request(&mut self, now: Now, thread: usize, request: Box<Request>) {
        let id = self.next_request;
        self.next_request += 1;
        let (item, first) = (request.item.clone(), request.item_first);
        if first && let Some(item) = item.clone() {
            self.act(now, thread, Act::Start(item));
        }
        if let Some(run) = &mut self.threads[thread].run {
            run.state = State::Waiting(id, request);
        }
        self.tell_status(now, thread);
        if !first && let Some(item) = item {
            self.act(now, thread, Act::Start(item));
        }
        let Some(text) = self.request_text(now, thread) else { return };
        for to in self.threads[thread].subscribers.clone() {
            self.outputs.push_back(Output::Line { to, text: text.clone() });
        }
    }

    /// The open request of a thread as it is sent, and sent again to whoever resumes.
    pub(super) fn request_text(&self, now: Now, thread: usize) -> Option<String> {
        let thread = &self.threads[thread];
        let (id, request) = thread.run.as_ref()?.open_request()?;
        let mut params = request.params.clone();
        params["threadId"] = json!(thread.id);
        params["turnId"] = json!(thread.turns.last().map(|turn| &turn.id));
        if let Some(item) = params["itemId"].as_str()
            && request.item.is_some()
        {
            let started = thread.run.as_ref().and_then(|run| run.started.get(item)).copied();
            params["startedAtMs"] = json!(started.unwrap_or(now.unix_ms.0));
        }
        Some(json!({ "method": request.method, "id": id, "params": params }).to_string())
    }

    /// The answer to an open request, from any connection; a late one is ignored (FACTS 12.6).
    pub(super) fn answered(&mut self, now: Now, id: &Value, message: &Value) {
        let open = |thread: &Thread| {
            let request = thread.run.as_ref().and_then(Run::open_request);
            request.is_some_and(|(open, _)| *id == open)
        };
        let Some(thread) = self.threads.iter().position(open) else { return };
        let it = &mut self.threads[thread];
        let Some(run) = &mut it.run else { return };
        let State::Waiting(id, request) = std::mem::replace(&mut run.state, State::Playing) else { return };
        run.due = now.instant;
        let verdict = verdict(&request.kind, message.get("result"));
        let status = match verdict {
            Verdict::Yes | Verdict::ForSession => None,
            Verdict::No | Verdict::Cancel => Some("declined"),
            Verdict::Malformed => Some("failed"),
        };
        if let (Verdict::ForSession, Kind::Command(command)) = (&verdict, &request.kind) {
            it.allowed.push(command.clone());
        }
        let params = json!({ "threadId": it.id, "requestId": id });
        self.tell(now, thread, "serverRequest/resolved", params);
        let Some(status) = status else {
            self.tell_status(now, thread);
            if let Some(run) = &mut self.threads[thread].run {
                run.beats.extend(request.accepted);
                run.due = run.due + run.beats.front().map_or(Duration::ZERO, |beat| beat.wait);
            }
            return;
        };
        let refused = request.item.map(|mut item| {
            item["status"] = json!(status);
            Act::Complete(item)
        });
        // A command is over before the thread stops waiting, a patch after it.
        if request.item_first {
            self.tell_status(now, thread);
        }
        if let Some(refused) = refused {
            self.act(now, thread, refused);
        }
        if !request.item_first {
            self.tell_status(now, thread);
        }
        if matches!(verdict, Verdict::Cancel) {
            self.sampled(now, thread);
            self.end_turn(now, thread, "interrupted");
        } else {
            self.act(now, thread, Act::Sampled);
        }
    }

    /// Stops the running turn: unfinished items and steers vanish (FACTS S4).
    pub(super) fn interrupt(&mut self, now: Now, thread: usize) {
        let open = self.threads[thread].run.as_ref().and_then(Run::open_request).map(|(id, _)| id);
        self.end_turn(now, thread, "interrupted");
        if let Some(id) = open {
            let params = json!({ "threadId": self.threads[thread].id, "requestId": id });
            self.tell(now, thread, "serverRequest/resolved", params);
        }
    }

    fn end_turn(&mut self, now: Now, thread: usize, status: &'static str) {
        let it = &mut self.threads[thread];
        let turn = it.turns.len() - 1;
        it.turns[turn].status = status;
        it.turns[turn].completed = Some(now.unix_ms.0);
        it.updated = now.unix_ms.0;
        it.run = None;
        self.tell_status(now, thread);
        self.turn_completed(now, thread, status == "completed");
    }

    fn turn_completed(&mut self, now: Now, thread: usize, with_answer: bool) {
        let it = &self.threads[thread];
        let turn = it.turns.len() - 1;
        let mut items = match it.turn_json(turn, View::Summary)["items"].take() {
            Value::Array(items) if with_answer => items,
            _ => Vec::new(),
        };
        items.retain(|item| item["type"] == "agentMessage");
        let view = if items.is_empty() { "notLoaded" } else { "summary" };
        let params = json!({ "threadId": it.id, "turn": turn_json(&it.turns[turn], items, view) });
        self.tell(now, thread, "turn/completed", params);
        for (to, id) in std::mem::take(&mut self.threads[thread].waiters) {
            self.respond(to, &id, Ok(json!({})));
        }
    }

    fn fail(&mut self, now: Now, thread: usize, message: &str, info: &Value) {
        let it = &mut self.threads[thread];
        let error = turn_error(message, info);
        let turn = it.turns.len() - 1;
        it.turns[turn].status = "failed";
        it.turns[turn].error = error.clone();
        it.turns[turn].completed = Some(now.unix_ms.0);
        it.failed = true;
        let params = json!({
            "error": error, "willRetry": false, "threadId": it.id, "turnId": it.turns[turn].id,
        });
        it.run = None;
        self.tell_status(now, thread);
        self.tell(now, thread, "error", params);
        self.turn_completed(now, thread, false);
    }

    /// Token counts after each response of the model.
    fn sampled(&mut self, now: Now, thread: usize) {
        let last_step =
            self.threads[thread].run.as_ref().is_some_and(|run| run.steps.is_empty() && run.beats.is_empty());
        if last_step && let Some(diff) = self.threads[thread].run.as_mut().and_then(|run| run.diff.take()) {
            self.tell_in_turn(now, thread, "turn/diff/updated", diff);
        }
        let it = &mut self.threads[thread];
        let used = 1_200 + 40 * it.entries.len() as u64;
        it.tokens = (it.tokens.0 + used, used);
        let usage = |tokens: u64| {
            json!({
                "totalTokens": tokens, "inputTokens": tokens - tokens / 8, "cachedInputTokens": 0,
                "cacheWriteInputTokens": 0, "outputTokens": tokens / 8, "reasoningOutputTokens": 0,
            })
        };
        let params = json!({ "tokenUsage": {
            "total": usage(it.tokens.0), "last": usage(it.tokens.1), "modelContextWindow": 258_400,
        } });
        self.tell_in_turn(now, thread, "thread/tokenUsage/updated", params);
        let limits = json!({ "rateLimits": {
            "limitId": "codex", "limitName": null, "normalModelSlug": null, "primary": null, "secondary": null,
            "credits": null, "individualLimit": null, "spendControlReached": null, "planType": null,
            "rateLimitReachedType": null,
        } });
        self.tell(now, thread, "account/rateLimits/updated", limits);
    }

    fn tell_in_turn(&mut self, now: Now, thread: usize, method: &str, mut params: Value) {
        let it = &self.threads[thread];
        if it.subscribers.is_empty() {
            return;
        }
        params["threadId"] = json!(it.id);
        params["turnId"] = json!(it.turns.last().map(|turn| &turn.id));
        self.tell(now, thread, method, params);
    }
}

fn verdict(kind: &Kind, result: Option<&Value>) -> Verdict {
    let Some(result) = result else { return Verdict::Malformed };
    match kind {
        Kind::Question if result["answers"].is_object() => Verdict::Yes,
        Kind::Question => Verdict::Malformed,
        Kind::Elicitation if result["action"] == "accept" => Verdict::Yes,
        Kind::Elicitation => Verdict::No,
        Kind::Command(_) | Kind::Patch => match &result["decision"] {
            Value::String(decision) => match decision.as_str() {
                "accept" => Verdict::Yes,
                "acceptForSession" => Verdict::ForSession,
                "decline" => Verdict::No,
                "cancel" => Verdict::Cancel,
                _ => Verdict::Malformed,
            },
            Value::Object(amendment) if amendment.contains_key("acceptWithExecpolicyAmendment") => Verdict::ForSession,
            _ => Verdict::Malformed,
        },
    }
}
