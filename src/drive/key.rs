//! Key chords: `Ctrl+K`, `Shift+Tab`, `F6`, `Ctrl++`, `a`.
//!
//! A letter names a key: its case does not matter, Shift makes it upper case.

use iced::advanced::input_method;
use iced::keyboard::{self, Key, Modifiers, key::Named};
use iced::{Event, keyboard::Location, keyboard::key};

/// A key with modifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    /// What is held.
    pub modifiers: Modifiers,
    /// The key as its cap says.
    pub key: Key,
    /// The key with Shift taken into account.
    pub modified_key: Key,
    /// The text the key types, if it types.
    pub text: Option<String>,
}

/// A chord that names no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a key; write Enter, F6, a, Ctrl+K, Shift+Tab")]
pub struct UnknownKey(String);

const MODIFIERS: [(&str, Modifiers); 5] = [
    ("ctrl+", Modifiers::CTRL),
    ("shift+", Modifiers::SHIFT),
    ("alt+", Modifiers::ALT),
    ("win+", Modifiers::LOGO),
    ("super+", Modifiers::LOGO),
];

const NAMED: [(&str, Named); 36] = [
    ("enter", Named::Enter),
    ("tab", Named::Tab),
    ("space", Named::Space),
    ("escape", Named::Escape),
    ("esc", Named::Escape),
    ("backspace", Named::Backspace),
    ("delete", Named::Delete),
    ("insert", Named::Insert),
    ("home", Named::Home),
    ("end", Named::End),
    ("pageup", Named::PageUp),
    ("pagedown", Named::PageDown),
    ("up", Named::ArrowUp),
    ("down", Named::ArrowDown),
    ("left", Named::ArrowLeft),
    ("right", Named::ArrowRight),
    ("arrowup", Named::ArrowUp),
    ("arrowdown", Named::ArrowDown),
    ("arrowleft", Named::ArrowLeft),
    ("arrowright", Named::ArrowRight),
    ("contextmenu", Named::ContextMenu),
    ("printscreen", Named::PrintScreen),
    ("pause", Named::Pause),
    ("capslock", Named::CapsLock),
    ("f1", Named::F1),
    ("f2", Named::F2),
    ("f3", Named::F3),
    ("f4", Named::F4),
    ("f5", Named::F5),
    ("f6", Named::F6),
    ("f7", Named::F7),
    ("f8", Named::F8),
    ("f9", Named::F9),
    ("f10", Named::F10),
    ("f11", Named::F11),
    ("f12", Named::F12),
];

impl std::str::FromStr for Chord {
    type Err = UnknownKey;

    fn from_str(chord: &str) -> Result<Self, UnknownKey> {
        let mut modifiers = Modifiers::default();
        let mut rest = chord;
        while let Some((prefix, modifier)) = MODIFIERS.iter().find(|(prefix, _)| {
            rest.len() > prefix.len() && rest.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
        }) {
            modifiers |= *modifier;
            rest = &rest[prefix.len()..];
        }
        let lower = rest.to_ascii_lowercase();
        if let Some((_, named)) = NAMED.iter().find(|(name, _)| *name == lower) {
            return Ok(Self::named(*named, modifiers));
        }
        let mut chars = rest.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) if !c.is_control() && !c.is_whitespace() => Ok(Self::character(c, modifiers)),
            _ => Err(UnknownKey(chord.to_owned())),
        }
    }
}

impl Chord {
    fn named(named: Named, modifiers: Modifiers) -> Self {
        let text = match named {
            Named::Space => Some(" "),
            Named::Enter => Some("\r"),
            Named::Tab => Some("\t"),
            _ => None,
        };
        let key = Key::Named(named);
        let text = text.filter(|_| types(modifiers)).map(str::to_owned);
        Self { modifiers, key: key.clone(), modified_key: key, text }
    }

    fn character(c: char, modifiers: Modifiers) -> Self {
        let cap: String = c.to_lowercase().collect();
        let typed = if modifiers.shift() { c.to_uppercase().collect() } else { cap.clone() };
        Self {
            modifiers,
            key: Key::Character(cap.as_str().into()),
            modified_key: Key::Character(typed.as_str().into()),
            text: types(modifiers).then_some(typed),
        }
    }

    /// The chord that types one character of a text: line ends are Enter, upper case holds Shift.
    pub fn typing(c: char) -> Self {
        match c {
            '\n' | '\r' => Self::named(Named::Enter, Modifiers::default()),
            '\t' => Self::named(Named::Tab, Modifiers::default()),
            ' ' => Self::named(Named::Space, Modifiers::default()),
            c => {
                let modifiers = if c.is_uppercase() { Modifiers::SHIFT } else { Modifiers::default() };
                let cap: String = c.to_lowercase().collect();
                Self {
                    modifiers,
                    key: Key::Character(cap.as_str().into()),
                    modified_key: Key::Character(c.encode_utf8(&mut [0; 4]).into()),
                    text: Some(c.to_string()),
                }
            }
        }
    }

    /// The events of pressing and releasing it, modifiers around.
    pub fn events(&self) -> Vec<Event> {
        let physical_key = key::Physical::Unidentified(key::NativeCode::Unidentified);
        let (key, modified_key) = (self.key.clone(), self.modified_key.clone());
        let (location, modifiers) = (Location::Standard, self.modifiers);
        let mut events = Vec::new();
        if !modifiers.is_empty() {
            events.push(keyboard::Event::ModifiersChanged(modifiers));
        }
        events.push(keyboard::Event::KeyPressed {
            key: key.clone(),
            modified_key: modified_key.clone(),
            physical_key,
            location,
            modifiers,
            text: self.text.as_deref().map(Into::into),
            repeat: false,
        });
        events.push(keyboard::Event::KeyReleased { key, modified_key, physical_key, location, modifiers });
        if !modifiers.is_empty() {
            events.push(keyboard::Event::ModifiersChanged(Modifiers::default()));
        }
        events.into_iter().map(Event::Keyboard).collect()
    }
}

/// Whether a key with these modifiers types text.
fn types(modifiers: Modifiers) -> bool {
    !modifiers.control() && !modifiers.alt() && !modifiers.logo()
}

/// The events of an input method showing `text` that is not committed yet.
pub fn preedit(text: &str) -> Vec<Event> {
    let caret = (!text.is_empty()).then_some(text.len()..text.len());
    vec![
        Event::InputMethod(input_method::Event::Opened),
        Event::InputMethod(input_method::Event::Preedit(text.to_owned(), caret)),
    ]
}

/// The events of an input method committing `text`; an empty preedit comes right before, as from a real one.
pub fn commit(text: &str) -> Vec<Event> {
    vec![
        Event::InputMethod(input_method::Event::Preedit(String::new(), None)),
        Event::InputMethod(input_method::Event::Commit(text.to_owned())),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chord(text: &str) -> Chord {
        text.parse().unwrap()
    }

    #[test]
    fn chords_are_read_with_any_modifier_and_any_key() {
        assert_eq!(chord("Ctrl+K").modifiers, Modifiers::CTRL);
        assert_eq!(chord("Ctrl+K").key, Key::Character("k".into()));
        assert_eq!(chord("Ctrl+K").text, None);
        assert_eq!(chord("Shift+Tab"), Chord::named(Named::Tab, Modifiers::SHIFT));
        assert_eq!(chord("F6").key, Key::Named(Named::F6));
        assert_eq!(chord("Ctrl+,").key, Key::Character(",".into()));
        assert_eq!(chord("Ctrl++").key, Key::Character("+".into()));
        assert_eq!(chord("+").text.as_deref(), Some("+"));
        assert_eq!(chord("ctrl+shift+ENTER").modifiers, Modifiers::CTRL | Modifiers::SHIFT);
        assert_eq!(chord("a").text.as_deref(), Some("a"));
        assert_eq!(chord("Shift+a").text.as_deref(), Some("A"));
        assert_eq!(chord("é").key, Key::Character("é".into()));
    }

    #[test]
    fn what_is_not_a_key_is_refused() {
        for bad in ["", "Ctrl+", "Hyper+K", "ab", "F99", " "] {
            assert_eq!(bad.parse::<Chord>(), Err(UnknownKey(bad.to_owned())), "{bad:?}");
        }
    }

    #[test]
    fn typed_text_comes_back_from_its_keys() {
        let text = "Ab 日\n😀\té";
        let typed: String = text.chars().filter_map(|c| Chord::typing(c).text).collect();
        assert_eq!(typed, text.replace('\n', "\r"));
    }
}
