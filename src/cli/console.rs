//! Windows: a program of the window subsystem has no console; borrow the one it was started from.

use windows_sys::Win32::System::Console::{ATTACH_PARENT_PROCESS, AttachConsole, GetStdHandle, STD_OUTPUT_HANDLE};

/// Makes printing visible in the shell that started us.
///
/// Does nothing when standard output is already a pipe or a file, or when there is no such shell.
#[expect(unsafe_code, reason = "two calls of the Windows API without pointers")]
pub fn attach() {
    // SAFETY: neither call takes a pointer; failing to attach means that there is no console to print to.
    unsafe {
        if GetStdHandle(STD_OUTPUT_HANDLE).is_null() {
            AttachConsole(ATTACH_PARENT_PROCESS);
        }
    }
}
