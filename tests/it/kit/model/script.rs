//! The script of a turn: read from the request, cut at its tool calls.

use std::time::Duration;

use serde_json::Value;

/// Pause between words where the script names none.
const PAUSE: Duration = Duration::from_millis(20);

/// What a request asks for.
pub(super) struct Turn {
    /// The whole last message of the user.
    pub script: String,
    /// Tool outputs behind it.
    pub tool_outputs: usize,
}

impl Turn {
    pub fn read(body: &Value) -> Self {
        let mut turn = Self { script: String::new(), tool_outputs: 0 };
        for item in body["input"].as_array().into_iter().flatten() {
            match item["type"].as_str().unwrap_or("message") {
                "message" if item["role"] == "user" => {
                    let text = text_of(&item["content"]);
                    if !text.trim().is_empty() && !is_context(&text) {
                        turn = Self { script: text, tool_outputs: 0 };
                    }
                }
                "function_call_output" | "custom_tool_call_output" | "local_shell_call_output" => {
                    turn.tool_outputs += 1;
                }
                _ => {}
            }
        }
        turn
    }

    /// What is left of the script.
    pub fn directives(&self) -> Vec<Directive> {
        let all = self.script.split([';', '\n']).map(str::trim).filter(|text| !text.is_empty()).map(Directive::parse);
        let mut to_skip = self.tool_outputs;
        let left: Vec<_> = all
            .skip_while(|directive| {
                let skip = to_skip > 0;
                to_skip -= usize::from(skip && directive.calls_a_tool());
                skip
            })
            .collect();
        if left.is_empty() { vec![Directive::Say("done".into())] } else { left }
    }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        parts => parts.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str()).collect(),
    }
}

/// The server puts context of its own into messages of the user; that is no script.
fn is_context(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with('<') || text.starts_with("# AGENTS.md") || text.starts_with("## ")
}

/// One step of a script.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Directive {
    Slow { words: usize, pause: Duration },
    Long { characters: usize, chunk: usize },
    Reason { words: usize, pause: Duration, raw: bool },
    Shell { command: String, escalated: bool },
    Patch { path: String, text: String },
    Call { namespace: Option<String>, name: String, arguments: String },
    Ask(String),
    Hang { words: usize },
    Drop { words: usize },
    Fail(u16),
    Err(String),
    Wait(Duration),
    Say(String),
}

impl Directive {
    fn parse(text: &str) -> Self {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let rest = rest.trim();
        let number = |index, default| rest.split(' ').nth(index).and_then(|n| n.parse().ok()).unwrap_or(default);
        let words = |default| usize::try_from(number(0, default)).unwrap_or(usize::MAX);
        let pause = || Duration::from_millis(number(1, u64::try_from(PAUSE.as_millis()).unwrap_or(0)));
        match word {
            "SLOW" => Self::Slow { words: words(5), pause: pause() },
            "LONG" => {
                Self::Long { characters: words(1_000), chunk: usize::try_from(number(1, 200).max(1)).unwrap_or(1) }
            }
            "REASON" => Self::Reason { words: words(5), pause: pause(), raw: false },
            "RAWREASON" => Self::Reason { words: words(5), pause: pause(), raw: true },
            "TOOL" => Self::Shell { command: rest.into(), escalated: false },
            "ESC" => Self::Shell { command: rest.into(), escalated: true },
            "PATCH" => {
                let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
                Self::Patch { path: path.into(), text: text.into() }
            }
            "CALL" => {
                let (name, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
                Self::Call { namespace: None, name: name.into(), arguments: arguments.into() }
            }
            "NSCALL" => {
                let (namespace, rest) = rest.split_once(' ').unwrap_or((rest, ""));
                let (name, arguments) = rest.split_once(' ').unwrap_or((rest, "{}"));
                Self::Call { namespace: Some(namespace.into()), name: name.into(), arguments: arguments.into() }
            }
            "ASK" => Self::Ask(if rest.is_empty() { "Which one?".into() } else { rest.into() }),
            "HANG" => Self::Hang { words: words(3) },
            "DROP" => Self::Drop { words: words(3) },
            "FAIL" => Self::Fail(u16::try_from(number(0, 500)).unwrap_or(500)),
            "ERR" => Self::Err(if rest.is_empty() { "server_error".into() } else { rest.into() }),
            "WAIT" => Self::Wait(Duration::from_millis(number(0, 1_000))),
            "SAY" => Self::Say(rest.into()),
            _ => Self::Say(format!("echo: {text}")),
        }
    }

    pub fn calls_a_tool(&self) -> bool {
        matches!(self, Self::Shell { .. } | Self::Patch { .. } | Self::Call { .. } | Self::Ask(_))
    }
}
