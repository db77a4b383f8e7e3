//! Which Codex there is, and whether Rejoin knows its version.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::Finding;
use crate::settings::codex::{self, Support};

/// A cold start through npm's script takes a second on a slow disk.
const VERSION_WAIT: Duration = Duration::from_secs(15);
/// `codex --version` prints one line.
const VERSION_BYTES: u64 = 4096;

/// The Codex that would be started, and the others that were found.
pub(super) fn codex(option: Option<&Path>, setting: Option<&Path>) -> Vec<Finding> {
    let found = codex::find();
    let (program, place) = match (option, setting, found.first()) {
        (Some(path), _, _) => (path.to_owned(), "--codex"),
        (None, Some(path), _) => (path.to_owned(), "settings"),
        (None, None, Some(first)) => (first.path.clone().into(), first.place),
        (None, None, None) => {
            return vec![Finding::warning(
                "Codex",
                "not found on PATH, nor where npm, winget and others put it",
                "Install it (npm install -g @openai/codex) or name it with --codex. \
                 Remote servers and the demo work without it.",
            )];
        }
    };
    let mut findings = vec![examine(&program, place)];
    let others = found.iter().filter(|other| Path::new(&other.path) != program);
    findings.extend(others.map(|other| Finding::ok("Codex", format!("also at {} ({})", other.path, other.place))));
    findings
}

fn examine(program: &Path, place: &str) -> Finding {
    let at = format!("{} ({place})", program.display());
    let output = match version_output(program) {
        Ok(output) => output,
        Err(why) => {
            return Finding::problem(
                "Codex",
                format!("{at}: {why}"),
                "Choose another one with --codex, or reinstall it.",
            );
        }
    };
    let Some(version) = codex::version(&output) else {
        return Finding::problem(
            "Codex",
            format!("{at} does not tell a version; is it Codex?"),
            "Choose another one with --codex, or reinstall it.",
        );
    };
    let found = format!("{} at {at}", codex::display(version));
    let range = format!("{} to {}", codex::display(codex::OLDEST), codex::display(codex::NEWEST));
    match codex::support(version) {
        Support::Tested => Finding::ok("Codex", found),
        Support::NotTriedYet => Finding::warning(
            "Codex",
            format!("{found}, newer than what was tried ({range})"),
            "It should work. If something does not, say which version you have.",
        ),
        Support::TooOld => Finding::problem(
            "Codex",
            format!("{found}, older than what was tried ({range})"),
            "Update it (npm install -g @openai/codex).",
        ),
    }
}

/// What `PROGRAM --version` prints.
fn version_output(program: &Path) -> Result<String, String> {
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such program".to_owned(),
            std::io::ErrorKind::PermissionDenied => "it may not be executed".to_owned(),
            _ => format!("it cannot be started ({error})"),
        })?;
    let stdout = child.stdout.take().ok_or("its output cannot be read")?;
    let (sender, receiver) = mpsc::channel();
    // A thread, because a pipe has no timeout. It ends with the pipe.
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let read = stdout.take(VERSION_BYTES).read_to_end(&mut text).map(|_| text);
        // The receiver may have given up.
        sender.send(read).ok();
    });
    let read = receiver.recv_timeout(VERSION_WAIT);
    if read.is_err() {
        // It may have ended in this moment.
        child.kill().ok();
    }
    let exit = child.wait().map_err(|error| format!("it cannot be waited for ({error})"))?;
    match read {
        Err(_) => Err(format!("no answer to --version in {} s", VERSION_WAIT.as_secs())),
        Ok(Err(error)) => Err(format!("its output cannot be read ({error})")),
        Ok(Ok(_)) if !exit.success() => Err(format!("--version failed ({exit})")),
        Ok(Ok(text)) => Ok(String::from_utf8_lossy(&text).into_owned()),
    }
}
