//! The conversations of the default scenario.

use std::time::Duration;

use serde_json::json;

use crate::base::Now;

use super::beat::{Ask, Pace, Step};
use super::scenario::Story;
use super::words::{command, say};
use super::{Machine, item};

pub(super) fn default(machine: &mut Machine, now: Now) {
    for story in [release_notes(), upload_test(), csv_parser(), issue_triage(), failed_turn(), welcome()] {
        machine.tell_story(now, story);
    }
    let story =
        Story { name: Some("Add a retry to the sync job"), cwd: "/home/demo/sync", minutes_ago: 9, turns: vec![] };
    let waiting = machine.tell_story(now, story);
    machine.set_going(now, waiting, "Add a retry with backoff to the sync job and run its tests.", retry());
    let story = Story { name: Some("Tour of the design"), cwd: "/home/demo/rejoin", minutes_ago: 4, turns: vec![] };
    let running = machine.tell_story(now, story);
    machine.set_going(now, running, "Walk me through the whole design.", long_walk());
}

fn think(text: &str) -> Step {
    Step::Reason { text: text.to_owned(), raw: false, pace: Pace::Words(Duration::from_millis(25)) }
}

fn welcome() -> Story {
    Story {
        name: Some("Welcome: what this demo can do"),
        cwd: "/home/demo",
        minutes_ago: 1,
        turns: vec![("What can I try here?", vec![think("**Choosing what to show**"), say(WELCOME)])],
    }
}

const WELCOME: &str = "\
This is Rejoin's built-in demo. It speaks the **real protocol**, but no model answers: your words decide.

Press **Join**, type a message and send it. These words do something:

| word | what happens |
|---|---|
| *anything* | an answer with reasoning, a command and a table |
| `approve` | a command that needs your approval |
| `patch` | a change to a file that needs your approval |
| `ask`, `elicit` | a question, a form of a tool |
| `plan` | a plan beside the conversation |
| `long`, `slow` | sixty lines at once, or one word at a time |
| `hostile` | ten texts that try to do harm |
| `fail` | a turn that fails |

A message in capitals is a script of steps, for tests:

```text
REASON 4 20; SAY before; TOOL printf 'one\\ntwo\\n'; PATCH notes.txt hello; SAY after
```

> Nothing is run, nothing is written, nothing leaves this computer.
";

fn upload_test() -> Story {
    let diff = "@@ -41,9 +41,10 @@ async fn upload_resumes_after_a_drop() {\n     let server = Server::start().await;\n     \
                let upload = client.upload(&server.url(), BODY);\n-    tokio::time::sleep(Duration::from_millis(200)).await;\n-    \
                server.drop_connections();\n+    server.until_received(BODY.len() / 2).await;\n+    \
                server.drop_connections();\n+    // The client reconnects by itself.\n     \
                assert_eq!(upload.await?, BODY.len());\n }\n";
    let path = "/home/demo/upload/tests/resume.rs";
    Story {
        name: Some("Fix the flaky upload test"),
        cwd: "/home/demo/upload",
        minutes_ago: 47,
        turns: vec![
            (
                "`upload_resumes_after_a_drop` fails about once in twenty runs. Find out why.",
                vec![
                    think(
                        "**Looking for the race**\n\nA sleep in a test is a guess about time. I read the test first.",
                    ),
                    command(
                        "rg -n sleep tests/",
                        "tests/resume.rs:44:    tokio::time::sleep(Duration::from_millis(200)).await;\n",
                        Ask::Policy,
                    ),
                    command(
                        "cargo test resume -- --test-threads 1",
                        "running 1 test\ntest upload_resumes_after_a_drop ... FAILED\n\nassertion `left == right` failed\n  left: 65536\n right: 131072\n",
                        Ask::Policy,
                    ),
                    say("The test drops the connection **200 ms** after the start and hopes that half of the body \
                     has arrived by then. On a busy machine it has not.\n\n1. The server should *tell* when it has \
                     received half.\n2. The test should wait for that, not for time.\n\nShall I change it?"),
                ],
            ),
            (
                "Yes, please.",
                vec![
                    Step::Plan(vec![("Replace the sleep", "completed"), ("Run it 200 times", "completed")]),
                    Step::Patch {
                        changes: json!([item::change(path, "update", diff)]),
                        diff: format!(
                            "diff --git a/tests/resume.rs b/tests/resume.rs\n--- a/tests/resume.rs\n+++ b/tests/resume.rs\n{diff}"
                        ),
                        ask: Ask::Policy,
                    },
                    command(
                        "for i in $(seq 200); do cargo test -q resume || break; done",
                        "200 runs, 200 passed\n",
                        Ask::Policy,
                    ),
                    say("Done: it waits for the condition instead of the clock. **200 of 200** runs pass, and the \
                     test takes 12 ms instead of 230."),
                ],
            ),
        ],
    }
}

fn csv_parser() -> Story {
    Story {
        name: Some("Which CSV parser?"),
        cwd: "/home/demo/import",
        minutes_ago: 60 * 5,
        turns: vec![(
            "Compare the ways we could read the customer's CSV files.",
            vec![
                think("**Comparing three ways**\n\nSize of the files, quoting and encodings decide."),
                command(
                    "head -c 120 data/customers.csv",
                    "id;name;city\n1;\"Müller, Anna\";Zürich\n2;\"O'Hara\";Cork\n",
                    Ask::Policy,
                ),
                Step::Item(json!({
                    "type": "webSearch", "id": "ws_1", "query": "csv RFC 4180 quoting semicolon",
                    "action": { "type": "search", "query": "csv RFC 4180 quoting semicolon", "queries": null },
                    "results": null,
                })),
                say(
                    "| way | quotes | encodings | 1 GB file |\n|:--|:-:|:-:|--:|\n| `split(';')` | no | no | 2.1 s |\n\
                 | the `csv` crate | yes | UTF-8 | 3.4 s |\n| `csv` + `encoding_rs` | yes | all we have | 3.9 s |\n\n\
                 I would take the third:\n\n```rust\nlet text = DecodeReaderBytesBuilder::new()\n    \
                 .encoding(Some(WINDOWS_1252))\n    .build(file);\nlet mut rows = csv::ReaderBuilder::new()\n    \
                 .delimiter(b';')\n    .from_reader(text);\nfor row in rows.deserialize::<Customer>() {\n    \
                 import(row?)?;\n}\n```\n\n> Two customers send Windows-1252; without the decoder their names break.",
                ),
            ],
        )],
    }
}

fn issue_triage() -> Story {
    Story {
        name: Some("Triage of the week"),
        cwd: "/home/demo/rejoin",
        minutes_ago: 60 * 26,
        turns: vec![(
            "What came in this week that needs an answer?",
            vec![
                Step::Mcp {
                    server: "tracker",
                    tool: "list_issues",
                    arguments: json!({ "state": "open", "since": "7d" }),
                    progress: vec!["page 1 of 2", "page 2 of 2"],
                    result: "17 open issues, 4 without an answer",
                },
                say(
                    "Four wait for us:\n\n- **#212** crash on an empty profile file *(has a backtrace)*\n- **#214** zoom \
                 is lost after a restart\n- **#217** asks for a German translation\n- **#218** is a duplicate of \
                 #198\n\nI would begin with **#212**; the others are not urgent.",
                ),
            ],
        )],
    }
}

fn release_notes() -> Story {
    Story {
        name: None,
        cwd: "/home/demo/sync",
        minutes_ago: 60 * 24 * 3,
        turns: vec![(
            "Draft the release notes for 2.4 from the commits since 2.3.",
            vec![
                command(
                    "git log --oneline v2.3..HEAD",
                    "9f3c2ab Retry uploads after a drop\n71be0d4 Show progress per file\n03a9e17 Drop support for the old index\n",
                    Ask::Policy,
                ),
                say(
                    "## 2.4\n\n### Added\n- Uploads go on after a dropped connection.\n- Progress is shown per file.\n\n\
                 ### Removed\n- The index format of 1.x; run `sync migrate` **before** you update.\n\n---\n\
                 *Three commits, no open blocker.*",
                ),
            ],
        )],
    }
}

fn failed_turn() -> Story {
    let message = "unexpected status 503 Service Unavailable: the model is overloaded".to_owned();
    Story {
        name: Some("Rename Session to Connection"),
        cwd: "/home/demo/rejoin",
        minutes_ago: 60 * 30,
        turns: vec![(
            "Rename `Session` to `Connection` everywhere.",
            vec![
                command("rg -l Session src | wc -l", "23\n", Ask::Policy),
                Step::Fail { message, info: json!({ "httpConnectionFailed": { "httpStatusCode": 503 } }) },
            ],
        )],
    }
}

fn retry() -> Vec<Step> {
    let diff = "@@ -12,6 +12,13 @@ impl Job {\n     pub async fn run(&self) -> Result<(), Error> {\n-        \
                self.push().await\n+        let mut delay = Duration::from_millis(250);\n+        for _ in 0..4 {\n+            \
                match self.push().await {\n+                Err(error) if error.is_transient() => sleep(delay).await,\n+                \
                done => return done,\n+            }\n+            delay *= 2;\n+        }\n+        self.push().await\n     }\n";
    vec![
        think("**Finding the call**\n\nOnly `push` talks to the network; its transient errors are worth a retry."),
        say("`Job::run` calls `push` once. I add four tries with growing pauses, for transient errors only."),
        Step::Plan(vec![
            ("Add the retry", "inProgress"),
            ("Run the tests", "pending"),
            ("Write the changelog", "pending"),
        ]),
        Step::Patch {
            changes: json!([item::change("/home/demo/sync/src/job.rs", "update", diff)]),
            diff: format!("diff --git a/src/job.rs b/src/job.rs\n--- a/src/job.rs\n+++ b/src/job.rs\n{diff}"),
            ask: Ask::Always,
        },
        command("cargo test job", "running 6 tests\n......\ntest result: ok. 6 passed\n", Ask::Always),
        say("The retry is in and all **6 tests** pass. The changelog has a line about it."),
    ]
}

/// A turn of about three minutes: everything that streams, one after the other.
pub(super) fn long_walk() -> Vec<Step> {
    let output: String = (1..=40).map(|n| format!("test part::{n:02} ... ok\n")).collect();
    let pace = Pace::Words(Duration::from_millis(220));
    let mut steps = vec![
        Step::Reason {
            text: "**Planning the tour**\n\nFrom the wire up to the window, one part at a time.".into(),
            raw: false,
            pace,
        },
        Step::Shell {
            command: "cargo test".into(),
            output,
            exit: 0,
            pace: Pace::Words(Duration::from_millis(400)),
            ask: Ask::Policy,
        },
    ];
    for (title, text) in TOUR {
        steps.push(Step::Say { text: format!("## {title}\n\n{text}\n"), pace });
    }
    steps
}

const TOUR: [(&str, &str); 5] = [
    (
        "The worker",
        "A process of its own owns the connection. It reads bytes, checks every message, and keeps the text \
     that is not finished yet. When the connection dies, **it** dies; the window does not.",
    ),
    (
        "The contract",
        "Between worker and window runs one JSON object a line. Both sides know the version exactly, and \
     refuse each other politely if it differs.\n\n- strict in both directions\n- stamped with the connection it belongs to",
    ),
    (
        "The engine",
        "All decisions are made without a clock, a socket or a screen:\n\n```rust\nengine.handle_input(now, \
     input);\nwhile let Some(output) = engine.poll_output() {\n    perform(output);\n}\n```\n\nSo every race can be \
     replayed from a seed.",
    ),
    (
        "The ledger",
        "What you send is written down first. If its fate is unknown, the screen says *unknown*; nothing is \
     ever sent a second time by itself.",
    ),
    (
        "The window",
        "Every row is drawn from the same state that the screen reader hears. Nothing moves under your eyes, \
     and the end of the conversation is one key away.",
    ),
];
