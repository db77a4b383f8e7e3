//! Questions on top of everything, and the key map.

use iced::widget::{column, container, row, scrollable};
use iced::{Alignment, Length};

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
        Dialog::Keys => ("Keys", keys(id, send)),
    };
    let surface = container(column![kit::words(font::HEADING, title), content].spacing(12))
        .padding(20)
        .max_width(520)
        .style(style::layer);
    let placed = container(surface).center(Length::Fill).padding(16).style(style::scrim);
    widget::dialog("dialog", title, iced::widget::opaque(placed)).on_escape(Message::Local(id, Local::Back)).into()
}

fn keys<'a>(id: iced::window::Id, send: SendKey) -> Element<'a, Message> {
    let lines = shortcut::map(send).map(|(keys, does)| {
        row![
            kit::words(font::SMALL_STRONG, keys).width(Length::FillPortion(2)),
            kit::words(font::SMALL, does).width(Length::FillPortion(3))
        ]
        .spacing(GAP)
        .align_y(Alignment::Start)
        .into()
    });
    column![
        scrollable(column(lines).spacing(6)).height(Length::Shrink),
        kit::plain("dialog-cancel", "Close", Message::Local(id, Local::Back)),
    ]
    .spacing(12)
    .into()
}
