//! One line of text that ends in "…" where there is no more room; assistive technologies get all of it.

use iced::advanced::text::{self, Paragraph as _, Renderer as _};
use iced::advanced::widget::{Operation, Tree, tree};
use iced::advanced::{Layout, Widget, layout, mouse, renderer};
use iced::widget::text::Style;
use iced::{Font, Length, Pixels, Rectangle, Size, alignment};
use unicode_segmentation::UnicodeSegmentation as _;

use super::{Element, Renderer};
use crate::ui::theme::Theme;

type Paragraph = <Renderer as text::Renderer>::Paragraph;

/// See [`one_line`].
pub struct OneLine {
    text: String,
    size: f32,
    line: f32,
    font: Font,
    style: fn(&Theme) -> Style,
}

/// `text` on one line, `size` and `line` in whole logical pixels. It takes the room it needs, up to all there is.
pub fn one_line(text: impl Into<String>, size: f32, line: f32, font: Font) -> OneLine {
    OneLine { text: text.into(), size, line, font, style: |_| Style { color: None } }
}

impl OneLine {
    /// Its colour; that of its surroundings otherwise.
    pub fn style(mut self, style: fn(&Theme) -> Style) -> Self {
        self.style = style;
        self
    }

    fn measure(&self, content: &str) -> Paragraph {
        Paragraph::with_text(text::Text {
            content,
            bounds: Size::INFINITE,
            size: Pixels(self.size),
            line_height: Pixels(self.line).into(),
            font: self.font,
            align_x: text::Alignment::Default,
            align_y: alignment::Vertical::Top,
            shaping: text::Shaping::Advanced,
            wrapping: text::Wrapping::None,
        })
    }

    /// The longest beginning that fits with its "…"; the whole text when it fits.
    fn fit(&self, room: f32) -> Paragraph {
        let whole = self.measure(&self.text);
        if whole.min_width() <= room {
            return whole;
        }
        let ends: Vec<usize> = self.text.grapheme_indices(true).map(|(at, _)| at).collect();
        let cut = |at: usize| self.measure(&format!("{}\u{2026}", self.text[..ends[at]].trim_end()));
        let (mut fits, mut over) = (0, ends.len());
        while over - fits > 1 {
            let middle = fits.midpoint(over);
            if cut(middle).min_width() <= room { fits = middle } else { over = middle }
        }
        cut(fits)
    }
}

/// The paragraph of the last layout and what it was made of.
struct Fitted {
    text: String,
    /// Room, size and line.
    measures: [f32; 3],
    font: Font,
    paragraph: Paragraph,
}

#[derive(Default)]
struct State(Option<Fitted>);

impl<M> Widget<M, Theme, Renderer> for OneLine {
    fn tag(&self) -> tree::Tag {
        tree::Tag::of::<State>()
    }

    fn state(&self) -> tree::State {
        tree::State::new(State::default())
    }

    fn size(&self) -> Size<Length> {
        Size::new(Length::Shrink, Length::Shrink)
    }

    fn layout(&mut self, tree: &mut Tree, _: &Renderer, limits: &layout::Limits) -> layout::Node {
        let State(slot) = tree.state.downcast_mut();
        let measures = [limits.max().width, self.size, self.line];
        let is_same = |old: &Fitted| old.text == self.text && old.measures == measures && old.font == self.font;
        let fitted = match slot.take_if(|old| is_same(old)) {
            Some(old) => old,
            None => Fitted { text: self.text.clone(), measures, font: self.font, paragraph: self.fit(measures[0]) },
        };
        let width = fitted.paragraph.min_width().ceil();
        *slot = Some(fitted);
        layout::Node::new(limits.resolve(Length::Shrink, Length::Shrink, Size::new(width, self.line)))
    }

    fn operate(&mut self, _: &mut Tree, layout: Layout<'_>, _: &Renderer, operation: &mut dyn Operation) {
        operation.text(None, layout.bounds(), &self.text);
    }

    fn draw(
        &self,
        tree: &Tree,
        renderer: &mut Renderer,
        theme: &Theme,
        style: &renderer::Style,
        layout: Layout<'_>,
        _: mouse::Cursor,
        viewport: &Rectangle,
    ) {
        if let State(Some(Fitted { paragraph, .. })) = tree.state.downcast_ref() {
            let color = (self.style)(theme).color.unwrap_or(style.text_color);
            renderer.fill_paragraph(paragraph, layout.bounds().position(), color, *viewport);
        }
    }
}

impl<'a, M: 'a> From<OneLine> for Element<'a, M> {
    fn from(line: OneLine) -> Self {
        Self::new(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_the_room_ends_and_between_letters_only() {
        let line = one_line("Repair the e\u{301}lan of the flaky upload test", 15.0, 22.0, crate::ui::font::SANS);
        let whole = line.measure(&line.text).min_width();
        assert_eq!(line.fit(whole).min_width(), whole, "what fits stays whole");
        for room in (30..whole as u16).map(f32::from) {
            let cut = line.fit(room).min_width();
            assert!(cut <= room, "{cut} in {room}");
            assert!(room - cut < 40.0, "{cut} in {room}: more would fit");
        }
        assert!(line.fit(0.0).min_width() > 0.0, "the dots are always there");
    }
}
