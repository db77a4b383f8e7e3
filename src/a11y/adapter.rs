//! The platform's accessibility interface: AT-SPI on Linux, UI Automation on Windows, nothing elsewhere.
//!
//! The adapter lives in a thread-local of the UI thread: the Windows one cannot leave it, and iced runs both
//! `window::run` and every widget there.

#[cfg(target_os = "linux")]
#[path = "adapter/unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "adapter/windows.rs"]
mod platform;
#[cfg(not(any(target_os = "linux", windows)))]
mod platform {
    pub(super) fn attach(_: &super::Bridge, _: &dyn iced::window::Window) {}
}

use super::Bridge;
use accesskit::{ActionHandler, ActionRequest, ActivationHandler, DeactivationHandler, TreeUpdate};

/// Connects the window. Call it on the UI thread (`iced::window::run`) while the window is still hidden: UI Automation
/// must be answered from the window's first moment.
pub fn attach(bridge: &Bridge, window: &dyn iced::window::Window) {
    platform::attach(bridge, window);
}

#[cfg_attr(not(any(target_os = "linux", windows)), allow(dead_code))]
struct Handler(Bridge);

impl ActivationHandler for Handler {
    fn request_initial_tree(&mut self) -> Option<TreeUpdate> {
        self.0.activate();
        // AccessKit serves a placeholder until the next frame publishes the tree.
        None
    }
}

impl ActionHandler for Handler {
    fn do_action(&mut self, request: ActionRequest) {
        self.0.request(request);
    }
}

impl DeactivationHandler for Handler {
    fn deactivate_accessibility(&mut self) {
        self.0.deactivate();
    }
}
