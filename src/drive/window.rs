//! What the program asks of its windows, answered without a display.

use std::borrow::Cow;
use std::sync::PoisonError;

use iced::{Size, window};
use iced_program::Program;
use iced_program::futures::futures::channel::oneshot;
use iced_runtime::window::Action;
use iced_runtime::window::raw_window_handle::{
    DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, WindowHandle,
};

use super::driver::{Driver, Pane};

/// A window without a handle: what asks for one is told that there is none.
struct NoWindow;

impl HasWindowHandle for NoWindow {
    fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

impl HasDisplayHandle for NoWindow {
    fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

/// Answers a task; one that is gone needs no answer.
pub(super) fn reply<T>(channel: oneshot::Sender<T>, value: T) {
    let _gone = channel.send(value).is_err();
}

pub(super) fn load_font(bytes: Cow<'static, [u8]>) {
    let system = iced::advanced::graphics::text::font_system();
    system.write().unwrap_or_else(PoisonError::into_inner).load_font(bytes);
}

/// The window's size in the program's pixels: its zoom makes them larger and so fewer.
pub(super) fn layout_size<P: Program>(program: &P, state: &P::State, pane: &Pane) -> Size {
    let zoom = program.scale_factor(state, pane.id);
    Size::new(pane.size.width / zoom, pane.size.height / zoom)
}

impl<P: Program + 'static> Driver<P> {
    pub(super) fn window_action(&mut self, action: Action) {
        let known = |id: window::Id| self.panes.iter().find(|pane| pane.id == id);
        match action {
            Action::Open(id, _settings, channel) => {
                self.open(id);
                reply(channel, id);
            }
            Action::Close(id) => self.close(id),
            Action::GetOldest(channel) => reply(channel, self.panes.first().map(|pane| pane.id)),
            Action::GetLatest(channel) => reply(channel, self.panes.last().map(|pane| pane.id)),
            Action::Resize(id, size) => {
                let zoom = self.program.scale_factor(&self.state, id);
                if self.panes.last().is_some_and(|pane| pane.id == id) {
                    self.resize(Size::new(size.width * zoom, size.height * zoom));
                }
            }
            Action::GetSize(id, channel) => {
                if let Some(pane) = known(id) {
                    reply(channel, layout_size(&self.program, &self.state, pane));
                }
            }
            Action::GetMaximized(_, channel) => reply(channel, false),
            Action::GetMinimized(_, channel) => reply(channel, Some(false)),
            Action::GetPosition(_, channel) => reply(channel, None),
            Action::GetScaleFactor(_, channel) => reply(channel, self.options.scale),
            Action::GetMode(id, channel) => {
                if let Some(pane) = known(id) {
                    reply(channel, pane.mode);
                }
            }
            Action::SetMode(id, mode) => {
                if let Some(pane) = self.panes.iter_mut().find(|pane| pane.id == id) {
                    pane.mode = mode;
                }
            }
            Action::GetRawId(_, channel) => reply(channel, 0),
            Action::Run(id, work) => {
                if known(id).is_some() {
                    work(&NoWindow);
                }
            }
            Action::Screenshot(_, channel) => {
                if let Some(shot) = self.shot() {
                    reply(channel, window::Screenshot::new(shot.rgba, shot.size, self.options.scale));
                }
            }
            Action::GetMonitorSize(_, channel) => reply(channel, None),
            Action::RedrawAll | Action::RelayoutAll => self.frame(),
            // A window without a display has no frame, icon, level, place or taskbar.
            Action::Drag(_)
            | Action::DragResize(..)
            | Action::Maximize(..)
            | Action::Minimize(..)
            | Action::Move(..)
            | Action::ToggleMaximize(_)
            | Action::ToggleDecorations(_)
            | Action::RequestUserAttention(..)
            | Action::GainFocus(_)
            | Action::SetLevel(..)
            | Action::ShowSystemMenu(_)
            | Action::SetIcon(..)
            | Action::EnableMousePassthrough(_)
            | Action::DisableMousePassthrough(_)
            | Action::SetMinSize(..)
            | Action::SetMaxSize(..)
            | Action::SetResizable(..)
            | Action::SetResizeIncrements(..)
            | Action::SetAllowAutomaticTabbing(_) => {}
        }
    }
}
