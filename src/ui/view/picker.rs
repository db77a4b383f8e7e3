//! The list of conversations: search, filters, rows, Load more.

use iced::widget::{column, container, row, scrollable};
use iced::{Alignment, Length};

use super::kit::{self, GAP, INSET, TIGHT};
use crate::engine::Intent;
use crate::engine::input::Filter;
use crate::engine::view::{ConversationKey, Picker, PickerRow};
use crate::markdown::untrusted;
use crate::protocol::ThreadStatus;
use crate::protocol::thread::ActiveFlag;
use crate::ui::font;
use crate::ui::message::Local;
use crate::ui::theme::style;
use crate::ui::widget::{self, Element, Look};
use crate::ui::{App, Message, clock};

/// The search field's id, for Ctrl+K.
pub const SEARCH: &str = "picker-search";

/// The picker pane.
pub fn view<'a>(app: &'a App, id: iced::window::Id, search: &'a str) -> Element<'a, Message> {
    let picker = app.picker();
    let head = column![
        row![
            kit::heading("picker-heading", 2, "Conversations"),
            kit::grow(),
            kit::plain("picker-new", "New", Message::Do(id, Intent::New { cwd: None })),
        ]
        .align_y(Alignment::Center),
        widget::text_field(SEARCH, "Search conversations, or paste an id", search, move |text| {
            Message::Local(id, Local::Search(text))
        })
        .role(widget::Role::SearchInput)
        .placeholder("Search or paste an id")
        .on_submit(Message::Local(id, Local::SearchSubmit)),
        filters(&picker.filter, id),
    ]
    .spacing(GAP)
    .padding(INSET);
    let mut rows = column![].spacing(2).padding([0.0, TIGHT]);
    for item in &picker.rows {
        rows = rows.push(entry(app, item, picker.selected.as_ref() == Some(&item.key), id));
    }
    rows = rows.push(foot(picker, id));
    kit::pane(
        "pane-picker",
        "Conversations",
        container(column![head, kit::line(), scrollable(rows).height(Length::Fill).spacing(0)])
            .height(Length::Fill)
            .style(style::panel),
    )
}

fn filters<'a>(filter: &Filter, id: iced::window::Id) -> Element<'a, Message> {
    let (with_archived, with_sources) = (filter.clone(), filter.clone());
    row![
        Element::from(widget::toggle("filter-archived", "Archived", filter.archived, move |archived| {
            Message::Do(id, Intent::SetFilter(Filter { archived, ..with_archived }))
        })),
        Element::from(widget::toggle("filter-sources", "All sources", filter.all_sources, move |all_sources| {
            Message::Do(id, Intent::SetFilter(Filter { all_sources, ..with_sources }))
        })),
    ]
    .spacing(GAP)
    .wrap()
    .into()
}

fn entry<'a>(app: &'a App, item: &'a PickerRow, selected: bool, id: iced::window::Id) -> Element<'a, Message> {
    let title = untrusted::one_line(&item.title);
    let state = state(app, item);
    let mut name =
        row![kit::words(font::BODY, title.clone()).wrapping(iced::widget::text::Wrapping::None).width(Length::Fill)]
            .spacing(TIGHT)
            .align_y(Alignment::Center);
    let marks: Vec<&str> = [(item.needs_you, "needs you"), (item.running, "running"), (item.draft, "draft")]
        .into_iter()
        .filter_map(|(set, mark)| set.then_some(mark))
        .collect();
    for mark in &marks {
        name = name.push(kit::tag(*mark));
    }
    let label = [title.as_str(), state.as_str()].into_iter().chain(marks).collect::<Vec<_>>().join(", ");
    let content =
        column![name.height(22).clip(true), kit::small(state).wrapping(iced::widget::text::Wrapping::None)].clip(true);
    let press = Message::Do(
        id,
        match &item.key {
            ConversationKey::Thread(thread) => Intent::Open(thread.clone()),
            ConversationKey::Local(number) => Intent::OpenLocal(*number),
        },
    );
    kit::press_with(format!("thread-{}", key_text(&item.key)), label, content)
        .look(Look::Row)
        .selected(selected)
        .width(Length::Fill)
        .on_press(press)
        .into()
}

/// A conversation's key as part of a widget id.
pub fn key_text(key: &ConversationKey) -> String {
    match key {
        ConversationKey::Thread(thread) => thread.to_string(),
        ConversationKey::Local(number) => format!("local-{number}"),
    }
}

fn state(app: &App, item: &PickerRow) -> String {
    let mut parts = Vec::new();
    match &item.status {
        ThreadStatus::Active { active_flags } => {
            parts.push("possibly in use".to_owned());
            if active_flags.contains(&ActiveFlag::WaitingOnApproval) {
                parts.push("waiting for an approval".to_owned());
            }
            if active_flags.contains(&ActiveFlag::WaitingOnUserInput) {
                parts.push("waiting for an answer".to_owned());
            }
        }
        ThreadStatus::SystemError => parts.push("last turn failed".to_owned()),
        ThreadStatus::Idle => parts.push("idle".to_owned()),
        ThreadStatus::NotLoaded | ThreadStatus::Unknown => {}
    }
    if item.archived {
        parts.push("archived".to_owned());
    }
    // The usual source of a server like this says nothing.
    if let Some(source) = item.source.as_ref().filter(|source| *source != "vscode") {
        parts.push(untrusted::one_line(source));
    }
    if let Some(at) = item.recency {
        parts.push(clock::ago(at, app.now().unix_ms));
    }
    parts.join(" \u{b7} ")
}

fn foot<'a>(picker: &'a Picker, id: iced::window::Id) -> Element<'a, Message> {
    let mut items = column![].spacing(GAP).padding(GAP);
    if let Some(why) = &picker.failed {
        items = items.push(kit::alert("picker-failed", why, kit::small(why.as_str()).style(style::bad)));
        items = items.push(kit::plain("picker-retry", "Read the list again", Message::Do(id, Intent::RefreshThreads)));
    }
    if picker.loading {
        items = items.push(kit::small("Reading the list"));
    } else if picker.more && !picker.full {
        items = items.push(kit::plain("picker-more", "Load more", Message::Do(id, Intent::LoadMoreThreads)));
    } else if picker.full {
        items = items.push(kit::small("The list is full. Search to find older conversations."));
    } else if picker.rows.is_empty() && picker.failed.is_none() {
        let empty = if picker.search.is_empty() { "No conversations yet." } else { "Nothing matches the search." };
        items = items.push(kit::small(empty));
    }
    items.into()
}
