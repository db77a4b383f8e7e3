//! UI Automation through accesskit_windows.

use super::{Bridge, Handler};
use accesskit_windows::{HWND, SubclassingAdapter};
use raw_window_handle::RawWindowHandle;
use std::cell::RefCell;

thread_local! {
    static ADAPTER: RefCell<Option<SubclassingAdapter>> = const { RefCell::new(None) };
}

pub(super) fn attach(bridge: &Bridge, window: &dyn iced::window::Window) {
    let Ok(handle) = window.window_handle() else { return };
    let RawWindowHandle::Win32(handle) = handle.as_raw() else { return };
    let hwnd = HWND(handle.hwnd.get() as *mut _);
    ADAPTER.set(Some(SubclassingAdapter::new(hwnd, Handler(bridge.clone()), Handler(bridge.clone()))));
    let update = |update| {
        // Raised after the borrow ends: UI Automation may call straight back into the window procedure.
        let events =
            ADAPTER.with_borrow_mut(|adapter| adapter.as_mut().and_then(|adapter| adapter.update_if_active(|| update)));
        if let Some(events) = events {
            events.raise();
        }
    };
    // The subclassed window procedure sees focus changes itself.
    bridge.connect(Box::new(update), Box::new(|_| {}));
}
