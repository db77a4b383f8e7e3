//! Every command of `drive`: what it answers when it succeeds and when it fails, and that a failure changes nothing.

use std::path::Path;

use serde_json::{Value, json};

use crate::kit::drive::Drive;

const FIELD: &str = "Message";

fn demo(settings: &Path) -> Drive {
    Drive::start(|command| {
        command.args(["--demo", "--virtual-time", "--settings"]).arg(settings);
    })
}

/// A new conversation, the composer focused.
fn composing(settings: &Path) -> Drive {
    let mut drive = demo(settings);
    drive.key("Ctrl+N");
    drive
}

fn node(drive: &mut Drive, role: &str, name: &str) -> Value {
    let found = drive.nodes().into_iter().find(|node| node["role"] == role && node["name"] == name);
    found.unwrap_or_else(|| panic!("there is no {role} named {name}"))
}

fn error(drive: &mut Drive, command: &Value) -> String {
    let answer = drive.ask(command);
    let only = answer.as_object().is_some_and(|fields| fields.len() == 1);
    let error = answer["error"].as_str().filter(|_| only);
    error.unwrap_or_else(|| panic!("{command} was answered by {answer}")).to_owned()
}

fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_command_that_fails_says_why_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut drive = composing(dir.path());
    drive.tell(&json!({ "paste": "kept" }));
    drive.announcements();
    let facts = |drive: &mut Drive| {
        let clipboard = drive.ask(&json!({ "clipboard": true }));
        (drive.nodes(), drive.state(), clipboard, drive.announcements())
    };
    let before = facts(&mut drive);
    let button = |name: &str| json!({ "role": "button", "name": name });
    let act = |role: &str, name: &str, action: &str| json!({ "act": { "role": role, "name": name, "action": action } });
    let missing = dir.path().join("missing").join("a.png");
    for (command, why) in [
        (json!("key"), "not a command"),
        (json!({}), "no command"),
        (json!({ "press": "a" }), "press"),
        (json!({ "key": "a", "type": "b" }), "more than one"),
        (json!({ "key": "Hyper+Q" }), "not a key"),
        (json!({ "ime": { "compose": "a" } }), "not a command"),
        (json!({ "click": button("Nowhere") }), "there is no button named \"Nowhere\""),
        (act("button", "Nowhere", "click"), "there is no button named \"Nowhere\""),
        (act("status", "Ready", "click"), "does not take click"),
        (act("region", "Composer", "focus"), "does not take focus"),
        (
            json!({ "act": { "role": "button", "name": "Menu", "action": "setValue", "value": "x" } }),
            "does not take setValue",
        ),
        (json!({ "wait": { "text": "never said" }, "ms": 1 }), "not there, and time stands"),
        (json!({ "wait": { "text": "kept", "gone": true }, "ms": 1 }), "still there, and time stands"),
        (json!({ "wait": {} }), "needs a role"),
        (json!({ "tree": false }), "takes true"),
        (json!({ "shot": missing }), "could not be written"),
        (json!({ "shot": dir.path() }), "not a file"),
        (json!({ "resize": "360" }), "not a size"),
        (json!({ "resize": "360x8193" }), "not a size"),
        (json!({ "advance": 86_400_001 }), "at most"),
        (json!({ "advance": -1 }), "not a command"),
        (json!({ "quit": false }), "takes true"),
        (json!("x".repeat(1 << 20)), "a line is at most"),
    ] {
        let said = error(&mut drive, &command);
        assert!(said.contains(why), "{command:.200}: {said}");
        assert!(facts(&mut drive) == before, "{command:.200} changed something");
    }
    // Nothing to send: there is the button, but it cannot be pressed.
    drive.tell(&json!({ "act": { "role": "multilineTextInput", "name": FIELD, "action": "setValue", "value": "" } }));
    for command in [json!({ "click": button("Send") }), act("button", "Send", "click")] {
        assert_eq!(error(&mut drive, &command), "the button named \"Send\" is disabled");
    }
    drive.quit();
}

#[test]
fn a_command_that_succeeds_does_what_it_says() {
    let dir = tempfile::tempdir().unwrap();
    let mut drive = demo(dir.path());
    let ok = json!({ "ok": true });
    assert!(error(&mut drive, &json!({ "ime": { "commit": "x" } })).contains("takes no text"), "a list has focus");
    assert_eq!(drive.ask(&json!({ "click": { "role": "button", "name": "New" } })), ok);
    for command in [json!({ "type": "typed " }), json!({ "paste": "pasted " }), json!({ "ime": { "commit": "日" } })] {
        assert_eq!(drive.ask(&command), ok, "{command}");
    }
    assert_eq!(node(&mut drive, "multilineTextInput", FIELD)["value"], "typed pasted 日");
    assert_eq!(drive.ask(&json!({ "clipboard": true })), json!({ "clipboard": "pasted " }));
    let set = json!({ "role": "multilineTextInput", "name": FIELD, "action": "setValue", "value": "set" });
    assert_eq!(drive.ask(&json!({ "act": set })), ok);
    assert_eq!(node(&mut drive, "multilineTextInput", FIELD)["value"], "set");
    let said = drive.announcements();
    assert!(said.last().is_some_and(|last| last.starts_with("Ready")), "{said:?}");
    assert_eq!(drive.announcements(), Vec::<String>::new(), "each is told once");
    assert_eq!(drive.ask(&json!({ "resize": "360x640" })), ok);
    let window = drive.nodes().swap_remove(0);
    assert_eq!((&window["bounds"]["width"], &window["bounds"]["height"]), (&json!(360.0), &json!(640.0)));
    assert_eq!(drive.ask(&json!({ "advance": 0 })), ok);
    assert_eq!(drive.ask(&json!({ "wait": { "role": "button", "name": "Send" } })), ok);
    drive.quit();
}

#[test]
fn a_picture_replaces_a_file_in_one_step_and_leaves_nothing_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let pictures = dir.path().join("pictures");
    std::fs::create_dir(&pictures).unwrap();
    let (path, other) = (pictures.join("a.png"), dir.path().join("the-old-file"));
    std::fs::write(&path, "old").unwrap();
    // Whoever holds the old file goes on seeing it: it is replaced, not written over.
    std::fs::hard_link(&path, &other).unwrap();
    let mut drive = Drive::start(|command| {
        command.args(["--demo", "--virtual-time", "--size", "320x400", "--scale", "2", "--settings"]).arg(dir.path());
    });
    let answer = drive.tell(&json!({ "shot": path }));
    assert_eq!(answer, json!({ "shot": path, "width": 640, "height": 800 }));
    assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(std::fs::read(&other).unwrap(), b"old");
    assert_eq!(names(&pictures), ["a.png"]);
    // What takes more memory than a picture is worth is refused.
    drive.tell(&json!({ "resize": "8192x8192" }));
    assert!(error(&mut drive, &json!({ "shot": path })).contains("too large"));
    assert_eq!(names(&pictures), ["a.png"]);
    drive.quit();
}
