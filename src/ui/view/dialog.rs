//! Questions on top of everything, and the key map.

use iced::widget::{column, container, row};
use iced::{Alignment, Length, Padding};

use super::kit::{self, GAP};
use crate::engine::Intent;
use crate::settings::SendKey;
use crate::ui::Message;
use crate::ui::font;
use crate::ui::message::Local;
use crate::ui::shortcut;
use crate::ui::theme::style;
use crate::ui::widget::{self, Element};
use crate::ui::window::Dialog;

/// The list of keys.
const KEYS: &str = "keys";

/// A dialog over the page; Esc closes it.
pub fn view<'a>(id: iced::window::Id, dialog: &'a Dialog, send: SendKey) -> Element<'a, Message> {
    let (title, content): (&str, Element<'a, Message>) = match dialog {
        Dialog::Link(url) => (
            "Open this link?",
            column![
                kit::small("It opens in your browser. This is its real target:"),
                kit::full(kit::words(font::CODE, url.as_str()).wrapping(iced::widget::text::Wrapping::WordOrGlyph))
                    .padding([8, 12])
                    .style(style::code),
                kit::buttons([
                    kit::primary("dialog-open", "Open", Some(Message::Local(id, Local::OpenLink(url.clone())))),
                    kit::plain("dialog-copy", "Copy", Message::Local(id, Local::Copy(url.as_str().to_owned()))),
                    kit::flat("dialog-cancel", "Cancel", Message::Local(id, Local::Back)),
                ]),
            ]
            .spacing(GAP)
            .into(),
        ),
        Dialog::Discard(draft) => (
            "Discard this text?",
            column![
                kit::body("It is kept in memory only and cannot be brought back."),
                kit::buttons([
                    kit::plain("dialog-cancel", "Keep it", Message::Local(id, Local::Back)),
                    kit::flat("dialog-discard", "Discard", Message::Do(id, Intent::DiscardDraft(*draft))),
                ]),
            ]
            .spacing(GAP)
            .into(),
        ),
        Dialog::Close(losses) => (
            "Close Rejoin?",
            column![
                column(losses.iter().map(|loss| kit::body(loss.as_str()).into())).spacing(2),
                kit::buttons([
                    kit::plain("dialog-cancel", "Stay", Message::Local(id, Local::Back)),
                    kit::flat("dialog-quit", "Close", Message::Local(id, Local::QuitNow)),
                ]),
            ]
            .spacing(GAP)
            .into(),
        ),
        Dialog::Keys => ("Keys", keys(send)),
    };
    let title_line: Element<'a, Message> = match dialog {
        // Its list is long: what closes it stays above.
        Dialog::Keys => row![
            kit::words(font::HEADING, title).width(Length::Fill),
            kit::plain("dialog-cancel", "Close", Message::Local(id, Local::Back))
        ]
        .align_y(Alignment::Center)
        // In line with the list's rows.
        .padding(Padding::ZERO.left(widget::EDGE + 2.0))
        .into(),
        Dialog::Link(_) | Dialog::Discard(_) | Dialog::Close(_) => kit::words(font::HEADING, title).into(),
    };
    let surface = container(column![title_line, content].spacing(12))
        .padding(20)
        .max_width(520)
        .max_height(640)
        .style(style::layer);
    let placed = container(surface).center(Length::Fill).padding(16).style(style::scrim);
    widget::dialog("dialog", title, iced::widget::opaque(placed)).on_escape(Message::Local(id, Local::Back)).into()
}

fn keys<'a>(send: SendKey) -> Element<'a, Message> {
    widget::history_list(KEYS, "Keys", &shortcut::ROWS, move |at| {
        let (keys, does) = shortcut::line(at, send);
        let line = row![
            kit::words(font::SMALL_STRONG, keys).width(Length::FillPortion(2)),
            kit::words(font::SMALL, does).width(Length::FillPortion(3))
        ];
        container(line.spacing(GAP).align_y(Alignment::Start)).padding([3.0, widget::EDGE + 2.0]).into()
    })
    .row_label(move |at| {
        let (keys, does) = shortcut::line(at, send);
        format!("{keys}: {does}")
    })
    .roles(widget::Role::List, widget::Role::ListItem)
    .from_top()
    .into()
}
