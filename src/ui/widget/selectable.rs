//! Text that can be selected with the pointer and copied with Ctrl+C, paragraph by paragraph.
//!
//! Selection needs the pointer; pages offer "Copy" actions for the keyboard.

use super::{Element, Renderer};
use crate::a11y::{Key, Role};
use crate::ui::theme::Theme;
use iced::widget::text::Wrapping;
use iced::{Font, Length, Pixels};
use iced_selection::text::Rich;
use std::sync::Arc;

/// A run of text with one look; its link is what the message gets.
pub type Span = iced::widget::text::Span<'static, Arc<str>, Font>;

/// Characters of one line. Laying out a line costs more than its length; a longer one is shown in pieces.
const LINE_CHARACTERS: usize = 4_096;

/// Selectable text of one look, on whole pixels (`size` and `line` in logical pixels).
pub fn plain<'a, M: Clone + 'a>(text: impl Into<String>, size: f32, line: f32, font: Font) -> Element<'a, M> {
    iced_selection::Text::<Theme, Renderer>::new(in_pieces(text.into()))
        .size(size)
        .line_height(Pixels(line))
        .font(font)
        .width(Length::Fill)
        .wrapping(Wrapping::WordOrGlyph)
        .into()
}

/// Breaks lines that are too long to be laid out in one; text of usual lines is passed on as it is.
fn in_pieces(text: String) -> String {
    if text.len() <= LINE_CHARACTERS || text.lines().all(|line| line.len() <= LINE_CHARACTERS) {
        return text;
    }
    let mut pieces = String::with_capacity(text.len() + text.len() / LINE_CHARACTERS + 1);
    let mut length = 0;
    for c in text.chars() {
        if c == '\n' {
            length = 0;
        } else if length == LINE_CHARACTERS {
            pieces.push('\n');
            length = 1;
        } else {
            length += 1;
        }
        pieces.push(c);
    }
    pieces
}

/// Selectable text of several looks with links. `key` names the paragraph's node; its links follow it as Tab stops of
/// their own only when the page offers them as controls.
pub fn rich<'a, M: Clone + 'a>(
    key: impl Into<Key>,
    spans: Vec<Span>,
    size: f32,
    line: f32,
    on_link: impl Fn(Arc<str>) -> M + 'a,
) -> Element<'a, M> {
    let text: String = spans.iter().map(|span| span.text.as_ref()).collect();
    let rich: Rich<'a, Arc<str>, M, Theme, Renderer> = Rich::with_spans(spans)
        .on_link_click(on_link)
        .size(size)
        .line_height(Pixels(line))
        .width(Length::Fill)
        .wrapping(Wrapping::WordOrGlyph);
    super::accessible(key, Role::Paragraph, "", rich).leaf().node(|node| node.set_value(text)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_beyond_the_limit_are_broken_and_nothing_is_lost() {
        let usual = "a line\n\u{e4}nother\n".repeat(1_000);
        assert_eq!(in_pieces(usual.clone()), usual);
        let long = format!("short\n{}\nend", "\u{fc}".repeat(10_000));
        let pieces = in_pieces(long.clone());
        assert!(pieces.lines().all(|line| line.chars().count() <= LINE_CHARACTERS));
        assert_eq!(pieces.replace('\n', ""), long.replace('\n', ""));
    }
}
