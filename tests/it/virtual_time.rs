//! `drive --virtual-time`: time stands until it is moved, and the same commands give the same bytes.

use std::path::Path;

use serde_json::json;

use crate::kit::drive::Drive;

fn demo(scenario: &str, settings: &Path) -> Drive {
    Drive::start(|command| {
        command.args(["--demo", scenario, "--virtual-time", "--settings"]).arg(settings);
    })
}

fn advance(drive: &mut Drive, ms: u64) {
    drive.tell(&json!({ "advance": ms }));
}

#[test]
fn nothing_comes_before_its_time_and_everything_at_its_time() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("default", settings.path());
    // Without a wait: a command is answered when everything that needs no time is done.
    assert_eq!(drive.state()["connection"], "Awaiting conversation selection");
    drive.key("Ctrl+N");
    drive.type_text("SLOW 10 1000");
    drive.key("Ctrl+Enter");
    advance(&mut drive, 4_000);
    let texts = drive.texts().join(" ");
    assert!(texts.contains("w2") && !texts.contains("w6"), "{texts}");
    let early = drive.ask(&json!({ "wait": { "text": "w9" } }));
    assert!(early["error"].as_str().is_some_and(|error| error.contains("time stands")), "{early}");
    advance(&mut drive, 10_000);
    drive.tell(&json!({ "wait": { "text": "w9" } }));
    drive.quit();
}

#[test]
fn an_unsteady_server_is_lost_and_found_to_the_second_and_five_minutes_pass_at_once() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("unsteady", settings.path());
    let began = std::time::Instant::now();
    advance(&mut drive, 19_900);
    assert_eq!(
        (drive.state()["connection"].clone(), drive.state()["generation"].clone()),
        (json!("Awaiting conversation selection"), json!(1))
    );
    // The first attempt follows at once.
    advance(&mut drive, 200);
    assert_eq!(drive.state()["generation"], 2);
    advance(&mut drive, 20_000);
    drive.tell(&json!({ "wait": { "text": "attempt 2 of 5, next in 1 s" } }));
    advance(&mut drive, 300_000);
    assert_eq!(drive.state()["connection"], "Manual reconnect required");
    assert!(began.elapsed() < std::time::Duration::from_secs(60), "no real time is waited out");
    drive.quit();
}

#[test]
fn the_same_commands_give_the_same_tree_words_and_pixels_also_in_the_middle_of_a_turn() {
    let play = || {
        let dir = tempfile::tempdir().unwrap();
        let shot = dir.path().join("shot.png");
        let mut drive = demo("streaming", Path::new("/nowhere-that-exists"));
        drive.key("Ctrl+K");
        drive.key("Enter");
        drive.press_by_keyboard("Join");
        advance(&mut drive, 13_370);
        drive.tell(&json!({ "shot": shot }));
        let seen = (drive.texts(), drive.announcements(), std::fs::read(shot).unwrap());
        drive.quit();
        seen
    };
    let first = play();
    assert!(first.0.iter().any(|text| text.contains("test part::")), "{:?}", first.0);
    for _ in 0..3 {
        assert!(play() == first, "two runs differ");
    }
}

#[test]
fn by_virtual_time_nothing_but_the_demo_is_ever_contacted() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("empty", settings.path());
    drive.press_by_keyboard("Menu");
    drive.press_by_keyboard("Connection");
    drive.tell(&json!({ "click": { "role": "radioButton", "name": "A running server (Preview)" } }));
    // A listener that nobody calls: it would answer a connection with its end.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let address = "Address, for example wss://host.example";
    drive.tell(&json!({ "act": { "role": "textInput", "name": address, "action": "setValue", "value": url } }));
    drive.press_by_keyboard("Connect");
    assert_eq!(drive.state()["connection"], "Connection/profile confirmation required");
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    drive.quit();
}

#[test]
fn a_turn_that_waits_when_one_joins_is_known_to_run_and_can_be_stopped() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("approvals", settings.path());
    drive.key("Ctrl+K");
    drive.type_text("A question");
    drive.key("Enter");
    advance(&mut drive, 1_000);
    drive.press_by_keyboard("Join");
    advance(&mut drive, 1_000);
    drive.type_text("And this?");
    drive.tell(&json!({ "wait": { "text": "Send adds to the running turn." } }));
    drive.key("Ctrl+.");
    advance(&mut drive, 1_000);
    drive.tell(&json!({ "wait": { "text": "This turn was interrupted" } }));
    drive.quit();
}

#[test]
fn a_read_that_failed_does_not_say_that_there_are_no_messages() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo("silent", settings.path());
    drive.key("Ctrl+K");
    drive.key("Enter");
    advance(&mut drive, 30_500);
    drive.tell(&json!({ "wait": { "text": "History refresh required" } }));
    let texts = drive.texts();
    assert!(!texts.iter().any(|text| text.contains("No messages yet")), "{texts:?}");
    assert_eq!(texts.iter().filter(|text| *text == "Refresh").count(), 1, "{texts:?}");
    drive.quit();
}
