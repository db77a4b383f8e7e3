//! The window by its keys, on the demo.

use serde_json::{Value, json};

use crate::kit::drive::Drive;

fn demo(scenario: &str, settings: &std::path::Path) -> Drive {
    Drive::start(|command| {
        command.args(["--demo", scenario, "--size", "1024x760", "--settings"]).arg(settings);
    })
}

fn has_state(node: &Value, state: &str) -> bool {
    node["states"].as_array().is_some_and(|states| states.iter().any(|held| held == state))
}

fn of_role(drive: &mut Drive, role: &str) -> Vec<Value> {
    drive.nodes().into_iter().filter(|node| node["role"] == role).collect()
}

/// The option that Enter in the search field opens.
fn active(drive: &mut Drive) -> String {
    let options = of_role(drive, "listBoxOption");
    let chosen: Vec<_> = options.iter().filter(|node| has_state(node, "selected")).collect();
    assert_eq!(chosen.len(), 1, "one row is selected: {options:?}");
    chosen[0]["name"].as_str().expect("a name").to_owned()
}

fn focused(drive: &mut Drive) -> Value {
    drive.nodes().into_iter().rfind(|node| has_state(node, "focused")).unwrap_or_default()
}

#[test]
fn the_search_field_keeps_the_focus_while_the_arrows_choose_and_enter_opens() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("default", settings.path());
    drive.until("Awaiting conversation selection");
    drive.key("Ctrl+K");
    let first = active(&mut drive);
    drive.key("Down");
    let second = active(&mut drive);
    assert_ne!(first, second);
    assert_eq!(focused(&mut drive)["role"], "searchInput");
    assert!(drive.announcements().contains(&second), "the row is said");
    drive.key("Up");
    assert_eq!(active(&mut drive), first);
    drive.key("Down");
    drive.key("Enter");
    drive.until("Viewing history only");
    assert_eq!(active(&mut drive), second);
    assert_ne!(focused(&mut drive)["role"], "searchInput", "the history has the focus now");
    drive.quit();
}

#[test]
fn the_list_is_one_tab_stop_of_which_only_the_rows_in_sight_exist() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("long-list", settings.path());
    drive.until("Awaiting conversation selection");
    drive.key("Ctrl+K");
    let mut stops = 0;
    for _ in 0..30 {
        drive.key("Tab");
        let now = focused(&mut drive);
        stops += usize::from(now["role"] == "listBoxOption" || now["role"] == "listBox");
    }
    assert!((1..=4).contains(&stops), "{stops} stops in 30 presses of Tab");
    let options = of_role(&mut drive, "listBoxOption").len();
    assert!((5..40).contains(&options), "{options} rows exist");
    drive.quit();
}

#[test]
fn find_counts_goes_from_match_to_match_and_escape_goes_back_to_the_history() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("long-history", settings.path());
    drive.until("Awaiting conversation selection");
    drive.key("Ctrl+K");
    drive.key("Enter");
    drive.until("Viewing history only");
    drive.key("Ctrl+F");
    drive.type_text("nowhere to be found");
    drive.until("Not in the loaded part");
    drive.key("Ctrl+A");
    drive.type_text("part");
    drive.until(" in the loaded part");
    let count = |drive: &mut Drive| {
        let texts = drive.texts();
        texts.into_iter().find(|text| text.contains(" of ") && text.ends_with("in the loaded part")).expect("a count")
    };
    let newest = count(&mut drive);
    drive.key("F3");
    let oldest = count(&mut drive);
    assert!(oldest.starts_with("1 of "), "round the end: {newest}, {oldest}");
    assert_ne!(newest, oldest);
    drive.key("Shift+F3");
    assert_eq!(count(&mut drive), newest);
    drive.key("Enter");
    assert_eq!(count(&mut drive), oldest, "Enter is next");
    drive.key("Shift+Enter");
    assert_eq!(count(&mut drive), newest, "Shift+Enter is previous");
    drive.key("Escape");
    assert!(!drive.texts().iter().any(|text| text == "Find"), "the bar is gone");
    assert_ne!(focused(&mut drive)["role"], "searchInput");
    drive.quit();
}

#[test]
fn enter_before_the_search_is_answered_opens_what_it_finds_and_a_word_is_no_id() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("default", settings.path());
    drive.until("Awaiting conversation selection");
    drive.key("Ctrl+K");
    drive.type_text("flaky");
    drive.key("Enter");
    drive.until("Viewing history only");
    assert!(active(&mut drive).starts_with("Fix the flaky upload test"));
    // The next search is a new one.
    drive.key("Ctrl+K");
    drive.type_text("parser");
    drive.key("Enter");
    drive.tell(&serde_json::json!({"wait": {"role": "heading", "name": "Which CSV parser?"}, "ms": 60_000}));
    drive.quit();
}

/// Opens and joins the first conversation of a scenario.
fn joined(scenario: &str, settings: &std::path::Path) -> Drive {
    let mut drive = demo(scenario, settings);
    drive.until("Awaiting conversation selection");
    drive.key("Ctrl+K");
    drive.key("Enter");
    drive.until("Viewing history only");
    drive.press_by_keyboard("Join");
    drive.until_button("Send");
    drive
}

/// Presses a key until what has the focus is meant; the presses are few.
fn key_until(drive: &mut Drive, key: &str, meant: impl Fn(&Value) -> bool) -> Value {
    for _ in 0..60 {
        drive.key(key);
        let now = focused(drive);
        if meant(&now) {
            return now;
        }
    }
    panic!("{key} does not get there:\n{}", drive.texts().join("\n"));
}

#[test]
fn a_link_is_a_tab_stop_and_asks_with_its_real_target() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = joined("legacy", settings.path());
    drive.type_text("SAY Read [https://good.example](https://real.example/where/it/goes) first");
    drive.key("Ctrl+Enter");
    drive.until("Codex: Read https://good.example first");
    drive.until_no_button("Stop");
    drive.key("Alt+Up");
    let link = key_until(&mut drive, "Tab", |node| node["role"] == "link");
    assert_eq!(link["name"], "https://good.example");
    assert!(link["description"].as_str().unwrap_or_default().contains("https://real.example/where/it/goes"), "{link}");
    drive.key("Enter");
    drive.until("Open this link?");
    drive.until("https://real.example/where/it/goes");
    drive.key("Escape");
    drive.tell(&json!({"wait": {"text": "Open this link?", "gone": true}, "ms": 60_000}));
    assert_eq!(focused(&mut drive)["role"], "link", "the focus is back where it was");
    drive.quit();
}

#[test]
fn a_notice_stays_until_it_is_dismissed_by_keyboard() {
    let settings = tempfile::tempdir().unwrap();
    std::fs::write(settings.path().join("settings.toml"), "zoom = \"huge\"\n").unwrap();
    let mut drive = demo("empty", settings.path());
    drive.until("Awaiting conversation selection");
    drive.until("settings.toml");
    drive.press_by_keyboard("Dismiss");
    drive.until_no_button("Dismiss");
    assert!(!drive.texts().iter().any(|text| text.contains("zoom")), "{:?}", drive.texts());
    drive.quit();
}

#[test]
fn escape_in_the_list_clears_the_search_and_goes_back_to_the_conversation() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = joined("legacy", settings.path());
    drive.key("Ctrl+K");
    drive.type_text("nothing is called like this");
    drive.until("Nothing matches the search");
    drive.key("Escape");
    drive.tell(&json!({"wait": {"text": "Nothing matches the search", "gone": true}, "ms": 60_000}));
    assert_ne!(focused(&mut drive)["role"], "searchInput");
    assert!(drive.texts().iter().any(|text| text == "Message"), "the conversation is still open");
    let fields = of_role(&mut drive, "searchInput");
    assert!(fields.iter().all(|field| field["value"].as_str().unwrap_or_default().is_empty()), "{fields:?}");
    drive.quit();
}

#[test]
fn keys_go_by_message_and_by_turn_copy_the_row_and_say_where_one_is() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = joined("legacy", settings.path());
    let name = |drive: &mut Drive| focused(drive)["name"].as_str().unwrap_or_default().to_owned();
    drive.key("Alt+Up");
    assert_eq!(name(&mut drive), "Codex: None of them: the engine is pure.");
    drive.key("Alt+Up");
    assert_eq!(name(&mut drive), "You: And the engine?");
    drive.key("Alt+Up");
    assert_eq!(name(&mut drive), "Codex: Three that matter: tokio, rustls and serde.");
    drive.key("Ctrl+C");
    let clipboard = drive.tell(&json!({"clipboard": true}));
    assert_eq!(clipboard["clipboard"], "Three that matter: **tokio**, **rustls** and **serde**.");
    drive.key("Alt+PageUp");
    assert_eq!(name(&mut drive), "You: Which crates does the worker use?");
    drive.announcements();
    drive.key("Alt+PageUp");
    drive.key("Alt+Up");
    let said = drive.announcements();
    assert_eq!(said, ["No earlier turn is loaded", "No earlier message is loaded"]);
    drive.key("Alt+PageDown");
    assert_eq!(name(&mut drive), "You: And the engine?");
    drive.key("Ctrl+I");
    let said = drive.announcements().join(" ");
    assert!(said.starts_with("Ready. Conversation Which crates") && said.contains("joined. Row "), "{said}");
    assert!(said.ends_with("You: And the engine?."), "{said}");
    drive.quit();
}

#[test]
fn f6_goes_round_the_panes_and_back() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = joined("legacy", settings.path());
    let start = focused(&mut drive)["id"].clone();
    let mut seen = Vec::new();
    for _ in 0..6 {
        drive.key("F6");
        let now = focused(&mut drive)["id"].clone();
        if seen.first() == Some(&now) {
            break;
        }
        seen.push(now);
    }
    assert_eq!(seen.len(), 4, "menu, list, conversation, composer: {seen:?}");
    assert!(seen.contains(&start));
    let last = focused(&mut drive)["id"].clone();
    drive.key("F6");
    drive.key("Shift+F6");
    assert_eq!(focused(&mut drive)["id"], last);
    drive.quit();
}

#[test]
fn a_larger_zoom_leaves_one_pane_and_a_smaller_one_gives_two_again() {
    let settings = tempfile::tempdir().unwrap();
    // The field that searches the list; the composer takes several lines.
    let two_panes = |drive: &mut Drive| of_role(drive, "searchInput").len() + of_role(drive, "textInput").len() == 1;
    let read = |drive: &mut Drive| {
        drive.until("Awaiting conversation selection");
        drive.key("Ctrl+K");
        drive.key("Enter");
        drive.until("Viewing history only");
    };
    let mut drive = demo("default", settings.path());
    read(&mut drive);
    assert!(two_panes(&mut drive), "1024 pixels have room for two");
    for _ in 0..5 {
        drive.key("Ctrl++");
    }
    assert!(!two_panes(&mut drive), "683 have not");
    drive.quit();
    // The zoom was saved: the next window begins with it.
    let mut drive = demo("default", settings.path());
    read(&mut drive);
    assert!(!two_panes(&mut drive), "nor has the next window");
    drive.key("Ctrl+0");
    assert!(two_panes(&mut drive), "1024 have again");
    drive.quit();
}

#[test]
fn without_a_connection_the_list_does_not_say_that_there_are_no_conversations() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("exit-at-once", settings.path());
    drive.until("Manual reconnect required");
    drive.until("The list comes with the connection.");
    assert!(!drive.texts().iter().any(|text| text.contains("No conversations yet")));
    drive.quit();
}
