//! Process groups and the parent-death signal.

use std::io;
use std::process::ExitStatus;

use rustix::process::{Pid, Signal};
use tokio::process::{Child, Command};

/// A group whose leader was killed goes on without its other members' knowledge: somebody must tell them.
pub const NEEDS_GUARD: bool = true;

/// The process group that a child leads.
#[derive(Debug)]
pub struct Group(u32);

impl Group {
    /// The group of a child that was started by [`prepare`].
    pub fn of(_child: &Child, pid: u32) -> io::Result<Self> {
        Ok(Self(pid))
    }

    /// Kills every member; none is fine.
    pub fn kill(&self) {
        kill_group(self.0);
    }
}

/// Nothing to do: groups are made per child.
pub fn contain() {}

/// A group of its own, and death with the thread that spawns it.
#[allow(unsafe_code, reason = "pre_exec is the only place from which a child can ask for its parent-death signal")]
pub fn prepare(command: &mut Command) {
    command.process_group(0);
    let parent = rustix::process::getpid();
    // SAFETY: between fork and exec this makes two system calls and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // The parent may have died before the signal was asked for.
            if rustix::process::getppid() == Some(parent) { Ok(()) } else { Err(rustix::io::Errno::SRCH.into()) }
        });
    }
}

/// A group of its own: neither the owner's end nor Ctrl+C reaches it.
pub fn detach(command: &mut Command) {
    command.process_group(0);
}

/// Kills every member of a group.
pub fn kill_group(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        // An error means that nobody is left.
        rustix::process::kill_process_group(pid, Signal::KILL).ok();
    }
}

/// See [`super::exit_words`].
pub fn exit_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => status.to_string(),
    }
}
