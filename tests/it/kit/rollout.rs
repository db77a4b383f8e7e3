//! Threads on disk as the server stores them, of any size and the same every time.
//!
//! Write them before a server first runs in the home. A paginated thread answers empty pages
//! until it was joined once (FACTS 15); a legacy one has whole turns only (FACTS 5.6).

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;

use jiff::Timestamp;
use serde_json::{Value, json};

/// The first thread begins here, later ones a minute apart.
const START_MS: i64 = 1_790_000_000_000;

const WORDS: [&str; 8] = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"];

/// A thread to write.
#[derive(Debug, Clone)]
pub struct Rollout {
    /// Which thread: decides ids and times.
    pub index: u32,
    pub items: usize,
    /// Items of each turn, the user's message included.
    pub items_per_turn: usize,
    /// Characters of an agent message.
    pub text: usize,
    /// Without history mode, as old versions wrote them.
    pub legacy: bool,
}

impl Rollout {
    /// A paginated thread of so many items, 20 a turn.
    pub fn paginated(items: usize) -> Self {
        Self { index: 0, items, items_per_turn: 20, text: 200, legacy: false }
    }

    /// A legacy thread of so many items.
    pub fn legacy(items: usize) -> Self {
        Self { index: 1, legacy: true, ..Self::paginated(items) }
    }

    /// Writes the thread into a Codex home; returns its id.
    pub fn write(&self, codex_home: &Path) -> String {
        let now = START_MS + i64::from(self.index) * 60_000;
        let mut ids = Ids(u64::from(self.index) + 1);
        let thread = ids.uuid7(now);
        let at = Timestamp::from_millisecond(now).expect("a time of this century");
        let dir = codex_home.join("sessions").join(at.strftime("%Y/%m/%d").to_string());
        fs::create_dir_all(&dir).expect("a writable home");
        let path = dir.join(format!("rollout-{}-{thread}.jsonl", at.strftime("%Y-%m-%dT%H-%M-%S")));
        let out = BufWriter::new(File::create(path).expect("a writable home"));
        let mut writer = Writer { out, legacy: self.legacy, thread: thread.clone(), now, ordinal: 0, ids };
        self.write_all(&mut writer);
        writer.out.flush().expect("a writable home");
        thread
    }

    fn write_all(&self, writer: &mut Writer) {
        let mut meta = json!({
            "session_id": writer.thread, "id": writer.thread, "timestamp": writer.timestamp(), "cwd": "/tmp",
            "originator": "fixture", "cli_version": "0.159.1", "source": "vscode", "model_provider": "mock",
            "base_instructions": { "text": "fixture" },
        });
        if !self.legacy {
            meta["history_mode"] = json!("paginated");
        }
        writer.record("session_meta", meta);
        let mut made = 0;
        let mut turn = 0;
        while made < self.items {
            turn += 1;
            let count = self.items_per_turn.min(self.items - made);
            self.write_turn(writer, turn, made, count);
            made += count;
        }
    }

    fn write_turn(&self, writer: &mut Writer, number: usize, first: usize, count: usize) {
        let turn = writer.ids.uuid7(writer.now);
        let started = writer.now;
        writer.event(json!({
            "type": "task_started", "turn_id": turn, "started_at": started / 1_000, "model_context_window": 258_400,
            "collaboration_mode_kind": "default",
        }));
        let context = json!({
            "turn_id": turn, "cwd": "/tmp", "approval_policy": "never", "sandbox_policy": { "type": "danger-full-access" },
            "model": "gpt-5.4", "summary": "auto",
        });
        writer.record("turn_context", context);
        let mut last = String::new();
        for index in 0..count {
            writer.now += 10;
            let item = first + index;
            match index {
                0 => {
                    let text = format!("turn {number}: {}", writer.ids.text(40));
                    writer.user_message(&turn, text);
                }
                _ if index % 4 == 1 => writer.reasoning(&turn, item, self.text / 2),
                _ if index % 4 == 2 => writer.command(&turn, item, self.text / 50),
                _ => {
                    last = format!("item {item}: {}", writer.ids.text(self.text));
                    writer.agent_message(&turn, item, &last);
                }
            }
        }
        writer.now += 10;
        writer.event(json!({
            "type": "task_complete", "turn_id": turn, "last_agent_message": last, "started_at": started / 1_000,
            "completed_at": writer.now / 1_000, "duration_ms": writer.now - started,
        }));
    }
}

/// The file of one thread and its clock.
struct Writer {
    out: BufWriter<File>,
    legacy: bool,
    thread: String,
    /// Unix milliseconds.
    now: i64,
    ordinal: usize,
    ids: Ids,
}

impl Writer {
    fn timestamp(&self) -> String {
        let at = Timestamp::from_millisecond(self.now).expect("a time of this century");
        format!("{}.{:03}Z", at.strftime("%Y-%m-%dT%H:%M:%S"), self.now % 1_000)
    }

    fn record(&mut self, kind: &str, payload: Value) {
        let mut record = json!({ "timestamp": self.timestamp(), "type": kind, "payload": payload });
        if !self.legacy {
            record["ordinal"] = json!(self.ordinal);
        }
        self.ordinal += 1;
        writeln!(self.out, "{record}").expect("a writable home");
    }

    fn event(&mut self, payload: Value) {
        self.record("event_msg", payload);
    }

    /// Only paginated threads store items; legacy ones are read from the messages.
    fn completed(&mut self, turn: &str, item: Value) {
        if !self.legacy {
            self.event(json!({
                "type": "item_completed", "thread_id": self.thread, "turn_id": turn, "item": item,
                "started_at_ms": self.now, "completed_at_ms": self.now + 5,
            }));
        }
    }

    fn user_message(&mut self, turn: &str, text: String) {
        let content = json!([{ "type": "input_text", "text": text }]);
        self.record("response_item", json!({ "type": "message", "role": "user", "content": content }));
        if self.legacy {
            let message = json!({
                "type": "user_message", "message": text, "images": [], "local_images": [], "text_elements": [],
            });
            self.event(message);
        }
        let id = self.ids.uuid7(self.now);
        let content = json!([{ "type": "text", "text": text, "text_elements": [] }]);
        self.completed(turn, json!({ "type": "UserMessage", "id": id, "content": content }));
    }

    fn agent_message(&mut self, turn: &str, item: usize, text: &str) {
        let id = format!("msg_{item:08}");
        let content = json!([{ "type": "Text", "text": text }]);
        self.completed(turn, json!({ "type": "AgentMessage", "id": id, "content": content }));
        if self.legacy {
            self.event(json!({ "type": "agent_message", "message": text }));
        }
        let content = json!([{ "type": "output_text", "text": text }]);
        let message = json!({ "type": "message", "id": id, "role": "assistant", "content": content });
        self.record("response_item", message);
    }

    fn reasoning(&mut self, turn: &str, item: usize, length: usize) {
        let text = format!("thinking {item}: {}", self.ids.text(length));
        let id = format!("rs_{item:08}");
        self.completed(turn, json!({ "type": "Reasoning", "id": id, "summary_text": [text], "raw_content": [] }));
    }

    fn command(&mut self, turn: &str, item: usize, lines: usize) {
        let output: String = (0..lines.max(1)).map(|line| format!("line {line} {}\n", self.ids.text(40))).collect();
        let command = json!({
            "type": "CommandExecution", "id": format!("call_{item:08}"), "process_id": item.to_string(),
            "command": ["/bin/bash", "-lc", format!("cat f{item}")], "cwd": "file:///tmp",
            "parsed_cmd": [{ "type": "unknown", "cmd": format!("cat f{item}") }], "source": "unified_exec_startup",
            "status": "completed", "stdout": output, "stderr": "", "aggregated_output": output, "exit_code": 0,
            "duration": { "secs": 0, "nanos": 1_000_000 }, "formatted_output": output,
        });
        self.completed(turn, command);
    }
}

/// Ids and words from a seed (xorshift64*).
struct Ids(u64);

impl Ids {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A version 7 UUID of this time.
    fn uuid7(&mut self, unix_ms: i64) -> String {
        let (high, low) = (self.next(), self.next());
        let ms = unix_ms & 0xFFFF_FFFF_FFFF;
        format!(
            "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
            ms >> 16,
            ms & 0xFFFF,
            high & 0xFFF,
            0x8000 | ((high >> 16) & 0x3FFF),
            low & 0xFFFF_FFFF_FFFF
        )
    }

    fn text(&mut self, length: usize) -> String {
        let mut text = String::with_capacity(length + 8);
        while text.len() < length {
            text.push_str(WORDS[usize::try_from(self.next() >> 61).unwrap_or(0)]);
            text.push(' ');
        }
        text.truncate(length);
        text.trim_end().to_owned()
    }
}
