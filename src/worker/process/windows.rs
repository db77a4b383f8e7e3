//! Job objects: everything in one ends when its last handle is closed, also by a crash.

#![allow(unsafe_code, reason = "job objects have no safe interface; there is no logic here")]

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::process::ExitStatus;
use std::sync::OnceLock;

use tokio::process::{Child, Command};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
    TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{CREATE_NO_WINDOW, GetCurrentProcess};

/// The worker's job ends with the worker.
pub const NEEDS_GUARD: bool = false;

/// The job of one child and its descendants.
#[derive(Debug)]
pub struct Group(OwnedHandle);

impl Group {
    /// Puts a new child into a job of its own (inside the worker's, see [`contain`]).
    pub fn of(child: &Child, _pid: u32) -> io::Result<Self> {
        let job = create()?;
        let process = child.raw_handle().ok_or_else(|| io::Error::other("a new child has no handle"))?;
        // SAFETY: both handles are open for the call.
        checked(unsafe { AssignProcessToJobObject(job.as_raw_handle(), process) })?;
        Ok(Self(job))
    }

    /// Ends every process of the job.
    pub fn kill(&self) {
        // SAFETY: the handle is open. An error means that nobody is left.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
    }
}

/// Puts this process into a job, so that a child cannot escape between its start and [`Group::of`].
pub fn contain() {
    static JOB: OnceLock<Option<OwnedHandle>> = OnceLock::new();
    JOB.get_or_init(|| {
        let job = create().ok()?;
        // SAFETY: the job's handle is open; the other one is a constant.
        checked(unsafe { AssignProcessToJobObject(job.as_raw_handle(), GetCurrentProcess()) }).ok()?;
        Some(job)
    });
}

/// No console window appears for a console program.
pub fn prepare(command: &mut Command) {
    command.creation_flags(CREATE_NO_WINDOW);
}

/// As [`prepare`].
pub fn detach(command: &mut Command) {
    prepare(command);
}

/// There is no guard on Windows.
pub fn kill_group(_pid: u32) {}

/// See [`super::exit_words`].
pub fn exit_words(status: ExitStatus) -> String {
    status.code().map_or_else(|| status.to_string(), |code| super::ntstatus_words(code.cast_unsigned()))
}

fn create() -> io::Result<OwnedHandle> {
    // SAFETY: no security attributes and no name; the handle is owned from here on.
    let job = unsafe {
        let raw = CreateJobObjectW(std::ptr::null(), std::ptr::null());
        if raw.is_null() {
            return Err(io::Error::last_os_error());
        }
        OwnedHandle::from_raw_handle(raw)
    };
    let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    let size = u32::try_from(size_of_val(&limits)).map_err(io::Error::other)?;
    // SAFETY: the pointer and the size describe `limits`, which has the layout of this class.
    checked(unsafe {
        SetInformationJobObject(
            job.as_raw_handle(),
            JobObjectExtendedLimitInformation,
            (&raw const limits).cast(),
            size,
        )
    })?;
    Ok(job)
}

fn checked(result: i32) -> io::Result<()> {
    if result == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
