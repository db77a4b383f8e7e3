//! What needs the user's eyes: operations whose fate is not plain, and text kept from old connections.

use iced::Length;
use iced::widget::{column, row};

use super::kit::{self, GAP, INSET};
use crate::engine::Intent;
use crate::engine::view::{Draft, OpKind, OpState, Review};
use crate::ui::font;
use crate::ui::message::Local;
use crate::ui::theme::style::{self, Kind};
use crate::ui::widget::Element;
use crate::ui::{Message, clock};

/// The operations to review.
pub fn operations<'a>(id: iced::window::Id, reviews: &'a [Review]) -> Element<'a, Message> {
    column(reviews.iter().map(|review| operation(id, review))).spacing(GAP).into()
}

fn operation<'a>(id: iced::window::Id, review: &'a Review) -> Element<'a, Message> {
    let (kind, title, why) = match &review.state {
        OpState::NotSent(why) => (Kind::Warn, format!("{} was not sent", what(review.what)), why.as_str()),
        OpState::Rejected(why) => (Kind::Warn, format!("{} was refused", what(review.what)), why.as_str()),
        OpState::OutcomeUnknown(why) => {
            (Kind::Bad, format!("Not known whether {} was done", what(review.what).to_lowercase()), why.as_str())
        }
        OpState::Dropped => (Kind::Warn, "Accepted, then dropped".to_owned(), "The turn ended before it was read."),
        OpState::InFlight => (Kind::Plain, format!("{} is on its way", what(review.what)), ""),
        OpState::Confirmed => (Kind::Ok, format!("{} was accepted", what(review.what)), ""),
    };
    let mut content = column![kit::words(font::STRONG, title.clone()).style(style::ink(kind))].spacing(GAP);
    let place = format!("{} \u{b7} {}", review.place, clock::time_of_day(review.at));
    content = content.push(kit::small(place));
    if !why.is_empty() {
        content = content.push(kit::small(why));
    }
    if let Some(text) = &review.text {
        content =
            content.push(kit::full(kit::plain_text(text.clone(), font::BODY)).padding([8, 12]).style(style::code));
    }
    if let Some(evidence) = &review.evidence {
        content = content.push(kit::small(evidence.as_str()));
    }
    if matches!(review.state, OpState::OutcomeUnknown(_)) && review.text.is_some() {
        content = content.push(kit::small("Sending again may run it twice.").style(style::warn));
    }
    let mut actions = Vec::new();
    if let Some(text) = &review.text {
        actions.push(kit::plain(
            format!("review-{}-copy", review.op),
            "Copy",
            Message::Local(id, Local::Copy(text.clone())),
        ));
        actions.push(kit::plain(
            format!("review-{}-edit", review.op),
            "Edit into composer",
            Message::Do(id, Intent::EditOperation(review.op)),
        ));
    }
    actions.push(kit::flat(
        format!("review-{}-dismiss", review.op),
        "Dismiss",
        Message::Do(id, Intent::DismissOperation(review.op)),
    ));
    content = content.push(kit::buttons(actions));
    let surface = kit::full(content).padding(INSET).style(style::notice(kind));
    kit::group(format!("review-{}", review.op), title, surface)
}

fn what(kind: OpKind) -> &'static str {
    match kind {
        OpKind::StartConversation => "The new conversation",
        OpKind::Join => "Join",
        OpKind::Send => "The message",
        OpKind::Steer => "The added message",
        OpKind::Interrupt => "Stop",
        OpKind::Answer => "The answer",
    }
}

/// Text frozen when connections ended, whole, with Copy.
pub fn drafts<'a>(id: iced::window::Id, drafts: &'a [Draft]) -> Element<'a, Message> {
    column(drafts.iter().map(|draft| frozen(id, draft))).spacing(GAP).into()
}

fn frozen<'a>(id: iced::window::Id, draft: &'a Draft) -> Element<'a, Message> {
    let from = format!(
        "from \u{201c}{}\u{201d}, {}, {}",
        crate::markdown::untrusted::one_line(&draft.title),
        draft.connection,
        clock::time_of_day(draft.at)
    );
    let head =
        row![kit::words(font::STRONG, "Unsent text kept"), kit::small(from).width(Length::Fill)].spacing(GAP).wrap();
    let content = column![
        head,
        kit::full(kit::plain_text(draft.text.clone(), font::BODY)).padding([8, 12]).style(style::code),
        kit::buttons([
            kit::plain(format!("draft-{}-copy", draft.id), "Copy", Message::Local(id, Local::Copy(draft.text.clone()))),
            kit::flat(
                format!("draft-{}-discard", draft.id),
                "Discard draft",
                Message::Local(id, Local::AskDiscard(draft.id))
            ),
        ]),
    ]
    .spacing(GAP);
    let surface = kit::full(content).padding(INSET).style(style::notice(Kind::Warn));
    kit::group(format!("draft-{}", draft.id), "Unsent text kept", surface)
}
