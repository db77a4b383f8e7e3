//! A child's own ways to fail.

use std::path::Path;
use std::time::Duration;

use rejoin::contract::{Failure, FailureKind, Target};
use rejoin::worker::transport::{self, Settings, TransportEvent};

use super::{closed, message, next, open, opened, settings};
use crate::kit::{eventually, script};

fn target(program: impl AsRef<Path>) -> Target {
    Target::Stdio { program: program.as_ref().to_owned(), cwd: Some("/".into()) }
}

async fn end_of(program: impl AsRef<Path>) -> Failure {
    closed(&mut open(target(program))).await
}

#[tokio::test]
async fn a_missing_program_is_named() {
    let program = "/nonexistent dir/cödex".to_owned();
    assert_eq!(end_of(&program).await.kind, FailureKind::ProgramMissing { program });
}

#[tokio::test]
async fn what_may_not_be_run_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let plain = dir.path().join("plain");
    std::fs::write(&plain, "#!/bin/sh\n").unwrap();
    let orphan = dir.path().join("no-interpreter");
    script::write(&orphan, "#!/nonexistent/interpreter\n");
    for program in [plain.as_path(), dir.path(), &orphan] {
        let failure = end_of(program).await;
        let program = program.display().to_string();
        assert_eq!(failure.kind, FailureKind::ProgramNotExecutable { program });
        assert!(!failure.detail.is_empty());
    }
}

#[tokio::test]
async fn a_missing_directory_is_not_taken_for_a_missing_program() {
    let target = Target::Stdio { program: "/bin/cat".into(), cwd: Some("/nonexistent".into()) };
    let failure = closed(&mut open(target)).await;
    assert_eq!(failure.kind, FailureKind::DirectoryMissing { directory: "/nonexistent".to_owned() });
}

#[tokio::test]
async fn an_early_end_has_its_exit_in_words_and_the_redacted_last_lines_of_stderr() {
    let dir = tempfile::tempdir().unwrap();
    let body = "echo starting >&2; echo 'Authorization: Bearer canary-stderr' >&2; printf 'no line end' >&2; exit 7";
    let program = script::codex(dir.path(), body);
    let failure = end_of(&program).await;
    let name = program.display().to_string();
    assert_eq!(
        failure.kind,
        FailureKind::ProcessExited { program: name, exit: "exit code 7".to_owned(), before_ready: true }
    );
    assert_eq!(failure.stderr, ["starting", "Authorization: Bearer [redacted]", "no line end"]);
}

#[tokio::test]
async fn a_signal_is_told_and_a_server_that_spoke_was_ready() {
    let dir = tempfile::tempdir().unwrap();
    let program = script::codex(dir.path(), "echo '{\"id\":1}'; kill -9 $$");
    let mut transport = open(target(&program));
    opened(&mut transport).await;
    assert_eq!(message(&mut transport).await, "{\"id\":1}");
    let FailureKind::ProcessExited { exit, before_ready, .. } = closed(&mut transport).await.kind else { panic!() };
    assert_eq!((exit.as_str(), before_ready), ("killed by signal 9", false));
}

#[tokio::test]
async fn a_program_that_prints_other_things_is_no_app_server() {
    let dir = tempfile::tempdir().unwrap();
    for body in ["yes 'Usage: codex'", "tr '\\0' x < /dev/zero", "yes {x"] {
        let program = script::codex(dir.path(), &format!("exec {body}"));
        let FailureKind::NotAnAppServer { why } = end_of(&program).await.kind else { panic!("{body}") };
        assert!(why.contains(&program.display().to_string()), "{why}");
    }
}

#[tokio::test]
async fn a_banner_before_the_first_message_is_skipped() {
    let dir = tempfile::tempdir().unwrap();
    let program =
        script::codex(dir.path(), "echo 'npm notice'; echo; printf '\\357\\273\\277{\"id\":1}\\r\\n'; echo stray; cat");
    let mut transport = open(target(&program));
    opened(&mut transport).await;
    assert_eq!(message(&mut transport).await, "{\"id\":1}");
    assert_eq!(next(&mut transport).await, TransportEvent::Ignored("line that is no message"));
    transport.close().await;
}

#[tokio::test]
async fn invalid_utf8_is_replaced_and_counted() {
    let dir = tempfile::tempdir().unwrap();
    let program = script::codex(dir.path(), "printf '{\"t\":\"a\\377b\"}\\n{\"t\":\"c\"}\\n'; cat");
    let mut transport = open(target(&program));
    opened(&mut transport).await;
    assert_eq!(next(&mut transport).await, TransportEvent::Ignored("invalid UTF-8"));
    assert_eq!(message(&mut transport).await, "{\"t\":\"a\u{fffd}b\"}");
    assert_eq!(message(&mut transport).await, "{\"t\":\"c\"}");
    transport.close().await;
}

#[tokio::test]
async fn a_path_with_spaces_and_unicode_works_and_app_server_is_its_argument() {
    let dir = tempfile::tempdir().unwrap();
    let odd = dir.path().join("Größe \u{1f680} $(x) 'q'");
    std::fs::create_dir(&odd).unwrap();
    let program = script::codex(&odd, "printf '{\"args\":\"%s\",\"cwd\":\"%s\"}\\n' \"$*\" \"$PWD\"; cat");
    let mut transport = open(Target::Stdio { program, cwd: Some(odd.clone()) });
    opened(&mut transport).await;
    assert_eq!(message(&mut transport).await, format!("{{\"args\":\"app-server\",\"cwd\":\"{}\"}}", odd.display()));
    transport.close().await;
}

#[tokio::test]
async fn a_server_that_ignores_the_end_of_its_stdin_is_killed_with_its_children() {
    let dir = tempfile::tempdir().unwrap();
    let note = dir.path().join("grandchild");
    let body = format!(
        "trap '' TERM HUP; sleep 600 & echo $! > '{}'; echo '{{}}'; while :; do sleep 600; done",
        note.display()
    );
    let program = script::codex(dir.path(), &body);
    let settings = Settings { child_grace: Duration::from_millis(200), ..settings() };
    let mut transport = transport::open(target(&program), settings);
    let pid = opened(&mut transport).await.unwrap();
    message(&mut transport).await;
    let grandchild = script::pid_in(&note);
    assert!(script::is_alive(pid) && script::is_alive(grandchild));
    transport.close().await;
    assert!(!script::is_alive(pid));
    eventually("the end of the grandchild", || !script::is_alive(grandchild));
}

#[tokio::test]
async fn dropping_a_transport_ends_its_child() {
    let dir = tempfile::tempdir().unwrap();
    let program = script::codex(dir.path(), "exec cat");
    let mut transport = open(target(&program));
    let pid = opened(&mut transport).await.unwrap();
    drop(transport);
    let gone = async {
        while script::is_alive(pid) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(crate::kit::PATIENCE, gone).await.expect("the end of the child");
}

#[tokio::test]
async fn the_end_of_the_child_is_a_loss_also_if_what_it_started_keeps_its_pipes() {
    let dir = tempfile::tempdir().unwrap();
    let note = dir.path().join("grandchild");
    // As npm's script and the native server behind it.
    let body = format!("sleep 600 & echo $! > '{}'; echo '{{}}'; wait", note.display());
    let program = script::codex(dir.path(), &body);
    let mut transport = open(target(&program));
    let pid = opened(&mut transport).await.unwrap();
    message(&mut transport).await;
    let grandchild = script::pid_in(&note);
    assert!(std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    let FailureKind::ProcessExited { exit, before_ready, .. } = closed(&mut transport).await.kind else { panic!() };
    assert_eq!((exit.as_str(), before_ready), ("killed by signal 9", false));
    eventually("the end of the grandchild", || !script::is_alive(grandchild));
}
