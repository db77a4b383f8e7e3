//! Fonts and text sizes.
//!
//! The interface font is bundled, so text looks and wraps the same everywhere. What it lacks (Han, kana, Hangul, emoji)
//! comes from the system in the window and from test fonts in `drive` and `acceptance`. The order of those is ours:
//! cosmic-text compares locales exactly, so on Windows `ja-JP` would get the Chinese forms of Han characters.

mod fallback;

use std::sync::{Arc, PoisonError};

use iced::advanced::graphics::text::cosmic_text::{self, fontdb};
use iced::advanced::graphics::text::font_system;
use iced::font::{Style, Weight};
use iced::widget::text::{LineHeight, Text};
use iced::{Font, Pixels};
use unicode_segmentation::UnicodeSegmentation as _;

use fallback::OurFallback;

const SANS_FAMILY: &str = "Noto Sans";
const MONO_FAMILY: &str = "Noto Sans Mono";

/// The interface font.
pub const SANS: Font = Font::with_name(SANS_FAMILY);
/// Code, commands and their output.
pub const MONO: Font = Font::with_name(MONO_FAMILY);
/// Bold interface font.
pub const BOLD: Font = Font { weight: Weight::Bold, ..SANS };
/// Italic interface font; see [`split_scripts`] before using it on text from outside.
pub const ITALIC: Font = Font { style: Style::Italic, ..SANS };
/// Bold italic interface font; see [`split_scripts`].
pub const BOLD_ITALIC: Font = Font { style: Style::Italic, ..BOLD };
/// Bold code.
pub const MONO_BOLD: Font = Font { weight: Weight::Bold, ..MONO };

/// A named text size: font, size and absolute line height in whole logical pixels, so that every layout falls on
/// whole pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextStyle {
    /// The face.
    pub font: Font,
    /// Size of the letters, logical pixels.
    pub size: f32,
    /// Distance of two lines, logical pixels.
    pub line: f32,
}

/// Ordinary text.
pub const BODY: TextStyle = style(SANS, 15.0, 22.0);
/// Ordinary text that stands out.
pub const STRONG: TextStyle = style(BOLD, 15.0, 22.0);
/// Secondary text.
pub const SMALL: TextStyle = style(SANS, 13.0, 18.0);
/// An author's name, a small heading.
pub const SMALL_STRONG: TextStyle = style(BOLD, 13.0, 18.0);
/// The words on a button.
pub const LABEL: TextStyle = style(SANS, 14.0, 20.0);
/// The words on a primary button.
pub const LABEL_STRONG: TextStyle = style(BOLD, 14.0, 20.0);
/// Tags and section names.
pub const CAPTION: TextStyle = style(SANS, 12.0, 16.0);
/// Section names.
pub const CAPTION_STRONG: TextStyle = style(BOLD, 12.0, 16.0);
/// Code and command output.
pub const CODE: TextStyle = style(MONO, 13.0, 18.0);
/// A page's or dialog's title, and a first-level heading in text.
pub const TITLE: TextStyle = style(BOLD, 20.0, 28.0);
/// A second-level heading in text.
pub const HEADING: TextStyle = style(BOLD, 17.0, 24.0);
/// An icon beside ordinary text.
pub const ICON: TextStyle = style(Font::with_name(super::icons::FAMILY), 18.0, 22.0);
/// An icon beside secondary text.
pub const SMALL_ICON: TextStyle = style(Font::with_name(super::icons::FAMILY), 16.0, 18.0);

const fn style(font: Font, size: f32, line: f32) -> TextStyle {
    TextStyle { font, size, line }
}

impl TextStyle {
    /// The same style at another size (1.0 = as designed): the transcript's own zoom. Stays on whole pixels.
    pub fn scaled(self, factor: f32) -> Self {
        Self { size: (self.size * factor).round(), line: (self.line * factor).round(), ..self }
    }

    /// The same size in another face.
    pub const fn face(self, font: Font) -> Self {
        Self { font, ..self }
    }

    /// The line height for stock widgets.
    pub fn line_height(self) -> LineHeight {
        LineHeight::Absolute(Pixels(self.line))
    }

    /// A stock text widget in this style.
    pub fn text<'a, Theme, Renderer>(
        self,
        content: impl iced::widget::text::IntoFragment<'a>,
    ) -> Text<'a, Theme, Renderer>
    where
        Theme: iced::widget::text::Catalog + 'a,
        Renderer: iced::advanced::text::Renderer<Font = Font>,
    {
        iced::widget::text(content).font(self.font).size(self.size).line_height(self.line_height())
    }
}

/// The bundled faces.
const BUNDLED: [&[u8]; 7] = [
    include_bytes!("../../assets/fonts/RejoinIcons.ttf"),
    include_bytes!("../../assets/fonts/NotoSans-Regular.ttf"),
    include_bytes!("../../assets/fonts/NotoSans-Bold.ttf"),
    include_bytes!("../../assets/fonts/NotoSans-Italic.ttf"),
    include_bytes!("../../assets/fonts/NotoSans-BoldItalic.ttf"),
    include_bytes!("../../assets/fonts/NotoSansMono-Regular.ttf"),
    include_bytes!("../../assets/fonts/NotoSansMono-Bold.ttf"),
];

/// Prepares the fonts of the window: bundled faces first, the system's for the scripts they lack, in the order the
/// user's locale asks for. Call it before the first layout.
pub fn install() {
    replace(|locale, mut db| {
        load(&mut db, &BUNDLED);
        (locale, db)
    });
}

/// Prepares fonts that depend on nothing of the machine: bundled faces and `extra` (test fonts), locale en-US, no
/// system fonts. Call it before the first layout.
pub fn install_bundled_only(extra: &[&'static [u8]]) {
    replace(|_, system| {
        let mut db = fontdb::Database::new();
        // iced's own icons (the mark of a checkbox) are not a system font.
        for face in system.faces().filter(|face| face.families.iter().any(|(name, _)| name == "Iced-Icons")) {
            db.load_font_source(face.source.clone());
        }
        load(&mut db, &BUNDLED);
        load(&mut db, extra);
        ("en-US".to_owned(), db)
    });
}

fn load(db: &mut fontdb::Database, fonts: &[&'static [u8]]) {
    for &bytes in fonts {
        db.load_font_source(fontdb::Source::Binary(Arc::new(bytes)));
    }
}

/// Replaces iced's font database; iced has scanned the system's fonts when it is first asked, so nothing is read twice.
fn replace(change: impl FnOnce(String, fontdb::Database) -> (String, fontdb::Database)) {
    let mut system = font_system().write().unwrap_or_else(PoisonError::into_inner);
    let empty = cosmic_text::FontSystem::new_with_locale_and_db(String::new(), fontdb::Database::new());
    let (locale, db) = std::mem::replace(system.raw(), empty).into_locale_and_db();
    let (locale, mut db) = change(locale, db);
    db.set_sans_serif_family(SANS_FAMILY);
    db.set_serif_family(SANS_FAMILY);
    db.set_cursive_family(SANS_FAMILY);
    db.set_fantasy_family(SANS_FAMILY);
    db.set_monospace_family(MONO_FAMILY);
    *system.raw() = cosmic_text::FontSystem::new_with_locale_and_db_and_fallback(locale, db, OurFallback);
}

/// Cuts text into runs that the italic face can draw (`true`) and runs that must stay upright (`false`).
///
/// cosmic-text falls back only to faces of the same slant, and no Han, kana, Hangul or emoji font has an italic: drawn
/// italic they would be empty boxes. Cuts are between grapheme clusters only. Runs concatenate to the text.
pub fn split_scripts(text: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.graphemes(true).next()?;
        let italic = slants(first);
        let end =
            rest.grapheme_indices(true).find(|(_, cluster)| slants(cluster) != italic).map_or(rest.len(), |c| c.0);
        let (run, tail) = rest.split_at(end);
        rest = tail;
        Some((run, italic))
    })
}

/// True when every character of the cluster is one our italic face has.
fn slants(cluster: &str) -> bool {
    cluster.chars().all(|c| {
        matches!(c as u32,
            0x0000..=0x052f            // Latin, Greek, Cyrillic, combining marks
            | 0x1c80..=0x1c88          // Cyrillic, extended
            | 0x1d00..=0x1fff          // phonetic, Latin and Greek, extended
            | 0x2000..=0x2064          // spaces, dashes, quotation marks
            | 0x20a0..=0x20bf          // currencies
            | 0x2c60..=0x2c7f | 0x2de0..=0x2e44
            | 0xa640..=0xa69f | 0xa720..=0xa7bf | 0xab30..=0xab65
            | 0xfb00..=0xfb06)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cosmic_text::{Attrs, Buffer, Family, Metrics, Shaping};

    const TEST_FONTS: [&[u8]; 2] = [
        include_bytes!("../../tests/fonts/NotoSansJP-subset.ttf"),
        include_bytes!("../../tests/fonts/NotoEmoji-subset.ttf"),
    ];

    fn system() -> cosmic_text::FontSystem {
        let mut db = fontdb::Database::new();
        load(&mut db, &BUNDLED);
        load(&mut db, &TEST_FONTS);
        cosmic_text::FontSystem::new_with_locale_and_db_and_fallback("en-US".to_owned(), db, OurFallback)
    }

    /// The characters that have no glyph when `text` is drawn in this slant and weight.
    fn missing(system: &mut cosmic_text::FontSystem, text: &str, italic: bool, bold: bool) -> String {
        let mut buffer = Buffer::new(system, Metrics::new(15.0, 22.0));
        let style = if italic { fontdb::Style::Italic } else { fontdb::Style::Normal };
        let weight = if bold { fontdb::Weight::BOLD } else { fontdb::Weight::NORMAL };
        let attrs = Attrs::new().family(Family::Name(SANS_FAMILY)).style(style).weight(weight);
        buffer.set_text(system, text, &attrs, Shaping::Advanced, None);
        buffer.shape_until_scroll(system, false);
        let runs = buffer.layout_runs().flat_map(|run| {
            run.glyphs
                .iter()
                .filter(|glyph| glyph.glyph_id == 0)
                .map(|glyph| run.text[glyph.start..glyph.end].to_owned())
        });
        runs.collect()
    }

    #[test]
    fn runs_concatenate_to_the_text_and_are_cut_between_clusters_only() {
        let text = "see 日本語 and 👩‍🚀 e\u{301}t ça";
        let runs: Vec<_> = split_scripts(text).collect();
        assert_eq!(runs, [("see ", true), ("日本語", false), (" and ", true), ("👩‍🚀", false), (" e\u{301}t ça", true)]);
        assert_eq!(split_scripts("").count(), 0);
        assert_eq!(split_scripts("plain").collect::<Vec<_>>(), [("plain", true)]);
    }

    #[test]
    fn italic_japanese_and_emoji_have_glyphs_once_they_are_split_and_none_before() {
        let mut system = system();
        let text = "emphasis 日本 😀 здесь";
        assert_ne!(missing(&mut system, text, true, false), "", "the reason why split_scripts exists");
        for (run, italic) in split_scripts(text) {
            assert_eq!(missing(&mut system, run, italic, false), "", "{run}");
            assert_eq!(missing(&mut system, run, italic, true), "", "bold {run}");
        }
    }

    #[test]
    fn every_letter_that_stays_italic_has_an_italic_glyph() {
        let mut system = system();
        let letters: String = (0x20..0xfb07).filter_map(char::from_u32).filter(|c| c.is_alphanumeric()).collect();
        let italic: String = letters.chars().filter(|c| slants(c.encode_utf8(&mut [0; 4]))).collect();
        assert!(italic.chars().count() > 1500);
        // Unassigned or newer than the font; upright would find nothing either.
        let upright = missing(&mut system, &italic, false, false);
        let lost: String =
            missing(&mut system, &italic, true, false).chars().filter(|c| !upright.contains(*c)).collect();
        assert_eq!(lost, "");
    }

    #[test]
    fn every_text_style_stands_on_whole_pixels_at_every_zoom() {
        for style in [BODY, STRONG, SMALL, SMALL_STRONG, LABEL, LABEL_STRONG, CAPTION, CODE, TITLE, HEADING, ICON] {
            for percent in [100.0, 110.0, 125.0, 133.0, 150.0, 200.0] {
                let scaled = style.scaled(percent / 100.0);
                assert_eq!((scaled.size.fract(), scaled.line.fract()), (0.0, 0.0));
                assert!(scaled.line > scaled.size);
            }
        }
    }
}
