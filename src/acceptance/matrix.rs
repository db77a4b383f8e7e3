//! Which scenario is looked at in which windows: theme, size, text size.

use std::fmt;

use iced::Size;

use super::scenario::{SCENARIOS, Scenario};
use crate::settings::Theme;
use crate::ui::theme::Palette;

/// In which windows a scenario is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sizes {
    /// Three themes at the usual size, one at the narrowest.
    Usual,
    /// And at the narrowest with everything twice as large.
    Large,
    /// Three themes narrow and wide too.
    Telling,
    /// All of it, and in the contrast palettes of Windows.
    Everything,
}

/// A theme of the matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Look {
    /// One of ours.
    Theme(Theme),
    /// A contrast palette of Windows, by name; the program follows the system.
    Palette(&'static str, Palette),
}

/// One picture: a scenario in one window.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub scenario: &'static Scenario,
    pub look: Look,
    /// Logical pixels at zoom 100.
    pub size: (u16, u16),
    /// Percent.
    pub zoom: u16,
}

const USUAL: (u16, u16) = (480, 900);
const NARROW: (u16, u16) = (360, 640);
const WIDE: (u16, u16) = (1024, 760);
const NARROWEST: (u16, u16) = (320, 640);
const LARGE: u16 = 200;

const THEMES: [Look; 3] = [Look::Theme(Theme::Light), Look::Theme(Theme::Dark), Look::Theme(Theme::HighContrast)];

impl Look {
    fn name(&self) -> String {
        match self {
            Self::Theme(Theme::Light) => "light".to_owned(),
            Self::Theme(Theme::Dark) => "dark".to_owned(),
            Self::Theme(Theme::HighContrast) => "high-contrast".to_owned(),
            Self::Theme(Theme::System) => "system".to_owned(),
            Self::Palette(name, _) => name.to_lowercase().replace(' ', "-"),
        }
    }

    /// Text in it promises 7:1.
    pub fn is_high_contrast(&self) -> bool {
        matches!(self, Self::Theme(Theme::HighContrast) | Self::Palette(..))
    }
}

impl Case {
    /// The window in pixels.
    pub fn window(&self) -> Size {
        Size::new(f32::from(self.size.0), f32::from(self.size.1))
    }
}

/// `reading.dark.480x900`, and `@200` behind it when everything is twice as large.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (width, height) = self.size;
        write!(f, "{}.{}.{width}x{height}", self.scenario.name, self.look.name())?;
        if self.zoom == 100 { Ok(()) } else { write!(f, "@{}", self.zoom) }
    }
}

/// Every case, scenario by scenario.
pub fn cases() -> Vec<Case> {
    SCENARIOS.iter().flat_map(of).collect()
}

/// The cases whose name fits the pattern: `*` stands for any characters, `?` for one.
pub fn matching(pattern: Option<&str>) -> Vec<Case> {
    let mut cases = cases();
    if let Some(pattern) = pattern {
        cases.retain(|case| fits(pattern, &case.to_string()));
    }
    cases
}

fn of(scenario: &'static Scenario) -> Vec<Case> {
    let case = |look, size, zoom| Case { scenario, look, size, zoom };
    let mut cases: Vec<Case> = THEMES.into_iter().map(|look| case(look, USUAL, 100)).collect();
    cases.push(case(THEMES[0], NARROWEST, 100));
    if matches!(scenario.sizes, Sizes::Telling | Sizes::Everything) {
        cases.extend([NARROW, WIDE].into_iter().flat_map(|size| THEMES.map(|look| case(look, size, 100))));
    }
    if matches!(scenario.sizes, Sizes::Large | Sizes::Everything) {
        cases.push(case(THEMES[0], NARROWEST, LARGE));
    }
    if scenario.sizes == Sizes::Everything {
        let palettes = Palette::WINDOWS.map(|(name, palette)| Look::Palette(name, palette));
        cases.extend(palettes.map(|look| case(look, USUAL, 100)));
    }
    cases
}

/// Whether a pattern with `*` and `?` describes the whole text.
pub fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // Where the last star stands and how much it has taken so far.
    let mut star: Option<(usize, usize)> = None;
    while seen < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(c) if *c == '?' || *c == text[seen] => {
                at += 1;
                seen += 1;
            }
            _ => {
                let Some((place, taken)) = star else { return false };
                star = Some((place, taken + 1));
                at = place + 1;
                seen = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_pattern_describes_the_whole_name() {
        for (pattern, text, expected) in [
            ("reading.dark.480x900", "reading.dark.480x900", true),
            ("reading*", "reading.dark.480x900", true),
            ("*dark*", "reading.dark.480x900", true),
            ("*.???x*", "reading.dark.480x900", true),
            ("dark", "reading.dark.480x900", false),
            ("*a*b*c", "xaxbxbxc", true),
            ("*a*b*c", "xaxbxbx", false),
            ("**", "", true),
            ("?", "", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn names_are_unique_and_are_file_names() {
        let names: Vec<String> = cases().iter().map(Case::to_string).collect();
        let unique: BTreeSet<&String> = names.iter().collect();
        assert_eq!(unique.len(), names.len());
        let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-@x".contains(c);
        assert!(names.iter().all(|name| name.chars().all(allowed)), "{names:?}");
    }

    #[test]
    fn every_scenario_is_looked_at_in_three_themes_and_at_320_pixels() {
        for scenario in SCENARIOS {
            let names: Vec<String> = of(scenario).iter().map(Case::to_string).collect();
            for part in [".light.480x900", ".dark.480x900", ".high-contrast.480x900", ".light.320x640"] {
                let wanted = format!("{}{part}", scenario.name);
                assert!(names.contains(&wanted), "{wanted}: {names:?}");
            }
        }
    }
}
