//! Child processes of which none outlives its owner, and their ends in words.
//!
//! A child gets a process group of its own (Linux) or a job (Windows); ending it ends everything
//! that it started in there. Should the worker be killed, then on Linux the kernel kills the child
//! (parent-death signal) and a guard process kills the rest of the group, such as a server behind a
//! script; on Windows the job ends with the worker's handle. The parent-death signal belongs to the
//! *thread* that spawned: spawn from a thread that lives as long as the child may.

use std::io::{self, Read};
use std::path::Path;
use std::process::{ExitCode, ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

#[cfg(target_os = "linux")]
#[path = "process/linux.rs"]
mod platform;
#[cfg(windows)]
#[path = "process/windows.rs"]
mod platform;

pub use platform::contain;

/// The second argument of `rejoin worker guard PID`.
pub const GUARD: &str = "guard";

/// A child with its group. Dropping it kills the whole group.
#[derive(Debug)]
pub struct Owned {
    child: Child,
    pid: u32,
    group: platform::Group,
    guard: Option<Guard>,
    ended: bool,
}

/// The three pipes of a child.
#[derive(Debug)]
pub struct Pipes {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// What to start.
#[derive(Debug, Clone, Copy)]
pub struct Spawn<'a> {
    pub program: &'a Path,
    pub args: &'a [&'a str],
    /// Where it starts; `None`: where we are.
    pub cwd: Option<&'a Path>,
    /// This program's own executable, for the guard; `None`: no guard (and none is needed on Windows).
    pub guard: Option<&'a Path>,
}

/// Starts a child with the environment of this process and three pipes.
pub fn spawn(spawn: Spawn<'_>) -> io::Result<(Owned, Pipes)> {
    let mut command = Command::new(spawn.program);
    command.args(spawn.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    if let Some(cwd) = spawn.cwd {
        command.current_dir(cwd);
    }
    platform::prepare(&mut command);
    let mut child = command.spawn()?;
    let missing = || io::Error::other("a new child has no pipe");
    let pipes = Pipes {
        stdin: child.stdin.take().ok_or_else(missing)?,
        stdout: child.stdout.take().ok_or_else(missing)?,
        stderr: child.stderr.take().ok_or_else(missing)?,
    };
    let pid = child.id().ok_or_else(|| io::Error::other("a new child has no process id"))?;
    let group = platform::Group::of(&child, pid)?;
    let guard = match spawn.guard {
        // Without its guard a child still has the parent-death signal and the end of its stdin.
        Some(program) if platform::NEEDS_GUARD => Guard::start(program, pid).ok(),
        _ => None,
    };
    Ok((Owned { child, pid, group, guard, ended: false }, pipes))
}

impl Owned {
    /// The operating system's number of the child.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns when the child itself has ended; others of its group may live on. May be dropped and asked again.
    pub async fn exited(&mut self) {
        // An error means that it cannot be waited for: then its output tells.
        if self.child.wait().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits for the end of the child for at most `grace`, kills what is left of its group, and
    /// returns how the child ended. Close its stdin before.
    pub async fn end(mut self, grace: Duration) -> io::Result<ExitStatus> {
        let waited = tokio::time::timeout(grace, self.child.wait()).await;
        self.group.kill();
        let status = match waited {
            Ok(status) => status,
            Err(_) => self.child.wait().await,
        };
        self.ended = true;
        if let Some(guard) = self.guard.take() {
            guard.dismiss().await;
        }
        status
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if !self.ended {
            self.group.kill();
        }
    }
}

/// A process that kills a group when the pipe from its owner ends without a word.
#[derive(Debug)]
struct Guard {
    child: Child,
    stdin: ChildStdin,
}

impl Guard {
    fn start(program: &Path, group: u32) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(["worker", GUARD, &group.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        platform::detach(&mut command);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().ok_or_else(|| io::Error::other("the guard has no pipe"))?;
        Ok(Self { child, stdin })
    }

    /// The group is gone: its number may soon belong to others.
    async fn dismiss(mut self) {
        use tokio::io::AsyncWriteExt;
        let said = self.stdin.write_all(b".").await;
        drop(self.stdin);
        // A guard that cannot be told must not act on its own any more.
        if said.is_err() || tokio::time::timeout(Duration::from_secs(1), self.child.wait()).await.is_err() {
            self.child.start_kill().ok();
            self.child.wait().await.ok();
        }
    }
}

/// The body of `rejoin worker guard PID`: waits for a byte (dismissed) or the end of stdin (kill).
pub fn guard(group: Option<&str>) -> ExitCode {
    let Some(group) = group.and_then(|text| text.parse().ok()).filter(|pid: &u32| *pid > 1) else {
        return ExitCode::from(2);
    };
    let mut byte = [0];
    loop {
        match io::stdin().lock().read(&mut byte) {
            Ok(0) => break,
            Ok(_) => return ExitCode::SUCCESS,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    platform::kill_group(group);
    ExitCode::SUCCESS
}

/// How a process ended: "exit code 3", "killed by signal 9", "crashed: access violation (0xC0000005)".
pub fn exit_words(status: ExitStatus) -> String {
    platform::exit_words(status)
}

/// Windows reports a crash as an exit code that is an NTSTATUS.
#[cfg_attr(not(windows), allow(dead_code, reason = "a text rule of Windows, tested everywhere"))]
fn ntstatus_words(code: u32) -> String {
    let what = match code {
        0xC000_0005 => "crashed: access violation",
        0xC000_001D => "crashed: illegal instruction",
        0xC000_0094 => "crashed: division by zero",
        0xC000_00FD => "crashed: stack overflow",
        0xC000_0374 => "crashed: heap corruption",
        0xC000_0409 => "crashed: it stopped itself after a fatal error",
        0xC000_0017 => "ended: out of memory",
        0xC000_0135 => "could not start: a DLL is missing",
        0xC000_0139 | 0xC000_0138 => "could not start: a DLL has another version",
        0xC000_0142 => "could not start: a DLL failed to initialise",
        0xC000_007B => "could not start: it is for another kind of processor",
        0xC000_013A => "ended by Ctrl+C or a closed console",
        0xC000_0000..=0xCFFF_FFFF => "crashed",
        _ => return format!("exit code {code}"),
    };
    format!("{what} (0x{code:08X})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ntstatus_is_told_in_words_and_a_plain_code_is_a_number() {
        assert_eq!(ntstatus_words(3), "exit code 3");
        assert_eq!(ntstatus_words(0xC000_0005), "crashed: access violation (0xC0000005)");
        assert_eq!(ntstatus_words(0xC000_0420), "crashed (0xC0000420)");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_signal_and_an_exit_code_are_told_apart() {
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(exit_words(ExitStatus::from_raw(3 << 8)), "exit code 3");
        assert_eq!(exit_words(ExitStatus::from_raw(9)), "killed by signal 9");
    }
}
