//! The whole program, driven by its keys, against the real app-servers with a scripted model.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::kit::codex::{self, Codex, Home, PATIENCE, TARGET};
use crate::kit::drive::Drive;
use crate::kit::eventually;
use crate::kit::model::Model;
use crate::kit::script::is_alive;

/// A real server in a home of its own with a scripted model, and a way to reach it.
pub struct Site {
    pub name: String,
    pub model: Model,
    pub home: Home,
    codex: Codex,
    dir: tempfile::TempDir,
    /// Over WebSocket with a token; else the program starts the server itself.
    remote: Option<Remote>,
}

impl Site {
    pub fn new(codex: Codex, websocket: bool, prepare: impl Fn(&Home)) -> Self {
        let (model, dir) = (Model::start(), tempfile::tempdir().unwrap());
        let home = Home::new(&model);
        prepare(&home);
        let token = dir.path().join("token");
        std::fs::write(&token, "canary-token-4711\n").unwrap();
        let remote = websocket.then(|| Remote::start(&home, &codex, &token));
        let name = format!("{} over {}", codex.version, if websocket { "WebSocket" } else { "stdio" });
        Self { name, model, home, codex, dir, remote }
    }

    /// Every version over both transports.
    pub fn all() -> impl Iterator<Item = Self> {
        let ways = codex::installed().into_iter().flat_map(|codex| [(codex.clone(), false), (codex, true)]);
        ways.map(|(codex, websocket)| Self::new(codex, websocket, |_| {}))
    }

    /// The program, connected or about to be; each time with the same settings.
    pub fn drive(&self) -> Drive {
        let settings = self.dir.path().join("settings");
        match &self.remote {
            Some(remote) => remote.drive(&self.dir.path().join("token"), &settings),
            None => local(&self.home, &self.codex, &settings),
        }
    }
}

/// Starts the program on a real server over stdio.
fn local(home: &Home, codex: &Codex, settings: &Path) -> Drive {
    Drive::start(|command| {
        let prepared = home.command(codex);
        command.envs(prepared.get_envs().filter_map(|(key, value)| Some((key, value?))));
        command.arg("--codex").arg(&codex.path).arg("--cwd").arg(home.work_dir()).arg("--settings").arg(settings);
    })
}

/// Ctrl+N, the script, Ctrl+Enter.
fn send_in_new(drive: &mut Drive, script: &str) {
    drive.until("Awaiting conversation selection");
    drive.key("Ctrl+N");
    drive.type_text(script);
    drive.key("Ctrl+Enter");
}

/// Once per finished answer, however long it streamed.
fn count(said: &[String], what: &str) -> usize {
    said.iter().filter(|text| text.contains(what)).count()
}

#[test]
fn a_conversation_begins_streams_is_read_again_and_joined_on_every_version_over_both_transports() {
    for site in Site::all() {
        let model = &site.model;
        let script = "REASON 4 10; SLOW 20 40; TOOL echo first; LONG 9";
        let mut drive = site.drive();
        send_in_new(&mut drive, script);
        // Unfinished: the sixth word is there and the last is not.
        drive.until("w5");
        assert!(!drive.texts().iter().any(|text| text.contains("w19")), "{} showed it at once", site.name);
        drive.until("echo first', exit 0");
        drive.until("Codex: abcdefghi");
        drive.until_no_button("Stop");
        let said = drive.announcements();
        assert_eq!(count(&said, "Codex: w0 w1 w2"), 1, "{}: {said:?}", site.name);
        drive.quit();

        let mut drive = site.drive();
        drive.until("Awaiting conversation selection");
        let asked = model.asked().len();
        drive.key("Ctrl+K");
        drive.key("Enter");
        drive.until("Viewing history only");
        drive.until("Codex: abcdefghi");
        assert_eq!(model.asked().len(), asked, "reading asks the model nothing");
        drive.press_by_keyboard("Join");
        drive.until_button("Send");
        let again = "TOOL echo again";
        drive.type_text(again);
        drive.key("Ctrl+Enter");
        drive.until("echo again', exit 0");
        drive.until_no_button("Stop");
        assert_eq!(model.times(again), 1, "{}", site.name);
        drive.quit();
    }
}

#[test]
fn a_running_turn_is_steered_and_interrupted_by_keys_on_every_version_over_both_transports() {
    for site in Site::all() {
        let model = &site.model;
        let mut drive = site.drive();
        send_in_new(&mut drive, "SLOW 60 50");
        drive.until("w3");
        drive.type_text("SLOW 900 50");
        drive.key("Ctrl+Enter");
        eventually("the steered text reaches the model", || model.times("SLOW 900 50") == 1);
        drive.until("w70");
        drive.key("Ctrl+.");
        drive.until_no_button("Stop");
        assert!(!drive.texts().iter().any(|text| text.contains("w899")), "{} went on", site.name);
        assert_eq!(model.times("SLOW 900 50"), 1, "{}", site.name);
        drive.quit();
    }
}

#[test]
fn a_command_and_a_patch_are_declined_and_accepted_by_keyboard_on_every_version_over_both_transports() {
    for site in Site::all() {
        let (model, home) = (&site.model, &site.home);
        let mut drive = site.drive();
        send_in_new(&mut drive, "ESC touch refused; SLOW 3 10");
        drive.until("Run this command?");
        drive.answer_by_keyboard("Decline", "Run this command?");
        drive.until("Codex: w0 w1 w2");
        drive.until_no_button("Stop");
        assert!(!home.work_dir().join("refused").exists(), "{}", site.name);

        send_in_open(&mut drive, "ESC touch accepted; SLOW 4 10");
        drive.until("Run this command?");
        drive.answer_by_keyboard("Accept", "Run this command?");
        drive.until("Codex: w0 w1 w2 w3");
        drive.until_no_button("Stop");
        assert!(home.work_dir().join("accepted").exists(), "{}", site.name);

        for (file, answer) in [("kept.txt", "Accept"), ("refused.txt", "Decline")] {
            send_in_open(&mut drive, &format!("PATCH {file} content"));
            drive.until("Apply this change?");
            drive.answer_by_keyboard(answer, "Apply this change?");
            drive.until_no_button("Stop");
            assert_eq!(home.work_dir().join(file).exists(), answer == "Accept", "{} {file}", site.name);
        }

        // Cancel answers and ends the turn: the model is not asked to go on.
        send_in_open(&mut drive, "ESC touch cancelled; SLOW 5 10");
        drive.until("Run this command?");
        drive.answer_by_keyboard("Cancel", "Run this command?");
        drive.until_no_button("Stop");
        assert!(!home.work_dir().join("cancelled").exists(), "{}", site.name);
        assert_eq!(model.times("ESC touch cancelled; SLOW 5 10"), 1, "{}", site.name);
        assert!(!drive.texts().iter().any(|text| text.contains("w0 w1 w2 w3 w4")), "{}", site.name);
        drive.quit();
    }
}

/// Another message in the open conversation.
fn send_in_open(drive: &mut Drive, script: &str) {
    drive.tell(&json!({"act": {"role": "multilineTextInput", "name": "Message", "action": "focus"}}));
    drive.type_text(script);
    drive.key("Ctrl+Enter");
}

/// The server's whole group: npm's script and the program behind it.
fn signal_group(signal: &str, server: u32) {
    assert!(Command::new("kill").args([signal, "--", &format!("-{server}")]).status().unwrap().success());
}

fn pid(state: &serde_json::Value, key: &str) -> u32 {
    u32::try_from(state[key].as_u64().expect(key)).unwrap()
}

/// The text field's node.
fn message_field(drive: &mut Drive) -> serde_json::Value {
    let named = |node: &serde_json::Value| node["role"] == "multilineTextInput" && node["name"] == "Message";
    drive.nodes().into_iter().find(named).expect("a composer")
}

#[test]
fn a_killed_server_is_connected_again_and_the_draft_waits_for_the_user_byte_for_byte() {
    let Some(codex) = codex::codex(TARGET) else { return };
    let (model, settings) = (Model::start(), tempfile::tempdir().unwrap());
    let home = Home::new(&model);
    let mut drive = local(&home, &codex, settings.path());
    send_in_new(&mut drive, "SLOW 3 10");
    drive.until("Codex: w0 w1 w2");
    drive.until_no_button("Stop");
    let draft = "  not sent yet: \u{fc}n\u{ef} \u{1f680} ";
    drive.type_text(draft);
    let state = drive.state();
    let (worker, server) = (pid(&state, "worker_pid"), pid(&state, "server_pid"));
    let asked = model.asked().len();
    signal_group("-9", server);
    drive.until("Unsent text kept");
    drive.until_state("Awaiting conversation selection");
    let said = drive.announcements();
    assert_eq!(count(&said, "Reconnecting."), 1, "{said:?}");
    let field = message_field(&mut drive);
    assert!(field["states"].as_array().is_some_and(|states| states.iter().any(|state| state == "focused")), "{field}");
    assert_eq!(field["value"].as_str().unwrap_or_default(), "", "nothing is restored by itself");
    eventually("the end of worker and server", || !is_alive(worker) && !is_alive(server));
    assert_ne!(pid(&drive.state(), "worker_pid"), worker);

    drive.key("Ctrl+K");
    drive.key("Enter");
    drive.until("Viewing history only");
    drive.press_by_keyboard("Confirm connection");
    drive.until("Connection confirmed");
    drive.press_by_keyboard("Restore draft");
    drive.tell(&json!({"wait": {"text": "Unsent text kept", "gone": true}, "ms": 10_000}));
    assert_eq!(message_field(&mut drive)["value"], draft);
    assert_eq!(model.asked().len(), asked, "nothing was sent");
    drive.quit();
}

#[test]
fn a_message_in_flight_when_the_server_dies_is_unknown_and_never_sent_again() {
    let Some(codex) = codex::codex(TARGET) else { return };
    let (model, settings) = (Model::start(), tempfile::tempdir().unwrap());
    let home = Home::new(&model);
    let mut drive = local(&home, &codex, settings.path());
    send_in_new(&mut drive, "SLOW 3 10");
    drive.until("Codex: w0 w1 w2");
    drive.until_no_button("Stop");
    let server = pid(&drive.state(), "server_pid");
    let asked = model.asked().len();
    signal_group("-STOP", server);
    let lost = "TOOL echo in flight";
    drive.type_text(lost);
    drive.key("Ctrl+Enter");
    signal_group("-9", server);
    drive.until("Not known whether the message was sent");
    drive.until("sending again may run it twice.");
    drive.until_state("Awaiting conversation selection");
    drive.key("Ctrl+K");
    drive.key("Enter");
    drive.until("Viewing history only");
    drive.until("Not in history as of");
    drive.until_button("Edit into composer");
    assert_eq!((model.asked().len(), model.times(lost)), (asked, 0), "nothing was sent again");
    drive.quit();
}

#[test]
fn a_server_that_cannot_be_started_is_named_with_its_end_in_words() {
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("missing codex");
    let plain = dir.path().join("plain file");
    std::fs::write(&plain, "no program").unwrap();
    let exits = crate::kit::script::codex(dir.path(), "exit 7");
    let ends = [
        (&missing, "was not found"),
        (&plain, "is there but may not be run"),
        (&exits, "ended before it was ready: exit code 7"),
    ];
    for (path, end) in ends {
        let settings = tempfile::tempdir().unwrap();
        let mut drive = Drive::start(|command| {
            command.arg("--codex").arg(path).arg("--cwd").arg(dir.path()).arg("--settings").arg(settings.path());
        });
        drive.until(&format!("{} {end}", path.display()));
        drive.quit();
    }
}

/// A real server on a loopback WebSocket with a token.
pub struct Remote {
    child: Child,
    url: String,
}

impl Remote {
    fn start(home: &Home, codex: &Codex, token: &Path) -> Self {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("ws://127.0.0.1:{port}");
        let mut command = home.command(codex);
        command.args(["app-server", "--listen", &url, "--ws-auth", "capability-token", "--ws-token-file"]).arg(token);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = std::time::Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < PATIENCE, "the server does not listen");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        Self { child, url }
    }

    fn drive(&self, token: &Path, settings: &Path) -> Drive {
        Drive::start(|command| {
            command.args(["--ws", &self.url, "--token-file"]).arg(token).arg("--settings").arg(settings);
        })
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        // npm's script has the server as its child, in the group of this test: the script ends it.
        Command::new("pkill").args(["-9", "-P", &self.child.id().to_string()]).status().ok();
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn over_websocket_two_clients_share_a_turn_and_a_wrong_token_is_told_apart() {
    let Some(codex) = codex::codex(TARGET) else { return };
    let (model, dir) = (Model::start(), tempfile::tempdir().unwrap());
    let home = Home::new(&model);
    let (token, wrong) = (dir.path().join("token"), dir.path().join("wrong"));
    std::fs::write(&token, "canary-token-4711\n").unwrap();
    std::fs::write(&wrong, "canary-wrong-0815\n").unwrap();
    let remote = Remote::start(&home, &codex, &token);

    let mut first = remote.drive(&token, &dir.path().join("a"));
    send_in_new(&mut first, "SLOW 400 50; LONG 9");
    first.until("w5");
    let mut second = remote.drive(&token, &dir.path().join("b"));
    second.until("Awaiting conversation selection");
    second.key("Ctrl+K");
    second.key("Enter");
    second.until("Viewing history only");
    second.press_by_keyboard("Join");
    second.until("The beginning arrives when this block completes.");
    second.until("Codex: abcdefghi");
    second.until("w0 w1 w2");
    first.until("Codex: abcdefghi");
    assert!(!first.texts().iter().chain(&second.texts()).any(|text| text.contains("canary")));
    first.quit();
    second.quit();

    let mut refused = remote.drive(&wrong, &dir.path().join("c"));
    refused.until("Sign-in required");
    assert!(!refused.texts().iter().any(|text| text.contains("canary")));
    refused.quit();
}
