//! AT-SPI through accesskit_unix.

use super::{Bridge, Handler};
use accesskit_unix::Adapter;
use std::cell::RefCell;

thread_local! {
    static ADAPTER: RefCell<Option<Adapter>> = const { RefCell::new(None) };
}

pub(super) fn attach(bridge: &Bridge, _: &dyn iced::window::Window) {
    let handler = || Handler(bridge.clone());
    ADAPTER.set(Some(Adapter::new(handler(), handler(), handler())));
    bridge.connect(
        Box::new(|update| with(|adapter| adapter.update_if_active(|| update))),
        Box::new(|focused| with(|adapter| adapter.update_window_focus_state(focused))),
    );
}

fn with(f: impl FnOnce(&mut Adapter)) {
    ADAPTER.with_borrow_mut(|adapter| {
        if let Some(adapter) = adapter {
            f(adapter);
        }
    });
}
