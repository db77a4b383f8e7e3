//! The Windows contrast palette as a theme.
//!
//! The user chose these colours because they can read them, so nothing else is drawn. Windows promises contrast only
//! for its own pairs (window text on window, highlight text on highlight). Where we draw a colour outside its pair
//! (highlight as the text of a flat button) it is used only if it reaches the ratio, else window text is.

use iced::Color;

use super::contrast::ratio;
use super::{Brightness, Contrast, Data, Metric, Tokens, rgb};

/// The system colours that matter; `GetSysColor` has them while a contrast theme is on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Palette {
    /// `COLOR_WINDOW`.
    pub window: Color,
    /// `COLOR_WINDOWTEXT`.
    pub window_text: Color,
    /// `COLOR_HIGHLIGHT`.
    pub highlight: Color,
    /// `COLOR_HIGHLIGHTTEXT`.
    pub highlight_text: Color,
    /// `COLOR_HOTLIGHT`: links.
    pub hotlight: Color,
    /// `COLOR_GRAYTEXT`: what is disabled.
    pub gray_text: Color,
}

const fn palette(window: u32, text: u32, highlight: u32, highlight_text: u32, hotlight: u32, gray: u32) -> Palette {
    Palette {
        window: rgb(window),
        window_text: rgb(text),
        highlight: rgb(highlight),
        highlight_text: rgb(highlight_text),
        hotlight: rgb(hotlight),
        gray_text: rgb(gray),
    }
}

impl Palette {
    /// What `GetSysColor` says of the fields in their order: red is the lowest byte.
    pub fn of_system(colors: [u32; 6]) -> Self {
        let [window, text, highlight, highlight_text, hotlight, gray] = colors.map(|color| color.swap_bytes() >> 8);
        palette(window, text, highlight, highlight_text, hotlight, gray)
    }

    /// Windows 11 "Aquatic".
    pub const AQUATIC: Self = palette(0x202020, 0xffffff, 0x8ee3f0, 0x263b50, 0x75e9fc, 0xa6a6a6);
    /// Windows 11 "Desert".
    pub const DESERT: Self = palette(0xfffaef, 0x3d3d3d, 0x903909, 0xfff5e3, 0x1c5e75, 0x676767);
    /// Windows 11 "Dusk".
    pub const DUSK: Self = palette(0x2d3236, 0xffffff, 0xa1bfde, 0x212d3b, 0x70ebde, 0xa6a6a6);
    /// Windows 11 "Night sky".
    pub const NIGHT_SKY: Self = palette(0x000000, 0xffffff, 0xd6b4fd, 0x2b2b2b, 0x8080ff, 0xa6a6a6);

    /// The four palettes Windows 11 ships, with the names of its settings page.
    pub const WINDOWS: [(&'static str, Self); 4] =
        [("Aquatic", Self::AQUATIC), ("Desert", Self::DESERT), ("Dusk", Self::DUSK), ("Night sky", Self::NIGHT_SKY)];
}

/// The theme of a palette. Pure: the same colours give the same theme.
pub(super) fn theme(palette: &Palette) -> Data {
    let &Palette { window, window_text, highlight, highlight_text, hotlight, gray_text } = palette;
    let readable = |color: Color| if ratio(color, window) >= 7.0 { color } else { window_text };
    // Highlight and its text are the user's pair; both are replaced together or not at all.
    let highlight_reads = ratio(highlight, window) >= 7.0 && ratio(highlight_text, highlight) >= 7.0;
    let (accent, accent_text) = if highlight_reads { (highlight, highlight_text) } else { (window_text, window) };
    let color = Tokens {
        background: window,
        panel: window,
        card: window,
        line: window_text,
        part: window_text,
        text: window_text,
        dim: readable(gray_text),
        accent,
        accent_text,
        warn: window_text,
        warn_bg: window,
        warn_line: window_text,
        bad: window_text,
        bad_bg: window,
        ok: window_text,
        code: window,
        focus: accent,
        focus_gap: window,
        selection: selection(highlight, window, window_text),
        link: readable(hotlight),
    };
    let dark = super::contrast::luminance(window) < super::contrast::luminance(window_text);
    Data {
        name: "Contrast".to_owned(),
        mode: if dark { Brightness::Dark } else { Brightness::Light },
        contrast: Contrast::High,
        color,
        metric: Metric { focus_width: 3.0, border_width: 1.0, radius: 0.0 },
    }
}

/// The strongest mix of highlight into the window's colour on which window text still reads 7:1: iced keeps the
/// colour of selected text, so the highlight itself cannot be used.
fn selection(highlight: Color, window: Color, text: Color) -> Color {
    let mix = |step: u8| {
        let share = f32::from(step) / 64.0;
        let part = |a: f32, b: f32| a * share + b * (1.0 - share);
        Color::from_rgb(part(highlight.r, window.r), part(highlight.g, window.g), part(highlight.b, window.b))
    };
    (0..=64).rev().map(mix).find(|&color| ratio(text, color) >= 7.0).unwrap_or(window)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::Theme;
    use iced::theme::{Base, Mode};

    #[test]
    fn a_system_colour_has_red_in_its_lowest_byte() {
        let aquatic = [0x20_2020, 0xff_ffff, 0xf0_e38e, 0x50_3b26, 0xfc_e975, 0xa6_a6a6];
        assert_eq!(Palette::of_system(aquatic), Palette::AQUATIC);
    }

    #[test]
    fn a_contrast_palette_keeps_the_users_colours() {
        let theme = Theme::from_palette(&Palette::AQUATIC);
        let tokens = theme.tokens();
        assert_eq!(tokens.background, Palette::AQUATIC.window);
        assert_eq!(tokens.text, Palette::AQUATIC.window_text);
        assert_eq!((tokens.accent, tokens.accent_text), (Palette::AQUATIC.highlight, Palette::AQUATIC.highlight_text));
        assert_eq!(tokens.link, Palette::AQUATIC.hotlight);
        assert_eq!(theme.mode(), Mode::Dark);
        assert_eq!(Theme::from_palette(&Palette::DESERT).mode(), Mode::Light);
    }

    #[test]
    fn selected_text_can_be_told_from_other_text_in_every_windows_palette() {
        for (name, palette) in Palette::WINDOWS {
            let theme = Theme::from_palette(&palette);
            let ratio = ratio(theme.tokens().selection, palette.window);
            assert!(ratio > 1.3, "{name}: {ratio}");
        }
    }

    #[test]
    fn a_highlight_that_does_not_read_on_the_window_gives_way_to_window_text() {
        let weak = Palette { highlight: rgb(0x303030), ..Palette::NIGHT_SKY };
        let theme = Theme::from_palette(&weak);
        assert_eq!((theme.tokens().accent, theme.tokens().accent_text), (weak.window_text, weak.window));
    }
}
