//! Text that can be selected with the pointer and copied with Ctrl+C, paragraph by paragraph.
//!
//! Selection needs the pointer; pages offer "Copy" actions for the keyboard.

use super::{Element, Renderer};
use crate::a11y::{Key, Role};
use crate::ui::theme::Theme;
use iced::{Font, Length, Pixels};
use iced_selection::text::Rich;
use std::sync::Arc;

/// A run of text with one look; its link is what the message gets.
pub type Span = iced::widget::text::Span<'static, Arc<str>, Font>;

/// Selectable text of one look, on whole pixels (`size` and `line` in logical pixels).
pub fn plain<'a, M: Clone + 'a>(text: impl Into<String>, size: f32, line: f32, font: Font) -> Element<'a, M> {
    iced_selection::Text::<Theme, Renderer>::new(text.into())
        .size(size)
        .line_height(Pixels(line))
        .font(font)
        .width(Length::Fill)
        .into()
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
    let rich: Rich<'a, Arc<str>, M, Theme, Renderer> =
        Rich::with_spans(spans).on_link_click(on_link).size(size).line_height(Pixels(line)).width(Length::Fill);
    super::accessible(key, Role::Paragraph, "", rich).leaf().node(|node| node.set_value(text)).into()
}
