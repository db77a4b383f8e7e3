//! Real worker processes: the handshake, clean ends, and that no death leaves a process behind.

#[path = "worker_process/relay.rs"]
mod relay;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rejoin::base::{BridgeId, Stamp};
use rejoin::contract::request::Clock;
use rejoin::contract::{Event, Failure, FailureKind, Request, Target};
use rejoin::link::{self, LinkEvent, LinkSender};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::kit::{PATIENCE, eventually, script};

const STAMP: Stamp = Stamp { owner: 3, connection: 4 };

/// An app-server as far as `initialize` goes; then it waits for the end of its stdin.
const SERVER: &str = r#"read -r line; id=${line#*\"id\":}; id=${id%%[,\}]*}
printf '{"id":%s,"result":{"userAgent":"t/0.159.1 (x)","codexHome":"/","platformFamily":"unix","platformOs":"linux"}}\n' "$id"
"#;

struct Gui {
    sender: LinkSender,
    events: mpsc::Receiver<LinkEvent>,
}

impl Gui {
    fn start(program: PathBuf) -> Self {
        let (sender, events) = link::start(BridgeId(1), STAMP, program, Clock::Real);
        Self { sender, events }
    }

    async fn next(&mut self) -> LinkEvent {
        tokio::time::timeout(PATIENCE, self.events.recv()).await.expect("an event in time").expect("an event")
    }

    async fn event(&mut self) -> Event {
        match self.next().await {
            LinkEvent::Event { event, .. } => event,
            LinkEvent::Gone(failure) => panic!("gone: {failure:?}"),
        }
    }

    async fn gone(&mut self) -> Failure {
        loop {
            if let LinkEvent::Gone(failure) = self.next().await {
                assert_eq!(self.events.recv().await, None);
                return failure;
            }
        }
    }

    /// The pid of the worker.
    async fn hello(&mut self) -> u32 {
        match self.event().await {
            Event::Hello { pid, .. } => pid,
            other => panic!("no Hello: {other:?}"),
        }
    }

    /// The pid of the app-server.
    async fn connect(&mut self, program: PathBuf) -> u32 {
        let target = Target::Stdio { program, cwd: Some("/".into()) };
        self.sender.send(STAMP, Request::Connect { target });
        match self.event().await {
            Event::Connected { server } => server.pid.expect("an owned child has a pid"),
            other => panic!("not connected: {other:?}"),
        }
    }
}

fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

async fn until_gone(what: &str, pid: u32) {
    let gone = async {
        while script::is_alive(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, gone).await.is_ok(), "{what} ({pid}) is still there");
}

/// A server behind a shell script, which ignores the end of its stdin: the worst kind to get rid of.
fn stubborn_shim(dir: &Path) -> (PathBuf, PathBuf) {
    let note = dir.join("grandchild");
    let inner = dir.join("server");
    script::write(&inner, &format!("#!/bin/sh\ntrap '' TERM HUP\n{SERVER}while :; do sleep 600; done\n"));
    let body = format!("'{}' <&0 & echo $! > '{}'\nwait", inner.display(), note.display());
    // `&` gives a background command /dev/null for stdin unless it is redirected.
    (script::codex(dir, &format!("exec 3<&0\n{}", body.replace("<&0", "<&3"))), note)
}

#[tokio::test]
async fn a_worker_connects_and_ends_with_its_server_when_the_pipe_closes() {
    let dir = tempfile::tempdir().unwrap();
    let mut gui = Gui::start(relay::program(dir.path()));
    let worker = gui.hello().await;
    let server = gui.connect(script::codex(dir.path(), &format!("{SERVER}cat >/dev/null"))).await;
    assert!(script::is_alive(worker) && script::is_alive(server));
    let Gui { sender, mut events } = gui;
    drop(sender);
    let last = async {
        let mut last = None;
        while let Some(event) = events.recv().await {
            last = Some(event);
        }
        last
    };
    let Some(LinkEvent::Gone(failure)) = tokio::time::timeout(PATIENCE, last).await.unwrap() else { panic!() };
    assert!(failure.detail.contains("exit status: 0"), "{failure:?}");
    assert!(!script::is_alive(worker) && !script::is_alive(server));
}

#[tokio::test]
async fn disconnect_ends_server_and_worker_and_the_server_s_end_ends_the_worker() {
    let dir = tempfile::tempdir().unwrap();
    let program = script::codex(dir.path(), &format!("{SERVER}cat >/dev/null"));
    for by_user in [true, false] {
        let mut gui = Gui::start(relay::program(dir.path()));
        let worker = gui.hello().await;
        let server = gui.connect(program.clone()).await;
        if by_user {
            gui.sender.send(STAMP, Request::Disconnect);
        } else {
            kill(server);
        }
        let Event::Disconnected { failure } = gui.event().await else { panic!("not disconnected") };
        if !by_user {
            assert!(
                matches!(&failure.kind, FailureKind::ProcessExited { exit, .. } if exit == "killed by signal 9"),
                "{failure:?}"
            );
        }
        gui.gone().await;
        until_gone("the worker", worker).await;
        until_gone("the server", server).await;
    }
}

#[tokio::test]
async fn a_killed_worker_takes_its_server_along_also_behind_a_script() {
    let dir = tempfile::tempdir().unwrap();
    let mut gui = Gui::start(relay::program(dir.path()));
    let worker = gui.hello().await;
    let (shim, note) = stubborn_shim(dir.path());
    let server = gui.connect(shim).await;
    let grandchild = script::pid_in(&note);
    assert!(script::is_alive(server) && script::is_alive(grandchild));
    kill(worker);
    let failure = gui.gone().await;
    let FailureKind::Worker { why } = &failure.kind else { panic!("{failure:?}") };
    assert!(why.contains("signal: 9"), "{why}");
    until_gone("the script", server).await;
    until_gone("the server behind it", grandchild).await;
}

/// A process between the test and the worker, so that it can be killed: the other half of the next test.
#[tokio::test]
async fn intermediate_gui() {
    let Some(dir) = std::env::var_os("REJOIN_TEST_GUI").map(PathBuf::from) else { return };
    let mut gui = Gui::start(relay::program(&dir));
    let worker = gui.hello().await;
    let (shim, note) = stubborn_shim(&dir);
    let server = gui.connect(shim).await;
    let grandchild = script::pid_in(&note);
    std::fs::write(dir.join("pids.new"), format!("{worker} {server} {grandchild}")).unwrap();
    std::fs::rename(dir.join("pids.new"), dir.join("pids")).unwrap();
    std::future::pending::<()>().await;
}

/// Ends a process of a failed test, too.
struct Reaped(Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn a_killed_gui_leaves_no_process() {
    let dir = tempfile::tempdir().unwrap();
    let mut gui = Reaped(
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "worker_process::intermediate_gui"])
            .env("REJOIN_TEST_GUI", dir.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let pids = dir.path().join("pids");
    eventually("the connection of the intermediate GUI", || pids.exists());
    let pids: Vec<u32> = std::fs::read_to_string(pids).unwrap().split(' ').map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.iter().all(|pid| script::is_alive(*pid)));
    gui.0.kill().unwrap();
    gui.0.wait().unwrap();
    for pid in pids {
        eventually("the end of everything", || !script::is_alive(pid));
    }
}

#[tokio::test]
async fn a_worker_of_another_build_is_refused_with_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let hellos = [
        r#"{"seq":1,"body":{"hello":{"contract":20,"build":"0.1.0","pid":1}}}"#,
        r#"{"seq":1,"body":{"hello":{"contract":19,"build":"0.0.0","pid":1}}}"#,
        r#"{"seq":1,"body":{"hello":{"contract":20,"new":true}}}"#,
    ];
    for hello in hellos {
        let program = script::codex(dir.path(), &format!("echo '{hello}'; cat >/dev/null"));
        let failure = Gui::start(program).gone().await;
        let FailureKind::Worker { why } = &failure.kind else { panic!("{failure:?}") };
        assert!(why.contains("updated") && why.contains("start it again"), "{why}");
    }
}

#[tokio::test]
async fn stray_lines_are_skipped_a_gap_is_lagged_and_a_broken_line_ends_the_bridge() {
    let dir = tempfile::tempdir().unwrap();
    let body = format!(
        r#"echo 'stray before'
echo '{{"seq":1,"body":{{"hello":{{"contract":19,"build":"{}","pid":7}}}}}}'
read -r welcome
echo 'stray after'
echo '{{"seq":5,"stamp":{{"owner":3,"connection":4}},"body":{{"turnEnded":{{"thread":"t"}}}}}}'
echo '{{"seq":6,"body":{{"unheardOf":1}}}}'
exec sleep 600"#,
        env!("CARGO_PKG_VERSION")
    );
    let mut gui = Gui::start(script::codex(dir.path(), &body));
    assert_eq!(gui.hello().await, 7);
    assert_eq!(gui.next().await, LinkEvent::Event { stamp: Some(STAMP), event: Event::Lagged { missed: 3 } });
    assert_eq!(gui.event().await, Event::TurnEnded { thread: "t".into() });
    let failure = gui.gone().await;
    assert!(matches!(&failure.kind, FailureKind::Worker { why } if why.contains("contract 19")), "{failure:?}");
}

#[tokio::test]
async fn a_program_that_cannot_be_started_or_dies_at_once_is_gone_with_its_last_words() {
    let failure = Gui::start("/nonexistent/rejoin".into()).gone().await;
    assert!(failure.detail.contains("/nonexistent/rejoin"), "{failure:?}");
    let dir = tempfile::tempdir().unwrap();
    let failure = Gui::start(script::codex(dir.path(), "echo 'last words' >&2; exit 9")).gone().await;
    assert!(matches!(&failure.kind, FailureKind::Worker { why } if why.contains("exit status: 9")), "{failure:?}");
    assert_eq!(failure.stderr, ["last words"]);
}

#[tokio::test]
async fn the_token_is_in_nothing_that_a_worker_writes() {
    let dir: TempDir = tempfile::tempdir().unwrap();
    let token_file = dir.path().join("token");
    std::fs::write(&token_file, "worker-canary-42").unwrap();
    let (address, headers) = crate::kit::websocket_server::websocket(None, |mut socket| async move {
        use tokio_tungstenite::tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};
        let reason = "worker-canary-42".into();
        socket.close(Some(CloseFrame { code: CloseCode::Policy, reason })).await.ok();
        while let Some(Ok(_)) = futures_util::StreamExt::next(&mut socket).await {}
    })
    .await;
    let mut worker = tokio::process::Command::new(relay::program(dir.path()))
        .arg("worker")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = worker.stdin.take().unwrap();
    let mut encoder = rejoin::contract::line::Encoder::default();
    let welcome = Request::Welcome { stamp: STAMP, clock: Clock::Real };
    let target = Target::WebSocket { url: format!("ws://{address}"), token_file: Some(token_file), ca_file: None };
    let lines =
        [encoder.encode(None, welcome).unwrap(), encoder.encode(Some(STAMP), Request::Connect { target }).unwrap()];
    tokio::io::AsyncWriteExt::write_all(&mut stdin, lines.concat().as_bytes()).await.unwrap();
    let output = tokio::time::timeout(PATIENCE, worker.wait_with_output()).await.unwrap().unwrap();
    drop(stdin);
    assert!(headers.lock().unwrap().contains(&"authorization: Bearer worker-canary-42".to_owned()));
    let written = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(written.contains("1008") && !written.contains("canary"), "{written}");
}
