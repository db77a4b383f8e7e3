//! What the integration tests stand on: real servers, a scripted model, rollouts on disk, schemas.

#![allow(dead_code, reason = "each test uses its part of the kit")]

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

pub mod certificates;
pub mod codex;
#[cfg(feature = "gui")]
pub mod drive;
pub mod model;
pub mod rollout;
pub mod sample;
pub mod schema;
pub mod script;
pub mod websocket_server;

/// One minimal and one maximal instance of every item type of the target version, as JSON; made
/// from its schema and committed, so that no server is needed to use them.
pub fn thread_item_samples() -> Vec<Value> {
    let text = include_str!("../fixtures/protocol/thread-items.jsonl");
    text.lines().map(|line| serde_json::from_str(line).expect("a committed sample")).collect()
}

/// Whether the committed lists are to be written anew (`REJOIN_BLESS=1`).
pub fn is_blessing() -> bool {
    std::env::var_os("REJOIN_BLESS").is_some_and(|value| value == "1")
}

/// Compares with a committed list, line by line, or writes it anew.
pub fn blessed(file: &str, lines: &[String]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if is_blessing() {
        return fs::write(path, lines.join("\n") + "\n").expect("the list can be written");
    }
    let text = fs::read_to_string(&path).unwrap_or_default();
    let committed: Vec<_> = text.lines().collect();
    let new: Vec<_> = lines.iter().filter(|line| !committed.contains(&line.as_str())).collect();
    let gone: Vec<_> = committed.iter().filter(|line| !lines.iter().any(|new| new == *line)).collect();
    assert!(new.is_empty() && gone.is_empty(), "{file}: new {new:#?}, gone {gone:#?}");
}

/// Today's date (UTC), for committed lists.
pub fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}

/// Time for anything that must happen; a test that needs it has failed.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until a condition holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
