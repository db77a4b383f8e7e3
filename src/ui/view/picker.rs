//! The list of conversations: search, filters, rows, Load more.

use iced::widget::{column, container, row};
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
use crate::ui::widget::{self, Element};
use crate::ui::window::Window;
use crate::ui::{App, Message, clock};

/// The search field's id, for Ctrl+K.
pub const SEARCH: &str = "picker-search";

/// The list's id.
pub const LIST: &str = "picker-list";

/// The picker pane.
pub fn view<'a>(app: &'a App, id: iced::window::Id, window: &'a Window) -> Element<'a, Message> {
    let picker = app.picker();
    let head = column![
        row![
            kit::heading("picker-heading", 2, "Conversations"),
            kit::grow(),
            kit::plain("picker-new", "New", Message::Do(id, Intent::New { cwd: None })),
        ]
        .align_y(Alignment::Center),
        widget::text_field(SEARCH, "Search conversations, or paste an id", window.search.as_str(), move |text| {
            Message::Local(id, Local::Search(text))
        })
        .role(widget::Role::SearchInput)
        .placeholder("Search or paste an id")
        .on_step(move |down| Message::Local(id, Local::PickerStep(down)))
        .on_submit(Message::Local(id, Local::SearchSubmit)),
        filters(&picker.filter, id),
    ]
    .spacing(GAP)
    .padding(INSET);
    // Always in the tree, also without rows: an empty list says why in its place.
    let active = app.active_row(window);
    let open = picker.rows.iter().position(|row| picker.selected.as_ref() == Some(&row.key));
    let list = widget::history_list(LIST, "Conversations", app.picker_keys(), move |index| {
        entry(app, &picker.rows[index], Mark { open: open == Some(index), active: active == Some(index) })
    })
    .roles(widget::Role::ListBox, widget::Role::ListBoxOption)
    .row_label(move |index| label(app, &picker.rows[index]))
    .row_selected(move |index| active.or(open) == Some(index))
    .on_activate(move |key| Message::Local(id, Local::PickerOpen(key)))
    .on_type(move |text| Message::Local(id, Local::PickerType(text)))
    .click_activates()
    .from_top()
    .epoch(app.look_epoch());
    let list = iced::widget::stack![Element::from(list), empty(picker, app.is_connected())]
        .width(Length::Fill)
        .height(Length::Fill);
    kit::pane(
        "pane-picker",
        "Conversations",
        container(column![head, kit::line(), list, foot(picker, id)]).height(Length::Fill).style(style::panel),
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

/// How a row stands out.
#[derive(Clone, Copy)]
struct Mark {
    /// Its conversation is open.
    open: bool,
    /// Enter in the search field opens it.
    active: bool,
}

fn entry<'a>(app: &'a App, item: &'a PickerRow, mark: Mark) -> Element<'a, Message> {
    let face = if mark.open { font::STRONG } else { font::BODY };
    let title = container(kit::one_line(face, untrusted::one_line(&item.title)));
    let mut name = row![title.width(Length::Fill)].spacing(TIGHT).align_y(Alignment::Center).height(22);
    for mark in marks(item) {
        name = name.push(kit::tag(mark));
    }
    let content = column![name, kit::one_line(font::SMALL, state(app, item)).style(style::dim)];
    let card = container(content)
        .padding([8.0, INSET - widget::EDGE])
        .width(Length::Fill)
        .style(move |theme| style::choice(theme, mark.open, mark.active));
    container(card).padding(iced::Padding::ZERO.left(widget::EDGE)).into()
}

fn marks(item: &PickerRow) -> impl Iterator<Item = &'static str> {
    [(item.needs_you, "needs you"), (item.running, "running"), (item.draft, "draft")]
        .into_iter()
        .filter_map(|(set, mark)| set.then_some(mark))
}

/// A row's name for a screen reader: title, state, marks.
pub fn label(app: &App, item: &PickerRow) -> String {
    let (title, state) = (untrusted::one_line(&item.title), state(app, item));
    let marks = marks(item).map(str::to_owned);
    [title, state].into_iter().chain(marks).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
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
            // What runs here has a mark that says so.
            if !item.running && !item.needs_you {
                parts.push("possibly in use".to_owned());
            }
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

/// Why there is no row, in the middle of the list's place.
fn empty<'a>(picker: &'a Picker, connected: bool) -> Element<'a, Message> {
    if !picker.rows.is_empty() || picker.failed.is_some() || picker.loading {
        return column![].into();
    }
    let filters = picker.filter.archived || picker.filter.all_sources;
    let (title, hint) = match (picker.search.is_empty(), filters) {
        // What is there can be told by the server only.
        _ if !connected => ("Not connected", "The list comes with the connection."),
        (false, _) => ("Nothing matches the search", "Other words, or all sources, may find it."),
        (true, true) => ("Nothing here", "No conversation matches these filters."),
        (true, false) => ("No conversations yet", "New begins one."),
    };
    let words = column![kit::words(font::STRONG, title).center(), kit::small(hint).center()]
        .spacing(TIGHT)
        .align_x(Alignment::Center);
    container(words).center(Length::Fill).padding(INSET).into()
}

/// What follows the list: more of it, a failure, or that it is being read. Nothing takes no room.
fn foot<'a>(picker: &'a Picker, id: iced::window::Id) -> Element<'a, Message> {
    let mut items = column![].spacing(GAP);
    if let Some(why) = &picker.failed {
        items = items.push(kit::alert("picker-failed", why, kit::small(why.as_str()).style(style::bad)));
        items = items.push(kit::plain("picker-retry", "Read the list again", Message::Do(id, Intent::RefreshThreads)));
    } else if picker.loading {
        items = items.push(kit::small("Reading the list"));
    } else if picker.full {
        items = items.push(kit::small("The list is full. Search to find older conversations."));
    } else if picker.more {
        items = items.push(kit::plain("picker-more", "Load more", Message::Do(id, Intent::LoadMoreThreads)));
    } else {
        return column![].into();
    }
    column![kit::line(), container(items).padding([GAP, INSET])].into()
}
