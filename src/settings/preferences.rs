//! What the user prefers, with the default of each.

use std::path::PathBuf;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use toml::Table;

use super::store::{Document, Notice, field};

/// Preferences of the user, the same for all windows and processes.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Settings {
    /// Colours.
    pub theme: Theme,
    /// Size of everything, in percent ([`Settings::ZOOM`]).
    pub zoom: u16,
    /// Size of the transcript on top of it, in percent ([`Settings::ZOOM`]).
    pub transcript_zoom: u16,
    /// Whether Enter alone sends. Ctrl+Enter always does.
    pub send_key: SendKey,
    /// Whether things move.
    pub reduced_motion: Motion,
    /// The Codex program, if the user chose one; otherwise it is looked for ([`super::codex`]).
    pub codex: Option<PathBuf>,
    /// The window as it was last closed.
    pub window: Option<WindowSize>,
}

/// Which colours. `--theme` says it for one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// Follows the platform, also while running.
    #[default]
    System,
    Light,
    Dark,
    HighContrast,
}

/// The key that sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SendKey {
    /// Enter sends, Shift+Enter starts a line.
    Enter,
    /// Ctrl+Enter sends, Enter starts a line.
    #[default]
    CtrlEnter,
}

/// Whether things move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Motion {
    /// As the platform says.
    #[default]
    System,
    /// Reduced.
    On,
    /// Not reduced.
    Off,
}

/// Inner size of the window in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowSize {
    pub width: u32,
    pub height: u32,
}

impl Settings {
    /// Allowed zoom, in percent.
    pub const ZOOM: std::ops::RangeInclusive<u16> = 50..=300;
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            zoom: 100,
            transcript_zoom: 100,
            send_key: SendKey::default(),
            reduced_motion: Motion::default(),
            codex: None,
            window: None,
        }
    }
}

impl Document for Settings {
    const FILE: &'static str = "settings.toml";

    fn read(table: &Table, notices: &mut Vec<Notice>) -> Self {
        let default = Self::default();
        let zoom = |key, notices: &mut Vec<Notice>| {
            let percent = field(table, Self::FILE, key, 100, notices);
            if Self::ZOOM.contains(&percent) {
                return percent;
            }
            notices.push(Notice::Field { file: Self::FILE, key: key.into() });
            percent.clamp(*Self::ZOOM.start(), *Self::ZOOM.end())
        };
        Self {
            zoom: zoom("zoom", notices),
            transcript_zoom: zoom("transcript-zoom", notices),
            theme: field(table, Self::FILE, "theme", default.theme, notices),
            send_key: field(table, Self::FILE, "send-key", default.send_key, notices),
            reduced_motion: field(table, Self::FILE, "reduced-motion", default.reduced_motion, notices),
            codex: field(table, Self::FILE, "codex", None, notices),
            window: field(table, Self::FILE, "window", None, notices),
        }
    }

    fn write(&mut self, before: &Self, table: &mut Table, _revision: u64) -> Result<(), toml::ser::Error> {
        let (old, mut new) = (Table::try_from(before)?, Table::try_from(&*self)?);
        // Only what this edit changed: another version's word for a field we could not read stays.
        for key in old.keys().filter(|key| !new.contains_key(*key)) {
            table.remove(key);
        }
        new.retain(|key, value| old.get(key) != Some(value));
        table.extend(new);
        Ok(())
    }
}

impl FromStr for Theme {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        match word {
            "system" => Ok(Self::System),
            "light" => Ok(Self::Light),
            "dark" => Ok(Self::Dark),
            "high-contrast" => Ok(Self::HighContrast),
            _ => Err("a theme is one of light, dark, high-contrast, system".into()),
        }
    }
}
