//! Keys that work everywhere in the window, and the table that F1 shows.

use iced::keyboard::key::Named;
use iced::keyboard::{Event, Key, Modifiers};

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortcut {
    Picker,
    New,
    Settings,
    Keys,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    Escape,
    Stop,
    JumpToLatest,
    WhereAmI,
    OpenById,
    Find,
    FindNext,
    FindPrevious,
}

/// One line of the key map.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub keys: &'static str,
    pub does: &'static str,
}

/// The key map, in the order in which it is shown.
pub const MAP: &[Entry] = &[
    Entry { keys: "Tab, Shift+Tab", does: "Next, previous control" },
    Entry { keys: "F6, Shift+F6", does: "Next, previous pane" },
    Entry { keys: "Up, Down, Page Up, Page Down, Home, End", does: "Move in a list or in the history" },
    Entry { keys: "Enter, Space", does: "Press the focused control" },
    Entry { keys: "Ctrl+K", does: "Choose a conversation" },
    Entry { keys: "Up, Down, Enter", does: "In the search field: choose a conversation, open it" },
    Entry { keys: "Ctrl+O", does: "Open a conversation by its id" },
    Entry { keys: "Ctrl+N", does: "New conversation" },
    Entry { keys: "Ctrl+Enter", does: "Send" },
    Entry { keys: "Ctrl+.", does: "Stop the running turn" },
    Entry { keys: "Ctrl+End", does: "Jump to the latest message" },
    Entry { keys: "Ctrl+F", does: "Find in the loaded part of the conversation" },
    Entry { keys: "F3, Shift+F3", does: "Next, previous match" },
    Entry { keys: "Ctrl+I", does: "Say where I am" },
    Entry { keys: "Ctrl+,", does: "Settings" },
    Entry { keys: "Ctrl++, Ctrl+-, Ctrl+0", does: "Zoom in, out, reset" },
    Entry { keys: "Esc", does: "Close the top-most thing; never stops a turn" },
    Entry { keys: "F1", does: "These keys" },
];

impl Shortcut {
    /// What a key event means anywhere in the window.
    pub fn of(event: &Event) -> Option<Self> {
        let Event::KeyPressed { key, modifiers, repeat, .. } = event else { return None };
        if *repeat && !matches!(key, Key::Character(_)) {
            return None;
        }
        match key {
            Key::Named(Named::F1) => Some(Self::Keys),
            Key::Named(Named::F3) if modifiers.is_empty() => Some(Self::FindNext),
            Key::Named(Named::F3) if *modifiers == Modifiers::SHIFT => Some(Self::FindPrevious),
            Key::Named(Named::Escape) if modifiers.is_empty() => Some(Self::Escape),
            Key::Named(Named::End) if *modifiers == Modifiers::CTRL => Some(Self::JumpToLatest),
            Key::Character(c) if modifiers.command() && !modifiers.alt() => match c.as_str() {
                "k" | "K" => Some(Self::Picker),
                "f" | "F" => Some(Self::Find),
                "n" | "N" => Some(Self::New),
                "o" | "O" => Some(Self::OpenById),
                "i" | "I" => Some(Self::WhereAmI),
                "," => Some(Self::Settings),
                "." => Some(Self::Stop),
                "+" | "=" => Some(Self::ZoomIn),
                "-" => Some(Self::ZoomOut),
                "0" => Some(Self::ZoomReset),
                _ => None,
            },
            _ => None,
        }
    }
}
