//! WCAG contrast: the formula, and the table of every pair of tokens that the program draws on each other.
//!
//! A widget that draws a pair not listed in [`PAIRS`] adds it there first; a test computes all of them for every
//! theme and for the four contrast palettes of Windows.

use iced::Color;

use super::{Contrast, Theme, Tokens};

/// What a pair is, and with that how much contrast it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Words (WCAG 1.4.3, and 1.4.6 in high contrast).
    Text,
    /// Edges of controls, focus rings, icons (WCAG 1.4.11).
    Part,
}

/// A pair of tokens drawn on each other.
pub struct Pair {
    /// The two tokens' names, foreground first.
    pub name: &'static str,
    /// What the foreground is.
    pub usage: Use,
    /// Picks foreground and background.
    pub colors: fn(&Tokens) -> (Color, Color),
}

macro_rules! pairs {
    ($($usage:ident: $front:ident on $($back:ident),+;)*) => {
        /// Every pair the program draws.
        pub const PAIRS: &[Pair] = &[$($(Pair {
            name: concat!(stringify!($front), " on ", stringify!($back)),
            usage: Use::$usage,
            colors: |tokens| (tokens.$front, tokens.$back),
        },)+)*];
    };
}

pairs! {
    Text: text on background, panel, card, code, warn_bg, bad_bg, selection;
    Text: dim on background, panel, card, code, warn_bg, bad_bg;
    Text: accent on background, panel, card, warn_bg, bad_bg;
    Text: accent_text on accent;
    Text: link on background, panel, card, warn_bg, bad_bg;
    Text: warn on background, panel, card, warn_bg;
    Text: bad on background, panel, card, code, bad_bg;
    Text: ok on background, panel, card, code;
    Part: part on background, panel, card, code, warn_bg, bad_bg;
    Part: accent on background, panel, card;
    Part: warn_line on background, panel, card, warn_bg;
    Part: bad on background, card, bad_bg;
    Part: focus on background, panel, card, code, warn_bg, bad_bg, focus_gap;
    Part: focus_gap on accent;
}

/// The relative luminance of a colour (WCAG 2.x), 0 to 1.
pub fn luminance(color: Color) -> f32 {
    let linear = |v: f32| if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
    0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b)
}

/// The contrast ratio of two colours (WCAG 2.x), 1 to 21; the order does not matter.
pub fn ratio(a: Color, b: Color) -> f32 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The ratio a pair needs in a theme that promises `contrast`.
pub fn required(usage: Use, contrast: Contrast) -> f32 {
    match (usage, contrast) {
        (Use::Text, Contrast::Normal) => 4.5,
        (Use::Text, Contrast::High) => 7.0,
        (Use::Part, Contrast::Normal | Contrast::High) => 3.0,
    }
}

/// The pairs that miss what the theme promises: name, ratio, needed ratio.
pub fn failures(theme: &Theme) -> Vec<(&'static str, f32, f32)> {
    PAIRS
        .iter()
        .filter_map(|pair| {
            let (front, back) = (pair.colors)(theme.tokens());
            let (ratio, needed) = (ratio(front, back), required(pair.usage, theme.contrast()));
            (ratio < needed).then_some((pair.name, ratio, needed))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::Palette;

    #[test]
    fn the_formula_gives_the_known_ratios() {
        assert!((ratio(Color::BLACK, Color::WHITE) - 21.0).abs() < 0.01);
        assert!((ratio(Color::WHITE, Color::WHITE) - 1.0).abs() < 0.01);
        let grey = Color::from_rgb8(0x76, 0x76, 0x76);
        assert!((ratio(grey, Color::WHITE) - 4.54).abs() < 0.01, "the classic lightest grey on white");
    }

    #[test]
    fn every_pair_of_every_theme_and_windows_palette_has_its_contrast() {
        let mut themes = vec![Theme::light(), Theme::dark(), Theme::high_contrast()];
        themes.extend(Palette::WINDOWS.iter().map(|(_, palette)| Theme::from_palette(palette)));
        for theme in themes {
            assert_eq!(failures(&theme), [], "{} ({:?})", theme.label(), theme.contrast());
        }
    }

    #[test]
    fn a_weak_pair_is_found() {
        let weak = include_str!("../../../themes/light.toml").replace("#5d5b56", "#9d9b96");
        let failures = failures(&Theme::parse(&weak).unwrap());
        assert!(failures.iter().any(|(name, ..)| *name == "dim on background"), "{failures:?}");
    }
}
