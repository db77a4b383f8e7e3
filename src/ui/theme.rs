//! Themes are data: colour tokens and metrics from `themes/*.toml`, or from the user's Windows contrast palette.
//!
//! A [`Theme`] is what every widget of the program is generic over. Cloning it is one reference count. Which pairs
//! of tokens may be drawn on each other is a table in [`contrast`]; a test computes every one of them (DESIGN 11).

pub mod catalog;
pub mod contrast;
pub mod palette;
pub mod style;

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, LazyLock};

use iced::Color;
use iced::theme::{Base, Mode};
use serde::{Deserialize, Deserializer};

pub use palette::Palette;

/// A complete set of colours and metrics. Equal when the data is equal.
#[derive(Debug, Clone, PartialEq)]
pub struct Theme(Arc<Data>);

/// One theme file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Data {
    name: String,
    mode: Brightness,
    contrast: Contrast,
    color: Tokens,
    metric: Metric,
}

/// Whether the background is light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Brightness {
    Light,
    Dark,
}

/// How much contrast the theme promises: 4.5:1 for text, or 7:1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Contrast {
    /// WCAG AA: text 4.5:1, parts of controls 3:1.
    Normal,
    /// WCAG AAA for text: 7:1. Flat buttons are underlined, corners are square.
    High,
}

macro_rules! tokens {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// The colours of a theme, by what they are for.
        #[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Tokens { $($(#[$doc])* #[serde(deserialize_with = "color")] pub $name: Color,)* }
    };
}

tokens! {
    /// Behind everything.
    background,
    /// Bars, the picker, the composer's surroundings.
    panel,
    /// Cards, buttons and fields.
    card,
    /// Separators and card edges that carry no meaning.
    line,
    /// Edges that show where a control is.
    part,
    /// Text.
    text,
    /// Secondary text, and the text of what is disabled.
    dim,
    /// The one accent: primary buttons, flat buttons, the selected row's edge.
    accent,
    /// Text on `accent`.
    accent_text,
    /// Words and icons of a warning.
    warn,
    /// Behind a warning.
    warn_bg,
    /// The edge of a warning.
    warn_line,
    /// Words, icons and edges of a failure.
    bad,
    /// Behind a failure.
    bad_bg,
    /// Words and icons of a success.
    ok,
    /// Behind code and command output.
    code,
    /// The focus ring.
    focus,
    /// The line between the focus ring and what it surrounds.
    focus_gap,
    /// Behind selected text; the text keeps its colour.
    selection,
    /// A link in text, always underlined too.
    link,
}

/// Widths and radii in logical pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Metric {
    /// Width of the focus ring.
    pub focus_width: f32,
    /// Width of the edge of controls and cards.
    pub border_width: f32,
    /// Radius of the corners of controls and cards.
    pub radius: f32,
}

/// A theme file that cannot be used; the text names the line and the field.
#[derive(Debug, thiserror::Error)]
#[error("theme file: {0}")]
pub struct ThemeError(#[from] toml::de::Error);

impl Theme {
    /// Reads a theme file.
    ///
    /// # Errors
    /// When it is not TOML, a field is missing or unknown, or a colour is not `#rrggbb`.
    pub fn parse(source: &str) -> Result<Self, ThemeError> {
        Ok(Self(Arc::new(toml::from_str(source)?)))
    }

    /// The light theme.
    pub fn light() -> Self {
        static THEME: LazyLock<Theme> = LazyLock::new(|| bundled(include_str!("../../themes/light.toml")));
        THEME.clone()
    }

    /// The dark theme.
    pub fn dark() -> Self {
        static THEME: LazyLock<Theme> = LazyLock::new(|| bundled(include_str!("../../themes/dark.toml")));
        THEME.clone()
    }

    /// The high-contrast theme, for systems without a contrast palette of their own.
    pub fn high_contrast() -> Self {
        static THEME: LazyLock<Theme> = LazyLock::new(|| bundled(include_str!("../../themes/high-contrast.toml")));
        THEME.clone()
    }

    /// The user's Windows contrast palette as a theme; see [`palette`].
    pub fn from_palette(palette: &Palette) -> Self {
        Self(Arc::new(palette::theme(palette)))
    }

    /// The colours.
    pub fn tokens(&self) -> &Tokens {
        &self.0.color
    }

    /// The metrics.
    pub fn metric(&self) -> &Metric {
        &self.0.metric
    }

    /// The name for the screen.
    pub fn label(&self) -> &str {
        &self.0.name
    }

    /// What the theme promises.
    pub fn contrast(&self) -> Contrast {
        self.0.contrast
    }

    /// True for the high-contrast theme and for contrast palettes.
    pub fn is_high_contrast(&self) -> bool {
        self.0.contrast == Contrast::High
    }
}

fn bundled(source: &str) -> Theme {
    Theme::parse(source).expect("a unit test parses every bundled theme file")
}

impl Base for Theme {
    fn default(preference: Mode) -> Self {
        match preference {
            Mode::Dark => Self::dark(),
            Mode::Light | Mode::None => Self::light(),
        }
    }

    fn mode(&self) -> Mode {
        match self.0.mode {
            Brightness::Light => Mode::Light,
            Brightness::Dark => Mode::Dark,
        }
    }

    fn base(&self) -> iced::theme::Style {
        iced::theme::Style { background_color: self.tokens().background, text_color: self.tokens().text }
    }

    fn palette(&self) -> Option<iced::theme::Palette> {
        None
    }

    fn name(&self) -> &str {
        self.label()
    }
}

/// The user's choice: `--theme`, or the settings page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Choice {
    /// What the system says: its contrast palette if one is on, else light or dark.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
    /// Always high contrast: the system's contrast palette if one is on, else our own.
    HighContrast,
}

impl Choice {
    /// Every choice, in the order of the settings page.
    pub const ALL: [Self; 4] = [Self::System, Self::Light, Self::Dark, Self::HighContrast];

    /// The name on the command line and in the settings file.
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
            Self::HighContrast => "high-contrast",
        }
    }

    /// The theme to draw with, given what the system reports.
    pub fn resolve(self, mode: Mode, palette: Option<&Palette>) -> Theme {
        match self {
            Self::Light => Theme::light(),
            Self::Dark => Theme::dark(),
            Self::HighContrast => palette.map_or_else(Theme::high_contrast, Theme::from_palette),
            Self::System => palette.map_or_else(|| <Theme as Base>::default(mode), Theme::from_palette),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A theme name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no theme \"{0}\"; use light, dark, high-contrast or system")]
pub struct UnknownTheme(String);

impl FromStr for Choice {
    type Err = UnknownTheme;

    fn from_str(name: &str) -> Result<Self, UnknownTheme> {
        Self::ALL.into_iter().find(|choice| choice.name() == name).ok_or_else(|| UnknownTheme(name.to_owned()))
    }
}

/// `#rrggbb`, and nothing else: a theme has no transparency, so contrast is what the test computed.
fn color<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Color, D::Error> {
    let text = String::deserialize(deserializer)?;
    let hex = text.strip_prefix('#').filter(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()));
    let value = hex.and_then(|hex| u32::from_str_radix(hex, 16).ok());
    value.map(rgb).ok_or_else(|| serde::de::Error::custom(format!("\"{text}\" is not a colour like #1f5fbf")))
}

/// `0xRRGGBB` as a colour.
pub(crate) const fn rgb(value: u32) -> Color {
    let [_, r, g, b] = value.to_be_bytes();
    Color::from_rgb8(r, g, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bundled_theme_parses_and_names_itself() {
        let names = [Theme::light(), Theme::dark(), Theme::high_contrast()].map(|theme| theme.label().to_owned());
        assert_eq!(names, ["Light", "Dark", "High contrast"]);
        assert_eq!(Theme::light().mode(), Mode::Light);
        assert_eq!(Theme::dark().mode(), Mode::Dark);
        assert!(Theme::high_contrast().is_high_contrast() && !Theme::dark().is_high_contrast());
    }

    #[test]
    fn a_theme_file_with_a_fault_is_refused_and_the_fault_is_named() {
        let good = include_str!("../../themes/light.toml");
        for (bad, expected) in [
            (good.replace("#fbfbfa", "#fbfbfa80"), "not a colour"),
            (good.replace("#fbfbfa", "white"), "not a colour"),
            (good.replace("radius = 6.0", "radius = 6.0\nshadow = 1"), "shadow"),
            (good.replace("link = \"#1f5fbf\"", ""), "link"),
            (good.replace("mode = \"light\"", "mode = \"grey\""), "grey"),
        ] {
            assert_ne!(bad, good);
            let error = Theme::parse(&bad).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn themes_are_equal_by_their_data() {
        assert_eq!(Theme::light(), Theme::parse(include_str!("../../themes/light.toml")).unwrap());
        assert_ne!(Theme::light(), Theme::dark());
    }

    #[test]
    fn a_choice_is_named_and_found_again_and_a_contrast_palette_beats_the_systems_mode() {
        for choice in Choice::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        assert!("sepia".parse::<Choice>().unwrap_err().to_string().contains("sepia"));
        assert_eq!(Choice::System.resolve(Mode::Dark, None), Theme::dark());
        assert_eq!(Choice::System.resolve(Mode::None, None), Theme::light());
        let dusk = Theme::from_palette(&Palette::DUSK);
        assert_eq!(Choice::System.resolve(Mode::Light, Some(&Palette::DUSK)), dusk);
        assert_eq!(Choice::HighContrast.resolve(Mode::Light, Some(&Palette::DUSK)), dusk);
        assert_eq!(Choice::HighContrast.resolve(Mode::Light, None), Theme::high_contrast());
        assert_eq!(Choice::Light.resolve(Mode::Dark, Some(&Palette::DUSK)), Theme::light());
    }
}
