//! What the user types decides what the demo does.
//!
//! A message that begins with a directive in capitals is a script, directives separated by `;` or
//! line ends. Anything else is answered in a friendly way, and some words of it call for more.

use std::time::Duration;

use serde_json::json;

use super::beat::{Ask, NORMAL, Pace, Step};
use super::{hostile, item};

const DIRECTIVES: &[&str] = &[
    "SAY",
    "SLOW",
    "LONG",
    "REASON",
    "RAWREASON",
    "TOOL",
    "ESC",
    "PATCH",
    "ASK",
    "ELICIT",
    "HANG",
    "FAIL",
    "ERR",
    "WAIT",
    "EXIT",
];

/// The answer to a message, in a directory of the server.
pub(super) fn answer(text: &str, cwd: &str) -> Vec<Step> {
    let first = text.split_whitespace().next().unwrap_or_default();
    if DIRECTIVES.contains(&first) {
        let parts = text.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty());
        return parts.flat_map(|part| directive(part, cwd)).collect();
    }
    let lower = text.to_lowercase();
    let has = |word: &str| lower.contains(word);
    let mut steps = vec![think(&lower)];
    if has("fail") {
        steps.push(say("Let me show you a turn that fails: the connection to the model breaks now."));
        steps.push(failure());
        return steps;
    }
    if has("hostile") {
        steps.extend(hostile::steps());
        return steps;
    }
    if has("plan") {
        steps.push(Step::Plan(vec![
            ("Read the code", "completed"),
            ("Write a failing test", "inProgress"),
            ("Fix it", "pending"),
        ]));
    }
    if has("ask") {
        steps.push(Step::Question("Shall I go on with the second half?".into()));
    }
    if has("elicit") {
        steps.push(Step::Elicit("What shall the issue be called?".into()));
    }
    if has("approve") {
        steps.push(command("rm -rf target", "", Ask::Always));
    }
    if has("patch") {
        steps.push(a_patch(cwd));
    }
    if has("slow") {
        let pace = Pace::Words(Duration::from_millis(400));
        steps.push(Step::Say { text: SLOW.into(), pace });
        return steps;
    }
    if has("long") {
        let text: String = (1..=60).map(|n| format!("{n}. {LONG_LINE}\n")).collect();
        steps.push(Step::Say { text, pace: Pace::Words(Duration::from_millis(4)) });
        return steps;
    }
    if steps.len() == 1 {
        steps.push(command("ls src", LISTING, Ask::Policy));
    }
    steps.push(say(ABOUT));
    steps
}

fn think(text: &str) -> Step {
    let text = format!("**Reading the question**\n\nIt has {} characters. I look around first.", text.chars().count());
    Step::Reason { text, raw: false, pace: NORMAL }
}

/// A message at reading speed.
pub(super) fn say(text: &str) -> Step {
    Step::Say { text: text.to_owned(), pace: NORMAL }
}

/// A command whose output streams line by line.
pub(super) fn command(command: &str, output: &str, ask: Ask) -> Step {
    let pace = Pace::Words(Duration::from_millis(60));
    Step::Shell { command: command.into(), output: output.into(), exit: 0, pace, ask }
}

/// The model's provider answers with an error.
pub(super) fn failure() -> Step {
    let message = "stream disconnected before completion: the demo broke it".to_owned();
    Step::Fail { message, info: json!("other") }
}

fn a_patch(cwd: &str) -> Step {
    let diff = "@@ -1,3 +1,4 @@\n # Notes\n \n-One line.\n+Two lines,\n+as you asked.\n";
    let path = format!("{cwd}/NOTES.md");
    Step::Patch {
        changes: json!([item::change(&path, "update", diff)]),
        diff: format!("diff --git a/NOTES.md b/NOTES.md\n--- a/NOTES.md\n+++ b/NOTES.md\n{diff}"),
        ask: Ask::Always,
    }
}

fn directive(part: &str, cwd: &str) -> Vec<Step> {
    let (word, rest) = part.split_once(' ').unwrap_or((part, ""));
    let rest = rest.trim();
    let number = |index: usize, default: u64| {
        rest.split(' ').nth(index).and_then(|number| number.parse().ok()).unwrap_or(default)
    };
    let words = |prefix: &str, default| -> String {
        (0..number(0, default).min(100_000)).map(|n| format!("{prefix}{n} ")).collect()
    };
    let pace = Pace::Words(Duration::from_millis(number(1, 20)));
    let shell = |ask| {
        let (output, exit) = run(rest);
        Step::Shell { command: rest.into(), output, exit, pace: Pace::Whole, ask }
    };
    vec![match word {
        "SLOW" => Step::Say { text: words("w", 5), pace },
        "LONG" => {
            let count = usize::try_from(number(0, 1_000)).unwrap_or(0).min(4 << 20);
            let chunk = usize::try_from(number(1, 200)).unwrap_or(200);
            Step::Say { text: "x".repeat(count), pace: Pace::Characters(chunk) }
        }
        "REASON" => Step::Reason { text: words("r", 5), raw: false, pace },
        "RAWREASON" => Step::Reason { text: words("q", 5), raw: true, pace },
        "TOOL" => shell(Ask::Policy),
        "ESC" => shell(Ask::Always),
        "PATCH" => {
            let (path, text) = rest.split_once(' ').unwrap_or((rest, ""));
            let (full, diff) = (format!("{cwd}/{path}"), format!("{text}\n"));
            let header = format!("diff --git a/{path} b/{path}\nnew file mode 100644\n--- /dev/null\n+++ b/{path}");
            Step::Patch {
                changes: json!([item::change(&full, "add", &diff)]),
                diff: format!("{header}\n@@ -0,0 +1 @@\n+{text}\n"),
                ask: Ask::Policy,
            }
        }
        "ASK" => Step::Question(if rest.is_empty() { "Which one?".into() } else { rest.into() }),
        "ELICIT" => Step::Elicit(rest.into()),
        "HANG" => Step::Hang(words("w", 3)),
        "FAIL" => {
            let status = number(0, 500);
            let message = format!("unexpected status {status}: the demo's script");
            Step::Fail { message, info: json!({ "httpConnectionFailed": { "httpStatusCode": status } }) }
        }
        "ERR" => failure(),
        "WAIT" => Step::Pause(Duration::from_millis(number(0, 1_000))),
        "EXIT" => Step::Exit(i32::try_from(number(0, 1)).unwrap_or(1)),
        _ => Step::Say { text: if word == "SAY" { rest.into() } else { format!("echo: {part}") }, pace: Pace::Whole },
    }]
}

/// The few commands whose result the demo knows; nothing is ever run.
fn run(command: &str) -> (String, i64) {
    let (program, rest) = command.split_once(' ').unwrap_or((command, ""));
    match program {
        "printf" => (rest.trim_matches('\'').replace("\\n", "\n"), 0),
        "echo" => (format!("{rest}\n"), 0),
        "exit" => (String::new(), rest.parse().unwrap_or(1)),
        _ => (String::new(), 0),
    }
}

const LISTING: &str = "base.rs\ncontract.rs\nengine.rs\nlive.rs\nprotocol.rs\nworker.rs\n";
const SLOW: &str = "This answer comes one word every few tenths of a second, so there is time to press **Stop**, to \
    leave the conversation and come back, or to send another message into the running turn.";
const LONG_LINE: &str = "a long answer keeps the view where you read; *Jump to latest* brings you to its end, and \
    nothing moves under your eyes meanwhile.";
const ABOUT: &str = "\
Rejoin shows what a Codex app-server does and loses nothing when the connection dies.

## What is real here
This is the built-in demo: the **protocol is real**, the model is not. No command was run and no file was touched.

| say a word | and the demo |
|---|---|
| `approve` | wants to run a command and asks you first |
| `patch` | changes a file and asks you first |
| `ask` | asks a question |
| `plan` | shows a plan |
| `long`, `slow` | answers at length, or word by word |
| `fail` | breaks the turn |

```rust
let engine = Engine::new(now);
engine.handle_input(now, Input::Send(text));
```

> Nothing lost, nothing repeated, nothing claimed that was not proven.
";
