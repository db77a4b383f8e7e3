//! One row of the history: every item kind of the protocol has its own decent shape.

mod item;
mod said;
mod tool;

use std::sync::Arc;

use iced::widget::{column, container, row};
use iced::{Alignment, Length, Padding};

use super::kit::{self, GAP, TIGHT};
use super::markdown::{self, Look};
use crate::base::UnixMs;
use crate::engine::Intent;
use crate::engine::view::{OpState, Row, RowBody};
use crate::live::BlockBody;
use crate::protocol::{ThreadItem, TurnStatus};
use crate::ui::font;
use crate::ui::message::Local;
use crate::ui::rows::{Part, part_key};
use crate::ui::theme::style::{self, Kind};
use crate::ui::widget::{self, Element};
use crate::ui::window::Window;
use crate::ui::{App, Message, clock};

pub use item::{label, name};
pub use said::{found_in, said};
pub use tool::diff;

/// A part of a row as a widget.
pub fn view<'a>(
    app: &'a App,
    id: iced::window::Id,
    window: &'a Window,
    row: &'a Row,
    part: Part,
) -> Element<'a, Message> {
    let look =
        Look { theme: app.theme(), scale: app.transcript_scale(), window: id, key: part_key(row.key, part.part), part };
    let content = match row.body.as_ref() {
        // The head stands above the first part.
        _ if part.part > 0 => markdown::view(&app.parsed().part(row, part), look),
        RowBody::Item(item) => item::view(app, look, window, row, item),
        RowBody::Unfinished { body, late, started, .. } => {
            unfinished(app, look, window, row, started.as_ref(), body, *late)
        }
        RowBody::Echo { text, state, .. } => echo(look, row.at, text, state),
        RowBody::TurnHead { turn, status, expanded, loading, failed } => {
            turn_head(look, turn, *status, *expanded, *loading, failed.as_deref())
        }
        RowBody::TurnEnd { status, error, note, .. } => {
            turn_end(*status, error.as_ref().map(|error| error.message.as_str()), note.as_deref())
        }
        RowBody::Lost { body, note } => lost(app, look, row, body, note),
        RowBody::Edge { older, evicted } => edge(look, *older, *evicted),
    };
    let found = window.find.as_ref().is_some_and(|find| find.at == Some(look.key));
    let (first, last) = (part.part == 0, part.part + 1 >= part.of);
    let above = if first { 8.0 } else { gap_above(app, row, part) };
    let padding = Padding::from([0.0, 16.0 - widget::EDGE]);
    let framed = container(content)
        .width(Length::Fill)
        .padding(padding.top(above).bottom(if last { 8.0 } else { 0.0 }))
        .style(move |theme| style::choice(theme, false, found));
    container(framed).padding(Padding::ZERO.left(widget::EDGE).right(TIGHT)).into()
}

/// What stands between this part and the one before.
fn gap_above(app: &App, row: &Row, part: Part) -> f32 {
    let (before, blocks) = (app.parsed().before(row, part), app.parsed().part(row, part));
    before.zip(blocks.first()).map_or(0.0, |(before, after)| markdown::gap(&before, after))
}

/// The height of a head line, with a button or without.
const HEAD: f32 = 24.0;

/// Who speaks and when, above what they say.
fn head<'a>(who: &'a str, you: bool, at: Option<UnixMs>) -> Element<'a, Message> {
    let name = kit::words(font::SMALL_STRONG, who).style(if you { style::accent } else { style::plain });
    let mut line = row![name, kit::grow()].align_y(Alignment::Center).height(HEAD);
    if let Some(at) = at {
        line = line.push(kit::small(clock::time_of_day(at)));
    }
    line.into()
}

/// A quiet Copy at the end of a head line.
fn copy_button<'a>(look: Look<'a>, what: &str, text: String) -> Element<'a, Message> {
    kit::press_with(format!("row-{}-copy", look.key), format!("Copy {what}"), kit::words(font::SMALL, "Copy"))
        .look(widget::Look::Flat)
        .low()
        .on_press(Message::Local(look.window, Local::Copy(text)))
        .into()
}

fn says_with_copy<'a>(
    look: Look<'a>,
    who: &'a str,
    at: Option<UnixMs>,
    text: &str,
    content: Element<'a, Message>,
) -> Element<'a, Message> {
    let line = row![head(who, false, None), copy_button(look, "message", text.to_owned())].align_y(Alignment::Center);
    let line = match at {
        Some(at) => line.push(kit::small(clock::time_of_day(at))).spacing(GAP),
        None => line,
    };
    column![line, content].spacing(0).into()
}

fn says<'a>(who: &'a str, you: bool, at: Option<UnixMs>, content: Element<'a, Message>) -> Element<'a, Message> {
    column![head(who, you, at), content].into()
}

fn unfinished<'a>(
    app: &'a App,
    look: Look<'a>,
    window: &'a Window,
    row: &'a Row,
    started: Option<&'a ThreadItem>,
    body: &'a BlockBody,
    late: bool,
) -> Element<'a, Message> {
    let mut content = column![].spacing(2);
    if late {
        content = content.push(kit::small("The beginning arrives when this block completes."));
    }
    content = content.push(match body {
        BlockBody::AgentMessage(_) | BlockBody::Plan(_) => markdown::view(&app.parsed().part(row, look.part), look),
        BlockBody::Reasoning { summary, content } => {
            let parts: Vec<String> = summary.iter().chain(content).map(crate::live::KeptText::text).collect();
            tool::reasoning(look, window, &parts, true)
        }
        BlockBody::CommandOutput(output) => return tool::running_command(look, window, started, output, late),
        BlockBody::FileChange(changes) => return tool::changes(look, window, changes, "being written"),
        BlockBody::McpProgress(lines) => return tool::progress(look, started, lines),
        BlockBody::Opaque => match started {
            Some(item) => return item::view(app, look, window, row, item),
            None => kit::small("Working").into(),
        },
    });
    match body {
        BlockBody::Reasoning { .. } => content.into(),
        _ => says("Codex", false, None, content.into()),
    }
}

fn echo<'a>(look: Look<'a>, at: Option<UnixMs>, text: &'a str, state: &'a OpState) -> Element<'a, Message> {
    let note = match state {
        OpState::InFlight => Some((Kind::Plain, "Sending".to_owned())),
        OpState::Confirmed => None,
        OpState::NotSent(why) => Some((Kind::Bad, format!("Not sent: {why}"))),
        OpState::Rejected(why) => Some((Kind::Bad, format!("Refused: {why}"))),
        OpState::OutcomeUnknown(why) => Some((Kind::Bad, format!("Not known whether this was sent: {why}"))),
        OpState::Dropped => Some((Kind::Warn, "Accepted, then dropped: the turn ended before it was read.".to_owned())),
    };
    let mut content = column![kit::plain_text(text.to_owned(), font::BODY.scaled(look.scale))].spacing(2);
    if let Some((kind, note)) = note {
        content = content.push(kit::small(note).style(style::ink(kind)));
    }
    says("You", true, at, content.into())
}

fn turn_head<'a>(
    look: Look<'a>,
    turn: &'a crate::base::TurnId,
    status: TurnStatus,
    expanded: bool,
    loading: bool,
    failed: Option<&'a str>,
) -> Element<'a, Message> {
    let label = if expanded { "Hide the steps of this turn" } else { "Show the steps of this turn" };
    let intent = if expanded { Intent::CollapseTurn(turn.clone()) } else { Intent::ExpandTurn(turn.clone()) };
    let press = (!loading).then(|| Message::Do(look.window, intent));
    let mut line = row![Element::from(
        kit::press_with(format!("row-{}-expand", look.key), label, kit::words(font::SMALL, label))
            .look(widget::Look::Flat)
            .low()
            .on_press_maybe(press)
            .expanded(expanded)
    )]
    .spacing(GAP)
    .align_y(Alignment::Center);
    if loading {
        line = line.push(kit::small("Reading"));
    } else if let Some(why) = failed {
        line = line.push(kit::small(why).style(style::bad));
    } else if status == TurnStatus::InProgress {
        line = line.push(kit::small("running"));
    }
    line.wrap().into()
}

fn turn_end<'a>(status: TurnStatus, error: Option<&'a str>, note: Option<&'a str>) -> Element<'a, Message> {
    let (kind, words) = match status {
        TurnStatus::Failed => (Kind::Bad, "This turn failed"),
        TurnStatus::Interrupted => (Kind::Warn, "This turn was interrupted"),
        TurnStatus::Completed => (Kind::Plain, "This turn is complete"),
        TurnStatus::InProgress => (Kind::Plain, "This turn runs"),
        TurnStatus::Unknown => (Kind::Plain, "This turn ended in a way this version does not know"),
    };
    let mut content = column![kit::words(font::SMALL_STRONG, words).style(style::ink(kind))].spacing(2);
    for line in [error, note].into_iter().flatten() {
        content = content.push(kit::plain_text(crate::markdown::untrusted::terminal(line), font::SMALL));
    }
    kit::full(content).padding([GAP, 12.0]).style(style::notice(kind)).into()
}

fn lost<'a>(app: &'a App, look: Look<'a>, row: &'a Row, body: &'a BlockBody, note: &'a str) -> Element<'a, Message> {
    let text = said::block(body);
    let copy = kit::flat(
        format!("row-{}-copy", look.key),
        "Copy",
        Message::Local(look.window, crate::ui::message::Local::Copy(text.clone())),
    );
    let dismiss = kit::flat(
        format!("row-{}-dismiss", look.key),
        "Dismiss",
        Message::Do(look.window, Intent::DismissLost(row.key)),
    );
    let blocks: Vec<Arc<_>> = app.parsed().whole(row, &text);
    let content = column![
        row![kit::small(note).style(style::warn).width(Length::Fill), copy, dismiss].align_y(Alignment::Center),
        markdown::view(&blocks, look)
    ]
    .spacing(2);
    row![container(iced::widget::space::vertical()).width(3).height(Length::Fill).style(style::hole), content]
        .spacing(GAP)
        .height(Length::Shrink)
        .into()
}

fn edge<'a>(look: Look<'a>, older: bool, evicted: usize) -> Element<'a, Message> {
    let (label, intent) = if older { ("Load older", Intent::LoadOlder) } else { ("Load newer", Intent::LoadNewer) };
    let text = match (older, evicted) {
        (true, 0) => "Older items are not loaded".to_owned(),
        (false, 0) => "Newer items are not loaded".to_owned(),
        (true, count) => format!("Older items are not loaded ({count} were put aside here)"),
        (false, count) => format!("Newer items are not loaded ({count} were put aside here)"),
    };
    let press = Message::Do(look.window, intent);
    let text = container(kit::small(text)).center_x(Length::Fill);
    row![text, kit::flat(format!("row-{}-load", look.key), label, press)].spacing(GAP).align_y(Alignment::Center).into()
}
