//! What an untrusted server may send, through the whole window: it neither hangs nor lies, and loses nothing silently.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::kit::drive::Drive;
use crate::kit::script;

/// A key is answered in much less; this tells a window that works from one that hangs, not a fast from a slow one.
const ANSWERS: Duration = Duration::from_secs(20);

fn demo(settings: &std::path::Path) -> Drive {
    Drive::start(|command| {
        command.args(["--demo", "hostile", "--size", "480x900", "--settings"]).arg(settings);
    })
}

fn open(drive: &mut Drive, search: &str) {
    drive.until("Awaiting conversation selection");
    drive.key("Ctrl+K");
    drive.type_text(search);
    drive.key("Enter");
    drive.until("Viewing history only");
}

fn press(drive: &mut Drive, chord: &str) {
    let pressed = Instant::now();
    drive.key(chord);
    assert!(pressed.elapsed() < ANSWERS, "{chord} took {:?}", pressed.elapsed());
}

/// Nothing that reorders, hides or commands reaches a name, a value or an announcement.
fn assert_harmless(drive: &mut Drive) {
    let mut said = drive.announcements();
    said.extend(drive.texts());
    for text in said {
        let harmful = text.chars().find(|c| {
            matches!(c, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        assert_eq!(harmful, None, "in {:?}", text.chars().take(200).collect::<String>());
    }
}

#[test]
fn a_hostile_history_is_read_whole_its_bad_links_are_no_links() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo(settings.path());
    open(&mut drive, "Hostile history");
    let nodes: Vec<Value> = drive.nodes();
    assert!(nodes.iter().all(|node| node["role"] != "link"
        || node["name"].as_str().is_none_or(|name| { !name.contains("javascript:") && !name.contains("file:") })));
    press(&mut drive, "Ctrl+F");
    for text in ["alert(1)", "/etc/passwd", "tracking", "before ", "CR over", "drowssap", "isolated", "line after line"]
    {
        press(&mut drive, "Ctrl+A");
        drive.type_text(text);
        // Found where it stands, with the list moved there, and shown without what would do harm.
        drive.until(" of ");
        assert!(!drive.texts().iter().any(|shown| shown.contains("Not in the loaded part")), "{text} is nowhere");
        assert_harmless(&mut drive);
    }
    drive.quit();
}

#[test]
fn a_page_of_40_mb_is_read_in_parts() {
    let settings = tempfile::tempdir().unwrap();
    let mut drive = demo(settings.path());
    open(&mut drive, "A page of 40");
    // The end of the last message is in sight, then its beginning.
    press(&mut drive, "Alt+Up");
    drive.until("Part 40.");
    for _ in 0..5 {
        press(&mut drive, "PageUp");
    }
    drive.quit();
}

#[test]
fn bytes_that_are_no_utf8_and_lines_that_are_no_json_end_in_words() {
    let dir = tempfile::tempdir().unwrap();
    let codex = script::codex(dir.path(), "printf '\\377\\376\\000 not text\\n{\\n'; exec cat >/dev/null");
    let mut drive = Drive::start(|command| {
        command.arg("--codex").arg(&codex).arg("--settings").arg(dir.path());
    });
    drive.until_button("Reconnect");
    assert_harmless(&mut drive);
    press(&mut drive, "Tab");
    drive.quit();
}
