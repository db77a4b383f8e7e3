//! Keys that work everywhere in the window, and the table that F1 shows.

use iced::keyboard::key::Named;
use iced::keyboard::{Event, Key, Modifiers};

use super::widget::RowKey;
use crate::settings::SendKey;

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
    PreviousMessage,
    NextMessage,
    PreviousTurn,
    NextTurn,
    WhereAmI,
    OpenById,
    Find,
    FindNext,
    FindPrevious,
}

/// Who acts on the keys of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// The window, in the order of the keys.
    Window(&'static [Shortcut]),
    /// The control that has the focus.
    Focused,
    /// The composer, by the send key of the settings.
    Send,
}

/// One line of the key map.
#[derive(Debug, Clone, Copy)]
struct Entry {
    keys: &'static str,
    does: &'static str,
    by: By,
}

const fn window(keys: &'static str, does: &'static str, shortcuts: &'static [Shortcut]) -> Entry {
    Entry { keys, does, by: By::Window(shortcuts) }
}

const fn focused(keys: &'static str, does: &'static str) -> Entry {
    Entry { keys, does, by: By::Focused }
}

/// The key map, in the order in which it is shown.
const MAP: &[Entry] = &[
    focused("Tab, Shift+Tab", "Next, previous control"),
    focused("F6, Shift+F6", "Next, previous pane"),
    focused("Up, Down, Page Up, Page Down, Home, End", "Move in a list or in the history"),
    window("Alt+Up, Alt+Down", "Previous, next message", &[Shortcut::PreviousMessage, Shortcut::NextMessage]),
    window("Alt+Page Up, Alt+Page Down", "Previous, next turn", &[Shortcut::PreviousTurn, Shortcut::NextTurn]),
    window("Ctrl+End", "Jump to the latest message", &[Shortcut::JumpToLatest]),
    window("Ctrl+I", "Say where I am", &[Shortcut::WhereAmI]),
    focused("Ctrl+C", "Copy the selected text, or the focused message"),
    focused("Enter, Space", "Press the focused control"),
    window("Ctrl+K", "Choose a conversation", &[Shortcut::Picker]),
    focused("Up, Down, Enter", "In the search field: choose a conversation, open it"),
    window("Ctrl+O", "Open a conversation by its id", &[Shortcut::OpenById]),
    window("Ctrl+N", "New conversation", &[Shortcut::New]),
    Entry { keys: "Ctrl+Enter", does: "Send", by: By::Send },
    window("Ctrl+.", "Stop the running turn", &[Shortcut::Stop]),
    window("Ctrl+F", "Find in the loaded part of the conversation", &[Shortcut::Find]),
    window("F3, Shift+F3", "Next, previous match", &[Shortcut::FindNext, Shortcut::FindPrevious]),
    focused("Enter, Shift+Enter", "In the find field: next, previous match"),
    window("Ctrl+,", "Settings", &[Shortcut::Settings]),
    window(
        "Ctrl++, Ctrl+-, Ctrl+0",
        "Zoom in, out, reset",
        &[Shortcut::ZoomIn, Shortcut::ZoomOut, Shortcut::ZoomReset],
    ),
    window("Esc", "Close the top-most thing; never stops a turn", &[Shortcut::Escape]),
    window("F1", "These keys", &[Shortcut::Keys]),
];

/// The lines as rows of a list.
pub static ROWS: [RowKey; MAP.len()] = {
    let mut rows = [RowKey { key: 0, rev: 0 }; MAP.len()];
    let mut at = 0;
    while at < rows.len() {
        rows[at].key = at as u64;
        at += 1;
    }
    rows
};

/// A line of the key map: keys, and what they do.
pub fn line(at: usize, send: SendKey) -> (&'static str, &'static str) {
    let entry = &MAP[at];
    match (entry.by, send) {
        (By::Send, SendKey::Enter) => ("Enter, Ctrl+Enter", "Send; Shift+Enter starts a line"),
        (By::Send | By::Window(_) | By::Focused, _) => (entry.keys, entry.does),
    }
}

impl Shortcut {
    /// What a key event means anywhere in the window.
    pub fn of(event: &Event) -> Option<Self> {
        let Event::KeyPressed { key, modifiers, repeat, .. } = event else { return None };
        if *repeat && !modifiers.alt() && !matches!(key, Key::Character(_)) {
            return None;
        }
        match key {
            Key::Named(Named::F1) if modifiers.is_empty() => Some(Self::Keys),
            Key::Named(Named::F3) if modifiers.is_empty() => Some(Self::FindNext),
            Key::Named(Named::F3) if *modifiers == Modifiers::SHIFT => Some(Self::FindPrevious),
            Key::Named(Named::Escape) if modifiers.is_empty() => Some(Self::Escape),
            Key::Named(Named::End) if *modifiers == Modifiers::CTRL => Some(Self::JumpToLatest),
            Key::Named(Named::ArrowUp) if *modifiers == Modifiers::ALT => Some(Self::PreviousMessage),
            Key::Named(Named::ArrowDown) if *modifiers == Modifiers::ALT => Some(Self::NextMessage),
            Key::Named(Named::PageUp) if *modifiers == Modifiers::ALT => Some(Self::PreviousTurn),
            Key::Named(Named::PageDown) if *modifiers == Modifiers::ALT => Some(Self::NextTurn),
            Key::Character(c) if *modifiers == Modifiers::COMMAND => Self::of_letter(c).or_else(|| Self::of_sign(c)),
            // Some keyboards have their signs on Shift.
            Key::Character(c) if *modifiers == Modifiers::COMMAND | Modifiers::SHIFT => Self::of_sign(c),
            _ => None,
        }
    }

    /// With Ctrl; upper case is Caps Lock.
    fn of_letter(letter: &str) -> Option<Self> {
        match letter {
            "k" | "K" => Some(Self::Picker),
            "f" | "F" => Some(Self::Find),
            "n" | "N" => Some(Self::New),
            "o" | "O" => Some(Self::OpenById),
            "i" | "I" => Some(Self::WhereAmI),
            _ => None,
        }
    }

    fn of_sign(sign: &str) -> Option<Self> {
        match sign {
            "," => Some(Self::Settings),
            "." => Some(Self::Stop),
            "+" | "=" => Some(Self::ZoomIn),
            "-" => Some(Self::ZoomOut),
            "0" => Some(Self::ZoomReset),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced::keyboard::{Location, key};

    const NAMED: [(&str, Named); 12] = [
        ("F1", Named::F1),
        ("F3", Named::F3),
        ("F6", Named::F6),
        ("Esc", Named::Escape),
        ("Enter", Named::Enter),
        ("Tab", Named::Tab),
        ("Home", Named::Home),
        ("End", Named::End),
        ("Up", Named::ArrowUp),
        ("Down", Named::ArrowDown),
        ("Page Up", Named::PageUp),
        ("Page Down", Named::PageDown),
    ];

    fn press(key: Key, modifiers: Modifiers) -> Event {
        Event::KeyPressed {
            modified_key: key.clone(),
            key,
            physical_key: key::Physical::Unidentified(key::NativeCode::Unidentified),
            location: Location::Standard,
            modifiers,
            text: None,
            repeat: false,
        }
    }

    /// A chord as the map writes it.
    fn chord(text: &str) -> Event {
        let (mut modifiers, mut rest) = (Modifiers::empty(), text);
        for (name, modifier) in [("Ctrl+", Modifiers::COMMAND), ("Alt+", Modifiers::ALT), ("Shift+", Modifiers::SHIFT)]
        {
            if let Some(less) = rest.strip_prefix(name) {
                (modifiers, rest) = (modifiers | modifier, less);
            }
        }
        let named = NAMED.iter().find(|(name, _)| *name == rest).map(|(_, named)| Key::Named(*named));
        press(named.unwrap_or_else(|| Key::Character(rest.to_lowercase().into())), modifiers)
    }

    /// Every chord of the map that the window acts on.
    fn listed() -> Vec<(&'static str, Shortcut)> {
        let lines = MAP.iter().filter_map(|entry| match entry.by {
            By::Window(shortcuts) => Some((entry.keys.split(", ").collect::<Vec<_>>(), shortcuts)),
            By::Focused | By::Send => None,
        });
        let mut all = Vec::new();
        for (keys, shortcuts) in lines {
            assert_eq!(keys.len(), shortcuts.len(), "{keys:?}");
            all.extend(keys.into_iter().zip(shortcuts.iter().copied()));
        }
        all
    }

    #[test]
    fn every_key_of_the_map_does_what_its_line_says() {
        for (keys, shortcut) in listed() {
            assert_eq!(Shortcut::of(&chord(keys)), Some(shortcut), "{keys}");
        }
    }

    #[test]
    fn no_key_does_anything_that_the_map_does_not_say() {
        let listed: Vec<_> = listed().into_iter().map(|(keys, shortcut)| (chord(keys), shortcut)).collect();
        let signs = (' '..='~').map(|sign| Key::Character(sign.to_lowercase().collect::<String>().into()));
        let keys: Vec<_> = signs.chain(NAMED.iter().map(|(_, named)| Key::Named(*named))).collect();
        for bits in 0..16 {
            let modifiers = Modifiers::from_bits_truncate(
                [Modifiers::SHIFT, Modifiers::CTRL, Modifiers::ALT, Modifiers::LOGO]
                    .iter()
                    .enumerate()
                    .map(|(bit, modifier)| if bits >> bit & 1 == 1 { modifier.bits() } else { 0 })
                    .sum(),
            );
            for key in &keys {
                let event = press(key.clone(), modifiers);
                let Some(shortcut) = Shortcut::of(&event) else { continue };
                // The same key with Shift types a sign; "=" is "+" without it.
                let is_alias = key == &Key::Character("=".into()) || modifiers.contains(Modifiers::SHIFT);
                let said = listed.iter().any(|(chord, does)| *does == shortcut && (is_alias || *chord == event));
                assert!(said, "{modifiers:?} {key:?} is {shortcut:?}");
            }
        }
    }

    #[test]
    fn the_line_for_sending_names_the_send_key_of_the_settings() {
        let line =
            |send| (0..MAP.len()).map(|at| line(at, send)).find(|(_, does)| does.starts_with("Send")).expect("a line");
        assert_eq!(line(SendKey::CtrlEnter).0, "Ctrl+Enter");
        assert!(line(SendKey::Enter).0.starts_with("Enter"));
    }
}
