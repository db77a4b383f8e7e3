//! Shell scripts as scripted stdio peers.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Writes an executable file. A child process writes it: were it open for writing here, a fork of
/// another test could inherit that and make starting it fail with "text file busy".
pub fn write(path: &Path, content: &str) {
    let mut child = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(content.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

/// Writes a shell script called `codex` into a directory.
pub fn codex(dir: &Path, body: &str) -> PathBuf {
    let path = dir.join("codex");
    write(&path, &format!("#!/bin/sh\n{body}\n"));
    path
}

/// Whether a process runs (a zombie does not).
pub fn is_alive(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with(['Z', 'X'])))
}

/// The number that a script writes into a file; what it started may speak before it does.
pub fn pid_in(path: &Path) -> u32 {
    let read = || std::fs::read_to_string(path).ok().filter(|text| text.ends_with('\n'))?.trim().parse().ok();
    super::eventually("the number in the script's file", || read().is_some());
    read().expect("it was there")
}
