//! Reading against the real servers, by keys: very long, old and running conversations.

use crate::drive::Site;
use crate::kit::codex::{self, TARGET};
use crate::kit::drive::Drive;
use crate::kit::rollout::Rollout;

/// Opens the newest conversation of the list.
fn open_newest(drive: &mut Drive) {
    drive.until("Awaiting conversation selection");
    drive.key("Ctrl+K");
    drive.key("Enter");
    drive.until("Viewing history only");
}

fn long_thread(codex: codex::Codex, websocket: bool, items: usize) {
    let site = Site::new(codex, websocket, |home| {
        Rollout::paginated(items).write(&home.codex_home());
    });
    let newest = format!("item {}:", items - 1);
    // Written by another program: the server indexes it when it is joined, and says nothing before.
    let mut drive = site.drive();
    open_newest(&mut drive);
    drive.until("Not indexed yet");
    drive.press_by_keyboard("Join");
    drive.until_button("Send");
    drive.until(&newest);
    drive.quit();

    let mut drive = site.drive();
    open_newest(&mut drive);
    drive.until(&newest);
    let turns = items / 20;
    for page in 1..=2 {
        let oldest = format!("turn {}:", turns - page * 50 + 1);
        drive.key("Home");
        drive.until(&oldest);
        assert!(!drive.texts().iter().any(|text| text.contains("Beginning")), "the edge says that there is more");
        drive.press_by_keyboard("Load older");
        // The page stands above; what was read stays where it is.
        drive.until_text_gone("Loading");
    }
    drive.key("Home");
    drive.until(&format!("turn {}:", turns - 149));
    assert_eq!(site.model.asked(), [], "{}: reading asks the model nothing", site.name);
    drive.quit();
}

#[test]
fn a_thread_of_20000_items_is_read_from_its_newest_page_and_older_ones_on_a_press() {
    for websocket in [false, true] {
        let Some(codex) = codex::codex(TARGET) else { return };
        long_thread(codex, websocket, 20_000);
    }
}

#[test]
fn a_long_thread_is_read_by_pages_on_every_version() {
    for codex in codex::installed() {
        long_thread(codex, false, 4_000);
    }
}

#[test]
fn a_legacy_thread_shows_its_turns_on_every_version() {
    for codex in codex::installed() {
        let site = Site::new(codex, false, |home| {
            Rollout::legacy(100).write(&home.codex_home());
        });
        let mut drive = site.drive();
        open_newest(&mut drive);
        drive.until("item 99:");
        drive.key("Home");
        drive.until("turn 1:");
        assert_eq!(site.model.asked(), [], "{}", site.name);
        drive.quit();
    }
}

#[test]
fn a_running_conversation_is_left_and_reopened_without_a_gap_or_a_repeat() {
    for site in Site::all() {
        let mut drive = site.drive();
        drive.until("Awaiting conversation selection");
        drive.key("Ctrl+N");
        drive.type_text("SLOW 150 30");
        drive.key("Ctrl+Enter");
        drive.until("w10 ");
        // Another conversation is on screen while it goes on.
        drive.key("Ctrl+N");
        drive.until("New conversation");
        drive.key("Ctrl+K");
        drive.type_text("SLOW");
        drive.key("Enter");
        drive.until("w40 ");
        drive.until_no_button("Stop");
        let words: Vec<String> = (0..150).map(|word| format!("w{word}")).collect();
        let whole = words.join(" ");
        drive.key("End");
        let texts = drive.texts();
        let answers: Vec<_> = texts.iter().filter(|text| text.contains("w0 w1 ") || text.contains("w148")).collect();
        let mut shown_whole = 0;
        for answer in answers {
            let from = answer.find("w0 ").unwrap_or_default();
            let shown = answer[from..].trim_end();
            // Labels and announcements are short; the message itself is not.
            let beginning = shown.strip_suffix('\u{2026}').unwrap_or(shown);
            assert!(whole.starts_with(beginning), "{}: {answer}", site.name);
            shown_whole += usize::from(shown == whole);
        }
        assert!(shown_whole > 0, "{}: {texts:?}", site.name);
        assert_eq!(site.model.times("SLOW 150 30"), 1, "{}", site.name);
        drive.quit();
    }
}
