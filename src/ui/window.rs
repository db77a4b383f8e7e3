//! What one window remembers that the engine does not: page, dialogs, editors, folds.

use std::collections::{BTreeMap, BTreeSet};

use iced::Size;
use iced::widget::text_editor;

use crate::base::UnixMs;
use crate::engine::view::ConversationKey;
use crate::markdown::SafeUrl;

use super::message::Menu;
use super::page::{Page, connect};

/// Below this width nothing stands beside anything: the narrowest window with everything twice as large.
const NARROW: f32 = 240.0;
/// Below this height the composer is one line high, and all that needs eyes scrolls above it.
const LOW: f32 = 400.0;
/// From this width on the picker stands beside the conversation.
pub const TWO_PANES: f32 = 720.0;

/// One window.
#[derive(Debug)]
pub struct Window {
    pub page: Page,
    /// In the program's pixels: zoom makes it smaller.
    pub size: Size,
    pub dialog: Option<Dialog>,
    pub menu: Option<Menu>,
    /// One-pane layout: the picker covers the conversation.
    pub picking: bool,
    pub details: bool,
    pub search: String,
    pub choosing: Choosing,
    /// The find bar, while it is open.
    pub find: Option<Find>,
    pub editors: BTreeMap<ConversationKey, Editor>,
    /// Rows whose folded part is shown.
    pub unfolded: BTreeSet<u64>,
    pub viewing: Viewing,
    pub connect: connect::Form,
    pub notice: Option<Notice>,
    /// Warnings of the server up to then were dismissed.
    pub notices_seen: UnixMs,
    /// The Codex path as it is typed on the settings page.
    pub codex: String,
}

/// The composer of one conversation.
#[derive(Debug, Default)]
pub struct Editor {
    pub content: text_editor::Content,
    /// An input method is composing.
    pub composing: bool,
}

/// The picker's row that Enter in the search field opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choosing {
    /// Nobody searches.
    No,
    /// Whatever comes first.
    First,
    /// The row of this key, else the first.
    Row(u64),
    /// Enter was pressed before the search was answered: what comes first then opens.
    Answer,
}

/// Finding in the loaded part of the open conversation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Find {
    pub query: String,
    /// Keys of the rows that match, oldest first.
    pub matches: Vec<u64>,
    /// The row that is shown, one of the matches.
    pub at: Option<u64>,
}

/// What of the history is on screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Viewing {
    pub last: u64,
    pub at_end: bool,
    /// The row that keys act on.
    pub active: Option<u64>,
    /// The history has the focus.
    pub focused: bool,
}

/// A question on top of everything.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// The real target of a link.
    Link(SafeUrl),
    Discard(u64),
    /// Closing the window would lose these, in words.
    Close(Vec<String>),
    Keys,
}

/// A short message of the window itself ("Copied").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
}

impl Window {
    pub fn new(page: Page, size: Size) -> Self {
        Self {
            page,
            size,
            dialog: None,
            menu: None,
            picking: true,
            details: false,
            search: String::new(),
            choosing: Choosing::No,
            find: None,
            editors: BTreeMap::new(),
            unfolded: BTreeSet::new(),
            viewing: Viewing { last: 0, at_end: true, active: None, focused: false },
            connect: connect::Form::default(),
            notice: None,
            notices_seen: UnixMs(0),
            codex: String::new(),
        }
    }

    /// Whether picker and conversation stand side by side at this zoom.
    pub fn is_wide(&self) -> bool {
        self.size.width >= TWO_PANES
    }

    /// Too narrow at this zoom for two things side by side.
    pub fn is_narrow(&self) -> bool {
        self.size.width < NARROW
    }

    /// Too low at this zoom for everything to have its usual height.
    pub fn is_low(&self) -> bool {
        self.size.height < LOW
    }
}
