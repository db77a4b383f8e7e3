//! What an agent does in a turn: steps as an author writes them, and the beats they are played in.
//!
//! History and live turns come from the same beats: a history is the completed items of a play
//! that nobody saw.

use std::time::Duration;

use serde_json::{Value, json};

use super::item;

/// One thing that an agent does.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Pause(Duration),
    /// Thinks aloud: a summary, or the raw text.
    Reason {
        text: String,
        raw: bool,
        pace: Pace,
    },
    Say {
        text: String,
        pace: Pace,
    },
    Shell {
        command: String,
        output: String,
        exit: i64,
        pace: Pace,
        ask: Ask,
    },
    Patch {
        changes: Value,
        diff: String,
        ask: Ask,
    },
    /// A question with two options.
    Question(String),
    /// A form of an MCP server.
    Elicit(String),
    Mcp {
        server: &'static str,
        tool: &'static str,
        arguments: Value,
        progress: Vec<&'static str>,
        result: &'static str,
    },
    /// The list of steps beside the conversation; each is (step, status).
    Plan(Vec<(&'static str, &'static str)>),
    /// An item that starts and completes at once.
    Item(Value),
    /// The beginning of a message, then silence until somebody interrupts.
    Hang(String),
    /// The turn fails.
    Fail {
        message: String,
        info: Value,
    },
    /// The server process ends.
    Exit(i32),
}

/// Whether the user is asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// As the thread's approval policy says.
    Policy,
    /// Always, with a reason.
    Always,
}

/// How text is split and how fast it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// In one piece.
    Whole,
    /// Word by word (output: line by line) with this pause.
    Words(Duration),
    /// So many characters at a time.
    Characters(usize),
}

/// Reading speed.
pub(super) const NORMAL: Pace = Pace::Words(Duration::from_millis(25));

impl Pace {
    fn pause(self) -> Duration {
        match self {
            Self::Words(pause) => pause,
            Self::Whole | Self::Characters(_) => Duration::from_millis(2),
        }
    }

    fn pieces(self, text: &str, lines: bool) -> Vec<String> {
        match self {
            Self::Whole => vec![text.to_owned()],
            Self::Words(_) if lines => text.split_inclusive('\n').map(str::to_owned).collect(),
            Self::Words(_) => text.split_inclusive(char::is_whitespace).map(str::to_owned).collect(),
            Self::Characters(count) => {
                let characters: Vec<char> = text.chars().collect();
                characters.chunks(count.max(1)).map(|piece| piece.iter().collect()).collect()
            }
        }
    }
}

/// One moment of a play.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Beat {
    /// After the beat before it.
    pub wait: Duration,
    pub act: Act,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    Start(Value),
    Complete(Value),
    /// A notification; thread and turn are added.
    Tell(&'static str, Value),
    Request(Box<Request>),
    /// A response of the model ended: token counts, and steers come in.
    Sampled,
    Nothing,
    Hang,
    Fail {
        message: String,
        info: Value,
    },
    Exit(i32),
}

/// The server waits for the user.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    pub method: &'static str,
    /// Without thread, turn and time.
    pub params: Value,
    /// The running item, which is declined or fails with the request.
    pub item: Option<Value>,
    /// Whether the item starts before the thread is said to wait (patches) or after (commands).
    pub item_first: bool,
    pub kind: Kind,
    /// After an answer that says yes.
    pub accepted: Vec<Beat>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Command(String),
    Patch,
    Question,
    Elicitation,
}

/// Where a play takes place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stage<'a> {
    pub cwd: &'a str,
    /// The approval policy asks before everything.
    pub asks: bool,
    /// Commands that were accepted for the session.
    pub allowed: &'a [String],
}

/// Hands out item ids.
#[derive(Debug, Default)]
pub(super) struct Ids(u64);

impl Ids {
    pub fn item(&mut self, kind: &str) -> String {
        self.0 += 1;
        format!("{kind}_{}", self.0)
    }

    /// Looks like a UUID of version 7 and sorts by age.
    pub fn uuid(&mut self) -> String {
        self.0 += 1;
        format!("01a22000-0000-7000-8000-{:012x}", self.0)
    }

    fn process(&mut self) -> String {
        self.0 += 1;
        (40_000 + self.0 % 20_000).to_string()
    }
}

/// The beats of a step.
pub(super) fn beats(step: &Step, stage: Stage<'_>, ids: &mut Ids) -> Vec<Beat> {
    match step {
        Step::Pause(wait) => vec![Beat { wait: *wait, act: Act::Nothing }],
        Step::Reason { text, raw, pace } => reason(text, *raw, *pace, ids),
        Step::Say { text, pace } => say(text, *pace, ids),
        Step::Shell { .. } => shell(step, stage, ids),
        Step::Patch { changes, diff, ask } => patch(changes, diff, *ask == Ask::Always || stage.asks, ids),
        Step::Question(question) => vec![beat(LATENCY, Act::Request(Box::new(ask(question, ids))))],
        Step::Elicit(text) => vec![beat(LATENCY, Act::Request(Box::new(elicit(text))))],
        Step::Mcp { server, tool, arguments, progress, result } => {
            let id = ids.item("call");
            let item = item::mcp(&id, server, tool, arguments);
            let mut beats = vec![beat(LATENCY, Act::Start(item.clone()))];
            for message in progress {
                let params = json!({ "itemId": id, "message": message });
                beats.push(beat(LATENCY, Act::Tell("item/mcpToolCall/progress", params)));
            }
            let duration = 150 * (progress.len() as u64 + 1);
            beats.push(beat(LATENCY, Act::Complete(item::mcp_done(item, result, duration))));
            beats.push(beat(SHORT, Act::Sampled));
            beats
        }
        Step::Plan(steps) => {
            let plan: Vec<_> = steps.iter().map(|(step, status)| json!({ "step": step, "status": status })).collect();
            vec![beat(SHORT, Act::Tell("turn/plan/updated", json!({ "explanation": null, "plan": plan })))]
        }
        Step::Item(item) => {
            vec![beat(LATENCY, Act::Start(item.clone())), beat(SHORT, Act::Complete(item.clone()))]
        }
        Step::Hang(text) => {
            let mut beats = say(text, NORMAL, ids);
            beats.pop();
            beats.push(beat(SHORT, Act::Hang));
            beats
        }
        Step::Fail { message, info } => {
            vec![beat(LATENCY, Act::Fail { message: message.clone(), info: info.clone() })]
        }
        Step::Exit(code) => vec![beat(LATENCY, Act::Exit(*code))],
    }
}

/// A model that begins to answer.
const LATENCY: Duration = Duration::from_millis(120);
const SHORT: Duration = Duration::from_millis(5);

fn beat(wait: Duration, act: Act) -> Beat {
    Beat { wait, act }
}

fn say(text: &str, pace: Pace, ids: &mut Ids) -> Vec<Beat> {
    let id = ids.item("msg");
    let mut beats = vec![beat(LATENCY, Act::Start(item::message(&id, "")))];
    for piece in pace.pieces(text, false) {
        let params = json!({ "itemId": id, "delta": piece });
        beats.push(beat(pace.pause(), Act::Tell("item/agentMessage/delta", params)));
    }
    beats.push(beat(SHORT, Act::Complete(item::message(&id, text))));
    beats
}

fn reason(text: &str, raw: bool, pace: Pace, ids: &mut Ids) -> Vec<Beat> {
    let id = ids.item("rs");
    let mut beats = vec![beat(LATENCY, Act::Start(item::reasoning(&id, &[], &[])))];
    if !raw {
        let params = json!({ "itemId": id, "summaryIndex": 0 });
        beats.push(beat(SHORT, Act::Tell("item/reasoning/summaryPartAdded", params)));
    }
    for piece in pace.pieces(text, false) {
        let (method, index) = if raw {
            ("item/reasoning/textDelta", "contentIndex")
        } else {
            ("item/reasoning/summaryTextDelta", "summaryIndex")
        };
        let mut params = json!({ "itemId": id, "delta": piece });
        params[index] = json!(0);
        beats.push(beat(pace.pause(), Act::Tell(method, params)));
    }
    let whole = [text.to_owned()];
    let (summary, content): (&[String], &[String]) = if raw { (&[], &whole) } else { (&whole, &[]) };
    beats.push(beat(SHORT, Act::Complete(item::reasoning(&id, summary, content))));
    beats
}

fn shell(step: &Step, stage: Stage<'_>, ids: &mut Ids) -> Vec<Beat> {
    let Step::Shell { command, output, exit, pace, ask } = step else { return Vec::new() };
    let (id, process) = (ids.item("call"), ids.process());
    let asks = (stage.asks || *ask == Ask::Always) && !stage.allowed.contains(command);
    let item = item::command(&id, command, stage.cwd, (!asks).then_some(&process));
    let mut run = Vec::new();
    if *pace != Pace::Whole {
        for piece in pace.pieces(output, true) {
            let params = json!({ "itemId": id, "delta": piece });
            run.push(beat(pace.pause(), Act::Tell("item/commandExecution/outputDelta", params)));
        }
    }
    let duration = u64::try_from(run.iter().map(|beat| beat.wait.as_millis()).sum::<u128>()).unwrap_or(0) + 5;
    run.push(beat(SHORT, Act::Complete(item::command_done(item.clone(), &process, output, *exit, duration))));
    run.push(beat(SHORT, Act::Sampled));
    if !asks {
        run.insert(0, beat(LATENCY, Act::Start(item)));
        return run;
    }
    let words: Vec<_> = command.split(' ').collect();
    let mut params = json!({
        "kind": "command", "itemId": id, "environmentId": "local", "command": item["command"], "cwd": stage.cwd,
        "commandActions": item["commandActions"], "proposedExecpolicyAmendment": words,
        "availableDecisions":
            ["accept", { "acceptWithExecpolicyAmendment": { "execpolicy_amendment": words } }, "cancel"],
    });
    if *ask == Ask::Always {
        params["reason"] = json!("the script asked");
    }
    let request = Request {
        method: "item/commandExecution/requestApproval",
        params,
        item: Some(item),
        item_first: false,
        kind: Kind::Command(command.clone()),
        accepted: run,
    };
    vec![beat(LATENCY, Act::Request(Box::new(request)))]
}

fn patch(changes: &Value, diff: &str, asks: bool, ids: &mut Ids) -> Vec<Beat> {
    let id = ids.item("call");
    let item = item::file_change(&id, changes);
    let mut done = item.clone();
    done["status"] = json!("completed");
    let tell = || Act::Tell("turn/diff/updated", json!({ "diff": diff }));
    let run =
        vec![beat(SHORT, Act::Complete(done)), beat(SHORT, tell()), beat(SHORT, tell()), beat(SHORT, Act::Sampled)];
    if !asks {
        let mut beats = vec![beat(LATENCY, Act::Start(item))];
        beats.extend(run);
        return beats;
    }
    let request = Request {
        method: "item/fileChange/requestApproval",
        params: json!({ "itemId": id, "reason": null, "grantRoot": null }),
        item: Some(item),
        item_first: true,
        kind: Kind::Patch,
        accepted: run,
    };
    vec![beat(LATENCY, Act::Request(Box::new(request)))]
}

fn ask(question: &str, ids: &mut Ids) -> Request {
    let options = json!([{ "label": "Yes", "description": "do it" }, { "label": "No", "description": "leave it" }]);
    Request {
        method: "item/tool/requestUserInput",
        params: json!({
            "itemId": ids.item("call"), "isBlocking": false, "autoResolutionMs": null,
            "questions": [{
                "id": "q1", "header": "Choice", "question": question, "isOther": true, "isSecret": false,
                "options": options,
            }],
        }),
        item: None,
        item_first: false,
        kind: Kind::Question,
        accepted: vec![beat(SHORT, Act::Sampled)],
    }
}

fn elicit(text: &str) -> Request {
    Request {
        method: "mcpServer/elicitation/request",
        params: json!({
            "serverName": "tracker", "mode": "form", "_meta": null, "message": text,
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "title": { "type": "string", "title": "Title" },
                    "urgent": { "type": "boolean", "title": "Urgent" },
                },
                "required": ["title"],
            },
        }),
        item: None,
        item_first: false,
        kind: Kind::Elicitation,
        accepted: vec![beat(SHORT, Act::Sampled)],
    }
}
