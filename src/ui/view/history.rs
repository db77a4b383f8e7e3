//! The history pane: edges, rows in a virtual list, Jump to latest.

use iced::widget::{column, container, row, stack};
use iced::{Alignment, Length};

use super::kit::{self, GAP, INSET};
use super::row as rows;
use crate::engine::Intent;
use crate::engine::view::{Connection, Conversation, Loading, Row};
use crate::ui::message::Local;
use crate::ui::rows::row_of;
use crate::ui::theme::style::{self, Kind};
use crate::ui::widget::{self, Element};
use crate::ui::window::Window;
use crate::ui::{App, Message};

/// The list's id, for focus.
pub const LIST: &str = "history";

/// The history of the open conversation.
pub fn view<'a>(
    app: &'a App,
    id: iced::window::Id,
    window: &'a Window,
    conversation: &'a Conversation,
) -> Element<'a, Message> {
    let history = &conversation.history;
    // The bar has its own place, so that it comes and goes without moving the focus of the list.
    let bar: Element<'a, Message> = match &window.find {
        Some(find) => super::find::view(id, find, window.is_wide()),
        None => column![].into(),
    };
    let mut top = column![].spacing(GAP);
    if let Some(note) = &conversation.kind_note {
        top = top.push(notice(Kind::Plain, kit::small(note.as_str()).into()));
    }
    if let Connection::HistoryRefresh { .. } = app.engine().banner().connection {
        // The banner says why and has the Refresh.
        if !history.rows.is_empty() {
            top = top.push(notice(Kind::Warn, kit::small("May be out of date").style(style::warn).into()));
        }
    } else if let Some(why) = &history.stale {
        let content = row![
            kit::small(why.as_str()).style(style::warn).width(Length::Fill),
            kit::plain("history-refresh", "Refresh", Message::Do(id, Intent::Refresh)),
        ]
        .spacing(GAP)
        .align_y(Alignment::Center);
        top = top.push(notice(Kind::Warn, content.into()));
    }
    let keys = app.row_keys();
    let list = widget::history_list(LIST, "History", keys, move |index| {
        let part = app.part(index);
        rows::view(app, id, window, &history.rows[part.row], part)
    })
    .row_label(move |index| {
        let part = app.part(index);
        app.row_label(&history.rows[part.row], part)
    })
    .on_view(move |view| Message::Local(id, Local::Viewing(view)))
    .on_copy(move |key| Message::Local(id, Local::CopyRow(row_of(key))))
    .epoch(app.look_epoch())
    .spacing(0);
    // The list is there without rows too: it takes the focus of a conversation that is still being read.
    let mut layers = stack![Element::from(list)];
    if history.rows.is_empty() {
        // The note above says it already; a read that failed proves nothing.
        let note = history.stale.is_some() || conversation.kind_note.is_some() && history.loading != Loading::First;
        layers = layers.push(if note { column![].into() } else { empty(history.loading) });
    } else if !window.viewing.at_end {
        let unseen = unseen(&history.rows, window.viewing.last);
        let label = if unseen == 0 { "Jump to latest".to_owned() } else { format!("Jump to latest ({unseen})") };
        let jump = kit::press_with("history-jump", label.clone(), kit::words(crate::ui::font::LABEL, label))
            .on_press(Message::Local(id, Local::JumpToLatest));
        layers = layers.push(
            container(Element::from(jump))
                .width(Length::Fill)
                .height(Length::Fill)
                .padding(INSET)
                .align_x(Alignment::Center)
                .align_y(Alignment::End),
        );
    }
    column![bar, top, layers.width(Length::Fill).height(Length::Fill)].height(Length::Fill).into()
}

/// How many messages stand below the last row on screen.
fn unseen(rows: &[Row], last: u64) -> usize {
    let position = rows.iter().rposition(|row| row.key == row_of(last));
    position.map_or(0, |at| rows.len() - 1 - at)
}

fn notice<'a>(kind: Kind, content: Element<'a, Message>) -> Element<'a, Message> {
    container(kit::full(content).padding([GAP, INSET]).style(style::notice(kind))).padding([GAP, INSET]).into()
}

fn empty<'a>(loading: Loading) -> Element<'a, Message> {
    let text = match loading {
        Loading::First => "Reading the history",
        Loading::Idle | Loading::Older | Loading::Newer => "No messages yet.",
    };
    container(kit::small(text)).center(Length::Fill).into()
}
