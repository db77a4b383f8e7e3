//! A `codex app-server` child: one JSON object a line over its stdin and stdout (FACTS 1.1).
//!
//! Lines that are no objects are skipped; many of them before the first object mean that the
//! program is no app-server. The end of its stdin ends a server within a moment (FACTS 6.7).

use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::sync::mpsc;

use crate::base::lines::{Line, Splitter};
use crate::base::{limit, redact::redact};
use crate::contract::{Failure, FailureKind};

use super::process::{self, Owned, Pipes, Spawn};
use super::transport::{Command, Inbox, Outbox, Settings, TransportEvent, clip, failure};

/// Runs one child to its end and says why it ended.
pub(super) async fn run(
    program: PathBuf,
    cwd: Option<PathBuf>,
    settings: &Settings,
    inbox: Inbox,
    outbox: &Outbox,
) -> Failure {
    let cwd = cwd.or_else(std::env::home_dir);
    let (mut child, pipes) = match start(&program, cwd.as_deref(), settings) {
        Ok(started) => started,
        Err(failure) => return failure,
    };
    outbox.send(TransportEvent::Opened { pid: Some(child.pid()) }).await;
    let mut talk = Talk::default();
    let mut stderr = Ring::default();
    let end = pump(&mut child, pipes, inbox, outbox, &mut talk, &mut stderr, settings).await;
    let status = match child.end(settings.child_grace).await {
        Ok(status) => process::exit_words(status),
        Err(error) => format!("its end is unknown ({error})"),
    };
    let program = program.display().to_string();
    let mut failure = match end {
        End::Asked => failure(FailureKind::Disconnected, &status),
        End::TooLarge => failure(FailureKind::MessageTooLarge, ""),
        End::Gibberish => {
            let why = format!("{program} prints something else than the messages of an app-server");
            failure(FailureKind::NotAnAppServer { why }, &talk.banner())
        }
        End::OutputClosed => {
            failure(FailureKind::ProcessExited { program, exit: status, before_ready: !talk.began }, &talk.banner())
        }
    };
    failure.stderr = stderr.lines;
    failure
}

/// Why the conversation with a child ended.
enum End {
    /// We closed it.
    Asked,
    /// The child closed its stdout, nearly always by ending.
    OutputClosed,
    TooLarge,
    /// No app-server.
    Gibberish,
}

/// What the child said on its stdout.
#[derive(Debug, Default)]
struct Talk {
    /// An object has arrived.
    began: bool,
    /// The lines before it.
    strays: Vec<String>,
}

impl Talk {
    fn banner(&self) -> String {
        if self.began { String::new() } else { self.strays.join("\n") }
    }
}

async fn pump(
    child: &mut Owned,
    pipes: Pipes,
    inbox: Inbox,
    outbox: &Outbox,
    talk: &mut Talk,
    ring: &mut Ring,
    settings: &Settings,
) -> End {
    let mut stderr = pin!(ring.drain(pipes.stderr));
    let (mut writing, mut erring) = (true, true);
    let end = {
        let (commands, overdue) = inbox.split(settings.child_grace);
        let mut overdue = pin!(overdue);
        // A script that started the server may end and leave it behind with the pipes: nobody owns it then.
        let orphaned = async {
            child.exited().await;
            // Its last words are still in the pipe.
            tokio::time::sleep(settings.child_grace / 4).await;
        };
        let mut orphaned = pin!(orphaned);
        let mut write = pin!(write(pipes.stdin, commands));
        let mut read = pin!(read(pipes.stdout, outbox, talk, settings.message_limit));
        loop {
            tokio::select! {
                end = &mut read => break end,
                written = &mut write, if writing => match written {
                    Written::Asked => break End::Asked,
                    // Its stdout tells how it ends.
                    Written::Broken => writing = false,
                },
                () = &mut stderr, if erring => erring = false,
                () = &mut overdue => break End::Asked,
                () = &mut orphaned => break End::OutputClosed,
            }
        }
        // Here stdin and stdout are closed: the child is asked to end.
    };
    if erring && !matches!(end, End::Asked) {
        // The last words. A grandchild may keep the pipe open, so this wait is short.
        tokio::time::timeout(settings.child_grace / 4, stderr).await.ok();
    }
    end
}

enum Written {
    Asked,
    Broken,
}

async fn write(mut stdin: ChildStdin, mut inbox: mpsc::Receiver<Command>) -> Written {
    while let Some(command) = inbox.recv().await {
        match command {
            Command::Message(mut line) => {
                line.push('\n');
                if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
                    return Written::Broken;
                }
            }
            // A pipe has no sign of life of its own; the machine probes by a request.
            Command::Ping => {}
        }
    }
    Written::Asked
}

async fn read(mut stdout: impl AsyncRead + Unpin, outbox: &Outbox, talk: &mut Talk, limit: usize) -> End {
    let mut splitter = Splitter::new(limit);
    let mut chunk = vec![0; limit::CONTRACT_BATCH];
    let mut patience = None;
    loop {
        let read = stdout.read(&mut chunk);
        let count = match patience {
            Some(deadline) if !talk.began => match tokio::time::timeout_at(deadline, read).await {
                Ok(count) => count,
                Err(_) => return End::Gibberish,
            },
            _ => read.await,
        };
        let (mut rest, ended) = match count {
            Ok(0) | Err(_) => (&[][..], true),
            Ok(count) => (&chunk[..count], false),
        };
        while let Some(line) = splitter.feed(&mut rest).or_else(|| ended.then(|| splitter.finish()).flatten()) {
            match line {
                Line::Cut { .. } => return End::TooLarge,
                Line::Whole(bytes) => take(bytes, outbox, talk).await,
            }
            if talk.strays.len() >= limit::BANNER_LINES && !talk.began {
                return End::Gibberish;
            }
        }
        if ended {
            return End::OutputClosed;
        }
        if splitter.is_over() {
            return End::TooLarge;
        }
        if !talk.began && splitter.pending() > BANNER_BYTES && !splitter.starts_with(b"{") {
            return End::Gibberish;
        }
        if patience.is_none() && (!talk.strays.is_empty() || splitter.pending() > 0) {
            patience = Some(tokio::time::Instant::now() + limit::BANNER_TIME);
        }
    }
}

async fn take(bytes: Vec<u8>, outbox: &Outbox, talk: &mut Talk) {
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            outbox.send(TransportEvent::Ignored("invalid UTF-8")).await;
            String::from_utf8_lossy(error.as_bytes()).into_owned()
        }
    };
    let object = text.trim_start_matches(['\u{feff}', ' ', '\t']).starts_with('{');
    if object && (talk.began || is_json(&text)) {
        talk.began = true;
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        outbox.send(TransportEvent::Message(text)).await;
    } else if !text.trim().is_empty() {
        if talk.began {
            outbox.send(TransportEvent::Ignored("line that is no message")).await;
        } else {
            talk.strays.push(clip(&redact(&text), BANNER_LINE));
        }
    }
}

/// The last lines of a child's stderr, redacted.
#[derive(Debug, Default)]
struct Ring {
    lines: Vec<String>,
}

impl Ring {
    async fn drain(&mut self, mut stderr: impl AsyncRead + Unpin) {
        let mut splitter = Splitter::new(limit::STDERR_LINE);
        let mut chunk = [0; 8 << 10];
        loop {
            let count = stderr.read(&mut chunk).await.unwrap_or(0);
            let mut rest = &chunk[..count];
            while let Some(line) = splitter.feed(&mut rest) {
                self.push(line);
            }
            if count == 0 {
                if let Some(line) = splitter.finish() {
                    self.push(line);
                }
                return;
            }
        }
    }

    fn push(&mut self, line: Line) {
        let (Line::Whole(bytes) | Line::Cut { head: bytes, .. }) = line;
        if self.lines.len() == limit::STDERR_LINES {
            self.lines.remove(0);
        }
        self.lines.push(clip(&redact(&String::from_utf8_lossy(&bytes)), limit::STDERR_LINE));
    }
}

fn start(program: &Path, cwd: Option<&Path>, settings: &Settings) -> Result<(Owned, Pipes), Failure> {
    let name = program.display().to_string();
    if let Some(cwd) = cwd.filter(|cwd| !cwd.is_dir()) {
        let directory = cwd.display().to_string();
        return Err(failure(FailureKind::DirectoryMissing { directory }, ""));
    }
    let program = executable(program);
    let spawn = Spawn { program: &program, args: &["app-server"], cwd, guard: settings.guard.as_deref() };
    process::spawn(spawn).map_err(|error| {
        let kind = match error.kind() {
            // A script whose interpreter is missing is "not found" as well.
            io::ErrorKind::NotFound if !program.is_file() => FailureKind::ProgramMissing { program: name },
            _ => FailureKind::ProgramNotExecutable { program: name },
        };
        failure(kind, &error.to_string())
    })
}

/// The program to start for the one that was named: itself, unless it is the npm shim of Windows.
///
/// A `.cmd` shim would put `cmd.exe` and Node between us and the server; the native executable that
/// the shim ends up running is preferred if it lies where npm puts it.
fn executable(program: &Path) -> PathBuf {
    let named = if program.components().count() > 1 {
        std::path::absolute(program).unwrap_or_else(|_| program.to_owned())
    } else {
        // A bare name is looked up in PATH by the operating system.
        program.to_owned()
    };
    native_candidates(&named).into_iter().find(|path| path.is_file()).unwrap_or(named)
}

/// Where npm keeps `codex.exe` for the shims `codex.cmd`, `codex.bat` and `codex.ps1` of a directory.
fn native_candidates(shim: &Path) -> Vec<PathBuf> {
    let is_shim = shim
        .extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| ["cmd", "bat", "ps1"].iter().any(|known| extension.eq_ignore_ascii_case(known)));
    let Some(directory) = shim.parent().filter(|_| is_shim) else { return Vec::new() };
    // A global install has the shim beside `node_modules`, a local one in `node_modules/.bin`.
    let roots = [directory.join("node_modules"), directory.join("..")];
    let processors = [("x64", "x86_64"), ("arm64", "aarch64")];
    let mut found = Vec::new();
    for root in roots {
        for (package, processor) in processors.iter().filter(|(_, processor)| *processor == std::env::consts::ARCH) {
            let inner = PathBuf::from(format!("vendor/{processor}-pc-windows-msvc/bin/codex.exe"));
            let platform = format!("codex-win32-{package}");
            let openai = root.join("@openai");
            found.push(openai.join("codex/node_modules/@openai").join(&platform).join(&inner));
            found.push(openai.join(&platform).join(&inner));
            found.push(openai.join("codex").join(&inner));
        }
    }
    found
}

/// An unfinished first line of this size that is no object is no banner either.
const BANNER_BYTES: usize = 256 << 10;

/// What is kept of one line of a banner, in bytes.
const BANNER_LINE: usize = 200;

/// The first message proves that the program speaks JSON; later ones are the machine's business.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text.trim_start_matches('\u{feff}')).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_native_program_behind_an_npm_shim_is_preferred() {
        let npm = tempfile::tempdir().unwrap();
        let shim = npm.path().join("codex.CMD");
        assert_eq!(executable(&shim), shim, "without the native program the shim itself is started");
        let package = if std::env::consts::ARCH == "x86_64" { "codex-win32-x64" } else { "codex-win32-arm64" };
        let vendor = format!("vendor/{}-pc-windows-msvc/bin", std::env::consts::ARCH);
        let native = npm.path().join("node_modules/@openai/codex/node_modules/@openai").join(package).join(vendor);
        std::fs::create_dir_all(&native).unwrap();
        std::fs::write(native.join("codex.exe"), "").unwrap();
        assert_eq!(executable(&shim), native.join("codex.exe"));
        assert_eq!(executable(Path::new("/opt/My Töols/codex")), Path::new("/opt/My Töols/codex"));
    }

    #[tokio::test]
    async fn stderr_keeps_its_last_lines_redacted_and_cut() {
        let mut ring = Ring::default();
        let mut text: String = (0..30).map(|n| format!("line {n}\n")).collect();
        text.push_str("Authorization: Bearer canary-1\n");
        text.push_str(&"x".repeat(limit::STDERR_LINE * 2));
        ring.drain(text.as_bytes()).await;
        assert_eq!(ring.lines.len(), limit::STDERR_LINES);
        assert_eq!(ring.lines[0], "line 12");
        assert_eq!(ring.lines[18], "Authorization: Bearer [redacted]");
        assert_eq!(ring.lines[19].len(), limit::STDERR_LINE);
    }
}
