//! What needs the user's eyes: operations whose fate is not plain, and text kept from old connections.

use iced::Length;
use iced::widget::{column, row};

use super::kit::{self, GAP, INSET};
use crate::engine::Intent;
use crate::engine::view::{Comparison, Draft, OpKind, OpState, Origin, Review};
use crate::engine::words;
use crate::markdown::untrusted;
use crate::ui::font;
use crate::ui::message::Local;
use crate::ui::theme::style::{self, Kind};
use crate::ui::widget::{Element, Look};
use crate::ui::{App, Message, clock};

/// The operations to review.
pub fn operations<'a>(id: iced::window::Id, reviews: &'a [Review]) -> Element<'a, Message> {
    column(reviews.iter().map(|review| operation(id, review))).spacing(GAP).into()
}

fn operation<'a>(id: iced::window::Id, review: &'a Review) -> Element<'a, Message> {
    let (kind, title, why) = match &review.state {
        OpState::NotSent(why) => (Kind::Warn, format!("{} was not sent", what(review.what)), why.as_str()),
        OpState::Rejected(why) => (Kind::Warn, format!("{} was refused", what(review.what)), why.as_str()),
        OpState::OutcomeUnknown(why) => {
            let done = match review.what {
                OpKind::Send | OpKind::Steer | OpKind::Answer => "sent",
                OpKind::StartConversation | OpKind::Join | OpKind::Interrupt => "done",
            };
            (Kind::Bad, format!("Not known whether {} was {done}", what(review.what).to_lowercase()), why.as_str())
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
    let said = why.contains("may run it twice");
    if matches!(review.state, OpState::OutcomeUnknown(_)) && review.text.is_some() && !said {
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

/// Text frozen when connections ended: confirm once, then each draft whole with its buttons.
pub fn drafts<'a>(app: &'a App, id: iced::window::Id, narrow: bool, drafts: &'a [Draft]) -> Element<'a, Message> {
    let mut content = column![].spacing(GAP);
    if let Some(comparison) = app.engine().comparison() {
        content = content.push(confirm(id, narrow, &comparison));
    }
    let refused = app.engine().restore_refused();
    content = content.push(column(drafts.iter().map(|draft| frozen(app, id, draft, refused))).spacing(GAP));
    kit::group("drafts", "Unsent text kept", content)
}

/// Old and new connection side by side, differences in words, one press.
fn confirm<'a>(id: iced::window::Id, narrow: bool, comparison: &Comparison) -> Element<'a, Message> {
    let was = column(comparison.old.iter().map(|old| origin("Kept from", old)));
    let is = match &comparison.new {
        Some(new) => origin("Connected to", new),
        None => kit::small("Not connected yet.").into(),
    };
    let side_by_side: Element<'a, Message> = if narrow {
        column![was.spacing(4), is].spacing(GAP).into()
    } else {
        let is = column![is].width(Length::FillPortion(1));
        row![was.spacing(4).width(Length::FillPortion(1)), is].spacing(INSET).into()
    };
    // Once confirmed, the drafts need the room.
    let mut content = column![].spacing(GAP);
    if !comparison.confirmed {
        content = content.push(side_by_side);
    }
    for difference in &comparison.differences {
        content = content.push(kit::small(untrusted::one_line(difference)).style(style::warn));
    }
    if comparison.new.is_some() && comparison.differences.is_empty() && !comparison.confirmed {
        content = content
            .push(kit::small("Nothing that can be seen differs. Nobody can prove that the account is the same."));
    }
    let press =
        (comparison.new.is_some() && !comparison.confirmed).then_some(Message::Do(id, Intent::ConfirmConnection));
    let look = if press.is_some() { Look::Primary } else { Look::Secondary };
    let button = kit::button("confirm-connection", "Confirm connection", look, press)
        .description("Says that drafts may be restored on this connection. Sends nothing.");
    let mut actions: Vec<Element<'a, Message>> = vec![button.into()];
    if comparison.confirmed {
        actions.push(kit::status("connection-confirmed", "Connection confirmed", kit::small("Connection confirmed")));
    }
    content = content.push(kit::buttons(actions));
    let surface = kit::full(content).padding(INSET).style(style::notice(Kind::Plain));
    kit::group("confirm", "Is this the right connection?", surface)
}

fn origin<'a>(label: &'static str, origin: &Origin) -> Element<'a, Message> {
    let lines = [&origin.profile, &origin.endpoint, &origin.account, &origin.root];
    let labels = ["", "", "Account: ", "Directory: "];
    let lines = lines.into_iter().zip(labels).filter(|(line, _)| !line.is_empty());
    column![
        kit::words(font::SMALL_STRONG, label),
        column(lines.map(|(line, label)| kit::small(format!("{label}{}", untrusted::one_line(line))).into()))
    ]
    .into()
}

fn frozen<'a>(
    app: &'a App,
    id: iced::window::Id,
    draft: &'a Draft,
    refused: Option<&'static str>,
) -> Element<'a, Message> {
    let from = format!(
        "from \u{201c}{}\u{201d}, {}, {}",
        untrusted::one_line(&draft.title),
        draft.connection,
        clock::time_of_day(draft.at)
    );
    let head =
        row![kit::words(font::STRONG, "Unsent text kept"), kit::small(from).width(Length::Fill)].spacing(GAP).wrap();
    let mut content =
        column![head, kit::full(kit::plain_text(draft.text.clone(), font::BODY)).padding([8, 12]).style(style::code),]
            .spacing(GAP);
    if let Some(preedit) = &draft.preedit {
        content =
            content.push(kit::small(format!("Not committed in the input method: {}", untrusted::one_line(preedit))));
    }
    let chosen: Vec<&str> = [&draft.model, &draft.effort].into_iter().flatten().map(String::as_str).collect();
    if !chosen.is_empty() {
        content = content.push(kit::small(format!("Chosen for its turn: {}", untrusted::one_line(&chosen.join(", ")))));
    }
    if app.engine().draft_twin(draft) {
        content = content.push(kit::small(words::TWIN_OPERATION).style(style::warn));
    }
    let restore = refused.is_none().then_some(Message::Do(id, Intent::RestoreDraft(draft.id)));
    let look = if restore.is_some() { Look::Primary } else { Look::Secondary };
    let mut restore = kit::button(format!("draft-{}-restore", draft.id), "Restore draft", look, restore);
    if let Some(why) = refused {
        restore = restore.description(why);
        content = content.push(kit::small(why));
    }
    content = content.push(kit::buttons([
        restore.into(),
        kit::plain(format!("draft-{}-copy", draft.id), "Copy", Message::Local(id, Local::Copy(draft.text.clone()))),
        kit::flat(
            format!("draft-{}-discard", draft.id),
            "Discard draft",
            Message::Local(id, Local::AskDiscard(draft.id)),
        ),
    ]));
    let surface = kit::full(content).padding(INSET).style(style::notice(Kind::Warn));
    kit::group(format!("draft-{}", draft.id), "Unsent text kept", surface)
}
