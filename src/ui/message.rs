//! Everything that can happen to the window.

use std::path::PathBuf;
use std::sync::Arc;

use iced::widget::text_editor;
use iced::window;

use crate::base::{BridgeId, RequestId};
use crate::engine::Intent;
use crate::link::{LinkEvent, LinkSender};
use crate::markdown::SafeUrl;
use crate::protocol::Answer;
use crate::settings::{Motion, SendKey, Theme as ThemeChoice};

use super::page::Page;
use super::shortcut::Shortcut;
use super::widget::HistoryView;
use super::window::Notice;

/// Something happened.
#[derive(Debug, Clone)]
pub enum Message {
    /// A worker's pipe is there.
    LinkReady(BridgeId, Arc<LinkSender>),
    /// A worker said something.
    Link(BridgeId, Arc<LinkEvent>),
    /// The engine's deadline is due.
    Due,
    /// Virtual time has moved.
    Elapsed,
    /// A cheap clock tick for relative times and arming cards.
    Tick,
    /// An assistive technology did something: redraw.
    Wake,
    SystemTheme(iced::theme::Mode),
    /// The window has the focus again.
    Focused,
    Opened(window::Id),
    Closed(window::Id),
    CloseRequested(window::Id),
    Resized(window::Id, iced::Size),
    Shortcut(window::Id, Shortcut),
    /// The user wants something of the engine.
    Do(window::Id, Intent),
    /// The user wants something of this window.
    Local(window::Id, Local),
    /// Nothing to do.
    Done,
}

/// What concerns one window only.
#[derive(Debug, Clone)]
pub enum Local {
    Go(Page),
    /// Closes the top-most thing.
    Back,
    /// An edit in the composer.
    Compose(text_editor::Action),
    /// A screen reader set the composer's text.
    ComposeText(String),
    /// An input method began or ended composing.
    Composing(bool),
    /// The picker's search field.
    Search(String),
    SearchSubmit,
    /// Down (`true`) or Up in the search field.
    PickerStep(bool),
    /// Text typed while a row of the picker has the focus.
    PickerType(String),
    /// Opens the picker's row of this key.
    PickerOpen(u64),
    /// Leaves the conversation in one-pane layout.
    ShowPicker,
    /// The find field.
    Find(String),
    /// Next (`true`) or previous match.
    FindStep(bool),
    FindClose,
    /// Shows or hides what a row keeps folded.
    Fold(u64),
    JumpToLatest,
    /// What of the history is in sight.
    Viewing(HistoryView),
    Copy(String),
    /// Copies the text of the history's row of this key.
    CopyRow(u64),
    /// Shows a link's real target and asks.
    AskLink(Arc<str>),
    OpenLink(SafeUrl),
    Answer(RequestId, Answer),
    AskDiscard(u64),
    AskClose,
    QuitNow,
    Connect(ConnectForm),
    ToggleDetails,
    DismissNotice,
    OpenMenu(Menu),
    Settings(SettingsChange),
    Notice(Notice),
}

/// The small menus of the chat page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Menu {
    Main,
    Model,
    Approval,
    Sandbox,
}

/// Edits and presses on the connection page.
#[derive(Debug, Clone)]
pub enum ConnectForm {
    Remote(bool),
    Name(String),
    Program(String),
    Directory(String),
    Url(String),
    TokenFile(String),
    CaFile(String),
    Browse(Field),
    Browsed(Field, Option<PathBuf>),
    Save,
    ConnectNow,
    Use(String),
    Forget(String),
    Edit(String),
    Demo,
    UseFound(String),
}

/// A field that takes a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    Program,
    Directory,
    TokenFile,
    CaFile,
}

/// A change on the settings page.
#[derive(Debug, Clone)]
pub enum SettingsChange {
    Theme(ThemeChoice),
    Zoom(i16),
    TranscriptZoom(i16),
    SendKey(SendKey),
    Motion(Motion),
    Codex(String),
    CodexDone,
}
