//! What a screen reader finds: the accessibility tree of each main state and of each kind of row, as committed text.
//!
//! `REJOIN_BLESS=1 cargo test --test it golden_tree` writes them anew; the difference is to be read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::kit::drive::Drive;
use crate::kit::{eventually, is_blessing, thread_item_samples};

/// Roles that a person acts on; each needs a name.
const ACTIONABLE: &[&str] =
    &["button", "checkBox", "radioButton", "searchInput", "textInput", "multilineTextInput", "comboBox", "link"];

/// So many equal trees in a row are a settled one.
const SAME: u32 = 20;

/// A tree by id.
struct Tree(BTreeMap<String, Value>);

impl Tree {
    fn of(drive: &mut Drive) -> Self {
        let nodes = drive.nodes();
        let count = nodes.len();
        let by_id: BTreeMap<_, _> = nodes.into_iter().map(|node| (text(&node, "id").to_owned(), node)).collect();
        assert_eq!(by_id.len(), count, "two nodes have the same id");
        Self(by_id)
    }

    /// The tree once it no longer changes: what comes after the awaited text has come too.
    fn settled(drive: &mut Drive) -> Self {
        let (mut last, mut same) = (String::new(), 0);
        eventually("a tree that stays", || {
            let now = Self::of(drive).text("window");
            same = if now == last { same + 1 } else { 0 };
            last = now;
            same == SAME
        });
        Self::of(drive)
    }

    fn children(&self, id: &str) -> Vec<String> {
        words(&self.0[id], "children")
    }

    /// Role, name, value and states of a node and, indented, of what is in it. Announcements have
    /// no place on screen and depend on how fast the beginning was: they are left out.
    fn render(&self, id: &str, depth: usize, out: &mut String) {
        let node = &self.0[id];
        if node["bounds"].is_null() && node["role"] != "window" {
            return;
        }
        let _ = write!(out, "{:1$}{2}", "", depth * 2, text(node, "role"));
        for (key, sign) in [("name", " "), ("value", " = "), ("description", " ; ")] {
            let words = text(node, key);
            if !words.is_empty() {
                let _ = write!(out, "{sign}{:?}", without_times(words));
            }
        }
        let states = words(node, "states");
        if !states.is_empty() {
            let _ = write!(out, " [{}]", states.join(", "));
        }
        out.push('\n');
        for child in self.children(id) {
            self.render(&child, depth + 1, out);
        }
    }

    fn text(&self, id: &str) -> String {
        let mut out = String::new();
        self.render(id, 0, &mut out);
        out
    }
}

fn text<'a>(node: &'a Value, key: &str) -> &'a str {
    node[key].as_str().unwrap_or_default()
}

fn words(node: &Value, key: &str) -> Vec<String> {
    let all = node[key].as_array().into_iter().flatten();
    all.filter_map(|word| word.as_str().map(str::to_owned)).collect()
}

const MONTHS: &[&str] = &["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Times of day and ages depend on the moment of the test.
fn without_times(words: &str) -> String {
    let is_number = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_time = |word: &str| {
        let parts = word.trim_end_matches([',', '.']).split_once(':');
        parts.is_some_and(|(hours, minutes)| hours.len() == 2 && is_number(hours) && is_number(minutes))
    };
    let is_month = |word: &str| MONTHS.contains(&word);
    let mut kept: Vec<&str> = Vec::new();
    for word in words.split(' ') {
        let before = |back: usize| kept.len().checked_sub(back).map_or("", |place| kept[place]);
        if is_time(word) {
            kept.push("HH:MM");
        } else if word == "ago" && is_number(before(2))
            || is_number(word) && is_month(before(1)) && is_number(before(2))
        {
            kept.truncate(kept.len() - 2);
            kept.push("WHEN");
        } else if ["now", "yesterday"].contains(&word) {
            kept.push("WHEN");
        } else if word == "now," {
            kept.push("WHEN,");
        } else {
            kept.push(word);
        }
    }
    kept.join(" ")
}

/// Compares with the committed text, line by line, or writes it anew.
fn check(name: &str, now: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/golden/{name}.txt"));
    if is_blessing() {
        return std::fs::write(path, now).expect("the golden can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = committed.lines().zip(now.lines()).position(|(old, new)| old != new);
    let at = differs.unwrap_or_else(|| committed.lines().count().min(now.lines().count()));
    let line = |text: &str| text.lines().nth(at).unwrap_or("(nothing)").to_owned();
    let (old, new) = (line(&committed), line(now));
    assert!(committed == now, "{name}, line {}:\n- {old}\n+ {new}\nREJOIN_BLESS=1 writes it anew", at + 1);
}

/// The program on a scenario of the demo, waiting for the first choice.
fn start(scenario: &str, size: &str, settings: &std::path::Path) -> Drive {
    Drive::start(|command| {
        command.args(["--demo", scenario, "--size", size, "--theme", "light", "--settings"]).arg(settings);
        command.env("TZ", "UTC");
    })
}

/// A main state: its scenario and what leads there.
struct State {
    name: &'static str,
    scenario: &'static str,
    reach: fn(&mut Drive),
}

fn list(drive: &mut Drive) {
    drive.until("Awaiting conversation selection");
}

fn read_first(drive: &mut Drive) {
    list(drive);
    drive.key("Ctrl+K");
    drive.key("Enter");
    drive.until("Viewing history only");
    drive.until_button("Join");
}

fn join(drive: &mut Drive) {
    read_first(drive);
    drive.press_by_keyboard("Join");
    drive.until_button("Send");
}

const STATES: &[State] = &[
    State { name: "list", scenario: "default", reach: list },
    State { name: "list-empty", scenario: "empty", reach: list },
    State { name: "reading", scenario: "legacy", reach: read_first },
    State { name: "joined", scenario: "legacy", reach: join },
    State { name: "sign-in", scenario: "sign-in", reach: |drive| drive.until("Sign-in required") },
    State { name: "manual-reconnect", scenario: "garbage", reach: |drive| drive.until("Manual reconnect required") },
    State {
        name: "settings",
        scenario: "empty",
        reach: |drive| {
            list(drive);
            drive.key("Ctrl+,");
            drive.until("Settings");
        },
    },
    State {
        name: "keys",
        scenario: "empty",
        reach: |drive| {
            list(drive);
            drive.key("F1");
            drive.until("Next, previous control");
        },
    },
];

#[test]
fn the_tree_of_every_main_state_is_the_committed_one_and_all_its_controls_have_names() {
    for state in STATES {
        let settings = tempfile::tempdir().unwrap();
        let mut drive = start(state.scenario, "1024x760", settings.path());
        (state.reach)(&mut drive);
        let tree = Tree::settled(&mut drive);
        for node in tree.0.values().filter(|node| ACTIONABLE.contains(&text(node, "role"))) {
            assert!(!text(node, "name").is_empty(), "{}: a control without a name: {node}", state.name);
        }
        let folder = settings.path().display().to_string();
        check(&format!("tree-{}", state.name), &tree.text("window").replace(&folder, "DIR"));
        drive.quit();
    }
}

/// The types of the items of the scenario `every-item`, the user's message first.
fn drawn_types() -> Vec<String> {
    let items = include_str!("../../assets/demo/items.jsonl").lines();
    let items = items.map(|line| serde_json::from_str::<Value>(line).expect("a demo item"));
    std::iter::once("userMessage".to_owned()).chain(items.map(|item| text(&item, "type").to_owned())).collect()
}

#[test]
fn every_item_type_of_the_schema_has_its_own_row_and_an_unknown_one_says_so() {
    let types = drawn_types();
    let schema: BTreeSet<_> = thread_item_samples().iter().map(|item| text(item, "type").to_owned()).collect();
    let missing: Vec<_> = schema.iter().filter(|kind| !types.contains(kind)).collect();
    assert!(missing.is_empty(), "no row is drawn for {missing:?}: add them to assets/demo/items.jsonl");

    let settings = tempfile::tempdir().unwrap();
    let mut drive = start("every-item", "1024x6000", settings.path());
    read_first(&mut drive);
    let tree = Tree::settled(&mut drive);
    let rows = tree.children("history");
    assert_eq!(rows.len(), types.len(), "one row an item: {rows:?} for {types:?}");
    let mut golden = String::new();
    for (kind, row) in types.iter().zip(&rows) {
        let drawn = tree.text(row);
        let is_unknown = drawn.contains("this version does not know this kind of item");
        assert_eq!(is_unknown, !schema.contains(kind), "{kind} is drawn as\n{drawn}");
        let _ = write!(golden, "# {kind}\n{drawn}\n");
    }
    check("rows", &golden);
    drive.quit();
}
