//! How the worker process is started: a group of its own, no console window, gone with its handle.

use std::io;
use std::path::Path;
use std::process::Stdio;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};

/// A worker process and its pipes. Dropping the child kills it; its app-server then dies with it.
pub(super) struct Worker {
    pub child: Child,
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: ChildStderr,
}

/// Starts `program worker`.
pub(super) fn spawn(program: &Path) -> io::Result<Worker> {
    let mut command = Command::new(program);
    command.arg("worker").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    // Ctrl+C in the terminal of the GUI reaches the GUI, which ends its worker in good order.
    #[cfg(unix)]
    command.process_group(0);
    #[cfg(windows)]
    command.creation_flags(windows_sys::Win32::System::Threading::CREATE_NO_WINDOW);
    let mut child = command.spawn()?;
    let missing = || io::Error::other("a new child has no pipe");
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let stdout = child.stdout.take().ok_or_else(missing)?;
    let stderr = child.stderr.take().ok_or_else(missing)?;
    Ok(Worker { child, stdin, stdout, stderr })
}
