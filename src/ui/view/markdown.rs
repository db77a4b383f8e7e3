//! Blocks of a message as widgets: selectable text, code with Copy, links that show their target.

use std::sync::Arc;

use iced::widget::{column, container, row, scrollable};
use iced::{Alignment, Length, Padding};

use super::kit::{self, GAP};
use crate::markdown::{Block, Inline};
use crate::ui::Message;
use crate::ui::font::{self, TextStyle};
use crate::ui::message::Local;
use crate::ui::rows::Part;
use crate::ui::theme::{Theme, style};
use crate::ui::widget::{self, Element, Span};

/// Lines of a code block that are drawn; the rest is named and comes with Copy.
const CODE_LINES: usize = 400;

/// What the renderer needs to know.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    pub theme: &'a Theme,
    /// Size of the transcript's text beside the window's zoom.
    pub scale: f32,
    pub window: iced::window::Id,
    /// The list's key of what is drawn: part of the ids of its controls.
    pub key: u64,
    /// Which part of the row.
    pub part: Part,
}

/// Pixels between blocks.
pub const BLOCK_GAP: f32 = 6.0;
/// Pixels between the items of a list.
const ITEM_GAP: f32 = 2.0;

/// The blocks of a message, top to bottom.
pub fn view<'a>(blocks: &[Arc<Block>], look: Look<'a>) -> Element<'a, Message> {
    let mut serial = 0;
    let mut content = column![].width(Length::Fill);
    for (at, block) in blocks.iter().enumerate() {
        let gap = match at.checked_sub(1).map(|before| &blocks[before]) {
            None => 0.0,
            Some(before) => gap(before, block),
        };
        content = content.push(container(one(block, look, &mut serial)).padding(Padding::ZERO.top(gap)));
    }
    let mut links = Vec::new();
    blocks.iter().for_each(|block| gather(block, &mut links));
    if links.is_empty() {
        content.into()
    } else {
        content.push(container(link_line(&links, look)).padding(Padding::ZERO.top(BLOCK_GAP))).into()
    }
}

/// Pixels between two blocks; none between the pieces of a long text.
pub fn gap(before: &Block, after: &Block) -> f32 {
    match after {
        Block::Plain(_) if before.goes_on(after) => 0.0,
        Block::List { .. } if before.goes_on(after) => ITEM_GAP,
        _ => BLOCK_GAP,
    }
}

/// The links of a message once more, as controls: the pointer has them in the text, the keyboard here.
fn link_line<'a>(links: &[(String, Arc<str>)], look: Look<'a>) -> Element<'a, Message> {
    let controls = links.iter().enumerate().map(|(index, (label, url))| {
        let control = widget::pressable(
            format!("row-{}-link-{index}", look.key),
            widget::Role::Link,
            label.clone(),
            kit::words(font::SMALL, label.clone()),
        );
        let press = Message::Local(look.window, Local::AskLink(url.clone()));
        Element::from(control.look(widget::Look::Link).description(url.to_string()).on_press(press))
    });
    let label = kit::small(if links.len() == 1 { "Link:" } else { "Links:" });
    let line = row![Element::from(label)].extend(controls).spacing(GAP).align_y(Alignment::Center);
    line.wrap().into()
}

/// The links of a block with their words, each target once.
fn gather(block: &Block, links: &mut Vec<(String, Arc<str>)>) {
    let mut run = |content: &[Inline]| {
        for inline in content {
            let Some(url) = &inline.link else { continue };
            if !links.iter().any(|(_, known)| **known == *url.as_str()) {
                let words = crate::markdown::untrusted::one_line(&inline.text);
                links.push((if words.is_empty() { url.as_str().to_owned() } else { words }, url.as_str().into()));
            }
        }
    };
    match block {
        Block::Paragraph(content) | Block::Heading { content, .. } => run(content),
        Block::Table { head, rows } => head.iter().chain(rows.iter().flatten()).for_each(|cell| run(cell)),
        Block::Quote(blocks) => blocks.iter().for_each(|block| gather(block, links)),
        Block::List { items, .. } => {
            items.iter().flat_map(|item| &item.blocks).for_each(|block| gather(block, links));
        }
        Block::Code { .. } | Block::Rule | Block::Plain(_) => {}
    }
}

fn many<'a>(blocks: &[Block], look: Look<'a>, serial: &mut usize) -> Element<'a, Message> {
    column(blocks.iter().map(|block| one(block, look, serial))).spacing(BLOCK_GAP).width(Length::Fill).into()
}

fn one<'a>(block: &Block, look: Look<'a>, serial: &mut usize) -> Element<'a, Message> {
    match block {
        Block::Paragraph(content) => inline(content, font::BODY, look, serial),
        Block::Heading { level, content } => inline(content, heading(*level), look, serial),
        Block::Code { language, text } => {
            *serial += 1;
            code(language, text, look, *serial)
        }
        Block::Quote(blocks) => row![
            container(iced::widget::space::vertical()).width(3).height(Length::Fill).style(style::quote),
            many(blocks, look, serial)
        ]
        .spacing(GAP)
        .height(Length::Shrink)
        .into(),
        Block::List { start, items } => column(items.iter().enumerate().map(|(index, item)| {
            let mark = match (item.checked, start) {
                (Some(true), _) => "[x]".to_owned(),
                (Some(false), _) => "[ ]".to_owned(),
                (None, Some(first)) => format!("{}.", first.saturating_add(index)),
                (None, None) => "\u{2022}".to_owned(),
            };
            row![
                kit::words(font::BODY.scaled(look.scale), mark).width(28.0 * look.scale),
                many(&item.blocks, look, serial)
            ]
            .into()
        }))
        .spacing(ITEM_GAP)
        .into(),
        Block::Table { head, rows } => table(head, rows, look, serial),
        Block::Rule => kit::line(),
        Block::Plain(text) => kit::plain_text(text.clone(), font::BODY.scaled(look.scale)),
    }
}

fn heading(level: u8) -> TextStyle {
    match level {
        1 => font::TITLE,
        2 => font::HEADING,
        _ => font::STRONG,
    }
}

fn inline<'a>(content: &[Inline], face: TextStyle, look: Look<'a>, serial: &mut usize) -> Element<'a, Message> {
    *serial += 1;
    let window = look.window;
    let spans: Vec<Span> = content.iter().flat_map(|run| spans(run, face, look.theme)).collect();
    let face = face.scaled(look.scale);
    widget::rich(format!("row-{}-text-{serial}", look.key), spans, face.size, face.line, move |url| {
        Message::Local(window, Local::AskLink(url))
    })
}

fn spans(run: &Inline, base: TextStyle, theme: &Theme) -> Vec<Span> {
    let bold = run.bold || base.font.weight == iced::font::Weight::Bold;
    let face = |italic: bool| match (run.code, bold, run.italic && italic) {
        (true, false, _) => font::MONO,
        (true, true, _) => font::MONO_BOLD,
        (false, false, false) => font::SANS,
        (false, true, false) => font::BOLD,
        (false, false, true) => font::ITALIC,
        (false, true, true) => font::BOLD_ITALIC,
    };
    let pieces: Vec<(&str, bool)> =
        if run.italic { font::split_scripts(&run.text).collect() } else { vec![(run.text.as_str(), false)] };
    pieces
        .into_iter()
        .map(|(piece, italic)| {
            let mut span = iced::widget::text::Span::new(piece.to_owned()).font(face(italic)).strikethrough(run.strike);
            if run.code {
                span = span.background(theme.tokens().code).padding([0, 2]);
            }
            if let Some(url) = &run.link {
                span = span.color(theme.tokens().link).underline(true).link(Arc::<str>::from(url.as_str()));
            }
            span
        })
        .collect()
}

/// A code block with its language and Copy.
pub fn code<'a>(language: &str, source: &str, look: Look<'a>, serial: usize) -> Element<'a, Message> {
    let (shown, hidden) = cut_lines(source, CODE_LINES);
    let name = if language.is_empty() { "Code".to_owned() } else { crate::markdown::untrusted::one_line(language) };
    let copy = kit::press_with(
        format!("row-{}-copy-code-{serial}", look.key),
        format!("Copy code block {serial}"),
        kit::words(font::SMALL, "Copy"),
    )
    .look(widget::Look::Flat)
    .low()
    .on_press(Message::Local(look.window, Local::Copy(source.to_owned())));
    let head = row![kit::small(name), kit::grow(), Element::from(copy)]
        .align_y(Alignment::Center)
        .padding(Padding::ZERO.left(12).right(4));
    let text = container(kit::plain_text(shown, font::CODE.scaled(look.scale))).padding([8, 12]).width(Length::Fill);
    let mut content = column![head, kit::line(), text];
    if hidden > 0 {
        content =
            content.push(container(kit::small(format!("{hidden} more lines; Copy has them all"))).padding([4, 12]));
    }
    container(content).width(Length::Fill).style(style::code).into()
}

/// The first `limit` lines and how many follow.
pub fn cut_lines(source: &str, limit: usize) -> (String, usize) {
    match source.match_indices('\n').nth(limit.saturating_sub(1)) {
        Some((end, _)) if end + 1 < source.len() => (source[..end].to_owned(), source[end + 1..].lines().count()),
        _ => (source.to_owned(), 0),
    }
}

fn table<'a>(
    head: &[Vec<Inline>],
    rows: &[Vec<Vec<Inline>>],
    look: Look<'a>,
    serial: &mut usize,
) -> Element<'a, Message> {
    let columns = head.len().max(1);
    let mut line = |cells: &[Vec<Inline>], face: TextStyle| -> Element<'a, Message> {
        row((0..columns).map(|index| {
            let cell = cells.get(index).map(Vec::as_slice).unwrap_or_default();
            container(inline(cell, face, look, serial)).width(Length::FillPortion(1)).padding([4, 8]).into()
        }))
        .into()
    };
    let mut content = column![line(head, font::STRONG)];
    for cells in rows {
        content = content.push(kit::line()).push(line(cells, font::BODY));
    }
    let content = container(content).style(style::card);
    if columns <= 4 {
        content.width(Length::Fill).into()
    } else {
        scrollable(content.width(140.0 * columns as f32))
            .direction(scrollable::Direction::Horizontal(scrollable::Scrollbar::new()))
            .width(Length::Fill)
            .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_code_is_cut_at_a_line_and_the_rest_is_counted() {
        assert_eq!(cut_lines("a\nb\nc\nd", 2), ("a\nb".to_owned(), 2));
        assert_eq!(cut_lines("a\nb", 2), ("a\nb".to_owned(), 0));
        assert_eq!(cut_lines("a\nb\n", 2), ("a\nb\n".to_owned(), 0));
    }
}
