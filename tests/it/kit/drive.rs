//! `rejoin drive` as a child: one command a line, one answer a line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use serde_json::{Value, json};

/// How long one answer may take; a passing test never waits it out.
const PATIENCE: Duration = Duration::from_secs(90);
/// How long a `wait` may take.
const WAIT_MS: u64 = 60_000;

/// A running `drive`.
pub struct Drive {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    transcript: Vec<String>,
}

impl Drive {
    /// Starts the program with these arguments after `drive`.
    pub fn start(prepare: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rejoin"));
        command.arg("drive").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        prepare(&mut command);
        let mut child = command.spawn().expect("drive starts");
        let input = child.stdin.take().expect("a pipe");
        let output = child.stdout.take().expect("a pipe");
        let (sender, answers) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, input, answers, transcript: Vec::new() }
    }

    /// Sends a command and returns its answer, be it an error.
    pub fn ask(&mut self, command: &Value) -> Value {
        self.transcript.push(format!("> {command}"));
        writeln!(self.input, "{command}").expect("drive reads");
        let Ok(answer) = self.answers.recv_timeout(PATIENCE) else {
            panic!("no answer to the last of:\n{}", self.transcript.join("\n"))
        };
        self.transcript.push(format!("< {}", answer.chars().take(300).collect::<String>()));
        serde_json::from_str(&answer).expect("an answer is JSON")
    }

    /// Sends a command that must succeed.
    pub fn tell(&mut self, command: &Value) -> Value {
        let answer = self.ask(command);
        if answer.get("error").is_some() {
            let shown = self.texts().join("\n");
            panic!("{}\non screen:\n{shown}", self.transcript.join("\n"));
        }
        answer
    }

    /// Presses keys.
    pub fn key(&mut self, chord: &str) {
        self.tell(&json!({"key": chord}));
    }

    /// Types text.
    pub fn type_text(&mut self, text: &str) {
        self.tell(&json!({"type": text}));
    }

    /// Waits until the text is on screen.
    pub fn until(&mut self, text: &str) {
        self.tell(&json!({"wait": {"text": text}, "ms": WAIT_MS}));
    }

    /// Waits until no node says this.
    pub fn until_text_gone(&mut self, text: &str) {
        self.tell(&json!({"wait": {"text": text, "gone": true}, "ms": WAIT_MS}));
    }

    /// Waits until this is the state of the connection; what was announced earlier does not count.
    pub fn until_state(&mut self, title: &str) {
        self.tell(&json!({"wait": {"role": "status", "name": title}, "ms": WAIT_MS}));
    }

    /// Waits until a button of this name is there.
    pub fn until_button(&mut self, name: &str) {
        self.tell(&json!({"wait": {"role": "button", "name": name}, "ms": WAIT_MS}));
    }

    /// Waits until no button of this name is there.
    pub fn until_no_button(&mut self, name: &str) {
        self.tell(&json!({"wait": {"role": "button", "name": name, "gone": true}, "ms": WAIT_MS}));
    }

    /// Moves the focus by Tab until it is on the button of this name, then presses Enter.
    pub fn press_by_keyboard(&mut self, name: &str) {
        for _ in 0..60 {
            self.key("Tab");
            let focused = self.nodes().into_iter().find(|node| has_state(node, "focused"));
            if focused
                .is_some_and(|node| node["role"] == "button" && node["name"] == name && !has_state(&node, "disabled"))
            {
                return self.key("Enter");
            }
        }
        panic!("Tab does not reach {name}:\n{}", self.texts().join("\n"));
    }

    /// Answers a card: its buttons take no press in their first moments, so one goes on pressing as a person would.
    pub fn answer_by_keyboard(&mut self, name: &str, card: &str) {
        self.press_by_keyboard(name);
        for _ in 0..100 {
            let gone = json!({"wait": {"text": card, "gone": true}, "ms": 300});
            if self.ask(&gone).get("error").is_none() {
                return;
            }
            self.key("Enter");
        }
        panic!("{card} does not go:\n{}", self.texts().join("\n"));
    }

    /// The nodes of the tree.
    pub fn nodes(&mut self) -> Vec<Value> {
        let tree = self.ask(&json!({"tree": true}));
        tree["tree"].as_array().cloned().unwrap_or_default()
    }

    /// Every name and value on screen.
    pub fn texts(&mut self) -> Vec<String> {
        let text = |node: &Value, key: &str| node[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        self.nodes().iter().flat_map(|node| [text(node, "name"), text(node, "value")]).flatten().collect()
    }

    /// What a screen reader was told.
    pub fn announcements(&mut self) -> Vec<String> {
        let said = self.ask(&json!({"announcements": true}));
        let said = said["announcements"].as_array().cloned().unwrap_or_default();
        said.iter().filter_map(|one| one["text"].as_str().map(str::to_owned)).collect()
    }

    /// The program's facts.
    pub fn state(&mut self) -> Value {
        self.ask(&json!({"state": true}))["state"].take()
    }

    /// Ends the program in good order.
    pub fn quit(mut self) {
        self.tell(&json!({"quit": true}));
        assert!(self.child.wait().expect("drive ends").success());
    }
}

impl Drop for Drive {
    fn drop(&mut self) {
        // After `quit` nobody is left to kill.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn has_state(node: &Value, state: &str) -> bool {
    node["states"].as_array().is_some_and(|states| states.iter().any(|held| held == state))
}
