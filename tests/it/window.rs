//! The window by its keys, on the demo.

use serde_json::Value;

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
    drive.type_text("you");
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
    drive.quit();
}
